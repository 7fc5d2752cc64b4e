//! The subject of a C library: a hash, HMAC with one, or RC5, from the definition.

use super::cipher::Rc5Programs;
use crate::explain;
use anyhow::bail;
use manylane_emit::c::{About, Cores, Folder, Hash, Library, Options, Programs, Subject};
use manylane_files::names::{self, MAX_DIGEST_BITS, Named};
use manylane_graph::Op;
use manylane_graph::calls::{digest, hmac};
use manylane_graph::framing::{ByteOrder, Stream, stream};
use manylane_graph::part;
use manylane_graph::trace;
use manylane_plan::Platform;
use manylane_plan::program::Program;
use manylane_plan::program::shape::{Shape, two};
use manylane_primitives::catalog::{Algorithm, HashId, Security};
use manylane_primitives::cipher::Rc5Params;

/// A primitive that C is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primitive {
    /// A hash function.
    Hash(Algorithm),
    /// HMAC with it.
    Hmac(Algorithm),
    /// RC5 with its parameters.
    Rc5(Rc5Params),
}

impl Primitive {
    /// Every hash, HMAC with each that it is defined for, and RC5.
    pub fn all() -> Vec<Self> {
        let hashes = || HashId::ALL.iter().map(|&id| Algorithm::from(id));
        let macs = hashes().map(|hash| format!("hmac-{hash}")).flat_map(|name| Self::parse(&name));
        hashes().map(Self::Hash).chain(macs).chain(Self::parse("rc5")).collect()
    }

    /// The primitive of a name.
    ///
    /// # Errors
    /// If none has it, or the digest is too long.
    pub fn parse(name: &str) -> anyhow::Result<Self> {
        let primitive = match names::parse(name) {
            Ok(Named::Hmac(hash)) => Self::Hmac(hash),
            Ok(Named::Hash(hash)) => Self::Hash(hash),
            Err(_) => match explain::subject(name)? {
                part::Subject::Hash(hash) => Self::Hash(hash),
                part::Subject::Rc5(params) => Self::Rc5(params),
            },
        };
        let (Self::Hash(hash) | Self::Hmac(hash)) = primitive else { return Ok(primitive) };
        let (bytes, block) = (hash.digest_bytes(), hash.id().entry().shape.block_bytes);
        if bytes > MAX_DIGEST_BITS / 8 {
            bail!(
                "{name}: a digest of {} bits; C is written for {MAX_DIGEST_BITS} at most",
                8 * bytes as u64
            );
        }
        if matches!(primitive, Self::Hmac(_)) && bytes > block {
            bail!(
                "{name}: HMAC needs a digest ({bytes} bytes) no longer than the block ({block} \
                 bytes); \
                 ask for a shorter digest"
            );
        }
        Ok(primitive)
    }

    /// Whether it computes bytes that tables of an S-box have.
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
        match self {
            Self::Hash(hash) => hash.to_string(),
            Self::Hmac(hash) => format!("hmac-{hash}"),
            Self::Rc5(params) => params.to_string(),
        }
    }

    /// The prefix of its names in C, and that of the names of the hash in it.
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

    /// The folder of its library.
    ///
    /// # Errors
    /// As [`Library::make`].
    pub fn folder(
        self,
        about: &About<'_>,
        options: &Options,
        shape: Shape,
        platform: &Platform,
    ) -> anyhow::Result<Folder> {
        match self {
            Self::Hash(hash) => HashPrograms::new(hash, options.cores, shape, platform)?
                .folder(false, about, options),
            Self::Hmac(hash) => HashPrograms::new(hash, options.cores, shape, platform)?
                .folder(true, about, options),
            Self::Rc5(params) => {
                Rc5Programs::new(params, options.cores, shape, platform)?.folder(about, options)
            }
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

/// A hash function with the programs of its compression.
pub struct HashPrograms {
    pub algorithm: Algorithm,
    pub stream: Stream,
    /// On one core.
    pub one: Program,
    /// With a share for a second core, if one is asked for.
    pub two: Option<Program>,
}

/// Plans hashes for a platform, each compression once: many hashes have the same one.
pub struct Planner<'p> {
    pub shape: Shape,
    pub platform: &'p Platform,
    known: Vec<Known>,
}

/// A compression that is planned.
struct Known {
    /// In which it loads the words of messages.
    order: ByteOrder,
    one: Program,
    two: Program,
}

impl<'p> Planner<'p> {
    pub fn new(shape: Shape, platform: &'p Platform) -> Self {
        Self { shape, platform, known: Vec::new() }
    }

    /// The programs of a hash, for one core or for both.
    pub fn plan(&mut self, algorithm: Algorithm, cores: Cores) -> anyhow::Result<HashPrograms> {
        let mut programs = HashPrograms::new(algorithm, Cores::One, self.shape, self.platform)?;
        if cores == Cores::One {
            return Ok(programs);
        }
        let (one, order) = (&programs.one, programs.stream.framing.order);
        let is_same =
            |known: &&Known| known.order == order && known.one.rolled.is_alike(&one.rolled);
        let two = match self.known.iter().find(is_same) {
            Some(known) => known.two.renamed_as(one),
            None => two(one, order, self.platform)?,
        };
        self.known.push(Known { order, one: one.clone(), two: two.clone() });
        programs.two = Some(two);
        Ok(programs)
    }
}

impl HashPrograms {
    /// Plans a hash for so many cores of a platform.
    pub fn new(
        algorithm: Algorithm,
        cores: Cores,
        shape: Shape,
        platform: &Platform,
    ) -> anyhow::Result<Self> {
        let stream = stream(algorithm)?;
        let one = shape.one(&trace::literal_compression(algorithm));
        let two = match cores {
            Cores::One => None,
            Cores::Two => Some(two(&one, stream.framing.order, platform)?),
        };
        Ok(Self { algorithm, stream, one, two })
    }

    /// Whether a second core has a share of a compression.
    pub fn has_share(&self) -> bool {
        self.two.as_ref().is_some_and(|two| two.processors > 1)
    }

    /// Bytes of the digest.
    pub fn digest_bytes(&self) -> usize {
        self.stream.digest_bytes
    }

    /// Calls of the compression for a message of so many bytes.
    pub fn blocks(&self, bytes: usize) -> usize {
        let framing = &self.stream.framing;
        framing.blocks(&vec![0; bytes]).len() + usize::from(framing.closing.is_some())
    }

    /// The library, with HMAC if that is asked for.
    pub fn folder(
        &self,
        is_keyed: bool,
        about: &About<'_>,
        options: &Options,
    ) -> anyhow::Result<Folder> {
        let digest = |message: &[u8]| digest(self.algorithm, message);
        let mac = |key: &[u8], message: &[u8]| hmac(self.algorithm, key, message);
        let compression = Programs { one: &self.one, two: self.two.as_ref() };
        let hash = Hash { stream: &self.stream, compression, digest: &digest };
        let subject = Subject::Hash { hash: &hash, mac: if is_keyed { Some(&mac) } else { None } };
        Ok(Library { about, options }.make(&subject)?)
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
