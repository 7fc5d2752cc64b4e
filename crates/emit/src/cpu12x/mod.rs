//! Assembly of the CPU12X, the S12X's main core: an accumulator machine with the registers D, X and
//! Y and operands in memory. The text is GNU as's (`m68hc11-as -mm9s12x`).
//!
//! ```text
//!  Program ── body of a region ──► resolve: aliases, fused nodes, places
//!                                  chain:   load, operate, …, store
//!          ── regions, framing ──► compression; init, update, final
//! ```

mod by_block;
mod chain;
mod cipher;
mod compression;
mod handover;
mod hash;
mod last;
mod mac;
mod masked;
mod memory;
mod moves;
mod operand;
mod region;
mod resolve;
mod ring;
mod rules;
mod start;
mod surroundings;
mod text;
mod window;
mod words;

pub use cipher::{Cipher, FUNCTIONS, LATE, Modes, Side, Steps};
pub use compression::{Compression, ahead, compression};
pub use handover::PATIENCE;
pub use hash::{Surroundings, Text, hash};
pub use mac::Mac;
pub use masked::masked;
pub use start::{IMAGE, TO_XGATE, begin};
pub use surroundings::{Context, Handover};
pub use window::window;
