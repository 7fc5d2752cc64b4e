//! A plane of Keccak, which is five words of one message, in a zmm register; its other three words
//! have any value.

use super::Avx512;
use core::arch::x86_64::*;

// SAFETY (every `unsafe` below): as in the module above. Words under a mask of zeros are not read
// or written.
impl Avx512<u64> {
    /// Takes as many of five words as there are, least significant byte first; the others are zero.
    #[inline(always)]
    pub fn load_words(bytes: &[u8]) -> Self {
        let mask = (1u32 << (bytes.len() / 8).min(5)) - 1;
        // SAFETY: as above; the slice has the words under the mask.
        Self::of(unsafe { _mm512_maskz_loadu_epi64(mask as u8, bytes.as_ptr().cast()) })
    }
    /// Takes five words.
    #[inline(always)]
    pub fn load_five(words: &[u64]) -> Self {
        assert!(words.len() >= 5);
        // SAFETY: as above; five words are there.
        Self::of(unsafe { _mm512_maskz_loadu_epi64(0b11111, words.as_ptr().cast()) })
    }
    /// Gives five words.
    #[inline(always)]
    pub fn store_five(self, words: &mut [u64]) {
        assert!(words.len() >= 5);
        // SAFETY: as above; five words are there.
        unsafe { _mm512_mask_storeu_epi64(words.as_mut_ptr().cast(), 0b11111, self.0) }
    }
    /// `word`, then zeros.
    #[inline(always)]
    pub fn first(word: u64) -> Self {
        // SAFETY: as above.
        Self::of(unsafe { _mm512_zextsi128_si512(_mm_cvtsi64_si128(word as i64)) })
    }
    /// Word i is word `places[i]`.
    #[inline(always)]
    pub fn shuffle(self, places: &[u64; 8]) -> Self {
        // SAFETY: as above.
        Self::of(unsafe {
            _mm512_permutexvar_epi64(_mm512_loadu_si512(places.as_ptr().cast()), self.0)
        })
    }
    /// Rotates each word to the left by its own public amount.
    #[inline(always)]
    pub fn rotl_each(self, amounts: &[u64; 8]) -> Self {
        // SAFETY: as above.
        Self::of(unsafe { _mm512_rolv_epi64(self.0, _mm512_loadu_si512(amounts.as_ptr().cast())) })
    }
    /// The words of `other` where the mask has a 1.
    #[inline(always)]
    pub fn blend<const MASK: u8>(self, other: Self) -> Self {
        // SAFETY: as above.
        Self::of(unsafe { _mm512_mask_blend_epi64(MASK, self.0, other.0) })
    }
}
