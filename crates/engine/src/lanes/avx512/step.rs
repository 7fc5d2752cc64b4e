//! Operations that are tied to an order, operations under a mask, and prefetches.

use super::{Avx512, in_order};
use crate::lanes::ByteOrder;
use crate::lanes::step::{Chosen, SwapBytes, Tied};
use core::arch::asm;
use core::arch::x86_64::*;
use core::marker::PhantomData;

// SAFETY (every `unsafe` below): a value of this type exists only below a shell that enables
// AVX-512; see the parent module.
impl<N, B> Tied for Avx512<N, B> {
    #[inline(always)]
    fn at_once(x: Self, y: Self) -> (Self, Self) {
        // SAFETY: as above.
        let (x, y) = unsafe { at_once(x.0, y.0) };
        (Self(x, PhantomData), Self(y, PhantomData))
    }
    #[inline(always)]
    fn with_prefetch(self, address: *const u8) -> Self {
        // SAFETY: as above.
        Self(unsafe { with_prefetch(self.0, address) }, PhantomData)
    }
    #[inline(always)]
    fn prefetch(address: *const u8) {
        // SAFETY: as above; a prefetch reads nothing, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
    }
    #[inline(always)]
    fn held(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { held(self.0) }, PhantomData)
    }
}

impl<B: Copy> Chosen for Avx512<u32, B> {
    #[inline(always)]
    fn ternary_if<const TABLE: i32>(yes: bool, x: Self, y: Self, z: Self) -> Self {
        let lanes = if yes { u16::MAX } else { 0 };
        // SAFETY: as above.
        Self::of(unsafe { _mm512_mask_ternarylogic_epi32::<TABLE>(x.0, lanes, y.0, z.0) })
    }
}

impl<B: Copy> SwapBytes for Avx512<u32, B> {
    #[inline(always)]
    fn swap_bytes(self) -> Self {
        Self::of(in_order(self.0, ByteOrder::Big, 4))
    }
}

/// Returns both registers unchanged. An empty piece of assembly reads and writes them, so that to
/// the compiler each result depends on both.
#[inline]
#[target_feature(enable = "avx512f")]
fn at_once(mut x: __m512i, mut y: __m512i) -> (__m512i, __m512i) {
    // SAFETY: no instruction at all; the registers keep their values.
    unsafe {
        asm!(
            "/* {0} {1} */",
            inout(zmm_reg) x,
            inout(zmm_reg) y,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    (x, y)
}

/// Returns the register unchanged, after an instruction that prefetches `address`.
#[inline]
#[target_feature(enable = "avx512f")]
fn with_prefetch(mut x: __m512i, address: *const u8) -> __m512i {
    // SAFETY: a prefetch reads nothing, whatever the address; the register keeps its value.
    unsafe {
        asm!(
            "prefetcht0 byte ptr [{1}] /* {0} */",
            inout(zmm_reg) x,
            in(reg) address.addr(),
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    x
}

/// Returns the register unchanged. The compiler keeps the order of such pieces of assembly.
#[inline]
#[target_feature(enable = "avx512f")]
fn held(mut x: __m512i) -> __m512i {
    // SAFETY: no instruction at all; the register keeps its value.
    unsafe { asm!("/* {0} */", inout(zmm_reg) x, options(nomem, nostack, preserves_flags)) };
    x
}
