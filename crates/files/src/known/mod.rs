//! Digests that are kept between runs: in a cache, in attributes of the files, in the checkpoint of
//! a run that was interrupted.

mod attributes;
mod cache;
mod checkpoint;
mod database;
mod memory;
mod store;

pub use attributes::Attributes;
pub use cache::Cache;
pub use checkpoint::Checkpoint;
pub use memory::{Answer, Keeping, Memory, Place, Recalled, computed};
pub use store::{Row, Store};
