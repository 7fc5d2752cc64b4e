//! Everything that is printed of an exploration: the fields of `--json`.

use manylane_synth::CoreFigures;
use manylane_synth::explore::{Goal, Peers, PlannedFigures};
use serde::{Deserialize, Serialize};

/// Everything that is printed: the fields of `--json`.
#[derive(Serialize, Deserialize)]
pub(super) struct Answer {
    pub(super) command: String,
    pub(super) primitive: String,
    pub(super) title: String,
    /// What was asked for.
    pub(super) goal: Goal,
    pub(super) answer: String,
    pub(super) shapes: Vec<Shape>,
    /// Rank correlation of the predictions with the results.
    pub(super) agreement: Agreement,
    pub(super) peers: Peers,
}

/// One shape.
#[derive(Serialize, Deserialize)]
pub(super) struct Shape {
    pub(super) command: String,
    pub(super) predicted: PlannedFigures,
    pub(super) measured: Option<CoreFigures>,
    /// The reason for which there are no figures.
    pub(super) failed: Option<String>,
    /// Whether no other shape is both smaller and faster.
    pub(super) best: bool,
    pub(super) recommended: bool,
}

/// Spearman's coefficients.
#[derive(Serialize, Deserialize)]
pub(super) struct Agreement {
    pub(super) throughput: Option<f64>,
    pub(super) area: Option<f64>,
}
