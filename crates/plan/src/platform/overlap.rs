//! Finds the patterns that describe steps of other patterns, by look-ups in tables instead of a
//! comparison of every pair.
//!
//! ```text
//! names of the parts ─► which of them have numbers ─► the numbers of those that both have
//! ```
//!
//! Each arrow is one look-up.

use super::steps::{Pattern, StepName};
use crate::work;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The numbers of a pattern's parts; `None` for a part whose number does not matter.
type Numbers = Vec<Option<u32>>;

/// Patterns in tables, among which those that overlap with a given one are found.
#[derive(Default)]
pub(super) struct Overlaps<'p> {
    /// The patterns under the names of their parts, then under the set of parts that have numbers:
    /// bit i for part i.
    by_names: HashMap<Vec<&'p str>, BTreeMap<u32, Numbered>>,
    /// Every number of parts that a pattern has.
    depths: BTreeSet<usize>,
}

/// Patterns of the same names with numbers at the same parts.
#[derive(Default)]
struct Numbered {
    all: Vec<Numbers>,
    /// For each set of parts that was asked for: the number of patterns with these numbers there.
    counts: HashMap<u32, HashMap<Numbers, usize>>,
}

fn numbered(parts: &[StepName]) -> u32 {
    let bits = parts.iter().enumerate().map(|(i, part)| u32::from(part.index.is_some()) << i);
    bits.fold(0, |set, bit| set | bit)
}

/// The numbers at the parts in `set` (bit i for part i), `None` at all others.
fn at(set: u32, numbers: impl Iterator<Item = Option<u32>>) -> Numbers {
    numbers.enumerate().map(|(i, number)| number.filter(|_| set >> i & 1 == 1)).collect()
}

impl Numbered {
    /// The number of patterns that have the same numbers as `parts` at a set of parts.
    fn count(&mut self, set: u32, parts: &[StepName]) -> usize {
        let counts = self.counts.entry(set).or_insert_with(|| {
            let mut counts = HashMap::new();
            for numbers in &self.all {
                work::add(1);
                *counts.entry(at(set, numbers.iter().copied())).or_default() += 1;
            }
            counts
        });
        work::add(1);
        counts.get(&at(set, parts.iter().map(|part| part.index))).copied().unwrap_or_default()
    }
}

impl<'p> FromIterator<&'p Pattern> for Overlaps<'p> {
    fn from_iter<I: IntoIterator<Item = &'p Pattern>>(patterns: I) -> Self {
        let mut overlaps = Self::default();
        for Pattern(parts) in patterns {
            overlaps.depths.insert(parts.len());
            let names = parts.iter().map(|part| part.name.as_str()).collect();
            let of_names = overlaps.by_names.entry(names).or_default();
            let numbers = parts.iter().map(|part| part.index).collect();
            of_names.entry(numbered(parts)).or_default().all.push(numbers);
        }
        overlaps
    }
}

impl<'p> Overlaps<'p> {
    /// Whether one of the patterns contains another one, as [`Pattern::contains`] says.
    pub(super) fn contain(&mut self, Pattern(inner): &'p Pattern) -> bool {
        let depths: Vec<usize> = self.depths.iter().copied().collect();
        // A pattern that contains this one describes a step around the innermost one.
        (1..inner.len()).any(|end| {
            depths.iter().take_while(|&&depth| depth <= end).any(|depth| {
                let parts = &inner[end - depth..end];
                let own = numbered(parts);
                self.of_names(parts).any(|(set, of)| of.count(set & own, parts) > 0)
            })
        })
    }

    /// Whether `pattern`, itself one of the patterns, refines another one, as [`Pattern::refines`]
    /// says.
    pub(super) fn has_wider(&mut self, Pattern(parts): &'p Pattern) -> bool {
        let depths: Vec<usize> = self.depths.iter().copied().collect();
        let mut found = 0;
        for depth in depths.into_iter().take_while(|&depth| depth <= parts.len()) {
            let parts = &parts[parts.len() - depth..];
            let own = numbered(parts);
            for (set, of) in self.of_names(parts).filter(|(set, _)| set & !own == 0) {
                found += of.count(set, parts);
            }
        }
        // One of those that were found is the pattern itself.
        found > 1
    }

    /// The patterns with the names of these parts, by the set of parts that have numbers.
    fn of_names(&mut self, parts: &'p [StepName]) -> impl Iterator<Item = (u32, &mut Numbered)> {
        work::add(1);
        let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
        let found = self.by_names.get_mut(&names);
        found.into_iter().flatten().map(|(&set, of)| (set, of))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pattern of up to three parts of two names with two numbers or none, two by two.
    #[test]
    fn the_answers_are_those_of_each_pattern_with_each() {
        let parts = ["a", "b", "a[0]", "a[1]", "b[0]"];
        let mut texts: Vec<String> = vec![String::new()];
        let mut all = Vec::new();
        for _ in 0..3 {
            let longer = |text: &String| parts.map(|part| format!("{text}/{part}"));
            texts = texts.iter().flat_map(longer).collect();
            all.extend(texts.iter().map(|text| Pattern::parse(&text[1..]).unwrap()));
        }
        for outer in &all {
            for inner in &all {
                let mut one: Overlaps = [outer].into_iter().collect();
                assert_eq!(one.contain(inner), outer.contains(inner), "{outer} {inner}");
                let mut both: Overlaps = [outer, inner].into_iter().collect();
                assert_eq!(both.has_wider(inner), inner.refines(outer), "{outer} {inner}");
            }
        }
        for (i, inner) in all.iter().enumerate().step_by(7) {
            let some = || all.iter().skip(i % 5).step_by(5);
            let mut overlaps: Overlaps = some().collect();
            assert_eq!(overlaps.contain(inner), some().any(|outer| outer.contains(inner)));
            let mut with: Overlaps = some().chain([inner]).collect();
            assert_eq!(with.has_wider(inner), some().any(|outer| inner.refines(outer)), "{inner}");
        }
    }
}
