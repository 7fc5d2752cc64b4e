//! Words with a place in the order of operations.
//!
//! A browser compiles WebAssembly once more and orders operations anew, by what needs them: of two
//! groups of lanes, a whole loop's rounds of one may come before those of the other, and the CPU
//! then has the operations of one group only. Accesses to memory stay in their order.

use super::pair::Pair;
use core::mem::MaybeUninit;
use core::num::Wrapping;

/// Words that accesses to memory tie to a place of the code.
pub trait Anchored: Copy {
    /// Reads the word here, and nowhere else.
    fn read_here(&self) -> Self;

    /// Writes the word here, so that it is computed before what is read or written next.
    fn write_here(self, place: &mut MaybeUninit<Self>);

    /// Has the word computed here: writes it to a place that nobody reads.
    #[inline(always)]
    fn have_here(self) {
        self.write_here(&mut MaybeUninit::uninit());
    }
}

/// Scalar words have operations of their own beside those of vectors, and stay where they are.
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
        // SAFETY: both halves lie in `place`, which is borrowed for writing. A half that is not
        // initialised has the type of one that need not be.
        let halves = unsafe {
            let (first, second) = (&raw mut (*place).0, &raw mut (*place).1);
            (&mut *first.cast::<MaybeUninit<A>>(), &mut *second.cast::<MaybeUninit<B>>())
        };
        self.0.write_here(halves.0);
        self.1.write_here(halves.1);
    }
}
