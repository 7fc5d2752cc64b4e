//! Programs in assembly for the S12X, assembled and run on the simulated chip.
//!
//! ```text
//!  shape    rounds of an iteration, orders of XGATE's instructions: several are written
//!  mixed    shapes whose loops differ
//!  share    the part of XGATE's blocks that the CPU computes
//!  every    parts that are the words which rounds take, of every block
//!  search   the best of these for a hash
//!  hash     a hash or HMAC, assembled          cipher   RC5, assembled
//!  built    their bytes
//!  program  what all of them can do: run, be written, be predicted
//! ```

mod assembled;
mod built;
mod cipher;
mod every;
mod hash;
mod mixed;
mod program;
mod search;
mod shape;
mod share;

pub use assembled::assembled;
pub use built::Built;
pub use program::{Assembly, CipherCalls, MACHINE, PredictedCycles, message};
pub use shape::{EFFORT, Search};
