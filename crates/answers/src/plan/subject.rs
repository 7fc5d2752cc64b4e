//! The subject of a plan: a hash function, HMAC with one, or a block cipher, with its lengths.

use super::args::TwoCore;
use super::format::counted;
use anyhow::bail;
use manylane_build::{Lengths, Primitive};
use manylane_graph::part::{Subject, hmac_title};

/// Its name in its standard.
pub fn title(primitive: Primitive) -> String {
    match primitive {
        Primitive::Hash(hash) => hash.id().entry().title.to_owned(),
        Primitive::Hmac(hash) => hmac_title(hash),
        Primitive::Rc5(params) => Subject::Rc5(params).title(),
    }
}

/// The lengths that are asked for; messages have `length` bytes if nothing is said.
pub fn lengths(
    primitive: Primitive,
    asked: &TwoCore,
    length: Option<usize>,
) -> anyhow::Result<Lengths> {
    let TwoCore { key_length, fixed_length: fixed, decrypt, .. } = *asked;
    match primitive {
        Primitive::Hash(_) | Primitive::Hmac(_) if decrypt => {
            bail!("{primitive} is a hash function: --decrypt is for a block cipher, such as rc5")
        }
        Primitive::Hash(hash) if key_length.is_some() => {
            bail!("{primitive} takes no key: --key-length is for HMAC, such as hmac-{hash}")
        }
        Primitive::Rc5(_) if key_length.is_some() => {
            bail!("the key of {primitive} is as long as its name says: leave out --key-length")
        }
        Primitive::Rc5(_) if asked.length.is_some() => {
            bail!("{primitive} is a block cipher, planned for one block; leave out --length")
        }
        Primitive::Rc5(_) if fixed => {
            bail!("{primitive} is a block cipher, without padding; leave out --fixed-length")
        }
        Primitive::Hash(hash) | Primitive::Hmac(hash) => {
            let block = hash.id().entry().shape.block_bytes;
            let message = asked.length.or(length).unwrap_or(block);
            let key = key_length.unwrap_or(hash.digest_bytes());
            let key = matches!(primitive, Primitive::Hmac(_)).then_some(key);
            Ok(Lengths { message: Some(message), key, fixed, decrypt })
        }
        Primitive::Rc5(_) => Ok(Lengths { message: None, key: None, fixed, decrypt }),
    }
}

/// Describes the computation in words.
pub fn what(primitive: Primitive, lengths: Lengths) -> String {
    let message = match (lengths.message, primitive) {
        (Some(0), _) => "the empty message".to_owned(),
        (Some(length), _) => format!("a message of {}", counted(length, "byte")),
        (None, Primitive::Rc5(params)) if !lengths.decrypt => {
            Subject::Rc5(params).whole().to_owned()
        }
        (None, _) => "key expansion with the decryption of one block".to_owned(),
    };
    let fixed = if lengths.fixed { ", by a program for this length alone" } else { "" };
    match lengths.key {
        Some(key) => format!("{message} under a key of {}{fixed}", counted(key, "byte")),
        None => format!("{message}{fixed}"),
    }
}

/// The options that ask for these lengths again.
pub fn options(asked: &TwoCore) -> String {
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
