//! The tables behind a thread's code.

use super::Writer;
use crate::xgate::region::TableCell;
use manylane_graph::Op;
use manylane_graph::interpret::evaluate;
use std::fmt::Write;

impl Writer<'_> {
    /// The tables that stand behind a thread's code, with the S-box if it is used, and their bytes.
    pub(super) fn constants(&self, uses_substitution: bool) -> (String, usize) {
        let (mut text, mut bytes) = (String::new(), 0);
        let work = self.thread.label("work");
        for (label, rows) in self.tables.iter().chain(&self.other_tables) {
            let _ = writeln!(text, "{label}:");
            for row in rows {
                let cells = row.iter().map(|cell| match cell {
                    TableCell::Number(number) => format!("0x{number:04x}"),
                    TableCell::Work(at) => format!("{work}+{at}"),
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
