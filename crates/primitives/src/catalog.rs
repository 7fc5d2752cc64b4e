//! The catalogue: every hash function with its names, its standard and its security. A new hash is
//! one entry of [`for_each_hash!`](crate::for_each_hash).

use crate::family::FAMILIES;
use crate::hash::Hash;
use core::fmt;
use core::str::FromStr;

/// How far a primitive may be trusted today.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// Standardised and unbroken.
    Standard,
    /// Unbroken finalist of the SHA-3 competition that was never made a standard.
    Finalist,
    /// Superseded: no practical break, but no reason for new use.
    Aged(&'static str),
    /// Broken in practice.
    Broken(&'static str),
}

impl fmt::Display for Security {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Standard => f.pad("standard"),
            Self::Finalist => f.pad("SHA-3 finalist, never standardised"),
            Self::Aged(why) => f.pad(why),
            Self::Broken(why) => f.pad(why),
        }
    }
}

/// Calls `$with!` with one entry per hash function whose family is a feature that is on:
/// `Id "name" [aliases] "title" "standard" security => value;`. The tokens in `[$first]`, if there
/// are any, come before the entries.
///
/// Every backend makes its dispatch from this list.
#[macro_export]
macro_rules! for_each_hash {
    ($with:ident $([$($first:tt)*])?) => { $crate::of_enabled_families! { $with [$($($first)*)?]
        md5 {
            Md5 "md5" [] "MD5" "RFC 1321" Broken("collisions in seconds") => $crate::hash::md5::Md5;
        }
        sha1 {
            Sha1 "sha1" ["sha"] "SHA-1" "FIPS 180-4" Broken("chosen-prefix collisions found")
                => $crate::hash::sha1::Sha1;
        }
        sha2 {
            Sha224 "sha224" ["sha2-224"] "SHA-224" "FIPS 180-4" Standard
                => $crate::hash::sha2::Sha256::SHA224;
            Sha256 "sha256" ["sha2-256"] "SHA-256" "FIPS 180-4" Standard
                => $crate::hash::sha2::Sha256::SHA256;
            Sha384 "sha384" ["sha2-384"] "SHA-384" "FIPS 180-4" Standard
                => $crate::hash::sha2::Sha512::SHA384;
            Sha512 "sha512" ["sha2-512"] "SHA-512" "FIPS 180-4" Standard
                => $crate::hash::sha2::Sha512::SHA512;
            Sha512_224 "sha512-224" ["sha512/224", "sha512t224", "sha2-512-224"]
                "SHA-512/224" "FIPS 180-4" Standard => $crate::hash::sha2::Sha512::SHA512_224;
            Sha512_256 "sha512-256" ["sha512/256", "sha512t256", "sha2-512-256"]
                "SHA-512/256" "FIPS 180-4" Standard => $crate::hash::sha2::Sha512::SHA512_256;
        }
        sha3 {
            Sha3_224 "sha3-224" [] "SHA3-224" "FIPS 202" Standard
                => $crate::hash::keccak::Keccak::SHA3_224;
            Sha3_256 "sha3-256" [] "SHA3-256" "FIPS 202" Standard
                => $crate::hash::keccak::Keccak::SHA3_256;
            Sha3_384 "sha3-384" [] "SHA3-384" "FIPS 202" Standard
                => $crate::hash::keccak::Keccak::SHA3_384;
            Sha3_512 "sha3-512" [] "SHA3-512" "FIPS 202" Standard
                => $crate::hash::keccak::Keccak::SHA3_512;
            Shake128 "shake128" ["shake-128"] "SHAKE128" "FIPS 202" Standard
                => $crate::hash::keccak::Keccak::SHAKE128;
            Shake256 "shake256" ["shake-256"] "SHAKE256" "FIPS 202" Standard
                => $crate::hash::keccak::Keccak::SHAKE256;
            Keccak224 "keccak224" ["keccak-224"] "Keccak-224" "Keccak submission, round 3" Finalist
                => $crate::hash::keccak::Keccak::KECCAK224;
            Keccak256 "keccak256" ["keccak-256"] "Keccak-256" "Keccak submission, round 3" Finalist
                => $crate::hash::keccak::Keccak::KECCAK256;
            Keccak384 "keccak384" ["keccak-384"] "Keccak-384" "Keccak submission, round 3" Finalist
                => $crate::hash::keccak::Keccak::KECCAK384;
            Keccak512 "keccak512" ["keccak-512"] "Keccak-512" "Keccak submission, round 3" Finalist
                => $crate::hash::keccak::Keccak::KECCAK512;
        }
        ripemd {
            Ripemd128 "ripemd128" ["rmd128", "ripemd-128"] "RIPEMD-128" "ISO/IEC 10118-3"
                Aged("128 bits: collisions within 2^64 work") => $crate::hash::ripemd::Ripemd128;
            Ripemd160 "ripemd160" ["rmd160", "ripemd", "ripemd-160"] "RIPEMD-160" "ISO/IEC 10118-3"
                Aged("160 bits: collisions within 2^80 work") => $crate::hash::ripemd::Ripemd160;
            Ripemd256 "ripemd256" ["rmd256", "ripemd-256"]
                "RIPEMD-256" "Dobbertin, Bosselaers, Preneel 1996"
                Aged("no stronger than RIPEMD-128") => $crate::hash::ripemd::Ripemd256;
            Ripemd320 "ripemd320" ["rmd320", "ripemd-320"]
                "RIPEMD-320" "Dobbertin, Bosselaers, Preneel 1996"
                Aged("no stronger than RIPEMD-160") => $crate::hash::ripemd::Ripemd320;
        }
        blake {
            Blake224 "blake224" ["blake-224", "blake-28"] "BLAKE-224" "BLAKE submission, round 3"
                Finalist => $crate::hash::blake::Blake256::BLAKE224;
            Blake256 "blake256" ["blake-256", "blake-32"] "BLAKE-256" "BLAKE submission, round 3"
                Finalist => $crate::hash::blake::Blake256::BLAKE256;
            Blake384 "blake384" ["blake-384", "blake-48"] "BLAKE-384" "BLAKE submission, round 3"
                Finalist => $crate::hash::blake::Blake512::BLAKE384;
            Blake512 "blake512" ["blake-512", "blake-64"] "BLAKE-512" "BLAKE submission, round 3"
                Finalist => $crate::hash::blake::Blake512::BLAKE512;
        }
        groestl {
            Groestl224 "groestl224" ["groestl-224", "grøstl-224", "grøstl224"]
                "Grøstl-224" "Grøstl submission, round 3" Finalist
                => $crate::hash::groestl::Groestl256::GROESTL224;
            Groestl256 "groestl256" ["groestl-256", "grøstl-256", "grøstl256"]
                "Grøstl-256" "Grøstl submission, round 3" Finalist
                => $crate::hash::groestl::Groestl256::GROESTL256;
            Groestl384 "groestl384" ["groestl-384", "grøstl-384", "grøstl384"]
                "Grøstl-384" "Grøstl submission, round 3" Finalist
                => $crate::hash::groestl::Groestl512::GROESTL384;
            Groestl512 "groestl512" ["groestl-512", "grøstl-512", "grøstl512"]
                "Grøstl-512" "Grøstl submission, round 3" Finalist
                => $crate::hash::groestl::Groestl512::GROESTL512;
        }
        jh {
            Jh224 "jh224" ["jh-224"] "JH-224" "JH submission, round 3" Finalist
                => $crate::hash::jh::Jh::JH224;
            Jh256 "jh256" ["jh-256"] "JH-256" "JH submission, round 3" Finalist
                => $crate::hash::jh::Jh::JH256;
            Jh384 "jh384" ["jh-384"] "JH-384" "JH submission, round 3" Finalist
                => $crate::hash::jh::Jh::JH384;
            Jh512 "jh512" ["jh-512"] "JH-512" "JH submission, round 3" Finalist
                => $crate::hash::jh::Jh::JH512;
        }
        skein {
            Skein256 "skein256" ["skein-256"] "Skein-256" "Skein 1.3" Finalist
                => $crate::hash::skein::Skein256::new(32);
            Skein512 "skein512" ["skein-512"] "Skein-512" "Skein 1.3" Finalist
                => $crate::hash::skein::Skein512::new(64);
            Skein1024 "skein1024" ["skein-1024"] "Skein-1024" "Skein 1.3" Finalist
                => $crate::hash::skein::Skein1024::new(128);
        }
    } };
}

/// Evaluates `$result` for the hash that a [`HashId`] names: `$hash` is its value, whose type
/// depends on the name.
#[macro_export]
macro_rules! match_hash {
    ($id:expr, |$hash:ident| $result:expr) => {
        $crate::for_each_hash!(match_hash [$id, $hash, $result;])
    };
    (@entries $of:expr, $hash:ident, $result:expr;
     $($id:ident $name:literal $aliases:tt $title:literal $standard:literal
       $security:ident $(($why:literal))? => $value:expr;)*) => {
        match $of {
            $( $crate::catalog::HashId::$id => {
                let $hash = $value;
                $result
            } )*
            // The enum is non-exhaustive for other crates, because a later catalogue may have more
            // hashes.
            _ => unreachable!("this catalogue has no other hash"),
        }
    };
}

macro_rules! table {
    ($($id:ident $name:literal [$($alias:literal),*] $title:literal $standard:literal
       $security:ident $(($why:literal))? => $value:expr;)*) => {
        /// A hash function of the catalogue whose family's feature is on. Other features and new
        /// versions add variants.
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum HashId {
            $( #[doc = $title] $id ),*
        }

        impl HashId {
            /// All hash functions, in the catalogue's order.
            pub const ALL: &'static [Self] = &[$(Self::$id),*];

            /// Its name on the command line: `sha256`.
            pub const fn name(self) -> &'static str {
                match self {
                    $( Self::$id => $name, )*
                }
            }

            /// Bytes of its digest; the default where the caller may choose the length.
            pub fn digest_bytes(self) -> usize {
                match self {
                    $( Self::$id => $value.digest_bytes(), )*
                }
            }

            /// Its names, standard, security and sizes.
            pub fn entry(self) -> Entry {
                match self {
                    $( Self::$id => Entry {
                        name: $name,
                        aliases: &[$($alias),*],
                        title: $title,
                        standard: $standard,
                        security: Security::$security $(($why))?,
                        shape: Shape::of(&$value),
                    }, )*
                }
            }

            /// Whether digests of `bytes` bytes are defined for it.
            pub fn has_digest_bytes(self, bytes: usize) -> bool {
                bytes == self.digest_bytes() || match self {
                    $( Self::$id => $value.with_digest_bytes(bytes).is_some(), )*
                }
            }
        }
    };
}
for_each_hash!(table);

/// What the catalogue says of a hash function.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name on the command line.
    pub name: &'static str,
    /// Other names that are understood.
    pub aliases: &'static [&'static str],
    /// Its name in its standard.
    pub title: &'static str,
    /// The document that defines it.
    pub standard: &'static str,
    /// How far it may be trusted.
    pub security: Security,
    /// Its sizes.
    pub shape: Shape,
}

/// The sizes of a hash function, read from its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Bits per word.
    pub word_bits: usize,
    /// Bytes of message per compression.
    pub block_bytes: usize,
    /// Bytes of the digest; the default where the length is free.
    pub digest_bytes: usize,
    /// Whether the caller may choose the digest's length.
    pub any_length: bool,
    /// Whether output of any length can be read; a shorter output is the beginning of a longer one.
    pub extendable: bool,
}

impl Shape {
    fn of<H: Hash>(hash: &H) -> Self {
        Self {
            word_bits: 8 * size_of::<H::Native>(),
            block_bytes: hash.block_bytes(),
            digest_bytes: hash.digest_bytes(),
            any_length: hash.clone().with_digest_bytes(1).is_some(),
            extendable: hash.is_xof(),
        }
    }
}

/// A hash function with the length of its digest: what a name such as `skein512-256` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Algorithm {
    id: HashId,
    digest_bytes: usize,
}

impl Algorithm {
    /// The hash with its own digest length.
    pub fn new(id: HashId) -> Self {
        Self { id, digest_bytes: id.digest_bytes() }
    }

    /// The hash with digests of `bytes` bytes, if they are defined for it: `None` for 0, and for
    /// more than [`MAX_DIGEST_BYTES`](crate::hash::MAX_DIGEST_BYTES).
    #[must_use]
    pub fn with_digest_bytes(self, bytes: usize) -> Option<Self> {
        self.id.has_digest_bytes(bytes).then_some(Self { digest_bytes: bytes, ..self })
    }

    /// The hash function.
    pub fn id(self) -> HashId {
        self.id
    }

    /// Bytes of its digest.
    pub fn digest_bytes(self) -> usize {
        self.digest_bytes
    }

    /// `hash`, which must be the hash of [`Algorithm::id`], with this length of the digest.
    #[inline(always)]
    pub fn sized<H: Hash>(self, hash: H) -> H {
        if hash.digest_bytes() == self.digest_bytes {
            hash
        } else {
            hash.with_digest_bytes(self.digest_bytes).expect("an Algorithm's length is checked")
        }
    }
}

impl From<HashId> for Algorithm {
    fn from(id: HashId) -> Self {
        Self::new(id)
    }
}

/// The name, with the digest's bits where they are not the default: `skein512-256`.
impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.digest_bytes == self.id.digest_bytes() {
            f.pad(self.id.name())
        } else {
            write!(f, "{}-{}", self.id.name(), 8 * self.digest_bytes as u64)
        }
    }
}

/// No hash has this name, or none with digests of this length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownName;

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "no hash function of the catalogue has this name and digest length; names are such as \
             sha256, SHA-512/256 or skein512-128 (128 bits of Skein-512)",
        )?;
        let mut lacking = FAMILIES.iter().filter(|(_, is_on)| !is_on).map(|(name, _)| name);
        let Some(first) = lacking.next() else { return Ok(()) };
        write!(f, "; compiled without the features {first}")?;
        lacking.try_for_each(|name| write!(f, ", {name}"))
    }
}

impl core::error::Error for UnknownName {}

/// The characters that may separate the parts of a name; all of them mean the same.
const SEPARATORS: [char; 4] = ['-', '_', '/', ' '];

/// The form of a name in which names are compared: lower case, `-` for each separator, and no
/// separator between a letter and a digit. `SHA-512/256` becomes `sha512-256`.
fn essence(name: &str) -> impl Iterator<Item = char> {
    let mut before = None;
    let mut characters = name.chars().flat_map(char::to_lowercase).peekable();
    core::iter::from_fn(move || {
        let mut character = characters.next()?;
        if SEPARATORS.contains(&character) {
            character = match characters.peek() {
                Some(digit)
                    if digit.is_ascii_digit() && before.is_some_and(char::is_alphabetic) =>
                {
                    characters.next()?
                }
                _ => '-',
            };
        }
        before = Some(character);
        before
    })
}

impl FromStr for HashId {
    type Err = UnknownName;

    /// A name, an alias or a title of the catalogue. Case does not matter, nor which of `-`, `_`,
    /// `/` and a space separates its parts, nor whether one does between a letter and a digit:
    /// `SHA-512/256` is `sha512_256`.
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let is_name = |entry: &Entry| {
            let mut names =
                [entry.name, entry.title].into_iter().chain(entry.aliases.iter().copied());
            names.any(|other| essence(name).eq(essence(other)))
        };
        let mut ids = Self::ALL.iter().copied();
        ids.find(|id| is_name(&id.entry())).ok_or(UnknownName)
    }
}

impl FromStr for Algorithm {
    type Err = UnknownName;

    /// Reads the same names as for a [`HashId`]. For a hash of any output length, a separator and
    /// the digest's length in bits may follow: `Skein-512-256`.
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        if let Ok(id) = name.parse() {
            return Ok(Self::new(id));
        }
        let (base, bits) = name.rsplit_once(SEPARATORS).ok_or(UnknownName)?;
        let bits = Some(bits).filter(|bits| bits.bytes().all(|digit| digit.is_ascii_digit()));
        let bits: u64 = bits.and_then(|bits| bits.parse().ok()).ok_or(UnknownName)?;
        let bytes = usize::try_from(bits / 8).map_err(|_| UnknownName)?;
        let id: HashId = base.parse()?;
        let sized = Self::new(id).with_digest_bytes(bytes).filter(|_| bits.is_multiple_of(8));
        sized.ok_or(UnknownName)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{Compress, Counter, LONGEST_END, Padded, Scalar, Tail, lift, lower};
    use crate::word::{Native, Words};
    use std::string::ToString;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn every_family_adds_its_entries_and_no_other() {
        macro_rules! paths {
            ($($id:ident $name:literal $aliases:tt $title:literal $standard:literal
               $security:ident $(($why:literal))? => $value:expr;)*) => {
                [$((HashId::$id, stringify!($value))),*]
            };
        }
        let entries: [_; HashId::ALL.len()] = for_each_hash!(paths);
        for (family, is_on) in FAMILIES {
            let file = if *family == "sha3" { "keccak" } else { family };
            let file = std::format!("::hash::{file}::");
            let found = entries.iter().filter(|(_, path)| path.replace(' ', "").contains(&file));
            assert_eq!(found.count() > 0, *is_on, "{family}");
        }
        let message = UnknownName.to_string();
        for (family, is_on) in FAMILIES {
            let named = message.split("features ").nth(1).is_some_and(|f| f.contains(family));
            assert_eq!(named, !is_on, "{message}");
        }
    }

    #[test]
    fn every_name_and_alias_leads_to_its_own_entry_alone() {
        for &id in HashId::ALL {
            let entry = id.entry();
            for name in [&entry.name, &entry.title].into_iter().chain(entry.aliases) {
                assert_eq!(name.parse(), Ok(id), "{name}");
                for separator in ["-", "_", "/", " "] {
                    for name in [name.to_uppercase(), name.to_lowercase(), name.to_string()] {
                        let name = name.replace(['-', '/'], separator);
                        assert_eq!(name.parse(), Ok(Algorithm::new(id)), "{name}");
                    }
                }
            }
            assert_eq!(Algorithm::new(id).to_string(), entry.name);
            assert_eq!(id.name().parse(), Ok(id));
        }
    }

    /// Batches compress messages of like lengths together.
    #[test]
    fn longer_tails_are_padded_to_no_fewer_blocks() {
        fn check<H: Hash>(hash: &H) {
            let block = hash.block_bytes();
            let blocks = |bytes: usize| {
                let mut end = [0; LONGEST_END];
                let mut padded = Padded::new(&mut end);
                let tail = vec![0xff; bytes];
                hash.pad(&Tail { bytes: &tail, total_bits: 8 * bytes as u128 }, &mut padded);
                padded.blocks
            };
            let longest = if H::HOLDS_LAST { block } else { block - 1 };
            let blocks: Vec<usize> = (0..=longest).map(blocks).collect();
            assert!(blocks.is_sorted() && (1..=2).contains(&blocks[0]), "{blocks:?}");
        }
        macro_rules! all {
            ($($id:ident $name:literal [$($alias:literal),*] $title:literal $standard:literal
               $security:ident $(($why:literal))? => $value:expr;)*) => { $( check(&$value); )* };
        }
        for_each_hash!(all);
    }

    /// The words of blocks, chaining values and counters all differ.
    #[test]
    fn an_expanded_block_is_compressed_as_the_block_is() {
        fn check<H: Compress<Scalar<H>>>(hash: &H) -> usize {
            if H::EXPANSION == 0 {
                return 0;
            }
            let mut seed = 1u64;
            let mut fill = |words: &mut [H::Native]| {
                for word in words {
                    seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    *word = H::Native::read(&seed.to_be_bytes(), H::ORDER);
                }
            };
            let zero = H::Native::default();
            for _ in 0..10 {
                let (mut h, mut m) = (H::State::splat(zero), H::Block::splat(zero));
                let mut t = [zero; 4];
                fill(h.as_mut());
                fill(m.as_mut());
                fill(&mut t);
                let mut expansion = vec![zero; H::EXPANSION];
                hash.expand(&m, &mut expansion);
                let mut block = H::Block::splat(zero.scalar());
                for (word, native) in block.as_mut().iter_mut().zip(m.as_ref()) {
                    *word = native.scalar();
                }
                let (h, t) = (lift::<H, Scalar<H>>(&h), Counter::from_words(t).constant());
                let expected = lower::<H>(&hash.compress(h, &block, t));
                let expanded = lower::<H>(&hash.compress_expanded(h, &expansion, t));
                assert_eq!(expanded.as_ref(), expected.as_ref());
            }
            1
        }
        macro_rules! all {
            ($($id:ident $name:literal [$($alias:literal),*] $title:literal $standard:literal
               $security:ident $(($why:literal))? => $value:expr;)*) => {
                0 $( + check(&$value) )*
            };
        }
        let expanding = for_each_hash!(all);
        let are_all_on = FAMILIES.iter().all(|(_, is_on)| *is_on);
        assert!(expanding > 0 || !are_all_on, "no hash expands blocks: the search is broken");
    }

    #[cfg(all(feature = "sha2", feature = "sha3", feature = "blake", feature = "skein"))]
    #[test]
    fn lengths_follow_a_name_where_they_are_free() {
        let skein: Algorithm = "Skein512_256".parse().unwrap();
        assert_eq!((skein.id(), skein.digest_bytes()), (HashId::Skein512, 32));
        assert_eq!(skein.to_string(), "skein512-256");
        assert_eq!("shake128-4096".parse::<Algorithm>().unwrap().digest_bytes(), 512);
        for (name, canonical) in [
            ("Skein-512-256", "skein512-256"),
            ("SKEIN 512/256", "skein512-256"),
            ("Skein-256", "skein256"),
            ("Skein-256-256", "skein256"),
            ("skein-256-1024", "skein256-1024"),
            ("SHAKE-128/512", "shake128-512"),
            ("SHA-512/256", "sha512-256"),
            ("SHA512/256", "sha512-256"),
            ("sha-3-256", "sha3-256"),
            ("BLAKE-32", "blake256"),
        ] {
            assert_eq!(name.parse::<Algorithm>().unwrap().to_string(), canonical, "{name}");
        }
        let wrong = [
            "sha256-128",
            "skein512-12",
            "skein512-0",
            "skein512-",
            "",
            "-",
            "sha257",
            "sha--256",
            "-sha256",
            "sha256-",
            " sha256",
            "s ha256",
            "sha25-6",
            "skein512-+256",
            "skein512--256",
            "skein512-256-128",
            "skein512-256 ",
            "sha512256",
            "sha-512256",
            // 2^64 bits, and a number that no integer holds.
            "skein512-18446744073709551616",
            "skein512-99999999999999999999999",
        ];
        for wrong in wrong {
            assert_eq!(wrong.parse::<Algorithm>(), Err(UnknownName), "{wrong}");
        }
    }

    /// A length is a 64-bit number of bits, and whatever is shown is read again.
    #[test]
    fn the_longest_digests_are_named_and_longer_ones_refused() {
        let longest = crate::hash::MAX_DIGEST_BYTES;
        for &id in HashId::ALL {
            let free = id.entry().shape.any_length;
            // With a `usize` of 32 bits no length is too long.
            let longer = [1_u64 << 61, 1 << 62, 1 << 63, u64::MAX].map(usize::try_from);
            for bytes in longer.into_iter().flatten().chain([0]) {
                assert_eq!(Algorithm::new(id).with_digest_bytes(bytes), None, "{id:?}, {bytes}");
                assert!(!id.has_digest_bytes(bytes));
            }
            assert_eq!(id.has_digest_bytes(longest), free);
            if let Some(algorithm) = Algorithm::new(id).with_digest_bytes(longest) {
                assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
                let bits = (8 * longest as u64).to_string();
                assert_eq!(algorithm.to_string().rsplit_once('-').unwrap().1, bits);
            }
        }
    }
}
