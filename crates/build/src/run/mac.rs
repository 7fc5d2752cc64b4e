//! Predicts the times of HMAC.

use super::row::Row;
use super::subject::Hmac;
use crate::error::Error;
use manylane_emit::c::Cores;
use manylane_plan::Platform;
use manylane_plan::program::Program;
use manylane_plan::program::message::{Calls, beside};
use manylane_plan::program::prices::{PriceBasis, Prices};
use manylane_plan::program::time::time_jobs;

/// The blocks of the key, one in front of the message and one in front of its digest.
const KEY_BLOCKS: usize = 2;

impl Hmac {
    /// The name under which a platform's file has it.
    pub fn name(&self) -> String {
        format!("hmac-{}", self.0.algorithm)
    }

    /// The program of its hash: on two cores where there is one.
    pub fn program(&self) -> &Program {
        self.0.two.as_ref().unwrap_or(&self.0.one)
    }

    /// The calls that are left once the key's blocks are compressed: those of a message of `bytes`
    /// bytes, then those of its digest. Each entry is a job, the number of calls that are given to
    /// the second core at once.
    pub fn jobs(&self, bytes: usize) -> Vec<usize> {
        let framing = &self.0.stream.framing;
        let behind_key = |bytes| {
            let calls = Calls::of(framing, framing.block_bytes + bytes);
            // Where the last block of a message is held back, that of the key is compressed once
            // more if it is the last one.
            Calls { whole: calls.whole.saturating_sub(1), ..calls }.jobs()
        };
        [behind_key(bytes), behind_key(self.0.digest_bytes())].concat()
    }

    /// The row of a run before it is run. HMAC is two messages of the hash: a block of the key and
    /// the message, then a block of the key and the digest. On two cores the key's two blocks are
    /// compressed at the same time, a whole one on each.
    ///
    /// # Errors
    /// If the platform lacks a cost.
    pub fn row(
        &self,
        cores: Cores,
        length: usize,
        platform: Option<&Platform>,
    ) -> Result<Row, Error> {
        let Self(hash) = self;
        let block = hash.stream.framing.block_bytes;
        let blocks = hash.blocks(block + length) + hash.blocks(block + hash.digest_bytes());
        let mut row = Row::empty(self.name(), length, blocks);
        row.cores = if cores == Cores::One { 1 } else { 2 };
        let jobs = self.jobs(length);
        let program = if cores == Cores::One { &hash.one } else { self.program() };
        row.program = program.identity().to_string();
        row.handshakes = program.handshakes() * jobs.iter().sum::<usize>();
        if cores == Cores::Two {
            // The hand-over of the key's block, and that of its result.
            row.handshakes += 2;
        }
        if let Some(platform) = platform {
            self.predict(cores, &jobs, &mut row, platform)?;
        }
        Ok(row)
    }

    fn predict(
        &self,
        cores: Cores,
        jobs: &[usize],
        row: &mut Row,
        platform: &Platform,
    ) -> Result<(), Error> {
        let Self(hash) = self;
        let framing = &hash.stream.framing;
        let platform = &*hash.priced(platform)?;
        let of_block = platform.of_block(row.blocks);
        let of = |program: &Program| Prices::of_program(program, framing.order, &of_block);
        let cycles = |program: &Program, prices: &Prices, jobs: &[usize]| {
            time_jobs(program, prices, jobs).map_or(f64::INFINITY, |timing| timing.cycles())
        };
        let of_hash =
            platform.programs.get(&hash.algorithm.to_string()).copied().unwrap_or_default();
        let key = platform.keys.get(&self.name());
        let rest = beside(&of_hash, &Calls::of(framing, row.length));
        let prices = of(&hash.one)?;
        let block = cycles(&hash.one, &prices, &[1]);
        // Without a measured key there are two messages, of which the second one is a digest.
        let two_messages = || {
            let digest = Calls::of(framing, framing.block_bytes + hash.digest_bytes());
            2.0 * of_hash.message + beside(&of_hash, &digest)
        };
        let limit = prices.limit(&hash.one.rolled, 1) * row.blocks as f64;
        let (predicted, basis, limit) = if cores == Cores::One {
            let calls = KEY_BLOCKS + jobs.iter().sum::<usize>();
            let message = key.map_or_else(two_messages, |key| key.alone);
            (message + calls as f64 * block, known(prices.basis(), key.is_some()), limit)
        } else {
            let program = self.program();
            let prices = of(program)?;
            let handshake = &platform.handshake;
            let measured = key.filter(|key| key.program == program.identity());
            let (message, main, second) = match measured {
                Some(key) => (key.message, key.main, key.second),
                None => (key.map_or_else(two_messages, |key| key.alone), block, block),
            };
            let latency = handshake.start + handshake.latency + handshake.finish;
            let of_key = main.max(latency + second);
            let basis = known(prices.basis(), measured.is_some());
            (message + of_key + cycles(program, &prices, jobs), basis, limit / 2.0)
        };
        row.predicted_cycles = Some((predicted + rest).max(limit));
        row.predicted_from = Some(basis);
        row.limit_cycles = Some(limit);
        Ok(())
    }
}

/// The basis of a prediction, which depends on whether the key was measured.
fn known(of_hash: PriceBasis, key: bool) -> PriceBasis {
    match of_hash {
        PriceBasis::Measured if !key => PriceBasis::Scaled,
        basis => basis,
    }
}
