//! Plans hardware: finds the shortest clock of all bodies, places the operations in it, and adds up
//! the resources.

use super::body::{Body, bodies, prepared};
use super::delay::{DelayModel, Ticks, ticks, units};
use super::net::{Clock, Instant, Net};
use super::options::{Adders, Error, Options, Precompute};
use super::period::Recurrence;
use super::program::{HardwareProgram, Region};
use super::report::{HardwarePlan, Limit, Period, Stage};
use super::resources::{Resources, Totals, ending, kept_inputs, opening};
use super::schedule::{HardwareSchedule, Realised, last_uses, realise};
use crate::program::fingerprint;
use manylane_graph::extract::{Extractor, Line, Side, message_schedule, rounds};
use manylane_graph::{Function, NodeId, Op, Role};
use std::collections::HashSet;
use std::ops::Range;

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

    let limit = planner.limit();
    let (logic, period) = planner.period(&bodies, schedule.as_deref(), &limit);
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
    let lead = blocks.iter().map(Region::lead).max().unwrap_or(0);
    let lag = blocks.iter().map(Region::lag).max().unwrap_or(0);
    let resources =
        planner.totals(&bodies, &blocks, &stages, schedule.as_ref(), &kept, &after.nodes);
    let program = HardwareProgram {
        fingerprint: fingerprint(compression),
        function: compression.clone(),
        options: *options,
        cycles_per_block: clocks,
        regions: blocks,
        schedule,
    };
    Ok(HardwarePlan {
        model: model.name.clone(),
        unit: model.unit.clone(),
        steps,
        block_bits: program.block_bits(),
        period,
        latency: opening + lead + clocks * options.stages + lag + ending,
        opening,
        lead,
        lag,
        ending,
        limit,
        stages,
        resources,
        program,
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

    /// The shortest clock that serves the rounds and the message schedule: its time for logic, and
    /// what it consists of. All bodies have the same clock, so the slowest body decides.
    fn period(&self, bodies: &[Body], schedule: Option<&[Body]>, limit: &Limit) -> (Ticks, Period) {
        let bound = limit.per_step(self.options.adders) * self.options.merge as f64;
        let of_rounds = self.recurrence(bodies).period(ticks(bound));
        let of_schedule = schedule.map_or(0, |bodies| self.recurrence(bodies).period(0));
        let logic = of_rounds.max(of_schedule);
        let register = self.model.register_delay;
        let period = Period {
            logic: units(logic),
            register,
            total: units(logic + ticks(register)),
            rounds: units(of_rounds),
            schedule: units(of_schedule),
        };
        (logic, period)
    }

    /// The message schedule: a recurrence beside the rounds, of words that do not depend on the
    /// chaining value.
    fn schedule_line(&self) -> Option<Line> {
        Some(message_schedule(self.extractor)?.line)
    }

    /// The schedules of bodies that take turns, in a clock with `logic` time for logic: of the
    /// candidates the one with the fewest registers.
    fn blocks(&self, bodies: &[Body], logic: Ticks, kept: &HashSet<NodeId>) -> Vec<Region> {
        let candidates = self.candidates(bodies, logic);
        let candidates = candidates.iter().map(|nets| self.placed(nets, logic, kept));
        let bits = |blocks: &Vec<Region>| -> u64 {
            blocks.iter().map(|block| block.resources.register_bits).sum()
        };
        candidates.min_by_key(bits).expect("there is a schedule")
    }

    /// The schedules that are compared: all operations as late as possible; adders as soon and
    /// gates as late as possible; all as soon as possible.
    fn candidates<'b>(&'b self, bodies: &'b [Body], logic: Ticks) -> Vec<Vec<Net<'b>>> {
        let recurrence = self.recurrence(bodies);
        let clock = Clock(Some(logic));
        let state = recurrence.fixed_point(logic).expect("a longer clock is a period too");
        let nets = || -> Vec<Net<'b>> {
            bodies.iter().map(|body| recurrence.net(body, clock, &state)).collect()
        };
        let due: Vec<Instant> = state.iter().map(|&word| self.due(clock, word)).collect();
        let mut late = nets();
        late.iter_mut().for_each(|net| net.delay(&due, |_| true));
        let soon = nets();
        // Operations on side inputs alone have no earliest time, so they cannot run as soon as
        // possible.
        let mut signals = soon.iter().flat_map(|net| &net.signals);
        if signals.any(|signal| signal.end.is_always() && !signal.args.is_empty()) {
            return vec![late];
        }
        let mut gates_late = nets();
        gates_late.iter_mut().for_each(Net::delay_gates);
        vec![late, gates_late, soon]
    }

    /// The deadline of a word of the state that is ready at `word`: its use in the next turn if the
    /// word may be late, otherwise the end of its own clock.
    fn due(&self, clock: Clock, word: Instant) -> Instant {
        let due = clock.shift(word, 1);
        match self.options.precompute {
            Precompute::Auto => due,
            Precompute::None | Precompute::Kw | Precompute::Full => {
                Instant { clock: due.clock.min(0), ..due }
            }
        }
    }

    /// The regions of nets that take turns.
    fn placed(&self, nets: &[Net<'_>], period: Ticks, kept: &HashSet<NodeId>) -> Vec<Region> {
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
            let (period, nodes) = (units(period), realised.nodes.clone());
            let schedule = HardwareSchedule { period, nodes, registers };
            let Realised { function, varying, .. } = realised;
            Region { function, schedule, words, varying, turns, resources }
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
        blocks: &[Region],
        stages: &[Stage],
        schedule: Option<&Region>,
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
        let key = function.inputs().iter().filter(|input| input.role == Role::Key);
        let bits = key.map(|input| u64::from(function.width(input.node))).sum();
        totals.key += Resources::of_registers(bits, model);
        totals.ending += Resources::of_nodes(function, after.iter().copied(), model);
        totals.ending += registers(input_bits(Role::Chaining));
        for part in [totals.rounds, totals.message, totals.key, totals.prepared, totals.ending] {
            totals.all += part;
        }
        totals
    }
}
