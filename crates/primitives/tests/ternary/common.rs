//! Random elements, plain polynomials over F_3, and plain integers.

use manylane_primitives::pairing::ternary::{Curve, Element, Parameters, Point};
use manylane_primitives::word::Words;

/// xorshift64*, seeded by a name.
pub struct Rng(u64);

impl Rng {
    pub fn from_name(name: &str) -> Self {
        Self(
            name.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| {
                (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
            }) | 1,
        )
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn polynomial<P: Parameters>(&mut self) -> Vec<i8> {
        (0..P::M).map(|_| (self.next() >> 33) as i8 % 3).map(|c| c % 2 + c / 2).collect()
    }

    pub fn element<P: Parameters>(&mut self) -> Element<P> {
        element(&self.polynomial::<P>())
    }

    /// A point of the subgroup.
    pub fn point<C: Curve>(&mut self) -> Point<Element<C>> {
        Point::from_seed(self.element()).expect("a point")
    }

    /// `bytes` big-endian bytes.
    pub fn scalar(&mut self, bytes: usize) -> Vec<u8> {
        (0..bytes).map(|_| self.next() as u8).collect()
    }
}

/// The element of coefficients −1, 0, 1, lowest first.
pub fn element<P: Parameters>(coefficients: &[i8]) -> Element<P> {
    let (mut one, mut minus_one) = (P::Limbs::splat(0), P::Limbs::splat(0));
    for (i, &c) in coefficients.iter().enumerate() {
        one.as_mut()[i / 64] |= u64::from(c == 1) << (i % 64);
        minus_one.as_mut()[i / 64] |= u64::from(c == -1) << (i % 64);
    }
    Element::from_planes(one, minus_one).expect("coefficients of degree below m")
}

pub fn coefficients<P: Parameters>(element: Element<P>) -> Vec<i8> {
    (0..P::M).map(|i| element.coefficient(i)).collect()
}

/// −1, 0 or 1.
pub fn balanced(c: i32) -> i8 {
    (c + 1).rem_euclid(3) as i8 - 1
}

/// Schoolbook product of polynomials, long division by f.
pub fn product<P: Parameters>(a: &[i8], b: &[i8]) -> Vec<i8> {
    let mut c = vec![0i32; a.len() + b.len()];
    for (i, &a) in a.iter().enumerate() {
        for (j, &b) in b.iter().enumerate() {
            c[i + j] += i32::from(a * b);
        }
    }
    for i in (P::M..c.len()).rev() {
        let leading = i32::from(balanced(c[i]));
        for &(e, positive) in P::TERMS.iter().chain(&[(P::M, true)]) {
            c[i - P::M + e] -= if positive { leading } else { -leading };
        }
    }
    c[..P::M].iter().map(|&c| balanced(c)).collect()
}

/// A natural number: bytes, lowest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Natural(Vec<u8>);

impl Natural {
    pub fn from(n: u8) -> Self {
        Self(vec![n])
    }

    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(bytes.iter().rev().copied().collect()).trimmed()
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().rev().copied().collect()
    }

    pub fn power_of_three(exponent: usize) -> Self {
        (0..exponent).fold(Self::from(1), |power, _| power.times(&Self::from(3)))
    }

    fn trimmed(mut self) -> Self {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }

    fn normal(digits: Vec<i64>) -> Self {
        let mut carry = 0;
        let mut bytes = Vec::new();
        for digit in digits.into_iter().chain([0; 8]) {
            carry += digit;
            bytes.push(carry.rem_euclid(256) as u8);
            carry = carry.div_euclid(256);
        }
        assert_eq!(carry, 0, "a natural number");
        Self(bytes).trimmed()
    }

    fn zip(&self, other: &Self, f: impl Fn(i64, i64) -> i64) -> Self {
        let digit = |n: &Self, i: usize| n.0.get(i).map_or(0, |&d| i64::from(d));
        let length = self.0.len().max(other.0.len());
        Self::normal((0..length).map(|i| f(digit(self, i), digit(other, i))).collect())
    }

    pub fn plus(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    pub fn minus(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a - b)
    }

    pub fn times(&self, other: &Self) -> Self {
        let mut digits = vec![0; self.0.len() + other.0.len()];
        for (i, &a) in self.0.iter().enumerate() {
            for (j, &b) in other.0.iter().enumerate() {
                digits[i + j] += i64::from(a) * i64::from(b);
            }
        }
        Self::normal(digits)
    }
}

/// N = 3^m + 1 + μ b 3^((m+1)/2).
pub fn group_order<C: Curve>() -> Natural {
    let base = Natural::power_of_three(C::M).plus(&Natural::from(1));
    let small = Natural::power_of_three(C::M.div_ceil(2));
    if C::MU_B_IS_POSITIVE { base.plus(&small) } else { base.minus(&small) }
}
