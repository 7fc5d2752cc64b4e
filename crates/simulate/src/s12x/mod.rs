//! The S12X: a CPU12X with the coprocessor XGATE over one memory, simulated here.

pub mod assembler;
mod bus;
pub mod cpu12;
mod fault;
pub mod object;
pub mod vectors;
pub mod xgate;

pub use bus::{Bus, Core, Flat, GLOBAL, Step};
pub use fault::{CoreName, Fault, Wrong};
