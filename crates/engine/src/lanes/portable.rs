//! Arrays of words without intrinsics: the fallback everywhere.
//!
//! In code of this size compilers find no vectors and keep each word in a general register. The
//! gain is that messages are interleaved, which pays for MD5 alone.

use super::{ByteOrder, ByteSub, Lanes, Native, RotateVar, Word, operators};

/// `L` words of type `N` side by side.
#[derive(Clone, Copy)]
pub struct Portable<N, const L: usize>(pub(super) [N; L]);

/// The lanes are written out, not looped over: a loop in every operation costs the optimiser, which
/// unrolls them one by one, several times as long.
macro_rules! lanes {
    ($native:ty, $lanes:literal: $($i:literal)*) => {
        impl Portable<$native, $lanes> {
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self([$(self.0[$i].wrapping_add(other.0[$i])),*])
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                Self([$(self.0[$i].wrapping_sub(other.0[$i])),*])
            }
            #[inline(always)]
            fn bitxor(self, other: Self) -> Self {
                Self([$(self.0[$i] ^ other.0[$i]),*])
            }
            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                Self([$(self.0[$i] & other.0[$i]),*])
            }
            #[inline(always)]
            fn bitor(self, other: Self) -> Self {
                Self([$(self.0[$i] | other.0[$i]),*])
            }
            #[inline(always)]
            fn complement(self) -> Self {
                Self([$(!self.0[$i]),*])
            }
            #[inline(always)]
            fn shift_left(self, n: usize) -> Self {
                Self([$(self.0[$i] << n),*])
            }
            #[inline(always)]
            fn shift_right(self, n: usize) -> Self {
                Self([$(self.0[$i] >> n),*])
            }
        }

        operators!(Portable<$native, $lanes>);

        impl Word for Portable<$native, $lanes> {
            type Native = $native;
            #[inline(always)]
            fn constant(value: $native) -> Self {
                Self([value; $lanes])
            }
            #[inline(always)]
            fn rotl(self, n: usize) -> Self {
                Self([$(self.0[$i].rotate_left(n as u32)),*])
            }
            #[inline(always)]
            fn rotr(self, n: usize) -> Self {
                Self([$(self.0[$i].rotate_right(n as u32)),*])
            }
        }

        impl RotateVar for Portable<$native, $lanes> {
            #[inline(always)]
            fn rotl_var(self, by: Self) -> Self {
                Self([$(self.0[$i].rotate_left(by.0[$i] as u32 & (<$native>::BITS - 1))),*])
            }
            #[inline(always)]
            fn rotr_var(self, by: Self) -> Self {
                Self([$(self.0[$i].rotate_right(by.0[$i] as u32 & (<$native>::BITS - 1))),*])
            }
        }

        impl Lanes for Portable<$native, $lanes> {
            const LANES: usize = $lanes;
            #[inline(always)]
            fn load(words: &[$native]) -> Self {
                Self(words[..$lanes].try_into().unwrap())
            }
            #[inline(always)]
            fn store(self, words: &mut [$native]) {
                words[..$lanes].copy_from_slice(&self.0);
            }
            #[inline(always)]
            unsafe fn load_block(
                block: &mut [Self],
                inputs: &[&[u8]],
                at: usize,
                order: ByteOrder,
            ) {
                const BYTES: usize = size_of::<$native>();
                for lane in 0..$lanes {
                    let bytes = &inputs[lane][at..at + BYTES * block.len()];
                    for (word, bytes) in block.iter_mut().zip(bytes.chunks_exact(BYTES)) {
                        word.0[lane] = <$native>::read(bytes, order);
                    }
                }
            }
        }
    };
}

lanes!(u16, 8: 0 1 2 3 4 5 6 7);
lanes!(u32, 4: 0 1 2 3);
lanes!(u64, 2: 0 1);

/// Looks the bytes up in a table, as the scalar word does: not constant-time.
impl ByteSub for Portable<u64, 2> {
    #[inline(always)]
    fn sub_bytes(self) -> Self {
        let [a, b] = self.0;
        Self([a.scalar().sub_bytes().0, b.scalar().sub_bytes().0])
    }
    #[inline(always)]
    fn xtime(self) -> Self {
        let [a, b] = self.0;
        Self([a.scalar().xtime().0, b.scalar().xtime().0])
    }
}
