//! A run as a row of the table: what was measured beside what was predicted.

use crate::emit::HashPrograms;
use crate::explain::text::wrapped;
use manylane_emit::c::Cores;
use manylane_plan::Platform;
use manylane_plan::program::Program;
use manylane_plan::program::message::predict;
use manylane_plan::program::prices::Basis;
use manylane_simulate::{Clock, Machine};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Memory that a library takes on a machine.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Memory {
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// Bytes of constants.
    pub constant_bytes: u64,
    /// Bytes of stack that the first core wrote to, all of the measuring program's; `null` where
    /// nothing watches.
    pub stack_bytes: Option<u64>,
}

/// A primitive, a length and a number of cores.
#[derive(Debug, Serialize)]
pub struct Row {
    pub primitive: String,
    pub platform: String,
    pub cores: u8,
    /// Bytes of the message.
    pub length: usize,
    /// Calls of the compression.
    pub blocks: usize,
    /// Cycles of init, update and final; `null` where none are counted.
    pub cycles: Option<u32>,
    pub cycles_per_block: Option<f64>,
    /// Cycles divided by the bytes of the message; `null` for the empty one.
    pub cycles_per_byte: Option<f64>,
    /// The same at the platform's prices; where no program of the primitive was measured there, of
    /// the compressions alone.
    pub predicted_cycles: Option<f64>,
    /// Whether this very program was measured, each core's share alone, or another one of the
    /// primitive on one core, or none.
    pub predicted_from: Option<Basis>,
    /// Cycles that no program of these operations goes below on this number of cores, at the
    /// platform's prices for operations, with memory and handshakes free.
    pub limit_cycles: Option<f64>,
    /// Parts of the time on one core that the second one saves: of the run's cycles, and of the
    /// predicted ones. `null` on one core, or where that was not run.
    pub gain: Option<f64>,
    pub predicted_gain: Option<f64>,
    /// The planned program, as a platform's file names those that were measured; of HMAC that of
    /// its hash.
    pub program: String,
    /// Hand-overs between the cores for the message.
    pub handshakes: usize,
    /// By core: clocks in which it waited for a bank of memory that the other core used, in the
    /// whole measuring program: its start and every length, the first one twice. Empty where none
    /// are counted.
    pub stalls: Vec<u64>,
    pub digest_ok: bool,
    #[serde(flatten)]
    pub memory: Memory,
}

impl Row {
    /// A row with everything but the results of the run. `platform` prices the prediction, if there
    /// is one.
    pub fn new(
        programs: &HashPrograms,
        cores: Cores,
        length: usize,
        platform: Option<&Platform>,
    ) -> anyhow::Result<Self> {
        let program: &Program = match cores {
            Cores::One => &programs.one,
            Cores::Two => programs.two.as_ref().unwrap_or(&programs.one),
        };
        let blocks = programs.blocks(length);
        let prediction = platform
            .map(|platform| predict(program, &programs.stream.framing, platform, length))
            .transpose()?;
        let mut row = Self::empty(programs.algorithm.to_string(), length, blocks);
        row.cores = program.processors as u8;
        row.predicted_cycles = prediction.as_ref().map(|of| of.cycles);
        row.predicted_from = prediction.as_ref().map(|of| of.basis);
        row.limit_cycles = prediction.as_ref().map(|of| of.limit);
        row.program = program.identity().to_string();
        row.handshakes = program.handshakes() * blocks;
        Ok(row)
    }

    /// A row of which nothing is known yet, of one core.
    pub fn empty(primitive: String, length: usize, blocks: usize) -> Self {
        Self {
            primitive,
            platform: String::new(),
            cores: 1,
            length,
            blocks,
            cycles: None,
            cycles_per_block: None,
            cycles_per_byte: None,
            predicted_cycles: None,
            predicted_from: None,
            limit_cycles: None,
            gain: None,
            predicted_gain: None,
            program: String::new(),
            handshakes: 0,
            stalls: Vec::new(),
            digest_ok: false,
            memory: Memory::default(),
        }
    }

    /// Notes the cycles of the run, if there are any.
    pub fn set_cycles(&mut self, cycles: u32) {
        if cycles > 0 {
            self.cycles = Some(cycles);
            let is_any = self.blocks > 0;
            self.cycles_per_block = is_any.then(|| f64::from(cycles) / self.blocks as f64);
            let per_byte = f64::from(cycles) / self.length as f64;
            self.cycles_per_byte = (self.length > 0).then_some(per_byte);
        }
    }
}

/// Sets in the rows of two cores what they save of the rows of one core.
pub fn set_gains(rows: &mut [Row]) {
    type Times = (Option<u32>, Option<f64>);
    let of = |row: &Row| (row.platform.clone(), row.primitive.clone(), row.length);
    let alone: BTreeMap<_, Times> = rows
        .iter()
        .filter(|row| row.cores == 1)
        .map(|row| (of(row), (row.cycles, row.predicted_cycles)))
        .collect();
    for row in rows.iter_mut().filter(|row| row.cores == 2) {
        let Some(&(cycles, predicted)) = alone.get(&of(row)) else { continue };
        let saved = |one: f64, two: f64| 1.0 - two / one;
        row.gain = cycles.zip(row.cycles).map(|(one, two)| saved(one.into(), two.into()));
        row.predicted_gain = predicted.zip(row.predicted_cycles).map(|(one, two)| saved(one, two));
    }
}

/// The rows of a machine as a table of at most 100 columns, and what explains it.
pub fn table(
    title: &str,
    compiler: &str,
    clock: Option<&str>,
    rows: &[&Row],
    notes: &[String],
) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}\n{compiler}", wrapped(title, 0).trim_end());
    if let Some(clock) = clock {
        let _ = writeln!(out, "{}", wrapped(&format!("cycles are {clock}"), 0).trim_end());
    }
    out.push('\n');
    let _ = writeln!(
        out,
        "{:16} {:>5} {:>6} {:>9} {:>9} {:>7} {:>9} {:>7} {:>9} {:>6} {:>6}",
        "primitive",
        "cores",
        "bytes",
        "cycles",
        "a block",
        "a byte",
        "predicted",
        "error",
        "limit",
        "gain",
        "digest"
    );
    for row in rows {
        let number =
            |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.0}"));
        let cycles = row.cycles.map(f64::from);
        let error = match (row.predicted_cycles, cycles) {
            (Some(predicted), Some(cycles)) => {
                format!("{:+.1} %", 100.0 * (predicted / cycles - 1.0))
            }
            _ => "–".to_owned(),
        };
        let gain = row.gain.map_or(String::new(), gained);
        let _ = writeln!(
            out,
            "{:16} {:>5} {:>6} {:>9} {:>9} {:>7} {:>9} {:>7} {:>9} {:>6} {:>6}",
            row.primitive,
            row.cores,
            row.length,
            number(cycles),
            number(row.cycles_per_block),
            row.cycles_per_byte.map_or("–".to_owned(), |of| figure(of, 1e5)),
            number(row.predicted_cycles),
            error,
            number(row.limit_cycles),
            gain,
            if row.digest_ok { "ok" } else { "WRONG" },
        );
    }
    if !notes.is_empty() {
        out.push('\n');
    }
    notes.iter().for_each(|note| out.push_str(&wrapped(note, 0)));
    out
}

/// A gain in percent. Where two cores take more than twice as long as one, the factor by which they
/// do says more.
fn gained(gain: f64) -> String {
    if gain < -1.0 { figure(1.0 - gain, 1e3) + " ×" } else { format!("{:.1} %", 100.0 * gain) }
}

/// A figure below `most` with one digit behind the point, a larger one with a power of ten, since
/// it would be wider than its column: two threads that share a processor may take any time.
fn figure(value: f64, most: f64) -> String {
    if value < most { format!("{value:.1}") } else { format!("{value:.0e}") }
}

/// Says why a table has no predictions, what a factor in the place of a gain is, and, of a single
/// primitive, how often the cores hand over and wait for memory.
pub fn notes(machine: Machine, is_timed: bool, is_single: bool, rows: &[&Row]) -> Vec<String> {
    let mut notes = Vec::new();
    let why = match (machine, machine.clock()) {
        _ if is_timed => None,
        (Machine::Host, _) => Some(
            "nothing is predicted: no platform's file has costs of this computer, and its clock \
             counts no cycles of a core that is simulated",
        ),
        (_, Clock::None) => Some("nothing is predicted: this machine counts no cycles"),
        _ => Some("nothing is predicted: no platform's file is this machine's"),
    };
    notes.extend(why.map(str::to_owned));
    if rows.iter().any(|row| row.gain.is_some_and(|gain| gain < -1.0)) {
        notes.push(
            "× in the place of a gain: so many times as long on two cores as on one. The cores \
             hand over more often than they could in the time of a block"
                .to_owned(),
        );
    }
    if !is_single {
        return notes;
    }
    let hand_overs = rows.iter().filter(|row| row.cores == 2).map(|row| {
        let per_block = row.handshakes as f64 / row.blocks.max(1) as f64;
        format!("{} in {} bytes ({per_block:.0} a block)", row.handshakes, row.length)
    });
    let hand_overs: Vec<String> = hand_overs.collect();
    if !hand_overs.is_empty() {
        notes.push(format!("hand-overs between the cores: {}", hand_overs.join(", ")));
    }
    for cores in [1, 2] {
        let Some(row) = rows.iter().find(|row| row.cores == cores) else { continue };
        if let [main, second] = row.stalls[..] {
            notes.push(format!(
                "clocks of waiting for memory on {}, in the whole program that measures: core 0 \
                 {main}, core 1 {second}",
                if cores == 1 { "one core" } else { "two cores" }
            ));
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_fit_their_columns() {
        let gains = [0.379, -0.061, -1.5, -998.0, -272_294.0].map(gained);
        assert_eq!(gains, ["37.9 %", "-6.1 %", "2.5 ×", "999.0 ×", "3e5 ×"]);
        let rates = [49.9, 99_999.9, 1_486_454.2].map(|rate| figure(rate, 1e5));
        assert_eq!(rates, ["49.9", "99999.9", "1e6"]);
    }
}
