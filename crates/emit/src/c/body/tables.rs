//! Constants and numbers of words that differ from iteration to iteration.

use super::super::expr::{constant, integer};
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
