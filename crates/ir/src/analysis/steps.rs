//! The figures of a function's steps, with steps of one name together: their work, their span, and
//! what one more step would cost.

use super::{Chain, Timing};
use crate::ir::{Function, Kind, StepId};
use serde::{Serialize, Serializer};

/// All steps of one name, such as every `round`, or every `round/g`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepKind {
    /// The names from the outermost step to these steps, with `/` between; empty for the operations
    /// outside all steps.
    pub name: String,
    /// The kind of the steps; `None` for the operations outside all steps.
    #[serde(serialize_with = "by_name")]
    pub kind: Option<Kind>,
    /// Number of the steps.
    pub count: usize,
    /// Number of operations of all the steps, substeps included.
    pub work: usize,
    /// The fewest operations of one step.
    pub least_work: usize,
    /// The most operations of one step.
    pub most_work: usize,
    /// Each step alone has a longest chain, in operations, when all values from outside are
    /// available: the shortest of these chains over all the steps.
    pub least_span: usize,
    /// The longest of these chains over all the steps.
    pub most_span: usize,
    /// Mean number of operations of one step at the same time: the work of all steps over the sum
    /// of their spans.
    pub parallelism: f64,
    /// How many of the steps some longest chain of the whole function goes through.
    pub critical: usize,
    /// How many of their operations are on one longest chain of the whole function.
    pub on_chain: usize,
    /// Mean time from the end of one step to the end of the next in the whole function, over the
    /// second half of the steps: what one more step would cost. `None` for substeps and for fewer
    /// than four steps.
    pub growth: Option<f64>,
}

fn by_name<S: Serializer>(kind: &Option<Kind>, to: S) -> Result<S::Ok, S::Error> {
    kind.map(Kind::name).serialize(to)
}

/// Rounds to three digits after the point, which is what is printed.
pub fn thousandths(x: f64) -> f64 {
    (1000.0 * x).round() / 1000.0
}

/// The figures of one step.
#[derive(Clone, Copy, Debug, Default)]
struct Figures {
    work: usize,
    span: usize,
    on_chain: usize,
    critical: bool,
    /// The time at which its last operation ends, in the whole function.
    end: f64,
}

/// The kinds of steps of a function in the order in which they first occur, with kinds of substeps
/// after the kind around them; operations outside all steps come last. Steps without operations are
/// left out.
pub fn kinds(function: &Function, timing: &Timing, chain: &Chain) -> Vec<StepKind> {
    let figures = figures(function, timing, chain);
    // For each name the steps that have operations, in the order of their first occurrence.
    let mut named: Vec<(String, Vec<StepId>)> = Vec::new();
    for step in (0..figures.len() as u32).map(StepId) {
        if figures[step.index()].work == 0 {
            continue;
        }
        let name = kind_name(function, step);
        match named.iter_mut().find(|(known, _)| *known == name) {
            Some((_, steps)) => steps.push(step),
            None => named.push((name, vec![step])),
        }
    }
    order(&mut named);
    let kind = |(name, steps): (String, Vec<StepId>)| {
        let of = |step: &StepId| figures[step.index()];
        let sum = |f: fn(&Figures) -> usize| steps.iter().map(|step| f(&of(step))).sum::<usize>();
        let least = |f: fn(&Figures) -> usize| steps.iter().map(|step| f(&of(step))).min();
        let most = |f: fn(&Figures) -> usize| steps.iter().map(|step| f(&of(step))).max();
        let work = sum(|f| f.work);
        let ends: Vec<f64> = steps.iter().map(|step| of(step).end).collect();
        let first = &function.steps()[steps[0].index()];
        StepKind {
            kind: (!name.is_empty()).then_some(first.kind),
            count: steps.len(),
            work,
            least_work: least(|f| f.work).unwrap_or(0),
            most_work: most(|f| f.work).unwrap_or(0),
            least_span: least(|f| f.span).unwrap_or(0),
            most_span: most(|f| f.span).unwrap_or(0),
            parallelism: thousandths(work as f64 / sum(|f| f.span) as f64),
            critical: sum(|f| f.critical.into()),
            on_chain: sum(|f| f.on_chain),
            growth: (!name.is_empty() && !name.contains('/')).then(|| growth(&ends)).flatten(),
            name,
        }
    };
    named.into_iter().map(kind).collect()
}

/// The mean distance between four or more ends, over the second half of them, because the first
/// steps may have nothing to wait for yet.
fn growth(ends: &[f64]) -> Option<f64> {
    let half = ends.len() / 2;
    let distance = ends.last()? - ends[half];
    (ends.len() >= 4).then(|| thousandths(distance / (ends.len() - 1 - half) as f64))
}

/// Puts kinds of substeps after the kind around them, and operations outside all steps last.
fn order(named: &mut [(String, Vec<StepId>)]) {
    let first = |name: &str| named.iter().position(|(known, _)| known == name);
    let place = |name: &str| {
        let ends = name.match_indices('/').map(|(at, _)| at).chain([name.len()]);
        ends.map(|end| first(&name[..end]).unwrap_or(usize::MAX)).collect::<Vec<_>>()
    };
    let places: std::collections::HashMap<String, (bool, Vec<usize>)> =
        named.iter().map(|(name, _)| (name.clone(), (name.is_empty(), place(name)))).collect();
    named.sort_by_key(|(name, _)| places[name].clone());
}

/// The names on the path of a step.
fn kind_name(function: &Function, step: StepId) -> String {
    let path = function.path(step);
    let names: Vec<&str> = path.iter().map(|id| &function.steps()[id.index()].name[..]).collect();
    names.join("/")
}

/// The figures of every step; those of the root count only the operations outside all steps.
fn figures(function: &Function, timing: &Timing, chain: &Chain) -> Vec<Figures> {
    let paths: Vec<Vec<StepId>> =
        (0..function.steps().len() as u32).map(|step| function.path(StepId(step))).collect();
    let around = |step: StepId, depth: usize| match paths[step.index()].get(depth) {
        Some(&at) => Some(at),
        None if depth == 0 => Some(StepId::ROOT),
        None => None,
    };
    let depths = paths.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let mut figures = vec![Figures::default(); function.steps().len()];
    for depth in 0..depths {
        // For each node, when it ends if its step begins at time 0.
        let mut ends = vec![0; function.len()];
        for node in function.nodes().filter(|&node| function.op(node).is_work()) {
            let Some(step) = around(function.step(node), depth) else { continue };
            let same = function.args(node).iter().filter(|arg| {
                function.op(**arg).is_work() && around(function.step(**arg), depth) == Some(step)
            });
            let end = 1 + same.map(|arg| ends[arg.index()]).max().unwrap_or(0);
            ends[node.index()] = end;
            let figures = &mut figures[step.index()];
            figures.work += 1;
            figures.span = figures.span.max(end);
            figures.critical |= chain.critical[node.index()];
            figures.end = figures.end.max(timing.end[node.index()]);
        }
        for &node in &chain.nodes {
            if let Some(step) = around(function.step(node), depth) {
                figures[step.index()].on_chain += 1;
            }
        }
    }
    figures
}
