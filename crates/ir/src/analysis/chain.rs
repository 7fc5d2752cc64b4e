//! The longest chains of operations of a function, and the nodes through which they go.

use super::Timing;
use crate::ir::{Function, NodeId};

/// The longest chains of a function when every operation takes 1 unit of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// One longest chain, from its first operation to its last.
    pub nodes: Vec<NodeId>,
    /// For each node, whether some longest chain goes through it, so that the whole function would
    /// take longer if the node began later.
    pub critical: Vec<bool>,
}

impl Chain {
    /// The longest chains of a function; `timing` is its timing by [`Timing::unit`].
    pub fn of(function: &Function, timing: &Timing) -> Self {
        let cost = |node| if function.op(node).is_work() { 1.0 } else { 0.0 };
        let mut late = vec![timing.span; function.len()];
        for node in function.nodes().rev() {
            let start = late[node.index()] - cost(node);
            for arg in function.args(node) {
                late[arg.index()] = late[arg.index()].min(start);
            }
        }
        let is_critical =
            |node: NodeId| cost(node) > 0.0 && timing.end[node.index()] == late[node.index()];
        let critical: Vec<bool> = function.nodes().map(is_critical).collect();

        // Among equally long chains, takes the one that stays in the same step, then the first in
        // the graph.
        let last = function
            .nodes()
            .filter(|node| critical[node.index()])
            .find(|node| timing.end[node.index()] == timing.span);
        let mut nodes: Vec<NodeId> = last.into_iter().collect();
        while let Some(&node) = nodes.last() {
            let before = timing.end[node.index()] - cost(node);
            let reaches = |arg: &&NodeId| timing.end[arg.index()] == before;
            let next = function.args(node).iter().filter(reaches).min_by_key(|&&arg| {
                (!critical[arg.index()], function.step(arg) != function.step(node), arg)
            });
            match next {
                Some(&next) if before > 0.0 => nodes.push(next),
                _ => break,
            }
        }
        nodes.retain(|&node| function.op(node).is_work());
        nodes.reverse();
        Self { nodes, critical }
    }
}
