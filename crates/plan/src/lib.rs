//! Plans a primitive for two unequal cores, for p threads, or for merged and pipelined hardware,
//! with the predicted gain and the limit that no plan can pass.
//!
//! ```text
//! two_core   Function ──► Units ──► UnitCosts ──► candidates ──► Schedule
//!                         steps     Platform      simulate       verified
//! program    Function ──► loops of rounds ──► operations on processors ──► Program
//! threads    costs of pieces ──► shares of p threads ──► ThreadsProgram
//! hardware   Function ──► k merged rounds ──► shortest clock, retiming ──► HardwareProgram
//! ```
//!
//! A [`Schedule`](schedule::Schedule) answers whether a second core is worth using; the three kinds
//! of programs are what the emitters write.
//!
//! ```
//! use manylane_graph::passes::inline;
//! use manylane_graph::trace::{self, Loading};
//! use manylane_plan::Platform;
//! use manylane_plan::two_core::{Options, plan};
//!
//! let message = trace::message("sha256".parse().unwrap(), 0, Loading::Buffered);
//! let platform = Platform::load("s12x-xgate-2012").unwrap();
//! let total = platform.total("sha256", 0);
//! let options = Options { total, effort: 10_000, ..Options::default() };
//! let plan = plan(&inline(&message), &platform, options).unwrap();
//! assert!(plan.saved.of_main > 0.75 && plan.saved.of_main < plan.saved.limit);
//! assert!(plan.to_string().starts_with("worth it"));
//! ```
#![forbid(unsafe_code)]

pub mod assignments;
pub mod costs;
pub mod csr;
pub mod hardware;
mod kinds;
pub mod platform;
pub mod program;
pub mod schedule;
pub mod source;
pub mod threads;
pub mod time;
pub mod two_core;
pub mod units;
mod violation;
mod work;

pub use platform::Platform;
