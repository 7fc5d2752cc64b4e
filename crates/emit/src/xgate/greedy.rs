//! An order of clusters that is put together one by one: the next cluster is always the one that
//! needs the fewest loads and leaves the fewest words, by weights.

use super::clusters::Clusters;
use super::random::Random;
use super::select::{InstKind, Selected};

/// The weights in the choice of the next cluster.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// The weight of an argument that is not in a register.
    pub load: f64,
    /// The weight of one word that becomes live, or ceases to be.
    pub live: f64,
    /// The weight of a departure from the order of `ranks` over the whole body.
    pub order: f64,
    /// The weight of the age of arguments that are in registers.
    pub age: f64,
}

impl Weights {
    /// Random weights near these.
    pub fn near(&self, random: &mut Random) -> Self {
        let mut near = |weight: f64| weight * (2.0 * SPREAD * (random.unit() - 0.5)).exp();
        Self {
            load: near(self.load),
            live: near(self.live),
            order: near(self.order),
            age: near(self.age),
        }
    }
}

/// The weights that are tried first.
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
/// How far a random weight may be from the one that it is near, as the logarithm of their ratio.
const SPREAD: f64 = 0.8;

impl Clusters {
    /// The order in which each next cluster has the best score by the weights. `ranks` has the
    /// place of each instruction in the order from which departures have a weight.
    pub fn greedy(
        &self,
        selected: &Selected,
        weights: &Weights,
        ranks: &[usize],
        registers: usize,
    ) -> Vec<usize> {
        let insts = &selected.insts;
        let count = self.members.len();
        let rank: Vec<f64> = self
            .members
            .iter()
            .map(|members| ranks[*members.last().expect("no cluster is empty")] as f64)
            .map(|rank| rank / insts.len() as f64)
            .collect();
        // The values that each cluster takes from outside, each once; and how many clusters take
        // each value.
        let mut left: Vec<usize> = vec![0; insts.len()];
        let takes: Vec<Vec<usize>> = self
            .members
            .iter()
            .map(|members| {
                let mut takes: Vec<usize> = members
                    .iter()
                    .flat_map(|&i| insts[i].args.iter().copied())
                    .filter(|arg| !members.contains(arg))
                    .collect();
                takes.sort_unstable();
                takes.dedup();
                takes
            })
            .collect();
        for take in takes.iter().flatten() {
            left[*take] += 1;
        }
        let results: Vec<usize> = self
            .members
            .iter()
            .map(|members| members.iter().filter(|&&i| left[i] > 0).count())
            .collect();
        let mut waits: Vec<usize> = self.before.iter().map(Vec::len).collect();
        let mut ready: Vec<usize> = (0..count).filter(|&c| waits[c] == 0).collect();
        let mut model = Model { held: Vec::new(), most: registers };
        let mut order: Vec<usize> = Vec::with_capacity(count);
        while !ready.is_empty() {
            let score = |c: usize| -> f64 {
                let mut score = weights.order * rank[c];
                score += weights.live * results[c] as f64;
                for &take in &takes[c] {
                    match model.age(take) {
                        Some(age) => {
                            score += weights.age * age as f64;
                            if left[take] == 1 {
                                score -= weights.live;
                            }
                        }
                        None => {
                            let small = matches!(insts[take].kind, InstKind::Number(0..=255));
                            score += weights.load * if small { 0.5 } else { 1.0 };
                        }
                    }
                }
                score
            };
            let best = (0..ready.len())
                .map(|place| (score(ready[place]), ready[place], place))
                .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
                .expect("one is ready");
            let cluster = ready.swap_remove(best.2);
            for &take in &takes[cluster] {
                model.touch(take);
                left[take] -= 1;
                if left[take] == 0 {
                    model.forget(take);
                }
            }
            for &i in self.members[cluster].iter().filter(|&&i| left[i] > 0) {
                model.touch(i);
            }
            order.push(cluster);
            for &after in &self.after[cluster] {
                waits[after] -= 1;
                if waits[after] == 0 {
                    ready.push(after);
                }
            }
        }
        order
    }
}

/// A model of the registers: the words used last, the latest at the end.
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
