//! What `manylane sum` is asked to compute by --algorithm, --length and --key-file.

use crate::checkfile::Parser;
use crate::files::{Function, Key};
use crate::names::{self, Named};
use crate::output::{complain, reason};
use crate::quote::quote;
use anyhow::bail;
use manylane_engine::{Algorithm, HashId};
use std::path::Path;

/// The options as they were given.
pub struct Asked<'a> {
    /// Every --algorithm.
    pub algorithms: &'a [String],
    /// --length, in bits.
    pub length: Option<usize>,
    /// --key-file.
    pub key_file: Option<&'a Path>,
    /// Whether lists are checked, whose lines may say their algorithm and length.
    pub check: bool,
}

/// What is computed, and which lines of lists are taken.
pub struct Wanted {
    /// The hash; with `key`, HMAC over it.
    pub hash: Algorithm,
    /// The key of an HMAC.
    pub key: Option<Key>,
    /// Whether --algorithm names it, so that lines of other algorithms are refused.
    named: bool,
    /// The bits that digests of any length must have.
    bits: Option<usize>,
}

/// What is computed unless something else is asked for.
const DEFAULT: HashId = HashId::Sha256;

impl Wanted {
    /// Reads the key too.
    ///
    /// # Errors
    /// If the options contradict each other or ask for what is not there, or the key cannot be
    /// read.
    pub fn new(asked: &Asked) -> anyhow::Result<Self> {
        let Some(name) = the_one(asked.algorithms)? else {
            return Self::unnamed(asked);
        };
        let named = match asked.length {
            Some(bits) => names::parse_with_bits(name, bits)?,
            None => names::parse(name).map_err(with_length)?,
        };
        let hash = named.hash();
        let key = match (named, asked.key_file) {
            (Named::Hash(_), None) => None,
            (Named::Hash(_), Some(_)) => {
                bail!("{name} takes no key: --key-file is for hmac-{name} and its like")
            }
            (Named::Hmac(_), None) => bail!("{name} needs a key: give --key-file FILE"),
            (Named::Hmac(_), Some(file)) => Some(read_key(file)?),
        };
        let free = asked.length.is_none() && names::leaves_length(name);
        let bits = (!free).then_some(8 * hash.digest_bytes());
        Ok(Self { hash, key, named: true, bits })
    }

    /// Without --algorithm.
    fn unnamed(asked: &Asked) -> anyhow::Result<Self> {
        let hash = Algorithm::new(DEFAULT);
        if asked.key_file.is_some() {
            bail!("{hash} takes no key: --key-file is for -a hmac-{hash} and its like");
        }
        match asked.length {
            // Any hash of free length will do to say what is wrong with a length.
            Some(bits) if asked.check => {
                _ = names::with_bits(Algorithm::new(HashId::Shake256), bits)?
            }
            Some(bits) => _ = names::with_bits(hash, bits)?,
            None => {}
        }
        Ok(Self { hash, key: None, named: false, bits: asked.length })
    }

    /// What is computed over each file.
    pub fn function(&self) -> Function {
        Function::new(self.hash, self.key.as_ref())
    }

    /// The tag of its lines.
    pub fn tag(&self) -> String {
        names::tag(self.hash, self.key.is_some())
    }

    /// Whether --algorithm names it.
    pub fn is_named(&self) -> bool {
        self.named
    }

    /// A reader of the lines that are taken.
    pub fn parser(&self) -> Parser {
        Parser::new(self.hash).bound(self.named).bits(self.bits).keyed(self.key.is_some())
    }
}

/// The one algorithm that is asked for, if any; by whatever names, but only one.
fn the_one(algorithms: &[String]) -> anyhow::Result<Option<&String>> {
    let Some((first, others)) = algorithms.split_first() else { return Ok(None) };
    let differs = |other: &&String| other != &first && names::parse(other) != names::parse(first);
    let both = match others.iter().find(differs) {
        Some(other) => format!("-a {} -a {}", quote(first.as_bytes()), quote(other.as_bytes())),
        None if first.contains(',') => format!("-a {}", quote(first.as_bytes())),
        None => return Ok(Some(first)),
    };
    bail!("{both}: one pass computes one algorithm; run `manylane sum` once for each")
}

/// An error that says that --length chooses from a family.
fn with_length(error: names::Error) -> anyhow::Error {
    match error {
        names::Error::Family(..) => anyhow::anyhow!("{error}, or give --length"),
        error => error.into(),
    }
}

fn read_key(file: &Path) -> anyhow::Result<Key> {
    let key = crate::os::read(file).map_err(|error| {
        anyhow::anyhow!("{}: {}", quote(file.as_os_str().as_encoded_bytes()), reason(&error))
    })?;
    if key.is_empty() {
        let name = quote(file.as_os_str().as_encoded_bytes());
        complain(&format!(
            "WARNING: {name}: the key is empty, so that anybody can make these tags"
        ));
    }
    Ok(Key::from(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(algorithms: &[&str], length: Option<usize>, check: bool) -> Result<Wanted, String> {
        let algorithms: Vec<String> = algorithms.iter().map(|name| (*name).to_owned()).collect();
        Wanted::new(&Asked { algorithms: &algorithms, length, key_file: None, check })
            .map_err(|error| error.to_string())
    }

    #[test]
    fn one_algorithm_is_asked_for() {
        for (names, length, found) in [
            (&[][..], None, "sha256"),
            (&["md5"], None, "md5"),
            (&["sha256", "SHA-256"], None, "sha256"),
            (&["sha3"], Some(384), "sha3-384"),
            (&["skein512"], Some(128), "skein512-128"),
            (&["skein512-256"], Some(256), "skein512-256"),
        ] {
            for check in [false, true] {
                let wanted = wanted(names, length, check).ok().unwrap();
                assert_eq!(wanted.hash.to_string(), found, "{names:?}");
            }
        }
        for (names, length, word) in [
            (&["sha256", "md5"][..], None, "-a sha256 -a md5: one pass computes one algorithm"),
            (&["sha256", "sha256", "md5"], None, "-a sha256 -a md5: one pass"),
            (&["sha256,md5"], None, "-a sha256,md5: one pass"),
            (&["sha256", "nonsense"], None, "one pass"),
            (&["nonsense"], None, "unknown algorithm nonsense"),
            (&["sha3"], None, "sha3-512, or give --length"),
            (&["sha3"], Some(100), "sha3-224"),
            (&["hmac-sha256"], None, "--key-file"),
            (&["sha256"], Some(8), "256 bits, not of 8"),
            (&["skein512"], Some(12), "multiple of 8"),
        ] {
            let message = wanted(names, length, false).err().unwrap();
            assert!(message.contains(word), "{message}");
        }
        assert!(wanted(&[], Some(8), false).is_err());
        assert!(wanted(&[], Some(8), true).is_ok());
        for wrong in [0, 12, usize::MAX] {
            assert!(wanted(&[], Some(wrong), true).is_err());
        }
    }
}
