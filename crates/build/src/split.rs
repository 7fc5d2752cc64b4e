//! Who does what in a program for two cores, in names of steps.

use manylane_graph::roll::Region;
use manylane_graph::{Function, NodeId};
use manylane_plan::program::{Action, Part, Program};
use manylane_plan::two_core::folded::{Folded, numbers};
use manylane_plan::units::{Level, Units};
use serde::Serialize;
use std::collections::BTreeSet;

/// A part of a call of a program for two cores, straight or repeated. The fields are those of
/// `manylane plan --json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SplitPart {
    /// How often it runs, 1 or more. Steps are those of its first iteration.
    pub times: usize,
    /// The steps of each core, folded as in [`Folded`]; `nothing` if it has none.
    pub cores: [Vec<String>; 2],
}

/// The parts of a program's call, in order; nothing if one core computes all of it.
pub fn split(program: &Program) -> Vec<SplitPart> {
    if program.processors < 2 {
        return Vec::new();
    }
    let regions = program.rolled.regions.iter().zip(&program.parts);
    let part = |(region, parts): (&Region, &Vec<Part>)| {
        let Part { before, each, after, .. } = &parts[1];
        let of_second: BTreeSet<NodeId> = [before, each, after]
            .into_iter()
            .flatten()
            .filter_map(|action| match action {
                Action::Compute(node) => Some(*node),
                Action::Send(_) | Action::Receive(_) => None,
            })
            .collect();
        let units = Units::of(&region.body, Level::Node);
        let is_second = |nodes: &[NodeId]| nodes.iter().any(|node| of_second.contains(node));
        let cores: Vec<u8> =
            units.units.iter().map(|unit| u8::from(is_second(&unit.nodes))).collect();
        let folded = Folded::new(&region.body, &units, &cores);
        let of = |core: usize| match cores.iter().all(|&of| usize::from(of) == core) {
            true => outermost(&region.body, &units),
            false => folded.of(core).into_iter().map(outside).collect(),
        };
        SplitPart { times: region.times, cores: [0, 1].map(of) }
    };
    regions.map(part).collect()
}

/// An entry, with an addition if it counts operations that lie in no step.
fn outside(entry: String) -> String {
    match entry.ends_with(" operations") {
        true => entry + " outside of steps",
        false => entry,
    }
}

/// The outermost steps of all units, folded, for a core that computes all of them.
fn outermost(function: &Function, units: &Units) -> Vec<String> {
    let mut names: Vec<(&str, BTreeSet<u32>)> = Vec::new();
    let mut has_others = false;
    for unit in &units.units {
        let path = function.path(unit.step);
        let Some(outer) = path.iter().find(|&&step| !function.is_frame(step)) else {
            has_others = true;
            continue;
        };
        let step = &function.steps()[outer.index()];
        match names.iter_mut().find(|(name, _)| *name == step.name) {
            Some((_, indices)) => _ = indices.insert(step.index),
            None => names.push((&step.name, BTreeSet::from([step.index]))),
        }
    }
    let others = (has_others || names.is_empty()).then(|| "operations outside of steps".to_owned());
    let entry = |(name, indices): (&str, BTreeSet<u32>)| {
        format!("{name}[{}]", numbers(indices.into_iter()))
    };
    names.into_iter().map(entry).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_outside_of_steps_are_said_to_be() {
        assert_eq!(outside("3 of 4 operations".to_owned()), "3 of 4 operations outside of steps");
        assert_eq!(outside("the rest".to_owned()), "the rest");
    }
}
