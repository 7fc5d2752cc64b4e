//! Jobs: what is to be hashed, and the results.

use super::function::Functions;
use super::reader::Seen;
use std::io;
use std::path::{Path, PathBuf};

/// Where the bytes come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file, or whatever else has this name.
    Path(PathBuf),
    /// A file that was a regular one when a walk found it. If another file has taken its name since
    /// then, it is read only if it is regular too: a pipe may keep its reader waiting for ever.
    Found(PathBuf),
    /// The first bytes of a regular file: at most this number, and at most 16 KiB.
    Head(PathBuf, u64),
    /// The path that a symbolic link holds.
    Link(PathBuf),
    /// Standard input, to its end.
    Stdin,
    /// No bytes. The job is a note among the files and comes back in its turn without digests.
    Nothing,
}

impl Input {
    /// The name in lists and messages.
    pub fn name(&self) -> Vec<u8> {
        match self {
            Self::Path(path) | Self::Found(path) | Self::Head(path, _) | Self::Link(path) => {
                path.as_os_str().as_encoded_bytes().to_owned()
            }
            Self::Stdin => b"-".to_vec(),
            Self::Nothing => Vec::new(),
        }
    }

    /// The path of what is opened.
    pub fn opened(&self) -> Option<&Path> {
        match self {
            Self::Path(path) | Self::Found(path) | Self::Head(path, _) => Some(path),
            _ => None,
        }
    }

    /// The path of a file that is read from its beginning to its end.
    pub fn whole_file(&self) -> Option<&Path> {
        match self {
            Self::Path(path) | Self::Found(path) => Some(path),
            _ => None,
        }
    }
}

/// Something to hash.
#[derive(Clone, Debug)]
pub struct Job<N> {
    /// Where the bytes come from.
    pub input: Input,
    /// What to compute.
    pub functions: Functions,
    /// The note that the caller gets back beside the digests.
    pub note: N,
}

/// A job that is done.
#[derive(Debug)]
pub struct Done<N> {
    /// The job.
    pub job: Job<N>,
    /// The digest of each function, or why there are none.
    pub digests: io::Result<Vec<Vec<u8>>>,
    /// The observations about a regular file that was read.
    pub seen: Option<Seen>,
}

impl<N> Done<N> {
    /// Whether the file changed while it was read, so that its digests may be of no state of it.
    pub fn has_changed(&self) -> bool {
        self.digests.is_ok() && self.seen.is_some_and(|seen| seen.changed)
    }
}

/// Jobs that are done, with their numbers in the order of the source.
pub(super) type Results<N> = Vec<(u64, Done<N>)>;

/// Where jobs come from, one after the other; they may be found while others are done.
pub trait Source: Send + 'static {
    /// [`Job::note`].
    type Note: Send + 'static;

    /// The next job.
    fn next(&mut self) -> Option<Job<Self::Note>>;

    /// Whether [`next`](Self::next) may wait for somebody else. Jobs before it are then done first.
    fn may_wait(&self) -> bool {
        false
    }
}
