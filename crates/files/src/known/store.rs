//! The interface of every place that keeps digests.

use crate::names::DEFAULT;
use crate::system::stamp::Stamp;
use std::path::{Path, PathBuf};

/// A digest that was kept, with the stamp of the file at that time.
#[derive(Clone, Debug)]
pub struct Row {
    /// The name of the algorithm.
    pub algorithm: String,
    /// Size and times of the file.
    pub stamp: Stamp,
    /// The digest.
    pub digest: Vec<u8>,
}

impl Row {
    /// A check value over all fields, because a disk that damages files damages databases too.
    pub fn check(&self) -> Vec<u8> {
        let Self { algorithm, stamp, digest } = self;
        let Stamp { id, size, modified, changed } = stamp;
        check(&format!("{algorithm} {id:?} {size} {modified} {changed} {digest:02x?}"))
    }
}

/// A check value over a text: the first eight bytes of its digest.
pub fn check(text: &str) -> Vec<u8> {
    let mut check = manylane_engine::hash(DEFAULT, text.as_bytes());
    check.truncate(8);
    check
}

/// A store of digests. Its errors are whole messages.
pub trait Store: Send {
    /// Returns the digests that were kept of a file, also those of earlier contents.
    fn find(&mut self, path: &Path, stamp: &Stamp) -> Result<Vec<Row>, String>;

    /// Keeps digests, all or none of them if the program is ended meanwhile.
    fn keep(&mut self, rows: &[(PathBuf, Row)]) -> Result<(), String>;

    /// The remark at the end about digests that could not be kept.
    fn remark(&self) -> Option<String> {
        None
    }
}
