//! The CPU's share of XGATE's blocks: what of the next block it computes ahead, found by running
//! programs on the simulated chip.

use super::asm_shape::{Found, MOST_BYTES, ROUNDS, SURVEY, Search, WHOLE, WORK, bytes, further};
use manylane_emit::asm::{Ahead, Share, Written, thread_with};
use manylane_emit::backend;
use manylane_graph::Function;
use manylane_graph::framing::Framing;
use manylane_plan::program::Program;
use manylane_plan::program::ahead::{Cut, cuts, split};
use manylane_plan::program::shape::{Shape, Worth};

/// Rounds written out on the CPU: all, so that Y stays free for the place of the words.
const ALL_ROUNDS: usize = 1000;

/// Operations of the CPU's part that are written out, at most: some 20 KiB.
const MOST_OPERATIONS: usize = 600;

/// What a share is searched for.
pub struct Sharing<'s> {
    pub compression: &'s Function,
    pub prefix: &'s str,
    pub framing: &'s Framing,
    pub search: &'s Search,
    /// XGATE's thread for blocks without a share.
    pub whole: &'s Found,
    /// Bus cycles of the program with a share; nothing if it does not fit.
    pub cycles: &'s dyn Fn(&Share) -> anyhow::Result<Option<u64>>,
}

/// A share that was tried.
struct Tried {
    cycles: u64,
    /// Which of the cuts, and whether sums are regrouped.
    at: (usize, bool),
    share: Share,
    rest: Program,
}

/// The search.
struct Running<'s> {
    of: &'s Sharing<'s>,
    whole: Written,
    /// By whether sums are regrouped.
    cuts: [Vec<Cut>; 2],
    best: Option<Tried>,
}

impl Sharing<'_> {
    /// The best share, if there is one that takes less than `alone` bus cycles.
    ///
    /// # Errors
    /// If a part has no code, or a digest is wrong.
    pub fn best(&self, alone: u64) -> anyhow::Result<Option<Share>> {
        let Found { program, effort, .. } = self.whole;
        let label = self.label();
        let before = Ahead::Before(&label);
        let whole = thread_with(self.prefix, self.framing, program, *effort, before)?;
        let cuts = [false, true].map(|is_regrouped| {
            let mut cuts = cuts(self.compression, is_regrouped);
            cuts.retain(|cut| cut.operations <= MOST_OPERATIONS);
            cuts
        });
        let mut running = Running { of: self, whole, cuts, best: None };
        running.run()?;
        let Some(best) = running.best.filter(|best| best.cycles < alone) else { return Ok(None) };
        let write = |program: &Program, effort| self.rest(program, effort);
        let first = Found { program: best.rest, effort: SURVEY, written: best.share.rest.clone() };
        let found = further(first, self.search, WORK / 2, &write, &|_| true)?;
        let share = Share { rest: found.written, ..best.share.clone() };
        let is_faster = (self.cycles)(&share)?.is_some_and(|cycles| cycles <= best.cycles);
        Ok(Some(if is_faster { share } else { best.share }))
    }

    fn label(&self) -> String {
        format!("{}_ahead", self.prefix)
    }

    fn rest(&self, program: &Program, effort: usize) -> Result<Written, backend::Error> {
        thread_with(&self.label(), self.framing, program, effort, Ahead::Words)
    }
}

impl Running<'_> {
    /// With each number of rounds the cut is searched, and with the best of all the other way to
    /// add up sums is tried.
    fn run(&mut self) -> anyhow::Result<()> {
        let rounds: Vec<usize> = match self.of.search.unroll {
            Some(rounds) => vec![rounds],
            None => ROUNDS.to_vec(),
        };
        let is_regrouped = self.cuts[1] != self.cuts[0];
        for &rounds in &rounds {
            self.narrow(rounds, is_regrouped)?;
        }
        let at = self.best.as_ref().map(|best| best.at.0);
        if let Some(at) = at.filter(|&at| at < self.cuts[usize::from(!is_regrouped)].len()) {
            for rounds in rounds {
                self.time((at, !is_regrouped), rounds)?;
            }
        }
        Ok(())
    }

    /// A larger share helps until the CPU is the slower one: cuts are tried a third from both ends,
    /// again and again. What does not fit is too small a share, which leaves XGATE too much code.
    fn narrow(&mut self, rounds: usize, is_regrouped: bool) -> anyhow::Result<()> {
        let count = self.cuts[usize::from(is_regrouped)].len();
        let (mut low, mut high) = (0, count);
        while high - low > 3 {
            let third = (high - low) / 3;
            let [left, right] = [low + third, high - 1 - third];
            let cycles = self.time((left, is_regrouped), rounds)?;
            match cycles {
                Some(cycles)
                    if self
                        .time((right, is_regrouped), rounds)?
                        .is_some_and(|right| cycles <= right) =>
                {
                    high = right;
                }
                _ => low = left + 1,
            }
        }
        for at in low..high {
            self.time((at, is_regrouped), rounds)?;
        }
        Ok(())
    }

    /// Tries a share, and keeps it if it is the best.
    fn time(&mut self, at: (usize, bool), rounds: usize) -> anyhow::Result<Option<u64>> {
        let cut = self.cuts[usize::from(at.1)][at.0];
        let Some(split) = split(self.of.compression, cut) else { return Ok(None) };
        let shape = |rounds| Shape { unroll: Some(rounds), worth: Worth::Speed, word: WHOLE };
        let rest = shape(rounds).one(&split.rest);
        let found = self.of.whole;
        let bytes_each = self.whole.code / found.program.rolled.size().max(1);
        if bytes_each * rest.rolled.size() + bytes(&self.whole) > MOST_BYTES {
            return Ok(None);
        }
        let share = Share {
            cpu: shape(ALL_ROUNDS).one(&split.ahead),
            whole: self.whole.clone(),
            rest: self.of.rest(&rest, SURVEY.min(self.of.search.effort.into()))?,
            is_small: false,
        };
        let cycles = (self.of.cycles)(&share)?;
        if let Some(cycles) = cycles
            && self.best.as_ref().is_none_or(|best| cycles < best.cycles)
        {
            self.best = Some(Tried { cycles, at, share, rest });
        }
        Ok(cycles)
    }
}
