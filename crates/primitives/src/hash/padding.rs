//! What follows the whole blocks of a message: its last bits, padding, length.

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

    /// Copies the bytes to `out` and appends a 1 bit, most significant bit first. Returns the number
    /// of bytes written.
    pub fn write_one_bit(&self, out: &mut [u8]) -> usize {
        let length = self.bytes.len();
        out[..length].copy_from_slice(self.bytes);
        match self.odd_bits() {
            0 => {
                out[length] = 0x80;
                length + 1
            }
            odd => {
                let last = &mut out[length - 1];
                *last = (*last & !(0xff >> odd)) | (0x80 >> odd);
                length
            }
        }
    }
}

/// The padded end of a message: one or two blocks, each with its counter.
#[derive(Clone, Copy, Debug)]
pub struct Padded<N> {
    /// The blocks, one after the other. The longest are those of SHAKE128: 168 bytes.
    pub bytes: [u8; 336],
    /// How many blocks of `bytes` count: 1 or 2.
    pub blocks: usize,
    /// The counter `t` of each block.
    pub counters: [[N; 2]; 2],
}

impl<N: Native> Padded<N> {
    /// No blocks.
    pub fn new() -> Self {
        Self { bytes: [0; 336], blocks: 0, counters: [[N::default(); 2]; 2] }
    }

    /// Merkle–Damgård strengthening: a 1 bit, zeros, and the length in bits as an integer of
    /// `length_bytes` bytes at the end of the last block of `block` bytes.
    pub fn strengthen(&mut self, tail: &Tail, block: usize, length_bytes: usize, order: ByteOrder) {
        self.finish_with(tail, block, length_bytes, order, |_| tail.total_bits);
    }

    /// As [`Padded::strengthen`], the closing integer computed from the number of blocks written.
    pub fn finish_with(
        &mut self,
        tail: &Tail,
        block: usize,
        length_bytes: usize,
        order: ByteOrder,
        closing: impl FnOnce(usize) -> u128,
    ) {
        let used = tail.write_one_bit(&mut self.bytes);
        self.blocks = if used + length_bytes <= block { 1 } else { 2 };
        let end = self.blocks * block;
        let length_at = end - length_bytes;
        self.bytes[used..length_at].fill(0);
        let closing = closing(self.blocks);
        let field = &mut self.bytes[length_at..end];
        match order {
            ByteOrder::Big => field.copy_from_slice(&closing.to_be_bytes()[16 - length_bytes..]),
            ByteOrder::Little => field.copy_from_slice(&closing.to_le_bytes()[..length_bytes]),
        }
    }
}

impl<N: Native> Default for Padded<N> {
    fn default() -> Self {
        Self::new()
    }
}
