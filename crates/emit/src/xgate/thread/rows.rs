//! Tables as text, and where they stand.

use super::{Writer, Written};
use crate::xgate::lookup::Table;
use crate::xgate::region::Cell;
use manylane_graph::Op;
use manylane_graph::interpret::evaluate;
use std::fmt::Write;

/// A table of rows, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The table's label, which its content determines.
    pub label: String,
    /// The text with the label, 256 rows.
    pub text: String,
    /// The table's size in bytes, a multiple of 256.
    pub bytes: usize,
}

impl Rows {
    /// Writes a table of words in big-endian rows under its label.
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
    /// The text of the tables of several threads, each table once, and its size in bytes.
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

    /// Bytes in RAM, including the thread's tables.
    pub fn bytes(&self) -> usize {
        let tables: usize = self.tables.iter().map(|rows| rows.bytes).sum();
        self.code + self.constants + tables + self.memory
    }
}

impl Writer<'_> {
    /// The tables that stand behind a thread's code, with the S-box if it is used, and their bytes.
    pub(super) fn constants(&self, uses_substitution: bool) -> (String, usize) {
        let (mut text, mut bytes) = (String::new(), 0);
        let work = self.thread.label("work");
        for (label, rows) in self.tables.iter().chain(&self.other_tables) {
            let _ = writeln!(text, "{label}:");
            for row in rows {
                let cells = row.iter().map(|cell| match cell {
                    Cell::Number(number) => format!("0x{number:04x}"),
                    Cell::Work(at) => format!("{work}+{at}"),
                });
                let cells: Vec<String> = cells.collect();
                bytes += 2 * cells.len();
                for line in cells.chunks(8) {
                    let _ = writeln!(text, "\t.word {}", line.join(","));
                }
            }
        }
        if uses_substitution {
            let _ = writeln!(text, "{}:", self.memory.substitution);
            for line in 0..16_u64 {
                let byte =
                    |i: u64| format!("0x{:02x}", evaluate(Op::SubBytes, 8, &[16 * line + i]));
                let line: Vec<String> = (0..16).map(byte).collect();
                let _ = writeln!(text, "\t.byte {}", line.join(","));
            }
            bytes += 256;
        }
        (text, bytes)
    }
}
