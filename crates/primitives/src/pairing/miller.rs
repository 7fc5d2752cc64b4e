//! Miller's algorithm for any n (Algorithm 4 of the paper): slow, and independent of the formulas
//! in [`eta_t`](super::eta_t), which it checks. Not constant-time.
//!
//! **About 59 bits of security at m = 1223, less below: for research and teaching only**
//! (see [the module](super)).

use super::curve::{CurveField, Point, scalar_bits};
use super::field::BinaryField;
use super::quartic::Quartic;
use super::{Curve, Element};

/// The distortion map ψ(x, y) = (x + s², y + s x + t) from E(F_q) to E(F_q⁴), Q ≠ ∞.
#[inline(always)]
pub fn distort<F: CurveField>(q: Point<F>) -> [Quartic<F>; 2] {
    let (zero, one) = (F::zero(), F::one());
    let x = Quartic([q.x + one, one, zero, zero]);
    let y = Quartic([q.y, q.x, one, zero]);
    [x, y]
}

/// f_{n,P}(ψ(Q)) up to factors in F_q², which every final exponentiation removes: the vertical
/// lines, whose values lie there, are left out. 1 if P or Q is ∞ or n = 0.
///
/// `n` is big-endian. No multiple kP, 0 < k ≤ n, may be ∞: the Tate pairing of order r takes
/// n = r − 1, as the paper does, for f_{r,P} differs from f_{r−1,P} by a vertical line.
pub fn miller_function<C: Curve>(
    n: &[u8],
    p: Point<Element<C>>,
    q: Point<Element<C>>,
) -> Quartic<Element<C>> {
    let one = Element::one();
    if p.infinite == one || q.infinite == one {
        return Quartic::one();
    }
    let at = distort(q);
    let bits = scalar_bits::<Element<C>>(n).skip_while(|&bit| bit != one).skip(1);
    let (mut f, mut t) = (Quartic::one(), p);
    for bit in bits {
        f = f.square() * chord(t, t, at);
        t = t.double();
        if bit == one {
            f = f * chord(t, p, at);
            t = t + p;
        }
    }
    f
}

/// l_{T,P}: Y + y_T + λ(X + x_T) at (X, Y), the line through T and P ≠ −T, or the tangent at T = P,
/// whose slope is x_T² + 1.
fn chord<C: Curve>(
    t: Point<Element<C>>,
    p: Point<Element<C>>,
    [x, y]: [Quartic<Element<C>>; 2],
) -> Quartic<Element<C>> {
    let slope = match t == p {
        true => t.x.square() + Element::one(),
        false => (t.y + p.y) * (t.x + p.x).inverse(),
    };
    let constant = |c| Quartic([c, Element::zero(), Element::zero(), Element::zero()]);
    y + constant(t.y) + constant(slope) * (x + constant(t.x))
}
