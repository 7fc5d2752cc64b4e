//! Simulated annealing of the order of clusters: many moves, each of which is counted quickly.

use super::allocate::{Facts, Trial};
use super::random::Random;
use super::schedule::{Clusters, Schedule};

/// How much worse an order may be, on average, to be kept at first, in tenths of a clock.
const WARM: f64 = 15.0;

/// One move in `RUNS` exchanges two runs of clusters: a round of some words saves nothing until all
/// of it has moved.
const RUNS: usize = 4;

/// Number of moves after which the whole order is counted again, because the quick counts drift.
const REFRESH: usize = 4000;

impl Schedule {
    /// Tries `moves` moves of clusters, each of which is counted quickly but not exactly.
    pub fn anneal(&mut self, facts: &Facts<'_>, moves: usize) {
        let Self { clusters, order, random } = self;
        *order = anneal(facts, clusters, order, moves, random);
    }
}

/// Moves clusters `moves` times, and returns the best order.
fn anneal(
    facts: &Facts<'_>,
    clusters: &Clusters,
    order: &[usize],
    moves: usize,
    random: &mut Random,
) -> Vec<usize> {
    let count = order.len();
    let mut order = order.to_vec();
    if count < 2 {
        return order;
    }
    let insts = |cluster: usize| clusters.members[cluster].iter().copied();
    let all: Vec<usize> = order.iter().flat_map(|&cluster| insts(cluster)).collect();
    let mut trial = Trial::of(facts, &all);
    let mut best = (trial.clocks(), order.clone());
    let mut at: Vec<usize> = vec![0; count];
    // The position in the order of instructions at which each cluster begins, by place.
    let mut begin: Vec<usize> = vec![0; count + 1];
    for (place, &cluster) in order.iter().enumerate() {
        at[cluster] = place;
        begin[place + 1] = begin[place] + clusters.members[cluster].len();
    }
    for step in 0..moves {
        if step % REFRESH == REFRESH - 1 {
            trial.refresh();
        }
        let temperature = WARM * (1.0 - step as f64 / moves as f64);
        let from = random.below(count);
        let (range, by) = if random.below(RUNS) == 0 {
            clusters.exchange(&order, &at, from, random)
        } else {
            let to = clusters.destination(order[from], &at, 8, random);
            let range = from.min(to)..from.max(to) + 1;
            let by = if from < to { 1 } else { range.len() - 1 };
            (range, by)
        };
        let luck = random.unit();
        if range.len() < 2 {
            continue;
        }
        let mut shift = |trial: &mut Trial<'_>, by: usize| {
            order[range.clone()].rotate_left(by);
            for place in range.clone() {
                let cluster = order[place];
                at[cluster] = place;
                begin[place + 1] = begin[place] + clusters.members[cluster].len();
            }
            trial.change(
                begin[range.start],
                order[range.clone()].iter().flat_map(|&cluster| insts(cluster)),
            );
            (begin[range.start], begin[range.end] - 1)
        };
        let (first, last) = shift(&mut trial, by);
        // A worse order is kept now and then, at first more often.
        let most = f64::from(trial.clocks()) - temperature * luck.max(1e-9).ln();
        if trial.counted(first, last, most as u32) <= most as u32 {
            if trial.clocks() < best.0 {
                best = (trial.clocks(), order.clone());
            }
        } else {
            shift(&mut trial, range.len() - by);
        }
    }
    best.1
}
