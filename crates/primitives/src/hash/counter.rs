//! The counter: what a compression takes beside chaining value and block.

use crate::word::{Native, Word};

/// The names of a counter's words, in their order.
pub const COUNTER_NAMES: [&str; 4] = ["t0", "t1", "f0", "f1"];

/// Distinguishes the blocks of a message: the length of the message up to the end of a block, and
/// flags.
///
/// | hash | `t[0]` | `t[1]` | `f[0]` | `f[1]` |
/// |---|---|---|---|---|
/// | BLAKE | bits, low word | bits, high word | – | – |
/// | Skein | tweak: bytes, low word | tweak: bytes, high word, with flags | – | – |
/// | BLAKE2 | bytes, low word | bytes, high word | last block | last node of a tree's level |
///
/// A hash says by [`Hash::COUNTER_WORDS`](super::Hash::COUNTER_WORDS) how many of these words, from
/// `t[0]` on, its compression reads; the others are zero and stored nowhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter<T> {
    /// The count t_0, t_1.
    pub t: [T; 2],
    /// The flags f_0, f_1.
    pub f: [T; 2],
}

impl<T: Copy> Counter<T> {
    /// Every word the same.
    #[inline(always)]
    pub const fn splat(word: T) -> Self {
        Self { t: [word; 2], f: [word; 2] }
    }

    /// The counter of the words t_0, t_1, f_0, f_1.
    #[inline(always)]
    pub const fn from_words([t0, t1, f0, f1]: [T; 4]) -> Self {
        Self { t: [t0, t1], f: [f0, f1] }
    }

    /// The words t_0, t_1, f_0, f_1.
    #[inline(always)]
    pub const fn words(self) -> [T; 4] {
        let ([t0, t1], [f0, f1]) = (self.t, self.f);
        [t0, t1, f0, f1]
    }

    /// The counter whose words are those of this one after `f`.
    #[inline(always)]
    pub fn map<U: Copy>(self, f: impl Fn(T) -> U) -> Counter<U> {
        Counter::from_words(self.words().map(f))
    }
}

impl<N: Native> Counter<N> {
    /// The count `number` mod 2^2w without flags.
    pub fn count(number: u128) -> Self {
        let word = |i: usize| N::of_number((number >> (8 * N::BYTES * i)) as u64);
        Self { t: [word(0), word(1)], ..Self::default() }
    }

    /// The counter as constant words.
    #[inline(always)]
    pub fn constant<W: Word<Native = N>>(self) -> Counter<W> {
        self.map(W::constant)
    }
}
