//! One pairing over the lanes of a backend, its Miller value by factors.
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).
//!
//! ```text
//! step of factors a … b−1     0                  1                …         b−a−1
//! P                       P^(2^(1−b)) ─ square ► P^(2^(2−b)) ─ square ► … ─ square ► P^(2^−a)
//! Q                       Q^(2^a)     ─ square ► Q^(2^(a+1)) ─ square ► … ─ square ► Q^(2^(b−1))
//! ```
//!
//! Factor i of the Miller value takes Q^(2^i) and P^(2^−i). All steps are squarings: P starts from
//! its 2^611-th root, which is computed as its 2^612-th power. Every part of the factors starts by
//! itself and keeps its steps in memory, so that threads share nothing but the points. With the
//! steps in memory the factors are independent, and lane j of group g takes factor `LANES` g + j;
//! products commute, so that each lane keeps a product of its own until the end.

use super::lanes::{Backend, FourElements, ZEROS};
use super::types::{Element, Point, Prepared, Value};
use core::ops::Range;
use manylane_primitives::pairing::continuant::first_line;
use manylane_primitives::pairing::eta_t::{self, line};
use manylane_primitives::pairing::{BinaryField, Eta1223, Line, Quartic};

/// Factors of the Miller value.
pub(super) const FACTORS: usize = eta_t::factors::<Eta1223>();

/// P^(2^−611), which all parts start from; `S` is the field of one element. Without lanes the
/// continuant needs x only, and y is left as it is.
#[inline(always)]
pub(super) fn root<F: Backend, S: Backend>(p: Point) -> [Element; 2] {
    match F::LANES {
        1 => [power::<S, 1>([p.x()], FACTORS)[0], p.y()],
        _ => power::<S, 2>([p.x(), p.y()], FACTORS),
    }
}

/// Raises each to the power 2^n.
#[inline(always)]
pub(super) fn power<S: Backend, const N: usize>(
    mut coordinates: [Element; N],
    n: usize,
) -> [Element; N] {
    if n > 0 {
        for a in &mut coordinates {
            S::load(core::slice::from_ref(a)).frobenius(n).store(core::slice::from_mut(a));
        }
    }
    coordinates
}

/// The steps of a part of the factors.
#[inline(always)]
fn steps<F: Backend, S: Backend>(
    p: &Prepared,
    q: Point,
    part: &Range<usize>,
    steps: &mut Vec<FourElements>,
) {
    let [x, mut y] = p.root;
    if F::LANES == 1 {
        [y] = power::<S, 1>([y], FACTORS);
    }
    let [xp, yp] = power::<S, 2>([x, y], FACTORS - part.end);
    let [xq, yq] = power::<S, 2>([q.x(), q.y()], part.start);
    // Algorithm 5, line 1: δ = 0, so that y_P is y_P + 1, whose roots are those of y_P, plus 1.
    let coordinates = eta_t::coordinates(Point::new(xp, yp), Point::new(xq, yq));
    steps.resize(part.len(), ZEROS);
    F::to_four(coordinates, &mut steps[0]);
    F::square_each_from_first(steps);
}

/// The coordinates of factors `i` to `i + LANES − 1` of a part, the last one's for those beyond it.
#[inline(always)]
fn gather<F: Backend>(steps: &[FourElements], i: usize) -> [F; 4] {
    let last = steps.len() - 1;
    let mut p = [&steps[0]; 4];
    let mut q = [&steps[0]; 4];
    for j in 0..F::LANES {
        let i = if i + j < last { i + j } else { last };
        p[j] = &steps[last - i];
        q[j] = &steps[i];
    }
    [F::gather(p, 0), F::gather(p, 1), F::gather(q, 2), F::gather(q, 3)]
}

/// `yes` in the first `n` lanes, `no` in the others.
#[inline(always)]
pub(super) fn first_lanes<F: Backend>(n: usize, yes: Quartic<F>, no: Quartic<F>) -> Quartic<F> {
    let mut lanes = [Element::zero(); 4];
    for lane in &mut lanes[..n] {
        *lane = Element::one();
    }
    let bit = F::load(&lanes[..F::LANES]);
    let (Quartic([a0, a1, a2, a3]), Quartic([b0, b1, b2, b3])) = (yes, no);
    Quartic([bit.choose(a0, b0), bit.choose(a1, b1), bit.choose(a2, b2), bit.choose(a3, b3)])
}

/// The product of the factors `part`, not empty; `memory` for the steps.
#[inline(always)]
pub(super) fn part<F: Backend, S: Backend>(
    p: &Prepared,
    q: Point,
    part: Range<usize>,
    memory: &mut Vec<FourElements>,
) -> Value {
    assert!(part.start < part.end && part.end <= FACTORS);
    steps::<F, S>(p, q, &part, memory);
    let at = gather::<F>(memory, 0);
    let g = line(at);
    let count = part.len().min(F::LANES);
    let mut f = first_lanes(count, g.to_quartic(), Quartic::one());
    if part.start == 0 {
        // L of factor 0 alone: Algorithm 5, lines 2 to 4.
        f = first_lanes(1, f.times_line(first_line(at, g)), f);
    }
    let mut i = F::LANES;
    while i + F::LANES <= part.len() {
        f = f.times_line(line(gather::<F>(memory, i)));
        i += F::LANES;
    }
    if i < part.len() {
        let product = f.times_line(line(gather::<F>(memory, i)));
        f = first_lanes(part.len() - i, product, f);
    }
    store::<S>(lanes_product::<F, S>(f))[0]
}

/// The product of all lanes.
#[inline(always)]
pub(super) fn lanes_product<F: Backend, S: Backend>(f: Quartic<F>) -> Quartic<S> {
    let mut fours = [ZEROS; 4];
    for c in 0..4 {
        f.0[c].save(&mut fours, c);
    }
    let mut lanes = [Quartic::<S>::one(); 4];
    for c in 0..4 {
        for j in 0..F::LANES {
            lanes[j].0[c] = S::saved(&fours, F::LANES * c + j);
        }
    }
    let [a, b, c, d] = lanes;
    if F::LANES == 1 {
        return a;
    }
    let [f, g] = products::<F, S, 2>([[a, b], [c, d]]);
    let [f] = products::<F, S, 1>([[f, g]]);
    f
}

/// The products of pairs: the lanes of `F` take the nine products of each.
#[inline(always)]
fn products<F: Backend, S: Backend, const N: usize>(
    pairs: [[Quartic<S>; 2]; N],
) -> [Quartic<S>; N] {
    // Room for two pairs.
    let mut fours = [[ZEROS; 5]; 2];
    for i in 0..N {
        for side in 0..2 {
            let operands = pairs[i][side].operands();
            for j in 0..9 {
                operands[j].save(&mut fours[side], 9 * i + j);
            }
        }
    }
    let [left, right] = &mut fours;
    for i in 0..(9 * N).div_ceil(F::LANES) {
        (F::saved(left, i) * F::saved(right, i)).save(left, i);
    }
    let mut results = [Quartic::one(); N];
    for i in 0..N {
        let mut products = [S::zero(); 9];
        for j in 0..9 {
            products[j] = S::saved(left, 9 * i + j);
        }
        results[i] = Quartic::from_products(products);
    }
    results
}

/// One value per lane.
#[inline(always)]
fn load<F: Backend>(values: &[Value; 4]) -> Quartic<F> {
    let mut f = [F::zero(); 4];
    for c in 0..4 {
        let mut lanes = [Element::zero(); 4];
        for j in 0..4 {
            lanes[j] = values[j].0[c];
        }
        f[c] = F::load(&lanes[..F::LANES]);
    }
    Quartic(f)
}

/// The inverse of `load`; lanes that are not there are 1.
#[inline(always)]
pub(super) fn store<F: Backend>(f: Quartic<F>) -> [Value; 4] {
    let mut values = [Quartic::one(); 4];
    for c in 0..4 {
        let mut lanes = [Element::zero(); 4];
        f.0[c].store(&mut lanes[..F::LANES]);
        for j in 0..F::LANES {
            values[j].0[c] = lanes[j];
        }
    }
    values
}

/// f · g; `S` is the field of one element.
#[inline(always)]
pub(super) fn product<F: Backend, S: Backend>(f: Value, g: Value) -> Value {
    let [f] = products::<F, S, 1>([[load::<S>(&[f; 4]), load::<S>(&[g; 4])]]);
    store::<S>(f)[0]
}

/// The line of the first lane.
#[inline(always)]
pub(super) fn first_lane<F: Backend, S: Backend>(line: Line<F>) -> Line<S> {
    let mut fours = [ZEROS; 2];
    line.g0.save(&mut fours, 0);
    line.g1.save(&mut fours, 1);
    Line { g0: S::saved(&fours, 0), g1: S::saved(&fours, F::LANES) }
}

/// The final exponentiation of each value; `S` is the field of one element.
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
