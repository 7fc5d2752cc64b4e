//! The nodes of a body, divided by its rounds, and those of each round into connected parts.

use crate::xgate::limb::{Id, Limbs, Op};
use crate::xgate::lookup::Lookups;
use crate::xgate::lower::lower;
use crate::xgate::places::limbs as limbs_of;
use manylane_graph::roll::Source;
use manylane_plan::program::Program;
use manylane_plan::program::reads::Known;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The source of a limb that flows into an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// An output of the iteration before, and the number of its limb.
    Word(usize, usize),
    /// An input of the body that is another constant in each iteration, and the number of its limb.
    Constant(usize, usize),
}

/// An operation on one word behind the part that is the same in all rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// The complement.
    Not,
    /// Rotation left.
    Rotate(u8),
    /// Neighbouring fields of this many bits change places.
    Exchange(u8),
}

/// A connected part of a round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Its operations, in order, without those in `tails`.
    pub nodes: Vec<Id>,
    /// The words that it takes from the round before.
    pub taken: Vec<Id>,
    /// The limbs of constants that it takes, each of them a leaf.
    pub constants: Vec<Id>,
    /// The words that it computes for the next round.
    pub made: Vec<Id>,
    /// For each of these words the operations that follow, in order.
    pub tails: Vec<Vec<UnaryOp>>,
    /// For each of these words the word that the next round takes: the result of its tail.
    pub given: Vec<Id>,
}

/// A body as cells.
pub struct Cells {
    /// All nodes.
    pub limbs: Limbs,
    /// The leaves, by number.
    pub leaves: Vec<Leaf>,
    /// For each node that is the limb of an output, the output and the number of the limb.
    pub results: BTreeMap<Id, (usize, usize)>,
    /// The cells of each round.
    pub rounds: Vec<Vec<Cell>>,
}

impl Cells {
    /// The cells of a region that does nothing but bitwise operations on what the iteration before
    /// computed, and on constants; `None` of any other.
    pub fn of(program: &Program, region: usize) -> Option<Self> {
        let of = &program.rolled.regions[region];
        let (mut limbs, mut leaves) = (Limbs::default(), Vec::new());
        let is_constant = |value| matches!(program.known(value), Known::Constant(..));
        let mut words: Vec<Vec<Id>> = Vec::new();
        for (i, (input, source)) in of.body.inputs().iter().zip(&of.sources).enumerate() {
            let count = limbs_of(of.body.width(input.node));
            let leaf = |limb: usize| match source {
                Source::Earlier { output, distance: 1, .. } => Some(Leaf::Word(*output, limb)),
                Source::Each(values) if values.iter().all(|&value| is_constant(value)) => {
                    Some(Leaf::Constant(i, limb))
                }
                Source::Same(_) | Source::Each(_) | Source::Earlier { .. } => None,
            };
            let mut word = Vec::new();
            for limb in 0..count {
                let leaf = leaf(limb)?;
                let known = leaves.iter().position(|&known| known == leaf);
                let number = known.unwrap_or_else(|| {
                    leaves.push(leaf);
                    leaves.len() - 1
                });
                word.push(limbs.leaf(number));
            }
            words.push(word);
        }
        let outputs = lower(&of.body, &words, &Lookups::default(), &mut limbs).ok()?;
        let (limbs, outputs) = decided(&limbs, &outputs)?;
        let each = outputs.iter().enumerate();
        let results = each.flat_map(|(output, word)| {
            word.iter().enumerate().map(move |(limb, &id)| (id, (output, limb)))
        });
        let results: BTreeMap<Id, (usize, usize)> = results.collect();
        let count = leaves.iter().filter(|of| matches!(of, Leaf::Word(..))).count();
        if results.len() != count || outputs.iter().flatten().count() != count {
            return None;
        }
        let mut cells = Self { limbs, leaves, results, rounds: Vec::new() };
        cells.part(&|step| {
            let (body, id) = (&of.body, manylane_graph::StepId(step as u32));
            body.path(id).first().map(|outermost| outermost.index())
        })?;
        Some(cells)
    }

    /// Finds the cells; `outermost` is the outermost step around a step.
    fn part(&mut self, outermost: &dyn Fn(usize) -> Option<usize>) -> Option<()> {
        let ends: Vec<Id> = self.results.keys().copied().collect();
        let (needed, _) = self.limbs.needed(&ends);
        let mut rounds: BTreeMap<usize, Vec<Id>> = BTreeMap::new();
        let mut round_of: HashMap<Id, usize> = HashMap::new();
        for id in (0..needed.len()).filter(|&id| needed[id]) {
            match self.limbs.ops[id] {
                Op::Constant(_) | Op::Leaf(_) => continue,
                _ => {}
            }
            let round = outermost(self.limbs.steps[id])?;
            rounds.entry(round).or_default().push(id);
            round_of.insert(id, round);
        }
        let numbers: Vec<usize> = rounds.keys().copied().collect();
        // For each round the words that it takes from the one before.
        let mut taken: Vec<BTreeSet<Id>> = Vec::new();
        for (t, nodes) in rounds.values().enumerate() {
            let mut words = BTreeSet::new();
            for arg in nodes.iter().flat_map(|&id| self.limbs.args(id)) {
                match self.limbs.ops[arg] {
                    Op::Constant(_) => continue,
                    Op::Leaf(leaf) if matches!(self.leaves[leaf], Leaf::Constant(..)) => continue,
                    Op::Leaf(_) if t == 0 => {}
                    Op::Leaf(_) => return None,
                    _ if round_of[&arg] == numbers[t] => continue,
                    _ if t > 0 && round_of[&arg] == numbers[t - 1] => {}
                    _ => return None,
                }
                words.insert(arg);
            }
            taken.push(words);
        }
        taken.push(ends.into_iter().collect());
        if taken.iter().any(|words| words.len() != self.results.len()) {
            return None;
        }
        for (t, nodes) in rounds.values().enumerate() {
            let is_here = |id: &Id| round_of.get(id) == Some(&numbers[t]);
            if !taken[t + 1].iter().all(is_here) {
                return None;
            }
            self.rounds.push(self.connected(nodes, &taken[t], &taken[t + 1])?);
        }
        Some(())
    }

    /// The connected parts of a round's nodes, in the order of their first nodes.
    fn connected(
        &self,
        nodes: &[Id],
        taken: &BTreeSet<Id>,
        given: &BTreeSet<Id>,
    ) -> Option<Vec<Cell>> {
        let is_here: BTreeSet<Id> = nodes.iter().copied().collect();
        // A union-find in which the root of each part is its least node or word.
        let mut part: HashMap<Id, Id> = HashMap::new();
        let root = |part: &HashMap<Id, Id>, mut id: Id| {
            while let Some(&next) = part.get(&id).filter(|&&next| next != id) {
                id = next;
            }
            id
        };
        for &id in nodes {
            for arg in self.limbs.args(id) {
                if is_here.contains(&arg) || taken.contains(&arg) {
                    let [a, b] = [root(&part, id), root(&part, arg)];
                    part.insert(a.max(b), a.min(b));
                }
            }
        }
        let mut cells: BTreeMap<Id, Cell> = BTreeMap::new();
        for &id in taken {
            cells.entry(root(&part, id)).or_default().taken.push(id);
        }
        for &id in nodes {
            let cell = cells.entry(root(&part, id)).or_default();
            cell.nodes.push(id);
            for arg in self.limbs.args(id) {
                let is_constant =
                    matches!(self.limbs.ops[arg], Op::Leaf(_)) && !taken.contains(&arg);
                if is_constant && !cell.constants.contains(&arg) {
                    cell.constants.push(arg);
                }
            }
            if given.contains(&id) {
                cell.given.push(id);
            }
        }
        let mut cells: Vec<Cell> = cells.into_values().collect();
        for cell in &mut cells {
            self.take_tails(cell)?;
        }
        Some(cells)
    }

    /// Moves the operations on single words at the end of a cell from its nodes to its tails.
    fn take_tails(&self, cell: &mut Cell) -> Option<()> {
        let mut uses: HashMap<Id, usize> = HashMap::new();
        for arg in cell.nodes.iter().flat_map(|&id| self.limbs.args(id)) {
            *uses.entry(arg).or_default() += 1;
        }
        for &given in &cell.given {
            let (mut tails, mut made) = (Vec::new(), given);
            // An operation stays a node if the cell itself uses its result.
            while uses.get(&made).copied().unwrap_or(0) == usize::from(made != given) {
                let (op, arg) = match self.limbs.ops[made] {
                    Op::Not(a) => (UnaryOp::Not, a),
                    Op::Rotate(a, by) => (UnaryOp::Rotate(by), a),
                    Op::Exchange(a, by) => (UnaryOp::Exchange(by), a),
                    _ => break,
                };
                if cell.nodes.binary_search(&arg).is_err() {
                    break;
                }
                tails.insert(0, op);
                made = arg;
            }
            cell.made.push(made);
            cell.tails.push(tails);
        }
        let all: BTreeSet<Id> = cell.made.iter().copied().collect();
        let mut kept: BTreeSet<Id> = BTreeSet::new();
        let mut open = cell.made.clone();
        while let Some(id) = open.pop() {
            if cell.nodes.binary_search(&id).is_ok() && kept.insert(id) {
                open.extend(self.limbs.args(id));
            }
        }
        cell.nodes.retain(|id| kept.contains(id));
        (all.len() == cell.made.len()).then_some(())
    }
}

/// Copies the nodes, with `b` for `a ^ (a ^ b)`: a choice `a ^ (mask & (a ^ b))` becomes this where
/// the mask has only ones. `None` if an operation is not bitwise.
fn decided(limbs: &Limbs, outputs: &[Vec<Id>]) -> Option<(Limbs, Vec<Vec<Id>>)> {
    let (mut of, mut new) = (Limbs::default(), Vec::with_capacity(limbs.ops.len()));
    for (id, &op) in limbs.ops.iter().enumerate() {
        of.step = limbs.steps[id];
        let args: Vec<Id> = limbs.args(id).iter().map(|&arg: &Id| new[arg]).collect();
        let rest = |a: Id, sum: Id| match of.ops[sum] {
            Op::Xor(b, c) if a == b => Some(c),
            Op::Xor(b, c) if a == c => Some(b),
            _ => None,
        };
        let rest = match (op, &args[..]) {
            (Op::Xor(..), &[a, b]) => rest(a, b).or(rest(b, a)),
            _ => None,
        };
        new.push(match rest {
            Some(rest) => rest,
            None => with(&mut of, op, &args)?,
        });
    }
    let outputs = outputs.iter().map(|word| word.iter().map(|&id| new[id]).collect());
    let outputs = outputs.collect();
    Some((of, outputs))
}

/// Adds the node of a bitwise operation with other arguments; `None` for any other operation.
pub fn with(limbs: &mut Limbs, op: Op, args: &[Id]) -> Option<Id> {
    Some(match (op, args) {
        (Op::Constant(value), _) => limbs.constant(value),
        (Op::Leaf(leaf), _) => limbs.leaf(leaf),
        (Op::Not(_), &[a]) => limbs.not(a),
        (Op::And(..), &[a, b]) => limbs.and(a, b),
        (Op::Or(..), &[a, b]) => limbs.or(a, b),
        (Op::Xor(..), &[a, b]) => limbs.xor(a, b),
        (Op::Choose(..), &[x, y, z]) => limbs.choose(x, y, z),
        (Op::Rotate(_, by), &[a]) => limbs.rotate(a, by),
        (Op::Exchange(_, by), &[a]) => limbs.exchange(a, by),
        (Op::Funnel(_, _, by), &[high, low]) => limbs.funnel(high, low, by),
        (Op::Insert(_, _, width, at), &[into, from]) => limbs.insert(into, from, width, at),
        _ => return None,
    })
}
