//! The prices of a program's actions on a platform.

use super::bodies::Bodies;
use super::measured::MeasuredShare;
use crate::costs::{CostError, repeated_costs};
use crate::platform::{HandshakeCosts, Memory, Platform};
use crate::source::SourceError;
use crate::time::{Ticks, cycles, ticks};
use manylane_graph::Op;
use manylane_graph::Role;
use manylane_graph::framing::ByteOrder;
use manylane_graph::roll::{Origin, Region, Rolled, Source};
use serde::Serialize;

/// The prices of all actions on each processor.
#[derive(Clone, Debug)]
pub struct Prices {
    pub(super) processors: Vec<Price>,
    pub(super) bodies: Bodies,
    /// From the end of a send until the receiver can see it.
    pub(super) latency: Ticks,
    /// From the moment when a job was given until the other processor begins it.
    pub(super) start: Ticks,
    /// From the end of a job until the main processor knows of it.
    pub(super) finish: Ticks,
    /// For each processor, the times of the hand-overs in its measured share; empty if they were
    /// not measured.
    pub(super) measured: Vec<MeasuredShare>,
    /// Whether these prices rest on measured programs.
    pub(super) basis: PriceBasis,
}

/// The figures that a prediction rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PriceBasis {
    /// This very program was compiled and measured, each processor's share alone.
    Measured,
    /// Prices of operations, registers and memory, scaled by the factor that makes the model agree
    /// with another program of the primitive, which was measured on one core.
    Scaled,
    /// Prices of operations, registers and memory. RC5 with parameters that were not measured is
    /// scaled by parameters that were.
    Model,
}

/// The prices of all actions on one processor.
#[derive(Clone, Debug)]
pub(super) struct Price {
    /// The price of each operation, by region and node of its body.
    pub nodes: Vec<Vec<Ticks>>,
    /// How each input comes into a register, by region and input of its body.
    pub inputs: Vec<Vec<Flow>>,
    /// Posting a hand-over.
    pub send: Ticks,
    /// Taking a hand-over that is there.
    pub receive: Ticks,
    /// Reading a word from memory.
    pub load: Ticks,
    /// Writing a word to memory.
    pub store: Ticks,
    /// The loop around an iteration: count, compare, branch.
    pub turn: Ticks,
    /// Copying a word that an operation would replace.
    pub copy: Ticks,
    /// Getting a constant into a register.
    pub constant: Ticks,
    /// Moving a word from one register to another.
    pub step: Ticks,
    /// How many words the registers hold.
    pub registers: usize,
    /// Giving the words of a block to another processor, as they lie in the message.
    pub block: Ticks,
    /// Converting these words to the machine's byte order, in addition to `block`.
    pub swaps: Ticks,
    /// A job beside its calls: giving it, or taking it.
    pub job: Ticks,
    /// The factor by which all prices but `job` were raised.
    scale: f64,
}

/// How an input of a body comes into a register.
#[derive(Clone, Copy, Debug)]
pub(super) enum Flow {
    /// The input is in a register.
    Register,
    /// The input is computed or loaded once for the whole program, at this cost; the number is that
    /// of the rolled function's value.
    Once(usize, Ticks),
    /// As `Once`, for a message word that the main processor of several has converted to the
    /// machine's byte order for all.
    Word(usize, Ticks),
    /// The input is loaded in each iteration.
    Each(Ticks),
}

impl Prices {
    /// The prices that a platform's figures for operations, memory and handshakes give, before they
    /// are scaled to what was measured: see [`Prices::of`].
    pub(super) fn of_operations(
        rolled: &Rolled,
        processors: usize,
        order: ByteOrder,
        platform: &Platform,
    ) -> Result<Self, CostError> {
        let mut all: Vec<Price> = Vec::new();
        for (core, of) in platform.cores.iter().enumerate().take(processors) {
            let Memory { load, store, turn, copy, constant, registers } = of.memory;
            let sides = &platform.handshake.stream;
            all.push(Price {
                nodes: Vec::new(),
                inputs: Vec::new(),
                send: ticks(sides.send[core]),
                receive: ticks(sides.receive[core]),
                load: ticks(load * of.speed),
                store: ticks(store * of.speed),
                turn: ticks(turn * of.speed),
                copy: ticks(copy * of.speed),
                constant: ticks(constant * of.speed),
                step: ticks(platform.cost(core, Op::Or, 32)?),
                registers: registers.unwrap_or(usize::MAX),
                block: 0,
                swaps: 0,
                job: 0,
                scale: 1.0,
            });
        }
        let bodies = rolled.regions.iter().map(|region| (&region.body, region.times));
        for costs in repeated_costs(&bodies.collect::<Vec<_>>(), platform)? {
            for (of, costs) in all.iter_mut().zip(costs) {
                of.nodes.push(costs.into_iter().map(ticks).collect());
            }
        }
        for (core, of) in all.iter_mut().enumerate() {
            let swap = |width| match order == platform.order {
                true => Ok(0.0),
                false => platform.cost(core, Op::SwapBytes, width),
            };
            for region in &rolled.regions {
                let flows = region.sources.iter().map(|source| match source {
                    Source::Same(value) => {
                        let definition = rolled.definition(*value);
                        Ok(match definition.origin {
                            Origin::Input(i) => {
                                let is_message = rolled.inputs[i as usize].role == Role::Message;
                                match is_message {
                                    true => {
                                        let swap = ticks(swap(definition.width)?);
                                        Flow::Word(value.index(), of.load + swap)
                                    }
                                    false => Flow::Once(value.index(), of.load),
                                }
                            }
                            Origin::Constant(_) | Origin::Result { .. } => Flow::Register,
                        })
                    }
                    // The number of the message word is loaded, and then the word.
                    Source::Each(values) => Ok(match rolled.definition(values[0]).origin {
                        Origin::Input(_) => Flow::Each(2 * of.load),
                        Origin::Constant(_) | Origin::Result { .. } => Flow::Each(of.load),
                    }),
                    Source::Earlier { .. } => Ok(Flow::Register),
                });
                let flows: Result<Vec<Flow>, SourceError> = flows.collect();
                of.inputs.push(flows?);
            }
            for input in rolled.inputs.iter().filter(|input| input.role == Role::Message) {
                of.swaps += ticks(swap(rolled.definition(input.value).width)?);
                of.block += of.load + of.store;
            }
        }
        let HandshakeCosts { latency, start, finish, .. } = platform.handshake.in_ticks();
        Ok(Self {
            processors: all,
            bodies: Bodies::of(rolled),
            latency,
            start,
            finish,
            measured: Vec::new(),
            basis: PriceBasis::Model,
        })
    }

    /// The basis of predictions at these prices.
    pub fn basis(&self) -> PriceBasis {
        self.basis
    }

    /// Cycles that no program of the same operations goes below on this number of processors. Each
    /// operation is counted at the lower of its prices, the work is divided at will, and memory and
    /// handshakes cost nothing. A single processor is the main one.
    pub fn limit(&self, rolled: &Rolled, processors: usize) -> f64 {
        let processors = processors.min(self.processors.len());
        let cheapest = |region: usize, node: usize| {
            let prices = self.processors[..processors].iter();
            let unscaled = prices.map(|of| cycles(of.nodes[region][node]) / of.scale);
            unscaled.fold(f64::INFINITY, f64::min)
        };
        let of_region = |(r, region): (usize, &Region)| {
            let nodes = (0..region.body.len()).map(|node| cheapest(r, node));
            region.times as f64 * nodes.sum::<f64>()
        };
        let work: f64 = rolled.regions.iter().enumerate().map(of_region).sum();
        work / processors as f64
    }
}

impl Price {
    /// Multiplies the prices of all that is done between handshakes.
    pub fn raise(&mut self, by: f64) {
        self.scale *= by;
        let raised = |price: &mut Ticks| *price = ticks(cycles(*price) * by);
        self.nodes.iter_mut().flatten().for_each(raised);
        let Self { load, store, turn, copy, constant, step, block, swaps, .. } = self;
        [load, store, turn, copy, constant, step, block, swaps].into_iter().for_each(raised);
        for flow in self.inputs.iter_mut().flatten() {
            match flow {
                Flow::Register => {}
                Flow::Once(_, price) | Flow::Word(_, price) | Flow::Each(price) => raised(price),
            }
        }
    }
}
