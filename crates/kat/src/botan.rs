//! Botan's hash vectors (`.vec`): sections named by the algorithm, `In` and `Out`.

use crate::fields::records;
use crate::files::load_text;
use crate::{Error, HashRecord};

/// The records of `file` for `algorithm`, for example `"Skein-512(256)"`.
///
/// # Panics
/// If the file has none.
pub fn hash(file: &str, algorithm: &str) -> Vec<HashRecord> {
    load_text(file, |file, text| {
        let mut hashes = parse_hash(file, text)?;
        hashes.retain(|(name, _)| name == algorithm);
        assert!(!hashes.is_empty(), "{file}: nothing for {algorithm}");
        Ok(hashes.into_iter().map(|(_, record)| record).collect())
    })
}

/// The records of a file, each with its algorithm's name.
pub fn parse_hash(file: &str, text: &str) -> Result<Vec<(String, HashRecord)>, Error> {
    let mut hashes = Vec::new();
    for mut record in records(file, text, "Out")? {
        let Some(&(name, _)) = record.sections.last() else {
            return Err(record.error("no section that names the algorithm"));
        };
        let (message, digest) = (record.bytes("In")?, record.bytes("Out")?);
        let bits = 8 * message.len() as u64;
        hashes.push((name.into(), HashRecord { line: record.line, bits, message, digest }));
        record.done()?;
    }
    Ok(hashes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_name_the_algorithm() {
        let text = "[A(1)]\nIn =\nOut = D4\n\n[B(2)]\n\n# note\nIn = 7F\nOut = 83\n";
        let hashes = parse_hash("f", text).unwrap();
        let expected = [
            ("A(1)".into(), HashRecord { line: 3, bits: 0, message: vec![], digest: vec![0xd4] }),
            (
                "B(2)".into(),
                HashRecord { line: 9, bits: 8, message: vec![0x7f], digest: vec![0x83] },
            ),
        ];
        assert_eq!(hashes, expected);
        let error = parse_hash("f", "In = 7F\nOut = 83\n").unwrap_err();
        assert_eq!(error.to_string(), "f:2: no section that names the algorithm");
    }
}
