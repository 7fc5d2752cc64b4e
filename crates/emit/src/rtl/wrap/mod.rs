//! The surroundings of a core, which make it into a hash that takes messages and gives digests.

mod axilite;
mod axis;
mod bench;
mod folder;
mod frame;
mod logic;
mod padding;

use super::{Core, Error, Netlist, Options, core};
pub use axilite::Register;
pub use bench::{Files, Message, register_bench, stream_bench};
pub use folder::{Wrapped, wrapped_project};
use frame::Shape;
use manylane_graph::framing::{Framing, Unit};
use manylane_plan::hardware::HardwareProgram;
use std::fmt;

/// A core in its surroundings.
#[derive(Debug)]
pub struct Wrapper {
    /// The hardware, which has the core as an instance.
    pub netlist: Netlist,
    /// Its interface.
    pub interface: Interface,
    /// Bytes of a block.
    pub block_bytes: usize,
    /// Messages that can be under way at once.
    pub contexts: usize,
    /// Clocks from one block to the next if `contexts` messages are under way.
    pub cycles_per_block: usize,
    /// Clocks from one block of a message to the next if there is no other message.
    pub latency: usize,
}

/// How messages go in and digests come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// AXI4-Stream of this width in bytes.
    Stream(usize),
    /// Registers of 32 bits on AXI4-Lite.
    Registers,
}

impl fmt::Display for Interface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Stream(_) => "axis",
            Self::Registers => "axilite",
        })
    }
}

/// Clocks that a result takes through the surroundings to be the next block's chaining value.
const AROUND: usize = 3;

/// The most messages under way.
const MOST_CONTEXTS: usize = 64;

/// Makes the core of a program and puts it into its surroundings. The module on top has the name of
/// `options`, and the core in it that name with `_core`.
///
/// # Errors
/// If the width is none of 4, 8, 16, 32 and 64 bytes, or the framing cannot be made.
pub fn wrap(
    program: &HardwareProgram,
    options: &Options,
    framing: &Framing,
    interface: Interface,
) -> Result<(Core, Wrapper), Error> {
    let block = framing.block_bytes;
    let by_blocks = framing.padding.length.is_some_and(|length| length.unit == Unit::Blocks);
    if by_blocks && !block.is_power_of_two() {
        return Err(Error::Blocks(block));
    }
    // The time of a block does not depend on the surroundings of the core.
    let bare = core(program, options)?;
    let Core { latency, cycles_per_block, .. } = bare;
    let (beat, contexts) = match interface {
        Interface::Stream(bytes) => {
            if ![4, 8, 16, 32, 64].contains(&bytes) {
                return Err(Error::Width(8 * bytes));
            }
            let enough = (latency + AROUND).div_ceil(cycles_per_block).next_power_of_two();
            (bytes, enough.clamp(2, MOST_CONTEXTS))
        }
        Interface::Registers => (4, 1),
    };
    let words = bare.words();
    let word_bytes = framing.word_bits as usize / 8;
    let contexts = match words {
        // A block's words go in before it is chosen.
        Some(words) if contexts > 1 => {
            let enough = (latency + AROUND + words).div_ceil(cycles_per_block);
            enough.next_power_of_two().clamp(2, MOST_CONTEXTS)
        }
        Some(_) | None => contexts,
    };
    if words.is_some() && beat < word_bytes {
        let (word, width) = (8 * word_bytes, 8 * beat);
        return Err(Error::Words { word, width });
    }
    let id_bits = contexts.trailing_zeros();
    // This core's tags are wider than the bare one's: it has a name of its own.
    let module = format!("{}_core", options.module);
    // A context, whether the result is a digest, and of a stream whether a beat was wrong.
    let flags = match interface {
        Interface::Stream(_) => 2,
        Interface::Registers => 1,
    };
    let tagged = Options { module, tag_bits: id_bits + flags, ..options.clone() };
    let core = core(program, &tagged)?;
    let lane_bytes = match words {
        None => lane_bytes(beat, block),
        Some(_) => word_bytes,
    };
    // A block's lanes come in one by one, and only when the one before has left the buffer.
    let lanes = block / lane_bytes;
    let into_memory = words.unwrap_or(0);
    let latency = (latency + AROUND + into_memory).max(lanes + AROUND);
    let at_once = latency.div_ceil(contexts);
    let cycles_per_block = cycles_per_block.max(lanes).max(at_once);
    let shape = Shape { framing, core: &core, lane_bytes, id_bits };
    let netlist = match interface {
        Interface::Stream(bytes) => axis::axis(&options.module, &shape, bytes),
        Interface::Registers => axilite::axilite(&options.module, &shape),
    };
    let block_bytes = block;
    let wrapper = Wrapper { netlist, interface, block_bytes, contexts, cycles_per_block, latency };
    Ok((core, wrapper))
}

/// The most bytes of a beat that fill a block without a rest.
fn lane_bytes(beat: usize, block: usize) -> usize {
    1 << beat.trailing_zeros().min(block.trailing_zeros())
}
