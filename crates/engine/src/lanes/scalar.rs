//! One lane: the scalar words are lane types too, so that one driver serves all.

use super::{ByteOrder, Lanes, Native};
use core::num::Wrapping;

macro_rules! lanes {
    ($($native:ty)*) => { $(
        impl Lanes for Wrapping<$native> {
            const LANES: usize = 1;
            #[inline(always)]
            fn load(words: &[$native]) -> Self {
                Wrapping(words[0])
            }
            #[inline(always)]
            fn store(self, words: &mut [$native]) {
                words[0] = self.0;
            }
            #[inline(always)]
            fn load_block(block: &mut [Self], inputs: &[&[u8]], at: usize, order: ByteOrder) {
                let bytes = &inputs[0][at..at + size_of::<$native>() * block.len()];
                for (word, bytes) in block.iter_mut().zip(bytes.chunks_exact(size_of::<$native>())) {
                    *word = Wrapping(<$native>::read(bytes, order));
                }
            }
        }
    )* };
}

lanes!(u16 u32 u64);
