//! Test benches that check themselves: messages in, digests out.

mod registers;
mod stream;

pub use registers::register_bench;
pub use stream::{Files, stream_bench};

/// A message and its digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The message.
    pub bytes: Vec<u8>,
    /// Its digest, by the definition.
    pub digest: Vec<u8>,
}
