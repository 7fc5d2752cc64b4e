//! Arrays of words without intrinsics: the fallback everywhere.
//!
//! Compilers do not find the vectors in so many operations and keep each word in a register of its
//! own; what is gained is that messages are interleaved, which pays for MD5 alone.

use super::{ByteOrder, ByteSub, Lanes, Native, RotateVar, Word, operators};

/// `L` words of type `N` side by side.
#[derive(Clone, Copy)]
pub struct Portable<N, const L: usize>([N; L]);

macro_rules! lanes {
    ($native:ty) => {
        impl<const L: usize> Portable<$native, L> {
            #[inline(always)]
            fn add(mut self, other: Self) -> Self {
                for i in 0..L {
                    self.0[i] = self.0[i].wrapping_add(other.0[i]);
                }
                self
            }
            #[inline(always)]
            fn sub(mut self, other: Self) -> Self {
                for i in 0..L {
                    self.0[i] = self.0[i].wrapping_sub(other.0[i]);
                }
                self
            }
            #[inline(always)]
            fn bitxor(mut self, other: Self) -> Self {
                for i in 0..L {
                    self.0[i] ^= other.0[i];
                }
                self
            }
            #[inline(always)]
            fn bitand(mut self, other: Self) -> Self {
                for i in 0..L {
                    self.0[i] &= other.0[i];
                }
                self
            }
            #[inline(always)]
            fn bitor(mut self, other: Self) -> Self {
                for i in 0..L {
                    self.0[i] |= other.0[i];
                }
                self
            }
            #[inline(always)]
            fn complement(mut self) -> Self {
                for i in 0..L {
                    self.0[i] = !self.0[i];
                }
                self
            }
            #[inline(always)]
            fn shift_left(mut self, n: usize) -> Self {
                for i in 0..L {
                    self.0[i] <<= n;
                }
                self
            }
            #[inline(always)]
            fn shift_right(mut self, n: usize) -> Self {
                for i in 0..L {
                    self.0[i] >>= n;
                }
                self
            }
        }

        operators!(Portable<$native, L>, [const L: usize]);

        impl<const L: usize> Word for Portable<$native, L> {
            type Native = $native;
            #[inline(always)]
            fn constant(value: $native) -> Self {
                Self([value; L])
            }
            #[inline(always)]
            fn rotl(mut self, n: usize) -> Self {
                for i in 0..L {
                    self.0[i] = self.0[i].rotate_left(n as u32);
                }
                self
            }
            #[inline(always)]
            fn rotr(mut self, n: usize) -> Self {
                for i in 0..L {
                    self.0[i] = self.0[i].rotate_right(n as u32);
                }
                self
            }
        }

        impl<const L: usize> RotateVar for Portable<$native, L> {
            #[inline(always)]
            fn rotl_var(mut self, by: Self) -> Self {
                for i in 0..L {
                    self.0[i] = self.0[i].rotate_left(by.0[i] as u32 & (<$native>::BITS - 1));
                }
                self
            }
            #[inline(always)]
            fn rotr_var(mut self, by: Self) -> Self {
                for i in 0..L {
                    self.0[i] = self.0[i].rotate_right(by.0[i] as u32 & (<$native>::BITS - 1));
                }
                self
            }
        }

        impl<const L: usize> Lanes for Portable<$native, L> {
            const LANES: usize = L;
            #[inline(always)]
            fn load(words: &[$native]) -> Self {
                Self(words[..L].try_into().unwrap())
            }
            #[inline(always)]
            fn store(self, words: &mut [$native]) {
                words[..L].copy_from_slice(&self.0);
            }
            #[inline(always)]
            fn load_block(block: &mut [Self], inputs: &[&[u8]], at: usize, order: ByteOrder) {
                const BYTES: usize = size_of::<$native>();
                for lane in 0..L {
                    let bytes = &inputs[lane][at..at + BYTES * block.len()];
                    for (word, bytes) in block.iter_mut().zip(bytes.chunks_exact(BYTES)) {
                        word.0[lane] = <$native>::read(bytes, order);
                    }
                }
            }
        }
    };
}

lanes!(u16);
lanes!(u32);
lanes!(u64);

/// By table, as the scalar word: not constant-time.
impl<const L: usize> ByteSub for Portable<u64, L> {
    #[inline(always)]
    fn sub_bytes(mut self) -> Self {
        for i in 0..L {
            self.0[i] = u64::from_scalar(self.0[i].scalar().sub_bytes());
        }
        self
    }
    #[inline(always)]
    fn xtime(mut self) -> Self {
        for i in 0..L {
            self.0[i] = u64::from_scalar(self.0[i].scalar().xtime());
        }
        self
    }
}
