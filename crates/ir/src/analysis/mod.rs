//! Measures how much of a graph can run at the same time.
//!
//! **Work** is the cost of all nodes, **span** that of the critical path: no machine is faster than
//! the span, and p equal processors are no faster than work/p. Their quotient is how many
//! processors can be kept busy on average. The caller says what a node costs: 1 for each operation,
//! cycles of a core, or delays of gates.
//!
//! Where every operation takes 1, the analysis also counts operations by kind, gives the width
//! profile and the figures of the steps, and says which steps the longest chain goes through.

mod chain;
mod contraction;
mod operations;
mod steps;

pub use chain::Chain;
pub use contraction::{Contraction, Edge, Unit};
pub use operations::OperationCount;
pub use steps::{StepKind, kinds, thousandths};

use crate::ir::{Function, NodeId};

/// Work, span and the earliest end of every node.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// Cost of all nodes.
    pub work: f64,
    /// Cost of the critical path.
    pub span: f64,
    /// For each node, the cost of the most expensive path that ends with it.
    pub end: Vec<f64>,
}

impl Timing {
    /// The timing of a function whose nodes cost `cost`.
    pub fn of(function: &Function, cost: impl Fn(NodeId) -> f64) -> Self {
        let mut timing = Self { work: 0.0, span: 0.0, end: Vec::with_capacity(function.len()) };
        for node in function.nodes() {
            let cost = cost(node);
            let start = function.args(node).iter().map(|arg| timing.end[arg.index()]);
            let end = start.fold(0.0, f64::max) + cost;
            timing.work += cost;
            timing.span = timing.span.max(end);
            timing.end.push(end);
        }
        timing
    }

    /// The timing when every operation takes 1.
    pub fn unit(function: &Function) -> Self {
        Self::of(function, |node| if function.op(node).is_work() { 1.0 } else { 0.0 })
    }

    /// The number of operations that begin at each time when every one begins as soon as it can,
    /// for a timing by [`Timing::unit`]. As many entries as the span; their sum is the work.
    pub fn width_profile(&self, function: &Function) -> Vec<usize> {
        let mut profile = vec![0; self.span as usize];
        for node in function.nodes().filter(|&node| function.op(node).is_work()) {
            profile[self.end[node.index()] as usize - 1] += 1;
        }
        profile
    }

    /// Work/span, 0 for a function without work.
    pub fn parallelism(&self) -> f64 {
        if self.span > 0.0 { self.work / self.span } else { 0.0 }
    }
}
