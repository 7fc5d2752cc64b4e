//! SIMD lanes: vectors whose every element is a word of another message.
//!
//! ```text
//! scalar, portable, avx2, avx512, neon, simd128    the lanes of each instruction set
//! laned    from an integer type to its lanes       pair   two groups of lanes, interleaved
//! step     the order of their operations           ahead  lanes that prefetch
//! blocks   lanes over the blocks of a message      row    words of a message side by side
//! anchor   words that are tied to a place in the code, on WebAssembly
//! ```
//!
//! A lane type is a [`Word`], so each primitive runs on it unchanged. The types are only ever used
//! below a `#[target_feature]` shell of [`crate::kernels::shell`], which is entered only on a CPU
//! that has the instructions; nothing outside this crate can name them, so no safe caller can get
//! there by another way.

#[cfg(target_arch = "x86_64")]
pub mod ahead;
#[cfg(target_feature = "simd128")]
pub mod anchor;
#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
pub mod blocks;
pub mod laned;
#[cfg(target_arch = "aarch64")]
pub mod neon;
pub mod pair;
pub mod portable;
#[cfg(target_arch = "x86_64")]
pub mod row;
mod scalar;
#[cfg(target_feature = "simd128")]
pub mod simd128;
#[cfg(target_arch = "x86_64")]
pub mod step;

use manylane_primitives::word::{ByteOrder, ByteSub, Native, RotateVar, Word};

/// Bytes that are copied at once. Padded ends lie in whole units.
pub type Unit = [u8; 64];

/// Writes a padded end to `end`: `padding`, and `row` from byte `at` on, where the padding has
/// zeros.
///
/// # Panics
/// If `padding` has another length, or the row does not fit.
#[inline(always)]
pub fn put_row(row: &[u8], at: usize, padding: &[Unit], end: &mut [Unit]) {
    end.copy_from_slice(padding);
    end.as_flattened_mut()[at..][..row.len()].copy_from_slice(row);
}

/// A [`Word`] that holds one word of each of [`Lanes::LANES`] messages.
pub trait Lanes: Word {
    /// Messages side by side.
    const LANES: usize;

    /// Takes one word per lane.
    ///
    /// # Panics
    /// If `words` holds fewer than `LANES` words.
    fn load(words: &[Self::Native]) -> Self;

    /// Gives one word per lane.
    ///
    /// # Panics
    /// If `words` holds fewer than `LANES` words.
    fn store(self, words: &mut [Self::Native]);

    /// Reads `block.len()` words from byte `at` of each lane's input: the transposition of
    /// `LANES` rows of bytes to vectors of words.
    ///
    /// # Safety
    /// The first `LANES` inputs must each have the bytes of the block from byte `at`. The caller
    /// checks this once for all blocks; a check for each block would cost short kernels up to 4 %.
    ///
    /// # Panics
    /// If there are fewer inputs.
    unsafe fn load_block(block: &mut [Self], inputs: &[&[u8]], at: usize, order: ByteOrder);

    /// [`put_row`] at byte 0, for lanes that do it without a branch on the length of the row.
    #[inline(always)]
    fn write_end(row: &[u8], padding: &[Unit], end: &mut [Unit]) {
        put_row(row, 0, padding, end);
    }

    /// Writes the first `bytes` bytes of the words of each of the first lanes to its place in
    /// `out`: the transposition of vectors of words to rows of bytes. Word i of lane l is `words[i
    /// * stride + l]`.
    ///
    /// # Panics
    /// If there are more places than lanes, one does not lie in `out`, or there are fewer words.
    #[inline(always)]
    fn write_rows(
        words: &[Self::Native],
        stride: usize,
        places: &[usize],
        bytes: usize,
        out: &mut [u8],
        order: ByteOrder,
    ) {
        assert!(places.len() <= Self::LANES);
        for (lane, &place) in places.iter().enumerate() {
            let mut words = words[lane..].iter().step_by(stride);
            // Whole words are copied without a call of `memcpy`, which would take longer for each
            // word than everything else.
            let mut row = out[place..][..bytes].chunks_exact_mut(Self::Native::BYTES);
            for (bytes, word) in row.by_ref().zip(words.by_ref()) {
                word.write(bytes, order);
            }
            let rest = row.into_remainder();
            if !rest.is_empty()
                && let Some(word) = words.next()
            {
                let mut whole = [0; 8];
                word.write(&mut whole, order);
                rest.copy_from_slice(&whole[..rest.len()]);
            }
        }
    }
}

/// Implements the operators that [`Word`] asks for through a type's inherent functions of the same
/// names, each `#[inline(always)]`.
macro_rules! operators {
    ($type:ty $(, [$($generics:tt)*])?) => {
        operators!(@binary $type, [$($($generics)*)?],
            Add add, BitXor bitxor, BitAnd bitand, BitOr bitor, Sub sub);
        impl $(<$($generics)*>)? core::ops::Not for $type {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                <$type>::complement(self)
            }
        }
        impl $(<$($generics)*>)? core::ops::Shl<usize> for $type {
            type Output = Self;
            #[inline(always)]
            fn shl(self, n: usize) -> Self {
                <$type>::shift_left(self, n)
            }
        }
        impl $(<$($generics)*>)? core::ops::Shr<usize> for $type {
            type Output = Self;
            #[inline(always)]
            fn shr(self, n: usize) -> Self {
                <$type>::shift_right(self, n)
            }
        }
    };
    (@binary $type:ty, $generics:tt, $($trait:ident $method:ident),*) => {
        $( operators!(@one $type, $generics, $trait $method); )*
    };
    (@one $type:ty, [$($generics:tt)*], $trait:ident $method:ident) => {
        impl<$($generics)*> core::ops::$trait for $type {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                <$type>::$method(self, other)
            }
        }
    };
}
pub(crate) use operators;
