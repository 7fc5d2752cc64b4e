//! The plain element of F_3^m: two planes of 64-bit limbs, portable, constant-time.
//!
//! **Broken: for research and teaching only** (see [the module](super)).

use super::parameters::Parameters;
use super::planes::{self, Planes};
use crate::word::Words;
use core::fmt;
use core::ops::{Add, Mul, Neg, Sub};

// Operations stay calls: inlined wherever the pairing uses them, they gain nothing and compile for
// minutes.

/// One element of F_3^m, of degree below m. The time of its operations does not depend on its
/// value.
#[derive(Clone, Copy)]
pub struct Element<P: Parameters>(pub(super) Planes<P::Limbs>);

impl<P: Parameters> Element<P> {
    /// What the reduction asks of f and of the lengths.
    const WELL_FORMED: () = {
        assert!(P::M % 2 == 1 && P::M % 3 != 0 && P::M % 64 != 0, "m must be coprime to 6");
        assert!(P::Limbs::LEN == P::M.div_ceil(64), "Limbs must be ⌈m/64⌉ long");
        assert!(P::Product::LEN == 2 * P::Limbs::LEN, "Product must be twice as long as Limbs");
        assert!(P::Cube::LEN == 3 * P::Limbs::LEN, "Cube must be three times as long as Limbs");
        let mut i = 0;
        while i < P::TERMS.len() {
            assert!(P::TERMS[i].0 + 64 <= P::M, "the exponents of f must be at most m − 64");
            i += 1;
        }
    };

    /// 0 or 1, from the lowest bit of `bit`.
    #[inline(always)]
    pub fn from_bit(bit: u64) -> Self {
        const { Self::WELL_FORMED };
        let mut planes = Planes::zero();
        planes.set(0, Planes(bit & 1, 0));
        Self(planes)
    }

    /// Makes an element of the coefficients that are 1 and those that are −1, if they are of degree
    /// below m and none is both.
    pub fn from_planes(one: P::Limbs, minus_one: P::Limbs) -> Option<Self> {
        const { Self::WELL_FORMED };
        let (a, b) = (one.as_ref(), minus_one.as_ref());
        let both = a.iter().zip(b).any(|(&a, &b)| a & b != 0);
        let top = a[P::Limbs::LEN - 1] | b[P::Limbs::LEN - 1];
        (!both && top >> (P::M % 64) == 0).then_some(Self(Planes(one, minus_one)))
    }

    /// The coefficients that are 1 and those that are −1.
    pub fn planes(&self) -> [&P::Limbs; 2] {
        [&self.0.0, &self.0.1]
    }

    /// Coefficient `i`: 0, 1 or −1.
    ///
    /// # Panics
    /// If i ≥ m.
    pub fn coefficient(&self, i: usize) -> i8 {
        assert!(i < P::M, "coefficient {i} of a polynomial of degree below {}", P::M);
        let Planes(one, two) = self.0.get(i / 64);
        (one >> (i % 64) & 1) as i8 - (two >> (i % 64) & 1) as i8
    }

    /// The lowest bit of the plane of ones: 1 for 1, 0 for 0.
    #[inline(always)]
    pub(super) fn bit0(self) -> u64 {
        self.0.get(0).0 & 1
    }
}

impl<P: Parameters> Add for Element<P> {
    type Output = Self;
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        Self(self.0.plus(&other.0))
    }
}

impl<P: Parameters> Neg for Element<P> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.negated())
    }
}

impl<P: Parameters> Sub for Element<P> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl<P: Parameters> Mul for Element<P> {
    type Output = Self;
    #[inline(never)]
    fn mul(self, other: Self) -> Self {
        Self(planes::multiply::<P>(&self.0, &other.0))
    }
}

/// The coefficients from x^(m−1) down, 2 for −1.
impl<P: Parameters> fmt::Debug for Element<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..P::M).rev().try_for_each(|i| write!(f, "{}", self.coefficient(i).rem_euclid(3)))
    }
}
