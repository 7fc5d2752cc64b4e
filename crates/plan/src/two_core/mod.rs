//! Plans a function for two cores: candidates, the best of them, and the limit that none can pass.
//!
//! ```text
//!  kinds     shares by the kinds of steps               ─┐
//!  policy    the assignment of a paper                   │
//!  list      list scheduling                             ├─► simulate ──► the fastest candidate
//!  climb     hill climbing from the best of these        │
//!  exact     branch and bound, for few units            ─┘
//!  limit     a lower bound on the time of every split
//! ```
//!
//! A candidate is the core of every unit. One simulator charges all handshakes and judges every
//! candidate. [`messages`] plans several messages; [`equations`] has a paper's formulas for the
//! gain; [`folded`] says in words which steps each core has.

mod climb;
pub mod equations;
pub mod exact;
pub mod folded;
mod kinds;
mod lanes;
mod limit;
mod list;
pub mod messages;
pub mod policy;
mod report;
pub mod simulate;

pub use lanes::in_lanes;
pub use limit::Limit;

use crate::costs::{CostError, UnitCosts};
use crate::platform::{COPROCESSOR, MAIN, Platform};
use crate::schedule::Schedule;
use crate::units::{Level, Unit, Units};
use manylane_graph::Function;
use serde::Serialize;
use simulate::Machine;

/// The options of planning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The size of the units.
    pub level: Level,
    /// Cycles of the whole function on the main core, to which all costs that were not measured are
    /// scaled.
    pub total: Option<f64>,
    /// How many unit placements the hill climb may simulate in all.
    pub effort: usize,
    /// The seed of the hill climb's random choices.
    pub seed: u64,
    /// How many partial assignments the exact search may bound; it runs for up to
    /// [`exact::MOST_UNITS`] units. 0 for no search.
    pub exact: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { level: Level::Substep, total: None, effort: 2_000_000, seed: 1, exact: 0 }
    }
}

/// One way to split the work.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// The way in which it was found.
    pub name: &'static str,
    /// The time at which it ends, in cycles.
    pub cycles: f64,
    /// How many handshakes it takes.
    pub handshakes: usize,
    /// The part of the main core's time that it saves.
    pub saved: f64,
    /// The core of every unit.
    #[serde(skip)]
    pub cores: Vec<u8>,
}

/// The result of planning.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    /// The function's name.
    pub function: String,
    /// The platform's name.
    pub platform: String,
    /// The candidates, in the order in which they were found.
    pub candidates: Vec<Candidate>,
    /// The number of the best candidate.
    pub best: usize,
    /// The limit of all programs that do these operations at these prices.
    pub limit: Limit,
    /// Whether the limit is proved. It is an estimate where measured times were spread over
    /// operations.
    pub proved: bool,
    /// The limit of all splits of these units.
    pub units_limit: Limit,
    /// The size of the units.
    pub level: Level,
    /// The result that the exact search proved, if there was one.
    pub proof: Option<exact::Proof>,
    /// The parts of a time that the best candidate saves.
    pub saved: Saved,
    /// The best candidate's schedule.
    pub schedule: Schedule,
    /// The units that are placed.
    pub units: Vec<Unit>,
    /// The reason for the best candidate's gain, in words.
    pub reason: String,
}

/// Parts of a time, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Saved {
    /// The part of the main core's time that the plan saves.
    pub of_main: f64,
    /// The part of the better single core's time that the plan saves.
    pub of_best_single: f64,
    /// The part of the main core's time that the better single core saves.
    pub best_single: f64,
    /// The part of the main core's time that the limit would save.
    pub limit: f64,
    /// The part of the main core's time that the limit of the units would save.
    pub units_limit: f64,
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
    let mut proof = None;
    candidates.add(ALL_ON_MAIN, vec![MAIN as u8; units.len()]);
    if platform.cores.len() > COPROCESSOR && !units.is_empty() {
        candidates.add(ALL_ON_COPROCESSOR, vec![COPROCESSOR as u8; units.len()]);
        for cores in kinds::assign(function, &units, &costs) {
            candidates.add("shares by kinds of steps", cores);
        }
        for cores in policy::scaled(function, &units, &costs) {
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
        if options.exact > 0 && units.len() <= exact::MOST_UNITS {
            let known = &candidates.all[candidates.best()].cores;
            let (cores, found) = exact::search(&machine, known, options.exact);
            candidates.add("exact search", cores);
            proof = Some(found);
        }
    }
    let best = candidates.best();
    let limit = Limit::of_operations(function, platform, options.total)?;
    let units_limit = Limit::of(&units, &costs);
    let all = candidates.all;
    let mut plan = Plan {
        function: function.name.clone(),
        platform: platform.name.clone(),
        schedule: machine.schedule(&all[best].cores),
        saved: Saved::of(&all, best, [&limit, &units_limit]),
        candidates: all,
        best,
        limit,
        proved: limit::is_proved(function, platform, options.total),
        units_limit,
        level: options.level,
        proof,
        units: units.units,
        reason: "there is one core".to_owned(),
    };
    if platform.cores.len() > COPROCESSOR {
        plan.reason = plan.explained();
    }
    Ok(plan)
}

impl Saved {
    fn of(candidates: &[Candidate], best: usize, [limit, units_limit]: [&Limit; 2]) -> Self {
        let main = candidates[0].cycles;
        let single = |c: &&Candidate| [ALL_ON_MAIN, ALL_ON_COPROCESSOR].contains(&c.name);
        let single = candidates.iter().filter(single).map(|c| c.cycles).fold(main, f64::min);
        Self {
            of_main: part_saved(candidates[best].cycles, main),
            of_best_single: part_saved(candidates[best].cycles, single),
            best_single: part_saved(single, main),
            limit: part_saved(limit.cycles(), main),
            units_limit: part_saved(units_limit.cycles(), main),
        }
    }
}

/// Part of the time `of` that is saved by taking `cycles`: 0.75 leaves a quarter of the time.
pub fn part_saved(cycles: f64, of: f64) -> f64 {
    if of > 0.0 { 1.0 - cycles / of } else { 0.0 }
}

impl Plan {
    /// The best candidate.
    pub fn best(&self) -> &Candidate {
        &self.candidates[self.best]
    }
}

/// A function divided as a paper divides it, in units of substeps.
#[derive(Clone, Debug)]
pub struct Assigned {
    /// The units.
    pub units: Units,
    /// Their times on each core.
    pub costs: UnitCosts,
    /// The core of each unit.
    pub cores: Vec<u8>,
    /// The schedule.
    pub schedule: Schedule,
}

/// Divides `function` by the paper's assignment, all of it scaled to `total` cycles on the main
/// core if they are given. `None` if the paper says nothing of it, or there is one core.
///
/// # Errors
/// As [`UnitCosts::of`].
pub fn assigned(
    function: &Function,
    platform: &Platform,
    total: Option<f64>,
) -> Result<Option<Assigned>, CostError> {
    let units = Units::of(function, Level::Substep);
    let costs = UnitCosts::of(function, &units, platform, total)?;
    let cores = match platform.cores.len() > COPROCESSOR {
        true => policy::assign(function, &units),
        false => None,
    };
    Ok(cores.map(|cores| {
        let schedule = Machine::new(&units, &costs, platform).schedule(&cores);
        Assigned { units, costs, cores, schedule }
    }))
}

/// Candidates, each judged by the simulator.
struct Candidates<'m> {
    machine: &'m Machine<'m>,
    all: Vec<Candidate>,
}

impl Candidates<'_> {
    /// Adds a candidate, or keeps the better of two of the same name.
    fn add(&mut self, name: &'static str, cores: Vec<u8>) {
        let schedule = self.machine.schedule(&cores);
        let main = self.all.first().map_or(schedule.end, |main| main.cycles);
        let saved = part_saved(schedule.end, main);
        let handshakes = schedule.handshakes.len();
        let new = Candidate { name, cycles: schedule.end, handshakes, saved, cores };
        match self.all.iter_mut().find(|old| old.name == name) {
            Some(old) if old.cycles <= new.cycles => {}
            Some(old) => *old = new,
            None => self.all.push(new),
        }
    }

    /// The number of the fastest candidate, the first of equally fast ones.
    fn best(&self) -> usize {
        let order = |&a: &usize, &b: &usize| self.all[a].cycles.total_cmp(&self.all[b].cycles);
        (0..self.all.len()).min_by(order).expect("all on the main core is there")
    }
}

/// Assignments by list scheduling, with a growing weight of handshakes.
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
