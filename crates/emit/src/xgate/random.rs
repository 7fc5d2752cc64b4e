//! Pseudorandom numbers for searches that must give the same result in every run.

use manylane_graph::random::XorShift64Star;

/// A generator of random numbers.
pub struct Random(XorShift64Star);

impl Random {
    /// The generator with this seed, which is not 0.
    pub fn new(seed: u64) -> Self {
        Self(XorShift64Star(seed))
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.0.word() >> 33) as usize % bound
    }

    /// A number from 0 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.0.word() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
