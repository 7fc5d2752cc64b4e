//! A text in a folder, and its faults.

use std::fmt;

/// A file as it stands in the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its path from the folder.
    pub file: String,
    /// Its contents.
    pub text: String,
}

/// A text that is not the netlist, or that could not be shown to be.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Fault {
    /// The file, from the folder.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The register, output or wire, as the source names it.
    pub signal: Option<String>,
    /// What is wrong.
    pub why: String,
}

impl Fault {
    /// A fault of the folder as a whole.
    pub(super) fn new(why: String) -> Self {
        Self { file: None, line: None, signal: None, why }
    }

    /// A fault of a file, at a line if that is known.
    pub(super) fn of(file: &str, line: Option<usize>, why: impl Into<String>) -> Self {
        Self { file: Some(file.to_owned()), line, signal: None, why: why.into() }
    }

    /// The message of a tool, with the file and the line if the message begins with them.
    pub(super) fn said(line: &str, files: &[&str]) -> Self {
        let of = |file: &&&str| line.strip_prefix(**file)?.strip_prefix(':');
        let Some((file, rest)) = files.iter().find_map(|file| Some((file, of(&file)?))) else {
            return Self::new(line.to_owned());
        };
        let (number, rest) = rest.split_once(':').unwrap_or(("", rest));
        // GHDL has the column too.
        let column = rest.split_once(':').filter(|(column, _)| column.parse::<usize>().is_ok());
        let why = column.map_or(rest, |(_, why)| why).trim().trim_start_matches("ERROR: ");
        Self::of(file, number.parse().ok(), why)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}:")?;
            if let Some(line) = self.line {
                write!(f, "{line}:")?;
            }
            f.write_str(" ")?;
        }
        match &self.signal {
            Some(signal) => write!(f, "`{signal}` {}", self.why),
            None => f.write_str(&self.why),
        }
    }
}

impl std::error::Error for Fault {}

/// A fault of a module: the signal concerned, if there is one, and a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    /// A name of the source.
    pub signal: Option<String>,
    /// What is wrong.
    pub why: String,
}

impl Difference {
    /// A fault at a signal.
    pub(super) fn of(signal: &str, why: impl Into<String>) -> Self {
        Self { signal: Some(signal.to_owned()), why: why.into() }
    }
}
