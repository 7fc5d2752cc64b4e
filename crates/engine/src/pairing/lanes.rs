//! What an executor asks of a backend beyond [`BinaryField`]: lanes, and the way in and out of
//! them.
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).

use super::types::Element;
use manylane_primitives::pairing::{BinaryField, Eta1223};

/// 128-bit limbs of an element.
pub(super) const LIMBS: usize = 10;

/// Four elements side by side, limb i of element c at `[i][c]`: the coordinates of a step, or
/// lanes.
pub(super) type FourElements = [[[u64; 2]; 4]; LIMBS];

/// Four elements, all of them 0.
pub(super) const ZEROS: FourElements = [[[0; 2]; 4]; LIMBS];

/// A field of one element or four, and its ways in and out.
pub(super) trait Backend: BinaryField<Parameters = Eta1223> {
    /// Elements side by side: 1 or 4.
    const LANES: usize;
    /// `LANES` elements, one per lane.
    fn load(elements: &[Element]) -> Self;
    /// The inverse of [`Backend::load`].
    fn store(self, elements: &mut [Element]);
    /// Element `c` of each of the first `LANES` of the four groups, one per lane.
    fn gather(fours: [&FourElements; 4], c: usize) -> Self;
    /// Fills all groups of four elements but the first: each with the squares of the group before.
    fn square_each_from_first(fours: &mut [FourElements]);
    /// Stores the lanes as the elements `LANES * i` onwards, counted through all groups of four.
    fn save(&self, fours: &mut [FourElements], i: usize);
    /// Reads what [`Backend::save`] stored at `i`.
    fn saved(fours: &[FourElements], i: usize) -> Self;

    /// Stores four coordinates as one group.
    #[inline(always)]
    fn to_four(coordinates: [Element; 4], four: &mut FourElements) {
        for i in 0..LIMBS {
            for c in 0..4 {
                four[i][c] = [coordinates[c].limbs()[2 * i], coordinates[c].limbs()[2 * i + 1]];
            }
        }
    }
}

impl Backend for Element {
    const LANES: usize = 1;

    #[inline(always)]
    fn load(elements: &[Element]) -> Self {
        elements[0]
    }
    #[inline(always)]
    fn store(self, elements: &mut [Element]) {
        elements[0] = self;
    }
    #[inline(always)]
    fn gather([four, ..]: [&FourElements; 4], c: usize) -> Self {
        let mut limbs = [0; 2 * LIMBS];
        for i in 0..LIMBS {
            [limbs[2 * i], limbs[2 * i + 1]] = four[i][c];
        }
        Element::from_limbs(limbs).expect("reduced")
    }
    #[inline(always)]
    fn save(&self, fours: &mut [FourElements], i: usize) {
        for k in 0..LIMBS {
            fours[i / 4][k][i % 4] = [self.limbs()[2 * k], self.limbs()[2 * k + 1]];
        }
    }
    #[inline(always)]
    fn saved(fours: &[FourElements], i: usize) -> Self {
        Element::gather([&fours[i / 4]; 4], i % 4)
    }
    #[inline(always)]
    fn square_each_from_first(fours: &mut [FourElements]) {
        for i in 1..fours.len() {
            let mut squares = [Element::zero(); 4];
            for c in 0..4 {
                squares[c] = Element::gather([&fours[i - 1]; 4], c).square();
            }
            Self::to_four(squares, &mut fours[i]);
        }
    }
}
