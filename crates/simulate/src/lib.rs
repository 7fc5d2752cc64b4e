//! Runs C programs on microcontrollers of two cores that are simulated here, and on this computer.
//!
//! ```text
//!  Job ──► Machine::build ──► Program ──► Program::run ──► Outcome
//!  files   the target's       an ELF      the simulator    what it printed, cycles, stalls,
//!  flags   compiler           file                         instructions, sizes, stack
//! ```
//!
//! A program's `main` runs on core 0. What it asks of its machine is in [`BOARD_H`]: a counter of
//! cycles, printing a byte, ending the program, and giving work to core 1. Lines `NAME VALUE` that
//! it prints are its measurements, which [`Outcome::number`] reads.
//!
//! * [`Machine::IbexDuo`]: two Ibex cores of lowRISC's RTL, simulated by Verilator cycle by cycle.
//!   The memory around them and its arbiter are ours: `ibex/ibex_duo.sv`.
//! * [`Machine::Rp2040`]: two Cortex-M0+ as rp2040js times them.
//! * [`Machine::Mps2An521`]: two Cortex-M33 in QEMU, and [`Machine::S390x`], a big-endian computer:
//!   function only.
//! * [`Machine::Host`]: two threads of this computer.
//!
//! [`calibrate`] measures what operations, memory and handshakes cost on a machine,
//! [`time_statements`] what any statement of C does.
//!
//! [`s12x`] is a machine of our own: the S12X with its coprocessor XGATE, for which it assembles.
//!
//! The machines' tools are others'. [`Machine::check`] names the one that is missing, and
//! `make setup-simulators` installs them all.
#![forbid(unsafe_code)]

mod board;
mod cache;
mod calibrate;
mod compile;
mod counts;
mod error;
mod ibex;
mod job;
mod machine;
mod outcome;
mod process;
mod program;
pub mod s12x;
mod start;
mod statements;
mod tools;

pub use board::BOARD_H;
pub use calibrate::{Costs, Operation, calibrate};
pub use error::Error;
pub use job::{Delays, Job, Run};
pub use machine::{Clock, Machine};
pub use outcome::{FileSize, Outcome, StackUse, Watched};
pub use program::Program;
pub use statements::time_statements;
