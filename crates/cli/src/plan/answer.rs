//! The answer of a plan for two cores.

use super::cores::CoreLine;
use super::platform_line::PlatformLine;
use manylane_plan::program::ahead::Ahead;
use manylane_plan::program::whole::WholeSteps;
use manylane_plan::schedule::Schedule;
use manylane_plan::two_core::exact::Proof;
use manylane_plan::units::Level;
use serde::Serialize;

/// All figures of a plan. The fields are those of `--json`: docs/plan-json.md.
#[derive(Debug, Serialize)]
pub struct Answer {
    pub kind: &'static str,
    pub primitive: String,
    pub title: String,
    pub what: String,
    pub length: Option<usize>,
    pub key_length: Option<usize>,
    pub fixed_length: bool,
    pub(super) platform: PlatformLine,
    pub estimate: bool,
    pub level: Level,
    pub measured_total: Option<f64>,
    pub worth_it: bool,
    pub answer: String,
    pub reason: String,
    #[serde(flatten)]
    pub saved: Saved,
    pub limit: LimitLine,
    pub units_limit: UnitsLimit,
    /// For a hash's block, the limit of splits in which the second core is ahead of the main one.
    pub ahead_limit: Option<AheadLimit>,
    /// For a hash's block, the limit of splits into whole steps with their hand-overs.
    pub steps_limit: Option<StepsLimit>,
    pub proof: Option<Proof>,
    pub candidates: Vec<CandidateLine>,
    pub cores: Vec<CoreLine>,
    pub units: Vec<UnitLine>,
    pub schedule: Schedule,
}

#[derive(Debug, Serialize)]
pub struct LimitLine {
    pub cycles: f64,
    pub span: f64,
    pub work: f64,
    pub basis: &'static str,
    pub saved: f64,
    pub gain: f64,
}

/// The limit of splits in which the second core needs nothing but the message.
#[derive(Debug, Serialize)]
pub struct AheadLimit {
    pub cycles: f64,
    /// That of [`LimitLine`].
    pub basis: &'static str,
    #[serde(flatten)]
    pub parts: Ahead,
}

/// The limit of whole steps with their hand-overs.
#[derive(Debug, Serialize)]
pub struct StepsLimit {
    #[serde(flatten)]
    pub steps: WholeSteps,
    /// That of [`LimitLine`].
    pub basis: &'static str,
    /// The part of all steps on one core that the limit would save.
    pub saved: f64,
}

/// The limit of the units that were chosen.
#[derive(Debug, Serialize)]
pub struct UnitsLimit {
    pub cycles: f64,
    pub span: f64,
    pub work: f64,
    pub saved: f64,
    /// The sentence about it, if it is further away than the limit.
    pub answer: Option<String>,
}

/// Parts of a time that are saved: of the main core's, and of the better single core's.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Saved {
    pub saved: f64,
    pub saved_over_best_core: f64,
    /// The same two under their earlier names.
    gain: f64,
    gain_over_best_core: f64,
}

impl Saved {
    pub fn new(saved: f64, saved_over_best_core: f64) -> Self {
        Self { saved, saved_over_best_core, gain: saved, gain_over_best_core: saved_over_best_core }
    }
}

#[derive(Debug, Serialize)]
pub struct CandidateLine {
    pub name: String,
    pub cycles: f64,
    pub handshakes: usize,
    #[serde(flatten)]
    pub saved: Saved,
    pub above_limit: f64,
    pub chosen: bool,
}

#[derive(Debug, Serialize)]
pub struct UnitLine {
    pub name: String,
    pub lane: Option<u32>,
    pub operands: Vec<u32>,
}
