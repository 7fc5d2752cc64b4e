//! Writes planned programs as C, as assembly or as hardware, each with its tests, and proves that
//! the hardware computes the definition.
//!
//! ```text
//!  graphs and plan ──► backend ──┬─► c      C99
//!                      check,    ├─► asm    the S12X: cpu12x, the main core;
//!                      emit      │                    xgate, the coprocessor
//!                                └─► rtl    Verilog, SystemVerilog, VHDL
//!                                     └──► prove   netlist = definition, by an SMT solver
//! ```
#![forbid(unsafe_code)]

pub mod asm;
pub mod backend;
pub mod c;
pub mod cpu12x;
mod inflow;
mod jinja;
mod labels;
pub mod prove;
pub mod rtl;
mod words;
pub mod xgate;
