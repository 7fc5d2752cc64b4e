//! From what people write to what is computed: names, tags of checksum lines, lengths of digests.

use crate::quote::quote;
use manylane_engine::{Algorithm, HashId};
use manylane_plan::nearest::nearest_by;
use std::fmt;

/// The longest digest that can be asked for, in bits, of a hash that has no longest.
pub const MAX_DIGEST_BITS: usize = 1 << 16;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A hash function.
    Hash(Algorithm),
    /// HMAC with this hash function, to be given a key.
    Hmac(Algorithm),
}

/// Why a name or a length stands for nothing that can be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// No primitive has the name; these have names like it.
    Unknown(String, Vec<&'static str>),
    /// An HMAC, where there is only its hash.
    Keyed(String, Algorithm),
    /// A block cipher of the catalogue.
    BlockCipher(String),
    /// The hash has no digest of so many bits.
    Length(Algorithm, usize),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name, near) => {
                write!(f, "unknown algorithm {}", quote(name.as_bytes()))?;
                match &near[..] {
                    [] => {}
                    [one] => write!(f, "; did you mean {one}?")?,
                    [first @ .., last] => {
                        write!(f, "; did you mean {} or {last}?", first.join(", "))?
                    }
                }
                f.write_str("\n`manylane list` shows all there are")
            }
            Self::Keyed(name, hash) => {
                write!(f, "{name}: HMAC calls its hash and has no core of its own; name {hash}")
            }
            Self::BlockCipher(name) => {
                write!(f, "{name} is a block cipher, not a hash function: it makes no digests")
            }
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
        }
    }
}

impl std::error::Error for Error {}

/// What `name` stands for: a hash function, or `hmac-` and a hash function.
pub fn parse(name: &str) -> Result<Named, Error> {
    let lower = name.to_lowercase().replace('_', "-");
    if lower.split('-').next() == Some("rc5") {
        return Err(Error::BlockCipher(name.to_owned()));
    }
    let (base, named): (_, fn(Algorithm) -> Named) = match lower.strip_prefix("hmac-") {
        Some(base) => (base, Named::Hmac),
        None => (&lower[..], Named::Hash),
    };
    match base.parse::<Algorithm>().ok().filter(|&hash| is_affordable(hash)) {
        Some(hash) => Ok(named(hash)),
        None => Err(Error::Unknown(name.to_owned(), near(base))),
    }
}

/// The hash function that `name` stands for, where HMAC is not wanted: there are no cores of it.
pub fn hash(name: &str) -> Result<Algorithm, Error> {
    match parse(name)? {
        Named::Hash(hash) => Ok(hash),
        Named::Hmac(hash) => Err(Error::Keyed(name.to_owned(), hash)),
    }
}

/// The same hash with digests of `bits` bits.
pub fn with_bits(hash: Algorithm, bits: usize) -> Result<Algorithm, Error> {
    (bits.is_multiple_of(8).then_some(bits / 8))
        .and_then(|bytes| hash.with_digest_bytes(bytes))
        .filter(|&hash| is_affordable(hash))
        .ok_or(Error::Length(hash, bits))
}

/// Whether digests are short enough that thousands of them fit in memory.
fn is_affordable(hash: Algorithm) -> bool {
    8 * hash.digest_bytes() <= MAX_DIGEST_BITS
}

/// Up to three names like `name`, the likest first.
fn near(name: &str) -> Vec<&'static str> {
    let entries = HashId::ALL.iter().map(|id| id.entry());
    let known = entries.flat_map(|entry| {
        let names = entry.aliases.iter().copied().chain([entry.name]);
        names.map(move |known| (known, entry.name))
    });
    nearest_by(name, known)
}

/// What stands before the tag of a hash that HMAC is computed over.
const HMAC: &str = "HMAC-";

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
        tag.insert_str(0, HMAC);
    }
    if hash.digest_bytes() != Algorithm::new(hash.id()).digest_bytes() {
        tag.push_str(&format!("-{}", 8 * hash.digest_bytes()));
    }
    tag
}

/// The hash that the tag of a line names: by its [`tag`], its title, its name or an alias. The tag
/// of an HMAC names none without a key, and with one no other does.
pub fn by_tag(tag: &[u8], keyed: bool) -> Option<Algorithm> {
    let tag = std::str::from_utf8(tag).ok()?;
    let tag = match keyed {
        true => tag
            .get(..HMAC.len())
            .filter(|start| start.eq_ignore_ascii_case(HMAC))
            .and(tag.get(HMAC.len()..))?,
        false => tag,
    };
    let titled = |title: &str| {
        let same = |id: &&HashId| id.entry().title.eq_ignore_ascii_case(title);
        HashId::ALL.iter().find(same).map(|&id| Algorithm::new(id))
    };
    let sized = || {
        let (base, bits) = tag.rsplit_once('-')?;
        with_bits(titled(base)?, bits.parse().ok()?).ok()
    };
    // OpenSSL's SHA2-512/256 beside our sha2-512-256.
    let named = || tag.parse().or_else(|_| tag.replace('/', "-").parse()).ok();
    titled(tag).or_else(named).or_else(sized).filter(|&hash| is_affordable(hash))
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
                assert_eq!(by_tag(name.as_bytes(), false), Some(hash), "{name}");
                assert_eq!(by_tag(name.as_bytes(), true), None, "{name}");
                let keyed = format!("hmac-{name}");
                assert_eq!(by_tag(keyed.as_bytes(), true), Some(hash), "{keyed}");
                assert_eq!(by_tag(keyed.as_bytes(), false), None, "{keyed}");
            }
            if let Some(other) = hash.with_digest_bytes(20).filter(|_| entry.shape.any_length) {
                assert_eq!(by_tag(tag(other, false).as_bytes(), false), Some(other));
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
            assert_eq!(by_tag(text.as_bytes(), false), name.parse().ok(), "{text}");
        }
        for wrong in ["", "SHA257", "sha256 ", "shake128-80000000", "rc5"] {
            assert_eq!(by_tag(wrong.as_bytes(), false), None, "{wrong}");
        }
        assert_eq!(tag("sha256".parse().unwrap(), false), "SHA256");
        assert_eq!(tag("skein512-256".parse().unwrap(), false), "Skein-512-256");
    }

    #[test]
    fn names_are_understood_or_explained() {
        assert_eq!(parse("SHA_256".replace("SHA_", "sha2-").as_str()), parse("sha256"));
        assert!(
            matches!(parse("HMAC-SHA256"), Ok(Named::Hmac(hash)) if hash.to_string() == "sha256")
        );
        let message = |name| parse(name).unwrap_err().to_string();
        assert!(message("sha257").contains("did you mean sha256"), "{}", message("sha257"));
        assert!(message("sha257").contains("manylane list"));
        assert!(!message("whirlpool").contains("did you mean"));
        assert!(message("rc5").contains("block cipher"));
        assert_eq!(hash("sha256"), Ok(Algorithm::new(HashId::Sha256)));
        assert!(
            hash("hmac-md5").unwrap_err().to_string().ends_with("no core of its own; name md5")
        );
        assert!(message("rc5-32/12/16").contains("block cipher"));
        let sha256 = Algorithm::new(HashId::Sha256);
        assert!(with_bits(sha256, 128).unwrap_err().to_string().contains("256 bits, not of 128"));
        let skein = Algorithm::new(HashId::Skein512);
        assert_eq!(with_bits(skein, 256).unwrap().digest_bytes(), 32);
        for (bits, why) in [(12, "multiple of 8"), (0, "1 to"), (1 << 30, "1 to")] {
            assert!(with_bits(skein, bits).unwrap_err().to_string().contains(why), "{bits}");
        }
    }
}
