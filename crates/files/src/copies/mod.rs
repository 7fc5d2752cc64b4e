//! Files that may have copies, from the first comparison to the groups of equal ones.
//!
//! ```text
//!  table ◄── sizes, heads, digests        candidates ──► what is to be read of each file
//! ```

mod candidates;
mod table;

pub use candidates::{Candidates, HEAD, Row, lock};
pub use table::{Table, Trait};
