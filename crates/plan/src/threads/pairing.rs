//! What the operations of a pairing cost, as TOML.
//!
//! ```toml
//! kind = "pairing"
//! name = "core2-45nm"
//! title = "Intel Core 2, 45 nm"   # for people
//! source = "who measured it"
//!
//! m = 1223                # of the field F_2^m
//! pairing = 17_400_000    # the whole on one processor, in cycles
//!
//! [field]                 # its operations, in cycles
//! square = 108
//! square_root = 140
//! multiply = 3785
//! power = 3785            # x^(2^w) for a fixed w
//!
//! [[published]]           # figures to compare with; there may be none
//! processors = 2
//! cycles = 9_340_000
//! speedup = 1.86
//! estimated = false
//! ```

use super::SplitLoop;
use crate::source::{self, LoadError, Source, SourceError};
use manylane_graph::pairing::{Calls, SplitCalls};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// The descriptions that are part of the program: name and text.
pub const BUILT_IN: [(&str, &str); 1] =
    [("core2-45nm", include_str!("../../../../platforms/core2-45nm.toml"))];

/// A pairing on a processor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pairing {
    /// Such as `core2-45nm`.
    pub name: String,
    /// For people.
    pub title: String,
    /// Where the figures come from.
    pub source: String,
    /// Of the field F_2^m.
    pub m: u64,
    /// Cycles of the whole on one processor.
    pub cycles: f64,
    /// Cycles of operations in the field.
    pub field: FieldCosts,
    /// What others found.
    pub published: Vec<Published>,
}

/// A figure that was published.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Number of processors.
    pub processors: usize,
    /// Cycles of the whole.
    pub cycles: f64,
    /// Against one processor.
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
    name: String,
    title: String,
    source: String,
    m: Spanned<u64>,
    pairing: Spanned<f64>,
    field: Spanned<FieldCosts>,
    #[serde(default)]
    published: Vec<Spanned<Published>>,
}

impl Pairing {
    /// The description of this name, or the one in the file of this path.
    ///
    /// # Errors
    /// If there is none, or it is wrong.
    pub fn load(name_or_path: &str) -> Result<Self, LoadError> {
        let (file, text) = source::find("pairing platform", name_or_path, &BUILT_IN)?;
        Ok(Self::parse(Source { file: &file, text: &text })?)
    }

    /// Reads a description.
    ///
    /// # Errors
    /// If the text has not its form, or a figure cannot be.
    pub fn parse(source: Source<'_>) -> Result<Self, SourceError> {
        source.check_kind("pairing platform", Some("pairing"))?;
        let file: File = source.parse()?;
        let (m, cycles, field) = (*file.m.get_ref(), *file.pairing.get_ref(), file.field.get_ref());
        if !(3..=1 << 16).contains(&m) {
            let remedy = "the degree m lies between 3 and 65536";
            return Err(source.error(file.m.span(), format!("a field F_2^{m}"), remedy));
        }
        let FieldCosts { square, square_root, multiply, power } = *field;
        if ![square, square_root, multiply, power].iter().all(|&c| c.is_finite() && c > 0.0) {
            let problem = "an operation of the field that takes no time";
            return Err(source.error(
                file.field.span(),
                problem,
                "give positive numbers of cycles",
            ));
        }
        let serial = eta_t(m, field, cycles).serial;
        if !(cycles.is_finite() && serial >= 0.0) {
            let problem = format!("the whole takes {cycles} cycles, its loop alone more");
            let remedy = "give the cycles of the whole pairing on one processor";
            return Err(source.error(file.pairing.span(), problem, remedy));
        }
        let wrong = |p: &&Spanned<Published>| {
            let Published { processors, cycles, speedup, .. } = *p.get_ref();
            processors == 0 || !(cycles > 0.0 && speedup > 0.0)
        };
        if let Some(published) = file.published.iter().find(wrong) {
            let problem = "a published figure that is not positive";
            return Err(source.error(published.span(), problem, "correct or remove it"));
        }
        Ok(Self {
            name: file.name,
            title: file.title,
            source: file.source,
            m,
            cycles,
            field: *field,
            published: file.published.into_iter().map(Spanned::into_inner).collect(),
        })
    }

    /// Its loop, and what stands around it.
    pub fn split_loop(&self) -> SplitLoop {
        eta_t(self.m, &self.field, self.cycles)
    }

    /// What was published for so many processors.
    pub fn published_for(&self, processors: usize) -> Option<&Published> {
        self.published.iter().find(|published| published.processors == processors)
    }
}

/// Costs of operations in the field of a pairing, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldCosts {
    /// Squaring.
    pub square: f64,
    /// Square root.
    pub square_root: f64,
    /// Multiplication.
    pub multiply: f64,
    /// x^(2^w) or its inverse for one fixed w: a linear map, by table.
    pub power: f64,
}

impl FieldCosts {
    /// Cycles of these calls, one inversion making the calls `inverse`. Sums are not counted.
    fn cycles(&self, calls: &Calls, inverse: &Calls) -> f64 {
        let own = calls.multiply as f64 * self.multiply
            + calls.square as f64 * self.square
            + calls.square_root as f64 * self.square_root
            + calls.frobenius as f64 * self.power;
        match calls.inverse {
            0 => own,
            n => own + n as f64 * self.cycles(inverse, &Calls::default()),
        }
    }
}

/// The η_T pairing over F_2^m as a loop of (m − 1)/2 iterations, each of a factor of the Miller
/// value, factor 0 apart. What it calls is counted in the graph of its definition.
///
/// As in Algorithm 6, the first factor of a later part costs what all others do, though its product
/// is one by 1. `whole` is the cost of the pairing on one processor, which the final exponentiation
/// makes up.
pub fn eta_t(m: u64, costs: &FieldCosts, whole: f64) -> SplitLoop {
    let counts = SplitCalls::eta1223();
    let cycles = |calls: &Calls| costs.cycles(calls, &counts.inverse);
    let iterations = m.div_ceil(2) - 1;
    let (first, iteration) = (cycles(&counts.first), cycles(&counts.factor));
    SplitLoop {
        iterations,
        iteration,
        first,
        start: cycles(&counts.start),
        start_per_iteration: 0.0,
        join: cycles(&counts.join),
        serial: whole - first - iterations as f64 * iteration,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_descriptions_are_read_by_their_names() {
        for (name, _) in BUILT_IN {
            assert_eq!(Pairing::load(name).unwrap().name, name);
        }
    }

    #[test]
    fn errors_say_where_and_what_to_do() {
        let (_, text) = BUILT_IN[0];
        let line = |part: &str| 1 + text.lines().position(|line| line.starts_with(part)).unwrap();
        for (from, to, at, words) in [
            ("kind = \"pairing\"", "kind = \"delay\"", "kind", "kind = \"pairing\""),
            ("m = 1223", "m = 1", "m = ", "between 3 and"),
            ("square = 108", "square = 0", "[field]", "positive"),
            ("multiply = 3785\n", "", "[field]", "multiply"),
            ("pairing = 17_400_000", "pairing = 17_400", "pairing", "its loop alone more"),
        ] {
            assert!(text.contains(from), "{from}");
            let wrong = text.replacen(from, to, 1);
            let error = Pairing::parse(Source { file: "mine.toml", text: &wrong }).unwrap_err();
            assert_eq!(error.line, line(at), "{error}");
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}
