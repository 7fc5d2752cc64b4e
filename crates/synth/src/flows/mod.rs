//! The input of the tools, and how their output is read.

mod keys;
pub mod placement;
mod request;
pub mod synthesis;

pub use request::{Request, Sums};
