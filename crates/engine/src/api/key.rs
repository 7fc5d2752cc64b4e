//! The two blocks of HMAC that a key makes (FIPS 198-1 §4), and the hashes after them.

use super::batch::hash_many;
use crate::cpu::Engine;
use crate::drive::stream::Stream;
use crate::error::Error;
use crate::kernels::runs::Runs;
use manylane_primitives::catalog::Algorithm;
use std::ops::Deref;

/// Blocks computed from keys, and as secret as the keys: with the feature `zeroize` they are
/// overwritten when they are dropped.
#[derive(Default)]
pub struct KeyBlocks(Vec<u8>);

impl KeyBlocks {
    /// No blocks, with room for `bytes` bytes.
    pub fn with_room(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes))
    }

    /// Appends the blocks of other keys.
    ///
    /// # Panics
    /// If there is no room for them: a copy would be left in the memory that is given back.
    pub fn append(&mut self, others: &[u8]) {
        assert!(self.0.capacity() - self.0.len() >= others.len());
        self.0.extend_from_slice(others);
    }
}

impl Deref for KeyBlocks {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(feature = "zeroize")]
impl Drop for KeyBlocks {
    fn drop(&mut self) {
        crate::drive::stream::clear(&mut self.0);
    }
}

/// The key, hashed if it is longer than a block, padded with zeros to a block: K₀ of FIPS 198-1 §4.
pub fn padded_key(algorithm: Algorithm, key: &[u8]) -> Result<KeyBlocks, Error> {
    padded_keys(algorithm, [key].into_iter())
}

/// [`padded_key`] of each key, one after the other.
pub fn padded_keys<'k>(
    algorithm: Algorithm,
    keys: impl ExactSizeIterator<Item = &'k [u8]>,
) -> Result<KeyBlocks, Error> {
    let (block_bytes, digest_bytes) = check_defined(algorithm)?;
    let mut blocks = KeyBlocks(vec![0; keys.len() * block_bytes]);
    for (block, key) in blocks.0.chunks_exact_mut(block_bytes).zip(keys) {
        match key.len() > block_bytes {
            true => hash_many(algorithm, &[key], &mut block[..digest_bytes])?,
            false => block[..key.len()].copy_from_slice(key),
        }
    }
    Ok(blocks)
}

/// Checks that HMAC is defined with this hash, and returns the bytes of its block and of its
/// digest.
pub fn check_defined(algorithm: Algorithm) -> Result<(usize, usize), Error> {
    let block_bytes = algorithm.id().entry().shape.block_bytes;
    let digest_bytes = algorithm.digest_bytes();
    if digest_bytes > block_bytes {
        let hash = algorithm.id().entry().title.into();
        return Err(Error::HmacUndefined { hash, digest_bytes, block_bytes });
    }
    Ok((block_bytes, digest_bytes))
}

/// K₀ ⊕ ipad.
pub fn inner_block(padded_key: &[u8]) -> KeyBlocks {
    KeyBlocks(padded_key.iter().map(|byte| byte ^ 0x36).collect())
}

/// K₀ ⊕ opad.
pub fn outer_block(padded_key: &[u8]) -> KeyBlocks {
    KeyBlocks(padded_key.iter().map(|byte| byte ^ 0x5c).collect())
}

/// The inner hash and the outer one, each after its block of the key.
pub fn keyed_streams<H: Runs>(
    hash: H,
    padded_key: &[u8],
    engine: Option<Engine>,
) -> Result<[Stream<H>; 2], Error> {
    let mut inner = Stream::on(hash, engine)?;
    let mut outer = inner.clone();
    inner.update(&inner_block(padded_key));
    outer.update(&outer_block(padded_key));
    Ok([inner, outer])
}
