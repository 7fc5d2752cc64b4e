//! A core that was made.

use super::storage::Storage;
use crate::rtl::modes::Mode;
use crate::rtl::netlist::{Netlist, SignalId};
use manylane_graph::NodeId;

/// The core that was made, and its properties.
#[derive(Debug)]
pub struct Core {
    /// The hardware.
    pub netlist: Netlist,
    /// Clocks between blocks.
    pub cycles_per_block: usize,
    /// Clocks from taking a block to offering its chaining value.
    pub latency: usize,
    /// Inputs: name of the port and the compression's inputs that it carries, first word at the
    /// most significant end; [`Core::WORD`] carries them one after the other.
    pub ports: Vec<(&'static str, Vec<NodeId>)>,
    /// Where the words of a block are kept.
    pub window: Storage,
    /// Where the chaining value is kept for the ending.
    pub chaining: Storage,
    /// Its modes, if it has any.
    pub modes: Vec<Mode>,
    /// With modes, the words of the chaining value that the block is compressed with.
    pub started: Vec<SignalId>,
    /// Whether nothing of a block stays when its result has been taken. It has a port `clear` then.
    pub clears: bool,
}

impl Core {
    /// The port that takes a block word by word, if the window is in memory.
    pub const WORD: &'static str = "word";

    /// Words of a block that go in one by one, before or while its chaining value is offered.
    pub fn words(&self) -> Option<usize> {
        let mut ports = self.ports.iter();
        ports.find(|(name, _)| *name == Self::WORD).map(|(_, words)| words.len())
    }

    /// Whether words of blocks or chaining values are in memory.
    pub fn in_memory(&self) -> bool {
        [self.window, self.chaining].contains(&Storage::Ram)
    }
}
