//! The reduced η_T pairing: Algorithms 5 and 6 of the paper.
//!
//! **About 59 bits of security at m = 1223, less below: for research and teaching only**
//! (see [the module](super)).
//!
//! ```text
//! e(P, Q) = f_{T',P'}(ψ(Q))^((q⁴ − 1)/N)
//!
//!            i = 0      1      2           (m−1)/2
//! P, Q ──┬─► L·G   ─► ·G ──► ·G ──► … ──► ·G ──► reduce ──► e(P, Q)
//!        │             ▲      ▲            ▲
//!        └─ P^(2^−i), Q^(2^i): each factor needs the coordinates alone
//! ```
//!
//! The Miller value is a product of (m + 1)/2 factors, factor 0 being L · G and factor i > 0 the
//! line G of P^(2^−i) and Q^(2^i). Any split of `0..factors()` into ranges computes it in parallel
//! ([`miller_part`]).

use super::curve::{CurveField, Point};
use super::field::field_step;
use super::parameters::{Curve, Parameters};
use super::quartic::{Line, Quartic};
use core::ops::Range;

/// Number of factors of the Miller value: (m + 1)/2.
pub const fn factors<P: Parameters>() -> usize {
    P::M / 2 + 1
}

/// The coordinates of P' and Q that a factor is computed from: [x_P, y_P, x_Q, y_Q].
pub type Coordinates<F> = [F; 4];

/// Algorithm 5, line 1: y_P ← y_P + 1 − δ.
#[inline(always)]
pub fn coordinates<F: CurveField>(p: Point<F>, q: Point<F>) -> Coordinates<F> {
    let yp = if F::Parameters::DELTA { p.y } else { p.y + F::one() };
    [p.x, yp, q.x, q.y]
}

/// Goes from the coordinates of factor i to those of factor i + n (Algorithm 6, line 7; for n = 1
/// Algorithm 5, line 9): P goes to its 2^n-th root, Q to its 2^n-th power.
#[inline(always)]
pub fn advance<F: CurveField>([xp, yp, xq, yq]: Coordinates<F>, n: usize) -> Coordinates<F> {
    let root = F::Parameters::M - n;
    [xp.frobenius(root), yp.frobenius(root), xq.frobenius(n), yq.frobenius(n)]
}

/// The line G = g_0 + g_1 s + t (Algorithm 5, lines 10 to 13). One product.
#[inline(always)]
pub fn line<F: CurveField>([xp, yp, xq, yq]: Coordinates<F>) -> Line<F> {
    let (u, v) = (plus_alpha(xp), plus_alpha(xq));
    let g0 = u * v + yp + yq;
    Line { g0: if F::Parameters::BETA { g0 + F::one() } else { g0 }, g1: u + xq }
}

/// Factor 0, L · G (lines 2 to 7). Four products.
#[inline(always)]
pub fn first_factor<F: CurveField>(at: Coordinates<F>) -> Quartic<F> {
    let [xp, _, xq, _] = at;
    let g = line(at);
    let g2 = plus_alpha(xq) + xp.square();
    Line { g0: g.g0 + g2, g1: g.g1 + F::one() }.times(g)
}

#[inline(always)]
fn plus_alpha<F: CurveField>(x: F) -> F {
    if F::Parameters::ALPHA { x + F::one() } else { x }
}

/// The product of the factors `part` of the Miller value (Algorithm 6): one processor's share.
/// Each factor takes 7 products, the first of the part fewer.
///
/// # Panics
/// If the part ends beyond `factors()`.
#[inline(always)]
pub fn miller_part<F: CurveField>(p: Point<F>, q: Point<F>, part: Range<usize>) -> Quartic<F> {
    assert!(part.end <= factors::<F::Parameters>(), "factors beyond (m − 1)/2: {part:?}");
    if part.is_empty() {
        return Quartic::one();
    }
    let mut at = coordinates(p, q);
    at = field_step!(Part, "start", part.start, &at, advance(at, part.start));
    let mut f = field_step!(
        Round,
        "factor",
        part.start,
        &at,
        match part.start {
            0 => first_factor(at),
            _ => line(at).to_quartic(),
        }
    );
    for i in part.start + 1..part.end {
        field_step!(Round, "factor", i, &f.0, {
            at = field_step!(Part, "coordinates", i, &at, advance(at, 1));
            let g = field_step!(Part, "line", i, &at, line(at));
            f = field_step!(Part, "product", i, &f.0, f.times_line(g));
        });
    }
    Quartic::choose(p.infinite, Quartic::one(), Quartic::choose(q.infinite, Quartic::one(), f))
}

/// The Miller value f_{T',P'}(ψ(Q)) up to factors that [`reduce`] removes (Algorithm 5 but for its
/// last line); 1 if either point is ∞.
#[inline(always)]
pub fn miller<F: CurveField>(p: Point<F>, q: Point<F>) -> Quartic<F> {
    miller_part(p, q, 0..factors::<F::Parameters>())
}

/// The final exponentiation: the power (q² − 1)(q + 1 − ν 2^((m+1)/2)). One inversion in F_q.
#[inline(always)]
pub fn reduce<F: CurveField>(f: Quartic<F>) -> Quartic<F> {
    let m = F::Parameters::M;
    field_step!(Part, "final exponentiation", 0, &f.0, {
        // f^(q² − 1) = f̄/f = f̄²/(f f̄); of norm 1, so that its conjugate is its inverse.
        let over_norm = f.norm().inverse();
        let halves = f.conjugate().square().halves();
        let g = Quartic::from_halves(halves.map(|half| half * over_norm));
        let last = g.frobenius(m.div_ceil(2));
        let last = if F::Parameters::NU_IS_POSITIVE { last.conjugate() } else { last };
        g.frobenius(m) * g * last
    })
}

/// e(P, Q): bilinear and symmetric; 1 if either point is ∞ and, r being prime, for no other points
/// of the subgroup.
#[inline(always)]
pub fn pair<F: CurveField>(p: Point<F>, q: Point<F>) -> Quartic<F> {
    reduce(miller(p, q))
}

/// Π e(P_i, Q_i), with one final exponentiation. 1 for no pairs.
#[inline(always)]
pub fn pair_product<F: CurveField>(
    pairs: impl IntoIterator<Item = (Point<F>, Point<F>)>,
) -> Quartic<F> {
    let product = pairs.into_iter().map(|(p, q)| miller(p, q)).reduce(|f, g| f * g);
    product.map_or_else(Quartic::one, reduce)
}
