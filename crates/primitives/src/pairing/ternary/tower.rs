//! The tower F_q ⊂ F_q² ⊂ F_q⁶, q = 3^m: σ² = −1 and ρ³ = ρ + b; and F_q³ with the same ρ.
//!
//! **Broken: for research and teaching only** (see [the module](super)).
//!
//! Cubing k times: σ^(3^k) = (−1)^k σ, ρ^(3^k) = ρ + k b.

use super::curve::CurveField;
use super::field::{Ring, TernaryField, times};
use super::parameters::{Curve, Parameters};
use core::marker::PhantomData;
use core::ops::{Add, Mul, Neg, Sub};

/// c_0 + c_1 σ of F_q².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quadratic<F>(pub [F; 2]);

/// c_0 + c_1 ρ + c_2 ρ² over a ring R, with the b of a curve C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cubic<R, C>(pub [R; 3], PhantomData<C>);

/// An element of F_q⁶.
pub type Sextic<F> = Cubic<Quadratic<F>, <F as TernaryField>::Parameters>;

/// g_0 + g_1 σ + g_2 ρ − ρ²: the value of a tripling at a distorted point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sparse<F> {
    /// The coefficients of 1 and σ.
    pub constant: Quadratic<F>,
    /// The coefficient of ρ.
    pub rho: F,
}

/// Sums and differences, coefficient by coefficient.
macro_rules! coefficientwise {
    ([$($generics:tt)*] $type:ty, $make:expr) => {
        impl<$($generics)*> Add for $type {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                $make(core::array::from_fn(|i| self.0[i] + other.0[i]))
            }
        }
        impl<$($generics)*> Sub for $type {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                $make(core::array::from_fn(|i| self.0[i] - other.0[i]))
            }
        }
        impl<$($generics)*> Neg for $type {
            type Output = Self;
            fn neg(self) -> Self {
                $make(self.0.map(|c| -c))
            }
        }
    };
}
coefficientwise!([F: Ring] Quadratic<F>, Quadratic);
coefficientwise!([R: Ring, C: Curve] Cubic<R, C>, Cubic::new);

/// Karatsuba: 3 products.
impl<F: Ring> Mul for Quadratic<F> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let (Self([a0, a1]), Self([b0, b1])) = (self, other);
        let (low, high) = (a0 * b0, a1 * b1);
        Self([low - high, (a0 + a1) * (b0 + b1) - low - high])
    }
}

impl<F: Ring> Ring for Quadratic<F> {
    fn zero() -> Self {
        Self([F::zero(), F::zero()])
    }
    fn one() -> Self {
        Self([F::one(), F::zero()])
    }
    fn frobenius(self, n: usize) -> Self {
        let [a0, a1] = self.0.map(|a| a.frobenius(n));
        Self([a0, if n % 2 == 1 { -a1 } else { a1 }])
    }
}

impl<F: Ring> Quadratic<F> {
    /// The product with an element of F_q: 2 products.
    pub fn scale(self, by: F) -> Self {
        Self(self.0.map(|a| a * by))
    }
}

/// Karatsuba: 6 products of R.
impl<R: Ring, C: Curve> Mul for Cubic<R, C> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let (Self([a0, a1, a2], _), Self([b0, b1, b2], _)) = (self, other);
        Self::joined(
            [a0 * b0, a1 * b1, a2 * b2],
            [(a0 + a1) * (b0 + b1), (a0 + a2) * (b0 + b2), (a1 + a2) * (b1 + b2)],
        )
    }
}

impl<R: Ring, C: Curve> Ring for Cubic<R, C> {
    fn zero() -> Self {
        Self::new([R::zero(); 3])
    }
    fn one() -> Self {
        Self::new([R::one(), R::zero(), R::zero()])
    }
    /// With k = n b: ρ goes to ρ + k, ρ² to ρ² − k ρ + k².
    fn frobenius(self, n: usize) -> Self {
        let [a0, a1, a2] = self.0.map(|a| a.frobenius(n));
        let k = if C::B_IS_POSITIVE { n } else { 2 * n };
        Self::new([a0 + times(k, a1) + times(k * k % 3, a2), a1 - times(k, a2), a2])
    }
}

impl<R: Ring, C: Curve> Cubic<R, C> {
    /// c_0 + c_1 ρ + c_2 ρ².
    pub fn new(coefficients: [R; 3]) -> Self {
        Self(coefficients, PhantomData)
    }

    /// The product from a_i b_i and (a_i + a_j)(b_i + b_j), ij = 01, 02, 12; ρ³ = ρ + b and
    /// ρ⁴ = ρ² + b ρ.
    fn joined([d0, d1, d2]: [R; 3], [d01, d02, d12]: [R; 3]) -> Self {
        let c1 = d01 - d0 - d1;
        let c2 = d02 - d0 - d2 + d1;
        let c3 = d12 - d1 - d2;
        let [b_c3, b_c4] = if C::B_IS_POSITIVE { [c3, d2] } else { [-c3, -d2] };
        Self::new([d0 + b_c3, c1 + c3 + b_c4, c2 + d2])
    }
}

impl<F: CurveField> Cubic<F, F::Parameters> {
    /// 1/x, and 0 for 0, for x in F_q³: x^q x^(q²) over the norm x x^q x^(q²), which lies in F_q.
    pub fn inverse(self) -> Self {
        let m = F::Parameters::M;
        let others = self.frobenius(m) * self.frobenius(2 * m);
        let over_norm = (self * others).0[0].inverse();
        Self::new(others.0.map(|c| c * over_norm))
    }
}

impl<F: CurveField> Sextic<F> {
    /// The power q³: σ goes to −σ, m being odd.
    pub fn conjugate(self) -> Self {
        Self::new(self.0.map(|Quadratic([a0, a1])| Quadratic([a0, -a1])))
    }

    /// x^(q³ − 1) = x̄/x = x̄²/(x x̄), whose denominator lies in F_q³; and 0 for 0.
    pub fn unitary(self) -> Self {
        let conjugate = self.conjugate();
        let norm = (self * conjugate).0.map(|c| c.0[0]);
        let over = Cubic::<F, F::Parameters>::new(norm).inverse();
        conjugate * conjugate * Self::new(over.0.map(|c| Quadratic([c, F::zero()])))
    }

    /// x · (g_0 + g_1 σ + g_2 ρ − ρ²) in 13 products.
    pub fn times_sparse(self, g: Sparse<F>) -> Self {
        let [a0, a1, a2] = self.0;
        let one = F::one();
        let plus = |by: F| Quadratic([g.constant.0[0] + by, g.constant.0[1]]);
        Self::joined(
            [a0 * g.constant, a1.scale(g.rho), -a2],
            [(a0 + a1) * plus(g.rho), (a0 + a2) * plus(-one), (a1 + a2).scale(g.rho - one)],
        )
    }

    /// x to the power whose bits, most significant first, are those of big-endian bytes: squares
    /// and multiplies for every bit.
    pub fn power(self, exponent: &[u8]) -> Self {
        super::curve::scalar_bits::<F>(exponent).fold(Self::one(), |power, bit| {
            let square = power * power;
            Self::choose(bit, square * self, square)
        })
    }

    /// `yes` if `bit` = 1, `no` if `bit` = 0.
    pub fn choose(bit: F, yes: Self, no: Self) -> Self {
        let choose = |i: usize, j: usize| bit.choose(yes.0[i].0[j], no.0[i].0[j]);
        Self::new(core::array::from_fn(|i| Quadratic([choose(i, 0), choose(i, 1)])))
    }
}

impl<F: CurveField> Sparse<F> {
    /// Returns it as an element of F_q⁶.
    pub fn to_sextic(self) -> Sextic<F> {
        let zero = F::zero();
        Cubic::new([self.constant, Quadratic([self.rho, zero]), Quadratic([-F::one(), zero])])
    }
}
