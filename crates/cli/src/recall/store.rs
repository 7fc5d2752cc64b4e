//! What every place has in common that keeps digests.

use crate::stamp::Stamp;
use std::path::{Path, PathBuf};

/// A digest that was kept, and what the file was then.
#[derive(Clone, Debug)]
pub struct Row {
    pub algorithm: String,
    pub stamp: Stamp,
    pub digest: Vec<u8>,
}

/// Where digests are kept. Errors are whole messages.
pub trait Store: Send {
    /// The digests of a file, also those of other content that it had.
    fn find(&mut self, path: &Path, stamp: &Stamp) -> Result<Vec<Row>, String>;

    /// Keeps digests, all or none of them if the program is ended meanwhile.
    fn keep(&mut self, rows: &[(PathBuf, Row)]) -> Result<(), String>;

    /// What is to be said at the end.
    fn remark(&self) -> Option<String> {
        None
    }
}
