//! The Miller value as a continuant: two products for each factor where Algorithm 5 takes seven.
//!
//! **About 59 bits of security at m = 1223, less below: for research and teaching only**
//! (see [the module](super)).
//!
//! Let g_i + t be the line of factor i and f_i = A_i + B_i t the product of the lines of a part
//! down to i. One more line gives, t² being t + s,
//!
//! ```text
//! B_{i−1} = B_i (g_{i−1} + 1) + A_i
//!         = B_i (g_{i−1} + g_i + 1) + B_{i+1} (g_i² + g_i + s),
//! ```
//!
//! A having been expressed by B. With h_i = x_P^(2^−i) + x_Q^(2^(i−1)) + s + α the equation of the
//! curve makes of both coefficients
//!
//! ```text
//! g_{i−1} + g_i + 1 = h_i³,        g_i² + g_i + s = h_i² h_{i+1}²:
//! ```
//!
//! the sum of neighbouring lines and the norm of one, a product of two vertical lines. Factors in
//! F_q² vanish in the final exponentiation, which alone fixes a pairing's value. So all B may be
//! divided by the squares h² of the steps before them, h_i ≠ 0 because of its s, and
//!
//! ```text
//! B_{i−1} = h_i B_i + B_{i+1},        A_i = g_i B_i + h_i² B_{i+1}
//! ```
//!
//! are left: the continuant of the h_i, in which no y occurs but in the last line's g. A step is
//! one product of F_q² by h_i, whose coefficient of s is 1: two products in F_q.

use super::curve::{CurveField, Point};
use super::eta_t::{self, Coordinates, line};
use super::parameters::Curve;
use super::quartic::{Line, Quadratic, Quartic};
use core::ops::Range;

/// B_i and B_{i+1}, from which [`close`](Self::close) makes the product of the lines down to i, up
/// to a factor in F_q², with the coordinates of the last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Continuant<F> {
    /// B_i: the coefficient of t.
    pub last: Quadratic<F>,
    /// B_{i+1}: the coefficient of t one line before.
    pub before: Quadratic<F>,
}

impl<F: CurveField> Continuant<F> {
    /// One line.
    #[inline(always)]
    pub fn one() -> Self {
        Self { last: Quadratic([F::one(), F::zero()]), before: Quadratic([F::zero(); 2]) }
    }

    /// Multiplies by one line more, line i − 1 after line i, from x_P^(2^−i) and x_Q^(2^(i−1)).
    /// This takes two products. If there was no line before, the result is the first line, whatever
    /// the coordinates.
    #[inline(always)]
    pub fn step(self, xp: F, xq: F) -> Self {
        let (Quadratic([b0, b1]), Quadratic([c0, c1])) = (self.last, self.before);
        let h = h::<F>(xp, xq);
        // b (h + s) = (b_0 h + b_1) + (b_1 h + b_0 + b_1) s.
        let last = Quadratic([b0 * h + b1 + c0, b1 * h + (b0 + b1) + c1]);
        Self { last, before: self.last }
    }

    /// The product of the lines, from the coordinates of factor i, the last, and its line: 5
    /// products.
    #[inline(always)]
    pub fn close(self, [xp, _, xq, _]: Coordinates<F>, g: Line<F>) -> Quartic<F> {
        let Quadratic([b0, b1]) = self.before;
        // h_i² = v + s².
        let v = h::<F>(xp.square(), xq);
        let before = Quadratic([b0 * v, b1 * v]) + self.before.times_s().times_s();
        Quartic::from_halves([self.last * Quadratic([g.g0, g.g1]) + before, self.last])
    }
}

/// h_i + s, from x_P^(2^−i) and x_Q^(2^(i−1)); h_i² + s², from their squares.
#[inline(always)]
fn h<F: CurveField>(xp: F, xq: F) -> F {
    let sum = xp + xq;
    if F::Parameters::ALPHA { sum + F::one() } else { sum }
}

/// The line L of factor 0, from its coordinates and its other line: Algorithm 5, lines 2 to 4.
#[inline(always)]
pub fn first_line<F: CurveField>([xp, _, xq, _]: Coordinates<F>, g: Line<F>) -> Line<F> {
    Line { g0: g.g0 + h::<F>(xp.square(), xq), g1: g.g1 + F::one() }
}

/// The product of the factors `part` of the Miller value, up to a factor in F_q²: see
/// [`eta_t::miller_part`]. The first line of a part takes no product, every other one two; the end
/// six, and six more where factor 0 is.
///
/// # Panics
/// If the part ends beyond `factors()`.
#[inline(always)]
pub fn miller_part<F: CurveField>(p: Point<F>, q: Point<F>, part: Range<usize>) -> Quartic<F> {
    assert!(part.end <= eta_t::factors::<F::Parameters>(), "factors beyond (m − 1)/2: {part:?}");
    if part.is_empty() {
        return Quartic::one();
    }
    let mut f = Continuant::one();
    let mut at = eta_t::advance(eta_t::coordinates(p, q), part.end - 1);
    for _ in part.start + 1..part.end {
        let [xp, yp, xq, yq] = at;
        at = [xp.square(), yp.square(), xq.square_root(), yq.square_root()];
        f = f.step(xp, at[2]);
    }
    let g = line(at);
    let f = f.close(at, g);
    let f = if part.start == 0 { f.times_line(first_line(at, g)) } else { f };
    Quartic::choose(p.infinite, Quartic::one(), Quartic::choose(q.infinite, Quartic::one(), f))
}
