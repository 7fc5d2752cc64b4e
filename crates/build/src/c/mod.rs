//! C libraries of primitives: planned for one core or two, and the record of their measurements.
//!
//! ```text
//!  hash     a hash or HMAC, planned           cipher    RC5, planned
//!  folder   the library of any primitive      measured  the record
//! ```

mod cipher;
mod folder;
mod hash;
mod measured;

pub use cipher::{BESIDE, Rc5Programs};
pub use folder::folder;
pub use hash::{HashPrograms, Planner};
pub use measured::{is_recorded, measured};
