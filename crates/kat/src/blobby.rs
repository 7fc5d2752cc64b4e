//! RustCrypto's binary blobs (`.blb`), version 0.4 and version 0.1.
//!
//! ```text
//! 0.4   blobs N, index entries M, then M times: length, bytes; then N times: a number n, which is
//!       2·length before that many bytes, or 2·i + 1 for entry i. Numbers are as in Git's packs:
//!       7 bits to a byte, most significant first, 1 added for every byte that continues.
//! 0.1   "blobby", the digit d, then to the end: length in d bytes, little-endian; bytes.
//! ```

use crate::files::load;
use crate::{Error, HashRecord};

/// The messages and digests of a file that alternates them.
pub fn hash(file: &str) -> Vec<HashRecord> {
    load(file, parse_hash)
}

/// See [`hash`].
pub fn parse_hash(file: &str, bytes: &[u8]) -> Result<Vec<HashRecord>, Error> {
    let blobs = parse(file, bytes)?;
    if !blobs.len().is_multiple_of(2) {
        let (file, offset, what) = (file.into(), bytes.len(), "a message without a digest".into());
        return Err(Error::Byte { file, offset, what });
    }
    let pairs = blobs.chunks_exact(2).enumerate();
    Ok(pairs
        .map(|(i, pair)| HashRecord {
            line: i + 1,
            bits: 8 * pair[0].len() as u64,
            message: pair[0].clone(),
            digest: pair[1].clone(),
        })
        .collect())
}

/// The blobs of a file, of either version.
pub fn parse(file: &str, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
    let mut reader = Reader { file, bytes, at: 0 };
    match bytes {
        [b'b', b'l', b'o', b'b', b'b', b'y', digit @ b'1'..=b'8', ..] => {
            reader.at = 7;
            reader.version_0_1(usize::from(digit - b'0'))
        }
        _ => reader.version_0_4(),
    }
}

struct Reader<'a> {
    file: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn version_0_4(&mut self) -> Result<Vec<Vec<u8>>, Error> {
        let (blobs, entries) = (self.number()?, self.number()?);
        let mut index = Vec::new();
        for _ in 0..entries {
            let length = self.number()?;
            index.push(self.take(length)?);
        }
        let mut all = Vec::new();
        for _ in 0..blobs {
            let n = self.number()?;
            let blob = match n % 2 {
                0 => self.take(n / 2)?,
                _ => index
                    .get(n / 2)
                    .copied()
                    .ok_or_else(|| self.error(format!("no index entry {}", n / 2)))?,
            };
            all.push(blob.to_vec());
        }
        if self.at < self.bytes.len() {
            return Err(self.error("bytes after the last blob"));
        }
        Ok(all)
    }

    fn version_0_1(&mut self, length_bytes: usize) -> Result<Vec<Vec<u8>>, Error> {
        let mut all = Vec::new();
        while self.at < self.bytes.len() {
            let mut length = [0; 8];
            length[..length_bytes].copy_from_slice(self.take(length_bytes)?);
            all.push(self.take(u64::from_le_bytes(length) as usize)?.to_vec());
        }
        Ok(all)
    }

    fn number(&mut self) -> Result<usize, Error> {
        let mut value = 0usize;
        for bytes in 1.. {
            let byte = self.take(1)?[0];
            value = value << 7 | usize::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                break;
            }
            if bytes == 4 {
                return Err(self.error("a number of more than 4 bytes"));
            }
            value += 1;
        }
        Ok(value)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Error> {
        let rest = &self.bytes[self.at..];
        let taken = rest
            .get(..length)
            .ok_or_else(|| self.error(format!("{length} bytes wanted, {} left", rest.len())))?;
        self.at += length;
        Ok(taken)
    }

    fn error(&self, what: impl Into<String>) -> Error {
        Error::Byte { file: self.file.into(), offset: self.at, what: what.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Direct blobs, entries of the index, and an empty one.
    #[test]
    fn version_0_4_with_an_index() {
        let bytes = b"\x05\x02\x03abc\x01z\x04xy\x01\x00\x03\x01";
        let blobs = parse("f", bytes).unwrap();
        assert_eq!(blobs, [&b"xy"[..], b"abc", b"", b"z", b"abc"]);
    }

    /// 0x80 0x00 is the first number of two bytes, 128; 0x80 0x80 0x00 the first of three, 16512.
    #[test]
    fn numbers_of_several_bytes() {
        let mut bytes = vec![0x01, 0x00, 0x80, 0x00];
        bytes.extend([7; 64]);
        assert_eq!(parse("f", &bytes).unwrap(), [[7; 64]]);
        let mut bytes = vec![0x01, 0x00, 0x80, 0x80, 0x00];
        bytes.extend([7; 8256]);
        assert_eq!(parse("f", &bytes).unwrap(), [[7; 8256]]);
    }

    #[test]
    fn version_0_1() {
        assert_eq!(parse("f", b"blobby1\x02hi\x00\x01!").unwrap(), [&b"hi"[..], b"", b"!"]);
        assert_eq!(parse("f", b"blobby2\x02\x00hi").unwrap(), [b"hi"]);
    }

    #[test]
    fn errors_name_file_and_byte() {
        for (bytes, expected) in [
            (&b""[..], "f: byte 0: 1 bytes wanted, 0 left"),
            (b"\x01\x00\x04x", "f: byte 3: 2 bytes wanted, 1 left"),
            (b"\x01\x00\x01", "f: byte 3: no index entry 0"),
            (b"\x01\x00\x00\x00", "f: byte 3: bytes after the last blob"),
            (b"\xff\xff\xff\xff\x00", "f: byte 4: a number of more than 4 bytes"),
            (b"\x01\x00\x02x", "f: byte 4: a message without a digest"),
            (b"blobby1\x02h", "f: byte 8: 2 bytes wanted, 1 left"),
        ] {
            assert_eq!(parse_hash("f", bytes).unwrap_err().to_string(), expected);
        }
    }
}
