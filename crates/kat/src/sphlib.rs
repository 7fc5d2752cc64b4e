//! The SHA-3 competition's short messages, of every bit length from 0 to 2047, and the finalists'
//! digests of them. The first bit of an incomplete last byte is its most significant one.

use crate::files::load_text;
use crate::{Error, HashRecord, fields, hex};

/// The file of messages, which all finalists share.
pub const MESSAGES: &str = "finalists_messages/nist_sha3_ShortMsg_0_2047.txt.gz";

/// The digests in `file`, one to a line, with their messages.
pub fn hash(file: &str) -> Vec<HashRecord> {
    load_text(MESSAGES, |messages_file, messages| {
        Ok(load_text(file, |file, digests| parse_hash(messages_file, messages, file, digests)))
    })
}

/// See [`hash`].
pub fn parse_hash(
    messages_file: &str,
    messages: &str,
    file: &str,
    digests: &str,
) -> Result<Vec<HashRecord>, Error> {
    let mut messages = fields::records(messages_file, messages, "Msg")?.into_iter();
    let mut hashes = Vec::new();
    for (i, content) in digests.lines().enumerate() {
        let line = i + 1;
        if content.starts_with('#') {
            continue;
        }
        let digest = hex::decode(content.trim()).map_err(|what| Error::line(file, line, what))?;
        let mut message =
            messages.next().ok_or_else(|| Error::line(file, line, "a digest without a message"))?;
        let (bits, bytes) = message.message("Msg")?;
        if bits != hashes.len() as u64 {
            return Err(message.error(format!("not Len = {}", hashes.len())));
        }
        message.done()?;
        hashes.push(HashRecord { line, bits, message: bytes, digest });
    }
    match messages.next() {
        None => Ok(hashes),
        Some(message) => Err(message.error(format!("no digest in {file} for this message"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_digests_go_together() {
        let messages = "# messages\nLen = 0\nMsg = 00\nLen = 1\nMsg = 80\n";
        let hashes = parse_hash("m", messages, "d", "# digests\nF7\n86\n").unwrap();
        let expected = [
            HashRecord { line: 2, bits: 0, message: vec![], digest: vec![0xf7] },
            HashRecord { line: 3, bits: 1, message: vec![0x80], digest: vec![0x86] },
        ];
        assert_eq!(hashes, expected);
        for (digests, expected) in [
            ("F7\n86\n6B\n", "d:3: a digest without a message"),
            ("F7\n", "m:5: no digest in d for this message"),
            ("F7\n8x\n", "d:2: 'x' is no hexadecimal digit"),
        ] {
            let error = parse_hash("m", messages, "d", digests).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }
}
