//! What this CPU has: its instruction sets by name, and which of several cores it is.

mod isa;
#[cfg(target_arch = "x86_64")]
mod model;

pub(crate) use isa::names;
pub use isa::{Engine, MAX_ISA_VARIABLE};
#[cfg(target_arch = "x86_64")]
pub(crate) use model::{Core, Maker, core, is_intel, is_zen5, maker};
