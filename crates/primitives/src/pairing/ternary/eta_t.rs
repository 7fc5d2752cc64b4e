//! The reduced η_T pairing in characteristic three, as a product of factors (Beuchat, Brisebarre,
//! Detrey, Okamoto, Shirase and Takagi 2008).
//!
//! **Broken: for research and teaching only** (see [the module](super)).
//!
//! ```text
//! e(P, Q) = f_{T',P'}(ψ(Q))^((q⁶ − 1)/N),  T' = 3^((m+1)/2) + μ b,  P' = −μ b P
//! ψ(x, y) = (ρ − x, y σ),  σ² = −1,  ρ³ = ρ + b
//!
//!            i = 0      1      2           (m−1)/2
//! P, Q ──┬─► L·G   ─► ·G ──► ·G ──► … ──► ·G ──► reduce ──► e(P, Q)
//!        │             ▲      ▲            ▲
//!        └─ P^(3^−i), Q^(3^i): each factor needs the coordinates alone
//! ```
//!
//! f_{3V} = f_V³ · g_V with g_V = y_V³ y − (x_V³ − x + b)², raised to the power of 3 that the later
//! cubes make: with n = (m − 1)/2 factor i is G = (−1)^n y_P' y_Q σ − (u − ρ)², where
//! u = x_P + x_Q + (1 − n) b, of coordinates to the powers 3^−i and 3^i. L is the line through
//! [3^(n+1)]P' and −P, whose third point is (x_P − m b, y_P): its slope is m b y_P. Vertical lines
//! lie in F_q³ and are left out.

use super::curve::{CurveField, Point, b};
use super::field::{Ring, times};
use super::parameters::{Curve, Parameters};
use super::tower::{Cubic, Quadratic, Sextic, Sparse};
use core::ops::Range;

/// Number of factors of the Miller value: (m + 1)/2.
pub const fn factors<P: Parameters>() -> usize {
    P::M / 2 + 1
}

/// The coordinates that a factor is computed from: [x_P, y_P, x_Q, y_Q].
pub type Coordinates<F> = [F; 4];

/// Goes from the coordinates of factor i to those of factor i + n: P goes to its 3^n-th root, Q to
/// its 3^n-th power.
pub fn advance<F: CurveField>([xp, yp, xq, yq]: Coordinates<F>, n: usize) -> Coordinates<F> {
    let root = F::Parameters::M - n;
    [xp.frobenius(root), yp.frobenius(root), xq.frobenius(n), yq.frobenius(n)]
}

/// G = −u² + (−1)^n y_P' y_Q σ − u ρ − ρ². Two products.
pub fn tripling<F: CurveField>([xp, yp, xq, yq]: Coordinates<F>) -> Sparse<F> {
    let n = F::Parameters::M / 2;
    // 1 − n, mod 3.
    let u = xp + xq + times(1 + 2 * n, b::<F>());
    let product = yp * yq;
    let is_negative = (n % 2 == 1) != F::Parameters::MU_B_IS_POSITIVE;
    let sigma = if is_negative { -product } else { product };
    Sparse { constant: Quadratic([-u.square(), sigma]), rho: -u }
}

/// L = y_Q σ + y_P − m b y_P (ρ − x_Q − x_P). One product.
fn line<F: CurveField>([xp, yp, xq, yq]: Coordinates<F>) -> Sextic<F> {
    let mb = if F::Parameters::B_IS_POSITIVE { F::Parameters::M } else { 2 * F::Parameters::M };
    let slope = times(mb, yp);
    let (constant, zero) = (yp + slope * (xp + xq), F::zero());
    Cubic::new([Quadratic([constant, yq]), Quadratic([-slope, zero]), Quadratic([zero, zero])])
}

/// The product of the factors `part` of the Miller value: one processor's share. 15 products for a
/// factor.
///
/// # Panics
/// If the part ends beyond `factors()`.
pub fn miller_part<F: CurveField>(p: Point<F>, q: Point<F>, part: Range<usize>) -> Sextic<F> {
    assert!(part.end <= factors::<F::Parameters>(), "factors beyond (m − 1)/2: {part:?}");
    if part.is_empty() {
        return Sextic::<F>::one();
    }
    let mut at = advance([p.x, p.y, q.x, q.y], part.start);
    let mut f = match part.start {
        0 => line(at).times_sparse(tripling(at)),
        _ => tripling(at).to_sextic(),
    };
    for _ in part.start + 1..part.end {
        at = advance(at, 1);
        f = f.times_sparse(tripling(at));
    }
    let one = Sextic::<F>::one();
    Sextic::<F>::choose(p.infinite, one, Sextic::<F>::choose(q.infinite, one, f))
}

/// The Miller value f_{T',P'}(ψ(Q)) up to factors that [`reduce`] removes; 1 if either point is ∞.
pub fn miller<F: CurveField>(p: Point<F>, q: Point<F>) -> Sextic<F> {
    miller_part(p, q, 0..factors::<F::Parameters>())
}

/// The final exponentiation: the power (q³ − 1)(q + 1)(q + 1 − μ b 3^((m+1)/2)). One inversion.
pub fn reduce<F: CurveField>(f: Sextic<F>) -> Sextic<F> {
    let m = F::Parameters::M;
    // From here on values have norm 1, so that the conjugate is the inverse.
    let g = f.unitary();
    let h = g.frobenius(m) * g;
    let last = h.frobenius(m.div_ceil(2));
    let last = if F::Parameters::MU_B_IS_POSITIVE { last.conjugate() } else { last };
    h.frobenius(m) * h * last
}

/// e(P, Q): bilinear and symmetric; 1 if either point is ∞ and, r being prime, for no other points
/// of the subgroup.
pub fn pair<F: CurveField>(p: Point<F>, q: Point<F>) -> Sextic<F> {
    reduce(miller(p, q))
}
