//! The state of an unfinished message as bytes, from which another process can continue.
//!
//! ```text
//!  bytes
//!      4   "mlst"
//!      1   version of this form, 1
//!      1   n, the bytes that wait for their block to fill
//!     16   name of the hash in the catalogue, filled up with zeros
//!      8   bytes of its digest
//!      8   whole blocks compressed
//!  words   the chaining value
//!  block   the n bytes that wait, filled up with zeros
//!      8   the first bytes of the hash of all that is before them
//! ```
//!
//! Integers and words are little-endian, so that a state is the same on every CPU and engine. The
//! last eight bytes detect damage; they do not prevent forgery.

use super::layout::State;
use super::stream::Stream;
use crate::error::Error;
use crate::kernels::kernel::N;
use crate::kernels::runs::Runs;
use manylane_primitives::catalog::Algorithm;
use manylane_primitives::hash::digest;
use manylane_primitives::word::{ByteOrder, Native, Words};
use std::ops::Range;

const MAGIC: &[u8; 4] = b"mlst";
const VERSION: u8 = 1;
const NAME: Range<usize> = 6..22;
const DIGEST_BYTES: Range<usize> = 22..30;
const BLOCKS: Range<usize> = 30..38;
const HEADER: usize = BLOCKS.end;
const CHECK: usize = 8;

/// Bytes of a saved state beyond its chaining value and its block.
pub const OVERHEAD: usize = HEADER + CHECK;

/// The upper limit of a message's bytes. Below this limit none of its counts overflows 64 bits.
const MOST_BYTES: u128 = 1 << 61;

fn refuse<T>(reason: impl Into<String>) -> Result<T, Error> {
    Err(Error::SavedState { reason: reason.into() })
}

/// The algorithm whose state `saved` says it is.
pub fn algorithm(saved: &[u8]) -> Result<Algorithm, Error> {
    if saved.len() < OVERHEAD || !saved.starts_with(MAGIC) {
        return refuse("it does not begin as one");
    }
    if saved[4] != VERSION {
        return refuse(format!("it is of version {}, this is version {VERSION}", saved[4]));
    }
    let name = String::from_utf8_lossy(&saved[NAME]);
    let name = name.trim_end_matches('\0');
    let digest_bytes = u64::from_le_bytes(saved[DIGEST_BYTES].try_into().unwrap());
    let named = name.parse::<Algorithm>().ok().filter(|found| found.id().name() == name);
    let sized = named.and_then(|found| found.with_digest_bytes(digest_bytes.try_into().ok()?));
    match sized {
        Some(algorithm) => Ok(algorithm),
        None => refuse(format!("it is of `{name}` with {digest_bytes} bytes, which is no hash")),
    }
}

/// The check of a state, by the hash itself.
fn check<H: Runs>(hash: &H, state: &[u8]) -> [u8; CHECK] {
    let mut sum = [0; CHECK];
    // A hash of variable digest length is sized to the check; all others have longer digests.
    let sized = hash.clone().with_digest_bytes(CHECK).unwrap_or_else(|| hash.clone());
    digest(&sized, state, &mut sum);
    sum
}

impl<H: Runs> Stream<H> {
    /// Bytes of [`Stream::save`].
    pub fn saved_bytes(&self) -> usize {
        OVERHEAD + State::<H>::LEN * N::<H>::BYTES + self.hash().block_bytes()
    }

    /// Writes what was appended so far as the state of `algorithm`, which this stream computes.
    ///
    /// # Panics
    /// If `out` has not [`Stream::saved_bytes`] bytes.
    pub fn save(&self, algorithm: Algorithm, out: &mut [u8]) {
        assert_eq!(out.len(), self.saved_bytes(), "bytes of a state");
        let (start, rest) = self.checkpoint();
        let name = algorithm.id().name().as_bytes();
        let (state, sum) = out.split_at_mut(out.len() - CHECK);
        state.fill(0);
        state[..4].copy_from_slice(MAGIC);
        state[4] = VERSION;
        state[5] = rest.len() as u8;
        state[NAME][..name.len()].copy_from_slice(name);
        state[DIGEST_BYTES].copy_from_slice(&(algorithm.digest_bytes() as u64).to_le_bytes());
        state[BLOCKS].copy_from_slice(&start.blocks.to_le_bytes());
        let (words, block) = state[HEADER..].split_at_mut(State::<H>::LEN * N::<H>::BYTES);
        for (place, word) in words.chunks_exact_mut(N::<H>::BYTES).zip(start.state.as_ref()) {
            word.write(place, ByteOrder::Little);
        }
        block[..rest.len()].copy_from_slice(rest);
        sum.copy_from_slice(&check(self.hash(), state));
    }

    /// Continues the message of a saved state of `algorithm`, which this stream computes.
    ///
    /// # Errors
    /// If the bytes are no such state: of another hash or version, cut or damaged. The stream is
    /// unchanged then.
    pub fn restore(&mut self, wanted: Algorithm, saved: &[u8]) -> Result<(), Error> {
        let found = algorithm(saved)?;
        if found != wanted {
            return refuse(format!("it is of {found}, not of {wanted}"));
        }
        if saved.len() != self.saved_bytes() {
            let (given, needed) = (saved.len(), self.saved_bytes());
            return refuse(format!("it has {given} bytes where {found} needs {needed}"));
        }
        let (state, sum) = saved.split_at(saved.len() - CHECK);
        if check(self.hash(), state) != sum {
            return refuse("its bytes were changed");
        }
        let blocks = u64::from_le_bytes(state[BLOCKS].try_into().unwrap());
        let (words, block) = state[HEADER..].split_at(State::<H>::LEN * N::<H>::BYTES);
        let rest = usize::from(state[5]);
        let most = block.len() - usize::from(!H::HOLDS_LAST);
        if rest > most || u128::from(blocks) * block.len() as u128 >= MOST_BYTES {
            return refuse("no message leads to it");
        }
        let mut value = State::<H>::splat(N::<H>::default());
        for (word, bytes) in value.as_mut().iter_mut().zip(words.chunks_exact(N::<H>::BYTES)) {
            *word = N::<H>::read(bytes, ByteOrder::Little);
        }
        self.take_up(value, blocks, &block[..rest]);
        Ok(())
    }
}
