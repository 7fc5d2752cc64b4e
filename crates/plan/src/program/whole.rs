//! A lower bound on the time of two cores that divide a function into whole steps, with their
//! hand-overs.
//!
//! The limit holds for programs in which each step lies on one core and is done there in one piece:
//! it begins when all that it takes of other steps is there, and what it hands over leaves when it
//! is done. A word that crosses is stored by one core and loaded by the other, and before a core
//! uses it there is a hand-over: a send, the latency, a receive. Where a function has more message
//! words and constants than a core has registers, each step reads those that it uses. Every price
//! is the lowest one that the platform names.
//!
//! ```text
//!  layer k      g0 g1 | g2 g3       every step of layer k + 1 needs a word of every step of
//!                  ╳  |  ╳          layer k: none begins before all of layer k are done
//!  layer k + 1  g4 g5 | g6 g7
//! ```
//!
//! **Proof.** Let E_k be when the last step of layer k ends, on core q. In the time from E_{k−1} to
//! E_k each core does its steps of layer k. A core other than q first waits for the words of the
//! last step of layer k − 1: their stores, a send and the latency come after E_{k−1}, and its own
//! receive and loads come before its first step. For given cores of the steps of these two layers,
//! that bounds E_k − E_{k−1} from below. Of several layers in a row, i to j, one core does its
//! steps, and between E_{i−1} and E_j also its side of all hand-overs from layer i on; and it
//! brings in the words that its steps take of what follows from the message alone, but for as many
//! as its registers may hold from before. That bounds E_j − E_{i−1}. Layers in a row of each of
//! which the same core has more than half are bounded together, by the second bound; all others one
//! by one, by the first. The amount that layer k adds to the sum of these bounds is d_k.
//!
//! The time T of a call is at least Σ d_k, and at least the work w_c of either core c: its steps,
//! the stores and loads of words that cross, and for each layer its side of one hand-over, that
//! after the last step, if the other core needs it. (One hand-over the other way may do for two
//! layers.) So T ≥ α·Σ d_k + β·w_0 + γ·w_1 for all weights with α + β + γ = 1. For given weights
//! the right side is a sum over pairs of neighbouring layers, and dynamic programming over the
//! assignments of each layer finds the smallest one exactly: no assignment is below it. The limit
//! is the largest for any of the weights that are tried.

use crate::costs::{CostError, UnitCosts};
use crate::platform::{COPROCESSOR, MAIN, Platform, Sides};
use crate::time::{Ticks, cycles};
use crate::two_core::Limit;
use crate::units::{Level, Units};
use layers::{LayerSplit, Layers};
use manylane_graph::Function;
use serde::Serialize;

mod layers;

/// The limit of splits into whole steps, in cycles of a call.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WholeSteps {
    /// No split into whole steps takes less.
    pub cycles: f64,
    /// All steps on one core, the one that takes less, at the same prices.
    pub alone: f64,
    /// How many layers of steps wait for each other.
    pub layers: usize,
    /// The most steps of a layer.
    pub width: usize,
}

/// The search for the best weights tries those of the time in steps of 1/`PARTS`.
const PARTS: u32 = 16;

impl WholeSteps {
    /// The limit for a function at a platform's prices; `None` on one core, and where no step waits
    /// for another one.
    ///
    /// # Errors
    /// If the platform lacks a cost or contradicts itself.
    pub fn of(function: &Function, platform: &Platform) -> Result<Option<Self>, CostError> {
        if platform.cores.len() <= COPROCESSOR {
            return Ok(None);
        }
        let units = Units::of(function, Level::Substep);
        let costs = UnitCosts::of(function, &units, platform, None)?;
        let free = Limit::of(&units, &costs).cycles();
        let layers = Layers::of(function, &units, &costs, platform)?;
        let Some(width) = layers.all.iter().map(|layer| layer.units.len()).max() else {
            return Ok(None);
        };
        let prices = LeastPrices::of(platform);
        let bound =
            |weights: Weights| SplitSearch { layers: &layers, prices: &prices, weights }.least();
        let mut best: f64 = 0.0;
        for of_time in 0..=PARTS {
            let rest = PARTS - of_time;
            // Equal cores have the same weight, because an assignment with the cores exchanged
            // takes the same time.
            let of_main: Vec<u32> = match platform.cores_are_equal() {
                true => vec![rest],
                false => (0..=4).map(|quarter| rest * quarter / 2).collect(),
            };
            for main in of_main {
                best =
                    best.max(bound(Weights { time: 2 * of_time, core: [main, 2 * rest - main] }));
            }
        }
        Ok(Some(Self {
            cycles: best.max(free),
            alone: cycles(layers.alone),
            layers: layers.all.len(),
            width,
        }))
    }
}

/// The lowest prices of what hand-overs take, by core.
struct LeastPrices {
    /// A word stored or loaded.
    access: [Ticks; 2],
    send: [Ticks; 2],
    receive: [Ticks; 2],
    latency: Ticks,
    /// Words that registers hold.
    registers: [usize; 2],
}

impl LeastPrices {
    fn of(platform: &Platform) -> Self {
        let handshake = platform.handshake.in_ticks();
        let least = |of: fn(&Sides<Ticks>) -> [Ticks; 2]| {
            let kinds = [&handshake.turn, &handshake.stream, &handshake.flag].map(of);
            [MAIN, COPROCESSOR].map(|core| kinds.iter().map(|sides| sides[core]).min().unwrap_or(0))
        };
        Self {
            access: [MAIN, COPROCESSOR].map(|core| layers::access(platform, core)),
            send: least(|sides| sides.send),
            receive: least(|sides| sides.receive),
            latency: handshake.latency,
            registers: [MAIN, COPROCESSOR]
                .map(|core| platform.cores[core].memory.registers.unwrap_or(usize::MAX)),
        }
    }
}

/// The weights of the time and of either core's work, in parts of 2·[`PARTS`].
#[derive(Clone, Copy)]
struct Weights {
    time: u32,
    core: [u32; 2],
}

impl Weights {
    fn sum(self, time: Ticks, work: [Ticks; 2]) -> u128 {
        let part = |weight: u32, ticks: Ticks| u128::from(weight) * u128::from(ticks);
        part(self.time, time) + part(self.core[MAIN], work[MAIN]) + part(self.core[1], work[1])
    }
}

/// The least weighted sum over all assignments.
struct SplitSearch<'s> {
    layers: &'s Layers,
    prices: &'s LeastPrices,
    weights: Weights,
}

impl SplitSearch<'_> {
    fn least(&self) -> f64 {
        let mut known: Vec<State> = Vec::new();
        for (k, layer) in self.layers.all.iter().enumerate() {
            let mut next: Vec<State> = Vec::new();
            for split in 0..1 << layer.units.len() {
                if k == 0 {
                    let sum = self
                        .weights
                        .sum(0, [MAIN, COPROCESSOR].map(|core| layer.work(split, core)));
                    let reads = |core| layer.reads(split, core);
                    let run = layer.busier(split).map(|core| self.begun(core, reads(core), 0));
                    next.push(State { split, run, sum });
                }
                for from in &known {
                    next.push(self.step(k, *from, split));
                }
            }
            known = fewest(next);
        }
        let least = known.iter().map(|state| state.sum).min().unwrap_or(0);
        let loose = self.layers.loose.iter().map(|of| {
            let on = |core: usize| u128::from(self.weights.core[core]) * u128::from(of[core]);
            on(MAIN).min(on(COPROCESSOR))
        });
        // Rounded down to whole ticks.
        cycles(((least + loose.sum::<u128>()) / u128::from(2 * PARTS)) as Ticks)
    }

    fn step(&self, k: usize, from: State, split: LayerSplit) -> State {
        let layer = &self.layers.all[k];
        let work = self.work(k, from.split, split);
        let hand_overs = || self.hand_overs(k, from.split, split);
        let next = |run, time| {
            let of = hand_overs().map(|taken| {
                let [main, coprocessor] = [MAIN, COPROCESSOR].map(|core| work[core] + taken[core]);
                self.weights.sum(time, [main, coprocessor])
            });
            State { split, run, sum: from.sum + of.min().unwrap_or(0) }
        };
        let first = self.time(k, from.split, split);
        let Some(core) = layer.busier(split) else { return next(None, first) };
        let own = layer.work(split, core);
        let reads = layer.reads(split, core);
        match from.run {
            Some(run) if run.core == core => {
                let read = reads.saturating_sub(run.held) as Ticks * self.layers.read[core];
                let held = run.held.saturating_sub(reads);
                let hand_over = hand_overs().map(|taken| taken[core]).min().unwrap_or(0);
                let crossing = (work[core] - own + hand_over).saturating_sub(run.waited);
                next(Some(DominatedRun { core, held, waited: 0 }), own + crossing + read)
            }
            _ => next(Some(self.begun(core, reads, first - own)), first),
        }
    }

    /// A run of a core that begins with a layer which takes `reads` words from the message.
    fn begun(&self, core: usize, reads: usize, waited: Ticks) -> DominatedRun {
        let most = self.layers.all.iter().map(|layer| layer.reads(layer.all_of(core), core)).sum();
        let held = self.prices.registers[core].min(most).saturating_sub(reads);
        DominatedRun { core, held, waited }
    }

    /// The least time of a layer after the layer before.
    fn time(&self, k: usize, before: LayerSplit, split: LayerSplit) -> Ticks {
        let layer = &self.layers.all[k];
        let has_last = (0..2).filter(|&core| self.layers.all[k - 1].has(before, core));
        let of_last = has_last.map(|last| {
            let of_core = (0..2).filter(|&core| layer.has(split, core)).map(|core| {
                let wait = if core == last { 0 } else { self.wait(k, before, split, last) };
                wait + layer.work(split, core)
            });
            of_core.max().unwrap_or(0)
        });
        of_last.min().unwrap_or(0)
    }

    /// The least time that the other core waits after the last step of a layer, which is on the
    /// core `from`.
    fn wait(&self, k: usize, before: LayerSplit, split: LayerSplit, from: usize) -> Ticks {
        let LeastPrices { access, send, receive, latency, .. } = self.prices;
        let words = self.layers.all[k].words_of_last(&self.layers.all[k - 1], before, split, from);
        let words = words as Ticks * (access[from] + access[1 - from]);
        words + send[from] + latency + receive[1 - from]
    }

    /// The work of both cores in a layer, with the words that cross from the layer before.
    fn work(&self, k: usize, before: LayerSplit, split: LayerSplit) -> [Ticks; 2] {
        let layer = &self.layers.all[k];
        let mut work = [MAIN, COPROCESSOR].map(|core| layer.work(split, core));
        for from in [MAIN, COPROCESSOR] {
            let words = layer.words_across(before, split, from) as Ticks;
            work[from] += words * self.prices.access[from];
            work[1 - from] += words * self.prices.access[1 - from];
        }
        work
    }

    /// The least time that the hand-over after a layer takes on each core, whichever core ended
    /// last.
    fn hand_overs(
        &self,
        k: usize,
        before: LayerSplit,
        split: LayerSplit,
    ) -> impl Iterator<Item = [Ticks; 2]> {
        let LeastPrices { send, receive, .. } = *self.prices;
        let [last, layer] = [k - 1, k].map(|k| &self.layers.all[k]);
        let is_needed = [MAIN, COPROCESSOR].map(|from| layer.has(split, 1 - from));
        let may_be_last = [MAIN, COPROCESSOR].map(|from| last.has(before, from));
        [MAIN, COPROCESSOR].into_iter().filter(move |&from| may_be_last[from]).map(move |from| {
            let mut taken = [0; 2];
            if is_needed[from] {
                (taken[from], taken[1 - from]) = (send[from], receive[1 - from]);
            }
            taken
        })
    }
}

/// The least sum over all assignments up to a layer that end in the same way.
#[derive(Clone, Copy)]
struct State {
    split: LayerSplit,
    run: Option<DominatedRun>,
    sum: u128,
}

/// Layers in a row of which one core has more than half.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct DominatedRun {
    core: usize,
    /// Number of words from the message that its registers may still hold from before the run.
    held: usize,
    /// The time of the run's first layer beyond the core's own steps; 0 from the second layer on.
    /// Hand-overs may have taken place in this time.
    waited: Ticks,
}

/// Keeps, of states that differ only in their sums, the one with the least sum.
fn fewest(mut states: Vec<State>) -> Vec<State> {
    states.sort_by_key(|state| (state.split, state.run, state.sum));
    states.dedup_by_key(|state| (state.split, state.run));
    states
}
