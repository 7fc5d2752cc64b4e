//! Keccak's extremely long messages: a text of 64 bytes repeated to 1 GiB. (Its short and long ones
//! are read by [`crate::cavp::hash`].)

use crate::Error;
use crate::fields::records;
use crate::files::load_text;

/// A message given as a repeated text, and its digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedRecord {
    /// How often `text` is written.
    pub repeat: u64,
    /// What is repeated.
    pub text: Vec<u8>,
    /// The digest.
    pub digest: Vec<u8>,
}

/// The records of an `ExtremelyLongMsgKAT`.
pub fn extremely_long(file: &str) -> Vec<RepeatedRecord> {
    load_text(file, parse_extremely_long)
}

/// See [`extremely_long`].
pub fn parse_extremely_long(file: &str, text: &str) -> Result<Vec<RepeatedRecord>, Error> {
    let mut repeated = Vec::new();
    for mut record in records(file, text, "MD")? {
        repeated.push(RepeatedRecord {
            repeat: record.number("Repeat")?,
            text: record.text("Text")?.into(),
            digest: record.bytes("MD")?,
        });
        record.done()?;
    }
    Ok(repeated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_as_it_stands() {
        let records = parse_extremely_long("f", "Repeat = 3\nText = abc\nMD = C4\n").unwrap();
        let expected = RepeatedRecord { repeat: 3, text: b"abc".to_vec(), digest: vec![0xc4] };
        assert_eq!(records, [expected]);
    }
}
