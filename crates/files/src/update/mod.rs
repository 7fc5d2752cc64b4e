//! A list that is brought up to date with the files that it describes.
//!
//! ```text
//!  LIST ──► old ──► ledger ◄── draft ◄── digests of files that lookup does not know ──► LIST
//! ```

mod draft;
mod lookup;
mod old;

pub use draft::{Change, Draft};
pub use lookup::{UpdateNote, look_up};
pub use old::Old;
