//! The best split of a primitive over two unequal cores, p threads, or merged and pipelined
//! hardware, with the gain that is predicted and the limit that no split can pass.
//!
//! ```text
//! Function ──► Units ──► UnitCosts ──► candidates ──► Schedule
//!              steps      Platform      simulate       verified
//! ```
#![forbid(unsafe_code)]

pub mod costs;
pub mod csr;
pub mod hardware;
pub mod nearest;
pub mod platform;
pub mod schedule;
pub mod source;
pub mod threads;
pub mod two_core;
pub mod units;

pub use platform::Platform;
