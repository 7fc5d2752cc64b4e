//! A plan for two cores, as it is printed.

use super::answer::{
    AheadLimit, Answer, CandidateLine, LimitLine, Saved, StepsLimit, UnitLine, UnitsLimit,
};
use super::args::{Args, TwoCore};
use super::cores::cores;
use super::emitted::{Emitted, emitted};
use super::page;
use super::platform_line::PlatformLine;
use super::subject::{self, options, title, what};
use super::text;
use crate::answered::Answered;
use crate::json_or_text;
use crate::listener::Listener;
use anyhow::bail;
use manylane_build::{Lengths, Primitive};
use manylane_graph::Function;
use manylane_plan::Platform;
use manylane_plan::program::ahead::Ahead;
use manylane_plan::program::whole::WholeSteps;
use manylane_plan::two_core::exact::MOST_UNITS;
use manylane_plan::two_core::{self, Candidate, Limit, Options, Plan, part_saved};
use manylane_plan::units::{Level, Unit, Units};

/// The most partial assignments for which the exact search computes a bound: some seconds of work.
const EXACT: usize = 200_000;

/// The task of the planner: the primitive and the platform.
pub struct Task<'t> {
    /// What is planned.
    pub primitive: Primitive,
    /// The two cores, with the costs of their operations and of a handshake.
    pub platform: &'t Platform,
    /// Bytes of the message and of the key, where the primitive has them.
    pub lengths: Lengths,
    /// The graph of the primitive.
    pub function: Function,
    /// How coarse the units are.
    pub level: Level,
    /// The units of `function` at this level.
    pub units: Units,
    /// Cycles of the whole that were measured on the main core.
    pub total: Option<f64>,
}

/// Plans a primitive on the two cores of the platform `name`, and writes the answer as asked.
pub fn run(
    args: &Args,
    primitive: Primitive,
    name: &str,
    listener: &dyn Listener,
) -> anyhow::Result<Answered> {
    let platform = Platform::load(name)?;
    let task = Task::new(&args.two_core, primitive, &platform)?;
    let answer = {
        let plan = task.plan(args.two_core.exact)?;
        // These bounds of a block are at the platform's own prices: they say nothing of costs that
        // are scaled to a measured total.
        let (ahead, steps) = match task.total {
            Some(_) => (None, None),
            None => (
                primitive.ahead(task.lengths, &platform)?,
                primitive.whole_steps(task.lengths, &platform)?,
            ),
        };
        task.answer(plan, ahead, steps, task.emitted(name, listener)?)
    };
    let text = json_or_text(&answer, args.json, text::two_core)?;
    let page = || {
        let made_by = command_line(&args.two_core, primitive, name);
        page::page(&answer, &task.function, &made_by)
    };
    Ok(Answered::new(text).with(args.two_core.html.as_deref(), page))
}

impl<'t> Task<'t> {
    /// Traces the primitive and cuts it into units. Fails if `--exact` is asked for too many of
    /// them.
    pub fn new(
        asked: &TwoCore,
        primitive: Primitive,
        platform: &'t Platform,
    ) -> anyhow::Result<Self> {
        let lengths = subject::lengths(primitive, asked, None)?;
        let function = primitive.function(lengths, platform)?;
        let level = asked.level.unwrap_or_default();
        let units = Units::of(&function, level);
        let total = primitive.total(lengths, platform);
        let task = Self { primitive, platform, lengths, function, level, units, total };
        if asked.exact && task.units.len() > MOST_UNITS {
            bail!(task.too_many());
        }
        Ok(task)
    }

    /// Finds the best split by the heuristics, and by exhaustive search too if `exact` is set.
    pub fn plan(&self, exact: bool) -> anyhow::Result<Plan> {
        let exact = if exact { EXACT } else { 0 };
        let options = Options { level: self.level, total: self.total, exact, ..Options::default() };
        Ok(two_core::plan(&self.function, self.platform, options)?)
    }

    /// What is emitted, if there are two cores. `name` is the platform's on the command line.
    pub fn emitted(
        &self,
        name: &str,
        listener: &dyn Listener,
    ) -> anyhow::Result<Option<Result<Emitted, String>>> {
        if self.platform.cores.len() < 2 {
            return Ok(None);
        }
        emitted(self.primitive, self.lengths, self.platform, name, listener).map(Some)
    }

    fn answer(
        &self,
        plan: Plan,
        ahead: Option<Ahead>,
        steps: Option<WholeSteps>,
        known: Option<Result<Emitted, String>>,
    ) -> Answer {
        let Self { primitive, platform, lengths, units, .. } = self;
        let (limit, basis) = (limit(&plan), basis(&plan));
        let ahead_limit = |parts: Ahead| AheadLimit { cycles: parts.cycles(), basis, parts };
        let steps_limit = |steps: WholeSteps| {
            let saved = part_saved(steps.cycles, steps.alone);
            StepsLimit { steps, basis, saved }
        };
        let Limit { span, work } = plan.units_limit;
        let units_limit = UnitsLimit {
            cycles: plan.units_limit.cycles(),
            span,
            work,
            saved: plan.saved.units_limit,
            answer: plan.units_line().map(|line| line + finer(plan.level)),
        };
        let cores = cores(platform, &plan, &self.function, units);
        let (emitted, operations_only) = match known {
            Some(Ok(emitted)) => (Some(emitted), None),
            Some(Err(why)) => (None, Some(why)),
            None => (None, None),
        };
        let (worth_it, answer, saved) = match &emitted {
            Some(of) => {
                let line = of.message();
                let saved = Saved::new(line.saved, line.saved_over_best_core);
                (of.worth_it(), of.answer(&cores[1].name), saved)
            }
            None => {
                let saved = Saved::new(plan.saved.of_main, plan.saved.of_best_single);
                (plan.worth_it(), plan.answer(), saved)
            }
        };
        let platform = PlatformLine::new(platform);
        let main = plan.candidates[0].cycles;
        let single = main * (1.0 - plan.saved.best_single);
        let line = |candidate: &Candidate| CandidateLine {
            name: candidate.name.to_owned(),
            cycles: candidate.cycles,
            handshakes: candidate.handshakes,
            saved: Saved::new(candidate.saved, part_saved(candidate.cycles, single)),
            above_limit: 0.0 - part_saved(candidate.cycles, limit.cycles),
            chosen: false,
        };
        let mut candidates: Vec<CandidateLine> = plan.candidates.iter().map(line).collect();
        candidates[plan.best].chosen = true;
        let unit = |(i, unit): (usize, &Unit)| UnitLine {
            name: unit.name.clone(),
            lane: unit.lane(&self.function),
            operands: units.before.of(i).to_vec(),
        };
        Answer {
            kind: "two cores",
            primitive: primitive.to_string(),
            title: title(*primitive),
            what: what(*primitive, *lengths),
            length: lengths.message,
            key_length: lengths.key,
            fixed_length: lengths.fixed,
            estimate: platform.is_estimate(),
            level: self.level,
            measured_total: self.total,
            worth_it,
            answer: platform.told(&answer),
            platform,
            reason: plan.reason.clone(),
            saved,
            emitted,
            operations_only,
            limit,
            units_limit,
            ahead_limit: ahead.map(ahead_limit),
            steps_limit: steps.map(steps_limit),
            proof: plan.proof,
            candidates,
            cores,
            units: units.units.iter().enumerate().map(unit).collect(),
            schedule: plan.schedule,
        }
    }

    /// The reason why an exact search is refused, with the options that make the units few enough,
    /// if there are any.
    fn too_many(&self) -> String {
        let Self { primitive, level, lengths, .. } = self;
        let (units, of_steps) = (self.units.len(), Units::of(&self.function, Level::Step).len());
        let refused = format!(
            "--exact searches the splits of up to {MOST_UNITS} units, these are {units}, and by \
             --level \
             step {of_steps}"
        );
        if of_steps <= MOST_UNITS {
            return format!("{refused}: take the latter");
        }
        let mut fewest = of_steps;
        if lengths.message.is_some() {
            // The message with the fewest blocks, and then without the schedule of its padding.
            let ways = [false, true]
                .into_iter()
                .flat_map(|fixed| [*level, Level::Step].map(|level| (fixed, level)));
            for (fixed, level) in ways {
                let lengths =
                    Lengths { message: Some(0), fixed: fixed || lengths.fixed, ..*lengths };
                let Ok(function) = primitive.function(lengths, self.platform) else { continue };
                let units = Units::of(&function, level).len();
                if units <= MOST_UNITS {
                    let fixed = if lengths.fixed { " --fixed-length" } else { "" };
                    let of = match level == Level::default() {
                        true => String::new(),
                        false => format!("--level {} ", level.name()),
                    };
                    return format!("{refused}; try {of}--length 0{fixed}, which makes {units}");
                }
                fewest = fewest.min(units);
            }
        }
        format!("{refused}; {primitive} has never fewer than {fewest}: leave out --exact")
    }
}

/// The limit of a plan as it is printed.
pub fn limit(plan: &Plan) -> LimitLine {
    let Limit { span, work } = plan.limit;
    let saved = plan.saved.limit;
    LimitLine { cycles: plan.limit.cycles(), span, work, basis: basis(plan), saved, gain: saved }
}

/// Names the levels with finer units than those of a plan. The text follows the sentence about what
/// splits of the plan's units can save.
fn finer(level: Level) -> &'static str {
    match level {
        Level::Step => "; --level substep and --level node have finer ones",
        Level::Substep => "; --level node has finer ones",
        Level::Node => "",
    }
}

/// The basis of a plan's limits. If measured times were spread over operations, limits that count
/// operations at the platform's prices are estimates.
fn basis(plan: &Plan) -> &'static str {
    if plan.proved { "proved" } else { "estimate" }
}

/// The command line that made a page, without the names of files, so that the page is the same
/// wherever it is made.
fn command_line(asked: &TwoCore, primitive: Primitive, platform: &str) -> String {
    let platform = platform.rsplit(['/', '\\']).next().unwrap_or(platform);
    let mut line = format!("manylane plan {primitive} --on {platform}{}", options(asked));
    if let Some(level) = asked.level.filter(|&level| level != Level::default()) {
        line.push_str(&format!(" --level {}", level.name()));
    }
    if asked.exact {
        line.push_str(" --exact");
    }
    line
}
