//! The text form of a program of hardware, for people and for tests that are files.
//!
//! ```text
//! hardware sha256.compression, 4 stages of 16 clocks, function 0x…
//! region 0, 64 turns, state of 8 words
//!   takes state0 … | side0 …
//!   clock -1: %9 add …                 node, operation, operands
//!   clock 0: …
//!   registers: %9 -1..1                 made in clock -1, kept up to clock 1
//! stage 1 takes over before turn 16: %120 …
//! leaves: %700 …
//! ```

use super::{HardwareProgram, Region};
use manylane_graph::{NodeId, Op};
use std::collections::BTreeMap;
use std::fmt;

impl fmt::Display for HardwareProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, fingerprint) = (&self.function.name, self.fingerprint);
        let (stages, clocks) = (self.stages(), self.cycles_per_block);
        let many = |count: usize, what: &str| {
            format!("{count} {what}{}", if count == 1 { "" } else { "s" })
        };
        let shape = format!("{} of {}", many(stages, "stage"), many(clocks, "clock"));
        writeln!(f, "hardware {name}, {shape}, function {fingerprint:#018x}")?;
        for (r, region) in self.regions.iter().enumerate() {
            let (turns, words) = (many(region.turns.len(), "turn"), many(region.words, "word"));
            writeln!(f, "region {r}, {turns}, state of {words}")?;
            fmt_region(f, region)?;
        }
        if let Some(schedule) = &self.schedule {
            writeln!(f, "message schedule, window of {}", many(schedule.words, "word"))?;
            fmt_region(f, schedule)?;
        }
        for transfer in self.transfers() {
            let (to, turn) = (transfer.to, transfer.turn);
            writeln!(f, "stage {to} takes over before turn {turn}: {}", list(&transfer.words))?;
        }
        writeln!(f, "leaves: {}", list(&self.last_words()))
    }
}

fn fmt_region(f: &mut fmt::Formatter<'_>, region: &Region) -> fmt::Result {
    let Region { function, schedule, words, .. } = region;
    let names: Vec<&str> = function.inputs().iter().map(|input| &input.name[..]).collect();
    let (state, side) = names.split_at(*words);
    match side {
        [] => writeln!(f, "  takes {}", state.join(" "))?,
        _ => writeln!(f, "  takes {} | {}", state.join(" "), side.join(" "))?,
    }
    let mut clocks: BTreeMap<i64, Vec<NodeId>> = BTreeMap::new();
    for node in function.nodes().filter(|&node| function.op(node).is_work()) {
        clocks.entry(schedule.nodes[node.index()].clock).or_default().push(node);
    }
    let operand = |&node: &NodeId| match function.op(node) {
        Op::Input(i) => names[i as usize].to_owned(),
        Op::Const(value) => format!("{value:#x}"),
        _ => node.to_string(),
    };
    for (clock, nodes) in clocks {
        for node in nodes {
            let varies = if region.varying.contains(&node) { " by turn" } else { "" };
            let (op, args) = (function.op(node), function.args(node).iter());
            let amount = op.immediate().map_or(String::new(), |amount| format!(" {amount}"));
            let args: Vec<String> = args.map(operand).collect();
            let name = op.name();
            writeln!(f, "  clock {clock}: {node} {name}{amount}{varies} {}", args.join(" "))?;
        }
    }
    let gives = function.outputs().iter().map(|output| operand(&output.value));
    writeln!(f, "  gives {}", gives.collect::<Vec<_>>().join(" "))?;
    let kept = |r: &super::super::Register| format!("{} {}..{}", NodeId(r.node), r.from, r.to);
    let kept: Vec<String> = schedule.registers.iter().map(kept).collect();
    match kept[..] {
        [] => Ok(()),
        _ => writeln!(f, "  registers: {}", kept.join(", ")),
    }
}

fn list(nodes: &[NodeId]) -> String {
    nodes.iter().map(NodeId::to_string).collect::<Vec<_>>().join(" ")
}
