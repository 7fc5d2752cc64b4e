//! Searches the program of a hash: the CPU's, or XGATE's thread with the best share for the CPU.

use super::every::EveryBlock;
use super::hash::{Assembled, Base};
use super::program::{Assembly, message};
use super::shape::{EFFORT, SURVEY, Search, ThreadLimits, WHOLE, fastest};
use super::share::Sharing;
use crate::error::Error;
use manylane_emit::asm::{Ahead, Cores, MOST_DIGEST_BYTES, Share, Written};
use manylane_graph::framing::stream;
use manylane_graph::{Function, trace};
use manylane_plan::program::Program;
use manylane_plan::program::shape::{Shape, Worth};
use manylane_primitives::catalog::Algorithm;

/// Operations that all bodies have together where neither size nor speed is asked for: a body's
/// code takes about ten bytes for each operation on a word of 16 bits.
const MOST_OPERATIONS: usize = 130;

/// Operations that all bodies have together where speed is asked for.
const MOST_OPERATIONS_FAST: usize = 500;

/// The program of one call on the CPU.
fn program(compression: &Function, worth: Worth, unroll: Option<usize>) -> Program {
    let of = |unroll| Shape { unroll: Some(unroll), worth, word: WHOLE }.one(compression);
    if let Some(unroll) = unroll {
        return of(unroll);
    }
    let most = match worth {
        Worth::Size => 0,
        Worth::Both => MOST_OPERATIONS,
        Worth::Speed => MOST_OPERATIONS_FAST,
    };
    let mut best = of(1);
    for unroll in [2, 4, 8] {
        let next = of(unroll);
        if next.rolled.size() > most.max(best.rolled.size()) {
            break;
        }
        best = next;
    }
    best
}

/// Plans, writes and assembles a hash, or HMAC with it.
///
/// # Errors
/// If no assembly is written for it.
pub fn of_hash(
    algorithm: Algorithm,
    is_keyed: bool,
    cores: Cores,
    search: &Search,
    prefix: &str,
) -> Result<Assembled, Error> {
    let of = |search: &Search, is_by_block| {
        searched(algorithm, is_keyed, cores, search, prefix, is_by_block)
    };
    if cores != Cores::Xgate {
        return of(search, false);
    }
    if search.worth == Worth::Size {
        return small(search, &of);
    }
    // One block at a time is slower, but smaller; the smallest threads are slower again.
    match of(search, false) {
        Err(Error::Room { .. }) => match of(search, true) {
            Err(Error::Room { .. }) => small(&Search { worth: Worth::Size, ..*search }, &of),
            result => result,
        },
        result => result,
    }
}

/// A small program that takes more than this many times as long as a fast one gives way to a faster
/// one, if there is room.
const SLOWEST: u64 = 2;

/// The smallest program on XGATE alone: one block at a time, unless that is too slow.
fn small(
    search: &Search,
    of: &dyn Fn(&Search, bool) -> Result<Assembled, Error>,
) -> Result<Assembled, Error> {
    let least = of(search, true)?;
    let worth = Worth::Speed;
    let quick = Search { worth, effort: SURVEY as u16, unroll: None, within: None, ..*search };
    let cycles = |of: &Assembled| of.run(&message(MEASURED_BYTES)).map(|(hashed, _)| hashed.cycles);
    let Ok(fast) = of(&quick, false) else { return Ok(least) };
    if cycles(&least)? <= SLOWEST * cycles(&fast)? {
        return Ok(least);
    }
    // A program that takes blocks where they lie is faster, but may have no room.
    Ok(of(search, false).unwrap_or(least))
}

/// The program of a hash; with `is_by_block` XGATE gets one block at a time.
fn searched(
    algorithm: Algorithm,
    is_keyed: bool,
    cores: Cores,
    search: &Search,
    prefix: &str,
    is_by_block: bool,
) -> Result<Assembled, Error> {
    if algorithm.digest_bytes() > MOST_DIGEST_BYTES {
        let (bits, most) = (8 * algorithm.digest_bytes(), 8 * MOST_DIGEST_BYTES);
        let (name, language) = (algorithm.to_string(), "assembly");
        return Err(Error::Digest { name, bits, language, most });
    }
    let stream = stream(algorithm)?;
    let compression = trace::literal_compression(algorithm);
    let Search { worth, unroll, falls_back, .. } = *search;
    let program = match cores {
        Cores::Cpu => program(&compression, worth, unroll),
        Cores::Xgate | Cores::Both => program(&compression, Worth::Size, None),
    };
    let is_measured = cores != Cores::Cpu || worth == Worth::default() && unroll.is_none();
    let usual = (!is_measured).then(|| self::program(&compression, Worth::default(), None));
    // The CPU computes only what XGATE does not finish, which is seldom.
    let is_small = worth == Worth::Size || cores != Cores::Cpu;
    let prefix = prefix.to_owned();
    let falls_back = falls_back || cores == Cores::Cpu;
    let is_usual = search.effort == EFFORT && unroll.is_none() && !search.is_lean();
    let base = Base {
        algorithm,
        is_keyed,
        stream,
        program,
        usual,
        cores,
        is_small,
        falls_back,
        is_by_block,
        is_usual,
        prefix,
    };
    let is_within = |assembled: &Assembled| {
        search.within.is_none_or(|most| assembled.built.code_bytes <= most.into())
    };
    if cores == Cores::Cpu {
        let assembled = base.assembled(None, None)?;
        if is_within(&assembled) {
            return Ok(assembled);
        }
        let (program, is_small) = (self::program(&compression, Worth::Size, unroll), true);
        let usual = base.usual.or(Some(base.program));
        let assembled = Base { program, usual, is_small, ..base }.assembled(None, None)?;
        if !is_within(&assembled) {
            let (name, bytes) = (algorithm.to_string(), assembled.built.code_bytes);
            let most = usize::from(search.within.unwrap_or_default());
            return Err(Error::Within { name, bytes, is_least: true, most });
        }
        return Ok(assembled);
    }
    let framing = &base.stream.framing;
    let fits = |written: &Written| {
        let made = base.make(Some(written), None, &[]);
        made.is_ok_and(|made| made.ram.len() >= LEAST_RAM)
            && (search.within.is_none()
                || base.assembled(Some(written.clone()), None).is_ok_and(|of| is_within(&of)))
    };
    let bytes = |written: &Written| {
        base.assembled(Some(written.clone()), None).ok().map(|of| of.built.code_bytes)
    };
    let around = ThreadLimits { ahead: Ahead::None, fits: &fits, bytes: &bytes };
    let prefix = &base.hash_prefix();
    let shares = cores == Cores::Both && search.shares;
    let measured = message(MEASURED_BYTES);
    let cycles = |share: &Share| -> Result<Option<u64>, Error> {
        // If the program does not fit, this is an error, and the share is not taken.
        let of = |base: &Base| base.assembled(None, Some(share.clone())).ok();
        let has_room = |of: &Assembled| of.built.made.ram.len() >= LEAST_RAM;
        let fits = |of: &Assembled| has_room(of) && is_within(of);
        let Some(assembled) = of(&base).filter(fits) else { return Ok(None) };
        // A share is timed with the fallback if that fits, so that the same share is chosen with a
        // fallback and without.
        let assembled = match falls_back {
            true => assembled,
            false => {
                let of = of(&Base { falls_back: true, ..base.clone() });
                of.filter(has_room).unwrap_or(assembled)
            }
        };
        let (hashed, is_right) = assembled.run(&measured)?;
        if !is_right {
            let what = "with a share of the CPU a digest differs";
            return Err(Error::Wrong { name: algorithm.to_string(), what });
        }
        Ok(Some(hashed.cycles))
    };
    let every = || -> Result<Option<(u64, Share)>, Error> {
        let room = |share: &Share| {
            let of = base.assembled(None, Some(share.clone())).ok();
            of.map(|of| (of.built.code_bytes, of.built.made.ram.len()))
        };
        let of = EveryBlock {
            compression: &compression,
            prefix,
            framing,
            search,
            room: &room,
            least_ram: LEAST_RAM,
            cycles: &cycles,
        };
        if shares && search.is_lean() { of.best() } else { Ok(None) }
    };
    let whole = match fastest(&compression, prefix, framing, search, &around) {
        Ok(whole) => whole,
        // A program in which the CPU computes words of every block may be smaller.
        Err(error @ (Error::Room { .. } | Error::Thread { .. })) => match every()? {
            Some((_, share)) => return base.assembled(None, Some(share)),
            None => return Err(error),
        },
        Err(error) => return Err(error),
    };
    let mut alone = base.assembled(Some(whole.written.clone()), None)?;
    alone.thread = Some(whole.program.identity());
    if !shares {
        return Ok(alone);
    }
    let every = every()?;
    if worth == Worth::Size {
        let Some((_, share)) = every else { return Ok(alone) };
        let every = base.assembled(None, Some(share))?;
        let is_smaller = every.built.code_bytes < alone.built.code_bytes;
        return Ok(if is_smaller { every } else { alone });
    }
    let sharing = Sharing {
        compression: &compression,
        prefix,
        framing,
        search,
        whole: &whole,
        cycles: &cycles,
    };
    let alone_cycles = alone.run(&measured)?.0.cycles;
    let every = every.filter(|(cycles, _)| *cycles < alone_cycles);
    let least = every.as_ref().map_or(alone_cycles, |(cycles, _)| *cycles);
    match sharing.best(least)?.or(every.map(|(_, share)| share)) {
        Some(share) => base.assembled(Some(whole.written), Some(share)),
        None => Ok(alone),
    }
}

/// Bytes of the message by which shares are compared: the longest of the paper's.
const MEASURED_BYTES: usize = 1024;

/// Bytes of RAM that are left to an application at least.
const LEAST_RAM: usize = 768;
