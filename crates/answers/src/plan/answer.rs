//! The answer of a plan for two cores.

use super::cores::CoreLine;
use super::emitted::Emitted;
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
    /// Which of the answers of `plan` this is.
    pub kind: &'static str,
    /// The name of the primitive on the command line.
    pub primitive: String,
    /// The primitive's name in its standard.
    pub title: String,
    /// What is planned, such as the message's length.
    pub what: String,
    /// Bytes of the message, if a message is planned.
    pub length: Option<usize>,
    /// Bytes of the key, if the primitive has one.
    pub key_length: Option<usize>,
    /// Whether the plan is for messages of this one length, whose padding is known.
    pub fixed_length: bool,
    pub(super) platform: PlatformLine,
    /// Whether the answer rests on costs that are an estimate.
    pub estimate: bool,
    /// How coarse the units are: rounds, parts of rounds, or operations.
    pub level: Level,
    /// Cycles of the whole that were measured on the main core.
    pub measured_total: Option<f64>,
    /// Whether the second core is worth using: by the times of the emitted programs where they are
    /// known, else by the schedule of the operations. `answer` and `saved` rest on the same times.
    pub worth_it: bool,
    /// The answer as a sentence.
    pub answer: String,
    /// Why the answer is so, as a sentence.
    pub reason: String,
    /// Parts of the time that two cores save.
    #[serde(flatten)]
    pub saved: Saved,
    /// What the emitted programs take, where the platform has measured programs.
    pub emitted: Option<Emitted>,
    /// The reason why only operations are priced, where the platform has no measured programs.
    pub operations_only: Option<String>,
    /// The bound that no program of these operations beats.
    pub limit: LimitLine,
    /// The limit of all splits into units of this level.
    pub units_limit: UnitsLimit,
    /// For a hash's block, the limit of splits in which the second core is ahead of the main one.
    pub ahead_limit: Option<AheadLimit>,
    /// For a hash's block, the limit of splits into whole steps with their hand-overs.
    pub steps_limit: Option<StepsLimit>,
    /// With `--exact`: what the search proved.
    pub proof: Option<Proof>,
    /// The splits that were compared.
    pub candidates: Vec<CandidateLine>,
    /// The work of each core, the main core first.
    pub cores: Vec<CoreLine>,
    /// The units of the primitive; the schedule numbers them from 0.
    pub units: Vec<UnitLine>,
    /// When each core computes each unit, and the handshakes between the cores.
    pub schedule: Schedule,
}

/// The limit of all programs of these operations on the two cores, in cycles of the main core.
#[derive(Debug, Serialize)]
pub struct LimitLine {
    /// No program of these operations takes less.
    pub cycles: f64,
    /// The longest chain of operations, each on its faster core.
    pub span: f64,
    /// All operations divided over both cores at will.
    pub work: f64,
    /// `proved` for the platform's prices, or an `estimate`.
    pub basis: &'static str,
    /// The part of the priced operations' time on the main core that the limit would save. It
    /// bounds no program's saving: two cores spill less than one, and a program's time on one core
    /// is longer than its operations'.
    pub saved: f64,
    /// `saved` under its earlier name.
    pub gain: f64,
}

/// The limit of splits in which the second core needs nothing but the message.
#[derive(Debug, Serialize)]
pub struct AheadLimit {
    /// Cycles of the main core; no such split takes fewer.
    pub cycles: f64,
    /// The basis, as in [`LimitLine`].
    pub basis: &'static str,
    /// The times that make up the limit.
    #[serde(flatten)]
    pub parts: Ahead,
}

/// The limit of whole steps with their hand-overs.
#[derive(Debug, Serialize)]
pub struct StepsLimit {
    /// The limit in cycles of the main core, with the layers of steps from which it follows.
    #[serde(flatten)]
    pub steps: WholeSteps,
    /// The basis, as in [`LimitLine`].
    pub basis: &'static str,
    /// The part of all steps on one core that the limit would save.
    pub saved: f64,
}

/// The limit of the units that were chosen.
#[derive(Debug, Serialize)]
pub struct UnitsLimit {
    /// Cycles of the main core; no split of these units takes fewer.
    pub cycles: f64,
    /// The longest chain of units, each on its faster core.
    pub span: f64,
    /// All units divided over both cores at will.
    pub work: f64,
    /// Part of the main core's time that the limit would save.
    pub saved: f64,
    /// A sentence about this limit, if it allows a smaller saving than the limit of operations.
    pub answer: Option<String>,
}

/// Parts of a time that are saved: of the main core's, and of the better single core's.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Saved {
    /// Part of the main core's time.
    pub saved: f64,
    /// Part of the time of the better single core.
    pub saved_over_best_core: f64,
    /// The same two under their earlier names.
    gain: f64,
    gain_over_best_core: f64,
}

impl Saved {
    /// Pairs the two parts, and repeats them under their earlier names for the readers of the JSON.
    pub fn new(saved: f64, saved_over_best_core: f64) -> Self {
        Self { saved, saved_over_best_core, gain: saved, gain_over_best_core: saved_over_best_core }
    }
}

/// One of the splits that were compared, by the time of its schedule.
#[derive(Debug, Serialize)]
pub struct CandidateLine {
    /// The heuristic that found the split.
    pub name: String,
    /// Cycles until the main core knows that all units are done.
    pub cycles: f64,
    /// Number of handshakes between the cores.
    pub handshakes: usize,
    /// Parts of the time that this split saves.
    #[serde(flatten)]
    pub saved: Saved,
    /// By what part it is above the limit: 1 is twice the limit.
    pub above_limit: f64,
    /// Whether the plan is made from this split.
    pub chosen: bool,
}

/// A unit of the schedule: its name, the lane that it works in, and the units that it needs.
#[derive(Debug, Serialize)]
pub struct UnitLine {
    /// The names of the steps around the unit and of the unit, such as `round[3]/g[1]`.
    pub name: String,
    /// Its number among the lanes of a round, if it is a part of one.
    pub lane: Option<u32>,
    /// The numbers of the units whose results it needs.
    pub operands: Vec<u32>,
}
