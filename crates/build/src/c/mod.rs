//! C libraries of primitives: planned for one core or two, and the record of their measurements.
//!
//! ```text
//!  hash      a hash or HMAC, planned          cipher  RC5, planned
//!  measured  the record of what is made without options
//! ```

mod cipher;
mod hash;
mod measured;

pub use cipher::{BESIDE, Rc5Programs};
pub use hash::{HashPrograms, Planner, number, usual_name};
pub use measured::{is_recorded, measured};
