//! The chaining value in memory, from a block's start to its ending.
//!
//! ```text
//!  in_chain ──► rounds
//!          └──► memory: a place for each block under way ──► register ──► ending
//! ```
//!
//! In registers, each stage would have a copy, and the ending one more. Blocks come out in the
//! order in which they went in, so that two counters give the addresses for writing and reading.

use super::asked::Asked;
use super::control::Control;
use super::inputs::{Carried, Inputs};
use super::timetable::Timetable;
use crate::rtl::netlist::{Expr, Memory, Netlist, SignalId};
use crate::rtl::{Error, Storage};
use manylane_graph::{NodeId, Op, Role};

/// Checks that the clocks between two blocks suffice to read the chaining value from its memory.
///
/// # Errors
/// If blocks follow each other faster than a memory is read.
pub(super) fn check(asked: Asked<'_>) -> Result<(), Error> {
    let (least, clocks) = (2 + asked.slow() as usize, asked.program.cycles_per_block);
    if asked.options.chaining == Storage::Registers || clocks >= least {
        return Ok(());
    }
    Err(Error::Chaining { function: asked.compression().name.clone(), clocks, least })
}

/// Checks that a core whose chaining values are to be in memory has that memory.
///
/// # Errors
/// If nothing after the rounds takes the chaining value, so that none is kept.
pub(super) fn check_kept(asked: Asked<'_>, net: &Netlist) -> Result<(), Error> {
    let is_kept = net.memories().iter().any(|memory| memory.name == NAME);
    if asked.options.chaining == Storage::Registers || is_kept {
        return Ok(());
    }
    Err(Error::Unchained { function: asked.compression().name.clone() })
}

/// The name of the memory.
const NAME: &str = "chains";

/// A chaining value as it comes out of its memory, the first word in the highest bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain(SignalId);

impl Chain {
    /// Makes the memory, for an ending that takes the value in clock `time`.
    pub(super) fn new(
        asked: Asked<'_>,
        times: &Timetable,
        net: &mut Netlist,
        control: &mut Control<'_>,
        inputs: &Inputs<'_>,
        time: i64,
    ) -> Self {
        let section = net.section("Chaining values");
        let words = asked.inputs(Role::Chaining);
        let width = words.iter().map(|&word| asked.width(word)).sum();
        let words = words.into_iter().map(|word| inputs.port(Carried::Input(word))).collect();
        let data = net.wire(section, "chain_in", width, Expr::Concat(words));
        // One more block than those under way may begin before the first has ended.
        let depth = (time as usize / times.clocks + 2).next_power_of_two();
        let bits = depth.trailing_zeros();
        let start = control.start_at(net, 0, 0);
        let both = Expr::Op(Op::And, vec![start.into(), control.enable.into()]);
        let write = net.wire(section, "write_chain", 1, both);
        let address = net.counter(section, "chain_place", bits, start);
        let name = NAME.to_owned();
        let memory = Memory { name, depth, width, write, address, data, apart: true, section };
        let memory = net.memory(memory);
        let done = control.start_at(net, times.stages, time - times.end());
        let place = net.counter(section, "chain_read", bits, done);
        let mut value = net.wire(section, "chain_out", width, Expr::Read(memory, place));
        for _ in 0..1 + asked.slow() {
            value = net.register(section, "chain_kept", width, value, None);
        }
        Self(value)
    }

    /// One of its words.
    pub(super) fn word(self, asked: Asked<'_>, net: &mut Netlist, node: NodeId) -> SignalId {
        let words = asked.inputs(Role::Chaining);
        let behind = words.iter().rev().take_while(|word| **word != node);
        let low = behind.map(|&word| asked.width(word)).sum();
        let section = net.section("Ending");
        let name = format!("end_{}", asked.name(node).unwrap_or("h"));
        net.wire(section, &name, asked.width(node), Expr::Slice(self.0, low))
    }
}
