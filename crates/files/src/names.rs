//! Translates what people write to algorithms: names, tags of checksum lines, lengths of digests.

use crate::quote::quote;
use manylane_engine::{Algorithm, HashId};
use manylane_nearest::nearest_by;
use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

/// The algorithm that is computed if no other is asked for.
pub const DEFAULT: HashId = HashId::Sha256;

/// The longest digest that can be asked for, in bits, of a hash that has no longest.
pub const MAX_DIGEST_BITS: usize = 1 << 16;

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Named {
    /// A hash function.
    Hash(Algorithm),
    /// HMAC with this hash function, to be given a key.
    Hmac(Algorithm),
}

impl Named {
    /// The hash function, of an HMAC too.
    pub fn hash(self) -> Algorithm {
        match self {
            Self::Hash(hash) | Self::Hmac(hash) => hash,
        }
    }

    /// Its name on the command line, with the digest's length.
    pub fn name(self) -> String {
        match self {
            Self::Hash(hash) => hash.to_string(),
            Self::Hmac(hash) => format!("hmac-{hash}"),
        }
    }

    /// The [`tag`] of lines with its digests.
    pub fn tag(self) -> String {
        tag(self.hash(), matches!(self, Self::Hmac(_)))
    }

    /// The options of `manylane sum` that select it.
    pub fn options(self) -> String {
        let hash = self.hash();
        let (hmac, key) = match self {
            Self::Hash(_) => ("", ""),
            Self::Hmac(_) => ("hmac-", " --key-file FILE"),
        };
        let length = match hash == Algorithm::new(hash.id()) {
            true => String::new(),
            false => format!(" -l {}", 8 * hash.digest_bytes()),
        };
        format!("-a {hmac}{}{length}{key}", hash.id().name())
    }
}

/// The reasons why a name or a length stands for nothing that can be computed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Error {
    /// No primitive has the name; the list has similar ones.
    Unknown(String, Vec<&'static str>),
    /// Several hashes share the name; the list has their full names.
    Family(String, Vec<String>),
    /// BLAKE2 or BLAKE3, which the catalogue lacks and whose names are like those of BLAKE.
    LaterBlake(String),
    /// HMAC without the name of its hash.
    BareHmac(String),
    /// An HMAC where only a hash is taken.
    Keyed(String, Algorithm),
    /// A block cipher of the catalogue.
    BlockCipher(String),
    /// The η_T pairing.
    Pairing(String),
    /// The hash has no digest of so many bits.
    Length(Algorithm, usize),
    /// Names joined by `+`, as for a core with modes, where one name is taken; the list has the
    /// known ones among them.
    Joined(String, Vec<String>),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name, near) => {
                write!(f, "unknown algorithm {}", quote(name.as_bytes()))?;
                if !near.is_empty() {
                    let hmac = if split_hmac(&fold(name)).0 { "hmac-" } else { "" };
                    let near: Vec<String> =
                        near.iter().map(|near| format!("{hmac}{near}")).collect();
                    write!(f, "; did you mean {}?", alternatives(&near))?;
                }
                f.write_str("\n`manylane list` shows all there are")
            }
            Self::Family(name, members) => {
                let name = quote(name.as_bytes());
                write!(f, "{name} is a family of hash functions: name {}", alternatives(members))
            }
            Self::LaterBlake(name) => {
                let name = quote(name.as_bytes());
                write!(
                    f,
                    "unknown algorithm {name}: neither BLAKE2 nor BLAKE3 is here; blake224 to \
                     blake512 are BLAKE, the finalist of the SHA-3 competition, another function\n\
                     `manylane list` shows all there are"
                )
            }
            Self::BareHmac(name) => {
                let name = quote(name.as_bytes());
                write!(f, "{name} needs the name of a hash after it, as in hmac-sha256")
            }
            Self::Keyed(name, hash) => {
                write!(f, "{name}: HMAC calls its hash and has no core of its own; name {hash}")
            }
            Self::BlockCipher(name) => {
                write!(f, "{name} is a block cipher, not a hash function: it makes no digests")
            }
            Self::Pairing(name) => write!(
                f,
                "{name} is a pairing, not a hash function; manylane explain, plan and pair compute \
                 with it"
            ),
            Self::Length(hash, bits) => {
                let own = 8 * Algorithm::new(hash.id()).digest_bytes();
                let title = hash.id().entry().title;
                if !hash.id().entry().shape.any_length {
                    write!(f, "{title} has digests of {own} bits, not of {bits}")
                } else if bits % 8 != 0 {
                    write!(f, "digests are whole bytes: {bits} bits is not a multiple of 8")
                } else {
                    write!(f, "{title} has no digest of {bits} bits here (1 to {MAX_DIGEST_BITS})")
                }
            }
            Self::Joined(name, known) => write!(
                f,
                "{}: only `manylane emit rtl` takes names joined by `+`, of hashes that share a \
                 compression and so a core; name one here: {}",
                quote(name.as_bytes()),
                alternatives(known)
            ),
        }
    }
}

impl std::error::Error for Error {}

/// `a`, `a or b`, `a, b or c`.
pub fn alternatives(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match &names[..] {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// Returns the meaning of `name`: a hash function by its name, alias or title, with the bits of its
/// digest after it where they are free; or `hmac-` and a hash function. Letter case and the
/// separators between the parts of a name do not matter.
///
/// # Errors
/// If nothing that can be computed has the name; the error offers names that are like it.
pub fn parse(name: &str) -> Result<Named, Error> {
    let folded = fold(name);
    if name.to_lowercase().split(['-', '_']).next() == Some("rc5") {
        return Err(Error::BlockCipher(name.to_owned()));
    }
    if is_pairing(name) {
        return Err(Error::Pairing(name.to_owned()));
    }
    if let Some(named) = find(&folded) {
        return Ok(named);
    }
    let (prefix, base) = split_hmac(&folded);
    let members = members(base);
    let joined = joined(name);
    Err(if !joined.is_empty() {
        Error::Joined(name.to_owned(), joined)
    } else if prefix && base.is_empty() {
        Error::BareHmac(name.to_owned())
    } else if is_later_blake(base) {
        Error::LaterBlake(name.to_owned())
    } else if members.len() > 1 {
        let hmac = if prefix { "hmac-" } else { "" };
        let names = members.iter().map(|id| format!("{hmac}{}", id.name()));
        Error::Family(name.to_owned(), names.collect())
    } else if let Some((hash, bits)) = with_odd_bits(base) {
        Error::Length(hash, bits)
    } else {
        Error::Unknown(name.to_owned(), near(base))
    })
}

/// The known names among those that are joined by `+`, each once.
fn joined(name: &str) -> Vec<String> {
    let mut known = Vec::new();
    if name.contains('+') {
        for named in name.split('+').filter_map(|one| find(&fold(one.trim()))).map(Named::name) {
            if !known.contains(&named) {
                known.push(named);
            }
        }
    }
    known
}

/// Whether a name is that of the η_T pairing.
pub fn is_pairing(name: &str) -> bool {
    matches!(&name.to_lowercase().replace('_', "-")[..], "eta-t" | "etat")
}

/// The hash that a folded name begins with, and the number of bits after it, which the hash cannot
/// have.
fn with_odd_bits(folded: &str) -> Option<(Algorithm, usize)> {
    let (stem, bits) = folded.rsplit_once('-')?;
    Some((Algorithm::new(find_whole(stem)?), bits.parse().ok()?))
}

/// Returns the meaning of `name` when digests of `bits` bits are asked for: the name may then be
/// that of a family with one hash of that length, such as `sha3`.
///
/// # Errors
/// As [`parse`], or if the hash has no digests of `bits` bits.
pub fn parse_with_bits(name: &str, bits: usize) -> Result<Named, Error> {
    let sized = |named: Named| match named {
        Named::Hash(hash) => with_bits(hash, bits).map(Named::Hash),
        Named::Hmac(hash) => with_bits(hash, bits).map(Named::Hmac),
    };
    match parse(name) {
        Err(Error::Family(name, names)) => {
            let members = || names.iter().filter_map(|name| parse(name).ok());
            let fixed = |named: &Named| {
                let shape = named.hash().id().entry().shape;
                !shape.any_length && 8 * shape.digest_bytes == bits
            };
            members().find(fixed).ok_or(Error::Family(name, names))
        }
        named => named.and_then(sized),
    }
}

/// The hashes of a family, such as `sha2`, if none of them has digests of free length. Of several
/// hashes of one length, the first is meant.
pub fn family(name: &str) -> Option<Vec<Algorithm>> {
    let Err(Error::Family(_, names)) = parse(name) else { return None };
    let fixed = |name: &String| match parse(name) {
        Ok(Named::Hash(hash)) => (!hash.id().entry().shape.any_length).then_some(hash),
        _ => None,
    };
    names.iter().map(fixed).collect()
}

/// Whether `name` is that of a hash of any output length, without a length.
pub fn leaves_length(name: &str) -> bool {
    find_whole(split_hmac(&fold(name)).1).is_some_and(|id| id.entry().shape.any_length)
}

/// The hash function that `name` stands for. For commands that take no HMAC, such as those that
/// write hardware cores.
///
/// # Errors
/// As [`parse`], or [`Error::Keyed`] if the name is that of an HMAC.
pub fn hash(name: &str) -> Result<Algorithm, Error> {
    match parse(name)? {
        Named::Hash(hash) => Ok(hash),
        Named::Hmac(hash) => Err(Error::Keyed(name.to_owned(), hash)),
    }
}

/// Returns the hash with digests of `bits` bits.
///
/// # Errors
/// [`Error::Length`] if the hash has no digests of so many bits, or they are more than
/// [`MAX_DIGEST_BITS`].
pub fn with_bits(hash: Algorithm, bits: usize) -> Result<Algorithm, Error> {
    (bits.is_multiple_of(8) && bits <= MAX_DIGEST_BITS)
        .then(|| hash.with_digest_bytes(bits / 8))
        .flatten()
        .ok_or(Error::Length(hash, bits))
}

/// Returns one spelling for all that are understood: lower case, `-` for every separator, and none
/// between a letter and a digit, so that `SHA_256`, `sha-256` and `SHA256` are the same.
fn fold(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    let mut chars = name.chars().flat_map(char::to_lowercase).peekable();
    while let Some(c) = chars.next() {
        match c {
            '-' | '_' | '/' | ' ' => {
                let after_letter = folded.ends_with(char::is_alphabetic);
                let before_digit = chars.peek().is_some_and(char::is_ascii_digit);
                if !(after_letter && before_digit) {
                    folded.push('-');
                }
            }
            c => folded.push(c),
        }
    }
    folded
}

/// Whether a folded name begins with HMAC, and what follows that.
fn split_hmac(folded: &str) -> (bool, &str) {
    match folded.strip_prefix("hmac") {
        Some(base) => (true, base.strip_prefix('-').unwrap_or(base)),
        None => (false, folded),
    }
}

/// Returns the meaning of a folded name.
fn find(folded: &str) -> Option<Named> {
    let (hmac, base) = split_hmac(folded);
    let sized = || {
        let (stem, bits) = base.rsplit_once('-')?;
        let plain = !bits.starts_with('0') && bits.bytes().all(|byte| byte.is_ascii_digit());
        let bits = bits.parse().ok().filter(|_| plain)?;
        let hash = Algorithm::new(find_whole(stem)?);
        hash.id().entry().shape.any_length.then(|| with_bits(hash, bits).ok()).flatten()
    };
    let hash = find_whole(base).map(Algorithm::new).or_else(sized)?;
    Some(if hmac { Named::Hmac(hash) } else { Named::Hash(hash) })
}

/// Every folded name, alias and title, with the hash that has it.
static WHOLE: LazyLock<HashMap<String, HashId>> = LazyLock::new(|| {
    let known = HashId::ALL.iter().flat_map(|&id| spellings(id).map(move |name| (fold(name), id)));
    known.collect()
});

/// The hash that has a folded name, alias or title.
fn find_whole(folded: &str) -> Option<HashId> {
    WHOLE.get(folded).copied()
}

/// The names of a hash: its own, its aliases, its title in the standard.
fn spellings(id: HashId) -> impl Iterator<Item = &'static str> {
    let entry = id.entry();
    [entry.name, entry.title].into_iter().chain(entry.aliases.iter().copied())
}

/// The hashes whose names are the family's name and a number, such as `sha3-256` or `keccak256`.
fn members(family: &str) -> Vec<HashId> {
    let numbered = |known: &&str| {
        let known = fold(known);
        let Some(rest) = known.strip_prefix(family) else { return false };
        let number = rest.strip_prefix('-').unwrap_or(rest);
        // Without this, the 84 of SHA-384 would be a member of the family SHA-3.
        let apart = number.len() < rest.len() || !family.ends_with(|c: char| c.is_ascii_digit());
        apart && number.starts_with(|c: char| c.is_ascii_digit())
    };
    let is_member = |id: &HashId| spellings(*id).any(|known| numbered(&known));
    match family {
        "" => Vec::new(),
        _ => HashId::ALL.iter().copied().filter(is_member).collect(),
    }
}

/// Whether a folded name is one of BLAKE2's or BLAKE3's functions.
fn is_later_blake(folded: &str) -> bool {
    let begins = |of: &str, next: &str| {
        let rest = folded.strip_prefix(of);
        rest.is_some_and(|rest| rest.chars().next().is_none_or(|c| next.contains(c)))
    };
    begins("blake2", "-bsx") || begins("blake3", "-")
}

/// Returns up to three names like `name`, the likest first.
fn near(name: &str) -> Vec<&'static str> {
    let entries = HashId::ALL.iter().map(|id| id.entry());
    let known = entries.flat_map(|entry| {
        let names = entry.aliases.iter().copied().chain([entry.name]);
        names.map(move |known| (known, entry.name))
    });
    nearest_by(name, known)
}

/// The tag of a BSD-style line: `SHA256` as coreutils has it, the title of the standard for
/// hashes that coreutils does not know, with the digest's bits where they are not the default;
/// `HMAC-` before it where it is `keyed`.
pub fn tag(hash: Algorithm, keyed: bool) -> String {
    let entry = hash.id().entry();
    let mut tag = match hash.id() {
        HashId::Sha1 | HashId::Sha224 | HashId::Sha256 | HashId::Sha384 | HashId::Sha512 => {
            entry.title.replacen('-', "", 1)
        }
        _ => entry.title.to_owned(),
    };
    if keyed {
        tag.insert_str(0, "HMAC-");
    }
    if hash.digest_bytes() != Algorithm::new(hash.id()).digest_bytes() {
        tag.push_str(&format!("-{}", 8 * hash.digest_bytes()));
    }
    tag
}

/// The longest tag that is looked up, in bytes.
pub const MAX_TAG: usize = 64;

/// Returns the meaning of a line's tag: a [`tag`], or a name without blanks that [`parse`]
/// understands.
pub fn by_tag(tag: &[u8]) -> Option<Named> {
    let tag = Some(tag).filter(|tag| tag.len() <= MAX_TAG).map(std::str::from_utf8)?.ok()?;
    if tag.contains(char::is_whitespace) {
        return None;
    }
    find(&fold(tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tag_leads_back_to_its_hash() {
        for hash in HashId::ALL.iter().map(|&id| Algorithm::new(id)) {
            let entry = hash.id().entry();
            let mut names = vec![tag(hash, false), entry.title.to_owned(), entry.name.to_owned()];
            names.extend(entry.aliases.iter().map(|alias| (*alias).to_owned()));
            for name in names {
                for name in [name.to_uppercase(), name] {
                    assert_eq!(by_tag(name.as_bytes()), Some(Named::Hash(hash)), "{name}");
                    assert_eq!(parse(&name), Ok(Named::Hash(hash)), "{name}");
                    let keyed = format!("hmac-{name}");
                    assert_eq!(by_tag(keyed.as_bytes()), Some(Named::Hmac(hash)), "{keyed}");
                    assert_eq!(parse(&keyed), Ok(Named::Hmac(hash)), "{keyed}");
                }
            }
            if let Some(other) = hash.with_digest_bytes(20).filter(|_| entry.shape.any_length) {
                for keyed in [false, true] {
                    let found = by_tag(tag(other, keyed).as_bytes()).unwrap();
                    assert_eq!((found.hash(), found.tag()), (other, tag(other, keyed)));
                }
            }
        }
        for (text, name) in [
            ("SHA256", "sha256"),
            ("SHA2-256", "sha256"),
            ("SHA-1", "sha1"),
            ("SHA512/256", "sha512-256"),
            ("SHA2-512/256", "sha512-256"),
            ("Skein-512-256", "skein512-256"),
        ] {
            let hash: Algorithm = name.parse().unwrap();
            assert_eq!(by_tag(text.as_bytes()), Some(Named::Hash(hash)), "{text}");
        }
        for wrong in [
            "",
            "SHA257",
            "sha256 ",
            "SHA 256",
            "sha2-56",
            "sha--256",
            "shake128-80000000",
            "shake128-+8",
            "shake128-08",
            "shake128-99999999999999999999999",
            "shake128-",
            "rc5",
            "hmac",
            "sha3",
        ] {
            assert_eq!(by_tag(wrong.as_bytes()), None, "{wrong}");
        }
        assert_eq!(tag("sha256".parse().unwrap(), false), "SHA256");
        assert_eq!(tag("skein512-256".parse().unwrap(), false), "Skein-512-256");
    }

    #[test]
    fn names_are_understood_however_they_are_written() {
        for (names, name) in [
            (&["SHA-256", "sha_256", "Sha2-256", "SHA2_256", "sha 256"][..], "sha256"),
            (&["SHA-1", "sha_1"], "sha1"),
            (&["SHA-512/256", "sha512_256", "sha-512-256", "SHA512/256"], "sha512-256"),
            (&["SHA-3-256", "sha3_256"], "sha3-256"),
            (&["RIPEMD160", "ripemd_160", "RMD-160"], "ripemd160"),
            (&["MD-5", "Md5"], "md5"),
            (&["blake-32", "BLAKE32", "BLAKE-256"], "blake256"),
            (&["blake-28", "BLAKE-224"], "blake224"),
            (&["blake-48", "BLAKE-384"], "blake384"),
            (&["blake-64", "BLAKE_512"], "blake512"),
            (&["Skein-512-256", "skein_512_256", "skein512/256"], "skein512-256"),
            (&["GRØSTL-256", "Groestl_256"], "groestl256"),
        ] {
            let hash = Named::Hash(name.parse().unwrap());
            for name in names {
                assert_eq!(parse(name), Ok(hash), "{name}");
            }
        }
        for name in ["HMAC-SHA256", "hmac_sha_256", "hmac-SHA-256", "HmacSHA256"] {
            assert_eq!(parse(name), Ok(Named::Hmac("sha256".parse().unwrap())), "{name}");
        }
    }

    #[test]
    fn what_is_no_name_is_explained() {
        let message = |name| parse(name).unwrap_err().to_string();
        assert!(message("sha257").contains("did you mean sha256"), "{}", message("sha257"));
        assert!(message("sha257").contains("manylane list"));
        assert!(!message("whirlpool").contains("did you mean"));
        for name in ["rc5", "rc5-32/12/16", "RC5_32/12/16"] {
            assert!(message(name).contains("block cipher"));
        }
        assert!(message("eta-t").contains("is a pairing"), "{}", message("eta-t"));
        for (name, members) in [
            ("sha3", "sha3-224, sha3-256, sha3-384 or sha3-512"),
            ("SHA-3", "sha3-224, sha3-256, sha3-384 or sha3-512"),
            ("sha2", "sha224, sha256, sha384, sha512, sha512-224 or sha512-256"),
            ("keccak", "keccak224, keccak256, keccak384 or keccak512"),
            ("BLAKE", "blake224, blake256, blake384 or blake512"),
            ("skein", "skein256, skein512 or skein1024"),
            ("shake", "shake128 or shake256"),
            ("hmac-jh", "hmac-jh224, hmac-jh256, hmac-jh384 or hmac-jh512"),
        ] {
            assert!(message(name).ends_with(&format!("name {members}")), "{}", message(name));
        }
        for name in ["blake2", "blake2b", "BLAKE2b-256", "blake2s256", "blake2bp", "blake3"] {
            assert!(message(name).contains("another function"), "{name}");
            assert!(!message(name).contains("did you mean"), "{name}");
        }
        assert!(message("blake225").contains("did you mean blake224"));
        assert!(message("hmac").contains("hmac-sha256"));
        for (name, known) in [
            ("sha224+sha256", "sha224 or sha256"),
            ("SHA-384 + sha512+sha384", "sha384 or sha512"),
            ("sha257+sha256", "sha256"),
            ("sha256+", "sha256"),
        ] {
            let said = message(name);
            assert!(said.contains("only `manylane emit rtl` takes names joined by `+`"), "{said}");
            assert!(said.ends_with(&format!("; name one here: {known}")), "{said}");
        }
        assert!(message("c++").starts_with("unknown algorithm c++\n"));
        assert!(message("hmac-sha257").contains("did you mean hmac-sha256"));
        assert_eq!(message(""), "unknown algorithm ''\n`manylane list` shows all there are");
        assert_eq!(hash("sha256"), Ok(Algorithm::new(HashId::Sha256)));
        assert!(
            hash("hmac-md5").unwrap_err().to_string().ends_with("no core of its own; name md5")
        );
    }

    #[test]
    fn lengths_are_those_that_are_defined() {
        let sha256 = Algorithm::new(HashId::Sha256);
        assert!(with_bits(sha256, 128).unwrap_err().to_string().contains("256 bits, not of 128"));
        let skein = Algorithm::new(HashId::Skein512);
        assert_eq!(with_bits(skein, 256).unwrap().digest_bytes(), 32);
        for (bits, why) in [(12, "multiple of 8"), (0, "1 to"), (1 << 30, "1 to")] {
            assert!(with_bits(skein, bits).unwrap_err().to_string().contains(why), "{bits}");
        }
        assert!(with_bits(skein, usize::MAX & !7).is_err());
        for (name, bits, found) in [
            ("sha3", 256, "sha3-256"),
            ("sha2", 224, "sha224"),
            ("blake", 512, "blake512"),
            ("skein512", 256, "skein512-256"),
            ("sha256", 256, "sha256"),
        ] {
            assert_eq!(parse_with_bits(name, bits), Ok(Named::Hash(found.parse().unwrap())));
        }
        assert!(matches!(parse_with_bits("sha3", 100), Err(Error::Family(..))));
        assert!(matches!(parse_with_bits("skein", 256), Err(Error::Family(..))));
        assert!(matches!(parse_with_bits("sha1", 256), Err(Error::Length(..))));
        for (name, leaves) in [
            ("skein512", true),
            ("Skein-512", true),
            ("hmac-shake128", true),
            ("skein512-512", false),
            ("sha256", false),
        ] {
            assert_eq!(leaves_length(name), leaves, "{name}");
        }
    }
}
