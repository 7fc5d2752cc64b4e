//! The ends of runs over many files, and messages about files that have no digest although they
//! could be read.

use crate::program;
use manylane_files::hashing::Input;
use manylane_files::quote::quote;
use manylane_files::system::stamp::CHANGED;
use std::io;
use std::process::ExitCode;

/// The exit status where content changed and size and times did not.
pub const ROTTEN: u8 = 2;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Good,
    /// Something could not be read or did not match.
    Bad,
    /// Content changed under the same size and times.
    Rotten,
}

impl Ended {
    /// The worse of two ends.
    pub fn worse(self, other: Self) -> Self {
        match (self, other) {
            (Self::Rotten, _) | (_, Self::Rotten) => Self::Rotten,
            (Self::Bad, _) | (_, Self::Bad) => Self::Bad,
            _ => Self::Good,
        }
    }
}

impl From<bool> for Ended {
    fn from(good: bool) -> Self {
        if good { Self::Good } else { Self::Bad }
    }
}

impl From<Ended> for ExitCode {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Good => Self::SUCCESS,
            Ended::Bad => Self::FAILURE,
            Ended::Rotten => Self::from(ROTTEN),
        }
    }
}

/// The message about a file that changed while it was read, and again each of the `retries` times
/// that it was read anew.
pub fn has_changed(name: &[u8], retries: u32) -> String {
    let name = quote(name);
    match retries {
        0 => format!("{name}: {CHANGED}; --on-change retry reads such files again"),
        _ => format!(
            "{name}: {CHANGED}, each of {} times; hash it when nothing writes it",
            1 + retries
        ),
    }
}

/// The remedy to append to the error of an input, if this is a folder that an argument names;
/// otherwise nothing.
pub fn remedy(error: &io::Error, input: &Input) -> &'static str {
    match (error.kind(), input) {
        // Programs of coreutils do not walk, and their messages are compared.
        (io::ErrorKind::IsADirectory, Input::Path(_)) if !program::is_other() => {
            "; -r hashes the files below it"
        }
        _ => "",
    }
}

/// The message about a file with other content under the same size and times.
pub fn is_rotten(name: &[u8]) -> String {
    let name = quote(name);
    format!(
        "{name}: BITROT: its content is another one, its size and time of modification are not; \
         restore it, or touch it if it is good"
    )
}
