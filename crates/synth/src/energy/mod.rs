//! How much a core switches: what its energy is proportional to, if all wires are alike.
//!
//! Every gate takes one unit of time and every change of its inputs passes it, so that glitches count:
//! a word that reaches an adder in two halves makes its carries run twice. A change of a signal costs
//! its load, one for each input that it goes to and one for its own output.
//!
//! It is a proxy. Wires have no length, all inputs weigh the same, leakage and the clock's tree are
//! left out, and a pulse as short as a gate is neither swallowed nor weakened. It compares cores that
//! were built alike; it is no figure in joules.

#[cfg(test)]
mod beside_icarus;
mod netlist;
mod simulate;

pub use netlist::{Gate, Netlist};
pub use simulate::Simulation;

use manylane_emit::rtl::Datasheet;
use serde::{Deserialize, Serialize};

/// Blocks that are measured, on as many messages at once as a word has bits.
const BLOCKS: usize = 4;

/// What is said of a core.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// Changes times load per block, of gates and registers.
    pub per_block: f64,
    /// Of them, what registers make.
    pub registers: f64,
    /// Of them, what does not last to the next clock edge: changes beyond the one that is needed.
    pub glitches: f64,
    /// Beside them, two changes of the clock at each flip-flop.
    pub clock: f64,
}

const WORD_VALID: &str = "word_valid";

/// Measures a core over random blocks, a block taken whenever it is ready.
///
/// # Errors
/// If the netlist is not one of the core, or takes no blocks.
pub fn measure(core: &Datasheet, netlist: &Netlist) -> Result<Energy, String> {
    let mut simulation = Simulation::new(netlist)?;
    let mut feed = Feed { core, random: 0x6d61_6e79_6c61_6e65, taken: 0 };
    simulation.set("rst", 0, 1)?;
    simulation.set("in_valid", 0, 1)?;
    simulation.set("out_ready", 0, 1)?;
    // Of a core that takes its words one by one.
    if core.ports.iter().any(|port| port.name == WORD_VALID) {
        simulation.set(WORD_VALID, 0, 1)?;
    }
    feed.renew(&mut simulation)?;
    for _ in 0..3 {
        simulation.settle()?;
        simulation.edge();
    }
    simulation.set("rst", 0, 0)?;
    // Until the pipeline is full.
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

/// Random blocks.
struct Feed<'f> {
    core: &'f Datasheet,
    random: u64,
    taken: usize,
}

impl Feed<'_> {
    /// A clock; if the block was taken, another one is offered.
    fn clock(&mut self, simulation: &mut Simulation<'_>) -> Result<(), String> {
        // Inputs change together with the registers.
        simulation.settle()?;
        let taken = simulation.get("in_ready", 0)? == u64::MAX;
        simulation.edge();
        if taken {
            self.taken += 1;
            self.renew(simulation)?;
        }
        Ok(())
    }

    /// Offers a block: every bit of every message is drawn anew.
    fn renew(&mut self, simulation: &mut Simulation<'_>) -> Result<(), String> {
        let control = ["clk", "rst", "in_valid", "out_ready", WORD_VALID];
        for port in &self.core.ports {
            if !port.input || control.contains(&&port.name[..]) {
                continue;
            }
            for bit in 0..port.bits as usize {
                let word = self.next();
                simulation.set_lanes(&port.name, bit, word)?;
            }
        }
        Ok(())
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
