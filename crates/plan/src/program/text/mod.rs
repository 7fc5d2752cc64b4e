//! The text form of a program: written, and read back exactly.
//!
//! ```text
//! ; from a semicolon to the end of the line is a comment
//! program @sha256.compression: 2 processors, function 0x9a5c0b1e6f1d2c3b
//! x0: u32 = input 0
//! x1: u32 = const 0x428a2f98
//! x70: u32 = result 1, 3, 15             ; region, output of its body, iteration
//! input h0 chaining = x0
//! output h0 = x70
//! region 0: 16 times
//! function @sha256.compression.0 {       ; one iteration, as manylane_graph::text has it
//!   …
//! }
//! v0 = same x0                           ; what flows into the body's inputs
//! v1 = each x1, x2, x3
//! v2 = earlier 2, 1: x5                  ; output 2 of 1 iteration before; x5 into the first
//! processor 0 holds v0, v1
//! each: v4, v5                           ; what it does in each iteration, in this order
//! each: send 0
//! processor 1 holds nothing
//! each: receive 0, v6
//! after: send 1                          ; `before:` the first iteration, `after:` the last one
//! transfer 0: processor 0 to 1, region 0, each iteration: v5
//! transfer 1: processor 1 to 0, region 0, last iteration: v6
//! ```
//!
//! Values, inputs, outputs, regions with what belongs to them, and transfers come in this order;
//! values, regions, processors and transfers are numbered from 0. Reading does not
//! [`verify`](super::verify).

mod read;
mod write;

pub(crate) use read::{list as read_list, numbered, plural};
pub(crate) use write::list;
