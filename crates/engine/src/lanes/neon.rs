//! Advanced SIMD of aarch64: four 32-bit or two 64-bit lanes in one 128-bit register.

use super::blocks::Blocks;
use super::{ByteOrder, ByteSub, Lanes, Native, RotateVar, Word, operators};
use core::arch::aarch64::*;
use core::marker::PhantomData;
use manylane_primitives::word::AES_SBOX;

/// A 128-bit register of lanes of type `N`; `X` says which extension there is beside NEON.
#[derive(Clone, Copy)]
pub struct Neon<N: Vector, X = Base>(N::Register, PhantomData<X>);

/// No extension.
#[derive(Clone, Copy)]
pub struct Base;

/// FEAT_AES.
#[derive(Clone, Copy)]
pub struct Aes;

/// FEAT_SHA3.
#[derive(Clone, Copy)]
pub struct Sha3;

/// The register type of a lane type.
pub trait Vector: Native {
    /// `uint32x4_t` or `uint64x2_t`.
    type Register: Copy;
}

impl Vector for u32 {
    type Register = uint32x4_t;
}

impl Vector for u64 {
    type Register = uint64x2_t;
}

/// The operations on sixteen bytes for which an extension has instructions of its own.
pub trait Extension: Copy {
    /// [`Word::chi`].
    ///
    /// # Safety
    /// The CPU must have the extension.
    #[inline(always)]
    unsafe fn chi(x: uint8x16_t, y: uint8x16_t, z: uint8x16_t) -> uint8x16_t {
        // SAFETY: every extension has NEON beside it.
        unsafe { veorq_u8(x, vbicq_u8(z, y)) }
    }

    /// [`ByteSub::sub_bytes`], by tables of 64 bytes in registers: constant-time.
    ///
    /// # Safety
    /// The CPU must have the extension.
    #[inline(always)]
    unsafe fn sub_bytes(x: uint8x16_t) -> uint8x16_t {
        // SAFETY: every extension has NEON beside it; the table has 256 bytes, four parts of 64.
        unsafe {
            let part = |i: usize| vld1q_u8_x4(AES_SBOX.as_ptr().add(64 * i));
            // An index beyond its part leaves the byte as it is.
            let mut y = vqtbl4q_u8(part(0), x);
            y = vqtbx4q_u8(y, part(1), vsubq_u8(x, vdupq_n_u8(64)));
            y = vqtbx4q_u8(y, part(2), vsubq_u8(x, vdupq_n_u8(128)));
            vqtbx4q_u8(y, part(3), vsubq_u8(x, vdupq_n_u8(192)))
        }
    }
}

impl Extension for Base {}

// The lint does not see that the intrinsics come to be inlined with these functions, in shells that
// have their features; older compilers do not know it.
#[allow(unknown_lints, inline_always_mismatching_target_features)]
impl Extension for Aes {
    /// AESE adds a key, shifts rows and substitutes bytes. The key is zero here, and a shuffle by
    /// InvShiftRows before it undoes the shift.
    #[inline(always)]
    unsafe fn sub_bytes(x: uint8x16_t) -> uint8x16_t {
        const ORDER: [u8; 16] = [0, 13, 10, 7, 4, 1, 14, 11, 8, 5, 2, 15, 12, 9, 6, 3];
        // SAFETY: the caller vouches for the extension; the array has 16 bytes.
        unsafe { vaeseq_u8(vqtbl1q_u8(x, vld1q_u8(ORDER.as_ptr())), vdupq_n_u8(0)) }
    }
}

#[allow(unknown_lints, inline_always_mismatching_target_features)]
impl Extension for Sha3 {
    /// BCAX. The compiler finds the other instructions (EOR3, RAX1, XAR) by itself, but takes this
    /// one apart where a half of it serves another sum: in Keccak an eighth more instructions.
    #[inline(always)]
    unsafe fn chi(x: uint8x16_t, y: uint8x16_t, z: uint8x16_t) -> uint8x16_t {
        // SAFETY: the caller vouches for the extension.
        unsafe { vbcaxq_u8(x, z, y) }
    }
}

// SAFETY (every `unsafe` below): a value of this type exists only below a shell of `crate::kernels`
// that enables NEON and the extension `X` and that runs only on a CPU that has them; the intrinsics
// have no other precondition. The pointers of loads and stores come from slices whose length is
// checked beside them.
macro_rules! lanes {
    (
        $native:ty, $signed:ty, $lanes:literal, splat $splat:ident, as_signed $as_signed:ident,
        add $add:ident, sub $sub:ident, xor $xor:ident, and $and:ident, or $or:ident,
        select $select:ident, shl $shl:ident, load $load:ident, store $store:ident,
        from_bytes $bytes:ident, as_bytes $as_bytes:ident, reverse $reverse:ident
    ) => {
        impl<X: Extension> Neon<$native, X> {
            #[inline(always)]
            fn of(vector: <$native as Vector>::Register) -> Self {
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
                self.bitxor(Self::constant(<$native>::MAX))
            }
            /// Shift left by a public amount, right if it is negative.
            #[inline(always)]
            fn shift(self, n: $signed) -> Self {
                self.shift_var(Self::constant(n as $native))
            }
            /// Shift left by signed amounts.
            #[inline(always)]
            fn shift_var(self, by: Self) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { $shl(self.0, $as_signed(by.0)) })
            }
            #[inline(always)]
            fn shift_left(self, n: usize) -> Self {
                self.shift(n as $signed)
            }
            #[inline(always)]
            fn shift_right(self, n: usize) -> Self {
                self.shift(-(n as $signed))
            }
        }

        operators!(Neon<$native, X>, [X: Extension]);

        impl<X: Extension> Word for Neon<$native, X> {
            type Native = $native;
            #[inline(always)]
            fn constant(value: $native) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { $splat(value) })
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
            fn ch(x: Self, y: Self, z: Self) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { $select(x.0, y.0, z.0) })
            }
            #[inline(always)]
            fn maj(x: Self, y: Self, z: Self) -> Self {
                Self::ch(x ^ y, z, y)
            }
            #[inline(always)]
            fn chi(x: Self, y: Self, z: Self) -> Self {
                // SAFETY: as above.
                Self::of(unsafe { $bytes(X::chi($as_bytes(x.0), $as_bytes(y.0), $as_bytes(z.0))) })
            }
        }

        impl<X: Extension> RotateVar for Neon<$native, X> {
            #[inline(always)]
            fn rotl_var(self, by: Self) -> Self {
                // A negative amount shifts to the right; one of w gives 0.
                let width = Self::constant(<$native>::BITS as $native);
                let by = by & Self::constant(<$native>::BITS as $native - 1);
                self.shift_var(by) | self.shift_var(by - width)
            }
            #[inline(always)]
            fn rotr_var(self, by: Self) -> Self {
                self.rotl_var(Self::constant(0) - by)
            }
        }

        impl<X: Extension> Lanes for Neon<$native, X> {
            const LANES: usize = $lanes;
            #[inline(always)]
            fn load(words: &[$native]) -> Self {
                assert!(words.len() >= $lanes);
                // SAFETY: as above; 16 bytes are there.
                Self::of(unsafe { $load(words.as_ptr()) })
            }
            #[inline(always)]
            fn store(self, words: &mut [$native]) {
                assert!(words.len() >= $lanes);
                // SAFETY: as above; 16 bytes are there.
                unsafe { $store(words.as_mut_ptr(), self.0) }
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
                let mut word = 0;
                while word < block.len() {
                    let count = (block.len() - word).min($lanes);
                    let mut rows = [Self::constant(0); $lanes];
                    for lane in 0..$lanes {
                        let bytes = &inputs[lane][BYTES * word..][..BYTES * count];
                        let row = if count == $lanes {
                            // SAFETY: as above; the slice has 16 bytes.
                            unsafe { vld1q_u8(bytes.as_ptr()) }
                        } else {
                            let mut padded = [0u8; 16];
                            padded[..bytes.len()].copy_from_slice(bytes);
                            // SAFETY: as above; the array has 16 bytes.
                            unsafe { vld1q_u8(padded.as_ptr()) }
                        };
                        rows[lane] = Self::of(match order {
                            // SAFETY: as above.
                            ByteOrder::Little => unsafe { $bytes(row) },
                            // SAFETY: as above.
                            ByteOrder::Big => unsafe { $bytes($reverse(row)) },
                        });
                    }
                    Self::transpose(&mut rows);
                    block[word..word + count].copy_from_slice(&rows[..count]);
                    word += $lanes;
                }
            }
        }
    };
}

lanes!(
    u32, i32, 4, splat vdupq_n_u32, as_signed vreinterpretq_s32_u32, add vaddq_u32, sub vsubq_u32,
    xor veorq_u32, and vandq_u32, or vorrq_u32, select vbslq_u32, shl vshlq_u32,
    load vld1q_u32, store vst1q_u32, from_bytes vreinterpretq_u32_u8,
    as_bytes vreinterpretq_u8_u32, reverse vrev32q_u8
);
lanes!(
    u64, i64, 2, splat vdupq_n_u64, as_signed vreinterpretq_s64_u64, add vaddq_u64, sub vsubq_u64,
    xor veorq_u64, and vandq_u64, or vorrq_u64, select vbslq_u64, shl vshlq_u64,
    load vld1q_u64, store vst1q_u64, from_bytes vreinterpretq_u64_u8,
    as_bytes vreinterpretq_u8_u64, reverse vrev64q_u8
);

impl<X: Extension> Neon<u32, X> {
    /// Row i, column j becomes row j, column i.
    #[inline(always)]
    fn transpose(rows: &mut [Self; 4]) {
        let [a, b, c, d] = rows.map(|row| row.0);
        // SAFETY: as above.
        unsafe {
            let (even_ab, odd_ab) = (vtrn1q_u32(a, b), vtrn2q_u32(a, b));
            let (even_cd, odd_cd) = (vtrn1q_u32(c, d), vtrn2q_u32(c, d));
            let low = |x, y| {
                vreinterpretq_u32_u64(vtrn1q_u64(
                    vreinterpretq_u64_u32(x),
                    vreinterpretq_u64_u32(y),
                ))
            };
            let high = |x, y| {
                vreinterpretq_u32_u64(vtrn2q_u64(
                    vreinterpretq_u64_u32(x),
                    vreinterpretq_u64_u32(y),
                ))
            };
            *rows = [
                Self::of(low(even_ab, even_cd)),
                Self::of(low(odd_ab, odd_cd)),
                Self::of(high(even_ab, even_cd)),
                Self::of(high(odd_ab, odd_cd)),
            ];
        }
    }
}

impl<X: Extension> Neon<u64, X> {
    /// Row i, column j becomes row j, column i.
    #[inline(always)]
    fn transpose(rows: &mut [Self; 2]) {
        let [a, b] = [rows[0].0, rows[1].0];
        // SAFETY: as above.
        *rows = unsafe { [Self::of(vtrn1q_u64(a, b)), Self::of(vtrn2q_u64(a, b))] };
    }
}

/// Two rows of 16 bytes; blocks stay in their order.
macro_rules! blocks {
    (
        $native:ty, $lanes:literal, even $even:ident, odd $odd:ident,
        low $low:ident, high $high:ident, from $from:ident, to $to:ident
    ) => {
        impl<X: Extension> Blocks for Neon<$native, X> {
            const BLOCKS: usize = $lanes;
            type Loaded = [Self; 2];
            #[inline(always)]
            fn load_blocks(bytes: &[u8]) -> [Self; 2] {
                let rows = bytes.as_chunks::<16>().0;
                // SAFETY: as above; 16 bytes each.
                unsafe {
                    let (x, y) = (vld1q_u8(rows[0].as_ptr()), vld1q_u8(rows[1].as_ptr()));
                    [Self::of($from(x)), Self::of($from(y))]
                }
            }
            #[inline(always)]
            fn store_blocks([x, y]: [Self; 2], bytes: &mut [u8]) {
                let rows = bytes.as_chunks_mut::<16>().0;
                // SAFETY: as above; 16 bytes each.
                unsafe {
                    vst1q_u8(rows[0].as_mut_ptr(), $to(x.0));
                    vst1q_u8(rows[1].as_mut_ptr(), $to(y.0));
                }
            }
            #[inline(always)]
            fn xor_blocks([a, b]: [Self; 2], [c, d]: [Self; 2]) -> [Self; 2] {
                [a ^ c, b ^ d]
            }
            #[inline(always)]
            fn split([x, y]: [Self; 2]) -> [Self; 2] {
                // SAFETY: as above.
                unsafe { [Self::of($even(x.0, y.0)), Self::of($odd(x.0, y.0))] }
            }
            #[inline(always)]
            fn join([a, b]: [Self; 2]) -> [Self; 2] {
                // SAFETY: as above.
                unsafe { [Self::of($low(a.0, b.0)), Self::of($high(a.0, b.0))] }
            }
            #[inline(always)]
            fn positions() -> Self {
                let mut numbers = [0; $lanes];
                for i in 0..$lanes {
                    numbers[i] = i as $native;
                }
                Self::load(&numbers)
            }
        }
    };
}

blocks!(
    u32, 4, even vuzp1q_u32, odd vuzp2q_u32,
    low vzip1q_u32, high vzip2q_u32, from vreinterpretq_u32_u8, to vreinterpretq_u8_u32
);
blocks!(
    u64, 2, even vuzp1q_u64, odd vuzp2q_u64,
    low vzip1q_u64, high vzip2q_u64, from vreinterpretq_u64_u8, to vreinterpretq_u8_u64
);

impl<X: Extension> ByteSub for Neon<u64, X> {
    #[inline(always)]
    fn sub_bytes(self) -> Self {
        // SAFETY: as above.
        Self::of(unsafe { vreinterpretq_u64_u8(X::sub_bytes(vreinterpretq_u8_u64(self.0))) })
    }
    #[inline(always)]
    fn xtime(self) -> Self {
        // SAFETY: as above.
        unsafe {
            let x = vreinterpretq_u8_u64(self.0);
            let overflow = vcltzq_s8(vreinterpretq_s8_u8(x));
            let reduction = vandq_u8(overflow, vdupq_n_u8(0x1b));
            Self::of(vreinterpretq_u64_u8(veorq_u8(vaddq_u8(x, x), reduction)))
        }
    }
}
