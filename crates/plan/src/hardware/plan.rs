use super::body::{Body, bodies, prepared};
use super::delay::DelayModel;
use super::options::{Adders, Error, Options, Precompute};
use super::period::Recurrence;
use super::resources::{Resources, Totals, ending, kept_inputs};
use super::schedule::{HardwareSchedule, realise};
use super::timing::{Clock, Instant, Net};
use manylane_graph::extract::{Extractor, Line, Side, lines, recurrence, rounds};
use manylane_graph::{Function, NodeId, Op, Role};
use serde::Serialize;
use std::collections::HashSet;
use std::ops::Range;

/// How a compression function becomes hardware, and what that gives.
#[derive(Clone, Debug, Serialize)]
pub struct HardwarePlan {
    /// The function.
    pub function: String,
    /// The delay model's name.
    pub model: String,
    /// The delay model's unit.
    pub unit: String,
    /// What was asked for.
    pub options: Options,
    /// n: steps of one compression.
    pub steps: usize,
    /// Bits of message per block.
    pub block_bits: u64,
    /// How long a clock is.
    pub period: Period,
    /// Clocks between blocks: n/(k·p), to p messages at least.
    pub cycles_per_block: usize,
    /// Clocks from a block's start to its chaining value, which the next block of the same message
    /// waits for.
    pub latency: usize,
    /// Of the latency, the clocks before the first step, in which early work is done.
    pub lead: usize,
    /// Of the latency, the clocks that the last words of the state are late.
    pub lag: usize,
    /// Of the latency, the clocks after the last step.
    pub ending: usize,
    /// What the recurrence alone allows.
    pub limit: Limit,
    /// The stages.
    pub stages: Vec<Stage>,
    /// The block of the message schedule, if there is one: the same in every stage.
    pub schedule: Option<Block>,
    /// Adders, registers and area.
    pub resources: Totals,
}

/// The parts of a clock, in the delay model's units.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Period {
    /// The longest path between registers.
    pub logic: f64,
    /// What the registers take.
    pub register: f64,
    /// Both.
    pub total: f64,
    /// What the rounds alone need for logic.
    pub rounds: f64,
    /// What the message schedule alone needs for logic.
    pub schedule: f64,
}

/// The iteration bound: units per step of the longest path around the recurrence, without registers.
/// No merging and no retiming gets below it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Limit {
    /// With carry-propagate adders.
    pub tree: f64,
    /// With carry-save rows.
    pub csa: f64,
}

/// One stage of the pipeline.
#[derive(Clone, Debug, Serialize)]
pub struct Stage {
    /// Its steps, from the first up to but without the second.
    pub steps: (usize, usize),
    /// The shapes of its clocks: one block of hardware each, or one with multiplexers.
    pub blocks: Vec<Block>,
    /// How many kinds of clock there are if amounts of rotation count too.
    pub kinds: usize,
}

/// k steps as operations in clocks.
#[derive(Clone, Debug, Serialize)]
pub struct Block {
    /// From the state and side inputs to the state, sums as adders.
    #[serde(skip)]
    pub function: Function,
    /// When each of the function's nodes runs.
    pub schedule: HardwareSchedule,
    /// Words of the state: the first inputs of the function, in the order of its outputs.
    pub words: usize,
    /// For each clock of the message block in which this block works: its number, and the nodes of
    /// the compression that flow into the function's inputs.
    #[serde(skip)]
    pub clocks: Vec<(usize, Vec<NodeId>)>,
    /// Its adders, registers and area.
    pub resources: Resources,
}

impl HardwarePlan {
    /// Eq. (1): Mbit/s at a clock of `mhz`, a message in every stage.
    pub fn throughput(&self, mhz: f64) -> f64 {
        self.block_bits as f64 * mhz / self.cycles_per_block as f64
    }

    /// Mbit/s of a single long message at a clock of `mhz`: each block waits for the one before.
    pub fn single_message_throughput(&self, mhz: f64) -> f64 {
        self.block_bits as f64 * mhz / self.latency as f64
    }

    /// Bits per unit of time, a message in every stage.
    pub fn rate(&self) -> f64 {
        self.throughput(1.0) / self.period.total
    }

    /// How many messages have to be in flight for [`HardwarePlan::throughput`].
    pub fn messages(&self) -> usize {
        self.latency.div_ceil(self.cycles_per_block)
    }
}

/// Plans hardware for a compression function.
///
/// # Errors
/// If the function has no rounds or calls others, or the options do not divide its steps.
pub fn plan(
    compression: &Function,
    options: &Options,
    model: &DelayModel,
) -> Result<HardwarePlan, Error> {
    if compression.nodes().any(|node| matches!(compression.op(node), Op::Call(_))) {
        return Err(Error::Calls { function: compression.name.clone() });
    }
    let rounds = rounds(compression);
    let Some(steps) = rounds.first().map(Line::len) else {
        return Err(Error::NoRounds { function: compression.name.clone() });
    };
    let clocks = options.clocks(steps)?;
    let extractor = &Extractor::new(compression);
    let planner = Planner { extractor, rounds: &rounds, options, model };
    let side = match options.precompute {
        Precompute::None => Side::Inside,
        Precompute::Kw | Precompute::Full | Precompute::Auto => Side::Ahead,
    };
    let stages: Vec<Vec<Body>> = (0..options.stages)
        .map(|stage| stage * clocks..(stage + 1) * clocks)
        .map(|clocks| planner.bodies(&rounds, options.merge, clocks, side))
        .collect();
    let schedule_line = planner.schedule_line();
    let schedule: Option<Vec<Body>> = schedule_line.as_ref().map(|line| {
        planner.bodies(std::slice::from_ref(line), options.merge.min(line.len()), 0..1, side)
    });

    // One clock for all: the slowest decides.
    let needed = |bodies: &Vec<Body>| planner.recurrence(bodies).solve().logic;
    let of_rounds = stages.iter().map(needed).fold(0.0, f64::max);
    let of_schedule = schedule.as_ref().map_or(0.0, needed);
    let logic = of_rounds.max(of_schedule);
    let total = logic + model.register_delay;
    let period = Period {
        logic,
        register: model.register_delay,
        total,
        rounds: of_rounds,
        schedule: of_schedule,
    };

    let kept: HashSet<NodeId> =
        schedule_line.iter().flat_map(|line| line.states.iter().flatten().copied()).collect();
    let blocks = |bodies: &Vec<Body>| planner.blocks(bodies, logic, &kept);
    let planned: Vec<Vec<Block>> = stages.iter().map(blocks).collect();
    let schedule_block = schedule.as_ref().map(|bodies| blocks(bodies).remove(0));

    let (after, longest) = ending(compression, &rounds, model);
    let ending = match after.is_empty() {
        true => 0,
        false => ((longest / logic.max(f64::MIN_POSITIVE)).ceil() as usize).max(1),
    };
    let of_rounds = || planned.iter().flatten();
    let lead = of_rounds().map(Block::lead).max().unwrap_or(0);
    let lag = of_rounds().map(Block::lag).max().unwrap_or(0);
    let totals = planner.totals(&stages, &planned, schedule_block.as_ref(), &kept, &after);
    let message = compression.inputs().iter().filter(|input| input.role == Role::Message);
    let stages = planned.into_iter().zip(&stages).enumerate().map(|(i, (blocks, bodies))| Stage {
        steps: (i * clocks * options.merge, (i + 1) * clocks * options.merge),
        blocks,
        kinds: planner.kinds(bodies, side),
    });
    Ok(HardwarePlan {
        function: compression.name.clone(),
        model: model.name.clone(),
        unit: model.unit.clone(),
        options: *options,
        steps,
        block_bits: message.map(|input| u64::from(compression.width(input.node))).sum(),
        period,
        cycles_per_block: clocks,
        latency: lead + clocks * options.stages + lag + ending,
        lead,
        lag,
        ending,
        limit: planner.limit(),
        stages: stages.collect(),
        schedule: schedule_block,
        resources: totals,
    })
}

struct Planner<'p, 'f> {
    extractor: &'p Extractor<'f>,
    rounds: &'p [Line],
    options: &'p Options,
    model: &'p DelayModel,
}

impl<'p> Planner<'p, '_> {
    fn bodies(&self, lines: &[Line], merge: usize, clocks: Range<usize>, side: Side) -> Vec<Body> {
        let flat = self.options.adders != Adders::Chain;
        bodies(self.extractor, lines, merge, clocks, side, flat)
    }

    fn recurrence<'b>(&'b self, bodies: &'b [Body]) -> Recurrence<'b> {
        let Options { adders, precompute, .. } = *self.options;
        Recurrence { bodies, model: self.model, adders, precompute }
    }

    /// The message schedule: a recurrence beside the rounds of words that are there without the
    /// chaining value.
    fn schedule_line(&self) -> Option<Line> {
        let is_round = |line: &Line| self.rounds.iter().any(|round| round.name == line.name);
        let others = lines(self.extractor.function()).into_iter().filter(|line| !is_round(line));
        let from_message = |line: &Line| {
            line.states[0].iter().all(|&word| self.extractor.role(word) != Role::Chaining)
        };
        others.filter(from_message).find_map(|line| Some(recurrence(self.extractor, &line)?.line))
    }

    /// The schedule of each body in a clock with `logic` time.
    fn blocks(&self, bodies: &[Body], logic: f64, kept: &HashSet<NodeId>) -> Vec<Block> {
        let recurrence = self.recurrence(bodies);
        let clock = Clock(Some(logic));
        let retimed = matches!(self.options.precompute, Precompute::Full | Precompute::Auto);
        let state = match retimed {
            true => recurrence.fixed_point(logic).expect("a longer clock is a period too"),
            false => vec![Instant::ZERO; bodies[0].words],
        };
        bodies.iter().map(|body| self.block(&recurrence, body, clock, &state, kept)).collect()
    }

    /// Of the schedules as soon and as late as possible, that with fewer registers.
    fn block<'b>(
        &self,
        recurrence: &Recurrence<'b>,
        body: &'b Body,
        clock: Clock,
        state: &[Instant],
        kept: &HashSet<NodeId>,
    ) -> Block {
        let mut is_prepared = vec![false; body.function.inputs().len()];
        let computed: HashSet<NodeId> = prepared(self.extractor, body, kept).into_iter().collect();
        for (i, argument) in body.clocks[0].1.iter().enumerate().skip(body.words) {
            is_prepared[i] = computed.contains(argument);
        }
        // A word is due when the next turn takes it.
        let due: Vec<Instant> = state.iter().map(|&word| clock.shift(word, 1)).collect();
        let build = |net: &Net<'_>| {
            let (function, schedule) = realise(net, &is_prepared);
            let resources = Resources::of_net(net, &schedule, self.model);
            let clocks = body.clocks.clone();
            Block { function, schedule, words: body.words, clocks, resources }
        };
        let mut late = recurrence.net(body, clock, state);
        late.delay_all(&due);
        let late = build(&late);
        let soon = recurrence.net(body, clock, state);
        // Without an end to wait for, what is made of side inputs alone has no soonest time.
        if soon.signals.iter().any(|signal| signal.end.is_always() && !signal.args.is_empty()) {
            return late;
        }
        let soon = build(&soon);
        match soon.resources.register_bits < late.resources.register_bits {
            true => soon,
            false => late,
        }
    }

    fn limit(&self) -> Limit {
        let merged = |adders| {
            let all = 0..self.rounds[0].len();
            let bodies = bodies(self.extractor, self.rounds, 1, all, Side::Ahead, true);
            let precompute = Precompute::Auto;
            let recurrence = Recurrence { bodies: &bodies, model: self.model, adders, precompute };
            recurrence.bound(bodies.iter().map(|body| body.clocks.len()).sum())
        };
        Limit { tree: merged(Adders::Tree), csa: merged(Adders::CarrySave) }
    }

    /// How many kinds of clock the bodies stand for, amounts of rotation counted.
    fn kinds(&self, bodies: &[Body], side: Side) -> usize {
        let mut kinds: Vec<Function> = Vec::new();
        for &(clock, _) in bodies.iter().flat_map(|body| &body.clocks) {
            let steps = clock * self.options.merge..(clock + 1) * self.options.merge;
            let part = self.extractor.merged(self.rounds, steps, side).function;
            if !kinds.iter().any(|kind| kind.same_shape(&part, true)) {
                kinds.push(part);
            }
        }
        kinds.len()
    }

    fn totals(
        &self,
        stages: &[Vec<Body>],
        blocks: &[Vec<Block>],
        schedule: Option<&Block>,
        kept: &HashSet<NodeId>,
        after: &[NodeId],
    ) -> Totals {
        let (function, model) = (self.extractor.function(), self.model);
        let input_bits = |role| kept_inputs(self.extractor, self.rounds, self.options.merge, role);
        let registers = |bits| Resources::of_registers(bits, model).times(blocks.len());
        let mut totals = Totals::default();
        for (bodies, blocks) in stages.iter().zip(blocks) {
            let largest = (0..blocks.len())
                .max_by(|&x, &y| blocks[x].resources.area.total_cmp(&blocks[y].resources.area));
            let largest = largest.expect("a stage has a block");
            totals.rounds += blocks[largest].resources;
            if self.options.precompute != Precompute::None {
                let nodes = prepared(self.extractor, &bodies[largest], kept).into_iter();
                totals.prepared += Resources::of_nodes(function, nodes, model);
            }
        }
        totals.message += match schedule {
            Some(block) => block.resources.times(blocks.len()),
            None => registers(input_bits(Role::Message)),
        };
        totals.ending += Resources::of_nodes(function, after.iter().copied(), model);
        totals.ending += registers(input_bits(Role::Chaining));
        for part in [totals.rounds, totals.message, totals.prepared, totals.ending] {
            totals.all += part;
        }
        totals
    }
}

impl Block {
    /// The clocks of computed values.
    fn clocks_of_work(&self) -> impl Iterator<Item = i64> {
        let is_work = |node: &NodeId| self.function.op(*node).is_work();
        self.function.nodes().filter(is_work).map(|node| self.schedule.nodes[node.index()].clock)
    }

    /// How many clocks before its own the block begins.
    fn lead(&self) -> usize {
        self.clocks_of_work().min().map_or(0, |clock| (-clock).max(0) as usize)
    }

    /// How many clocks after its own the block ends.
    fn lag(&self) -> usize {
        self.clocks_of_work().max().map_or(0, |clock| clock.max(0) as usize)
    }
}
