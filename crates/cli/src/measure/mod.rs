//! The commands that measure this CPU.

pub mod bench;
pub mod tune;
pub mod tuning;
