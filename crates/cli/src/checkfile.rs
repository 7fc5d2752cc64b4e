//! The lines that `--check` reads, in the grammar of coreutils 9.1:
//!
//! ```text
//! HEX␣␣NAME            as sha256sum prints it
//! HEX␣*NAME            as sha256sum -b does
//! HEX␣NAME             "reversed", as BSD's -r does; not together with the two above
//! TAG␣(NAME)␣=␣HEX     as sha256sum --tag, BSD's md5 and openssl dgst do
//! \…                   the same with \\, \n and \r in NAME
//! # …                  a comment
//! ```
//!
//! Beyond coreutils, the tag may name any hash of the catalogue. Short of coreutils, which stops
//! reading a name there, no line may hold a NUL: a file made by `--zero` is not one good line.

use crate::names;
use crate::quote::unescape;
use manylane_engine::Algorithm;

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Nothing: it is empty or a comment.
    Nothing,
    /// Nothing that can be understood.
    Malformed,
    /// A file and its digest.
    Entry(Entry),
}

/// A file and its digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What the digest is one of.
    pub algorithm: Algorithm,
    /// Whether the line itself says so.
    pub tagged: bool,
    /// As many bytes as the algorithm's digest has.
    pub digest: Vec<u8>,
    /// The file's name, its escapes undone.
    pub name: Vec<u8>,
}

/// Reads the lines of check files one by one.
///
/// ```
/// use manylane_cli::checkfile::{Line, Parser};
///
/// let mut parser = Parser::new("md5".parse().unwrap(), false);
/// match parser.line(b"MD5 (empty file) = d41d8cd98f00b204e9800998ecf8427e\n") {
///     Line::Entry(entry) => assert_eq!(entry.name, b"empty file"),
///     other => panic!("{other:?}"),
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Parser {
    algorithm: Algorithm,
    any_length: bool,
    /// Whether the digests are those of HMAC.
    keyed: bool,
    /// Whether untagged lines have one blank before the name; the first one decides, lest a name
    /// that begins with a blank be taken for another.
    reversed: Option<bool>,
}

impl Parser {
    /// A reader of lines of which the untagged have digests of `algorithm`; if `any_length`, of
    /// any length that is defined for it.
    pub fn new(algorithm: Algorithm, any_length: bool) -> Self {
        Self { algorithm, any_length, keyed: false, reversed: None }
    }

    /// The same for digests of HMAC, whose tags say so.
    pub fn keyed(mut self, keyed: bool) -> Self {
        self.keyed = keyed;
        self
    }

    /// What `line` says, with or without its line feed.
    pub fn line(&mut self, line: &[u8]) -> Line {
        if line.starts_with(b"#") {
            return Line::Nothing;
        }
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            return Line::Nothing;
        }
        self.entry(line).map_or(Line::Malformed, Line::Entry)
    }

    fn entry(&mut self, line: &[u8]) -> Option<Entry> {
        if line.contains(&0) {
            return None;
        }
        let line = trim_blanks(line);
        let (line, escaped) = match line.strip_prefix(b"\\") {
            Some(line) => (line, true),
            None => (line, false),
        };
        let (algorithm, tagged, digest, name) = match split_tag(line, self.keyed) {
            Some((algorithm, rest)) => {
                let (name, digest) = split_tagged(rest)?;
                (algorithm, true, digest, name)
            }
            None => {
                let (algorithm, digest, name) = self.split_untagged(line)?;
                (algorithm, false, digest, name)
            }
        };
        let digest = from_hex(digest).filter(|digest| digest.len() == algorithm.digest_bytes())?;
        let name = if escaped { unescape(name)? } else { name.to_owned() };
        Some(Entry { algorithm, tagged, digest, name })
    }

    /// The algorithm, digest and name of `HEX  NAME`, `HEX *NAME` or `HEX NAME`.
    fn split_untagged<'l>(&mut self, line: &'l [u8]) -> Option<(Algorithm, &'l [u8], &'l [u8])> {
        let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        let algorithm = match self.any_length {
            true => names::with_bits(self.algorithm, 4 * digits).ok()?,
            false => self.algorithm,
        };
        let (digest, rest) = line.split_at(digits);
        let (&blank, rest) = rest.split_first()?;
        if digits != 2 * algorithm.digest_bytes() || !is_blank(blank) || rest.is_empty() {
            return None;
        }
        if rest.len() == 1 || !matches!(rest[0], b' ' | b'*') {
            if self.reversed == Some(false) {
                return None;
            }
            self.reversed = Some(true);
            return Some((algorithm, digest, rest));
        }
        let reversed = *self.reversed.get_or_insert(false);
        Some((algorithm, digest, if reversed { rest } else { &rest[1..] }))
    }
}

/// The algorithm of a tagged line and what follows its opening parenthesis.
fn split_tag(line: &[u8], keyed: bool) -> Option<(Algorithm, &[u8])> {
    let open = line.iter().position(|&byte| byte == b'(')?;
    let tag = &line[..open];
    let algorithm = names::by_tag(tag.strip_suffix(b" ").unwrap_or(tag), keyed)?;
    Some((algorithm, &line[open + 1..]))
}

/// The name and digest of `NAME) = HEX`.
fn split_tagged(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let close = rest.iter().rposition(|&byte| byte == b')')?;
    let digest = trim_blanks(&rest[close + 1..]).strip_prefix(b"=")?;
    Some((&rest[..close], trim_blanks(digest)))
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Without the blanks at its beginning.
fn trim_blanks(line: &[u8]) -> &[u8] {
    let blanks = line.iter().take_while(|&&byte| is_blank(byte)).count();
    &line[blanks..]
}

/// The bytes that pairs of hexadecimal digits of either case spell.
fn from_hex(digits: &[u8]) -> Option<Vec<u8>> {
    let (pairs, []) = digits.as_chunks() else { return None };
    let value = |digit: u8| (digit as char).to_digit(16).map(|value| value as u8);
    pairs.iter().map(|&[high, low]| Some(value(high)? << 4 | value(low)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: &str = "D41D8cd98f00b204e9800998ecf8427e";

    fn lines<const N: usize>(lines: [&str; N]) -> [Option<String>; N] {
        let mut parser = Parser::new("md5".parse().unwrap(), false);
        lines.map(|line| match parser.line(line.replace("HEX", MD5).as_bytes()) {
            Line::Nothing => Some("nothing".into()),
            Line::Malformed => None,
            Line::Entry(entry) => {
                let name = String::from_utf8(entry.name).unwrap();
                assert_eq!(entry.digest[..3], [0xd4, 0x1d, 0x8c]);
                Some(format!("{}:{name}", entry.algorithm))
            }
        })
    }

    fn one(line: &str) -> Option<String> {
        let [answer] = lines([line]);
        answer
    }

    #[test]
    fn good_lines() {
        for (line, answer) in [
            ("HEX  a", "md5:a"),
            ("HEX  a\n", "md5:a"),
            ("HEX  a\r\n", "md5:a"),
            ("HEX *a", "md5:a"),
            ("HEX   a", "md5: a"),
            ("HEX  *a ", "md5:*a "),
            ("HEX\t a", "md5:a"),
            ("HEX a", "md5:a"),
            ("HEX ab", "md5:ab"),
            ("HEX  ", "md5: "),
            (" \tHEX  a", "md5:a"),
            ("\\HEX  a\\\\b\\nc\\rd", "md5:a\\b\nc\rd"),
            ("HEX  a\\nb", "md5:a\\nb"),
            ("MD5 (a) = HEX", "md5:a"),
            ("MD5(a)= HEX", "md5:a"),
            ("MD5 (a)=HEX", "md5:a"),
            ("MD5 (a)\t \t=  HEX", "md5:a"),
            ("  MD5 (a (b) c) = HEX", "md5:a (b) c"),
            ("\\MD5 (a\\nb) = HEX", "md5:a\nb"),
            ("MD5 () = HEX", "md5:"),
            ("RIPEMD-128 (a) = HEX", "ripemd128:a"),
            ("Skein-256-128 (a) = HEX", "skein256-128:a"),
            ("# HEX  a", "nothing"),
            ("", "nothing"),
            ("\n", "nothing"),
            ("\r\n", "nothing"),
        ] {
            assert_eq!(one(line).as_deref(), Some(answer), "{line:?}");
        }
    }

    #[test]
    fn malformed_lines() {
        for line in [
            "HEX",
            "HEX ",
            "HEX\n",
            "HEX0  a",
            "0HEX  a",
            "zHEX  a",
            " # HEX  a",
            "\\\\HEX  a",
            "\\HEX  a\\",
            "\\HEX  a\\x",
            "MD5  (a) = HEX",
            "MD5 (a = HEX",
            "MD5 (a) HEX",
            "MD5 (a) = HEX ",
            "MD5 (a) = HEX0",
            "MD5 (a) =",
            "MD4 (a) = HEX",
            "SHA256 (a) = HEX",
            "MD5 a) = HEX",
            "HEX  a\0b",
            "text",
        ] {
            assert_eq!(one(line), None, "{line:?}");
        }
    }

    #[test]
    fn the_first_untagged_line_decides_whether_names_follow_one_blank() {
        let yes = |name: &str| Some(format!("md5:{name}"));
        assert_eq!(lines(["HEX ab", "HEX  cd", "HEX *ef"]), [yes("ab"), yes(" cd"), yes("*ef")]);
        assert_eq!(lines(["HEX  ab", "HEX cd", "HEX *ef"]), [yes("ab"), None, yes("ef")]);
        assert_eq!(lines(["MD5 (a) = HEX", "HEX a", "HEX  b"]), [yes("a"), yes("a"), yes(" b")]);
    }

    #[test]
    fn the_digits_tell_a_free_length() {
        let mut parser = Parser::new("shake128".parse().unwrap(), true);
        for bytes in [1, 16, 100] {
            let Line::Entry(entry) = parser.line(format!("{}  a", "0f".repeat(bytes)).as_bytes())
            else {
                panic!("{bytes} bytes are a good length");
            };
            assert_eq!(
                (entry.algorithm.digest_bytes(), &entry.digest[..]),
                (bytes, &[15; 100][..bytes])
            );
        }
        for wrong in ["  a", "0  a", "000  a"] {
            assert_eq!(parser.line(wrong.as_bytes()), Line::Malformed);
        }
    }
}
