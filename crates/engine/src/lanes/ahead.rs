//! Lanes that prefetch their inputs, and the kernel's own code, while they compute.
//!
//! ```text
//! round        0      1      2      3      4  …
//! prefetches   lane 0 lane 1 lane 2 lane 3 lane 4     the line three lines after the block's first
//! block        code   code   code                     lines of the kernel's instructions, in turn
//! ```
//!
//! The hardware prefetcher does not follow 32 or 64 streams, and prefetches issued together queue
//! up; so each round prefetches one line, or a few where rounds are few. The second-level cache of
//! AMD's Zen cores includes the first-level instruction cache: code that always hits in the first
//! level ages in the second, and the stream of messages evicts it from both. The 18 KiB of MD5 in
//! 64 lanes lose a third of their speed this way.

use super::step::Tied;
use super::{ByteOrder, Lanes, Unit, Word, operators};
use core::marker::PhantomData;
use core::ops::Sub;
use core::ptr::NonNull;
use manylane_primitives::word::Kind;

/// Lanes of `A`. Of the rounds that `R` counts, every `EVERY`-th prefetches [`Counted::AT_ONCE`]
/// lines of 64 bytes; over a block these are `LINES` lines of each input.
#[derive(Clone, Copy)]
pub struct Ahead<A, const EVERY: usize, const LINES: usize, R = EveryRound>(
    A,
    Option<InputPosition>,
    PhantomData<R>,
);

/// Lanes that prefetch while they compute.
pub trait Prefetch: Lanes {
    /// Prefetches some lines of the kernel's instructions, which begin at `code`, and has the
    /// rounds of the block at byte `at` of the inputs prefetch what follows it. `state` is what the
    /// block will be folded into; no value changes.
    ///
    /// # Panics
    /// If there are fewer inputs than lanes.
    fn before_block(state: &mut [Self], inputs: &[&[u8]], at: usize, code: *const u8);
    /// Gives the input position of `from` to the first of the words, and removes it from the
    /// others.
    fn keep_position_in_first(words: &mut [Self], from: Self);
}

/// The rounds that prefetch. Where two lines of rounds run side by side, only one of them does.
pub trait Counted: Copy {
    /// Lines that a round prefetches: more than one where a block has fewer rounds than lines.
    const AT_ONCE: usize = 1;
    /// Whether rounds of this name are counted.
    fn has(name: &str) -> bool;
}

/// Rounds of any name.
#[derive(Clone, Copy)]
pub struct EveryRound;

impl Counted for EveryRound {
    #[inline(always)]
    fn has(_: &str) -> bool {
        true
    }
}

/// Where the kernel is in its inputs. Every word of the state carries the same position, which the
/// compiler keeps once.
#[derive(Clone, Copy)]
struct InputPosition {
    /// The first of the inputs, of which there are as many as lanes.
    inputs: NonNull<&'static [u8]>,
    /// The byte at which the block begins.
    at: usize,
}

/// Bytes in a line of the caches.
const LINE: usize = 64;
/// The prefetch distance: bytes from the beginning of a block to the line that is prefetched.
const DISTANCE: usize = 3 * LINE;
/// Lines of code that are prefetched with a block.
const CODE_AT_ONCE: usize = 8;
/// Blocks after which every line of code has been prefetched once: 32 KiB of code, which is what
/// the first-level cache holds.
const CODE: usize = 64;

impl InputPosition {
    #[inline(always)]
    fn either(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match one {
            None => other,
            some => some,
        }
    }
}

impl<A, const EVERY: usize, const LINES: usize, R: Counted> Ahead<A, EVERY, LINES, R>
where
    A: Word + Sub<Output = A>,
{
    #[inline(always)]
    fn with(self, other: Self, word: A) -> Self {
        Self(word, InputPosition::either(self.1, other.1), PhantomData)
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, self.0 + other.0)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, self.0 - other.0)
    }
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        self.with(other, self.0 ^ other.0)
    }
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        self.with(other, self.0 & other.0)
    }
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        self.with(other, self.0 | other.0)
    }
    #[inline(always)]
    fn complement(self) -> Self {
        Self(!self.0, self.1, PhantomData)
    }
    #[inline(always)]
    fn shift_left(self, n: usize) -> Self {
        Self(self.0 << n, self.1, PhantomData)
    }
    #[inline(always)]
    fn shift_right(self, n: usize) -> Self {
        Self(self.0 >> n, self.1, PhantomData)
    }
    /// The word computed from x, y and z, with the input position that one of them carries.
    #[inline(always)]
    fn of(x: Self, y: Self, z: Self, word: A) -> Self {
        Self(word, InputPosition::either(x.1, InputPosition::either(y.1, z.1)), PhantomData)
    }
}

operators!(
    Ahead<A, EVERY, LINES, R>,
    [A: Word + Sub<Output = A>, const EVERY: usize, const LINES: usize, R: Counted]
);

impl<A, const EVERY: usize, const LINES: usize, R: Counted> Word for Ahead<A, EVERY, LINES, R>
where
    A: Lanes + Tied + Sub<Output = A>,
{
    type Native = A::Native;
    #[inline(always)]
    fn constant(value: A::Native) -> Self {
        Self(A::constant(value), None, PhantomData)
    }
    #[inline(always)]
    fn rotl(self, n: usize) -> Self {
        Self(self.0.rotl(n), self.1, PhantomData)
    }
    #[inline(always)]
    fn rotr(self, n: usize) -> Self {
        Self(self.0.rotr(n), self.1, PhantomData)
    }
    #[inline(always)]
    fn xor3(x: Self, y: Self, z: Self) -> Self {
        Self::of(x, y, z, A::xor3(x.0, y.0, z.0))
    }
    #[inline(always)]
    fn ch(x: Self, y: Self, z: Self) -> Self {
        Self::of(x, y, z, A::ch(x.0, y.0, z.0))
    }
    #[inline(always)]
    fn maj(x: Self, y: Self, z: Self) -> Self {
        Self::of(x, y, z, A::maj(x.0, y.0, z.0))
    }
    #[inline(always)]
    fn chi(x: Self, y: Self, z: Self) -> Self {
        Self::of(x, y, z, A::chi(x.0, y.0, z.0))
    }
    #[inline(always)]
    fn enter(state: &mut [Self], kind: Kind, name: &'static str, round: usize) {
        if kind != Kind::Round || !R::has(name) {
            return;
        }
        let [Self(word, Some(InputPosition { inputs, at }), _), ..] = state else { return };
        if !round.is_multiple_of(EVERY) {
            return;
        }
        for i in 0..R::AT_ONCE {
            let line = round / EVERY * R::AT_ONCE + i;
            if line < LINES * A::LANES {
                // SAFETY: `before_block` had an input for each lane, which outlives the kernel's
                // call.
                let input = unsafe { *inputs.as_ptr().add(line / LINES) };
                let offset = *at + DISTANCE + line % LINES * LINE;
                *word = word.with_prefetch(input.as_ptr().wrapping_add(offset));
            }
        }
    }
}

impl<A, const EVERY: usize, const LINES: usize, R: Counted> Lanes for Ahead<A, EVERY, LINES, R>
where
    A: Lanes + Tied + Sub<Output = A>,
{
    const LANES: usize = A::LANES;
    #[inline(always)]
    fn load(words: &[A::Native]) -> Self {
        Self(A::load(words), None, PhantomData)
    }
    #[inline(always)]
    fn store(self, words: &mut [A::Native]) {
        self.0.store(words);
    }
    #[inline(always)]
    unsafe fn load_block(block: &mut [Self], inputs: &[&[u8]], at: usize, order: ByteOrder) {
        let mut words = [A::constant(Default::default()); 32];
        let words = &mut words[..block.len()];
        // SAFETY: by the caller.
        unsafe { A::load_block(words, inputs, at, order) };
        // A loop over `zip` is not always inlined into so large a kernel; the block then stays in
        // memory.
        for i in 0..block.len() {
            block[i] = Self(words[i], None, PhantomData);
        }
    }
    #[inline(always)]
    fn write_end(row: &[u8], padding: &[Unit], end: &mut [Unit]) {
        A::write_end(row, padding, end);
    }
    #[inline(always)]
    fn write_rows(
        words: &[A::Native],
        stride: usize,
        places: &[usize],
        bytes: usize,
        out: &mut [u8],
        order: ByteOrder,
    ) {
        A::write_rows(words, stride, places, bytes, out, order);
    }
}

impl<A, const EVERY: usize, const LINES: usize, R: Counted> Prefetch for Ahead<A, EVERY, LINES, R>
where
    A: Lanes + Tied + Sub<Output = A>,
{
    #[inline(always)]
    fn before_block(state: &mut [Self], inputs: &[&[u8]], at: usize, code: *const u8) {
        assert!(inputs.len() >= A::LANES);
        // The address of the block chooses the lines of code: it grows by a line or two from block
        // to block and jumps from call to call, so that every line is chosen in turn.
        let address = inputs[0].as_ptr() as usize + at;
        let turn = ((address >> 6) + (address >> 10) + (address >> 16)) % CODE;
        for line in 0..CODE_AT_ONCE {
            A::prefetch(code.wrapping_add((CODE_AT_ONCE * turn + line) * LINE));
        }
        for word in state {
            word.1 = Some(InputPosition { inputs: NonNull::from(&inputs[0]).cast(), at });
        }
    }
    #[inline(always)]
    fn keep_position_in_first(words: &mut [Self], from: Self) {
        for i in 0..words.len() {
            words[i].1 = if i == 0 { from.1 } else { None };
        }
    }
}
