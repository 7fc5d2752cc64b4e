//! 128-bit limbs of polynomials over F_2, one per lane of a vector.
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).

use super::lanes::LIMBS;

/// An element's limbs, least significant first.
pub(super) type Limbs<V> = [V; LIMBS];

/// A vector of 128-bit limbs, bit i being the coefficient of z^i: `a.lo` and `a.hi` are the words
/// of one lane. All operations act on each lane alone.
pub(super) trait Limb: Copy {
    /// Lanes of a vector.
    const LANES: usize;
    /// Whether [`Limb::xor3`] is one instruction.
    const ADDS_THREE: bool = false;

    /// The words `[lo, hi]` in every lane.
    fn splat(words: [u64; 2]) -> Self;
    /// The words of each lane, `LANES` of them.
    fn load(lanes: &[[u64; 2]]) -> Self;
    /// The words of each lane, those beyond `LANES` left out.
    fn gather(lanes: [&[u64; 2]; 4]) -> Self;
    /// The inverse of [`Limb::load`].
    fn store(self, lanes: &mut [[u64; 2]]);

    /// a + b.
    fn xor(a: Self, b: Self) -> Self;
    /// a + b + c.
    #[inline(always)]
    fn xor3(a: Self, b: Self, c: Self) -> Self {
        Self::xor(Self::xor(a, b), c)
    }
    /// Bits of `a` where `mask` has ones.
    fn and(a: Self, mask: Self) -> Self;
    /// Bits that are in `a` or in `b`.
    fn or(a: Self, b: Self) -> Self;

    /// even.lo² + z odd.lo² and even.hi² + z odd.hi²: the bits of both in turn.
    fn interleave(even: Self, odd: Self) -> [Self; 2];
    /// a.lo · b.hi.
    fn cross_product(a: Self, b: Self) -> Self;

    /// (a.lo, b.lo).
    fn low_words(a: Self, b: Self) -> Self;
    /// (a.hi, b.hi).
    fn high_words(a: Self, b: Self) -> Self;
    /// Bytes N to N + 15 of `low` and `high` in a row.
    fn bytes_from<const N: i32>(high: Self, low: Self) -> Self;
    /// Shifts each word of `a` ≫ N, filled from the low bits of the same word of `above`.
    fn shift_right<const N: i32, const REST: i32>(above: Self, a: Self) -> Self;

    /// Puts the bits of each byte in the order 0, 2, 4, 6, 1, 3, 5, 7 from the lowest on.
    fn even_bits_first(self) -> Self;
    /// Bytes 0, 2 … 14, 1, 3 … 15.
    fn even_bytes_first(self) -> Self;
    /// Each word ≫ 4.
    fn right_4(self) -> Self;
    /// Each word ≪ 4.
    fn left_4(self) -> Self;

    /// All ones where bit 0 of the lane is 1, else 0.
    fn mask_of_bit_0(self) -> Self;
    /// 1 where the lane is 0, else 0.
    fn is_zero(self) -> Self;

    /// a · b mod f, in a function of its own that is compiled for the vector's features.
    fn multiply(a: &Limbs<Self>, b: &Limbs<Self>) -> Limbs<Self>;
}

/// Limbs of elements that an engine raises to powers of two.
pub(super) trait Powers: Limb {
    /// Raises each of `elements` to the power 2^n, n < 1223, in a function of its own that is
    /// compiled for the vector's features.
    fn frobenius(elements: &mut [Limbs<Self>], n: usize);
}
