//! One element where there is room for four: the three half products of Karatsuba's formula in
//! three lanes.
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).

use super::lanes::LIMBS;
use super::limb::{Limb, Limbs};
use super::polynomial::{self, HALF};
use super::xmm::{Multiplier, Xmm};
use super::zmm::{SPREAD, Zmm};
use core::arch::x86_64::*;
use core::hint::black_box;

/// Products in zmm registers, for one element in xmm registers.
#[derive(Clone, Copy)]
pub(super) struct Vpclmul;

impl Multiplier for Vpclmul {
    #[inline(always)]
    unsafe fn interleave(even: Xmm<Self>, odd: Xmm<Self>) -> [Xmm<Self>; 2] {
        let [a, b] = [Xmm::<Self>::splat([SPREAD[0]; 2]), Xmm::<Self>::splat([SPREAD[1]; 2])];
        let [c, d] = [Xmm::<Self>::splat([SPREAD[2]; 2]), Xmm::<Self>::splat([SPREAD[3]; 2])];
        // SAFETY: the CPU has GFNI.
        unsafe {
            let low = _mm_xor_si128(
                _mm_gf2p8affine_epi64_epi8::<0>(even.0, a.0),
                _mm_gf2p8affine_epi64_epi8::<0>(odd.0, c.0),
            );
            let high = _mm_xor_si128(
                _mm_gf2p8affine_epi64_epi8::<0>(even.0, b.0),
                _mm_gf2p8affine_epi64_epi8::<0>(odd.0, d.0),
            );
            [Xmm::of(_mm_unpacklo_epi8(low, high)), Xmm::of(_mm_unpackhi_epi8(low, high))]
        }
    }

    #[target_feature(
        enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,vpclmulqdq,pclmulqdq,\
                  gfni"
    )]
    #[inline(never)]
    unsafe fn multiply(a: &Limbs<Xmm<Self>>, b: &Limbs<Xmm<Self>>) -> Limbs<Xmm<Self>> {
        // `black_box` hides the masks. Otherwise the compiler turns them into shuffles, three for
        // each load, and the product takes an eighth longer.
        let masks = black_box([0b0011_0011, 0b0011_1100]);
        let zero = Zmm::splat([0, 0]);
        let (mut low, mut high) = ([zero; HALF], [zero; HALF]);
        for i in 0..HALF {
            let (a, b) = (halves(&a[i], &a[i + HALF], masks), halves(&b[i], &b[i + HALF], masks));
            low[i] = Zmm::low_words(a, b);
            high[i] = Zmm::high_words(a, b);
        }
        let products = polynomial::half(&low, &high);
        let zero = Xmm::splat([0, 0]);
        let (mut p0, mut p1, mut p01) = ([zero; LIMBS], [zero; LIMBS], [zero; LIMBS]);
        for k in 0..LIMBS {
            p0[k] = Xmm::of(_mm512_castsi512_si128(products[k].0));
            p1[k] = Xmm::of(_mm512_extracti64x2_epi64::<1>(products[k].0));
            p01[k] = Xmm::of(_mm512_extracti64x2_epi64::<2>(products[k].0));
        }
        polynomial::reduce(polynomial::merge(p0, p1, p01))
    }
}

/// Lanes (low, high, low + high, 0), from the masks of the lanes that have `low` and `high`.
#[inline(always)]
fn halves(low: &Xmm<Vpclmul>, high: &Xmm<Vpclmul>, [lows, highs]: [u8; 2]) -> Zmm {
    // SAFETY: called above only, where the CPU has AVX-512 DQ.
    unsafe {
        let low = _mm512_maskz_broadcast_i64x2(lows, low.0);
        Zmm(_mm512_mask_xor_epi64(low, highs, low, _mm512_broadcast_i64x2(high.0)))
    }
}
