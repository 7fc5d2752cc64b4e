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
use manylane_plan::program::prices::{PriceBasis, Prices};
use manylane_plan::program::time::{time, time_jobs};
use manylane_primitives::cipher::Rc5Params;

/// The byte order of the cipher's words.
const ORDER: ByteOrder = ByteOrder::Little;

/// The numbers of blocks in each part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockShares {
    /// Blocks that are encrypted while the key is expanded.
    pub beside: usize,
    /// The blocks of each job, of which the second core takes half, rounded down.
    pub jobs: Vec<usize>,
    /// Blocks that the main core encrypts alone: one that is left over, or all where one core
    /// works.
    pub alone: usize,
}

impl BlockShares {
    /// Divides the blocks of `length` bytes, of which the last may not be whole, as emitted C does:
    /// see `cipher.c.j2`. Only whole blocks are encrypted beside the key.
    pub fn of(length: usize, block_bytes: usize, cores: Cores, shares_key: bool) -> Self {
        let blocks = length.div_ceil(block_bytes);
        if cores == Cores::One {
            return Self { beside: 0, jobs: Vec::new(), alone: blocks };
        }
        let beside = if shares_key && length >= BESIDE * block_bytes { BESIDE } else { 0 };
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
pub fn section(params: Rc5Params) -> String {
    params.to_string().replace('/', "-")
}

/// The times of the cipher in a platform's file, scaled where they were measured with other
/// programs or other parameters than these.
struct CipherTimes {
    stream: StreamTime,
    /// Whether the file has the times on one core of this program, of another one with the same
    /// parameters, or only of one with others.
    basis: PriceBasis,
    /// The measured time of the key's expansion and of the blocks beside it, over that of the
    /// model.
    scale: f64,
}

impl CipherTimes {
    /// `None` if the file has no times of the cipher with any parameters that are known.
    ///
    /// # Errors
    /// If the platform lacks a cost.
    fn of(rc5: &Rc5Programs, platform: &Platform) -> Result<Option<Self>, Error> {
        let Some((params, stream)) = nearest(rc5.params, platform) else { return Ok(None) };
        let usual = Rc5Programs::usual(params);
        let these = [&rc5.expansion, &rc5.encryption];
        let [key, block] = [modelled(&usual[0], platform)?, modelled(&usual[1], platform)?];
        let scale = (stream.key + BESIDE as f64 * stream.whole) / (key + BESIDE as f64 * block);
        let is_usual = these.iter().zip(&usual).all(|(a, b)| a.identity() == b.identity());
        if params == rc5.params && is_usual {
            return Ok(Some(Self { stream: *stream, basis: PriceBasis::Measured, scale }));
        }
        let of_key = modelled(these[0], platform)? / key;
        let of_block = modelled(these[1], platform)? / block;
        let blocks = |[job, block]: [f64; 2]| [job, block * of_block];
        let stream = StreamTime {
            key: stream.key * of_key,
            message: stream.message * of_key,
            whole: stream.whole * of_block,
            held: stream.held + stream.whole * (of_block - 1.0),
            only: stream.only + stream.whole * (of_block - 1.0),
            main: blocks(stream.main),
            second: blocks(stream.second),
            ..*stream
        };
        let basis = if params == rc5.params { PriceBasis::Scaled } else { PriceBasis::Model };
        Ok(Some(Self { stream, basis, scale }))
    }
}

/// The measured parameters that are most like these, with their times. Those with the same words
/// come first, since a rotation by a word is other code at each width; then those whose number of
/// rounds is nearest, then those whose key's length is.
fn nearest(params: Rc5Params, platform: &Platform) -> Option<(Rc5Params, &StreamTime)> {
    let known = platform.streams.iter().filter_map(|(name, of)| {
        let numbers = name.strip_prefix("rc5-")?.replace('-', "/");
        let known: Rc5Params = format!("rc5-{numbers}").parse().ok()?;
        Some((known, of))
    });
    known.min_by_key(|(of, _)| {
        (
            of.word_bits() != params.word_bits(),
            of.rounds().abs_diff(params.rounds()),
            of.key_bytes().abs_diff(params.key_bytes()),
        )
    })
}

/// Cycles of a call of a function by the model, on one core.
fn modelled(program: &Program, platform: &Platform) -> Result<f64, Error> {
    let prices = Prices::of_program(program, ORDER, platform)?;
    Ok(time(program, &prices, 1).map_or(0.0, |of| of.cycles()))
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
    let shared = BlockShares::of(length, block_bytes, cores, two.is_some());
    let beside = two.filter(|_| shared.beside > 0);
    row.handshakes = beside.map_or(0, Program::handshakes) + 2 * shared.jobs.len();
    let Some(platform) = platform else { return Ok(row) };
    let least = |part| -> Result<f64, Error> {
        let rolled = roll(&part::cipher(&rc5.params, part), Unroll::All);
        Ok(Prices::of(&rolled, 1, ORDER, platform)?.limit(&rolled, 1))
    };
    let limit = least(Rc5::KeyExpansion)? + blocks as f64 * least(Rc5::Block)?;
    let limit = if cores == Cores::One { limit } else { limit / 2.0 };
    row.limit_cycles = Some(limit);
    let key = modelled(&rc5.expansion, platform)?;
    let block = modelled(&rc5.encryption, platform)?;
    let identity = rc5.two.as_ref().unwrap_or(&rc5.one).identity();
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
    let known = CipherTimes::of(rc5, platform)?;
    let scale = known.as_ref().map_or(1.0, |of| of.scale);
    let mut basis = known.as_ref().map_or(PriceBasis::Model, |of| of.basis);
    let stream = known.as_ref().map_or(&unknown, |of| &of.stream);
    let rest = length % block_bytes;
    let partial = stream.held + stream.byte * rest as f64 - stream.whole;
    let whole = if cores == Cores::Two && blocks == 1 { stream.only } else { stream.whole };
    let mut cycles = shared.alone as f64 * whole + if rest > 0 { partial } else { 0.0 };
    if cores == Cores::One {
        cycles += stream.key;
    } else {
        // The program for two cores may be another one than the one that was measured.
        if basis == PriceBasis::Measured && stream.program != identity {
            basis = PriceBasis::Scaled;
        }
        cycles += match beside {
            Some(two) => {
                let prices = Prices::of_program(two, ORDER, platform)?;
                let call = time_jobs(two, &prices, &[1]).map_or(key, |of| of.cycles());
                let is_measured = prices.basis() == PriceBasis::Measured;
                if !is_measured && basis == PriceBasis::Measured {
                    basis = PriceBasis::Scaled;
                }
                call * if is_measured { 1.0 } else { scale } + stream.beside
            }
            None => stream.message,
        };
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
    row.predicted_cycles = Some(cycles.max(limit));
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part of a block at the end is no block that could be encrypted beside the key.
    #[test]
    fn only_whole_blocks_are_beside_the_key() {
        let of =
            |length: usize, shares_key: bool| BlockShares::of(length, 16, Cores::Two, shares_key);
        assert_eq!(of(64, true), BlockShares { beside: BESIDE, jobs: vec![], alone: 0 });
        assert_eq!(of(63, true), BlockShares { beside: 0, jobs: vec![4], alone: 0 });
        assert_eq!(of(65, true), BlockShares { beside: BESIDE, jobs: vec![], alone: 1 });
        assert_eq!(of(64, false), BlockShares { beside: 0, jobs: vec![4], alone: 0 });
        assert_eq!(of(0, true), BlockShares { beside: 0, jobs: vec![], alone: 0 });
        let one = BlockShares::of(63, 16, Cores::One, true);
        assert_eq!(one, BlockShares { beside: 0, jobs: vec![], alone: 4 });
    }

    /// Parameters that were not measured are scaled by measured ones with the same word size.
    #[test]
    fn the_nearest_parameters_have_the_same_words() {
        let platform = Platform::load("ibex-duo").unwrap();
        for (of, expected) in [
            ("rc5-64/12/16", "rc5-64/24/24"),
            ("rc5-32/18/16", "rc5-32/20/16"),
            ("rc5-32/12/5", "rc5-32/12/16"),
            ("rc5-16/255/0", "rc5-16/16/8"),
            ("rc5-8/12/4", "rc5-8/12/4"),
        ] {
            let (found, _) = nearest(of.parse().unwrap(), &platform).unwrap();
            assert_eq!(found.to_string(), expected, "{of}");
        }
    }

    /// Where a rotation by a word takes many operations, its price says so.
    #[test]
    fn rotations_of_halves_have_a_price() {
        for name in ["ibex-duo", "rp2040"] {
            let platform = Platform::load(name).unwrap();
            let price = |width| platform.cost(0, manylane_graph::Op::RotlVar, width).unwrap();
            assert!(price(64) > 4.0 * price(32) && price(16) > price(32), "{name}");
        }
    }
}
