//! What the operating system offers for files, in one form for every system.

pub mod atomic;
pub mod limits;
pub mod media;
pub mod os;
mod reason;
pub mod scratch;
pub mod stamp;

pub use reason::reason;
