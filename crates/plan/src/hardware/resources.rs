//! The adders, registers and area of a plan.

use super::delay::{DelayModel, Ticks};
use super::net::{Cell, Net};
use super::schedule::Register;
use manylane_graph::extract::{Extractor, Line};
use manylane_graph::{Function, NodeId, Op, Role};
use serde::Serialize;
use std::collections::HashSet;
use std::ops::AddAssign;

/// The adders, registers and area of a part of the hardware.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Resources {
    /// Number of carry-propagate adders, each of one word.
    pub adders: usize,
    /// Number of rows of 3:2 compressors, each of one word.
    pub compressors: usize,
    /// Number of bits of registers.
    pub register_bits: u64,
    /// Area in the delay model's units, registers included.
    pub area: f64,
}

impl AddAssign for Resources {
    fn add_assign(&mut self, other: Self) {
        self.adders += other.adders;
        self.compressors += other.compressors;
        self.register_bits += other.register_bits;
        self.area += other.area;
    }
}

impl Resources {
    /// The resources of `count` copies.
    pub(super) fn times(self, count: usize) -> Self {
        Self {
            adders: self.adders * count,
            compressors: self.compressors * count,
            register_bits: self.register_bits * count as u64,
            area: self.area * count as f64,
        }
    }

    /// The resources of a net's operations and of the registers of its schedule.
    pub(super) fn of_net(net: &Net<'_>, registers: &[Register], model: &DelayModel) -> Self {
        let mut all = Self::default();
        for signal in &net.signals {
            match signal.cell {
                Cell::Input(_) => {}
                Cell::Node(node) => {
                    all.area += model.area(net.body.function.op(node), signal.width)
                }
                Cell::Add => {
                    all.adders += 1;
                    all.area += model.area(Op::Add, signal.width);
                }
                // A 3:2 row is counted at its sum bits.
                Cell::HalfSum | Cell::HalfCarry | Cell::CarryBits => {}
                Cell::SumBits => {
                    all.compressors += 1;
                    all.area += model.compress_area(signal.width);
                }
            }
        }
        all += Self::of_registers(registers.iter().map(|r| r.total_bits()).sum(), model);
        all
    }

    /// The resources of registers alone.
    pub(super) fn of_registers(bits: u64, model: &DelayModel) -> Self {
        let area = bits as f64 * model.register_area;
        Self { register_bits: bits, area, ..Self::default() }
    }

    /// The resources of operations, counted as they are written.
    pub(super) fn of_nodes(
        function: &Function,
        nodes: impl Iterator<Item = NodeId>,
        model: &DelayModel,
    ) -> Self {
        let mut all = Self::default();
        for node in nodes {
            let op = function.op(node);
            all.adders += usize::from(op == Op::Add) * function.args(node).len().saturating_sub(1);
            all.area += model.area(op, function.width(node));
        }
        all
    }
}

/// The resources of the parts and of the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Totals {
    /// The largest block of every stage, with the state; a stage's other blocks are not counted.
    pub rounds: Resources,
    /// The registers of message words and, if there is one, the message schedule, in all stages.
    pub message: Resources,
    /// The words of the key that are inputs, such as a cipher's round keys: all stages read the
    /// same registers, and no block loads them anew.
    pub key: Resources,
    /// The operations on message and constants that are computed ahead, and their registers.
    pub prepared: Resources,
    /// The operations after the last step, such as the addition of the chaining value, and the
    /// registers of the chaining value in all stages.
    pub ending: Resources,
    /// The sum of all parts.
    pub all: Resources,
}

/// The number of bits of the inputs of a role that are needed after the first clock.
pub(super) fn kept_inputs(
    extractor: &Extractor<'_>,
    rounds: &[Line],
    merge: usize,
    role: Role,
) -> u64 {
    let function = extractor.function();
    let words = |step: usize| rounds.iter().flat_map(move |line| line.states[step].iter().copied());
    let mut early = ancestors(function, words(merge));
    early.extend(ancestors(function, words(0)));
    let users = function.users();
    let kept = function.inputs().iter().filter(|input| input.role == role).filter(|input| {
        let used_late = users[input.node.index()].iter().any(|user| !early.contains(user));
        let is_output = function.outputs().iter().any(|output| output.value == input.node);
        used_late || is_output
    });
    kept.map(|input| u64::from(function.width(input.node))).sum()
}

/// The nodes `of` and all nodes that they are computed from.
fn ancestors(function: &Function, of: impl Iterator<Item = NodeId>) -> HashSet<NodeId> {
    let mut all: HashSet<NodeId> = HashSet::new();
    let mut open: Vec<NodeId> = of.collect();
    while let Some(node) = open.pop() {
        if all.insert(node) {
            open.extend(function.args(node));
        }
    }
    all
}

/// The operations outside of the steps.
pub(super) struct Outside {
    /// Their nodes, in order of computation.
    pub(super) nodes: Vec<NodeId>,
    /// The delay of the longest path through them.
    longest: Ticks,
}

impl Outside {
    /// Collects those of `nodes` that are operations; they are in order of computation.
    fn new(function: &Function, nodes: impl Iterator<Item = NodeId>, model: &DelayModel) -> Self {
        let mut all = Self { nodes: Vec::new(), longest: 0 };
        let mut end: Vec<Ticks> = vec![0; function.len()];
        for node in nodes.filter(|&node| function.op(node).is_work()) {
            let ready = function.args(node).iter().map(|arg| end[arg.index()]).max().unwrap_or(0);
            end[node.index()] = ready + model.delay(function.op(node), function.width(node));
            all.longest = all.longest.max(end[node.index()]);
            all.nodes.push(node);
        }
        all
    }

    /// Number of clocks that they take if each clock has `logic` time for logic.
    pub(super) fn clocks(&self, logic: Ticks) -> usize {
        match self.nodes.is_empty() {
            true => 0,
            // Where no step takes any time, one clock is enough.
            false if self.longest == 0 || logic == 0 => 1,
            false => (self.longest as u64).div_ceil(logic as u64) as usize,
        }
    }
}

/// The operations that compute the state before the first step.
pub(super) fn opening(function: &Function, rounds: &[Line], model: &DelayModel) -> Outside {
    let first = rounds.iter().flat_map(|line| line.states[0].iter().copied());
    let before = ancestors(function, first);
    Outside::new(function, function.nodes().filter(|node| before.contains(node)), model)
}

/// The operations after the last step.
pub(super) fn ending(function: &Function, rounds: &[Line], model: &DelayModel) -> Outside {
    let last = rounds.iter().flat_map(|line| line.states[line.len()].iter().copied());
    let before = ancestors(function, last.clone());
    let mut dependent: HashSet<NodeId> = last.collect();
    let mut after = Vec::new();
    for node in function.nodes().filter(|node| !before.contains(node)) {
        if function.args(node).iter().any(|arg| dependent.contains(arg)) {
            dependent.insert(node);
            after.push(node);
        }
    }
    Outside::new(function, after.into_iter(), model)
}
