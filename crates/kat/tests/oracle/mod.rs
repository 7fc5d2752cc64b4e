//! Independent implementations: RustCrypto's crates, and `blake-hash` of Cryptocorrosion.

use digest::consts::*;
use manylane_engine::{Algorithm, HashId};
use md5::digest;

/// A hash computation by another implementation.
pub trait Oracle: Send {
    fn update(&mut self, bytes: &[u8]);
    fn finish(self: Box<Self>) -> Vec<u8>;
}

struct RustCrypto<D>(D);

impl<D: digest::Digest + Send> Oracle for RustCrypto<D> {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
    fn finish(self: Box<Self>) -> Vec<u8> {
        self.0.finalize().to_vec()
    }
}

/// BLAKE by Cryptocorrosion's crate where that runs; elsewhere by the definition, which the vectors
/// of the SHA-3 competition hold.
#[cfg(target_arch = "x86_64")]
mod blake {
    use super::{Algorithm, HashId, Oracle};
    use blake_hash::Digest;

    struct Blake<D>(D);

    impl<D: Digest + Send> Oracle for Blake<D> {
        fn update(&mut self, bytes: &[u8]) {
            self.0.update(bytes);
        }
        fn finish(self: Box<Self>) -> Vec<u8> {
            self.0.finalize().to_vec()
        }
    }

    pub fn oracle(algorithm: Algorithm) -> Box<dyn Oracle> {
        match algorithm.id() {
            HashId::Blake224 => Box::new(Blake(blake_hash::Blake224::default())),
            HashId::Blake256 => Box::new(Blake(blake_hash::Blake256::default())),
            HashId::Blake384 => Box::new(Blake(blake_hash::Blake384::default())),
            HashId::Blake512 => Box::new(Blake(blake_hash::Blake512::default())),
            _ => panic!("no oracle for {algorithm}"),
        }
    }
}

/// The definition, which other tests compare with the published vectors, where the crate does not
/// work.
#[cfg(not(target_arch = "x86_64"))]
mod blake {
    use super::{Algorithm, Oracle};

    struct Definition(Algorithm, Vec<u8>);

    impl Oracle for Definition {
        fn update(&mut self, bytes: &[u8]) {
            self.1.extend_from_slice(bytes);
        }
        fn finish(self: Box<Self>) -> Vec<u8> {
            manylane_kat::Backend::Definition.digest(self.0, &self.1)
        }
    }

    pub fn oracle(algorithm: Algorithm) -> Box<dyn Oracle> {
        let name = algorithm.to_string();
        assert!(name.starts_with("blake") || name.starts_with("jh"), "no oracle for {algorithm}");
        Box::new(Definition(algorithm, Vec::new()))
    }
}

struct Shake<D>(D, usize);

impl<D: digest::Update + digest::ExtendableOutput + Send> Oracle for Shake<D> {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
    fn finish(self: Box<Self>) -> Vec<u8> {
        let mut out = vec![0; self.1];
        self.0.finalize_xof_into(&mut out);
        out
    }
}

/// Digest lengths of Skein, in bytes, that an oracle has: around the output block of each state.
#[allow(dead_code)] // Of the two tests that include this file one needs all, the other some.
pub const SKEIN_BYTES: [usize; 14] = [1, 16, 20, 28, 31, 32, 33, 48, 63, 64, 65, 127, 128, 200];

/// Calls `$with!(Type of that length)`.
macro_rules! skein {
    ($state:ident, $bytes:expr, $with:ident) => {
        match $bytes {
            1 => $with!(skein::$state::<U1>),
            16 => $with!(skein::$state::<U16>),
            20 => $with!(skein::$state::<U20>),
            28 => $with!(skein::$state::<U28>),
            31 => $with!(skein::$state::<U31>),
            32 => $with!(skein::$state::<U32>),
            33 => $with!(skein::$state::<U33>),
            48 => $with!(skein::$state::<U48>),
            63 => $with!(skein::$state::<U63>),
            64 => $with!(skein::$state::<U64>),
            65 => $with!(skein::$state::<U65>),
            127 => $with!(skein::$state::<U127>),
            128 => $with!(skein::$state::<U128>),
            200 => $with!(skein::$state::<U200>),
            bytes => panic!("no oracle for {bytes} bytes of Skein"),
        }
    };
}

/// Calls `$with!(Type)` with RustCrypto's type of the algorithm, where that is a `Digest`, else
/// `$other`.
macro_rules! rust_crypto {
    ($algorithm:expr, $with:ident, $other:expr) => {
        match $algorithm.id() {
            HashId::Md5 => $with!(md5::Md5),
            HashId::Sha1 => $with!(sha1::Sha1),
            HashId::Sha224 => $with!(sha2::Sha224),
            HashId::Sha256 => $with!(sha2::Sha256),
            HashId::Sha384 => $with!(sha2::Sha384),
            HashId::Sha512 => $with!(sha2::Sha512),
            HashId::Sha512_224 => $with!(sha2::Sha512_224),
            HashId::Sha512_256 => $with!(sha2::Sha512_256),
            HashId::Sha3_224 => $with!(sha3::Sha3_224),
            HashId::Sha3_256 => $with!(sha3::Sha3_256),
            HashId::Sha3_384 => $with!(sha3::Sha3_384),
            HashId::Sha3_512 => $with!(sha3::Sha3_512),
            HashId::Keccak224 => $with!(sha3::Keccak224),
            HashId::Keccak256 => $with!(sha3::Keccak256),
            HashId::Keccak384 => $with!(sha3::Keccak384),
            HashId::Keccak512 => $with!(sha3::Keccak512),
            HashId::Ripemd128 => $with!(ripemd::Ripemd128),
            HashId::Ripemd160 => $with!(ripemd::Ripemd160),
            HashId::Ripemd256 => $with!(ripemd::Ripemd256),
            HashId::Ripemd320 => $with!(ripemd::Ripemd320),
            HashId::Groestl224 => $with!(groestl::Groestl224),
            HashId::Groestl256 => $with!(groestl::Groestl256),
            HashId::Groestl384 => $with!(groestl::Groestl384),
            HashId::Groestl512 => $with!(groestl::Groestl512),
            // The crate's SIMD layer takes the bytes of words in the wrong order there; the
            // definition equals the published vectors on both kinds of machine.
            HashId::Jh224 | HashId::Jh256 | HashId::Jh384 | HashId::Jh512
                if cfg!(target_endian = "big") =>
            {
                $other
            }
            HashId::Jh224 => $with!(jh::Jh224),
            HashId::Jh256 => $with!(jh::Jh256),
            HashId::Jh384 => $with!(jh::Jh384),
            HashId::Jh512 => $with!(jh::Jh512),
            HashId::Skein256 => skein!(Skein256, $algorithm.digest_bytes(), $with),
            HashId::Skein512 => skein!(Skein512, $algorithm.digest_bytes(), $with),
            HashId::Skein1024 => skein!(Skein1024, $algorithm.digest_bytes(), $with),
            _ => $other,
        }
    };
}

/// The oracle for `algorithm`.
///
/// # Panics
/// If there is none: a new hash needs a line here.
pub fn oracle(algorithm: Algorithm) -> Box<dyn Oracle> {
    macro_rules! new {
        ($type:ty) => {
            Box::new(RustCrypto(<$type>::default()))
        };
    }
    rust_crypto!(algorithm, new, {
        let bytes = algorithm.digest_bytes();
        match algorithm.id() {
            HashId::Shake128 => Box::new(Shake(shake::Shake128::default(), bytes)),
            HashId::Shake256 => Box::new(Shake(shake::Shake256::default(), bytes)),
            _ => blake::oracle(algorithm),
        }
    })
}

/// The digest of `message` by the oracle.
#[allow(dead_code)]
pub fn digest(algorithm: Algorithm, message: &[u8]) -> Vec<u8> {
    let mut oracle = oracle(algorithm);
    oracle.update(message);
    oracle.finish()
}

/// HMAC by the oracle; `None` where its hash and its HMAC do not fit together (BLAKE, SHAKE).
#[allow(dead_code)]
pub fn hmac(algorithm: Algorithm, key: &[u8], message: &[u8]) -> Option<Vec<u8>> {
    use hmac::{KeyInit, Mac, SimpleHmac};
    macro_rules! mac {
        ($type:ty) => {{
            let mut mac = SimpleHmac::<$type>::new_from_slice(key).unwrap();
            mac.update(message);
            Some(mac.finalize().into_bytes().to_vec())
        }};
    }
    rust_crypto!(algorithm, mac, None)
}
