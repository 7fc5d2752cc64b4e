//! One pairing over the lanes of a backend, its Miller value by continuants: two products for each
//! factor where [`miller`] takes seven.
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).
//!
//! ```text
//! lane 0   h ◄─ h ◄─ … ◄─ h   factors s_0 … s_1 − 1   from the last on; then y and the result
//! lane 1   h ◄─ h ◄─ … ◄─ h   factors s_1 … s_2 − 1
//! ```
//!
//! Neighbouring lines share an h, so that each lane takes neighbours: a run of its own. x_P goes
//! from P^(2^−i) to P^(2^−(i−1)) by squaring on the way; the powers of x_Q, which go the other way,
//! are computed and stored before. y occurs at the end alone.

use super::lanes::{Backend, FourElements, ZEROS};
use super::miller::{self, FACTORS, power};
use super::types::{Element, Point, Prepared, Value};
use core::ops::Range;
use manylane_primitives::pairing::continuant::{Continuant, first_line};
use manylane_primitives::pairing::eta_t::line;
use manylane_primitives::pairing::{BinaryField, Eta1223, Parameters, Quadratic};

/// The runs of the lanes: their lengths are as equal as possible, and no run is longer than the
/// last.
#[derive(Clone, Copy)]
struct LaneRuns {
    /// s_j: the factor that lane j ends with.
    last: [usize; 4],
    /// The number of factors in each lane.
    lengths: [usize; 4],
}

impl LaneRuns {
    #[inline(always)]
    fn of<F: Backend>(part: &Range<usize>) -> Self {
        let (mut last, mut lengths) = ([part.start; 4], [part.len(); 4]);
        for j in 0..F::LANES {
            let (from, to) = (part.len() * j / F::LANES, part.len() * (j + 1) / F::LANES);
            (last[j], lengths[j]) = (part.start + from, to - from);
        }
        Self { last, lengths }
    }

    /// The length of the longest.
    #[inline(always)]
    fn steps<F: Backend>(&self) -> usize {
        self.lengths[F::LANES - 1]
    }
}

/// The coordinates that the lanes start from.
struct StartCoordinates<F> {
    /// x_P of each lane's first factor.
    xp: F,
    /// y_P, x_Q and y_Q of its last.
    end: [F; 3],
}

impl<F: Backend> StartCoordinates<F> {
    /// For one lane, whose coordinates are powers of the arguments.
    #[inline(always)]
    fn alone<S: Backend>(p: &Prepared, q: Point, part: &Range<usize>) -> Self {
        let [xp] = power::<S, 1>([p.root[0]], FACTORS - part.end);
        let [yp] = power::<S, 1>([p.point.y()], (Eta1223::M - part.start) % Eta1223::M);
        let [xq, yq] = power::<S, 2>([q.x(), q.y()], part.start);
        Self { xp: F::load(&[xp]), end: [F::load(&[yp]), F::load(&[xq]), F::load(&[yq])] }
    }

    /// All coordinates are squared side by side, and each lane takes its coordinates once they were
    /// squared as often as it needs.
    #[inline(always)]
    fn of_lanes<S: Backend>(p: &Prepared, q: Point, part: &Range<usize>, runs: &LaneRuns) -> Self {
        let ([rx, ry], [sx, sy]) =
            (power::<S, 2>(p.root, FACTORS - part.end), power::<S, 2>([q.x(), q.y()], part.start));
        let mut all = F::load(&[rx, ry, sx, sy][..F::LANES]);
        // The numbers of squarings after which each lane takes Q for its last factor, P for the
        // factor after its first, and P for its last factor.
        let mut stops = [[0; 4]; 3];
        for j in 0..4 {
            let last = runs.last[j];
            let next = if j < 3 { runs.last[j + 1] } else { part.end };
            (stops[0][j], stops[1][j], stops[2][j]) =
                (last - part.start, part.end - next, part.end - 1 - last);
        }
        let mut fours = [[ZEROS; 4]; 3];
        if part.start == 0 {
            // P for the last factor of lane 0 is the argument itself: it is put there below, not
            // squared.
            stops[2][0] = 0;
        }
        let mut squares = 0;
        loop {
            let mut next = usize::MAX;
            for (&stop, four) in stops.as_flattened().iter().zip(fours.as_flattened_mut()) {
                if stop == squares {
                    all.save(core::slice::from_mut(four), 0);
                } else if stop > squares && stop < next {
                    next = stop;
                }
            }
            if next == usize::MAX {
                break;
            }
            while squares < next {
                all.square_assign();
                squares += 1;
            }
        }
        if part.start == 0 {
            F::to_four([p.point.x(), p.point.y(), q.x(), q.y()], &mut fours[2][0]);
        }
        let [q_last, p_beyond, p_last] = &fours;
        let mut first = p_beyond.each_ref();
        for j in 0..4 {
            if runs.lengths[j] < runs.steps::<F>() {
                // The first step, whose coordinates do not matter, is at the next lane's last
                // factor.
                first[j] = &p_last[j + 1];
            }
        }
        let (q_last, p_last) = (q_last.each_ref(), p_last.each_ref());
        let end = [F::gather(p_last, 1), F::gather(q_last, 2), F::gather(q_last, 3)];
        Self { xp: F::gather(first, 0), end }
    }
}

/// The product of the factors `part`, not empty, up to a factor in F_q²; `memory` for powers of
/// x_Q.
#[inline(always)]
pub(super) fn part<F: Backend, S: Backend>(
    p: &Prepared,
    q: Point,
    part: Range<usize>,
    memory: &mut Vec<FourElements>,
) -> Value {
    assert!(part.start < part.end && part.end <= FACTORS);
    let runs = LaneRuns::of::<F>(&part);
    let StartCoordinates { mut xp, end: [yp, xq, yq] } = match F::LANES {
        1 => StartCoordinates::alone::<S>(p, q, &part),
        _ => StartCoordinates::<F>::of_lanes::<S>(p, q, &part, &runs),
    };
    let steps = runs.steps::<F>() - 1;
    memory.resize((steps * F::LANES).div_ceil(4), ZEROS);
    let mut power = xq;
    for i in 0..steps {
        power.save(memory, i);
        power.square_assign();
    }
    let mut f = first_lines::<F>(&runs);
    for i in (0..steps).rev() {
        f = f.step(xp, F::saved(memory, i));
        xp.square_assign();
    }
    // Algorithm 5, line 1: δ = 0.
    let at = [xp, yp + F::one(), xq, yq];
    let g = line(at);
    let mut f = miller::lanes_product::<F, S>(f.close(at, g));
    if part.start == 0 {
        f = f.times_line(miller::first_lane::<F, S>(first_line(at, g)));
    }
    miller::store::<S>(f)[0]
}

/// One line in each lane, none where a run is shorter than the others: the first step makes it one.
#[inline(always)]
fn first_lines<F: Backend>(runs: &LaneRuns) -> Continuant<F> {
    let mut lanes = [Element::zero(); 4];
    for j in 0..F::LANES {
        if runs.lengths[j] == runs.steps::<F>() {
            lanes[j] = Element::one();
        }
    }
    let one = F::load(&lanes[..F::LANES]);
    Continuant { last: Quadratic([one, F::zero()]), before: Quadratic([one + F::one(), F::zero()]) }
}
