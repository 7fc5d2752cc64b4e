//! Time in whole ticks: the simulator and the searches add and compare integers, so that equal sums
//! are equal in whatever order they are made.

/// A time in billionths of a cycle.
pub type Ticks = u64;

/// Ticks of a cycle.
const PER_CYCLE: f64 = 1e9;

/// After every time that a plan can have.
pub const NEVER: Ticks = Ticks::MAX;

/// The cost figures that a description may have besides 0, in cycles.
pub const FIGURES: std::ops::RangeInclusive<f64> = 1e-6..=1e9;

/// The most cycles that a plan may take in the worst case: three such times still fit into
/// [`Ticks`].
pub const MOST_CYCLES: f64 = 5e9;

/// The ticks nearest to a number of cycles.
pub fn ticks(cycles: f64) -> Ticks {
    (cycles * PER_CYCLE).round() as Ticks
}

/// Reported times are whole multiples of so many ticks, a millionth of a cycle: costs that were
/// scaled or divided are rounded to ticks, and reported times do not show the digits that this
/// rounding makes.
const REPORTED: Ticks = 1000;

/// The cycles of a number of ticks, to a millionth; infinite for [`NEVER`].
pub fn cycles(ticks: Ticks) -> f64 {
    match ticks {
        NEVER => f64::INFINITY,
        ticks => ((ticks + REPORTED / 2) / REPORTED) as f64 / (PER_CYCLE / REPORTED as f64),
    }
}

/// Rounds a sum or difference of reported cycles to a millionth of a cycle.
pub fn rounded(cycles: f64) -> f64 {
    let per_cycle = PER_CYCLE / REPORTED as f64;
    (cycles * per_cycle).round() / per_cycle
}
