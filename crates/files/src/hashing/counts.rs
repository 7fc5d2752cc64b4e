//! Progress of the work, counted by the threads that do it.

use super::job::Input;
use crate::system::os;
use std::fs::Metadata;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// Progress of the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SoFar {
    /// Files done. They are counted out of order, so earlier files may not be done yet.
    pub files: u64,
    /// Bytes hashed, those of unfinished files among them.
    pub bytes: u64,
    /// Files found.
    pub known_files: u64,
    /// Bytes of the files found. Those of a pipe count as they are read.
    pub known_bytes: u64,
    /// Whether all files were found.
    pub all_known: bool,
    /// Whether a file was found whose size is not known before it is read, such as a pipe or a
    /// device.
    pub untold: bool,
}

/// The counters of [`SoFar`].
pub struct Counts {
    /// Whether to ask for the sizes of files before they are read.
    pub sizes: bool,
    files: AtomicU64,
    bytes: AtomicU64,
    known_files: AtomicU64,
    known_bytes: AtomicU64,
    all_known: AtomicBool,
    untold: AtomicBool,
}

impl Counts {
    /// All counts are 0. With `sizes`, the sizes of files are asked for when they are found.
    pub fn new(sizes: bool) -> Self {
        Self {
            sizes,
            files: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            known_files: AtomicU64::new(0),
            known_bytes: AtomicU64::new(0),
            all_known: AtomicBool::new(false),
            untold: AtomicBool::new(false),
        }
    }

    /// Counts an input that was found, and returns its bytes: 0 if sizes are not asked for, or
    /// cannot be told before reading.
    pub fn found(&self, input: &Input) -> u64 {
        if *input == Input::Nothing {
            return 0;
        }
        let about = match input {
            _ if !self.sizes => None,
            Input::Link(path) => path.symlink_metadata().ok(),
            _ => match input.opened() {
                Some(path) => path.metadata().ok(),
                None => os::stdin().and_then(|file| file.metadata()).ok(),
            },
        };
        let told = |about: &Metadata| about.is_file() || about.is_dir() || about.is_symlink();
        let is_untold = about.as_ref().is_some_and(|about| !told(about));
        self.untold.fetch_or(is_untold, Relaxed);
        let size = about.map_or(0, |about| if about.is_file() { about.len() } else { 0 });
        let size = if let Input::Head(_, most) = input { size.min(*most) } else { size };
        self.known_files.fetch_add(1, Relaxed);
        self.known_bytes.fetch_add(size, Relaxed);
        size
    }

    /// Notes that all files were found.
    pub fn found_all(&self) {
        self.all_known.store(true, Relaxed);
    }

    /// Counts bytes that were hashed. If the size of their input was `untold`, they are now added
    /// to the known bytes.
    pub fn hashed(&self, bytes: usize, untold: bool) {
        self.bytes.fetch_add(bytes as u64, Relaxed);
        if untold {
            self.known_bytes.fetch_add(bytes as u64, Relaxed);
        }
    }

    /// Adds the `size` of a file that is hashed once more to the known bytes.
    pub fn again(&self, size: u64) {
        self.known_bytes.fetch_add(size, Relaxed);
    }

    /// Counts an input that is done and was found with this `size`. If it failed, its bytes no
    /// longer count as known, because no more of them are hashed.
    pub fn done(&self, input: &Input, size: u64, failed: bool) {
        self.files.fetch_add(u64::from(*input != Input::Nothing), Relaxed);
        if failed {
            self.known_bytes.fetch_sub(size, Relaxed);
        }
    }

    /// The counts as they are now. They are read one by one while other threads go on counting.
    pub fn so_far(&self) -> SoFar {
        SoFar {
            files: self.files.load(Relaxed),
            bytes: self.bytes.load(Relaxed),
            known_files: self.known_files.load(Relaxed),
            known_bytes: self.known_bytes.load(Relaxed),
            all_known: self.all_known.load(Relaxed),
            untold: self.untold.load(Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_known_before_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, [0; 1234]).unwrap();
        let inputs = [Input::Path(path), Input::Nothing, Input::Path(folder.path().into())];
        for sizes in [false, true] {
            let known_bytes = if sizes { 1234 } else { 0 };
            let counts = Counts::new(sizes);
            let found = inputs.each_ref().map(|input| counts.found(input));
            assert_eq!(found, [known_bytes, 0, 0]);
            let expected = SoFar { known_files: 2, known_bytes, ..SoFar::default() };
            assert_eq!(counts.so_far(), expected);
            counts.found_all();
            counts.hashed(1000, false);
            counts.hashed(7, true);
            counts.done(&inputs[1], 0, false);
            counts.done(&inputs[2], 0, true);
            let expected = SoFar {
                files: 1,
                bytes: 1007,
                known_bytes: known_bytes + 7,
                all_known: true,
                ..expected
            };
            assert_eq!(counts.so_far(), expected);
            counts.done(&inputs[0], known_bytes, true);
            assert_eq!(counts.so_far(), SoFar { files: 2, known_bytes: 7, ..expected });
        }
    }
}
