//! Predicts RC5 with its key: the expansion, then blocks of mode CTR.

use super::row::Row;
use crate::c::{BESIDE, Rc5Programs};
use crate::error::Error;
use manylane_emit::c::{CIPHER_SHARE, Cores};
use manylane_graph::framing::ByteOrder;
use manylane_graph::part;
use manylane_graph::roll::{Unroll, roll};
use manylane_graph::trace::Rc5;
use manylane_plan::Platform;
use manylane_plan::platform::StreamTime;
use manylane_plan::program::Program;
use manylane_plan::program::prices::{Basis, Prices};
use manylane_plan::program::time::{time, time_jobs};

/// The byte order of the cipher's words.
const ORDER: ByteOrder = ByteOrder::Little;

/// The numbers of blocks in each part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// Blocks that are encrypted while the key is expanded.
    pub beside: usize,
    /// The blocks of each job, of which the second core takes half, rounded down.
    pub jobs: Vec<usize>,
    /// Blocks that the main core encrypts alone: one that is left over, or all where one core
    /// works.
    pub alone: usize,
}

impl Blocks {
    /// Divides `blocks` blocks as emitted C does: see `cipher.c.j2`.
    pub fn of(blocks: usize, cores: Cores, shares_key: bool) -> Self {
        if cores == Cores::One {
            return Self { beside: 0, jobs: Vec::new(), alone: blocks };
        }
        let beside = if shares_key && blocks >= BESIDE { BESIDE } else { 0 };
        let mut jobs = Vec::new();
        let mut rest = blocks - beside;
        while rest > 1 {
            jobs.push(rest.min(2 * CIPHER_SHARE));
            rest -= rest.min(2 * CIPHER_SHARE);
        }
        Self { beside, jobs, alone: rest }
    }
}

/// The section of a platform's file that has its times: the name of its functions.
pub fn section(rc5: &Rc5Programs) -> String {
    rc5.params.to_string().replace('/', "-")
}

/// The row of a run before it is run, with the prediction.
///
/// # Errors
/// If the platform lacks a cost.
pub fn row(
    rc5: &Rc5Programs,
    cores: Cores,
    length: usize,
    platform: Option<&Platform>,
) -> Result<Row, Error> {
    let block_bytes = rc5.params.block_bytes();
    let blocks = length.div_ceil(block_bytes);
    let mut row = Row::empty(rc5.params.to_string(), length, blocks);
    row.cores = if cores == Cores::One { 1 } else { 2 };
    let two = rc5.two.as_ref().filter(|two| cores == Cores::Two && two.processors > 1);
    row.program = two.unwrap_or(&rc5.one).identity().to_string();
    let shared = Blocks::of(blocks, cores, two.is_some());
    let beside = two.filter(|_| shared.beside > 0);
    row.handshakes = beside.map_or(0, Program::handshakes) + 2 * shared.jobs.len();
    let Some(platform) = platform else { return Ok(row) };
    let alone = |part| -> Result<(f64, f64), Error> {
        let function = part::cipher(&rc5.params, part);
        let program = Program::sequential(roll(&function, Unroll::All), 0);
        let prices = Prices::of(&program.rolled, 1, ORDER, platform)?;
        let cycles = time(&program, &prices, 1).map_or(0.0, |of| of.cycles());
        Ok((cycles, prices.limit(&program.rolled, 1)))
    };
    let ((key, key_limit), (block, block_limit)) = (alone(Rc5::KeyExpansion)?, alone(Rc5::Block)?);
    let limit = key_limit + blocks as f64 * block_limit;
    row.limit_cycles = Some(if cores == Cores::One { limit } else { limit / 2.0 });
    let identity = rc5.two.as_ref().unwrap_or(&rc5.one).identity();
    let measured = platform.streams.get(&section(rc5));
    let unknown = StreamTime {
        program: identity,
        key,
        whole: block,
        held: block,
        byte: 0.0,
        message: key,
        beside: 0.0,
        only: block,
        open: 0.0,
        job: 0.0,
        block: 0.0,
        main: [0.0, block],
        second: [0.0, block],
    };
    let mut basis = if measured.is_some() { Basis::Measured } else { Basis::Model };
    let stream = measured.unwrap_or(&unknown);
    let rest = length % block_bytes;
    let partial = stream.held + stream.byte * rest as f64 - stream.whole;
    let whole = if cores == Cores::Two && blocks == 1 { stream.only } else { stream.whole };
    let mut cycles = shared.alone as f64 * whole + if rest > 0 { partial } else { 0.0 };
    if cores == Cores::One {
        cycles += stream.key;
    } else {
        // The program for two cores may be another one than the one that was measured.
        let stream = if stream.program == identity { stream } else { &unknown };
        cycles += match beside {
            Some(two) => {
                let prices = Prices::of_program(two, ORDER, platform)?;
                if prices.basis() != Basis::Measured {
                    basis = Basis::Model;
                }
                let call = time_jobs(two, &prices, &[1]).map_or(key, |of| of.cycles());
                call + stream.beside
            }
            None => stream.message,
        };
        if stream.program != identity {
            basis = Basis::Model;
        }
        if !shared.jobs.is_empty() {
            cycles += stream.open;
        }
        let handshake = &platform.handshake;
        let latency = handshake.start + handshake.latency + handshake.finish;
        for &blocks in &shared.jobs {
            let given = blocks / 2;
            let of = |[job, block]: [f64; 2], blocks: usize| job + block * blocks as f64;
            let main = of(stream.main, blocks - given);
            let second = latency + of(stream.second, given);
            cycles += stream.job + stream.block * blocks as f64 + main.max(second);
        }
    }
    row.predicted_from = Some(basis);
    row.predicted_cycles = Some(cycles);
    Ok(row)
}
