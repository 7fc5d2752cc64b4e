//! HMAC (RFC 2104, FIPS 198-1): one message in pieces, or many messages under one key.

use crate::batch::Batch;
use crate::hasher::{Hasher, hash};
use crate::isa::Engine;
use crate::{Algorithm, Error, Work};
use std::fmt;

/// A keyed hasher: `update` any number of times, then `finalize` or `verify`.
///
/// ```
/// use manylane_engine::{HashId, Hmac};
///
/// let mut hmac = Hmac::new(HashId::Sha256, b"key")?;
/// hmac.update(b"message");
/// let tag = hmac.finalize();
/// assert!(hmac.verify(&tag));
/// # Ok::<(), manylane_engine::Error>(())
/// ```
#[derive(Clone)]
pub struct Hmac {
    /// After the key's inner block: where every message starts.
    keyed: Hasher,
    inner: Hasher,
    /// After the key's outer block.
    outer: Hasher,
}

/// The key, hashed if it is longer than a block, filled up with zeros to one: K₀ of FIPS 198-1 §4.
pub(crate) fn padded_key(algorithm: Algorithm, key: &[u8]) -> Result<Vec<u8>, Error> {
    let block_bytes = algorithm.id().entry().shape.block_bytes;
    if algorithm.digest_bytes() > block_bytes {
        return Err(Error::HmacUndefined {
            hash: algorithm.to_string(),
            digest_bytes: algorithm.digest_bytes(),
            block_bytes,
        });
    }
    let mut block = match key.len() > block_bytes {
        true => hash(algorithm, key),
        false => key.to_vec(),
    };
    block.resize(block_bytes, 0);
    Ok(block)
}

/// K₀ ⊕ ipad.
pub(crate) fn inner_block(padded_key: &[u8]) -> Vec<u8> {
    padded_key.iter().map(|byte| byte ^ 0x36).collect()
}

/// K₀ ⊕ opad.
pub(crate) fn outer_block(padded_key: &[u8]) -> Vec<u8> {
    padded_key.iter().map(|byte| byte ^ 0x5c).collect()
}

impl Hmac {
    /// HMAC under `key`, of any length, on the best engine of this CPU.
    ///
    /// # Errors
    /// If the hash's digest is longer than its block.
    pub fn new(algorithm: impl Into<Algorithm>, key: &[u8]) -> Result<Self, Error> {
        Self::on(algorithm, key, None)
    }

    /// HMAC on the engine given, or on the best one.
    ///
    /// # Errors
    /// As [`Hmac::new`], or if the engine cannot run here or does not compute this hash.
    pub fn on(
        algorithm: impl Into<Algorithm>,
        key: &[u8],
        engine: Option<Engine>,
    ) -> Result<Self, Error> {
        let algorithm = algorithm.into();
        let key = padded_key(algorithm, key)?;
        let mut keyed = Hasher::on(algorithm, engine)?;
        let mut outer = keyed.clone();
        keyed.update(&inner_block(&key));
        outer.update(&outer_block(&key));
        Ok(Self { inner: keyed.clone(), keyed, outer })
    }

    /// The hash below.
    pub fn algorithm(&self) -> Algorithm {
        self.keyed.algorithm()
    }

    /// Appends bytes to the message.
    pub fn update(&mut self, bytes: &[u8]) {
        self.inner.update(bytes);
    }

    /// The tag of what was appended so far. It can go on.
    pub fn finalize(&self) -> Vec<u8> {
        let mut outer = self.outer.clone();
        outer.update(&self.inner.finalize());
        outer.finalize()
    }

    /// Whether `tag`, of full length or cut to its first bytes (at least four), is the message's.
    /// The time does not depend on where they differ.
    pub fn verify(&self, tag: &[u8]) -> bool {
        let whole = self.finalize();
        if tag.len() < 4 || tag.len() > whole.len() {
            return false;
        }
        let difference = tag.iter().zip(&whole).fold(0, |all, (a, b)| all | (a ^ b));
        std::hint::black_box(difference) == 0
    }

    /// Forgets the message, not the key.
    pub fn reset(&mut self) {
        self.inner = self.keyed.clone();
    }
}

impl fmt::Debug for Hmac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hmac").field("algorithm", &self.algorithm()).finish_non_exhaustive()
    }
}

/// Messages whose inner digests are held at a time.
const WINDOW: usize = 16 * 1024;

impl Batch<'_> {
    /// Writes the HMAC tag of each message under `key` to `out`, one after the other. The key's
    /// two blocks are hashed once. A [prefix](Batch::prefix) comes after the key.
    ///
    /// Memory beyond the tags: in addition to [`Batch::run`]'s at most 2 MiB.
    ///
    /// # Errors
    /// As [`Batch::run`], or if the hash's digest is longer than its block.
    pub fn run_hmac<M: AsRef<[u8]> + Sync>(
        &self,
        key: &[u8],
        messages: &[M],
        out: &mut [u8],
    ) -> Result<(), Error> {
        let algorithm = self.algorithm();
        let digest = algorithm.digest_bytes();
        self.check_output(messages.len(), out)?;
        let [inner, outer] = self.inner_and_outer(key)?;
        let mut digests = vec![0; messages.len().min(WINDOW) * digest];
        for (messages, out) in messages.chunks(WINDOW).zip(out.chunks_mut(WINDOW * digest)) {
            let digests = &mut digests[..messages.len() * digest];
            inner.run(messages, digests)?;
            let digests: Vec<_> = digests.chunks_exact(digest).collect();
            outer.run(&digests, out)?;
        }
        Ok(())
    }

    /// Counts what [`Batch::run_hmac`] computes, as [`Batch::work`] does; the key's blocks are not
    /// counted.
    ///
    /// # Errors
    /// As [`Batch::work`], or if the hash's digest is longer than its block.
    pub fn work_hmac<M: AsRef<[u8]> + Sync>(&self, messages: &[M]) -> Result<Work, Error> {
        let [inner, outer] = self.inner_and_outer(&[])?;
        let digest = vec![0; self.algorithm().digest_bytes()];
        messages.chunks(WINDOW).try_fold(Work::default(), |work, messages| {
            let digests = vec![&digest; messages.len()];
            Ok(work.and(inner.work(messages)?).and(outer.work(&digests)?))
        })
    }

    /// The batches of the inner hash and of the outer one, after the key.
    fn inner_and_outer(&self, key: &[u8]) -> Result<[Self; 2], Error> {
        let key = padded_key(self.algorithm(), key)?;
        let inner = self.clone().prefix(&[&inner_block(&key), self.prefix_bytes()].concat());
        Ok([inner, self.clone().prefix(&outer_block(&key))])
    }
}
