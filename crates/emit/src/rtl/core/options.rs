//! The options of a core.

use super::Storage;
use crate::rtl::modes::Mode;

/// The options of a core.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name of the module on top, one that
    /// [`check_module_name`](crate::rtl::check_module_name) takes.
    pub module: String,
    /// Bits of the tag that accompanies a block.
    pub tag_bits: u32,
    /// Where the words of a block are kept.
    pub window: Storage,
    /// Where the chaining value is kept for the ending.
    pub chaining: Storage,
    /// Whether memory is block RAM, which is slow to answer: its words take one more register.
    pub block_ram: bool,
    /// The hashes that the core is for, if it has to tell them apart.
    pub modes: Vec<Mode>,
    /// Whether nothing of a block stays when its result has been taken.
    pub clear: bool,
}

impl Options {
    /// Blocks of one hash that go in at once, with a tag of eight bits.
    pub fn new(module: &str) -> Self {
        Self {
            module: module.to_owned(),
            tag_bits: 8,
            window: Storage::Registers,
            chaining: Storage::Registers,
            block_ram: false,
            modes: Vec::new(),
            clear: false,
        }
    }
}
