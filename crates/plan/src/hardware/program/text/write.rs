//! Writes programs of hardware as text.

use super::super::{HardwareProgram, Region};
use super::read::SCHEDULE;
use crate::hardware::Turn;
use crate::program::text::list;
use manylane_graph::verify::verify;
use manylane_graph::{Module, NodeId, Op};
use std::fmt::{self, Display, Formatter};

impl Display for HardwareProgram {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (name, fingerprint) = (&self.function.name, self.fingerprint);
        let (clocks, s) = (self.cycles_per_block, plural(self.cycles_per_block));
        writeln!(f, "hardware @{name}: {clocks} clock{s} per block, function {fingerprint:#018x}")?;
        let options = &self.options;
        write!(f, "options: merge {}, stages {}, ", options.merge, options.stages)?;
        writeln!(f, "adders {}, precompute {}", options.adders, options.precompute)?;
        write!(f, "{}", self.function)?;
        for (r, region) in self.regions.iter().enumerate() {
            write_region(f, &format!("region {r}"), region)?;
        }
        if let Some(schedule) = &self.schedule {
            write_region(f, SCHEDULE, schedule)?;
        }
        // What follows from the other lines is written as comments, if the function is valid.
        if verify(&Module::of(self.function.clone())).is_err() {
            return Ok(());
        }
        for transfer in self.transfers() {
            let (to, turn) = (transfer.to, transfer.turn);
            writeln!(f, "; stage {to} takes over before turn {turn}: {}", list(&transfer.words))?;
        }
        writeln!(f, "; leaves: {}", list(&self.last_words()))
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn write_region(f: &mut Formatter<'_>, name: &str, region: &Region) -> fmt::Result {
    let Region { function, schedule, words, varying, turns, resources } = region;
    writeln!(f, "{name}: {words} word{}", plural(*words))?;
    write!(f, "{function}")?;
    if !varying.is_empty() {
        writeln!(f, "varying {}", list(varying))?;
    }
    writeln!(f, "period {}", schedule.period)?;
    for (node, placed) in function.nodes().zip(&schedule.nodes) {
        write!(f, "{node}: clock {}, {} to {}", placed.clock, placed.start, placed.end)?;
        match (function.op(node), function.args(node)) {
            (Op::Input(i), _) => match function.inputs().get(i as usize) {
                Some(input) => writeln!(f, "  ; {}", input.name)?,
                None => writeln!(f)?,
            },
            (op, []) => writeln!(f, "  ; {}", op.name())?,
            (op, args) => writeln!(f, "  ; {} {}", op.name(), list(args))?,
        }
    }
    for register in &schedule.registers {
        let (node, bits) = (NodeId(register.node), register.bits);
        writeln!(f, "register {node}: {} to {}, {bits} bits", register.from, register.to)?;
    }
    for Turn { clock, kind, arguments, amounts } in turns {
        write!(f, "turn {clock}: kind {kind}, {}", list(arguments))?;
        let amounts = amounts.iter().map(|op| match op.immediate() {
            Some(amount) => format!("{} {amount}", op.name()),
            None => op.name().to_owned(),
        });
        let amounts: Vec<String> = amounts.collect();
        match amounts[..] {
            [] => writeln!(f)?,
            _ => writeln!(f, " by {}", list(&amounts))?,
        }
    }
    let (adders, compressors) = (resources.adders, resources.compressors);
    let (bits, area) = (resources.register_bits, resources.area);
    write!(f, "resources: adders {adders}, compressors {compressors}, ")?;
    writeln!(f, "register bits {bits}, area {area}")
}
