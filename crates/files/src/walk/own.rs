//! The program's own files, which walks leave out.

use crate::system::atomic;
use crate::walk::Key;
use std::ffi::OsString;
use std::path::Path;

/// The program's own files: lists, caches and journals.
#[derive(Clone, Debug, Default)]
pub struct Own {
    /// The files, each with the last part of its name.
    files: Vec<(Key, OsString)>,
    /// Folders, each with the beginning of the names of incomplete files in it.
    unfinished: Vec<(Key, OsString)>,
}

impl Own {
    /// The files of these paths, their temporary files, and the files that SQLite keeps beside
    /// them.
    pub fn new<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Self {
        let mut own = Self::default();
        for path in paths {
            own.add(path);
            // If the path is a link, the temporary file lies beside the target.
            if let Ok(target) = path.canonicalize() {
                own.add(&target);
            }
        }
        own
    }

    fn add(&mut self, path: &Path) {
        for end in ["", "-wal", "-shm", "-journal"] {
            let mut name = path.as_os_str().to_owned();
            name.push(end);
            let last = Path::new(&name).file_name().unwrap_or_default().to_owned();
            self.files.push((Key::of(Path::new(&name)), last));
        }
        if let (Some(folder), Some(name)) = (path.parent(), path.file_name()) {
            self.unfinished.push((Key::of(folder), atomic::beginning(name)));
        }
    }

    /// Whether a path is one of these files.
    pub fn contains(&self, path: &Path) -> bool {
        // For most files the last part of the name decides, without asking for the current folder.
        let Some(name) = path.file_name() else { return false };
        let is_own = |(key, last): &(Key, OsString)| last == name && *key == Key::of(path);
        let is_unfinished = |(folder, beginning): &(Key, OsString)| {
            atomic::is_unfinished(name, beginning)
                && path.parent().is_some_and(|parent| Key::of(parent) == *folder)
        };
        self.files.iter().any(is_own) || self.unfinished.iter().any(is_unfinished)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_known_with_what_stands_beside_them() {
        let own = Own::new([Path::new("d/list"), Path::new("cache")]);
        for name in [
            "d/list",
            "./d//list",
            "cache-wal",
            "d/.list.a1B2c3.unfinished",
            "./.cache.x.unfinished",
        ] {
            assert!(own.contains(Path::new(name)), "{name}");
        }
        for name in ["list", "d/list2", ".list.a1B2c3.unfinished", "d/.list.a.b.unfinished"] {
            assert!(!own.contains(Path::new(name)), "{name}");
        }
        assert!(!Own::default().contains(Path::new("list")));
    }
}
