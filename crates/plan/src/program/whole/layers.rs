//! Layers of steps, each of which waits for all of the layer before.

use crate::costs::{CostError, UnitCosts, node_costs};
use crate::platform::{COPROCESSOR, MAIN, Platform};
use crate::time::{Ticks, ticks};
use crate::units::Units;
use manylane_graph::{Function, NodeId, Op, Role};
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};

/// The most steps of a layer that are told apart: of a larger layer, the most expensive ones. The
/// others count as work that may be done at any time.
const MOST: usize = 5;

/// Constants below this are immediate operands of instructions.
const SMALL: u64 = 256;

/// Which steps of a layer the coprocessor has: one bit each.
pub(super) type LayerSplit = usize;

/// The layers of a function, and the work beside them.
pub(super) struct Layers {
    /// The layers, in an order of computation.
    pub all: Vec<Layer>,
    /// Work in no layer: by unit, its time on each core.
    pub loose: Vec<[Ticks; 2]>,
    /// All of the work on the core that takes less for it.
    pub alone: Ticks,
    /// For each core, the least time to get a word that depends on the message alone.
    pub read: [Ticks; 2],
}

/// A layer: its steps, and which words they take of the layer before.
#[derive(Default)]
pub(super) struct Layer {
    /// The numbers of the units.
    pub units: Vec<usize>,
    /// The cost of each unit on each core.
    costs: [Vec<Ticks>; 2],
    /// Values that depend on the message alone and that this layer is the first to take: the units
    /// that take a value, one bit each, and the number of its words.
    side: Vec<(LayerSplit, usize)>,
    /// Values of the layer before: the number of the unit there that makes a value, the units here
    /// that take it, one bit each, and the number of its words.
    taken: Vec<(usize, LayerSplit, usize)>,
}

impl Layer {
    /// Whether a core has a unit of this layer.
    pub fn has(&self, split: LayerSplit, core: usize) -> bool {
        self.of(split, core) != 0
    }

    /// The units of a core, a bit each.
    fn of(&self, split: LayerSplit, core: usize) -> LayerSplit {
        if core == COPROCESSOR { split } else { !split & ((1 << self.units.len()) - 1) }
    }

    /// The time of a core's units.
    pub fn work(&self, split: LayerSplit, core: usize) -> Ticks {
        let own = self.of(split, core);
        let mine = (0..self.units.len()).filter(|unit| own >> unit & 1 == 1);
        mine.map(|unit| self.costs[core][unit]).sum()
    }

    /// The split in which a core has all units.
    pub fn all_of(&self, core: usize) -> LayerSplit {
        if core == COPROCESSOR { (1 << self.units.len()) - 1 } else { 0 }
    }

    /// The core that has more than half of the layer.
    pub fn busier(&self, split: LayerSplit) -> Option<usize> {
        let [main, coprocessor] = [MAIN, COPROCESSOR].map(|core| self.work(split, core));
        match main.cmp(&coprocessor) {
            Ordering::Greater => Some(MAIN),
            Ordering::Less => Some(COPROCESSOR),
            Ordering::Equal => None,
        }
    }

    /// Words that follow from the message alone and that a core takes first in this layer.
    pub fn reads(&self, split: LayerSplit, core: usize) -> usize {
        let own = self.of(split, core);
        self.side.iter().filter(|(by, _)| by & own != 0).map(|(_, words)| words).sum()
    }

    /// Words that go from units of the layer before on the core `from` to units of this one on the
    /// other core.
    pub fn words_across(&self, before: LayerSplit, split: LayerSplit, from: usize) -> usize {
        let there = self.of(split, 1 - from);
        let is_from = |unit: usize| (before >> unit & 1) == from;
        let across = self.taken.iter().filter(|(unit, by, _)| is_from(*unit) && by & there != 0);
        across.map(|(.., words)| words).sum()
    }

    /// The fewest words that the other core takes of a unit of the layer before on the core `from`.
    pub fn words_of_last(
        &self,
        last: &Self,
        before: LayerSplit,
        split: LayerSplit,
        from: usize,
    ) -> usize {
        let there = self.of(split, 1 - from);
        let own = last.of(before, from);
        let of_unit = (0..last.units.len()).filter(|unit| own >> unit & 1 == 1).map(|unit| {
            let mine = self.taken.iter().filter(|(of, by, _)| *of == unit && by & there != 0);
            mine.map(|(.., words)| words).sum::<usize>()
        });
        of_unit.min().unwrap_or(0)
    }
}

/// The least time in which a core loads or stores a word.
pub(super) fn access(platform: &Platform, core: usize) -> Ticks {
    let core = &platform.cores[core];
    ticks(core.memory.load.min(core.memory.store) * core.speed)
}

impl Layers {
    /// The layers of a function's units.
    ///
    /// # Errors
    /// As [`node_costs`].
    pub fn of(
        function: &Function,
        units: &Units,
        costs: &UnitCosts,
        platform: &Platform,
    ) -> Result<Self, CostError> {
        let graph = Graph::new(function, units, costs, platform);
        let chosen = graph.chosen();
        let times = graph.times();
        let is_loose = |unit: &usize| !chosen.iter().flatten().any(|of| of == unit);
        let loose = (0..units.len()).filter(is_loose).map(|unit| times[unit]).collect();
        let alone = |core: usize| times.iter().map(|of| of[core]).sum::<Ticks>();
        let mut all = Vec::with_capacity(chosen.len());
        let mut known: BTreeSet<NodeId> = BTreeSet::new();
        for (k, layer) in chosen.iter().enumerate() {
            let last = if k > 0 { &chosen[k - 1][..] } else { &[] };
            all.push(graph.layer(last, layer, &times, &mut known));
        }
        // Registers may hold words of any layer. All other words cost at least the lower of two
        // prices: an access, or the operation that makes the word.
        let nodes = node_costs(function, platform, None)?;
        let read = [MAIN, COPROCESSOR].map(|core| {
            let made = known
                .iter()
                .map(|node| ticks(nodes[core][node.index()]) / graph.words(*node) as Ticks);
            made.min().unwrap_or(0).min(access(platform, core))
        });
        if read == [0; 2] {
            all.iter_mut().for_each(|layer: &mut Layer| layer.side.clear());
        }
        Ok(Self { all, loose, alone: alone(MAIN).min(alone(COPROCESSOR)), read })
    }
}

/// A function's units, with what is asked about them.
struct Graph<'g> {
    function: &'g Function,
    units: &'g Units,
    costs: &'g UnitCosts,
    platform: &'g Platform,
    /// The unit of each node.
    unit_of: Vec<Option<usize>>,
    /// For each unit, whether it follows from the message and constants alone.
    is_alone: Vec<bool>,
}

impl<'g> Graph<'g> {
    fn new(
        function: &'g Function,
        units: &'g Units,
        costs: &'g UnitCosts,
        platform: &'g Platform,
    ) -> Self {
        let mut unit_of = vec![None; function.len()];
        for (i, unit) in units.units.iter().enumerate() {
            unit.nodes.iter().for_each(|node| unit_of[node.index()] = Some(i));
        }
        let mut graph =
            Self { function, units, costs, platform, unit_of, is_alone: vec![true; units.len()] };
        for unit in 0..units.len() {
            let mut of_others = units.before.of(unit).iter();
            let of_others = of_others.all(|&before| graph.is_alone[before as usize]);
            let is_of_message = |node: NodeId| match function.op(node) {
                Op::Input(input) => function.inputs()[input as usize].role == Role::Message,
                _ => true,
            };
            let of_message = graph.operands(unit).all(is_of_message);
            graph.is_alone[unit] = of_others && of_message;
        }
        graph
    }

    /// The values from outside that a unit takes, some of them several times.
    fn operands(&self, unit: usize) -> impl Iterator<Item = NodeId> + '_ {
        let nodes = self.units.units[unit].nodes.iter();
        let args = nodes.flat_map(|&node| self.function.args(node).iter().copied());
        args.filter(move |arg| self.unit_of[arg.index()] != Some(unit))
    }

    /// The layers: of the units on the longest chains of units that follow from the chaining value,
    /// those of the same depth that take values of all of the layer before.
    fn chosen(&self) -> Vec<Vec<usize>> {
        let count = self.units.len();
        let chained = |of: &[u32]| -> Vec<usize> {
            of.iter().map(|&unit| unit as usize).filter(|&unit| !self.is_alone[unit]).collect()
        };
        let before: Vec<Vec<usize>> =
            (0..count).map(|unit| chained(self.units.before.of(unit))).collect();
        let (mut depth, mut height) = (vec![0; count], vec![0; count]);
        for unit in 0..count {
            depth[unit] = before[unit].iter().map(|&of| depth[of] + 1).max().unwrap_or(0);
        }
        for unit in (0..count).rev() {
            let after = chained(self.units.after.of(unit));
            height[unit] = after.into_iter().map(|of| height[of] + 1).max().unwrap_or(0);
        }
        let is_chained = |unit: &usize| !self.is_alone[*unit];
        let Some(mut at) = (0..count).filter(is_chained).max_by_key(|&unit| depth[unit]) else {
            return Vec::new();
        };
        // One longest chain; each layer has a unit of it.
        let mut chain = vec![at];
        while let Some(&of) = before[at].iter().find(|&&of| depth[of] + 1 == depth[at]) {
            chain.push(of);
            at = of;
        }
        chain.reverse();
        let mut layers: Vec<Vec<usize>> = Vec::with_capacity(chain.len());
        for (k, &of_chain) in chain.iter().enumerate() {
            let is_here = |unit: &usize| depth[*unit] == k && height[*unit] + k + 1 == chain.len();
            let mut here: Vec<usize> = (0..count).filter(is_chained).filter(is_here).collect();
            // Where there are many units, those on the chain and the most expensive ones are taken.
            here.sort_by_key(|&unit| (unit != of_chain, Reverse(self.costs.ticks[MAIN][unit])));
            here.truncate(MOST);
            here.sort_unstable();
            let takes_all =
                |unit: usize, last: &[usize]| last.iter().all(|of| before[unit].contains(of));
            if let Some(last) = layers.last_mut() {
                if !takes_all(of_chain, last) {
                    last.retain(|of| before[of_chain].contains(of));
                }
                here.retain(|&unit| takes_all(unit, last));
            }
            layers.push(here);
        }
        layers
    }

    /// For each core, whether each step on it reads the message words and constants that it takes:
    /// where there are more of them than the core has registers. A core without a number of
    /// registers may keep them all.
    fn reads_are_counted(&self) -> [bool; 2] {
        let mut all: BTreeSet<NodeId> = BTreeSet::new();
        for unit in 0..self.units.len() {
            all.extend(self.operands(unit).filter(|&node| self.is_read(node)));
        }
        [MAIN, COPROCESSOR].map(|core| {
            let registers = self.platform.cores[core].memory.registers;
            registers.is_some_and(|registers| all.len() > registers)
        })
    }

    fn is_read(&self, node: NodeId) -> bool {
        match self.function.op(node) {
            Op::Input(input) => self.function.inputs()[input as usize].role == Role::Message,
            Op::Const(value) => value >= SMALL,
            _ => false,
        }
    }

    /// The time of each unit on each core: its operations and what it reads.
    fn times(&self) -> Vec<[Ticks; 2]> {
        let is_counted = self.reads_are_counted();
        let time = |unit: usize| {
            let reads: BTreeSet<NodeId> =
                self.operands(unit).filter(|&node| self.is_read(node)).collect();
            let words: usize = reads.into_iter().map(|node| self.words(node)).sum();
            [MAIN, COPROCESSOR].map(|core| {
                let words = if is_counted[core] { words as Ticks } else { 0 };
                self.costs.ticks[core][unit] + words * access(self.platform, core)
            })
        };
        (0..self.units.len()).map(time).collect()
    }

    /// Number of 32-bit words of a node's value: memory has a price for each.
    fn words(&self, node: NodeId) -> usize {
        usize::from(self.function.width(node)).div_ceil(32)
    }

    /// A layer after the units `last`; `known` are the values that follow from the message alone
    /// and were taken before.
    fn layer(
        &self,
        last: &[usize],
        units: &[usize],
        times: &[[Ticks; 2]],
        known: &mut BTreeSet<NodeId>,
    ) -> Layer {
        let costs =
            [MAIN, COPROCESSOR].map(|core| units.iter().map(|&unit| times[unit][core]).collect());
        let mut layer = Layer { units: units.to_vec(), costs, ..Layer::default() };
        let mut takers: BTreeMap<NodeId, LayerSplit> = BTreeMap::new();
        for (bit, &unit) in units.iter().enumerate() {
            for node in self.operands(unit) {
                *takers.entry(node).or_default() |= 1 << bit;
            }
        }
        for (node, by) in takers {
            let Some(of) = self.unit_of[node.index()] else { continue };
            let words = self.words(node);
            if let Some(number) = last.iter().position(|&unit| unit == of) {
                layer.taken.push((number, by, words));
            } else if self.is_alone[of] && known.insert(node) {
                layer.side.push((by, words));
            }
        }
        layer
    }
}
