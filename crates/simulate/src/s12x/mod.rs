//! The S12X: a CPU12X with the coprocessor XGATE over one memory, simulated here.

mod bus;
mod fault;

pub use bus::{Bus, Core, Flat, GLOBAL, Step};
pub use fault::{CoreName, Fault, Wrong};
