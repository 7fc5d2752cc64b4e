//! HMAC (RFC 2104, FIPS 198-1) over any hash function whose digest is no longer than its block.
//!
//! ```text
//! K_0 ⊕ ipad ║ text ──► H ──► ┐
//!                             ├──► K_0 ⊕ opad ║ digest ──► H ──► MAC
//! ```
//!
//! The two blocks of the key are the same for every message: [`Hmac`] keeps the chaining values
//! after them, from which an engine starts every lane.

use crate::hash::{Absorber, Compress, Hash, Scalar, fold, lift, lower};

pub use crate::hash::MAX_BLOCK_BYTES;

/// FIPS 198-1 §2.3: the inner pad, repeated.
pub const IPAD: u8 = 0x36;

/// FIPS 198-1 §2.3: the outer pad, repeated.
pub const OPAD: u8 = 0x5c;

/// Room for a block of any hash function, which takes the first [`Hash::block_bytes`] bytes.
type Block = [u8; MAX_BLOCK_BYTES];

/// Steps 1 to 3 of FIPS 198-1 §4: the key, or its digest if it is longer than a block, and zeros up
/// to a block. The rest of the array is zero too.
///
/// # Panics
/// If the digest is longer than the block.
pub fn padded_key<H: Compress<Scalar<H>>>(hash: &H, key: &[u8]) -> [u8; MAX_BLOCK_BYTES] {
    let (block_bytes, digest_bytes) = (hash.block_bytes(), hash.digest_bytes());
    assert!(
        digest_bytes <= block_bytes,
        "HMAC needs a digest ({digest_bytes} bytes) no longer than the block ({block_bytes} bytes)"
    );
    let mut k0: Block = [0; MAX_BLOCK_BYTES];
    if key.len() <= block_bytes {
        k0[..key.len()].copy_from_slice(key);
    } else {
        crate::hash::digest(hash, key, &mut k0[..digest_bytes]);
    }
    k0
}

/// K_0 ⊕ ipad or K_0 ⊕ opad.
fn xor_pad(k0: &Block, pad: u8) -> Block {
    k0.map(|byte| byte ^ pad)
}

/// HMAC as FIPS 198-1 §4 states it: two digests, the padded key in front of each. This is the
/// reference. `out` is cut to its length (§5), at most [`Hash::digest_bytes`].
///
/// # Panics
/// As [`padded_key`], or if `out` is longer than the digest and the hash is not extendable.
pub fn hmac<H: Compress<Scalar<H>>>(hash: &H, key: &[u8], message: &[u8], out: &mut [u8]) {
    let (block_bytes, digest_bytes) = (hash.block_bytes(), hash.digest_bytes());
    let k0 = padded_key(hash, key);
    let digest_of = |pad: u8, text: &[u8], out: &mut [u8]| {
        let mut absorber = Absorber::new(hash.clone());
        absorber.update(&xor_pad(&k0, pad)[..block_bytes]);
        absorber.update(text);
        absorber.finish(out);
    };
    let mut inner: Block = [0; MAX_BLOCK_BYTES];
    digest_of(IPAD, message, &mut inner[..digest_bytes]);
    digest_of(OPAD, &inner[..digest_bytes], out);
}

/// HMAC under one key: the chaining values after the key's two blocks.
#[derive(Clone)]
pub struct Hmac<H: Hash> {
    hash: H,
    k0: Block,
    inner: H::State<H::Native>,
    outer: H::State<H::Native>,
}

impl<H: Compress<Scalar<H>>> Hmac<H> {
    /// Prepares `key`, of any length.
    ///
    /// # Panics
    /// See [`padded_key`].
    pub fn new(hash: H, key: &[u8]) -> Self {
        let k0 = padded_key(&hash, key);
        let after = |pad| {
            let mut h = lift::<H, _>(&hash.initial_value());
            let block = xor_pad(&k0, pad);
            fold(&hash, &mut h, &block[..hash.block_bytes()], hash.counter(0));
            lower::<H>(&h)
        };
        let (inner, outer) = (after(IPAD), after(OPAD));
        Self { hash, k0, inner, outer }
    }

    /// The hash function.
    pub fn hash(&self) -> &H {
        &self.hash
    }

    /// The chaining value after K_0 ⊕ ipad, one whole block. Not for an empty message under a hash
    /// that [holds the last block](Hash::HOLDS_LAST): there this block is itself the last, and its
    /// bytes are [`Hmac::inner_block`].
    pub fn inner(&self) -> &H::State<H::Native> {
        &self.inner
    }

    /// The chaining value after K_0 ⊕ opad, one whole block; the inner digest always follows.
    pub fn outer(&self) -> &H::State<H::Native> {
        &self.outer
    }

    /// K_0 ⊕ ipad; the first [`Hash::block_bytes`] bytes count.
    pub fn inner_block(&self) -> [u8; MAX_BLOCK_BYTES] {
        xor_pad(&self.k0, IPAD)
    }

    /// Writes the MAC of `message`, cut to the length of `out`, at most [`Hash::digest_bytes`].
    ///
    /// # Panics
    /// If `out` is longer than the digest and the hash is not extendable.
    pub fn mac(&self, message: &[u8], out: &mut [u8]) {
        let (block_bytes, digest_bytes) = (self.hash.block_bytes(), self.hash.digest_bytes());
        let mut inner = if H::HOLDS_LAST && message.is_empty() {
            let mut absorber = Absorber::new(self.hash.clone());
            absorber.update(&self.inner_block()[..block_bytes]);
            absorber
        } else {
            Absorber::resume(self.hash.clone(), self.inner, 1)
        };
        inner.update(message);
        let mut digest: Block = [0; MAX_BLOCK_BYTES];
        inner.finish(&mut digest[..digest_bytes]);
        let mut outer = Absorber::resume(self.hash.clone(), self.outer, 1);
        outer.update(&digest[..digest_bytes]);
        outer.finish(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::md5::Md5;
    use crate::hash::sha2::{Sha256, Sha512};
    use crate::hash::tests::Toy;
    use hex_literal::hex;
    use std::vec::Vec;

    /// Checks the MAC as the definition computes it, and as it is computed from the chaining values
    /// of the key; `expected` may be a prefix of the MAC.
    fn check<H: Compress<Scalar<H>>>(hash: H, key: &[u8], message: &[u8], expected: &[u8]) {
        let mut out = std::vec![0; expected.len()];
        hmac(&hash, key, message, &mut out);
        assert_eq!(out, expected, "by the definition");
        out.fill(0);
        Hmac::new(hash, key).mac(message, &mut out);
        assert_eq!(out, expected, "from the chaining values");
    }

    /// RFC 2104, the appendix.
    #[test]
    fn md5_examples_of_the_standard() {
        check(Md5, &[0x0b; 16], b"Hi There", &hex!("9294727a3638bb1c13f48ef8158bfc9d"));
        check(
            Md5,
            b"Jefe",
            b"what do ya want for nothing?",
            &hex!("750c783e6ab0b503eaa86e310a5db738"),
        );
        check(Md5, &[0xaa; 16], &[0xdd; 50], &hex!("56be34521d144c88dbb8c733f0e8b3f6"));
    }

    /// RFC 4231 §4.2, §4.3, §4.6 (cut to 128 bits) and §4.7 (the key longer than a block).
    #[test]
    fn sha2_examples_of_the_standard() {
        check(
            Sha256::SHA256,
            &[0x0b; 20],
            b"Hi There",
            &hex!("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        );
        check(
            Sha256::SHA224,
            b"Jefe",
            b"what do ya want for nothing?",
            &hex!("a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44"),
        );
        check(
            Sha512::SHA512,
            &[0x0c; 20],
            b"Test With Truncation",
            &hex!("415fad6271580a531d4179bc891d87a6"),
        );
        check(
            Sha512::SHA384,
            &[0xaa; 131],
            b"Test Using Larger Than Block-Size Key - Hash Key First",
            &hex!(
                "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f\
                 3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952"
            ),
        );
    }

    /// Keys and messages of a block ± 1, under hashes that hold the last block back and others.
    #[test]
    fn both_ways_agree() {
        fn agree<H: Compress<Scalar<H>>>(hash: H) {
            let block = hash.block_bytes();
            let bytes: Vec<u8> = (0..2 * block + 1).map(|i| (i * 11 + i / 256) as u8).collect();
            let lengths = [0, 1, block - 1, block, block + 1, 2 * block, 2 * block + 1];
            for (key, message) in lengths.iter().flat_map(|&k| lengths.map(|m| (k, m))) {
                let mut expected = std::vec![0; hash.digest_bytes()];
                hmac(&hash, &bytes[..key], &bytes[..message], &mut expected);
                check(hash.clone(), &bytes[..key], &bytes[..message], &expected);
            }
        }
        agree(Md5);
        agree(Sha256::SHA256);
        agree(Sha512::SHA512);
        agree(Toy);
    }
}
