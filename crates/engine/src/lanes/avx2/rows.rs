//! A row of BLAKE's matrix, which is four words of one message, in a register: words of 64 bits
//! fill the register, words of 32 bits its lower half.

use super::{Avx2, Lanes, reversal};
use core::arch::x86_64::*;

/// A row of four words, or eight times 32 bits of a block. Panics where a slice is too short.
pub trait MatrixRow: Lanes {
    /// Takes the first four words.
    fn load_row(words: &[Self::Native]) -> Self;
    /// Gives the four words.
    fn store_row(self, words: &mut [Self::Native]);
    /// Word i becomes word i + `BY` mod 4 of before.
    fn turn<const BY: i32>(self) -> Self;
    /// A block of 32 `K` bytes in big-endian words.
    fn read_block<const K: usize>(bytes: &[u8]) -> [Self; K];
    /// Eight times 32 bits of the registers, by their numbers.
    fn pick<const K: usize>(registers: [Self; K], pieces: &[u32; 8]) -> Self;
}

// SAFETY (every `unsafe` below): as in the module above.
macro_rules! row {
    (
        $native:ty, load $load:expr, store $store:expr,
        turn $turn:ident by $one:literal $two:literal $three:literal
    ) => {
        impl MatrixRow for Avx2<$native> {
            #[inline(always)]
            fn load_row(words: &[$native]) -> Self {
                // SAFETY: as above; the slice has four words.
                Self::of(unsafe { $load(words[..4].as_ptr().cast()) })
            }
            #[inline(always)]
            fn store_row(self, words: &mut [$native]) {
                // SAFETY: as above; the slice has four words.
                unsafe { $store(words[..4].as_mut_ptr().cast(), self.0) }
            }
            #[inline(always)]
            fn turn<const BY: i32>(self) -> Self {
                // SAFETY: as above.
                Self::of(unsafe {
                    match BY {
                        1 => $turn::<$one>(self.0),
                        2 => $turn::<$two>(self.0),
                        3 => $turn::<$three>(self.0),
                        _ => self.0,
                    }
                })
            }
            #[inline(always)]
            fn read_block<const K: usize>(bytes: &[u8]) -> [Self; K] {
                let mut registers = [Self::of(reversal(size_of::<$native>())); K];
                let bytes = &bytes.as_chunks::<32>().0[..K];
                for (register, bytes) in registers.iter_mut().zip(bytes) {
                    // SAFETY: as above; there are 32 bytes.
                    register.0 = unsafe {
                        _mm256_shuffle_epi8(_mm256_loadu_si256(bytes.as_ptr().cast()), register.0)
                    };
                }
                registers
            }
            #[inline(always)]
            fn pick<const K: usize>(registers: [Self; K], pieces: &[u32; 8]) -> Self {
                // SAFETY: as above; there are eight numbers.
                unsafe {
                    let pieces = _mm256_loadu_si256(pieces.as_ptr().cast());
                    let of = _mm256_srli_epi32::<3>(pieces);
                    let mut picked = _mm256_setzero_si256();
                    for (i, register) in registers.into_iter().enumerate() {
                        // The number counts modulo 8.
                        let words = _mm256_permutevar8x32_epi32(register.0, pieces);
                        let mask = _mm256_cmpeq_epi32(of, _mm256_set1_epi32(i as i32));
                        picked = _mm256_blendv_epi8(picked, words, mask);
                    }
                    Self::of(picked)
                }
            }
        }
    };
}

row!(
    u32,
    load |words| _mm256_zextsi128_si256(_mm_loadu_si128(words)),
    store |words, row| _mm_storeu_si128(words, _mm256_castsi256_si128(row)),
    turn _mm256_shuffle_epi32 by 0b00_11_10_01 0b01_00_11_10 0b10_01_00_11
);
row!(
    u64,
    load |words| _mm256_loadu_si256(words),
    store |words, row| _mm256_storeu_si256(words, row),
    turn _mm256_permute4x64_epi64 by 0b00_11_10_01 0b01_00_11_10 0b10_01_00_11
);
