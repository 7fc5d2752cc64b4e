//! The tower F_q ⊂ F_q² ⊂ F_q⁴, q = 2^m, m odd: s² = s + 1, t² = t + s.
//!
//! **About 59 bits of security at m = 1223, less below: for research and teaching only**
//! (see [the module](super)).
//!
//! Squaring k times fixes neither s nor t: s^(2^k) = s + k, and t^(2^k) = t + τ with τ = 0, s, 1,
//! s + 1 for k ≡ 0, 1, 2, 3 mod 4.

use super::field::BinaryField;
use core::ops::{Add, Mul};

/// c_0 + c_1 s of F_q².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quadratic<F>(pub [F; 2]);

/// (c_0 + c_1 s) + (c_2 + c_3 s) t of F_q⁴.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quartic<F>(pub [F; 4]);

/// g_0 + g_1 s + t: the value of a line at a distorted point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<F> {
    /// The coefficient of 1.
    pub g0: F,
    /// The coefficient of s.
    pub g1: F,
}

impl<F: BinaryField> Add for Quadratic<F> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (Self([a0, a1]), Self([b0, b1])) = (self, other);
        Self([a0 + b0, a1 + b1])
    }
}

/// Karatsuba: 3 products.
impl<F: BinaryField> Mul for Quadratic<F> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let (Self([a0, a1]), Self([b0, b1])) = (self, other);
        let low = a0 * b0;
        Self([low + a1 * b1, (a0 + a1) * (b0 + b1) + low])
    }
}

impl<F: BinaryField> Quadratic<F> {
    /// s · (a_0 + a_1 s) = a_1 + (a_0 + a_1) s.
    #[inline(always)]
    pub fn times_s(self) -> Self {
        let Self([a0, a1]) = self;
        Self([a1, a0 + a1])
    }

    /// 2 squarings.
    #[inline(always)]
    pub fn square(self) -> Self {
        let Self([a0, a1]) = self;
        let (a0, a1) = (a0.square(), a1.square());
        Self([a0 + a1, a1])
    }

    /// a_0 + a_1 s^(2^k).
    #[inline(always)]
    fn s_to_the_power(self, k: usize) -> Self {
        let Self([a0, a1]) = self;
        Self([if k % 2 == 1 { a0 + a1 } else { a0 }, a1])
    }

    /// (a_0 + a_1 s)⁻¹ = (a_0 + a_1 + a_1 s) / (a_0² + a_0 a_1 + a_1²), and 0 for 0.
    #[inline(always)]
    pub fn inverse(self) -> Self {
        let Self([a0, a1]) = self;
        let sum = a0 + a1;
        let over_norm = (a0 * sum + a1.square()).inverse();
        Self([sum * over_norm, a1 * over_norm])
    }
}

impl<F: BinaryField> Add for Quartic<F> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.halves(), other.halves());
        Self::from_halves([a + c, b + d])
    }
}

/// Karatsuba over Karatsuba: 9 products.
impl<F: BinaryField> Mul for Quartic<F> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.halves(), other.halves());
        let low = a * c;
        Self::from_halves([low + (b * d).times_s(), (a + b) * (c + d) + low])
    }
}

impl<F: BinaryField> Quartic<F> {
    /// 1.
    #[inline(always)]
    pub fn one() -> Self {
        Self([F::one(), F::zero(), F::zero(), F::zero()])
    }

    /// A and B of A + B t.
    #[inline(always)]
    pub fn halves(self) -> [Quadratic<F>; 2] {
        let Self([c0, c1, c2, c3]) = self;
        [Quadratic([c0, c1]), Quadratic([c2, c3])]
    }

    /// A + B t.
    #[inline(always)]
    pub fn from_halves([Quadratic([c0, c1]), Quadratic([c2, c3])]: [Quadratic<F>; 2]) -> Self {
        Self([c0, c1, c2, c3])
    }

    /// Karatsuba's operands: the product of two elements is made of the nine products of their
    /// operands, by [`Self::from_products`].
    #[inline(always)]
    pub fn operands(self) -> [F; 9] {
        let [a, b] = self.halves();
        let (Quadratic([a0, a1]), Quadratic([b0, b1]), Quadratic([c0, c1])) = (a, b, a + b);
        [a0, a1, a0 + a1, b0, b1, b0 + b1, c0, c1, c0 + c1]
    }

    /// x y from the products of the [operands](Self::operands) of x and of y.
    #[inline(always)]
    pub fn from_products([a0, a1, a2, b0, b1, b2, c0, c1, c2]: [F; 9]) -> Self {
        let low = Quadratic([a0 + a1, a2 + a0]);
        let (high, all) = (Quadratic([b0 + b1, b2 + b0]), Quadratic([c0 + c1, c2 + c0]));
        Self::from_halves([low + high.times_s(), all + low])
    }

    /// 4 squarings: (A + B t)² = A² + B² s + B² t.
    #[inline(always)]
    pub fn square(self) -> Self {
        let [a, b] = self.halves().map(Quadratic::square);
        Self::from_halves([a + b.times_s(), b])
    }

    /// The power 2^k.
    #[inline(always)]
    pub fn frobenius(self, k: usize) -> Self {
        let halves = Self(F::frobenius_each(self.0, k)).halves();
        let [a, b] = halves.map(|half| half.s_to_the_power(k));
        let a = match k % 4 {
            0 => a,
            1 => a + b.times_s(),
            2 => a + b,
            _ => a + b + b.times_s(),
        };
        Self::from_halves([a, b])
    }

    /// The power q²: t goes to t + 1. No operation but 2 additions.
    #[inline(always)]
    pub fn conjugate(self) -> Self {
        let [a, b] = self.halves();
        Self::from_halves([a + b, b])
    }

    /// The norm to F_q²: (A + B t)^(q² + 1) = A(A + B) + B² s.
    #[inline(always)]
    pub fn norm(self) -> Quadratic<F> {
        let [a, b] = self.halves();
        a * (a + b) + b.square().times_s()
    }

    /// 1/x, and 0 for 0.
    #[inline(always)]
    pub fn inverse(self) -> Self {
        let over_norm = self.norm().inverse();
        Self::from_halves(self.conjugate().halves().map(|half| half * over_norm))
    }

    /// x · (g_0 + g_1 s + t) in 6 products: (A + B t)(g + t) = A g + B s + (A + B + B g) t.
    #[inline(always)]
    pub fn times_line(self, line: Line<F>) -> Self {
        let [a, b] = self.halves();
        let g = Quadratic([line.g0, line.g1]);
        Self::from_halves([a * g + b.times_s(), a + b + b * g])
    }

    /// x to the power whose bits, 0 or 1 each, `bits` gives from the most significant: squares and
    /// multiplies for every bit.
    #[inline(always)]
    pub fn power(self, bits: impl IntoIterator<Item = F>) -> Self {
        bits.into_iter().fold(Self::one(), |power, bit| {
            let square = power.square();
            Self::choose(bit, square * self, square)
        })
    }

    /// `yes` if `bit` = 1, `no` if `bit` = 0.
    #[inline(always)]
    pub fn choose(bit: F, Self(yes): Self, Self(no): Self) -> Self {
        Self(core::array::from_fn(|i| bit.choose(yes[i], no[i])))
    }
}

impl<F: BinaryField> Line<F> {
    /// The line as an element of F_q⁴.
    #[inline(always)]
    pub fn to_quartic(self) -> Quartic<F> {
        Quartic([self.g0, self.g1, F::one(), F::zero()])
    }

    /// The product of two lines, 3 products: (g + t)(h + t) = g h + s + (g + h + 1) t.
    #[inline(always)]
    pub fn times(self, other: Self) -> Quartic<F> {
        let (g, h) = (Quadratic([self.g0, self.g1]), Quadratic([other.g0, other.g1]));
        let one = Quadratic([F::one(), F::zero()]);
        Quartic::from_halves([g * h + one.times_s(), g + h + one])
    }
}
