//! An answer: the text to print, and the files that go with it.

use manylane_files::system::atomic;
use std::path::{Path, PathBuf};

/// The text to print, as text or JSON, and files to write.
#[derive(Debug)]
pub struct Answered {
    text: String,
    /// Each file with its content.
    files: Vec<(PathBuf, String)>,
}

impl Answered {
    /// An answer without files.
    pub(crate) fn new(text: String) -> Self {
        Self { text, files: Vec::new() }
    }

    /// Adds a file, if one is asked for.
    pub(crate) fn with(mut self, file: Option<&Path>, content: impl FnOnce() -> String) -> Self {
        self.files.extend(file.map(|file| (file.to_owned(), content())));
        self
    }

    /// Writes the files, each whole or not at all, and returns the text to print.
    ///
    /// # Errors
    /// If a file cannot be written: the error names it.
    pub fn written(self) -> anyhow::Result<String> {
        for (file, content) in self.files {
            atomic::write_file(&file, content)?;
        }
        Ok(self.text)
    }
}
