//! A compression cut into two functions: one that can be computed before the chaining value is
//! known, and the rest.
//!
//! ```text
//!  block i + 1 ──► ahead ──► words ──► rest ──► chaining value i + 1
//!  (main core, while the second one computes block i)    ▲
//!                            chaining value i ───────────┘
//! ```
//!
//! The words of a block, its message schedule and a permutation of the block alone do not depend on
//! the block before. The main core computes them for the next block while the second core computes
//! this one; one hand-over a block is enough.

use manylane_graph::builder::Builder;
use manylane_graph::passes::ahead;
use manylane_graph::{Function, Kind, NodeId, Op, Role, StepId};
use std::collections::{BTreeMap, VecDeque};

/// A function cut in two.
#[derive(Clone, Debug)]
pub struct Split {
    /// The first function: from the message to the words that are handed over, `m0`, `m1`, and so
    /// on.
    pub ahead: Function,
    /// The second function: from the chaining value and these words, as its message, to the next
    /// chaining value.
    pub rest: Function,
    /// How many words are handed over, of the width of the message's words.
    pub words: usize,
}

/// Where a function is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Number of operations that are computed ahead: the first ones, in the order of the text, of
    /// those that can be.
    pub operations: usize,
    /// Whether the terms of a sum that are known ahead are added first, such as the constant of a
    /// round and a word of the message.
    pub is_regrouped: bool,
}

/// The numbers of operations at which a function may be cut: after each step in which something can
/// be computed ahead, the smallest first.
pub fn cuts(function: &Function, is_regrouped: bool) -> Vec<Cut> {
    let function = &if is_regrouped { regrouped(function) } else { function.clone() };
    let is_free = free(function);
    let work = |node: &NodeId| is_free[node.index()] && function.op(*node).is_work();
    let steps: Vec<StepId> = function
        .nodes()
        .filter(work)
        .map(|node| function.ancestor(function.step(node), 1))
        .collect();
    let ends = (1..=steps.len()).filter(|&count| steps.get(count) != Some(&steps[count - 1]));
    ends.map(|operations| Cut { operations, is_regrouped }).collect()
}

/// Cuts a function. There is no cut where nothing can be computed ahead, where a word that is
/// handed over is not as wide as the message's words, and where no operation is left to the rest.
pub fn split(function: &Function, cut: Cut) -> Option<Split> {
    let function = &if cut.is_regrouped { regrouped(function) } else { function.clone() };
    let is_free = free(function);
    let mut count = 0;
    let is_ahead: Vec<bool> = function
        .nodes()
        .map(|node| {
            let is_work = function.op(node).is_work();
            count += usize::from(is_free[node.index()] && is_work);
            is_free[node.index()] && (!is_work || count <= cut.operations)
        })
        .collect();
    let is_constant = |node: NodeId| matches!(function.op(node), Op::Const(_));
    // The values that the second function takes, in order of computation.
    let mut taken: Vec<NodeId> = function
        .nodes()
        .filter(|node| !is_ahead[node.index()])
        .flat_map(|node| function.args(node).iter().copied())
        .chain(function.outputs().iter().map(|output| output.value))
        .filter(|&node| is_ahead[node.index()] && !is_constant(node))
        .collect();
    taken.sort_unstable();
    taken.dedup();
    let message = function.inputs().iter().find(|input| input.role == Role::Message)?;
    let width = function.width(message.node);
    let is_work = |ahead: bool| {
        let mut nodes = function.nodes();
        nodes.any(|node| function.op(node).is_work() && is_ahead[node.index()] == ahead)
    };
    if taken.iter().any(|&node| function.width(node) != width) || !is_work(true) || !is_work(false)
    {
        return None;
    }
    let ahead = part(function, &[Role::Message], Given::None, &taken);
    let rest = part(function, &OTHERS, Given::Values(&taken), &[]);
    Some(Split { ahead, rest, words: taken.len() })
}

/// Cuts a function behind its message schedule: the operations of steps of [`Kind::Schedule`] that
/// need nothing but the message are computed ahead, and no others. The words that are handed over
/// are those of the message, as far as the rest takes them, and then those of the schedule, in
/// their order.
pub fn split_schedule(function: &Function) -> Option<Split> {
    let first = ahead(function);
    let function = first.as_ref().unwrap_or(function);
    let is_of_schedule = |node: &NodeId| {
        let step = function.ancestor(function.step(*node), 1);
        function.steps()[step.index()].kind == Kind::Schedule
    };
    let work = function.nodes().filter(|&node| function.op(node).is_work());
    let operations = work.take_while(is_of_schedule).count();
    split(function, Cut { operations, is_regrouped: false })
}

/// Cuts a function behind all that depends on the message alone. The words that are handed over are
/// in the order in which the rest takes them: one that it takes twice is there twice.
pub fn split_stream(function: &Function) -> Option<Split> {
    let is_free = free(function);
    let is_constant = |node: NodeId| matches!(function.op(node), Op::Const(_));
    let is_taken = |node: &NodeId| is_free[node.index()] && !is_constant(*node);
    let rest = function.nodes().filter(|node| !is_free[node.index()]);
    let taken = rest.flat_map(|node| function.args(node).iter().copied());
    let words: Vec<NodeId> = taken.filter(is_taken).collect();
    let message = function.inputs().iter().find(|input| input.role == Role::Message)?;
    let width = function.width(message.node);
    let outputs = function.outputs();
    let is_wide = |&node: &NodeId| function.width(node) == width;
    let is_rest = outputs.iter().all(|output| !is_free[output.value.index()]);
    let is_work = function.nodes().any(|node| function.op(node).is_work() && is_taken(&node));
    if !is_work || !is_rest || !words.iter().all(is_wide) {
        return None;
    }
    let ahead = part(function, &[Role::Message], Given::None, &words);
    let rest = part(function, &OTHERS, Given::Uses(&words), &[]);
    Some(Split { ahead, rest, words: words.len() })
}

/// The roles of the inputs that the second function of a cut has beside words.
const OTHERS: [Role; 4] = [Role::Chaining, Role::Counter, Role::Key, Role::Constant];

/// The values that a part of a function takes as words of its message.
#[derive(Clone, Copy)]
enum Given<'v> {
    /// No values.
    None,
    /// A word for each of these values.
    Values(&'v [NodeId]),
    /// A word for each use of these values, in the order of uses.
    Uses(&'v [NodeId]),
}

/// The nodes that outputs need, with the inputs of some roles and the values `given` as words of
/// the message. The outputs are `words`, or else the function's.
fn part(function: &Function, roles: &[Role], given: Given<'_>, words: &[NodeId]) -> Function {
    let mut builder = Builder::literal(&function.name);
    let mut new: BTreeMap<NodeId, NodeId> = BTreeMap::new();
    for input in function.inputs().iter().filter(|input| roles.contains(&input.role)) {
        let node = builder.input(&input.name, input.role, function.width(input.node));
        new.insert(input.node, node);
    }
    let values = match given {
        Given::None => &[],
        Given::Values(values) | Given::Uses(values) => values,
    };
    // The words of values that have a word for each use, from the first word on.
    let mut uses: BTreeMap<NodeId, VecDeque<NodeId>> = BTreeMap::new();
    for (i, &node) in values.iter().enumerate() {
        let input = builder.input(&format!("m{i}"), Role::Message, function.width(node));
        match given {
            Given::Uses(_) => uses.entry(node).or_default().push_back(input),
            _ => drop(new.insert(node, input)),
        }
    }
    let mut steps: Vec<StepId> = vec![StepId::ROOT];
    for step in &function.steps()[1..] {
        let parent = steps[step.parent.index()];
        steps.push(builder.substep_like(parent, step));
    }
    let outputs = function.outputs().iter().map(|output| output.value);
    let outputs = if words.is_empty() { outputs.collect() } else { words.to_vec() };
    let needed = needed(function, &outputs, values);
    for node in function.nodes().filter(|node| needed[node.index()]) {
        match function.op(node) {
            Op::Const(value) => {
                new.insert(node, builder.constant(value, function.width(node)));
            }
            op if !new.contains_key(&node) && !uses.contains_key(&node) => {
                let mut arg = |arg: &NodeId| match uses.get_mut(arg) {
                    Some(words) => words.pop_front().expect("each use has a word"),
                    None => new[arg],
                };
                let args: Vec<NodeId> = function.args(node).iter().map(&mut arg).collect();
                builder.reenter(steps[function.step(node).index()]);
                let made = builder.op(op, &args);
                builder.leave();
                new.insert(node, made);
            }
            _ => {}
        }
    }
    if words.is_empty() {
        for output in function.outputs() {
            builder.output(&output.name, new[&output.value]);
        }
    }
    for (i, word) in words.iter().enumerate() {
        builder.output(&format!("m{i}"), new[word]);
    }
    builder.finish()
}

/// For each node whether one of `outputs` needs it, where the values `given` are available.
fn needed(function: &Function, outputs: &[NodeId], given: &[NodeId]) -> Vec<bool> {
    let mut needed = vec![false; function.len()];
    for output in outputs {
        needed[output.index()] = true;
    }
    for node in function.nodes().rev() {
        if needed[node.index()] && !given.contains(&node) {
            for arg in function.args(node) {
                needed[arg.index()] = true;
            }
        }
    }
    needed
}

/// For each node whether it depends on nothing but the message and constants.
fn free(function: &Function) -> Vec<bool> {
    let mut free = vec![false; function.len()];
    for node in function.nodes() {
        free[node.index()] = match function.op(node) {
            Op::Input(i) => function.inputs()[i as usize].role == Role::Message,
            _ => function.args(node).iter().all(|arg| free[arg.index()]),
        };
    }
    free
}

/// The function in which the terms of a sum that depend on the message alone are added up before
/// the others: `((a + f) + m) + k` is `(a + f) + (m + k)`.
fn regrouped(function: &Function) -> Function {
    let free = free(function);
    let users = function.users();
    let is_output = |node: NodeId| function.outputs().iter().any(|output| output.value == node);
    // A sum that is used once, in another sum, is a part of that one.
    let is_inner = |node: NodeId| {
        function.op(node) == Op::Add
            && !is_output(node)
            && matches!(users[node.index()][..], [user] if function.op(user) == Op::Add)
    };
    let mut builder = Builder::literal(&function.name);
    let mut new: Vec<Option<NodeId>> = vec![None; function.len()];
    let mut steps: Vec<StepId> = vec![StepId::ROOT];
    for step in &function.steps()[1..] {
        let parent = steps[step.parent.index()];
        steps.push(builder.substep_like(parent, step));
    }
    for input in function.inputs() {
        let node = builder.input(&input.name, input.role, function.width(input.node));
        new[input.node.index()] = Some(node);
    }
    for node in function.nodes() {
        let step = steps[function.step(node).index()];
        let get = |new: &[Option<NodeId>], of: NodeId| new[of.index()].expect("nodes are in order");
        let made = match function.op(node) {
            Op::Input(_) => continue,
            Op::Const(value) => builder.constant(value, function.width(node)),
            Op::Add if !free[node.index()] && is_inner(node) => continue,
            Op::Add if !free[node.index()] => {
                let mut terms = Vec::new();
                leaves(function, node, &|of| is_inner(of) && !free[of.index()], &mut terms);
                let (known, others): (Vec<NodeId>, Vec<NodeId>) =
                    terms.into_iter().partition(|term| free[term.index()]);
                builder.reenter(step);
                let sum = |builder: &mut Builder, terms: &[NodeId]| {
                    let terms = terms.iter().map(|&term| get(&new, term));
                    terms.reduce(|sum, term| builder.op(Op::Add, &[sum, term]))
                };
                let (first, last) = (sum(&mut builder, &others), sum(&mut builder, &known));
                let made = match (first, last) {
                    (Some(first), Some(last)) => builder.op(Op::Add, &[first, last]),
                    (first, last) => first.or(last).expect("a sum has terms"),
                };
                builder.leave();
                made
            }
            op => {
                let args: Vec<NodeId> =
                    function.args(node).iter().map(|&arg| get(&new, arg)).collect();
                builder.reenter(step);
                let made = builder.op(op, &args);
                builder.leave();
                made
            }
        };
        new[node.index()] = Some(made);
    }
    for output in function.outputs() {
        builder.output(&output.name, new[output.value.index()].expect("it was made"));
    }
    builder.finish()
}

/// The terms of a sum, in the order of the text.
fn leaves(
    function: &Function,
    node: NodeId,
    is_inner: &dyn Fn(NodeId) -> bool,
    terms: &mut Vec<NodeId>,
) {
    for &arg in function.args(node) {
        if is_inner(arg) { leaves(function, arg, is_inner, terms) } else { terms.push(arg) }
    }
}
