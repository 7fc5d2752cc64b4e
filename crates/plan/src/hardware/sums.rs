//! Sums of many terms out of adders: in the order of the standard, as a tree balanced by the times
//! at which the terms arrive, or in carry-save form.

use super::Adders;
use super::delay::Ticks;
use super::net::{Cell, Clock, Instant, Net, SignalId};

/// The signal of the sum of `terms`.
pub(super) fn add(net: &mut Net<'_>, adders: Adders, terms: &[SignalId]) -> SignalId {
    match adders {
        Adders::Chain => {
            terms[1..].iter().fold(terms[0], |sum, &term| carry_propagate(net, sum, term))
        }
        Adders::Tree => tree(net, terms),
        Adders::CarrySave => {
            let early = early_additions(net, terms);
            let two = compressed(net, terms, early);
            tree(net, &two)
        }
    }
}

/// Replaces the two earliest terms by their sum until one is left.
fn tree(net: &mut Net<'_>, terms: &[SignalId]) -> SignalId {
    let mut terms = terms.to_vec();
    while terms.len() > 1 {
        sort(net, &mut terms);
        let sum = carry_propagate(net, terms[0], terms[1]);
        terms.splice(..2, [sum]);
    }
    terms[0]
}

/// Sorts terms by their time. Equally early terms stay in the order in which they were made, so
/// that sums with common terms share adders.
fn sort(net: &Net<'_>, terms: &mut [SignalId]) {
    terms.sort_by_key(|&term| (net.end(term).time, term));
}

fn carry_propagate(net: &mut Net<'_>, x: SignalId, y: SignalId) -> SignalId {
    let width = net.width(x);
    let delay = net.model().delay(manylane_graph::Op::Add, width);
    net.cell(Cell::Add, vec![x.min(y), x.max(y)], width, delay)
}

/// Reduces `terms` to two terms of the same sum: `early` carry-propagate additions of the two
/// earliest terms, then 3:2 rows of the three earliest terms, in which the latest term takes the
/// shorter path.
fn compressed(net: &mut Net<'_>, terms: &[SignalId], early: usize) -> Vec<SignalId> {
    let mut terms = terms.to_vec();
    let width = net.width(terms[0]);
    let [first, last] = net.model().compress(width);
    for _ in 0..early {
        sort(net, &mut terms);
        let sum = carry_propagate(net, terms[0], terms[1]);
        terms.splice(..2, [sum]);
    }
    while terms.len() > 2 {
        sort(net, &mut terms);
        let [x, y, z] = [terms[0], terms[1], terms[2]];
        let pair = vec![x.min(y), x.max(y)];
        let half_sum = net.cell(Cell::HalfSum, pair.clone(), width, first);
        let half_carry = net.cell(Cell::HalfCarry, pair, width, first);
        let sum = net.cell(Cell::SumBits, vec![half_sum, z], width, last);
        let carry = net.cell(Cell::CarryBits, vec![half_carry, half_sum, z], width, last);
        terms.splice(..3, [sum, carry]);
    }
    terms
}

/// Number of carry-propagate additions to begin with: the smallest that gives the earliest sum. A
/// term that comes a whole addition later than two others need not pass a 3:2 row.
fn early_additions(net: &Net<'_>, terms: &[SignalId]) -> usize {
    let width = net.width(terms[0]);
    let add = net.model().delay(manylane_graph::Op::Add, width);
    let [first, last] = net.model().compress(width);
    let ends: Vec<Instant> = terms.iter().map(|&term| net.end(term)).collect();
    let mut best = (0, Ticks::MAX);
    for early in 0..terms.len() - 1 {
        let end = sum_end(net.clock(), &ends, early, add, [first, last]);
        if end < best.1 {
            best = (early, end);
        }
    }
    best.0
}

/// The time at which the sum of terms that arrive at `ends` would be ready.
fn sum_end(
    clock: Clock,
    ends: &[Instant],
    early: usize,
    add: Ticks,
    [first, last]: [Ticks; 2],
) -> Ticks {
    let mut ends = ends.to_vec();
    let sort = |ends: &mut [Instant]| ends.sort_by_key(|end| end.time);
    for i in 0..ends.len() {
        sort(&mut ends);
        match ends[..] {
            [end] => return end.time,
            [x, y, ..] if i < early || ends.len() == 2 => {
                let (_, end) = clock.run(x.max(y), add);
                ends.splice(..2, [end]);
            }
            [x, y, z, ..] => {
                let (_, half) = clock.run(x.max(y), first);
                let (_, end) = clock.run(half.max(z), last);
                ends.splice(..3, [end, end]);
            }
            [..] => unreachable!("a sum has terms"),
        }
    }
    ends[0].time
}
