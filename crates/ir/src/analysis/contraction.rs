//! A function's graph contracted to units, each of operations of one step, so that a graph of
//! thousands of operations can be read.

use super::{Chain, Timing};
use crate::ir::{Function, StepId};
use std::collections::{BTreeMap, HashMap};

/// Operations of one step that are treated as one unit of work.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// The step.
    pub step: StepId,
    /// Number of its operations.
    pub work: usize,
    /// Operations on the longest chain inside the unit, with all values from other units available.
    pub span: usize,
    /// The earliest time at which its first operation begins, where every operation takes 1.
    pub start: usize,
    /// The earliest time at which its last operation ends.
    pub end: usize,
    /// Number of units on the longest chain of units that leads to it.
    pub layer: usize,
    /// Whether a longest chain of operations of the whole function goes through it.
    pub critical: bool,
}

/// Values that one unit makes and another takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The unit that makes them.
    pub from: usize,
    /// The unit that takes them, a later one.
    pub to: usize,
    /// Number of values. A value that several runs of the unit take counts once for each run.
    pub values: usize,
    /// Whether a longest chain of operations of the whole function goes along it.
    pub critical: bool,
}

/// A graph seen from a distance: its nodes are units, each of which stands for operations of one
/// step.
///
/// The nodes of a graph are in order of computation, so two runs of consecutive nodes never wait
/// for each other in a circle. A unit is the runs of one step that have the same layer. It takes
/// values from lower layers only, even where a step has operations before and after its substeps.
#[derive(Clone, Debug, PartialEq)]
pub struct Contraction {
    /// The units in order of layers.
    pub units: Vec<Unit>,
    /// The edges, sorted by the unit that takes the values, then by the one that makes them.
    pub edges: Vec<Edge>,
}

impl Contraction {
    /// The contraction to steps at `depth` (1 = outermost) and those that lie less deep; `timing`
    /// is the function's timing by [`Timing::unit`].
    pub fn at_depth(function: &Function, timing: &Timing, chain: &Chain, depth: usize) -> Self {
        let mut units: Vec<Unit> = Vec::new();
        let mut unit_of = vec![None; function.len()];
        // For each node, when it ends if its run begins at time 0.
        let mut ends = vec![0; function.len()];
        // For each pair of a run that takes values and a run that makes them: the values, and
        // whether they are critical.
        let mut edges: BTreeMap<(usize, usize), (Vec<u32>, bool)> = BTreeMap::new();
        let ancestors: Vec<StepId> = (0..function.steps().len() as u32)
            .map(|step| function.ancestor(StepId(step), depth))
            .collect();
        for node in function.nodes().filter(|&node| function.op(node).is_work()) {
            let step = ancestors[function.step(node).index()];
            let end = timing.end[node.index()] as usize;
            if units.last().is_none_or(|unit| unit.step != step) {
                let (start, critical) = (end - 1, false);
                units.push(Unit { step, work: 0, span: 0, start, end, layer: 0, critical });
            }
            let this = units.len() - 1;
            unit_of[node.index()] = Some(this);
            let mut own = 0;
            for &arg in function.args(node) {
                match unit_of[arg.index()] {
                    Some(from) if from == this => own = own.max(ends[arg.index()]),
                    Some(from) => {
                        let (values, critical) = edges.entry((this, from)).or_default();
                        values.push(arg.0);
                        *critical |= chain.critical[arg.index()]
                            && chain.critical[node.index()]
                            && timing.end[arg.index()] as usize == end - 1;
                        units[this].layer = units[this].layer.max(units[from].layer + 1);
                    }
                    None => {}
                }
            }
            ends[node.index()] = own + 1;
            let unit = &mut units[this];
            unit.work += 1;
            unit.span = unit.span.max(own + 1);
            unit.start = unit.start.min(end - 1);
            unit.end = unit.end.max(end);
            unit.critical |= chain.critical[node.index()];
        }
        let edges = edges.into_iter().map(|((to, from), (mut values, critical))| {
            values.sort_unstable();
            values.dedup();
            Edge { from, to, values: values.len(), critical }
        });
        merged(units, edges.collect())
    }

    /// The finest contraction of at most `most` units, or that of depth 1 if every deeper one has
    /// more.
    pub fn fitting(function: &Function, timing: &Timing, chain: &Chain, most: usize) -> Self {
        let depths =
            (0..function.steps().len() as u32).map(|step| function.path(StepId(step)).len());
        let deepest = depths.max().unwrap_or(0).max(1);
        let mut best = Self::at_depth(function, timing, chain, 1);
        for depth in 2..=deepest {
            let finer = Self::at_depth(function, timing, chain, depth);
            if finer.units.len() > most {
                break;
            }
            best = finer;
        }
        best
    }
}

/// Merges the runs of a step that have the same layer into one unit.
fn merged(runs: Vec<Unit>, between: Vec<Edge>) -> Contraction {
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.sort_by_key(|&run| runs[run].layer);
    let mut units: Vec<Unit> = Vec::new();
    let mut known: HashMap<(StepId, usize), usize> = HashMap::new();
    let mut unit_of = vec![0; runs.len()];
    for run in order {
        let part = &runs[run];
        let unit = *known.entry((part.step, part.layer)).or_insert(units.len());
        unit_of[run] = unit;
        match units.get_mut(unit) {
            None => units.push(part.clone()),
            Some(unit) => {
                unit.work += part.work;
                unit.span = unit.span.max(part.span);
                unit.start = unit.start.min(part.start);
                unit.end = unit.end.max(part.end);
                unit.critical |= part.critical;
            }
        }
    }
    let mut edges: BTreeMap<(usize, usize), (usize, bool)> = BTreeMap::new();
    for edge in between {
        let (values, critical) = edges.entry((unit_of[edge.to], unit_of[edge.from])).or_default();
        *values += edge.values;
        *critical |= edge.critical;
    }
    let edges = edges.into_iter();
    let edges = edges.map(|((to, from), (values, critical))| Edge { from, to, values, critical });
    Contraction { units, edges: edges.collect() }
}
