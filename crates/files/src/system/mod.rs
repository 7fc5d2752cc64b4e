//! What the operating system offers for files, in one form for every system.
//!
//! ```text
//!  os       calls that differ between systems     limits   how much the process may have of each
//!  media    storage: one reader or several        stamp    size and times, to notice changes
//!  atomic   files replaced whole or not at all    scratch  temporary files and databases
//!  staged   folders replaced whole or not at all  signals  what ends a program, heard of first
//!  reason   the texts of errors                   random   random bytes
//! ```

pub mod atomic;
pub mod limits;
pub mod media;
pub mod os;
pub mod random;
mod reason;
pub mod scratch;
pub mod signals;
pub mod staged;
pub mod stamp;

pub use reason::reason;
