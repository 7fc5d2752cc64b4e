//! The surroundings of a hash's compression, as data: how a message becomes blocks with counters,
//! what the first chaining value is, and which bytes of the last one are the digest.
//!
//! ```text
//!  whole blocks │ rest, first, 0 … 0, last, length │ closing call ──► digest bytes
//!  counter      │ counter, last                    │ fixed counter
//! ```
//!
//! A [`Framing`] is found by asking the definition and then held to it, for every length up to
//! three blocks and for some beyond 2^64 bits: see [`framing`]. Whatever is made from a framing
//! needs no code for a particular hash.

mod find;
mod output;

pub use find::{Error, framing};
pub use manylane_primitives::word::ByteOrder;
pub use output::{More, Stream, stream};

/// Everything about a hash but its compression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Framing {
    /// Bits of a word.
    pub word_bits: u32,
    /// Bytes of message in a block.
    pub block_bytes: usize,
    /// Order of the bytes in a message word.
    pub order: ByteOrder,
    /// The chaining value before the first block, in words.
    pub initial: Vec<u64>,
    /// What follows the message.
    pub padding: Padding,
    /// The counter that goes into the compression with each block, if the hash has one.
    pub counter: Option<Counter>,
    /// The call after the last block, if there is one.
    pub closing: Option<Closing>,
    /// For each byte of the digest its place in the last chaining value.
    pub digest: Vec<Place>,
}

/// How a message is filled up to whole blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Padding {
    /// The byte after the message. 0 where only zeros follow it.
    pub first: u8,
    /// A byte that is ORed to the last one before the length.
    pub last: u8,
    /// The length, at the end of the last block.
    pub length: Option<Length>,
    /// The most bytes of message that a block holds beside all of the padding. With more, another
    /// block follows.
    pub room: usize,
    /// Whether a full block at the end of the message is its last one, with nothing after it.
    pub holds_last: bool,
}

/// The length field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// Its bytes.
    pub bytes: usize,
    /// Their order.
    pub order: ByteOrder,
    /// What it counts.
    pub unit: Unit,
}

/// What a length or a counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bits of message.
    Bits,
    /// Bytes of message.
    Bytes,
    /// Blocks, padding included.
    Blocks,
}

/// The counter of a block: how much message there is up to its end, and flags. Numbers of two
/// words, the low one first in the compression's inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// What it counts.
    pub unit: Unit,
    /// Whether it is 0, without flags, for a block that holds no message.
    pub zero_without_message: bool,
    /// Bits that are always set.
    pub always: u128,
    /// Bits that are set for the first block.
    pub first: u128,
    /// Bits that are set for the last block.
    pub last: u128,
}

/// One more call of the compression, with a block of zeros. The output function of the hash is its
/// result with constants XORed to it.
///
/// For Grøstl that is Ω(h) = P(h) ⊕ h = f(h, 0) ⊕ Q(0); for Skein the constants are zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closing {
    /// The counter.
    pub counter: u128,
    /// A constant for each word of the result.
    pub xor: Vec<u64>,
}

/// A byte of a chaining value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The word.
    pub word: usize,
    /// The byte in it; 0 is the least significant.
    pub byte: usize,
}

/// A padded block with its counter, 0 if the hash has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Framed {
    /// The block.
    pub bytes: Vec<u8>,
    /// The counter, of two words.
    pub counter: u128,
}

impl Framing {
    /// The blocks that a message becomes; the closing call is not among them.
    pub fn blocks(&self, message: &[u8]) -> Vec<Framed> {
        let full = message.len() / self.block_bytes;
        let held =
            self.padding.holds_last && full > 0 && message.len().is_multiple_of(self.block_bytes);
        let (body, rest) = message.split_at((full - usize::from(held)) * self.block_bytes);
        let whole = body.chunks_exact(self.block_bytes).enumerate().map(|(i, block)| Framed {
            bytes: block.to_vec(),
            counter: self.whole_counter(i as u64),
        });
        let end = self.end((body.len() / self.block_bytes) as u64, rest);
        whole.chain(end).collect()
    }

    /// The counter of a whole block that follows `before` others and is not the last.
    pub fn whole_counter(&self, before: u64) -> u128 {
        let end = (u128::from(before) + 1) * self.block_bytes as u128;
        self.counter.map_or(0, |counter| self.number(counter.of(end, before == 0, false)))
    }

    /// The last one or two blocks of a message: `rest`, which follows `before` whole blocks,
    /// padded.
    pub fn end(&self, before: u64, rest: &[u8]) -> Vec<Framed> {
        let Padding { first, last, length, room, .. } = self.padding;
        let count = if rest.len() <= room { 1 } else { 2 };
        let mut bytes = vec![0; count * self.block_bytes];
        bytes[..rest.len()].copy_from_slice(rest);
        if let Some(after) = bytes.get_mut(rest.len()) {
            *after = first;
        }
        let total = u128::from(before) * self.block_bytes as u128 + rest.len() as u128;
        let field = bytes.len() - length.map_or(0, |length| length.bytes);
        bytes[field - 1] |= last;
        if let Some(length) = length {
            let value = match length.unit {
                Unit::Bits => 8 * total,
                Unit::Bytes => total,
                Unit::Blocks => u128::from(before) + count as u128,
            };
            match length.order {
                ByteOrder::Little => {
                    bytes[field..].copy_from_slice(&value.to_le_bytes()[..length.bytes]);
                }
                ByteOrder::Big => {
                    bytes[field..].copy_from_slice(&value.to_be_bytes()[16 - length.bytes..]);
                }
            }
        }
        let counter = |i: usize| {
            let has_message = i == 0 && !rest.is_empty();
            let (first, last) = (before == 0 && i == 0, i + 1 == count);
            self.counter.map_or(0, |counter| match counter.zero_without_message && !has_message {
                true => 0,
                false => self.number(counter.of(total, first, last)),
            })
        };
        let blocks = bytes.chunks_exact(self.block_bytes).enumerate();
        blocks.map(|(i, block)| Framed { bytes: block.to_vec(), counter: counter(i) }).collect()
    }

    /// The part of a counter that two words hold.
    fn number(&self, counter: u128) -> u128 {
        counter & (u128::MAX >> (128 - 2 * self.word_bits))
    }

    /// The digest in a last chaining value, that after the closing call if there is one.
    pub fn digest_of(&self, chain: &[u64]) -> Vec<u8> {
        let word = |i: usize| chain[i] ^ self.closing.as_ref().map_or(0, |closing| closing.xor[i]);
        self.digest.iter().map(|place| (word(place.word) >> (8 * place.byte)) as u8).collect()
    }
}

impl Counter {
    /// The counter of a block up to whose end there are `bytes` bytes of message.
    fn of(&self, bytes: u128, is_first: bool, is_last: bool) -> u128 {
        let count = match self.unit {
            Unit::Bits => 8 * bytes,
            Unit::Bytes | Unit::Blocks => bytes,
        };
        let flag = |set: bool, flag: u128| if set { flag } else { 0 };
        count | self.always | flag(is_first, self.first) | flag(is_last, self.last)
    }
}
