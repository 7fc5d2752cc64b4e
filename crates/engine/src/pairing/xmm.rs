//! One element per register: PCLMULQDQ on xmm.
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).

use super::limb::{Limb, Limbs};
use super::polynomial;
use core::arch::x86_64::*;
use core::marker::PhantomData;

/// One limb; `U` says how elements are multiplied.
#[derive(Clone, Copy)]
pub(super) struct Xmm<U>(pub __m128i, PhantomData<U>);

/// Products in xmm registers, for the engine `pclmul`.
#[derive(Clone, Copy)]
pub(super) struct Pclmul;

/// Products and squares, compiled for an engine's features.
pub(super) trait Multiplier: Copy {
    /// a · b mod f.
    ///
    /// # Safety
    /// The CPU must have the engine's features.
    unsafe fn multiply(a: &Limbs<Xmm<Self>>, b: &Limbs<Xmm<Self>>) -> Limbs<Xmm<Self>>;
    /// [`Limb::interleave`].
    ///
    /// # Safety
    /// The CPU must have the engine's features.
    unsafe fn interleave(even: Xmm<Self>, odd: Xmm<Self>) -> [Xmm<Self>; 2];
}

impl<U> Xmm<U> {
    /// A register as a limb.
    #[inline(always)]
    pub fn of(register: __m128i) -> Self {
        Self(register, PhantomData)
    }
}

// SAFETY (every `unsafe` below up to the next such comment): a value of this type exists only where
// the engine `pclmul` or `vpclmul` was found on this CPU, which has AVX and PCLMULQDQ then; the
// intrinsics have no other precondition.
impl<U: Multiplier> Limb for Xmm<U> {
    const LANES: usize = 1;

    #[inline(always)]
    fn splat([low, high]: [u64; 2]) -> Self {
        // SAFETY: as above.
        Self::of(unsafe { _mm_set_epi64x(high as i64, low as i64) })
    }
    #[inline(always)]
    fn load(lanes: &[[u64; 2]]) -> Self {
        // SAFETY: as above; 16 bytes are there.
        Self::of(unsafe { _mm_loadu_si128(lanes[0].as_ptr().cast()) })
    }
    #[inline(always)]
    fn gather(lanes: [&[u64; 2]; 4]) -> Self {
        // SAFETY: as above; 16 bytes are there.
        Self::of(unsafe { _mm_loadu_si128(lanes[0].as_ptr().cast()) })
    }
    #[inline(always)]
    fn store(self, lanes: &mut [[u64; 2]]) {
        // SAFETY: as above; `lanes[0]` has 16 bytes.
        unsafe { _mm_storeu_si128(lanes[0].as_mut_ptr().cast(), self.0) }
    }
    #[inline(always)]
    fn xor(a: Self, b: Self) -> Self {
        // SAFETY: as above.
        Self::of(unsafe { _mm_xor_si128(a.0, b.0) })
    }
    #[inline(always)]
    fn and(a: Self, mask: Self) -> Self {
        // SAFETY: as above.
        Self::of(unsafe { _mm_and_si128(a.0, mask.0) })
    }
    #[inline(always)]
    fn or(a: Self, b: Self) -> Self {
        // SAFETY: as above.
        Self::of(unsafe { _mm_or_si128(a.0, b.0) })
    }
    #[inline(always)]
    fn interleave(even: Self, odd: Self) -> [Self; 2] {
        // SAFETY: as above.
        unsafe { U::interleave(even, odd) }
    }
    #[inline(always)]
    fn cross_product(a: Self, b: Self) -> Self {
        // SAFETY: as above.
        Self::of(unsafe { _mm_clmulepi64_si128::<0x10>(a.0, b.0) })
    }
    #[inline(always)]
    fn low_words(a: Self, b: Self) -> Self {
        // SAFETY: as above.
        Self::of(unsafe { _mm_unpacklo_epi64(a.0, b.0) })
    }
    #[inline(always)]
    fn high_words(a: Self, b: Self) -> Self {
        // SAFETY: as above.
        Self::of(unsafe { _mm_unpackhi_epi64(a.0, b.0) })
    }
    #[inline(always)]
    fn bytes_from<const N: i32>(high: Self, low: Self) -> Self {
        // SAFETY: as above.
        Self::of(unsafe { _mm_alignr_epi8::<N>(high.0, low.0) })
    }
    #[inline(always)]
    fn shift_right<const N: i32, const REST: i32>(above: Self, a: Self) -> Self {
        // SAFETY: as above.
        Self::of(unsafe { _mm_or_si128(_mm_srli_epi64::<N>(a.0), _mm_slli_epi64::<REST>(above.0)) })
    }
    #[inline(always)]
    fn even_bits_first(self) -> Self {
        let nibbles = Self::splat([0x0f0f_0f0f_0f0f_0f0f; 2]);
        // u_3 u_2 u_1 u_0 to 00 u_3 u_1 00 u_2 u_0.
        const TABLE: [u64; 2] = {
            let mut table = [0u64; 2];
            let mut u = 0;
            while u < 16 {
                let parts = u & 1 | u >> 1 & 2 | (u >> 1 & 1 | u >> 2 & 2) << 4;
                table[u as usize / 8] |= parts << (8 * (u % 8));
                u += 1;
            }
            table
        };
        let table = Self::splat(TABLE);
        let low = Self::and(self, nibbles);
        let high = Self::and(self.right_4(), nibbles);
        // SAFETY: as above.
        unsafe {
            let low = _mm_shuffle_epi8(table.0, low.0);
            let high = _mm_shuffle_epi8(table.0, high.0);
            Self::of(_mm_or_si128(low, _mm_slli_epi64::<2>(high)))
        }
    }
    #[inline(always)]
    fn even_bytes_first(self) -> Self {
        let order = Self::splat([0x0e0c_0a08_0604_0200, 0x0f0d_0b09_0705_0301]);
        // SAFETY: as above.
        Self::of(unsafe { _mm_shuffle_epi8(self.0, order.0) })
    }
    #[inline(always)]
    fn right_4(self) -> Self {
        // SAFETY: as above.
        Self::of(unsafe { _mm_srli_epi64::<4>(self.0) })
    }
    #[inline(always)]
    fn left_4(self) -> Self {
        // SAFETY: as above.
        Self::of(unsafe { _mm_slli_epi64::<4>(self.0) })
    }
    #[inline(always)]
    fn mask_of_bit_0(self) -> Self {
        // SAFETY: as above.
        Self::of(unsafe {
            let low = _mm_shuffle_epi32::<0>(self.0);
            _mm_srai_epi32::<31>(_mm_slli_epi32::<31>(low))
        })
    }
    #[inline(always)]
    fn is_zero(self) -> Self {
        // SAFETY: as above.
        Self::of(unsafe {
            let any = _mm_or_si128(self.0, _mm_shuffle_epi32::<0b01_00_11_10>(self.0));
            let any = _mm_or_si128(any, _mm_shuffle_epi32::<0b10_11_00_01>(any));
            let zero = _mm_cmpeq_epi32(any, _mm_setzero_si128());
            _mm_and_si128(zero, _mm_set_epi64x(0, 1))
        })
    }
    #[inline(always)]
    fn multiply(a: &Limbs<Self>, b: &Limbs<Self>) -> Limbs<Self> {
        // SAFETY: as above.
        unsafe { U::multiply(a, b) }
    }
}

impl Multiplier for Pclmul {
    /// Squares by carry-less products: on Intel tables of nibbles take longer.
    #[inline(always)]
    unsafe fn interleave(even: Xmm<Self>, odd: Xmm<Self>) -> [Xmm<Self>; 2] {
        // SAFETY: the CPU has PCLMULQDQ. Odd bits of a square are 0, so that none crosses words.
        unsafe {
            let low = _mm_clmulepi64_si128::<0x00>(odd.0, odd.0);
            let high = _mm_clmulepi64_si128::<0x11>(odd.0, odd.0);
            let (low, high) = (_mm_add_epi64(low, low), _mm_add_epi64(high, high));
            [
                Xmm::of(_mm_xor_si128(low, _mm_clmulepi64_si128::<0x00>(even.0, even.0))),
                Xmm::of(_mm_xor_si128(high, _mm_clmulepi64_si128::<0x11>(even.0, even.0))),
            ]
        }
    }

    #[target_feature(enable = "pclmulqdq,avx")]
    #[inline(never)]
    unsafe fn multiply(a: &Limbs<Xmm<Self>>, b: &Limbs<Xmm<Self>>) -> Limbs<Xmm<Self>> {
        polynomial::multiply(a, b)
    }
}
