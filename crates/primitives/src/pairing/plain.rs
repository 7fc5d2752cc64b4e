//! The pairing's field computed on plain elements.

use super::element::Element;
use super::field::BinaryField;
use super::limbs;
use super::parameters::Parameters;
use core::hint::black_box;

impl<P: Parameters> BinaryField for Element<P> {
    type Parameters = P;

    #[inline(always)]
    fn constant(value: Self) -> Self {
        value
    }
    #[inline(always)]
    fn square(mut self) -> Self {
        self.square_assign();
        self
    }
    #[inline(always)]
    fn square_root(mut self) -> Self {
        self.square_root_assign();
        self
    }
    #[inline(always)]
    fn square_assign(&mut self) {
        limbs::square::<P>(&mut self.limbs);
    }
    #[inline(always)]
    fn square_root_assign(&mut self) {
        limbs::square_root::<P>(&mut self.limbs);
    }
    /// a_0: for 0 < i < m, the power sum Tr(z^i) is 0 by Newton's identities, every e_k of f but
    /// the last having k even; and Tr(1) = m mod 2 = 1.
    #[inline(always)]
    fn trace(self) -> Self {
        Self::from_bit(self.bit0())
    }
    #[inline(never)]
    fn is_zero(self) -> Self {
        let any = self.limbs.as_ref().iter().fold(0, |any, &limb| any | limb);
        Self::from_bit(1 ^ (any | any.wrapping_neg()) >> 63)
    }
    #[inline(never)]
    fn choose(self, yes: Self, mut no: Self) -> Self {
        // `black_box` hides that the mask is all ones or zero: the compiler would branch on it.
        let mask = black_box(self.bit0().wrapping_neg());
        for (no, &yes) in no.limbs.as_mut().iter_mut().zip(yes.limbs.as_ref()) {
            *no ^= (*no ^ yes) & mask;
        }
        no
    }
}

impl<P: Parameters> PartialEq for Element<P> {
    fn eq(&self, other: &Self) -> bool {
        (*self + *other).is_zero().bit0() == 1
    }
}

impl<P: Parameters> Eq for Element<P> {}
