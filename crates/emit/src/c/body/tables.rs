//! Constants and numbers of words that differ from iteration to iteration.

use super::super::expr::{constant, integer};
use super::super::text::uses;
use manylane_graph::Op;
use manylane_graph::roll::Source;
use manylane_plan::program::reads::Known;
use manylane_plan::program::{Action, MAIN, Program};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The `const` tables of a C function.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Their definitions.
    pub text: String,
}

impl Tables {
    /// Adds a table with a row for each iteration and a column for each input; `rows` are the
    /// numbers of `width` bits. Returns nothing for no columns.
    pub fn add(&mut self, name: &str, width: u8, rows: &[Vec<u64>]) {
        let columns = rows.first().map_or(0, Vec::len);
        if columns == 0 {
            return;
        }
        let shape = match columns {
            1 => format!("[{}]", rows.len()),
            _ => format!("[{}][{columns}]", rows.len()),
        };
        let _ = writeln!(
            self.text,
            "static const {} MANYLANE_DATA({name}){shape} = {{",
            integer(width)
        );
        if columns == 1 {
            for words in rows.chunks(8) {
                let words = words.iter().map(|row| number(row[0], width));
                let _ = writeln!(self.text, "    {},", words.collect::<Vec<_>>().join(", "));
            }
        } else {
            for row in rows {
                let words: Vec<String> = row.iter().map(|&word| number(word, width)).collect();
                let lines: Vec<String> = words.chunks(8).map(|words| words.join(", ")).collect();
                let _ = writeln!(self.text, "    {{ {} }},", lines.join(",\n      "));
            }
        }
        self.text.push_str("};\n\n");
    }
}

/// The wide constants that the shares of a program use several times. They are in a table for
/// machines whose instructions have small immediate operands.
///
/// A RISC-V processor makes such a constant by two instructions. In a function for one core,
/// compilers keep constants in registers or on the stack; between hand-overs they rematerialize
/// most of them.
pub(super) struct Literals {
    name: String,
    /// The place of each constant in the table.
    places: BTreeMap<u64, usize>,
    /// The places of those that a share keeps in variables.
    kept: BTreeSet<usize>,
}

/// The width of these constants in bits.
const LITERAL: u8 = 32;

/// Smaller constants than this are immediate operands of RISC-V's instructions.
const SMALL: u64 = 1 << 11;

/// The smallest number of uses of a constant in the table.
const USES: usize = 2;

/// The number of constants of the table that a share keeps in variables. With half of a state in
/// its 31 registers, a core has this many registers to spare.
const KEPT: usize = 8;

/// The prefix of these variables' names.
const KEPT_NAME: &str = "constant";

/// The variable that points to the table.
pub(super) const POINTER: &str = "constants";

impl Literals {
    /// The constants of the straight regions of a program whose functions begin with `name`.
    pub fn of(program: &Program, name: &str) -> Self {
        let mut uses: BTreeMap<u64, usize> = BTreeMap::new();
        for (region, parts) in program.rolled.regions.iter().zip(&program.parts) {
            if region.times > 1 {
                continue;
            }
            let body = &region.body;
            let actions = parts.iter().flat_map(|part| &part.each);
            let nodes = actions.filter_map(|action| match action {
                Action::Compute(node) => Some(*node),
                Action::Send(_) | Action::Receive(_) => None,
            });
            for arg in nodes.flat_map(|node| body.args(node)) {
                let value = match body.op(*arg) {
                    Op::Const(value) => Some(value),
                    Op::Input(i) => match &region.sources[i as usize] {
                        Source::Same(value) => match program.known(*value) {
                            Known::Constant(value, _) => Some(value),
                            Known::Input(_) | Known::Result(_) => None,
                        },
                        Source::Each(_) | Source::Earlier { .. } => None,
                    },
                    _ => None,
                };
                let is_wide = |value: &u64| *value >= SMALL && body.width(*arg) == LITERAL;
                if let Some(value) = value.filter(is_wide) {
                    *uses.entry(value).or_default() += 1;
                }
            }
        }
        let mut often: Vec<(u64, usize)> =
            uses.into_iter().filter(|(_, uses)| *uses >= USES).collect();
        // With few hand-overs, compilers keep constants as they do on one core.
        if program.transfers.iter().filter(|transfer| transfer.from == MAIN).count() < often.len() {
            often.clear();
        }
        let mut kept: Vec<usize> = (0..often.len()).collect();
        kept.sort_by_key(|&place| Reverse(often[place].1));
        kept.truncate(KEPT);
        let places = often.iter().enumerate().map(|(place, (value, _))| (*value, place)).collect();
        Self { name: format!("{name}_literals"), places, kept: kept.into_iter().collect() }
    }

    /// The definition of the table.
    pub fn table(&self) -> String {
        let mut tables = Tables::default();
        let rows: Vec<Vec<u64>> = self.places.keys().map(|&value| vec![value]).collect();
        tables.add(&self.name, LITERAL, &rows);
        tables.text
    }

    /// The first statements of a function whose body is `lines`, if these read the table.
    pub fn opening(&self, lines: &str) -> String {
        let integer = integer(LITERAL);
        let is_read = |name: &str| uses(lines, name);
        let kept = self.kept.iter().map(|&place| (place, format!("{KEPT_NAME}{place}")));
        let kept: Vec<(usize, String)> = kept.filter(|(_, name)| is_read(name)).collect();
        if kept.is_empty() && !is_read(POINTER) {
            return String::new();
        }
        let mut opening = format!(
            "    const {integer} *{POINTER} = {};\n    MANYLANE_READ({POINTER});\n",
            self.name
        );
        for (place, name) in kept {
            let _ = writeln!(opening, "    const {integer} {name} = {POINTER}[{place}];");
        }
        opening
    }

    /// The expression of a constant that is in the table.
    pub fn place(&self, value: u64, width: u8) -> Option<String> {
        let place = self.places.get(&value).filter(|_| width == LITERAL)?;
        Some(match self.kept.contains(place) {
            true => format!("{KEPT_NAME}{place}"),
            false => format!("{POINTER}[{place}]"),
        })
    }
}

/// An element of a table as it is written: small numbers in decimal.
fn number(value: u64, width: u8) -> String {
    if width == 8 { value.to_string() } else { constant(value, width) }
}

/// The expression that reads an element in the loop.
pub(super) fn element(name: &str, columns: usize, column: usize) -> String {
    match columns {
        1 => format!("{name}[i]"),
        _ => format!("{name}[i][{column}]"),
    }
}
