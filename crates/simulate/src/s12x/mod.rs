//! The S12X: a CPU12X with the coprocessor XGATE over one memory, simulated here.

pub mod assembler;
mod bus;
pub mod chip;
mod coverage;
mod fault;
mod interrupts;
mod machine;
mod memory;
pub mod object;
mod stalls;
pub mod vectors;
pub mod xgate;

pub use bus::{Bus, Core, Flat, GLOBAL, Processor, Step};
pub use coverage::Coverage;
pub use fault::{CoreName, Fault, Wrong};
pub use machine::{CoreCounts, Counts, Event, Machine, MachineError, Stop, Trace};
pub use memory::Accesses;
pub use stalls::Stalls;
