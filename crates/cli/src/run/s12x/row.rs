//! The figures of a run, beside the prediction and the paper's figures.

use super::paper;
use crate::emit::{Assembly, MACHINE, message};
use manylane_emit::asm::Cores;
use manylane_plan::Platform;
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
    /// What the paper measured, if it did.
    pub paper_cycles: Option<u64>,
    /// Threads of XGATE that were started: each is a request and a flag.
    pub handshakes: u64,
    /// Bus cycles that XGATE waited for memory.
    pub waits: f64,
    pub digest_ok: bool,
    /// Of code and constants, without the self-test.
    pub code_bytes: usize,
    /// Of the work area; the context is the caller's.
    pub ram_bytes: usize,
    pub context_bytes: usize,
    pub stack_bytes: usize,
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
        Ok(Self {
            platform: MACHINE,
            cores: cores.name(),
            length,
            blocks,
            cycles: hashed.cycles,
            cycles_per_block: (blocks > 0).then(|| hashed.cycles as f64 / blocks as f64),
            predicted_cycles: platform.and_then(|of| assembled.predicted(of, length)),
            paper_cycles: paper::cycles(&name, cores.name(), length),
            handshakes: hashed.counts.xgate.starts,
            waits: hashed.counts.xgate.stalls as f64 / 2.0,
            digest_ok,
            code_bytes: assembled.code_bytes(),
            ram_bytes: assembled.made().work_bytes,
            context_bytes: assembled.made().context_bytes,
            stack_bytes: hashed.stack_bytes,
            primitive: name,
        })
    }
}
