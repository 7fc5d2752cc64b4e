//! The recurrence that hardware repeats: k steps merged into one function, from state to state.

use manylane_graph::extract::{Extracted, Extractor, Line, Side, remaining};
use manylane_graph::{Function, NodeId, Op};
use std::collections::HashSet;

/// k merged steps as one block of hardware.
#[derive(Clone, Debug)]
pub(super) struct Body {
    /// The function from the state and side inputs to the state after the steps.
    pub(super) function: Function,
    /// The clocks in which the block works.
    pub(super) turns: Vec<Turn>,
    /// For each word of the state after the steps, whether it is a word before them, perhaps
    /// rotated.
    pub(super) passed: Vec<bool>,
    /// For each sum that is computed at its node, its terms.
    pub(super) terms: Vec<Option<Vec<NodeId>>>,
    /// Number of words of the state.
    pub(super) words: usize,
    /// Rotations and shifts whose amounts are not the same in all turns.
    pub(super) varying: Vec<NodeId>,
}

/// One use of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The clock, from 0 for a message block's first.
    pub clock: usize,
    /// The kind of the turn: turns of one kind are alike even in their amounts of rotation.
    pub kind: usize,
    /// The nodes of the compression that flow into the block's inputs.
    pub arguments: Vec<NodeId>,
    /// The rotations or shifts of the block's varying nodes, with the amounts of this turn.
    pub amounts: Vec<Op>,
}

/// The most terms of a sum with several uses that is flattened into each of them.
const SHARED_TERMS: usize = 8;

impl Body {
    /// The body of parts of one shape.
    fn new(
        extractor: &Extractor<'_>,
        shape: &[(usize, Extracted)],
        words: usize,
        flat: bool,
    ) -> Self {
        let alike: Vec<&Extracted> = shape.iter().map(|(_, part)| part).collect();
        let constants = extractor.common_constants(&alike);
        let (part, new) = alike[0].with_constants(&constants);
        let differs = |&node: &NodeId| {
            let op = alike[0].function.op(node);
            alike.iter().any(|part| part.function.op(node) != op) && op.immediate().is_some()
        };
        let varying: Vec<NodeId> = alike[0].function.nodes().filter(differs).collect();
        let mut kinds: Vec<Vec<Op>> = Vec::new();
        let mut turns = Vec::with_capacity(shape.len());
        for (clock, part) in shape {
            let amounts: Vec<Op> = varying.iter().map(|&node| part.function.op(node)).collect();
            let kind = kinds.iter().position(|kind| *kind == amounts).unwrap_or(kinds.len());
            if kind == kinds.len() {
                kinds.push(amounts.clone());
            }
            let arguments = remaining(&part.arguments, &constants);
            turns.push(Turn { clock: *clock, kind, arguments, amounts });
        }
        let varying = varying.iter().map(|node| new[node.index()]).collect();
        let function = part.function;
        let passed = |node: NodeId| {
            let mut at = node;
            while is_wire(function.op(at)) {
                at = function.args(at)[0];
            }
            matches!(function.op(at), Op::Input(i) if (i as usize) < words)
        };
        let passed = function.outputs().iter().map(|output| passed(output.value)).collect();
        let terms = terms(&function, flat);
        Self { function, turns, passed, terms, words, varying }
    }

    /// Whether an input is a side input, as opposed to a word of the state.
    pub(super) fn is_side(&self, input: usize) -> bool {
        input >= self.words
    }
}

/// Whether an operation needs wires only.
fn is_wire(op: Op) -> bool {
    match op {
        Op::Rotl(_) | Op::Rotr(_) | Op::Shl(_) | Op::Shr(_) | Op::SwapBytes => true,
        Op::Input(_)
        | Op::Const(_)
        | Op::Add
        | Op::Carry
        | Op::Sub
        | Op::And
        | Op::Or
        | Op::Xor
        | Op::Xnor
        | Op::Not
        | Op::RotlVar
        | Op::RotrVar
        | Op::Lut3(_)
        | Op::SubBytes
        | Op::Xtime
        | Op::Call(_)
        | Op::Result(_)
        | Op::External => false,
    }
}

/// Returns, for each addition, the terms of its sum; `None` for additions that are only a part of
/// another sum.
///
/// Sums of sums are flattened unless an operation other than a sum needs the inner value.
fn terms(function: &Function, flat: bool) -> Vec<Option<Vec<NodeId>>> {
    let is_sum = |node: NodeId| function.op(node) == Op::Add;
    let mut inner: Vec<bool> = vec![false; function.len()];
    let users = function.users();
    if flat {
        for node in function.nodes() {
            let used = &users[node.index()];
            inner[node.index()] =
                is_sum(node) && !used.is_empty() && used.iter().all(|&user| is_sum(user));
        }
        for output in function.outputs() {
            inner[output.value.index()] = false;
        }
    }
    let mut terms: Vec<Option<Vec<NodeId>>> = vec![None; function.len()];
    for node in function.nodes().filter(|&node| is_sum(node)) {
        let mut all = Vec::new();
        for &arg in function.args(node) {
            match (&terms[arg.index()], inner[arg.index()]) {
                (Some(of_arg), true) => all.extend(of_arg),
                _ => all.push(arg),
            }
        }
        if all.len() > SHARED_TERMS && users[node.index()].len() > 1 {
            inner[node.index()] = false;
        }
        terms[node.index()] = Some(all);
    }
    for node in function.nodes().filter(|node| inner[node.index()]) {
        terms[node.index()] = None;
    }
    terms
}

/// The bodies that clocks `clocks` of `lines` need, each clock doing `merge` steps: one for each
/// shape, with the clocks in which it is used.
pub(super) fn bodies(
    extractor: &Extractor<'_>,
    lines: &[Line],
    merge: usize,
    clocks: std::ops::Range<usize>,
    side: Side,
    flat: bool,
) -> Vec<Body> {
    let shared = bodies_of(extractor, lines, merge, clocks.clone(), side, flat);
    if shared.len() == 1 || side != Side::Inside {
        return shared;
    }
    // Turns that compute the same side input for different uses are alike if each use has its own.
    let apart = bodies_of(extractor, lines, merge, clocks, Side::Apart, flat);
    if apart.len() < shared.len() { apart } else { shared }
}

fn bodies_of(
    extractor: &Extractor<'_>,
    lines: &[Line],
    merge: usize,
    clocks: std::ops::Range<usize>,
    side: Side,
    flat: bool,
) -> Vec<Body> {
    let words = lines.iter().map(|line| line.states[0].len()).sum();
    // The body is taken from a turn that shares few values, since turns that share more can be
    // computed in the same way. The turn whose first state has constants comes last, because the
    // block takes constants of the state as words like any other.
    let steps = |clock: usize| clock * merge..(clock + 1) * merge;
    let mut parts: Vec<(usize, Extracted)> =
        clocks.rev().map(|clock| (clock, extractor.merged(lines, steps(clock), side))).collect();
    let is_constant = |word: &NodeId| matches!(extractor.function().op(*word), Op::Const(_));
    parts.sort_by_key(|(_, part)| {
        let constants = part.arguments[..words].iter().any(is_constant);
        (constants, std::cmp::Reverse(part.function.len()))
    });
    let mut shapes: Vec<Vec<(usize, Extracted)>> = Vec::new();
    for (clock, part) in parts {
        let same = |shape: &mut Vec<(usize, Extracted)>| {
            if shape[0].1.function.same_shape(&part.function, false) {
                shape.push((clock, part.clone()));
                return true;
            }
            match extractor.as_other(lines, steps(clock), &shape[0].1) {
                Some(part) => {
                    shape.push((clock, part));
                    true
                }
                None => false,
            }
        };
        if !shapes.iter_mut().any(same) {
            shapes.push(vec![(clock, part)]);
        }
    }
    for shape in &mut shapes {
        shape.sort_by_key(|(clock, _)| *clock);
    }
    shapes.sort_by_key(|shape| shape[0].0);
    shapes.iter().map(|shape| Body::new(extractor, shape, words, flat)).collect()
}

/// The side inputs of a body that have to be computed, such as W_t + K_t: they are neither inputs
/// of the compression nor `kept` words of a message schedule.
pub(super) fn prepared(
    extractor: &Extractor<'_>,
    body: &Body,
    kept: &HashSet<NodeId>,
) -> Vec<NodeId> {
    let computed =
        |node: &&NodeId| extractor.function().op(**node).is_work() && !kept.contains(node);
    body.turns[0].arguments[body.words..].iter().filter(computed).copied().collect()
}
