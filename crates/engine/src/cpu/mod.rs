//! What this CPU has: its instruction sets by name, and which of several cores it is.

mod isa;
mod model;

pub(crate) use isa::names;
pub use isa::{Engine, MAX_ISA_VARIABLE};
#[cfg(target_arch = "x86_64")]
pub(crate) use model::is_intel;
pub(crate) use model::{is_zen4, is_zen5};
