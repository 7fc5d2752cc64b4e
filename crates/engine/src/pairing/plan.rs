//! The cheapest way to a power a^(2^n): which maps, how many squarings and square roots.
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).

use super::lanes::LIMBS;
use super::types::Element;
use manylane_primitives::pairing::BinaryField;

/// The exponents n of the maps a^(2^n): those of the longest powers in an inversion. With a square
/// after it the first gives the root that the Miller value starts from, 2 · 612 being 1223 + 1.
pub(super) const POWERS: [usize; 3] = [611, 305, 152];

/// The cost of a square root, in squarings.
const ROOT: usize = 2;

/// The cheapest way to a^(2^n) for n < 1223.
#[derive(Clone, Copy)]
pub(super) struct PowerPlan {
    /// The maps that are taken first, of [`POWERS`].
    pub maps: [bool; POWERS.len()],
    /// How many squarings follow.
    pub squares: usize,
    /// How many square roots follow.
    pub roots: usize,
}

impl PowerPlan {
    /// Returns the cheapest way if a map costs `map` squarings.
    #[inline(always)]
    pub fn of(n: usize, map: usize) -> Self {
        let mut best = Self { maps: [false; POWERS.len()], squares: n, roots: 0 };
        let mut cost = n;
        for choice in 1..1 << POWERS.len() {
            let mut maps = [false; POWERS.len()];
            let (mut power, mut taken) = (0, 0);
            for i in 0..POWERS.len() {
                if choice >> i & 1 == 1 {
                    maps[i] = true;
                    power += POWERS[i];
                    taken += map;
                }
            }
            let (squares, roots) = (n.saturating_sub(power), power.saturating_sub(n));
            if taken + squares + ROOT * roots < cost {
                cost = taken + squares + ROOT * roots;
                best = Self { maps, squares, roots };
            }
        }
        best
    }
}

/// z^(2^n), n of [`POWERS`].
pub(super) fn image_of_z(map: usize) -> Element {
    let mut z = [0; 2 * LIMBS];
    z[0] = 2;
    let mut w = Element::from_limbs(z).expect("z");
    for _ in 0..POWERS[map] {
        w.square_assign();
    }
    w
}
