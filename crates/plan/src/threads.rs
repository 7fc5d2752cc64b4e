//! Plans for p processors that are equal, or of different speeds in [`unequal`]: a loop whose
//! iterations are shared out before it runs, blocks of a mode of operation, and many messages.
//!
//! ```text
//!  processor 1  first │ iterations w_1 … w_2 ─┐
//!  processor 2  start │ w_2 … w_3 ────────────┤ join ── serial part
//!  processor p  start │ w_p … ────────────────┘
//! ```

mod pairing;
pub mod program;

pub use crate::kinds::PAIRINGS as BUILT_IN;
pub use pairing::{Pairing, Published, Unit};

use manylane_graph::pairing::{Calls, SplitCalls};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A loop that can be entered in the middle, with the work before and after it. All costs have the
/// same unit, such as cycles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SplitLoop {
    /// Number of iterations.
    pub iterations: u64,
    /// Cost of one iteration.
    pub iteration: f64,
    /// The cost of the first processor's work before its iterations.
    pub first: f64,
    /// The cost of every other processor's work before its own iterations, wherever they begin.
    pub start: f64,
    /// The additional cost of a processor's start for each iteration that lies before its own.
    pub start_per_iteration: f64,
    /// The cost of joining the results of two processors.
    pub join: f64,
    /// Whether one processor joins all results, one after the other; otherwise neighbours join
    /// theirs at the same time.
    pub joins_in_turn: bool,
    /// The cost of the work that one processor does afterwards.
    pub serial: f64,
}

/// The iterations of each processor, with the costs and the speedup.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Balance {
    /// Number of processors π.
    pub processors: usize,
    /// w_i: the iteration at which processor i begins; the last entry is the number of iterations.
    pub bounds: Vec<u64>,
    /// c_π(i): the costs of the processors' parts, without processors that have no iterations.
    pub costs: Vec<f64>,
    /// Cost of the whole: the most expensive part, the joins (⌈lg π⌉, or π − 1 in turn) and the
    /// serial part.
    pub total: f64,
    /// Cost on one processor, c_1(1) + serial, divided by `total`.
    pub speedup: f64,
    /// The speedup that no number of processors can pass: that of a loop that takes no time.
    pub limit: f64,
}

impl SplitLoop {
    /// The cost of the whole loop on one processor.
    pub fn alone(&self) -> f64 {
        self.first + self.iterations as f64 * self.iteration + self.serial
    }

    /// c_π(i) of a processor with iterations `from..to`.
    fn cost(&self, from: u64, to: u64) -> f64 {
        let before = if from == 0 {
            self.first
        } else {
            self.start + from as f64 * self.start_per_iteration
        };
        before + (to - from) as f64 * self.iteration
    }

    /// The bounds when no part may cost more than `most`: each processor takes as many iterations
    /// as it can.
    fn bounds(&self, processors: usize, most: f64) -> Vec<u64> {
        let mut bounds = vec![0];
        for i in 0..processors {
            let from = bounds[i];
            // Parts are compared by their cost itself, which a quotient may miss by an iteration.
            let (mut to, mut beyond) = (from, self.iterations + 1);
            while beyond - to > 1 {
                let middle = to.midpoint(beyond);
                if self.cost(from, middle) <= most { to = middle } else { beyond = middle }
            }
            bounds.push(to);
        }
        bounds
    }

    /// The partition that makes the most expensive part as cheap as possible: c_π(1) = c_π(i) as
    /// nearly as whole iterations allow, by bisection on that cost.
    ///
    /// # Panics
    /// If `processors` is zero.
    pub fn balance(&self, processors: usize) -> Balance {
        assert!(processors > 0, "somebody must do the work");
        let (mut low, mut high) = (0.0, self.cost(0, self.iterations));
        // Fifty halvings leave less than one part in 10^15.
        for _ in 0..50 {
            let middle = (low + high) / 2.0;
            let reached = self.bounds(processors, middle)[processors];
            if reached == self.iterations { high = middle } else { low = middle }
        }
        let bounds = self.bounds(processors, high);
        // A processor without iterations does not take part.
        let parts = bounds.windows(2).filter(|part| part[0] < part[1]);
        let costs: Vec<f64> = parts.map(|part| self.cost(part[0], part[1])).collect();
        let parts = costs.len().max(1) as f64;
        let joins = if self.joins_in_turn { parts - 1.0 } else { parts.log2().ceil() };
        let joins = joins * self.join;
        let dearest = costs.iter().copied().fold(self.first.min(high), f64::max);
        let total = dearest + joins + self.serial;
        Balance {
            processors,
            bounds,
            costs,
            total,
            speedup: self.alone() / total,
            limit: self.alone() / (self.first + self.serial),
        }
    }
}

/// Costs of operations in the field of a pairing, in cycles or nanoseconds ([`Unit`]): of one
/// element, or of as many as an [`Executor`] computes side by side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldCosts {
    /// Squaring.
    pub square: f64,
    /// Square root.
    pub square_root: f64,
    /// Multiplication.
    pub multiply: f64,
    /// x^(2^w) or its inverse for one fixed w: a linear map, by table.
    pub power: f64,
}

impl FieldCosts {
    /// The cost of these calls, none of them an inversion. Sums are not counted.
    fn of(&self, calls: &Calls) -> f64 {
        calls.multiply as f64 * self.multiply
            + calls.square as f64 * self.square
            + calls.square_root as f64 * self.square_root
            + calls.frobenius as f64 * self.power
    }
}

/// The η_T pairing over F_2^m as a loop of (m − 1)/2 iterations, each of which computes a factor of
/// the Miller value; factor 0 is computed before them. The calls of field operations are counted in
/// the graph of the pairing's definition.
///
/// As in Algorithm 6 of the paper that [`manylane_graph::pairing`] follows, the first factor of a
/// later part costs as much as any other, though the value before it is 1. `whole` is the cost of
/// the pairing on one processor; what remains of it beside the factors is the serial part, the
/// final exponentiation.
pub fn eta_t(m: u64, costs: &FieldCosts, whole: f64) -> SplitLoop {
    let calls = SplitCalls::eta1223();
    let iterations = m.div_ceil(2) - 1;
    let (first, iteration) = (costs.of(&calls.first), costs.of(&calls.factor));
    SplitLoop {
        iterations,
        iteration,
        first,
        start: costs.of(&calls.start),
        start_per_iteration: 0.0,
        join: costs.of(&calls.join),
        joins_in_turn: false,
        serial: whole - first - iterations as f64 * iteration,
    }
}

/// The costs of a pairing as the engines of this project run it, the serial part included.
///
/// ```text
/// processor 1   root ──┬─ coordinates, factors, `lanes` at a time ─┐ products of the parts,
/// processor p          └─ handoff, power, coordinates, factors ────┴ final exponentiation
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Executor {
    /// Elements side by side, whose costs together are those of [`FieldCosts`].
    pub lanes: u64,
    /// A multiplication of one element alone.
    pub multiply_one: f64,
    /// The work before the parts: a power of P.
    pub root: f64,
    /// The cost of one more part besides its factors: the powers that it starts from, the products
    /// that it ends with, and the product that joins it to another part.
    pub part: f64,
    /// The final exponentiation.
    pub finish: f64,
    /// The time in which points or a value go from one processor to another.
    pub handoff: f64,
}

/// The η_T pairing over F_2^m on such an executor: a loop of the (m + 1)/2 factors, `lanes` of them
/// in each iteration. The cost of the loop is `whole` less the work before and after the parts, and
/// less the cost of one part besides its factors and its join.
pub fn eta_t_in_lanes(m: u64, executor: &Executor, whole: f64) -> SplitLoop {
    let Executor { lanes, multiply_one, root, part, finish, handoff } = *executor;
    let iterations = m.div_ceil(2).div_ceil(lanes);
    let product = SplitCalls::eta1223().join.multiply as f64 * multiply_one;
    let (serial, first) = (root + finish, (part - product).max(0.0));
    SplitLoop {
        iterations,
        iteration: (whole - serial - first) / iterations as f64,
        first,
        start: handoff + first,
        start_per_iteration: 0.0,
        join: handoff + product,
        joins_in_turn: true,
        serial,
    }
}

/// A mode of operation of a block cipher, in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Electronic codebook, either way.
    Ecb,
    /// Counter mode, either way.
    Ctr,
    /// Cipher block chaining, encryption: each block waits for the one before it.
    CbcEncryption,
    /// Cipher block chaining, decryption: the blocks before are there from the beginning.
    CbcDecryption,
}

manylane_primitives::names! { Mode:
    /// Its name on the command line.
    Ecb "ecb", Ctr "ctr", CbcEncryption "cbc-encryption", CbcDecryption "cbc-decryption",
}

impl Mode {
    /// Whether a block needs no other block's result.
    pub fn is_parallel(self) -> bool {
        match self {
            Self::Ecb | Self::Ctr | Self::CbcDecryption => true,
            Self::CbcEncryption => false,
        }
    }
}

/// A plan for independent pieces of work on p processors.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Batch {
    /// Number of processors.
    pub processors: usize,
    /// Cost of all pieces on one processor.
    pub work: f64,
    /// When the last processor is done, the cost of starting and joining them included.
    pub total: f64,
    /// Work over total.
    pub speedup: f64,
    /// The largest possible speedup; on equal processors it is work / max(work/p, the most
    /// expensive piece).
    pub limit: f64,
    /// Number of pieces of each processor in a plan by [`unequal`]; empty in others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<u64>,
    /// For each processor, the numbers of its pieces; pieces of a [`cipher`] are blocks.
    #[serde(skip)]
    pub parts: Vec<Vec<Range<u64>>>,
}

/// Plans independent pieces of the costs `pieces`: the most expensive piece first, each on the
/// processor that is free first (at most 4/3 − 1/(3p) times the optimum: Graham 1969). `fork_join`
/// is what starting and joining more than one processor costs.
///
/// # Panics
/// If `processors` is zero.
pub fn batch(pieces: &[f64], processors: usize, fork_join: f64) -> Batch {
    assert!(processors > 0, "somebody must do the work");
    let mut sorted: Vec<usize> = (0..pieces.len()).collect();
    sorted.sort_by(|&a, &b| pieces[b].total_cmp(&pieces[a]));
    let mut busy = vec![0.0_f64; processors];
    let mut parts = vec![Vec::new(); processors];
    for &piece in &sorted {
        let free = (0..processors).min_by(|&a, &b| busy[a].total_cmp(&busy[b])).expect("p > 0");
        busy[free] += pieces[piece];
        parts[free].push(piece as u64);
    }
    let work: f64 = sorted.iter().map(|&piece| pieces[piece]).sum();
    let dearest = sorted.first().map_or(0.0, |&piece| pieces[piece]);
    let last = busy.into_iter().fold(0.0, f64::max);
    let shared = if processors > 1 { last + fork_join } else { last };
    // If sharing takes longer than one processor alone, one processor does all.
    let total = shared.min(work);
    let parts = match shared < work {
        true => parts.into_iter().map(ranges).collect(),
        false => alone(pieces.len() as u64, processors),
    };
    let ratio = |time: f64| if time > 0.0 { work / time } else { 1.0 };
    Batch {
        parts,
        processors,
        work,
        total,
        speedup: ratio(total),
        limit: ratio(dearest.max(work / processors as f64)),
        shares: Vec::new(),
    }
}

/// Pieces as ranges, in ascending order.
fn ranges(mut pieces: Vec<u64>) -> Vec<Range<u64>> {
    pieces.sort_unstable();
    let runs = pieces.chunk_by(|a, b| a + 1 == *b);
    runs.map(|run| run[0]..run[0] + run.len() as u64).collect()
}

/// The part of a processor that does these pieces: no range if there are none.
fn part(pieces: Range<u64>) -> Vec<Range<u64>> {
    if pieces.is_empty() { Vec::new() } else { vec![pieces] }
}

/// Shares of pieces, one after the other.
fn in_order(shares: &[u64]) -> Vec<Vec<Range<u64>>> {
    let mut next = 0;
    let range = |&share: &u64| {
        let range = next..next + share;
        next = range.end;
        part(range)
    };
    shares.iter().map(range).collect()
}

/// All pieces on the first of `processors` processors.
fn alone(pieces: u64, processors: usize) -> Vec<Vec<Range<u64>>> {
    let mut shares = vec![0; processors];
    shares[0] = pieces;
    in_order(&shares)
}

/// `pieces` pieces on processors of which each takes its own time for one, the first of them the
/// one that the work is on. If the pieces are `parallel`, they are shared out so that the last
/// processor ends as early as whole pieces allow; otherwise one processor does all.
///
/// # Panics
/// If there is no processor or a piece takes no time.
pub fn unequal(pieces: u64, times: &[f64], fork_join: f64, parallel: bool) -> Batch {
    assert!(times.iter().all(|&time| time > 0.0) && !times.is_empty(), "somebody must work");
    let work = pieces as f64 * times[0];
    let rate: f64 = times.iter().map(|time| 1.0 / time).sum();
    let fastest = times.iter().copied().fold(f64::INFINITY, f64::min);
    let mut shares = vec![0; times.len()];
    if parallel {
        // With shares rounded down each processor ends in time; each remaining piece goes to the
        // processor that ends first with it.
        let even = pieces as f64 / rate;
        for (share, time) in shares.iter_mut().zip(times) {
            *share = ((even / time) as u64).min(pieces);
        }
        while shares.iter().sum::<u64>() > pieces {
            *shares.iter_mut().max().expect("there are processors") -= 1;
        }
        for _ in shares.iter().sum()..pieces {
            let end = |i: &usize| (shares[*i] + 1) as f64 * times[*i];
            let first = (0..times.len()).min_by(|a, b| end(a).total_cmp(&end(b)));
            shares[first.expect("there are processors")] += 1;
        }
    } else {
        shares[times.iter().position(|&time| time == fastest).expect("one is the fastest")] =
            pieces;
    }
    let ends = shares.iter().zip(times).map(|(&share, time)| share as f64 * time);
    let help = shares[1..].iter().any(|&share| share > 0);
    let mut total = ends.fold(0.0, f64::max) + if help { fork_join } else { 0.0 };
    if total >= work {
        // If sharing takes longer than one processor alone, one processor does all.
        total = work;
        shares.fill(0);
        shares[0] = pieces;
    }
    let least = if parallel { fastest.max(pieces as f64 / rate) } else { pieces as f64 * fastest };
    let ratio = |time: f64| if time > 0.0 { work / time } else { 1.0 };
    Batch {
        processors: times.len(),
        work,
        total,
        speedup: ratio(total),
        limit: ratio(if pieces > 0 { least } else { 0.0 }),
        parts: in_order(&shares),
        shares,
    }
}

/// `blocks` blocks of a block cipher under one key in `mode`, each of cost `block`.
pub fn cipher(mode: Mode, blocks: u64, block: f64, processors: usize, fork_join: f64) -> Batch {
    let mut shares = vec![0; processors];
    shares[0] = blocks;
    if mode.is_parallel() {
        let (each, more) = (blocks / processors as u64, blocks % processors as u64);
        shares = (0..processors as u64).map(|i| each + u64::from(i < more)).collect();
    }
    let costs: Vec<f64> = shares.iter().map(|&share| share as f64 * block).collect();
    let batch = batch(&costs, processors, fork_join);
    let is_shared = batch.parts.iter().filter(|part| !part.is_empty()).count() > 1;
    Batch { parts: if is_shared { in_order(&shares) } else { alone(blocks, processors) }, ..batch }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn core2_45nm() -> SplitLoop {
        Pairing::load("core2-45nm").unwrap().split_loop()
    }

    /// The paper measured 1 to 4 processors of the older machine and estimated more; its estimates
    /// grow more slowly than its costs let expect.
    #[test]
    fn the_older_machines_speedups_follow_from_its_operation_costs() {
        let pairing = Pairing::load("core2-65nm").unwrap();
        let measured: Vec<_> = pairing.published.iter().filter(|p| !p.estimated).collect();
        assert_eq!(measured.iter().map(|p| p.processors).collect::<Vec<_>>(), [1, 2, 4]);
        for published in measured {
            let ours = pairing.split_loop().balance(published.processors).speedup;
            let off = ours / published.speedup - 1.0;
            assert!(off.abs() < 0.05, "{published:?}: {ours:.2}");
        }
    }

    #[test]
    fn the_papers_speedups_follow_from_its_operation_costs() {
        assert_eq!(core2_45nm().iterations, 611);
        let published = Pairing::load("core2-45nm").unwrap().published;
        let speedups: Vec<_> = published.iter().map(|p| (p.processors, p.speedup)).collect();
        assert_eq!(speedups[1..], [(2, 1.86), (4, 3.42), (8, 5.76), (16, 8.57), (32, 10.74)]);
        for (processors, speedup) in speedups {
            let ours = core2_45nm().balance(processors).speedup;
            let off = ours / speedup - 1.0;
            assert!(off.abs() < 0.05, "{processors}: {ours:.2}, paper {speedup}");
        }
    }

    /// 612 factors, four at a time. Joining in turn takes longer than joining neighbours at the
    /// same time.
    #[test]
    fn lanes_make_fewer_iterations() {
        let executor = Executor {
            lanes: 4,
            multiply_one: 40.0,
            root: 900.0,
            part: 2760.0,
            finish: 4100.0,
            handoff: 50.0,
        };
        let whole = 5000.0 + 2400.0 + 153.0 * 700.0;
        let shared = eta_t_in_lanes(1223, &executor, whole);
        assert_eq!((shared.iterations, shared.iteration, shared.serial), (153, 700.0, 5000.0));
        assert_eq!(shared.alone(), whole);
        let balance = shared.balance(4);
        assert_eq!(balance.bounds, [0, 39, 77, 115, 153]);
        assert_eq!(balance.total, 2400.0 + 39.0 * 700.0 + 3.0 * 410.0 + 5000.0);
        let by_pairs = SplitLoop { joins_in_turn: false, ..shared };
        assert_eq!(by_pairs.balance(4).total, balance.total - 410.0);
        // One lane, and a part that costs no more than its join.
        let alone = Executor { lanes: 1, part: 100.0, ..executor };
        let alone = eta_t_in_lanes(1223, &alone, whole);
        assert_eq!((alone.iterations, alone.first), (612, 0.0));
        assert!((alone.alone() - whole).abs() < 1e-6);
    }

    /// c_π(1) = c_π(i), but for one iteration.
    #[test]
    fn parts_cost_the_same() {
        let mut pairing = core2_45nm();
        for start_per_iteration in [0.0, 496.0] {
            pairing.start_per_iteration = start_per_iteration;
            for processors in 1..40 {
                let balance = pairing.balance(processors);
                assert_eq!((balance.bounds[0], balance.bounds[processors]), (0, 611));
                let dearest = balance.costs.iter().copied().fold(0.0, f64::max);
                // A processor that begins later has fewer iterations, so the shares are not equal.
                let last = balance.costs.len() - 1;
                for cost in &balance.costs[..last] {
                    assert!(dearest - cost <= pairing.iteration, "{processors}");
                }
            }
        }
    }

    #[test]
    fn one_processor_gains_nothing() {
        let pairing = core2_45nm();
        assert!((pairing.balance(1).speedup - 1.0).abs() < 1e-12);
        assert_eq!(batch(&[3.0, 4.0], 1, 100.0).speedup, 1.0);
    }

    /// No partition of few iterations is better: all are tried.
    #[test]
    fn the_partition_is_the_best_one() {
        let small = SplitLoop {
            iterations: 9,
            iteration: 10.0,
            first: 7.0,
            start: 3.0,
            start_per_iteration: 4.0,
            join: 0.0,
            joins_in_turn: false,
            serial: 0.0,
        };
        let best = (0..=9)
            .flat_map(|a| (a..=9).map(move |b| [(0, a), (a, b), (b, 9)]))
            .map(|parts| {
                let taken = parts.iter().filter(|(from, to)| from < to);
                taken.map(|&(from, to)| small.cost(from, to)).fold(7.0, f64::max)
            })
            .fold(f64::MAX, f64::min);
        assert_eq!(small.balance(3).total, best);
    }

    #[test]
    fn unequal_processors_have_unequal_shares() {
        let batch = unequal(100, &[4.0, 1.0], 2.0, true);
        assert_eq!((&batch.shares[..], batch.total), (&[20, 80][..], 82.0));
        assert_eq!((batch.work, batch.limit), (400.0, 5.0));
        // Pieces that follow each other all go to the faster processor.
        let serial = unequal(10, &[4.0, 1.0], 2.0, false);
        assert_eq!((&serial.shares[..], serial.total, serial.limit), (&[0, 10][..], 12.0, 4.0));
        let slow = unequal(10, &[1.0, 4.0], 2.0, false);
        assert_eq!((&slow.shares[..], slow.total), (&[10, 0][..], 10.0));
        // The start costs more than it gains.
        assert_eq!(unequal(2, &[1.0, 1.0], 5.0, true).shares, [2, 0]);
        // No other shares end earlier.
        for pieces in 0..30 {
            let best = unequal(pieces, &[7.0, 3.0, 5.0], 0.0, true);
            assert_eq!(best.shares.iter().sum::<u64>(), pieces);
            let all = (0..=pieces).flat_map(|a| (0..=pieces - a).map(move |b| (a, b)));
            let ends = all.map(|(a, b)| {
                (7.0 * a as f64).max(3.0 * b as f64).max(5.0 * (pieces - a - b) as f64)
            });
            assert_eq!(best.total, ends.fold(f64::INFINITY, f64::min), "{pieces}");
        }
    }

    #[test]
    fn modes_and_batches() {
        assert_eq!(cipher(Mode::Ctr, 9, 10.0, 2, 0.0).speedup, 1.8);
        assert_eq!(cipher(Mode::CbcEncryption, 9, 10.0, 2, 0.0).speedup, 1.0);
        assert_eq!(cipher(Mode::CbcDecryption, 8, 10.0, 4, 0.0).speedup, 4.0);
        assert_eq!(cipher(Mode::Ecb, 2, 10.0, 4, 5.0).total, 15.0);
        // The start costs more than it gains: one processor does it alone.
        assert_eq!(cipher(Mode::Ecb, 2, 10.0, 2, 50.0).speedup, 1.0);
        let ragged = batch(&[8.0, 1.0, 1.0], 2, 0.0);
        assert_eq!((ragged.total, ragged.limit), (8.0, 1.25));
        assert_eq!(batch(&[], 3, 1.0).speedup, 1.0);
    }
}
