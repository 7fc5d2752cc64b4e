//! The options of a plan, and the errors of options.

use serde::{Deserialize, Serialize};

/// The way in which sums are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Adders {
    /// Carry-propagate adders in the order of the standard's text.
    Chain,
    /// Carry-propagate adders as trees, balanced by the times at which the terms arrive.
    Tree,
    /// 3:2 carry-save rows, and a carry-propagate adder where the sum itself is needed.
    #[serde(rename = "csa")]
    CarrySave,
}

/// The operations that may be computed before the clock of the step that they belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precompute {
    /// No operation: W_t + K_t is added in the clock of step t.
    None,
    /// The operations that depend on message and constants alone: K_t + W_t.
    Kw,
    /// Also the operations on words of the state that are only passed on: h + (K_t + W_t). Every
    /// new word of the state is registered at the end of its clock.
    Full,
    /// Any operation: operations move across registers in both directions, and words of the state
    /// may be ready a clock late.
    Auto,
}

manylane_primitives::names! { Adders:
    /// Its name on the command line and in planned programs.
    Chain "chain", Tree "tree", CarrySave "csa",
}

manylane_primitives::names! { Precompute:
    /// Its name on the command line and in planned programs.
    None "none", Kw "kw", Full "full", Auto "auto",
}

/// The shape of the hardware to plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Options {
    /// k: steps merged into one clock.
    pub merge: usize,
    /// p: pipeline stages, each with a block of its own and a message of its own.
    pub stages: usize,
    /// The way in which sums are computed.
    pub adders: Adders,
    /// The operations that may be computed ahead.
    pub precompute: Precompute,
}

impl Options {
    /// The shape with which the paper named in [`crate::hardware`] compares its own: four stages,
    /// each of which does one step per clock as the standard writes it, K_t + W_t included. SHA-256
    /// takes 16 clocks per block, SHA-1 20.
    pub const CONVENTIONAL: Self =
        Self { merge: 1, stages: 4, adders: Adders::Chain, precompute: Precompute::None };
    /// The paper's shape: its equations (2) and (3) add W_t and K_t in the step. SHA-256 takes 8
    /// clocks per block, SHA-1 10.
    pub const PAPER: Self = Self { merge: 2, ..Self::CONVENTIONAL };
    /// The two shapes that the paper's table 3 compares.
    pub const PAPERS: [Self; 2] = [Self::CONVENTIONAL, Self::PAPER];
}

impl Default for Options {
    /// The usual core: one step per clock, one stage, the standard's sums, K_t + W_t ahead.
    fn default() -> Self {
        Self { merge: 1, stages: 1, adders: Adders::Chain, precompute: Precompute::Kw }
    }
}

/// An error: no hardware can be planned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The function has no steps that follow each other.
    #[error("{function} has no rounds to merge; plan a compression")]
    NoRounds {
        /// The function's name.
        function: String,
    },
    /// The function calls others.
    #[error("{function} calls other functions; inline them first")]
    Calls {
        /// The function's name.
        function: String,
    },
    /// The number of steps is not a multiple of the number to be merged.
    #[error("{steps} steps cannot be merged {merge} to a clock; possible are {possible}")]
    Merge {
        /// Number of steps of the compression.
        steps: usize,
        /// Number of steps that were to be merged.
        merge: usize,
        /// The numbers that are possible.
        possible: String,
    },
    /// The number of clocks is not a multiple of the number of stages.
    #[error(
        "{clocks} clock{} per block cannot be divided into {stages} stages; possible {} {possible}",
        if *clocks == 1 { "" } else { "s" },
        if *clocks == 1 { "is" } else { "are" },
    )]
    Stages {
        /// Clocks per block with one stage.
        clocks: usize,
        /// How many stages were asked for.
        stages: usize,
        /// The numbers that are possible.
        possible: String,
    },
}

impl Options {
    /// Clocks per block and stage, for a compression of `steps` steps.
    ///
    /// # Errors
    /// If `merge` does not divide the steps, or `stages` what remains.
    pub(super) fn clocks(&self, steps: usize) -> Result<usize, Error> {
        let divisors = |n: usize| -> String {
            let all = (1..=n).filter(|d| n.is_multiple_of(*d)).map(|d| d.to_string());
            all.collect::<Vec<_>>().join(", ")
        };
        let divides = |d: usize, n: usize| d > 0 && n.is_multiple_of(d);
        if !divides(self.merge, steps) {
            return Err(Error::Merge { steps, merge: self.merge, possible: divisors(steps) });
        }
        let clocks = steps / self.merge;
        if !divides(self.stages, clocks) {
            let possible = divisors(clocks);
            return Err(Error::Stages { clocks, stages: self.stages, possible });
        }
        Ok(clocks / self.stages)
    }
}
