//! The files of a table, one after the other.

use super::table::{Candidate, Table, Trait};
use crate::hashing::{Functions, Input, Job, Source};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

/// Bytes at the beginning of a file that are compared before the whole.
pub const HEAD: u64 = 16 << 10;

/// Locks the table, which the thread that reads files shares with the one that takes digests.
///
/// # Panics
/// If a holder of the lock panicked.
pub fn lock(table: &Mutex<Table>) -> MutexGuard<'_, Table> {
    table.lock().expect("no holder of the lock panics")
}

/// The files of a table, one after the other: the heads of all, or the whole of those longer than
/// [`HEAD`].
pub struct Candidates {
    table: Arc<Mutex<Table>>,
    functions: Functions,
    what: Trait,
    last: i64,
    found: VecDeque<Candidate>,
}

impl Candidates {
    /// The files of the table: their heads if `what` is [`Trait::Head`], the whole of the long ones
    /// if it is [`Trait::Digest`].
    pub fn new(table: Arc<Mutex<Table>>, functions: Functions, what: Trait) -> Self {
        Self { table, functions, what, last: 0, found: VecDeque::new() }
    }
}

/// The number and size of a file, or why the table cannot be read.
pub type Row = Result<(i64, u64), String>;

impl Source for Candidates {
    type Note = Row;

    fn next(&mut self) -> Option<Job<Row>> {
        let functions = self.functions.clone();
        if self.found.is_empty() {
            let more_than = (self.what == Trait::Digest).then_some(HEAD);
            match lock(&self.table).some(self.last, more_than) {
                Ok(found) => self.found = found.into(),
                Err(error) => {
                    self.last = i64::MAX;
                    let note = Err(error.to_string());
                    return Some(Job { input: Input::Nothing, functions, note });
                }
            }
        }
        let Candidate { id, path, size } = self.found.pop_front()?;
        self.last = id;
        let input = match self.what {
            Trait::Head if size > HEAD => Input::Head(path, HEAD),
            _ => Input::Found(path),
        };
        Some(Job { input, functions, note: Ok((id, size)) })
    }
}
