//! The group of y² + y = x³ + x + b over F_2^m.
//!
//! **About 59 bits of security at m = 1223, less below: for research and teaching only**
//! (see [the module](super)).
//!
//! ```text
//! −(x, y)           = (x, y + 1)
//! (x₁,y₁) + (x₂,y₂) = (λ² + x₁ + x₂, λ(x₁ + x₃) + y₁ + 1),  λ = (y₁ + y₂) / (x₁ + x₂)
//! 2(x, y)           = (x⁴ + 1, x⁴ + y⁴)
//! ```
//!
//! Doubling is two Frobenius maps and an addition, so only additions cost products. Sums are
//! computed in homogeneous coordinates (X : Y : Z) = (X/Z, Y/Z) and hold for all operands: the
//! exceptional cases are computed beside the general one and chosen, never branched to.

use super::element::Element;
use super::field::BinaryField;
use super::parameters::{Curve, Parameters};
use core::ops::{Add, Neg};

/// A field that has a curve.
pub trait CurveField: BinaryField<Parameters: Curve> {}
impl<F: BinaryField<Parameters: Curve>> CurveField for F {}

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

/// (X/Z, Y/Z), or ∞ = (0 : Y : 0) with Y ≠ 0.
#[derive(Clone, Copy)]
struct Homogeneous<F> {
    x: F,
    y: F,
    z: F,
}

/// The bits of a big-endian integer, most significant first, as 0 or 1 of the field. Their number
/// is that of the bytes times 8, whatever the value.
#[inline(always)]
pub fn scalar_bits<F: BinaryField>(bytes: &[u8]) -> impl Iterator<Item = F> {
    bytes.iter().flat_map(|&byte| {
        (0..8).rev().map(move |i| F::constant(Element::from_bit(u64::from(byte >> i))))
    })
}

impl<F: CurveField> Point<F> {
    /// ∞.
    #[inline(always)]
    pub fn infinity() -> Self {
        Self { x: F::zero(), y: F::zero(), infinite: F::one() }
    }

    /// (x, y), unchecked: see [`Point::on_curve`].
    #[inline(always)]
    pub fn new(x: F, y: F) -> Self {
        Self { x, y, infinite: F::zero() }
    }

    /// x; anything for ∞.
    #[inline(always)]
    pub fn x(&self) -> F {
        self.x
    }

    /// y; anything for ∞.
    #[inline(always)]
    pub fn y(&self) -> F {
        self.y
    }

    /// 1 for ∞, else 0.
    #[inline(always)]
    pub fn is_infinite(&self) -> F {
        self.infinite
    }

    /// 1 if y² + y = x³ + x + b or the point is ∞, else 0.
    #[inline(always)]
    pub fn on_curve(&self) -> F {
        let equal = (self.y.square() + self.y + right_side(self.x)).is_zero();
        self.infinite.choose(F::one(), equal)
    }

    /// 1 if r · P = ∞, else 0.
    ///
    /// Where the cofactor is the number of points over F_2, the trace tells in a few additions.
    /// These points are the kernel of φ − 1, φ being the Frobenius map; its image therefore has
    /// N / cofactor = r elements and is the subgroup. The trace is ∞ on it, and on no more, since
    /// its values are all points over F_2 (Lang).
    #[inline(always)]
    pub fn in_subgroup(&self) -> F {
        match F::Parameters::COFACTOR == points_over_f2::<F::Parameters>().to_be_bytes() {
            true => self.trace().infinite,
            false => self.multiply(F::Parameters::ORDER).infinite,
        }
    }

    /// P + φ(P) + … + φ^(m−1)(P), φ(x, y) = (x², y²): a point over F_2.
    #[inline(always)]
    fn trace(self) -> Self {
        let m = F::Parameters::M;
        let (mut sum, mut terms) = (self, 1);
        for bit in (0..m.ilog2()).rev() {
            sum = sum + sum.frobenius(terms);
            terms *= 2;
            if m >> bit & 1 == 1 {
                sum = sum.frobenius(1) + self;
                terms += 1;
            }
        }
        sum
    }

    /// 2P.
    #[inline(always)]
    pub fn double(self) -> Self {
        let x4 = self.x.frobenius(2);
        Self { x: x4 + F::one(), y: x4 + self.y.frobenius(2), ..self }
    }

    /// (x^(2^n), y^(2^n)): an endomorphism of the curve.
    #[inline(always)]
    pub fn frobenius(self, n: usize) -> Self {
        Self { x: self.x.frobenius(n), y: self.y.frobenius(n), ..self }
    }

    /// k · P for a big-endian integer k. The time depends on the number of bytes alone.
    #[inline(always)]
    pub fn multiply(self, scalar: &[u8]) -> Self {
        self.multiply_bits(scalar_bits(scalar))
    }

    /// k · P, the bits of k from the most significant, 0 or 1 each and in each lane its own:
    /// doubles and adds for every bit.
    #[inline(always)]
    pub fn multiply_bits(self, bits: impl IntoIterator<Item = F>) -> Self {
        let doubled = self.double();
        let infinity = Homogeneous { x: F::zero(), y: F::one(), z: F::zero() };
        bits.into_iter()
            .fold(infinity, |sum, bit| {
                let sum = sum.double();
                Homogeneous::choose(bit, sum.plus(self, doubled), sum)
            })
            .to_affine()
    }

    /// (N/r) · P, which lies in the subgroup.
    #[inline(always)]
    pub fn clear_cofactor(self) -> Self {
        self.multiply(F::Parameters::COFACTOR)
    }

    /// `yes` if `bit` = 1, `no` if `bit` = 0.
    #[inline(always)]
    pub fn choose(bit: F, yes: Self, no: Self) -> Self {
        Self {
            x: bit.choose(yes.x, no.x),
            y: bit.choose(yes.y, no.y),
            infinite: bit.choose(yes.infinite, no.infinite),
        }
    }
}

/// P + Q, any P and Q: 12 products and an inversion.
impl<F: CurveField> Add for Point<F> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Homogeneous::from_affine(self).plus(other, other.double()).to_affine()
    }
}

/// −(x, y) = (x, y + 1).
impl<F: CurveField> Neg for Point<F> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { y: self.y + F::one(), ..self }
    }
}

/// The points of the curve over F_2: ∞, and for b = 0 all (x, y).
fn points_over_f2<C: Curve>() -> u64 {
    if C::B { 1 } else { 5 }
}

/// x³ + x + b.
#[inline(always)]
pub(super) fn right_side<F: CurveField>(x: F) -> F {
    let cubic = x * x.square() + x;
    if F::Parameters::B { cubic + F::one() } else { cubic }
}

impl<F: CurveField> Homogeneous<F> {
    #[inline(always)]
    fn from_affine(p: Point<F>) -> Self {
        Self {
            x: p.infinite.choose(F::zero(), p.x),
            y: p.infinite.choose(F::one(), p.y),
            z: F::one() + p.infinite,
        }
    }

    #[inline(always)]
    fn to_affine(self) -> Point<F> {
        let over_z = self.z.inverse();
        Point { x: self.x * over_z, y: self.y * over_z, infinite: self.z.is_zero() }
    }

    /// (X⁴ + Z⁴ : X⁴ + Y⁴ : Z⁴).
    #[inline(always)]
    fn double(self) -> Self {
        let [x, y, z] = [self.x, self.y, self.z].map(|a| a.square().square());
        Self { x: x + z, y: x + y, z }
    }

    /// This point plus (x₂, y₂), whose double is given. 10 products.
    ///
    /// With A = Y₁ + y₂Z₁ and B = X₁ + x₂Z₁, λ = A/B, and x₁ + x₂ = B/Z₁:
    /// Z₃ = B³Z₁, X₃ = B(A²Z₁ + B³), Y₃ = A(x₂B²Z₁ + A²Z₁ + B³) + (y₂ + 1)Z₃. For B = 0 ≠ A this is
    /// ∞, as it should be.
    #[inline(always)]
    fn plus(self, other: Point<F>, doubled: Point<F>) -> Self {
        let a = self.y + other.y * self.z;
        let b = self.x + other.x * self.z;
        let b2 = b.square();
        let b2z = b2 * self.z;
        let z = b * b2z;
        let d = a.square() * self.z + b * b2;
        let y = a * (other.x * b2z + d) + (other.y + F::one()) * z;
        let sum = Self { x: b * d, y, z };

        let same = a.is_zero().choose(b.is_zero(), F::zero());
        let sum = Self::choose(same, Self::from_affine(doubled), sum);
        let sum = Self::choose(self.z.is_zero(), Self::from_affine(other), sum);
        Self::choose(other.infinite, self, sum)
    }

    #[inline(always)]
    fn choose(bit: F, yes: Self, no: Self) -> Self {
        Self { x: bit.choose(yes.x, no.x), y: bit.choose(yes.y, no.y), z: bit.choose(yes.z, no.z) }
    }
}
