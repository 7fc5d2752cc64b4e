//! Branch and bound over all assignments of few units, with a bound that holds for every order.
//!
//! Units get their cores one by one. What is left to choose is bounded from below by the dearest
//! path, by the work that can be divided at will, and on each core by the schedule that may
//! interrupt a unit for a more urgent one. The bound charges every crossing value the cheapest
//! handshake as a delay; the simulator, which judges what is found, charges the cores' time too. So
//! the proof may leave a gap where the search was complete.

use super::simulate::Machine;
use crate::platform::{COPROCESSOR, MAIN};
use serde::Serialize;
use std::collections::BinaryHeap;

/// The most units that a search is tried for.
pub const MOST_UNITS: usize = 120;

/// What a search proved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Proof {
    /// No split of the units is faster than this, handshakes charged; cycles.
    pub lower: f64,
    /// Whether the best candidate is as fast.
    pub optimal: bool,
    /// How many partial assignments were bounded.
    pub nodes: usize,
}

/// Bounds differ from sums of the same numbers in another order by rounding.
const ROUNDING: f64 = 1e-6;

/// Searches from an assignment that is known, for at most `nodes` bounds. Returns the best one, and
/// what is proved about it.
pub(super) fn search(machine: &Machine<'_>, known: &[u8], nodes: usize) -> (Vec<u8>, Proof) {
    let count = machine.units.len();
    let turn = [MAIN, COPROCESSOR].map(|to| machine.handshake.delay(to));
    let delay = [MAIN, COPROCESSOR].map(|to| {
        let least = |sides: &crate::platform::Sides| sides.send[1 - to] + sides.receive[to];
        let sides = least(machine.handshake.sides(true)).min(least(machine.handshake.sides(false)));
        sides + machine.handshake.latency
    });
    let mut by_ratio: Vec<usize> = (0..count).collect();
    let [main, coprocessor] = &machine.costs.cycles;
    by_ratio.sort_by(|&a, &b| {
        (main[b] * coprocessor[a]).total_cmp(&(main[a] * coprocessor[b])).then(a.cmp(&b))
    });
    let mut search = Search {
        machine,
        delay,
        start: turn[COPROCESSOR],
        by_ratio,
        cores: vec![None; count],
        best: known.to_vec(),
        best_cycles: machine.cycles(known),
        lower: f64::INFINITY,
        left: nodes,
    };
    let root = search.bound();
    search.branch(0, root);
    let lower = search.lower.min(search.best_cycles);
    let optimal = lower >= search.best_cycles - ROUNDING;
    let nodes = nodes - search.left;
    (search.best, Proof { lower, optimal, nodes })
}

struct Search<'m> {
    machine: &'m Machine<'m>,
    /// The least from the end of a unit to the start of one on the other core, by that core.
    delay: [f64; 2],
    /// When the coprocessor can start.
    start: f64,
    /// Units by how much better the coprocessor is at them, the best first.
    by_ratio: Vec<usize>,
    cores: Vec<Option<u8>>,
    best: Vec<u8>,
    best_cycles: f64,
    /// The least bound of what was not looked into further.
    lower: f64,
    left: usize,
}

impl Search<'_> {
    /// Decides units from `unit` on; `bound` holds for what is decided before.
    fn branch(&mut self, unit: usize, bound: f64) {
        if bound >= self.best_cycles - ROUNDING {
            return;
        }
        if unit == self.cores.len() {
            let cores: Vec<u8> = self.cores.iter().flatten().copied().collect();
            let cycles = self.machine.cycles(&cores);
            if cycles < self.best_cycles {
                (self.best, self.best_cycles) = (cores, cycles);
            }
            if bound < cycles - ROUNDING {
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

    fn cost(&self, unit: usize) -> f64 {
        let [main, coprocessor] = &self.machine.costs.cycles;
        match self.cores[unit] {
            Some(core) => self.machine.costs.cycles[usize::from(core)][unit],
            None => main[unit].min(coprocessor[unit]),
        }
    }

    /// What a value takes between two units.
    fn way(&self, from: usize, to: usize) -> f64 {
        match (self.cores[from], self.cores[to]) {
            (Some(from), Some(to)) if from != to => self.delay[usize::from(to)],
            _ => 0.0,
        }
    }

    /// What every way of deciding the rest takes at least.
    fn bound(&self) -> f64 {
        let units = self.machine.units;
        let count = units.len();
        let on_coprocessor = |unit: usize| self.cores[unit] == Some(COPROCESSOR as u8);
        let (mut head, mut tail) = (vec![0.0f64; count], vec![0.0f64; count]);
        for unit in 0..count {
            let ends = units.before.of(unit).iter().map(|&operand| {
                let operand = operand as usize;
                head[operand] + self.cost(operand) + self.way(operand, unit)
            });
            let started = if on_coprocessor(unit) { self.start } else { 0.0 };
            head[unit] = ends.fold(started, f64::max);
        }
        for unit in (0..count).rev() {
            let rest = units.after.of(unit).iter().map(|&next| {
                let next = next as usize;
                self.way(unit, next) + self.cost(next) + tail[next]
            });
            let back = if on_coprocessor(unit) { self.delay[MAIN] } else { 0.0 };
            tail[unit] = rest.fold(back, f64::max);
        }
        let path = (0..count).map(|unit| head[unit] + self.cost(unit) + tail[unit]);
        let path = path.fold(0.0, f64::max);
        let one_core = [MAIN, COPROCESSOR].map(|core| self.one_core(core, &head, &tail));
        path.max(self.divided()).max(one_core[0]).max(one_core[1])
    }

    /// The units decided for a core, each after its head and before its tail, the longest tail
    /// first, interrupted for a longer one.
    fn one_core(&self, core: usize, head: &[f64], tail: &[f64]) -> f64 {
        let mut units: Vec<usize> =
            (0..head.len()).filter(|&unit| self.cores[unit] == Some(core as u8)).collect();
        units.sort_by(|&a, &b| head[a].total_cmp(&head[b]));
        // Tails are at least 0, so that their bits are in their order.
        let mut ready: BinaryHeap<(u64, usize)> = BinaryHeap::new();
        let mut left: Vec<f64> = (0..head.len()).map(|unit| self.cost(unit)).collect();
        let (mut now, mut bound, mut next) = (0.0f64, 0.0f64, 0);
        loop {
            while next < units.len() && head[units[next]] <= now {
                ready.push((tail[units[next]].to_bits(), units[next]));
                next += 1;
            }
            let coming = units.get(next).map_or(f64::INFINITY, |&unit| head[unit]);
            let Some(&(_, unit)) = ready.peek() else {
                if coming.is_infinite() {
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

    /// What is decided, and the rest divided at will.
    fn divided(&self) -> f64 {
        let [main, coprocessor] = &self.machine.costs.cycles;
        let mut work = [0.0; 2];
        for unit in 0..self.cores.len() {
            // The undecided begin on the main core.
            let core = self.cores[unit].map_or(MAIN, usize::from);
            work[core] += self.machine.costs.cycles[core][unit];
        }
        if work[COPROCESSOR] > 0.0 {
            work[COPROCESSOR] += self.start + self.delay[MAIN];
        }
        for &unit in self.by_ratio.iter().filter(|&&unit| self.cores[unit].is_none()) {
            if work[COPROCESSOR] + coprocessor[unit] >= work[MAIN] - main[unit] {
                let both = main[unit] + coprocessor[unit];
                let part = (work[MAIN] - work[COPROCESSOR]) / both;
                let part = if both > 0.0 { part.clamp(0.0, 1.0) } else { 0.0 };
                work[MAIN] -= part * main[unit];
                work[COPROCESSOR] += part * coprocessor[unit];
                break;
            }
            work[MAIN] -= main[unit];
            work[COPROCESSOR] += coprocessor[unit];
        }
        work[MAIN].max(work[COPROCESSOR])
    }
}
