//! The algorithms that --algorithm, --length and --key-file select in the programs of files.

use crate::terminal::output::complain;
use anyhow::bail;
use manylane_engine::{Algorithm, HashId};
use manylane_files::hashing::{Function, Key};
use manylane_files::lists::checkfile::Parser;
use manylane_files::names::{self, DEFAULT, Named};
use manylane_files::quote::quote;
use manylane_files::system::os;
use manylane_files::system::reason;
use std::path::Path;

/// The options as they were given.
pub struct Asked<'a> {
    /// Every --algorithm.
    pub algorithms: &'a [String],
    /// --length, in bits.
    pub length: Option<usize>,
    /// --key-file.
    pub key_file: Option<&'a Path>,
    /// Who asks.
    pub by: By,
}

/// Who asks for algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// `sum`, which computes any number of them.
    Sum,
    /// `sum --check`, whose lists may say their algorithms and lengths.
    Check,
    /// `audit`, whose lists may say them too.
    Audit,
    /// `dedupe`.
    Dedupe,
}

impl By {
    /// The reason why only one algorithm is taken, if only one is.
    fn takes_one(self) -> Option<&'static str> {
        match self {
            Self::Sum => None,
            Self::Check => {
                Some("--check takes the lines of one algorithm; without -a it takes those of all")
            }
            Self::Audit => Some(
                "lines that do not say what they are of have digests of one hash; all others need \
                 no -a",
            ),
            Self::Dedupe => Some("files are compared by one hash: name one of them"),
        }
    }
}

/// An algorithm to compute, and the lines of lists that are taken.
pub struct Wanted {
    /// The hash; with `key`, HMAC over it.
    pub hash: Algorithm,
    /// The key of an HMAC.
    pub key: Option<Key>,
    /// Whether --algorithm names it, so that lines of other algorithms are refused.
    pub named: bool,
    /// The bits that digests of any length must have.
    bits: Option<usize>,
    /// The name of a family in whose place the hash stands, and its hashes.
    family: Option<(String, Vec<Algorithm>)>,
}

/// The names of what is computed, with commas between them.
pub fn all_names(wanted: &[Wanted]) -> String {
    wanted.iter().map(Wanted::name).collect::<Vec<_>>().join(",")
}

impl Wanted {
    /// All algorithms that are asked for, each once, in the order of the names. Reads the key too.
    ///
    /// # Errors
    /// If the options contradict each other or ask for what is not there, or the key cannot be
    /// read; where one algorithm is taken, also for more of them.
    pub fn all(asked: &Asked) -> anyhow::Result<Vec<Self>> {
        if asked.by == By::Check
            && let [name] = asked.algorithms
            && let (None, None) = (asked.length, asked.key_file)
            && let Some(family) = names::family(name)
        {
            let hash = family[0];
            let family = Some((name.to_uppercase(), family));
            return Ok(vec![Self { hash, key: None, named: true, bits: None, family }]);
        }
        let names = asked.algorithms.iter().flat_map(|names| names.split(',')).map(str::trim);
        let mut all: Vec<(&str, Named)> = Vec::new();
        for name in names {
            let named = match asked.length {
                Some(bits) => {
                    names::parse_with_bits(name, bits).map_err(|error| of_bits(error, bits))?
                }
                None if asked.by == By::Dedupe => names::parse(name).map_err(several)?,
                None => names::parse(name).map_err(with_length)?,
            };
            if all.iter().all(|(_, other)| *other != named) {
                all.push((name, named));
            }
        }
        let Some(&(first, _)) = all.first() else { return Ok(vec![Self::unnamed(asked)?]) };
        if let Some(&(second, _)) = all.get(1)
            && let Some(why) = asked.by.takes_one()
        {
            let (first, second) = (quote(first.as_bytes()), quote(second.as_bytes()));
            bail!("-a {first} -a {second}: {why}")
        }
        let keyed = all.iter().find(|(_, named)| matches!(named, Named::Hmac(_)));
        if let Some((name, _)) = keyed.filter(|_| !matches!(asked.by, By::Sum | By::Check)) {
            bail!("{name} needs a key, and hashes without one are taken here alone: name a hash");
        }
        let key = match (keyed, asked.key_file) {
            (None, None) => None,
            (None, Some(_)) => {
                bail!("{first} takes no key: --key-file is for hmac-{first} and its like")
            }
            (Some((name, _)), None) => bail!("{name} needs a key: give --key-file FILE"),
            (Some(_), Some(file)) => Some(read_key(file)?),
        };
        let one = |(name, named): (&str, Named)| {
            let hash = named.hash();
            let key = key.clone().filter(|_| matches!(named, Named::Hmac(_)));
            let free = asked.length.is_none() && names::leaves_length(name);
            let bits = (!free).then_some(8 * hash.digest_bytes());
            Self { hash, key, named: true, bits, family: None }
        };
        Ok(all.into_iter().map(one).collect())
    }

    /// Returns what is wanted without --algorithm.
    fn unnamed(asked: &Asked) -> anyhow::Result<Self> {
        let hash = Algorithm::new(DEFAULT);
        if asked.key_file.is_some() {
            bail!("{hash} takes no key: --key-file is for -a hmac-{hash} and its like");
        }
        match asked.length {
            // Any hash of free length will do to say what is wrong with a length.
            Some(bits) if matches!(asked.by, By::Check | By::Audit) => {
                _ = names::with_bits(Algorithm::new(HashId::Shake256), bits)?
            }
            Some(bits) => _ = names::with_bits(hash, bits)?,
            None => {}
        }
        Ok(Self { hash, key: None, named: false, bits: asked.length, family: None })
    }

    /// The function that is computed over each file.
    pub fn function(&self) -> Function {
        Function::new(self.hash, self.key.as_ref())
    }

    /// Its name on the command line.
    pub fn name(&self) -> String {
        match self.key {
            None => Named::Hash(self.hash).name(),
            Some(_) => Named::Hmac(self.hash).name(),
        }
    }

    /// The tag of its lines.
    pub fn tag(&self) -> String {
        if let Some((name, _)) = &self.family {
            return name.clone();
        }
        names::tag(self.hash, self.key.is_some())
    }

    /// Whether --algorithm names it.
    pub fn is_named(&self) -> bool {
        self.named
    }

    /// A reader of the lines that are taken.
    pub fn parser(&self) -> Parser {
        let family = self.family.iter().flat_map(|(_, hashes)| hashes.iter().copied()).collect();
        let parser = Parser::new(self.hash).bound(self.named).family(family);
        parser.bits(self.bits).keyed(self.key.is_some())
    }

    /// A reader of lists whose lines may be of any hash; lines without a tag are of the first of
    /// `all`. Digests of fewer than 128 bits are taken only in the lengths that were asked for.
    pub fn list_parser(all: &[Self]) -> Parser {
        Parser::new(all[0].hash).short(all.iter().filter_map(|one| one.bits))
    }
}

/// An error that says that --length chooses from a family.
fn with_length(error: names::Error) -> anyhow::Error {
    match error {
        names::Error::Family(..) => anyhow::anyhow!("{error}, or give --length"),
        error => several(error),
    }
}

/// An error that names the length that no hash of a family has.
fn of_bits(error: names::Error, bits: usize) -> anyhow::Error {
    match error {
        names::Error::Family(name, members) => {
            let (name, members) = (quote(name.as_bytes()), names::alternatives(&members));
            anyhow::anyhow!("{name} has no hash with digests of {bits} bits: name {members}")
        }
        error => several(error),
    }
}

/// An error that says how several algorithms are named.
fn several(error: names::Error) -> anyhow::Error {
    match error {
        names::Error::Joined(name, _) => {
            let name = quote(name.as_bytes());
            anyhow::anyhow!("{name}: algorithms have a comma between them, as in -a sha1,sha256")
        }
        error => error.into(),
    }
}

/// The most bytes of a key. A device that never ends would else take all memory.
const LONGEST_KEY: usize = 64 << 20;

fn read_key(file: &Path) -> anyhow::Result<Key> {
    let name = quote(file.as_os_str().as_encoded_bytes());
    let key = os::read_at_most(file, LONGEST_KEY + 1);
    let key = key.map_err(|error| anyhow::anyhow!("{name}: {}", reason(&error)))?;
    if key.len() > LONGEST_KEY {
        bail!("{name}: a key has at most {} MiB; name another file", LONGEST_KEY >> 20);
    }
    if key.is_empty() {
        complain(&format!(
            "WARNING: {name}: the key is empty, so that anybody can make these tags"
        ));
    }
    Ok(Key::from(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(
        algorithms: &[&str],
        length: Option<usize>,
        check: bool,
    ) -> Result<Vec<Wanted>, String> {
        let algorithms: Vec<String> = algorithms.iter().map(|name| (*name).to_owned()).collect();
        let by = if check { By::Check } else { By::Sum };
        Wanted::all(&Asked { algorithms: &algorithms, length, key_file: None, by })
            .map_err(|error| error.to_string())
    }

    #[test]
    fn algorithms_are_asked_for() {
        for (names, length, found) in [
            (&[][..], None, &["sha256"][..]),
            (&["md5"], None, &["md5"]),
            (&["sha256", "SHA-256"], None, &["sha256"]),
            (&["sha3"], Some(384), &["sha3-384"]),
            (&["skein512"], Some(128), &["skein512-128"]),
            (&["skein512-256"], Some(256), &["skein512-256"]),
            (&["sha256", "md5"], None, &["sha256", "md5"]),
            (&["sha256,md5", "SHA-256, blake256"], None, &["sha256", "md5", "blake256"]),
            (&["shake128,skein512"], Some(256), &["shake128", "skein512-256"]),
        ] {
            for check in [false, true] {
                match wanted(names, length, check) {
                    Ok(all) => {
                        let all: Vec<_> = all.iter().map(|one| one.hash.to_string()).collect();
                        assert_eq!(all, found, "{names:?}");
                    }
                    Err(message) => {
                        assert!(check && found.len() > 1, "{message}");
                        assert!(message.contains("lines of one algorithm"), "{message}");
                    }
                }
            }
        }
        for (names, length, word) in [
            (&["sha256", "nonsense"][..], None, "unknown algorithm nonsense"),
            (&["sha256,"], None, "unknown algorithm"),
            (&[","], None, "unknown algorithm"),
            (&["sha3"], None, "sha3-512, or give --length"),
            (&["sha3"], Some(100), "sha3-224"),
            (&["sha2"], Some(257), "sha2 has no hash with digests of 257 bits: name sha"),
            (&["hmac-sha256"], None, "--key-file"),
            (&["sha1,hmac-sha256"], None, "hmac-sha256 needs a key"),
            (&["sha256"], Some(8), "256 bits, not of 8"),
            (&["skein512"], Some(12), "multiple of 8"),
        ] {
            let message = wanted(names, length, false).err().unwrap();
            assert!(message.contains(word), "{message}");
        }
        // Lists may be of a family: the digits tell which of its hashes a line is of.
        assert_eq!(wanted(&["sha3"], None, true).unwrap()[0].tag(), "SHA3");
        assert!(wanted(&["skein"], None, true).is_err());
        assert!(wanted(&[], Some(8), false).is_err());
        assert!(wanted(&[], Some(8), true).is_ok());
        for wrong in [0, 12, usize::MAX] {
            assert!(wanted(&[], Some(wrong), true).is_err());
        }
    }
}
