//! Words that are tied to a place in the order of operations.
//!
//! A browser compiles WebAssembly and reorders operations by their uses: of two groups of lanes, it
//! may put all rounds that a loop has of one group before those of the other, so that the CPU has
//! the operations of one group at a time. It keeps the order of accesses to memory.

use super::pair::Pair;
use core::mem::MaybeUninit;
use core::num::Wrapping;

/// Words that accesses to memory tie to a place of the code.
pub trait Anchored: Copy {
    /// Reads the word at this point of the code, neither earlier nor later.
    fn read_here(&self) -> Self;

    /// Writes the word at this point of the code, so that it is computed before the next word is
    /// read or written.
    fn write_here(self, place: &mut MaybeUninit<Self>);

    /// Has the word computed at this point of the code, by writing it to memory that nobody reads.
    #[inline(always)]
    fn have_here(self) {
        self.write_here(&mut MaybeUninit::uninit());
    }
}

/// Scalar words are not tied: their operations have ports beside those of vectors.
impl Anchored for Wrapping<u64> {
    #[inline(always)]
    fn read_here(&self) -> Self {
        *self
    }
    #[inline(always)]
    fn write_here(self, place: &mut MaybeUninit<Self>) {
        place.write(self);
    }
}

impl<A: Anchored, O: Copy, B: Anchored> Anchored for Pair<A, O, B> {
    #[inline(always)]
    fn read_here(&self) -> Self {
        Self::of(self.0.read_here(), self.1.read_here())
    }
    #[inline(always)]
    fn write_here(self, place: &mut MaybeUninit<Self>) {
        let place = place.as_mut_ptr();
        // SAFETY: both halves lie in `place`, which is borrowed for writing, and `MaybeUninit` is
        // the type of a half that is not initialised.
        let halves = unsafe {
            let (first, second) = (&raw mut (*place).0, &raw mut (*place).1);
            (&mut *first.cast::<MaybeUninit<A>>(), &mut *second.cast::<MaybeUninit<B>>())
        };
        self.0.write_here(halves.0);
        self.1.write_here(halves.1);
    }
}
