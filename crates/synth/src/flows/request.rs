//! A request to the tools.

use crate::{Core, Target};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// How sums become adders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sums {
    /// Each addition of the core becomes one adder.
    #[default]
    AsWritten,
    /// Sums of sums as carry-save trees, as yosys does by itself.
    Fused,
}

impl fmt::Display for Sums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::AsWritten => "as-written",
            Self::Fused => "fused",
        })
    }
}

/// A core to be built.
#[derive(Clone, Debug)]
pub struct Request {
    /// The core.
    pub core: Core,
    /// The target.
    pub target: Target,
    /// How sums become adders.
    pub sums: Sums,
    /// Seeds of place and route.
    pub seeds: Vec<u32>,
    /// Whether to measure the switching activity, where the target is gates.
    pub energy: bool,
    /// How long each run of a tool may take.
    pub time_limit: Duration,
}
