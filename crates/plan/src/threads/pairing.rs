//! The costs of the operations of a pairing, as TOML.
//!
//! ```toml
//! kind = "pairing"
//! name = "core2-45nm"
//! title = "Intel Core 2, 45 nm"   # for people
//! source = "who measured it"
//!
//! unit = "cycles"         # of all costs: cycles, which is the default, or nanoseconds
//! m = 1223                # of the field F_2^m
//! pairing = 17_400_000    # the whole on one processor
//!
//! [field]                 # its operations
//! square = 108
//! square_root = 140
//! multiply = 3785
//! power = 3785            # x^(2^w) for a fixed w
//!
//! [executor]              # of an engine of this project; without it, the paper's Algorithm 6
//! lanes = 4               # elements side by side, whose costs together are those of the field
//! multiply_one = 40       # of one element alone
//! root = 600              # before the parts
//! part = 3000             # of one more part besides its factors
//! finish = 6000           # the final exponentiation
//! handoff = 100           # until another processor begins its part
//!
//! [[published]]           # figures to compare with; there may be none
//! processors = 2
//! cycles = 9_340_000
//! speedup = 1.86
//! estimated = false
//! ```

use super::{Executor, FieldCosts, SplitLoop, eta_t, eta_t_in_lanes};
use crate::kinds::PAIRING;
use crate::source::{LoadError, Source, SourceError};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use toml::Spanned;

/// The costs that a description may give.
const FIGURES: RangeInclusive<f64> = 1e-6..=1e12;

/// The remedy that errors give for other costs.
const REMEDY: &str = "give positive numbers, from 1e-6 to 1e12";

/// A pairing on a processor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pairing {
    /// The description's name, such as `core2-45nm`.
    pub name: String,
    /// Its title, for people.
    pub title: String,
    /// Where the figures come from.
    pub source: String,
    /// m, for the field F_2^m.
    pub m: u64,
    /// The unit of all costs.
    pub unit: Unit,
    /// Cost of the pairing on one processor.
    pub whole: f64,
    /// Costs of operations in the field.
    pub field: FieldCosts,
    /// How the loop is run, if not by the paper's Algorithm 6.
    pub executor: Option<Executor>,
    /// Published figures to compare with.
    pub published: Vec<Published>,
}

/// A unit of costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Cycles of a processor.
    #[default]
    Cycles,
    /// Nanoseconds.
    Nanoseconds,
}

/// A figure that was published.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Number of processors.
    pub processors: usize,
    /// Cycles of the pairing.
    pub cycles: f64,
    /// Speedup over one processor.
    pub speedup: f64,
    /// Whether it was estimated rather than measured.
    pub estimated: bool,
}

/// The file's form.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    name: Spanned<String>,
    title: Spanned<String>,
    source: Spanned<String>,
    #[serde(default)]
    unit: Unit,
    m: Spanned<u64>,
    pairing: Spanned<f64>,
    field: Field,
    executor: Option<ExecutorTimes>,
    #[serde(default)]
    published: Vec<Spanned<Published>>,
}

/// The file's form of [`FieldCosts`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Field {
    square: Spanned<f64>,
    square_root: Spanned<f64>,
    multiply: Spanned<f64>,
    power: Spanned<f64>,
}

/// The file's form of an [`Executor`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExecutorTimes {
    lanes: Spanned<u64>,
    multiply_one: Spanned<f64>,
    root: Spanned<f64>,
    part: Spanned<f64>,
    finish: Spanned<f64>,
    handoff: Spanned<f64>,
}

impl Pairing {
    /// The description of this name, or the one in the file of this path.
    ///
    /// # Errors
    /// If there is none, or it is wrong.
    pub fn load(name_or_path: &str) -> Result<Self, LoadError> {
        let (file, text) = PAIRING.find(name_or_path)?;
        Ok(Self::parse(Source { file: &file, text: &text })?)
    }

    /// Reads a description.
    ///
    /// # Errors
    /// If the text does not have this form, or a figure is out of range.
    pub fn parse(source: Source<'_>) -> Result<Self, SourceError> {
        source.check_kind(PAIRING.word, Some("pairing"))?;
        let file: File = source.parse()?;
        for (name, text) in [("name", &file.name), ("title", &file.title), ("source", &file.source)]
        {
            if text.get_ref().contains(char::is_control) {
                let problem = format!("`{name}` has control characters");
                return Err(source.error(
                    text.span(),
                    problem,
                    "write it in one line, without them",
                ));
            }
        }
        let m = *file.m.get_ref();
        if !(3..=1 << 16).contains(&m) {
            let remedy = "the degree m lies between 3 and 65536";
            return Err(source.error(file.m.span(), format!("a field F_2^{m}"), remedy));
        }
        let are_costs = |costs: &[f64]| costs.iter().all(|cost| FIGURES.contains(cost));
        let cost = |name: &str, of: &Spanned<f64>| match *of.get_ref() {
            cost if FIGURES.contains(&cost) => Ok(cost),
            cost => {
                let problem = format!("`{name}` is {cost:e}, which is no time of an operation");
                Err(source.error(of.span(), problem, REMEDY))
            }
        };
        let field = FieldCosts {
            square: cost("square", &file.field.square)?,
            square_root: cost("square_root", &file.field.square_root)?,
            multiply: cost("multiply", &file.field.multiply)?,
            power: cost("power", &file.field.power)?,
        };
        let executor = match &file.executor {
            None => None,
            Some(parts) if *parts.lanes.get_ref() == 0 => {
                let problem = "an executor without lanes";
                return Err(source.error(parts.lanes.span(), problem, "give 1 or more"));
            }
            Some(parts) => Some(Executor {
                lanes: *parts.lanes.get_ref(),
                multiply_one: cost("multiply_one", &parts.multiply_one)?,
                root: cost("root", &parts.root)?,
                part: cost("part", &parts.part)?,
                finish: cost("finish", &parts.finish)?,
                handoff: match *parts.handoff.get_ref() {
                    0.0 => 0.0,
                    _ => cost("handoff", &parts.handoff)?,
                },
            }),
        };
        let pairing = Self {
            name: file.name.into_inner(),
            title: file.title.into_inner(),
            source: file.source.into_inner(),
            m,
            unit: file.unit,
            whole: *file.pairing.get_ref(),
            field,
            executor,
            published: file.published.iter().map(|published| *published.get_ref()).collect(),
        };
        let split_loop = pairing.split_loop();
        if !are_costs(&[pairing.whole]) {
            let problem = format!("the whole takes {:e}", pairing.whole);
            return Err(source.error(file.pairing.span(), problem, REMEDY));
        }
        if split_loop.serial.min(split_loop.iteration) < 0.0 {
            let problem = format!("the whole takes {}, a part of it more", pairing.whole);
            let remedy = "give the cost of the whole pairing on one processor";
            return Err(source.error(file.pairing.span(), problem, remedy));
        }
        let wrong = |p: &&Spanned<Published>| {
            let Published { processors, cycles, speedup, .. } = *p.get_ref();
            processors == 0 || !are_costs(&[cycles, speedup])
        };
        if let Some(published) = file.published.iter().find(wrong) {
            let problem = "a published figure that cannot be";
            return Err(source.error(published.span(), problem, REMEDY));
        }
        Ok(pairing)
    }

    /// The loop of the pairing, with the work before and after it.
    pub fn split_loop(&self) -> SplitLoop {
        match &self.executor {
            Some(executor) => eta_t_in_lanes(self.m, executor, self.whole),
            None => eta_t(self.m, &self.field, self.whole),
        }
    }

    /// The figure that was published for this number of processors.
    pub fn published_for(&self, processors: usize) -> Option<&Published> {
        self.published.iter().find(|published| published.processors == processors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::PAIRINGS;
    use crate::source::BuiltIn;

    #[test]
    fn built_in_descriptions_are_read_by_their_names() {
        for BuiltIn { name, .. } in PAIRINGS {
            assert_eq!(Pairing::load(name).unwrap().name, name);
        }
    }

    #[test]
    fn errors_say_where_and_what_to_do() {
        let BuiltIn { text, .. } = PAIRINGS[0];
        let line = |text: &str, part: &str| {
            1 + text.lines().position(|line| line.starts_with(part)).unwrap()
        };
        for (from, to, at, words) in [
            ("kind = \"pairing\"", "kind = \"delay\"", "kind", "kind = \"pairing\""),
            ("m = 1223", "m = 1", "m = ", "between 3 and"),
            ("square = 108", "square = 0", "square = ", "positive"),
            ("square = 108", "square = -160", "square = ", "`square` is -1.6e2"),
            ("square = 108", "square = nan", "square = ", "`square` is NaN"),
            ("title = \"", "title = \"\\u001b[2J", "title", "`title` has control"),
            ("name = \"", "name = \"\\u001b[2J", "name", "`name` has control"),
            ("multiply = 3785\n", "", "[field]", "multiply"),
            ("pairing = 17_400_000", "pairing = 17_400", "pairing", "a part of it more"),
            (
                "[field]",
                "[executor]\nlanes = 0\nmultiply_one = 1\nroot = 1\npart = 1\nfinish = 1\nhandoff \
                 = 1\n[field]",
                "lanes",
                "without lanes",
            ),
        ] {
            assert!(text.contains(from), "{from}");
            let wrong = text.replacen(from, to, 1);
            let error = Pairing::parse(Source { file: "mine.toml", text: &wrong }).unwrap_err();
            assert_eq!(error.line, line(&wrong, at), "{error}");
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}
