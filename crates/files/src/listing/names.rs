//! The names of files: arguments, or a file that lists them.

use crate::quote::quote;
use crate::system::os;
use crate::system::reason;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Names, one after the other.
pub enum Names {
    /// Arguments, of which - is standard input.
    Arguments(std::vec::IntoIter<OsString>),
    /// The names in a file, each the name of a file.
    Listed(Listed),
}

/// The names in a file.
pub struct Listed {
    names: BufReader<File>,
    /// The file's name in messages.
    title: String,
    /// The byte that ends a name.
    end: u8,
    /// Whether reading never waits, as with a regular file.
    ready: bool,
    ended: bool,
}

impl Names {
    /// The names in a file, or in standard input if it is `-`, each of which `end` ends.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn listed(file: &OsStr, end: u8) -> anyhow::Result<Self> {
        let is_stdin = file == "-";
        let title = quote(if is_stdin { b"standard input" } else { file.as_encoded_bytes() });
        let opened = if is_stdin { os::stdin() } else { os::open_patiently(Path::new(file)) };
        let opened = opened.map_err(|error| anyhow::anyhow!("{title}: {}", reason(&error)))?;
        let ready = opened.metadata().is_ok_and(|about| about.is_file());
        let names = BufReader::with_capacity(64 * 1024, opened);
        Ok(Self::Listed(Listed { names, title, end, ready, ended: false }))
    }

    /// The next name, or why the list cannot be read any further.
    pub fn next_name(&mut self) -> Option<Result<OsString, String>> {
        match self {
            Self::Arguments(names) => names.next().map(Ok),
            Self::Listed(listed) => listed.next(),
        }
    }

    /// Whether `-` is the name of a file, like any other.
    pub fn are_files(&self) -> bool {
        matches!(self, Self::Listed(_))
    }

    /// Whether the next name may keep its reader waiting.
    pub fn may_wait(&self) -> bool {
        match self {
            Self::Arguments(_) => false,
            Self::Listed(Listed { names, end, ready, ended, .. }) => {
                !ready && !ended && !names.buffer().contains(end)
            }
        }
    }
}

impl Listed {
    fn next(&mut self) -> Option<Result<OsString, String>> {
        let mut name = Vec::new();
        while !self.ended {
            name.clear();
            match self.names.read_until(self.end, &mut name) {
                Ok(0) => self.ended = true,
                Ok(_) => {
                    if name.last() == Some(&self.end) {
                        name.pop();
                    }
                    if name.contains(&0) {
                        // No name contains NUL, so these names end with NUL and not with lines.
                        self.ended = true;
                        let title = &self.title;
                        return Some(Err(format!("{title}: names in it end with NUL: give -0")));
                    }
                    // A blank line names nothing.
                    if !name.is_empty() {
                        return Some(Ok(os::name_from_bytes(name)));
                    }
                }
                Err(error) => {
                    self.ended = true;
                    return Some(Err(format!("{}: {}", self.title, reason(&error))));
                }
            }
        }
        None
    }
}
