//! Words of lanes in memory, where a loop reads them by index.

use crate::lanes::Lanes;
use core::mem::MaybeUninit;
use core::slice::{from_raw_parts, from_raw_parts_mut};

/// Room for `LEN` natives, word by word. An array of lanes would have their other fields in memory
/// too.
#[repr(align(64))]
pub(super) struct Stored<T, const LEN: usize>([MaybeUninit<T>; LEN]);

impl<T, const LEN: usize> Stored<T, LEN> {
    #[inline(always)]
    pub const fn new() -> Self {
        Self([const { MaybeUninit::uninit() }; LEN])
    }

    /// Word i.
    ///
    /// # Safety
    /// The word must have been set, in as many lanes.
    #[inline(always)]
    pub unsafe fn at<L: Lanes<Native = T>>(&self, i: usize) -> L {
        debug_assert!((i + 1) * L::LANES <= LEN);
        // SAFETY: by the caller.
        L::load(unsafe { from_raw_parts(self.0.as_ptr().add(i * L::LANES).cast(), L::LANES) })
    }

    /// Sets word i.
    ///
    /// # Safety
    /// There must be room for it.
    #[inline(always)]
    pub unsafe fn set<L: Lanes<Native = T>>(&mut self, i: usize, word: L) {
        debug_assert!((i + 1) * L::LANES <= LEN);
        // SAFETY: by the caller; `store` reads nothing there.
        word.store(unsafe {
            from_raw_parts_mut(self.0.as_mut_ptr().add(i * L::LANES).cast(), L::LANES)
        });
    }
}
