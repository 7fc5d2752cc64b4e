//! Polynomials over F_3 as two planes of bits, coefficient i in bit i mod 64 of limb ⌊i/64⌋ of
//! each: 0 = (0, 0), 1 = (1, 0), −1 = (0, 1). Constant-time.
//!
//! **Broken: for research and teaching only** (see [the module](super)).

use super::parameters::{Parameters, Term};
use crate::word::Words;
use core::hint::black_box;

/// The coefficients that are 1 and those that are −1.
#[derive(Clone, Copy)]
pub(super) struct Planes<A>(pub A, pub A);

/// 64 coefficients.
type Limb = Planes<u64>;

impl Limb {
    const ZERO: Self = Self(0, 0);

    /// Seven operations (Harrison, Page and Smart 2002).
    #[inline(always)]
    fn plus(self, Self(b1, b2): Self) -> Self {
        let Self(a1, a2) = self;
        let t = (a1 | b2) ^ (a2 | b1);
        Self((a2 | b2) ^ t, (a1 | b1) ^ t)
    }

    #[inline(always)]
    fn negated(self) -> Self {
        Self(self.1, self.0)
    }

    /// Each coefficient times the one that fills all bits of `by`.
    #[inline(always)]
    fn times(self, Self(b1, b2): Self) -> Self {
        let Self(a1, a2) = self;
        Self(a1 & b1 | a2 & b2, a1 & b2 | a2 & b1)
    }

    #[inline(always)]
    fn map(self, f: impl Fn(u64) -> u64) -> Self {
        Self(f(self.0), f(self.1))
    }
}

impl<A: Words<u64>> Planes<A> {
    /// The polynomial 0.
    #[inline(always)]
    pub fn zero() -> Self {
        Self(A::splat(0), A::splat(0))
    }

    /// Limb i: the coefficients of x^(64 i) to x^(64 i + 63).
    #[inline(always)]
    pub fn get(&self, i: usize) -> Limb {
        Planes(self.0.as_ref()[i], self.1.as_ref()[i])
    }

    /// Replaces limb i.
    #[inline(always)]
    pub fn set(&mut self, i: usize, Planes(one, two): Limb) {
        self.0.as_mut()[i] = one;
        self.1.as_mut()[i] = two;
    }

    #[inline(always)]
    fn add_limb(&mut self, i: usize, limb: Limb) {
        self.set(i, self.get(i).plus(limb));
    }

    /// Adds a limb of coefficients from x^`at` on. What lies beyond the end must be 0.
    #[inline(always)]
    fn add_at(&mut self, at: usize, limb: Limb) {
        let (i, bits) = (at / 64, at % 64);
        self.add_limb(i, limb.map(|word| word << bits));
        if bits != 0 && i + 1 < A::LEN {
            self.add_limb(i + 1, limb.map(|word| word >> (64 - bits)));
        }
    }

    /// The sum, coefficient by coefficient.
    #[inline(always)]
    pub fn plus(mut self, other: &Self) -> Self {
        for i in 0..A::LEN {
            self.add_limb(i, other.get(i));
        }
        self
    }

    /// The additive inverse: both planes change places.
    #[inline(always)]
    pub fn negated(self) -> Self {
        Self(self.1, self.0)
    }

    /// · x.
    #[inline(always)]
    fn shift(&mut self) {
        for plane in [self.0.as_mut(), self.1.as_mut()] {
            for i in (1..A::LEN).rev() {
                plane[i] = plane[i] << 1 | plane[i - 1] >> 63;
            }
            plane[0] <<= 1;
        }
    }
}

/// a · b mod f. From the top bit of all limbs of b to the lowest: shift, and add each limb's bit
/// times a.
#[inline(always)]
pub(super) fn multiply<P: Parameters>(
    a: &Planes<P::Limbs>,
    b: &Planes<P::Limbs>,
) -> Planes<P::Limbs> {
    let mut product = Planes::<P::Product>::zero();
    for bit in (0..64).rev() {
        product.shift();
        for j in 0..P::Limbs::LEN {
            // `black_box` hides that a mask is all ones or zero: the compiler might branch on it.
            let by = b.get(j).map(|word| black_box((word >> bit & 1).wrapping_neg()));
            for i in 0..P::Limbs::LEN {
                product.add_limb(i + j, a.get(i).times(by));
            }
        }
    }
    reduce::<P, _>(product)
}

/// a³ mod f: coefficient i goes to x^(3i).
#[inline(always)]
pub(super) fn cube<P: Parameters>(a: &Planes<P::Limbs>) -> Planes<P::Limbs> {
    let mut cube = Planes::<P::Cube>::zero();
    for i in 0..P::Limbs::LEN {
        let Planes(one, two) = a.get(i);
        for (k, (one, two)) in spread(one).into_iter().zip(spread(two)).enumerate() {
            cube.set(3 * i + k, Planes(one, two));
        }
    }
    reduce::<P, _>(cube)
}

/// ∛a = A_0 + A_1 x^(1/3) + A_2 x^(2/3), A_k being the polynomial of the coefficients a_(3i+k).
#[inline(always)]
pub(super) fn cube_root<P: Parameters>(a: &Planes<P::Limbs>) -> Planes<P::Limbs> {
    let mut root = Planes::<P::Product>::zero();
    for j in 0..P::Limbs::LEN {
        for k in 0..3 {
            // 64 ≡ 1 mod 3: bit 3i + k of all is bit b of this limb, and every third from there.
            let b = (k + 2 * j) % 3;
            let gathered = a.get(j).map(|word| gather(word >> b));
            let i = (64 * j + b - k) / 3;
            match k {
                0 => root.add_at(i, gathered),
                _ => add_terms(&mut root, i, gathered, P::ROOTS[k - 1]),
            }
        }
    }
    reduce::<P, _>(root)
}

/// Adds a limb of coefficients from x^`at` on, times Σ ± x^e.
#[inline(always)]
fn add_terms<A: Words<u64>>(sum: &mut Planes<A>, at: usize, limb: Limb, terms: &[Term]) {
    for &(e, positive) in terms {
        sum.add_at(at + e, if positive { limb } else { limb.negated() });
    }
}

/// `c` mod f, of degree below m: each limb from the top folds by x^m = −Σ ± x^e.
#[inline(always)]
fn reduce<P: Parameters, A: Words<u64>>(mut c: Planes<A>) -> Planes<P::Limbs> {
    let n = P::Limbs::LEN;
    for i in (n..A::LEN).rev() {
        let t = c.get(i).negated();
        c.set(i, Limb::ZERO);
        add_terms(&mut c, 64 * i - P::M, t, P::TERMS);
    }
    // The top limb holds coefficients from x^m on.
    let top = c.get(n - 1);
    let excess = top.map(|word| word >> (P::M % 64));
    c.set(n - 1, top.map(|word| word & ((1 << (P::M % 64)) - 1)));
    add_terms(&mut c, 0, excess.negated(), P::TERMS);
    let mut reduced = Planes::zero();
    for i in 0..n {
        reduced.set(i, c.get(i));
    }
    reduced
}

/// Masks of the steps between 21 bits in a row and every third of 63.
const STEPS: [(u32, u64); 5] = [
    (32, 0x001f_0000_0000_ffff),
    (16, 0x001f_0000_ff00_00ff),
    (8, 0x100f_00f0_0f00_f00f),
    (4, 0x10c3_0c30_c30c_30c3),
    (2, 0x1249_2492_4924_9249),
];

/// Bit i of `word` at bit 3i of three limbs.
#[inline(always)]
fn spread(word: u64) -> [u64; 3] {
    let [a, b, c] = [0, 21, 42].map(|at| {
        let low = word >> at & 0x1f_ffff;
        STEPS.iter().fold(low, |x, &(by, mask)| (x | x << by) & mask)
    });
    [a | b << 63, b >> 1 | c << 62, c >> 2 | word >> 63 << 61]
}

/// Bits 0, 3, …, 63 of `word` in a row.
#[inline(always)]
fn gather(word: u64) -> u64 {
    let mut x = word & STEPS[4].1;
    for step in (0..4).rev() {
        x = (x | x >> STEPS[step + 1].0) & STEPS[step].1;
    }
    (x | x >> STEPS[0].0) & 0x1f_ffff | word >> 63 << 21
}
