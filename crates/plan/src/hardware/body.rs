//! The recurrence that hardware turns in: k steps merged into one function, from state to state.

use manylane_graph::extract::{Extracted, Extractor, Line, Side};
use manylane_graph::{Function, NodeId, Op};
use std::collections::HashSet;

/// k merged steps as one block of hardware.
#[derive(Clone, Debug)]
pub struct Body {
    /// From the state (and side inputs) to the state after the steps.
    pub function: Function,
    /// For each clock in which the block does these steps: its number within the block of message,
    /// and the node of the compression that flows into each input.
    pub clocks: Vec<(usize, Vec<NodeId>)>,
    /// For each word of the state after the steps, the word before them that it is, if it is one.
    pub(super) passed: Vec<Option<usize>>,
    /// For each sum that is added up at its place, its terms.
    pub(super) terms: Vec<Option<Vec<NodeId>>>,
    /// Words of the state.
    pub(super) words: usize,
}

/// How many terms a sum that is used more than once may have to be taken apart at every use.
const SHARED_TERMS: usize = 8;

impl Body {
    fn new(part: Extracted, clocks: Vec<(usize, Vec<NodeId>)>, words: usize, flat: bool) -> Self {
        let function = part.function;
        let state_word = |node: NodeId| match function.op(node) {
            Op::Input(i) if (i as usize) < words => Some(i as usize),
            _ => None,
        };
        let passed = function.outputs().iter().map(|output| state_word(output.value)).collect();
        let terms = terms(&function, flat);
        Self { clocks, passed, terms, words, function }
    }

    /// Whether an input is there whenever it is wanted.
    pub(super) fn is_side(&self, input: usize) -> bool {
        input >= self.words
    }
}

/// For each addition, the terms of its sum; nothing for those that only make part of another sum.
///
/// Sums of sums are flattened unless something else than a sum needs the value on the way.
fn terms(function: &Function, flat: bool) -> Vec<Option<Vec<NodeId>>> {
    let is_sum = |node: NodeId| function.op(node) == Op::Add;
    let mut inner: Vec<bool> = vec![false; function.len()];
    if flat {
        let users = function.users();
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
    let users = function.users();
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
/// shape, with the clocks that have it.
pub(super) fn bodies(
    extractor: &Extractor<'_>,
    lines: &[Line],
    merge: usize,
    clocks: std::ops::Range<usize>,
    side: Side,
    flat: bool,
) -> Vec<Body> {
    let words = lines.iter().map(|line| line.states[0].len()).sum();
    let mut all: Vec<(usize, Extracted)> = clocks
        .map(|clock| (clock, clock * merge..(clock + 1) * merge))
        .map(|(clock, steps)| (clock, extractor.merged(lines, steps, side)))
        .collect();
    // Words of the first state may be constants, which the block takes as words like any other.
    if all.len() > 1 {
        all.retain(|(_, part)| {
            let words = &part.arguments[..words];
            let is_constant = |&word| matches!(extractor.function().op(word), Op::Const(_));
            !words.iter().any(is_constant)
        });
    }
    let mut shapes: Vec<Vec<(usize, Extracted)>> = Vec::new();
    for (clock, part) in all {
        let same = |shape: &&mut Vec<(usize, Extracted)>| {
            shape[0].1.function.same_shape(&part.function, false)
        };
        match shapes.iter_mut().find(same) {
            Some(shape) => shape.push((clock, part)),
            None => shapes.push(vec![(clock, part)]),
        }
    }
    let body = |shape: Vec<(usize, Extracted)>| {
        let alike: Vec<&Extracted> = shape.iter().map(|(_, part)| part).collect();
        let settled = |part| extractor.settle(part, &alike);
        let clocks = shape.iter().map(|(clock, part)| (*clock, settled(part).arguments)).collect();
        Body::new(settled(alike[0]), clocks, words, flat)
    };
    shapes.into_iter().map(body).collect()
}

/// The side inputs of a body that have to be computed, being neither inputs of the compression nor
/// `kept` words, those of a message schedule: W_t + K_t.
pub(super) fn prepared(
    extractor: &Extractor<'_>,
    body: &Body,
    kept: &HashSet<NodeId>,
) -> Vec<NodeId> {
    let (_, arguments) = &body.clocks[0];
    let computed =
        |node: &&NodeId| extractor.function().op(**node).is_work() && !kept.contains(node);
    arguments[body.words..].iter().filter(computed).copied().collect()
}
