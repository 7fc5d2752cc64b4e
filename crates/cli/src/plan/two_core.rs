//! A plan for two cores, as it is told.

use super::{Args, TwoCore, json, page, text, what};
use crate::explain;
use anyhow::bail;
use manylane_graph::part::{Subject, cipher, message};
use manylane_graph::trace::{Loading, Rc5};
use manylane_graph::{Function, StepId};
use manylane_plan::Platform;
use manylane_plan::platform::MAIN;
use manylane_plan::schedule::Schedule;
use manylane_plan::time::rounded;
use manylane_plan::two_core::exact::{MOST_UNITS, Proof};
use manylane_plan::two_core::{self, Candidate, Limit, Options, Plan, part_saved};
use manylane_plan::units::{Level, Unit, Units};
use manylane_primitives::word::ByteOrder;
use serde::Serialize;

/// How many partial assignments the exact search bounds: some seconds.
const EXACT: usize = 200_000;

/// All that is said of a plan. The fields are those of `--json`: docs/plan-json.md.
#[derive(Debug, Serialize)]
pub struct Answer {
    pub kind: &'static str,
    pub primitive: String,
    pub title: String,
    pub what: String,
    pub length: Option<usize>,
    pub platform: PlatformLine,
    pub level: Level,
    pub measured_total: Option<f64>,
    pub worth_it: bool,
    pub answer: String,
    pub reason: String,
    #[serde(flatten)]
    pub saved: Saved,
    pub limit: LimitLine,
    pub proof: Option<Proof>,
    pub candidates: Vec<CandidateLine>,
    pub cores: Vec<CoreLine>,
    pub units: Vec<UnitLine>,
    pub schedule: Schedule,
}

#[derive(Debug, Serialize)]
pub struct PlatformLine {
    pub name: String,
    pub title: String,
    pub source: String,
}

#[derive(Debug, Serialize)]
pub struct LimitLine {
    pub cycles: f64,
    pub span: f64,
    pub work: f64,
    pub saved: f64,
    pub gain: f64,
}

/// Parts of a time that are saved: of the main core's, and of the better single core's.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Saved {
    pub saved: f64,
    pub saved_over_best_core: f64,
    /// The same two by the names that they had first.
    gain: f64,
    gain_over_best_core: f64,
}

impl Saved {
    fn new(saved: f64, saved_over_best_core: f64) -> Self {
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
pub struct CoreLine {
    pub name: String,
    pub busy: f64,
    pub handshakes: f64,
    pub idle: f64,
    pub units: usize,
    pub busiest: Vec<KindLine>,
}

#[derive(Debug, Serialize)]
pub struct KindLine {
    pub name: String,
    pub units: usize,
    pub cycles: f64,
}

#[derive(Debug, Serialize)]
pub struct UnitLine {
    pub name: String,
    pub lane: Option<u32>,
    pub operands: Vec<u32>,
}

/// What is to be planned, and where.
struct Task<'t> {
    subject: &'t Subject,
    platform: &'t Platform,
    /// Bytes of the message, if it is one.
    length: Option<usize>,
    decrypt: bool,
    function: Function,
    level: Level,
    units: Units,
    /// Cycles of the whole that were measured on the main core.
    total: Option<f64>,
}

pub fn run(args: &Args, subject: &Subject, name: &str) -> anyhow::Result<String> {
    let platform = Platform::load(name)?;
    let task = Task::new(&args.two_core, subject, &platform)?;
    let answer = task.plan(args.two_core.exact)?;
    if let Some(file) = &args.two_core.html {
        let made_by = command_line(args, subject, name);
        explain::write(file, &page::page(&answer, &task.function, &made_by))?;
    }
    match args.json {
        true => json(&answer),
        false => Ok(text::two_core(&answer)),
    }
}

impl<'t> Task<'t> {
    fn new(asked: &TwoCore, subject: &'t Subject, platform: &'t Platform) -> anyhow::Result<Self> {
        let decrypt = asked.decrypt;
        let (function, length) = match subject {
            Subject::Hash(_) if decrypt => {
                bail!("{subject} is a hash function: --decrypt is for a block cipher, such as rc5")
            }
            Subject::Hash(hash) => {
                let length = asked.length.unwrap_or(hash.id().entry().shape.block_bytes);
                let message = message(subject, length, loading(platform))?;
                (two_core::in_lanes(message, platform), Some(length))
            }
            Subject::Rc5(_) if asked.length.is_some() => {
                bail!("{subject} is a block cipher, planned for one block; leave out --length")
            }
            Subject::Rc5(params) => {
                (cipher(params, if decrypt { Rc5::Decryption } else { Rc5::Encryption }), None)
            }
        };
        let level = asked.level.unwrap_or_default();
        let units = Units::of(&function, level);
        if asked.exact && units.len() > MOST_UNITS {
            bail!(too_many(subject, platform, &function, level, length, units.len()));
        }
        let total = length.and_then(|length| platform.total(&subject.to_string(), length));
        Ok(Self { subject, platform, length, decrypt, function, level, units, total })
    }

    fn plan(&self, exact: bool) -> anyhow::Result<Answer> {
        let exact = if exact { EXACT } else { 0 };
        let options = Options { level: self.level, total: self.total, exact, ..Options::default() };
        let plan = two_core::plan(&self.function, self.platform, options)?;
        Ok(self.answer(plan))
    }

    fn answer(&self, plan: Plan) -> Answer {
        let Self { subject, platform, length, units, .. } = self;
        let Limit { span, work } = plan.limit;
        let saved = plan.saved.limit;
        let limit = LimitLine { cycles: plan.limit.cycles(), span, work, saved, gain: saved };
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
            primitive: subject.to_string(),
            title: subject.title(),
            what: what(subject, *length, self.decrypt),
            length: *length,
            platform: PlatformLine {
                name: platform.name.clone(),
                title: platform.title.clone(),
                source: platform.source.clone(),
            },
            level: self.level,
            measured_total: self.total,
            worth_it: plan.worth_it(),
            answer: plan.answer(),
            reason: plan.reason.clone(),
            saved: Saved::new(plan.saved.of_main, plan.saved.of_best_single),
            limit,
            proof: plan.proof,
            candidates,
            cores: cores(platform, &plan, &self.function, units),
            units: units.units.iter().enumerate().map(unit).collect(),
            schedule: plan.schedule,
        }
    }
}

/// Why an exact search is refused, and which options make the units few enough, if any do.
fn too_many(
    subject: &Subject,
    platform: &Platform,
    function: &Function,
    level: Level,
    length: Option<usize>,
    units: usize,
) -> String {
    let few = |units: usize| units <= MOST_UNITS;
    let counts = |function: &Function| [level, Level::Step].map(|l| Units::of(function, l).len());
    let [_, of_steps] = counts(function);
    let refused = format!(
        "--exact searches the splits of up to {MOST_UNITS} units, these are {units}, and by --level \
         step {of_steps}"
    );
    if few(of_steps) {
        return format!("{refused}: take the latter");
    }
    // The message with the fewest blocks.
    let shortest = length.filter(|&length| length > 0);
    let shortest = shortest.and_then(|_| message(subject, 0, loading(platform)).ok());
    let shortest = shortest.map(|function| two_core::in_lanes(function, platform));
    match shortest.as_ref().map(counts) {
        Some([units, _]) if few(units) => {
            format!("{refused}; try a shorter message: --length 0 makes {units}")
        }
        Some([_, units]) if few(units) => {
            format!("{refused}; try a shorter message: --level step --length 0 makes {units}")
        }
        fewest => {
            let fewest = fewest.map_or(of_steps, |[_, units]| units.min(of_steps));
            format!("{refused}; {subject} has never fewer than {fewest}: leave out --exact")
        }
    }
}

/// A platform with a measured time for padding has code that pads in memory; others pad as they load.
pub fn loading(platform: &Platform) -> Loading {
    match platform.step_time("*", "padding", MAIN) {
        Some(_) => Loading::Buffered,
        None => Loading::Native(ByteOrder::Little),
    }
}

/// What made a page: without the files' names, so that it is the same wherever it is made.
fn command_line(args: &Args, subject: &Subject, platform: &str) -> String {
    let options = &args.two_core;
    let platform = platform.rsplit(['/', '\\']).next().unwrap_or(platform);
    let mut line = format!("manylane plan {subject} --on {platform}");
    if let Some(length) = options.length {
        line.push_str(&format!(" --length {length}"));
    }
    if options.level == Some(Level::Step) {
        line.push_str(" --level step");
    }
    if options.exact {
        line.push_str(" --exact");
    }
    if options.decrypt {
        line.push_str(" --decrypt");
    }
    line
}

/// How many kinds of unit are named for each core.
const BUSIEST: usize = 4;

/// What each core does with its time.
fn cores(platform: &Platform, plan: &Plan, function: &Function, units: &Units) -> Vec<CoreLine> {
    let Schedule { placements, handshakes, end } = &plan.schedule;
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
        }
    };
    platform.cores.iter().enumerate().map(line).collect()
}

/// The names of a unit's step and those around it, without numbers.
fn kind(function: &Function, step: StepId) -> String {
    let path = function.path(step);
    let frames = path.iter().take_while(|step| function.is_frame(**step)).count();
    // What lies in a frame alone is named by it.
    let inner = &path[frames.min(path.len().saturating_sub(1))..];
    let names = inner.iter().map(|step| &function.steps()[step.index()].name[..]);
    match names.collect::<Vec<_>>().join("/") {
        names if names.is_empty() => "(in no step)".to_owned(),
        names => names,
    }
}
