//! Other projects' libraries, which are measured beside this one. They are found at run time
//! (feature `peer`) or compiled in (feature `blst`).

#[cfg(feature = "blst")]
mod ate;
mod gf2x;
mod libcrypto;

#[cfg(feature = "blst")]
pub use ate::{Ate, AteValue, Lines};
pub use gf2x::Gf2x;
pub use libcrypto::{Digest, Libcrypto, Mac};
