//! Measured shares of a program, cut where the hand-overs are.

use super::parts::HandOvers;
use super::run::Position;
use super::{MAIN, Program};
use crate::costs::CostError;
use crate::platform::{HandOverTimes, Platform, ShareTime};
use crate::source::SourceError;
use crate::time::{Ticks, ticks};

/// A processor's measured share of a program.
#[derive(Clone, Debug)]
pub(super) struct MeasuredShare {
    places: HandOvers,
    /// Time up to each hand-over of a call, from the one before it.
    parts: Vec<Ticks>,
    /// Time of a call before its share begins, and after the last hand-over.
    pub call: [Ticks; 2],
    /// Time of a job: on the main processor until the others can see it; before its first call;
    /// after the words of its first call are given; after its last call.
    pub job: [Ticks; 4],
    /// Accesses to shared memory per cycle of the share, divided by the number of banks; 0 where no
    /// core waits for another.
    accesses: f64,
}

impl MeasuredShare {
    /// The shares of all processors.
    ///
    /// # Errors
    /// If the program has another number of hand-overs.
    pub fn of(
        program: &Program,
        of: &ShareTime,
        parts: &HandOverTimes,
        platform: &Platform,
    ) -> Result<Vec<Self>, CostError> {
        let banks = platform.banks.map_or(f64::INFINITY, |banks| banks as f64);
        let all = parts.cycles.iter().enumerate().map(|(processor, list)| {
            let places = HandOvers::of(program, processor);
            let expected = places.places() + 2;
            let [before, inner @ .., after] = &list[..] else {
                return Err(wrong(platform, parts, expected, list.len()));
            };
            if inner.len() != places.places() {
                return Err(wrong(platform, parts, expected, list.len()));
            }
            let (job, call) = match processor {
                MAIN => {
                    let rest = (of.give - parts.open).max(0.0);
                    let job = match parts.begin {
                        None => [parts.open, rest, 0.0, 0.0],
                        Some(begin) => [parts.open, 0.0, begin, (rest - begin).max(0.0)],
                    };
                    (job, of.main)
                }
                _ => ([0.0, parts.enter, 0.0, (of.take - parts.enter).max(0.0)], of.second),
            };
            Ok(Self {
                places,
                call: [*before, *after].map(ticks),
                parts: inner.iter().copied().map(ticks).collect(),
                job: job.map(ticks),
                accesses: parts.accesses[processor] / (call * banks.sqrt()),
            })
        });
        all.collect()
    }

    /// Time between the hand-over at a position and the one before it. Other actions take no time
    /// of their own.
    pub fn at(&self, position: Position) -> Ticks {
        self.places.at(position).map_or(0, |place| self.parts[place])
    }

    /// The factors by which two processors are slower because the other one accesses the same banks
    /// of memory. If both access a bank in the same cycle, one waits for a cycle, each in turn.
    /// `busy` are the cycles that each processor works, of `elapsed` cycles in all, if none waits.
    pub fn contention(all: &[Self], busy: &[f64], elapsed: f64) -> Vec<f64> {
        let elapsed = elapsed.max(1.0);
        let factor = |one: usize| {
            let others = (0..all.len()).filter(|&other| other != one).map(|other| {
                let at_work = (busy[other] / elapsed).min(1.0);
                all[one].accesses * all[other].accesses * at_work / 2.0
            });
            1.0 + others.sum::<f64>()
        };
        (0..all.len()).map(factor).collect()
    }
}

fn wrong(platform: &Platform, parts: &HandOverTimes, expected: usize, found: usize) -> CostError {
    let problem = format!("{found} parts of a share whose program has {expected}");
    CostError::Platform(SourceError {
        file: platform.file.clone(),
        line: parts.line,
        problem,
        remedy: "measure it anew, or leave out the lists of its parts".into(),
    })
}
