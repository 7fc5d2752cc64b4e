//! Results, each kept under a digest of everything that it depends on.

use crate::Error;
use etcetera::BaseStrategy;
use manylane_primitives::hash::digest;
use manylane_primitives::hash::sha2::Sha256;
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use std::env;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A folder of results, one file each.
#[derive(Clone, Debug)]
pub struct Cache(PathBuf);

/// The environment variable that names the folder.
pub const VARIABLE: &str = "MANYLANE_SYNTH_CACHE";

impl Cache {
    /// Opens the folder that `MANYLANE_SYNTH_CACHE` names, else one in the user's cache; it is
    /// created if it is missing.
    ///
    /// # Errors
    /// If it cannot be made, or written.
    pub fn open() -> Result<Self, Error> {
        let named = env::var_os(VARIABLE).filter(|named| !named.is_empty()).map(PathBuf::from);
        let folder = named.unwrap_or_else(|| {
            let folders = etcetera::base_strategy::choose_native_strategy();
            let caches = folders.map_or_else(|_| env::temp_dir(), |folders| folders.cache_dir());
            caches.join("manylane/synth")
        });
        Self::at(folder)
    }

    /// Opens this folder, which is created if it is missing.
    ///
    /// # Errors
    /// If it cannot be made, or written.
    pub fn at(folder: PathBuf) -> Result<Self, Error> {
        let writable = fs::create_dir_all(&folder)
            .and_then(|()| tempfile::tempfile_in(&folder))
            .and_then(|mut file| file.write_all(b"{}"));
        match writable {
            Ok(()) => Ok(Self(folder)),
            Err(error) => Err(Error::Cache { folder, error }),
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// A result, if there is one. A result that cannot be read counts as none.
    pub(crate) fn get<T: DeserializeOwned>(&self, key: &Key) -> Option<T> {
        serde_json::from_slice(&fs::read(self.file(key)).ok()?).ok()
    }

    /// Keeps a result: whole, or not at all.
    pub(crate) fn put(&self, key: &Key, result: &impl Serialize) -> Result<(), Error> {
        let file = self.file(key);
        let write = || {
            let mut beside = tempfile::NamedTempFile::new_in(&self.0)?;
            serde_json::to_writer(&mut beside, result)?;
            beside.persist(&file)?;
            Ok(())
        };
        write().map_err(|error| Error::file(&file, error))
    }

    /// Keeps a file, as it is now, for runs that continue from it.
    pub(crate) fn leave(&self, key: &Key, file: &Path) -> Result<(), Error> {
        match fs::hard_link(file, self.left(key)) {
            // A run with another seed has kept the file already.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            done => done.map_err(|error| Error::file(file, error)),
        }
    }

    /// Moves a file of JSON that [`Self::leave`] has kept to `to`, and returns whether there was
    /// one. A damaged file counts as none.
    pub(crate) fn take(&self, key: &Key, to: &Path) -> bool {
        let whole = || serde_json::from_slice::<IgnoredAny>(&fs::read(to).ok()?).ok();
        fs::rename(self.left(key), to).is_ok() && whole().is_some()
    }

    /// A folder to work in, which goes away with the value.
    pub(crate) fn workplace(&self) -> Result<tempfile::TempDir, Error> {
        let made = tempfile::Builder::new().prefix("work-").tempdir_in(&self.0);
        made.map_err(|error| Error::file(&self.0, error))
    }

    fn left(&self, key: &Key) -> PathBuf {
        self.0.join(format!("{}.left", key.0))
    }

    fn file(&self, key: &Key) -> PathBuf {
        self.0.join(format!("{}.json", key.0))
    }
}

/// The SHA-256 of all that a result depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key(String);

impl Key {
    /// The key of some parts, each with its length before it, so that none runs into the next.
    pub(crate) fn new<'p>(parts: impl IntoIterator<Item = &'p str>) -> Self {
        let mut bytes = Vec::new();
        for part in parts {
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(part.as_bytes());
        }
        let mut out = [0; 32];
        digest(&Sha256::SHA256, &bytes, &mut out);
        Self(out.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Returns it in hexadecimal.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_parts_apart() {
        assert_eq!(Key::new(["a", "b"]), Key::new(["a", "b"]));
        assert_ne!(Key::new(["a", "b"]), Key::new(["ab", ""]));
        assert_ne!(Key::new(["a", "b"]), Key::new(["b", "a"]));
    }

    #[test]
    fn damaged_results_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("new")).unwrap();
        let key = Key::new(["x"]);
        assert_eq!(cache.get::<u32>(&key), None);
        cache.put(&key, &7_u32).unwrap();
        assert_eq!(cache.get(&key), Some(7_u32));
        fs::write(cache.file(&key), "{").unwrap();
        assert_eq!(cache.get::<u32>(&key), None);
        assert_eq!(fs::read_dir(cache.folder()).unwrap().count(), 1, "nothing is left beside it");
    }
}
