use super::body::{Body, Turn, bodies, prepared};
use super::delay::DelayModel;
use super::options::{Adders, Error, Options, Precompute};
use super::period::Recurrence;
use super::resources::{Resources, Totals, ending, kept_inputs, opening};
use super::schedule::{HardwareSchedule, Realised, last_uses, realise};
use super::timing::{Clock, Instant, Net};
use manylane_graph::extract::{Extractor, Line, Side, lines, recurrence, rounds};
use manylane_graph::passes::Rewriter;
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
    /// Of the latency, the clocks in which the first state is made, such as h ⊕ m.
    pub opening: usize,
    /// Of the latency, the clocks before the first step, in which early work is done.
    pub lead: usize,
    /// Of the latency, the clocks that the last words of the state are late.
    pub lag: usize,
    /// Of the latency, the clocks after the last step.
    pub ending: usize,
    /// What the recurrence alone allows.
    pub limit: Limit,
    /// The shapes of k steps, which words of the state may pass from one to the other.
    pub blocks: Vec<Block>,
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
    /// Its blocks among the plan's: one, or more that a multiplexer chooses from.
    pub blocks: Vec<usize>,
    /// How many kinds of turn its blocks make, amounts of rotation counted.
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
    /// Rotations and shifts of the function whose amounts each turn says: MD5's. A block with some
    /// needs multiplexers.
    #[serde(skip)]
    pub varying: Vec<NodeId>,
    /// The clocks in which the block works.
    #[serde(skip)]
    pub turns: Vec<Turn>,
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

    /// Bits per unit of time, a message in every stage. Infinite if the delay model knows no delay
    /// in the primitive: there are no adder levels in Keccak.
    pub fn rate(&self) -> f64 {
        self.throughput(1.0) / self.period.total
    }

    /// By how much this plan is faster than another one of the same primitive: 1 is twice as fast.
    pub fn gain_over(&self, other: &Self) -> f64 {
        self.rate() / other.rate() - 1.0
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
    let bodies = planner.bodies(&rounds, options.merge, 0..clocks * options.stages, side);
    let schedule_line = planner.schedule_line();
    let schedule: Option<Vec<Body>> = schedule_line.as_ref().map(|line| {
        planner.bodies(std::slice::from_ref(line), options.merge.min(line.len()), 0..1, side)
    });

    // One clock for all: the slowest decides.
    let of_rounds = planner.recurrence(&bodies).period();
    let of_schedule = schedule.as_ref().map_or(0.0, |bodies| planner.recurrence(bodies).period());
    let logic = of_rounds.max(of_schedule);
    let period = Period {
        logic,
        register: model.register_delay,
        total: logic + model.register_delay,
        rounds: of_rounds,
        schedule: of_schedule,
    };

    let kept: HashSet<NodeId> =
        schedule_line.iter().flat_map(|line| line.states.iter().flatten().copied()).collect();
    let blocks = planner.blocks(&bodies, logic, &kept);
    let schedule = schedule.map(|bodies| planner.blocks(&bodies, logic, &kept).remove(0));
    let stages: Vec<Stage> = (0..options.stages)
        .map(|stage| Stage::new(&blocks, stage * clocks..(stage + 1) * clocks, options.merge))
        .collect();

    let opening = opening(compression, &rounds, model).clocks(logic);
    let after = ending(compression, &rounds, model);
    let ending = after.clocks(logic);
    let lead = blocks.iter().map(Block::lead).max().unwrap_or(0);
    let lag = blocks.iter().map(Block::lag).max().unwrap_or(0);
    let resources =
        planner.totals(&bodies, &blocks, &stages, schedule.as_ref(), &kept, &after.nodes);
    let message = compression.inputs().iter().filter(|input| input.role == Role::Message);
    Ok(HardwarePlan {
        function: compression.name.clone(),
        model: model.name.clone(),
        unit: model.unit.clone(),
        options: *options,
        steps,
        block_bits: message.map(|input| u64::from(compression.width(input.node))).sum(),
        period,
        cycles_per_block: clocks,
        latency: opening + lead + clocks * options.stages + lag + ending,
        opening,
        lead,
        lag,
        ending,
        limit: planner.limit(),
        blocks,
        stages,
        schedule,
        resources,
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

    /// The schedules of bodies that take turns, in a clock with `logic` time: of those as soon and
    /// as late as possible, the ones with fewer registers.
    fn blocks(&self, bodies: &[Body], logic: f64, kept: &HashSet<NodeId>) -> Vec<Block> {
        let recurrence = self.recurrence(bodies);
        let clock = Clock(Some(logic));
        let state = recurrence.fixed_point(logic).expect("a longer clock is a period too");
        // A word is due when the next turn takes it, or at the end of its clock.
        let end = Instant { clock: 0, ..clock.shift(Instant::ZERO, 1) };
        let due = |&word: &Instant| match self.options.precompute {
            Precompute::Auto => clock.shift(word, 1),
            Precompute::None | Precompute::Kw | Precompute::Full => end,
        };
        let due: Vec<Instant> = state.iter().map(due).collect();
        let nets = || -> Vec<Net<'_>> {
            bodies.iter().map(|body| recurrence.net(body, clock, &state)).collect()
        };
        let mut late = nets();
        late.iter_mut().for_each(|net| net.delay_all(&due));
        let late = self.placed(&late, logic, kept);
        let soon = nets();
        // Without an end to wait for, what is made of side inputs alone has no soonest time.
        let mut signals = soon.iter().flat_map(|net| &net.signals);
        if signals.any(|signal| signal.end.is_always() && !signal.args.is_empty()) {
            return late;
        }
        let soon = self.placed(&soon, logic, kept);
        let bits = |blocks: &[Block]| -> u64 {
            blocks.iter().map(|block| block.resources.register_bits).sum()
        };
        if bits(&soon) < bits(&late) { soon } else { late }
    }

    /// Blocks of nets that take turns.
    fn placed(&self, nets: &[Net<'_>], period: f64, kept: &HashSet<NodeId>) -> Vec<Block> {
        let words = nets[0].body.words;
        let realised: Vec<Realised> = nets.iter().map(realise).collect();
        let last_uses = last_uses(&realised, words);
        let block = |(net, realised): (&Net<'_>, Realised)| {
            let turns = net.body.turns.clone();
            let computed: HashSet<NodeId> =
                prepared(self.extractor, net.body, kept).into_iter().collect();
            let is_prepared = |(i, argument)| i >= words && computed.contains(argument);
            let is_prepared: Vec<bool> =
                turns[0].arguments.iter().enumerate().map(is_prepared).collect();
            let registers = realised.registers(&is_prepared, &last_uses);
            let resources = Resources::of_net(net, &registers, self.model);
            let schedule = HardwareSchedule { period, nodes: realised.nodes.clone(), registers };
            let Realised { function, varying, .. } = realised;
            Block { function, schedule, words, varying, turns, resources }
        };
        nets.iter().zip(realised).map(block).collect()
    }

    fn limit(&self) -> Limit {
        let all = 0..self.rounds[0].len();
        let bodies = &bodies(self.extractor, self.rounds, 1, all, Side::Ahead, true);
        let of = |adders| {
            let (model, precompute) = (self.model, Precompute::Auto);
            Recurrence { bodies, model, adders, precompute }.bound()
        };
        Limit { tree: of(Adders::Tree), csa: of(Adders::CarrySave) }
    }

    fn totals(
        &self,
        bodies: &[Body],
        blocks: &[Block],
        stages: &[Stage],
        schedule: Option<&Block>,
        kept: &HashSet<NodeId>,
        after: &[NodeId],
    ) -> Totals {
        let (function, model) = (self.extractor.function(), self.model);
        let input_bits = |role| kept_inputs(self.extractor, self.rounds, self.options.merge, role);
        let registers = |bits| Resources::of_registers(bits, model).times(stages.len());
        let mut totals = Totals::default();
        for stage in stages {
            let area = |&block: &usize| blocks[block].resources.area;
            let largest = stage.blocks.iter().copied().max_by(|x, y| area(x).total_cmp(&area(y)));
            let largest = largest.expect("a stage has a block");
            totals.rounds += blocks[largest].resources;
            if self.options.precompute != Precompute::None {
                let nodes = prepared(self.extractor, &bodies[largest], kept).into_iter();
                totals.prepared += Resources::of_nodes(function, nodes, model);
            }
        }
        totals.message += match schedule {
            Some(block) => block.resources.times(stages.len()),
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

impl Stage {
    /// The stage that does `clocks` of `merge` steps.
    fn new(all: &[Block], clocks: Range<usize>, merge: usize) -> Self {
        let mut kinds: HashSet<(usize, usize)> = HashSet::new();
        for (block, of_block) in all.iter().enumerate() {
            let turns = of_block.turns.iter().filter(|turn| clocks.contains(&turn.clock));
            kinds.extend(turns.map(|turn| (block, turn.kind)));
        }
        let mut blocks: Vec<usize> = kinds.iter().map(|&(block, _)| block).collect();
        blocks.sort_unstable();
        blocks.dedup();
        let steps = (clocks.start * merge, clocks.end * merge);
        Self { steps, blocks, kinds: kinds.len() }
    }
}

impl Block {
    /// The function with the amounts of one turn.
    pub fn function_of(&self, turn: &Turn) -> Function {
        let amounts = self.varying.iter().zip(&turn.amounts);
        Rewriter::new(&self.function).run(|r, node, args| {
            match amounts.clone().find(|(varying, _)| **varying == node) {
                Some((_, &op)) => r.builder.op(op, args),
                None => r.copy(node, args),
            }
        })
    }

    /// The clocks of what is computed from the state.
    fn clocks_of_state(&self) -> impl Iterator<Item = i64> {
        let mut dependent = vec![false; self.function.len()];
        for node in self.function.nodes() {
            dependent[node.index()] = match self.function.op(node) {
                Op::Input(i) => (i as usize) < self.words,
                _ => self.function.args(node).iter().any(|arg| dependent[arg.index()]),
            };
        }
        let computed =
            move |node: &NodeId| self.function.op(*node).is_work() && dependent[node.index()];
        self.function.nodes().filter(computed).map(|node| self.schedule.nodes[node.index()].clock)
    }

    /// How many clocks before its own the block begins.
    fn lead(&self) -> usize {
        self.clocks_of_state().min().map_or(0, |clock| (-clock).max(0) as usize)
    }

    /// How many clocks after its own the block ends.
    fn lag(&self) -> usize {
        self.clocks_of_state().max().map_or(0, |clock| clock.max(0) as usize)
    }
}
