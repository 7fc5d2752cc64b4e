//! The trees of Linux' fs-verity and dm-verity, and the files that hold them.
//!
//! ```text
//!  data         files on their way into a tree      fs    the digest of a file
//!  tree         files that are written              dm    the tree of a block device
//!  parameters   hash, block size, threads
//! ```

mod data;
pub mod dm;
pub mod fs;
mod parameters;
mod tree;

pub use parameters::{Format, TreeParameters};
pub use tree::Target;
