//! The subject of a plan: a hash function, HMAC with one, or a block cipher.

use super::args::TwoCore;
use crate::explain;
use crate::page::thousands;
use anyhow::bail;
use manylane_engine::Algorithm;
use manylane_files::names::{self, Named};
use manylane_graph::Function;
use manylane_graph::part::{self, Subject, cipher};
use manylane_graph::trace::{Loading, Rc5};
use manylane_plan::Platform;
use manylane_plan::two_core::in_lanes;
use std::fmt;

/// A primitive of which there are plans.
#[derive(Clone, Copy, Debug)]
pub enum Primitive {
    /// A hash function.
    Hash(Algorithm),
    /// HMAC with this hash function.
    Hmac(Algorithm),
    /// A block cipher.
    Cipher(Subject),
}

/// The lengths that determine the computation.
#[derive(Clone, Copy, Debug)]
pub struct Lengths {
    /// Bytes of the message, if it is one.
    pub message: Option<usize>,
    /// Bytes of the key, of HMAC.
    pub key: Option<usize>,
    /// Whether the program is for this length of message alone.
    pub fixed: bool,
    /// Of a cipher: whether decryption is asked for.
    pub decrypt: bool,
}

impl Primitive {
    /// The primitive that a name stands for.
    pub fn named(name: &str) -> anyhow::Result<Self> {
        if let Ok(Named::Hmac(hash)) = names::parse(name) {
            return Ok(Self::Hmac(hash));
        }
        Ok(match explain::subject(name)? {
            Subject::Hash(hash) => Self::Hash(hash),
            cipher @ Subject::Rc5(_) => Self::Cipher(cipher),
        })
    }

    /// Its name in its standard.
    pub fn title(&self) -> String {
        match self {
            Self::Hash(hash) => hash.id().entry().title.to_owned(),
            Self::Hmac(hash) => format!("HMAC-{}", hash.id().entry().title),
            Self::Cipher(subject) => subject.title(),
        }
    }

    /// The hash function, if it has one.
    fn hash(&self) -> Option<Algorithm> {
        match self {
            Self::Hash(hash) | Self::Hmac(hash) => Some(*hash),
            Self::Cipher(_) => None,
        }
    }

    /// The lengths that are asked for; messages have `length` bytes if nothing is said.
    pub fn lengths(&self, asked: &TwoCore, length: Option<usize>) -> anyhow::Result<Lengths> {
        let TwoCore { key_length, fixed_length: fixed, decrypt, .. } = *asked;
        match self {
            Self::Hash(_) | Self::Hmac(_) if decrypt => {
                bail!("{self} is a hash function: --decrypt is for a block cipher, such as rc5")
            }
            Self::Hash(hash) if key_length.is_some() => {
                bail!("{self} takes no key: --key-length is for HMAC, such as hmac-{hash}")
            }
            Self::Cipher(_) if key_length.is_some() => {
                bail!("the key of {self} is as long as its name says: leave out --key-length")
            }
            Self::Cipher(_) if asked.length.is_some() => {
                bail!("{self} is a block cipher, planned for one block; leave out --length")
            }
            Self::Cipher(_) if fixed => {
                bail!("{self} is a block cipher, without padding; leave out --fixed-length")
            }
            Self::Hash(hash) | Self::Hmac(hash) => {
                let block = hash.id().entry().shape.block_bytes;
                let message = asked.length.or(length).unwrap_or(block);
                let key = key_length.unwrap_or(hash.digest_bytes());
                let key = matches!(self, Self::Hmac(_)).then_some(key);
                Ok(Lengths { message: Some(message), key, fixed, decrypt })
            }
            Self::Cipher(_) => Ok(Lengths { message: None, key: None, fixed, decrypt }),
        }
    }

    /// The graph of a message or block of these lengths as a program of `platform` computes it.
    pub fn function(&self, lengths: Lengths, platform: &Platform) -> anyhow::Result<Function> {
        let loading = match (platform.loading(), lengths.fixed) {
            (Loading::Program(order), true) => Loading::Native(order),
            (Loading::Buffered, true) => Loading::Swapped,
            (loading, _) => loading,
        };
        let message = lengths.message.unwrap_or_default();
        let function = match self {
            Self::Hash(hash) => part::message(&Subject::Hash(*hash), message, loading)?,
            Self::Hmac(hash) => {
                part::hmac(*hash, lengths.key.unwrap_or_default(), message, loading)?
            }
            Self::Cipher(Subject::Rc5(params)) => {
                let part = if lengths.decrypt { Rc5::Decryption } else { Rc5::Encryption };
                cipher(params, part)
            }
            Self::Cipher(Subject::Hash(_)) => unreachable!("a hash function is no cipher"),
        };
        Ok(in_lanes(function, platform))
    }

    /// Cycles on the platform's main core, if they were measured.
    pub fn total(&self, lengths: Lengths, platform: &Platform) -> Option<f64> {
        let block = self.hash().map_or(0, |hash| hash.id().entry().shape.block_bytes);
        // A measured total does not depend on the key, because all keys that fit a block take the
        // same time.
        let known = lengths.key.is_none_or(|key| key <= block);
        lengths.message.filter(|_| known).and_then(|bytes| platform.total(&self.to_string(), bytes))
    }

    /// Describes the computation in words.
    pub fn what(&self, lengths: Lengths) -> String {
        let message = match (lengths.message, self) {
            (Some(0), _) => "the empty message".to_owned(),
            (Some(length), _) => format!("a message of {}", bytes(length)),
            (None, Self::Cipher(cipher)) if !lengths.decrypt => cipher.whole().to_owned(),
            (None, _) => "key expansion with the decryption of one block".to_owned(),
        };
        let fixed = if lengths.fixed { ", by a program for this length alone" } else { "" };
        match lengths.key {
            Some(key) => format!("{message} under a key of {}{fixed}", bytes(key)),
            None => format!("{message}{fixed}"),
        }
    }

    /// The options that ask for these lengths again.
    pub fn options(&self, asked: &TwoCore) -> String {
        let mut line = String::new();
        if let Some(length) = asked.length {
            line.push_str(&format!(" --length {length}"));
        }
        if let Some(length) = asked.key_length {
            line.push_str(&format!(" --key-length {length}"));
        }
        if asked.fixed_length {
            line.push_str(" --fixed-length");
        }
        if asked.decrypt {
            line.push_str(" --decrypt");
        }
        line
    }
}

/// `1 byte`, `2 bytes`.
fn bytes(n: usize) -> String {
    format!("{} byte{}", thousands(n), if n == 1 { "" } else { "s" })
}

impl fmt::Display for Primitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hash(hash) => hash.fmt(f),
            Self::Hmac(hash) => write!(f, "hmac-{hash}"),
            Self::Cipher(subject) => subject.fmt(f),
        }
    }
}
