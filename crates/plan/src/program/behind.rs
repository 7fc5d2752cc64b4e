//! A second processor that is behind the main one: of the last rounds it computes what the main one
//! does not need soon.
//!
//! ```text
//!  main     T1, e of rounds 40, 41 ─►  T1, e of 42, 43 ─►  T1, e of 44, 45 ─►
//!  second   schedule               ─►  a of 40, 41     ─►  a of 42, 43     ─►
//! ```
//!
//! A round of SHA-2 computes two words of the state, a and e. The next round needs e for both of
//! them. It needs a only for the next a; for e, a is needed as d four rounds later. So the second
//! processor can compute the words a some rounds behind: each processor takes values that the other
//! one computed while it was at the rounds before. The second processor first computes what follows
//! from the message alone; then it has time for the rounds. The main processor may compute the
//! first values that follow from the message alone itself, so that it can begin before the second
//! processor has sent any.

use super::ahead::of_message_alone;
use super::assign::cycles;
use super::place::{Assignment, Grouping, place_in};
use super::prices::Prices;
use super::{Program, is_work, order};
use crate::costs::CostError;
use crate::platform::Platform;
use manylane_graph::framing::ByteOrder;
use manylane_graph::roll::{Rolled, written_out};
use manylane_graph::{Function, Kind, NodeId, StepId};
use std::collections::{BTreeMap, BTreeSet};

/// The main processor needs a value that is behind this many rounds after the value's own round, or
/// later: each processor works on two rounds at a time, and the values of two more rounds are on
/// their way.
const LAG: usize = 4;

/// Rounds whose values go together.
const TOGETHER: usize = LAG / 2;

/// The number of rounds over which a dependence is followed. An operation that depends on every
/// operation of the round this many rounds before is behind, unless all operations are.
const BACK: usize = 2 * LAG;

/// Most values in a transfer of what follows from the message alone. Transfers are small so that
/// the second processor can compute the next one before the main processor has used up this one.
const MOST: usize = 8;

/// Most operations on words of 32 bits that a function may have when it is written out.
const MOST_OPERATIONS: usize = 4000;

/// The function written out may have at most this many times the operations of its loops.
const MOST_GROWTH: usize = 4;

/// How many of the first steps that follow from the message alone the main processor may compute
/// itself.
const OWN: [usize; 2] = [0, 2];

/// The most programs that [`behind`] returns.
const PROGRAMS: usize = 24;

/// The best such programs of two processors at a platform's prices, with their cycles as those of
/// [`super::assign::assign`], the fastest first. They differ in the first round of which the second
/// processor has a part, and in the number of steps that are the main one's [`OWN`]. There is none
/// where all of a round is needed at once, and none where rounds are too many to be written out.
///
/// # Errors
/// As [`Prices::of`].
pub(super) fn behind(
    one: &Program,
    bytes: ByteOrder,
    platform: &Platform,
) -> Result<Vec<(f64, Program)>, CostError> {
    let Some((rolled, rounds)) = apart(&one.rolled).filter(|_| platform.cores.len() > 1) else {
        return Ok(Vec::new());
    };
    let prices = Prices::of(&rolled, 2, bytes, platform)?;
    let alone = of_message_alone(&rolled);
    // The second processor begins with what follows from the message alone.
    let (mut first, rest): (Vec<NodeId>, Vec<NodeId>) =
        order::usual(&rolled.regions[0].body).iter().partition(|node| alone[0][node.index()]);
    first.extend(rest);
    let orders = vec![first];
    let mut all: Vec<(f64, Program)> = Vec::new();
    for own in OWN {
        let helped = without_first(&rolled.regions[0].body, &alone[0], own);
        for first in (BACK..rounds.len()).filter(|first| (rounds.len() - first) % TOGETHER == 0) {
            let mut assignment: Assignment = vec![helped.iter().map(|&is| u8::from(is)).collect()];
            rounds[first..].iter().flatten().for_each(|node| assignment[0][node.index()] = 1);
            let grouping = Grouping::Behind { most: MOST, steps: TOGETHER };
            let rolled = rolled.clone();
            let program = place_in(&orders, rolled, one.fingerprint, 2, &assignment, grouping);
            all.push((cycles(&program, &prices), program));
        }
    }
    all.retain(|(cycles, _)| cycles.is_finite());
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.truncate(PROGRAMS);
    Ok(all)
}

/// For each node, whether it follows from the message alone and is not in the first `own` steps of
/// such nodes.
fn without_first(body: &Function, is_alone: &[bool], own: usize) -> Vec<bool> {
    let mut steps: Vec<StepId> = Vec::new();
    for node in body.nodes().filter(|&node| is_work(body, node) && is_alone[node.index()]) {
        if !steps.contains(&body.step(node)) {
            steps.push(body.step(node));
        }
    }
    steps.truncate(own);
    body.nodes().map(|node| is_alone[node.index()] && !steps.contains(&body.step(node))).collect()
}

/// The function written out, and for each of its rounds the operations that are behind, none of the
/// first [`BACK`] rounds.
fn apart(rolled: &Rolled) -> Option<(Rolled, Vec<Vec<NodeId>>)> {
    let out = written_out(rolled);
    let [region] = &out.regions[..] else { return None };
    let words = |node: NodeId| usize::from(region.body.width(node)).div_ceil(32);
    let work = region.body.nodes().filter(|&node| is_work(&region.body, node));
    let operations: usize = work.map(words).sum();
    if operations > MOST_OPERATIONS || out.size() > MOST_GROWTH * rolled.size() {
        return None;
    }
    let rounds = Rounds::of(&region.body, &of_message_alone(&out)[0]).behind()?;
    Some((out, rounds))
}

/// The rounds of a function that is written out.
struct Rounds<'f> {
    body: &'f Function,
    /// For each round, its operations that follow from the chaining value.
    nodes: Vec<Vec<NodeId>>,
    /// For each node, the round that it is in, if it is in one of these lists.
    round: Vec<Option<usize>>,
}

impl<'f> Rounds<'f> {
    fn of(body: &'f Function, is_alone: &[bool]) -> Self {
        let mut numbers: BTreeMap<StepId, usize> = BTreeMap::new();
        let mut of = Self { body, nodes: Vec::new(), round: vec![None; body.len()] };
        let chained = |node: &NodeId| is_work(body, *node) && !is_alone[node.index()];
        for node in body.nodes().filter(chained) {
            let step = body.ancestor(body.step(node), 1);
            if body.steps()[step.index()].kind != Kind::Round {
                continue;
            }
            let round = *numbers.entry(step).or_insert(of.nodes.len());
            if round == of.nodes.len() {
                of.nodes.push(Vec::new());
            }
            of.nodes[round].push(node);
            of.round[node.index()] = Some(round);
        }
        of
    }

    /// For each round, the operations that depend on all operations of the round [`BACK`] rounds
    /// before, where only uses of a value less than [`LAG`] rounds after its own round are
    /// followed. An operation that uses one of their values that soon depends on the same
    /// operations and is one of them, so the others need none of these values that soon. `None`
    /// unless each round has such operations, and they are at most half of it.
    fn behind(&self) -> Option<Vec<Vec<NodeId>>> {
        let mut all = vec![Vec::new(); BACK.min(self.nodes.len())];
        for (round, nodes) in self.nodes.iter().enumerate().skip(BACK) {
            let whole = self.nodes[round - BACK].len();
            let of_all = |node: &NodeId| self.reached(*node, round - BACK) == whole;
            let behind: Vec<NodeId> = nodes.iter().copied().filter(of_all).collect();
            if behind.is_empty() || 2 * behind.len() > nodes.len() {
                return None;
            }
            all.push(behind);
        }
        (all.len() > BACK).then_some(all)
    }

    /// The number of operations of round `back` on which a node depends, by uses as in
    /// [`Rounds::behind`].
    fn reached(&self, node: NodeId, back: usize) -> usize {
        let mut known: BTreeSet<NodeId> = BTreeSet::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let Some(round) = self.round[node.index()] else { continue };
            for &arg in self.body.args(node) {
                let is_soon = |of: usize| of >= back && of + LAG > round;
                if self.round[arg.index()].is_some_and(is_soon) && known.insert(arg) {
                    open.push(arg);
                }
            }
        }
        known.iter().filter(|node| self.round[node.index()] == Some(back)).count()
    }
}
