//! AVX-512: sixteen 32-bit or eight 64-bit lanes in one zmm register.

mod blocks;
mod planes;
mod rows;
mod step;

use super::{ByteOrder, ByteSub, Lanes, Native, RotateVar, Unit, Word, operators};
use core::arch::x86_64::*;
use core::marker::PhantomData;
use manylane_primitives::unroll;
use rows::{store_halves, store_quarters, store_rows};

/// A zmm register of lanes of type `N`; `B` says which instructions substitute bytes.
#[derive(Clone, Copy)]
pub struct Avx512<N, B = Aes>(__m512i, PhantomData<(N, B)>);

/// [`ByteSub`] by AES rounds of 128 bits (AES-NI).
#[derive(Clone, Copy)]
pub struct Aes;

/// [`ByteSub`] by affine maps over GF(2^8) (GFNI).
#[derive(Clone, Copy)]
pub struct Gfni;

// SAFETY (every `unsafe` below up to the next such comment): a value of this type exists only below
// a shell of `crate::kernels` that enables AVX-512 F, BW, DQ and VL and BMI2 and that runs only on
// a CPU that has them; the intrinsics have no other precondition. The pointers of loads and stores
// come from slices whose length is checked beside them.
impl<N, B> Avx512<N, B> {
    /// [`Lanes::write_end`] by masked loads: no branch depends on the row's length, which differs
    /// from row to row and cannot be predicted.
    #[inline(always)]
    fn write_masked(row: &[u8], padding: &[Unit], end: &mut [Unit]) {
        assert!(row.len() <= size_of_val(end) && padding.len() == end.len());
        // SAFETY: as above; a prefetch reads nothing, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(row.as_ptr().wrapping_add(AHEAD).cast()) };
        for (i, (end, padding)) in end.iter_mut().zip(padding).enumerate() {
            let Some(row) = row.get(i * size_of::<Unit>()..).filter(|row| !row.is_empty()) else {
                // A load with an empty mask takes a hundred nanoseconds where no memory is at the
                // address, as at that of an empty slice.
                *end = *padding;
                continue;
            };
            // SAFETY: as above; the mask admits the slice's bytes only.
            unsafe {
                let mask = _bzhi_u64(u64::MAX, row.len().min(size_of::<Unit>()) as u32);
                let row = _mm512_maskz_loadu_epi8(mask, row.as_ptr().cast());
                let padding = _mm512_loadu_si512(padding.as_ptr().cast());
                let joined = _mm512_or_si512(row, padding);
                _mm512_storeu_si512(end.as_mut_ptr().cast(), joined);
            }
        }
    }
    #[inline(always)]
    fn store_lanes(self, words: &mut [N]) {
        assert!(size_of_val(words) >= 64);
        // SAFETY: as above; 64 bytes are there.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) }
    }
}

/// Bytes from a row's address to the address that is prefetched with it: that of a later row where
/// rows lie one after the other in memory, as those of a column do.
const AHEAD: usize = 1024;

macro_rules! lanes {
    (
        $native:ty, $lanes:literal, splat $splat:ident as $as:ty, add $add:ident, sub $sub:ident,
        shl $shl:ident, shr $shr:ident, rol $rol:ident, ror $ror:ident
    ) => {
        impl<B: Copy> Avx512<$native, B> {
            #[inline(always)]
            fn of(vector: __m512i) -> Self {
                Self(vector, PhantomData)
            }
            #[inline(always)]
            fn amount(n: usize) -> __m512i {
                // SAFETY: as above.
                unsafe { $splat(n as $as) }
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
                Self::of(unsafe { _mm512_xor_si512(self.0, other.0) })
            }
            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { _mm512_and_si512(self.0, other.0) })
            }
            #[inline(always)]
            fn bitor(self, other: Self) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { _mm512_or_si512(self.0, other.0) })
            }
            #[inline(always)]
            fn complement(self) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { _mm512_xor_si512(self.0, _mm512_set1_epi64(-1)) })
            }
            #[inline(always)]
            fn shift_left(self, n: usize) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { $shl(self.0, Self::amount(n)) })
            }
            #[inline(always)]
            fn shift_right(self, n: usize) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { $shr(self.0, Self::amount(n)) })
            }
            /// The function of three bits whose truth table is `TABLE`, index xyz.
            #[inline(always)]
            fn ternary<const TABLE: i32>(x: Self, y: Self, z: Self) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { _mm512_ternarylogic_epi64::<TABLE>(x.0, y.0, z.0) })
            }
        }

        operators!(Avx512<$native, B>, [B: Copy]);

        impl<B: Copy> Word for Avx512<$native, B> {
            type Native = $native;
            #[inline(always)]
            fn constant(value: $native) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { $splat(value as $as) })
            }
            #[inline(always)]
            fn rotl(self, n: usize) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { $rol(self.0, Self::amount(n)) })
            }
            #[inline(always)]
            fn rotr(self, n: usize) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { $ror(self.0, Self::amount(n)) })
            }
            #[inline(always)]
            fn xor3(x: Self, y: Self, z: Self) -> Self {
                Self::ternary::<0b1001_0110>(x, y, z)
            }
            #[inline(always)]
            fn ch(x: Self, y: Self, z: Self) -> Self {
                Self::ternary::<0b1100_1010>(x, y, z)
            }
            #[inline(always)]
            fn maj(x: Self, y: Self, z: Self) -> Self {
                Self::ternary::<0b1110_1000>(x, y, z)
            }
            #[inline(always)]
            fn chi(x: Self, y: Self, z: Self) -> Self {
                Self::ternary::<0b1101_0010>(x, y, z)
            }
        }

        impl<B: Copy> RotateVar for Avx512<$native, B> {
            #[inline(always)]
            fn rotl_var(self, by: Self) -> Self {
                // SAFETY: as above. The instruction takes the amount mod w.
                Self::of(unsafe { $rol(self.0, by.0) })
            }
            #[inline(always)]
            fn rotr_var(self, by: Self) -> Self {
                // SAFETY: as above. The instruction takes the amount mod w.
                Self::of(unsafe { $ror(self.0, by.0) })
            }
        }

        impl<B: Copy> Avx512<$native, B> {
            #[inline(always)]
            fn load_lanes(words: &[$native]) -> Self {
                assert!(words.len() >= $lanes);
                // SAFETY: as above; 64 bytes are there.
                Self::of(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
            }
        }
    };
}

// A lane of 32 bits holds a word of 16 bits twice, so that to rotate the lane is to rotate the
// word.
lanes!(
    u16, 32, splat _mm512_set1_epi16 as i16, add _mm512_add_epi16, sub _mm512_sub_epi16,
    shl _mm512_sllv_epi16, shr _mm512_srlv_epi16, rol _mm512_rolv_epi32, ror _mm512_rorv_epi32
);
lanes!(
    u32, 16, splat _mm512_set1_epi32 as i32, add _mm512_add_epi32, sub _mm512_sub_epi32,
    shl _mm512_sllv_epi32, shr _mm512_srlv_epi32, rol _mm512_rolv_epi32, ror _mm512_rorv_epi32
);
lanes!(
    u64, 8, splat _mm512_set1_epi64 as i64, add _mm512_add_epi64, sub _mm512_sub_epi64,
    shl _mm512_sllv_epi64, shr _mm512_srlv_epi64, rol _mm512_rolv_epi64, ror _mm512_rorv_epi64
);

/// Byte indices that reverse the bytes of each `width`-byte word of a 128-bit quarter.
#[inline(always)]
fn reversal(width: usize) -> __m512i {
    let mut indices = [0u8; 64];
    let mut i = 0;
    while i < 64 {
        indices[i] = ((i % 16) ^ (width - 1)) as u8;
        i += 1;
    }
    // SAFETY: as above.
    unsafe { _mm512_loadu_si512(indices.as_ptr().cast()) }
}

/// Reverses the bytes of each word of `width` bytes if `order` is big-endian.
///
/// In a block this is done after the transposition: the first rounds then wait for fewer shuffles
/// than if the rows were reversed before it.
#[inline(always)]
fn in_order(words: __m512i, order: ByteOrder, width: usize) -> __m512i {
    match order {
        ByteOrder::Little => words,
        // SAFETY: as above.
        ByteOrder::Big => unsafe { _mm512_shuffle_epi8(words, reversal(width)) },
    }
}

/// Loads 32 bytes from each of two addresses, one beside the other. An insertion from memory runs
/// on either of the two ports that compute on zmm registers, a shuffle of registers on one of them
/// only: to load whole rows and shuffle them would delay the first rounds.
///
/// # Safety
/// The addresses must be those of 32 bytes each.
#[inline(always)]
unsafe fn halves(a: *const u8, b: *const u8) -> __m512i {
    // SAFETY: as above, and by the caller.
    unsafe {
        let a = _mm512_castsi256_si512(_mm256_loadu_si256(a.cast()));
        _mm512_inserti64x4::<1>(a, _mm256_loadu_si256(b.cast()))
    }
}

/// Transposes the words of 32 bits within quarters: word c of a, b, c and d is in vector c.
#[inline(always)]
fn transpose_quarters([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    // SAFETY: as above.
    unsafe {
        let (low_ab, high_ab) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        let (low_cd, high_cd) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
        [
            _mm512_unpacklo_epi64(low_ab, low_cd),
            _mm512_unpackhi_epi64(low_ab, low_cd),
            _mm512_unpacklo_epi64(high_ab, high_cd),
            _mm512_unpackhi_epi64(high_ab, high_cd),
        ]
    }
}

impl<B: Copy> Lanes for Avx512<u32, B> {
    const LANES: usize = 16;
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
        assert!(inputs.len() >= 16 && block.len() == 16);
        unroll!(half in [0 1] {
            // Each row has one half of the block of inputs i and 4 + i, or of 8 + i and 12 + i.
            let mut rows = [Self::constant(0).0; 8];
            unroll!(i in 0..8 {
                const FIRST: usize = i + i / 4 * 4;
                // SAFETY: as above; by the caller, 64 bytes are there from `at`.
                unsafe {
                    let (a, b) = (inputs[FIRST].as_ptr(), inputs[FIRST + 4].as_ptr());
                    rows[i] = halves(a.add(at + 32 * half), b.add(at + 32 * half));
                }
            });
            let [a, b, c, d, e, f, g, h] = rows;
            let first = transpose_quarters([a, b, c, d]);
            let second = transpose_quarters([e, f, g, h]);
            unroll!(c in 0..4 {
                // SAFETY: as above.
                let (even, odd) = unsafe {
                    (
                        _mm512_shuffle_i32x4::<0x88>(first[c], second[c]),
                        _mm512_shuffle_i32x4::<0xdd>(first[c], second[c]),
                    )
                };
                block[8 * half + c] = Self::of(in_order(even, order, 4));
                block[8 * half + 4 + c] = Self::of(in_order(odd, order, 4));
            });
        });
    }
    #[inline(always)]
    fn write_end(row: &[u8], padding: &[Unit], end: &mut [Unit]) {
        Self::write_masked(row, padding, end);
    }
    #[inline(always)]
    fn write_rows(
        words: &[u32],
        stride: usize,
        places: &[usize],
        bytes: usize,
        out: &mut [u8],
        order: ByteOrder,
    ) {
        assert!(bytes <= 64);
        if bytes > 32 {
            let mut columns = [Self::constant(0); 16];
            for (i, column) in columns.iter_mut().enumerate() {
                if 4 * i < bytes {
                    *column = Self::load(&words[i * stride..]);
                }
            }
            let mut rows = columns;
            transpose_16x16(&mut columns, &mut rows);
            let mut stored = [Self::constant(0).0; 16];
            unroll!(i in 0..16 { stored[i] = in_order(rows[i].0, order, 4); });
            return store_rows(&stored, places, 0, bytes, out);
        }
        // The first four words, and the others.
        let mut parts = [[Self::constant(0).0; 4]; 2];
        for (i, column) in parts.as_flattened_mut().iter_mut().enumerate() {
            if 4 * i < bytes {
                *column = Self::load(&words[i * stride..]).0;
            }
        }
        let [mut low, mut high] = parts;
        low = transpose_quarters(low);
        unroll!(i in 0..4 { low[i] = in_order(low[i], order, 4); });
        if bytes <= 16 {
            return store_quarters(&low, places, bytes, out);
        }
        high = transpose_quarters(high);
        unroll!(i in 0..4 { high[i] = in_order(high[i], order, 4); });
        store_halves(&low, &high, places, bytes, out);
    }
}

/// Row i, column j becomes row j, column i.
#[inline(always)]
fn transpose_16x16<B: Copy>(rows: &mut [Avx512<u32, B>; 16], out: &mut [Avx512<u32, B>]) {
    let of = Avx512::<u32, B>::of;
    // SAFETY: as above.
    unsafe {
        for i in 0..8 {
            let (a, b) = (rows[2 * i].0, rows[2 * i + 1].0);
            rows[2 * i] = of(_mm512_unpacklo_epi32(a, b));
            rows[2 * i + 1] = of(_mm512_unpackhi_epi32(a, b));
        }
        // Within each group of four rows: columns 4k + c of quarter k.
        for i in 0..4 {
            let [a, b, c, d] =
                [rows[4 * i].0, rows[4 * i + 1].0, rows[4 * i + 2].0, rows[4 * i + 3].0];
            rows[4 * i] = of(_mm512_unpacklo_epi64(a, c));
            rows[4 * i + 1] = of(_mm512_unpackhi_epi64(a, c));
            rows[4 * i + 2] = of(_mm512_unpacklo_epi64(b, d));
            rows[4 * i + 3] = of(_mm512_unpackhi_epi64(b, d));
        }
        // Gather the quarters.
        for c in 0..4 {
            let [a, b, d, e] = [rows[c].0, rows[4 + c].0, rows[8 + c].0, rows[12 + c].0];
            let even_ab = _mm512_shuffle_i32x4::<0x88>(a, b);
            let odd_ab = _mm512_shuffle_i32x4::<0xdd>(a, b);
            let even_de = _mm512_shuffle_i32x4::<0x88>(d, e);
            let odd_de = _mm512_shuffle_i32x4::<0xdd>(d, e);
            out[c] = of(_mm512_shuffle_i32x4::<0x88>(even_ab, even_de));
            out[4 + c] = of(_mm512_shuffle_i32x4::<0x88>(odd_ab, odd_de));
            out[8 + c] = of(_mm512_shuffle_i32x4::<0xdd>(even_ab, even_de));
            out[12 + c] = of(_mm512_shuffle_i32x4::<0xdd>(odd_ab, odd_de));
        }
    }
}

impl<B: Copy> Lanes for Avx512<u64, B> {
    const LANES: usize = 8;
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
        assert!(inputs.len() >= 8);
        let mut input = [std::ptr::null(); 8];
        // SAFETY: by the caller, the block's bytes are there from `at`.
        unroll!(lane in 0..8 { input[lane] = unsafe { inputs[lane].as_ptr().add(at) }; });
        let (fours, others) = block.as_chunks_mut::<4>();
        let others_at = at + 32 * fours.len();
        for (q, four) in fours.iter_mut().enumerate() {
            let [a, b, c, d, e, f, g, h] = input;
            // SAFETY: as above; the four words lie within the block.
            let [ac, bd, eg, fh] = unsafe {
                let at = 32 * q;
                [
                    halves(a.add(at), c.add(at)),
                    halves(b.add(at), d.add(at)),
                    halves(e.add(at), g.add(at)),
                    halves(f.add(at), h.add(at)),
                ]
            };
            // SAFETY: as above.
            *four = unsafe {
                let even = (_mm512_unpacklo_epi64(ac, bd), _mm512_unpacklo_epi64(eg, fh));
                let odd = (_mm512_unpackhi_epi64(ac, bd), _mm512_unpackhi_epi64(eg, fh));
                [
                    Self::of(in_order(_mm512_shuffle_i64x2::<0x88>(even.0, even.1), order, 8)),
                    Self::of(in_order(_mm512_shuffle_i64x2::<0x88>(odd.0, odd.1), order, 8)),
                    Self::of(in_order(_mm512_shuffle_i64x2::<0xdd>(even.0, even.1), order, 8)),
                    Self::of(in_order(_mm512_shuffle_i64x2::<0xdd>(odd.0, odd.1), order, 8)),
                ]
            };
        }
        for (i, word) in others.iter_mut().enumerate() {
            let mut words = [0; 8];
            unroll!(lane in 0..8 {
                words[lane] = u64::read(&inputs[lane][others_at + 8 * i..], order);
            });
            *word = Self::load_lanes(&words);
        }
    }
    #[inline(always)]
    fn write_end(row: &[u8], padding: &[Unit], end: &mut [Unit]) {
        Self::write_masked(row, padding, end);
    }
    #[inline(always)]
    fn write_rows(
        words: &[u64],
        stride: usize,
        places: &[usize],
        bytes: usize,
        out: &mut [u8],
        order: ByteOrder,
    ) {
        if bytes <= 32 {
            let mut columns = [Self::constant(0).0; 4];
            for (i, column) in columns.iter_mut().enumerate() {
                if 8 * i < bytes {
                    *column = in_order(Self::load(&words[i * stride..]).0, order, 8);
                }
            }
            let [a, b, c, d] = columns;
            // SAFETY: as above.
            let (low, high) = unsafe {
                (
                    [_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b)],
                    [_mm512_unpacklo_epi64(c, d), _mm512_unpackhi_epi64(c, d)],
                )
            };
            return store_halves(&low, &high, places, bytes, out);
        }
        for at in (0..bytes).step_by(64) {
            let mut rows = [Self::constant(0); 8];
            for (i, row) in rows.iter_mut().enumerate() {
                if at + 8 * i < bytes {
                    *row = Self::load(&words[(at / 8 + i) * stride..]);
                }
            }
            transpose_8x8(&mut rows);
            let mut stored = [Self::constant(0).0; 8];
            unroll!(i in 0..8 { stored[i] = in_order(rows[i].0, order, 8); });
            store_rows(&stored, places, at, 64.min(bytes - at), out);
        }
    }
}

/// Row i, column j becomes row j, column i.
#[inline(always)]
fn transpose_8x8<B: Copy>(rows: &mut [Avx512<u64, B>; 8]) {
    let of = Avx512::<u64, B>::of;
    // SAFETY: as above.
    unsafe {
        for i in 0..4 {
            let (a, b) = (rows[2 * i].0, rows[2 * i + 1].0);
            rows[2 * i] = of(_mm512_unpacklo_epi64(a, b));
            rows[2 * i + 1] = of(_mm512_unpackhi_epi64(a, b));
        }
        let mut out = *rows;
        for c in 0..2 {
            let [a, b, d, e] = [rows[c].0, rows[2 + c].0, rows[4 + c].0, rows[6 + c].0];
            let even_ab = _mm512_shuffle_i64x2::<0x88>(a, b);
            let odd_ab = _mm512_shuffle_i64x2::<0xdd>(a, b);
            let even_de = _mm512_shuffle_i64x2::<0x88>(d, e);
            let odd_de = _mm512_shuffle_i64x2::<0xdd>(d, e);
            out[c] = of(_mm512_shuffle_i64x2::<0x88>(even_ab, even_de));
            out[2 + c] = of(_mm512_shuffle_i64x2::<0x88>(odd_ab, odd_de));
            out[4 + c] = of(_mm512_shuffle_i64x2::<0xdd>(even_ab, even_de));
            out[6 + c] = of(_mm512_shuffle_i64x2::<0xdd>(odd_ab, odd_de));
        }
        *rows = out;
    }
}

/// Without GFNI: the S-box by AES rounds, and each byte times x by a shift, after which the bytes
/// that overflowed are reduced.
impl ByteSub for Avx512<u64, Aes> {
    #[inline(always)]
    fn sub_bytes(self) -> Self {
        // SAFETY: as above; the shell enables AES-NI too. AESENCLAST is ShiftRows, SubBytes and a
        // key addition: shuffle by InvShiftRows before, add nothing.
        unsafe {
            let order = _mm_setr_epi8(0, 13, 10, 7, 4, 1, 14, 11, 8, 5, 2, 15, 12, 9, 6, 3);
            let x = _mm512_shuffle_epi8(self.0, _mm512_broadcast_i32x4(order));
            let zero = _mm_setzero_si128();
            let low = _mm512_castsi512_si256(x);
            let high = _mm512_extracti64x4_epi64::<1>(x);
            let q0 = _mm_aesenclast_si128(_mm256_castsi256_si128(low), zero);
            let q1 = _mm_aesenclast_si128(_mm256_extracti128_si256::<1>(low), zero);
            let q2 = _mm_aesenclast_si128(_mm256_castsi256_si128(high), zero);
            let q3 = _mm_aesenclast_si128(_mm256_extracti128_si256::<1>(high), zero);
            let low = _mm256_set_m128i(q1, q0);
            let high = _mm256_set_m128i(q3, q2);
            Self::of(_mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high))
        }
    }
    #[inline(always)]
    fn xtime(self) -> Self {
        // SAFETY: as above.
        unsafe {
            let overflow = _mm512_movepi8_mask(self.0);
            let reduction = _mm512_maskz_set1_epi8(overflow, 0x1b);
            Self::of(_mm512_xor_si512(_mm512_add_epi8(self.0, self.0), reduction))
        }
    }
}

impl ByteSub for Avx512<u64, Gfni> {
    #[inline(always)]
    fn sub_bytes(self) -> Self {
        // The affine map of FIPS 197 (5.1): a row of the matrix per byte, that of bit 7 lowest.
        let matrix = Self::constant(0xf1e3_c78f_1f3e_7cf8);
        // SAFETY: as above; the shell enables GFNI too.
        Self::of(unsafe { _mm512_gf2p8affineinv_epi64_epi8::<0x63>(self.0, matrix.0) })
    }
    #[inline(always)]
    fn xtime(self) -> Self {
        // SAFETY: as above; the shell enables GFNI too.
        Self::of(unsafe { _mm512_gf2p8mul_epi8(self.0, _mm512_set1_epi8(2)) })
    }
}
