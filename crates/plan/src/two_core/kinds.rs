//! Assignments by the kinds of steps alone, the first thing that a reader of the standard would
//! try.
//!
//! ```text
//! load, pad, schedule, injection ──► the coprocessor, all of them, or the main core
//! parts of a step side by side   ──► shared out: G on four columns, four lanes, five planes
//! lines of rounds side by side   ──► one line on each core
//! ```

use super::policy::{busy, relative_speed};
use crate::costs::UnitCosts;
use crate::platform::{COPROCESSOR, MAIN};
use crate::units::Units;
use manylane_graph::{Function, Kind, StepId};
use std::collections::HashMap;

/// The role of a unit in these assignments.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    /// The unit stays on the main core.
    Main,
    /// The unit computes words that the state takes from outside, such as message words.
    Side,
    /// The unit belongs to a line of rounds other than the first.
    Line,
    /// The unit belongs to one of several parts side by side: the number of its part, and how many
    /// parts there are.
    Part(usize, usize),
}

/// Lists the assignments for units of these costs, each once.
pub(super) fn assign(function: &Function, units: &Units, costs: &UnitCosts) -> Vec<Vec<u8>> {
    let places = places(function, units);
    let part = busy(relative_speed(costs));
    let mut found: Vec<Vec<u8>> = Vec::new();
    // Handshakes may take as much time as a part does, so one part fewer is tried too.
    for (rounding, less) in [(f64::floor as fn(f64) -> f64, 0), (f64::ceil, 0), (f64::floor, 1)] {
        for sides in [COPROCESSOR, MAIN] {
            let core = |place: &Role| match *place {
                Role::Main => MAIN,
                Role::Side => sides,
                Role::Line => COPROCESSOR,
                Role::Part(number, of) => {
                    let there = (rounding(of as f64 * part) as usize).saturating_sub(less);
                    usize::from(number + there >= of)
                }
            };
            let cores: Vec<u8> = places.iter().map(|place| core(place) as u8).collect();
            if cores.contains(&(COPROCESSOR as u8)) && !found.contains(&cores) {
                found.push(cores);
            }
        }
    }
    found
}

/// The innermost part or lane on the path of a step, if there is one, and the innermost step around
/// it that is neither.
fn part_and_whole(function: &Function, step: StepId) -> (Option<StepId>, StepId) {
    let is_part = |id: StepId| matches!(function.steps()[id.index()].kind, Kind::Part | Kind::Lane);
    let path = function.path(step);
    let part = path.iter().rposition(|&id| is_part(id));
    let end = part.unwrap_or(path.len());
    let whole = path[..end].iter().rfind(|&&id| !is_part(id));
    (part.map(|at| path[at]), whole.copied().unwrap_or(StepId::ROOT))
}

fn places(function: &Function, units: &Units) -> Vec<Role> {
    let steps = function.steps();
    let of_unit: Vec<(Option<StepId>, StepId)> =
        units.units.iter().map(|unit| part_and_whole(function, unit.step)).collect();
    let parts = SideBySide::of(function, units, &of_unit);
    let lines = lines(function);
    let place = |(unit, &(part, whole)): (usize, &(Option<StepId>, StepId))| {
        let is_side = |kind| match kind {
            Kind::Load | Kind::Pad | Kind::Schedule => true,
            Kind::Round
            | Kind::Injection
            | Kind::Part
            | Kind::Lane
            | Kind::Block
            | Kind::Output => false,
        };
        let path = function.path(units.units[unit].step);
        if path.iter().any(|id| is_side(steps[id.index()].kind)) {
            return Role::Side;
        }
        match part.map(|part| parts.number(part)) {
            Some((number, of)) if of > 1 => return Role::Part(number, of),
            _ => {}
        }
        match steps[whole.index()].kind {
            Kind::Injection => Role::Side,
            Kind::Round if lines[whole.index()] > 0 => Role::Line,
            _ => Role::Main,
        }
    };
    of_unit.iter().enumerate().map(place).collect()
}

/// For each round, the number of lines of rounds that began before its own, in the same frame; 0
/// for other steps.
fn lines(function: &Function) -> Vec<usize> {
    // The names of the lines of each frame.
    let mut names: HashMap<StepId, Vec<&str>> = HashMap::new();
    let mut lines = vec![0; function.steps().len()];
    // The first step is the function itself.
    for (step, line) in function.steps().iter().zip(&mut lines).skip(1) {
        if step.kind == Kind::Round {
            let of_frame = names.entry(step.parent).or_default();
            *line = of_frame.iter().position(|&name| name == step.name).unwrap_or_else(|| {
                of_frame.push(&step.name);
                of_frame.len() - 1
            });
        }
    }
    lines
}

/// The parts of steps in groups that can be computed side by side.
struct SideBySide {
    /// For each part its group, and its number in the group.
    of: HashMap<StepId, (usize, usize)>,
    /// For each group the number of its parts.
    sizes: Vec<usize>,
}

impl SideBySide {
    /// Parts are side by side if they have the same names on their paths below the same step, and
    /// equally many parts of their kind come one after the other before them: columns of BLAKE,
    /// then diagonals.
    fn of(function: &Function, units: &Units, of_unit: &[(Option<StepId>, StepId)]) -> Self {
        let mut layer: HashMap<StepId, usize> = HashMap::new();
        let line = |part: StepId, whole: StepId| (whole, names_below(function, part, whole));
        let lines: Vec<_> =
            of_unit.iter().map(|&(part, whole)| part.map(|part| line(part, whole))).collect();
        for unit in 0..units.len() {
            let (Some(part), _) = of_unit[unit] else { continue };
            let before = units.before.of(unit).iter().filter_map(|&before| {
                let before = before as usize;
                let (other, _) = of_unit[before];
                let other = other.filter(|&other| other != part && lines[before] == lines[unit])?;
                layer.get(&other).map(|layer| layer + 1)
            });
            let own = before.max().unwrap_or(0);
            let known = layer.entry(part).or_insert(0);
            *known = own.max(*known);
        }
        let mut groups = HashMap::new();
        let (mut of, mut sizes): (HashMap<StepId, (usize, usize)>, Vec<usize>) = Default::default();
        for (unit, &(part, _)) in of_unit.iter().enumerate() {
            let Some(part) = part.filter(|part| !of.contains_key(part)) else { continue };
            let group = *groups.entry((&lines[unit], layer[&part])).or_insert_with(|| {
                sizes.push(0);
                sizes.len() - 1
            });
            of.insert(part, (group, sizes[group]));
            sizes[group] += 1;
        }
        Self { of, sizes }
    }

    /// The number of a part in its group, and the number of parts in the group.
    fn number(&self, part: StepId) -> (usize, usize) {
        let (group, number) = self.of[&part];
        (number, self.sizes[group])
    }
}

/// The names on the path of a step below one around it.
fn names_below(function: &Function, step: StepId, around: StepId) -> Vec<&str> {
    let path = function.path(step);
    let below = path.iter().position(|&id| id == around).map_or(0, |at| at + 1);
    path[below..].iter().map(|id| &function.steps()[id.index()].name[..]).collect()
}
