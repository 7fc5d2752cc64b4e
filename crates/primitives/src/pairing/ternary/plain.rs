//! The ternary pairing's field computed on plain elements.

use super::element::Element;
use super::field::{Ring, TernaryField};
use super::parameters::Parameters;
use super::planes::{self, Planes};
use crate::word::Words;
use core::hint::black_box;

impl<P: Parameters> Ring for Element<P> {
    #[inline(always)]
    fn zero() -> Self {
        Self::from_bit(0)
    }
    #[inline(always)]
    fn one() -> Self {
        Self::from_bit(1)
    }
    /// n mod m cubes, or as many roots as are missing to m.
    #[inline(never)]
    fn frobenius(self, n: usize) -> Self {
        let n = n % P::M;
        match n <= P::M - n {
            true => (0..n).fold(self, |a, _| a.cube()),
            false => (n..P::M).fold(self, |a, _| a.cube_root()),
        }
    }
}

impl<P: Parameters> TernaryField for Element<P> {
    type Parameters = P;

    #[inline(always)]
    fn constant(value: Self) -> Self {
        value
    }
    #[inline(never)]
    fn cube(self) -> Self {
        Self(planes::cube::<P>(&self.0))
    }
    #[inline(never)]
    fn cube_root(self) -> Self {
        Self(planes::cube_root::<P>(&self.0))
    }
    #[inline(never)]
    fn is_zero(self) -> Self {
        let any = (0..P::Limbs::LEN).fold(0, |any, i| any | self.0.get(i).0 | self.0.get(i).1);
        Self::from_bit(1 ^ (any | any.wrapping_neg()) >> 63)
    }
    #[inline(never)]
    fn choose(self, yes: Self, no: Self) -> Self {
        // `black_box` hides that the mask is all ones or zero: the compiler would branch on it.
        let mask = black_box(self.bit0().wrapping_neg());
        let mut chosen = no.0;
        for i in 0..P::Limbs::LEN {
            let (Planes(y1, y2), Planes(n1, n2)) = (yes.0.get(i), no.0.get(i));
            chosen.set(i, Planes(n1 ^ (n1 ^ y1) & mask, n2 ^ (n2 ^ y2) & mask));
        }
        Self(chosen)
    }
}

impl<P: Parameters> PartialEq for Element<P> {
    fn eq(&self, other: &Self) -> bool {
        (*self - *other).is_zero().bit0() == 1
    }
}

impl<P: Parameters> Eq for Element<P> {}
