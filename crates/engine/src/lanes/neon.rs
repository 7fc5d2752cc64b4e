//! Advanced SIMD of aarch64: four 32-bit or two 64-bit lanes in one 128-bit register.

use super::blocks::Blocks;
use super::{ByteOrder, ByteSub, Lanes, Native, RotateVar, Word, operators};
use core::arch::aarch64::*;

/// A 128-bit register of lanes of type `N`.
#[derive(Clone, Copy)]
pub struct Neon<N: Vector>(N::Register);

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

// SAFETY (every `unsafe` below): a value of this type exists only below a shell of `crate::kernel`
// that enables NEON and that runs only on a CPU that has it; the intrinsics have no other
// precondition. The pointers of loads and stores come from slices whose length is checked beside
// them.
macro_rules! lanes {
    (
        $native:ty, $signed:ty, $lanes:literal, splat $splat:ident, as_signed $as_signed:ident,
        add $add:ident, sub $sub:ident, xor $xor:ident, and $and:ident, or $or:ident,
        and_not $and_not:ident, select $select:ident, shl $shl:ident, load $load:ident,
        store $store:ident, load_bytes $bytes:ident, reverse $reverse:ident
    ) => {
        impl Neon<$native> {
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { $add(self.0, other.0) })
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { $sub(self.0, other.0) })
            }
            #[inline(always)]
            fn bitxor(self, other: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { $xor(self.0, other.0) })
            }
            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { $and(self.0, other.0) })
            }
            #[inline(always)]
            fn bitor(self, other: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { $or(self.0, other.0) })
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
                Self(unsafe { $shl(self.0, $as_signed(by.0)) })
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

        operators!(Neon<$native>);

        impl Word for Neon<$native> {
            type Native = $native;
            #[inline(always)]
            fn constant(value: $native) -> Self {
                // SAFETY: as above.
                Self(unsafe { $splat(value) })
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
                Self(unsafe { $select(x.0, y.0, z.0) })
            }
            #[inline(always)]
            fn maj(x: Self, y: Self, z: Self) -> Self {
                Self::ch(x ^ y, z, y)
            }
            #[inline(always)]
            fn chi(x: Self, y: Self, z: Self) -> Self {
                // SAFETY: as above.
                x ^ Self(unsafe { $and_not(z.0, y.0) })
            }
        }

        impl RotateVar for Neon<$native> {
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

        impl Lanes for Neon<$native> {
            const LANES: usize = $lanes;
            #[inline(always)]
            fn load(words: &[$native]) -> Self {
                assert!(words.len() >= $lanes);
                // SAFETY: as above; 16 bytes are there.
                Self(unsafe { $load(words.as_ptr()) })
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
                let mut word = 0;
                while word < block.len() {
                    let count = (block.len() - word).min($lanes);
                    let mut rows = [Self::constant(0); $lanes];
                    for lane in 0..$lanes {
                        let bytes = &inputs[lane][at + BYTES * word..][..BYTES * count];
                        let mut whole = [0u8; 16];
                        whole[..bytes.len()].copy_from_slice(bytes);
                        // SAFETY: as above; the array has 16 bytes.
                        let row = unsafe { vld1q_u8(whole.as_ptr()) };
                        rows[lane] = Self(match order {
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
    xor veorq_u32, and vandq_u32, or vorrq_u32, and_not vbicq_u32, select vbslq_u32,
    shl vshlq_u32, load vld1q_u32, store vst1q_u32, load_bytes vreinterpretq_u32_u8,
    reverse vrev32q_u8
);
lanes!(
    u64, i64, 2, splat vdupq_n_u64, as_signed vreinterpretq_s64_u64, add vaddq_u64, sub vsubq_u64,
    xor veorq_u64, and vandq_u64, or vorrq_u64, and_not vbicq_u64, select vbslq_u64,
    shl vshlq_u64, load vld1q_u64, store vst1q_u64, load_bytes vreinterpretq_u64_u8,
    reverse vrev64q_u8
);

impl Neon<u32> {
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
                Self(low(even_ab, even_cd)),
                Self(low(odd_ab, odd_cd)),
                Self(high(even_ab, even_cd)),
                Self(high(odd_ab, odd_cd)),
            ];
        }
    }
}

impl Neon<u64> {
    /// Row i, column j becomes row j, column i.
    #[inline(always)]
    fn transpose(rows: &mut [Self; 2]) {
        let [a, b] = [rows[0].0, rows[1].0];
        // SAFETY: as above.
        *rows = unsafe { [Self(vtrn1q_u64(a, b)), Self(vtrn2q_u64(a, b))] };
    }
}

/// Two rows of 16 bytes; blocks stay in their order.
macro_rules! blocks {
    (
        $native:ty, $lanes:literal, even $even:ident, odd $odd:ident, low $low:ident, high $high:ident,
        from $from:ident, to $to:ident
    ) => {
        impl Blocks for Neon<$native> {
            const BLOCKS: usize = $lanes;
            type Rows = [Self; 2];
            #[inline(always)]
            fn load_rows(bytes: &[u8]) -> [Self; 2] {
                let rows = bytes.as_chunks::<16>().0;
                // SAFETY: as above; 16 bytes each.
                unsafe {
                    let (x, y) = (vld1q_u8(rows[0].as_ptr()), vld1q_u8(rows[1].as_ptr()));
                    [Self($from(x)), Self($from(y))]
                }
            }
            #[inline(always)]
            fn store_rows([x, y]: [Self; 2], bytes: &mut [u8]) {
                let rows = bytes.as_chunks_mut::<16>().0;
                // SAFETY: as above; 16 bytes each.
                unsafe {
                    vst1q_u8(rows[0].as_mut_ptr(), $to(x.0));
                    vst1q_u8(rows[1].as_mut_ptr(), $to(y.0));
                }
            }
            #[inline(always)]
            fn xor_rows([a, b]: [Self; 2], [c, d]: [Self; 2]) -> [Self; 2] {
                [a ^ c, b ^ d]
            }
            #[inline(always)]
            fn split([x, y]: [Self; 2]) -> [Self; 2] {
                // SAFETY: as above.
                unsafe { [Self($even(x.0, y.0)), Self($odd(x.0, y.0))] }
            }
            #[inline(always)]
            fn join([a, b]: [Self; 2]) -> [Self; 2] {
                // SAFETY: as above.
                unsafe { [Self($low(a.0, b.0)), Self($high(a.0, b.0))] }
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

impl ByteSub for Neon<u64> {
    /// By sixteen-byte tables in registers, sixteen of them: constant-time.
    #[inline(always)]
    fn sub_bytes(self) -> Self {
        use manylane_primitives::word::AES_SBOX;
        // SAFETY: as above; the table has 256 bytes, read in four parts of 64.
        unsafe {
            let x = vreinterpretq_u8_u64(self.0);
            let part = |i: usize| vld1q_u8_x4(AES_SBOX.as_ptr().add(64 * i));
            // An index beyond its part leaves the byte as it is.
            let mut y = vqtbl4q_u8(part(0), x);
            y = vqtbx4q_u8(y, part(1), vsubq_u8(x, vdupq_n_u8(64)));
            y = vqtbx4q_u8(y, part(2), vsubq_u8(x, vdupq_n_u8(128)));
            y = vqtbx4q_u8(y, part(3), vsubq_u8(x, vdupq_n_u8(192)));
            Self(vreinterpretq_u64_u8(y))
        }
    }
    #[inline(always)]
    fn xtime(self) -> Self {
        // SAFETY: as above.
        unsafe {
            let x = vreinterpretq_u8_u64(self.0);
            let overflow = vcltzq_s8(vreinterpretq_s8_u8(x));
            let reduction = vandq_u8(overflow, vdupq_n_u8(0x1b));
            Self(vreinterpretq_u64_u8(veorq_u8(vaddq_u8(x, x), reduction)))
        }
    }
}
