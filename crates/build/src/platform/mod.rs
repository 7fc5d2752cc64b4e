//! A platform's file, measured anew: operations, programs and hand-overs.
//!
//! ```text
//!  file      the file, whose comments stay          fit   times of every length from few runs
//!  programs  C on a machine of two alike cores      s12x  assembly on the S12X
//!  days      when it was measured
//! ```

mod days;
mod file;
mod fit;
mod programs;
pub mod s12x;

pub use file::Tables;
pub use programs::{Bench, Wanted};
