//! What is predicted of HMAC and of RC5.

use super::row::Row;
use crate::emit::{BESIDE, HashPrograms, Rc5Programs};
use manylane_emit::c::{CIPHER_SHARE, Cores};
use manylane_graph::Function;
use manylane_graph::framing::ByteOrder;
use manylane_graph::roll::{Unroll, roll};
use manylane_plan::Platform;
use manylane_plan::program::Program;
use manylane_plan::program::time::{Basis, Prices, time};

/// HMAC is two messages of the hash: a block of the key and the message, then a block of the key
/// and the digest. On two cores the key's two blocks are compressed at the same time, a whole one
/// on each.
pub fn hmac_row(
    hash: &HashPrograms,
    cores: Cores,
    length: usize,
    platform: Option<&Platform>,
) -> anyhow::Result<Row> {
    let block = hash.stream.framing.block_bytes;
    let shared = if hash.has_share() { cores } else { Cores::One };
    let of_message = |bytes| Row::new(hash, shared, block + bytes, platform);
    let (mut row, outer) = (of_message(length)?, of_message(hash.digest_bytes())?);
    row.primitive = format!("hmac-{}", row.primitive);
    row.cores = if cores == Cores::One { 1 } else { 2 };
    row.length = length;
    row.blocks += outer.blocks;
    row.handshakes += outer.handshakes;
    row.predicted_cycles = sum(row.predicted_cycles, outer.predicted_cycles);
    row.limit_cycles = sum(row.limit_cycles, outer.limit_cycles);
    if cores == Cores::Two {
        let of_block = |cores| -> anyhow::Result<(Option<f64>, usize)> {
            let [one, two] = [1, 2].map(|blocks| Row::new(hash, cores, blocks * block, platform));
            let (one, two) = (one?, two?);
            let cycles = two.predicted_cycles.zip(one.predicted_cycles);
            Ok((cycles.map(|(two, one)| two - one), two.handshakes - one.handshakes))
        };
        let ((alone, _), (split, handshakes)) = (of_block(Cores::One)?, of_block(shared)?);
        if let (Some(platform), Some(alone), Some(split)) = (platform, alone, split) {
            let start = platform.handshake.start + platform.handshake.latency;
            row.predicted_cycles =
                row.predicted_cycles.map(|all| all - 2.0 * split + alone + start);
            if shared == Cores::One {
                // Rows of one core have its limit; the work of all blocks can be halved.
                row.limit_cycles = row.limit_cycles.map(|limit| limit / 2.0);
            }
        }
        // Given and taken once.
        row.handshakes = row.handshakes - 2 * handshakes + 2;
    }
    Ok(row)
}

fn sum(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.zip(b).map(|(a, b)| a + b)
}

/// RC5 with its key: the expansion, then blocks of mode CTR, of which the calls of the cipher are
/// priced.
pub fn rc5_row(
    rc5: &Rc5Programs,
    cores: Cores,
    length: usize,
    platform: Option<&Platform>,
) -> anyhow::Result<Row> {
    let blocks = length.div_ceil(rc5.params.block_bytes());
    let mut row = Row::empty(rc5.params.to_string(), length, blocks);
    row.cores = if cores == Cores::One { 1 } else { 2 };
    // The blocks that go beside the key's expansion, and how the others are shared out.
    let beside = rc5.two.as_ref().filter(|two| cores == Cores::Two && two.processors > 1);
    let beside = beside.filter(|_| blocks >= BESIDE);
    let mut rest = blocks - if beside.is_some() { BESIDE } else { 0 };
    row.handshakes = beside.map_or(0, Program::handshakes);
    // What each job leaves for this core: half of a chunk's blocks.
    let (mut mine, mut jobs) = (rest, 0);
    if cores == Cores::Two {
        mine = 0;
        while rest > 0 {
            let chunk = rest.min(2 * CIPHER_SHARE);
            mine += chunk - chunk / 2;
            jobs += usize::from(chunk > 1);
            rest -= chunk;
        }
        row.handshakes += 2 * jobs;
    }
    let Some(platform) = platform else { return Ok(row) };
    let alone = |function: &Function| -> anyhow::Result<(f64, f64)> {
        let program = Program::sequential(roll(function, Unroll::All), 0);
        let prices = Prices::of(&program.rolled, 1, ByteOrder::Little, platform)?;
        let cycles = time(&program, &prices, 1).map_or(0.0, |of| of.cycles());
        Ok((cycles, prices.limit(&program.rolled, 1)))
    };
    let ((key, key_limit), (block, block_limit)) =
        (alone(&rc5.expansion)?, alone(&rc5.encryption)?);
    let first = match beside {
        Some(two) => {
            let prices = Prices::of(&two.rolled, 2, ByteOrder::Little, platform)?;
            time(two, &prices, 1).map_or(key, |of| of.cycles())
        }
        None => key,
    };
    let jobs = jobs as f64 * (platform.handshake.start + platform.handshake.latency);
    row.predicted_from = Some(Basis::Model);
    row.predicted_cycles = Some(first + mine as f64 * block + jobs);
    let limit = key_limit + blocks as f64 * block_limit;
    row.limit_cycles = Some(if cores == Cores::One { limit } else { limit / 2.0 });
    Ok(row)
}
