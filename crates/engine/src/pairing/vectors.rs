//! [`BinaryField`] over vectors of limbs.
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).

use super::lanes::{Backend, FourElements, LIMBS};
use super::limb::{Limb, Limbs, Powers};
use super::polynomial;
use super::types::Element;
use core::ops::{Add, Mul};
use manylane_primitives::pairing::{BinaryField, Eta1223, Parameters};

/// One element of F_2^1223 in each lane of ten vectors.
#[derive(Clone, Copy)]
pub(super) struct Vectors<V>(pub Limbs<V>);

impl<V: Limb> Vectors<V> {
    /// One element for each lane.
    #[inline(always)]
    pub fn load(elements: &[Element]) -> Self {
        assert!(elements.len() == V::LANES);
        let mut limbs = [V::splat([0, 0]); LIMBS];
        for i in 0..LIMBS {
            let mut words = [[0; 2]; 4];
            for j in 0..V::LANES {
                words[j] = [elements[j].limbs()[2 * i], elements[j].limbs()[2 * i + 1]];
            }
            limbs[i] = V::load(&words[..V::LANES]);
        }
        Self(limbs)
    }
    /// The inverse of [`Vectors::load`].
    #[inline(always)]
    pub fn store(self, elements: &mut [Element]) {
        assert!(elements.len() == V::LANES);
        let mut limbs = [[0; 2 * LIMBS]; 4];
        for i in 0..LIMBS {
            let mut words = [[0; 2]; 4];
            self.0[i].store(&mut words[..V::LANES]);
            for j in 0..V::LANES {
                [limbs[j][2 * i], limbs[j][2 * i + 1]] = words[j];
            }
        }
        for j in 0..V::LANES {
            elements[j] = Element::from_limbs(limbs[j]).expect("reduced");
        }
    }
}

impl<V: Powers> Backend for Vectors<V> {
    const LANES: usize = V::LANES;

    #[inline(always)]
    fn load(elements: &[Element]) -> Self {
        Vectors::load(elements)
    }
    #[inline(always)]
    fn store(self, elements: &mut [Element]) {
        Vectors::store(self, elements);
    }

    #[inline(always)]
    fn gather(fours: [&FourElements; 4], c: usize) -> Self {
        let mut limbs = [V::splat([0, 0]); LIMBS];
        for i in 0..LIMBS {
            limbs[i] =
                V::gather([&fours[0][i][c], &fours[1][i][c], &fours[2][i][c], &fours[3][i][c]]);
        }
        Self(limbs)
    }
    #[inline(always)]
    fn save(&self, fours: &mut [FourElements], i: usize) {
        let (four, lane) = (&mut fours[i * V::LANES / 4], i * V::LANES % 4);
        for k in 0..LIMBS {
            self.0[k].store(&mut four[k][lane..lane + V::LANES]);
        }
    }
    #[inline(always)]
    fn saved(fours: &[FourElements], i: usize) -> Self {
        let (four, lane) = (&fours[i * V::LANES / 4], i * V::LANES % 4);
        let mut limbs = [V::splat([0, 0]); LIMBS];
        for k in 0..LIMBS {
            limbs[k] = V::load(&four[k][lane..lane + V::LANES]);
        }
        Self(limbs)
    }
    #[inline(always)]
    fn square_each_from_first(fours: &mut [FourElements]) {
        let (first, rest) = fours.split_first_mut().expect("the first");
        let mut c = 0;
        while c < 4 {
            let mut limbs = [V::splat([0, 0]); LIMBS];
            for i in 0..LIMBS {
                limbs[i] = V::load(&first[i][c..c + V::LANES]);
            }
            for four in rest.iter_mut() {
                limbs = polynomial::square(&limbs);
                for i in 0..LIMBS {
                    limbs[i].store(&mut four[i][c..c + V::LANES]);
                }
            }
            c += V::LANES;
        }
    }
}

impl<V: Limb> Add for Vectors<V> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let mut sum = self;
        for i in 0..LIMBS {
            sum.0[i] = V::xor(self.0[i], other.0[i]);
        }
        sum
    }
}

impl<V: Limb> Mul for Vectors<V> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(V::multiply(&self.0, &other.0))
    }
}

impl<V: Powers> BinaryField for Vectors<V> {
    type Parameters = Eta1223;

    #[inline(always)]
    fn constant(value: Element) -> Self {
        let mut limbs = [V::splat([0, 0]); LIMBS];
        for i in 0..LIMBS {
            limbs[i] = V::splat([value.limbs()[2 * i], value.limbs()[2 * i + 1]]);
        }
        Self(limbs)
    }
    #[inline(always)]
    fn square(self) -> Self {
        Self(polynomial::square(&self.0))
    }
    #[inline(always)]
    fn square_root(self) -> Self {
        Self(polynomial::square_root(&self.0))
    }
    #[inline(always)]
    fn frobenius(mut self, n: usize) -> Self {
        V::frobenius(core::slice::from_mut(&mut self.0), n % Eta1223::M);
        self
    }
    #[inline(always)]
    fn frobenius_each(elements: [Self; 4], n: usize) -> [Self; 4] {
        let [a, b, c, d] = elements;
        let mut limbs = [a.0, b.0, c.0, d.0];
        V::frobenius(&mut limbs, n % Eta1223::M);
        let [a, b, c, d] = limbs;
        [Self(a), Self(b), Self(c), Self(d)]
    }
    /// a_0: see the plain element's.
    #[inline(always)]
    fn trace(self) -> Self {
        let mut trace = [V::splat([0, 0]); LIMBS];
        trace[0] = V::and(self.0[0], V::splat([1, 0]));
        Self(trace)
    }
    #[inline(always)]
    fn is_zero(self) -> Self {
        let mut bit = [V::splat([0, 0]); LIMBS];
        let mut any = self.0[0];
        for i in 1..LIMBS {
            any = V::or(any, self.0[i]);
        }
        bit[0] = any.is_zero();
        Self(bit)
    }
    #[inline(always)]
    fn choose(self, yes: Self, no: Self) -> Self {
        let mask = self.0[0].mask_of_bit_0();
        let mut chosen = no;
        for i in 0..LIMBS {
            let difference = V::and(V::xor(yes.0[i], no.0[i]), mask);
            chosen.0[i] = V::xor(no.0[i], difference);
        }
        chosen
    }
}
