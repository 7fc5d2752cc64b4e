//! Tables of rows as text, and where they stand.

use super::Written;
use crate::xgate::lookup::Table;
use std::fmt::Write;

/// A table of rows, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Its label, which its content determines.
    pub label: String,
    /// The text with the label, 256 rows.
    pub text: String,
    /// Its bytes, a multiple of 256.
    pub bytes: usize,
}

impl Rows {
    pub(super) fn of(table: &Table) -> Self {
        let label = table.label();
        let mut text = format!("{label}:\n");
        for row in table.rows() {
            let words: Vec<String> = row.iter().map(|word| format!("0x{word:04x}")).collect();
            let _ = writeln!(text, "\t.word {}", words.join(","));
        }
        Self { label, text, bytes: table.bytes() }
    }
}

impl Written {
    /// The tables of threads behind each other, each once, and their bytes.
    pub fn tables<'w>(threads: impl IntoIterator<Item = &'w Self>) -> (String, usize) {
        let mut all: Vec<&Rows> = Vec::new();
        for rows in threads.into_iter().flat_map(|of| &of.tables) {
            if !all.iter().any(|known| known.label == rows.label) {
                all.push(rows);
            }
        }
        if all.is_empty() {
            return (String::new(), 0);
        }
        let texts: String = all.iter().map(|rows| &rows.text[..]).collect();
        (format!("\t.balign 256\n{texts}"), all.iter().map(|rows| rows.bytes).sum())
    }

    /// Bytes in RAM, its tables among them.
    pub fn bytes(&self) -> usize {
        let tables: usize = self.tables.iter().map(|rows| rows.bytes).sum();
        self.code + self.constants + tables + self.memory
    }
}
