//! Messages of one length, or the blocks of a mode of operation, on the processors of a platform.
//!
//! A piece is priced by the program that is emitted, where programs were measured on every kind of
//! processor, and by its operations otherwise.

use crate::error::Error;
use crate::message::Lengths;
use crate::predicted::alone;
use crate::primitive::Primitive;
use manylane_graph::Function;
use manylane_graph::part::cipher;
use manylane_graph::trace::Rc5;
use manylane_plan::Platform;
use manylane_plan::costs::UnitCosts;
use manylane_plan::platform::{COPROCESSOR, MAIN};
use manylane_plan::threads::{self, Batch, Mode};
use manylane_plan::units::{Level, Units};
use manylane_primitives::cipher::Rc5Params;
use serde::Serialize;

/// What is shared out: messages that each have these lengths, or blocks of a cipher.
#[derive(Clone, Copy, Debug)]
pub struct Pieces {
    /// The primitive.
    pub primitive: Primitive,
    /// The lengths of each message.
    pub lengths: Lengths,
    /// Of a cipher: the mode of operation.
    pub mode: Option<Mode>,
    /// How many messages or blocks.
    pub count: u64,
}

/// The processors of a platform, and what a piece costs on them.
#[derive(Debug)]
pub struct Processors<'p> {
    platform: &'p Platform,
    pieces: Pieces,
    /// Cycles of a piece on a processor like the platform's main core.
    pub piece: f64,
    /// The processor that takes another time than the others.
    pub coprocessor: Option<Coprocessor>,
    /// Cycles to start the processors and to join them.
    pub fork_join: f64,
    /// The number of processors that the platform has; `None` where there may be any number like
    /// its main core.
    pub available: Option<usize>,
    /// Whether emitted programs are priced, and not operations alone.
    pub has_programs: bool,
}

/// A processor that takes another time than the others.
#[derive(Debug, Serialize)]
pub struct Coprocessor {
    /// The name of the core.
    pub name: String,
    /// Cycles of a piece on it.
    pub piece: f64,
}

/// A number of processors with their shares. The fields are those of `manylane plan --json`.
#[derive(Debug, Serialize)]
pub struct ProcessorRow {
    /// Who computes what, and how long it takes.
    #[serde(flatten)]
    pub batch: Batch,
    /// The speedup, divided by that of processors that are never idle.
    pub efficiency: f64,
    /// Names of the processors, where they differ; each has its share of the batch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<String>,
}

/// The least cost of an operation above 0 in a platform's file, in cycles.
const LEAST: f64 = 1e-6;

impl<'p> Processors<'p> {
    /// Prices a piece on each kind of processor: on those that the platform has, or, if they are
    /// `alike`, on any number of processors like its main core.
    ///
    /// # Errors
    /// If the platform lacks a cost or contradicts itself, or there is no graph of a piece.
    pub fn new(pieces: Pieces, platform: &'p Platform, alike: bool) -> Result<Self, Error> {
        let has_programs = has_programs(pieces, platform)?;
        // A core whose operations cost nothing is as fast as the cheapest one that a file can have.
        let cost = |core| {
            let cycles = match pieces.primitive {
                Primitive::Rc5(params) => block_cost(params, pieces.mode, platform, core),
                Primitive::Hash(_) | Primitive::Hmac(_) => {
                    message_cost(pieces, platform, core, has_programs)
                }
            };
            cycles.map(|cycles| cycles.max(LEAST))
        };
        let piece = cost(MAIN)?;
        let coprocessor = match platform.cores.get(COPROCESSOR) {
            Some(core) if !alike && !platform.cores_are_equal() => {
                Some(Coprocessor { name: core.name.clone(), piece: cost(COPROCESSOR)? })
            }
            _ => None,
        };
        let fork_join = match platform.cores.len() > COPROCESSOR {
            true => platform.handshake.delay(COPROCESSOR) + platform.handshake.delay(MAIN),
            false => 0.0,
        };
        let available =
            (!alike).then_some(platform.processors + usize::from(coprocessor.is_some()));
        Ok(Self { platform, pieces, piece, coprocessor, fork_join, available, has_programs })
    }

    /// The shares of `processors` processors, of which the platform has enough.
    pub fn row(&self, processors: usize) -> ProcessorRow {
        let Self { platform, pieces, piece, fork_join, .. } = *self;
        // Messages are pieces like the blocks of a mode without chaining.
        let order = pieces.mode.unwrap_or(Mode::Ecb);
        let Some(other) = &self.coprocessor else {
            let batch = threads::cipher(order, pieces.count, piece, processors, fork_join);
            let efficiency = batch.speedup / processors as f64;
            return ProcessorRow { batch, efficiency, on: Vec::new() };
        };
        let mut team = vec![(&platform.cores[MAIN].name, piece); processors];
        // The coprocessor takes part where it is the faster core, or where no other is left.
        if processors > 1 && (other.piece < piece || processors > platform.processors) {
            team[processors - 1] = (&other.name, other.piece);
        }
        let times: Vec<f64> = team.iter().map(|(_, time)| *time).collect();
        let batch = threads::unequal(pieces.count, &times, fork_join, order.is_parallel());
        let all: f64 = times.iter().map(|time| piece / time).sum();
        ProcessorRow {
            efficiency: batch.speedup / all,
            batch,
            on: team.into_iter().map(|(name, _)| name.clone()).collect(),
        }
    }
}

/// Cycles of a function on a core.
fn cost(
    function: &Function,
    platform: &Platform,
    total: Option<f64>,
    core: usize,
) -> Result<f64, Error> {
    let units = Units::of(function, Level::Step);
    Ok(UnitCosts::of(function, &units, platform, total)?.work(core))
}

/// The encryption or decryption of one block, the key being expanded.
fn block_cost(
    params: Rc5Params,
    mode: Option<Mode>,
    platform: &Platform,
    core: usize,
) -> Result<f64, Error> {
    let part = match mode {
        Some(Mode::CbcDecryption) => Rc5::Decryption,
        Some(Mode::Ecb | Mode::Ctr | Mode::CbcEncryption) | None => Rc5::Encryption,
    };
    let cost = |part| cost(&cipher(&params, part), platform, None, core);
    Ok(cost(part)? - cost(Rc5::KeyExpansion)?)
}

/// Whether emitted programs of messages were measured on every kind of core that the platform has.
fn has_programs(pieces: Pieces, platform: &Platform) -> Result<bool, Error> {
    let Pieces { primitive, lengths, .. } = pieces;
    if let Primitive::Rc5(_) = primitive {
        return Ok(false);
    }
    let kinds = if platform.cores_are_equal() { 1 } else { platform.cores.len() };
    // The time of every length is known, or that of none.
    let lengths = Lengths { message: Some(0), ..lengths };
    for core in 0..kinds {
        if alone(primitive, lengths, platform, core)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The hash of a message, by emitted programs if the platform has them, else by its operations.
/// Every block of a long message costs the same.
fn message_cost(
    pieces: Pieces,
    platform: &Platform,
    core: usize,
    has_programs: bool,
) -> Result<f64, Error> {
    let Pieces { primitive, lengths, .. } = pieces;
    /// Blocks of the longest message that is looked at as a whole.
    const WHOLE: usize = 16;
    let cost = |length: usize| -> Result<f64, Error> {
        let lengths = Lengths { message: Some(length), ..lengths };
        if has_programs && let Some(cycles) = alone(primitive, lengths, platform, core)? {
            return Ok(cycles);
        }
        let total = primitive.total(lengths, platform);
        cost(&primitive.function(lengths, platform)?, platform, total, core)
    };
    let (Primitive::Hash(hash) | Primitive::Hmac(hash)) = primitive else {
        unreachable!("only a hash has messages")
    };
    let block = hash.id().entry().shape.block_bytes;
    let length = lengths.message.unwrap_or_default();
    if length <= WHOLE * block {
        return cost(length);
    }
    let short = length % block + 2 * block;
    let (one, two) = (cost(short)?, cost(short + block)?);
    Ok(one + (two - one) * ((length - short) / block) as f64)
}
