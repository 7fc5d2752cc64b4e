//! The papers' assignments: which units of a primitive that they name go to the coprocessor.

use crate::assignments::{Assignments, Share};
use crate::costs::UnitCosts;
use crate::platform::{COPROCESSOR, MAIN};
use crate::units::{self, Unit, Units};
use manylane_graph::{Function, Kind, StepId};

/// The core of every unit as a paper has it, for the paper's own s; `None` if no paper divides the
/// function.
pub fn assign(function: &Function, units: &Units) -> Option<Vec<u8>> {
    let mut papers = Assignments::built_in().iter();
    papers.find_map(|paper| by_shares(function, units, &paper.of(function)))
}

/// The papers' assignments for a platform's s, which follows from the units' costs. If that is the
/// paper's s, the shares are the paper's own. Otherwise each group's share is the one nearest to
/// what keeps both cores busy, 1/(1 + s) of the group on the coprocessor, rounded down and up.
pub fn scaled(function: &Function, units: &Units, costs: &UnitCosts) -> Vec<Vec<u8>> {
    let s = relative_speed(costs);
    let mut found: Vec<Vec<u8>> = Vec::new();
    for paper in Assignments::built_in() {
        let shares = paper.of(function);
        if (s - paper.speed).abs() < 1e-3 {
            found.extend(by_shares(function, units, &shares));
            continue;
        }
        for rounding in 0..2 {
            let near = |share: &&Share| share.scaled(busy(s))[rounding].clone();
            let near: Vec<Share> = shares.iter().map(near).collect();
            found.extend(by_shares(function, units, &near.iter().collect::<Vec<_>>()));
        }
    }
    found.dedup();
    found
}

/// s: the coprocessor's time for all units, divided by the main core's.
pub(super) fn relative_speed(costs: &UnitCosts) -> f64 {
    let [main, coprocessor] = [MAIN, COPROCESSOR].map(|core| costs.work(core));
    if main > 0.0 { coprocessor / main } else { 1.0 }
}

/// The coprocessor's share of the work with which both cores are done at the same time.
pub(super) fn busy(s: f64) -> f64 {
    1.0 / (1.0 + s)
}

/// The core of every unit by these shares. `None` if no unit goes to the coprocessor, or if a share
/// matches no step of the function, because the rest of the assignment would not be the paper's.
/// This happens to JH's lanes where words are not divided. Loading and padding may be absent.
fn by_shares(function: &Function, units: &Units, shares: &[&Share]) -> Option<Vec<u8>> {
    let steps = || (0..function.steps().len() as u32).map(StepId);
    let applies = |share: &&Share| {
        let around = matches!(share.kind, Kind::Load | Kind::Pad);
        around || steps().any(|step| share.is_about(function, step))
    };
    if !shares.iter().all(applies) {
        return None;
    }
    let cores = units.units.iter().map(|unit| u8::from(on_coprocessor(function, unit, shares)));
    let cores: Vec<u8> = cores.collect();
    cores.contains(&1).then_some(cores)
}

/// Whether a unit goes to the coprocessor: the innermost step around it with a share decides.
fn on_coprocessor(function: &Function, unit: &Unit, shares: &[&Share]) -> bool {
    function.path(unit.step).into_iter().rev().find_map(|step| {
        let share = shares.iter().find(|share| share.is_about(function, step))?;
        Some(units::number(function, step, share.path.depth()) % share.of >= share.main)
    }) == Some(true)
}
