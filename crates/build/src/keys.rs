//! The keys with which keyed primitives are run.

/// Bytes of HMAC's key: no longer than any block.
pub(crate) const HMAC_KEY_BYTES: usize = 32;

/// A key of `bytes` bytes, of which the first 256 are all different.
pub(crate) fn key(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (29 * i + 3) as u8).collect()
}
