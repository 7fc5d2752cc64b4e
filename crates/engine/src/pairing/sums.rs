//! The maps of [`map`](super::map) where no instruction multiplies by matrices: sums of columns.
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).
//!
//! A column is taken for every bit, under a mask of ones or zeros. Two elements share its loads.
//! The logic of floating-point vectors is all that AVX has on 256 bits, and all that is needed.

use super::lanes::LIMBS;
use super::limb::{Limb, Limbs};
use super::plan::{POWERS, image_of_z};
use super::types::Element;
use super::vectors::Vectors;
use super::xmm::{Pclmul, Xmm};
use core::arch::x86_64::*;
use manylane_primitives::pairing::{BinaryField, Eta1223, Parameters};
use std::sync::OnceLock;

/// Vectors of 32 bytes of an element.
const VECTORS: usize = LIMBS / 2;

/// The image of a power of z.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Column([u64; 2 * LIMBS]);

/// For each bit all ones or zeros.
type Masks = [u32; 128 * LIMBS];

/// The images of 1, z … z^1222 under a map, 191 KiB, made at the first use.
fn columns(map: usize) -> &'static [Column] {
    static COLUMNS: [OnceLock<Box<[Column]>>; POWERS.len()] =
        [const { OnceLock::new() }; POWERS.len()];
    COLUMNS[map].get_or_init(|| {
        let step = Vectors::<Xmm<Pclmul>>::load(&[image_of_z(map)]);
        let mut power = Vectors::load(&[Element::one()]);
        let column = |_| {
            let mut column = [Element::from_bit(0)];
            power.store(&mut column);
            power = power * step;
            Column(*column[0].limbs())
        };
        (0..Eta1223::M).map(column).collect()
    })
}

/// Raises each of `elements` to the power 2^n, n of [`POWERS`].
///
/// # Safety
/// The CPU must have the features of the engine `pclmul`.
#[target_feature(enable = "avx")]
#[inline]
pub(super) unsafe fn apply(map: usize, elements: &mut [Limbs<Xmm<Pclmul>>]) {
    let columns = columns(map);
    let mut pairs = elements.chunks_exact_mut(2);
    for pair in &mut pairs {
        let [a, b] = sums(columns, [&pair[0], &pair[1]]);
        (pair[0], pair[1]) = (a, b);
    }
    for a in pairs.into_remainder() {
        [*a] = sums(columns, [a]);
    }
}

/// The sums of the columns where each element has ones.
#[target_feature(enable = "avx")]
#[inline]
fn sums<const N: usize>(
    columns: &[Column],
    elements: [&Limbs<Xmm<Pclmul>>; N],
) -> [Limbs<Xmm<Pclmul>>; N] {
    let mut masks = [[0; 128 * LIMBS]; N];
    for i in 0..N {
        write_masks(elements[i], &mut masks[i]);
    }
    let mut sums = [[_mm256_setzero_ps(); VECTORS]; N];
    for (t, column) in columns.iter().enumerate() {
        let mut mask = [_mm256_setzero_ps(); N];
        for i in 0..N {
            mask[i] = _mm256_castsi256_ps(_mm256_set1_epi32(masks[i][t] as i32));
        }
        for k in 0..VECTORS {
            // SAFETY: 32 bytes are there, and aligned.
            let part = unsafe { _mm256_load_ps(column.0.as_ptr().add(4 * k).cast()) };
            for i in 0..N {
                sums[i][k] = _mm256_xor_ps(sums[i][k], _mm256_and_ps(part, mask[i]));
            }
        }
    }
    let mut limbs = [[Xmm::splat([0, 0]); LIMBS]; N];
    for i in 0..N {
        for k in 0..VECTORS {
            let both = _mm256_castps_si256(sums[i][k]);
            limbs[i][2 * k] = Xmm::of(_mm256_castsi256_si128(both));
            limbs[i][2 * k + 1] = Xmm::of(_mm256_extractf128_si256::<1>(both));
        }
    }
    limbs
}

/// Writes the mask of each bit of an element, four at a time.
#[target_feature(enable = "avx")]
#[inline]
fn write_masks(element: &Limbs<Xmm<Pclmul>>, masks: &mut Masks) {
    let mut words = [[0; 4]; LIMBS];
    for i in 0..LIMBS {
        // SAFETY: 16 bytes are there.
        unsafe { _mm_storeu_si128(words[i].as_mut_ptr().cast(), element[i].0) };
    }
    for (masks, &word) in masks.chunks_exact_mut(32).zip(words.as_flattened()) {
        for i in 0..8 {
            let bits = _mm_sll_epi32(_mm_set_epi32(8, 4, 2, 1), _mm_cvtsi32_si128(4 * i));
            let ones = _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32(word), bits), bits);
            // SAFETY: 16 bytes are there.
            unsafe { _mm_storeu_si128(masks.as_mut_ptr().add(4 * i as usize).cast(), ones) };
        }
    }
}
