//! The trees of Linux' fs-verity and dm-verity: blocks of data, and blocks full of their digests.
//!
//! ```text
//! data      │ block │ block │ … │ block │ block │ …
//! level 0   │ digest, digest, … to the end of a block │ digest, … zeros │
//! level 1   │ digest of each block below, … zeros │
//! root      the digest of the only block of the last level, or of the only block of data
//! ```
//!
//! The digest of a block is H(salt ‖ block). The data arrives in pieces, and memory holds a few
//! blocks of each level.

use crate::api::batch::Batch;
use crate::error::{self, Error};
use manylane_primitives::catalog::Algorithm;
use std::fmt;

/// Bytes of digests that wait on a level before they are hashed, if they are more than a block.
const WAITING: usize = 256 * 1024;

/// A finished block of digests.
#[derive(Clone, Copy, Debug)]
pub struct VerityBlock<'b> {
    /// Its level, 0 next to the data.
    pub level: usize,
    /// Its number on the level.
    pub index: u64,
    /// Its digests, then zeros.
    pub bytes: &'b [u8],
}

/// The result after all data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digested {
    /// The root: the digest of the last block.
    pub root: Vec<u8>,
    /// Bytes of data.
    pub bytes: u64,
    /// Blocks of digests on each level, from the data up.
    pub levels: Vec<u64>,
}

/// A verity tree that is computed while its data arrives.
///
/// ```
/// use manylane::{HashId, tree::Verity};
///
/// let mut verity = Verity::new(HashId::Sha256, 4096, b"")?;
/// verity.update(&[7; 10_000], &mut |_| ())?;
/// let digested = verity.finish(&mut |_| ())?;
/// assert_eq!((digested.bytes, digested.levels), (10_000, vec![1]));
/// # Ok::<(), manylane::Error>(())
/// ```
pub struct Verity<'p> {
    batch: Batch<'p>,
    block_bytes: usize,
    /// Bytes of a digest's place in a block.
    slot_bytes: usize,
    /// Data that fills no block.
    rest: Vec<u8>,
    bytes: u64,
    levels: Vec<Level>,
}

/// A level of digests.
#[derive(Default)]
struct Level {
    /// Digests that have not been handed to the sink yet.
    waiting: Vec<u8>,
    /// Number of blocks that have been handed to the sink.
    blocks: u64,
    digests: u64,
}

impl fmt::Debug for Verity<'_> {
    /// Shows neither the salt nor the data that wait to be hashed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verity")
            .field("batch", &self.batch)
            .field("block_bytes", &self.block_bytes)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

/// Takes each block of digests when it is finished.
type Sink<'s> = &'s mut dyn FnMut(VerityBlock);

impl<'p> Verity<'p> {
    /// A tree over blocks of `block_bytes` bytes, for data and for digests, each hashed after the
    /// salt. With fs-verity the caller fills the salt up with zeros to a block of the hash. A
    /// digest takes its length rounded up to a power of two.
    ///
    /// # Errors
    /// If a block does not hold two digests or does not fit in memory, or its length is not a power
    /// of two.
    pub fn new(
        algorithm: impl Into<Algorithm>,
        block_bytes: usize,
        salt: &[u8],
    ) -> Result<Self, Error> {
        let algorithm = algorithm.into();
        let slot_bytes = algorithm.digest_bytes().next_power_of_two();
        if !block_bytes.is_power_of_two() || block_bytes < 2 * slot_bytes {
            return Err(Error::Tree {
                what: "the length of a block is a power of two that has room for two digests",
            });
        }
        if block_bytes > WAITING {
            // A block of data and one of digests.
            error::try_with_capacity::<u8>(block_bytes.saturating_mul(2))?;
        }
        let batch = Batch::new(algorithm).prefix(salt);
        let (rest, levels) = (Vec::new(), Vec::new());
        Ok(Self { batch, block_bytes, slot_bytes, rest, bytes: 0, levels })
    }

    /// Uses up to `count` threads for each piece of data.
    #[must_use]
    pub fn threads(mut self, count: usize) -> Self {
        self.batch = self.batch.threads(count);
        self
    }

    /// Uses the threads of `pool` instead of starting threads. Of `threads` and `pool`, the later
    /// call counts. With the feature `rayon`, which is on by default.
    #[cfg(feature = "rayon")]
    #[must_use]
    pub fn pool(mut self, pool: &'p rayon::ThreadPool) -> Self {
        self.batch = self.batch.pool(pool);
        self
    }

    /// Appends data; pieces of 1 MiB and more fill lanes and threads. Finished blocks of digests go
    /// to `sink`.
    ///
    /// # Errors
    /// If `MANYLANE_MAX_ISA` names no engine.
    pub fn update(&mut self, mut data: &[u8], sink: Sink) -> Result<(), Error> {
        self.bytes += data.len() as u64;
        if !self.rest.is_empty() {
            let taken = data.len().min(self.block_bytes - self.rest.len());
            self.rest.extend_from_slice(&data[..taken]);
            data = &data[taken..];
            if self.rest.len() < self.block_bytes {
                return Ok(());
            }
            let block = std::mem::take(&mut self.rest);
            self.hash_blocks(&block, 0, sink)?;
        }
        let whole = data.len() / self.block_bytes * self.block_bytes;
        self.hash_blocks(&data[..whole], 0, sink)?;
        self.rest.extend_from_slice(&data[whole..]);
        Ok(())
    }

    /// Hashes whole blocks, whose digests go to `level`.
    fn hash_blocks(&mut self, bytes: &[u8], level: usize, sink: Sink) -> Result<(), Error> {
        if bytes.is_empty() {
            return Ok(());
        }
        let blocks: Vec<_> = bytes.chunks_exact(self.block_bytes).collect();
        let digest_bytes = self.batch.algorithm().digest_bytes();
        let mut digests = vec![0; blocks.len() * digest_bytes];
        self.batch.run(&blocks, &mut digests)?;
        if self.levels.len() == level {
            self.levels.push(Level::default());
        }
        let to = &mut self.levels[level];
        for digest in digests.chunks_exact(digest_bytes) {
            to.waiting.extend_from_slice(digest);
            to.waiting.resize(to.waiting.len() + self.slot_bytes - digest_bytes, 0);
        }
        to.digests += blocks.len() as u64;
        // The last block waits: if it stays the only one, it is hashed to the root.
        if to.waiting.len() > WAITING.max(self.block_bytes) {
            let whole = (to.waiting.len() - 1) / self.block_bytes * self.block_bytes;
            self.hand_on(level, whole, sink)?;
        }
        Ok(())
    }

    /// Hands the first `bytes` bytes of a level's digests on, whole blocks.
    fn hand_on(&mut self, level: usize, bytes: usize, sink: Sink) -> Result<(), Error> {
        let of = &mut self.levels[level];
        let later = of.waiting.split_off(bytes);
        let blocks = std::mem::replace(&mut of.waiting, later);
        for block in blocks.chunks_exact(self.block_bytes) {
            sink(VerityBlock { level, index: of.blocks, bytes: block });
            of.blocks += 1;
        }
        self.hash_blocks(&blocks, level + 1, sink)
    }

    /// Ends the data, whose last block is filled up with zeros, and computes the levels above it.
    /// The root of no data is zeros.
    ///
    /// # Errors
    /// As [`Verity::update`].
    pub fn finish(mut self, sink: Sink) -> Result<Digested, Error> {
        if !self.rest.is_empty() {
            let mut block = std::mem::take(&mut self.rest);
            block.resize(self.block_bytes, 0);
            self.hash_blocks(&block, 0, sink)?;
        }
        let mut level = 0;
        while let Some(of) = self.levels.get_mut(level) {
            if of.digests > 1 {
                let filled = of.waiting.len().next_multiple_of(self.block_bytes);
                of.waiting.resize(filled, 0);
                self.hand_on(level, filled, sink)?;
            }
            level += 1;
        }
        // The level of one digest is the root.
        let digest_bytes = self.batch.algorithm().digest_bytes();
        let mut root = self.levels.pop().map_or(Vec::new(), |level| level.waiting);
        root.resize(digest_bytes, 0);
        let levels = self.levels.iter().map(|level| level.blocks).collect();
        Ok(Digested { root, bytes: self.bytes, levels })
    }
}
