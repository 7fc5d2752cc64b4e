//! The contract: what a pairing may do with an element of F_2^m.
//!
//! **About 59 bits of security at m = 1223, less below: for research and teaching only**
//! (see [the module](super)).
//!
//! | operation | formula | portable cost at m = 1223 |
//! |---|---|---|
//! | `a + b` | coefficient by coefficient, mod 2 | 20 limbs |
//! | `a * b` | mod f | 1 M |
//! | `square`, `square_root`, `frobenius(n)` | a², a^(2^(m−1)), a^(2^n) | linear maps |
//! | `inverse` | a^(2^m − 2) | 14 M, 1222 squarings |
//! | `trace`, `half_trace`, `is_zero`, `choose` | at each | |
//!
//! There is no comparison and no way out of an element: code generic over [`BinaryField`] cannot
//! branch on or index by a secret, and an element may be several elements side by side. Decisions
//! are elements too, 0 or 1, and are taken by [`BinaryField::choose`]. Equality and bytes belong to
//! the plain [`Element`].

use super::element::Element;
use super::parameters::Parameters;
use crate::word::Kind;
use core::ops::{Add, Mul};

/// An element of F_2^m: one value, one value per lane, or a node of a trace.
pub trait BinaryField: Copy + Add<Output = Self> + Mul<Output = Self> {
    /// m and f.
    type Parameters: Parameters;

    /// An element known to everyone, the same in every lane.
    fn constant(value: Element<Self::Parameters>) -> Self;

    /// a².
    fn square(self) -> Self;

    /// The one b with b² = a.
    fn square_root(self) -> Self;

    /// Replaces a by a², for chains of squares. Where elements lie in memory, copying them to and
    /// from a squaring by value takes a quarter of its time.
    #[inline(always)]
    fn square_assign(&mut self) {
        *self = self.square();
    }
    /// Replaces a by √a, likewise.
    #[inline(always)]
    fn square_root_assign(&mut self) {
        *self = self.square_root();
    }

    /// 0.
    #[inline(always)]
    fn zero() -> Self {
        Self::constant(Element::from_bit(0))
    }

    /// 1.
    #[inline(always)]
    fn one() -> Self {
        Self::constant(Element::from_bit(1))
    }

    /// a^(2^n) for a public n; n = m is the identity.
    #[inline(always)]
    fn frobenius(self, n: usize) -> Self {
        let m = Self::Parameters::M;
        let n = n % m;
        let mut a = self;
        if n <= m - n {
            for _ in 0..n {
                a.square_assign();
            }
        } else {
            for _ in n..m {
                a.square_root_assign();
            }
        }
        a
    }

    /// a^(2^n) of four elements, for fields that have room for them side by side.
    #[inline(always)]
    fn frobenius_each([a, b, c, d]: [Self; 4], n: usize) -> [Self; 4] {
        [a.frobenius(n), b.frobenius(n), c.frobenius(n), d.frobenius(n)]
    }

    /// a^(2^m − 2), which is 1/a, and 0 for 0: [`itoh_tsujii`].
    #[inline(always)]
    fn inverse(self) -> Self {
        itoh_tsujii(self)
    }

    /// Σ a^(2^i), 0 ≤ i < m: 0 or 1.
    #[inline(always)]
    fn trace(self) -> Self {
        let mut sum = self;
        for _ in 1..Self::Parameters::M {
            sum.square_assign();
            sum = sum + self;
        }
        sum
    }

    /// h = Σ a^(4^i), 0 ≤ i ≤ (m − 1)/2, with h² + h = a + Tr(a): solves h² + h = a if the trace is
    /// 0; the other solution is h + 1.
    #[inline(always)]
    fn half_trace(self) -> Self {
        let mut sum = self;
        for _ in 0..Self::Parameters::M / 2 {
            sum.square_assign();
            sum.square_assign();
            sum = sum + self;
        }
        sum
    }

    /// 1 if a = 0, else 0.
    #[inline(always)]
    fn is_zero(self) -> Self {
        Self::one() + self * self.inverse()
    }

    /// `yes` if `self` = 1, `no` if `self` = 0; anything for other values.
    #[inline(always)]
    fn choose(self, yes: Self, no: Self) -> Self {
        no + self * (yes + no)
    }

    /// Opens the step `name[index]` of a kind, through which the elements `over` pass.
    #[inline(always)]
    fn enter(_over: &[Self], _kind: Kind, _name: &'static str, _index: usize) {}

    /// Closes the innermost open step.
    #[inline(always)]
    fn leave(_over: &[Self]) {}
}

/// a^(2^m − 2) by Itoh and Tsujii's chain over a^(2^k − 1): ⌊lg(m − 1)⌋ products and one for each
/// further bit of m − 1.
#[inline(always)]
pub fn itoh_tsujii<F: BinaryField>(a: F) -> F {
    let target = F::Parameters::M - 1;
    let mut power = a;
    let mut k = 1;
    for bit in (0..target.ilog2()).rev() {
        power = power.frobenius(k) * power;
        k *= 2;
        if target >> bit & 1 == 1 {
            power = power.square() * a;
            k += 1;
        }
    }
    power.square()
}

/// [`step!`](crate::step) over field elements.
macro_rules! field_step {
    ($kind:ident, $name:literal, $index:expr, $over:expr, $body:expr) => {{
        let kind = $crate::word::Kind::$kind;
        $crate::pairing::BinaryField::enter($over, kind, $name, $index);
        let result = $body;
        $crate::pairing::BinaryField::leave($over);
        result
    }};
}
pub(super) use field_step;
