//! Two groups of lanes as one word, so that the second group's operations fill the waits of the
//! first: worth it where one message keeps fewer than about two operations in flight.

use super::{ByteOrder, ByteSub, Lanes, RotateVar, Word, operators};
use core::ops::Sub;

/// Lanes of `A`, twice.
#[derive(Clone, Copy)]
pub struct Pair<A>(pub(super) A, pub(super) A);

impl<A: Word + Sub<Output = A>> Pair<A> {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0, self.1 - other.1)
    }
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0, self.1 ^ other.1)
    }
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0, self.1 & other.1)
    }
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0, self.1 | other.1)
    }
    #[inline(always)]
    fn complement(self) -> Self {
        Self(!self.0, !self.1)
    }
    #[inline(always)]
    fn shift_left(self, n: usize) -> Self {
        Self(self.0 << n, self.1 << n)
    }
    #[inline(always)]
    fn shift_right(self, n: usize) -> Self {
        Self(self.0 >> n, self.1 >> n)
    }
}

operators!(Pair<A>, [A: Word + Sub<Output = A>]);

impl<A: Word + Sub<Output = A>> Word for Pair<A> {
    type Native = A::Native;
    #[inline(always)]
    fn constant(value: A::Native) -> Self {
        Self(A::constant(value), A::constant(value))
    }
    #[inline(always)]
    fn rotl(self, n: usize) -> Self {
        Self(self.0.rotl(n), self.1.rotl(n))
    }
    #[inline(always)]
    fn rotr(self, n: usize) -> Self {
        Self(self.0.rotr(n), self.1.rotr(n))
    }
    #[inline(always)]
    fn xor3(x: Self, y: Self, z: Self) -> Self {
        Self(A::xor3(x.0, y.0, z.0), A::xor3(x.1, y.1, z.1))
    }
    #[inline(always)]
    fn ch(x: Self, y: Self, z: Self) -> Self {
        Self(A::ch(x.0, y.0, z.0), A::ch(x.1, y.1, z.1))
    }
    #[inline(always)]
    fn maj(x: Self, y: Self, z: Self) -> Self {
        Self(A::maj(x.0, y.0, z.0), A::maj(x.1, y.1, z.1))
    }
    #[inline(always)]
    fn chi(x: Self, y: Self, z: Self) -> Self {
        Self(A::chi(x.0, y.0, z.0), A::chi(x.1, y.1, z.1))
    }
}

impl<A: Lanes + Sub<Output = A>> Lanes for Pair<A> {
    const LANES: usize = 2 * A::LANES;
    #[inline(always)]
    fn load(words: &[A::Native]) -> Self {
        Self(A::load(words), A::load(&words[A::LANES..]))
    }
    #[inline(always)]
    fn store(self, words: &mut [A::Native]) {
        self.0.store(words);
        self.1.store(&mut words[A::LANES..]);
    }
    #[inline(always)]
    unsafe fn load_block(block: &mut [Self], inputs: &[&[u8]], at: usize, order: ByteOrder) {
        let zero = A::constant(Default::default());
        let mut half = [zero; 32];
        let half = &mut half[..block.len()];
        // SAFETY: by the caller.
        unsafe { A::load_block(half, inputs, at, order) };
        for (pair, &word) in block.iter_mut().zip(half.iter()) {
            pair.0 = word;
        }
        // SAFETY: by the caller.
        unsafe { A::load_block(half, &inputs[A::LANES..], at, order) };
        for (pair, &word) in block.iter_mut().zip(half.iter()) {
            pair.1 = word;
        }
    }
    #[inline(always)]
    fn write_rows(
        words: &[A::Native],
        stride: usize,
        places: &[usize],
        bytes: usize,
        out: &mut [u8],
        order: ByteOrder,
    ) {
        let (first, second) = places.split_at(places.len().min(A::LANES));
        A::write_rows(words, stride, first, bytes, out, order);
        A::write_rows(&words[A::LANES..], stride, second, bytes, out, order);
    }
}

impl<A: ByteSub + Sub<Output = A>> ByteSub for Pair<A> {
    #[inline(always)]
    fn sub_bytes(self) -> Self {
        Self(self.0.sub_bytes(), self.1.sub_bytes())
    }
    #[inline(always)]
    fn xtime(self) -> Self {
        Self(self.0.xtime(), self.1.xtime())
    }
}

impl<A: RotateVar> RotateVar for Pair<A> {
    #[inline(always)]
    fn rotl_var(self, by: Self) -> Self {
        Self(self.0.rotl_var(by.0), self.1.rotl_var(by.1))
    }
    #[inline(always)]
    fn rotr_var(self, by: Self) -> Self {
        Self(self.0.rotr_var(by.0), self.1.rotr_var(by.1))
    }
}
