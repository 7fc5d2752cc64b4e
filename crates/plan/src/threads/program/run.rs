//! The interpreter, which defines what a program of threads computes, on threads that take turns in
//! any order; and the time of a program.

use super::{Action, Results, ThreadsProgram};
use crate::program::{MAIN, TransferId};
use std::collections::BTreeMap;
use std::ops::Range;

/// The computation of pieces.
pub trait Meaning {
    /// The result of pieces that follow each other.
    type Value;

    /// The result of a range of pieces. Of a [chain](Results::Chain), `before` is the result of all
    /// pieces before, if there are any.
    fn compute(&mut self, pieces: &Range<u64>, before: Option<&Self::Value>) -> Self::Value;

    /// The result of two ranges side by side.
    fn join(&mut self, first: Self::Value, second: Self::Value) -> Self::Value;
}

/// An error: a program cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stuck {
    /// Each thread waits for another one.
    #[error("the threads wait for each other: {0}")]
    Circle(String),
    /// A piece of a chain without the one before.
    #[error("thread {thread} computes piece {piece} of a chain and does not have the one before")]
    Before {
        /// The thread.
        thread: usize,
        /// The piece.
        piece: u64,
    },
    /// A thread sends results before it has any.
    #[error("thread {thread} has nothing to send in transfer {transfer}")]
    Nothing {
        /// The thread.
        thread: usize,
        /// The transfer.
        transfer: u32,
    },
    /// The main thread does not have all results at the end.
    #[error("thread 0 has results of pieces {has} in the end, not of all {pieces}")]
    Apart {
        /// The ranges that it has.
        has: String,
        /// How many pieces there are.
        pieces: u64,
    },
}

/// Results by the first piece, each with the piece behind the last.
type Held<V> = BTreeMap<u64, (u64, V)>;

/// The result of all pieces, if there are any. `choose` is called with the number of threads that
/// can go on, and returns the index of the one that does the next action.
///
/// # Errors
/// If the threads wait for each other, or one lacks what it needs.
pub fn run<M: Meaning>(
    program: &ThreadsProgram,
    meaning: &mut M,
    choose: impl FnMut(usize) -> usize,
) -> Result<Option<M::Value>, Stuck> {
    let mut held: Vec<Held<M::Value>> = program.parts.iter().map(|_| BTreeMap::new()).collect();
    let mut sent: BTreeMap<TransferId, Held<M::Value>> = BTreeMap::new();
    walk(program, choose, |thread, action| {
        match action {
            Action::Compute(pieces) => {
                let value = match program.work.results {
                    Results::Chain if pieces.start > 0 => {
                        let mut before = held[thread].values();
                        let before = before.find(|(end, _)| *end == pieces.start);
                        let piece = pieces.start;
                        let (_, before) = before.ok_or(Stuck::Before { thread, piece })?;
                        meaning.compute(pieces, Some(before))
                    }
                    Results::Apart | Results::Joined | Results::Chain => {
                        meaning.compute(pieces, None)
                    }
                };
                put(meaning, &mut held[thread], pieces.start, (pieces.end, value));
            }
            Action::Send(id) => {
                let results = std::mem::take(&mut held[thread]);
                if results.is_empty() {
                    return Err(Stuck::Nothing { thread, transfer: id.0 });
                }
                sent.insert(*id, results);
            }
            Action::Receive(id) => {
                for (start, of) in sent.remove(id).into_iter().flatten() {
                    put(meaning, &mut held[thread], start, of);
                }
            }
        }
        Ok(())
    })?;
    let pieces = program.work.pieces;
    let mut results = std::mem::take(&mut held[MAIN]);
    let ranges: Vec<String> =
        results.iter().map(|(start, (end, _))| format!("{start}..{end}")).collect();
    match (results.pop_first(), ranges.len()) {
        (None, _) if pieces == 0 => Ok(None),
        (Some((0, (end, value))), 1) if end == pieces => Ok(Some(value)),
        _ => Err(Stuck::Apart { has: ranges.join(", "), pieces }),
    }
}

/// Adds the result of a range, and joins it with those beside it.
fn put<M: Meaning>(
    meaning: &mut M,
    held: &mut Held<M::Value>,
    mut start: u64,
    (mut end, mut value): (u64, M::Value),
) {
    if let Some((behind, second)) = held.remove(&end) {
        (end, value) = (behind, meaning.join(value, second));
    }
    let before = held.range(..start).next_back().map(|(&first, (end, _))| (first, *end));
    if let Some((first, of)) = before.filter(|(_, of)| *of == start)
        && let Some((_, result)) = held.remove(&first)
    {
        (start, value) = (first, meaning.join(result, value));
        debug_assert!(of < end);
    }
    held.insert(start, (end, value));
}

/// The time at which the main thread is done, if thread i takes `compute(i, pieces)` for pieces,
/// and `join` to join results that it receives with its own. `None` if the threads wait for each
/// other.
pub fn time(
    program: &ThreadsProgram,
    compute: impl Fn(usize, &Range<u64>) -> f64,
    join: f64,
) -> Option<f64> {
    let count = program.parts.len();
    let (mut clocks, mut has) = (vec![0.0_f64; count], vec![false; count]);
    let mut sent: BTreeMap<TransferId, f64> = BTreeMap::new();
    let done = walk(
        program,
        |_| 0,
        |thread, action| {
            match action {
                Action::Compute(pieces) => {
                    clocks[thread] += compute(thread, pieces);
                    has[thread] = true;
                }
                Action::Send(id) => {
                    sent.insert(*id, clocks[thread]);
                    has[thread] = false;
                }
                Action::Receive(id) => {
                    let there = sent.get(id).copied().unwrap_or(0.0).max(clocks[thread]);
                    clocks[thread] = there + if has[thread] { join } else { 0.0 };
                    has[thread] = true;
                }
            }
            Ok(())
        },
    );
    done.ok().map(|()| clocks[MAIN])
}

/// Does all actions, one after the other: a thread's next action can run when the transfer that it
/// waits for was sent.
fn walk(
    program: &ThreadsProgram,
    mut choose: impl FnMut(usize) -> usize,
    mut act: impl FnMut(usize, &Action) -> Result<(), Stuck>,
) -> Result<(), Stuck> {
    let mut sent = vec![false; program.transfers.len()];
    let mut parts: Vec<_> = program.parts.iter().map(|part| part.iter().peekable()).collect();
    loop {
        let mut ready: Vec<usize> = Vec::new();
        let mut waiting: Vec<String> = Vec::new();
        for (thread, part) in parts.iter_mut().enumerate() {
            match part.peek() {
                None => {}
                Some(Action::Receive(id)) if !sent[id.index()] => {
                    waiting.push(format!("thread {thread} for transfer {}", id.0));
                }
                Some(_) => ready.push(thread),
            }
        }
        if ready.is_empty() {
            return match waiting[..] {
                [] => Ok(()),
                _ => Err(Stuck::Circle(waiting.join(", "))),
            };
        }
        let thread = ready[choose(ready.len())];
        let Some(action) = parts[thread].next() else { continue };
        act(thread, action)?;
        if let Action::Send(id) = action {
            sent[id.index()] = true;
        }
    }
}
