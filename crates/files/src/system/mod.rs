//! What the operating system offers for files, in one form for every system.
//!
//! ```text
//!  os       calls that differ between systems     limits   how much the process may have of each
//!  media    storage: one reader or several        stamp    size and times, to notice changes
//!  atomic   files replaced whole or not at all    scratch  temporary files and databases
//!  reason   the texts of errors
//! ```

pub mod atomic;
pub mod limits;
pub mod media;
pub mod os;
mod reason;
pub mod scratch;
pub mod stamp;

pub use reason::reason;
