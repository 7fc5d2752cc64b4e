//! Decides which words are held complemented.
//!
//! XGATE has XNOR and no XOR. A register therefore holds a word or its complement, and most
//! operations have a form for either: ~a & ~b = ~(a | b), ~a - b = ~(a + b), ~b - ~a = a - b. Where
//! the forms do not match, a complement costs one instruction. The search starts with the
//! polarities that cost each node nothing, in order. Then it flips single words, or all limbs of a
//! group, to need few complements, with exceptions that become rarer (simulated annealing).

use super::limb::{Chained, Group, Id, Limbs, Op, Within};
use super::random::Random;
use std::collections::BTreeSet;

/// Number of flips that are tried for each word and each order of instructions, and the largest
/// number of orders that counts.
const STEPS: usize = 15;
const MOST: usize = 300;

/// How many complements more polarities may need, on average, to be kept at first.
const WARM: f64 = 0.6;

/// The polarities that are given: words in memory are not complemented, those of tables may be.
pub struct Fixed<'f> {
    /// For each place whether the word may be complemented.
    pub is_free: &'f [bool],
    /// Nodes that are stored, each with the leaf whose polarity it must share. A node without a
    /// leaf must not be complemented.
    pub outputs: &'f [(Id, Option<Id>)],
    /// The effort of the search, in orders of instructions.
    pub effort: usize,
}

/// For each node whether its register holds the complement.
pub fn polarities(limbs: &Limbs, fixed: &Fixed<'_>) -> Vec<bool> {
    let outputs: Vec<Id> = fixed.outputs.iter().map(|&(output, _)| output).collect();
    let (needed, _) = limbs.needed(&outputs);
    let mut search = Search { limbs, fixed, held: vec![false; limbs.ops.len()] };
    for id in (0..limbs.ops.len()).filter(|&id| needed[id]) {
        search.held[id] = search.natural(id);
    }
    let mut users: Vec<Vec<Id>> = vec![Vec::new(); limbs.ops.len()];
    let mut groups: Vec<Vec<Id>> = vec![Vec::new(); limbs.groups.len()];
    for id in (0..limbs.ops.len()).filter(|&id| needed[id]) {
        if let Op::Limb(group, _) = limbs.ops[id] {
            groups[group].push(id);
        }
        for arg in limbs.args(id) {
            users[arg].push(id);
        }
    }
    // Both bytes of a word that is put together share one polarity.
    let mut other: Vec<Option<Id>> = vec![None; limbs.ops.len()];
    for id in (0..limbs.ops.len()).filter(|&id| needed[id]) {
        if let Op::Joined(half, ..) = limbs.ops[id] {
            (other[id], other[half]) = (Some(half), Some(id));
        }
    }
    let mut ties: Vec<Vec<usize>> = vec![Vec::new(); limbs.ops.len()];
    for (tie, &(output, leaf)) in fixed.outputs.iter().enumerate() {
        for id in leaf.into_iter().chain([output]) {
            ties[id].push(tie);
        }
    }
    // Random flips at a falling temperature. The seed is fixed, so that every run writes the same
    // text.
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let movable: Vec<Id> =
        (0..limbs.ops.len()).filter(|&id| needed[id] && search.is_movable(id)).collect();
    if movable.is_empty() {
        return search.held;
    }
    let moves: Vec<Move> = movable
        .iter()
        .map(|&id| {
            let flipped: Vec<Id> = match limbs.ops[id] {
                Op::Limb(group, _) => groups[group].clone(),
                _ => [id].into_iter().chain(other[id]).collect(),
            };
            let of_all = |of: &[Vec<usize>]| -> Vec<usize> {
                let all: BTreeSet<usize> = flipped.iter().flat_map(|&id| of[id].clone()).collect();
                all.into_iter().collect()
            };
            let mut near: BTreeSet<Id> =
                of_all(&users).into_iter().chain(flipped.clone()).collect();
            // The cost of a group is that of its lowest limb.
            let lowest = near.iter().filter_map(|&id| match limbs.ops[id] {
                Op::Limb(group, _) => groups[group].first().copied(),
                _ => None,
            });
            near.extend(lowest.collect::<Vec<_>>());
            let near = near.into_iter().collect();
            Move { near, tied: of_all(&ties), flipped }
        })
        .collect();
    let mut best = (search.total(&needed), search.held.clone());
    let mut total = best.0 as i64;
    let steps = STEPS * (60 + fixed.effort).min(MOST) * movable.len().min(6000);
    for step in 0..steps {
        let temperature = WARM * (1.0 - step as f64 / steps as f64);
        let Move { flipped, near, tied } = &moves[random.below(moves.len())];
        let cost = |search: &Search<'_>| -> i64 {
            let nodes = near.iter().map(|&id| search.cost(id));
            let ties = tied.iter().map(|&tie| search.tie(tie));
            (nodes.sum::<usize>() + ties.sum::<usize>()) as i64
        };
        let before = cost(&search);
        search.flip(flipped);
        let change = cost(&search) - before;
        let allowed = change <= 0
            || temperature > 0.05 && random.unit() < (-(change as f64) / temperature).exp();
        if !allowed {
            search.flip(flipped);
            continue;
        }
        total += change;
        if total < best.0 as i64 {
            best = (total as usize, search.held.clone());
        }
        if best.0 == 0 {
            break;
        }
    }
    best.1
}

/// Words that are flipped together.
struct Move {
    flipped: Vec<Id>,
    /// The nodes whose costs change: the flipped nodes and their users.
    near: Vec<Id>,
    /// The numbers of the outputs whose costs change.
    tied: Vec<usize>,
}

struct Search<'s> {
    limbs: &'s Limbs,
    fixed: &'s Fixed<'s>,
    held: Vec<bool>,
}

impl Search<'_> {
    fn flip(&mut self, flipped: &[Id]) {
        for &id in flipped {
            self.held[id] = !self.held[id];
        }
    }

    fn is_constant(&self, id: Id) -> bool {
        self.limbs.value(id).is_some()
    }

    /// Whether a node's polarity can be chosen at all.
    fn is_movable(&self, id: Id) -> bool {
        match self.limbs.ops[id] {
            Op::Constant(_) => false,
            Op::Leaf(place) => self.fixed.is_free[place],
            Op::Load(..) | Op::Substitute(..) | Op::Entry(..) => false,
            _ => true,
        }
    }

    /// The polarity that costs nothing beyond the cost of the arguments.
    fn natural(&self, id: Id) -> bool {
        let held = |id: Id| self.held[id];
        match self.limbs.ops[id] {
            Op::Constant(_)
            | Op::Leaf(_)
            | Op::Load(..)
            | Op::Substitute(..)
            | Op::Entry(..)
            | Op::Pack(..) => false,
            Op::Not(a) => !held(a),
            Op::And(a, b) | Op::Or(a, b) => held(if self.is_constant(a) { b } else { a }),
            Op::Xor(a, b) if self.is_constant(a) => held(b),
            Op::Xor(a, b) if self.is_constant(b) => held(a),
            Op::Xor(a, b) => !(held(a) ^ held(b)),
            Op::Choose(x, y, z) => !(held(self.base(x, y, z)) ^ self.difference(y, z)),
            Op::Funnel(high, low, _) => {
                !self.is_constant(high) && !self.is_constant(low) && held(low)
            }
            Op::ShiftBy(..) | Op::Field(..) => false,
            Op::Rotate(a, _)
            | Op::Exchange(a, _)
            | Op::RotateBy(a, _)
            | Op::Insert(a, ..)
            | Op::Half(a, ..)
            | Op::Joined(a, ..) => held(a),
            // All limbs of a group share one polarity.
            Op::Limb(group, _) => self.group_cost(group, true) < self.group_cost(group, false),
        }
    }

    /// Whether XNOR of the two words of a choice gives the complement of their difference.
    fn difference(&self, y: Id, z: Id) -> bool {
        !(self.held[y] ^ self.held[z])
    }

    /// The word of a choice to which the masked difference is added.
    fn base(&self, x: Id, y: Id, z: Id) -> Id {
        if self.held[x] == self.difference(y, z) { z } else { y }
    }

    /// The number of complements that a node needs.
    fn cost(&self, id: Id) -> usize {
        let held = |id: Id| self.held[id];
        let not = |is: bool| usize::from(is);
        match self.limbs.ops[id] {
            Op::Constant(_) | Op::Leaf(_) => 0,
            Op::Load(a, ..) => not(held(a)),
            Op::Substitute(a, _) | Op::Entry(a, ..) => not(held(a)),
            Op::Pack(..) => not(held(id)),
            Op::ShiftBy(a, by) => {
                not(held(id)) + not(held(by)) + not(!self.is_constant(a) && held(a))
            }
            Op::Field(a, ..) => not(held(a)) + not(held(id)),
            Op::RotateBy(_, by) => not(held(by)) + not(held(id) != self.natural(id)),
            Op::And(a, b) | Op::Or(a, b) if !self.is_constant(a) && !self.is_constant(b) => {
                if held(a) == held(b) { not(held(id) != held(a)) } else { 1 }
            }
            Op::Limb(group, 0) => self.group_cost(group, held(id)),
            Op::Limb(..) => 0,
            Op::Joined(_, b, _) => not(held(id) != held(b)),
            Op::Funnel(high, low, _) if self.is_constant(high) => not(held(low)) + not(held(id)),
            Op::Funnel(high, low, _) if self.is_constant(low) => not(held(high)) + not(held(id)),
            Op::Xor(a, b) if self.is_constant(a) || self.is_constant(b) => 0,
            Op::Not(_)
            | Op::And(..)
            | Op::Or(..)
            | Op::Xor(..)
            | Op::Choose(..)
            | Op::Funnel(..)
            | Op::Rotate(..)
            | Op::Exchange(..)
            | Op::Half(..)
            | Op::Insert(..) => not(held(id) != self.natural(id)),
        }
    }

    fn group_cost(&self, group: usize, held: bool) -> usize {
        let of = &self.limbs.groups[group];
        forms(of, held)
            .map(|InstructionForm { first, second, .. }| {
                let wrong = |id: Id, is: bool| !self.is_constant(id) && self.held[id] != is;
                let limbs = of.limbs.iter();
                limbs
                    .map(|&(a, b)| usize::from(wrong(a, first)) + usize::from(wrong(b, second)))
                    .sum()
            })
            .min()
            .expect("every polarity has a form")
    }

    fn tie(&self, tie: usize) -> usize {
        let (output, leaf) = self.fixed.outputs[tie];
        usize::from(
            !self.is_constant(output)
                && self.held[output] != leaf.is_some_and(|leaf| self.held[leaf]),
        )
    }

    fn total(&self, needed: &[bool]) -> usize {
        let nodes = (0..self.held.len()).filter(|&id| needed[id]).map(|id| self.cost(id));
        let ties = (0..self.fixed.outputs.len()).map(|tie| self.tie(tie));
        nodes.sum::<usize>() + ties.sum::<usize>()
    }
}

/// The instruction that computes an operation on words of certain polarities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionForm {
    /// Whether the first word is complemented.
    pub first: bool,
    /// Whether the second word is complemented.
    pub second: bool,
    /// Whether the instruction adds, else it subtracts.
    pub adds: bool,
    /// Whether the words are exchanged.
    pub swaps: bool,
    /// The number by which the result is too great, 0 or 1.
    pub more: u16,
}

/// The forms of an operation whose result is complemented or not.
///
/// ```text
///   a + b    a, b: add       ~a, b: subtract, result complemented    a, ~b: ~b - a, complemented
///            in a sum with a constant, one more than it should be:
///            ~a, b: b - ~a   a, ~b: a - ~b                           ~a, ~b: add, complemented
///   a - b    a, b: subtract  ~a, b: add, result complemented         ~a, ~b: ~b - ~a
/// ```
///
/// A rotated word has the polarity of the word.
pub fn forms(of: &Group, result: bool) -> impl Iterator<Item = InstructionForm> {
    let form = |first, second, adds, swaps, more| {
        Some(InstructionForm { first, second, adds, swaps, more })
    };
    let add = |first, second, more| form(first, second, true, false, more);
    let subtract = |first, second, swaps, more| form(first, second, false, swaps, more);
    let is_alone = of.within == Within::Alone;
    let forms = match (of.chained, result) {
        (Chained::Sum, false) if is_alone => [add(false, false, 0), None, None],
        (Chained::Sum, false) => {
            let minus = [subtract(true, false, true, 1), subtract(false, true, false, 1)];
            [add(false, false, 0), minus[0], minus[1]]
        }
        // ~a - b or ~b - a is ~(a + b).
        (Chained::Sum, true) => {
            let both = add(true, true, 1).filter(|_| !is_alone);
            [subtract(false, true, true, 0), subtract(true, false, false, 0), both]
        }
        (Chained::Difference, false) => {
            [subtract(false, false, false, 0), subtract(true, true, true, 0), None]
        }
        // ~a + b is ~(a - b).
        (Chained::Difference, true) => [add(true, false, 0), None, None],
        (Chained::Left | Chained::Right, is) => [subtract(is, is, false, 0), None, None],
    };
    forms.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two limbs of 4 bits are added or subtracted with the carry handed on, for all words of 8
    /// bits. The identities hold for limbs of any width.
    #[test]
    fn sums_have_forms_in_either_polarity() {
        let chain = |adds: bool, a: u8, b: u8| -> u8 {
            let limb = |a: u8, b: u8, carry: u8| match adds {
                true => ((a + b + carry) & 15, (a + b + carry) >> 4),
                false => (a.wrapping_sub(b).wrapping_sub(carry) & 15, u8::from(a < b + carry)),
            };
            let (low, carry) = limb(a & 15, b & 15, 0);
            low | limb(a >> 4, b >> 4, carry).0 << 4
        };
        let held = |is: bool, word: u8| if is { !word } else { word };
        let mut tried = 0;
        let sums = [Within::Alone, Within::Sum(0)].map(|within| (Chained::Sum, within));
        for (chained, within) in sums.into_iter().chain([(Chained::Difference, Within::Alone)]) {
            let of = Group { chained, limbs: Vec::new(), within };
            let both =
                [false, true].into_iter().flat_map(|is| forms(&of, is).map(move |f| (is, f)));
            for (result, InstructionForm { first, second, adds, swaps, more }) in both {
                for (a, b) in (0..=255).flat_map(|a| (0..=255).map(move |b| (a, b))) {
                    let expected = match chained {
                        Chained::Sum => u8::wrapping_add(a, b),
                        _ => u8::wrapping_sub(a, b),
                    };
                    let expected = expected.wrapping_add(more as u8);
                    let (x, y) = (held(first, a), held(second, b));
                    let made = if swaps { chain(adds, y, x) } else { chain(adds, x, y) };
                    assert_eq!(
                        made,
                        held(result, expected),
                        "{chained:?} {within:?} {result} {first} {second}, {a} {b}"
                    );
                }
                tried += 1;
            }
        }
        assert_eq!(tried, 3 + 6 + 3);
    }

    /// Logic works on each bit apart, so that words with all combinations of three bits are all
    /// cases.
    #[test]
    fn logic_has_forms_in_either_polarity() {
        let [x, y, z] = [0xf0_u8, 0xcc, 0xaa];
        let xnor = |a: u8, b: u8| !(a ^ b);
        assert_eq!((!x | !y, !x & !y), (!(x & y), !(x | y)));
        let held = |is: bool, word: u8| if is { !word } else { word };
        for bits in 0..8 {
            let [p, q, r] = [1, 2, 4].map(|bit| bits & bit != 0);
            let (a, b, c) = (held(p, x), held(q, y), held(r, z));
            assert_eq!(xnor(a, b), held(!(p ^ q), x ^ y));
            // The choice as it is selected: the XNOR of both words is masked by the chooser and
            // added to one of them.
            let difference = !(q ^ r);
            let masked = if difference { a | xnor(b, c) } else { a & xnor(b, c) };
            let (base, is) = if p == difference { (c, r) } else { (b, q) };
            assert_eq!(xnor(base, masked), held(!(is ^ difference), x & y | !x & z));
        }
    }
}
