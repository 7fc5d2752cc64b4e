//! The functions that are computed over a file, on the engine.

use manylane_engine::{Algorithm, Batch, Engine, Error, Group, Hasher, Hmac};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The functions that are computed over a file in one pass: one or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Functions(Arc<[Function]>);

impl From<Function> for Functions {
    fn from(function: Function) -> Self {
        Self([function].into())
    }
}

impl FromIterator<Function> for Functions {
    fn from_iter<I: IntoIterator<Item = Function>>(functions: I) -> Self {
        Self(functions.into_iter().collect())
    }
}

impl Deref for Functions {
    type Target = [Function];

    fn deref(&self) -> &[Function] {
        &self.0
    }
}

/// A function from files to digests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Function {
    /// A hash.
    Hash(Algorithm),
    /// HMAC over a hash, under a key.
    Hmac(Algorithm, Key),
}

/// The key of an HMAC, not shown by [`Debug`](fmt::Debug).
#[derive(Clone, PartialEq, Eq)]
pub struct Key(Arc<[u8]>);

impl From<Vec<u8>> for Key {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

/// One message that arrives in pieces.
pub(super) enum Message {
    Hash(Hasher),
    Hmac(Hmac),
}

impl Function {
    /// The hash, or under a key HMAC over it.
    pub fn new(hash: Algorithm, key: Option<&Key>) -> Self {
        match key {
            None => Self::Hash(hash),
            Some(key) => Self::Hmac(hash, key.clone()),
        }
    }

    /// Bytes of its digests.
    pub fn digest_bytes(&self) -> usize {
        match self {
            Self::Hash(hash) | Self::Hmac(hash, _) => hash.digest_bytes(),
        }
    }

    /// The digests of whole messages, one after the other.
    pub(super) fn of_all(
        &self,
        engine: Option<Engine>,
        messages: &[&[u8]],
    ) -> Result<Vec<u8>, Error> {
        let mut digests = vec![0; messages.len() * self.digest_bytes()];
        let batch = |hash| engine.into_iter().fold(Batch::new(hash), Batch::engine);
        match self {
            Self::Hash(hash) => batch(*hash).run(messages, &mut digests)?,
            Self::Hmac(hash, Key(key)) => batch(*hash).run_hmac(key, messages, &mut digests)?,
        }
        Ok(digests)
    }

    /// `members` messages that arrive in pieces, side by side.
    pub(super) fn group(&self, engine: Option<Engine>, members: usize) -> Result<Group, Error> {
        match self {
            Self::Hash(hash) => Group::new(*hash, members, engine),
            Self::Hmac(hash, Key(key)) => Group::hmac(*hash, key, members, engine),
        }
    }

    /// One message that arrives in pieces.
    pub(super) fn message(&self, engine: Option<Engine>) -> Result<Message, Error> {
        Ok(match self {
            Self::Hash(hash) => Message::Hash(Hasher::on(*hash, engine)?),
            Self::Hmac(hash, Key(key)) => Message::Hmac(Hmac::on(*hash, key, engine)?),
        })
    }
}

impl Message {
    /// Appends bytes to the message.
    pub fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Hash(hasher) => hasher.update(bytes),
            Self::Hmac(hmac) => hmac.update(bytes),
        }
    }

    /// Computes the digest or tag of what was appended so far.
    pub fn finalize(&self) -> Vec<u8> {
        match self {
            Self::Hash(hasher) => hasher.finalize(),
            Self::Hmac(hmac) => hmac.finalize(),
        }
    }
}
