//! One pairing over the lanes of a backend.
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).
//!
//! ```text
//! step            0              1                …            611
//! P     P^(2^−611) ─ square ► P^(2^−610) ─ square ► … ─ square ► P
//! Q             Q  ─ square ►    Q^2     ─ square ► … ─ square ► Q^(2^611)
//! ```
//!
//! Factor i of the Miller value takes P^(2^−i) from step 611 − i and Q^(2^i) from step i. All
//! coordinates are squared, none is rooted: P starts from its 2^611-th root, which is its 2^612-th
//! power. With the steps in memory the factors are independent, and lane j of group g takes factor
//! `LANES` g + j; products commute, so that each lane keeps a product of its own until the end.

use super::lanes::{Backend, E, TRACK, Track};
use super::{Eta1223, Point, Value};
use core::ops::Range;
use manylane_primitives::pairing::eta_t::{self, line};
use manylane_primitives::pairing::quartic::Line;
use manylane_primitives::pairing::{BinaryField, Quartic};

/// Factors of the Miller value, and steps of the coordinates.
pub(super) const FACTORS: usize = eta_t::factors::<Eta1223>();

/// P^(2^−611), whose coordinates step 0 starts from.
#[inline(always)]
pub(super) fn root<F: Backend>(p: Point) -> [E; 2] {
    let mut coordinates = [p.x(), p.y()];
    for pair in coordinates.chunks_mut(F::LANES) {
        let mut lanes = [E::zero(); 4];
        lanes[..pair.len()].copy_from_slice(pair);
        F::load(&lanes[..F::LANES]).frobenius(FACTORS).store(&mut lanes[..F::LANES]);
        pair.copy_from_slice(&lanes[..pair.len()]);
    }
    coordinates
}

/// All steps, from `root` of P and from Q.
#[inline(always)]
pub(super) fn steps<F: Backend>([xp, yp]: [E; 2], q: Point, steps: &mut Vec<Track>) {
    // Algorithm 5, line 1: δ = 0, so that y_P is y_P + 1, whose roots are those of y_P, plus 1.
    let coordinates = eta_t::coordinates(Point::new(xp, yp), q);
    steps.resize(FACTORS, TRACK);
    F::to_track(coordinates, &mut steps[0]);
    F::square_tracks(steps);
}

/// The coordinates of the factors `i` to `i + LANES − 1`, those from `end` on being those of
/// `end − 1`.
#[inline(always)]
fn gather<F: Backend>(steps: &[Track], i: usize, end: usize) -> [F; 4] {
    let mut p = [&steps[0]; 4];
    let mut q = [&steps[0]; 4];
    for j in 0..F::LANES {
        let i = if i + j < end { i + j } else { end - 1 };
        p[j] = &steps[FACTORS - 1 - i];
        q[j] = &steps[i];
    }
    [F::gather(p, 0), F::gather(p, 1), F::gather(q, 2), F::gather(q, 3)]
}

/// `yes` in the first `n` lanes, `no` in the others.
#[inline(always)]
fn first_lanes<F: Backend>(n: usize, yes: Quartic<F>, no: Quartic<F>) -> Quartic<F> {
    let mut lanes = [E::zero(); 4];
    for lane in &mut lanes[..n] {
        *lane = E::one();
    }
    let bit = F::load(&lanes[..F::LANES]);
    let (Quartic([a0, a1, a2, a3]), Quartic([b0, b1, b2, b3])) = (yes, no);
    Quartic([bit.choose(a0, b0), bit.choose(a1, b1), bit.choose(a2, b2), bit.choose(a3, b3)])
}

/// The product of the factors `part`, not empty.
#[inline(always)]
pub(super) fn part<F: Backend>(steps: &[Track], part: Range<usize>) -> Value {
    assert!(part.start < part.end && part.end <= FACTORS && steps.len() == FACTORS);
    let at = gather::<F>(steps, part.start, part.end);
    let g = line(at);
    let count = part.len().min(F::LANES);
    let mut f = first_lanes(count, g.to_quartic(), Quartic::one());
    if part.start == 0 {
        // L of factor 0 alone: Algorithm 5, lines 2 to 4.
        let [xp, _, xq, _] = at;
        let l = Line { g0: g.g0 + xq + xp.square(), g1: g.g1 + F::one() };
        f = first_lanes(1, f.times_line(l), f);
    }
    let mut i = part.start + F::LANES;
    while i + F::LANES <= part.end {
        f = f.times_line(line(gather::<F>(steps, i, part.end)));
        i += F::LANES;
    }
    if i < part.end {
        let product = f.times_line(line(gather::<F>(steps, i, part.end)));
        f = first_lanes(part.end - i, product, f);
    }
    lanes_product::<F>(f)
}

/// The product of all lanes.
#[inline(always)]
fn lanes_product<F: Backend>(f: Quartic<F>) -> Value {
    let mut lanes = store::<F>(f);
    let mut n = F::LANES;
    while n > 1 {
        n /= 2;
        let mut others = lanes;
        others.rotate_left(n);
        lanes = store::<F>(load::<F>(&lanes) * load::<F>(&others));
    }
    lanes[0]
}

/// One value per lane.
#[inline(always)]
fn load<F: Backend>(values: &[Value; 4]) -> Quartic<F> {
    let mut f = [F::zero(); 4];
    for c in 0..4 {
        let mut lanes = [E::zero(); 4];
        for j in 0..4 {
            lanes[j] = values[j].0[c];
        }
        f[c] = F::load(&lanes[..F::LANES]);
    }
    Quartic(f)
}

/// The inverse of `load`; lanes that are not there are 1.
#[inline(always)]
fn store<F: Backend>(f: Quartic<F>) -> [Value; 4] {
    let mut values = [Quartic::one(); 4];
    for c in 0..4 {
        let mut lanes = [E::zero(); 4];
        f.0[c].store(&mut lanes[..F::LANES]);
        for j in 0..F::LANES {
            values[j].0[c] = lanes[j];
        }
    }
    values
}

/// f · g.
#[inline(always)]
pub(super) fn product<F: Backend>(f: Value, g: Value) -> Value {
    let mut lanes = [Quartic::one(); 4];
    lanes[0] = f;
    let f = load::<F>(&lanes);
    lanes[0] = g;
    store::<F>(f * load::<F>(&lanes))[0]
}

/// The final exponentiation of each value; `S` has room for one.
#[inline(always)]
pub(super) fn finish<F: Backend, S: Backend>(values: &mut [Value]) {
    for values in values.chunks_mut(F::LANES) {
        if let [value] = values {
            *value = store::<S>(eta_t::reduce(load::<S>(&[*value; 4])))[0];
            continue;
        }
        let mut lanes = [Quartic::one(); 4];
        lanes[..values.len()].copy_from_slice(values);
        let lanes = store::<F>(eta_t::reduce(load::<F>(&lanes)));
        values.copy_from_slice(&lanes[..values.len()]);
    }
}
