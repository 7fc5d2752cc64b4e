//! Consecutive blocks in zmm registers.

use super::Avx512;
use crate::lanes::Word;
use crate::lanes::blocks::{Blocks, shuffled_position};
use core::arch::x86_64::*;
use core::marker::PhantomData;

// SAFETY (every `unsafe` below): as in the module above.
impl<N, B> Avx512<N, B> {
    #[inline(always)]
    fn load_bytes(bytes: &[u8; 64]) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }, PhantomData)
    }
    #[inline(always)]
    fn store_bytes(self, bytes: &mut [u8; 64]) {
        // SAFETY: as above.
        unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), self.0) }
    }
    /// Reads fewer than 64 bytes; the rest is zero.
    #[inline(always)]
    fn load_some(bytes: &[u8]) -> Self {
        let mask = (1 << bytes.len()) - 1;
        // SAFETY: as above; the mask admits the slice's bytes only.
        let row = unsafe { _mm512_maskz_loadu_epi8(mask, bytes.as_ptr().cast()) };
        Self(row, PhantomData)
    }
    /// Writes the first bytes, fewer than 64.
    #[inline(always)]
    fn store_some(self, bytes: &mut [u8]) {
        let mask = (1 << bytes.len()) - 1;
        // SAFETY: as above; the mask admits the slice's bytes only.
        unsafe { _mm512_mask_storeu_epi8(bytes.as_mut_ptr().cast(), mask, self.0) }
    }
}

/// Two rows of 64 bytes, blocks shuffled within quarters.
macro_rules! blocks {
    (
        $native:ty, $lanes:literal, first $first:expr, second $second:expr,
        low $low:ident, high $high:ident
    ) => {
        impl<B: Copy> Blocks for Avx512<$native, B> {
            const BLOCKS: usize = $lanes;
            const FEW_BYTES: usize = 2 * size_of::<$native>();
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
            fn load_part(part: &[u8]) -> [Self; 2] {
                match part.split_first_chunk() {
                    None => [Self::load_some(part), Self::constant(0)],
                    Some((first, &[])) => [Self::load_bytes(first), Self::constant(0)],
                    Some((first, rest)) => [Self::load_bytes(first), Self::load_some(rest)],
                }
            }
            #[inline(always)]
            fn store_part([x, y]: [Self; 2], part: &mut [u8]) {
                let (first, rest) = part.split_at_mut(part.len().min(64));
                match first.as_chunks_mut().0 {
                    [] => x.store_some(first),
                    [first, ..] => x.store_bytes(first),
                }
                if !rest.is_empty() {
                    y.store_some(rest);
                }
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

/// Words that MASK chooses within quarters.
#[inline(always)]
unsafe fn choose<const MASK: i32>(x: __m512i, y: __m512i) -> __m512i {
    // SAFETY: as above.
    unsafe {
        let (x, y) = (_mm512_castsi512_ps(x), _mm512_castsi512_ps(y));
        _mm512_castps_si512(_mm512_shuffle_ps::<MASK>(x, y))
    }
}

blocks!(
    u32, 16, first choose::<0x88>, second choose::<0xdd>,
    low _mm512_unpacklo_epi32, high _mm512_unpackhi_epi32
);
blocks!(
    u64, 8, first _mm512_unpacklo_epi64, second _mm512_unpackhi_epi64,
    low _mm512_unpacklo_epi64, high _mm512_unpackhi_epi64
);

/// One row: each word is there twice.
impl<B: Copy> Blocks for Avx512<u16, B> {
    const BLOCKS: usize = 16;
    const FEW_BYTES: usize = 4;
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
    fn load_part(part: &[u8]) -> Self {
        Self::load_some(part)
    }
    #[inline(always)]
    fn store_part(row: Self, part: &mut [u8]) {
        row.store_some(part);
    }
    #[inline(always)]
    fn xor_blocks(x: Self, y: Self) -> Self {
        x ^ y
    }
    #[inline(always)]
    fn split(row: Self) -> [Self; 2] {
        // SAFETY: as above. Of each four bytes: 0, 1, 0, 1 and 2, 3, 2, 3.
        unsafe {
            let first = _mm512_set4_epi32(0x0d0c_0d0c, 0x0908_0908, 0x0504_0504, 0x0100_0100);
            let second = _mm512_set4_epi32(0x0f0e_0f0e, 0x0b0a_0b0a, 0x0706_0706, 0x0302_0302);
            let (a, b) = (_mm512_shuffle_epi8(row.0, first), _mm512_shuffle_epi8(row.0, second));
            [Self::of(a), Self::of(b)]
        }
    }
    #[inline(always)]
    fn join([a, b]: [Self; 2]) -> Self {
        // SAFETY: as above.
        Self::of(unsafe { _mm512_mask_blend_epi16(0xaaaa_aaaa, a.0, b.0) })
    }
    #[inline(always)]
    fn positions() -> Self {
        let mut numbers = [0; 32];
        for i in 0..32 {
            numbers[i] = i as u16 / 2;
        }
        Self::load_lanes(&numbers)
    }
}
