//! Units: the parts of a graph that a plan places as a whole.
//!
//! ```text
//! round[0]/g[0] ─┐          a unit per innermost step,
//! round[0]/g[1] ─┼─► ⊕ ─►   one per operation outside all of them
//! ```
//!
//! The units are numbered in an order of computation. Lanes of a step that would wait for each
//! other in a cycle are joined; other steps on a cycle are split into operations, so that the graph
//! of units has no cycle. Every operation lies in one unit.

use crate::csr::Csr;
use manylane_graph::ir::Step;
use manylane_graph::{Function, Kind, NodeId, Op, StepId};
use serde::Serialize;
use std::collections::HashMap;

/// How coarse the units are, the coarsest first.
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

manylane_primitives::names! { Level:
    /// Its name on the command line.
    Step "step", Substep "substep", Node "node",
}

/// A part of a graph that one core does in one piece.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unit {
    /// The step's path; for a single operation, the path of the step around it and the node's
    /// number.
    pub name: String,
    /// The end of the name, which corresponding units of all rounds have in common.
    #[serde(skip)]
    pub place: String,
    /// The step.
    #[serde(skip)]
    pub step: StepId,
    /// Its operations, in order.
    #[serde(skip)]
    pub nodes: Vec<NodeId>,
}

impl Unit {
    /// If the unit is a lane: its number among the lanes of all parts of the step around it, such
    /// as 0 to 3 over both halves of a round.
    pub fn lane(&self, function: &Function) -> Option<u32> {
        let is_lane = function.steps()[self.step.index()].kind == Kind::Lane;
        let depth = function.path(self.step).len().min(2);
        is_lane.then(|| number(function, self.step, depth))
    }
}

/// The number of a step among those that have the same names on the last `depth` steps of their
/// paths, and the same steps around: of lane l in half h of a round, 2h + l.
pub(crate) fn number(function: &Function, step: StepId, depth: usize) -> u32 {
    let path = function.path(step);
    path[path.len() - depth..].iter().fold(0, |number, id| {
        let step = &function.steps()[id.index()];
        let alike = |other: &&Step| other.parent == step.parent && other.name == step.name;
        let siblings = || function.steps()[1..].iter().filter(alike).count() as u32;
        let before = if number > 0 { number * siblings() } else { 0 };
        before + step.index
    })
}

/// All units of a function.
#[derive(Clone, Debug)]
pub struct Units {
    /// The function's name.
    pub function: String,
    /// The units, in an order of computation.
    pub units: Vec<Unit>,
    /// For each unit, those whose values it takes, each once.
    pub before: Csr,
    /// For each unit, those that take its values.
    pub after: Csr,
}

impl Units {
    /// The units of `function` at a level.
    ///
    /// # Panics
    /// If the function calls others: inline it first.
    pub fn of(function: &Function, level: Level) -> Self {
        let mut joined = vec![false; function.steps().len()];
        let mut groups = Groups::new(function, level, &joined);
        loop {
            let edges = edges(function, &groups);
            let cyclic = cyclic(groups.count(), &edges);
            if cyclic.iter().all(|&cyclic| !cyclic) {
                return build(function, &groups);
            }
            if groups.join_lanes(function, &cyclic, &mut joined) {
                groups = Groups::new(function, level, &joined);
            } else {
                groups.take_apart(function, &cyclic);
            }
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

/// The groups of nodes that are placed together.
struct Groups {
    /// The group of each node; `None` for what is no work.
    of: Vec<Option<u32>>,
    /// The description of each group.
    about: Vec<Group>,
}

/// The step, or part of a step, that a group is.
struct Group {
    /// The step that it is, unless it is an operation.
    step: Option<StepId>,
    /// Whether it consists of the nodes that lie directly, or in lanes, in a step with other
    /// substeps.
    direct: bool,
}

impl Groups {
    /// The groups of a level. The lanes of `joined` steps are one group.
    fn new(function: &Function, level: Level, joined: &[bool]) -> Self {
        let steps = function.steps();
        // The step that a lane is one of, or the step itself.
        let whole: Vec<StepId> = (0..steps.len() as u32)
            .map(|id| match steps[id as usize].kind {
                Kind::Lane => steps[id as usize].parent,
                _ => StepId(id),
            })
            .collect();
        let mut has_substeps = vec![false; steps.len()];
        for step in steps[1..].iter().filter(|step| step.kind != Kind::Lane) {
            has_substeps[step.parent.index()] = true;
        }
        // The outermost step around each that is no frame.
        let mut outermost: Vec<StepId> = Vec::with_capacity(steps.len());
        for (i, step) in steps.iter().enumerate() {
            let this = StepId(i as u32);
            let inherits = i > 0 && !function.is_frame(step.parent);
            outermost.push(if inherits { outermost[step.parent.index()] } else { this });
        }
        let mut groups = Self { of: vec![None; function.len()], about: Vec::new() };
        let mut of_step: HashMap<StepId, u32> = HashMap::new();
        for node in function.nodes() {
            let op = function.op(node);
            assert!(!matches!(op, Op::Call(_)), "inline the calls of {} first", function.name);
            if !op.is_work() {
                continue;
            }
            let step = function.step(node);
            let around = whole[step.index()];
            let key = match level {
                Level::Node => None,
                _ if function.is_frame(around) => None,
                Level::Step => Some(outermost[step.index()]),
                Level::Substep if joined[around.index()] => Some(around),
                Level::Substep => Some(step),
            };
            let direct = level == Level::Substep && has_substeps[around.index()];
            let group = match key {
                None => groups.add(Group { step: None, direct: false }),
                Some(step) => *of_step
                    .entry(step)
                    .or_insert_with(|| groups.add(Group { step: Some(step), direct })),
            };
            groups.of[node.index()] = Some(group);
        }
        groups
    }

    fn add(&mut self, group: Group) -> u32 {
        self.about.push(group);
        self.about.len() as u32 - 1
    }

    fn count(&self) -> usize {
        self.about.len()
    }

    /// Joins the lanes of every step that has a lane on a cycle. Returns whether there is such a
    /// step.
    fn join_lanes(&self, function: &Function, cyclic: &[bool], joined: &mut [bool]) -> bool {
        let mut any = false;
        for (group, _) in self.about.iter().zip(cyclic).filter(|(_, cyclic)| **cyclic) {
            let Some(step) = group.step else { continue };
            let step = &function.steps()[step.index()];
            if step.kind == Kind::Lane {
                joined[step.parent.index()] = true;
                any = true;
            }
        }
        any
    }

    /// Splits groups that lie on a cycle into single nodes; if some of them are direct, only these.
    fn take_apart(&mut self, function: &Function, cyclic: &[bool]) {
        let direct = (0..self.count()).any(|group| cyclic[group] && self.about[group].direct);
        let apart: Vec<bool> = (0..self.count())
            .map(|group| cyclic[group] && self.about[group].direct == direct)
            .collect();
        for node in function.nodes() {
            if self.of[node.index()].is_some_and(|group| apart[group as usize]) {
                let alone = self.add(Group { step: None, direct: false });
                self.of[node.index()] = Some(alone);
            }
        }
    }
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

/// Finds the groups that lie on a cycle: strongly connected components of more than one (Tarjan).
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

fn build(function: &Function, groups: &Groups) -> Units {
    let edges = edges(function, groups);
    let order = topological(groups.count(), &edges);
    let mut members: Vec<Vec<NodeId>> = vec![Vec::new(); groups.count()];
    for node in function.nodes() {
        if let Some(group) = groups.of[node.index()] {
            members[group as usize].push(node);
        }
    }
    let mut work_in = vec![0; function.steps().len()];
    for node in members.iter().flatten() {
        work_in[function.step(*node).index()] += 1;
    }
    // The number of the unit of each group.
    let mut unit_of = vec![0; groups.count()];
    let mut units: Vec<Unit> = Vec::with_capacity(groups.count());
    for &group in &order {
        unit_of[group as usize] = units.len() as u32;
        let nodes = std::mem::take(&mut members[group as usize]);
        let around = function.step(nodes[0]);
        let alone = work_in[around.index()] == 1 && !function.is_frame(around);
        let step = groups.about[group as usize].step.or(alone.then_some(around));
        units.push(unit(function, step, nodes));
    }
    let unit_of = |(from, to): (u32, u32)| (unit_of[from as usize], unit_of[to as usize]);
    let mut edges: Vec<(u32, u32)> = edges.into_iter().map(unit_of).collect();
    edges.sort_unstable();
    let (before, after) = (Csr::reversed(units.len(), &edges), Csr::new(units.len(), &edges));
    Units { function: function.name.clone(), units, before, after }
}

/// The unit of a step, or of one operation.
fn unit(function: &Function, step: Option<StepId>, nodes: Vec<NodeId>) -> Unit {
    let around = step.unwrap_or(function.step(nodes[0]));
    let mut name = function.path_name(around);
    if step.is_none() {
        name = format!("{name}/{}", nodes[0]).trim_start_matches('/').to_owned();
    }
    let is_lane = step.is_some_and(|step| function.steps()[step.index()].kind == Kind::Lane);
    // Lanes have the same names in all parts of a round.
    let last = name.rmatch_indices('/').nth(usize::from(is_lane));
    let place = name[last.map_or(0, |(at, _)| at + 1)..].to_owned();
    Unit { name, place, step: around, nodes }
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
