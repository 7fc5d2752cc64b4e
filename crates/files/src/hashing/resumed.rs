//! Very long files whose hashers are saved now and then, so that a later run goes on from there.

use super::Functions;
use super::function::{Function, Message};
use crate::system::stamp::Stamp;
use manylane_engine::{Engine, Hasher};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// The hashed beginning of a file, as the saved hashers of its functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Half {
    /// Bytes that were hashed.
    pub bytes: u64,
    /// The state that [`Hasher::save`] gave for each function.
    pub states: Vec<Vec<u8>>,
}

/// A store of the beginnings of files.
pub trait Halves: Send + Sync {
    /// The kept beginning of a file, if `stamp` is the stamp that was kept with it.
    fn find(&self, path: &Path, stamp: &Stamp) -> Option<Half>;

    /// Keeps the beginning of a file in place of what was kept of it before.
    fn keep(&self, path: &Path, stamp: &Stamp, half: Half);

    /// Reports that a file cannot be continued from its kept beginning, and why.
    fn refuse(&self, path: &Path, why: &str);
}

/// How the hashers of long files are saved.
#[derive(Clone)]
pub struct Saving {
    /// The hashers of files longer than this many bytes are saved each time that this many more
    /// bytes were hashed; with 0 none are.
    pub every: u64,
    /// Where the saved hashers are kept.
    pub halves: Arc<dyn Halves>,
}

impl fmt::Debug for Saving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Saving").field("every", &self.every).finish_non_exhaustive()
    }
}

impl Saving {
    /// The messages of a file's functions, and the number of bytes that they already contain.
    pub(super) fn begin(
        &self,
        path: &Path,
        stamp: &Stamp,
        functions: &Functions,
        engine: Option<Engine>,
    ) -> Result<(u64, Vec<Message>), manylane_engine::Error> {
        if let Some(half) = self.halves.find(path, stamp) {
            match restore(&half, functions, engine) {
                Ok(messages) => return Ok((half.bytes, messages)),
                Err(why) => self.halves.refuse(path, &why),
            }
        }
        let messages: Result<_, _> =
            functions.iter().map(|function| function.message(engine)).collect();
        Ok((0, messages?))
    }

    /// Keeps what was hashed so far.
    pub(super) fn keep(&self, path: &Path, stamp: &Stamp, bytes: u64, messages: &[Message]) {
        let state = |message: &Message| match message {
            Message::Hash(hasher) => Some(hasher.save()),
            Message::Hmac(_) => None,
        };
        if let Some(states) = messages.iter().map(state).collect() {
            self.halves.keep(path, stamp, Half { bytes, states });
        }
    }
}

fn restore(
    half: &Half,
    functions: &Functions,
    engine: Option<Engine>,
) -> Result<Vec<Message>, String> {
    if half.states.len() != functions.len() {
        return Err("it is of other algorithms".into());
    }
    let one = |(function, state): (&Function, &Vec<u8>)| {
        let hasher = Hasher::restore_on(state, engine).map_err(|error| error.to_string())?;
        match function {
            Function::Hash(hash) if *hash == hasher.algorithm() => Ok(Message::Hash(hasher)),
            _ => Err("it is of another algorithm".to_owned()),
        }
    };
    functions.iter().zip(&half.states).map(one).collect()
}
