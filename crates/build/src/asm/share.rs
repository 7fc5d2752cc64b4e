//! The CPU's share of XGATE's blocks: the part of the next block that the CPU computes ahead. It is
//! found by running programs on the simulated chip.

use super::shape::{
    Found, MOST_BYTES, ROUNDS, SURVEY, Search, WHOLE, WORK, Write, bytes, further,
    with_other_chances,
};
use crate::error::Error;
use manylane_emit::asm::{Ahead, Ring, Share, SharedBlocks, ThreadSize, Written, thread};
use manylane_emit::backend;
use manylane_graph::Function;
use manylane_graph::framing::Framing;
use manylane_plan::program::Program;
use manylane_plan::program::cut::{Cut, cuts, split};
use manylane_plan::program::shape::{Shape, Worth};

/// Rounds that are written out on the CPU: all ([`ALL_ROUNDS`] is more than any hash has), so that
/// register Y is free for the address of the words; [`FEW_ROUNDS`] where all would be more than
/// [`MOST_OPERATIONS`], some 20 KiB of code.
const ALL_ROUNDS: usize = 1000;
const MOST_OPERATIONS: usize = 700;
const FEW_ROUNDS: usize = 2;

/// Rounds in an iteration of XGATE's thread for which the cut is searched; the others are tried
/// with the best cut.
const SEARCHED: [usize; 3] = [1, 4, 16];

/// Number of the fastest shares that are searched further.
const FINALISTS: usize = 3;

/// A share is searched further if it takes at most this many times the cycles of the program
/// without one: its thread was written in few orders of instructions, that of the program in many.
const HOPEFUL: f64 = 1.1;

/// The input of the search for a share.
pub struct Sharing<'s> {
    /// The compression, of which the CPU computes a part.
    pub compression: &'s Function,
    /// The prefix of labels.
    pub prefix: &'s str,
    /// The padding and the counter around the compression.
    pub framing: &'s Framing,
    /// The requirements on the shape.
    pub search: &'s Search,
    /// XGATE's thread for blocks without a share.
    pub whole: &'s Found,
    /// Bus cycles of the program with a share; nothing if it does not fit.
    pub cycles: &'s (dyn Fn(&Share) -> Result<Option<u64>, Error> + Sync),
}

/// A share that was tried.
struct Tried {
    cycles: u64,
    at: Point,
    share: Share,
    rest: Program,
}

/// One point of the search.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Point {
    /// The number of the cut, and whether sums are regrouped.
    cut: usize,
    is_regrouped: bool,
    /// One block in this many consecutive ones is shared: 1 or 2.
    every: usize,
    /// Rounds in an iteration of XGATE's thread.
    rounds: usize,
}

/// Searches for a better order of a thread's instructions.
type Improve<'i> = dyn Fn(Found, &Search, &Write<'_>) -> Result<Found, Error> + 'i;

/// The search.
struct Running<'s> {
    of: &'s Sharing<'s>,
    whole: Written,
    /// The cuts of the function: first those without regrouped sums, then those with them.
    cuts: [Vec<Cut>; 2],
    tried: Vec<Tried>,
}

impl Sharing<'_> {
    /// The best share, if there is one that takes less than `alone` bus cycles.
    ///
    /// # Errors
    /// If a part has no code, or a digest is wrong.
    pub fn best(&self, alone: u64) -> Result<Option<Share>, Error> {
        let Found { program, effort, .. } = self.whole;
        let label = self.label();
        let before = Ahead::Before(&label);
        let whole = thread(self.prefix, self.framing, program, *effort, before, ThreadSize::Fast)?;
        let cuts = [false, true].map(|is_regrouped| cuts(self.compression, is_regrouped));
        let mut running = Running { of: self, whole, cuts, tried: Vec::new() };
        running.run()?;
        let mut tried = running.tried;
        tried.retain(|of| of.cycles as f64 <= HOPEFUL * alone as f64);
        tried.sort_by_key(|of| of.cycles);
        tried.truncate(FINALISTS);
        let half = |of: Found, search: &Search, write: &Write<'_>| {
            further(of, search, WORK / 2, write, &|_| true)
        };
        let improved = tried.into_iter().map(|of| self.improved(of, &half));
        let improved = improved.collect::<Result<Vec<Tried>, Error>>()?;
        let best = improved.into_iter().min_by_key(|of| of.cycles);
        let Some(best) = best.filter(|of| of.cycles < alone) else { return Ok(None) };
        Ok(Some(self.improved(best, &with_other_chances)?.share))
    }

    /// A share whose thread is searched further, if that makes the program faster.
    fn improved(&self, of: Tried, search: &Improve<'_>) -> Result<Tried, Error> {
        let Tried { cycles, at, share, rest } = of;
        let write = |program: &Program, effort| self.rest(program, at.every, effort);
        let first = Found { program: rest.clone(), effort: SURVEY, written: share.rest.clone() };
        let found = search(first, self.search, &write)?;
        let better = Share { rest: found.written, ..share.clone() };
        Ok(match (self.cycles)(&better)? {
            Some(fewer) if fewer <= cycles => Tried { cycles: fewer, at, share: better, rest },
            _ => Tried { cycles, at, share, rest },
        })
    }

    fn label(&self) -> String {
        format!("{}_ahead", self.prefix)
    }

    fn rest(
        &self,
        program: &Program,
        every: usize,
        effort: usize,
    ) -> Result<Written, backend::Error> {
        let turns = match every {
            1 => SharedBlocks::All,
            _ => SharedBlocks::Every(every, self.prefix),
        };
        thread(&self.label(), self.framing, program, effort, Ahead::Words(turns), ThreadSize::Fast)
    }
}

impl Running<'_> {
    fn run(&mut self) -> Result<(), Error> {
        let given = self.of.search.unroll.map(|rounds| vec![rounds]);
        let is_regrouped = self.cuts[1] != self.cuts[0];
        let last = self.cuts[usize::from(is_regrouped)].len();
        if last == 0 {
            return Ok(());
        }
        // A quick search tries one number of rounds.
        let is_quick = usize::from(self.of.search.effort) < 5 * SURVEY;
        let given = given.or(is_quick.then(|| SEARCHED[..1].to_vec()));
        for rounds in given.clone().unwrap_or(SEARCHED.to_vec()) {
            self.narrow(rounds, is_regrouped)?;
            // Where all that can be computed ahead is too much for the CPU, every other block is
            // shared.
            if Ring::of(self.of.framing).reaches_again() {
                self.time(Point { cut: last - 1, is_regrouped, every: 2, rounds })?;
            }
        }
        let Some(at) = self.best() else { return Ok(()) };
        for rounds in given.unwrap_or(ROUNDS.to_vec()) {
            self.time(Point { rounds, ..at })?;
        }
        let Some(at) = self.best() else { return Ok(()) };
        if at.cut < self.cuts[usize::from(!is_regrouped)].len() {
            self.time(Point { is_regrouped: !is_regrouped, ..at })?;
        }
        Ok(())
    }

    /// The point of the fastest share so far.
    fn best(&self) -> Option<Point> {
        self.tried.iter().min_by_key(|of| of.cycles).map(|of| of.at)
    }

    /// A larger share helps until the CPU is the slower one: cuts are tried a third from both ends,
    /// again and again. A program that does not fit has too small a share, which leaves too much
    /// code to XGATE.
    fn narrow(&mut self, rounds: usize, is_regrouped: bool) -> Result<(), Error> {
        let count = self.cuts[usize::from(is_regrouped)].len();
        let (mut low, mut high) = (0, count);
        let at = |cut| Point { cut, is_regrouped, every: 1, rounds };
        while high - low > 3 {
            let third = (high - low) / 3;
            let [left, right] = [low + third, high - 1 - third];
            let is_left = match (self.time(at(left))?, self.time(at(right))?) {
                (Some(left), Some(right)) => left <= right,
                _ => false,
            };
            if is_left { high = right } else { low = left + 1 }
        }
        for cut in low..high {
            self.time(at(cut))?;
        }
        Ok(())
    }

    /// Tries a share, if it was not tried yet, and returns its bus cycles if it fits.
    fn time(&mut self, at: Point) -> Result<Option<u64>, Error> {
        if let Some(known) = self.tried.iter().find(|of| of.at == at) {
            return Ok(Some(known.cycles));
        }
        let cut = self.cuts[usize::from(at.is_regrouped)][at.cut];
        let Some(split) = split(self.of.compression, cut) else { return Ok(None) };
        let shape = |rounds| Shape { unroll: Some(rounds), worth: Worth::Speed, word: WHOLE };
        let rest = shape(at.rounds).one(&split.rest);
        let found = self.of.whole;
        let bytes_each = self.whole.code / found.program.rolled.size().max(1);
        let rest_bytes = bytes_each * rest.rolled.size();
        let most = self.of.search.within.map_or(MOST_BYTES, usize::from);
        if rest_bytes + bytes(&self.whole) > MOST_BYTES || rest_bytes > most {
            return Ok(None);
        }
        let rounds = if cut.operations > MOST_OPERATIONS { FEW_ROUNDS } else { ALL_ROUNDS };
        let share = Share {
            cpu: shape(rounds).one(&split.ahead),
            whole: Some(self.whole.clone()),
            rest: self.of.rest(&rest, at.every, SURVEY.min(self.of.search.effort.into()))?,
            every: at.every,
            is_small: false,
        };
        let cycles = (self.of.cycles)(&share)?;
        self.tried.extend(cycles.map(|cycles| Tried { cycles, at, share, rest }));
        Ok(cycles)
    }
}
