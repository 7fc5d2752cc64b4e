//! One lane: the scalar words are lane types too, so that one driver serves all.

use super::{ByteOrder, Lanes, Native, RotateVar, Word, operators};
use core::num::Wrapping;

macro_rules! lanes {
    ($($native:ty)*) => { $(
        impl Lanes for Wrapping<$native> {
            const LANES: usize = 1;
            #[inline(always)]
            fn load(words: &[$native]) -> Self {
                Wrapping(words[0])
            }
            #[inline(always)]
            fn store(self, words: &mut [$native]) {
                words[0] = self.0;
            }
            #[inline(always)]
            unsafe fn load_block(
                block: &mut [Self],
                inputs: &[&[u8]],
                at: usize,
                order: ByteOrder,
            ) {
                let bytes = &inputs[0][at..at + size_of::<$native>() * block.len()];
                let words = bytes.chunks_exact(size_of::<$native>());
                for (word, bytes) in block.iter_mut().zip(words) {
                    *word = Wrapping(<$native>::read(bytes, order));
                }
            }
        }
    )* };
}

lanes!(u16 u32 u64);

/// A 32-bit scalar word whose constants are hidden from the compiler.
///
/// The compiler adds the constants of a sum last, after the term that is computed last, and delays
/// the rotation of the sum by an addition: one cycle in each step of MD5, RIPEMD and SHA-1, a tenth
/// to a fifth of their time.
#[derive(Clone, Copy)]
pub struct Opaque(Wrapping<u32>);

impl Opaque {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    #[inline(always)]
    fn complement(self) -> Self {
        Self(!self.0)
    }
    #[inline(always)]
    fn shift_left(self, n: usize) -> Self {
        Self(self.0 << n)
    }
    #[inline(always)]
    fn shift_right(self, n: usize) -> Self {
        Self(self.0 >> n)
    }
}

operators!(Opaque);

impl Word for Opaque {
    type Native = u32;
    #[inline(always)]
    fn constant(value: u32) -> Self {
        // Miri interprets no assembly, and has no optimiser to hide a constant from.
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        let value = {
            let mut value = value;
            // SAFETY: no instruction at all; the register keeps its value.
            unsafe {
                core::arch::asm!(
                    "/* {0:e} */",
                    inout(reg) value,
                    options(pure, nomem, nostack, preserves_flags)
                );
            }
            value
        };
        Self(Wrapping(value))
    }
    #[inline(always)]
    fn rotl(self, n: usize) -> Self {
        Self(self.0.rotl(n))
    }
    #[inline(always)]
    fn rotr(self, n: usize) -> Self {
        Self(self.0.rotr(n))
    }
}

impl RotateVar for Opaque {
    #[inline(always)]
    fn rotl_var(self, by: Self) -> Self {
        Self(self.0.rotl_var(by.0))
    }
    #[inline(always)]
    fn rotr_var(self, by: Self) -> Self {
        Self(self.0.rotr_var(by.0))
    }
}

impl Lanes for Opaque {
    const LANES: usize = 1;
    #[inline(always)]
    fn load(words: &[u32]) -> Self {
        Self(Wrapping(words[0]))
    }
    #[inline(always)]
    fn store(self, words: &mut [u32]) {
        words[0] = self.0.0;
    }
    #[inline(always)]
    unsafe fn load_block(block: &mut [Self], inputs: &[&[u8]], at: usize, order: ByteOrder) {
        let bytes = &inputs[0][at..at + 4 * block.len()];
        for (word, bytes) in block.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = Self(Wrapping(u32::read(bytes, order)));
        }
    }
}
