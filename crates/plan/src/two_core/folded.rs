//! Who does what: the steps of each core, in few words.
//!
//! Steps are folded: `round[0..13]/g[1..3]` is the same three substeps of fourteen rounds.

use crate::units::Units;
use manylane_graph::{Function, NodeId, StepId};
use std::collections::BTreeSet;
use std::fmt;

/// The steps of a function, and which core has what of each.
#[derive(Debug)]
pub struct Folded<'f> {
    function: &'f Function,
    /// By step: its substeps that have operations.
    substeps: Vec<Vec<StepId>>,
    /// By step and core: whether the core has an operation inside.
    inside: Vec<[bool; 2]>,
    /// By step and core: the core's operations that lie in the step itself and in none of its
    /// substeps.
    own: Vec<[BTreeSet<NodeId>; 2]>,
}

impl<'f> Folded<'f> {
    /// The steps of the units, each of which is computed by its core of `cores`.
    pub fn new(function: &'f Function, units: &Units, cores: &[u8]) -> Self {
        let count = function.steps().len();
        let mut folded = Self {
            function,
            substeps: vec![Vec::new(); count],
            inside: vec![[false; 2]; count],
            own: vec![Default::default(); count],
        };
        for (unit, &core) in units.units.iter().zip(cores) {
            for &node in &unit.nodes {
                let step = function.step(node);
                folded.own[step.index()][usize::from(core)].insert(node);
                let mut at = step;
                while !folded.inside[at.index()][usize::from(core)] {
                    folded.inside[at.index()][usize::from(core)] = true;
                    at = function.steps()[at.index()].parent;
                }
            }
        }
        for i in (1..count).filter(|&i| folded.inside[i] != [false; 2]) {
            folded.substeps[function.steps()[i].parent.index()].push(StepId(i as u32));
        }
        folded
    }

    /// The steps of a core. If there is one block alone, the frame around it is not named.
    pub fn of(&self, core: usize) -> Vec<String> {
        let mut root = StepId::ROOT;
        while let [only] = self.substeps[root.index()][..] {
            let alone = self.own[root.index()].iter().all(BTreeSet::is_empty);
            if !alone || !self.function.is_frame(only) {
                break;
            }
            root = only;
        }
        match self.inside[root.index()] {
            inside if !inside[core] => vec!["nothing".to_owned()],
            inside if !inside[1 - core] => vec!["everything".to_owned()],
            _ => self.entries(root, core).iter().map(Entry::to_string).collect(),
        }
    }

    /// The parts of a step that a core has, with paths that begin inside the step.
    fn entries(&self, step: StepId, core: usize) -> Vec<Entry> {
        if !self.inside[step.index()][1 - core] {
            return vec![Entry::default()];
        }
        let mut entries = Vec::new();
        let mut names: Vec<&str> = Vec::new();
        for &substep in &self.substeps[step.index()] {
            let name = &self.function.steps()[substep.index()].name[..];
            if !names.contains(&name) {
                names.push(name);
            }
        }
        for name in names {
            entries.extend(self.of_name(step, name, core));
        }
        let own = &self.own[step.index()];
        let all = own[0].union(&own[1]).count();
        if !own[core].is_empty() {
            let part = match own[core].len() {
                count if count == all => "the rest".to_owned(),
                count => format!("{count} of {all} operations"),
            };
            entries.push(Entry { part: Some(part), path: String::new() });
        }
        entries
    }

    /// The substeps of one name that a core has.
    fn of_name(&self, step: StepId, name: &str, core: usize) -> Vec<Entry> {
        let of_name = |&&substep: &&StepId| self.function.steps()[substep.index()].name == name;
        let all: Vec<StepId> =
            self.substeps[step.index()].iter().filter(of_name).copied().collect();
        let mut alike: Vec<(Vec<Entry>, Vec<u32>)> = Vec::new();
        for &substep in all.iter().filter(|substep| self.inside[substep.index()][core]) {
            let (entries, index) =
                (self.entries(substep, core), self.function.steps()[substep.index()].index);
            match alike.iter_mut().find(|(known, _)| *known == entries) {
                Some((_, indices)) => indices.push(index),
                None => alike.push((entries, vec![index])),
            }
        }
        let mut folded = Vec::new();
        for (entries, indices) in alike {
            let which = match (&all[..], &indices[..]) {
                ([_], [0]) => name.to_owned(),
                _ => format!("{name}[{}]", numbers(indices.into_iter())),
            };
            folded.extend(entries.into_iter().map(|Entry { part, path }| {
                let slash = if path.is_empty() { "" } else { "/" };
                Entry { part, path: format!("{which}{slash}{path}") }
            }));
        }
        folded
    }
}

/// Steps, or a part of each of them.
#[derive(Clone, Debug, Default, PartialEq)]
struct Entry {
    part: Option<String>,
    path: String,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, path } = self;
        match part {
            None => f.write_str(path),
            Some(part) if path.is_empty() => f.write_str(part),
            Some(part) => write!(f, "{part} of {path}"),
        }
    }
}

/// Numbers as `0..3, 5, 7..8`. Of many at the same distance the first two and the last are listed:
/// `1, 3, … 59`.
pub fn numbers(numbers: impl Iterator<Item = u32>) -> String {
    /// The number from which on numbers at one distance are not listed one by one.
    const MANY: usize = 5;
    let mut sorted: Vec<u32> = numbers.collect();
    sorted.sort_unstable();
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(&first) = sorted.get(at) {
        let rest = &sorted[at..];
        let distance = rest.get(1).map_or(1, |second| second - first);
        let alike = rest.windows(2).take_while(|pair| pair[1] - pair[0] == distance).count() + 1;
        let last = rest[alike - 1];
        let taken = match (distance, alike) {
            (_, 1) => 1,
            (1, _) => alike,
            (_, MANY..) => alike,
            _ => 1,
        };
        parts.push(match (distance, taken) {
            (_, 1) => first.to_string(),
            (1, _) => format!("{first}..{last}"),
            _ => format!("{first}, {}, … {last}", first + distance),
        });
        at += taken;
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_folded() {
        assert_eq!(numbers([3, 0, 1, 7].into_iter()), "0..1, 3, 7");
        assert_eq!(numbers([5].into_iter()), "5");
        assert_eq!(numbers([1, 3, 5, 6, 7].into_iter()), "1, 3, 5..7");
        assert_eq!(numbers([0, 1, 4, 7, 10, 13, 20].into_iter()), "0..1, 4, 7, 10, 13, 20");
        assert_eq!(numbers((0..30).map(|i| 2 * i + 1)), "1, 3, … 59");
        assert_eq!(numbers([].into_iter()), "");
    }
}
