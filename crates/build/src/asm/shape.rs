//! The shape of XGATE's thread: how many rounds an iteration has, and in which order its
//! instructions stand. Several are written; their clocks are counted, not estimated.

use super::mixed::mixed;
use crate::error::Error;
use manylane_emit::asm::{self, Ahead, Modes, ThreadSize, Written};
use manylane_emit::backend;
use manylane_graph::Function;
use manylane_graph::framing::Framing;
use manylane_graph::passes::amounts;
use manylane_plan::program::Program;
use manylane_plan::program::shape::{Shape, Worth};
use std::io;
use std::panic::resume_unwind;
use std::thread::{self, ScopedJoinHandle};

/// The requirements on the shape.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Whether the program is to be small, or fast, or both.
    pub worth: Worth,
    /// Rounds in an iteration, if they are given.
    pub unroll: Option<usize>,
    /// Orders of instructions that are tried for one shape, at most.
    pub effort: u16,
    /// Whether the CPU computes a share where both cores work and one pays.
    pub shares: bool,
    /// Whether the CPU computes what XGATE does not finish in time.
    pub falls_back: bool,
    /// The modes of a cipher.
    pub modes: Modes,
    /// Bytes that code and constants may have, without the self-test, if they are given.
    pub within: Option<u16>,
}

impl Default for Search {
    /// Speed and size both count, and the CPU takes part where that pays.
    fn default() -> Self {
        Self {
            worth: Worth::Both,
            unroll: None,
            effort: EFFORT,
            shares: true,
            falls_back: true,
            modes: Modes::All,
            within: None,
        }
    }
}

impl Search {
    /// Whether bytes count, so that the thread and the code around it are to be small.
    pub fn is_lean(&self) -> bool {
        self.within.is_some() || self.worth == Worth::Size
    }
}

/// Orders of instructions that are tried for one shape where nothing else is asked for.
pub const EFFORT: u16 = 3000;

/// Words stay whole: the assembly's words are in memory as the standard has them. XGATE's thread
/// can part them into quarters, with every fourth bit, itself.
pub const WHOLE: Option<u8> = Some(64);

/// Rounds in an iteration that are tried.
pub const ROUNDS: [usize; 5] = [1, 2, 4, 8, 16];

/// Orders that are tried of every shape, to find the fastest shapes.
pub const SURVEY: usize = 20;

/// Number of the fastest shapes that are searched further.
const FINALISTS: usize = 2;

/// Number of the fastest shapes of which more orders are tried before the finalists are chosen,
/// where bytes are limited.
const SEMIFINALISTS: usize = 6;

/// The work of a further search: the sum of the thread's bytes over all orders that are tried. It
/// takes some 10 seconds.
pub const WORK: usize = 10_000_000;

/// The number of additional searches where the best one began with an order of whole steps.
const AGAIN: usize = 4;

/// The number of additional searches for the best share's thread. Searches of nearly the same
/// effort end up to 1 % apart.
const CHANCES: usize = 5;

/// The most bytes of a thread that leave room for a work area in 20 KiB of RAM.
pub const MOST_BYTES: usize = 17 * 1024;

/// A thread is searched further if its program has at most this fraction (numerator, denominator)
/// of the bytes that it may have in the end.
const NEARLY_ROOM: (usize, usize) = (103, 100);

/// A smaller thread is preferred to the fastest one if it takes at most this many times as long,
/// unless speed is asked for.
const NEARLY: f64 = 1.02;

/// Writes a program's thread. The number says how many orders of instructions are tried.
pub type Write<'w> = dyn Fn(&Program, usize) -> Result<Written, backend::Error> + Sync + 'w;

/// A thread, with the choices by which it can be written again.
pub struct Found {
    /// The planned program.
    pub program: Program,
    /// Orders of its instructions that were tried.
    pub effort: usize,
    /// The thread itself.
    pub written: Written,
}

/// What the program around a thread demands of it.
pub struct ThreadLimits<'a> {
    /// The thread's relation to words that the CPU computes ahead.
    pub ahead: Ahead<'a>,
    /// Whether there is room for it: in the RAM, and in the flash that it may take.
    pub fits: &'a dyn Fn(&Written) -> bool,
    /// Bytes of code and constants of the program with a thread, if it can be assembled.
    pub bytes: &'a dyn Fn(&Written) -> Option<usize>,
}

/// Finds XGATE's thread of a compression. A fixed amount of work decides when the search ends, so
/// that it finds the same thread on every machine.
///
/// # Errors
/// If the compression has no code, or no shape fits.
pub fn fastest(
    compression: &Function,
    prefix: &str,
    framing: &Framing,
    search: &Search,
    &ThreadLimits { ahead, fits, bytes: all_bytes }: &ThreadLimits<'_>,
) -> Result<Found, Error> {
    // Where bytes count, loops may differ, and pointers are shared.
    let is_lean = search.is_lean();
    let size = match is_lean {
        true if search.worth == Worth::Size => ThreadSize::Smallest,
        true => ThreadSize::Lean,
        false => ThreadSize::Fast,
    };
    let of = |program: &Program, effort| asm::thread(prefix, framing, program, effort, ahead, size);
    let most = usize::from(search.effort);
    let tried = |program: &Program| of(program, SURVEY.min(most));
    let mut all = survey(compression, search, &tried)?;
    if is_lean && search.unroll.is_none() {
        // Rounds that differ only in amounts of rotations are alike once the amounts are words.
        let varying = amounts(compression);
        let functions = [Some(compression), varying.as_ref()];
        let most = |written: &Written| {
            let around = all_bytes(written)?.checked_sub(written.code + written.constants)?;
            Some(usize::from(search.within?).saturating_sub(around))
        };
        for function in functions.into_iter().flatten() {
            all.extend(mixed(function, WHOLE, &most, &tried));
        }
        if let Some(varying) = &varying {
            all.extend(survey(varying, search, &tried)?);
        }
    }
    let smallest = all.iter().map(|(_, written)| bytes(written)).min().unwrap_or(0);
    let (mut all, mut others): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(_, written)| fits(written));
    let no_room = || {
        let name = compression.name.clone();
        let Some(most) = search.within else { return Error::Thread { name, bytes: smallest } };
        let size = if search.worth == Worth::Size { "" } else { ", or --size" };
        let fallback = if search.falls_back { ", or --no-fallback" } else { "" };
        Error::Room { name, most, remedies: format!("{size}{fallback}") }
    };
    if all.is_empty() && search.within.is_some() && search.worth == Worth::Size {
        // A better order of its instructions may give the smallest thread room.
        others.sort_by_key(|(_, written)| bytes(written));
        all.extend(others.drain(..others.len().min(1)));
    }
    if all.is_empty() {
        return Err(no_room());
    }
    if search.worth == Worth::Size {
        all.sort_by_key(|(_, written)| bytes(written));
        all.truncate(1);
    }
    all.sort_by_key(|(_, written)| written.clocks);
    if search.within.is_some() {
        // Shapes whose loops differ are so close to each other that few orders cannot tell which is
        // the fastest, so more orders are tried.
        all.truncate(SEMIFINALISTS);
        for (program, written) in &mut all {
            let next = of(program, (5 * SURVEY).min(most))?;
            if next.clocks < written.clocks && fits(&next) {
                *written = next;
            }
        }
        all.sort_by_key(|(_, written)| written.clocks);
    }
    all.truncate(FINALISTS);
    // A better order is shorter too: a faster shape that has nearly room may have room then.
    let has_nearly_room = |written: &Written| {
        let most = search.within.map(|most| usize::from(most) * NEARLY_ROOM.0 / NEARLY_ROOM.1);
        most.zip(all_bytes(written)).is_some_and(|(most, bytes)| bytes <= most)
    };
    let clocks = all.first().map_or(0, |(_, written)| written.clocks);
    let faster = others.into_iter().filter(|(_, written)| written.clocks < clocks);
    let hopeful = faster.filter(|(_, written)| has_nearly_room(written));
    all.extend(hopeful.min_by_key(|(_, written)| written.clocks));
    let mut best: Vec<Found> = Vec::new();
    let count = all.len();
    for (program, written) in all {
        let first = Found { program, effort: SURVEY.min(most), written };
        best.push(further(first, search, WORK / count, &of, fits)?);
    }
    best.retain(|of| fits(&of.written));
    let least = best.iter().map(|of| of.written.clocks).min().unwrap_or(0);
    let limit = match search.worth {
        Worth::Speed => least as f64,
        // Where bytes are limited, the fastest thread within the limit is wanted.
        Worth::Both if search.within.is_some() => least as f64,
        Worth::Both | Worth::Size => NEARLY * least as f64,
    };
    best.retain(|of| of.written.clocks as f64 <= limit);
    let best = best.into_iter().min_by_key(|of| bytes(&of.written)).ok_or_else(no_room)?;
    again(best, search, &of, fits)
}

/// Makes [`AGAIN`] more searches for a better order of a thread whose search began with an order of
/// whole steps.
///
/// # Errors
/// If the program has no code.
fn again(
    best: Found,
    search: &Search,
    write: &Write<'_>,
    fits: &dyn Fn(&Written) -> bool,
) -> Result<Found, Error> {
    let first = best.effort.saturating_sub(1) | 1;
    if !best.written.is_by_step || best.effort < 5 * SURVEY {
        return Ok(best);
    }
    best_of(best, (1..=AGAIN).map(|i| first - 2 * i), search, write, fits)
}

/// Tries more orders of a thread's instructions until the work is spent, and takes the best.
///
/// # Errors
/// If the program has no code.
pub fn further(
    best: Found,
    search: &Search,
    most_work: usize,
    write: &Write<'_>,
    fits: &dyn Fn(&Written) -> bool,
) -> Result<Found, Error> {
    let all = most_work / bytes(&best.written).max(1);
    let most = usize::from(search.effort);
    // Each number of orders is a search of its own, with its own chance; an even number and an odd
    // one begin in different ways.
    let efforts = [(all / 3).min(most) & !1, (2 * all / 3).min(most).saturating_sub(1) | 1];
    let efforts = efforts.into_iter().filter(|&effort| effort >= 5 * SURVEY);
    best_of(best, efforts, search, write, fits)
}

/// Makes `CHANCES` more searches, which differ a little in effort and so in the order that they
/// find.
///
/// # Errors
/// If the program has no code.
pub fn with_other_chances(best: Found, search: &Search, write: &Write<'_>) -> Result<Found, Error> {
    let most = (WORK / bytes(&best.written).max(1)).min(search.effort.into());
    let efforts = (0..CHANCES).map(|i| most.saturating_sub(i));
    best_of(best, efforts.filter(|&effort| effort >= 5 * SURVEY), search, write, &|_| true)
}

/// The best of a thread and of those that searches of these efforts find. The searches run at the
/// same time; the first of the best is taken, whichever ends first.
fn best_of(
    mut best: Found,
    efforts: impl Iterator<Item = usize>,
    search: &Search,
    write: &Write<'_>,
    fits: &dyn Fn(&Written) -> bool,
) -> Result<Found, Error> {
    let efforts: Vec<usize> = efforts.collect();
    let written = written_at_once(&best.program, &efforts, write);
    for (effort, next) in efforts.into_iter().zip(written) {
        let next = next?;
        let is_better = measure(&next, search.worth) < measure(&best.written, search.worth);
        if (is_better || !fits(&best.written)) && fits(&next) {
            (best.written, best.effort) = (next, effort);
        }
    }
    Ok(best)
}

/// A program's thread by each search, in their order.
fn written_at_once(
    program: &Program,
    efforts: &[usize],
    write: &Write<'_>,
) -> Vec<Result<Written, backend::Error>> {
    thread::scope(|scope| {
        let begin = |&effort| {
            let search = move || write(program, effort);
            (effort, thread::Builder::new().spawn_scoped(scope, search))
        };
        let begun: Vec<_> = efforts.iter().map(begin).collect();
        let end = |(effort, begun): (usize, io::Result<ScopedJoinHandle<'_, _>>)| match begun {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // The system gives no more threads: this one does the work.
            Err(_) => write(program, effort),
        };
        begun.into_iter().map(end).collect()
    })
}

/// Makes every shape that may have room, each with few orders of instructions tried.
fn survey(
    compression: &Function,
    search: &Search,
    write: &dyn Fn(&Program) -> Result<Written, backend::Error>,
) -> Result<Vec<(Program, Written)>, Error> {
    let given = search.unroll.map(|rounds| vec![rounds]);
    let rounds = match search.worth {
        Worth::Size => vec![1],
        Worth::Both | Worth::Speed => ROUNDS.to_vec(),
    };
    let rounds = given.unwrap_or(rounds);
    let shape = |unroll| Shape { unroll: Some(unroll), worth: search.worth, word: WHOLE };
    let mut all = written(&rounds, &|unroll| Some(shape(unroll).one(compression)), write)?;
    all.extend(written(&rounds, &|unroll| shape(unroll).quartered(compression), write)?);
    Ok(all)
}

/// The programs with these numbers of rounds in an iteration, as long as they may have room.
fn written(
    rounds: &[usize],
    program: &dyn Fn(usize) -> Option<Program>,
    write: &dyn Fn(&Program) -> Result<Written, backend::Error>,
) -> Result<Vec<(Program, Written)>, Error> {
    let mut all: Vec<(Program, Written)> = Vec::new();
    for &unroll in rounds {
        let Some(program) = program(unroll) else { break };
        if let Some((last, written)) = all.last() {
            if last.identity() == program.identity() {
                continue;
            }
            let grown = program.rolled.size() as f64 / last.rolled.size().max(1) as f64;
            if grown * written.code as f64 > MOST_BYTES as f64 {
                break;
            }
        }
        let written = write(&program)?;
        all.push((program, written));
    }
    Ok(all)
}

/// Bytes in RAM.
pub fn bytes(written: &Written) -> usize {
    written.bytes()
}

/// The measure that is minimised: bytes in RAM, or XGATE clocks.
fn measure(written: &Written, worth: Worth) -> usize {
    if worth == Worth::Size { bytes(written) } else { written.clocks }
}
