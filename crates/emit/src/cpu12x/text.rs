//! Lines of assembly.

use std::collections::BTreeSet;
use std::fmt::Write;

/// A table of constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Table {
    /// The operation `SubBytes` on every byte, 256 bytes.
    SubBytes,
    /// The operation `Xtime` on every byte, 256 bytes.
    Xtime,
    /// The words 2^0 to 2^15.
    Powers,
}

/// Lines, and the tables that they read.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pub text: String,
    pub tables: BTreeSet<Table>,
    /// The prefix of labels.
    pub prefix: String,
    /// Whether small code is worth more than fast code.
    pub is_small: bool,
    /// Whether an instruction changes Y.
    pub changes_y: bool,
    labels: usize,
}

impl Lines {
    pub fn new(prefix: &str) -> Self {
        Self { prefix: prefix.to_owned(), ..Self::default() }
    }

    /// Adds an instruction or a directive.
    pub fn op(&mut self, name: &str, operands: &str) {
        self.changes_y |= match name {
            "ldy" | "leay" | "puly" | "lsry" | "asly" | "emul" | "ediv" => true,
            "tfr" | "exg" | "sex" => operands.ends_with(",y") || operands.starts_with("y,"),
            _ => operands.contains("y+") || operands.contains("y-"),
        };
        let operands = operands.replace("kept+", &format!("{}_kept+", self.prefix));
        let operands = operands.replace("passing+", &format!("{}_passing+", self.prefix));
        let _ = match operands.is_empty() {
            true => writeln!(self.text, "        {name}"),
            false => writeln!(self.text, "        {name:7} {operands}"),
        };
    }

    /// Adds the lines of a text, which are instructions and labels.
    pub fn ops(&mut self, text: &str) {
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (name, operands) = line.split_once(' ').unwrap_or((line, ""));
            match line.strip_suffix(':') {
                Some(label) if !label.contains(' ') => self.label(label),
                _ => self.op(name, operands.trim()),
            }
        }
    }

    /// Adds an entry point for C, behind its declaration as a comment.
    pub fn entry(&mut self, declaration: &str, name: &str) {
        let label = format!("{}_{name}", self.prefix);
        self.text.push('\n');
        self.comment(declaration);
        self.op(".globl", &label);
        self.label(&label);
    }

    /// Adds a label.
    pub fn label(&mut self, name: &str) {
        let _ = writeln!(self.text, "{name}:");
    }

    /// Returns a label that is used nowhere else.
    pub fn next_label(&mut self) -> String {
        self.labels += 1;
        format!("{}_limbs{}", self.prefix, self.labels)
    }

    /// Adds a comment on a line of its own.
    pub fn comment(&mut self, what: &str) {
        let _ = writeln!(self.text, "; {what}");
    }

    /// Notes that a table is read, and returns its label.
    pub fn table(&mut self, table: Table) -> String {
        self.tables.insert(table);
        match table {
            Table::SubBytes => format!("{}_sub_bytes", self.prefix),
            Table::Xtime => format!("{}_xtime", self.prefix),
            Table::Powers => format!("{}_powers", self.prefix),
        }
    }
}
