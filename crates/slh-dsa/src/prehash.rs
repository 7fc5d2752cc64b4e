//! The digests that pre-hash signatures sign (FIPS 205 §10.2.2).

use manylane::{Algorithm, HashId, hash};

/// An approved hash function, or an extendable one with twice as many bits of output as its
/// security strength.
///
/// The standard asks for one that is as strong against collisions as the parameter set, so that the
/// digest is at least two seeds long ([`ParameterSet::seed_bytes`](crate::ParameterSet)): 32, 48 or
/// 64 bytes. This is not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum PreHash {
    Sha2_224,
    Sha2_256,
    Sha2_384,
    Sha2_512,
    Sha2_512_224,
    Sha2_512_256,
    Sha3_224,
    Sha3_256,
    Sha3_384,
    Sha3_512,
    /// SHAKE128 with 256 bits of output.
    Shake128,
    /// SHAKE256 with 512 bits of output.
    Shake256,
}

impl PreHash {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Sha2_224,
        Self::Sha2_256,
        Self::Sha2_384,
        Self::Sha2_512,
        Self::Sha2_512_224,
        Self::Sha2_512_256,
        Self::Sha3_224,
        Self::Sha3_256,
        Self::Sha3_384,
        Self::Sha3_512,
        Self::Shake128,
        Self::Shake256,
    ];

    /// The hash, the bytes of its digest, and the last number of its object identifier.
    #[rustfmt::skip]
    fn entry(self) -> (HashId, usize, u8) {
        match self {
            Self::Sha2_224     => (HashId::Sha224,     28, 0x04),
            Self::Sha2_256     => (HashId::Sha256,     32, 0x01),
            Self::Sha2_384     => (HashId::Sha384,     48, 0x02),
            Self::Sha2_512     => (HashId::Sha512,     64, 0x03),
            Self::Sha2_512_224 => (HashId::Sha512_224, 28, 0x05),
            Self::Sha2_512_256 => (HashId::Sha512_256, 32, 0x06),
            Self::Sha3_224     => (HashId::Sha3_224,   28, 0x07),
            Self::Sha3_256     => (HashId::Sha3_256,   32, 0x08),
            Self::Sha3_384     => (HashId::Sha3_384,   48, 0x09),
            Self::Sha3_512     => (HashId::Sha3_512,   64, 0x0a),
            Self::Shake128     => (HashId::Shake128,   32, 0x0b),
            Self::Shake256     => (HashId::Shake256,   64, 0x0c),
        }
    }

    /// The object identifier 2.16.840.1.101.3.4.2.x, encoded by DER.
    pub(crate) fn object_identifier(self) -> [u8; 11] {
        let (_, _, last) = self.entry();
        [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, last]
    }

    /// The digest of a message by this function.
    pub(crate) fn digest(self, message: &[u8]) -> Vec<u8> {
        let (id, bytes, _) = self.entry();
        let algorithm = Algorithm::new(id).with_digest_bytes(bytes);
        hash(algorithm.expect("each length is the hash's or any"), message)
    }
}
