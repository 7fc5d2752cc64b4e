//! The step graph of a cryptographic primitive, traced from its one definition.
//!
//! ```text
//!  definition over Traced words ──► Function: nodes, each in a step
//!                                      │  text      written and read back
//!                                      │  verify    what must hold
//!                                      │  interpret what it means
//!                                      │  passes    graph to graph, meaning kept
//!                                      ▼  analysis  work, span, width
//! ```
//!
//! ```
//! use manylane_graph::trace;
//! let graph = trace::compression("sha256".parse().unwrap());
//! assert_eq!(graph.inputs().len(), 8 + 16);
//! assert!(graph.find_step("round[63]").is_some());
//! ```
#![forbid(unsafe_code)]

pub mod calls;
pub mod framing;
pub mod pairing;
pub mod part;
pub mod trace;
pub mod traced;

pub use manylane_ir::{
    Function, FunctionId, Kind, Module, NodeId, Op, Role, StepId, analysis, builder, extract,
    interpret, ir, names, passes, random, roll, text, verify,
};
