//! The time of a program: its actions charged at a platform's prices.

use super::charges::Charges;
use super::measured::MeasuredShare;
use super::run::{Position, iteration_of};
use super::{Action, MAIN, Program, TransferId};
use crate::time::{Ticks, cycles, ticks};
use std::collections::HashMap;

pub use super::prices::{PriceBasis, Prices};

/// The times at which calls are done.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// For each call, in order, the cycles from the beginning of the first call to the end of this
    /// call on the main processor.
    pub ends: Vec<f64>,
    /// The cycles in which each processor worked.
    pub busy: Vec<f64>,
    /// The cycles in which each processor waited for a transfer.
    pub waits: Vec<f64>,
}

impl Timing {
    /// Cycles of all calls.
    pub fn cycles(&self) -> f64 {
        self.ends.last().copied().unwrap_or(0.0)
    }
}

/// Runs one job of `calls` calls, each of which takes the chaining value of the one before; `None`
/// if the processors wait for each other in a deadlock.
pub fn time(program: &Program, prices: &Prices, calls: usize) -> Option<Timing> {
    time_jobs(program, prices, &[calls])
}

/// Runs jobs, each of the number of calls that `jobs` gives; `None` if the processors wait for each
/// other.
///
/// The main processor gives the others a job, and for each call the words of its block, when a slot
/// for them is free. Where the others need nothing else there are two slots, so that they may be a
/// call ahead. After a job the main processor goes on when the others are done with the job.
///
/// Where the times of the hand-overs in measured shares are known, they are used instead of prices,
/// and the delay is added by which each processor's accesses to memory slow the other.
pub fn time_jobs(program: &Program, prices: &Prices, jobs: &[usize]) -> Option<Timing> {
    if prices.measured.is_empty() {
        let works: Vec<Work> =
            (0..program.processors).map(|one| Work::charged(program, one, prices)).collect();
        return simulate(program, prices, jobs, &works);
    }
    let works = |slower: &[f64]| -> Vec<Work> {
        prices.measured.iter().zip(slower).map(|(of, by)| Work::measured(of, *by)).collect()
    };
    let free = simulate(program, prices, jobs, &works(&vec![1.0; program.processors]))?;
    let slower = MeasuredShare::contention(&prices.measured, &free.busy, free.cycles());
    match slower.iter().all(|&by| by == 1.0) {
        true => Some(free),
        false => simulate(program, prices, jobs, &works(&slower)),
    }
}

/// As [`time_jobs`], for processors whose times are given as their work.
fn simulate(
    program: &Program,
    prices: &Prices,
    jobs: &[usize],
    works: &[Work<'_>],
) -> Option<Timing> {
    let count = program.processors;
    let calls: usize = jobs.iter().sum();
    let of_call: Vec<OfCall> = calls_of(jobs).collect();
    let slots = 1 + usize::from(program.runs_ahead());
    let mut clocks: Vec<Ticks> = vec![0; count];
    let mut busy: Vec<Ticks> = vec![0; count];
    let mut waits: Vec<Ticks> = vec![0; count];
    let mut at = vec![(0usize, Position::START); count];
    let mut sent: HashMap<(usize, TransferId, usize), Ticks> = HashMap::new();
    let mut ends: Vec<Ticks> = Vec::new();
    // The time at which the main processor has given each job and each call's words; the time at
    // which each of the others is done with each call; and which of them has begun with its own
    // call.
    let mut starts: Vec<Ticks> = Vec::new();
    let mut given: Vec<Ticks> = Vec::new();
    let mut done: Vec<Vec<Ticks>> = vec![Vec::new(); count];
    let mut begun = vec![false; count];
    loop {
        let mut moved = false;
        for processor in 0..count {
            let work = &works[processor];
            // The processor goes on until it would wait for a transfer that is not sent yet.
            while at[processor].0 < calls {
                let (call, ref mut position) = at[processor];
                let mut clock = Clock {
                    now: &mut clocks[processor],
                    busy: &mut busy[processor],
                    waits: &mut waits[processor],
                };
                if *position == Position::START && count > 1 && !begun[processor] {
                    let OfCall { job, first, after } = of_call[call];
                    if processor == MAIN {
                        if call == first && starts.len() == job {
                            clock.work(work.before_job);
                            starts.push(*clock.now);
                            clock.work(work.in_job);
                        }
                        let most = after.min(call + slots);
                        while given.len() < most {
                            let number = given.len();
                            if number >= first + slots {
                                let others = done[MAIN + 1..].iter();
                                let Some(freed) = latest(others, number - slots) else { break };
                                clock.wait_until(freed + prices.latency);
                            }
                            clock.work(work.before_call);
                            given.push(*clock.now);
                            if number == first {
                                clock.work(work.after_words);
                            }
                        }
                        if given.len() < most {
                            break;
                        }
                    } else {
                        let Some(&words) = given.get(call) else { break };
                        if call == first {
                            clock.wait_until(starts[job] + prices.start);
                            clock.work(work.in_job);
                        }
                        if work.is_measured && call != first {
                            clock.work(work.before_call);
                        }
                        clock.wait_until(words + prices.latency);
                        if !work.is_measured {
                            clock.work(work.before_call);
                        }
                    }
                    begun[processor] = true;
                }
                let Some(action) = position.action(program, processor) else {
                    if processor != MAIN {
                        clock.work(work.after_call);
                        if call + 1 == of_call[call].after {
                            clock.work(work.after_job);
                        }
                        done[processor].push(*clock.now);
                    } else if count > 1 && call + 1 == of_call[call].after {
                        let Some(last) = latest(done[MAIN + 1..].iter(), call) else { break };
                        clock.work(work.after_call);
                        // A measured share includes the notification at its end, which only has to
                        // arrive.
                        let arrives = if work.is_measured { prices.latency } else { prices.finish };
                        clock.wait_until(last + arrives);
                        clock.work(work.after_job);
                    } else {
                        clock.work(work.after_call);
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
                let key = |id: TransferId| {
                    let transfer = &program.transfers[id.index()];
                    (call, id, iteration_of(program, transfer, position))
                };
                let cost = work.at(position);
                match action {
                    // A measured part ends where the processor begins to wait for the transfer.
                    Action::Receive(id) => {
                        let Some(&there) = sent.get(&key(id)) else { break };
                        clock.work(if work.is_measured { cost } else { 0 });
                        clock.wait_until(there + prices.latency);
                        clock.work(if work.is_measured { 0 } else { cost });
                    }
                    Action::Compute(_) => clock.work(cost),
                    Action::Send(id) => {
                        clock.work(cost);
                        sent.insert(key(id), *clock.now);
                    }
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

/// The clock of a processor.
struct Clock<'c> {
    now: &'c mut Ticks,
    busy: &'c mut Ticks,
    waits: &'c mut Ticks,
}

impl Clock<'_> {
    fn work(&mut self, ticks: Ticks) {
        *self.now += ticks;
        *self.busy += ticks;
    }

    fn wait_until(&mut self, there: Ticks) {
        if there > *self.now {
            *self.waits += there - *self.now;
            *self.now = there;
        }
    }
}

/// The times of all that a processor does.
struct Work<'w> {
    /// Time per job on the main processor, until the others can see the job.
    before_job: Ticks,
    /// Time per job before its first call; during that of the main processor the others may work.
    in_job: Ticks,
    /// Time per job after the main processor has given the words of its first call.
    after_words: Ticks,
    after_job: Ticks,
    /// Time per call: the main processor gives its words; another one takes them.
    before_call: Ticks,
    after_call: Ticks,
    /// Whether parts between hand-overs were measured. Then the `before_call` of a processor other
    /// than the main one comes before its wait for a call's words, except before the first call of
    /// a job.
    is_measured: bool,
    actions: Actions<'w>,
}

/// The times of its actions.
enum Actions<'w> {
    /// Each action takes its price.
    Charged(Charges),
    /// Only hand-overs take time: each takes the measured time since the hand-over before it. The
    /// second field is the factor by which other processors' accesses to memory slow this one.
    Measured(&'w MeasuredShare, f64),
}

impl<'w> Work<'w> {
    /// The work of a measured share, which other processors' accesses to memory slow by a factor.
    fn measured(of: &'w MeasuredShare, slower: f64) -> Self {
        let [before_job, in_job, after_words, after_job] =
            of.job.map(|ticks| slowed(ticks, slower));
        let [before_call, after_call] = of.call.map(|ticks| slowed(ticks, slower));
        let actions = Actions::Measured(of, slower);
        Self {
            before_job,
            in_job,
            after_words,
            after_job,
            before_call,
            after_call,
            is_measured: true,
            actions,
        }
    }

    fn charged(program: &Program, processor: usize, prices: &Prices) -> Self {
        let price = &prices.processors[processor];
        let actions = Charges::of(program, &prices.bodies, processor, price);
        let (in_job, after_job, before_call) = match processor {
            // The other processor begins while the main one still prepares the job's calls.
            MAIN => {
                let words = if program.gives_raw_words() { 0 } else { price.swaps };
                (0, price.job, price.receive + price.block + words + price.send)
            }
            // Half of a job's time passes before its calls, the other half after them.
            _ => (price.job / 2, price.job.div_ceil(2), price.receive + price.send),
        };
        Self {
            before_job: 0,
            in_job,
            after_words: 0,
            after_job,
            before_call,
            after_call: 0,
            is_measured: false,
            actions: Actions::Charged(actions),
        }
    }

    fn at(&self, position: Position) -> Ticks {
        match &self.actions {
            Actions::Charged(charges) => charges.at(position),
            Actions::Measured(of, slower) => slowed(of.at(position), *slower),
        }
    }
}

fn slowed(of: Ticks, slower: f64) -> Ticks {
    ticks(cycles(of) * slower)
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

/// The time at which the last of several processors is done with a call, if all are.
fn latest<'d>(mut done: impl Iterator<Item = &'d Vec<Ticks>>, call: usize) -> Option<Ticks> {
    done.try_fold(0, |last, of| Some(last.max(*of.get(call)?)))
}
