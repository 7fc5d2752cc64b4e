//! The optimal ate pairing over BLS12-381 by blst, whole and with its Miller loop cut into parts.
//! Feature `blst`.
//!
//! ```text
//! f_{x,Q}(P): 68 lines, 63 of doublings, in the order of the bits of x = −0xd201000000010000
//!
//!   lines of Q ──► lines 0 … k−1, then a square for each later doubling ─┐
//!             └──► lines k … 67, from 1 ─────────────────────────────────┴─► · ─► end
//! ```
//!
//! A part squares for every doubling that comes after it, which is why a second thread gains so
//! much less here than where squares are nearly free. The library gives the lines of Q all at once,
//! so they are serial. The end is the final exponentiation.

use blst::min_pk::SecretKey;
use blst::{
    blst_fp, blst_fp_add, blst_fp_cneg, blst_fp_mul, blst_fp6, blst_fp12, blst_fp12_conjugate,
    blst_fp12_mul_by_xy00z0, blst_fp12_sqr, blst_p1_affine, blst_p2_affine, blst_precompute_lines,
};
use std::fmt;
use std::ops::Range;

/// Two points, and the multiples of P's coordinates at which lines are evaluated.
pub struct Ate {
    p: blst_p1_affine,
    q: blst_p2_affine,
    /// −2 x and 2 y of P, in the form in which the library evaluates lines.
    at: [blst_fp; 2],
}

/// A value of the pairing, or of a part of its Miller loop.
#[derive(Clone, Copy, PartialEq)]
pub struct AteValue(blst_fp12);

/// The lines of Q.
pub struct Lines([blst_fp6; Ate::LINES]);

/// Whether `line` belongs to an addition, before which f is not squared: additions follow 1, 3, 6,
/// 15 and 47 doublings.
fn is_addition(line: usize) -> bool {
    matches!(line, 1 | 4 | 8 | 18 | 51)
}

impl Ate {
    /// Lines of a Miller loop.
    pub const LINES: usize = 68;

    /// Returns two points of the subgroups, the same each time; none if the library refuses to make
    /// them.
    pub fn new() -> Option<Self> {
        let key = SecretKey::key_gen(&[1; 32], &[]).ok()?;
        let p: blst_p1_affine = key.sk_to_pk().into();
        let q: blst_p2_affine = key.sign(b"a point", &[], &[]).into();
        let (mut x, mut y) = (blst_fp::default(), blst_fp::default());
        // SAFETY: all are initialised; the library allows an operand to be the result.
        unsafe {
            blst_fp_add(&mut x, &p.x, &p.x);
            blst_fp_cneg(&mut x, &x, true);
            blst_fp_add(&mut y, &p.y, &p.y);
        }
        Some(Self { p, q, at: [x, y] })
    }

    /// The pairing by the library's own Miller loop.
    pub fn pair(&self) -> AteValue {
        AteValue(blst_fp12::miller_loop(&self.q, &self.p).final_exp())
    }

    /// The lines of Q.
    pub fn lines(&self) -> Lines {
        let mut lines = [blst_fp6::default(); Self::LINES];
        // SAFETY: there is room for the 68 lines that are written.
        unsafe { blst_precompute_lines(lines.as_mut_ptr(), &self.q) };
        Lines(lines)
    }

    /// The factor of the Miller value that the lines `part` make, the squares for the doublings
    /// after them included.
    ///
    /// # Panics
    /// If the part ends beyond [`Self::LINES`].
    pub fn part(&self, Lines(lines): &Lines, part: Range<usize>) -> AteValue {
        let mut f = blst_fp12::default();
        let [x, y] = &self.at;
        for i in part.clone() {
            let mut line = lines[i];
            // SAFETY: all are initialised; the library allows an operand to be the result.
            unsafe {
                for half in 0..2 {
                    blst_fp_mul(&mut line.fp2[1].fp[half], &lines[i].fp2[1].fp[half], x);
                    blst_fp_mul(&mut line.fp2[2].fp[half], &lines[i].fp2[2].fp[half], y);
                }
                if !is_addition(i) && i > part.start {
                    blst_fp12_sqr(&mut f, &f);
                }
                blst_fp12_mul_by_xy00z0(&mut f, &f, &line);
            }
        }
        for _ in (part.end..Self::LINES).filter(|&line| !is_addition(line)) {
            // SAFETY: initialised; the library allows an operand to be the result.
            unsafe { blst_fp12_sqr(&mut f, &f) };
        }
        AteValue(f)
    }

    /// The pairing from the parts of its Miller value, whose lines make up all of them.
    pub fn finish(&self, parts: impl IntoIterator<Item = AteValue>) -> AteValue {
        let mut f = parts.into_iter().fold(blst_fp12::default(), |f, AteValue(part)| f * part);
        // The seed x is negative.
        // SAFETY: initialised.
        unsafe { blst_fp12_conjugate(&mut f) };
        AteValue(f.final_exp())
    }
}

impl fmt::Debug for Ate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ate")
    }
}

impl fmt::Debug for AteValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AteValue")
    }
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lines")
    }
}
