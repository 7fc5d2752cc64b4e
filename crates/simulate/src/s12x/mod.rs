//! The S12X: a CPU12X with the coprocessor XGATE over one memory, simulated here.
//!
//! ```text
//!  text ──► assembler ──► Object ──► Machine::load ──► call, trigger, run ──► read, counts,
//!           cpu12, xgate    │                          both cores, clock      trace, coverage
//!                           └──► S-records, ELF, map   by clock
//! ```
//!
//! A [`Chip`] says which memories there are and what the manuals leave open. docs/s12x.md says
//! which parts of the simulation are exact.

pub mod assembler;
mod bus;
pub mod caller;
pub mod chip;
mod coverage;
pub mod cpu12;
mod fault;
mod interrupts;
mod machine;
mod memory;
pub mod object;
mod processor;
mod stalls;
pub mod vectors;
pub mod xgate;

pub use bus::{Bus, Core, Flat, GLOBAL, Step};
pub use chip::Chip;
pub use coverage::Coverage;
pub use fault::{CoreName, Fault, Wrong};
pub use machine::{CoreCounts, Counts, Event, Machine, MachineError, Stop, Trace};
pub use memory::Accesses;
pub use processor::Processor;
pub use stalls::Stalls;
