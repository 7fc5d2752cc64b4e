//! The time of a whole message: begin, blocks, padding, end.

use super::Program;
use super::fit::{measured_shares, primitive};
use super::prices::{PriceBasis, Prices};
use super::time::time_jobs;
use crate::costs::CostError;
use crate::platform::{Platform, ProgramTime};
use manylane_graph::framing::Framing;

/// The predicted time of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Cycles of the main core from the first call to the digest; never below the limit.
    pub cycles: f64,
    /// Cycles in which the main core waits for another one.
    pub waits: f64,
    /// The figures that the prediction rests on.
    pub basis: PriceBasis,
    /// Cycles that no program of these operations can go below.
    pub limit: f64,
}

/// The calls of the compression for a message of a given length, and the bytes beside its whole
/// blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calls {
    /// Calls for whole blocks, which are hashed as they come.
    pub whole: usize,
    /// Calls for the padded end and the closing.
    pub end: usize,
    /// Bytes of the message in the padded end.
    pub held: usize,
    /// Whether the padding takes a block of its own.
    pub has_padding: bool,
}

impl Calls {
    /// The calls of a hash with this framing.
    pub fn of(framing: &Framing, bytes: usize) -> Self {
        let full = bytes / framing.block_bytes;
        let is_held =
            framing.padding.holds_last && full > 0 && bytes.is_multiple_of(framing.block_bytes);
        let whole = full - usize::from(is_held);
        let held = bytes - whole * framing.block_bytes;
        let has_padding = held > framing.padding.room;
        let end = 1 + usize::from(has_padding) + usize::from(framing.closing.is_some());
        Self { whole, end, held, has_padding }
    }

    /// The number of all calls.
    pub fn count(&self) -> usize {
        self.whole + self.end
    }

    /// The calls of each job of the second core: all whole blocks are one, each other call is one.
    pub fn jobs(&self) -> Vec<usize> {
        let whole = (self.whole > 0).then_some(self.whole);
        whole.into_iter().chain(vec![1; self.end]).collect()
    }
}

/// The time of a message of `bytes` bytes on a platform. Where no program of the primitive was
/// measured there, this is the time of its calls alone.
///
/// # Errors
/// As [`Prices::of`].
pub fn predict(
    program: &Program,
    framing: &Framing,
    platform: &Platform,
    bytes: usize,
) -> Result<Prediction, CostError> {
    let calls = Calls::of(framing, bytes);
    let prices = Prices::of_program(program, framing.order, &platform.of_block(calls.count()))?;
    let timing = time_jobs(program, &prices, &calls.jobs());
    let of_program = platform.programs.get(primitive(&program.rolled)).copied();
    let of_program = of_program.unwrap_or_default();
    let begin_and_end = match measured_shares(program, platform) {
        Some(shares) => shares.message,
        None => of_program.message,
    };
    let limit = prices.limit(&program.rolled, program.processors) * calls.count() as f64;
    let cycles = begin_and_end
        + beside(&of_program, &calls)
        + timing.as_ref().map_or(f64::INFINITY, |of| of.cycles());
    Ok(Prediction {
        cycles: cycles.max(limit),
        waits: timing.map_or(0.0, |of| of.waits[super::MAIN]),
        basis: prices.basis(),
        limit,
    })
}

/// The time of a message of `bytes` bytes by a program whose times were measured, all of its calls
/// one after the other.
pub fn measured(of: &ProgramTime, framing: &Framing, bytes: usize) -> f64 {
    let calls = Calls::of(framing, bytes);
    of.message + of.block * calls.count() as f64 + beside(of, &calls)
}

/// Cycles for copying and padding the rest of a message, beyond those of the empty message.
pub fn beside(of: &ProgramTime, calls: &Calls) -> f64 {
    let held = if calls.held > 0 { of.held + of.byte * calls.held as f64 } else { 0.0 };
    let padding = if calls.has_padding { of.padding } else { 0.0 };
    held + padding + if calls.whole > 0 { of.whole } else { 0.0 }
}
