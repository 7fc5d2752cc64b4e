//! Words of one message side by side, for hashes that apply the same operations to two or four of
//! their words: two words in an xmm register, four in a ymm register.

use super::avx512::{Aes, Gfni};
use super::{ByteSub, Word, operators};
use core::arch::x86_64::*;
use core::marker::PhantomData;
use manylane_primitives::word::Word64;

/// A register of words of one message. "Each half" is each 128 bits.
pub trait Row: Word64 {
    /// Takes the first words.
    fn load(words: &[u64]) -> Self;
    /// Gives the words.
    fn store(self, words: &mut [u64]);
    /// Loads sixteen bytes into each half: those from byte `at` on, and those from byte `64 + at`
    /// on.
    fn load_bytes(bytes: &[u8], at: usize) -> Self;
    /// In each half, byte i becomes byte `indices[half][i]` of it.
    fn shuffle(self, indices: [[u8; 16]; 2]) -> Self;
    /// In each half, 16 bits of `self` and 16 of `other` in turn: of their lower words, of their
    /// upper ones.
    fn interleave_16(self, other: Self) -> [Self; 2];
    /// In each half, 32 bits of `self` and 32 of `other` in turn: of their lower words, of their
    /// upper ones.
    fn interleave_32(self, other: Self) -> [Self; 2];
    /// The words of even index, twice; those of odd index, twice.
    fn twice(self) -> [Self; 2];
    /// The upper half of the words, then the lower.
    fn turn(self) -> Self;
}

/// Sums of products of bytes over the field of [`ByteSub`].
pub trait Products: ByteSub {
    /// 4·x ⊕ 2·y.
    #[inline(always)]
    fn four_and_two(x: Self, y: Self) -> Self {
        (x.xtime() ^ y).xtime()
    }
}

/// A register; `B` says which instructions substitute and multiply bytes.
#[derive(Clone, Copy)]
pub struct Register<V, B = Aes>(V, PhantomData<B>);

/// Two words.
pub type Two<B = Aes> = Register<__m128i, B>;
/// Four words.
pub type Four<B = Aes> = Register<__m256i, B>;

// SAFETY (every `unsafe` below): a value of this type exists only below a shell that enables AVX2
// and AES-NI and that runs only on a CPU that has them; the intrinsics have no other precondition.
// The pointers of loads and stores come from slices whose length is checked beside them.
macro_rules! register {
    (
        $vector:ty, $words:literal, splat $splat:ident, add $add:ident, sub $sub:ident,
        xor $xor:ident, and $and:ident, or $or:ident, shl $shl:ident,
        shr $shr:ident, load $load:ident, store $store:ident,
        greater $greater:ident, add_bytes $add_bytes:ident, splat_byte $splat_byte:ident,
        multiply $multiply:ident, invert $invert:ident
    ) => {
        impl<B: Copy> Register<$vector, B> {
            #[inline(always)]
            fn of(vector: $vector) -> Self {
                Self(vector, PhantomData)
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { $add(self.0, other.0) })
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { $sub(self.0, other.0) })
            }
            #[inline(always)]
            fn bitxor(self, other: Self) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { $xor(self.0, other.0) })
            }
            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { $and(self.0, other.0) })
            }
            #[inline(always)]
            fn bitor(self, other: Self) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { $or(self.0, other.0) })
            }
            #[inline(always)]
            fn complement(self) -> Self {
                self ^ Self::constant(!0)
            }
            #[inline(always)]
            fn shift_left(self, n: usize) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { $shl(self.0, _mm_cvtsi64_si128(n as i64)) })
            }
            #[inline(always)]
            fn shift_right(self, n: usize) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { $shr(self.0, _mm_cvtsi64_si128(n as i64)) })
            }
            #[inline(always)]
            fn load_words(words: &[u64]) -> Self {
                assert!(words.len() >= $words);
                // SAFETY: as above; the words are there.
                Self::of(unsafe { $load(words.as_ptr().cast()) })
            }
            #[inline(always)]
            fn store_words(self, words: &mut [u64]) {
                assert!(words.len() >= $words);
                // SAFETY: as above; the words are there.
                unsafe { $store(words.as_mut_ptr().cast(), self.0) }
            }
        }

        operators!(Register<$vector, B>, [B: Copy]);

        impl<B: Copy> Word for Register<$vector, B> {
            type Native = u64;
            #[inline(always)]
            fn constant(value: u64) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { $splat(value as i64) })
            }
            #[inline(always)]
            fn rotl(self, n: usize) -> Self {
                (self << n) | (self >> (64 - n))
            }
            #[inline(always)]
            fn rotr(self, n: usize) -> Self {
                (self >> n) | (self << (64 - n))
            }
        }

        impl ByteSub for Register<$vector, Aes> {
            #[inline(always)]
            fn sub_bytes(self) -> Self {
                // AESENCLAST is ShiftRows, SubBytes and a key addition: shuffle by InvShiftRows
                // before, add nothing.
                const ORDER: [u8; 16] = [0, 13, 10, 7, 4, 1, 14, 11, 8, 5, 2, 15, 12, 9, 6, 3];
                self.shuffle([ORDER; 2]).last_aes_round()
            }
            #[inline(always)]
            fn xtime(self) -> Self {
                // SAFETY: as above.
                Self::of(unsafe {
                    let overflow = $greater($splat(0), self.0);
                    let reduction = $and(overflow, $splat_byte(0x1b));
                    $xor($add_bytes(self.0, self.0), reduction)
                })
            }
        }

        impl ByteSub for Register<$vector, Gfni> {
            #[inline(always)]
            fn sub_bytes(self) -> Self {
                // The affine map of FIPS 197 (5.1): a row of the matrix per byte, that of bit 7
                // lowest.
                let matrix = Self::constant(0xf1e3_c78f_1f3e_7cf8);
                // SAFETY: as above; the shell enables GFNI too.
                Self::of(unsafe { $invert::<0x63>(self.0, matrix.0) })
            }
            #[inline(always)]
            fn xtime(self) -> Self {
                // SAFETY: as above; the shell enables GFNI too.
                Self::of(unsafe { $multiply(self.0, $splat_byte(2)) })
            }
        }

        impl Products for Register<$vector, Aes> {}

        impl Products for Register<$vector, Gfni> {
            #[inline(always)]
            fn four_and_two(x: Self, y: Self) -> Self {
                // SAFETY: as above; the shell enables GFNI too.
                Self::of(unsafe { $multiply(x.0, $splat_byte(4)) }) ^ y.xtime()
            }
        }
    };
}

register!(
    __m128i, 2, splat _mm_set1_epi64x, add _mm_add_epi64, sub _mm_sub_epi64,
    xor _mm_xor_si128, and _mm_and_si128, or _mm_or_si128,
    shl _mm_sll_epi64, shr _mm_srl_epi64,
    load _mm_loadu_si128, store _mm_storeu_si128,
    greater _mm_cmpgt_epi8, add_bytes _mm_add_epi8, splat_byte _mm_set1_epi8,
    multiply _mm_gf2p8mul_epi8, invert _mm_gf2p8affineinv_epi64_epi8
);
register!(
    __m256i, 4, splat _mm256_set1_epi64x, add _mm256_add_epi64, sub _mm256_sub_epi64,
    xor _mm256_xor_si256, and _mm256_and_si256, or _mm256_or_si256,
    shl _mm256_sll_epi64, shr _mm256_srl_epi64,
    load _mm256_loadu_si256, store _mm256_storeu_si256,
    greater _mm256_cmpgt_epi8, add_bytes _mm256_add_epi8, splat_byte _mm256_set1_epi8,
    multiply _mm256_gf2p8mul_epi8, invert _mm256_gf2p8affineinv_epi64_epi8
);

impl<B: Copy> Two<B> {
    #[inline(always)]
    fn last_aes_round(self) -> Self {
        // SAFETY: as above.
        Self::of(unsafe { _mm_aesenclast_si128(self.0, _mm_setzero_si128()) })
    }
}

impl<B: Copy> Four<B> {
    #[inline(always)]
    fn last_aes_round(self) -> Self {
        // SAFETY: as above.
        unsafe {
            let zero = _mm_setzero_si128();
            let low = _mm_aesenclast_si128(_mm256_castsi256_si128(self.0), zero);
            let high = _mm_aesenclast_si128(_mm256_extracti128_si256::<1>(self.0), zero);
            Self::of(_mm256_set_m128i(high, low))
        }
    }
}

impl<B: Copy> Row for Two<B> {
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        Self::load_words(words)
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        self.store_words(words);
    }
    #[inline(always)]
    fn load_bytes(bytes: &[u8], at: usize) -> Self {
        let bytes = &bytes[at..at + 16];
        // SAFETY: as above; the slice has 16 bytes.
        Self::of(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
    }
    #[inline(always)]
    fn shuffle(self, indices: [[u8; 16]; 2]) -> Self {
        // SAFETY: as above; there are 32 bytes.
        Self::of(unsafe { _mm_shuffle_epi8(self.0, _mm_loadu_si128(indices.as_ptr().cast())) })
    }
    #[inline(always)]
    fn interleave_16(self, other: Self) -> [Self; 2] {
        // SAFETY: as above.
        let [low, high] =
            unsafe { [_mm_unpacklo_epi16(self.0, other.0), _mm_unpackhi_epi16(self.0, other.0)] };
        [Self::of(low), Self::of(high)]
    }
    #[inline(always)]
    fn interleave_32(self, other: Self) -> [Self; 2] {
        // SAFETY: as above.
        let [low, high] =
            unsafe { [_mm_unpacklo_epi32(self.0, other.0), _mm_unpackhi_epi32(self.0, other.0)] };
        [Self::of(low), Self::of(high)]
    }
    #[inline(always)]
    fn twice(self) -> [Self; 2] {
        // SAFETY: as above.
        let [low, high] =
            unsafe { [_mm_unpacklo_epi64(self.0, self.0), _mm_unpackhi_epi64(self.0, self.0)] };
        [Self::of(low), Self::of(high)]
    }
    #[inline(always)]
    fn turn(self) -> Self {
        // SAFETY: as above.
        Self::of(unsafe { _mm_shuffle_epi32::<0x4e>(self.0) })
    }
}

impl<B: Copy> Row for Four<B> {
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        Self::load_words(words)
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        self.store_words(words);
    }
    #[inline(always)]
    fn load_bytes(bytes: &[u8], at: usize) -> Self {
        let (low, high) = (Two::<B>::load_bytes(bytes, at), Two::<B>::load_bytes(bytes, 64 + at));
        // SAFETY: as above.
        Self::of(unsafe { _mm256_set_m128i(high.0, low.0) })
    }
    #[inline(always)]
    fn shuffle(self, indices: [[u8; 16]; 2]) -> Self {
        // SAFETY: as above; there are 32 bytes.
        Self::of(unsafe {
            _mm256_shuffle_epi8(self.0, _mm256_loadu_si256(indices.as_ptr().cast()))
        })
    }
    #[inline(always)]
    fn interleave_16(self, other: Self) -> [Self; 2] {
        // SAFETY: as above.
        let [low, high] = unsafe {
            [_mm256_unpacklo_epi16(self.0, other.0), _mm256_unpackhi_epi16(self.0, other.0)]
        };
        [Self::of(low), Self::of(high)]
    }
    #[inline(always)]
    fn interleave_32(self, other: Self) -> [Self; 2] {
        // SAFETY: as above.
        let [low, high] = unsafe {
            [_mm256_unpacklo_epi32(self.0, other.0), _mm256_unpackhi_epi32(self.0, other.0)]
        };
        [Self::of(low), Self::of(high)]
    }
    #[inline(always)]
    fn twice(self) -> [Self; 2] {
        // SAFETY: as above.
        let [low, high] = unsafe {
            [_mm256_permute4x64_epi64::<0x88>(self.0), _mm256_permute4x64_epi64::<0xdd>(self.0)]
        };
        [Self::of(low), Self::of(high)]
    }
    #[inline(always)]
    fn turn(self) -> Self {
        // SAFETY: as above.
        Self::of(unsafe { _mm256_permute4x64_epi64::<0x4e>(self.0) })
    }
}
