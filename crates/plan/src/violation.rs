//! A rule of a planned program that does not hold.

/// A rule that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem} (rule {rule} of manylane_plan::{rules})")]
pub struct Violation {
    /// The module whose documentation lists the rules.
    pub rules: &'static str,
    /// Its number in the list.
    pub rule: u8,
    /// What was found, and what the rule asks for.
    pub problem: String,
}
