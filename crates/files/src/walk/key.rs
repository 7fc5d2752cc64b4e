//! Names in the order of walks.

use crate::system::os;
use std::path::{Component, Path, PathBuf};

/// A file's name in the order of walks: its absolute path without `.`, with NUL in place of `/`, so
/// that the files below a folder follow it immediately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key(pub(crate) Vec<u8>);

impl Key {
    /// The key of a path that is relative to a folder.
    pub fn below(base: &Path, path: &Path) -> Self {
        let mut path = base.join(path);
        if path.as_os_str().is_empty() {
            path.push(".");
        }
        let mut absolute = std::path::absolute(&path).unwrap_or(path);
        if absolute.components().any(|part| part == Component::ParentDir) {
            // Where `..` leads depends on links, so the system resolves the path.
            let parent = absolute.parent().and_then(|parent| parent.canonicalize().ok());
            if let (Some(parent), Some(name)) = (parent, absolute.file_name()) {
                absolute = parent.join(name);
            }
        }
        let mut key: Vec<u8> = Vec::new();
        for part in absolute.components() {
            match part {
                Component::RootDir | Component::CurDir => {}
                Component::ParentDir => {
                    let last = key.iter().rposition(|byte| *byte == 0);
                    key.truncate(last.unwrap_or(0));
                }
                part => {
                    key.push(0);
                    key.extend(part.as_os_str().as_encoded_bytes());
                }
            }
        }
        Self(key)
    }

    /// The key of a path.
    pub fn of(path: &Path) -> Self {
        Self::below(Path::new(""), path)
    }

    /// Whether this is the key of `folder` or of something below it.
    pub fn is_in(&self, folder: &Self) -> bool {
        self.0.strip_prefix(&folder.0[..]).is_some_and(|rest| rest.is_empty() || rest[0] == 0)
    }

    /// The path of this key.
    pub fn path(&self) -> PathBuf {
        let bytes = self.0.iter().map(|&byte| if byte == 0 { b'/' } else { byte }).collect();
        os::name_from_bytes(bytes).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_the_order_of_walks() {
        let key = |path: &str| Key::below(Path::new("/r"), Path::new(path));
        assert_eq!(key("./a//b/."), key("a/b"));
        assert_eq!(key("/x/y").path(), Path::new("/x/y"));
        assert!(key("a/b").is_in(&key("a")) && key("a").is_in(&key("a")));
        assert!(!key("ab").is_in(&key("a")));
        assert!(key("a/z").0 < key("a.b").0);
        assert_eq!(key("no-such/../a/b"), key("a/b"));
        assert_eq!(key("../../../a"), Key::of(Path::new("/a")));
    }
}
