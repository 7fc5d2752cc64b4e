//! A folder that is compared with a list.
//!
//! ```text
//!  LIST ──► load ──► ledger ──► lookup: what is to be read ──► verdict on each file
//! ```

mod load;
mod lookup;
mod verdict;

pub use load::{Loaded, load};
pub use lookup::{AuditNote, look_up};
pub use verdict::{Verdict, VerdictKind};
