//! The group of y² = x³ − x + b over F_3^m.
//!
//! **Broken: for research and teaching only** (see [the module](super)).
//!
//! ```text
//! −(x, y)           = (x, −y)
//! (x₁,y₁) + (x₂,y₂) = (λ² − x₁ − x₂, λ(x₁ − x₃) − y₁),  λ = (y₂ − y₁)/(x₂ − x₁), or 1/y₁ if equal
//! 3(x, y)           = (x⁹ − b, −y⁹)
//! ```
//!
//! Tripling costs no product, which is why the loop of the pairing triples.

use super::element::Element;
use super::field::TernaryField;
use super::parameters::Curve;
use core::ops::{Add, Neg};

/// A field that has a curve.
pub trait CurveField: TernaryField<Parameters: Curve> {}
impl<F: TernaryField<Parameters: Curve>> CurveField for F {}

/// A point (x, y), or ∞.
#[derive(Clone, Copy, Debug)]
pub struct Point<F> {
    /// x; anything for ∞.
    pub(super) x: F,
    /// y; anything for ∞.
    pub(super) y: F,
    /// 1 for ∞, else 0.
    pub(super) infinite: F,
}

/// The bits of a big-endian integer, most significant first, as 0 or 1 of the field.
pub(super) fn scalar_bits<F: TernaryField>(bytes: &[u8]) -> impl Iterator<Item = F> {
    bytes.iter().flat_map(|&byte| {
        (0..8).rev().map(move |i| F::constant(Element::from_bit(u64::from(byte >> i))))
    })
}

/// b.
pub(super) fn b<F: CurveField>() -> F {
    if F::Parameters::B_IS_POSITIVE { F::one() } else { -F::one() }
}

impl<F: CurveField> Point<F> {
    /// ∞.
    pub fn infinity() -> Self {
        Self { x: F::zero(), y: F::zero(), infinite: F::one() }
    }

    /// (x, y), unchecked: see [`Point::on_curve`].
    pub fn new(x: F, y: F) -> Self {
        Self { x, y, infinite: F::zero() }
    }

    /// x; anything for ∞.
    pub fn x(&self) -> F {
        self.x
    }

    /// y; anything for ∞.
    pub fn y(&self) -> F {
        self.y
    }

    /// 1 for ∞, else 0.
    pub fn is_infinite(&self) -> F {
        self.infinite
    }

    /// 1 if y² = x³ − x + b or the point is ∞, else 0.
    pub fn on_curve(&self) -> F {
        let equal = (self.y.square() - right_side(self.x)).is_zero();
        self.infinite.choose(F::one(), equal)
    }

    /// 1 if r · P = ∞, else 0.
    pub fn in_subgroup(&self) -> F {
        self.multiply_by_public(F::Parameters::ORDER).infinite
    }

    /// 3P.
    pub fn triple(self) -> Self {
        Self { x: self.x.frobenius(2) - b::<F>(), y: -self.y.frobenius(2), ..self }
    }

    /// k · P for a big-endian integer k: doubles and adds for every bit.
    pub fn multiply(self, scalar: &[u8]) -> Self {
        scalar_bits(scalar).fold(Self::infinity(), |sum, bit| {
            let sum = sum + sum;
            Self::choose(bit, sum + self, sum)
        })
    }

    /// k · P for a big-endian integer k of at most 128 bytes that everyone knows: triples, which
    /// costs no product, and adds for every digit of k base 3 that is not 0: a fifth of the
    /// additions of [`Point::multiply`].
    fn multiply_by_public(self, scalar: &[u8]) -> Self {
        let mut quotient = [0; 128];
        let quotient = &mut quotient[..scalar.len()];
        quotient.copy_from_slice(scalar);
        // Least significant first; a byte is less than 6 digits.
        let mut digits = [0; 6 * 128];
        for digit in &mut digits[..6 * scalar.len()] {
            let mut remainder = 0;
            for byte in &mut *quotient {
                let value = remainder << 8 | u32::from(*byte);
                *byte = (value / 3) as u8;
                remainder = value % 3;
            }
            *digit = remainder;
        }
        let twice = self + self;
        digits.iter().rev().skip_while(|&&digit| digit == 0).fold(Self::infinity(), |sum, digit| {
            match digit {
                0 => sum.triple(),
                1 => sum.triple() + self,
                _ => sum.triple() + twice,
            }
        })
    }

    /// (N/r) · P, which lies in the subgroup.
    pub fn clear_cofactor(self) -> Self {
        self.multiply(&[F::Parameters::COFACTOR])
    }

    /// `yes` if `bit` = 1, `no` if `bit` = 0.
    pub fn choose(bit: F, yes: Self, no: Self) -> Self {
        Self {
            x: bit.choose(yes.x, no.x),
            y: bit.choose(yes.y, no.y),
            infinite: bit.choose(yes.infinite, no.infinite),
        }
    }
}

/// P + Q, any P and Q: the cases are chosen, never branched to. One inversion.
impl<F: CurveField> Add for Point<F> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (dx, dy) = (other.x - self.x, other.y - self.y);
        let (same_x, same_y) = (dx.is_zero(), dy.is_zero());
        let same = same_x.choose(same_y, F::zero());
        let denominator = same.choose(self.y, dx);
        let slope = same.choose(F::one(), dy) * denominator.inverse();
        let x = slope.square() - self.x - other.x;
        let y = slope * (self.x - x) - self.y;
        // P and −P, or twice a point with y = 0.
        let sum = Self { x, y, infinite: denominator.is_zero() };
        let sum = Self::choose(self.infinite, other, sum);
        Self::choose(other.infinite, self, sum)
    }
}

impl<F: CurveField> Neg for Point<F> {
    type Output = Self;
    fn neg(self) -> Self {
        Self { y: -self.y, ..self }
    }
}

/// x³ − x + b.
fn right_side<F: CurveField>(x: F) -> F {
    x.cube() - x + b()
}

/// ∞ equals ∞ and nothing else.
impl<C: Curve> PartialEq for Point<Element<C>> {
    fn eq(&self, other: &Self) -> bool {
        use super::field::Ring;
        let same = self.x == other.x && self.y == other.y;
        self.infinite == other.infinite && (self.infinite == Element::one() || same)
    }
}

impl<C: Curve> Eq for Point<Element<C>> {}

impl<C: Curve> Point<Element<C>> {
    /// A point of the curve with this public x, if there is one; the other is its negative.
    pub fn from_x(x: Element<C>) -> Option<Self> {
        let right = right_side(x);
        let y = right.square_root();
        (y.square() == right).then(|| Self::new(x, y))
    }

    /// A point of the subgroup other than ∞, from public coefficients: a point with the first x =
    /// seed + c that has one, where c goes through the polynomials whose coefficients are the bits
    /// of 0, 1, 2 …
    ///
    /// None if 256 successive x have none, which does not happen to random ones.
    pub fn from_seed(seed: Element<C>) -> Option<Self> {
        use super::field::Ring;
        use crate::word::Words;
        (0..256).find_map(|counter| {
            let mut one = C::Limbs::splat(0);
            one.as_mut()[0] = counter;
            let offset = Element::from_planes(one, C::Limbs::splat(0))?;
            let point = Self::from_x(seed + offset)?.clear_cofactor();
            (point.infinite == Element::zero()).then_some(point)
        })
    }
}
