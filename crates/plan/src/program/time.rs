//! When a program is done: its actions charged at a platform's prices.

use super::run::{Position, iteration_of};
use super::{Action, MAIN, Program, TransferId};
use crate::costs::{CostError, node_costs};
use crate::platform::{Memory, Platform};
use crate::source::SourceError;
use crate::time::{Ticks, cycles, ticks};
use manylane_graph::framing::ByteOrder;
use manylane_graph::roll::{Origin, Region, Rolled, Source};
use manylane_graph::{Function, NodeId, Op, Role};
use std::collections::{HashMap, HashSet};

/// What everything takes on each processor.
#[derive(Clone, Debug)]
pub struct Prices {
    processors: Vec<Price>,
    /// From the end of a send until the receiver can see it.
    latency: Ticks,
    /// The factor by which [`Prices::scale`] raised what the platform's prices give.
    scale: f64,
}

/// What everything takes on a processor.
#[derive(Clone, Debug)]
struct Price {
    /// By region and node of its body.
    nodes: Vec<Vec<Ticks>>,
    /// By region and input of its body.
    inputs: Vec<Vec<Flow>>,
    send: Ticks,
    receive: Ticks,
    load: Ticks,
    store: Ticks,
    turn: Ticks,
    /// To give the words of a block to another processor, as they lie in the message.
    block: Ticks,
    /// To put them in order beside that.
    swaps: Ticks,
    /// To give another processor a job, or to take one.
    start: Ticks,
}

/// What it takes to have an input of a body.
#[derive(Clone, Copy, Debug)]
enum Flow {
    /// It is in a register.
    Register,
    /// It is made once for the whole program, under this number of the rolled function's values.
    Once(usize, Ticks),
    /// The same of a message word, if the main processor of several has not put it in order for all.
    Word(usize, Ticks),
    /// It is loaded in each iteration.
    Each(Ticks),
}

impl Prices {
    /// The prices of a platform for a rolled function on up to `processors` processors. Its message is
    /// in memory in the byte order `order`.
    ///
    /// # Errors
    /// If the platform lacks a cost or contradicts itself for a region's body.
    pub fn of(
        rolled: &Rolled,
        processors: usize,
        order: ByteOrder,
        platform: &Platform,
    ) -> Result<Self, CostError> {
        let mut all: Vec<Price> = Vec::new();
        for (core, of) in platform.cores.iter().enumerate().take(processors) {
            let Memory { load, store, turn, .. } = of.memory;
            let sides = &platform.handshake.stream;
            all.push(Price {
                nodes: Vec::new(),
                inputs: Vec::new(),
                send: ticks(sides.send[core]),
                receive: ticks(sides.receive[core]),
                load: ticks(load * of.speed),
                store: ticks(store * of.speed),
                turn: ticks(turn * of.speed),
                block: 0,
                swaps: 0,
                start: ticks(platform.handshake.start),
            });
        }
        for region in &rolled.regions {
            for (of, costs) in all.iter_mut().zip(node_costs(&region.body, platform, None)?) {
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
                    // The number of a message word is loaded too.
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
        let mut prices =
            Self { processors: all, latency: ticks(platform.handshake.latency), scale: 1.0 };
        prices.scale(rolled, platform);
        Ok(prices)
    }

    /// Scales what is done between handshakes to what a compiled program of the primitive takes on the
    /// main core, if somebody measured it: compilers spend cycles on addresses, copies and spills that
    /// no operation stands for.
    fn scale(&mut self, rolled: &Rolled, platform: &Platform) {
        let primitive = rolled.name.split('.').next().unwrap_or_default();
        let Some(measured) = platform.programs.get(primitive) else { return };
        let alone = Program::sequential(rolled.clone(), 0);
        let Some(modelled) = time(&alone, self, 1).map(|timing| timing.cycles()) else { return };
        if modelled <= 0.0 {
            return;
        }
        self.scale = measured.block / modelled;
        let scale = self.scale;
        let scaled = |price: &mut Ticks| *price = ticks(cycles(*price) * scale);
        for of in &mut self.processors {
            of.nodes.iter_mut().flatten().for_each(scaled);
            let single = [&mut of.load, &mut of.store, &mut of.turn, &mut of.block, &mut of.swaps];
            single.into_iter().for_each(scaled);
            for flow in of.inputs.iter_mut().flatten() {
                match flow {
                    Flow::Register => {}
                    Flow::Once(_, price) | Flow::Word(_, price) | Flow::Each(price) => {
                        scaled(price)
                    }
                }
            }
        }
    }

    /// Cycles that no program of the same operations goes below on so many processors: all operations
    /// at the lower of their prices, divided at will, memory and handshakes free. One processor is the
    /// main one.
    pub fn limit(&self, rolled: &Rolled, processors: usize) -> f64 {
        let processors = processors.min(self.processors.len());
        let cheapest = |region: usize, node: usize| {
            let prices = self.processors[..processors].iter().map(|of| of.nodes[region][node]);
            prices.min().unwrap_or(0)
        };
        let of_region = |(r, region): (usize, &Region)| {
            let nodes = (0..region.body.len()).map(|node| cheapest(r, node));
            region.times as Ticks * nodes.sum::<Ticks>()
        };
        let work: Ticks = rolled.regions.iter().enumerate().map(of_region).sum();
        cycles(work) / self.scale / processors as f64
    }
}

/// When a number of calls is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// Cycles from the beginning to the end of each call, one after the other, on the main processor.
    pub ends: Vec<f64>,
    /// By processor, the cycles in which it worked.
    pub busy: Vec<f64>,
    /// By processor, the cycles in which it waited for a transfer.
    pub waits: Vec<f64>,
}

impl Timing {
    /// Cycles of all calls.
    pub fn cycles(&self) -> f64 {
        self.ends.last().copied().unwrap_or(0.0)
    }
}

/// Runs `calls` calls, each of which takes the chaining value of the one before, and tells when each is
/// done; `None` if the processors wait for each other.
///
/// All calls are one job for the other processors. The main one gives the job, and for each call the
/// words of its block; where the others need nothing else, it gives them one call before.
pub fn time(program: &Program, prices: &Prices, calls: usize) -> Option<Timing> {
    let count = program.processors;
    let mut clocks: Vec<Ticks> = vec![0; count];
    let mut busy: Vec<Ticks> = vec![0; count];
    let mut waits: Vec<Ticks> = vec![0; count];
    let mut at = vec![(0usize, Position::START); count];
    let mut sent: HashMap<(usize, TransferId, usize), Ticks> = HashMap::new();
    let mut ends: Vec<Ticks> = Vec::new();
    let mut had = vec![Had::default(); count];
    // When the main processor has given each call's job, and who has begun with its own call.
    let mut starts: Vec<Ticks> = Vec::new();
    let mut begun = vec![false; count];
    let ahead = usize::from(program.runs_ahead());
    let raw = program.gives_raw_words();
    loop {
        let mut moved = false;
        for processor in 0..count {
            // As far as it can go without waiting for what is not sent yet.
            while at[processor].0 < calls {
                let (call, ref mut position) = at[processor];
                if *position == Position::START && count > 1 && !begun[processor] {
                    let price = &prices.processors[processor];
                    let is_first = call == 0;
                    if processor == MAIN {
                        let begin = if is_first { price.start } else { price.receive };
                        let swaps = if raw { 0 } else { price.swaps };
                        clocks[MAIN] += price.block + swaps + begin + price.send;
                        busy[MAIN] += price.block + swaps + begin + price.send;
                        starts.push(clocks[MAIN]);
                    } else {
                        let Some(&started) = starts.get(call.saturating_sub(ahead)) else { break };
                        let there = clocks[processor].max(started + prices.latency);
                        let begin = if is_first { price.start } else { price.receive + price.send };
                        waits[processor] += there - clocks[processor];
                        clocks[processor] = there + begin;
                        busy[processor] += begin;
                    }
                    begun[processor] = true;
                }
                let Some(action) = position.action(program, processor) else {
                    at[processor] = (call + 1, Position::START);
                    begun[processor] = false;
                    had[processor] = Had::default();
                    if processor == MAIN {
                        ends.push(clocks[MAIN]);
                    }
                    moved = true;
                    continue;
                };
                let position = *position;
                let price = &prices.processors[processor];
                let cost = match action {
                    Action::Compute(node) => {
                        let body = &program.rolled.regions[position.region].body;
                        let args = body.args(node).iter();
                        let flows = args.map(|&arg| {
                            had[processor].take(price, count == 1 || raw, body, position, arg)
                        });
                        price.nodes[position.region][node.index()] + flows.sum::<Ticks>()
                    }
                    Action::Send(id) => words(program, id, price.send, price.store),
                    Action::Receive(id) => {
                        let transfer = &program.transfers[id.index()];
                        let key = (call, id, iteration_of(program, transfer, position));
                        let Some(&there) = sent.get(&key) else { break };
                        let there = there + prices.latency;
                        waits[processor] += there.saturating_sub(clocks[processor]);
                        clocks[processor] = clocks[processor].max(there);
                        words(program, id, price.receive, price.load)
                    }
                };
                clocks[processor] += cost;
                busy[processor] += cost;
                if let Action::Send(id) = action {
                    let transfer = &program.transfers[id.index()];
                    let key = (call, id, iteration_of(program, transfer, position));
                    sent.insert(key, clocks[processor]);
                }
                at[processor].1.action += 1;
                moved = true;
            }
        }
        if at.iter().all(|&(call, _)| call == calls) {
            let all = |of: Vec<Ticks>| of.into_iter().map(cycles).collect();
            return Some(Timing { ends: all(ends), busy: all(busy), waits: all(waits) });
        }
        if !moved {
            return None;
        }
    }
}

fn words(program: &Program, id: TransferId, once: Ticks, word: Ticks) -> Ticks {
    once + word * program.transfers[id.index()].values.len() as Ticks
}

/// What a processor has had of a call's inputs.
#[derive(Clone, Debug, Default)]
struct Had {
    /// Values that were made once.
    values: HashSet<usize>,
    /// The region and iteration of `inputs`.
    place: (usize, usize),
    /// Inputs of the body that the iteration has loaded.
    inputs: HashSet<u32>,
}

impl Had {
    /// What it takes to have an argument, which is nothing the second time. The first use in an
    /// iteration takes the loop's turn upon itself.
    fn take(
        &mut self,
        price: &Price,
        is_raw: bool,
        body: &Function,
        at: Position,
        arg: NodeId,
    ) -> Ticks {
        let mut cost = 0;
        let place = (at.region + 1, at.iteration);
        if self.place != place {
            if at.iteration > 0 {
                cost += price.turn;
            }
            self.place = place;
            self.inputs.clear();
        }
        let Op::Input(input) = body.op(arg) else { return cost };
        cost + match price.inputs[at.region][input as usize] {
            Flow::Register => 0,
            Flow::Once(value, ticks) if self.values.insert(value) => ticks,
            Flow::Word(value, ticks) if self.values.insert(value) => match is_raw {
                true => ticks,
                false => price.load,
            },
            Flow::Each(ticks) if self.inputs.insert(input) => ticks,
            Flow::Once(..) | Flow::Word(..) | Flow::Each(_) => 0,
        }
    }
}
