//! Stalls at random, of either core.

use super::CoreName;

/// How often and how long cores stall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stalls {
    /// About one in `one_in` instructions of a core stalls; 0 switches stalls off.
    pub one_in: u32,
    /// An instruction that stalls does so for 1 to this many clocks of the core.
    pub at_most: u32,
    /// Another seed gives other stalls; the same seed gives the same stalls.
    pub seed: u64,
}

/// SplitMix64.
#[derive(Clone)]
pub(super) struct Noise(u64);

impl Noise {
    /// A generator; the same seed gives the same numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// The stalls to come.
pub(super) struct RandomStalls {
    stalls: Stalls,
    /// A generator for each core, so that one core's instructions do not change the other's stalls.
    noise: [Noise; 2],
}

impl RandomStalls {
    /// The stalls of both cores from their beginning.
    pub fn new(stalls: Stalls) -> Self {
        Self { stalls, noise: [stalls.seed, !stalls.seed].map(Noise::new) }
    }

    /// Returns the clocks that an instruction of the core stalls.
    pub fn next(&mut self, core: CoreName) -> u64 {
        let Stalls { one_in, at_most, .. } = self.stalls;
        if one_in == 0 || at_most == 0 {
            return 0;
        }
        let z = self.noise[core as usize].next();
        if z.is_multiple_of(one_in.into()) { 1 + (z >> 32) % u64::from(at_most) } else { 0 }
    }
}
