//! Runs of assembly on the simulated S12X, beside a paper's measurements.

pub mod paper;
mod row;

pub use row::{PREFIX, Row, set_gains};
