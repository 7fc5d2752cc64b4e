//! Two interleaved groups of lanes as one word: operations of the second group run while those of
//! the first wait. This pays if one message keeps fewer than about two operations in flight. A
//! group may itself be a pair, and the two may differ in width: a pair beside a single group makes
//! three groups.

use super::{ByteOrder, ByteSub, Lanes, RotateVar, Unit, Word, operators};
use core::marker::PhantomData;
use core::ops::Sub;

/// Lanes of `A`, then those of `B`; `O` says in which order the two groups' operations come.
#[derive(Clone, Copy)]
pub struct Pair<A, O = AnyOrder, B = A>(pub(super) A, pub(super) B, PhantomData<O>);

/// The order of a [`Pair`]'s operations.
pub trait Order<A, B = A>: Copy {
    /// Returns the words of both groups unchanged. An order may tie both to this point of the code.
    fn keep(x: A, y: B) -> (A, B);
}

/// The compiler chooses the order: it may compute one group after the other, to keep fewer words in
/// registers.
#[derive(Clone, Copy)]
pub struct AnyOrder;

impl<A, B> Order<A, B> for AnyOrder {
    #[inline(always)]
    fn keep(x: A, y: B) -> (A, B) {
        (x, y)
    }
}

impl<A, O, B> Pair<A, O, B> {
    /// Two groups side by side: the lanes of `first`, then those of `second`.
    #[inline(always)]
    pub(crate) fn of(first: A, second: B) -> Self {
        Self(first, second, PhantomData)
    }
    /// The words of the two groups.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) fn halves(self) -> (A, B) {
        (self.0, self.1)
    }
}

impl<A, O, B> Pair<A, O, B>
where
    A: Word + Sub<Output = A>,
    O: Order<A, B>,
    B: Word<Native = A::Native> + Sub<Output = B>,
{
    #[inline(always)]
    fn kept(first: A, second: B) -> Self {
        let (first, second) = O::keep(first, second);
        Self::of(first, second)
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::of(self.0 + other.0, self.1 + other.1)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::of(self.0 - other.0, self.1 - other.1)
    }
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self::of(self.0 ^ other.0, self.1 ^ other.1)
    }
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self::of(self.0 & other.0, self.1 & other.1)
    }
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self::of(self.0 | other.0, self.1 | other.1)
    }
    #[inline(always)]
    fn complement(self) -> Self {
        Self::of(!self.0, !self.1)
    }
    #[inline(always)]
    fn shift_left(self, n: usize) -> Self {
        Self::of(self.0 << n, self.1 << n)
    }
    #[inline(always)]
    fn shift_right(self, n: usize) -> Self {
        Self::of(self.0 >> n, self.1 >> n)
    }
}

operators!(Pair<A, O, B>, [
    A: Word + Sub<Output = A>,
    O: Order<A, B>,
    B: Word<Native = A::Native> + Sub<Output = B>,
]);

impl<A, O, B> Word for Pair<A, O, B>
where
    A: Word + Sub<Output = A>,
    O: Order<A, B>,
    B: Word<Native = A::Native> + Sub<Output = B>,
{
    type Native = A::Native;
    #[inline(always)]
    fn constant(value: A::Native) -> Self {
        Self::of(A::constant(value), B::constant(value))
    }
    #[inline(always)]
    fn rotl(self, n: usize) -> Self {
        Self::kept(self.0.rotl(n), self.1.rotl(n))
    }
    #[inline(always)]
    fn rotr(self, n: usize) -> Self {
        Self::kept(self.0.rotr(n), self.1.rotr(n))
    }
    #[inline(always)]
    fn xor3(x: Self, y: Self, z: Self) -> Self {
        Self::of(A::xor3(x.0, y.0, z.0), B::xor3(x.1, y.1, z.1))
    }
    #[inline(always)]
    fn ch(x: Self, y: Self, z: Self) -> Self {
        Self::of(A::ch(x.0, y.0, z.0), B::ch(x.1, y.1, z.1))
    }
    #[inline(always)]
    fn maj(x: Self, y: Self, z: Self) -> Self {
        Self::of(A::maj(x.0, y.0, z.0), B::maj(x.1, y.1, z.1))
    }
    #[inline(always)]
    fn chi(x: Self, y: Self, z: Self) -> Self {
        Self::of(A::chi(x.0, y.0, z.0), B::chi(x.1, y.1, z.1))
    }
}

#[cfg(target_feature = "simd128")]
impl<A, O, B> Pair<A, O, B>
where
    A: Lanes + Sub<Output = A>,
    O: Order<A, B>,
    B: Lanes<Native = A::Native> + Sub<Output = B>,
{
    /// [`Lanes::load_block`], a few words at a time: on WebAssembly a long array of zeros is filled
    /// by a call, which takes as long as some rounds.
    ///
    /// # Safety
    /// As for [`Lanes::load_block`].
    #[inline(always)]
    unsafe fn load_by_parts(block: &mut [Self], inputs: &[&[u8]], at: usize, order: ByteOrder) {
        let (parts, rest) = block.as_chunks_mut::<4>();
        let mut at = at;
        for part in parts {
            // SAFETY: by the caller.
            unsafe { Self::load_part(part, inputs, at, order) };
            at += 4 * size_of::<A::Native>();
        }
        for word in rest {
            // SAFETY: by the caller.
            unsafe { Self::load_part(core::array::from_mut(word), inputs, at, order) };
            at += size_of::<A::Native>();
        }
    }

    /// # Safety
    /// As for [`Lanes::load_block`].
    #[inline(always)]
    unsafe fn load_part<const N: usize>(
        part: &mut [Self; N],
        inputs: &[&[u8]],
        at: usize,
        order: ByteOrder,
    ) {
        let (mut first, mut second) = ([part[0].0; N], [part[0].1; N]);
        // SAFETY: by the caller.
        unsafe {
            A::load_block(&mut first, inputs, at, order);
            B::load_block(&mut second, &inputs[A::LANES..], at, order);
        }
        *part = core::array::from_fn(|i| Self::of(first[i], second[i]));
    }
}

impl<A, O, B> Lanes for Pair<A, O, B>
where
    A: Lanes + Sub<Output = A>,
    O: Order<A, B>,
    B: Lanes<Native = A::Native> + Sub<Output = B>,
{
    const LANES: usize = A::LANES + B::LANES;
    #[inline(always)]
    fn load(words: &[A::Native]) -> Self {
        Self::of(A::load(words), B::load(&words[A::LANES..]))
    }
    #[inline(always)]
    fn store(self, words: &mut [A::Native]) {
        self.0.store(words);
        self.1.store(&mut words[A::LANES..]);
    }
    #[inline(always)]
    unsafe fn load_block(block: &mut [Self], inputs: &[&[u8]], at: usize, order: ByteOrder) {
        // SAFETY: by the caller.
        #[cfg(target_feature = "simd128")]
        unsafe {
            Self::load_by_parts(block, inputs, at, order);
        }
        #[cfg(not(target_feature = "simd128"))]
        {
            let mut first = [A::constant(Default::default()); 32];
            let first = &mut first[..block.len()];
            // SAFETY: by the caller.
            unsafe { A::load_block(first, inputs, at, order) };
            for (pair, &word) in block.iter_mut().zip(first.iter()) {
                pair.0 = word;
            }
            let mut second = [B::constant(Default::default()); 32];
            let second = &mut second[..block.len()];
            // SAFETY: by the caller.
            unsafe { B::load_block(second, &inputs[A::LANES..], at, order) };
            for (pair, &word) in block.iter_mut().zip(second.iter()) {
                pair.1 = word;
            }
        }
    }
    #[inline(always)]
    fn write_end(row: &[u8], padding: &[Unit], end: &mut [Unit]) {
        A::write_end(row, padding, end);
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
        if A::LANES.is_multiple_of(B::LANES) {
            // Words lie lane by lane, whichever type computed them. So a loop of `B`'s stores
            // serves all groups, and their code is there once.
            for (group, places) in places.chunks(B::LANES).enumerate() {
                B::write_rows(&words[group * B::LANES..], stride, places, bytes, out, order);
            }
            return;
        }
        let (first, second) = places.split_at(places.len().min(A::LANES));
        A::write_rows(words, stride, first, bytes, out, order);
        B::write_rows(&words[A::LANES..], stride, second, bytes, out, order);
    }
}

impl<A: ByteSub + Sub<Output = A>, O: Order<A>> ByteSub for Pair<A, O> {
    #[inline(always)]
    fn sub_bytes(self) -> Self {
        Self::of(self.0.sub_bytes(), self.1.sub_bytes())
    }
    #[inline(always)]
    fn xtime(self) -> Self {
        Self::of(self.0.xtime(), self.1.xtime())
    }
}

impl<A: RotateVar + Sub<Output = A>, O: Order<A>> RotateVar for Pair<A, O> {
    #[inline(always)]
    fn rotl_var(self, by: Self) -> Self {
        Self::of(self.0.rotl_var(by.0), self.1.rotl_var(by.1))
    }
    #[inline(always)]
    fn rotr_var(self, by: Self) -> Self {
        Self::of(self.0.rotr_var(by.0), self.1.rotr_var(by.1))
    }
}
