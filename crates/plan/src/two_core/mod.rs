//! Two cores: the candidates, the limit, and the best of them.

mod climb;
pub mod equations;
mod limit;
mod list;
pub mod policy;
pub mod simulate;

pub use limit::Limit;

use crate::costs::{CostError, UnitCosts};
use crate::platform::{COPROCESSOR, MAIN, Platform};
use crate::schedule::Schedule;
use crate::units::{Level, Unit, Units};
use manylane_graph::Function;
use serde::Serialize;
use simulate::Machine;

/// How to plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The size of the units.
    pub level: Level,
    /// Cycles of the whole on the main core, to which all that was not measured is scaled.
    pub total: Option<f64>,
    /// How many unit placements the hill climb may simulate in all.
    pub effort: usize,
    /// What the hill climb's choices follow from.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { level: Level::Substep, total: None, effort: 3_000_000, seed: 1 }
    }
}

/// One way to split the work.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// How it was found.
    pub name: &'static str,
    /// When it ends.
    pub cycles: f64,
    /// How many handshakes it takes.
    pub handshakes: usize,
    /// Part of the main core's time that it saves.
    pub gain: f64,
    /// The core of every unit.
    #[serde(skip)]
    pub cores: Vec<u8>,
}

/// What came of planning.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    /// The function's name.
    pub function: String,
    /// The platform's name.
    pub platform: String,
    /// In the order of being found.
    pub candidates: Vec<Candidate>,
    /// The number of the best candidate.
    pub best: usize,
    /// What no split can be faster than.
    pub limit: Limit,
    /// The best candidate's schedule.
    pub schedule: Schedule,
    /// What is placed.
    pub units: Vec<Unit>,
    /// Why the best candidate is what it is.
    pub reason: String,
}

/// Names of candidates that stand for a single core.
const ALL_ON_MAIN: &str = "all on the main core";
const ALL_ON_COPROCESSOR: &str = "all on the coprocessor";

/// Plans `function`, which calls no other, on `platform`.
///
/// # Errors
/// If the platform lacks a cost or contradicts itself for this function.
pub fn plan(function: &Function, platform: &Platform, options: Options) -> Result<Plan, CostError> {
    let units = Units::of(function, options.level);
    let costs = UnitCosts::of(function, &units, platform, options.total)?;
    let machine = Machine::new(&units, &costs, platform);
    let mut candidates = Candidates { machine: &machine, all: Vec::new() };
    candidates.add(ALL_ON_MAIN, vec![MAIN as u8; units.len()]);
    if platform.cores.len() > COPROCESSOR && !units.is_empty() {
        candidates.add(ALL_ON_COPROCESSOR, vec![COPROCESSOR as u8; units.len()]);
        if let Some(cores) = policy::assign(function, &units) {
            candidates.add("the paper's assignment", cores);
        }
        for cores in by_lists(&machine) {
            candidates.add("list scheduling", cores);
        }
        if options.level != Level::Step {
            let steps = Units::of(function, Level::Step);
            let step_costs = UnitCosts::of(function, &steps, platform, options.total)?;
            for cores in by_lists(&Machine::new(&steps, &step_costs, platform)) {
                candidates.add("list scheduling of steps", spread(&steps, &cores, &units));
            }
        }
        let start = candidates.all[candidates.best()].cores.clone();
        let evaluations = options.effort / units.len();
        let climbed = climb::climb(&machine, start, evaluations, options.seed);
        candidates.add("hill climb", climbed);
    }
    let best = candidates.best();
    let limit = Limit::of(&units, &costs);
    let schedule = machine.schedule(&candidates.all[best].cores);
    let all = candidates.all;
    let mut plan = Plan {
        function: function.name.clone(),
        platform: platform.name.clone(),
        candidates: all,
        best,
        limit,
        schedule,
        units: Vec::new(),
        reason: String::new(),
    };
    plan.reason = plan.explain();
    plan.units = units.units;
    Ok(plan)
}

/// Candidates, each judged by the simulator.
struct Candidates<'m> {
    machine: &'m Machine<'m>,
    all: Vec<Candidate>,
}

impl Candidates<'_> {
    /// Adds one, or keeps the better of two of the same name.
    fn add(&mut self, name: &'static str, cores: Vec<u8>) {
        let schedule = self.machine.schedule(&cores);
        let main = self.all.first().map_or(schedule.end, |main| main.cycles);
        let gain = if main > 0.0 { 1.0 - schedule.end / main } else { 0.0 };
        let handshakes = schedule.handshakes.len();
        let new = Candidate { name, cycles: schedule.end, handshakes, gain, cores };
        match self.all.iter_mut().find(|old| old.name == name) {
            Some(old) if old.cycles <= new.cycles => {}
            Some(old) => *old = new,
            None => self.all.push(new),
        }
    }

    /// The fastest, the first of equals.
    fn best(&self) -> usize {
        let order = |&a: &usize, &b: &usize| self.all[a].cycles.total_cmp(&self.all[b].cycles);
        (0..self.all.len()).min_by(order).expect("all on the main core is there")
    }
}

/// Assignments by list scheduling, with more and more fear of handshakes.
fn by_lists<'m>(machine: &'m Machine<'m>) -> impl Iterator<Item = Vec<u8>> + 'm {
    [0.5, 1.0, 2.0, 4.0, 8.0].into_iter().map(|weight| list::assign(machine, weight))
}

/// The cores of `coarse` units for the finer `units`.
fn spread(coarse: &Units, cores: &[u8], units: &Units) -> Vec<u8> {
    let mut of_node = std::collections::HashMap::new();
    for (unit, &core) in coarse.units.iter().zip(cores) {
        of_node.extend(unit.nodes.iter().map(|&node| (node, core)));
    }
    units.units.iter().map(|unit| of_node[&unit.nodes[0]]).collect()
}

impl Plan {
    /// The best candidate.
    pub fn best(&self) -> &Candidate {
        &self.candidates[self.best]
    }

    /// Cycles of the faster core alone.
    pub fn best_single(&self) -> f64 {
        let single = |c: &&Candidate| [ALL_ON_MAIN, ALL_ON_COPROCESSOR].contains(&c.name);
        let cycles = self.candidates.iter().filter(single).map(|c| c.cycles);
        cycles.fold(f64::INFINITY, f64::min)
    }

    /// Part of the main core's time that the plan saves.
    pub fn gain(&self) -> f64 {
        self.best().gain
    }

    /// Part of the better single core's time that the plan saves.
    pub fn gain_over_best_single(&self) -> f64 {
        let single = self.best_single();
        if single > 0.0 { 1.0 - self.best().cycles / single } else { 0.0 }
    }

    /// Part of the main core's time that the limit would save.
    pub fn limit_gain(&self) -> f64 {
        let main = self.candidates[0].cycles;
        if main > 0.0 { 1.0 - self.limit.cycles() / main } else { 0.0 }
    }

    fn explain(&self) -> String {
        let percent = |part: f64| format!("{:.1} %", 100.0 * part);
        let best = self.best();
        let bound = if self.limit.span > self.limit.work {
            "the dearest path (too serial to divide further)"
        } else {
            "the work of both cores together"
        };
        let limit = percent(self.limit_gain());
        match best.name {
            ALL_ON_MAIN if self.candidates.len() == 1 => "there is one core".to_owned(),
            ALL_ON_MAIN => format!("handshakes cost more than any split gains; limit {limit}"),
            ALL_ON_COPROCESSOR => format!(
                "no split beats the coprocessor alone, which gives {}; limit {limit}, by {bound}",
                percent(best.gain)
            ),
            name => format!(
                "{name} with {} handshakes saves {} of the main core's time and {} of the better \
                 single core's; limit {limit}, by {bound}",
                best.handshakes,
                percent(best.gain),
                percent(self.gain_over_best_single())
            ),
        }
    }
}
