//! Errors in a file that a person wrote: the place, the problem and the remedy.

use crate::work;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::ops::{Range, RangeInclusive};
use std::path::Path;

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
    pub remedy: Remedy,
}

/// What to do about an error. Where names and forms are looked up depends on where the text was
/// written: in a file, or in a field of a page. The display is that of the program `manylane`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// The remedy in words.
    Words(String),
    /// Look up the names of primitives: none is near to what stands there.
    Primitives,
    /// Look up the form of a description.
    Form,
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Words(words) => words,
            Self::Primitives => "`manylane list` shows all there are",
            Self::Form => "see docs/platforms.md for the form",
        })
    }
}

impl From<String> for Remedy {
    fn from(words: String) -> Self {
        Self::Words(words)
    }
}

impl From<&str> for Remedy {
    fn from(words: &str) -> Self {
        Self::Words(words.to_owned())
    }
}

/// An error: there is no description of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The name is unknown, and it is no path.
    #[error("no {what} `{name}`: {suggestion} (or give the path of a .toml file)")]
    Unknown {
        /// The kind of description that was looked for.
        what: &'static str,
        /// The name.
        name: String,
        /// The names that may have been meant.
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

/// A description that is part of the program.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    /// Other names by which it can be found.
    pub aliases: &'static [&'static str],
    /// Its file.
    pub text: &'static str,
}

impl BuiltIn {
    /// A description without other names.
    pub const fn new(name: &'static str, text: &'static str) -> Self {
        Self { name, aliases: &[], text }
    }

    /// Whether it has this name, among others.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names().any(|own| own == name)
    }

    /// Its name and the others.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

/// The most bytes of a description, many times the length of the longest one.
const MOST_BYTES: u64 = 1 << 18;

/// The most letters of a problem in an error: it quotes names from the text, which may be long.
const MOST_LETTERS: usize = 400;

/// The beginning and the end of a problem that is too long.
fn clipped(problem: String) -> String {
    let letters = problem.chars().count();
    if letters <= MOST_LETTERS {
        return problem;
    }
    let (first, last) = (MOST_LETTERS * 3 / 4, MOST_LETTERS / 4);
    let begin: String = problem.chars().take(first).collect();
    let end: String = problem.chars().skip(letters - last).collect();
    format!("{begin}…{end}")
}

/// The ends of a text's lines. With them the line of a byte is found without counting from the
/// beginning.
#[derive(Debug)]
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    /// Finds the ends of the lines.
    pub(crate) fn of(text: &str) -> Self {
        work::add(text.len());
        let ends = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        Self(ends.map(|(at, _)| at).collect())
    }

    /// The line that a byte is in, from 1.
    pub(crate) fn line(&self, at: usize) -> usize {
        work::add(1);
        1 + self.0.partition_point(|&end| end < at)
    }
}

/// The text of the file of a description; `what` is the word for its kind.
pub(crate) fn read(what: &str, path: &str) -> Result<String, LoadError> {
    let failed = |reason: String| LoadError::File { path: path.to_owned(), reason };
    let mut bytes = Vec::new();
    let opened = open(Path::new(path));
    let read = opened.and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| {
        failed(match error.kind() {
            io::ErrorKind::NotFound => "no such file".to_owned(),
            io::ErrorKind::IsADirectory => format!("a directory, not the file of a {what}"),
            _ => error.to_string(),
        })
    })?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(failed(format!("more than {MOST_BYTES} bytes, which no {what} needs")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let start = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(&error.as_bytes()[..start]).into_owned();
        let source = Source { file: path, text: &text };
        let remedy = format!("a {what} is described by a TOML file in UTF-8");
        source.error(start..start, "this is no text", remedy).into()
    })
}

/// Opens a description or a record. A named FIFO is refused, since opening it waits for a writer
/// that may never come. A pipe of the shell, named `/dev/stdin` or by `<(…)`, has its writer.
///
/// # Errors
/// If it is such a FIFO, or cannot be opened.
pub fn open(path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let is_of_shell = ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder));
        if !is_of_shell && std::fs::metadata(path)?.file_type().is_fifo() {
            let why = "is a FIFO, to which nobody may ever write; name a \
                       regular file, or /dev/stdin for a pipe";
            return Err(io::Error::other(why));
        }
    }
    File::open(path)
}

/// Checks the size of a figure, which may be 0. The error has the problem and the remedy.
pub(crate) fn check_figure(
    number: f64,
    range: &RangeInclusive<f64>,
) -> Result<(), (&'static str, String)> {
    if number == 0.0 || range.contains(&number.abs()) {
        return Ok(());
    }
    let size = if number.abs() < *range.start() { "too small" } else { "too large" };
    let remedy = format!("give 0, or a number from {:e} to {:e}", range.start(), range.end());
    Err((size, remedy))
}

/// A text with its name, to speak about places in it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'t> {
    /// The file's name.
    pub file: &'t str,
    /// Its contents.
    pub text: &'t str,
}

impl Source<'_> {
    /// An error at a range of bytes.
    pub fn error(
        self,
        at: Range<usize>,
        problem: impl Into<String>,
        remedy: impl Into<Remedy>,
    ) -> SourceError {
        let before = &self.text.as_bytes()[..at.start.min(self.text.len())];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        SourceError {
            file: self.file.to_owned(),
            line,
            problem: clipped(problem.into()),
            remedy: remedy.into(),
        }
    }

    /// Checks that the text describes `what`, whose top has `kind = "…"`, or no kind, and that it
    /// is no longer than descriptions are. A text that is no TOML passes this check; reading it
    /// reports the error.
    ///
    /// # Errors
    /// If the kind is another one, or the text too long.
    pub fn check_kind(self, what: &str, kind: Option<&str>) -> Result<(), SourceError> {
        if self.text.len() as u64 > MOST_BYTES {
            let problem = format!("{} bytes of text", self.text.len());
            let remedy = format!("shorten it: a {what} has at most {MOST_BYTES}");
            return Err(self.error(0..0, problem, remedy));
        }
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
            self.error(at, error.message().replace('\n', " "), Remedy::Form)
        })
    }
}
