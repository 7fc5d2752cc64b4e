//! What follows the whole blocks of a message: its last bits, padding, length.

use super::Counter;
use crate::word::{ByteOrder, Native};

/// Which bits of an incomplete last byte belong to the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitOrder {
    /// The most significant ones (FIPS 180-4 §3.1, and the SHA-3 competition's interface).
    MsbFirst,
    /// The least significant ones (FIPS 202 §B.1).
    LsbFirst,
}

/// The end of a message: what follows its whole blocks.
#[derive(Clone, Copy, Debug)]
pub struct Tail<'a> {
    /// The last bytes, at most one block. If `total_bits` is no multiple of 8 the last byte is
    /// incomplete; its unused bits may have any value.
    pub bytes: &'a [u8],
    /// Length of the whole message in bits.
    pub total_bits: u128,
}

impl Tail<'_> {
    /// Number of bits in the incomplete last byte, 0 if there is none.
    pub fn odd_bits(&self) -> usize {
        (self.total_bits % 8) as usize
    }

    /// Number of bytes that hold the bits and a 1 bit after them.
    pub fn bytes_with_one_bit(&self) -> usize {
        self.bytes.len() + usize::from(self.odd_bits() == 0)
    }

    /// Fills `out`, whole words of 64 bits, with the bits, a 1 bit, most significant bit first, and
    /// zeros.
    #[inline(always)]
    pub fn write_with_one_bit(&self, out: &mut [u8]) {
        let bytes = self.bytes.len();
        match self.odd_bits() {
            0 => {
                // Writes the padding of an empty tail first and the tail's bytes over it. Where the
                // compiler knows the length of `out`, the first copy takes no call of a function.
                out.copy_from_slice(&ONE_BIT[LONGEST_END - bytes..][..out.len()]);
                // No word is written in parts: a load of it soon afterwards would wait for them.
                let (words, last) = self.bytes.as_chunks::<8>();
                let (whole, rest) = out.split_at_mut(bytes - last.len());
                whole.copy_from_slice(words.as_flattened());
                if !last.is_empty() {
                    let word = word_of(last) | 0x80 << (8 * last.len());
                    rest[..8].copy_from_slice(&word.to_le_bytes());
                }
            }
            odd => {
                out[..bytes].copy_from_slice(self.bytes);
                out[bytes..].fill(0);
                let last = &mut out[bytes - 1];
                *last = (*last & !(0xff >> odd)) | (0x80 >> odd);
            }
        }
    }
}

/// Fewer than eight bytes as an integer, the least significant byte first.
#[inline(always)]
fn word_of(bytes: &[u8]) -> u64 {
    // Two loads that overlap reach every byte; no branch depends on more than the length.
    if let (Some(&first), Some(&last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let (first, last) = (u32::from_le_bytes(first), u32::from_le_bytes(last));
        u64::from(first) | u64::from(last) << (8 * (bytes.len() - 4))
    } else if let (Some(&first), Some(&last)) = (bytes.first_chunk::<2>(), bytes.last_chunk::<2>())
    {
        let (first, last) = (u16::from_le_bytes(first), u16::from_le_bytes(last));
        u64::from(first) | u64::from(last) << (8 * (bytes.len() - 2))
    } else {
        bytes.first().map_or(0, |&byte| byte.into())
    }
}

/// Zeros, a 1 bit and zeros, from which the padding is copied. If the 1 bit were stored as a byte,
/// a wide load of the block soon afterwards would wait for this store.
static ONE_BIT: [u8; 2 * LONGEST_END] = {
    let mut bytes = [0; 2 * LONGEST_END];
    bytes[LONGEST_END] = 0x80;
    bytes
};

/// Longest block of any hash function here: SHAKE128's rate, in bytes.
pub const MAX_BLOCK_BYTES: usize = 168;

/// Two blocks of SHAKE128, which has the longest, in bytes.
pub const LONGEST_END: usize = 2 * MAX_BLOCK_BYTES;

/// The padded end of a message: one or two blocks, each with its counter.
#[derive(Debug)]
pub struct Padded<'b, N> {
    /// The blocks, one after the other.
    pub bytes: &'b mut [u8],
    /// How many blocks of `bytes` count: 1 or 2.
    pub blocks: usize,
    /// The counter `t` of each block.
    pub counters: [Counter<N>; 2],
}

impl<'b, N: Native> Padded<'b, N> {
    /// No blocks yet. `bytes` has room for two, or for one if the end is known to need no more.
    pub fn new(bytes: &'b mut [u8]) -> Self {
        Self { bytes, blocks: 0, counters: [Counter::default(); 2] }
    }

    /// Merkle–Damgård strengthening: a 1 bit, zeros, and the length in bits as an integer of
    /// `length_bytes` bytes at the end of the last block of `block` bytes.
    #[inline(always)]
    pub fn strengthen(&mut self, tail: &Tail, block: usize, length_bytes: usize, order: ByteOrder) {
        self.finish_with(tail, block, length_bytes, order, |_| tail.total_bits);
    }

    /// Does the same as [`Padded::strengthen`], with the closing integer computed from the number
    /// of blocks written.
    #[inline(always)]
    pub fn finish_with(
        &mut self,
        tail: &Tail,
        block: usize,
        length_bytes: usize,
        order: ByteOrder,
        closing: impl FnOnce(usize) -> u128,
    ) {
        self.blocks = if tail.bytes_with_one_bit() + length_bytes <= block { 1 } else { 2 };
        let end = self.blocks * block;
        match self.blocks {
            1 => tail.write_with_one_bit(&mut self.bytes[..block]),
            _ => tail.write_with_one_bit(&mut self.bytes[..2 * block]),
        }
        let closing = closing(self.blocks);
        let field = &mut self.bytes[end - length_bytes..end];
        match order {
            ByteOrder::Big => field.copy_from_slice(&closing.to_be_bytes()[16 - length_bytes..]),
            ByteOrder::Little => field.copy_from_slice(&closing.to_le_bytes()[..length_bytes]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tail_is_followed_by_a_one_bit_and_zeros() {
        let mut message = [0; 168];
        message.iter_mut().zip(1..).for_each(|(byte, i)| *byte = i);
        for block in [64, 72, 128, 168] {
            for bytes in 0..=block {
                let tail = Tail { bytes: &message[..bytes], total_bits: 8 * bytes as u128 };
                let (mut out, mut expected) = ([0xa5; LONGEST_END], [0; LONGEST_END]);
                tail.write_with_one_bit(&mut out[..2 * block]);
                expected[..bytes].copy_from_slice(tail.bytes);
                expected[bytes] = 0x80;
                assert_eq!(out[..2 * block], expected[..2 * block], "{bytes} bytes");
            }
        }
    }
}
