//! Errors in a file that a person wrote: where, what, and what to do.

use crate::nearest::suggestion;
use std::borrow::Cow;
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

/// Why there is no description of a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// No such name, and it is no path.
    #[error("no {what} `{name}`: {suggestion} (or give the path of a .toml file)")]
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// The name.
        name: String,
        /// What may have been meant.
        suggestion: String,
    },
    /// The file cannot be read.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// The file says something wrong.
    #[error(transparent)]
    Source(#[from] SourceError),
}

/// Name and text of a description: one of `builtin`, or that in the file of this path.
///
/// # Errors
/// If there is none; the message says that there is no such `what`.
pub fn find(
    what: &'static str,
    name_or_path: &str,
    builtin: &[(&'static str, &'static str)],
) -> Result<(String, Cow<'static, str>), LoadError> {
    if let Some(&(name, text)) = builtin.iter().find(|(name, _)| *name == name_or_path) {
        return Ok((format!("platforms/{name}.toml"), text.into()));
    }
    if !name_or_path.contains(['/', '\\']) && !name_or_path.ends_with(".toml") {
        let names: Vec<&str> = builtin.iter().map(|&(name, _)| name).collect();
        let suggestion = suggestion(name_or_path, &names);
        return Err(LoadError::Unknown { what, name: name_or_path.to_owned(), suggestion });
    }
    match std::fs::read_to_string(name_or_path) {
        Ok(text) => Ok((name_or_path.to_owned(), text.into())),
        Err(error) => {
            let reason = match error.kind() {
                std::io::ErrorKind::NotFound => "no such file".to_owned(),
                _ => error.to_string(),
            };
            Err(LoadError::File { path: name_or_path.to_owned(), reason })
        }
    }
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

    /// Checks that the text describes `what`, which has `kind = "…"` at its top, or none. What is no
    /// TOML passes here.
    ///
    /// # Errors
    /// If the kind is another one.
    pub fn check_kind(self, what: &str, kind: Option<&str>) -> Result<(), SourceError> {
        let Ok(document) = toml::de::DeTable::parse(self.text) else { return Ok(()) };
        let given = document.get_ref().get("kind");
        let at = given.map_or(0..0, toml::Spanned::span);
        let given = given.map(|value| value.get_ref().as_str().unwrap_or_default());
        if given == kind {
            return Ok(());
        }
        let problem = match given {
            Some(given) => format!("this is of kind `{given}`, no {what}"),
            None => format!("this has no kind, and is no {what}"),
        };
        let remedy = match kind {
            Some(kind) => format!("a {what} has kind = \"{kind}\""),
            None => format!("a {what} has no kind"),
        };
        Err(self.error(at, problem, remedy))
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
