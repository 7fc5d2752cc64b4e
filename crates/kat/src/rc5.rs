//! The collected RC5 vectors: one to a line, `source rounds key iv plaintext ciphertext`.
//!
//! The source ends in `-W` or `-W/…` where words do not have 32 bits; the initialisation vector is
//! `-` for ECB; a source in `-pad` means RC5-CBC-Pad.

use crate::files::load_text;
use crate::{Error, hex};

/// The mode of operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Each block by itself.
    Ecb,
    /// Cipher block chaining from this initialisation vector.
    Cbc(Vec<u8>),
    /// Cipher block chaining with padding.
    CbcPad(Vec<u8>),
}

/// One encryption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rc5Record {
    /// The line, counted from 1.
    pub line: usize,
    /// Where the vector comes from.
    pub source: String,
    /// w: 8, 16, 32 or 64.
    pub word_bits: usize,
    /// r.
    pub rounds: usize,
    /// The key, b bytes.
    pub key: Vec<u8>,
    /// How blocks are chained.
    pub mode: Mode,
    /// The plaintext: whole blocks unless padded.
    pub plaintext: Vec<u8>,
    /// The ciphertext.
    pub ciphertext: Vec<u8>,
}

/// The records of a file.
pub fn rc5(file: &str) -> Vec<Rc5Record> {
    load_text(file, parse_rc5)
}

/// See [`rc5`].
pub fn parse_rc5(file: &str, text: &str) -> Result<Vec<Rc5Record>, Error> {
    let lines = text.lines().enumerate().map(|(i, content)| (i + 1, content.trim()));
    lines
        .filter(|(_, content)| !content.is_empty() && !content.starts_with('#'))
        .map(|(line, content)| {
            parse_line(line, content).map_err(|what| Error::line(file, line, what))
        })
        .collect()
}

fn parse_line(line: usize, content: &str) -> Result<Rc5Record, String> {
    let fields: Vec<&str> = content.split_whitespace().collect();
    let &[source, rounds, key, iv, plaintext, ciphertext] = fields.as_slice() else {
        return Err(format!("{} fields, not 6", fields.len()));
    };
    let bytes = |name: &str, text| hex::decode(text).map_err(|what| format!("{name}: {what}"));
    let suffix = source.rsplit('-').next().unwrap_or_default();
    let mode = match (iv, suffix) {
        ("-", _) => Mode::Ecb,
        (iv, "pad") => Mode::CbcPad(bytes("iv", iv)?),
        (iv, _) => Mode::Cbc(bytes("iv", iv)?),
    };
    Ok(Rc5Record {
        line,
        source: source.into(),
        word_bits: suffix.split('/').next().and_then(|w| w.parse().ok()).unwrap_or(32),
        rounds: rounds.parse().map_err(|_| format!("rounds is no number: {rounds}"))?,
        key: bytes("key", key)?,
        mode,
        plaintext: bytes("plaintext", plaintext)?,
        ciphertext: bytes("ciphertext", ciphertext)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_tell_width_and_mode() {
        let text = "# source rounds …\n\
            draft-krovetz-8/4 12 00010203 - 0001 212a\n\
            RFC2040 0 00 01 02 03\n\
            RFC2040-pad 0 00 01 02 0304\n";
        let records = parse_rc5("f", text).unwrap();
        let seen: Vec<_> = records.iter().map(|r| (r.line, r.word_bits, r.mode.clone())).collect();
        let expected =
            [(2, 8, Mode::Ecb), (3, 32, Mode::Cbc(vec![1])), (4, 32, Mode::CbcPad(vec![1]))];
        assert_eq!(seen, expected);
        assert_eq!((&records[0].key[..], records[0].rounds), (&[0, 1, 2, 3][..], 12));
    }

    #[test]
    fn errors_name_file_and_line() {
        for (text, expected) in [
            ("\nRivest94 12 00 - 00", "f:2: 5 fields, not 6"),
            ("Rivest94 x 00 - 00 00", "f:1: rounds is no number: x"),
            ("Rivest94 12 0 - 00 00", "f:1: key: 1 hexadecimal digits: an odd number"),
        ] {
            assert_eq!(parse_rc5("f", text).unwrap_err().to_string(), expected);
        }
    }
}
