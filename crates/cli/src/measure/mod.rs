//! The commands that measure this CPU, and how it is measured.

pub mod bench;
pub mod cpu;
pub(crate) mod meanwhile;
pub mod timing;
pub(crate) mod tune;
pub(crate) mod tuning;
