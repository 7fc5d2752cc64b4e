//! Lanes that fetch what they need next while they compute.
//!
//! ```text
//! round      0      1      2      3      4  …
//! asks for   lane 0 lane 1 lane 2 lane 3 lane 4      its line, three lines from this block's first
//! block      code   code   code                      lines of the kernel itself, in turn
//! ```
//!
//! 32 or 64 inputs are more than a core foresees, and asked for all at once they wait for one
//! another. The second-level cache of AMD's Zen cores holds all that the first-level caches hold.
//! Of a kernel that runs on and on it sees nothing, for its instructions come from the first level,
//! whereas messages stream through it: in the end every line of code is the oldest, is given up on
//! both levels, and the core waits for memory. 18 KiB of MD5 in 64 lanes lose a third of their time
//! so.

use super::step::Step;
use super::{ByteOrder, Lanes, Word, operators};
use core::ops::Sub;
use core::ptr::NonNull;

/// Lanes of `A`. Each `EVERY`-th round asks for a line of 64 bytes, `LINES` of each input for a
/// block.
#[derive(Clone, Copy)]
pub struct Ahead<A, const EVERY: usize, const LINES: usize>(A, Option<Place>);

/// Where the kernel is in its inputs. The words of the state carry it; to the compiler it is one
/// value.
#[derive(Clone, Copy)]
struct Place {
    /// As many as lanes.
    inputs: NonNull<&'static [u8]>,
    /// The byte at which the block begins.
    at: usize,
}

/// Bytes in a line of the caches.
const LINE: usize = 64;
/// Bytes from a block's first to the line asked for.
const DISTANCE: usize = 3 * LINE;
/// Lines of code asked for with a block.
const CODE_AT_ONCE: usize = 8;
/// Times as many are all of it: 32 KiB, which is what the first level holds.
const CODE: usize = 64;

impl Place {
    #[inline(always)]
    fn either(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match one {
            None => other,
            some => some,
        }
    }
}

impl<A, const EVERY: usize, const LINES: usize> Ahead<A, EVERY, LINES>
where
    A: Word + Sub<Output = A>,
{
    #[inline(always)]
    fn with(self, other: Self, word: A) -> Self {
        Self(word, Place::either(self.1, other.1))
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
        Self(!self.0, self.1)
    }
    #[inline(always)]
    fn shift_left(self, n: usize) -> Self {
        Self(self.0 << n, self.1)
    }
    #[inline(always)]
    fn shift_right(self, n: usize) -> Self {
        Self(self.0 >> n, self.1)
    }
    /// A word of three.
    #[inline(always)]
    fn of(x: Self, y: Self, z: Self, word: A) -> Self {
        Self(word, Place::either(x.1, Place::either(y.1, z.1)))
    }
}

operators!(
    Ahead<A, EVERY, LINES>,
    [A: Word + Sub<Output = A>, const EVERY: usize, const LINES: usize]
);

impl<A, const EVERY: usize, const LINES: usize> Word for Ahead<A, EVERY, LINES>
where
    A: Lanes + Step + Sub<Output = A>,
{
    type Native = A::Native;
    #[inline(always)]
    fn constant(value: A::Native) -> Self {
        Self(A::constant(value), None)
    }
    #[inline(always)]
    fn rotl(self, n: usize) -> Self {
        Self(self.0.rotl(n), self.1)
    }
    #[inline(always)]
    fn rotr(self, n: usize) -> Self {
        Self(self.0.rotr(n), self.1)
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
    fn between(state: &mut [Self], round: usize) {
        let line = round / EVERY;
        let [Self(word, Some(Place { inputs, at })), ..] = state else { return };
        if round.is_multiple_of(EVERY) && line < LINES * A::LANES {
            // SAFETY: `foresee` had an input for each lane, which outlive the call of the kernel.
            let input = unsafe { *inputs.as_ptr().add(line / LINES) };
            let offset = *at + DISTANCE + line % LINES * LINE;
            *word = word.ask(input.as_ptr().wrapping_add(offset));
        }
    }
}

impl<A, const EVERY: usize, const LINES: usize> Lanes for Ahead<A, EVERY, LINES>
where
    A: Lanes + Step + Sub<Output = A>,
{
    const LANES: usize = A::LANES;
    #[inline(always)]
    fn load(words: &[A::Native]) -> Self {
        Self(A::load(words), None)
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
        // A `zip` is not always inlined into so large a kernel, and keeps the block in memory then.
        for i in 0..block.len() {
            block[i] = Self(words[i], None);
        }
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
    #[inline(always)]
    fn foresee(state: &mut [Self], inputs: &[&[u8]], at: usize, code: *const u8) {
        assert!(inputs.len() >= A::LANES);
        // Blocks come one after the other, and calls from other places: all lines have their turn.
        let place = inputs[0].as_ptr() as usize + at;
        let turn = ((place >> 6) + (place >> 10) + (place >> 16)) % CODE;
        for line in 0..CODE_AT_ONCE {
            A::fetch(code.wrapping_add((CODE_AT_ONCE * turn + line) * LINE));
        }
        for word in state {
            word.1 = Some(Place { inputs: NonNull::from(&inputs[0]).cast(), at });
        }
    }
}
