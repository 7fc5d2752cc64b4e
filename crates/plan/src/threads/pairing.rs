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
use crate::source::{self, BuiltIn, LoadError, Source, SourceError};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use toml::Spanned;

/// The word for such a description in errors.
pub(crate) const WHAT: &str = "pairing platform";

/// The descriptions that are part of the program.
pub const BUILT_IN: [BuiltIn; 2] = [
    BuiltIn::new("core2-45nm", include_str!("../../platforms/core2-45nm.toml")),
    BuiltIn::new("core2-65nm", include_str!("../../platforms/core2-65nm.toml")),
];

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
    field: Spanned<FieldCosts>,
    executor: Option<Spanned<Executor>>,
    #[serde(default)]
    published: Vec<Spanned<Published>>,
}

impl Pairing {
    /// The description of this name, or the one in the file of this path.
    ///
    /// # Errors
    /// If there is none, or it is wrong.
    pub fn load(name_or_path: &str) -> Result<Self, LoadError> {
        let (file, text) = source::find(WHAT, name_or_path, &BUILT_IN)?;
        Ok(Self::parse(Source { file: &file, text: &text })?)
    }

    /// Reads a description.
    ///
    /// # Errors
    /// If the text does not have this form, or a figure is out of range.
    pub fn parse(source: Source<'_>) -> Result<Self, SourceError> {
        source.check_kind(WHAT, Some("pairing"))?;
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
        let (m, field) = (*file.m.get_ref(), *file.field.get_ref());
        if !(3..=1 << 16).contains(&m) {
            let remedy = "the degree m lies between 3 and 65536";
            return Err(source.error(file.m.span(), format!("a field F_2^{m}"), remedy));
        }
        let are_costs = |costs: &[f64]| costs.iter().all(|cost| FIGURES.contains(cost));
        let FieldCosts { square, square_root, multiply, power } = field;
        if !are_costs(&[square, square_root, multiply, power]) {
            let problem = "an operation of the field that takes no time, or too long";
            return Err(source.error(file.field.span(), problem, REMEDY));
        }
        if let Some(executor) = &file.executor {
            let Executor { lanes, multiply_one, root, part, finish, handoff } = *executor.get_ref();
            let costs = [multiply_one, root, part, finish];
            if lanes == 0 || !are_costs(&costs) || !(handoff == 0.0 || are_costs(&[handoff])) {
                let problem =
                    "an executor without lanes, or whose operations take no time, or too long";
                return Err(source.error(executor.span(), problem, REMEDY));
            }
        }
        let pairing = Self {
            name: file.name.into_inner(),
            title: file.title.into_inner(),
            source: file.source.into_inner(),
            m,
            unit: file.unit,
            whole: *file.pairing.get_ref(),
            field,
            executor: file.executor.map(Spanned::into_inner),
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

    #[test]
    fn built_in_descriptions_are_read_by_their_names() {
        for BuiltIn { name, .. } in BUILT_IN {
            assert_eq!(Pairing::load(name).unwrap().name, name);
        }
    }

    #[test]
    fn errors_say_where_and_what_to_do() {
        let BuiltIn { text, .. } = BUILT_IN[0];
        let line = |part: &str| 1 + text.lines().position(|line| line.starts_with(part)).unwrap();
        for (from, to, at, words) in [
            ("kind = \"pairing\"", "kind = \"delay\"", "kind", "kind = \"pairing\""),
            ("m = 1223", "m = 1", "m = ", "between 3 and"),
            ("square = 108", "square = 0", "[field]", "positive"),
            ("title = \"", "title = \"\\u001b[2J", "title", "`title` has control"),
            ("name = \"", "name = \"\\u001b[2J", "name", "`name` has control"),
            ("multiply = 3785\n", "", "[field]", "multiply"),
            ("pairing = 17_400_000", "pairing = 17_400", "pairing", "a part of it more"),
            (
                "[field]",
                "[executor]\nlanes = 0\nmultiply_one = 1\nroot = 1\npart = 1\nfinish = 1\nhandoff \
                 = 1\n[field]",
                "[field]",
                "lanes",
            ),
        ] {
            assert!(text.contains(from), "{from}");
            let wrong = text.replacen(from, to, 1);
            let error = Pairing::parse(Source { file: "mine.toml", text: &wrong }).unwrap_err();
            assert_eq!(error.line, line(at), "{error}");
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}
