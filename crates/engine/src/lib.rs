//! Runs the primitives of [`manylane_primitives`] on this CPU.
//!
//! One definition per primitive is instantiated over plain integers, arrays, and the vector
//! registers of each instruction set; what this CPU has is found at run time. Callers see
//! [`Hasher`]s, one-shot functions and [`Batch`]es, never lanes.

// Lanes are indexed by the same number in several arrays at once.
#![allow(clippy::needless_range_loop)]
// The lane types implement what any family needs; a build of few families leaves parts unused.
#![cfg_attr(not(feature = "default"), allow(unused))]

mod api;
#[cfg(feature = "rc5")]
mod cipher;
mod cpu;
mod drive;
mod error;
mod kernels;
mod lanes;
#[cfg(feature = "pairing")]
pub mod pairing;
#[cfg(feature = "peer")]
pub mod peer;
mod select;

pub use api::batch::{Batch, hash_many};
pub use api::both::{Both, BothGroup};
pub use api::chains::{Chains, PreparedChains};
pub use api::derive::{Hkdf, Pbkdf2, hkdf_many, hotp_many, pbkdf2_many};
pub use api::group::Group;
pub use api::hasher::{Hasher, XofReader, engines, hash, hash_bits};
pub use api::hmac::Hmac;
pub use api::keys::HmacKeys;
pub use api::rows::{PreparedRows, Rows};
pub use api::tree;
pub use api::work::Work;
#[cfg(feature = "rc5")]
pub use cipher::{CipherWord, Keyed, Rc5, Rc5Keys};
pub use cpu::{Engine, MAX_ISA_VARIABLE};
pub use drive::stream::{Reader, Stream};
pub use error::Error;
pub use kernels::runs::Runs;
pub use manylane_primitives::catalog::{Algorithm, Entry, HashId, Security, Shape, UnknownName};
pub use manylane_primitives::cipher::modes;
pub use manylane_primitives::cipher::rc5::{ParamsError, Rc5Params};
#[doc(hidden)]
pub use select::check::kernels_agree;
pub use select::tuning;
