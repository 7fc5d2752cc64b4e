//! Figures of many cores, as `manylane synth --json` prints them and `--check` reads them.

use crate::CoreFigures;
use serde::{Deserialize, Serialize};

/// Figures of many cores.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Record {
    /// The cores with figures.
    pub results: Vec<Built>,
    /// The cores without figures.
    pub failed: Vec<Failed>,
}

/// A core with figures.
#[derive(Debug, Serialize, Deserialize)]
pub struct Built {
    /// The folder, as it was named; empty in records of versions that did not write it.
    #[serde(default)]
    pub folder: String,
    /// Its figures.
    #[serde(flatten)]
    pub measured: CoreFigures,
}

impl Record {
    /// The figures.
    pub fn measured(&self) -> impl Iterator<Item = &CoreFigures> {
        self.results.iter().map(|built| &built.measured)
    }
}

/// A core without figures.
#[derive(Debug, Serialize, Deserialize)]
pub struct Failed {
    /// As [`Built::folder`].
    #[serde(default)]
    pub folder: String,
    /// As [`CoreFigures::label`].
    pub core: String,
    /// Whether that is a result: the chip is too small.
    pub does_not_fit: bool,
    /// Why.
    pub why: String,
}

impl Failed {
    /// The folder and the reason, as a line for people.
    pub fn said(&self) -> String {
        format!("{}: {}", self.folder, self.why)
    }
}
