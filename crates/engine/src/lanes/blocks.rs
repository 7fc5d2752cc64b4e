//! Lanes that hold the blocks of one message: two words per block, one block after the other in
//! memory (RC5).

use super::pair::Pair;
use super::portable::Portable;
use super::{ByteOrder, Native, RotateVar};
use core::num::Wrapping;

/// The most bytes of blocks that go into two vectors without a mask.
const MAX_VECTOR_BYTES: usize = 64;

/// A word of each of [`Blocks::BLOCKS`] consecutive blocks, least significant byte first in memory.
///
/// ```text
/// memory ─ load_blocks ─► Loaded: bytes in order ─ split ─► [A of every block, B of every block]
///        ◄ store_blocks ─                        ◄─ join ─
/// ```
pub trait Blocks: RotateVar {
    /// Blocks side by side.
    const BLOCKS: usize;

    /// Up to this number of bytes, one block after the other takes less time than all blocks at
    /// once, of which only a part has data.
    const FEW_BYTES: usize = Self::BLOCKS * Self::Native::BYTES;

    /// The bytes of the blocks as they lie in memory.
    type Loaded: Copy;

    /// Reads the bytes of all blocks.
    ///
    /// # Panics
    /// If there are fewer than [`bytes`].
    fn load_blocks(bytes: &[u8]) -> Self::Loaded;

    /// Writes what [`Self::load_blocks`] reads.
    ///
    /// # Panics
    /// As [`Self::load_blocks`].
    fn store_blocks(rows: Self::Loaded, bytes: &mut [u8]);

    /// Reads fewer bytes than all; the rest is zero.
    #[inline(always)]
    fn load_part(part: &[u8]) -> Self::Loaded {
        let mut whole = [0; MAX_VECTOR_BYTES];
        whole[..part.len()].copy_from_slice(part);
        Self::load_blocks(&whole)
    }

    /// Writes the first bytes, as many as there are in `part`.
    #[inline(always)]
    fn store_part(rows: Self::Loaded, part: &mut [u8]) {
        let mut whole = [0; MAX_VECTOR_BYTES];
        Self::store_blocks(rows, &mut whole);
        part.copy_from_slice(&whole[..part.len()]);
    }

    /// The exclusive or of all bytes.
    fn xor_blocks(x: Self::Loaded, y: Self::Loaded) -> Self::Loaded;

    /// The first words of the blocks and the second ones, in an order of the lanes that
    /// [`Self::positions`] tells.
    fn split(rows: Self::Loaded) -> [Self; 2];

    /// Undoes [`Self::split`].
    fn join(words: [Self; 2]) -> Self::Loaded;

    /// The number of each lane's block, from 0.
    fn positions() -> Self;
}

/// Bytes of all blocks of `L`.
#[inline(always)]
pub const fn bytes<L: Blocks>() -> usize {
    2 * L::BLOCKS * L::Native::BYTES
}

/// A number below 2^w as a word of the type.
#[inline(always)]
pub fn number<N: Native>(n: usize) -> N {
    N::read(&(n as u64).to_le_bytes(), ByteOrder::Little)
}

/// The number of the block whose words [`Blocks::split`] puts into `lane`, where the shuffles of
/// x86 stay within 128 bits: the blocks of a quarter of the first row, then those of the second.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub const fn shuffled_position(lane: usize, lanes: usize, word_bytes: usize) -> usize {
    let quarter_blocks = 8 / word_bytes;
    let (quarter, at) = (lane / (2 * quarter_blocks), lane % (2 * quarter_blocks));
    quarter * quarter_blocks + at % quarter_blocks + at / quarter_blocks * (lanes / 2)
}

macro_rules! plain {
    ($type:ty, $native:ty, $lanes:literal, $load:expr, $word:expr) => {
        impl Blocks for $type {
            const BLOCKS: usize = $lanes;
            /// Split already.
            type Loaded = [Self; 2];
            #[inline(always)]
            fn load_blocks(bytes: &[u8]) -> [Self; 2] {
                const BYTES: usize = size_of::<$native>();
                let bytes = &bytes[..2 * BYTES * $lanes];
                let mut words = [[<$native>::default(); $lanes]; 2];
                for (i, bytes) in bytes.chunks_exact(BYTES).enumerate() {
                    words[i % 2][i / 2] = <$native>::read(bytes, ByteOrder::Little);
                }
                let [a, b] = words;
                [$load(a), $load(b)]
            }
            #[inline(always)]
            fn store_blocks(words: [Self; 2], bytes: &mut [u8]) {
                const BYTES: usize = size_of::<$native>();
                let bytes = &mut bytes[..2 * BYTES * $lanes];
                for (i, bytes) in bytes.chunks_exact_mut(BYTES).enumerate() {
                    let words: [$native; $lanes] = $word(words[i % 2]);
                    words[i / 2].write(bytes, ByteOrder::Little);
                }
            }
            #[inline(always)]
            fn xor_blocks([a, b]: [Self; 2], [c, d]: [Self; 2]) -> [Self; 2] {
                [a ^ c, b ^ d]
            }
            #[inline(always)]
            fn split(words: [Self; 2]) -> [Self; 2] {
                words
            }
            #[inline(always)]
            fn join(words: [Self; 2]) -> [Self; 2] {
                words
            }
            #[inline(always)]
            fn positions() -> Self {
                let mut numbers = [0; $lanes];
                for i in 0..$lanes {
                    numbers[i] = i as $native;
                }
                $load(numbers)
            }
        }
    };
}

macro_rules! every_plain {
    ($($native:ty, $lanes:literal;)*) => { $(
        plain!(
            Wrapping<$native>, $native, 1,
            |[word]: [$native; 1]| Wrapping(word), |word: Self| [word.0]
        );
        plain!(Portable<$native, $lanes>, $native, $lanes, Portable, |words: Self| words.0);
    )* };
}

every_plain!(
    u16, 8;
    u32, 4;
    u64, 2;
);

impl<A: Blocks> Blocks for Pair<A> {
    const BLOCKS: usize = 2 * A::BLOCKS;
    type Loaded = [A::Loaded; 2];
    #[inline(always)]
    fn load_blocks(whole: &[u8]) -> [A::Loaded; 2] {
        let (first, second) = whole.split_at(bytes::<A>());
        [A::load_blocks(first), A::load_blocks(second)]
    }
    #[inline(always)]
    fn store_blocks([first, second]: [A::Loaded; 2], whole: &mut [u8]) {
        let (low, high) = whole.split_at_mut(bytes::<A>());
        A::store_blocks(first, low);
        A::store_blocks(second, high);
    }
    #[inline(always)]
    fn xor_blocks([a, b]: [A::Loaded; 2], [c, d]: [A::Loaded; 2]) -> [A::Loaded; 2] {
        [A::xor_blocks(a, c), A::xor_blocks(b, d)]
    }
    #[inline(always)]
    fn split([first, second]: [A::Loaded; 2]) -> [Self; 2] {
        let ([a, b], [c, d]) = (A::split(first), A::split(second));
        [Self::of(a, c), Self::of(b, d)]
    }
    #[inline(always)]
    fn join([a, b]: [Self; 2]) -> [A::Loaded; 2] {
        [A::join([a.0, b.0]), A::join([a.1, b.1])]
    }
    #[inline(always)]
    fn positions() -> Self {
        Self::of(A::positions(), A::positions() + A::constant(number(A::BLOCKS)))
    }
}
