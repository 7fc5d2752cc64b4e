//! How messages go over the lanes of kernels.
//!
//! ```text
//! layout    chaining values and inputs in memory
//! longest   which message is next: the longest
//! ragged    whole blocks of messages of any lengths
//! alike     messages of one length on kernels with `digests`
//! shapes    which messages go side by side to the digest
//! close     messages of close lengths   waiting   ends, until there are enough for a call
//! ends      padded ends                 paddings  what padding adds to short ends, kept
//! inputs    what each lane of a call reads
//! wide      the words of a kernel's calls for ends
//! output    digests
//! template  messages of one length: each lane keeps blocks with the padding
//! rows      such messages, once each    chains    the same, each over the digest before it
//! starts    messages that each have a start of their own: a key
//! segments  messages in several places, or that hashers have begun
//! single    one message from its start to its output
//! stream    one message that arrives in pieces
//! saved     its state before the end, as bytes
//! threads   parts of any work
//! ```

pub(crate) mod alike;
pub(crate) mod chains;
mod close;
pub(crate) mod ends;
mod inputs;
pub(crate) mod layout;
pub(crate) mod longest;
pub(crate) mod output;
mod paddings;
pub(crate) mod ragged;
pub(crate) mod rows;
pub(crate) mod saved;
pub(crate) mod segments;
pub(crate) mod shapes;
pub(crate) mod single;
pub(crate) mod starts;
pub(crate) mod stream;
pub(crate) mod template;
pub(crate) mod threads;
mod waiting;
mod wide;
