//! Register-transfer logic: cores that hash, from the plan of a compression.

mod bench;
mod core;
mod netlist;
mod ring;
mod verilog;

pub use bench::{Flow, Vector, bench};
pub use self::core::{Core, core};
pub use netlist::{Driver, Expr, Netlist, Signal, SignalId, Value};
pub use verilog::verilog;

/// How a core is to look.
#[derive(Clone, Debug)]
pub struct Options {
    /// The module's name.
    pub module: String,
    /// Bits of the tag that accompanies a block.
    pub tag_bits: u32,
}

/// Why there is no core.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The steps differ in more than constants and amounts.
    #[error(
        "rtl: the steps of {function} are of {kinds} kinds, and a stage makes one; \
         make them alike first (passes::uniform)"
    )]
    Kinds {
        /// The function.
        function: String,
        /// How many.
        kinds: usize,
    },
}
