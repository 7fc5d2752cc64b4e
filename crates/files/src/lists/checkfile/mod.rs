//! The lines that `--check` reads, in the grammar of coreutils 9.11's `sha256sum`:
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
//! A digest may also stand in base64, as `cksum --base64` writes it. Beyond coreutils, the tag may
//! name any hash of the catalogue. coreutils stops reading a name at a NUL; here no line may hold a
//! NUL, because a file made by `--zero` would otherwise be one good line. Lines that are not taken
//! have a [`Fault`].

mod encoding;
mod fault;
#[cfg(test)]
mod tests;

pub use encoding::{ENOUGH, Encoding, encoding};
pub use fault::{Fault, Faults, MIN_DIGEST_BITS};

use crate::lists::lines::from_hex;
use crate::names::{self, Named};
use crate::quote::unescape;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use manylane_engine::Algorithm;

/// The meaning of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// An empty line or a comment.
    Nothing,
    /// A line that is refused, with the reason.
    Malformed(Fault),
    /// A file and its digest.
    Entry(Entry),
}

/// The beginning of a comment of our own: it states the hash of all lines that follow, or the size
/// and times of the file in the next line.
pub const OWN_COMMENT: &[u8] = b"#manylane: ";

/// The hash that a comment of our own states for the lines that follow and do not name theirs.
///
/// # Errors
/// If it states something that is neither a hash nor, beginning with a number, the size and times
/// of a file: the hash of the lines is then unknown, and none may be taken in its place.
pub fn stated_hash(line: &[u8]) -> Result<Option<Algorithm>, String> {
    let Some(stated) = line.trim_ascii_end().strip_prefix(OWN_COMMENT) else { return Ok(None) };
    if stated.first().is_none_or(|first| first.is_ascii_digit() || *first == b'-') {
        return Ok(None);
    }
    match names::parse(&String::from_utf8_lossy(stated)) {
        Ok(Named::Hash(hash)) => Ok(Some(hash)),
        Ok(Named::Hmac(_)) => Ok(None),
        Err(error) => {
            let error = error.to_string();
            let why = error.lines().next().unwrap_or_default();
            Err(format!("{why}: mend this comment, which states the hash of the lines after it"))
        }
    }
}

/// A file and its digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The algorithm of the digest.
    pub algorithm: Algorithm,
    /// Whether the line itself names the algorithm.
    pub tagged: bool,
    /// As many bytes as the algorithm's digest has.
    pub digest: Vec<u8>,
    /// The file's name, its escapes undone.
    pub name: Vec<u8>,
}

/// Reads the lines of check files one by one.
///
/// ```
/// use manylane_files::lists::checkfile::{Line, Parser};
///
/// let mut parser = Parser::new("sha256".parse().unwrap());
/// match parser.line(b"MD5 (empty file) = d41d8cd98f00b204e9800998ecf8427e\n") {
///     Line::Entry(entry) => assert_eq!(entry.name, b"empty file"),
///     other => panic!("{other:?}"),
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Parser {
    algorithm: Algorithm,
    /// Other hashes that untagged lines may be of; of several of one length, the first counts.
    family: Vec<Algorithm>,
    /// Whether tagged lines, too, must be of the algorithm or of one of the family.
    bound: bool,
    /// The bits that every digest must have; if not set, those of free length have at least 128.
    bits: Option<usize>,
    /// Lengths in bits, below [`MIN_DIGEST_BITS`], that are taken too.
    short: Vec<usize>,
    /// Whether the digests are those of HMAC.
    keyed: bool,
    /// Whether untagged lines have one blank before the name. The first such line decides for all:
    /// otherwise a name that begins with a blank could be read in two ways.
    reversed: Option<bool>,
}

impl Parser {
    /// A reader of lines. Untagged lines have digests of `algorithm`; tagged lines name their own.
    /// Where an algorithm has digests of any length, those of at least [`MIN_DIGEST_BITS`] are
    /// taken.
    pub fn new(algorithm: Algorithm) -> Self {
        Self {
            algorithm,
            family: Vec::new(),
            bound: false,
            bits: None,
            short: Vec::new(),
            keyed: false,
            reversed: None,
        }
    }

    /// Takes untagged lines of any of these hashes, none of which has a free length. The number of
    /// digits decides between them.
    pub fn family(mut self, family: Vec<Algorithm>) -> Self {
        self.family = family;
        self
    }

    /// Reads the untagged lines that follow as digests of another algorithm.
    pub fn set_algorithm(&mut self, algorithm: Algorithm) {
        self.algorithm = algorithm;
        self.family.clear();
    }

    /// With `bound`, refuses tagged lines of other algorithms.
    pub fn bound(mut self, bound: bool) -> Self {
        self.bound = bound;
        self
    }

    /// Takes digests of this number of bits only, even if it is less than [`MIN_DIGEST_BITS`].
    pub fn bits(mut self, bits: Option<usize>) -> Self {
        self.bits = bits;
        self
    }

    /// Takes digests of these numbers of bits too, however few, where the length is free.
    pub fn short(mut self, bits: impl IntoIterator<Item = usize>) -> Self {
        self.short.extend(bits);
        self
    }

    /// Takes digests of HMAC, whose tags begin with `HMAC-`.
    pub fn keyed(mut self, keyed: bool) -> Self {
        self.keyed = keyed;
        self
    }

    /// Reads `line`, with or without its line feed.
    pub fn line(&mut self, line: &[u8]) -> Line {
        if line.starts_with(b"#") {
            return Line::Nothing;
        }
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            return Line::Nothing;
        }
        self.entry(line).map_or_else(Line::Malformed, Line::Entry)
    }

    fn entry(&mut self, line: &[u8]) -> Result<Entry, Fault> {
        if line.contains(&0) {
            return Err(Fault::Nul);
        }
        let line = trim_blanks(line);
        let (line, escaped) = match line.strip_prefix(b"\\") {
            Some(line) => (line, true),
            None => (line, false),
        };
        let unescaped = |name: &[u8]| match escaped {
            true => unescape(name).ok_or(Fault::Unclear),
            false => Ok(name.to_owned()),
        };
        let tag = split_tag(line);
        if let Some((tag, rest)) = tag
            && let Some(named) = names::by_tag(tag)
        {
            let (name, digest) = split_tagged(rest).ok_or(Fault::Unclear)?;
            let algorithm = named.hash();
            let digest = [from_hex, from_base64]
                .into_iter()
                .filter_map(|read| read(digest))
                .find(|digest| digest.len() == algorithm.digest_bytes())
                .ok_or(Fault::Unclear)?;
            let name = unescaped(name)?;
            self.judge(named)?;
            return Ok(Entry { algorithm, tagged: true, digest, name });
        }
        match self.split_untagged(line) {
            Ok((algorithm, digest, name)) => {
                Ok(Entry { algorithm, tagged: false, digest, name: unescaped(name)? })
            }
            Err(Fault::Unclear) => {
                Err(tag.and_then(|(tag, rest)| unknown_tag(tag, rest)).unwrap_or(Fault::Unclear))
            }
            Err(fault) => Err(fault),
        }
    }

    /// Refuses lines whose tag names something that was not asked for.
    fn judge(&self, named: Named) -> Result<(), Fault> {
        let hash = named.hash();
        let asked = self.asked();
        let keyed = matches!(named, Named::Hmac(_));
        let bits = 8 * hash.digest_bytes();
        if keyed && !self.keyed && !self.bound {
            Err(Fault::NeedsKey(named))
        } else if keyed != self.keyed || self.bound && !self.is_asked(hash) {
            Err(Fault::OtherAlgorithm { named, asked })
        } else {
            match self.bits {
                Some(asked) if asked != bits => Err(Fault::OtherLength { named, asked }),
                None => self.judge_length(named),
                _ => Ok(()),
            }
        }
    }

    /// Refuses digests shorter than [`MIN_DIGEST_BITS`] unless their length was asked for.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn judge_length(&self, named: Named) -> Result<(), Fault> {
        let hash = named.hash();
        let bits = 8 * hash.digest_bytes();
        let cut = hash.id().entry().shape.any_length && bits < MIN_DIGEST_BITS;
        if cut && !self.short.contains(&bits) { Err(Fault::Short(named)) } else { Ok(()) }
    }

    /// Whether a hash is the algorithm or one of the family, whatever its length.
    fn is_asked(&self, hash: Algorithm) -> bool {
        self.family.iter().chain([&self.algorithm]).any(|asked| asked.id() == hash.id())
    }

    /// The algorithm of untagged lines.
    pub fn asked(&self) -> Named {
        match self.keyed {
            true => Named::Hmac(self.algorithm),
            false => Named::Hash(self.algorithm),
        }
    }

    /// The algorithm, digest and name of `HEX  NAME`, `HEX *NAME` or `HEX NAME`.
    fn split_untagged<'l>(
        &mut self,
        line: &'l [u8],
    ) -> Result<(Algorithm, Vec<u8>, &'l [u8]), Fault> {
        let digits = line.iter().position(|&byte| is_blank(byte)).ok_or(Fault::Unclear)?;
        let (digits, rest) = (&line[..digits], &line[digits + 1..]);
        if rest.is_empty() {
            return Err(Fault::Unclear);
        }
        let (algorithm, digest) = match digits.iter().all(u8::is_ascii_hexdigit) {
            true => {
                let algorithm = self.untagged(4 * digits.len())?;
                (algorithm, from_hex(digits).ok_or(Fault::Unclear)?)
            }
            // If any length is allowed, hexadecimal digits with a typing error would pass as
            // base64.
            false if self.is_free() => return Err(Fault::Unclear),
            false => {
                let digest = from_base64(digits).ok_or(Fault::Unclear)?;
                (self.untagged(8 * digest.len())?, digest)
            }
        };
        if rest.len() == 1 || !matches!(rest[0], b' ' | b'*') {
            if self.reversed == Some(false) {
                return Err(Fault::Unclear);
            }
            self.reversed = Some(true);
            return Ok((algorithm, digest, rest));
        }
        let reversed = *self.reversed.get_or_insert(false);
        Ok((algorithm, digest, if reversed { rest } else { &rest[1..] }))
    }

    /// Whether digests of untagged lines may have any length.
    fn is_free(&self) -> bool {
        self.algorithm.id().entry().shape.any_length && self.bits.is_none()
    }

    /// The algorithm of an untagged line with a digest of `bits` bits.
    fn untagged(&self, bits: usize) -> Result<Algorithm, Fault> {
        let asked = self.asked();
        let is_it = |one: &&Algorithm| 8 * one.digest_bytes() == bits;
        if let Some(one) = self.family.iter().find(is_it) {
            return Ok(*one);
        }
        let free = self.is_free();
        let algorithm = match free {
            true => names::with_bits(self.algorithm, bits).map_err(|_| Fault::Unclear)?,
            false => self.algorithm,
        };
        if bits != 8 * algorithm.digest_bytes() {
            return Err(Fault::digits(bits / 4, asked));
        }
        if let Some(wanted) = self.bits.filter(|&wanted| wanted != bits) {
            return Err(Fault::OtherLength { named: asked, asked: wanted });
        }
        if free {
            self.judge_length(match self.keyed {
                true => Named::Hmac(algorithm),
                false => Named::Hash(algorithm),
            })?;
        }
        Ok(algorithm)
    }
}

/// The tag of a tagged line and what follows its opening parenthesis.
fn split_tag(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let open = line.iter().position(|&byte| byte == b'(')?;
    let tag = &line[..open];
    Some((tag.strip_suffix(b" ").unwrap_or(tag), &line[open + 1..]))
}

/// The fault of a line that has the form of a tagged one, but whose tag names nothing.
fn unknown_tag(tag: &[u8], rest: &[u8]) -> Option<Fault> {
    let tag = std::str::from_utf8(tag).ok().filter(|tag| tag.len() <= names::MAX_TAG)?;
    let (_, digest) = split_tagged(rest)?;
    let is_digest = from_hex(digest).is_some_and(|digest| !digest.is_empty());
    let is_tag = !tag.is_empty() && !tag.contains(char::is_whitespace);
    (is_digest && is_tag).then(|| names::parse(tag).err().map(Fault::Unknown)).flatten()
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

/// Returns the line without the blanks at its beginning.
fn trim_blanks(line: &[u8]) -> &[u8] {
    let blanks = line.iter().take_while(|&&byte| is_blank(byte)).count();
    &line[blanks..]
}

/// The bytes that are written in base64 with padding (RFC 4648, section 4).
fn from_base64(digits: &[u8]) -> Option<Vec<u8>> {
    BASE64_STANDARD.decode(digits).ok()
}
