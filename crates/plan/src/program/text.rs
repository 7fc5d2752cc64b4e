//! The text form of a program, for people and for tests that are files.
//!
//! ```text
//! program sha256.compression, 2 processors, function 0x…
//! region 1, 4 times
//!   processor 0: e0 e1 … | round[16] … ← 3
//!   processor 1: → 3: v7 v19
//! ```

use super::{Action, Part, Program, When};
use manylane_graph::Function;
use std::fmt;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, count) = (&self.rolled.name, self.processors);
        let s = if count == 1 { "" } else { "s" };
        writeln!(f, "program {name}, {count} processor{s}, function {:#018x}", self.fingerprint)?;
        for (r, (region, parts)) in self.rolled.regions.iter().zip(&self.parts).enumerate() {
            let s = if region.times == 1 { "" } else { "s" };
            writeln!(f, "region {r}, {} time{s}", region.times)?;
            for (p, part) in parts.iter().enumerate() {
                let Part { inputs, before, each, after } = part;
                if before.is_empty() && each.is_empty() && after.is_empty() {
                    continue;
                }
                let names = inputs.iter().map(|&i| region.body.inputs()[i].name.as_str());
                writeln!(f, "  processor {p} holds {}", names.collect::<Vec<_>>().join(" "))?;
                for (list, name) in [(before, "before"), (each, "each"), (after, "after")] {
                    if !list.is_empty() {
                        writeln!(f, "    {name}: {}", self.actions(list, &region.body))?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Program {
    /// Runs of operations by their steps; `→ 3` sends transfer 3, `← 3` receives it.
    fn actions(&self, list: &[Action], body: &Function) -> String {
        let mut words: Vec<String> = Vec::new();
        let mut last = None;
        for action in list {
            match *action {
                Action::Compute(node) => {
                    let step = body.step(node);
                    if last != Some(step) {
                        let path = body.path_name(step);
                        words.push(if path.is_empty() { node.to_string() } else { path });
                        last = Some(step);
                    }
                }
                Action::Send(id) => {
                    let transfer = &self.transfers[id.index()];
                    let at = if transfer.when == When::After { " at the end" } else { "" };
                    let s = if transfer.values.len() == 1 { "" } else { "s" };
                    words.push(format!("→{} ({} value{s}{at})", id.0, transfer.values.len()));
                    last = None;
                }
                Action::Receive(id) => {
                    words.push(format!("←{}", id.0));
                    last = None;
                }
            }
        }
        words.join(", ")
    }
}
