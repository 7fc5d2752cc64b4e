//! Compressions as values. A kernel is an engine, a number of lanes, a cost and function pointers;
//! a shell makes a kernel of a text and a lane type, and [`rounds`] has kernels written by hand for
//! single hashes.

pub mod kernel;
pub mod rounds;
pub mod runs;
pub mod shell;
pub mod text;
