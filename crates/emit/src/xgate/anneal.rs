//! Simulated annealing of the order of clusters: many moves, each of which is counted quickly.

use super::allocate::{Facts, Trial};
use super::clusters::Clusters;
use super::random::Random;

/// How much worse an order of whole steps may be at first, on average, to be kept, in tenths of a
/// clock: each step takes many.
const WARM_STEPS: f64 = 100.0;

/// The number of moves of whole steps for each order of instructions that is tried.
const STEP_MOVES: usize = 20;

/// One move in `RUNS` exchanges two runs of clusters: a round of some words saves nothing until all
/// of it has moved.
const RUNS: usize = 4;

/// Number of moves after which the whole order is counted again, because the quick counts drift.
const REFRESH: usize = 4000;

/// The ranks of instructions in an order of whole steps, which is searched by simulated annealing
/// too: a word that one step makes and the next one takes then stays in registers. `orders` is the
/// effort, `seed` tells searches apart. `None` if two steps need each other.
pub fn step_by_step(facts: &Facts<'_>, orders: usize, seed: u64) -> Option<Vec<usize>> {
    let selected = facts.selected();
    let (clusters, order) = Clusters::of_steps(selected)?;
    let mut random = Random::new(0x1234_5678_9abc_def1 ^ seed << 8);
    let order = anneal(facts, &clusters, &order, WARM_STEPS, STEP_MOVES * orders, &mut random);
    let mut ranks = vec![0; selected.insts.len()];
    for (rank, i) in clusters.insts(&order).into_iter().enumerate() {
        ranks[i] = rank;
    }
    Some(ranks)
}

/// Moves clusters `moves` times, and returns the best order. An order that is worse is kept now and
/// then, at first if it is worse by `warm` tenths of a clock, on average. Each order is counted
/// quickly but not exactly.
pub fn anneal(
    facts: &Facts<'_>,
    clusters: &Clusters,
    order: &[usize],
    warm: f64,
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
        let temperature = warm * (1.0 - step as f64 / moves as f64);
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
