//! Patterns by which a platform's file names steps, and the times that were measured for these
//! steps.

use crate::work;
use manylane_graph::{Function, StepId};
use std::fmt;

/// The end of a step's path: `round/g` is every `g` in a `round`, `g[3]` every `g` of number 3.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern(pub(super) Vec<StepName>);

/// A step's name, and its number if that matters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct StepName {
    pub(super) name: String,
    pub(super) index: Option<u32>,
}

/// The most nested steps that a pattern may name, far more than any primitive has.
const MOST_NESTED: usize = 32;

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// If a name is empty, an index no number, or the path too long; says which.
    pub fn parse(text: &str) -> Result<Self, String> {
        let part = |part: &str| {
            let (name, index) = match part.strip_suffix(']').and_then(|p| p.rsplit_once('[')) {
                Some((name, "*")) => (name, None),
                Some((name, index)) => {
                    // `03` and `+3` would be other spellings of one pattern.
                    let number = index.parse().ok().filter(|n: &u32| n.to_string() == index);
                    (name, Some(number.ok_or_else(|| format!("`{index}` is no number"))?))
                }
                None => (part, None),
            };
            let plain = !name.is_empty() && !name.contains(['[', ']', '@']);
            let name = name.to_owned();
            if plain { Ok(StepName { name, index }) } else { Err(format!("`{part}` is no step")) }
        };
        if text.split('/').nth(MOST_NESTED).is_some() {
            return Err(format!("`{text}` has more than {MOST_NESTED} nested steps"));
        }
        text.split('/').map(part).collect::<Result<_, _>>().map(Self)
    }

    /// Number of nested steps that it names.
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// Whether it describes `step`.
    pub fn matches(&self, function: &Function, step: StepId) -> bool {
        let mut at = step;
        self.0.iter().rev().all(|StepName { name, index }| {
            let step = &function.steps()[at.index()];
            let same = at != StepId::ROOT
                && step.name == *name
                && index.is_none_or(|index| index == step.index);
            at = step.parent;
            same
        })
    }

    /// The pattern without the numbers of those steps for whose names `of` is true.
    pub(super) fn without_numbers(&self, of: impl Fn(&str) -> bool) -> Self {
        let part = |StepName { name, index }: &StepName| StepName {
            name: name.clone(),
            index: index.filter(|_| !of(name)),
        };
        Self(self.0.iter().map(part).collect())
    }

    /// Whether it describes a step of `function`.
    pub(super) fn is_in(&self, function: &Function) -> bool {
        (1..function.steps().len()).any(|step| self.matches(function, StepId(step as u32)))
    }

    /// Whether every step that `other` describes lies in one that this one describes.
    pub(super) fn contains(&self, other: &Self) -> bool {
        work::add(1);
        let alike = |(a, b): (&StepName, &StepName)| {
            a.name == b.name && (a.index.is_none() || b.index.is_none() || a.index == b.index)
        };
        let inner = other.0.len();
        (0..inner).any(|end| {
            end >= self.0.len() && self.0.iter().zip(&other.0[end - self.0.len()..]).all(alike)
        })
    }

    /// Whether `other` describes every step that this one describes.
    pub(crate) fn refines(&self, other: &Self) -> bool {
        work::add(1);
        let within = |(own, of): (&StepName, &StepName)| {
            own.name == of.name && (of.index.is_none() || own.index == of.index)
        };
        let mut pairs = self.0.iter().rev().zip(other.0.iter().rev());
        self.depth() >= other.depth() && pairs.all(within)
    }

    /// A number that is larger for a pattern than for any other pattern that it refines.
    pub(crate) fn precision(&self) -> usize {
        self.depth() + self.0.iter().filter(|part| part.index.is_some()).count()
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, StepName { name, index }) in self.0.iter().enumerate() {
            let slash = if i > 0 { "/" } else { "" };
            write!(f, "{slash}{name}")?;
            index.map_or(Ok(()), |index| write!(f, "[{index}]"))?;
        }
        Ok(())
    }
}

/// A measured time, which overrides the costs of a step's operations.
#[derive(Clone, Debug, PartialEq)]
pub struct StepTime {
    /// The primitive, such as `blake256` or `rc5-32-12-16.encryption`; `*` for all.
    pub section: String,
    /// The steps that were measured.
    pub patterns: Vec<Pattern>,
    /// Whether the time is that of each step, or else of all the steps together.
    pub each: bool,
    /// Cycles on the main core and on the coprocessor. Where the coprocessor has none, its time is
    /// the main core's time multiplied by its `speed`.
    pub cycles: [Option<f64>; 2],
    /// The line of the file at which it is given.
    pub line: usize,
}

impl StepTime {
    /// The most precise of its patterns that describe `step`.
    pub(crate) fn pattern_of(&self, function: &Function, step: StepId) -> Option<&Pattern> {
        let matching = self.patterns.iter().filter(|pattern| pattern.matches(function, step));
        matching.max_by_key(|pattern| pattern.precision())
    }

    /// Whether the time belongs to `function`: the section is the function's name, or its name up
    /// to a dot.
    pub fn concerns(&self, function: &Function) -> bool {
        self.section == "*"
            || function
                .name
                .strip_prefix(&self.section)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}
