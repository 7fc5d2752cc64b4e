//! The pass `amounts`, which turns the amounts of rotations into words where they differ from round
//! to round.

use super::Rewriter;
use crate::builder::Builder;
use crate::ir::{Function, NodeId, Op, StepId};
use std::collections::HashMap;

/// Where rotations at the same place of steps of one name differ in their amounts, replaces them by
/// rotations by a constant word. `None` if there are none.
///
/// ```text
///   round[0]  rotl(x, 7)         rotl(x, by 7)
///   round[1]  rotl(x, 12)  ──►   rotl(x, by 12)    a loop of one round: its table has the amount
/// ```
///
/// The loops of MD5 then have one round in an iteration instead of four, and RIPEMD, whose amounts
/// follow no pattern, has loops at all. The function should be literal ([`Builder::literal`]), and
/// the result is.
pub fn amounts(function: &Function) -> Option<Function> {
    let differ = differing(function);
    if !differ.contains(&true) {
        return None;
    }
    let builder = Builder::literal(&function.name);
    let rewritten = Rewriter::with(function, builder).run(|r, node, args| {
        let left = match rotated_left(r.from, node) {
            Some(left) if differ[node.index()] => left,
            _ => return r.copy(node, args),
        };
        let by = r.builder.constant(left.into(), r.from.width(node));
        r.builder.op(Op::RotlVar, &[args[0], by])
    });
    Some(rewritten)
}

/// How far a rotation by a fixed amount rotates left.
fn rotated_left(function: &Function, node: NodeId) -> Option<u8> {
    match function.op(node) {
        Op::Rotl(by) => Some(by),
        Op::Rotr(by) => Some(function.width(node) - by),
        _ => None,
    }
}

/// For each node whether it is a rotation with another amount than one at the same place of a step
/// of the same name.
fn differing(function: &Function) -> Vec<bool> {
    // The number of rotations of each outermost step so far.
    let mut count: HashMap<StepId, usize> = HashMap::new();
    let mut places: HashMap<(&str, usize), Vec<NodeId>> = HashMap::new();
    for node in function.nodes().filter(|&node| rotated_left(function, node).is_some()) {
        let step = function.ancestor(function.step(node), 1);
        let before = count.entry(step).or_default();
        let name = &function.steps()[step.index()].name[..];
        if step != StepId::ROOT {
            places.entry((name, *before)).or_default().push(node);
        }
        *before += 1;
    }
    let mut differ = vec![false; function.len()];
    for nodes in places.values() {
        let amount = |node: &NodeId| rotated_left(function, *node);
        if nodes.iter().any(|node| amount(node) != amount(&nodes[0])) {
            nodes.iter().for_each(|node| differ[node.index()] = true);
        }
    }
    differ
}
