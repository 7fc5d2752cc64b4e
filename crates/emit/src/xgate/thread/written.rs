//! A thread as text, with the tables that several threads may share.

use crate::xgate::lookup::Table;
use std::fmt::Write;

/// A thread as text, with its measures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Code, then tables, in RAM.
    pub text: String,
    /// The thread's tables. They go to a multiple of 256 bytes behind the texts of all threads.
    /// Tables with the same label are the same.
    pub tables: Vec<TableText>,
    /// The memory that the thread works in. It needs no initial value.
    pub space: String,
    /// Bytes of code.
    pub code: usize,
    /// Bytes of constants in the text.
    pub constants: usize,
    /// Bytes of memory that the thread works in.
    pub memory: usize,
    /// Clocks of XGATE for one block without memory stalls. A bus cycle has two clocks.
    pub clocks: usize,
    /// Whether the order of some instructions began as one of whole steps. Then each search has a
    /// better chance, and more are worth their time.
    pub is_by_step: bool,
    /// Whether the thread and the code around it are to be small rather than fast.
    pub is_lean: bool,
    /// Whether a job has one object, see [`Walks::One`](super::Walks::One).
    pub has_one: bool,
}

/// A table of rows, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableText {
    /// The table's label, which its content determines.
    pub label: String,
    /// The text with the label, 256 rows.
    pub text: String,
    /// The table's size in bytes, a multiple of 256.
    pub bytes: usize,
}

impl TableText {
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
        let mut all: Vec<&TableText> = Vec::new();
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
