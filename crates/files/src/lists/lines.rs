//! The lines that `manylane sum` prints.

use crate::quote::{escape_into, needs_escape};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// How digests are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digits {
    /// Hexadecimal digits of lower case.
    Hex,
    /// Base64 with padding (RFC 4648, section 4).
    Base64,
    /// The bytes themselves, with no name and no end of line.
    None,
}

impl Digits {
    fn put(self, digest: &[u8], line: &mut Vec<u8>) {
        match self {
            Self::Hex => line.extend(hex_digits(digest)),
            Self::Base64 => line.extend(BASE64_STANDARD.encode(digest).bytes()),
            Self::None => line.extend(digest),
        }
    }
}

fn hex_digits(bytes: &[u8]) -> impl Iterator<Item = u8> {
    let digit = |value: u8| b"0123456789abcdef"[usize::from(value)];
    bytes.iter().flat_map(move |byte| [digit(byte >> 4), digit(byte & 15)])
}

/// The hexadecimal digits of bytes.
pub fn hex(bytes: &[u8]) -> String {
    hex_digits(bytes).map(char::from).collect()
}

/// The bytes of pairs of hexadecimal digits in either case.
pub fn from_hex(digits: &[u8]) -> Option<Vec<u8>> {
    let (pairs, []) = digits.as_chunks() else { return None };
    let value = |digit: u8| (digit as char).to_digit(16).map(|value| value as u8);
    pairs.iter().map(|&[high, low]| Some(value(high)? << 4 | value(low)?)).collect()
}

/// An object of JSON.
pub type Object = serde_json::Map<String, serde_json::Value>;

/// A line of JSON: an object with these names of files and these members. Where a name is not
/// UTF-8, a member with `_base64` behind its key has its bytes.
pub fn json<const N: usize>(
    names: &[(&str, &[u8])],
    members: [(&str, serde_json::Value); N],
) -> Vec<u8> {
    json_object(names, members.map(|(key, value)| (key.to_owned(), value)))
}

/// [`json`] with any number of members.
pub fn json_object(
    names: &[(&str, &[u8])],
    members: impl IntoIterator<Item = (String, serde_json::Value)>,
) -> Vec<u8> {
    let mut object = object(names);
    object.extend(members);
    let mut line = serde_json::to_vec(&object).expect("strings and numbers are JSON");
    line.push(b'\n');
    line
}

/// The object of [`json`] with names of files alone.
pub fn object(names: &[(&str, &[u8])]) -> Object {
    let mut object = Object::new();
    for (key, name) in names {
        object.insert((*key).to_owned(), String::from_utf8_lossy(name).into());
        if std::str::from_utf8(name).is_err() {
            object.insert(format!("{key}_base64"), BASE64_STANDARD.encode(name).into());
        }
    }
    object
}

/// How lines look.
pub struct Style {
    /// The algorithm's tag, for lines that name it.
    pub tag: Option<String>,
    /// How digests are written.
    pub digits: Digits,
    /// The character before the name of an untagged line.
    pub marker: u8,
    /// The byte that ends the line.
    pub end: u8,
}

impl Style {
    /// Appends the line of a file.
    pub fn line(&self, digest: &[u8], name: &[u8], line: &mut Vec<u8>) {
        if self.digits == Digits::None {
            return self.digits.put(digest, line);
        }
        let escape = self.end == b'\n' && needs_escape(name);
        let put_name = |line: &mut Vec<u8>| match escape {
            true => escape_into(name, line),
            false => line.extend_from_slice(name),
        };
        if escape {
            line.push(b'\\');
        }
        if let Some(tag) = &self.tag {
            line.extend_from_slice(tag.as_bytes());
            line.extend_from_slice(b" (");
            put_name(line);
            line.extend_from_slice(b") = ");
        }
        self.digits.put(digest, line);
        if self.tag.is_none() {
            line.extend_from_slice(&[b' ', self.marker]);
            put_name(line);
        }
        line.push(self.end);
    }
}
