//! What `--json` prints.

use manylane_synth::Measured;
use serde::{Deserialize, Serialize};

/// What `--json` prints.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Report {
    pub(super) results: Vec<Built>,
    pub(super) failed: Vec<Failed>,
}

/// A core with figures.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Built {
    /// The folder, as it was named; empty in records of versions that did not write it.
    #[serde(default)]
    pub(super) folder: String,
    #[serde(flatten)]
    pub(super) measured: Measured,
}

impl Report {
    /// The figures.
    pub(super) fn measured(&self) -> impl Iterator<Item = &Measured> {
        self.results.iter().map(|built| &built.measured)
    }
}

/// A core without figures.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Failed {
    /// As [`Built::folder`].
    #[serde(default)]
    pub(super) folder: String,
    pub(super) core: String,
    /// Whether that is a result: the chip is too small.
    pub(super) does_not_fit: bool,
    pub(super) why: String,
}

impl Failed {
    /// The complaint about it.
    pub(super) fn said(&self) -> String {
        format!("{}: {}", self.folder, self.why)
    }
}
