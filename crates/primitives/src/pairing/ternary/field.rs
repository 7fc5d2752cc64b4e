//! The contract: what a pairing may do with an element of F_3^m.
//!
//! **Broken: for research and teaching only** (see [the module](super)).

use super::element::Element;
use super::parameters::Parameters;
use core::ops::{Add, Mul, Neg, Sub};

/// The operations that a tower needs from the ring over which it is built.
pub trait Ring:
    Copy + Add<Output = Self> + Sub<Output = Self> + Neg<Output = Self> + Mul<Output = Self>
{
    /// 0.
    fn zero() -> Self;
    /// 1.
    fn one() -> Self;
    /// a^(3^n) for a public n.
    fn frobenius(self, n: usize) -> Self;
}

/// `n · a` for a public n.
pub fn times<R: Ring>(n: usize, a: R) -> R {
    match n % 3 {
        0 => R::zero(),
        1 => a,
        _ => -a,
    }
}

/// An element of F_3^m: one value, or one value per lane. As with
/// [`BinaryField`](crate::pairing::BinaryField) there is no comparison and no way out; decisions
/// are elements 0 or 1.
pub trait TernaryField: Ring {
    /// m and f.
    type Parameters: Parameters;

    /// An element known to everyone, the same in every lane.
    fn constant(value: Element<Self::Parameters>) -> Self;

    /// a³.
    fn cube(self) -> Self;

    /// The one b with b³ = a.
    fn cube_root(self) -> Self;

    /// a².
    fn square(self) -> Self {
        self * self
    }

    /// a^(3^m − 2), which is 1/a, and 0 for 0. With c = a^((3^(m−1) − 1)/2) by Itoh and Tsujii's
    /// chain, (c²)³ · a.
    fn inverse(self) -> Self {
        let target = Self::Parameters::M - 1;
        let mut power = self;
        let mut k = 1;
        for bit in (0..target.ilog2()).rev() {
            power = power.frobenius(k) * power;
            k *= 2;
            if target >> bit & 1 == 1 {
                power = power.cube() * self;
                k += 1;
            }
        }
        power.square().cube() * self
    }

    /// a^((3^m + 1)/4): a square root if there is one, as 3^m ≡ 3 mod 4. (3^m + 1)/4 =
    /// 6 (1 + 9 + … + 9^((m−3)/2)) + 1.
    fn square_root(self) -> Self {
        let mut power = self;
        for _ in 1..Self::Parameters::M / 2 {
            power = power.cube().cube() * self;
        }
        power.square().cube() * self
    }

    /// 1 if a = 0, else 0.
    fn is_zero(self) -> Self {
        Self::one() - self * self.inverse()
    }

    /// `yes` if `self` = 1, `no` if `self` = 0; anything for other values.
    fn choose(self, yes: Self, no: Self) -> Self {
        no + self * (yes - no)
    }
}
