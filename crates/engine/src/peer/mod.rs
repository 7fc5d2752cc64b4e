//! Other people's libraries, found at run time, to measure beside. Feature `peer`.

mod gf2x;
mod libcrypto;

pub use gf2x::Gf2x;
pub use libcrypto::{Digest, Libcrypto, Mac};
