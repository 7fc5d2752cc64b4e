//! Walks through folders, depth first, in the order of the bytes of names.
//!
//! A folder is read to its end and closed before its entries are given, so a walk has at most one
//! folder open. The memory for names is bounded; the crate `walkdir` would hold all of them.

mod glob;
mod key;
mod kind;
mod linked;
mod own;
mod rules;
mod sorted;

pub use key::Key;
pub use kind::EntryKind;
pub use linked::Linked;
pub use own::Own;
pub use rules::{Judge, Presence, Rules, Symlinks, Verdict};

use crate::quote::quote;
use crate::system::os;
use crate::system::reason;
use sorted::{Name, Sorted};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Something that was found.
#[derive(Clone, Debug)]
pub struct Entry {
    path: PathBuf,
    kind: EntryKind,
    depth: usize,
    is_link: bool,
}

impl Entry {
    /// Its path, which begins with the path that the walk began with.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the path out of the entry.
    pub fn into_path(self) -> PathBuf {
        self.path
    }

    /// The last part of its path.
    pub fn file_name(&self) -> &OsStr {
        self.path.file_name().unwrap_or(self.path.as_os_str())
    }

    /// Its kind; for a link that is followed, the kind of its target.
    pub fn kind(&self) -> EntryKind {
        self.kind
    }

    /// Whether it is a folder, or a link to one that is followed.
    pub fn is_folder(&self) -> bool {
        self.kind == EntryKind::Folder
    }

    /// Whether it is a link, followed or not.
    pub fn is_link(&self) -> bool {
        self.is_link
    }

    /// The depth below the path that the walk began with, which has depth 0.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The system's metadata of the entry; for a link that is followed, those of its target.
    ///
    /// # Errors
    /// If the system cannot read them.
    pub fn metadata(&self) -> Result<Metadata, Error> {
        let about = match self.is_link && self.kind != EntryKind::Link {
            true => self.path.metadata(),
            false => self.path.symlink_metadata(),
        };
        about.map_err(|error| Error::io(&self.path, self.depth, error))
    }
}

/// The reason for which something could not be walked.
#[derive(Debug)]
pub struct Error {
    path: PathBuf,
    depth: usize,
    cause: Cause,
}

#[derive(Debug)]
enum Cause {
    Io(io::Error),
    /// A link that leads to this folder, although it lies below it.
    Loop(PathBuf),
}

impl Error {
    fn io(path: &Path, depth: usize, error: io::Error) -> Self {
        Self { path: path.to_owned(), depth, cause: Cause::Io(error) }
    }

    /// The path of what could not be read.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The depth below the path that the walk began with, which has depth 0.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Whether there was no descriptor left.
    pub fn lacks_descriptors(&self) -> bool {
        matches!(&self.cause, Cause::Io(error) if os::lacks_descriptors(error))
    }

    /// Returns the message about it.
    pub fn complaint(&self) -> String {
        format!("{}: {}", quote(self.path.as_os_str().as_encoded_bytes()), self.why())
    }

    /// Returns the message about it without the path.
    pub fn why(&self) -> String {
        match &self.cause {
            Cause::Io(error) => reason(error),
            Cause::Loop(folder) => {
                let folder = quote(folder.as_os_str().as_encoded_bytes());
                format!("a loop: this link leads to {folder}, which it is in")
            }
        }
    }
}

/// A folder whose entries the walk is giving.
struct Level {
    path: PathBuf,
    names: Sorted,
}

/// The entries from a path on, each folder before what is in it.
pub struct Walk {
    root: Option<PathBuf>,
    /// Whether links to folders are walked.
    follows: bool,
    one_file_system: bool,
    /// The device of the root, if the walk is to stay there.
    device: Option<u64>,
    levels: Vec<Level>,
    /// The folder that was given last, which is read next.
    entered: Option<PathBuf>,
}

impl Walk {
    /// A walk from `root` on, which may be a link to a folder.
    pub fn new(root: &Path, follows: bool, one_file_system: bool) -> Self {
        let (levels, entered) = (Vec::new(), None);
        let root = Some(root.to_owned());
        Self { root, follows, one_file_system, device: None, levels, entered }
    }

    /// Does not enter the folder that was given last.
    pub fn skip_folder(&mut self) {
        self.entered = None;
    }

    fn begin(&mut self, root: PathBuf) -> Result<Entry, Error> {
        let failed = |error| Error::io(&root, 0, error);
        let about = root.symlink_metadata().map_err(failed)?;
        let mut kind = EntryKind::of(about.file_type());
        let is_link = kind == EntryKind::Link;
        let mut target = Some(about).filter(|_| !is_link);
        if is_link {
            // A dangling link is given as a link, unless links are followed.
            target = match root.metadata() {
                Err(error) if self.follows => return Err(failed(error)),
                target => target.ok(),
            };
        }
        if let (true, Some(target)) = (self.follows, &target) {
            kind = EntryKind::of(target.file_type());
        }
        if let Some(target) = target.filter(Metadata::is_dir) {
            self.device = os::file_id(&target).map(|id| id.0).filter(|_| self.one_file_system);
            self.entered = Some(root.clone());
        }
        Ok(Entry { path: root, kind, depth: 0, is_link })
    }

    /// The entry of a name in the folder that the walk is in.
    fn entry(&mut self, path: PathBuf, kind: EntryKind) -> Result<Entry, Error> {
        let depth = self.levels.len();
        let mut entry = Entry { path, kind, depth, is_link: kind == EntryKind::Link };
        if entry.is_link && self.follows {
            let about = entry.path.metadata();
            let about = about.map_err(|error| Error::io(&entry.path, depth, error))?;
            entry.kind = EntryKind::of(about.file_type());
            if entry.is_folder() {
                self.refuse_loop(&entry)?;
            }
        }
        if entry.is_folder() && self.is_on_device(&entry)? {
            self.entered = Some(entry.path.clone());
        }
        Ok(entry)
    }

    fn is_on_device(&self, entry: &Entry) -> Result<bool, Error> {
        let Some(device) = self.device else { return Ok(true) };
        let about = entry.metadata()?;
        Ok(os::file_id(&about).is_none_or(|id| id.0 == device))
    }

    /// Refuses a link to a folder that the link lies in.
    fn refuse_loop(&self, entry: &Entry) -> Result<(), Error> {
        let failed = |error| Error::io(&entry.path, entry.depth, error);
        let target = fs::canonicalize(&entry.path).map_err(failed)?;
        for Level { path, .. } in &self.levels {
            if fs::canonicalize(path).is_ok_and(|folder| folder == target) {
                let (path, depth) = (entry.path.clone(), entry.depth);
                return Err(Error { path, depth, cause: Cause::Loop(target) });
            }
        }
        Ok(())
    }
}

impl Iterator for Walk {
    type Item = Result<Entry, Error>;

    fn next(&mut self) -> Option<Result<Entry, Error>> {
        if let Some(root) = self.root.take() {
            return Some(self.begin(root));
        }
        if let Some(path) = self.entered.take() {
            match Sorted::open(&path) {
                Ok(names) => self.levels.push(Level { path, names }),
                Err(error) => return Some(Err(Error::io(&path, self.levels.len(), error))),
            }
        }
        while let Some(depth) = self.levels.len().checked_sub(1) {
            let level = &mut self.levels[depth];
            match level.names.next() {
                Some(Ok(Name { name, kind })) => {
                    let path = level.path.join(name);
                    return Some(self.entry(path, kind));
                }
                Some(Err(error)) => {
                    return Some(Err(Error::io(&level.path, depth, error)));
                }
                None => _ = self.levels.pop(),
            }
        }
        None
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn found(root: &Path, follows: bool) -> (Vec<String>, Vec<String>) {
        let (mut entries, mut complaints) = (Vec::new(), Vec::new());
        for found in Walk::new(root, follows, false) {
            match found {
                Ok(entry) => {
                    let below = entry.path().strip_prefix(root).unwrap().display();
                    entries.push(format!("{} {:?} {below}", entry.depth(), entry.kind()));
                }
                Err(error) => complaints.push(format!("{} {}", error.depth(), error.complaint())),
            }
        }
        (entries, complaints)
    }

    #[test]
    fn folders_come_before_what_is_in_them() {
        let sandbox = tempfile::tempdir().unwrap();
        let root = sandbox.path();
        for folder in ["b", "b.c", "b/d/e"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for file in ["a", "b/z", "b/d/e/f"] {
            fs::write(root.join(file), "").unwrap();
        }
        symlink("..", root.join("b/d/up")).unwrap();
        symlink("b.c", root.join("c")).unwrap();
        symlink("nowhere", root.join("x")).unwrap();
        let all = [
            "0 Folder ",
            "1 File a",
            "1 Folder b",
            "2 Folder b/d",
            "3 Folder b/d/e",
            "4 File b/d/e/f",
            "3 Link b/d/up",
            "2 File b/z",
            "1 Folder b.c",
            "1 Link c",
            "1 Link x",
        ];
        assert_eq!(found(root, false), (all.map(str::to_owned).to_vec(), Vec::new()));
        let (entries, complaints) = found(root, true);
        assert!(entries.contains(&"1 Folder c".to_owned()), "{entries:?}");
        assert_eq!(entries.len(), all.len() - 2);
        assert!(complaints[0].starts_with("3 ") && complaints[0].contains("a loop: this link"));
        assert!(complaints[1].starts_with("1 ") && complaints[1].contains("No such file"));
        // A root may be a link, to a folder or to nothing.
        assert_eq!(found(&root.join("b/d/up"), false).0.len(), 6);
        assert_eq!(found(&root.join("x"), false).0, ["0 Link "]);
        assert_eq!(found(&root.join("x"), true).1.len(), 1);
        assert_eq!(found(&root.join("a"), true).0, ["0 File "]);
        assert_eq!(found(&root.join("none"), false).1.len(), 1);
        let mut walk = Walk::new(root, false, true);
        let mut names = Vec::new();
        while let Some(entry) = walk.next() {
            let entry = entry.unwrap();
            if entry.file_name() == "b" {
                walk.skip_folder();
            }
            names.push(entry.into_path());
        }
        assert_eq!(names.len(), 6);
    }
}
