//! The maps a ↦ a^(2^612) and a^(2^306) of four elements at once, as matrices over F_2: GFNI multiplies
//! 8 by 8 bits.
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).
//!
//! 2 · 612 = 1223 + 1: the first map is the square root of squaring. With squarings and roots after
//! them the maps reach any power 2^n sooner than those alone; the second takes one of two threads to
//! the middle of the coordinates' steps.

use super::lanes::{Backend, E, LIMBS};
use super::polynomial::Limbs;
use super::vectors::Lanes;
use super::zmm::Zmm;
use core::arch::x86_64::*;
use manylane_primitives::pairing::BinaryField;
use std::sync::OnceLock;

/// The exponents n of the maps a^(2^n).
pub(super) const POWERS: [usize; 2] = [612, 306];

/// What a map costs in squarings, by any way to compute it.
const MAP: usize = 140;
/// What a square root costs in squarings.
const ROOT: usize = 2;

/// The cheapest way to a^(2^n) for n < 1223.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    /// The map that is taken first, of [`POWERS`].
    pub map: Option<usize>,
    /// How many squarings follow.
    pub squares: usize,
    /// How many square roots follow.
    pub roots: usize,
}

impl Plan {
    #[inline(always)]
    pub fn of(n: usize) -> Self {
        let mut best = Self { map: None, squares: n, roots: 0 };
        for (i, &power) in POWERS.iter().enumerate() {
            let (squares, roots) = (n.saturating_sub(power), power.saturating_sub(n));
            let plan = Self { map: Some(i), squares, roots };
            if plan.cost() < best.cost() {
                best = plan;
            }
        }
        best
    }

    #[inline(always)]
    fn cost(self) -> usize {
        let map = if self.map.is_some() { MAP } else { 0 };
        map + self.squares + ROOT * self.roots
    }
}

/// z^(2^n), n of [`POWERS`].
pub(super) fn image_of_z(map: usize) -> E {
    let mut z = [0; 2 * LIMBS];
    z[0] = 2;
    let mut w = E::from_limbs(z).expect("z");
    for _ in 0..POWERS[map] {
        w.square_assign();
    }
    w
}

/// Bytes of an element.
const BYTES: usize = 153;
/// Vectors of eight bytes of the result.
const ROWS: usize = 20;

/// Row r of column c: from byte c of a to the bytes 8r to 8r + 7 of the result, a block of 8 by 8
/// bits for each, in the order of `gf2p8affineqb`.
#[repr(align(64))]
struct Matrix([[[u64; 8]; ROWS]; BYTES]);

/// A map's matrix, 191 KiB, made at the first use.
fn matrix(map: usize) -> &'static Matrix {
    static MATRICES: [OnceLock<Box<Matrix>>; POWERS.len()] = [const { OnceLock::new() }; 2];
    MATRICES[map].get_or_init(|| {
        // Column t of the map is z^(2^n t) = w^t. Four at a time.
        let w = image_of_z(map);
        let w2 = w * w;
        let mut columns = [E::one(), w, w2, w2 * w];
        let step = Lanes::<Zmm>::load(&[w2 * w2; 4]);
        let mut lanes = Lanes::<Zmm>::load(&columns);
        let mut bytes = vec![[0u8; 8 * ROWS]; 8 * BYTES + 4];
        for columns_bytes in bytes.chunks_exact_mut(4) {
            lanes.store(&mut columns);
            for (bytes, column) in columns_bytes.iter_mut().zip(columns) {
                for (bytes, limb) in bytes.chunks_exact_mut(8).zip(column.limbs()) {
                    bytes.copy_from_slice(&limb.to_le_bytes());
                }
            }
            lanes = lanes * step;
        }
        let mut matrix = Box::new(Matrix([[[0; 8]; ROWS]; BYTES]));
        for (c, rows) in matrix.0.iter_mut().enumerate() {
            for (r, block) in rows.as_flattened_mut().iter_mut().enumerate() {
                // Beyond z^1222 a is 0, whatever the column.
                let mut inputs = [0; 8];
                for j in 0..8 {
                    inputs[j] = bytes[8 * c + j][r];
                }
                *block = transposed(u64::from_le_bytes(inputs)).swap_bytes();
            }
        }
        matrix
    })
}

/// Bit j of byte i to bit i of byte j.
fn transposed(mut x: u64) -> u64 {
    for (mask, shift) in
        [(0x00aa_00aa_00aa_00aa, 7), (0x0000_cccc_0000_cccc, 14), (0x0000_0000_f0f0_f0f0, 28)]
    {
        let t = (x ^ (x >> shift)) & mask;
        x ^= t ^ (t << shift);
    }
    x
}

/// a^(2^n), n of [`POWERS`].
///
/// # Safety
/// The CPU must have the features.
#[target_feature(
    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,vpclmulqdq,gfni"
)]
#[inline(never)]
pub(super) unsafe fn apply(map: usize, a: &Limbs<Zmm>) -> Limbs<Zmm> {
    let matrix = matrix(map);
    // Byte c of the four lanes, twice, at word c.
    #[repr(align(64))]
    struct Inputs([[u64; 8]; 20]);
    let mut inputs = Inputs([[0; 8]; 20]);
    let mut order = [0u8; 64];
    for i in 0..64 {
        order[i] = (i / 8 + 16 * (i % 4)) as u8;
    }
    // SAFETY: 64 bytes are there.
    let order = unsafe { _mm512_loadu_si512(order.as_ptr().cast()) };
    let next = _mm512_add_epi8(order, _mm512_set1_epi8(8));
    for i in 0..LIMBS {
        let (low, high) = inputs.0[2 * i..2 * i + 2].split_at_mut(1);
        // SAFETY: 64 bytes are there.
        unsafe {
            _mm512_store_si512(low.as_mut_ptr().cast(), _mm512_permutexvar_epi8(order, a[i].0));
            _mm512_store_si512(high.as_mut_ptr().cast(), _mm512_permutexvar_epi8(next, a[i].0));
        }
    }
    let inputs = inputs.0.as_flattened();
    let mut rows = [_mm512_setzero_si512(); ROWS];
    let mut c = 0;
    while c < BYTES {
        let (x, y) = (_mm512_set1_epi64(inputs[c] as i64), _mm512_set1_epi64(inputs[c + 1] as i64));
        // Column BYTES is not there, and its input is 0.
        let second = if c + 1 < BYTES { c + 1 } else { c };
        for r in 0..ROWS {
            // SAFETY: 64 bytes are there, aligned by the matrix.
            let (m, n) = unsafe {
                (
                    _mm512_load_si512(matrix.0[c][r].as_ptr().cast()),
                    _mm512_load_si512(matrix.0[second][r].as_ptr().cast()),
                )
            };
            let p = _mm512_gf2p8affine_epi64_epi8::<0>(x, m);
            let q = _mm512_gf2p8affine_epi64_epi8::<0>(y, n);
            rows[r] = _mm512_ternarylogic_epi64::<0b1001_0110>(rows[r], p, q);
        }
        c += 2;
    }
    // Bytes of rows 2i and 2i + 1 that are of one lane, in order.
    let mut order = [0u8; 64];
    for i in 0..64 {
        order[i] = (8 * (i % 16) + i / 16) as u8;
    }
    // SAFETY: 64 bytes are there.
    let order = unsafe { _mm512_loadu_si512(order.as_ptr().cast()) };
    let mut out = *a;
    for i in 0..LIMBS {
        out[i] = Zmm(_mm512_permutex2var_epi8(rows[2 * i], order, rows[2 * i + 1]));
    }
    out
}
