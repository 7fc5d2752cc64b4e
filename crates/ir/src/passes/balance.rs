//! The pass `balance`, which turns sums of many arguments into trees that are ready as early as
//! possible, to shorten the critical path.

use super::Rewriter;
use crate::ir::{Function, NodeId, Op};

/// Sums of many arguments as trees of binary ones, by arrival time: the two terms that are ready
/// first are always joined first, which makes the sum ready as early as any tree can.
///
/// `cost` gives the time of an operation on words of a width in bits; it is called only for
/// operations that are work ([`Op::is_work`]). Run [`flatten`](super::flatten) before, to have sums
/// of many arguments.
pub fn balance(function: &Function, cost: impl Fn(Op, u8) -> f64) -> Function {
    let mut arrival = Vec::new();
    Rewriter::new(function).run(|r, node, args| {
        let op = r.from.op(node);
        if !op.is_associative() {
            return r.copy(node, args);
        }
        let mut terms = args.to_vec();
        while terms.len() > 1 {
            note_arrivals(&mut arrival, r.builder.function(), &cost);
            // The sort is stable: of terms that are ready at the same time, the first in the text
            // is joined first.
            terms.sort_by(|x: &NodeId, y| arrival[x.index()].total_cmp(&arrival[y.index()]));
            let joined = r.builder.op(op, &terms[..2]);
            terms.drain(..2);
            terms.push(joined);
        }
        terms[0]
    })
}

/// Appends the arrival times of the nodes that were added since the last call.
fn note_arrivals(arrival: &mut Vec<f64>, function: &Function, cost: &impl Fn(Op, u8) -> f64) {
    for node in (arrival.len() as u32..function.len() as u32).map(NodeId) {
        let op = function.op(node);
        let start = function.args(node).iter().map(|arg| arrival[arg.index()]).fold(0.0, f64::max);
        let cost = if op.is_work() { cost(op, function.width(node)) } else { 0.0 };
        arrival.push(start + cost);
    }
}
