//! The form of a step graph: its data types, its meaning, and the passes and analyses that work on
//! every graph.
//!
//! ```text
//!  Function: nodes, each in a step
//!     │  text      written and read back
//!     │  verify    what must hold
//!     │  interpret what it means
//!     │  extract   recurrences among its steps
//!     │  passes    graph to graph, meaning kept
//!     │  roll      rounds that are alike become loops
//!     ▼  analysis  work, span, width
//! ```
//!
//! Nothing here knows a primitive: `manylane-graph` records definitions into this form and
//! re-exports this crate. The two are separate crates because they are compiled differently: a
//! definition over recording words becomes tens of thousands of calls, which would take a compiler
//! long to optimise, whereas the passes should be optimised.
#![forbid(unsafe_code)]

pub mod analysis;
pub mod builder;
pub mod extract;
pub mod interpret;
pub mod ir;
pub mod passes;
pub mod random;
pub mod roll;
pub mod text;
pub mod verify;

pub use manylane_primitives::names;

pub use ir::{Function, FunctionId, Kind, Module, NodeId, Op, Role, StepId};
