//! The parts of a hash around its compression function, as data: how a message becomes blocks with
//! counters, which chaining value is the first, and which bytes of the last one are the digest.
//!
//! ```text
//!  whole blocks │ rest, first, 0 … 0, last, length │ closing call ──► digest bytes
//!  counter      │ counter, last                    │ fixed counter
//! ```
//!
//! [`framing`] finds a [`Framing`] by evaluating the definition on probes and then compares the
//! two, for every length up to three blocks and for some beyond 2^64 bits. Whatever is made from a
//! framing needs no code for a particular hash.

mod find;
mod output;

pub use find::{Error, framing};
pub use manylane_primitives::hash::{COUNTER_NAMES, Counter};
pub use manylane_primitives::word::ByteOrder;
pub use output::{More, Stream, stream};

/// All of a hash except its compression function.
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
    /// The padding that follows the message.
    pub padding: Padding,
    /// The counter that goes into the compression with each block, if the hash has one.
    pub counter: Option<Counting>,
    /// The call after the last block, if there is one.
    pub closing: Option<Closing>,
    /// For each byte of the digest its place in the last chaining value.
    pub digest: Vec<StateByte>,
}

/// How a message is filled up to whole blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Padding {
    /// The byte after the message, such as 0x80; 0 where only zeros follow the message.
    pub first: u8,
    /// A byte that is ORed into the last byte before the length field, or of the block if there is
    /// no such field; 0 if nothing is ORed.
    pub last: u8,
    /// The length field at the end of the last block; `None` if there is none.
    pub length: Option<Length>,
    /// The most bytes of message that fit into a block together with all of the padding. With more,
    /// the padding takes another block.
    pub room: usize,
    /// Whether a full block at the end of the message is the last block, with no padding after it.
    pub holds_last: bool,
}

/// The length field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// Number of its bytes.
    pub bytes: usize,
    /// Order of its bytes.
    pub order: ByteOrder,
    /// The unit in which it gives the length.
    pub unit: Unit,
}

/// The unit in which a length or a counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bits of message.
    Bits,
    /// Bytes of message.
    Bytes,
    /// Blocks, padding included.
    Blocks,
}

/// How the counter of a block is made: the words t_0 and t_1 count the message up to the block's
/// end, and flags are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counting {
    /// Number of the counter's words that the compression has as inputs, from t_0 on.
    pub words: usize,
    /// The unit in which it counts.
    pub unit: Unit,
    /// Whether the counter is 0, without flags, for a block that holds no message.
    pub zero_without_message: bool,
    /// Bits that are always set.
    pub always: Counter<u64>,
    /// Bits that are set for the first block.
    pub first: Counter<u64>,
    /// Bits that are set for the last block.
    pub last: Counter<u64>,
}

/// One more call of the compression function after the last block, on a block of zeros. The output
/// function of the hash is the result of this call with constants XORed to it.
///
/// For Grøstl that is Ω(h) = P(h) ⊕ h = f(h, 0) ⊕ Q(0); for Skein the constants are zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closing {
    /// The counter of that call.
    pub counter: Counter<u64>,
    /// A constant for each word of the result.
    pub xor: Vec<u64>,
}

/// A byte of a chaining value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateByte {
    /// Index of the word.
    pub word: usize,
    /// Index of the byte in the word; 0 is the least significant.
    pub byte: usize,
}

/// A padded block with its counter, zeros if the hash has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Framed {
    /// The block.
    pub bytes: Vec<u8>,
    /// The counter.
    pub counter: Counter<u64>,
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
    pub fn whole_counter(&self, before: u64) -> Counter<u64> {
        let end = (u128::from(before) + 1) * self.block_bytes as u128;
        let counter = |counting: Counting| counting.of(end, self.word_bits, before == 0, false);
        self.counter.map_or(Counter::default(), counter)
    }

    /// Number of the counter's words that the compression has as inputs.
    pub fn counter_words(&self) -> usize {
        self.counter.map_or(0, |counting| counting.words)
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
            match self.counter {
                Some(counting) if has_message || !counting.zero_without_message => {
                    counting.of(total, self.word_bits, first, last)
                }
                _ => Counter::default(),
            }
        };
        let blocks = bytes.chunks_exact(self.block_bytes).enumerate();
        blocks.map(|(i, block)| Framed { bytes: block.to_vec(), counter: counter(i) }).collect()
    }

    /// The digest in a last chaining value, which is the result of the closing call if there is
    /// one.
    pub fn digest_of(&self, chain: &[u64]) -> Vec<u8> {
        let word = |i: usize| chain[i] ^ self.closing.as_ref().map_or(0, |closing| closing.xor[i]);
        self.digest.iter().map(|place| (word(place.word) >> (8 * place.byte)) as u8).collect()
    }
}

impl Counting {
    /// The counter, in words of `word_bits` bits, of a block up to whose end the message has
    /// `bytes` bytes.
    fn of(&self, bytes: u128, word_bits: u32, is_first: bool, is_last: bool) -> Counter<u64> {
        let count = match self.unit {
            Unit::Bits => 8 * bytes,
            Unit::Bytes | Unit::Blocks => bytes,
        };
        let counter = union(split(count, word_bits), self.flags(is_last));
        if is_first { union(counter, self.first) } else { counter }
    }

    /// The flags of every block or, if `is_last`, of a last one. The flags that only a first block
    /// has are not among them.
    pub fn flags(&self, is_last: bool) -> Counter<u64> {
        if is_last { union(self.always, self.last) } else { self.always }
    }
}

/// The bits that are set in either of two counters.
fn union(one: Counter<u64>, other: Counter<u64>) -> Counter<u64> {
    let (one, other) = (one.words(), other.words());
    Counter::from_words(std::array::from_fn(|i| one[i] | other[i]))
}

/// The counter that counts `number` in words of `word_bits` bits, without flags.
fn split(number: u128, word_bits: u32) -> Counter<u64> {
    let word = |i: u32| (number >> (word_bits * i)) as u64 & (u64::MAX >> (64 - word_bits));
    Counter { t: [word(0), word(1)], f: [0; 2] }
}
