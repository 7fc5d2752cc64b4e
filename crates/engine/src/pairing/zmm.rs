//! Four elements per register, one in each 128-bit lane: VPCLMULQDQ and GFNI on zmm.
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).

use super::limb::{Limb, Limbs};
use super::polynomial;
use core::arch::x86_64::*;

/// The squares of the low and of the high four bits of a byte, and the same ≪ 1, as matrices. Row
/// i, byte 7 − i, has a one at the bit that goes to bit i.
pub(super) const SPREAD: [u64; 4] =
    [0x0100_0200_0400_0800, 0x1000_2000_4000_8000, 0x0001_0002_0004_0008, 0x0010_0020_0040_0080];

/// One limb of each of four elements.
#[derive(Clone, Copy)]
pub(super) struct Zmm(pub __m512i);

// SAFETY (every `unsafe` below up to the next such comment): a value of this type exists only where
// the engine `vpclmul` was found on this CPU, which has AVX-512 F, BW, DQ, VL, VBMI, VBMI2,
// VPCLMULQDQ and GFNI then; the intrinsics have no other precondition.
impl Limb for Zmm {
    const LANES: usize = 4;
    const ADDS_THREE: bool = true;

    #[inline(always)]
    fn splat([low, high]: [u64; 2]) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_broadcast_i32x4(_mm_set_epi64x(high as i64, low as i64)) })
    }
    #[inline(always)]
    fn load(lanes: &[[u64; 2]]) -> Self {
        assert!(lanes.len() >= 4);
        // SAFETY: as above; 64 bytes are there.
        Self(unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) })
    }
    #[inline(always)]
    fn gather(lanes: [&[u64; 2]; 4]) -> Self {
        // SAFETY: as above; 16 bytes are there at each.
        Self(unsafe {
            let v = _mm512_broadcast_i64x2(_mm_loadu_si128(lanes[0].as_ptr().cast()));
            let lane = _mm_loadu_si128(lanes[1].as_ptr().cast());
            let v = _mm512_mask_broadcast_i64x2(v, 0b0000_1100, lane);
            let lane = _mm_loadu_si128(lanes[2].as_ptr().cast());
            let v = _mm512_mask_broadcast_i64x2(v, 0b0011_0000, lane);
            let lane = _mm_loadu_si128(lanes[3].as_ptr().cast());
            _mm512_mask_broadcast_i64x2(v, 0b1100_0000, lane)
        })
    }
    #[inline(always)]
    fn store(self, lanes: &mut [[u64; 2]]) {
        assert!(lanes.len() >= 4);
        // SAFETY: as above; 64 bytes are there.
        unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), self.0) }
    }
    #[inline(always)]
    fn xor(a: Self, b: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_xor_si512(a.0, b.0) })
    }
    #[inline(always)]
    fn xor3(a: Self, b: Self, c: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_ternarylogic_epi64::<0b1001_0110>(a.0, b.0, c.0) })
    }
    #[inline(always)]
    fn and(a: Self, mask: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_and_si512(a.0, mask.0) })
    }
    #[inline(always)]
    fn or(a: Self, b: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_or_si512(a.0, b.0) })
    }
    #[inline(always)]
    fn interleave(even: Self, odd: Self) -> [Self; 2] {
        let [a, b] = [Self::splat([SPREAD[0]; 2]), Self::splat([SPREAD[1]; 2])];
        let [c, d] = [Self::splat([SPREAD[2]; 2]), Self::splat([SPREAD[3]; 2])];
        // SAFETY: as above.
        unsafe {
            let low = _mm512_xor_si512(
                _mm512_gf2p8affine_epi64_epi8::<0>(even.0, a.0),
                _mm512_gf2p8affine_epi64_epi8::<0>(odd.0, c.0),
            );
            let high = _mm512_xor_si512(
                _mm512_gf2p8affine_epi64_epi8::<0>(even.0, b.0),
                _mm512_gf2p8affine_epi64_epi8::<0>(odd.0, d.0),
            );
            [Self(_mm512_unpacklo_epi8(low, high)), Self(_mm512_unpackhi_epi8(low, high))]
        }
    }
    #[inline(always)]
    fn cross_product(a: Self, b: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_clmulepi64_epi128::<0x10>(a.0, b.0) })
    }
    #[inline(always)]
    fn low_words(a: Self, b: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_unpacklo_epi64(a.0, b.0) })
    }
    #[inline(always)]
    fn high_words(a: Self, b: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_unpackhi_epi64(a.0, b.0) })
    }
    #[inline(always)]
    fn bytes_from<const N: i32>(high: Self, low: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_alignr_epi8::<N>(high.0, low.0) })
    }
    #[inline(always)]
    fn shift_right<const N: i32, const REST: i32>(above: Self, a: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_shrdi_epi64::<N>(a.0, above.0) })
    }
    #[inline(always)]
    fn even_bits_first(self) -> Self {
        // Row i of the matrix, its byte 7 − i, has a one at the bit that goes to bit i.
        let order = Self::splat([0x0104_1040_0208_2080; 2]);
        // SAFETY: as above.
        Self(unsafe { _mm512_gf2p8affine_epi64_epi8::<0>(self.0, order.0) })
    }
    #[inline(always)]
    fn even_bytes_first(self) -> Self {
        let order = Self::splat([0x0e0c_0a08_0604_0200, 0x0f0d_0b09_0705_0301]);
        // SAFETY: as above.
        Self(unsafe { _mm512_shuffle_epi8(self.0, order.0) })
    }
    #[inline(always)]
    fn right_4(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_srli_epi64::<4>(self.0) })
    }
    #[inline(always)]
    fn left_4(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_slli_epi64::<4>(self.0) })
    }
    #[inline(always)]
    fn mask_of_bit_0(self) -> Self {
        // SAFETY: as above.
        Self(unsafe {
            let low = _mm512_shuffle_epi32::<0>(self.0);
            _mm512_srai_epi32::<31>(_mm512_slli_epi32::<31>(low))
        })
    }
    #[inline(always)]
    fn is_zero(self) -> Self {
        // SAFETY: as above.
        Self(unsafe {
            let any = _mm512_or_si512(self.0, _mm512_shuffle_epi32::<0b01_00_11_10>(self.0));
            // Only words 0, 2, 4, 6 are kept: the lanes' low ones.
            _mm512_maskz_set1_epi64(_mm512_testn_epi64_mask(any, any) & 0b0101_0101, 1)
        })
    }
    #[inline(always)]
    fn multiply(a: &Limbs<Self>, b: &Limbs<Self>) -> Limbs<Self> {
        // SAFETY: as above.
        unsafe { multiply(a, b) }
    }
}

/// # Safety
/// The CPU must have the features.
#[target_feature(
    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,vpclmulqdq,gfni"
)]
#[inline(never)]
unsafe fn multiply(a: &Limbs<Zmm>, b: &Limbs<Zmm>) -> Limbs<Zmm> {
    polynomial::multiply(a, b)
}
