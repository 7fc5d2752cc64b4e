//! A primitive and its parts, as a caller names them.

use crate::ir::{Function, Kind};
use crate::trace::{self, Rc5};
use manylane_primitives::catalog::Algorithm;
use manylane_primitives::cipher::rc5::Rc5Params;
use serde::Serialize;
use std::fmt;

/// A primitive whose graph can be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A hash function.
    Hash(Algorithm),
    /// A block cipher of these parameters.
    Rc5(Rc5Params),
}

impl Subject {
    /// Its name in its standard.
    pub fn title(&self) -> String {
        match self {
            Self::Hash(hash) => hash.id().entry().title.to_owned(),
            Self::Rc5(params) => params.to_string().to_uppercase(),
        }
    }

    /// Says, for people, what [`Subject::compression`] computes: one call, without padding and
    /// loading.
    pub fn whole(&self) -> &'static str {
        match self {
            Self::Hash(_) => "one compression",
            Self::Rc5(_) => "key expansion with the encryption of one block",
        }
    }

    /// Returns the function that hardware computes for each block: one compression, or the
    /// encryption of a block under a key that is expanded already.
    pub fn block_function(&self) -> Function {
        match self {
            Self::Hash(hash) => trace::compression(*hash),
            Self::Rc5(params) => cipher(params, Rc5::Block),
        }
    }

    /// One compression; of a cipher, key expansion with the encryption of one block.
    pub fn compression(&self) -> Function {
        match self {
            Self::Hash(hash) => trace::compression(*hash),
            Self::Rc5(params) => cipher(params, Rc5::Encryption),
        }
    }
}

/// Calls a function that has the type of a cipher's words as its parameter.
macro_rules! of_words {
    ($params:expr, trace::$function:ident($($argument:expr),*)) => {
        match $params.word_bits() {
            8 => trace::$function::<u8>($($argument),*),
            16 => trace::$function::<u16>($($argument),*),
            32 => trace::$function::<u32>($($argument),*),
            _ => trace::$function::<u64>($($argument),*),
        }
    };
}

/// A part of RC5 of any parameters.
pub fn cipher(params: &Rc5Params, part: Rc5) -> Function {
    of_words!(params, trace::rc5(part, params.rounds(), params.key_words()))
}

/// A part of RC5 whose iterations of the key expansion are all alike, see [`trace::literal_rc5`].
pub fn literal_cipher(params: &Rc5Params, part: Rc5) -> Function {
    of_words!(params, trace::literal_rc5(part, params.rounds(), params.key_words()))
}

/// RC5's key expansion with the encryption of blocks that follows it, see [`trace::rc5_beside`].
pub fn cipher_beside(params: &Rc5Params, blocks: usize) -> Function {
    of_words!(params, trace::rc5_beside(params.rounds(), params.key_words(), blocks))
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hash(hash) => hash.fmt(f),
            Self::Rc5(params) => params.fmt(f),
        }
    }
}

/// A part of a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// One call of the compression function; of a cipher, key expansion with encryption.
    Compression,
    /// One round, from the middle of a compression.
    Round,
    /// One step of the message schedule or of the key expansion, from the middle of a compression.
    Schedule,
    /// The hash of a message, with loading and padding.
    Message,
}

manylane_primitives::names! { Part:
    /// Its name on the command line.
    Compression "compression", Round "round", Schedule "schedule", Message "message",
}

impl Part {
    /// The kind of the outermost steps that this part consists of, if it consists of steps.
    pub(super) fn kind(self) -> Option<Kind> {
        match self {
            Self::Round => Some(Kind::Round),
            Self::Schedule => Some(Kind::Schedule),
            Self::Compression | Self::Message => None,
        }
    }
}
