//! Which kernel serves how many messages: from what this CPU has to a function pointer.
//!
//! ```text
//! visit     from an algorithm's name to its type H
//! times     what the kernels of H cost: constants, or a table
//! built_in  tables of times, read by the compiler
//! cores     those that are built in, and the one of this core
//! driver    the time that the driver takes beside the kernels
//! plan      which calls of which kernels take the least time for a number of messages
//! choice    the kernels that this CPU runs, and the best of them for each number of messages
//! selection which kernels that is, by name
//! tuning    tables of times as text, and kernels to be timed
//! elsewhere what kernels cost on other cores, for tests
//! check     compares every kernel with the scalar one, for tests
//! ```

#[cfg(target_arch = "x86_64")]
mod built_in;
pub(crate) mod check;
pub(crate) mod choice;
#[cfg(target_arch = "x86_64")]
pub(crate) mod cores;
mod driver;
#[cfg(target_arch = "x86_64")]
pub mod elsewhere;
pub(crate) mod plan;
mod selection;
pub(crate) mod times;
pub mod tuning;
pub(crate) mod visit;
