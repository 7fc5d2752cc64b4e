//! The parameter sets (FIPS 205 §11, table 2).

use std::fmt;
use std::str::FromStr;

/// A parameter set: hash family, security category, and whether it is small or fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParameterSet {
    /// SLH-DSA-SHA2-128s
    Sha2_128s,
    /// SLH-DSA-SHAKE-128s
    Shake128s,
    /// SLH-DSA-SHA2-128f
    Sha2_128f,
    /// SLH-DSA-SHAKE-128f
    Shake128f,
    /// SLH-DSA-SHA2-192s
    Sha2_192s,
    /// SLH-DSA-SHAKE-192s
    Shake192s,
    /// SLH-DSA-SHA2-192f
    Sha2_192f,
    /// SLH-DSA-SHAKE-192f
    Shake192f,
    /// SLH-DSA-SHA2-256s
    Sha2_256s,
    /// SLH-DSA-SHAKE-256s
    Shake256s,
    /// SLH-DSA-SHA2-256f
    Sha2_256f,
    /// SLH-DSA-SHAKE-256f
    Shake256f,
}

/// The parameters in the standard's letters. lg_w is 4 in all sets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameters {
    /// The name of the set in FIPS 205.
    pub name: &'static str,
    /// Whether the functions are made of SHA-2; else of SHAKE.
    pub sha2: bool,
    /// Bytes of a node.
    pub n: usize,
    /// Layers of the hypertree.
    pub d: usize,
    /// Height of the tree of one layer, h′.
    pub h_prime: usize,
    /// Height of a FORS tree.
    pub a: usize,
    /// Number of FORS trees.
    pub k: usize,
}

impl ParameterSet {
    /// All twelve, in the order of table 2.
    pub const ALL: [Self; 12] = [
        Self::Sha2_128s,
        Self::Shake128s,
        Self::Sha2_128f,
        Self::Shake128f,
        Self::Sha2_192s,
        Self::Shake192s,
        Self::Sha2_192f,
        Self::Shake192f,
        Self::Sha2_256s,
        Self::Shake256s,
        Self::Sha2_256f,
        Self::Shake256f,
    ];

    /// The row of table 2.
    #[rustfmt::skip]
    pub(crate) fn parameters(self) -> Parameters {
        let (name, sha2, n, d, h_prime, a, k) = match self {
            Self::Sha2_128s => ("SLH-DSA-SHA2-128s",  true,  16,  7, 9, 12, 14),
            Self::Shake128s => ("SLH-DSA-SHAKE-128s", false, 16,  7, 9, 12, 14),
            Self::Sha2_128f => ("SLH-DSA-SHA2-128f",  true,  16, 22, 3,  6, 33),
            Self::Shake128f => ("SLH-DSA-SHAKE-128f", false, 16, 22, 3,  6, 33),
            Self::Sha2_192s => ("SLH-DSA-SHA2-192s",  true,  24,  7, 9, 14, 17),
            Self::Shake192s => ("SLH-DSA-SHAKE-192s", false, 24,  7, 9, 14, 17),
            Self::Sha2_192f => ("SLH-DSA-SHA2-192f",  true,  24, 22, 3,  8, 33),
            Self::Shake192f => ("SLH-DSA-SHAKE-192f", false, 24, 22, 3,  8, 33),
            Self::Sha2_256s => ("SLH-DSA-SHA2-256s",  true,  32,  8, 8, 14, 22),
            Self::Shake256s => ("SLH-DSA-SHAKE-256s", false, 32,  8, 8, 14, 22),
            Self::Sha2_256f => ("SLH-DSA-SHA2-256f",  true,  32, 17, 4,  9, 35),
            Self::Shake256f => ("SLH-DSA-SHAKE-256f", false, 32, 17, 4,  9, 35),
        };
        Parameters { name, sha2, n, d, h_prime, a, k }
    }

    /// Its name in the standard.
    pub fn name(self) -> &'static str {
        self.parameters().name
    }

    /// n: bytes of each of the seeds that a key is made of, and of the randomness of a signature.
    pub fn seed_bytes(self) -> usize {
        self.parameters().n
    }

    /// Bytes of a public key.
    pub fn public_key_bytes(self) -> usize {
        2 * self.parameters().n
    }

    /// Bytes of a private key.
    pub fn private_key_bytes(self) -> usize {
        4 * self.parameters().n
    }

    /// Bytes of a signature.
    pub fn signature_bytes(self) -> usize {
        let p = self.parameters();
        p.n * (1 + p.k * (1 + p.a) + p.d * (p.len() + p.h_prime))
    }
}

impl Parameters {
    /// Number of WOTS⁺ chains, 2n + 3 for w = 16 (§5).
    pub fn len(&self) -> usize {
        2 * self.n + 3
    }

    /// Leaves of the tree of one layer.
    pub fn leaves(&self) -> usize {
        1 << self.h_prime
    }

    /// Bytes of the digest of a message, m: the FORS indices, the tree's and the leaf's (§9.2).
    pub fn m(&self) -> usize {
        let [md, tree, leaf] = self.digest_parts();
        md + tree + leaf
    }

    /// Bytes of the three parts of the digest.
    pub fn digest_parts(&self) -> [usize; 3] {
        let bytes = |bits: usize| bits.div_ceil(8);
        [bytes(self.k * self.a), bytes(self.h_prime * (self.d - 1)), bytes(self.h_prime)]
    }
}

impl fmt::Display for ParameterSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// No parameter set has this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no parameter set of SLH-DSA has this name; names are SLH-DSA-SHA2- or SLH-DSA-SHAKE-, then \
     128s, 128f, 192s, 192f, 256s or 256f"
)]
pub struct UnknownName;

impl FromStr for ParameterSet {
    type Err = UnknownName;

    /// A name of the standard, in upper or lower case.
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let mut all = Self::ALL.into_iter();
        all.find(|set| set.name().eq_ignore_ascii_case(name)).ok_or(UnknownName)
    }
}
