//! Errors in a file that a person wrote: where, what, and what to do.

use std::ops::Range;

/// An error in a TOML file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {problem}; {remedy}")]
pub struct SourceError {
    /// The file's name.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    pub remedy: String,
}

/// A text with its name, to speak about places in it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'t> {
    /// The file's name.
    pub file: &'t str,
    /// What it contains.
    pub text: &'t str,
}

impl Source<'_> {
    /// An error at a range of bytes.
    pub fn error(
        self,
        at: Range<usize>,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> SourceError {
        let before = &self.text.as_bytes()[..at.start.min(self.text.len())];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        SourceError {
            file: self.file.to_owned(),
            line,
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }

    /// Reads the text as TOML. Fields that need their place are `toml::Spanned`.
    ///
    /// # Errors
    /// If it is no TOML or does not have the form of `T`.
    pub fn parse<T: serde::de::DeserializeOwned>(self) -> Result<T, SourceError> {
        toml::from_str(self.text).map_err(|error| {
            let at = error.span().unwrap_or(0..0);
            self.error(at, error.message().replace('\n', " "), "see docs/platforms.md for the form")
        })
    }
}
