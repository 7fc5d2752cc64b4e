//! The figures of a run, beside the prediction and the paper's figures.

use super::paper;
use crate::emit::{Assembly, CipherCalls, MACHINE, message};
use manylane_emit::asm::Cores;
use manylane_plan::Platform;
use manylane_plan::program::prices::Basis;
use serde::Serialize;

/// The prefix of labels.
pub const PREFIX: &str = "hash";

/// A primitive, a length and a choice of cores.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub primitive: String,
    pub platform: &'static str,
    pub cores: &'static str,
    /// Bytes of the message.
    pub length: usize,
    /// Calls of the compression.
    pub blocks: usize,
    /// Bus cycles of init, update and final.
    pub cycles: u64,
    pub cycles_per_block: Option<f64>,
    /// By the platform's measured programs and costs; `null` where it has none.
    pub predicted_cycles: Option<f64>,
    /// Whether this very program was measured; another one of the primitive, such as the same with
    /// XGATE's instructions in another order; or none.
    pub predicted_from: Option<Basis>,
    /// Always `null`: the back ends merge operations, so that costs of single ones are no bound.
    pub limit_cycles: Option<f64>,
    /// Parts of XGATE's time alone that both cores save: of the run's cycles, and of the predicted
    /// ones. `null` on other choices of cores, or where XGATE alone was not run.
    pub gain: Option<f64>,
    pub predicted_gain: Option<f64>,
    /// The planned program, as a platform's file names those that were measured; of HMAC that of
    /// its hash. `null` for a cipher, which has one for each function.
    pub program: Option<String>,
    /// What the paper measured, if it did.
    pub paper_cycles: Option<u64>,
    /// Threads of XGATE that were started: each is a request and a flag.
    pub handshakes: u64,
    /// Bus cycles that XGATE waited for memory.
    pub waits: f64,
    pub digest_ok: bool,
    /// Bytes in flash of code and constants together, XGATE's among them, without the self-test.
    pub code_bytes: usize,
    /// Always `null`: constants lie between code and are counted with it.
    pub constant_bytes: Option<usize>,
    /// Of the work area; the context is the caller's.
    pub ram_bytes: usize,
    pub context_bytes: usize,
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
    ) -> anyhow::Result<Self> {
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
            code_bytes: assembled.code_bytes(),
            constant_bytes: None,
            ram_bytes: assembled.made().work_bytes,
            context_bytes: assembled.made().context_bytes,
            stack_bytes: hashed.stack_bytes,
            calls: assembled.calls()?,
            primitive: name,
        })
    }

    /// The predicted cycles as text, marked where they are not those of a measured program.
    pub fn prediction(&self) -> String {
        let mark = if self.is_estimate() { ESTIMATE } else { "" };
        self.predicted_cycles.map_or("–".to_owned(), |cycles| format!("{mark}{cycles:.0}"))
    }

    fn is_estimate(&self) -> bool {
        self.predicted_from.is_some_and(|basis| basis != Basis::Measured)
    }
}

/// The mark of a prediction that does not rest on measurements of the program.
const ESTIMATE: &str = "~";

/// Explains the mark where a row has it.
pub fn explanation(rows: &[Row]) -> String {
    if !rows.iter().any(Row::is_estimate) {
        return String::new();
    }
    format!(
        "\n{ESTIMATE}  an estimate: the program itself was not measured on the platform. It is \
         predicted from costs of\n   operations (a third off, or more), or from another program of \
         the hash that was measured\n"
    )
}

/// Sets in the rows of both cores what they save of the rows of XGATE alone.
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
