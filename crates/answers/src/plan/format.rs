//! Numbers and parts of a whole in words.

use manylane_pages::thousands;

/// A number of at most two decimals: sums of costs have digits that only rounding makes.
pub fn two_decimals(number: f64) -> f64 {
    (100.0 * number).round() / 100.0
}

/// A share as a percentage.
pub(super) fn percent(part: f64) -> String {
    let rounded = (1000.0 * part).round() / 10.0;
    // Adding 0 turns −0 into 0.
    format!("{:.1} %", rounded + 0.0)
}

/// `1 message`, `2,000 messages`.
pub fn counted(n: usize, name: &str) -> String {
    format!("{} {name}{}", thousands(n), if n == 1 { "" } else { "s" })
}
