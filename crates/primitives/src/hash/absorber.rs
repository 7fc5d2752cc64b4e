//! Hashes a message that arrives in segments, by the scalar definition. `digest` does the same for
//! a message in one slice.

use super::{Compress, Hash, MAX_BLOCK_BYTES, Scalar, Tail, finish, fold, lift, lower};

/// A hash computation that takes its message segment by segment.
///
/// A full block waits in the buffer until more follows, because it may be the last one.
#[derive(Clone)]
pub struct Absorber<H: Hash> {
    hash: H,
    h: H::State<H::Native>,
    /// Blocks folded into `h`.
    blocks: u64,
    buffer: [u8; MAX_BLOCK_BYTES],
    /// Bytes of `buffer` that count: at most one block.
    used: usize,
}

impl<H: Compress<Scalar<H>>> Absorber<H> {
    /// Begins a message.
    pub fn new(hash: H) -> Self {
        Self::resume(hash.clone(), hash.initial_value(), 0)
    }

    /// Continues a message whose first `blocks` blocks are already folded into the chaining value
    /// `h`. They are whole, and none of them is the last.
    pub fn resume(hash: H, h: H::State<H::Native>, blocks: u64) -> Self {
        Self { hash, h, blocks, buffer: [0; MAX_BLOCK_BYTES], used: 0 }
    }

    /// Appends a segment to the message.
    pub fn update(&mut self, mut segment: &[u8]) {
        let block_bytes = self.hash.block_bytes();
        while !segment.is_empty() {
            if self.used == block_bytes {
                self.fold_buffer();
            }
            let taken = segment.len().min(block_bytes - self.used);
            let (now, later) = segment.split_at(taken);
            self.buffer[self.used..][..taken].copy_from_slice(now);
            self.used += taken;
            segment = later;
        }
    }

    /// Ends the message and writes its digest. For the length of `out` see
    /// [`digest_bits`](super::digest_bits).
    ///
    /// # Panics
    /// If `out` is too long.
    pub fn finish(mut self, out: &mut [u8]) {
        let block_bytes = self.hash.block_bytes();
        if self.used == block_bytes && !H::HOLDS_LAST {
            self.fold_buffer();
        }
        let bytes = u128::from(self.blocks) * block_bytes as u128 + self.used as u128;
        let tail = Tail { bytes: &self.buffer[..self.used], total_bits: 8 * bytes };
        finish(&self.hash, lift::<H, _>(&self.h), &tail, out);
    }

    /// Folds the buffer, a whole block that is not the last.
    fn fold_buffer(&mut self) {
        let block_bytes = self.hash.block_bytes();
        let mut h = lift::<H, _>(&self.h);
        fold(&self.hash, &mut h, &self.buffer[..block_bytes], self.hash.counter(self.blocks));
        self.h = lower::<H>(&h);
        self.blocks += 1;
        self.used = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::digest;
    use crate::hash::md5::Md5;
    use crate::hash::sha2::Sha512;
    use std::vec::Vec;

    /// However a message is cut, its digest is the same: every pair of cuts, lengths to three
    /// blocks.
    fn cuts_do_not_matter<H: Compress<Scalar<H>>>(hash: H) {
        let block = hash.block_bytes();
        let message: Vec<u8> = (0..3 * block + 1).map(|i| (i * 5 + i / 256) as u8).collect();
        let ends = [0, 1, block - 1, block, block + 1, 2 * block, 3 * block - 1, 3 * block + 1];
        for end in ends {
            let mut expected = std::vec![0; hash.digest_bytes()];
            digest(&hash, &message[..end], &mut expected);
            for first in ends.into_iter().filter(|&cut| cut <= end) {
                for second in ends.into_iter().filter(|&cut| first <= cut && cut <= end) {
                    let mut absorber = Absorber::new(hash.clone());
                    absorber.update(&message[..first]);
                    absorber.update(&message[first..second]);
                    absorber.update(&message[second..end]);
                    let mut out = std::vec![0; hash.digest_bytes()];
                    absorber.finish(&mut out);
                    assert_eq!(out, expected, "{end} bytes cut at {first} and {second}");
                }
            }
        }
    }

    #[test]
    fn segments_make_the_message() {
        cuts_do_not_matter(Md5);
        cuts_do_not_matter(Sha512::SHA384);
        cuts_do_not_matter(crate::hash::tests::Toy);
    }
}
