//! The event simulator that judges every plan.
//!
//! The simulation goes in two passes. In the first pass each core takes the most urgent unit that
//! is ready, in order of time, and notes what it had to wait for. A core that needs results of the
//! other core receives all that are finished by then in one handshake. The second pass keeps the
//! order, leaves out the sends that nobody receives, and charges everything: the time that sending
//! and receiving takes on either core, and shared memory while both are at work.

use crate::costs::UnitCosts;
use crate::platform::{COPROCESSOR, HandshakeCosts, MAIN, Platform, Sides};
use crate::schedule::{self, Interval, Placement, Schedule};
use crate::time::{NEVER, Ticks, cycles, ticks};
use crate::units::Units;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A graph of units on a machine of two cores.
#[derive(Debug)]
pub struct Machine<'m> {
    /// The units.
    pub units: &'m Units,
    /// Their costs.
    pub costs: &'m UnitCosts,
    /// The times of a handshake.
    pub handshake: HandshakeCosts<Ticks>,
    /// The time, in ticks, for one cycle of work while both cores are at work.
    contention: Ticks,
}

/// One activity of a core.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Activity {
    Unit(u32),
    /// Sends the handshake of this number.
    Send(u32),
    /// Receives the handshake of this number.
    Receive(u32),
}

/// The activities of both cores, in order.
#[derive(Debug, Default)]
struct Activities {
    cores: [Vec<Activity>; 2],
    /// For each handshake: whether it streams, going in the direction of the one before.
    streams: Vec<bool>,
}

/// One core in the first pass.
#[derive(Debug, Default)]
struct CoreState {
    clock: Ticks,
    /// The units that are done, and when they ended.
    done: Vec<(u32, Ticks)>,
    /// Units whose operands are computed, by the time at which these arrive.
    pending: BinaryHeap<(Reverse<Ticks>, Reverse<u32>)>,
    /// Units whose operands have arrived, by urgency.
    ready: BinaryHeap<(Ticks, Reverse<u32>)>,
    /// How many of the other core's units are known to be done.
    seen: usize,
    /// Pairs (place, count): before this core runs its unit at `place`, it waits for the handshake
    /// that reports `count` finished units of the other core.
    receives: Vec<(usize, usize)>,
    /// Whether the other core has received nothing since this one last did.
    listens: bool,
}

impl<'m> Machine<'m> {
    /// The machine of a platform.
    pub fn new(units: &'m Units, costs: &'m UnitCosts, platform: &Platform) -> Self {
        let (handshake, contention) = (platform.handshake.in_ticks(), ticks(platform.contention));
        Self { units, costs, handshake, contention }
    }

    /// The schedule in which unit i runs on core `cores[i]`.
    pub fn schedule(&self, cores: &[u8]) -> Schedule {
        self.execute(&self.program(cores), |times| self.collect(cores, times))
    }

    /// The time at which that schedule ends, in cycles.
    pub fn cycles(&self, cores: &[u8]) -> f64 {
        cycles(self.end(cores))
    }

    /// The time at which that schedule ends, in ticks.
    pub(super) fn end(&self, cores: &[u8]) -> Ticks {
        self.execute(&self.program(cores), |times| times.end)
    }

    fn cost(&self, core: usize, unit: u32) -> Ticks {
        self.costs.ticks[core][unit as usize]
    }

    /// Returns, for each unit, the time from its start to the end of all units if there were enough
    /// cores.
    fn urgency(&self, cores: &[u8]) -> Vec<Ticks> {
        let mut urgency = vec![0; self.units.len()];
        for unit in (0..self.units.len()).rev() {
            let core = cores[unit] as usize;
            let after = self.units.after.of(unit).iter().map(|&next| {
                let to = cores[next as usize] as usize;
                let crossing = if to == core { 0 } else { self.handshake.delay(to) };
                urgency[next as usize] + crossing
            });
            urgency[unit] = after.max().unwrap_or(0) + self.cost(core, unit as u32);
        }
        urgency
    }

    /// Runs the first pass, and returns the order of activities that it finds.
    fn program(&self, cores: &[u8]) -> Activities {
        let Units { before, after, .. } = self.units;
        let count = self.units.len();
        let urgency = self.urgency(cores);
        let helped = cores.contains(&(COPROCESSOR as u8));
        let on = |unit: u32| cores[unit as usize] as usize;
        let crosses = |unit: u32| after.of(unit as usize).iter().any(|&next| on(next) != on(unit));
        let mut state = [CoreState::default(), CoreState::default()];
        if helped {
            state[MAIN].clock = self.handshake.turn.send[MAIN];
            state[COPROCESSOR].clock = self.handshake.delay(COPROCESSOR);
            state[COPROCESSOR].listens = true;
        }
        let mut waits: Vec<u32> = (0..count).map(|u| before.of(u).len() as u32).collect();
        let mut there: Vec<Ticks> = vec![0; count];
        let mut place = vec![0usize; count];
        for unit in (0..count as u32).filter(|&unit| waits[unit as usize] == 0) {
            state[on(unit)].pending.push((Reverse(0), Reverse(unit)));
        }
        loop {
            let starts = [0, 1].map(|core: usize| state[core].next_start());
            let core = usize::from(starts[COPROCESSOR] < starts[MAIN]);
            let mut time = starts[core];
            if time == NEVER {
                break;
            }
            let unit = state[core].take(time, &urgency);
            let remote = before.of(unit as usize).iter().filter(|&&operand| on(operand) != core);
            let needed = remote.map(|&operand| place[operand as usize] + 1).max().unwrap_or(0);
            if needed > state[core].seen {
                let way = self.way(&state[core], 1 - core);
                let other = &state[1 - core].done;
                let mut known = other.partition_point(|&(_, end)| end + way <= time);
                while known > needed && !crosses(other[known - 1].0) {
                    known -= 1;
                }
                let known = known.max(needed);
                let before = state[core].done.len();
                state[core].receives.push((before, known));
                state[core].seen = known;
                time += self.handshake.sides(state[core].listens).receive[core];
                state[core].listens = true;
                state[1 - core].listens = false;
            }
            let end = time + self.cost(core, unit);
            state[core].clock = end;
            place[unit as usize] = state[core].done.len();
            state[core].done.push((unit, end));
            for &next in after.of(unit as usize) {
                let to = on(next);
                let way = if to == core { 0 } else { self.way(&state[to], core) };
                let arrival = end + way;
                let next_there = &mut there[next as usize];
                *next_there = arrival.max(*next_there);
                waits[next as usize] -= 1;
                if waits[next as usize] == 0 {
                    state[to].pending.push((Reverse(*next_there), Reverse(next)));
                }
            }
        }
        let all = state[COPROCESSOR].done.len();
        if all > state[MAIN].seen {
            let last = state[MAIN].done.len();
            state[MAIN].receives.push((last, all));
        }
        Activities::of(&state, helped)
    }

    /// The time from the end of a unit on core `from` until the core `to` can have its values.
    fn way(&self, to: &CoreState, from: usize) -> Ticks {
        self.handshake.sides(to.listens).send[from] + self.handshake.latency
    }

    /// Runs the second pass. Activities on one core follow each other; a receive waits for its
    /// send.
    fn execute<T>(&self, program: &Activities, result: impl FnOnce(Times<'_>) -> T) -> T {
        let mut spans = [0, 1].map(|c: usize| vec![Interval::default(); program.cores[c].len()]);
        let mut sent = vec![NEVER; program.streams.len()];
        let (mut next, mut left) = ([0; 2], [None::<Ticks>; 2]);
        let mut now = 0;
        loop {
            let mut arrival = NEVER;
            for core in 0..2 {
                let Some(&activity) = program.cores[core].get(next[core]) else { continue };
                if left[core].is_some() {
                    continue;
                }
                let work = match activity {
                    Activity::Unit(unit) => self.cost(core, unit),
                    Activity::Send(id) => self.sides(program, id).send[core],
                    Activity::Receive(id) => {
                        let there = sent[id as usize].saturating_add(self.handshake.latency);
                        if there > now {
                            arrival = arrival.min(there);
                            continue;
                        }
                        self.sides(program, id).receive[core]
                    }
                };
                left[core] = Some(work);
                spans[core][next[core]].start = cycles(now);
            }
            let both = left.iter().all(Option::is_some);
            let pace = if both { self.contention } else { ticks(1.0) };
            let lasts = |work: Ticks| scaled(work, pace, ticks(1.0)).1;
            let ends = left.iter().flatten().map(|&work| now + lasts(work));
            let until = ends.min().unwrap_or(NEVER).min(arrival);
            if until == NEVER {
                break;
            }
            let step = until - now;
            now = until;
            for core in 0..2 {
                let Some(work) = &mut left[core] else { continue };
                if lasts(*work) > step {
                    *work -= scaled(step, ticks(1.0), pace).0;
                    continue;
                }
                left[core] = None;
                spans[core][next[core]].end = cycles(now);
                if let Activity::Send(id) = program.cores[core][next[core]] {
                    sent[id as usize] = now;
                }
                next[core] += 1;
            }
        }
        let finished = (0..2).all(|core| next[core] == program.cores[core].len());
        assert!(finished, "a core waits for ever");
        result(Times { program, spans: &spans, end: now })
    }

    fn sides(&self, program: &Activities, handshake: u32) -> &Sides<Ticks> {
        self.handshake.sides(program.streams[handshake as usize])
    }

    fn collect(&self, cores: &[u8], times: Times<'_>) -> Schedule {
        let placement = |(unit, of): (usize, &crate::units::Unit)| Placement {
            unit,
            name: of.name.clone(),
            core: cores[unit].into(),
            stage: None,
            time: Interval::default(),
        };
        let mut placements: Vec<_> = self.units.units.iter().enumerate().map(placement).collect();
        let none = schedule::Handshake {
            from: MAIN,
            send: Interval::default(),
            receive: Interval::default(),
        };
        let mut handshakes = vec![none; times.program.streams.len()];
        for core in 0..2 {
            for (&activity, &span) in times.program.cores[core].iter().zip(&times.spans[core]) {
                match activity {
                    Activity::Unit(unit) => placements[unit as usize].time = span,
                    Activity::Send(id) => {
                        handshakes[id as usize].from = core;
                        handshakes[id as usize].send = span;
                    }
                    Activity::Receive(id) => handshakes[id as usize].receive = span,
                }
            }
        }
        handshakes.sort_by(|a, b| a.send.start.total_cmp(&b.send.start));
        Schedule { placements, handshakes, end: cycles(times.end) }
    }
}

/// The times at which the activities of a program happen.
struct Times<'p> {
    program: &'p Activities,
    spans: &'p [Vec<Interval>; 2],
    end: Ticks,
}

/// `time` · `by` / `over`, rounded down and up.
fn scaled(time: Ticks, by: Ticks, over: Ticks) -> (Ticks, Ticks) {
    if by == over {
        return (time, time);
    }
    let [product, over] = [u128::from(time) * u128::from(by), u128::from(over)];
    ((product / over) as Ticks, product.div_ceil(over) as Ticks)
}

impl CoreState {
    /// The earliest time at which the core can start a unit, as far as is known.
    fn next_start(&self) -> Ticks {
        match (self.ready.is_empty(), self.pending.peek()) {
            (false, _) => self.clock,
            (true, Some((Reverse(there), _))) => self.clock.max(*there),
            (true, None) => NEVER,
        }
    }

    /// The most urgent unit whose operands have arrived at `time`.
    fn take(&mut self, time: Ticks, urgency: &[Ticks]) -> u32 {
        while let Some(&(Reverse(there), Reverse(unit))) = self.pending.peek() {
            if there > time {
                break;
            }
            self.pending.pop();
            self.ready.push((urgency[unit as usize], Reverse(unit)));
        }
        self.ready.pop().expect("a unit can start").1.0
    }
}

impl Activities {
    /// Makes the program of both cores, with a send for every handshake that is received.
    fn of(state: &[CoreState; 2], helped: bool) -> Self {
        let mut program = Self::default();
        if helped {
            program.cores[MAIN].push(Activity::Send(0));
            program.cores[COPROCESSOR].push(Activity::Receive(0));
        }
        let mut handshakes = u32::from(helped);
        // Numbers of the handshakes that each core receives.
        let mut first = [0; 2];
        for core in 0..2 {
            first[core] = handshakes;
            handshakes += state[core].receives.len() as u32;
        }
        for core in 0..2 {
            let activities = &mut program.cores[core];
            let mut receives = (first[core]..).zip(&state[core].receives).peekable();
            let mut sends = (first[1 - core]..).zip(&state[1 - core].receives).peekable();
            for place in 0..=state[core].done.len() {
                while let Some((id, _)) = receives.next_if(|(_, (before, _))| *before == place) {
                    activities.push(Activity::Receive(id));
                }
                if let Some(&(unit, _)) = state[core].done.get(place) {
                    activities.push(Activity::Unit(unit));
                }
                while let Some((id, _)) = sends.next_if(|(_, (_, known))| *known == place + 1) {
                    activities.push(Activity::Send(id));
                }
            }
        }
        program.note_streams(handshakes);
        program
    }

    /// Notes which handshakes stream: those whose receiver has received another one and sent
    /// nothing since.
    fn note_streams(&mut self, handshakes: u32) {
        self.streams = vec![false; handshakes as usize];
        for activities in &self.cores {
            let mut listens = false;
            for &activity in activities {
                match activity {
                    Activity::Unit(_) => {}
                    Activity::Send(_) => listens = false,
                    Activity::Receive(id) => {
                        self.streams[id as usize] = listens;
                        listens = true;
                    }
                }
            }
        }
    }
}
