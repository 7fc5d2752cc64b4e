//! The maps a ↦ a^(2^n) for some n as matrices over F_2: GFNI multiplies 8 by 8 bits.
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).
//!
//! With w = z^(2^n) the map is a(z) ↦ a(w), a composition of polynomials, and a matrix of 1223 by
//! 1223 bits computes it, 191 KiB to be read for every element. An eighth of it is enough: the bits
//! of a are those of its bytes j of all words c, and
//!
//! ```text
//! a(w) = Σ_j w^(8j) Σ_c a_cj(w) w^(64c),   j = 0 … 7,
//! ```
//!
//! so that the eight inner sums share one matrix of 160 columns, which a cache of the first level
//! holds: `gf2p8affineqb` multiplies each of its blocks by eight bytes, one of each sum. What is
//! left are seven products, four of them side by side.

use super::lanes::LIMBS;
use super::limb::{Limb, Limbs};
use super::plan::{POWERS, image_of_z};
use super::polynomial;
use super::single::Vpclmul;
use super::types::Element;
use super::vectors::Vectors;
use super::xmm::Xmm;
use super::zmm::Zmm;
use core::arch::x86_64::*;
use manylane_primitives::pairing::BinaryField;
use std::sync::OnceLock;

/// 64-bit words of an element, and of each inner sum.
const WORDS: usize = 2 * LIMBS;

/// A map a ↦ a(w).
#[repr(align(64))]
struct Map {
    /// From word c of a to the bytes 8r to 8r + 7 of the inner sums at `[c][r]`: a block of 8 by 8
    /// bits for each, in the order of `gf2p8affineqb`.
    blocks: [[[u64; 8]; WORDS]; WORDS],
    /// (1, w^16, w^32, w^48) and (w^8, w^24, w^40, w^56).
    outer: [Limbs<Zmm>; 2],
}

impl Map {
    /// Returns the map of [`POWERS`] with this index: 26 KiB, made at the first use.
    fn of(index: usize) -> &'static Self {
        static MAPS: [OnceLock<Box<Map>>; POWERS.len()] = [const { OnceLock::new() }; POWERS.len()];
        MAPS[index].get_or_init(|| {
            let w = image_of_z(index);
            let w2 = w * w;
            // 1, w, w² …, four at a time.
            let mut four = [Element::one(), w, w2, w2 * w];
            let step = Vectors::<Zmm>::load(&[w2 * w2; 4]);
            let mut lanes = Vectors::<Zmm>::load(&four);
            let mut powers = Vec::with_capacity(64 * WORDS);
            while powers.len() < 64 * WORDS {
                lanes.store(&mut four);
                powers.extend(four);
                lanes = lanes * step;
            }
            let mut blocks = [[[0; 8]; WORDS]; WORDS];
            for (c, rows) in blocks.iter_mut().enumerate() {
                for (r, row) in rows.iter_mut().enumerate() {
                    for (k, block) in row.iter_mut().enumerate() {
                        let mut inputs = [0; 8];
                        for j in 0..8 {
                            inputs[j] = powers[64 * c + j].limbs()[r].to_le_bytes()[k];
                        }
                        *block = transposed(u64::from_le_bytes(inputs)).swap_bytes();
                    }
                }
            }
            let of =
                |powers_of_w: [usize; 4]| Vectors::<Zmm>::load(&powers_of_w.map(|i| powers[i])).0;
            Box::new(Self { blocks, outer: [of([0, 16, 32, 48]), of([8, 24, 40, 56])] })
        })
    }
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

/// Where the bytes of lane l's words 2r and 2r + 1 are among those of rows 2r and 2r + 1: inner sum
/// 2l + `odd`.
const fn order(odd: usize) -> [u8; 64] {
    let mut order = [0; 64];
    let mut i = 0;
    while i < 64 {
        let (lane, high, byte) = (i / 16, i / 8 % 2, i % 8);
        order[i] = (64 * high + 8 * byte + 2 * lane + odd) as u8;
        i += 1;
    }
    order
}

/// The inner sums of [`order`], one in each lane.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn sums(rows: &[__m512i; WORDS], order: &[u8; 64]) -> Limbs<Zmm> {
    // SAFETY: 64 bytes are there.
    let order = unsafe { _mm512_loadu_si512(order.as_ptr().cast()) };
    let mut sums = [Zmm(order); LIMBS];
    for i in 0..LIMBS {
        sums[i] = Zmm(_mm512_permutex2var_epi8(rows[2 * i], order, rows[2 * i + 1]));
    }
    sums
}

/// m a + n b + `sum`.
#[target_feature(enable = "avx512f,avx512bw,gfni")]
#[inline]
fn add_products(sum: __m512i, m: __m512i, a: __m512i, n: __m512i, b: __m512i) -> __m512i {
    let p = _mm512_gf2p8affine_epi64_epi8::<0>(a, m);
    let q = _mm512_gf2p8affine_epi64_epi8::<0>(b, n);
    _mm512_ternarylogic_epi64::<0b1001_0110>(sum, p, q)
}

/// # Safety
/// `from` must be aligned to 64 bytes.
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn load(from: &[u64; 8]) -> __m512i {
    // SAFETY: by the caller's word.
    unsafe { _mm512_load_si512(from.as_ptr().cast()) }
}

/// a^(2^n), n being [`POWERS`] at `index`: 400 multiplications by blocks and two products in four
/// lanes.
///
/// # Safety
/// The CPU must have the features.
#[target_feature(
    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,vpclmulqdq,pclmulqdq,gfni"
)]
#[inline(never)]
pub(super) unsafe fn apply(index: usize, a: &Limbs<Xmm<Vpclmul>>) -> Limbs<Xmm<Vpclmul>> {
    let Map { blocks, outer } = Map::of(index);
    let mut words = [[0; 2]; LIMBS];
    for i in 0..LIMBS {
        a[i].store(core::slice::from_mut(&mut words[i]));
    }
    let words = words.as_flattened();
    let mut rows = [_mm512_setzero_si512(); WORDS];
    for c in (0..WORDS).step_by(2) {
        let (x, y) = (_mm512_set1_epi64(words[c] as i64), _mm512_set1_epi64(words[c + 1] as i64));
        for r in 0..WORDS {
            // SAFETY: a map is aligned.
            let (m, n) = unsafe { (load(&blocks[c][r]), load(&blocks[c + 1][r])) };
            rows[r] = add_products(rows[r], m, x, n, y);
        }
    }
    const ORDERS: [[u8; 64]; 2] = [order(0), order(1)];
    let even = polynomial::product(&sums(&rows, &ORDERS[0]), &outer[0]);
    let odd = polynomial::product(&sums(&rows, &ORDERS[1]), &outer[1]);
    let mut sum = [Xmm::splat([0, 0]); 2 * LIMBS];
    for k in 0..2 * LIMBS {
        let lanes = Zmm::xor(even[k], odd[k]).0;
        let half =
            _mm256_xor_si256(_mm512_castsi512_si256(lanes), _mm512_extracti64x4_epi64::<1>(lanes));
        let (low, high) = (_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half));
        sum[k] = Xmm::of(_mm_xor_si128(low, high));
    }
    polynomial::reduce(sum)
}
