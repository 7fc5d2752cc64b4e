//! The pass `ahead`, which computes the message schedule before the rounds.

use crate::builder::Builder;
use crate::ir::{Function, NodeId, Op, Role, StepId};
use manylane_primitives::word::Kind;

/// Moves the operations of steps of [`Kind::Schedule`] to the beginning, in their order, as far as
/// they depend on nothing but the message. `None` if all of them are at the beginning already.
///
/// A round that takes a word of the message is then like one that takes a word of the schedule,
/// because both words are computed before the rounds: with the 80 words of SHA-1's schedule in
/// memory, its rounds are four loops of twenty. The function should be literal
/// ([`Builder::literal`]), and the result is.
pub fn ahead(function: &Function) -> Option<Function> {
    let is_schedule = schedule(function);
    let work = |node: &NodeId| function.op(*node).is_work();
    let first = function.nodes().filter(work).find(|node| !is_schedule[node.index()])?;
    function.nodes().find(|node| is_schedule[node.index()] && *node > first)?;
    let mut builder = Builder::literal(&function.name);
    let mut new: Vec<Option<NodeId>> = vec![None; function.len()];
    for input in function.inputs() {
        let node = builder.input(&input.name, input.role, function.width(input.node));
        new[input.node.index()] = Some(node);
    }
    let mut steps: Vec<StepId> = vec![StepId::ROOT];
    for step in &function.steps()[1..] {
        let parent = steps[step.parent.index()];
        steps.push(builder.substep_like(parent, step));
    }
    for is_first in [true, false] {
        for node in function.nodes() {
            let made = match function.op(node) {
                Op::Input(_) => continue,
                Op::Const(value) => builder.constant(value, function.width(node)),
                _ if is_schedule[node.index()] != is_first => continue,
                op => {
                    let args = function.args(node).iter();
                    let args = args.map(|arg| new[arg.index()].expect("arguments come first"));
                    let args: Vec<NodeId> = args.collect();
                    builder.within(steps[function.step(node).index()], |b| b.op(op, &args))
                }
            };
            new[node.index()] = Some(made);
        }
    }
    for (step, &copy) in function.steps().iter().zip(&steps) {
        builder.set_over(copy, step.over.iter().filter_map(|of| new[of.index()]).collect());
    }
    for output in function.outputs() {
        let value = new[output.value.index()].expect("every output is computed");
        builder.output(&output.name, value);
    }
    Some(builder.finish())
}

/// For each node whether it is an operation of the message schedule that needs nothing but the
/// message, constants and other operations of the schedule.
fn schedule(function: &Function) -> Vec<bool> {
    let mut is_schedule = vec![false; function.len()];
    for node in function.nodes().filter(|&node| function.op(node).is_work()) {
        let step = function.ancestor(function.step(node), 1);
        let is_known = |arg: &NodeId| match function.op(*arg) {
            Op::Input(i) => function.inputs()[i as usize].role == Role::Message,
            Op::Const(_) => true,
            _ => is_schedule[arg.index()],
        };
        is_schedule[node.index()] = function.steps()[step.index()].kind == Kind::Schedule
            && function.args(node).iter().all(is_known);
    }
    is_schedule
}
