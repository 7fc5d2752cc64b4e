//! The order of a body's instructions.
//!
//! ```text
//!  instructions ──► clusters   a value that is used once just before its use, or only if it is
//!                              loaded from behind a pointer, or each alone
//!               ──► steps      whole steps of the definition, in an order in which words stay in
//!                              registers from one to the next, if that is a better start
//!               ──► greedy     the cluster that needs the fewest loads, leaves the fewest words,
//!                              by weights that are searched
//!               ──► annealing  clusters moved at random, many thousands of times, each counted in
//!                              part and with an estimate of the frame's places
//!               ──► moves      the same with the whole code and the places that the frame has
//! ```
//!
//! A sum of several limbs is one cluster: between ADD and ADC stand only instructions that keep the
//! carry.

use super::allocate::Facts;
use super::anneal::{anneal, step_by_step};
use super::clusters::{Clusters, Joined};
use super::greedy::TRIED;
use super::random::Random;
use super::ranks::ranks;

/// The number of orders of whole steps that are searched for.
const STARTS: u64 = 2;

/// How many times fewer clocks an order of whole steps must take to be the start.
const FEWER: f64 = 1.05;

/// The largest number of greedy orders with random weights.
const MOST_NEAR: usize = 500;

/// How much worse an order may be at first, on average, to be kept by moves of clusters that are
/// counted in part, in tenths of a clock.
const WARM: f64 = 15.0;

/// The value of [`WARM`] for an order that began as one of whole steps, which more warmth would
/// tear apart.
const COOL: f64 = 4.0;

/// How much worse an order may be at first to be kept by moves that are counted with the whole
/// code, in tenths of a clock.
const TEPID: f64 = 3.0;

/// An order of a body's instructions. Numbers, tables and leaves are not in it.
pub struct Schedule {
    clusters: Clusters,
    order: Vec<usize>,
    random: Random,
    /// Whether it began with an order of whole steps.
    pub is_by_step: bool,
}

impl Schedule {
    /// The best of the greedy orders with fixed weights, and of up to three times `orders` with
    /// weights near the best ones. `cost` is the cost of an order; `registers` is the number of
    /// registers for words.
    pub fn of(
        facts: &Facts<'_>,
        registers: usize,
        orders: usize,
        cost: impl Fn(&[usize]) -> usize,
    ) -> Self {
        let selected = facts.selected();
        let best = |ranks: &[Vec<usize>]| {
            let tried = [Joined::All, Joined::Loads, Joined::Nothing].into_iter().map(|joined| {
                let clusters = Clusters::of(selected, joined);
                let each = TRIED.iter().flat_map(|of| ranks.iter().map(move |rank| (of, rank)));
                let each = each.map(|(weights, ranks)| {
                    let order = clusters.greedy(selected, weights, ranks, registers);
                    (cost(&clusters.insts(&order)), order, *weights, ranks.clone())
                });
                let best = each.min_by_key(|of| of.0).expect("some are tried");
                (best, clusters)
            });
            tried.min_by_key(|(of, _)| of.0).expect("three are tried")
        };
        let mut start = best(&ranks(selected));
        let by_step: Vec<_> =
            (0..STARTS).filter_map(|seed| step_by_step(facts, orders, seed)).collect();
        let mut is_by_step = false;
        if !by_step.is_empty() {
            let other = best(&by_step);
            is_by_step = FEWER * other.0.0 as f64 <= start.0.0 as f64;
            if is_by_step {
                start = other;
            }
        }
        let ((mut least, mut order, mut weights, ranks), clusters) = start;
        // Where many moves follow, a better order is not always a better start. Therefore an odd
        // number of orders turns the random weights off.
        let mut random = Random::new(0x1234_5678_9abc_def1);
        let near = if orders.is_multiple_of(2) { (3 * orders).min(MOST_NEAR) } else { 0 };
        for _ in 0..near {
            let tried = weights.near(&mut random);
            let next = clusters.greedy(selected, &tried, &ranks, registers);
            let takes = cost(&clusters.insts(&next));
            if takes < least {
                (least, order, weights) = (takes, next, tried);
            }
        }
        Self { clusters, order, random, is_by_step }
    }

    /// The instructions in order.
    pub fn insts(&self) -> Vec<usize> {
        self.clusters.insts(&self.order)
    }

    /// Tries `moves` moves of clusters, each of which is counted quickly but not exactly.
    pub fn anneal(&mut self, facts: &Facts<'_>, moves: usize) {
        let Self { clusters, order, random, is_by_step } = self;
        let warm = if *is_by_step { COOL } else { WARM };
        *order = anneal(facts, clusters, order, warm, moves, random);
    }

    /// Tries `moves` moves of a cluster, and keeps those that cost no more, and at first some that
    /// do.
    pub fn improve(&mut self, moves: usize, cost: impl Fn(&[usize]) -> usize) {
        let Self { clusters, order, random, .. } = self;
        let count = order.len();
        if count < 2 {
            return;
        }
        let mut current = cost(&clusters.insts(order));
        let mut best = (current, order.clone());
        let mut at: Vec<usize> = vec![0; count];
        for (place, &cluster) in order.iter().enumerate() {
            at[cluster] = place;
        }
        for step in 0..moves {
            let temperature = TEPID * (1.0 - step as f64 / moves as f64);
            let from = random.below(count);
            let to = clusters.destination(order[from], &at, 4, random);
            if to == from {
                continue;
            }
            shift(order, &mut at, from, to);
            let now = cost(&clusters.insts(order));
            // A worse order is kept now and then, at first more often.
            let most = current as f64 - temperature * random.unit().max(1e-9).ln();
            if now as f64 <= most {
                current = now;
                if now < best.0 {
                    best = (now, order.clone());
                }
            } else {
                shift(order, &mut at, to, from);
            }
        }
        *order = best.1;
    }
}

/// Moves the cluster at one place to another place.
fn shift(order: &mut [usize], at: &mut [usize], from: usize, to: usize) {
    let range = from.min(to)..from.max(to) + 1;
    if from < to {
        order[range.clone()].rotate_left(1);
    } else {
        order[range.clone()].rotate_right(1);
    }
    for place in range {
        at[order[place]] = place;
    }
}
