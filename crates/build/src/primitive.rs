//! A primitive that programs are written for: its names, and what is to be said of it.

use crate::error::Error;
use manylane_graph::Op;
use manylane_graph::trace;
use manylane_primitives::catalog::{Algorithm, HashId, Security};
use manylane_primitives::cipher::Rc5Params;
use std::fmt;

/// Bits of the longest digest for which programs are written.
const MOST_DIGEST_BITS: usize = 1 << 16;

/// RC5 with the parameters that its author calls nominal, and with those of the vectors of
/// draft-krovetz-rc6-rc5-vectors-00 that a byte can state.
const CIPHERS: [&str; 5] =
    ["rc5-32/12/16", "rc5-8/12/4", "rc5-16/16/8", "rc5-32/20/16", "rc5-64/24/24"];

/// A primitive that programs are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primitive {
    /// A hash function.
    Hash(Algorithm),
    /// HMAC with a hash function.
    Hmac(Algorithm),
    /// RC5 with its parameters.
    Rc5(Rc5Params),
}

impl Primitive {
    /// Every hash, HMAC with each that it is defined for, and RC5 with words of each width.
    pub fn all() -> Vec<Self> {
        let hashes = || HashId::ALL.iter().map(|&id| Algorithm::from(id));
        let macs = hashes().map(Self::Hmac).filter(|mac| mac.check(&mac.name()).is_ok());
        let ciphers = CIPHERS.iter().map(|name| Self::Rc5(name.parse().expect("parameters")));
        hashes().map(Self::Hash).chain(macs).chain(ciphers).collect()
    }

    /// Checks that programs are written for it; `name` is what a person calls it.
    ///
    /// # Errors
    /// If the digest is too long, or HMAC is not defined with the hash.
    pub fn check(self, name: &str) -> Result<(), Error> {
        let (Self::Hash(hash) | Self::Hmac(hash)) = self else { return Ok(()) };
        let (digest, block) = (hash.digest_bytes(), hash.id().entry().shape.block_bytes);
        let name = name.to_owned();
        if digest > MOST_DIGEST_BITS / 8 {
            let (bits, most) = (8 * digest, MOST_DIGEST_BITS);
            return Err(Error::Digest { name, bits, language: "C", most });
        }
        if matches!(self, Self::Hmac(_)) && digest > block {
            return Err(Error::Hmac { name, digest, block });
        }
        Ok(())
    }

    /// Whether it has an S-box, which a program can compute or look up in a table.
    pub fn has_s_box(self) -> bool {
        match self {
            Self::Hash(hash) | Self::Hmac(hash) => {
                let compression = trace::compression(hash);
                compression.nodes().any(|node| compression.op(node) == Op::SubBytes)
            }
            Self::Rc5(_) => false,
        }
    }

    /// Its name in the catalogue.
    pub fn name(self) -> String {
        self.to_string()
    }

    /// The prefix of the primitive's names in C, and the prefix of the names of the hash in it.
    pub fn prefixes(self, name: Option<&str>) -> (String, String) {
        let usual = self.name().replace(['-', '/'], "_");
        let prefix = name.map_or(usual, str::to_owned);
        let hash = match (self, name) {
            (Self::Hmac(hash), None) => hash.to_string().replace(['-', '/'], "_"),
            (Self::Hmac(_), Some(name)) => format!("{name}_hash"),
            (Self::Hash(_) | Self::Rc5(_), _) => prefix.clone(),
        };
        (prefix, hash)
    }

    /// Its name in its standard, and the standard.
    pub fn title(self) -> (String, String) {
        match self {
            Self::Hash(hash) => (title(hash), hash.id().entry().standard.to_owned()),
            Self::Hmac(hash) => {
                let standard = format!("RFC 2104, FIPS 198-1; {}", hash.id().entry().standard);
                (format!("HMAC with {}", title(hash)), standard)
            }
            Self::Rc5(params) => {
                let title = params.to_string().to_uppercase();
                (title, "RFC 2040".to_owned())
            }
        }
    }

    /// The security warning about it, if there is one.
    pub fn warning(self) -> Option<String> {
        match self {
            Self::Hash(hash) | Self::Hmac(hash) => match hash.id().entry().security {
                Security::Broken(why) | Security::Aged(why) => {
                    Some(format!("{}: {why}.", hash.id().entry().title))
                }
                Security::Standard | Security::Finalist => None,
            },
            Self::Rc5(params) => Some(rc5_warning(params)),
        }
    }
}

impl fmt::Display for Primitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hash(hash) => hash.fmt(f),
            Self::Hmac(hash) => write!(f, "hmac-{hash}"),
            Self::Rc5(params) => params.fmt(f),
        }
    }
}

/// A hash's name in its standard, with the digest's length where that is not the usual one.
fn title(hash: Algorithm) -> String {
    let entry = hash.id().entry();
    match hash == Algorithm::new(hash.id()) {
        true => entry.title.to_owned(),
        false => format!("{} with digests of {} bits", entry.title, 8 * hash.digest_bytes()),
    }
}

/// Keys of fewer bytes can be found by trying all of them.
const GUESSED: usize = 10;

/// The warning about RC5 with these parameters. Of 2^w blocks of 2w bits two are equal about as
/// likely as not, which the ciphertexts of CBC and CTR then show.
fn rc5_warning(params: Rc5Params) -> String {
    let bound = match params.word_bits() {
        8 => Some("512 bytes"),
        16 => Some("256 KiB"),
        32 => Some("a few gigabytes"),
        _ => None,
    };
    let mut warning = match bound {
        Some(bound) => format!(
            "RC5 is old, and with blocks of {} bytes a key is safe for {bound} at most.",
            params.block_bytes()
        ),
        None => "RC5 is old; AES or ChaCha20 is for new designs.".to_owned(),
    };
    if params.key_bytes() < GUESSED {
        warning += &format!(" A key of {} bits can be found by trying.", 8 * params.key_bytes());
    }
    warning
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn all_have_names_of_their_own_and_programs() {
        let all = Primitive::all();
        let names: BTreeSet<String> = all.iter().map(|of| of.name()).collect();
        assert_eq!(names.len(), all.len());
        assert!(names.contains("hmac-md5") && names.contains(&Rc5Params::default().to_string()));
        let has_words =
            |bits: usize| names.iter().any(|of| of.starts_with(&format!("rc5-{bits}/")));
        assert!([8, 16, 32, 64].into_iter().all(has_words));
        assert!(all.iter().all(|of| of.check(&of.name()).is_ok()));
    }

    #[test]
    fn digests_that_are_too_long_are_refused_by_the_given_name() {
        let of = |name: &str| name.parse::<Algorithm>().unwrap();
        let refused = |of: Primitive| of.check("IT").unwrap_err().to_string();
        let long = of("shake128").with_digest_bytes(1 << 14).unwrap();
        assert_eq!(
            refused(Primitive::Hash(long)),
            "IT: a digest of 131072 bits; C is written for 65536 at most"
        );
        let hash = of("skein256-512");
        assert!(Primitive::Hash(hash).check("IT").is_ok());
        assert_eq!(
            refused(Primitive::Hmac(hash)),
            "IT: HMAC needs a digest (64 bytes) no longer than the block (32 bytes); ask for a \
             shorter digest"
        );
    }
}
