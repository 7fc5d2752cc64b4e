//! A plan of hardware with its figures, as a value and as text for people.

use super::options::Adders;
use super::program::{HardwareProgram, Region};
use super::resources::Totals;
use serde::Serialize;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

/// A compression function as hardware, with the figures of the clock, latency, limit and area.
#[derive(Clone, Debug, Serialize)]
pub struct HardwarePlan {
    /// The stage and clock of each operation.
    #[serde(flatten)]
    pub program: HardwareProgram,
    /// The delay model's name.
    pub model: String,
    /// The delay model's unit.
    pub unit: String,
    /// n: steps of one compression.
    pub steps: usize,
    /// Bits of message per block.
    pub block_bits: u64,
    /// The parts of a clock.
    pub period: Period,
    /// Clocks from a block's start to its chaining value, which the next block of the same message
    /// waits for.
    pub latency: usize,
    /// The part of the latency, in clocks, in which the first state is made, such as h ⊕ m.
    pub opening: usize,
    /// The part of the latency, in clocks, before the first step, in which early work is done.
    pub lead: usize,
    /// The part of the latency, in clocks, by which the last words of the state are late.
    pub lag: usize,
    /// The part of the latency, in clocks, after the last step.
    pub ending: usize,
    /// The limit that the recurrence sets.
    pub limit: Limit,
    /// The stages.
    pub stages: Vec<Stage>,
    /// Adders, registers and area.
    pub resources: Totals,
}

/// The parts of a clock, in the delay model's units.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Period {
    /// The delay of the longest path between registers.
    pub logic: f64,
    /// The delay of the registers.
    pub register: f64,
    /// The sum of both.
    pub total: f64,
    /// The logic delay that the rounds alone need.
    pub rounds: f64,
    /// The logic delay that the message schedule alone needs.
    pub schedule: f64,
}

/// The iteration bound: units per step of the longest path around the recurrence, without
/// registers. No merging and no retiming gets below it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Limit {
    /// The bound with carry-propagate adders.
    pub tree: f64,
    /// The bound with carry-save rows.
    pub csa: f64,
}

impl Limit {
    /// The bound with these adders.
    pub fn per_step(&self, adders: Adders) -> f64 {
        match adders {
            Adders::Chain | Adders::Tree => self.tree,
            Adders::CarrySave => self.csa,
        }
    }
}

/// One stage of the pipeline.
#[derive(Clone, Debug, Serialize)]
pub struct Stage {
    /// Its steps: from the first number up to the second, which is excluded.
    pub steps: (usize, usize),
    /// The numbers of its regions: one, or several between which a multiplexer chooses.
    pub blocks: Vec<usize>,
    /// Number of kinds of turns of its regions; turns with different amounts of rotation are of
    /// different kinds.
    pub kinds: usize,
}

impl HardwarePlan {
    /// Eq. (1) of the paper named in [`crate::hardware`]: throughput in Mbit/s at a clock of `mhz`
    /// MHz, with a message in every stage.
    pub fn throughput(&self, mhz: f64) -> f64 {
        self.block_bits as f64 * mhz / self.program.cycles_per_block as f64
    }

    /// Throughput of a single long message in Mbit/s at a clock of `mhz` MHz: each block waits for
    /// the block before.
    pub fn single_message_throughput(&self, mhz: f64) -> f64 {
        self.block_bits as f64 * mhz / self.latency as f64
    }

    /// Bits per unit of time, with a message in every stage. Infinite if the delay model has no
    /// delay for the primitive's operations: there are no adder levels in Keccak.
    pub fn rate(&self) -> f64 {
        self.throughput(1.0) / self.period.total
    }

    /// The lower bound on the logic of a clock, which no retiming of its steps passes.
    pub fn bound(&self) -> f64 {
        let options = &self.program.options;
        self.limit.per_step(options.adders) * options.merge as f64
    }

    /// How much longer the logic of a clock is than [`HardwarePlan::bound`]: 1 is twice as long.
    /// None where there is no bound.
    pub fn above_bound(&self) -> Option<f64> {
        let bound = self.bound();
        (bound > 0.0).then(|| (self.period.logic / bound - 1.0).max(0.0))
    }

    /// Number of messages that have to be in flight for [`HardwarePlan::throughput`].
    pub fn messages(&self) -> usize {
        self.latency.div_ceil(self.program.cycles_per_block)
    }
}

/// The text for people, in lines of at most 100 columns. The first line has the answer.
impl fmt::Display for HardwarePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { program, unit, period, resources, .. } = self;
        let HardwareProgram { function, options, cycles_per_block, .. } = program;
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let bits = self.block_bits;
        writeln!(
            f,
            "{}: {bits} bits every {cycles_per_block} clock{} of {:.2} {unit}s",
            function.name,
            plural(*cycles_per_block),
            period.total,
        )?;
        writeln!(
            f,
            "  {} step{} per clock, {} stage{}, adders {}, pre-computation {}",
            options.merge,
            plural(options.merge),
            options.stages,
            plural(options.stages),
            options.adders,
            options.precompute,
        )?;
        writeln!(
            f,
            "  clock: rounds {:.2}, message schedule {:.2}, registers {:.2}",
            period.rounds, period.schedule, period.register,
        )?;
        writeln!(
            f,
            "  limit per step: {:.2} with carry-propagate adders, {:.2} with carry-save; here \
             {:.2}",
            self.limit.tree,
            self.limit.csa,
            period.rounds / options.merge as f64,
        )?;
        writeln!(
            f,
            "  with {} messages in flight; one alone waits {} clocks per block: {:.0} % of that",
            self.messages(),
            self.latency,
            100.0 * self.single_message_throughput(1.0) / self.throughput(1.0),
        )?;
        writeln!(
            f,
            "  {} adders, {} rows of 3:2 compressors, {} bits of registers, area {:.0}",
            resources.all.adders,
            resources.all.compressors,
            resources.all.register_bits,
            resources.all.area,
        )?;
        let kinds = self.stages.iter().map(|stage| stage.kinds).max().unwrap_or(1);
        if kinds > 1 {
            writeln!(
                f,
                "  a stage makes up to {kinds} kinds of turn: multiplexers are not counted"
            )?;
        }
        Ok(())
    }
}

impl Stage {
    /// The stage that does `clocks` of `merge` steps.
    pub(super) fn new(all: &[Region], clocks: Range<usize>, merge: usize) -> Self {
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
