//! Writes what was planned: hardware from the graph of a primitive and a schedule.
//!
//! ```text
//!  Function ──► uniform ──► plan ──► core ──► Netlist ──► text
//!  compression  steps alike clocks   stages   signals     Verilog, a test bench
//! ```
#![forbid(unsafe_code)]

pub mod asm;
pub mod backend;
pub mod c;
pub mod cpu12x;
mod inflow;
mod labels;
pub mod prove;
pub mod rtl;
mod words;
pub mod xgate;
