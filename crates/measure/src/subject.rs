//! The subject of a measurement: a hash, an HMAC or RC5 of the engine, and the same hash or HMAC of
//! its peer OpenSSL.

use crate::workload::Workload;
use anyhow::Context;
use manylane_engine::peer::{Digest, Libcrypto, Mac};
use manylane_engine::{Algorithm, Batch, Engine, Error, HashId, Hasher, Hmac, Rc5, modes};
use manylane_files::names::{self, Named};
use std::hint::black_box;

/// The key of every HMAC.
pub const KEY: &[u8] = b"a key of thirty-two bytes, no less";

/// A primitive on the engines it is measured on.
pub struct Subject {
    name: String,
    engine: Option<Engine>,
    primitive: Primitive,
}

/// The engine and lanes that serve a set of messages.
pub struct Service {
    /// The engine.
    pub engine: Engine,
    /// Lanes of the kernel that computes most. None for a cipher, whose lanes hold blocks.
    pub lanes: Option<usize>,
    /// Percentage of the computed blocks that are useful.
    pub occupancy_percent: Option<f64>,
}

impl Service {
    fn of_cipher(engine: Engine) -> Self {
        Self { engine, lanes: None, occupancy_percent: None }
    }
}

enum Primitive {
    Hash(Algorithm),
    Hmac(Algorithm),
    Rc5_16(Box<Rc5<u16>>),
    Rc5_32(Box<Rc5<u32>>),
    Rc5_64(Box<Rc5<u64>>),
}

impl Subject {
    /// The primitive of that name.
    ///
    /// # Errors
    /// If there is none, or the engine cannot serve.
    pub fn new(name: &str, engine: Option<Engine>) -> anyhow::Result<Self> {
        let primitive = if name.to_lowercase().starts_with("rc5") {
            rc5(name, engine)?
        } else {
            match names::parse(name)? {
                Named::Hash(hash) => Primitive::Hash(hash),
                Named::Hmac(hash) => {
                    Hmac::on(hash, KEY, engine)?;
                    Primitive::Hmac(hash)
                }
            }
        };
        let name = match &primitive {
            Primitive::Hash(hash) => hash.to_string(),
            Primitive::Hmac(hash) => format!("hmac-{hash}"),
            _ => name.to_lowercase(),
        };
        let subject = Self { name, engine, primitive };
        subject.service(&[Vec::new()])?;
        Ok(subject)
    }

    /// Its name in the catalogue; for a cipher the name asked for, in lower case.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes of a block of the hash, or of a cipher.
    pub fn block_bytes(&self) -> usize {
        match &self.primitive {
            Primitive::Hash(hash) | Primitive::Hmac(hash) => hash.id().entry().shape.block_bytes,
            Primitive::Rc5_16(rc5) => modes::BlockCipher::block_bytes(&**rc5),
            Primitive::Rc5_32(rc5) => modes::BlockCipher::block_bytes(&**rc5),
            Primitive::Rc5_64(rc5) => modes::BlockCipher::block_bytes(&**rc5),
        }
    }

    /// The digests of messages, one after the other; of a cipher none.
    ///
    /// # Errors
    /// If the engine cannot serve.
    pub fn digests(&self, messages: &[Vec<u8>]) -> Result<Vec<u8>, Error> {
        let output = |hash: &Algorithm| vec![0; messages.len() * hash.digest_bytes()];
        match &self.primitive {
            Primitive::Hash(hash) => {
                let mut out = output(hash);
                self.batch(*hash).run(messages, &mut out).map(|()| out)
            }
            Primitive::Hmac(hash) => {
                let mut out = output(hash);
                self.batch(*hash).run_hmac(KEY, messages, &mut out).map(|()| out)
            }
            _ => Ok(Vec::new()),
        }
    }

    fn batch(&self, hash: Algorithm) -> Batch<'static> {
        let batch = Batch::new(hash);
        match self.engine {
            Some(engine) => batch.engine(engine),
            None => batch,
        }
    }

    /// The engine that serves these messages, and how full its lanes are.
    ///
    /// # Errors
    /// If the engine cannot serve.
    pub fn service(&self, messages: &[Vec<u8>]) -> Result<Service, Error> {
        let work = match &self.primitive {
            Primitive::Hash(hash) => self.batch(*hash).work(messages)?,
            Primitive::Hmac(hash) => self.batch(*hash).work_hmac(messages)?,
            Primitive::Rc5_16(rc5) => return Ok(Service::of_cipher(rc5.engine())),
            Primitive::Rc5_32(rc5) => return Ok(Service::of_cipher(rc5.engine())),
            Primitive::Rc5_64(rc5) => return Ok(Service::of_cipher(rc5.engine())),
        };
        let kernel = work.kernel().expect("every message has a block");
        let (lanes, percent) = (Some(kernel.lanes), Some(100.0 * work.occupancy()));
        Ok(Service { engine: kernel.engine, lanes, occupancy_percent: percent })
    }

    /// The workload as a call to be timed.
    ///
    /// # Errors
    /// If the engine cannot serve.
    pub fn job<'a>(
        &'a self,
        workload: &Workload,
        messages: &'a [Vec<u8>],
    ) -> Result<Box<dyn FnMut() + 'a>, Error> {
        let single = matches!(workload, Workload::Single(_));
        let output = |hash: Algorithm| vec![0; messages.len() * hash.digest_bytes()];
        Ok(match &self.primitive {
            Primitive::Hash(hash) if single => {
                let (mut hasher, mut out) = (Hasher::on(*hash, self.engine)?, output(*hash));
                Box::new(move || {
                    hasher.reset();
                    hasher.update(black_box(&messages[0]));
                    hasher.finalize_into(black_box(&mut out));
                })
            }
            Primitive::Hash(hash) => {
                let (batch, mut out) = (self.batch(*hash), output(*hash));
                batch.run(messages, &mut out)?;
                Box::new(move || batch.run(black_box(messages), &mut out).expect("it ran before"))
            }
            Primitive::Hmac(hash) if single => {
                let (mut hmac, mut out) = (Hmac::on(*hash, KEY, self.engine)?, output(*hash));
                Box::new(move || {
                    hmac.reset();
                    hmac.update(black_box(&messages[0]));
                    hmac.finalize_into(black_box(&mut out));
                })
            }
            Primitive::Hmac(hash) => {
                let (batch, mut out) = (self.batch(*hash), output(*hash));
                batch.run_hmac(KEY, messages, &mut out)?;
                Box::new(move || {
                    batch.run_hmac(KEY, black_box(messages), &mut out).expect("it ran before");
                })
            }
            Primitive::Rc5_16(rc5) => counter_mode(&**rc5, messages),
            Primitive::Rc5_32(rc5) => counter_mode(&**rc5, messages),
            Primitive::Rc5_64(rc5) => counter_mode(&**rc5, messages),
        })
    }

    /// The peer's implementation of the same primitive, if there is one.
    pub fn peer(&self, libcrypto: &Libcrypto) -> Option<Peer> {
        match &self.primitive {
            Primitive::Hash(hash) => Peer::hash(libcrypto, *hash),
            Primitive::Hmac(hash) => Peer::hmac(libcrypto, *hash),
            Primitive::Rc5_16(_) | Primitive::Rc5_32(_) | Primitive::Rc5_64(_) => None,
        }
    }
}

/// RC5 of a name such as `rc5-32/12/16`, under a key of that length; `rc5` alone stands for
/// `rc5-32/12/16`.
fn rc5(name: &str, engine: Option<Engine>) -> anyhow::Result<Primitive> {
    let full = if name.eq_ignore_ascii_case("rc5") { "rc5-32/12/16" } else { name };
    let params: manylane_primitives::cipher::Rc5Params =
        full.parse().with_context(|| name.to_owned())?;
    let key: Vec<u8> = (0..params.key_bytes()).map(|i| i as u8).collect();
    let rounds = params.rounds();
    Ok(match params.word_bits() {
        16 => Primitive::Rc5_16(Box::new(Rc5::on(rounds, &key, engine)?)),
        32 => Primitive::Rc5_32(Box::new(Rc5::on(rounds, &key, engine)?)),
        64 => Primitive::Rc5_64(Box::new(Rc5::on(rounds, &key, engine)?)),
        other => anyhow::bail!(
            "{name}: the engines run RC5 with words of 16, 32 or 64 bits, not {other}"
        ),
    })
}

/// A call that encrypts copies of the messages in counter mode, one after the other.
fn counter_mode<'a>(
    rc5: &'a impl modes::BlockCipher,
    messages: &'a [Vec<u8>],
) -> Box<dyn FnMut() + 'a> {
    let mut data = messages.to_vec();
    let initial = vec![0; rc5.block_bytes()];
    Box::new(move || {
        for message in &mut data {
            modes::ctr(rc5, &initial, black_box(message)).expect("counter blocks fit");
        }
    })
}

/// The peer's side of a measurement, with a place for its results.
pub enum Peer {
    /// A hash.
    Hash(Digest, Vec<u8>),
    /// HMAC under [`KEY`].
    Hmac(Mac, Vec<u8>),
}

/// OpenSSL's SHA-256 of one 16 KiB message: the unit in which figures of different machines
/// compare.
pub struct Yardstick {
    peer: Peer,
    message: [Vec<u8>; 1],
}

impl Yardstick {
    /// Bytes of its message.
    pub const BYTES: usize = 16 * 1024;

    /// The yardstick by this library, if it has the hash.
    pub fn new(libcrypto: &Libcrypto) -> Option<Self> {
        let peer = Peer::hash(libcrypto, Algorithm::new(HashId::Sha256))?;
        Some(Self { peer, message: [vec![0x5a; Self::BYTES]] })
    }

    /// Hashes the message once.
    pub fn compute(&mut self) {
        self.peer.compute(&self.message);
    }
}

impl Peer {
    fn hash(libcrypto: &Libcrypto, hash: Algorithm) -> Option<Self> {
        let xof = hash.id().entry().shape.any_length.then_some(hash.digest_bytes());
        let digest = libcrypto.digest(openssl_name(hash)?, xof)?;
        Some(Self::Hash(digest, vec![0; hash.digest_bytes().max(64)]))
    }

    fn hmac(libcrypto: &Libcrypto, hash: Algorithm) -> Option<Self> {
        Some(Self::Hmac(libcrypto.hmac(openssl_name(hash)?, KEY)?, vec![0; 64]))
    }

    /// Computes the digest or the tag of each message, one after the other.
    pub fn compute(&mut self, messages: &[Vec<u8>]) {
        for message in messages {
            match self {
                Self::Hash(digest, out) => digest.hash(black_box(message), out),
                Self::Hmac(mac, out) => mac.tag(black_box(message), out),
            }
        }
    }
}

/// The hash's name in OpenSSL, if OpenSSL may have the hash.
fn openssl_name(hash: Algorithm) -> Option<&'static str> {
    Some(match hash.id() {
        HashId::Md5 => "MD5",
        HashId::Sha1 => "SHA1",
        HashId::Sha224 => "SHA2-224",
        HashId::Sha256 => "SHA2-256",
        HashId::Sha384 => "SHA2-384",
        HashId::Sha512 => "SHA2-512",
        HashId::Sha512_224 => "SHA2-512/224",
        HashId::Sha512_256 => "SHA2-512/256",
        HashId::Sha3_224 => "SHA3-224",
        HashId::Sha3_256 => "SHA3-256",
        HashId::Sha3_384 => "SHA3-384",
        HashId::Sha3_512 => "SHA3-512",
        HashId::Shake128 => "SHAKE128",
        HashId::Shake256 => "SHAKE256",
        HashId::Keccak224 => "KECCAK-224",
        HashId::Keccak256 => "KECCAK-256",
        HashId::Keccak384 => "KECCAK-384",
        HashId::Keccak512 => "KECCAK-512",
        HashId::Ripemd160 => "RIPEMD160",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The peer is an oracle too, if the system has it.
    #[test]
    fn the_peer_computes_the_same() {
        let Some(libcrypto) = Libcrypto::load() else {
            return eprintln!("skipped: no libcrypto 3");
        };
        for &id in HashId::ALL {
            let hash = Algorithm::new(id);
            for message in [&b""[..], b"abc", &[0xa5; 1000]] {
                if let Some(Peer::Hash(mut digest, mut out)) = Peer::hash(&libcrypto, hash) {
                    digest.hash(message, &mut out);
                    assert_eq!(
                        out[..hash.digest_bytes()],
                        manylane_engine::hash(hash, message),
                        "{hash}"
                    );
                }
                if let Some(Peer::Hmac(mut mac, mut out)) = Peer::hmac(&libcrypto, hash) {
                    let mut hmac = Hmac::new(hash, KEY).unwrap();
                    hmac.update(message);
                    mac.tag(message, &mut out);
                    assert_eq!(out[..hash.digest_bytes()], hmac.finalize(), "hmac-{hash}");
                }
            }
        }
    }

    #[test]
    fn names_lead_to_subjects() {
        for name in ["md5", "hmac-sha3-256", "skein512-256", "rc5", "RC5-64/16/16", "rc5-16/0/0"] {
            assert!(Subject::new(name, None).is_ok(), "{name}");
        }
        for name in ["md6", "hmac-", "rc5-8/12/4", "rc5-32/256/16", "hmac-skein256-512"] {
            assert!(Subject::new(name, None).is_err(), "{name}");
        }
    }
}
