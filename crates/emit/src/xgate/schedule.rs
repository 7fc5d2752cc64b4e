//! The order of a body's instructions.
//!
//! Greedy: of the instructions whose arguments are computed, the one that needs the fewest loads and
//! leaves the fewest words live comes next. The registers are modelled roughly; the allocator then
//! does exactly what can be done with the order, and the best of several weights is kept.

use super::select::{Kind, Selected};
use std::collections::HashMap;

/// What counts in the choice of the next instruction.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// An argument that is not in a register.
    pub load: f64,
    /// A word more that is live, or fewer.
    pub live: f64,
    /// To depart from the order of the definition, over the whole body.
    pub order: f64,
    /// Arguments that were used a while ago.
    pub age: f64,
}

/// Weights that are tried.
pub const TRIED: [Weights; 8] = [
    Weights { load: 0.0, live: 0.0, order: 1.0, age: 0.0 },
    Weights { load: 1.0, live: 1.0, order: 8.0, age: 0.0 },
    Weights { load: 1.0, live: 0.5, order: 30.0, age: 0.1 },
    Weights { load: 1.0, live: 2.0, order: 30.0, age: 0.1 },
    Weights { load: 1.0, live: 1.0, order: 100.0, age: 0.1 },
    Weights { load: 1.0, live: 2.0, order: 100.0, age: 0.2 },
    Weights { load: 1.0, live: 1.0, order: 300.0, age: 0.1 },
    Weights { load: 1.0, live: 0.3, order: 1000.0, age: 0.1 },
];

/// Instructions in an order in which they can be executed, without those that are given.
pub fn scheduled(selected: &Selected, weights: &Weights, registers: usize) -> Vec<usize> {
    let insts = &selected.insts;
    // Units: an instruction, or all of a chain of carries.
    let mut unit_of: Vec<usize> = vec![usize::MAX; insts.len()];
    let mut units: Vec<Vec<usize>> = Vec::new();
    let mut chained: HashMap<usize, usize> = HashMap::new();
    for (i, inst) in insts.iter().enumerate() {
        if inst.kind.is_given() {
            continue;
        }
        let unit = match inst.follows.and_then(|before| chained.get(&before)) {
            Some(&unit) => unit,
            None => {
                units.push(Vec::new());
                units.len() - 1
            }
        };
        units[unit].push(i);
        chained.insert(i, unit);
        unit_of[i] = unit;
    }
    let mut left: Vec<usize> = vec![0; insts.len()];
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); units.len()];
    let mut waits: Vec<usize> = vec![0; units.len()];
    for (u, unit) in units.iter().enumerate() {
        let mut before: Vec<usize> = Vec::new();
        for &i in unit {
            for &arg in &insts[i].args {
                left[arg] += 1;
                let of = unit_of[arg];
                if of != usize::MAX && of != u && !before.contains(&of) {
                    before.push(of);
                }
            }
        }
        waits[u] = before.len();
        for of in before {
            users[of].push(u);
        }
    }
    for &output in &selected.outputs {
        left[output] += 0;
    }
    let mut ready: Vec<usize> = (0..units.len()).filter(|&u| waits[u] == 0).collect();
    let mut model = Model { held: Vec::new(), most: registers };
    let mut order: Vec<usize> = Vec::with_capacity(insts.len());
    let count = units.len() as f64;
    while !ready.is_empty() {
        let score = |&u: &usize| -> f64 {
            let mut score = weights.order * u as f64 / count;
            let mut seen: [usize; 16] = [usize::MAX; 16];
            let mut kept = 0;
            for &i in &units[u] {
                if !matches!(insts[i].kind, Kind::Store(_)) {
                    score += weights.live;
                }
                for &arg in &insts[i].args {
                    if seen[..kept].contains(&arg) {
                        continue;
                    }
                    if kept < seen.len() {
                        seen[kept] = arg;
                        kept += 1;
                    }
                    match model.age(arg) {
                        Some(age) => {
                            score += weights.age * age as f64;
                            if left[arg] == 1 {
                                score -= weights.live;
                            }
                        }
                        None => {
                            let small = matches!(insts[arg].kind, Kind::Number(0..=255));
                            score += weights.load * if small { 0.5 } else { 1.0 };
                        }
                    }
                }
            }
            score
        };
        let best = (0..ready.len())
            .min_by(|&a, &b| {
                score(&ready[a]).total_cmp(&score(&ready[b])).then(ready[a].cmp(&ready[b]))
            })
            .expect("one is ready");
        let unit = ready.swap_remove(best);
        for &i in &units[unit] {
            for &arg in &insts[i].args {
                model.touch(arg);
                left[arg] -= 1;
                if left[arg] == 0 {
                    model.forget(arg);
                }
            }
            if left[i] > 0 {
                model.touch(i);
            }
            order.push(i);
        }
        for &user in &users[unit] {
            waits[user] -= 1;
            if waits[user] == 0 {
                ready.push(user);
            }
        }
    }
    order
}

/// Registers as a list of the words used last, the latest at the end.
struct Model {
    held: Vec<usize>,
    most: usize,
}

impl Model {
    fn age(&self, id: usize) -> Option<usize> {
        self.held.iter().rev().position(|&held| held == id)
    }

    fn forget(&mut self, id: usize) {
        self.held.retain(|&held| held != id);
    }

    fn touch(&mut self, id: usize) {
        self.forget(id);
        self.held.push(id);
        if self.held.len() > self.most {
            self.held.remove(0);
        }
    }
}
