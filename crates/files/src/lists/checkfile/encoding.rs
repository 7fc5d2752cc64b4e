//! The encoding of a list's text, as far as its beginning tells.

/// An encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// ASCII, UTF-8 or any other encoding that keeps ASCII's bytes, after a byte order mark.
    Bytes {
        /// Bytes of the byte order mark: 3 or 0.
        mark: usize,
    },
    /// An encoding of two or four bytes a character, by its name in iconv.
    Wide(&'static str),
}

/// Number of bytes of a list from which its encoding is recognised.
pub const ENOUGH: usize = 64;

/// The encoding of a list that begins with these bytes. Text of two or four bytes a character is
/// recognised by its byte order mark, or by the NULs beside its ASCII: digests and tags are ASCII.
pub fn encoding(start: &[u8]) -> Encoding {
    let start = &start[..start.len().min(ENOUGH)];
    // UTF-32's mark in little-endian order begins with that of UTF-16.
    for (mark, name) in [
        (&[0xff, 0xfe, 0, 0][..], "UTF-32"),
        (&[0, 0, 0xfe, 0xff], "UTF-32"),
        (&[0xff, 0xfe], "UTF-16"),
        (&[0xfe, 0xff], "UTF-16"),
    ] {
        if start.starts_with(mark) {
            return Encoding::Wide(name);
        }
    }
    for (width, ascii, name) in
        [(4, 0, "UTF-32LE"), (4, 3, "UTF-32BE"), (2, 0, "UTF-16LE"), (2, 1, "UTF-16BE")]
    {
        let is_ascii =
            |unit: &[u8]| unit.iter().enumerate().all(|(at, &byte)| (byte != 0) == (at == ascii));
        let units = start.chunks_exact(width);
        let count = units.len();
        // Names may hold other characters, but the digits before them are more.
        if count >= 4 && 4 * units.filter(|unit| is_ascii(unit)).count() >= 3 * count {
            return Encoding::Wide(name);
        }
    }
    let mark = if start.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    Encoding::Bytes { mark }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_text_is_told_from_bytes() {
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        for text in [
            format!("{digest}  a\r\n"),
            "SHA256 (a) = ".to_owned() + digest,
            "\r\n\r\nMD5 (é) = 900150983cd24fb0d6963f7d28e17f72\n".to_owned(),
            "# Prüfsummen für die Dateien\n".to_owned() + digest,
        ] {
            let utf16: Vec<u16> = text.encode_utf16().collect();
            let utf32: Vec<u32> = text.chars().map(u32::from).collect();
            let all = [
                ("UTF-16LE", utf16.iter().flat_map(|unit| unit.to_le_bytes()).collect()),
                ("UTF-16BE", utf16.iter().flat_map(|unit| unit.to_be_bytes()).collect()),
                ("UTF-32LE", utf32.iter().flat_map(|unit| unit.to_le_bytes()).collect()),
                ("UTF-32BE", utf32.iter().flat_map(|unit| unit.to_be_bytes()).collect::<Vec<u8>>()),
            ];
            for (name, bytes) in all {
                assert_eq!(encoding(&bytes), Encoding::Wide(name), "{text:?}");
                let marked: Vec<u8> = match name {
                    "UTF-16LE" => [&[0xff, 0xfe][..], &bytes].concat(),
                    "UTF-16BE" => [&[0xfe, 0xff][..], &bytes].concat(),
                    "UTF-32LE" => [&[0xff, 0xfe, 0, 0][..], &bytes].concat(),
                    _ => [&[0, 0, 0xfe, 0xff][..], &bytes].concat(),
                };
                assert_eq!(encoding(&marked), Encoding::Wide(&name[..6]), "{text:?}");
            }
            assert_eq!(encoding(text.as_bytes()), Encoding::Bytes { mark: 0 });
            let marked = format!("\u{feff}{text}");
            assert_eq!(encoding(marked.as_bytes()), Encoding::Bytes { mark: 3 });
        }
    }

    #[test]
    fn other_bytes_are_left_to_the_grammar() {
        let zero = format!("{}  a\0", "0f".repeat(16));
        for bytes in [&b""[..], b"\n", b"\0", b"a", b"a\0", &[0; 64], zero.as_bytes(), b"\xff"] {
            assert_eq!(encoding(bytes), Encoding::Bytes { mark: 0 }, "{bytes:?}");
        }
    }
}
