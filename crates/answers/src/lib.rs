//! What `manylane explain` and `manylane plan` answer, for the program and for bindings to other
//! languages. This crate prints nothing.
//!
//! ```text
//!  arguments ─► explain ─► the report on a graph ─┐
//!               plan    ─► a plan and its limit ──┴─► Answered: text or JSON, and files such as a
//!                  └─► Listener: what is told            page
//!                      while it is made
//! ```

#![forbid(unsafe_code)]

mod answered;
pub mod choices;
pub mod explain;
mod line;
mod listener;
pub mod named;
pub mod plan;
mod stack;

pub use answered::{Answered, json, json_or_text};
pub use line::printed;
pub use listener::Listener;
pub use stack::{STACK, on_own_stack};
