//! Words of lanes in memory, where a loop reads them by index.

use crate::lanes::Lanes;
use core::mem::MaybeUninit;
use core::slice::{from_raw_parts, from_raw_parts_mut};
use manylane_primitives::word::Native;

/// Room for `LEN` integers, word by word and lane by lane. An array of lanes would also hold what
/// lanes carry besides, such as the input position of [`Ahead`](crate::lanes::ahead::Ahead).
#[repr(align(64))]
pub(super) struct Stored<T, const LEN: usize>([MaybeUninit<T>; LEN]);

impl<T: Native, const LEN: usize> Stored<T, LEN> {
    /// Room without any value.
    #[inline(always)]
    pub const fn new() -> Self {
        Self([const { MaybeUninit::uninit() }; LEN])
    }

    /// Word i.
    ///
    /// # Safety
    /// The word must have been set, by a type with as many lanes.
    #[inline(always)]
    pub unsafe fn at<L: Lanes<Native = T>>(&self, i: usize) -> L {
        debug_assert!((i + 1) * L::LANES <= LEN);
        // SAFETY: by the caller.
        L::load(unsafe { from_raw_parts(self.0.as_ptr().add(i * L::LANES).cast(), L::LANES) })
    }

    /// Sets word i.
    ///
    /// # Safety
    /// There must be room for word i in the lanes of `L`.
    #[inline(always)]
    pub unsafe fn set<L: Lanes<Native = T>>(&mut self, i: usize, word: L) {
        debug_assert!((i + 1) * L::LANES <= LEN);
        // SAFETY: by the caller. A slice must be initialised; the compiler drops the zeros, since
        // all of them are overwritten.
        word.store(unsafe {
            let place = self.0.as_mut_ptr().add(i * L::LANES).cast::<T>();
            place.write_bytes(0, L::LANES);
            from_raw_parts_mut(place, L::LANES)
        });
    }
}
