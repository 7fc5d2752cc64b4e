//! Branch and bound over all assignments of few units, with a bound that holds for every order.
//!
//! Units get their cores one by one. The time of every completion is bounded from below by the
//! critical path, by the work as if it could be divided at will, and on each core by the preemptive
//! schedule, which may interrupt a unit for a more urgent one. The bound charges every crossing
//! value the cheapest handshake as a delay. The simulator, which judges the assignments that are
//! found, also charges the time that cores spend on handshakes, so the proof may leave a gap even
//! where the search was complete.

use super::limit::part;
use super::simulate::Machine;
use crate::platform::{COPROCESSOR, MAIN, Sides};
use crate::time::{NEVER, Ticks, cycles};
use serde::Serialize;
use std::collections::BinaryHeap;

/// The most units that a search is tried for.
pub const MOST_UNITS: usize = 120;

/// The result that a search proved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Proof {
    /// Cycles that no split of the units goes below, with handshakes charged.
    pub lower: f64,
    /// Whether the best candidate takes exactly this time.
    pub optimal: bool,
    /// How many partial assignments were bounded.
    pub nodes: usize,
}

/// Searches from an assignment that is known, for at most `nodes` bounds. Returns the best one, and
/// what is proved about it.
pub(super) fn search(machine: &Machine<'_>, known: &[u8], nodes: usize) -> (Vec<u8>, Proof) {
    let count = machine.units.len();
    let turn = [MAIN, COPROCESSOR].map(|to| machine.handshake.delay(to));
    let delay = [MAIN, COPROCESSOR].map(|to| {
        let least = |sides: &Sides<Ticks>| sides.send[1 - to] + sides.receive[to];
        let sides = least(machine.handshake.sides(true)).min(least(machine.handshake.sides(false)));
        sides + machine.handshake.latency
    });
    let mut search = BranchAndBound {
        machine,
        delay,
        start: turn[COPROCESSOR],
        by_advantage: machine.costs.by_advantage(),
        cores: vec![None; count],
        best: known.to_vec(),
        best_end: machine.end(known),
        lower: NEVER,
        left: nodes,
    };
    let root = search.bound();
    search.branch(0, root);
    let lower = search.lower.min(search.best_end);
    let optimal = lower == search.best_end;
    let nodes = nodes - search.left;
    (search.best, Proof { lower: cycles(lower), optimal, nodes })
}

struct BranchAndBound<'m> {
    machine: &'m Machine<'m>,
    /// For each receiving core, the least time from the end of a unit on the other core to the
    /// start of a unit on this one.
    delay: [Ticks; 2],
    /// The time at which the coprocessor can start.
    start: Ticks,
    /// The units by the coprocessor's advantage, the largest first.
    by_advantage: Vec<usize>,
    cores: Vec<Option<u8>>,
    best: Vec<u8>,
    best_end: Ticks,
    /// The least bound of the branches that were not searched further.
    lower: Ticks,
    left: usize,
}

impl BranchAndBound<'_> {
    /// Decides the cores of units from `unit` on; `bound` is the bound for the units decided
    /// before.
    fn branch(&mut self, unit: usize, bound: Ticks) {
        if bound >= self.best_end {
            return;
        }
        if unit == self.cores.len() {
            let cores: Vec<u8> = self.cores.iter().flatten().copied().collect();
            let end = self.machine.end(&cores);
            if end < self.best_end {
                (self.best, self.best_end) = (cores, end);
            }
            if bound < end {
                self.lower = self.lower.min(bound);
            }
            return;
        }
        if self.left < 2 {
            self.lower = self.lower.min(bound);
            return;
        }
        self.left -= 2;
        let known = self.best[unit];
        let mut choices = [known, 1 - known].map(|core| {
            self.cores[unit] = Some(core);
            (bound.max(self.bound()), core)
        });
        if choices[1].0 < choices[0].0 {
            choices.swap(0, 1);
        }
        for (bound, core) in choices {
            self.cores[unit] = Some(core);
            self.branch(unit + 1, bound);
        }
        self.cores[unit] = None;
    }

    fn cost(&self, unit: usize) -> Ticks {
        let [main, coprocessor] = &self.machine.costs.ticks;
        match self.cores[unit] {
            Some(core) => self.machine.costs.ticks[usize::from(core)][unit],
            None => main[unit].min(coprocessor[unit]),
        }
    }

    /// The least time that a value takes from one unit to another.
    fn way(&self, from: usize, to: usize) -> Ticks {
        match (self.cores[from], self.cores[to]) {
            (Some(from), Some(to)) if from != to => self.delay[usize::from(to)],
            _ => 0,
        }
    }

    /// A lower bound on the time of every way of deciding the rest.
    fn bound(&self) -> Ticks {
        let units = self.machine.units;
        let count = units.len();
        let on_coprocessor = |unit: usize| self.cores[unit] == Some(COPROCESSOR as u8);
        let (mut head, mut tail): (Vec<Ticks>, Vec<Ticks>) = (vec![0; count], vec![0; count]);
        for unit in 0..count {
            let ends = units.before.of(unit).iter().map(|&operand| {
                let operand = operand as usize;
                head[operand] + self.cost(operand) + self.way(operand, unit)
            });
            let started = if on_coprocessor(unit) { self.start } else { 0 };
            head[unit] = ends.fold(started, Ticks::max);
        }
        for unit in (0..count).rev() {
            let rest = units.after.of(unit).iter().map(|&next| {
                let next = next as usize;
                self.way(unit, next) + self.cost(next) + tail[next]
            });
            let back = if on_coprocessor(unit) { self.delay[MAIN] } else { 0 };
            tail[unit] = rest.fold(back, Ticks::max);
        }
        let path = (0..count).map(|unit| head[unit] + self.cost(unit) + tail[unit]);
        let path = path.max().unwrap_or(0);
        let one_core = [MAIN, COPROCESSOR].map(|core| self.one_core(core, &head, &tail));
        path.max(self.divided()).max(one_core[0]).max(one_core[1])
    }

    /// The end of the preemptive schedule of the units decided for a core: each unit runs after its
    /// head and before its tail, the longest tail first, interrupted for a longer one.
    fn one_core(&self, core: usize, head: &[Ticks], tail: &[Ticks]) -> Ticks {
        let mut units: Vec<usize> =
            (0..head.len()).filter(|&unit| self.cores[unit] == Some(core as u8)).collect();
        units.sort_by_key(|&unit| head[unit]);
        let mut ready: BinaryHeap<(Ticks, usize)> = BinaryHeap::new();
        let mut left: Vec<Ticks> = (0..head.len()).map(|unit| self.cost(unit)).collect();
        let (mut now, mut bound, mut next): (Ticks, Ticks, usize) = (0, 0, 0);
        loop {
            while next < units.len() && head[units[next]] <= now {
                ready.push((tail[units[next]], units[next]));
                next += 1;
            }
            let coming = units.get(next).map_or(NEVER, |&unit| head[unit]);
            let Some(&(_, unit)) = ready.peek() else {
                if coming == NEVER {
                    return bound;
                }
                now = coming;
                continue;
            };
            if now + left[unit] <= coming {
                now += left[unit];
                bound = bound.max(now + tail[unit]);
                ready.pop();
            } else {
                left[unit] -= coming - now;
                now = coming;
            }
        }
    }

    /// The time of the work if the undecided units are divided at will.
    fn divided(&self) -> Ticks {
        let [main, coprocessor] = &self.machine.costs.ticks;
        let mut work: [Ticks; 2] = [0; 2];
        for unit in 0..self.cores.len() {
            // Undecided units begin on the main core.
            let core = self.cores[unit].map_or(MAIN, usize::from);
            work[core] += self.machine.costs.ticks[core][unit];
        }
        if work[COPROCESSOR] > 0 {
            work[COPROCESSOR] += self.start + self.delay[MAIN];
        }
        for &unit in self.by_advantage.iter().filter(|&&unit| self.cores[unit].is_none()) {
            if work[COPROCESSOR] + coprocessor[unit] >= work[MAIN] - main[unit] {
                // The part x of this unit goes to the coprocessor for which work[MAIN] − x·main =
                // work[COPROCESSOR] + x·coprocessor, if there is one.
                let more = work[MAIN].saturating_sub(work[COPROCESSOR]);
                work[MAIN] -= part(main[unit], more, main[unit] + coprocessor[unit]);
                break;
            }
            work[MAIN] -= main[unit];
            work[COPROCESSOR] += coprocessor[unit];
        }
        work[MAIN].max(work[COPROCESSOR])
    }
}
