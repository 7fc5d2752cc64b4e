//! The HMAC examples of RFC 2202 (MD5, SHA-1), RFC 2286 (RIPEMD-160) and RFC 4231 (SHA-2).

use crate::fields::records;
use crate::files::load_text;
use crate::{Error, MacRecord};

/// The records of a file of `Len` (of the message, in bits), `Key`, `Msg` and `MD`.
pub fn hmac(file: &str) -> Vec<MacRecord> {
    load_text(file, parse_hmac)
}

/// See [`hmac`].
pub fn parse_hmac(file: &str, text: &str) -> Result<Vec<MacRecord>, Error> {
    let mut macs = Vec::new();
    for mut record in records(file, text, "MD")? {
        let ((_, message), key, mac) =
            (record.message("Msg")?, record.bytes("Key")?, record.bytes("MD")?);
        macs.push(MacRecord { line: record.line, digest_bytes: mac.len(), key, message, mac });
        record.done()?;
    }
    Ok(macs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_within_a_record() {
        let text = "Len = 16\n# \"Jefe\"\nKey = 4a65\n# \"Hi\"\nMsg = 4869\nMD = 750c\n";
        let [record] = parse_hmac("f", text).unwrap().try_into().unwrap();
        assert_eq!((record.line, record.digest_bytes), (6, 2));
        assert_eq!((record.key, record.message), (b"Je".to_vec(), b"Hi".to_vec()));
    }
}
