//! BLS12-381 through blst: the optimal ate pairing, its loop in two parts, products of pairings.
//!
//! ```text
//! f_{x,Q}(P): 68 lines, 63 of doublings, in the order of the bits of x = −0xd201000000010000
//!
//!   lines of Q ──► high part: lines 0 … k−1, then a square for each later doubling ─┐
//!             └──► low part:  lines k … 67, from 1 ──────────────────────────────────┴─► ·
//! ```
//!
//! The library gives the lines of a point all at once, so that they stay serial here.

use blst::*;

/// Lines of a loop.
const LINES: usize = 68;

/// The lines of Q.
pub type Lines = [blst_fp6; LINES];

/// Whether `line` belongs to an addition, before which f is not squared: additions follow 1, 3, 6,
/// 15 and 47 doublings.
fn is_addition(line: usize) -> bool {
    matches!(line, 1 | 4 | 8 | 18 | 51)
}

/// Doublings among the lines from `from` on.
pub fn doublings_from(from: usize) -> usize {
    (from..LINES).filter(|&line| !is_addition(line)).count()
}

/// a · G and b · G.
pub fn points(a: u64, b: u64) -> (blst_p1_affine, blst_p2_affine) {
    let scalar = |n: u64| [n.to_le_bytes(), [0; 8], [0; 8], [0; 8]].concat();
    let (a, b) = (scalar(a), scalar(b));
    let (mut p, mut q) = (blst_p1::default(), blst_p2::default());
    let (mut p_affine, mut q_affine) = (blst_p1_affine::default(), blst_p2_affine::default());
    // SAFETY: all are initialised, and the scalars have the 64 bits that are read.
    unsafe {
        blst_p1_mult(&mut p, blst_p1_generator(), a.as_ptr(), 64);
        blst_p2_mult(&mut q, blst_p2_generator(), b.as_ptr(), 64);
        blst_p1_to_affine(&mut p_affine, &p);
        blst_p2_to_affine(&mut q_affine, &q);
    }
    (p_affine, q_affine)
}

/// The Miller value of one pair.
pub fn miller(p: &blst_p1_affine, q: &blst_p2_affine) -> blst_fp12 {
    let mut f = blst_fp12::default();
    // SAFETY: all are initialised.
    unsafe { blst_miller_loop(&mut f, q, p) };
    f
}

/// The product of the Miller values of pairs.
pub fn miller_of_all(pairs: &[(blst_p1_affine, blst_p2_affine)]) -> blst_fp12 {
    let ps: Vec<*const blst_p1_affine> = pairs.iter().map(|(p, _)| p as *const _).collect();
    let qs: Vec<*const blst_p2_affine> = pairs.iter().map(|(_, q)| q as *const _).collect();
    let mut f = blst_fp12::default();
    // SAFETY: as many pointers to initialised points as are announced.
    unsafe { blst_miller_loop_n(&mut f, qs.as_ptr(), ps.as_ptr(), pairs.len()) };
    f
}

/// The final exponentiation.
pub fn reduce(f: &blst_fp12) -> blst_fp12 {
    let mut e = blst_fp12::default();
    // SAFETY: both are initialised.
    unsafe { blst_final_exp(&mut e, f) };
    e
}

/// f · g.
pub fn product(f: &blst_fp12, g: &blst_fp12) -> blst_fp12 {
    let mut product = blst_fp12::default();
    // SAFETY: all are initialised.
    unsafe { blst_fp12_mul(&mut product, f, g) };
    product
}

/// The lines of Q.
pub fn lines(q: &blst_p2_affine, lines: &mut Lines) {
    // SAFETY: there is room for the 68 lines that are written.
    unsafe { blst_precompute_lines(lines.as_mut_ptr(), q) };
}

/// The Miller value from the lines of Q.
pub fn miller_from_lines(lines: &Lines, p: &blst_p1_affine) -> blst_fp12 {
    let mut f = blst_fp12::default();
    // SAFETY: there are the 68 lines that are read.
    unsafe { blst_miller_loop_lines(&mut f, lines.as_ptr(), p) };
    f
}

/// −2 x and 2 y of P, with which lines are evaluated.
fn evaluation(p: &blst_p1_affine) -> (blst_fp, blst_fp) {
    let (mut x, mut y) = (blst_fp::default(), blst_fp::default());
    // SAFETY: all are initialised; the library allows an operand to be the result.
    unsafe {
        blst_fp_add(&mut x, &p.x, &p.x);
        blst_fp_cneg(&mut x, &x, true);
        blst_fp_add(&mut y, &p.y, &p.y);
    }
    (x, y)
}

/// The part of the loop with the lines `from..to`, starting from 1.
fn part(lines: &[blst_fp6], from: usize, p: &blst_p1_affine) -> blst_fp12 {
    let (x, y) = evaluation(p);
    // SAFETY: the library's constant is initialised.
    let mut f = unsafe { *blst_fp12_one() };
    for (i, line) in (from..).zip(lines) {
        let mut at = *line;
        // SAFETY: all are initialised; the library allows an operand to be the result.
        unsafe {
            for half in 0..2 {
                blst_fp_mul(&mut at.fp2[1].fp[half], &line.fp2[1].fp[half], &x);
                blst_fp_mul(&mut at.fp2[2].fp[half], &line.fp2[2].fp[half], &y);
            }
            if !is_addition(i) && i > from {
                blst_fp12_sqr(&mut f, &f);
            }
            blst_fp12_mul_by_xy00z0(&mut f, &f, &at);
        }
    }
    f
}

/// The high part: the lines before `cut`, then a square for each doubling from there on.
pub fn high(lines: &Lines, cut: usize, p: &blst_p1_affine) -> blst_fp12 {
    let mut f = part(&lines[..cut], 0, p);
    for _ in 0..doublings_from(cut) {
        // SAFETY: initialised; the library allows an operand to be the result.
        unsafe { blst_fp12_sqr(&mut f, &f) };
    }
    f
}

/// The low part: the lines from `cut` on. `cut` is the index of a doubling's line.
pub fn low(lines: &Lines, cut: usize, p: &blst_p1_affine) -> blst_fp12 {
    part(&lines[cut..], cut, p)
}

/// The Miller value from its two parts. It is conjugated because the seed x is negative.
pub fn join(high: &blst_fp12, low: &blst_fp12) -> blst_fp12 {
    let mut f = product(high, low);
    // SAFETY: initialised.
    unsafe { blst_fp12_conjugate(&mut f) };
    f
}
