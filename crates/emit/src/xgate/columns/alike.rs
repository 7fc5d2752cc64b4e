//! Whether cells compute the same, and which of their words correspond.
//!
//! This is colour refinement: the number of a node is a hash of its operation at first, and then,
//! in each round of refinement, a hash of its own and its neighbours' numbers. Once all numbers of
//! a cell differ, a node of another cell can correspond only to the node with the same number, and
//! each operation is compared.

use super::cells::Cell;
use crate::xgate::limb::{Id, Limbs, Op};
use std::collections::{HashMap, HashSet};

/// The most rounds of refinement.
const MOST: usize = 64;

/// An operation without its arguments, and whether the order of these counts.
fn kind(op: Op) -> (u64, bool) {
    match op {
        Op::Not(_) => (1, true),
        Op::And(..) => (2, false),
        Op::Or(..) => (3, false),
        Op::Xor(..) => (4, false),
        Op::Choose(..) => (5, true),
        Op::Rotate(_, by) => (0x100 + u64::from(by), true),
        Op::Exchange(_, by) => (0x200 + u64::from(by), true),
        Op::Funnel(_, _, by) => (0x300 + u64::from(by), true),
        Op::Insert(_, _, width, at) => (0x1_0000 + 256 * u64::from(width) + u64::from(at), true),
        Op::Constant(value) => (0x100_0000 + u64::from(value), true),
        _ => (0, true),
    }
}

/// FNV-1a, word by word.
fn hashed(words: impl IntoIterator<Item = u64>) -> u64 {
    words.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, word| {
        let hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        hash ^ hash >> 29
    })
}

/// The numbers of a cell's nodes after some rounds of refinement.
struct Numbered<'c> {
    limbs: &'c Limbs,
    cell: &'c Cell,
    numbers: HashMap<Id, u64>,
    /// For each node its users, each with the place of the argument.
    users: HashMap<Id, Vec<(Id, u64)>>,
}

impl<'c> Numbered<'c> {
    fn of(limbs: &'c Limbs, cell: &'c Cell) -> Self {
        let mut numbers: HashMap<Id, u64> = HashMap::new();
        let mut users: HashMap<Id, Vec<(Id, u64)>> = HashMap::new();
        for &id in &cell.nodes {
            let (number, is_ordered) = kind(limbs.ops[id]);
            numbers.insert(id, hashed([number, u64::from(cell.made.contains(&id))]));
            for (arg, place) in limbs.args(id).into_iter().zip(1..) {
                let place = if is_ordered { place } else { 0 };
                users.entry(arg).or_default().push((id, place));
                if limbs.value(arg).is_some() {
                    numbers.insert(arg, hashed([kind(limbs.ops[arg]).0]));
                }
            }
        }
        numbers.extend(cell.taken.iter().map(|&id| (id, hashed([10]))));
        numbers.extend(cell.constants.iter().map(|&id| (id, hashed([11]))));
        Self { limbs, cell, numbers, users }
    }

    fn is_all_different(&self) -> bool {
        let different: HashSet<u64> = self.numbers.values().copied().collect();
        different.len() == self.numbers.len()
    }

    fn refine(&mut self) {
        let next = self.numbers.iter().map(|(&id, &number)| {
            let is_op = self.cell.nodes.binary_search(&id).is_ok();
            let mut args: Vec<u64> = match is_op {
                true => self.limbs.args(id).iter().map(|arg| self.numbers[arg]).collect(),
                false => Vec::new(),
            };
            if !kind(self.limbs.ops[id]).1 {
                args.sort_unstable();
            }
            let users = self.users.get(&id).into_iter().flatten();
            let mut users: Vec<u64> =
                users.map(|&(user, place)| hashed([self.numbers[&user], place])).collect();
            users.sort_unstable();
            (id, hashed([number].into_iter().chain(args).chain([7]).chain(users)))
        });
        self.numbers = next.collect();
    }
}

/// A numbered cell with which others are compared.
pub struct Model {
    nodes: Vec<Id>,
    refinements: usize,
    by_number: HashMap<u64, Id>,
}

impl Model {
    /// Numbers a cell; `None` if two of its nodes cannot be told apart.
    pub fn of(limbs: &Limbs, cell: &Cell) -> Option<Self> {
        let mut numbered = Numbered::of(limbs, cell);
        let mut refinements = 0;
        while !numbered.is_all_different() {
            if refinements == MOST {
                return None;
            }
            numbered.refine();
            refinements += 1;
        }
        let by_number = numbered.numbers.iter().map(|(&id, &number)| (number, id)).collect();
        Some(Self { nodes: cell.nodes.clone(), refinements, by_number })
    }

    /// For each node of the model the node of another cell that corresponds to it, if the cells
    /// compute the same.
    pub fn matched(&self, limbs: &Limbs, cell: &Cell) -> Option<HashMap<Id, Id>> {
        let mut numbered = Numbered::of(limbs, cell);
        for _ in 0..self.refinements {
            numbered.refine();
        }
        let mut of: HashMap<Id, Id> = HashMap::new();
        for (&id, number) in &numbered.numbers {
            if of.insert(*self.by_number.get(number)?, id).is_some() {
                return None;
            }
        }
        let is_same = |&id: &Id| {
            let Some(&other) = of.get(&id) else { return false };
            let (number, is_ordered) = kind(limbs.ops[id]);
            let mut args: Vec<Option<Id>> =
                limbs.args(id).iter().map(|arg| of.get(arg).copied()).collect();
            let mut others: Vec<Option<Id>> = limbs.args(other).into_iter().map(Some).collect();
            if !is_ordered {
                args.sort_unstable();
                others.sort_unstable();
            }
            (number, args) == (kind(limbs.ops[other]).0, others)
        };
        let are_same = of.len() == self.by_number.len()
            && self.nodes.len() == cell.nodes.len()
            && self.nodes.iter().all(is_same);
        are_same.then_some(of)
    }
}
