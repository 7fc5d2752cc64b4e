//! Delay models: what operations cost in hardware, as TOML.
//!
//! ```toml
//! kind = "delay"
//! name = "generic-gates"
//! title = "unit gates"        # for people
//! unit = "gate"               # of all delays
//!
//! [register]                  # between two clocks
//! delay = 6                   # clock to output, setup and skew
//! area = 6                    # per bit
//!
//! [compress]                  # a row of 3:2 compressors (carry-save adders)
//! first = 2                   # the half that sees the two early terms
//! last = 2                    # the half that the latest term passes too
//! area = 224                  # per word
//!
//! [delay]                     # of every operation
//! add = { 8 = 10, 16 = 12, 32 = 14, 64 = 16 }     # by bits of a word …
//! xor = 2                                         # … or the same for all
//!
//! [area]                      # of every operation, per word
//! add = { 8 = 76, 16 = 176, 32 = 400, 64 = 896 }
//! xor = 64
//! ```
//!
//! Numbers are 0 or from 10⁻⁶ to 10⁶. Inputs and constants cost nothing.
//!
//! Plans count time in whole ticks of 1/21,000,000 of the unit. A millionth of the unit is a whole
//! number of ticks, and so is every fraction of the unit that a period may be a multiple of. Sums
//! are therefore exact, and equal times compare as equal.

use crate::kinds::DELAY_MODEL;
use crate::source::{LoadError, Source, SourceError, check_figure};
use manylane_graph::Op;
use manylane_nearest::suggestion;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};
use toml::Spanned;

/// Word widths in bits, as a model may tell them apart.
const WIDTHS: [u8; 4] = [8, 16, 32, 64];

/// A time, or a difference of two times, in ticks; the module's documentation gives the unit.
pub(super) type Ticks = i64;

/// Ticks of a model's unit.
pub(super) const PER_UNIT: Ticks = 21_000_000;

/// The figures that a model may give besides 0. The sum of 400,000 delays fits into [`Ticks`].
const FIGURES: RangeInclusive<f64> = 1e-6..=1e6;

/// The ticks nearest to a number of units.
pub(super) fn ticks(units: f64) -> Ticks {
    (units * PER_UNIT as f64).round() as Ticks
}

/// The units of a number of ticks.
pub(super) fn units(ticks: Ticks) -> f64 {
    ticks as f64 / PER_UNIT as f64
}

/// A cost for each of [`WIDTHS`].
type PerWidth = [f64; 4];

/// The costs of operations in hardware.
#[derive(Clone, Debug, PartialEq)]
pub struct DelayModel {
    /// The model's name, such as `generic-gates`.
    pub name: String,
    /// The title, for people.
    pub title: String,
    /// The unit of delays, in the singular.
    pub unit: String,
    /// The part of each clock that registers take: clock to output, setup and skew.
    pub register_delay: f64,
    /// Area of one bit of register.
    pub register_area: f64,
    first: PerWidth,
    last: PerWidth,
    compress_area: PerWidth,
    delay: BTreeMap<&'static str, PerWidth>,
    area: BTreeMap<&'static str, PerWidth>,
}

type Table = BTreeMap<Spanned<String>, Spanned<toml::Value>>;

/// The form of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    name: Spanned<String>,
    title: Spanned<String>,
    unit: Spanned<String>,
    register: Spanned<Table>,
    compress: Spanned<Table>,
    delay: Spanned<Table>,
    area: Spanned<Table>,
}

impl DelayModel {
    /// The built-in model of this name, or the one in the file of this path.
    ///
    /// # Errors
    /// If there is none, or its description is wrong.
    pub fn load(name_or_path: &str) -> Result<Self, LoadError> {
        let (file, text) = DELAY_MODEL.find(name_or_path)?;
        Ok(Self::parse(Source { file: &file, text: &text })?)
    }

    /// Reads a model.
    ///
    /// # Errors
    /// If the text does not have the form of a model, an operation is missing or unknown, or a
    /// number is neither 0 nor from 10⁻⁶ to 10⁶.
    pub fn parse(source: Source<'_>) -> Result<Self, SourceError> {
        source.check_kind(DELAY_MODEL.word, Some("delay"))?;
        let file: File = source.parse()?;
        for (key, text) in [("name", &file.name), ("title", &file.title), ("unit", &file.unit)] {
            let (why, remedy) = match text.get_ref() {
                text if text.contains(char::is_control) => {
                    ("has control characters", "write it in one line, without them")
                }
                text if text.trim().is_empty() => ("is empty", "say what it is called"),
                _ => continue,
            };
            return Err(source.error(text.span(), format!("`{key}` {why}"), remedy));
        }
        let register = costs(source, &file.register, "register", &["delay", "area"])?;
        let compress = costs(source, &file.compress, "compress", &["first", "last", "area"])?;
        let names = Op::ON_WORDS.map(Op::name);
        Ok(Self {
            name: file.name.into_inner(),
            title: file.title.into_inner(),
            unit: file.unit.into_inner(),
            register_delay: register["delay"][2],
            register_area: register["area"][2],
            first: compress["first"],
            last: compress["last"],
            compress_area: compress["area"],
            delay: costs(source, &file.delay, "delay", &names)?,
            area: costs(source, &file.area, "area", &names)?,
        })
    }

    /// The delay of an operation on words of `width` bits, 0 for inputs and constants.
    pub(super) fn delay(&self, op: Op, width: u8) -> Ticks {
        if Op::is_on_words(op) { ticks(self.delay[op.name()][class(width)]) } else { 0 }
    }

    /// The area of an operation on words of `width` bits.
    pub fn area(&self, op: Op, width: u8) -> f64 {
        if Op::is_on_words(op) { self.area[op.name()][class(width)] } else { 0.0 }
    }

    /// The delays of a 3:2 compressor's halves: two terms to their half sum, and on to the result.
    pub(super) fn compress(&self, width: u8) -> [Ticks; 2] {
        [self.first[class(width)], self.last[class(width)]].map(ticks)
    }

    /// The area of a row of 3:2 compressors.
    pub fn compress_area(&self, width: u8) -> f64 {
        self.compress_area[class(width)]
    }
}

/// The place of a width among [`WIDTHS`].
fn class(width: u8) -> usize {
    WIDTHS.iter().position(|&w| w >= width).unwrap_or(WIDTHS.len() - 1)
}

/// The costs of a table in which exactly `names` are given.
fn costs(
    source: Source<'_>,
    table: &Spanned<Table>,
    title: &str,
    names: &[&'static str],
) -> Result<BTreeMap<&'static str, PerWidth>, SourceError> {
    let mut costs = BTreeMap::new();
    for (key, value) in table.get_ref() {
        let name = names.iter().find(|name| *name == key.get_ref()).ok_or_else(|| {
            source.error(
                key.span(),
                format!("[{title}] has no `{}`", key.get_ref()),
                suggestion(key.get_ref(), names),
            )
        })?;
        costs.insert(*name, per_width(source, key.get_ref(), value.get_ref(), value.span())?);
    }
    match names.iter().find(|name| !costs.contains_key(*name)) {
        None => Ok(costs),
        Some(missing) => Err(source.error(
            table.span(),
            format!("`{missing}` is missing in [{title}]"),
            format!(
                "write `{missing} = ` and a number, or a number for each of 8, 16, 32, 64 bits"
            ),
        )),
    }
}

fn per_width(
    source: Source<'_>,
    name: &str,
    value: &toml::Value,
    at: Range<usize>,
) -> Result<PerWidth, SourceError> {
    let number = |value: &toml::Value| match *value {
        toml::Value::Integer(number) => Some(number as f64),
        toml::Value::Float(number) => Some(number),
        _ => None,
    };
    let form = "a number, or a table such as { 8 = 1, 16 = 1, 32 = 1, 64 = 2 }";
    let costs: PerWidth = match value {
        toml::Value::Table(table) => {
            let known = |key: &&String| WIDTHS.iter().any(|width| width.to_string() == **key);
            if let Some(key) = table.keys().find(|key| !known(key)) {
                let problem = format!("`{name}` has a cost for words of `{key}` bits");
                return Err(source.error(at, problem, "words have 8, 16, 32 or 64"));
            }
            let mut costs = [0.0; 4];
            for (cost, width) in costs.iter_mut().zip(WIDTHS) {
                let given = table.get(&width.to_string()).and_then(number);
                *cost = given.ok_or_else(|| {
                    let problem = format!("`{name}` has no cost for words of {width} bits");
                    source.error(at.clone(), problem, format!("write {form}"))
                })?;
            }
            costs
        }
        value => match number(value) {
            Some(number) => [number; 4],
            None => {
                let problem = format!("the cost of `{name}` is no number");
                return Err(source.error(at, problem, format!("write {form}")));
            }
        },
    };
    for cost in costs {
        let wrong = |what: String, remedy: String| {
            source.error(at.clone(), format!("the cost of `{name}` is {what}"), remedy)
        };
        if !(cost.is_finite() && cost >= 0.0) {
            return Err(wrong(cost.to_string(), "a cost is zero or more, and finite".to_owned()));
        }
        check_figure(cost, &FIGURES)
            .map_err(|(size, remedy)| wrong(format!("{cost:e}, which is {size}"), remedy))?;
    }
    Ok(costs)
}
