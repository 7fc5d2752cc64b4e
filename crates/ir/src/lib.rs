//! The form of a step graph: what it is, what it means, and what can be done with any.
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
//! Nothing here knows a primitive: `manylane-graph` records definitions into this form, and gives
//! all of it on. The two are apart because a definition over words that record becomes tens of
//! thousands of calls, which a compiler should not optimise, and passes over what it recorded
//! should be fast.
#![forbid(unsafe_code)]

pub mod analysis;
pub mod builder;
pub mod extract;
pub mod interpret;
pub mod ir;
pub mod passes;
pub mod roll;
pub mod text;
pub mod verify;

pub use ir::{Function, FunctionId, Kind, Module, NodeId, Op, Role, StepId};
