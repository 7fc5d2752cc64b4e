//! SLH-DSA, the stateless hash-based signatures of FIPS 205, over the rows, chains and levels of
//! [`manylane`].
//!
//! A signature takes from 110,000 to 3.8 million short hashes, most of them steps of WOTS⁺ chains.
//! They fill the lanes of one core: the chains of one tree or of several small ones are computed
//! side by side, then the chains that sign, of all layers together. [`PrivateKey::sign_many`] gives
//! each of many signatures a thread.
//!
//! **This implementation was not audited.** It is the worked example of manylane's interface for
//! hashes that follow hashes. It does not branch on secrets and does not index by them; the digits
//! and indices that signing uses are part of the signature. Secrets are not cleared from memory
//! after use, except a private key when it is dropped, and the compiler may have made copies of it.
//! Nothing guards against faults of the hardware.
//!
//! ```
//! use manylane_slh_dsa::{ParameterSet, PrivateKey};
//!
//! # let (sk_seed, sk_prf, pk_seed) = ([1; 16], [2; 16], [3; 16]);
//! // Three strings of random bytes, from a generator that may make keys.
//! let key = PrivateKey::from_seeds(ParameterSet::Sha2_128f, &sk_seed, &sk_prf, &pk_seed)?;
//! # let random = [4; 16];
//! let signature = key.sign(b"message", b"context", Some(&random))?;
//! assert!(key.public_key().verify(b"message", b"context", &signature));
//! # Ok::<(), manylane_slh_dsa::Error>(())
//! ```
#![forbid(unsafe_code)]

mod address;
mod functions;
mod parameters;
mod prehash;
mod threads;
mod trees;

pub use parameters::{ParameterSet, UnknownName};
pub use prehash::PreHash;

use functions::{Functions, h_msg, prf_msg};
use std::fmt;
use std::sync::Mutex;
use threads::each;
use trees::{Leaf, fors_key, fors_sign, leaves, wots_sign, xmss, xmss_root};

/// A request that cannot be met.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A key, a seed or randomness has the wrong length.
    #[error("{what} of {set} has {needed} bytes, not {given}")]
    Length {
        /// Which one.
        what: &'static str,
        /// The parameter set.
        set: ParameterSet,
        /// Bytes given.
        given: usize,
        /// Bytes needed.
        needed: usize,
    },
    /// A context is longer than 255 bytes.
    #[error("a context of {0} bytes; it has at most 255")]
    Context(usize),
    /// The public root in a private key is not that of its seeds.
    #[error("the private key's root is not that of its seeds")]
    Root,
}

fn check(what: &'static str, set: ParameterSet, given: usize, needed: usize) -> Result<(), Error> {
    match given == needed {
        true => Ok(()),
        false => Err(Error::Length { what, set, given, needed }),
    }
}

/// The functions of one public seed, prepared at the first use: one for each thread that used the
/// key at the same time as others.
#[derive(Default)]
struct PreparedFunctions(Mutex<Vec<Functions>>);

impl PreparedFunctions {
    /// Calls `then` with functions that nobody else uses at the time.
    fn with<T>(
        &self,
        set: ParameterSet,
        pk_seed: &[u8],
        then: impl FnOnce(&mut Functions) -> T,
    ) -> T {
        let kept = self.0.lock().ok().and_then(|mut kept| kept.pop());
        let mut functions = kept.unwrap_or_else(|| Functions::new(set.parameters(), pk_seed));
        let result = then(&mut functions);
        if let Ok(mut kept) = self.0.lock() {
            kept.push(functions);
        }
        result
    }
}

impl Clone for PreparedFunctions {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// A public key: PK.seed ‖ PK.root.
#[derive(Clone)]
pub struct PublicKey {
    set: ParameterSet,
    bytes: Vec<u8>,
    functions: PreparedFunctions,
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        (self.set, &self.bytes) == (other.set, &other.bytes)
    }
}

impl Eq for PublicKey {}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublicKey").field("set", &self.set).field("bytes", &self.bytes).finish()
    }
}

impl PublicKey {
    /// Reads a key of [`ParameterSet::public_key_bytes`] bytes.
    ///
    /// # Errors
    /// If it has another length.
    pub fn from_bytes(set: ParameterSet, bytes: &[u8]) -> Result<Self, Error> {
        check("a public key", set, bytes.len(), set.public_key_bytes())?;
        Ok(Self { set, bytes: bytes.to_vec(), functions: PreparedFunctions::default() })
    }

    /// PK.seed ‖ PK.root.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its parameter set.
    pub fn parameter_set(&self) -> ParameterSet {
        self.set
    }

    /// slh_verify (algorithm 24): whether `signature` is one of this message and context.
    ///
    /// # Panics
    /// If the environment variable `MANYLANE_MAX_ISA` names no engine.
    #[must_use = "an answer that nobody reads authenticates nothing"]
    pub fn verify(&self, message: &[u8], context: &[u8], signature: &[u8]) -> bool {
        let Ok(head) = head(0, context) else { return false };
        self.verify_internal(&[&head, message], signature)
    }

    /// [`PublicKey::verify`] of many messages, each with its signature, in one context, on up to
    /// `threads` threads, at most 1,024: the calling thread and others that are started for the
    /// call.
    ///
    /// # Panics
    /// If the environment variable `MANYLANE_MAX_ISA` names no engine.
    #[must_use = "an answer that nobody reads authenticates nothing"]
    pub fn verify_many<M: AsRef<[u8]> + Sync, S: AsRef<[u8]> + Sync>(
        &self,
        signed: &[(M, S)],
        context: &[u8],
        threads: usize,
    ) -> Vec<bool> {
        each(signed.len(), threads, |index| {
            let (message, signature) = &signed[index];
            self.verify(message.as_ref(), context, signature.as_ref())
        })
    }

    /// hash_slh_verify (algorithm 25): [`PublicKey::verify`] of a message whose digest is signed.
    ///
    /// # Panics
    /// If the environment variable `MANYLANE_MAX_ISA` names no engine.
    #[must_use = "an answer that nobody reads authenticates nothing"]
    pub fn verify_prehash(
        &self,
        message: &[u8],
        context: &[u8],
        by: PreHash,
        signature: &[u8],
    ) -> bool {
        let Ok(head) = head(1, context) else { return false };
        self.verify_internal(&[&head, &by.object_identifier(), &by.digest(message)], signature)
    }

    /// Runs slh_verify_internal (algorithm 20) on a message in parts, without a context.
    ///
    /// # Panics
    /// If the environment variable `MANYLANE_MAX_ISA` names no engine.
    #[must_use = "an answer that nobody reads authenticates nothing"]
    pub fn verify_internal(&self, parts: &[&[u8]], signature: &[u8]) -> bool {
        if signature.len() != self.set.signature_bytes() {
            return false;
        }
        let (seed, root) = self.bytes.split_at(self.set.seed_bytes());
        self.functions.with(self.set, seed, |functions| {
            let p = functions.p;
            let (r, rest) = signature.split_at(p.n);
            let (of_fors, of_layers) = rest.split_at(p.k * (1 + p.a) * p.n);
            let digest = h_msg(&p, r, &self.bytes, parts);
            let (message, signing) = split_digest(functions, &digest);
            let mut node = fors_key(functions, signing[0], message, of_fors);
            let layers = of_layers.chunks_exact((p.len() + p.h_prime) * p.n);
            for (leaf, of_layer) in signing.iter().zip(layers) {
                node = xmss_root(functions, *leaf, &node, of_layer);
            }
            node == root
        })
    }
}

/// The FORS message and the leaves that sign, of the digest of a message (algorithm 19, lines 6 to
/// 10).
fn split_digest<'d>(functions: &Functions, digest: &'d [u8]) -> (&'d [u8], Vec<Leaf>) {
    let p = &functions.p;
    let [md, tree, _] = p.digest_parts();
    let number = |bytes: &[u8]| bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
    let bits = |number: u64, bits: usize| number & (u64::MAX >> (64 - bits));
    let of_tree = bits(number(&digest[md..md + tree]), p.h_prime * (p.d - 1));
    let leaf = bits(number(&digest[md + tree..]), p.h_prime);
    (&digest[..md], leaves(functions, of_tree, leaf as u32))
}

/// toByte(`domain`, 1) ‖ toByte(|ctx|, 1) ‖ ctx (§10.2), where `domain` is 0 for the pure version
/// and 1 for pre-hash.
fn head(domain: u8, context: &[u8]) -> Result<Vec<u8>, Error> {
    let length = u8::try_from(context.len()).map_err(|_| Error::Context(context.len()))?;
    Ok([&[domain, length], context].concat())
}

/// A private key: SK.seed ‖ SK.prf ‖ PK.seed ‖ PK.root.
#[derive(Clone)]
pub struct PrivateKey {
    /// SK.seed ‖ SK.prf
    secret: Vec<u8>,
    public: PublicKey,
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrivateKey").field("public", &self.public).finish_non_exhaustive()
    }
}

impl Drop for PrivateKey {
    fn drop(&mut self) {
        self.secret.fill(0);
        std::hint::black_box(&self.secret);
    }
}

impl PrivateKey {
    /// slh_keygen_internal (algorithm 18): the key of three seeds of [`ParameterSet::seed_bytes`],
    /// which are random and from a generator that may make keys. The first two are secret.
    ///
    /// # Errors
    /// If a seed has another length.
    ///
    /// # Panics
    /// If the environment variable `MANYLANE_MAX_ISA` names no engine.
    pub fn from_seeds(
        set: ParameterSet,
        sk_seed: &[u8],
        sk_prf: &[u8],
        pk_seed: &[u8],
    ) -> Result<Self, Error> {
        for seed in [sk_seed, sk_prf, pk_seed] {
            check("a seed", set, seed.len(), set.seed_bytes())?;
        }
        let functions = PreparedFunctions::default();
        let root = functions.with(set, pk_seed, |functions| top_root(functions, sk_seed));
        let bytes = [pk_seed, &root].concat();
        let public = PublicKey { set, bytes, functions };
        Ok(Self { secret: [sk_seed, sk_prf].concat(), public })
    }

    /// Reads a key of [`ParameterSet::private_key_bytes`] bytes.
    ///
    /// # Errors
    /// If it has another length, or its root is not that of its seeds. The root is computed for
    /// this check, which costs as much as making a key.
    ///
    /// # Panics
    /// If the environment variable `MANYLANE_MAX_ISA` names no engine.
    pub fn from_bytes(set: ParameterSet, bytes: &[u8]) -> Result<Self, Error> {
        check("a private key", set, bytes.len(), set.private_key_bytes())?;
        let n = set.seed_bytes();
        let key = Self::from_seeds(set, &bytes[..n], &bytes[n..2 * n], &bytes[2 * n..3 * n])?;
        match key.public.bytes == bytes[2 * n..] {
            true => Ok(key),
            false => Err(Error::Root),
        }
    }

    /// SK.seed ‖ SK.prf ‖ PK.seed ‖ PK.root.
    pub fn to_bytes(&self) -> Vec<u8> {
        [&self.secret[..], &self.public.bytes].concat()
    }

    /// The public half.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// slh_sign (algorithm 22): the signature of a message and a context of at most 255 bytes. With
    /// `random`, [`ParameterSet::seed_bytes`] fresh random bytes, it is hedged, which the standard
    /// recommends; without, deterministic.
    ///
    /// # Errors
    /// If the context is too long or the randomness has another length.
    ///
    /// # Panics
    /// If the environment variable `MANYLANE_MAX_ISA` names no engine.
    pub fn sign(
        &self,
        message: &[u8],
        context: &[u8],
        random: Option<&[u8]>,
    ) -> Result<Vec<u8>, Error> {
        self.sign_internal(&[&head(0, context)?, message], random)
    }

    /// [`PrivateKey::sign`] of many messages in one context: their signatures, in their order. One
    /// signature fills the lanes of a core, and up to `threads` are made at the same time, at most
    /// 1,024: one on the calling thread, each other on a thread that is started for the call.
    ///
    /// With `random`, [`ParameterSet::seed_bytes`] fresh random bytes for each message, which lie
    /// one after the other, all are hedged; without, all are deterministic.
    ///
    /// ```
    /// # use manylane_slh_dsa::{ParameterSet, PrivateKey};
    /// # let (sk_seed, sk_prf, pk_seed) = ([1; 16], [2; 16], [3; 16]);
    /// let key = PrivateKey::from_seeds(ParameterSet::Sha2_128f, &sk_seed, &sk_prf, &pk_seed)?;
    /// let messages = ["one message", "another"];
    /// # let random = [4; 32];
    /// let signatures = key.sign_many(&messages, b"context", Some(&random), 2)?;
    /// let signed: Vec<_> = messages.iter().zip(&signatures).collect();
    /// assert_eq!(key.public_key().verify_many(&signed, b"context", 2), [true, true]);
    /// # Ok::<(), manylane_slh_dsa::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the context is too long or the randomness has another length. Nothing is signed then.
    ///
    /// # Panics
    /// If the environment variable `MANYLANE_MAX_ISA` names no engine.
    pub fn sign_many<M: AsRef<[u8]> + Sync>(
        &self,
        messages: &[M],
        context: &[u8],
        random: Option<&[u8]>,
        threads: usize,
    ) -> Result<Vec<Vec<u8>>, Error> {
        let (set, head) = (self.public.set, head(0, context)?);
        let n = set.seed_bytes();
        if let Some(random) = random {
            let needed = messages.len() * n;
            check("the randomness for all messages", set, random.len(), needed)?;
        }
        let signatures = each(messages.len(), threads, |index| {
            let random = random.map(|random| &random[index * n..][..n]);
            self.sign_internal(&[&head, messages[index].as_ref()], random)
        });
        signatures.into_iter().collect()
    }

    /// hash_slh_sign (algorithm 23): does the same as [`PrivateKey::sign`], but signs the digest of
    /// the message.
    ///
    /// # Errors
    /// As [`PrivateKey::sign`].
    ///
    /// # Panics
    /// If the environment variable `MANYLANE_MAX_ISA` names no engine.
    pub fn sign_prehash(
        &self,
        message: &[u8],
        context: &[u8],
        by: PreHash,
        random: Option<&[u8]>,
    ) -> Result<Vec<u8>, Error> {
        let parts = [&head(1, context)?[..], &by.object_identifier(), &by.digest(message)];
        self.sign_internal(&parts, random)
    }

    /// slh_sign_internal (algorithm 19) of a message in parts, without a context.
    ///
    /// # Errors
    /// If the randomness has another length.
    ///
    /// # Panics
    /// If the environment variable `MANYLANE_MAX_ISA` names no engine.
    pub fn sign_internal(&self, parts: &[&[u8]], random: Option<&[u8]>) -> Result<Vec<u8>, Error> {
        self.sign_publishing(parts, random, &mut |_| ())
    }

    /// [`PrivateKey::sign_internal`] for the check that nothing secret decides a branch or an
    /// address. `publish` is called with each value that decides one later, before it does, and
    /// gets the memory from which the value is then read. All these values follow from the
    /// signature.
    #[doc(hidden)]
    pub fn sign_publishing(
        &self,
        parts: &[&[u8]],
        random: Option<&[u8]>,
        publish: &mut dyn FnMut(&[u8]),
    ) -> Result<Vec<u8>, Error> {
        let set = self.public.set;
        let (sk_seed, sk_prf) = self.secret.split_at(set.seed_bytes());
        let pk_seed = &self.public.bytes[..set.seed_bytes()];
        let random = random.unwrap_or(pk_seed);
        check("the randomness", set, random.len(), set.seed_bytes())?;
        Ok(self.public.functions.with(set, pk_seed, |functions| {
            let p = functions.p;
            let r = prf_msg(&p, sk_prf, random, parts);
            publish(&r);
            let digest = h_msg(&p, &r, &self.public.bytes, parts);
            let (message, signing) = split_digest(functions, &digest);
            let (of_fors, fors_key) = fors_sign(functions, sk_seed, signing[0], message);
            let trees = xmss(functions, sk_seed, &signing);
            publish(&fors_key);
            trees.iter().for_each(|(_, root)| publish(root));
            // Each layer signs the root of the one below.
            let roots = trees.iter().map(|(_, root)| root.clone());
            let signed = signing.into_iter().zip([fors_key].into_iter().chain(roots));
            let signed: Vec<_> = signed.collect();
            let of_layers = wots_sign(functions, sk_seed, &signed);
            let mut signature = [r, of_fors].concat();
            for (states, (path, _)) in of_layers.chunks_exact(p.len() * p.n).zip(&trees) {
                signature.extend_from_slice(states);
                signature.extend_from_slice(path);
            }
            signature
        }))
    }
}

/// The root of the highest layer's only tree.
fn top_root(functions: &mut Functions, sk_seed: &[u8]) -> Vec<u8> {
    let layer = functions.p.d as u32 - 1;
    let top = Leaf { place: address::TreePosition { layer, tree: 0 }, key_pair: 0 };
    xmss(functions, sk_seed, &[top]).remove(0).1
}
