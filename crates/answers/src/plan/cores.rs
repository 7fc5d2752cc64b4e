//! Describes the work of each core: its time, and its steps.

use manylane_graph::{Function, StepId};
use manylane_plan::Platform;
use manylane_plan::schedule::Schedule;
use manylane_plan::time::rounded;
use manylane_plan::two_core::Plan;
use manylane_plan::two_core::folded::Folded;
use manylane_plan::units::Units;
use serde::Serialize;

/// The time of one core, in cycles, and the steps that it computes.
#[derive(Debug, Serialize)]
pub struct CoreLine {
    /// The core's name in the platform's file.
    pub name: String,
    /// Cycles in which it computes.
    pub busy: f64,
    /// Cycles of its side of all hand-overs.
    pub handshakes: f64,
    /// Cycles in which it waits.
    pub idle: f64,
    /// How many units it computes.
    pub units: usize,
    /// The kinds of units that take it the most cycles, at most [`BUSIEST`].
    pub busiest: Vec<KindLine>,
    /// Its steps, folded, such as `round[0..13]/g[1..3]`.
    pub does: Vec<String>,
}

/// All units of one name on a core, and the cycles that they take together.
#[derive(Debug, Serialize)]
pub struct KindLine {
    /// The name that the units share, without their numbers.
    pub name: String,
    /// How many of these units the core computes.
    pub units: usize,
    /// Cycles of all of these units together.
    pub cycles: f64,
}

/// How many kinds of unit are named for each core.
const BUSIEST: usize = 4;

/// Returns the time and the steps of each core.
pub fn cores(
    platform: &Platform,
    plan: &Plan,
    function: &Function,
    units: &Units,
) -> Vec<CoreLine> {
    let Schedule { placements, handshakes, end } = &plan.schedule;
    let folded = Folded::new(function, units, &plan.best().cores);
    let line = |(core, about): (usize, &manylane_plan::platform::Core)| {
        let mut kinds: Vec<KindLine> = Vec::new();
        let own = || placements.iter().filter(|placement| placement.core == core);
        for placement in own() {
            let cycles = placement.time.end - placement.time.start;
            let name = kind(function, units.units[placement.unit].step);
            match kinds.iter_mut().find(|kind| kind.name == name) {
                Some(kind) => {
                    kind.units += 1;
                    kind.cycles += cycles;
                }
                None => kinds.push(KindLine { name, units: 1, cycles }),
            }
        }
        let busy = kinds.iter().fold(0.0, |sum, kind| sum + kind.cycles);
        let shaking = handshakes.iter().map(|handshake| {
            let time = if handshake.from == core { handshake.send } else { handshake.receive };
            time.end - time.start
        });
        let handshakes = shaking.fold(0.0, |sum, time| sum + time);
        kinds.sort_by(|a, b| b.cycles.total_cmp(&a.cycles));
        kinds.truncate(BUSIEST);
        kinds.iter_mut().for_each(|kind| kind.cycles = rounded(kind.cycles));
        CoreLine {
            name: about.name.clone(),
            busy: rounded(busy),
            handshakes: rounded(handshakes),
            idle: rounded(end - busy - handshakes).max(0.0),
            units: own().count(),
            busiest: kinds,
            does: folded.of(core),
        }
    };
    platform.cores.iter().enumerate().map(line).collect()
}

/// The names of a unit's step and those around it, without numbers and frames.
fn kind(function: &Function, step: StepId) -> String {
    let path = function.path(step);
    let inner = path.iter().filter(|&&step| !function.is_frame(step));
    let mut names: Vec<&str> = inner.map(|step| &function.steps()[step.index()].name[..]).collect();
    if names.is_empty() {
        names = path.iter().map(|step| &function.steps()[step.index()].name[..]).collect();
    }
    match names[..] {
        [] => "(in no step)".to_owned(),
        _ => names.join("/"),
    }
}
