//! Compressions as values. A kernel is an engine, a number of lanes, a cost and function pointers;
//! a shell makes a kernel of a text and a lane type, and [`rounds`] has kernels written by hand for
//! single hashes.
//!
//! ```text
//! kernel   a kernel as a value                     text      what a shell inlines
//! shell    enables features and inlines a text     runs      the kernels that every hash has
//! rounds   the kernels of single hashes            message   a whole message in one call
//! ```

pub mod kernel;
pub(crate) mod message;
pub mod rounds;
pub mod runs;
pub mod shell;
pub mod text;
