//! What must hold of a program of threads, and the check that it does.
//!
//! 1. There is a thread.
//! 2. Every piece is computed once, and nothing else is.
//! 3. A transfer is sent once, by its sender, and received once, by another thread.
//! 4. A thread that computes a piece of a chain has the result of the piece before.
//! 5. A thread has a result when it sends.
//! 6. At the end the main thread has all results.
//! 7. The threads do not wait for each other in a circle.
//! 8. The program is of its function ([`check_function`]): the fingerprint says so.

use super::run::{Meaning, Stuck, run};
use super::{Action, ThreadsProgram, Transfer};
use crate::program::fingerprint_of;
use manylane_graph::Module;
use std::ops::Range;

pub use crate::violation::Violation;

fn violated<T>(rule: u8, problem: impl Into<String>) -> Result<T, Violation> {
    Err(Violation { rules: "threads::program::verify", rule, problem: problem.into() })
}

/// Checks every rule but the last.
///
/// # Errors
/// The first one that does not hold.
pub fn verify(program: &ThreadsProgram) -> Result<(), Violation> {
    if program.parts.is_empty() {
        return violated(1, "there is no thread");
    }
    pieces(program)?;
    transfers(program)?;
    match run(program, &mut Nothing, |_| 0) {
        Ok(_) => Ok(()),
        Err(stuck) => {
            let rule = match stuck {
                Stuck::Before { .. } => 4,
                Stuck::Nothing { .. } => 5,
                Stuck::Apart { .. } => 6,
                Stuck::Circle(_) => 7,
            };
            violated(rule, stuck.to_string())
        }
    }
}

/// A meaning without values, because the rules only ask which thread has which results.
struct Nothing;

impl Meaning for Nothing {
    type Value = ();

    fn compute(&mut self, _: &Range<u64>, _: Option<&()>) {}

    fn join(&mut self, (): (), (): ()) {}
}

/// Checks that a program shares out the pieces of this function, the last one of its module.
///
/// # Errors
/// Rule 8 if it was made for another one, any other rule if it is no program at all.
pub fn check_function(program: &ThreadsProgram, module: &Module) -> Result<(), Violation> {
    verify(program)?;
    let (has, of) = (program.work.fingerprint, fingerprint_of(module));
    match has == of {
        true => Ok(()),
        false => {
            let name = &module.main().name;
            violated(
                8,
                format!(
                    "the program is of function {has:#018x}, and {name} is {of:#018x}; plan it anew"
                ),
            )
        }
    }
}

/// Rule 2.
fn pieces(program: &ThreadsProgram) -> Result<(), Violation> {
    let actions = program.parts.iter().flatten();
    let mut ranges: Vec<&Range<u64>> = actions
        .filter_map(|action| match action {
            Action::Compute(range) => Some(range),
            Action::Send(_) | Action::Receive(_) => None,
        })
        .collect();
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut next = 0;
    for range in ranges {
        if range.start != next || range.is_empty() {
            let (start, end) = (range.start, range.end);
            return violated(2, format!("pieces {start}..{end} follow piece {next} of all"));
        }
        next = range.end;
    }
    let of = program.work.pieces;
    if next != of { violated(2, format!("{next} pieces are computed, of {of}")) } else { Ok(()) }
}

/// Rule 3.
fn transfers(program: &ThreadsProgram) -> Result<(), Violation> {
    let count = program.transfers.len();
    let (mut sent, mut received) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for (thread, part) in program.parts.iter().enumerate() {
        for action in part {
            let (of, id) = match action {
                Action::Compute(_) => continue,
                Action::Send(id) => (&mut sent, id),
                Action::Receive(id) => (&mut received, id),
            };
            match of.get_mut(id.index()) {
                Some(threads) => threads.push(thread),
                None => return violated(3, format!("there is no transfer {}", id.0)),
            }
        }
    }
    for (i, &Transfer { from, to }) in program.transfers.iter().enumerate() {
        if sent[i] != [from] || received[i] != [to] || from == to {
            let (sent, received) = (&sent[i], &received[i]);
            return violated(
                3,
                format!(
                    "transfer {i} from {from} to {to} is sent by {sent:?} and received by \
                     {received:?}"
                ),
            );
        }
    }
    Ok(())
}
