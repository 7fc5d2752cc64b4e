//! Files through the public interface: functions asked for twice, sources and stores that panic.

use manylane_engine::{HashId, Hasher};
use manylane_files::hashing::{
    Function, Functions, Half, Halves, Hashing, Input, Job, Next, Options, Saving, Source,
};
use manylane_files::system::stamp::Stamp;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn functions(hashes: &[HashId]) -> Functions {
    hashes.iter().map(|&hash| Function::new(hash.into(), None)).collect()
}

/// Files, and whether the source panics after them.
struct Files(std::vec::IntoIter<PathBuf>, Functions, bool);

impl Source for Files {
    type Note = ();

    fn next(&mut self) -> Option<Job<()>> {
        let Some(path) = self.0.next() else {
            assert!(!self.2, "the source panics");
            return None;
        };
        Some(Job { input: Input::Path(path), functions: self.1.clone(), note: () })
    }

    fn may_wait(&self) -> bool {
        self.2
    }
}

/// The digests of all files, until the end or the first panic.
fn digests(source: Files, options: &Options) -> (Vec<Vec<Vec<u8>>>, bool) {
    let mut all = Vec::new();
    let hash = || {
        let mut hashing = Hashing::start(source, options);
        loop {
            match hashing.next(Duration::from_secs(1)) {
                Next::Done(done) => all.push(done.digests.unwrap()),
                Next::Waiting => {}
                Next::End => return,
            }
        }
    };
    let ended = catch_unwind(AssertUnwindSafe(hash)).is_ok();
    (all, ended)
}

/// One long file on two threads, and many files, longer and shorter, on one.
#[test]
fn a_function_asked_for_twice_has_its_digest_twice() {
    let folder = tempfile::tempdir().unwrap();
    let twice = [HashId::Sha512, HashId::Md5, HashId::Sha512, HashId::Sha512, HashId::Md5];
    for (count, bytes, threads) in [(1, 3_000_000, 2), (100, 300_000, 1), (100, 100, 1)] {
        let write = |i: usize| {
            let path = folder.path().join(i.to_string());
            std::fs::write(&path, vec![i as u8; bytes]).unwrap();
            path
        };
        let files: Vec<PathBuf> = (0..count).map(write).collect();
        let source = Files(files.into_iter(), functions(&twice), false);
        let options = Options { threads, ..Options::default() };
        let (all, ended) = digests(source, &options);
        assert!(ended && all.len() == count, "{} of {count}", all.len());
        for (i, digests) in all.iter().enumerate() {
            let message = vec![i as u8; bytes];
            let expected = twice.map(|id| manylane_engine::hash(id, &message));
            assert!(digests[..] == expected, "file {i} of {count}");
        }
    }
}

/// Jobs that were claimed before the panic are lost. Reporting the end would hide that they have no
/// digests.
#[test]
fn a_source_that_panics_is_no_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "abc").unwrap();
    for count in [1, 2, 20, 700] {
        let files = vec![file.clone(); count];
        let source = Files(files.into_iter(), functions(&[HashId::Sha256]), true);
        let (all, ended) = digests(source, &Options { threads: 2, ..Options::default() });
        assert!(!ended, "an end after {} of {count}", all.len());
        let expected = [manylane_engine::hash(HashId::Sha256, b"abc")];
        assert!(all.iter().all(|digests| digests[..] == expected));
    }
}

/// A store without saved hashers, in which a look-up of `b` panics while `a` is hashed.
#[derive(Default)]
struct Panics(AtomicBool);

impl Halves for Panics {
    fn find(&self, path: &Path, _: &Stamp) -> Option<Half> {
        if path.ends_with("a") {
            self.0.store(true, Ordering::Relaxed);
            return None;
        }
        while !self.0.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        std::thread::sleep(Duration::from_millis(20));
        panic!("where beginnings are kept");
    }
    fn keep(&self, _: &Path, _: &Stamp, _: Half) {}
    fn refuse(&self, _: &Path, _: &str) {}
}

/// A file that is not read to its end, because another worker panicked, has no digest.
#[test]
fn what_is_given_up_has_no_digest() {
    const BYTES: usize = 24 << 20;
    let folder = tempfile::tempdir().unwrap();
    let files = ["a", "b"].map(|name| folder.path().join(name));
    for file in &files {
        std::fs::File::create(file).unwrap().set_len(BYTES as u64).unwrap();
    }
    let saving = Saving { every: 1 << 20, halves: Arc::new(Panics::default()) };
    let options = Options { threads: 2, saving: Some(saving), ..Options::default() };
    let source = Files(Vec::from(files).into_iter(), functions(&[HashId::Jh512]), false);
    let (all, ended) = digests(source, &options);
    assert!(!ended);
    let mut hasher = Hasher::new(HashId::Jh512);
    (0..BYTES >> 20).for_each(|_| hasher.update(&[0; 1 << 20]));
    assert!(all.iter().all(|digests| digests[..] == [hasher.finalize()]), "a part's digest");
}

/// An interval of 0 bytes means that nothing is saved.
#[test]
fn no_distance_between_savings_means_none() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a");
    std::fs::write(&file, vec![7; 3_000_000]).unwrap();
    let saving = Saving { every: 0, halves: Arc::new(Panics::default()) };
    let options = Options { threads: 1, saving: Some(saving), ..Options::default() };
    let source = Files(vec![file].into_iter(), functions(&[HashId::Md5]), false);
    let (all, ended) = digests(source, &options);
    assert!(ended);
    assert_eq!(all, [[manylane_engine::hash(HashId::Md5, &vec![7; 3_000_000])]]);
}
