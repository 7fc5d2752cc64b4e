//! The computations beside which pairings are measured.
//!
//! **The curve over F_2^1223 has about 59 bits of security, BLS12-381 about 120: the ratio compares
//! their times only.**

use super::contestants::Call;
use std::hint::black_box;

/// A pairing of BLS12-381 by blst, if it is built in: Miller loop and final exponentiation.
#[cfg(feature = "blst")]
pub fn bls12_381() -> Option<Call<'static>> {
    let ate = manylane_engine::peer::Ate::new()?;
    Some(Box::new(move || {
        black_box(black_box(&ate).pair());
    }))
}

/// Without the feature `blst` there is none.
#[cfg(not(feature = "blst"))]
pub fn bls12_381() -> Option<Call<'static>> {
    None
}

/// The clock of the core, by a chain of operations whose cycles are known.
pub struct Clock;

impl Clock {
    /// Links of the chain.
    const LINKS: u64 = 10_000;
    /// A multiplication takes 3 cycles and an exclusive or 1, on every x86-64 core of the last ten
    /// years.
    const CYCLES: u64 = 4 * Self::LINKS;

    /// The chain as a call, where its cycles are known.
    pub fn call() -> Option<Call<'static>> {
        if !cfg!(target_arch = "x86_64") {
            return None;
        }
        let factor = black_box(0x9e37_79b9_7f4a_7c15_u64);
        Some(Box::new(move || {
            let link = |x: u64, _| x.wrapping_mul(factor) ^ factor;
            black_box((0..Self::LINKS).fold(black_box(1), link));
        }))
    }

    /// Cycles in a second, from the seconds of one call.
    pub fn hertz(seconds: f64) -> f64 {
        Self::CYCLES as f64 / seconds
    }
}
