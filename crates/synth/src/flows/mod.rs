//! What is asked of the tools, and what they say.

mod keys;
pub mod placement;
mod request;
pub mod synthesis;

pub use request::{Request, Sums};
