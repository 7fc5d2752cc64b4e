//! An answer: the text to print, and the files that go with it.

use manylane_files::system::atomic;
use serde::Serialize;
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

/// Writes an answer as indented JSON that ends with a newline.
///
/// # Errors
/// If the answer cannot be written as JSON.
pub fn json(answer: &impl Serialize) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(answer)? + "\n")
}

/// Writes an answer by [`json`] if `is_json`, else by `text`.
///
/// # Errors
/// If the answer cannot be written as JSON.
pub fn json_or_text<T: Serialize>(
    answer: &T,
    is_json: bool,
    text: impl FnOnce(&T) -> String,
) -> anyhow::Result<String> {
    if is_json { json(answer) } else { Ok(text(answer)) }
}
