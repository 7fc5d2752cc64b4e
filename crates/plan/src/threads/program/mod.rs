//! The planned program of threads: which pieces of the work each thread does, and how their results
//! are joined.
//!
//! ```text
//! ThreadsProgram ── work        pieces (factors, blocks, messages), and what their results are
//!                ── parts       by thread: ranges of pieces, sends and receives, in order
//!                ── transfers   from which thread to which
//! ```
//!
//! A [`Program`](crate::program::Program) places the operations of one call. Here a piece is a
//! whole call, or thousands of operations on elements of a field; pieces differ only in their
//! numbers, and there may be any number of them. Written out as operations, the parts of a million
//! blocks would be a million equal lines. So threads have a form of their own, which uses the same
//! terms: it is checked against numbered rules ([`verify`](mod@verify)), run with values in any
//! interleaving ([`run`](mod@run)), timed, and written as text and read back.
//!
//! A thread has the results of what it computed and received, by ranges of pieces; ranges that lie
//! side by side become one. A send hands over all that the sender has.

mod plans;
pub mod run;
mod text;
pub mod verify;

use crate::program::TransferId;
use std::ops::Range;

/// How the results of pieces depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Results {
    /// Each piece has its own: blocks of ECB, messages.
    Apart,
    /// They are multiplied, or joined by another associative operation, in the order of the pieces:
    /// the factors of a Miller value.
    Joined,
    /// Each piece takes the result of the piece before: blocks of CBC encryption.
    Chain,
}

manylane_primitives::names! { Results:
    /// Its name in texts.
    Apart "apart", Joined "joined", Chain "chain",
}

/// The pieces that are shared out, and how their results depend on each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// The name of the function that the pieces are of: letters, digits, `_`, `.`, `-`.
    pub name: String,
    /// Its fingerprint, see [`fingerprint_of`](crate::program::fingerprint_of).
    pub fingerprint: u64,
    /// How many pieces there are.
    pub pieces: u64,
    /// How their results depend on each other.
    pub results: Results,
}

/// One thing that a thread does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Computes pieces, in ascending order.
    Compute(Range<u64>),
    /// Hands the results that it has to the thread that receives the transfer.
    Send(TransferId),
    /// Waits for results, and joins them with its own.
    Receive(TransferId),
}

/// Results that go from one thread to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The thread that sends.
    pub from: usize,
    /// The thread that receives.
    pub to: usize,
}

/// Work as one or several threads do it. Thread 0 is [the main one](crate::program::MAIN), which
/// has all results at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadsProgram {
    /// What is shared out.
    pub work: Work,
    /// What each thread does.
    pub parts: Vec<Vec<Action>>,
    /// All transfers, in the order of their numbers.
    pub transfers: Vec<Transfer>,
}
