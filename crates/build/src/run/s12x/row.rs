//! The figures of a run, beside the prediction and the paper's figures.

use super::paper;
use crate::asm::{Assembly, CipherCalls, MACHINE, message};
use crate::error::Error;
use manylane_emit::asm::Cores;
use manylane_plan::Platform;
use manylane_plan::program::prices::PriceBasis;
use serde::Serialize;

/// The prefix of labels.
pub const PREFIX: &str = "hash";

/// A primitive, a length and a choice of cores. The fields are those of `manylane run --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Its name in the catalogue.
    pub primitive: String,
    /// The machine.
    pub platform: &'static str,
    /// `cpu`, `xgate` or `both`.
    pub cores: &'static str,
    /// Bytes of the message.
    pub length: usize,
    /// Calls of the compression.
    pub blocks: usize,
    /// Bus cycles of init, update and final.
    pub cycles: u64,
    /// Bus cycles divided by the blocks; `null` where there are none.
    pub cycles_per_block: Option<f64>,
    /// Cycles that the platform's measured programs and costs predict; `null` where it has none.
    pub predicted_cycles: Option<f64>,
    /// Whether this very program was measured; another one of the primitive, such as the same with
    /// XGATE's instructions in another order; or none.
    pub predicted_from: Option<PriceBasis>,
    /// Always `null`: the back ends merge operations, so that costs of single ones are no bound.
    pub limit_cycles: Option<f64>,
    /// The part of XGATE's bus cycles alone that both cores save. `null` on other choices of cores,
    /// or where XGATE alone was not run.
    pub gain: Option<f64>,
    /// The gain in predicted bus cycles.
    pub predicted_gain: Option<f64>,
    /// The planned program, as a platform's file names those that were measured; of HMAC that of
    /// its hash. `null` for a cipher, which has one for each function.
    pub program: Option<String>,
    /// Bus cycles that the paper measured, if it measured this run.
    pub paper_cycles: Option<u64>,
    /// Threads of XGATE that were started: each is a request and a flag.
    pub handshakes: u64,
    /// Bus cycles that XGATE waited for memory.
    pub waits: f64,
    /// Whether the result is that of the definition.
    pub digest_ok: bool,
    /// Bytes in flash of code and constants together, XGATE's among them, without the self-test.
    pub code_bytes: usize,
    /// Always `null`: constants lie between code and are counted with it.
    pub constant_bytes: Option<usize>,
    /// Bytes of the work area; the context is the caller's.
    pub ram_bytes: usize,
    /// Bytes of a context.
    pub context_bytes: usize,
    /// Bytes of stack that were used.
    pub stack_bytes: usize,
    /// Bus cycles of a cipher's functions, each called alone; `null` for a hash.
    pub calls: Option<CipherCalls>,
}

impl Row {
    /// Runs a message.
    ///
    /// # Errors
    /// If a call does not return.
    pub fn new(
        assembled: &dyn Assembly,
        cores: Cores,
        platform: Option<&Platform>,
        length: usize,
    ) -> Result<Self, Error> {
        let (hashed, digest_ok) = assembled.run(&message(length))?;
        let blocks = assembled.blocks(length);
        let name = assembled.name();
        let predicted = platform.and_then(|of| assembled.predicted(of, length));
        Ok(Self {
            platform: MACHINE,
            cores: cores.name(),
            length,
            blocks,
            cycles: hashed.cycles,
            cycles_per_block: (blocks > 0).then(|| hashed.cycles as f64 / blocks as f64),
            predicted_cycles: predicted.map(|of| of.cycles),
            predicted_from: predicted.map(|of| of.basis),
            limit_cycles: None,
            gain: None,
            predicted_gain: None,
            program: assembled.program().map(|of| of.to_string()),
            paper_cycles: paper::cycles(&name, cores.name(), length),
            handshakes: hashed.counts.xgate.starts,
            waits: hashed.counts.xgate.stalls as f64 / 2.0,
            digest_ok,
            code_bytes: assembled.built().code_bytes,
            constant_bytes: None,
            ram_bytes: assembled.built().made.work_bytes,
            context_bytes: assembled.built().made.context_bytes,
            stack_bytes: hashed.stack_bytes,
            calls: assembled.calls()?,
            primitive: name,
        })
    }

    /// Whether it is predicted, but not from measurements of this very program.
    pub fn is_estimate(&self) -> bool {
        self.predicted_from.is_some_and(|basis| basis != PriceBasis::Measured)
    }
}

/// Sets in the rows of both cores the parts that they save of the rows of XGATE alone.
pub fn set_gains(rows: &mut [Row]) {
    let alone: Vec<Row> =
        rows.iter().filter(|row| row.cores == Cores::Xgate.name()).cloned().collect();
    for row in rows.iter_mut().filter(|row| row.cores == Cores::Both.name()) {
        let is_same = |of: &&Row| (&of.primitive, of.length) == (&row.primitive, row.length);
        let Some(alone) = alone.iter().find(is_same) else { continue };
        row.gain = Some(1.0 - row.cycles as f64 / alone.cycles as f64);
        let predicted = alone.predicted_cycles.zip(row.predicted_cycles);
        row.predicted_gain = predicted.map(|(alone, both)| 1.0 - both / alone);
    }
}
