//! What an executor asks of a backend beyond [`BinaryField`]: lanes, and the way in and out of
//! them.
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).

use super::types::Element;
use manylane_primitives::pairing::{BinaryField, Eta1223};

/// The plain element.
pub(super) type E = Element;

/// 128-bit limbs of an element.
pub(super) const LIMBS: usize = 10;

/// Four elements side by side, limb i of element c at `[i][c]`: the coordinates of a step, or
/// lanes.
pub(super) type Track = [[[u64; 2]; 4]; LIMBS];

/// Zeros.
pub(super) const TRACK: Track = [[[0; 2]; 4]; LIMBS];

/// A field of one element or four, and its ways in and out.
pub(super) trait Backend: BinaryField<Parameters = Eta1223> {
    /// Elements side by side: 1 or 4.
    const LANES: usize;
    /// `LANES` elements, one per lane.
    fn load(elements: &[E]) -> Self;
    /// The inverse of [`Backend::load`].
    fn store(self, elements: &mut [E]);
    /// Coordinate `c` of each of the first `LANES` tracks.
    fn gather(tracks: [&Track; 4], c: usize) -> Self;
    /// Fills the tracks but the first, each the squares of the one before.
    fn square_tracks(tracks: &mut [Track]);
    /// Puts it at place `i` of the tracks, `LANES` of whose elements are one place.
    fn save(&self, tracks: &mut [Track], i: usize);
    /// What was saved at place `i`.
    fn saved(tracks: &[Track], i: usize) -> Self;

    /// The track of these coordinates.
    #[inline(always)]
    fn to_track(coordinates: [E; 4], track: &mut Track) {
        for i in 0..LIMBS {
            for c in 0..4 {
                track[i][c] = [coordinates[c].limbs()[2 * i], coordinates[c].limbs()[2 * i + 1]];
            }
        }
    }
}

impl Backend for E {
    const LANES: usize = 1;

    #[inline(always)]
    fn load(elements: &[E]) -> Self {
        elements[0]
    }
    #[inline(always)]
    fn store(self, elements: &mut [E]) {
        elements[0] = self;
    }
    #[inline(always)]
    fn gather([track, ..]: [&Track; 4], c: usize) -> Self {
        let mut limbs = [0; 2 * LIMBS];
        for i in 0..LIMBS {
            [limbs[2 * i], limbs[2 * i + 1]] = track[i][c];
        }
        E::from_limbs(limbs).expect("reduced")
    }
    #[inline(always)]
    fn save(&self, tracks: &mut [Track], i: usize) {
        for k in 0..LIMBS {
            tracks[i / 4][k][i % 4] = [self.limbs()[2 * k], self.limbs()[2 * k + 1]];
        }
    }
    #[inline(always)]
    fn saved(tracks: &[Track], i: usize) -> Self {
        E::gather([&tracks[i / 4]; 4], i % 4)
    }
    #[inline(always)]
    fn square_tracks(tracks: &mut [Track]) {
        for i in 1..tracks.len() {
            let mut squares = [E::zero(); 4];
            for c in 0..4 {
                squares[c] = E::gather([&tracks[i - 1]; 4], c).square();
            }
            Self::to_track(squares, &mut tracks[i]);
        }
    }
}
