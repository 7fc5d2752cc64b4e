//! What is computed over a file: the seam between files and the engine.

use manylane_engine::{Algorithm, Batch, Engine, Error, Group, Hasher};

/// A function from files to digests.
// HMAC joins here once the engine has it: a variant with its key and an arm in each method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Function {
    /// A hash.
    Hash(Algorithm),
}

impl From<Algorithm> for Function {
    fn from(hash: Algorithm) -> Self {
        Self::Hash(hash)
    }
}

impl Function {
    /// Bytes of its digests.
    pub fn digest_bytes(&self) -> usize {
        match self {
            Self::Hash(hash) => hash.digest_bytes(),
        }
    }

    /// The digests of whole messages, one after the other.
    pub(super) fn of_all(
        &self,
        engine: Option<Engine>,
        messages: &[&[u8]],
    ) -> Result<Vec<u8>, Error> {
        let mut digests = vec![0; messages.len() * self.digest_bytes()];
        let batch = match self {
            Self::Hash(hash) => Batch::new(*hash),
        };
        let batch = engine.into_iter().fold(batch, Batch::engine);
        batch.run(messages, &mut digests)?;
        Ok(digests)
    }

    /// `members` messages that arrive in pieces, side by side.
    pub(super) fn group(&self, engine: Option<Engine>, members: usize) -> Result<Group, Error> {
        match self {
            Self::Hash(hash) => Group::new(*hash, members, engine),
        }
    }

    /// One message that arrives in pieces.
    pub(super) fn hasher(&self, engine: Option<Engine>) -> Result<Hasher, Error> {
        match self {
            Self::Hash(hash) => Hasher::on(*hash, engine),
        }
    }
}
