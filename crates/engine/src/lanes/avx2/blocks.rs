//! Consecutive blocks in ymm registers.

use super::{Avx2, both};
use crate::lanes::blocks::{Blocks, shuffled_position};
use core::arch::x86_64::*;
use core::marker::PhantomData;

// SAFETY (every `unsafe` below): as in the module above.
impl<N> Avx2<N> {
    #[inline(always)]
    fn load_bytes(bytes: &[u8; 32]) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }, PhantomData)
    }
    #[inline(always)]
    fn store_bytes(self, bytes: &mut [u8; 32]) {
        // SAFETY: as above.
        unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), self.0) }
    }
}

/// Two rows of 32 bytes, blocks shuffled within halves.
macro_rules! blocks {
    (
        $native:ty, $lanes:literal, first $first:expr, second $second:expr,
        low $low:ident, high $high:ident
    ) => {
        impl Blocks for Avx2<$native> {
            const BLOCKS: usize = $lanes;
            type Loaded = [Self; 2];
            #[inline(always)]
            fn load_blocks(bytes: &[u8]) -> [Self; 2] {
                let rows = bytes.as_chunks().0;
                [Self::load_bytes(&rows[0]), Self::load_bytes(&rows[1])]
            }
            #[inline(always)]
            fn store_blocks([x, y]: [Self; 2], bytes: &mut [u8]) {
                let rows = bytes.as_chunks_mut().0;
                x.store_bytes(&mut rows[0]);
                y.store_bytes(&mut rows[1]);
            }
            #[inline(always)]
            fn xor_blocks([a, b]: [Self; 2], [c, d]: [Self; 2]) -> [Self; 2] {
                [a ^ c, b ^ d]
            }
            #[inline(always)]
            fn split([x, y]: [Self; 2]) -> [Self; 2] {
                // SAFETY: as above.
                unsafe { [Self::of($first(x.0, y.0)), Self::of($second(x.0, y.0))] }
            }
            #[inline(always)]
            fn join([a, b]: [Self; 2]) -> [Self; 2] {
                // SAFETY: as above.
                unsafe { [Self::of($low(a.0, b.0)), Self::of($high(a.0, b.0))] }
            }
            #[inline(always)]
            fn positions() -> Self {
                let mut numbers = [0; $lanes];
                for lane in 0..$lanes {
                    let word_bytes = size_of::<$native>();
                    numbers[lane] = shuffled_position(lane, $lanes, word_bytes) as $native;
                }
                Self::load_lanes(&numbers)
            }
        }
    };
}

/// Words that MASK chooses within halves.
#[inline(always)]
unsafe fn choose<const MASK: i32>(x: __m256i, y: __m256i) -> __m256i {
    // SAFETY: as above.
    unsafe {
        let (x, y) = (_mm256_castsi256_ps(x), _mm256_castsi256_ps(y));
        _mm256_castps_si256(_mm256_shuffle_ps::<MASK>(x, y))
    }
}

blocks!(
    u32, 8, first choose::<0x88>, second choose::<0xdd>,
    low _mm256_unpacklo_epi32, high _mm256_unpackhi_epi32
);
blocks!(
    u64, 4, first _mm256_unpacklo_epi64, second _mm256_unpackhi_epi64,
    low _mm256_unpacklo_epi64, high _mm256_unpackhi_epi64
);

/// One row: each word is there twice.
impl Blocks for Avx2<u16> {
    const BLOCKS: usize = 8;
    type Loaded = Self;
    #[inline(always)]
    fn load_blocks(bytes: &[u8]) -> Self {
        Self::load_bytes(bytes.first_chunk().unwrap())
    }
    #[inline(always)]
    fn store_blocks(row: Self, bytes: &mut [u8]) {
        row.store_bytes(bytes.first_chunk_mut().unwrap());
    }
    #[inline(always)]
    fn xor_blocks(x: Self, y: Self) -> Self {
        x ^ y
    }
    #[inline(always)]
    fn split(row: Self) -> [Self; 2] {
        // SAFETY: as above.
        unsafe { [Self::of(both::<0>(row.0)), Self::of(both::<2>(row.0))] }
    }
    #[inline(always)]
    fn join([a, b]: [Self; 2]) -> Self {
        // SAFETY: as above.
        Self::of(unsafe { _mm256_blend_epi16::<0xaa>(a.0, b.0) })
    }
    #[inline(always)]
    fn positions() -> Self {
        let mut numbers = [0; 16];
        for i in 0..16 {
            numbers[i] = i as u16 / 2;
        }
        Self::load_lanes(&numbers)
    }
}
