//! Equations (2) to (4) of "dual-core-microcontrollers", §II.C: the time that the main core gains
//! by giving steps to a coprocessor. Equation (1) is for a coprocessor that hands back a step that
//! it has not ended, which none does here.

use super::{Assigned, assigned};
use crate::costs::CostError;
use crate::platform::{COPROCESSOR, HandshakeCosts, MAIN, Platform};
use crate::schedule::Placement;
use crate::time::rounded;
use crate::units::Unit;
use manylane_graph::{Function, StepId};
use serde::Serialize;

/// A step that may go to the coprocessor. All times in cycles of the main core.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// T: its time on the main core.
    pub time: f64,
    /// c: the time for which the main core has other work until it needs the output.
    pub slack: f64,
    /// τ: the time of the exchange of data.
    pub exchange: f64,
}

impl Step {
    /// (2), (3): the gain if the coprocessor must end the step that it began: min(T, c + T(1 − s))
    /// − τ. Negative if the coprocessor is too slow.
    pub fn gain(&self, s: f64) -> f64 {
        self.time.min(self.slack + self.time * (1.0 - s)) - self.exchange
    }
}

/// All steps of one name that go to the coprocessor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Term {
    /// The names of the step and those around it, such as `round/g`.
    pub name: String,
    /// T: mean cycles of one such step on the main core.
    pub time: f64,
    /// c: mean cycles for which the main core has other work until it needs the output. They are
    /// counted up to s·T, because more slack gains nothing.
    pub slack: f64,
    /// s: the mean time of one step on the coprocessor, divided by T.
    pub s: f64,
    /// τ: cycles for the exchange of data.
    pub exchange: f64,
    /// r: the number of these steps.
    pub times: usize,
    /// (3): the gain of one step.
    pub gain: f64,
    /// The gain of all these steps.
    pub total: f64,
}

/// The equations for a function divided as the paper divides it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sheet {
    /// The steps that go to the coprocessor, in the order of their first occurrence.
    pub terms: Vec<Term>,
    /// Cycles of the whole function on the main core.
    pub main: f64,
    /// (4): the gain of all steps, with the slack that they have when the graph runs on both cores.
    pub gain: f64,
    /// (4) where the slack is enough for every step, c ≥ s·T, as the paper's example has it.
    pub gain_with_slack: f64,
    /// Cycles of all steps one after the other, the coprocessor's steps on the coprocessor.
    pub in_turn: f64,
    /// The part of `gain` that comes of both cores being at work at the same time; the rest comes
    /// of the coprocessor's speed.
    pub parallel: f64,
}

impl Sheet {
    /// The equations for `function`, all of it scaled to `total` cycles on the main core if they
    /// are given, with τ = `exchange` cycles for each step. `None` if the paper gives none of its
    /// steps to the coprocessor.
    ///
    /// # Errors
    /// As [`crate::costs::UnitCosts::of`].
    pub fn of(
        function: &Function,
        platform: &Platform,
        total: Option<f64>,
        exchange: f64,
    ) -> Result<Option<Self>, CostError> {
        // The equations know no other cost of having two cores.
        let mut free = platform.clone();
        (free.handshake, free.contention) = (HandshakeCosts::default(), 1.0);
        let Some(assigned) = assigned(function, &free, total)? else { return Ok(None) };
        let waits = waits(&assigned);
        let Assigned { units, costs, cores, .. } = &assigned;
        let mixed = mixed(function, &assigned);
        let mut groups: Vec<Group> = Vec::new();
        for (i, unit) in units.units.iter().enumerate() {
            if cores[i] != COPROCESSOR as u8 {
                continue;
            }
            let (name, instance) = given_whole(function, unit, &mixed);
            let at = groups.iter().position(|group| group.name == name).unwrap_or_else(|| {
                groups.push(Group { name, ..Group::default() });
                groups.len() - 1
            });
            let group = &mut groups[at];
            if group.instances.last() != Some(&instance) && !group.instances.contains(&instance) {
                group.instances.push(instance);
            }
            group.main += costs.cycles(MAIN, i);
            group.coprocessor += costs.cycles(COPROCESSOR, i);
            group.waits += waits[i];
        }
        let main = costs.work(MAIN);
        let terms: Vec<Term> = groups.iter().map(|group| group.term(exchange)).collect();
        let sum = |f: fn(&Term) -> f64| terms.iter().map(|term| term.times as f64 * f(term)).sum();
        let gain: f64 = rounded(terms.iter().map(|term| term.total).sum());
        let faster: f64 = sum(|term| term.time * (1.0 - term.s));
        let gain_with_slack: f64 = sum(|term| term.time - term.exchange);
        Ok(Some(Self {
            main,
            gain,
            gain_with_slack: rounded(gain_with_slack),
            in_turn: rounded(main - faster),
            parallel: rounded(gain - faster),
            terms,
        }))
    }
}

/// The units of a term.
#[derive(Debug, Default)]
struct Group {
    name: String,
    instances: Vec<StepId>,
    main: f64,
    coprocessor: f64,
    waits: f64,
}

impl Group {
    fn term(&self, exchange: f64) -> Term {
        let r = self.instances.len() as f64;
        let (time, there) = (self.main / r, self.coprocessor / r);
        let s = if time > 0.0 { there / time } else { 1.0 };
        let step = Step { time, slack: there - self.waits / r, exchange };
        Term {
            name: self.name.clone(),
            time: rounded(time),
            slack: rounded(step.slack),
            s: rounded(s),
            exchange,
            times: self.instances.len(),
            gain: rounded(step.gain(s)),
            total: rounded(r * step.gain(s)),
        }
    }
}

/// Returns, for each step, whether the main core computes a part of it.
fn mixed(function: &Function, assigned: &Assigned) -> Vec<bool> {
    let mut mixed = vec![false; function.steps().len()];
    for (unit, &core) in assigned.units.units.iter().zip(&assigned.cores) {
        if core == MAIN as u8 {
            function.path(unit.step).iter().for_each(|step| mixed[step.index()] = true);
        }
    }
    mixed
}

/// The outermost step around a unit that the coprocessor computes as a whole: its names and its
/// number.
fn given_whole(function: &Function, unit: &Unit, mixed: &[bool]) -> (String, StepId) {
    let path: Vec<StepId> =
        function.path(unit.step).into_iter().filter(|&step| !function.is_frame(step)).collect();
    let whole = path.iter().position(|step| !mixed[step.index()]);
    let last = path.len().saturating_sub(1);
    let names = path.iter().take(whole.unwrap_or(last) + 1);
    let names = names.map(|id| &function.steps()[id.index()].name[..]).collect::<Vec<_>>();
    (names.join("/"), whole.map_or(unit.step, |depth| path[depth]))
}

/// The time for which the main core waits for each unit of the coprocessor. It waits for the last
/// of the units that its own next unit needs, and at the end for the last of all. No wait is
/// counted for longer than the unit takes.
fn waits(assigned: &Assigned) -> Vec<f64> {
    let Assigned { units, cores, schedule, .. } = assigned;
    let mut waits = vec![0.0; units.len()];
    let ends = |unit: usize| schedule.placements[unit].time.end;
    let last_of = |candidates: &mut dyn Iterator<Item = usize>| {
        candidates
            .filter(|&unit| cores[unit] == COPROCESSOR as u8)
            .max_by(|&a, &b| ends(a).total_cmp(&ends(b)))
    };
    let mut own: Vec<&Placement> =
        schedule.placements.iter().filter(|placement| placement.core == MAIN).collect();
    own.sort_by(|a, b| a.time.start.total_cmp(&b.time.start).then(a.unit.cmp(&b.unit)));
    let mut free = 0.0;
    for placement in own {
        let operands = units.before.of(placement.unit).iter().map(|&unit| unit as usize);
        if let Some(unit) = last_of(&mut operands.into_iter()) {
            waits[unit] += placement.time.start - free;
        }
        free = placement.time.end;
    }
    if let Some(unit) = last_of(&mut (0..units.len())) {
        waits[unit] += (schedule.end - free).max(0.0);
    }
    // A wait that is longer than a unit is one for the units before it, too.
    let mut theirs: Vec<&Placement> =
        schedule.placements.iter().filter(|placement| placement.core == COPROCESSOR).collect();
    theirs.sort_by(|a, b| b.time.start.total_cmp(&a.time.start).then(b.unit.cmp(&a.unit)));
    for pair in theirs.windows(2) {
        let [later, earlier] = [pair[0], pair[1]];
        let more = (waits[later.unit] - (later.time.end - later.time.start)).max(0.0);
        waits[later.unit] -= more;
        waits[earlier.unit] += more;
    }
    waits
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Step = Step { time: 100.0, slack: 25.0, exchange: 10.0 };

    #[test]
    fn a_step_with_slack_costs_only_its_exchange() {
        assert_eq!(STEP.gain(0.25), 90.0);
    }

    #[test]
    fn a_step_without_slack_holds_up_the_main_core() {
        assert_eq!(STEP.gain(0.5), 25.0 + 50.0 - 10.0);
        assert_eq!(STEP.gain(2.0), 25.0 - 100.0 - 10.0, "a slow coprocessor loses");
    }
}
