//! Programs in assembly for the S12X, assembled and run on the simulated chip.
//!
//! ```text
//!  shape    rounds of an iteration, orders of XGATE's instructions: several are written
//!  mixed    shapes whose loops differ
//!  share    the part of XGATE's blocks that the CPU computes
//!  search   the best of these for a hash
//!  hash     a hash or HMAC, assembled          cipher   RC5, assembled
//!  program  what all of them can do: run, be written, be predicted
//! ```

mod assembled;
mod cipher;
mod hash;
mod mixed;
mod program;
mod search;
mod shape;
mod share;

pub use assembled::assembled;
pub use program::{Assembly, CipherCalls, MACHINE, Predicted, message};
pub use shape::{EFFORT, Search};
