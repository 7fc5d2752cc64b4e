//! The figures of a run: what was measured beside what was predicted.

use crate::c::HashPrograms;
use crate::error::Error;
use manylane_emit::c::Cores;
use manylane_plan::Platform;
use manylane_plan::program::Program;
use manylane_plan::program::message::predict;
use manylane_plan::program::prices::PriceBasis;
use serde::Serialize;
use std::collections::BTreeMap;

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

/// A primitive, a length and a number of cores. The fields are those of `manylane run --json`.
#[derive(Debug, Serialize)]
pub struct Row {
    /// Its name in the catalogue.
    pub primitive: String,
    /// The machine.
    pub platform: String,
    /// Number of cores, 1 or 2.
    pub cores: u8,
    /// Bytes of the message.
    pub length: usize,
    /// Calls of the compression.
    pub blocks: usize,
    /// Cycles of init, update and final; `null` where none are counted.
    pub cycles: Option<u32>,
    /// Cycles divided by the blocks; `null` where there are none.
    pub cycles_per_block: Option<f64>,
    /// Cycles divided by the bytes of the message; `null` for the empty one.
    pub cycles_per_byte: Option<f64>,
    /// The predicted cycles of the message at the platform's prices, never below the limit; where
    /// no program of the primitive was measured there, those of the compressions alone.
    pub predicted_cycles: Option<f64>,
    /// Whether this very program was measured, each core's share alone, or another one of the
    /// primitive on one core, or none.
    pub predicted_from: Option<PriceBasis>,
    /// Cycles that no program of these operations goes below on this number of cores, at the
    /// platform's prices for operations, with memory and handshakes free.
    pub limit_cycles: Option<f64>,
    /// The part of the cycles on one core that the second one saves. `null` on one core, or where
    /// that was not run.
    pub gain: Option<f64>,
    /// The gain in predicted cycles.
    pub predicted_gain: Option<f64>,
    /// The planned program, as a platform's file names those that were measured; of HMAC that of
    /// its hash.
    pub program: String,
    /// Hand-overs between the cores for the message.
    pub handshakes: usize,
    /// For each core, the clocks in which it waited for a bank of memory that the other core used,
    /// in the whole measuring program: its start and every length, the first one twice. Empty where
    /// none are counted.
    pub stalls: Vec<u64>,
    /// Whether the result is that of the definition.
    pub digest_ok: bool,
    /// Memory that the library takes.
    #[serde(flatten)]
    pub memory: Memory,
}

impl Row {
    /// A row with everything but the results of the run. `platform` prices the prediction, if there
    /// is one.
    ///
    /// # Errors
    /// If the platform lacks a cost.
    pub fn new(
        programs: &HashPrograms,
        cores: Cores,
        length: usize,
        platform: Option<&Platform>,
    ) -> Result<Self, Error> {
        let program: &Program = match cores {
            Cores::One => &programs.one,
            Cores::Two => programs.two.as_ref().unwrap_or(&programs.one),
        };
        let blocks = programs.blocks(length);
        let prediction = match platform {
            Some(platform) => {
                let platform = programs.priced(platform)?;
                Some(predict(program, &programs.stream.framing, &platform, length)?)
            }
            None => None,
        };
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
    pub(super) fn set_cycles(&mut self, cycles: u32) {
        if cycles > 0 {
            self.cycles = Some(cycles);
            let is_any = self.blocks > 0;
            self.cycles_per_block = is_any.then(|| f64::from(cycles) / self.blocks as f64);
            let per_byte = f64::from(cycles) / self.length as f64;
            self.cycles_per_byte = (self.length > 0).then_some(per_byte);
        }
    }
}

/// Sets in the rows of two cores the parts that they save of the rows of one core.
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
