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
    /// Cycles from the beginning to the end of each call, one after the other, on the main
    /// processor.
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

/// Runs one job of `calls` calls, each of which takes the chaining value of the one before; `None`
/// if the processors wait for each other.
pub fn time(program: &Program, prices: &Prices, calls: usize) -> Option<Timing> {
    time_jobs(program, prices, &[calls])
}

/// Runs jobs of so many calls each; `None` if the processors wait for each other.
///
/// The main processor gives the others a job, and for each call the words of its block, when a slot
/// for them is free. Where the others need nothing else there are two slots, so that they may be a
/// call ahead. It goes on after a job when the others are done with it.
pub fn time_jobs(program: &Program, prices: &Prices, jobs: &[usize]) -> Option<Timing> {
    let count = program.processors;
    let calls: usize = jobs.iter().sum();
    let of_call: Vec<OfCall> = calls_of(jobs).collect();
    let slots = 1 + usize::from(program.runs_ahead());
    let words = match program.gives_raw_words() {
        true => 0,
        false => prices.processors[MAIN].swaps,
    };
    let mut clocks: Vec<Ticks> = vec![0; count];
    let mut busy: Vec<Ticks> = vec![0; count];
    let mut waits: Vec<Ticks> = vec![0; count];
    let mut at = vec![(0usize, Position::START); count];
    let mut sent: HashMap<(usize, TransferId, usize), Ticks> = HashMap::new();
    let mut ends: Vec<Ticks> = Vec::new();
    let charges: Vec<Charges> = (0..count)
        .map(|processor| {
            Charges::of(program, &prices.bodies, processor, &prices.processors[processor])
        })
        .collect();
    // When the main processor has given each job, and each call's words; when each of the others is
    // done with each call; and who has begun with its own call.
    let mut starts: Vec<Ticks> = Vec::new();
    let mut given: Vec<Ticks> = Vec::new();
    let mut done: Vec<Vec<Ticks>> = vec![Vec::new(); count];
    let mut begun = vec![false; count];
    loop {
        let mut moved = false;
        for processor in 0..count {
            // As far as it can go without waiting for what is not sent yet.
            while at[processor].0 < calls {
                let (call, ref mut position) = at[processor];
                if *position == Position::START && count > 1 && !begun[processor] {
                    let price = &prices.processors[processor];
                    let OfCall { job, first, after } = of_call[call];
                    if processor == MAIN {
                        if call == first && starts.len() == job {
                            starts.push(clocks[MAIN]);
                        }
                        let most = after.min(call + slots);
                        while given.len() < most {
                            let number = given.len();
                            let mut free = clocks[MAIN];
                            if number >= first + slots {
                                let others = done[MAIN + 1..].iter();
                                let Some(freed) = latest(others, number - slots) else { break };
                                free = free.max(freed + prices.latency);
                            }
                            let give = price.receive + price.block + words + price.send;
                            waits[MAIN] += free - clocks[MAIN];
                            clocks[MAIN] = free + give;
                            busy[MAIN] += give;
                            given.push(clocks[MAIN]);
                        }
                        if given.len() < most {
                            break;
                        }
                    } else {
                        let Some(&words) = given.get(call) else { break };
                        let began = if call == first { starts[job] + prices.start } else { 0 };
                        let there = clocks[processor].max(began).max(words + prices.latency);
                        // One half of what a job takes before it, the other one after it.
                        let taken = if call == first { price.job / 2 } else { 0 };
                        let work = taken + price.receive + price.send;
                        waits[processor] += there - clocks[processor];
                        clocks[processor] = there + work;
                        busy[processor] += work;
                    }
                    begun[processor] = true;
                }
                let Some(action) = position.action(program, processor) else {
                    if processor != MAIN {
                        if call + 1 == of_call[call].after {
                            let work = prices.processors[processor].job.div_ceil(2);
                            clocks[processor] += work;
                            busy[processor] += work;
                        }
                        done[processor].push(clocks[processor]);
                    } else if count > 1 && call + 1 == of_call[call].after {
                        let Some(last) = latest(done[MAIN + 1..].iter(), call) else { break };
                        let known = clocks[MAIN].max(last + prices.finish);
                        // The other one begins while the main one still prepares the job's calls.
                        let work = prices.processors[MAIN].job;
                        waits[MAIN] += known - clocks[MAIN];
                        clocks[MAIN] = known + work;
                        busy[MAIN] += work;
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

/// The job that a call belongs to.
#[derive(Clone, Copy)]
struct OfCall {
    job: usize,
    /// Its first call.
    first: usize,
    /// The call after its last one.
    after: usize,
}

fn calls_of(jobs: &[usize]) -> impl Iterator<Item = OfCall> {
    let mut after = 0;
    jobs.iter().enumerate().flat_map(move |(job, &calls)| {
        let first = after;
        after += calls;
        std::iter::repeat_n(OfCall { job, first, after }, calls)
    })
}

/// When the last of several processors is done with a call, if all are.
fn latest<'d>(mut done: impl Iterator<Item = &'d Vec<Ticks>>, call: usize) -> Option<Ticks> {
    done.try_fold(0, |last, of| Some(last.max(*of.get(call)?)))
}
