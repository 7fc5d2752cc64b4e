//! How messages go over the lanes of kernels.
//!
//! ```text
//! layout    chaining values and inputs in memory
//! ragged    whole blocks of messages of any lengths
//! ends      padded ends
//! output    digests
//! single    one message from its start to its output
//! stream    one message that arrives in pieces
//! saved     the same half read, as bytes
//! threads   parts of any work
//! ```

pub(crate) mod ends;
pub(crate) mod layout;
pub(crate) mod output;
pub(crate) mod ragged;
pub(crate) mod saved;
pub(crate) mod single;
pub(crate) mod stream;
pub(crate) mod threads;
