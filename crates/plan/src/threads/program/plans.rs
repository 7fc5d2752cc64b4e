//! Makes programs from the results of the planners.

use super::run::time;
use super::{Action, ThreadsProgram, Transfer, Work};
use crate::program::{MAIN, TransferId};
use crate::threads::{Batch, SplitLoop, part};
use std::ops::Range;

impl SplitLoop {
    /// The best partition over `processors` threads: each computes its iterations, then their
    /// results are joined, all in turn by the main thread or by neighbours two by two. The pieces
    /// of `work` are the iterations.
    ///
    /// # Panics
    /// If `processors` is zero.
    pub fn program(&self, processors: usize, work: Work) -> ThreadsProgram {
        let bounds = self.balance(processors).bounds;
        let ranges = bounds.windows(2).map(|cut| part(cut[0]..cut[1]));
        let mut program = ThreadsProgram::of_ranges(work, ranges.collect());
        match self.joins_in_turn {
            true => program.join_in_turn(),
            false => program.join_by_pairs(),
        }
        program
    }

    /// The time of a program of this loop, the serial part included. It counts the time that
    /// threads wait for each other, whereas [`Balance::total`](crate::threads::Balance::total)
    /// counts all joins after the most expensive part. `None` if the threads wait in a circle.
    pub fn time(&self, program: &ThreadsProgram) -> Option<f64> {
        let cost = |_, pieces: &Range<u64>| self.cost(pieces.start, pieces.end);
        Some(time(program, cost, self.join)? + self.serial)
    }
}

impl Batch {
    /// Each thread does its pieces, and the main one takes their results.
    pub fn program(&self, work: Work) -> ThreadsProgram {
        let mut program = ThreadsProgram::of_ranges(work, self.parts.clone());
        program.join_in_turn();
        program
    }
}

impl ThreadsProgram {
    /// Everything on one thread.
    pub fn sequential(work: Work) -> Self {
        let all = part(0..work.pieces);
        Self::of_ranges(work, vec![all])
    }

    fn of_ranges(work: Work, ranges: Vec<Vec<Range<u64>>>) -> Self {
        let actions = |ranges: Vec<Range<u64>>| ranges.into_iter().map(Action::Compute).collect();
        Self { work, parts: ranges.into_iter().map(actions).collect(), transfers: Vec::new() }
    }

    fn transfer(&mut self, from: usize, to: usize) {
        let id = TransferId(self.transfers.len() as u32);
        self.transfers.push(Transfer { from, to });
        self.parts[from].push(Action::Send(id));
        self.parts[to].push(Action::Receive(id));
    }

    /// Threads that have work.
    fn working(&self) -> Vec<usize> {
        (0..self.parts.len()).filter(|&thread| !self.parts[thread].is_empty()).collect()
    }

    /// The main thread receives from one after the other.
    fn join_in_turn(&mut self) {
        for from in self.working().into_iter().filter(|&thread| thread != MAIN) {
            self.transfer(from, MAIN);
        }
    }

    /// Neighbours join what they have, then neighbours of those, ⌈lg p⌉ times.
    fn join_by_pairs(&mut self) {
        let threads = self.working();
        let mut distance = 1;
        while distance < threads.len() {
            for i in (0..threads.len() - distance).step_by(2 * distance) {
                self.transfer(threads[i + distance], threads[i]);
            }
            distance *= 2;
        }
        if let Some(&first) = threads.first().filter(|&&first| first != MAIN) {
            self.transfer(first, MAIN);
        }
    }
}
