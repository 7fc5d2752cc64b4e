//! What `--json` prints.

use manylane_synth::Measured;
use serde::{Deserialize, Serialize};

/// What `--json` prints.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Report {
    pub(super) results: Vec<Measured>,
    pub(super) failed: Vec<Failed>,
}

/// A core without figures.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Failed {
    pub(super) core: String,
    /// Whether that is a result: the chip is too small.
    pub(super) does_not_fit: bool,
    pub(super) why: String,
}
