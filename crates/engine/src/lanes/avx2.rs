//! AVX2: eight 32-bit or four 64-bit lanes in one ymm register.

mod blocks;
pub mod rows;

use super::{ByteOrder, ByteSub, Lanes, Native, RotateVar, Word, operators};
use core::arch::x86_64::*;
use core::marker::PhantomData;

/// A ymm register of lanes of type `N`.
#[derive(Clone, Copy)]
pub struct Avx2<N>(__m256i, PhantomData<N>);

// SAFETY (every `unsafe` below): a value of this type exists only below a shell of `crate::kernels`
// that enables AVX2 and AES-NI and that runs only on a CPU that has them; the intrinsics have no
// other precondition. The pointers of loads and stores come from slices whose length is checked
// beside them.
impl<N> Avx2<N> {
    #[inline(always)]
    fn store_lanes(self, words: &mut [N]) {
        assert!(size_of_val(words) >= 32);
        // SAFETY: as above; 32 bytes are there.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) }
    }
}

macro_rules! lanes {
    (
        $native:ty, $lanes:literal, splat $splat:ident as $as:ty, add $add:ident, sub $sub:ident,
        shl $shl:ident, shr $shr:ident
    ) => {
        impl Avx2<$native> {
            /// Words from a register, lane 0 in its lowest bits.
            #[inline(always)]
            pub fn of(vector: __m256i) -> Self {
                Self(vector, PhantomData)
            }
            #[inline(always)]
            fn amount(n: usize) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { $splat(n as $as) })
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
                Self::of(unsafe { _mm256_xor_si256(self.0, other.0) })
            }
            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { _mm256_and_si256(self.0, other.0) })
            }
            #[inline(always)]
            fn bitor(self, other: Self) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { _mm256_or_si256(self.0, other.0) })
            }
            #[inline(always)]
            fn complement(self) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { _mm256_xor_si256(self.0, _mm256_set1_epi64x(-1)) })
            }
            /// Shift by a vector of amounts; an amount of w gives 0.
            #[inline(always)]
            fn shl_var(self, by: Self) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { $shl(self.0, by.0) })
            }
            #[inline(always)]
            fn shr_var(self, by: Self) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { $shr(self.0, by.0) })
            }
            #[inline(always)]
            fn shift_left(self, n: usize) -> Self {
                self.shl_var(Self::amount(n))
            }
            #[inline(always)]
            fn shift_right(self, n: usize) -> Self {
                self.shr_var(Self::amount(n))
            }
            #[inline(always)]
            fn load_lanes(words: &[$native]) -> Self {
                assert!(words.len() >= $lanes);
                // SAFETY: as above; 32 bytes are there.
                Self::of(unsafe { _mm256_loadu_si256(words.as_ptr().cast()) })
            }
        }

        operators!(Avx2<$native>);

        impl Word for Avx2<$native> {
            type Native = $native;
            #[inline(always)]
            fn constant(value: $native) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { $splat(value as $as) })
            }
            #[inline(always)]
            fn rotl(self, n: usize) -> Self {
                (self << n) | (self >> (<$native>::BITS as usize - n))
            }
            #[inline(always)]
            fn rotr(self, n: usize) -> Self {
                (self >> n) | (self << (<$native>::BITS as usize - n))
            }
            #[inline(always)]
            fn chi(x: Self, y: Self, z: Self) -> Self {
                // SAFETY: as above.
                x ^ Self::of(unsafe { _mm256_andnot_si256(y.0, z.0) })
            }
        }
    };
}

// A lane of 32 bits holds a word of 16 bits twice.
lanes!(
    u16, 16, splat _mm256_set1_epi16 as i16, add _mm256_add_epi16, sub _mm256_sub_epi16,
    shl shl_16, shr shr_16
);
lanes!(
    u32, 8, splat _mm256_set1_epi32 as i32, add _mm256_add_epi32, sub _mm256_sub_epi32,
    shl _mm256_sllv_epi32, shr _mm256_srlv_epi32
);
lanes!(
    u64, 4, splat _mm256_set1_epi64x as i64, add _mm256_add_epi64, sub _mm256_sub_epi64,
    shl _mm256_sllv_epi64, shr _mm256_srlv_epi64
);

/// Shifts all words by the first amount: public amounts are the same in every lane.
#[inline(always)]
unsafe fn shl_16(x: __m256i, by: __m256i) -> __m256i {
    // SAFETY: as above.
    unsafe { _mm256_sll_epi16(x, first_amount(by)) }
}

#[inline(always)]
unsafe fn shr_16(x: __m256i, by: __m256i) -> __m256i {
    // SAFETY: as above.
    unsafe { _mm256_srl_epi16(x, first_amount(by)) }
}

#[inline(always)]
unsafe fn first_amount(by: __m256i) -> __m128i {
    // SAFETY: as above.
    unsafe { _mm_and_si128(_mm256_castsi256_si128(by), _mm_set_epi64x(0, 0xffff)) }
}

macro_rules! rotate_var {
    ($($native:ty)*) => { $(
        impl RotateVar for Avx2<$native> {
            // The amounts of both shifts are below w, so that the compiler need not provide for
            // larger ones.
            #[inline(always)]
            fn rotl_var(self, by: Self) -> Self {
                let mask = Self::amount(<$native>::BITS as usize - 1);
                self.shl_var(by & mask) | self.shr_var((Self::amount(0) - by) & mask)
            }
            #[inline(always)]
            fn rotr_var(self, by: Self) -> Self {
                let mask = Self::amount(<$native>::BITS as usize - 1);
                self.shr_var(by & mask) | self.shl_var((Self::amount(0) - by) & mask)
            }
        }
    )* };
}

rotate_var!(u32 u64);

impl RotateVar for Avx2<u16> {
    /// A lane has the word twice, so a shift to the left leaves the rotated word in its upper half,
    /// which is copied to both.
    #[inline(always)]
    fn rotl_var(self, by: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            let lane = _mm256_sllv_epi32(self.0, _mm256_and_si256(by.0, _mm256_set1_epi32(15)));
            Self::of(both::<2>(lane))
        }
    }
    /// A shift to the right leaves the rotated word in the lower half.
    #[inline(always)]
    fn rotr_var(self, by: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            let lane = _mm256_srlv_epi32(self.0, _mm256_and_si256(by.0, _mm256_set1_epi32(15)));
            Self::of(both::<0>(lane))
        }
    }
}

/// Copies the two bytes from byte `FROM` of each lane of 32 bits to both halves of the lane.
#[inline(always)]
unsafe fn both<const FROM: i32>(x: __m256i) -> __m256i {
    // SAFETY: as above.
    unsafe {
        let first = _mm_set_epi32(0x0d0c_0d0c, 0x0908_0908, 0x0504_0504, 0x0100_0100);
        let bytes = _mm_add_epi8(first, _mm_set1_epi8(FROM as i8));
        _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(bytes))
    }
}

/// Byte indices that reverse the bytes of each `width`-byte word of a 128-bit half.
#[inline(always)]
fn reversal(width: usize) -> __m256i {
    let mut indices = [0u8; 32];
    let mut i = 0;
    while i < 32 {
        indices[i] = ((i % 16) ^ (width - 1)) as u8;
        i += 1;
    }
    // SAFETY: as above.
    unsafe { _mm256_loadu_si256(indices.as_ptr().cast()) }
}

impl Lanes for Avx2<u32> {
    const LANES: usize = 8;
    #[inline(always)]
    fn load(words: &[u32]) -> Self {
        Self::load_lanes(words)
    }
    #[inline(always)]
    fn store(self, words: &mut [u32]) {
        self.store_lanes(words);
    }
    #[inline(always)]
    unsafe fn load_block(block: &mut [Self], inputs: &[&[u8]], at: usize, order: ByteOrder) {
        assert!(inputs.len() >= 8 && block.len().is_multiple_of(8));
        for word in (0..block.len()).step_by(8) {
            let mut rows = [Self::constant(0); 8];
            for lane in 0..8 {
                let bytes = &inputs[lane][at + 4 * word..][..32];
                // SAFETY: as above; the slice has 32 bytes.
                rows[lane] = Self::of(unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) });
                if order == ByteOrder::Big {
                    // SAFETY: as above.
                    rows[lane] =
                        Self::of(unsafe { _mm256_shuffle_epi8(rows[lane].0, reversal(4)) });
                }
            }
            transpose_8x8(&rows, &mut block[word..word + 8]);
        }
    }
}

/// Row i, column j becomes row j, column i.
#[inline(always)]
fn transpose_8x8(rows: &[Avx2<u32>; 8], out: &mut [Avx2<u32>]) {
    let of = Avx2::<u32>::of;
    // SAFETY: as above.
    unsafe {
        let mut quads = [_mm256_setzero_si256(); 8];
        for i in 0..2 {
            let [a, b, c, d] =
                [rows[4 * i].0, rows[4 * i + 1].0, rows[4 * i + 2].0, rows[4 * i + 3].0];
            let low_ab = _mm256_unpacklo_epi32(a, b);
            let high_ab = _mm256_unpackhi_epi32(a, b);
            let low_cd = _mm256_unpacklo_epi32(c, d);
            let high_cd = _mm256_unpackhi_epi32(c, d);
            quads[4 * i] = _mm256_unpacklo_epi64(low_ab, low_cd);
            quads[4 * i + 1] = _mm256_unpackhi_epi64(low_ab, low_cd);
            quads[4 * i + 2] = _mm256_unpacklo_epi64(high_ab, high_cd);
            quads[4 * i + 3] = _mm256_unpackhi_epi64(high_ab, high_cd);
        }
        for c in 0..4 {
            out[c] = of(_mm256_permute2x128_si256::<0x20>(quads[c], quads[4 + c]));
            out[4 + c] = of(_mm256_permute2x128_si256::<0x31>(quads[c], quads[4 + c]));
        }
    }
}

impl Lanes for Avx2<u64> {
    const LANES: usize = 4;
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        Self::load_lanes(words)
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        self.store_lanes(words);
    }
    #[inline(always)]
    unsafe fn load_block(block: &mut [Self], inputs: &[&[u8]], at: usize, order: ByteOrder) {
        assert!(inputs.len() >= 4);
        let (fours, rest) = block.as_chunks_mut::<4>();
        let after = at + 32 * fours.len();
        for (i, words) in fours.iter_mut().enumerate() {
            let mut rows = [Self::constant(0); 4];
            for lane in 0..4 {
                let bytes = &inputs[lane][at + 32 * i..][..32];
                // SAFETY: as above; the slice has 32 bytes.
                let row = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
                rows[lane] = Self::of(match order {
                    ByteOrder::Little => row,
                    // SAFETY: as above.
                    ByteOrder::Big => unsafe { _mm256_shuffle_epi8(row, reversal(8)) },
                });
            }
            transpose_4x4(&mut rows);
            *words = rows;
        }
        // Row by row these would go through memory, and the load of a row that was just written in
        // parts waits until all of it is in the cache.
        for (i, word) in rest.iter_mut().enumerate() {
            let mut words = [0; 4];
            for lane in 0..4 {
                words[lane] = u64::read(&inputs[lane][after + 8 * i..][..8], order);
            }
            // SAFETY: as above.
            *word = Self::of(unsafe {
                let [a, b, c, d] = words.map(|word| word as i64);
                _mm256_set_epi64x(d, c, b, a)
            });
        }
    }
}

/// Row i, column j becomes row j, column i.
#[inline(always)]
fn transpose_4x4(rows: &mut [Avx2<u64>; 4]) {
    let of = Avx2::<u64>::of;
    // SAFETY: as above.
    unsafe {
        let low_ab = _mm256_unpacklo_epi64(rows[0].0, rows[1].0);
        let high_ab = _mm256_unpackhi_epi64(rows[0].0, rows[1].0);
        let low_cd = _mm256_unpacklo_epi64(rows[2].0, rows[3].0);
        let high_cd = _mm256_unpackhi_epi64(rows[2].0, rows[3].0);
        rows[0] = of(_mm256_permute2x128_si256::<0x20>(low_ab, low_cd));
        rows[1] = of(_mm256_permute2x128_si256::<0x20>(high_ab, high_cd));
        rows[2] = of(_mm256_permute2x128_si256::<0x31>(low_ab, low_cd));
        rows[3] = of(_mm256_permute2x128_si256::<0x31>(high_ab, high_cd));
    }
}

/// Two words of one message in each half, for a schedule inside a message.
impl Avx2<u64> {
    /// Loads two words from byte `at` of each half's bytes.
    ///
    /// # Panics
    /// If there are fewer than 16 bytes.
    #[inline(always)]
    pub fn load_halves(halves: [&[u8]; 2], at: usize, order: ByteOrder) -> Self {
        let [low, high] = halves.map(|bytes| {
            let bytes = &bytes[at..at + 16];
            // SAFETY: as above; the slice has 16 bytes.
            unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
        });
        // SAFETY: as above.
        let row = unsafe { _mm256_set_m128i(high, low) };
        Self::of(match order {
            ByteOrder::Little => row,
            // SAFETY: as above.
            ByteOrder::Big => unsafe { _mm256_shuffle_epi8(row, reversal(8)) },
        })
    }
    /// A vector with these two words in both halves.
    #[inline(always)]
    pub fn twice([low, high]: [u64; 2]) -> Self {
        Self::load_lanes(&[low, high, low, high])
    }
    /// Gives the words of the low half, then those of the high half.
    #[inline(always)]
    pub fn store_row(self, words: &mut [u64; 4]) {
        self.store_lanes(words);
    }
    /// The register, for assembly.
    #[inline(always)]
    pub fn register(self) -> __m256i {
        self.0
    }
    /// The order of bytes by which a shuffle rotates each word by eight bits to the right.
    #[inline(always)]
    pub fn one_byte_right() -> Self {
        let mut order = [0; 32];
        for i in 0..32 {
            order[i] = (i / 8 * 8 + (i + 1) % 8) as u8 % 16;
        }
        // SAFETY: as above; 32 bytes.
        Self::of(unsafe { _mm256_loadu_si256(order.as_ptr().cast()) })
    }
    /// Puts into each half the second word of `self`, then the first of `other`.
    #[inline(always)]
    pub fn across(self, other: Self) -> Self {
        // SAFETY: as above.
        Self::of(unsafe { _mm256_alignr_epi8::<8>(other.0, self.0) })
    }
}

impl ByteSub for Avx2<u64> {
    #[inline(always)]
    fn sub_bytes(self) -> Self {
        // SAFETY: as above. AESENCLAST is ShiftRows, SubBytes and a key addition: shuffle by
        // InvShiftRows before, add nothing.
        unsafe {
            let order = _mm_setr_epi8(0, 13, 10, 7, 4, 1, 14, 11, 8, 5, 2, 15, 12, 9, 6, 3);
            let x = _mm256_shuffle_epi8(self.0, _mm256_broadcastsi128_si256(order));
            let zero = _mm_setzero_si128();
            let low = _mm_aesenclast_si128(_mm256_castsi256_si128(x), zero);
            let high = _mm_aesenclast_si128(_mm256_extracti128_si256::<1>(x), zero);
            Self::of(_mm256_set_m128i(high, low))
        }
    }
    #[inline(always)]
    fn xtime(self) -> Self {
        // SAFETY: as above.
        unsafe {
            let overflow = _mm256_cmpgt_epi8(_mm256_setzero_si256(), self.0);
            let reduction = _mm256_and_si256(overflow, _mm256_set1_epi8(0x1b));
            Self::of(_mm256_xor_si256(_mm256_add_epi8(self.0, self.0), reduction))
        }
    }
}
