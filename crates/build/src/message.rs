//! The graph of a whole message or block of a primitive, as a platform computes it.

use crate::error::Error;
use crate::primitive::Primitive;
use manylane_graph::Function;
use manylane_graph::framing::stream;
use manylane_graph::part::{self, Subject, cipher};
use manylane_graph::trace::{Loading, Rc5};
use manylane_plan::Platform;
use manylane_plan::program::message::Calls;
use manylane_plan::two_core::in_lanes;

/// The lengths that determine the computation.
#[derive(Clone, Copy, Debug)]
pub struct Lengths {
    /// Bytes of the message, if it is one.
    pub message: Option<usize>,
    /// Bytes of the key, of HMAC.
    pub key: Option<usize>,
    /// Whether the program is for this length of message alone.
    pub fixed: bool,
    /// Whether decryption is asked for, if the primitive is a cipher.
    pub decrypt: bool,
}

impl Primitive {
    /// The graph of a message or block of these lengths as a program of `platform` computes it.
    ///
    /// # Errors
    /// If the message is too long for a graph, or HMAC is not defined with the hash.
    pub fn function(self, lengths: Lengths, platform: &Platform) -> Result<Function, Error> {
        let loading = match (platform.loading(), lengths.fixed) {
            (Loading::Program(order), true) => Loading::Native(order),
            (Loading::Buffered, true) => Loading::Swapped,
            (loading, _) => loading,
        };
        let message = lengths.message.unwrap_or_default();
        let function = match self {
            Self::Hash(hash) => part::message(&Subject::Hash(hash), message, loading)?,
            Self::Hmac(hash) => {
                part::hmac(hash, lengths.key.unwrap_or_default(), message, loading)?
            }
            Self::Rc5(params) => {
                let part = if lengths.decrypt { Rc5::Decryption } else { Rc5::Encryption };
                cipher(&params, part)
            }
        };
        Ok(in_lanes(function, platform))
    }

    /// The number of blocks that a hash compresses for a message of these lengths; 1 for a cipher.
    ///
    /// # Errors
    /// If the hash's framing is of no known form.
    pub fn blocks(self, lengths: Lengths) -> Result<usize, Error> {
        let (Self::Hash(hash) | Self::Hmac(hash)) = self else { return Ok(1) };
        let framing = stream(hash)?.framing;
        let of = |bytes: usize| Calls::of(&framing, bytes).count();
        let message = lengths.message.unwrap_or_default();
        let Self::Hmac(_) = self else { return Ok(of(message)) };
        let (block, key) = (framing.block_bytes, lengths.key.unwrap_or_default());
        let hashed_key = if key > block { of(key) } else { 0 };
        Ok(hashed_key + of(block + message) + of(block + hash.digest_bytes()))
    }

    /// Cycles on the platform's main core, if they were measured.
    pub fn total(self, lengths: Lengths, platform: &Platform) -> Option<f64> {
        let block = match self {
            Self::Hash(hash) | Self::Hmac(hash) => hash.id().entry().shape.block_bytes,
            Self::Rc5(_) => 0,
        };
        // A measured total does not depend on the key, because all keys that fit a block take the
        // same time.
        let known = lengths.key.is_none_or(|key| key <= block);
        lengths.message.filter(|_| known).and_then(|bytes| platform.total(&self.name(), bytes))
    }
}
