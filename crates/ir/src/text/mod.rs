//! The text form of a module: one node per line, read back exactly.
//!
//! ```text
//! ; from a semicolon to the end of the line is a comment
//! function @sha1.f {
//!   v0: u32 = input b chaining
//!   v1: u32 = input c chaining
//!   v2: u32 = const 0x5a827999
//!   step round[0]: round over v0, v1
//!   step round[0]/f[0]: part
//!   v3: u32 = rotl v0, 5  @ round[0]
//!   v4: u32 = lut3 v0, v1, v3, 0xca  @ round[0]/f[0]
//!   v5: u32 = add v2, v3, v4  @ round[0]
//!   output h0 = v5
//! }
//! ```
//!
//! | line | meaning |
//! |---|---|
//! | `vN: uW = input NAME ROLE` | the next input |
//! | `vN: uW = const VALUE` | a constant |
//! | `vN: uW = call @NAME vA, vB` | a call; its value is the first result |
//! | `vN: uW = result vC, I` | result I of the call vC |
//! | `vN: uW = OP vA, vB, IMMEDIATE` | any other operation, named by [`Op::name`] |
//! | `step PATH: KIND over vA, vB` | a step, its [`Kind`], and the words that pass through it |
//! | `output NAME = vA` | an output |
//!
//! A step stands before its substeps. A node names its step after `@`. Nodes are numbered v0, v1, …
//! in the order of the lines. Reading does not [`verify`](crate::verify::verify).
//!
//! ```
//! use manylane_ir::builder::Builder;
//! use manylane_ir::{Module, Op, Role};
//! let mut builder = Builder::new("parity");
//! let [b, c, d] = ["b", "c", "d"].map(|name| builder.input(name, Role::Chaining, 32));
//! let b_c = builder.op(Op::Xor, &[b, c]);
//! let parity = builder.op(Op::Xor, &[b_c, d]);
//! builder.output("out", parity);
//! let module = Module::of(builder.finish());
//! assert_eq!(module.to_string().parse(), Ok(module));
//! ```

mod line;
mod read;
mod write;

pub use line::Line;

#[cfg(doc)]
use crate::ir::{Kind, Op};

/// An error in a text that should be a module or a planned program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: found {found}, expected {expected}")]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The word or sign that stands there.
    pub found: String,
    /// What was expected there.
    pub expected: String,
}

impl ParseError {
    /// The text ends after line `line`, where more was expected.
    pub fn end(line: usize, expected: impl Into<String>) -> Self {
        Self { line, found: "the end of the text".to_owned(), expected: expected.into() }
    }
}
