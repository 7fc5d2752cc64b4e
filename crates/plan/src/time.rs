//! Time in whole ticks: the simulator and the searches add and compare integers, so that equal sums
//! are equal in whatever order they are made.

/// A time in millionths of a cycle.
pub type Ticks = u64;

/// Ticks of a cycle.
const PER_CYCLE: f64 = 1e6;

/// After every time that a plan can have.
pub const NEVER: Ticks = Ticks::MAX;

/// The cost figures that a description may have besides 0, in cycles: down to a tick.
pub const FIGURES: std::ops::RangeInclusive<f64> = 1e-6..=1e9;

/// The most cycles that a plan may take if all goes wrong. Sums of several such times still fit into
/// [`Ticks`].
pub const MOST_CYCLES: f64 = 1e12;

/// The ticks nearest to a number of cycles.
pub fn ticks(cycles: f64) -> Ticks {
    (cycles * PER_CYCLE).round() as Ticks
}

/// The cycles of a number of ticks, infinite for [`NEVER`].
pub fn cycles(ticks: Ticks) -> f64 {
    if ticks == NEVER { f64::INFINITY } else { ticks as f64 / PER_CYCLE }
}

/// Cycles without the digits behind the last tick, which sums of fractions end in.
pub fn rounded(cycles: f64) -> f64 {
    (cycles * PER_CYCLE).round() / PER_CYCLE
}
