//! The switching activity of a core. Its dynamic energy is proportional to this figure if all wires
//! are alike.
//!
//! Every gate takes one unit of time and every change of its inputs passes it, so that glitches
//! count: a word that reaches an adder in two halves makes its carries run twice. A change of a
//! signal costs its load, one for each input that it goes to and one for its own output.
//!
//! The figure is a proxy. Wires have no length, all inputs weigh the same, leakage and the clock's
//! tree are left out, and a pulse as short as a gate is neither swallowed nor weakened. The figure
//! compares cores that were built alike; it is no energy in joules.

#[cfg(test)]
mod beside_icarus;
mod netlist;
#[cfg(test)]
mod of_cores;
mod simulate;

pub use netlist::{Gate, Netlist};
pub use simulate::Simulation;

use manylane_emit::rtl::{Datasheet, Port};
use manylane_graph::random::SplitMix64;
use serde::{Deserialize, Serialize};

/// Number of blocks that are measured of each of 64 messages, one in each bit of a word.
const BLOCKS: usize = 4;

/// The figures of a core.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// Changes times load per block, of gates and registers.
    pub per_block: f64,
    /// The part of `per_block` that registers make.
    pub registers: f64,
    /// The part of `per_block` that glitches make: changes of a signal beyond one per clock.
    pub glitches: f64,
    /// The clock's own switching, which is not in `per_block`: two changes at each flip-flop.
    pub clock: f64,
}

/// Measures a core over random blocks, a block taken whenever it is ready.
///
/// # Errors
/// If the netlist is not one of the core, if it takes no blocks, or if it has inputs whose meaning
/// is not known: random values would not do.
pub fn measure(core: &Datasheet, netlist: &Netlist) -> Result<Energy, String> {
    let mut feed = Feed::new(core)?;
    let mut simulation = Simulation::new(netlist)?;
    simulation.set("rst", 0, 1)?;
    feed.begin(&mut simulation)?;
    for _ in 0..3 {
        simulation.settle()?;
        simulation.edge();
    }
    simulation.set("rst", 0, 0)?;
    // Clocks until the pipeline is full.
    let warm = core.latency + 2 * core.cycles_per_block;
    for clock in 0..warm + BLOCKS * core.cycles_per_block {
        if clock == warm {
            simulation.reset_counts();
            feed.taken = 0;
        }
        feed.clock(&mut simulation)?;
    }
    if feed.taken != BLOCKS {
        return Err(format!("{} blocks were taken, not {BLOCKS}", feed.taken));
    }
    let counts = simulation.counts();
    let per_block = |weight: u64| weight as f64 / (BLOCKS as f64 * f64::from(u64::BITS));
    Ok(Energy {
        per_block: per_block(counts.all),
        registers: per_block(counts.registers),
        glitches: per_block(counts.all - counts.settled),
        clock: (2 * netlist.flip_flops() * core.cycles_per_block) as f64,
    })
}

/// Everything besides the netlist that the figures of the activity depend on.
pub(crate) fn stimulus(core: &Datasheet) -> String {
    let inputs = Feed::new(core).map(|feed| feed.inputs);
    format!("{BLOCKS} blocks, {} and {} clocks, {inputs:?}", core.latency, core.cycles_per_block)
}

/// The values that an input of a core is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stimulus {
    /// The value 0: no reset and no clearing but at the beginning, and blocks from the midst of
    /// messages, whose chaining value is the one that comes with them.
    Low,
    /// The value 1: blocks are offered and results taken at every clock.
    High,
    /// Random bits, anew with each block.
    Block,
    /// A random number below this one, anew with each block.
    Below(u64),
    /// Random bits, anew with each word that is taken.
    Word,
}

impl Stimulus {
    fn new(port: &str, core: &Datasheet) -> Option<Self> {
        Some(match port {
            "clk" | "rst" | "clear" | "in_first" => Self::Low,
            "in_valid" | "out_ready" | "word_valid" => Self::High,
            "in_block" | "in_chain" | "in_counter" | "in_tag" => Self::Block,
            "in_mode" => Self::Below(core.modes.len() as u64),
            "word" => Self::Word,
            _ => return None,
        })
    }
}

/// Random blocks, each with what belongs to it.
struct Feed {
    inputs: Vec<(Port, Stimulus)>,
    random: SplitMix64,
    taken: usize,
}

impl Feed {
    fn new(core: &Datasheet) -> Result<Self, String> {
        if core.interface != "core" {
            return Err(format!(
                "energy is that of blocks, and {} takes messages: emit it with --interface core",
                core.module
            ));
        }
        let inputs = core.ports.iter().filter(|port| port.input).map(|port| {
            let given = Stimulus::new(&port.name, core);
            let given = given.ok_or_else(|| format!("what is port {} to be given?", port.name))?;
            Ok((port.clone(), given))
        });
        let inputs = inputs.collect::<Result<_, String>>()?;
        Ok(Self { inputs, random: SplitMix64(0x6d61_6e79_6c61_6e65), taken: 0 })
    }

    /// Offers the first block.
    fn begin(&mut self, simulation: &mut Simulation<'_>) -> Result<(), String> {
        for (port, given) in &self.inputs {
            if *given == Stimulus::High {
                simulation.set(&port.name, 0, 1)?;
            }
        }
        self.renew(simulation, |_| true)
    }

    /// A clock; if the block was taken another one is offered, and if a word was, another word.
    fn clock(&mut self, simulation: &mut Simulation<'_>) -> Result<(), String> {
        // Inputs change together with the registers.
        simulation.settle()?;
        let taken = simulation.get("in_ready", 0)? == u64::MAX;
        let words = self.inputs.iter().any(|(_, given)| *given == Stimulus::Word);
        let word_taken = words && simulation.get("word_ready", 0)? == u64::MAX;
        simulation.edge();
        self.taken += usize::from(taken);
        self.renew(simulation, |given| if given == Stimulus::Word { word_taken } else { taken })
    }

    /// Draws inputs anew, every bit of every message.
    fn renew(
        &mut self,
        simulation: &mut Simulation<'_>,
        due: impl Fn(Stimulus) -> bool,
    ) -> Result<(), String> {
        for i in 0..self.inputs.len() {
            let (port, given) = self.inputs[i].clone();
            if !due(given) {
                continue;
            }
            let words: Vec<u64> = match given {
                Stimulus::Low | Stimulus::High => continue,
                Stimulus::Block | Stimulus::Word => {
                    (0..port.bits).map(|_| self.random.word()).collect()
                }
                Stimulus::Below(most) => {
                    let numbers: Vec<u64> =
                        (0..u64::BITS).map(|_| self.random.word() % most).collect();
                    let of_bit = |bit| {
                        let lanes = numbers.iter().enumerate();
                        lanes.map(|(lane, number)| (number >> bit & 1) << lane).sum()
                    };
                    (0..port.bits).map(of_bit).collect()
                }
            };
            for (bit, word) in words.into_iter().enumerate() {
                simulation.set_lanes(&port.name, bit, word)?;
            }
        }
        Ok(())
    }
}
