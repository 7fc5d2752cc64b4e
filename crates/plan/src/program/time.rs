//! When a program is done: its actions charged at a platform's prices.

use super::charges::Charges;
use super::run::{Position, iteration_of};
use super::{Action, MAIN, Program, TransferId};
use crate::time::{Ticks, cycles};
use std::collections::HashMap;

pub use super::prices::{Basis, Prices};

/// When a number of calls is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// Cycles from the beginning to the end of each call, one after the other, on the main processor.
    pub ends: Vec<f64>,
    /// By processor, the cycles in which it worked.
    pub busy: Vec<f64>,
    /// By processor, the cycles in which it waited for a transfer.
    pub waits: Vec<f64>,
}

impl Timing {
    /// Cycles of all calls.
    pub fn cycles(&self) -> f64 {
        self.ends.last().copied().unwrap_or(0.0)
    }
}

/// Runs `calls` calls, each a job of its own that takes the chaining value of the one before, and tells
/// when each is done; `None` if the processors wait for each other.
pub fn time(program: &Program, prices: &Prices, calls: usize) -> Option<Timing> {
    time_jobs(program, prices, &vec![1; calls])
}

/// Runs jobs of so many calls each; `None` if the processors wait for each other.
///
/// A job is for the other processors: for each call the main one puts the words of the block in order.
/// It goes on after a job when the others are done with it.
pub fn time_jobs(program: &Program, prices: &Prices, jobs: &[usize]) -> Option<Timing> {
    let count = program.processors;
    let calls: usize = jobs.iter().sum();
    // By call, its job, and whether it is the job's first and last.
    let of_call: Vec<(usize, bool, bool)> = jobs
        .iter()
        .enumerate()
        .flat_map(|(job, &calls)| (0..calls).map(move |i| (job, i == 0, i + 1 == calls)))
        .collect();
    let mut clocks: Vec<Ticks> = vec![0; count];
    let mut busy: Vec<Ticks> = vec![0; count];
    let mut waits: Vec<Ticks> = vec![0; count];
    let mut at = vec![(0usize, Position::START); count];
    let mut sent: HashMap<(usize, TransferId, usize), Ticks> = HashMap::new();
    let mut ends: Vec<Ticks> = Vec::new();
    let charges: Vec<Charges> = (0..count)
        .map(|processor| Charges::of(program, processor, &prices.processors[processor]))
        .collect();
    // When the main processor has given each job, when each of the others is done with it, and who has
    // begun with its own call.
    let mut starts: Vec<Ticks> = Vec::new();
    let mut finished: Vec<Vec<Ticks>> = vec![Vec::new(); count];
    let mut begun = vec![false; count];
    loop {
        let mut moved = false;
        for processor in 0..count {
            // As far as it can go without waiting for what is not sent yet.
            while at[processor].0 < calls {
                let (call, ref mut position) = at[processor];
                if *position == Position::START && count > 1 && !begun[processor] {
                    let price = &prices.processors[processor];
                    let (job, is_first, _) = of_call[call];
                    let work = if is_first { price.job } else { 0 };
                    if processor == MAIN {
                        clocks[MAIN] += price.block + work;
                        busy[MAIN] += price.block + work;
                        if is_first {
                            starts.push(clocks[MAIN]);
                        }
                    } else {
                        let Some(&started) = starts.get(job) else { break };
                        let there = clocks[processor].max(started + prices.start);
                        waits[processor] += there - clocks[processor];
                        clocks[processor] = there + work;
                        busy[processor] += work;
                    }
                    begun[processor] = true;
                }
                let Some(action) = position.action(program, processor) else {
                    if let (job, _, true) = of_call[call] {
                        if processor != MAIN {
                            finished[processor].push(clocks[processor]);
                        } else if count > 1 {
                            let others = finished[MAIN + 1..].iter();
                            let ends: Option<Vec<Ticks>> =
                                others.map(|of| of.get(job).copied()).collect();
                            let Some(last) = ends.and_then(|of| of.into_iter().max()) else {
                                break;
                            };
                            let known = clocks[MAIN].max(last + prices.finish);
                            waits[MAIN] += known - clocks[MAIN];
                            clocks[MAIN] = known;
                        }
                    }
                    at[processor] = (call + 1, Position::START);
                    begun[processor] = false;
                    if processor == MAIN {
                        ends.push(clocks[MAIN]);
                    }
                    moved = true;
                    continue;
                };
                let position = *position;
                if let Action::Receive(id) = action {
                    let transfer = &program.transfers[id.index()];
                    let key = (call, id, iteration_of(program, transfer, position));
                    let Some(&there) = sent.get(&key) else { break };
                    let there = clocks[processor].max(there + prices.latency);
                    waits[processor] += there - clocks[processor];
                    clocks[processor] = there;
                }
                let cost = charges[processor].at(position);
                clocks[processor] += cost;
                busy[processor] += cost;
                if let Action::Send(id) = action {
                    let transfer = &program.transfers[id.index()];
                    let key = (call, id, iteration_of(program, transfer, position));
                    sent.insert(key, clocks[processor]);
                }
                at[processor].1.action += 1;
                moved = true;
            }
        }
        if at.iter().all(|&(call, _)| call == calls) {
            let all = |of: Vec<Ticks>| of.into_iter().map(cycles).collect();
            return Some(Timing { ends: all(ends), busy: all(busy), waits: all(waits) });
        }
        if !moved {
            return None;
        }
    }
}
