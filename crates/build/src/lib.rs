//! From a primitive to its program on a platform, planned, emitted, assembled or compiled, and run,
//! and to the program's figures. This crate prints nothing.
//!
//! ```text
//!  primitive ─► c    planned for one core or two ─┬─► library   what is emitted
//!               asm  planned, searched, assembled │   run       what a run takes, beside the
//!                    for the S12X's two cores ────┘             prediction
//!                                                      platform  the figures of many runs, for a
//!                                                                platform's file
//!  message      the graph of a whole message or block
//!  limits       what no split of a block over two cores can pass
//!  predicted    the times of programs that were measured, without a run
//!  split        who does what in a program for two cores
//!  words        the word size of C that a platform's measurements choose
//!  options      what options of C are known to do to its time
//!  processors   what messages or blocks take on several processors, priced by such programs
//! ```
//!
//! The program `manylane` reads arguments and prints around it. Errors are whole messages that name
//! the primitive and the remedy.

#![forbid(unsafe_code)]

pub mod asm;
pub mod c;
mod error;
mod keys;
mod limits;
mod message;
pub mod options;
pub mod platform;
pub mod predicted;
pub mod primitive;
pub mod processors;
pub mod run;
pub mod split;
pub mod words;

pub use error::Error;
pub use message::Lengths;
pub use primitive::Primitive;
