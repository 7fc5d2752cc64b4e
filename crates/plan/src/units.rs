//! Units: the parts of a graph that a plan places as a whole.
//!
//! ```text
//! round[0]/g[0] ─┐          a unit per innermost step,
//! round[0]/g[1] ─┼─► ⊕ ─►   one per operation outside all of them
//! ```
//!
//! The units are numbered in an order of computation. Steps that would wait for each other in a
//! circle are taken apart into operations, so the graph of units has no cycle.

use crate::csr::Csr;
use manylane_graph::{Function, NodeId, Op, StepId};
use serde::Serialize;
use std::collections::HashMap;

/// How coarse the units are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// A unit per outermost step of a block, such as a round.
    Step,
    /// A unit per innermost step, such as a column of a round.
    #[default]
    Substep,
    /// A unit per operation.
    Node,
}

impl Level {
    /// All of them, the coarsest first.
    pub const ALL: [Self; 3] = [Self::Step, Self::Substep, Self::Node];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Substep => "substep",
            Self::Node => "node",
        }
    }
}

/// A part of a graph that one core does in one piece.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unit {
    /// The step's path; that of the step around and the node's number for an operation.
    pub name: String,
    /// Which 32-bit lane of the step's 128-bit planes, if it is a part of them only.
    pub lane: Option<u32>,
    /// The step.
    #[serde(skip)]
    pub step: StepId,
    /// What is done, in order.
    #[serde(skip)]
    pub nodes: Vec<NodeId>,
}

/// All units of a function.
#[derive(Clone, Debug)]
pub struct Units {
    /// The function's name.
    pub function: String,
    /// In an order of computation.
    pub units: Vec<Unit>,
    /// For each unit, those whose values it takes, each once.
    pub before: Csr,
    /// For each unit, those that take its values.
    pub after: Csr,
}

/// The outermost steps around blocks, which are no steps of a primitive.
const FRAMES: [&str; 8] = [
    "block",
    "output",
    "key block",
    "key output",
    "inner key block",
    "inner output",
    "outer key block",
    "outer block",
];

impl Units {
    /// The units of `function` at a level.
    ///
    /// # Panics
    /// If the function calls others: inline it first.
    pub fn of(function: &Function, level: Level) -> Self {
        let mut groups = groups(function, level);
        loop {
            let edges = edges(function, &groups);
            let cyclic = cyclic(groups.count, &edges);
            if cyclic.iter().all(|&cyclic| !cyclic) {
                return build(function, &groups);
            }
            groups.take_apart(function, &cyclic);
        }
    }

    /// Number of units.
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }
}

/// Which nodes go together.
struct Groups {
    /// By node; `None` for what is no work.
    of: Vec<Option<u32>>,
    count: usize,
    /// By group: whether it is the nodes that lie directly in a step with substeps.
    direct: Vec<bool>,
}

impl Groups {
    /// Makes groups of single nodes out of cyclic ones: of the direct ones if there are any.
    fn take_apart(&mut self, function: &Function, cyclic: &[bool]) {
        let direct = (0..self.count).any(|group| cyclic[group] && self.direct[group]);
        let apart: Vec<bool> =
            (0..self.count).map(|group| cyclic[group] && self.direct[group] == direct).collect();
        for node in function.nodes() {
            if self.of[node.index()].is_some_and(|group| apart[group as usize]) {
                self.of[node.index()] = Some(self.count as u32);
                self.direct.push(false);
                self.count += 1;
            }
        }
    }
}

/// Whether a step is the root or stands around a block or an output block.
pub fn is_frame(function: &Function, step: StepId) -> bool {
    step == StepId::ROOT || FRAMES.contains(&function.steps()[step.index()].name.as_str())
}

fn groups(function: &Function, level: Level) -> Groups {
    let steps = function.steps();
    let mut has_substeps = vec![false; steps.len()];
    for step in &steps[1..] {
        has_substeps[step.parent.index()] = true;
    }
    // The outermost step around each that is no frame.
    let mut outermost: Vec<StepId> = Vec::with_capacity(steps.len());
    for (i, step) in steps.iter().enumerate() {
        let this = StepId(i as u32);
        let inherits = i > 0 && !is_frame(function, step.parent);
        outermost.push(if inherits { outermost[step.parent.index()] } else { this });
    }
    let mut groups = Groups { of: vec![None; function.len()], count: 0, direct: Vec::new() };
    let mut of_step: HashMap<StepId, u32> = HashMap::new();
    for node in function.nodes() {
        let op = function.op(node);
        assert!(!matches!(op, Op::Call(_)), "inline the calls of {} first", function.name);
        if !op.is_work() {
            continue;
        }
        let step = function.step(node);
        let key = match level {
            Level::Node => None,
            _ if is_frame(function, step) => None,
            Level::Step => Some(outermost[step.index()]),
            Level::Substep => Some(step),
        };
        let mut new = |direct| {
            groups.direct.push(direct);
            groups.count += 1;
            groups.count as u32 - 1
        };
        let group = match key {
            None => new(false),
            Some(step) => *of_step
                .entry(step)
                .or_insert_with(|| new(level == Level::Substep && has_substeps[step.index()])),
        };
        groups.of[node.index()] = Some(group);
    }
    groups
}

/// Edges between different groups, each once.
fn edges(function: &Function, groups: &Groups) -> Vec<(u32, u32)> {
    let mut edges = Vec::new();
    for node in function.nodes() {
        let Some(to) = groups.of[node.index()] else { continue };
        let from = function.args(node).iter().filter_map(|arg| groups.of[arg.index()]);
        edges.extend(from.filter(|&from| from != to).map(|from| (from, to)));
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Which groups lie on a cycle: strongly connected components of more than one (Tarjan).
fn cyclic(count: usize, edges: &[(u32, u32)]) -> Vec<bool> {
    const NEW: u32 = u32::MAX;
    let after = Csr::new(count, edges);
    let (mut index, mut low) = (vec![NEW; count], vec![0; count]);
    let (mut on_stack, mut cyclic) = (vec![false; count], vec![false; count]);
    let (mut stack, mut next) = (Vec::new(), 0);
    for root in 0..count {
        let mut path: Vec<(usize, usize)> = Vec::new();
        if index[root] == NEW {
            path.push((root, 0));
        }
        while let Some(&(v, edge)) = path.last() {
            if edge == 0 {
                (index[v], low[v]) = (next, next);
                next += 1;
                stack.push(v);
                on_stack[v] = true;
            }
            if let Some(&w) = after.of(v).get(edge) {
                path.last_mut().expect("v is there").1 += 1;
                let w = w as usize;
                if index[w] == NEW {
                    path.push((w, 0));
                } else if on_stack[w] {
                    low[v] = low[v].min(index[w]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent] = low[parent].min(low[v]);
            }
            if low[v] == index[v] {
                let start = stack.iter().rposition(|&w| w == v).expect("v is on the stack");
                let alone = stack.len() - start == 1;
                for w in stack.drain(start..) {
                    on_stack[w] = false;
                    cyclic[w] = !alone;
                }
            }
        }
    }
    cyclic
}

/// The step of JH that works on half of its 128-bit planes, and so on two of four 32-bit lanes.
const HALF: &str = "half";

fn build(function: &Function, groups: &Groups) -> Units {
    let edges = edges(function, groups);
    let order = topological(groups.count, &edges);
    let mut members: Vec<Vec<NodeId>> = vec![Vec::new(); groups.count];
    for node in function.nodes() {
        if let Some(group) = groups.of[node.index()] {
            members[group as usize].push(node);
        }
    }
    let mut work_in = vec![0; function.steps().len()];
    for node in members.iter().flatten() {
        work_in[function.step(*node).index()] += 1;
    }
    let mut units: Vec<Unit> = Vec::new();
    // By group: its first unit, and how many.
    let mut of_group = vec![(0u32, 0u32); groups.count];
    for &group in &order {
        let nodes = &members[group as usize];
        let step = function.step(nodes[0]);
        let (step_name, index) =
            (&function.steps()[step.index()].name, function.steps()[step.index()].index);
        let lanes = if step_name == HALF { 2 } else { 1 };
        let path = function.path_name(step);
        let name = match nodes[..] {
            [node] if work_in[step.index()] > 1 || is_frame(function, step) => {
                format!("{path}/{node}").trim_start_matches('/').to_owned()
            }
            _ => path,
        };
        of_group[group as usize] = (units.len() as u32, lanes);
        for lane in 0..lanes {
            units.push(Unit {
                name: name.clone(),
                lane: (lanes == 2).then_some(2 * index + lane),
                step,
                nodes: nodes.clone(),
            });
        }
    }
    let edges = unit_edges(function, groups, &of_group);
    let (before, after) = (Csr::reversed(units.len(), &edges), Csr::new(units.len(), &edges));
    Units { function: function.name.clone(), units, before, after }
}

/// Values go from lane to the same lane; a rotation of 64-bit words by 32 is no work, and takes the
/// other lane's value.
fn unit_edges(function: &Function, groups: &Groups, of_group: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut edges = Vec::new();
    for node in function.nodes() {
        let Some(to) = groups.of[node.index()] else { continue };
        let (to, to_lanes) = of_group[to as usize];
        for &arg in function.args(node) {
            let Some(from) = groups.of[arg.index()] else { continue };
            let (from, from_lanes) = of_group[from as usize];
            if from == to {
                continue;
            }
            let crosses = u32::from(function.op(arg) == Op::Rotl(32));
            for a in 0..from_lanes {
                for b in 0..to_lanes {
                    if from_lanes != to_lanes || from_lanes == 1 || a ^ crosses == b {
                        edges.push((from + a, to + b));
                    }
                }
            }
        }
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// An order in which no edge goes back, the smallest first where there is a choice.
fn topological(count: usize, edges: &[(u32, u32)]) -> Vec<u32> {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;
    let after = Csr::new(count, edges);
    let mut waits = vec![0; count];
    edges.iter().for_each(|&(_, to)| waits[to as usize] += 1);
    let free = (0..count as u32).filter(|&group| waits[group as usize] == 0);
    let mut free: BinaryHeap<Reverse<u32>> = free.map(Reverse).collect();
    let mut order = Vec::with_capacity(count);
    while let Some(Reverse(group)) = free.pop() {
        order.push(group);
        for &next in after.of(group as usize) {
            waits[next as usize] -= 1;
            if waits[next as usize] == 0 {
                free.push(Reverse(next));
            }
        }
    }
    order
}
