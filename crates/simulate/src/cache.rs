//! Keeps simulators that were built, each under a digest of its sources.

use crate::Error;
use etcetera::BaseStrategy;
use manylane_primitives::hash::digest;
use manylane_primitives::hash::sha2::Sha256;
use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The environment variable that names the folder of the cache.
const VARIABLE: &str = "MANYLANE_SIMULATE_CACHE";

/// The folder of `name` for these contents: in the one that `MANYLANE_SIMULATE_CACHE` names, else
/// in the user's cache. Other contents have another folder.
pub fn folder(name: &str, contents: &[Vec<u8>]) -> PathBuf {
    let mut bytes = Vec::new();
    for part in contents {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(part);
    }
    let mut key = [0; 32];
    digest(&Sha256::SHA256, &bytes, &mut key);
    let key: String = key[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    let named = env::var_os(VARIABLE).filter(|named| !named.is_empty()).map(PathBuf::from);
    let root = named.unwrap_or_else(|| {
        let folders = etcetera::base_strategy::choose_native_strategy();
        let caches = folders.map_or_else(|_| env::temp_dir(), |folders| folders.cache_dir());
        caches.join("manylane/simulate")
    });
    root.join(format!("{name}-{key}"))
}

/// Makes a folder by `fill`, whole or not at all, unless it is there. Of several processes one
/// makes it, and the others wait.
pub fn fill(folder: &Path, fill: impl FnOnce(&Path) -> Result<(), Error>) -> Result<(), Error> {
    let root = folder.parent().expect("a folder in the cache");
    let lock = folder.with_extension("lock");
    let locked = fs::create_dir_all(root).and_then(|()| {
        let file = File::create(&lock)?;
        file.lock()?;
        Ok(file)
    });
    let _locked = locked.map_err(Error::file(&lock))?;
    if folder.is_dir() {
        return Ok(());
    }
    let work = tempfile::Builder::new().prefix("work-").tempdir_in(root);
    let work = work.map_err(Error::file(root))?;
    fill(work.path())?;
    // The folder that was moved is not removed with `work`.
    fs::rename(work.path(), folder).map_err(Error::file(folder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;

    #[test]
    fn contents_are_told_apart() {
        let of = |parts: &[&str]| {
            folder("x", &parts.iter().map(|part| part.as_bytes().to_vec()).collect::<Vec<_>>())
        };
        assert_eq!(of(&["a", "b"]), of(&["a", "b"]));
        assert_ne!(of(&["a", "b"]), of(&["ab", ""]));
        assert_ne!(of(&["a", "b"]), of(&["b", "a"]));
    }

    #[test]
    fn one_of_many_makes_a_folder() {
        let root = tempfile::tempdir().unwrap();
        let (folder, made) = (root.path().join("one"), AtomicU32::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let make = |_: &Path| {
                        made.fetch_add(1, Ordering::Relaxed);
                        Ok(())
                    };
                    fill(&folder, make).unwrap();
                    assert!(folder.is_dir());
                });
            }
        });
        assert_eq!(made.into_inner(), 1);
    }

    #[test]
    fn a_folder_is_whole_or_not_there() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("new/one");
        let fails = fill(&folder, |work| {
            fs::write(work.join("a"), "1").unwrap();
            Err(Error::Name { name: String::new(), why: "" })
        });
        assert!(fails.is_err() && !folder.exists());
        for text in ["first", "second"] {
            fill(&folder, |work| fs::write(work.join("a"), text).map_err(Error::file(work)))
                .unwrap();
            assert_eq!(fs::read_to_string(folder.join("a")).unwrap(), "first");
        }
        let left = fs::read_dir(root.path().join("new")).unwrap();
        assert_eq!(left.count(), 2, "the folder and its lock");
    }
}
