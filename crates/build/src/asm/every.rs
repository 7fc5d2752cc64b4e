//! Shares in which the CPU computes the words that rounds take, of every block, and XGATE the
//! rounds alone, in one thread. The CPU computes a message schedule by one loop, and words with
//! constants by straight code or a loop. Such programs are fast for their size.

use super::shape::{Search, ThreadLimits, WHOLE, fastest};
use crate::error::Error;
use manylane_emit::asm::{Ahead, Share, SharedBlocks, Written};
use manylane_graph::framing::Framing;
use manylane_graph::{Function, Op};
use manylane_plan::program::Program;
use manylane_plan::program::cut::{Split, split_schedule, split_stream};
use manylane_plan::program::shape::{Loops, Shape, Worth};

/// Numbers of words that an iteration of the CPU's loop may compute. The first one that divides the
/// schedule is used while XGATE's thread is searched, and the others are tried with that thread.
const EACH: [usize; 3] = [8, 4, 16];

/// The input of the search.
pub struct EveryBlock<'s> {
    /// The compression, of which the CPU computes the words that rounds take.
    pub compression: &'s Function,
    /// The prefix of labels.
    pub prefix: &'s str,
    /// The padding and the counter around the compression.
    pub framing: &'s Framing,
    /// The requirements on the shape.
    pub search: &'s Search,
    /// Bytes of code and constants of the program with a share, and the RAM that it leaves to an
    /// application; nothing if it cannot be assembled.
    pub room: &'s dyn Fn(&Share) -> Option<(usize, usize)>,
    /// Bytes of RAM that are left to an application at least.
    pub least_ram: usize,
    /// Bus cycles of the program with a share; nothing if it does not fit.
    pub cycles: &'s dyn Fn(&Share) -> Result<Option<u64>, Error>,
}

impl EveryBlock<'_> {
    /// The best share with its bus cycles, if rounds take such words and a program has room.
    ///
    /// # Errors
    /// If a part has no code, or a digest is wrong.
    pub fn best(&self) -> Result<Option<(u64, Share)>, Error> {
        if let Some(split) = split_schedule(self.compression) {
            return self.best_of(&split, &looped(&split), true);
        }
        let Some(split) = split_stream(self.compression) else { return Ok(None) };
        // The backend has short code for words of the block and what constants make of them by
        // exclusive or.
        let is_short = |op: Op| !op.is_work() || op == Op::Xor;
        if !split.ahead.nodes().all(|node| is_short(split.ahead.op(node))) {
            return Ok(None);
        }
        let programs = [Shape { unroll: Some(1), ..SHAPE }.one(&split.ahead)];
        let fast = match self.search.worth {
            Worth::Size => None,
            Worth::Both | Worth::Speed => self.best_of(&split, &programs, false)?,
        };
        if fast.is_some() { Ok(fast) } else { self.best_of(&split, &programs, true) }
    }

    /// The best share whose part on the CPU is one of these programs.
    fn best_of(
        &self,
        split: &Split,
        programs: &[Program],
        is_small: bool,
    ) -> Result<Option<(u64, Share)>, Error> {
        let Some(first) = programs.first() else { return Ok(None) };
        let share = |cpu: &Program, rest: &Written| Share {
            cpu: cpu.clone(),
            whole: None,
            rest: rest.clone(),
            every: 1,
            is_small,
        };
        let most = self.search.within.map_or(usize::MAX, usize::from);
        let fits = |rest: &Written| {
            let room = (self.room)(&share(first, rest));
            room.is_some_and(|(bytes, ram)| bytes <= most && ram >= self.least_ram)
        };
        let bytes = |rest: &Written| Some((self.room)(&share(first, rest))?.0);
        let words = Ahead::Words(SharedBlocks::All);
        let around = ThreadLimits { ahead: words, fits: &fits, bytes: &bytes };
        let found = fastest(&split.rest, self.prefix, self.framing, self.search, &around);
        let found = match found {
            Ok(found) => found,
            Err(Error::Room { .. } | Error::Thread { .. }) => return Ok(None),
            Err(other) => return Err(other),
        };
        let mut best: Option<(u64, Share)> = None;
        for cpu in programs {
            let share = share(cpu, &found.written);
            let Some(cycles) = (self.cycles)(&share)? else { continue };
            if best.as_ref().is_none_or(|(least, _)| cycles < *least) {
                best = Some((cycles, share));
            }
        }
        Ok(best)
    }
}

/// The shape of the CPU's programs, but for their rounds.
const SHAPE: Shape = Shape { unroll: None, worth: Worth::Speed, word: WHOLE };

/// The CPU's programs for a message schedule: a loop for each number of words that divides it.
fn looped(split: &Split) -> Vec<Program> {
    let rounds = Loops::of(&split.ahead, false).unwrap_or_default();
    let [all] = rounds[..] else { return Vec::new() };
    let divides = |each: &usize| all > *each && all.is_multiple_of(*each);
    let programs = EACH
        .into_iter()
        .filter(divides)
        .map(|each| SHAPE.one_with(&split.ahead, &Loops { is_ahead: false, rounds: vec![each] }));
    programs.collect()
}
