//! The order in which one processor computes a body: the definition's, or one with fewer live
//! words.

use manylane_graph::{Function, NodeId, Op, StepId};
use std::collections::BTreeSet;

/// Words that the registers of a small machine hold beside addresses and counters.
const REGISTERS: usize = 12;

/// Whether a machine does something for a node of a body.
pub(crate) fn is_work(body: &Function, node: NodeId) -> bool {
    !matches!(body.op(node), Op::Input(_) | Op::Const(_))
}

/// The order in which one processor computes the operations of a body: that of the definition; or
/// an order in which a value that only one step uses is computed just before it is used. The second
/// order is taken if it saves a fifth or more of the loads and stores on a machine of twelve
/// registers.
///
/// ```text
/// definition    ρ of all lanes; χ of plane 0, …, χ of plane 4      25 words wait for their plane
/// here          ρ of the lanes of plane 0, χ of plane 0; …         5 do
/// ```
///
/// Compilers do not reorder functions of this size.
pub(super) fn order(body: &Function) -> Vec<NodeId> {
    let usual = usual(body);
    let late = late(body, &usual);
    let counts = [&late, &usual].map(|order| transfers(body, order));
    if 5 * counts[0] <= 4 * counts[1] { late } else { usual }
}

/// The order of the definition.
pub(super) fn usual(body: &Function) -> Vec<NodeId> {
    body.nodes().filter(|&node| is_work(body, node)).collect()
}

/// The order in which each node whose users lie in one step comes just before the first user, if
/// that step is the node's own or takes values of several steps.
fn late(function: &Function, usual: &[NodeId]) -> Vec<NodeId> {
    let users = function.users();
    let is_output = |node: NodeId| function.outputs().iter().any(|output| output.value == node);
    // For each step, the other steps that it takes values from.
    let mut sources: Vec<BTreeSet<StepId>> = vec![BTreeSet::new(); function.steps().len()];
    for &node in usual {
        let step = function.step(node);
        let args = function.args(node).iter().filter(|&&arg| is_work(function, arg));
        let others = args.map(|&arg| function.step(arg)).filter(|&other| other != step);
        sources[step.index()].extend(others);
    }
    // Nodes are placed from the function's end on, users before what they use, so that the list has
    // to be reversed.
    let mut order: Vec<NodeId> = Vec::with_capacity(usual.len());
    for &node in usual.iter().rev() {
        let of_node = &users[node.index()];
        let steps: BTreeSet<StepId> = of_node.iter().map(|&user| function.step(user)).collect();
        let sinks = steps.len() == 1
            && steps
                .iter()
                .all(|&step| step == function.step(node) || sources[step.index()].len() > 1)
            && !is_output(node);
        let first = || order.iter().rposition(|placed| of_node.contains(placed));
        let place = if sinks { first().map(|first| first + 1) } else { None };
        order.insert(place.unwrap_or(order.len()), node);
    }
    order.reverse();
    order
}

/// The number of loads and stores of words if a processor computes the nodes in this order. Inputs
/// lie in memory, and where no register is free, the value that is needed last is spilled.
fn transfers(function: &Function, order: &[NodeId]) -> usize {
    let is_value = |node: &NodeId| !matches!(function.op(*node), Op::Const(_));
    // For each node, the places of its users, the next one last. Outputs are used at the end.
    let mut uses: Vec<Vec<usize>> = vec![Vec::new(); function.len()];
    for output in function.outputs() {
        uses[output.value.index()].push(order.len());
    }
    for (place, &node) in order.iter().enumerate().rev() {
        for arg in function.args(node).iter().filter(|arg| is_value(arg)) {
            if uses[arg.index()].last() != Some(&place) {
                uses[arg.index()].push(place);
            }
        }
    }
    // The values in registers; and for each node whether memory has its value.
    let mut held: Vec<NodeId> = Vec::new();
    let mut is_kept = vec![false; function.len()];
    function.inputs().iter().for_each(|input| is_kept[input.node.index()] = true);
    let mut transfers = 0;
    for (place, &node) in order.iter().enumerate() {
        let mut args: Vec<NodeId> = function.args(node).iter().copied().filter(is_value).collect();
        args.sort_unstable();
        args.dedup();
        for &arg in &args {
            if !held.contains(&arg) {
                transfers += 1;
                held.push(arg);
            }
        }
        for &arg in &args {
            uses[arg.index()].pop();
            debug_assert!(uses[arg.index()].last().is_none_or(|&next| next > place));
        }
        held.push(node);
        held.retain(|value| !uses[value.index()].is_empty());
        while held.len() > REGISTERS {
            let next = |i: &usize| uses[held[*i].index()].last().copied();
            let last = (0..held.len()).max_by_key(next).expect("it is not empty");
            let leaves = held.swap_remove(last);
            if !std::mem::replace(&mut is_kept[leaves.index()], true) {
                transfers += 1;
            }
        }
    }
    transfers
}
