//! The 128-bit vectors of WebAssembly: four 32-bit or two 64-bit lanes.
//!
//! A module with these instructions does not load on a machine without them, so there is no choice
//! at run time: this file is compiled if the whole build has the feature.

use super::anchor::Anchored;
use super::blocks::Blocks;
use super::{ByteOrder, ByteSub, Lanes, RotateVar, Word, operators};
use core::arch::wasm32::*;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use manylane_primitives::word::AES_SBOX;

/// A 128-bit vector of lanes of type `N`.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Simd128<N>(v128, PhantomData<N>);

/// The first 16 of `bytes` as a vector.
#[inline(always)]
fn load(bytes: &[u8]) -> v128 {
    let bytes = &bytes[..16];
    // SAFETY: the slice has 16 bytes, and the load asks for no alignment.
    unsafe { v128_load(bytes.as_ptr().cast()) }
}

/// Writes a vector to the first 16 of `bytes`.
#[inline(always)]
fn store(vector: v128, bytes: &mut [u8]) {
    let bytes = &mut bytes[..16];
    // SAFETY: the slice has 16 bytes, and the store asks for no alignment.
    unsafe { v128_store(bytes.as_mut_ptr().cast(), vector) }
}

/// The bytes of a vector at these places. V8 makes five instructions of a shuffle that reverses
/// the bytes of words, and two of a swizzle whose places it does not know.
#[inline(always)]
fn swizzle_by(vector: v128, places: &'static v128) -> v128 {
    // SAFETY: the reference is valid for reads.
    u8x16_swizzle(vector, unsafe { (&raw const *places).read_volatile() })
}

impl<N> Simd128<N> {
    #[inline(always)]
    fn of(vector: v128) -> Self {
        Self(vector, PhantomData)
    }
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self::of(v128_xor(self.0, other.0))
    }
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self::of(v128_and(self.0, other.0))
    }
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self::of(v128_or(self.0, other.0))
    }
    #[inline(always)]
    fn complement(self) -> Self {
        Self::of(v128_not(self.0))
    }
}

impl<N: Copy> Anchored for Simd128<N> {
    #[inline(always)]
    fn read_here(&self) -> Self {
        // SAFETY: a reference is valid for reads, and its vector can be copied.
        Self::of(unsafe { (&raw const self.0).read_volatile() })
    }
    #[inline(always)]
    fn write_here(self, place: &mut MaybeUninit<Self>) {
        // SAFETY: the place is borrowed for writing, and a vector is all that it holds.
        unsafe { place.as_mut_ptr().cast::<v128>().write_volatile(self.0) }
    }
}

macro_rules! lanes {
    (
        $native:ty, $lanes:literal: $($lane:literal)*, splat $splat:ident, add $add:ident,
        sub $sub:ident, shl $shl:ident, shr $shr:ident, from $from:ident
    ) => {
        impl Simd128<$native> {
            /// The words of a row of bytes, of which each has this byte order.
            #[inline(always)]
            fn ordered(self, order: ByteOrder) -> Self {
                match order {
                    ByteOrder::Little => self,
                    ByteOrder::Big => Self::of(Self::swap_bytes(self.0)),
                }
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self::of($add(self.0, other.0))
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                Self::of($sub(self.0, other.0))
            }
            #[inline(always)]
            fn shift_left(self, n: usize) -> Self {
                Self::of($shl(self.0, n as u32))
            }
            #[inline(always)]
            fn shift_right(self, n: usize) -> Self {
                Self::of($shr(self.0, n as u32))
            }
        }

        operators!(Simd128<$native>);

        impl Word for Simd128<$native> {
            type Native = $native;
            #[inline(always)]
            fn constant(value: $native) -> Self {
                Self::of($splat(value))
            }
            #[inline(always)]
            fn rotl(self, n: usize) -> Self {
                self.rotr(<$native>::BITS as usize - n)
            }
            #[inline(always)]
            fn rotr(self, n: usize) -> Self {
                match self.rotate_bytes(n) {
                    Some(rotated) => rotated,
                    None => (self >> n) | (self << (<$native>::BITS as usize - n)),
                }
            }
            #[inline(always)]
            fn ch(x: Self, y: Self, z: Self) -> Self {
                Self::of(v128_bitselect(y.0, z.0, x.0))
            }
            #[inline(always)]
            fn maj(x: Self, y: Self, z: Self) -> Self {
                Self::ch(x ^ y, z, y)
            }
            #[inline(always)]
            fn chi(x: Self, y: Self, z: Self) -> Self {
                Self::of(v128_xor(x.0, v128_andnot(z.0, y.0)))
            }
        }

        impl Lanes for Simd128<$native> {
            const LANES: usize = $lanes;
            #[inline(always)]
            fn load(words: &[$native]) -> Self {
                let words = &words[..$lanes];
                // SAFETY: the words have 16 bytes, and the load asks for no alignment.
                Self::of(unsafe { v128_load(words.as_ptr().cast()) })
            }
            #[inline(always)]
            fn store(self, words: &mut [$native]) {
                let words = &mut words[..$lanes];
                // SAFETY: the words have 16 bytes, and the store asks for no alignment.
                unsafe { v128_store(words.as_mut_ptr().cast(), self.0) }
            }
            #[inline(always)]
            unsafe fn load_block(
                block: &mut [Self],
                inputs: &[&[u8]],
                at: usize,
                order: ByteOrder,
            ) {
                const BYTES: usize = size_of::<$native>();
                let end = at + BYTES * block.len();
                let inputs: [&[u8]; $lanes] = core::array::from_fn(|lane| &inputs[lane][at..end]);
                let (parts, rest) = block.as_chunks_mut::<$lanes>();
                let whole = parts.len();
                for (i, part) in parts.iter_mut().enumerate() {
                    *part = inputs.map(|row| Self::of(load(&row[16 * i..])).ordered(order));
                    Self::transpose(part);
                }
                if !rest.is_empty() {
                    let mut last = inputs.map(|row| {
                        let mut padded = [0u8; 16];
                        padded[..BYTES * rest.len()].copy_from_slice(&row[16 * whole..]);
                        Self::of(load(&padded)).ordered(order)
                    });
                    Self::transpose(&mut last);
                    rest.copy_from_slice(&last[..rest.len()]);
                }
            }
        }

        /// Two rows of 16 bytes; blocks stay in their order.
        impl Blocks for Simd128<$native> {
            const BLOCKS: usize = $lanes;
            type Loaded = [Self; 2];
            #[inline(always)]
            fn load_blocks(bytes: &[u8]) -> [Self; 2] {
                [Self::of(load(bytes)), Self::of(load(&bytes[16..]))]
            }
            #[inline(always)]
            fn store_blocks([x, y]: [Self; 2], bytes: &mut [u8]) {
                store(x.0, bytes);
                store(y.0, &mut bytes[16..]);
            }
            #[inline(always)]
            fn xor_blocks([a, b]: [Self; 2], [c, d]: [Self; 2]) -> [Self; 2] {
                [a ^ c, b ^ d]
            }
            #[inline(always)]
            fn split([x, y]: [Self; 2]) -> [Self; 2] {
                Self::unzip(x.0, y.0)
            }
            #[inline(always)]
            fn join([a, b]: [Self; 2]) -> [Self; 2] {
                Self::interleave(a.0, b.0)
            }
            #[inline(always)]
            fn positions() -> Self {
                Self::of($from($($lane),*))
            }
        }
    };
}

lanes!(
    u32, 4: 0 1 2 3, splat u32x4_splat, add u32x4_add, sub u32x4_sub, shl u32x4_shl, shr u32x4_shr,
    from u32x4
);
lanes!(
    u64, 2: 0 1, splat u64x2_splat, add u64x2_add, sub u64x2_sub, shl u64x2_shl, shr u64x2_shr,
    from u64x2
);

impl Simd128<u32> {
    /// The bytes of each word in the other order.
    #[inline(always)]
    fn swap_bytes(x: v128) -> v128 {
        const PLACES: v128 = u8x16(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
        swizzle_by(x, &PLACES)
    }
    /// A rotation to the right by whole bytes: one shuffle in the place of two shifts and a sum.
    #[inline(always)]
    fn rotate_bytes(self, n: usize) -> Option<Self> {
        let x = self.0;
        Some(Self::of(match n {
            8 => u8x16_shuffle::<1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12>(x, x),
            16 => u8x16_shuffle::<2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13>(x, x),
            24 => u8x16_shuffle::<3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14>(x, x),
            _ => return None,
        }))
    }
    /// Words of even and of odd places of `x` and `y`.
    #[inline(always)]
    fn unzip(x: v128, y: v128) -> [Self; 2] {
        [Self::of(u32x4_shuffle::<0, 2, 4, 6>(x, y)), Self::of(u32x4_shuffle::<1, 3, 5, 7>(x, y))]
    }
    /// Undoes [`Self::unzip`].
    #[inline(always)]
    fn interleave(a: v128, b: v128) -> [Self; 2] {
        [Self::of(u32x4_shuffle::<0, 4, 1, 5>(a, b)), Self::of(u32x4_shuffle::<2, 6, 3, 7>(a, b))]
    }
    /// Row i, column j becomes row j, column i.
    #[inline(always)]
    fn transpose(rows: &mut [Self; 4]) {
        let [a, b, c, d] = rows.map(|row| row.0);
        let [ab, ab_high] = Self::interleave(a, b).map(|pair| pair.0);
        let [cd, cd_high] = Self::interleave(c, d).map(|pair| pair.0);
        *rows = [
            Self::of(u64x2_shuffle::<0, 2>(ab, cd)),
            Self::of(u64x2_shuffle::<1, 3>(ab, cd)),
            Self::of(u64x2_shuffle::<0, 2>(ab_high, cd_high)),
            Self::of(u64x2_shuffle::<1, 3>(ab_high, cd_high)),
        ];
    }
}

impl Simd128<u64> {
    /// The bytes of each word in the other order.
    #[inline(always)]
    fn swap_bytes(x: v128) -> v128 {
        const PLACES: v128 = u8x16(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
        swizzle_by(x, &PLACES)
    }
    /// A rotation to the right by whole bytes: one shuffle in the place of two shifts and a sum.
    #[inline(always)]
    fn rotate_bytes(self, n: usize) -> Option<Self> {
        let x = self.0;
        Some(Self::of(match n {
            8 => u8x16_shuffle::<1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15, 8>(x, x),
            16 => u8x16_shuffle::<2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9>(x, x),
            24 => u8x16_shuffle::<3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10>(x, x),
            32 => u8x16_shuffle::<4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11>(x, x),
            40 => u8x16_shuffle::<5, 6, 7, 0, 1, 2, 3, 4, 13, 14, 15, 8, 9, 10, 11, 12>(x, x),
            48 => u8x16_shuffle::<6, 7, 0, 1, 2, 3, 4, 5, 14, 15, 8, 9, 10, 11, 12, 13>(x, x),
            56 => u8x16_shuffle::<7, 0, 1, 2, 3, 4, 5, 6, 15, 8, 9, 10, 11, 12, 13, 14>(x, x),
            _ => return None,
        }))
    }
    /// Words of even and of odd places of `x` and `y`.
    #[inline(always)]
    fn unzip(x: v128, y: v128) -> [Self; 2] {
        [Self::of(u64x2_shuffle::<0, 2>(x, y)), Self::of(u64x2_shuffle::<1, 3>(x, y))]
    }
    /// Undoes [`Self::unzip`].
    #[inline(always)]
    fn interleave(a: v128, b: v128) -> [Self; 2] {
        Self::unzip(a, b)
    }
    /// Row i, column j becomes row j, column i.
    #[inline(always)]
    fn transpose(rows: &mut [Self; 2]) {
        *rows = Self::unzip(rows[0].0, rows[1].0);
    }
}

/// Rotates by a product, because there are no shifts by different amounts. The halves of x · 2ⁿ are
/// the bits that stay and those that come in from the other end.
impl RotateVar for Simd128<u32> {
    #[inline(always)]
    fn rotl_var(self, by: Self) -> Self {
        let by = (by & Self::constant(31)).0;
        let bytes = u8x16_shuffle::<0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12>(by, by);
        // The bit of byte k of a word is n − 8k; a swizzle gives 0 for what is above 15.
        let bit = u8x16_sub(bytes, u32x4_splat(0x1810_0800));
        let powers = u8x16_swizzle(u64x2(0x8040_2010_0804_0201, 0), bit);
        let low = u64x2_extmul_low_u32x4(self.0, powers);
        let high = u64x2_extmul_high_u32x4(self.0, powers);
        let [stay, come] = Self::unzip(low, high);
        stay | come
    }
    #[inline(always)]
    fn rotr_var(self, by: Self) -> Self {
        self.rotl_var(Self::constant(0) - by)
    }
}

/// Rotates lane by lane, because a product of 64-bit words keeps only 64 of its bits.
impl RotateVar for Simd128<u64> {
    #[inline(always)]
    fn rotl_var(self, by: Self) -> Self {
        let [x, y] = [u64x2_extract_lane::<0>(self.0), u64x2_extract_lane::<1>(self.0)];
        let [m, n] = [u64x2_extract_lane::<0>(by.0), u64x2_extract_lane::<1>(by.0)];
        Self::of(u64x2(x.rotate_left(m as u32 & 63), y.rotate_left(n as u32 & 63)))
    }
    #[inline(always)]
    fn rotr_var(self, by: Self) -> Self {
        self.rotl_var(Self::constant(0) - by)
    }
}

impl ByteSub for Simd128<u64> {
    /// Looks the bytes up in sixteen tables of 16 bytes in registers: constant-time. A swizzle
    /// gives 0 for an index above 15, so that only the table of a byte's upper half gives its
    /// value.
    #[inline(always)]
    fn sub_bytes(self) -> Self {
        let mut y = u8x16_swizzle(load(&AES_SBOX), self.0);
        for part in 1..16 {
            let index = v128_xor(self.0, u8x16_splat(16 * part));
            y = v128_or(y, u8x16_swizzle(load(&AES_SBOX[16 * usize::from(part)..]), index));
        }
        Self::of(y)
    }
    #[inline(always)]
    fn xtime(self) -> Self {
        let reduction = v128_and(i8x16_shr(self.0, 7), u8x16_splat(0x1b));
        Self::of(v128_xor(u8x16_shl(self.0, 1), reduction))
    }
}
