//! Hash functions for many messages at once.
//!
//! A CPU core can hash 8, 16 or 32 messages in about the time of one, in the lanes of its vector
//! registers or in interleaved hardware rounds. This crate is how a program asks for that. The
//! engine is chosen at run time from what the CPU has; the digests are the same on every one.
//!
//! # Many messages
//!
//! [`hash_many`] takes messages of any lengths and writes their digests side by side:
//!
//! ```
//! use manylane::{HashId, hash_many};
//!
//! let messages = ["one message", "another, longer message", ""];
//! let mut digests = [[0; 32]; 3];
//! hash_many(HashId::Sha256, &messages, digests.as_flattened_mut())?;
//! assert_eq!(digests[2][..4], [0xe3, 0xb0, 0xc4, 0x42]);
//! # Ok::<(), manylane::Error>(())
//! ```
//!
//! [`Batch`] does the same with threads, a common prefix, or an engine of your choice:
//!
//! ```
//! use manylane::{Algorithm, Batch};
//!
//! let algorithm: Algorithm = "blake256".parse()?;
//! let rows: Vec<String> = (0..1000).map(|i| format!("row {i}")).collect();
//! let mut digests = vec![0; rows.len() * algorithm.digest_bytes()];
//! Batch::new(algorithm).threads(2).prefix(b"salt ").run(&rows, &mut digests)?;
//! assert_eq!(digests[..32], manylane::hash(algorithm, b"salt row 0"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Group`] is for messages too long to hold in memory: give it a piece of each at a time.
//!
//! # One message
//!
//! [`hash`] and [`Hasher`] take the algorithm as a value. For code that is generic over the traits
//! of the [`digest`] crate there is a type for each algorithm:
//!
//! ```
//! use manylane::{Sha256, digest::Digest};
//!
//! let mut hasher = Sha256::new();
//! hasher.update(b"a");
//! hasher.update(b"bc");
//! assert_eq!(hasher.finalize()[..4], [0xba, 0x78, 0x16, 0xbf]);
//! ```
//!
//! Each type implements [`std::io::Write`] too, for [`std::io::copy`] from a file.
//!
//! [`Hmac`] authenticates one message, [`Batch::run_hmac`] many under one key; [`Rc5`] encrypts by
//! [`modes`], [`Rc5Keys`] many messages under a key each. Code for every word size of RC5 is
//! generic over [`CipherWord`].
//!
//! [`pairing`] computes the η_T pairing over F_2^1223, which has about 59 bits of security: for
//! research and teaching only. With the feature `ternary` there is the one in characteristic three.
//!
//! # Which engine
//!
//! [`engines`] lists the engines of this CPU that compute an algorithm. The environment variable
//! [`MAX_ISA_VARIABLE`] (`MANYLANE_MAX_ISA`) caps the instruction set; [`Hasher::on`] and
//! [`Batch::engine`] force an engine, and say clearly when the CPU lacks it. Whatever takes an
//! engine takes an [`Engine`] or an `Option` of one, `None` for the best:
//!
//! ```
//! use manylane::{Engine, HashId, Hasher};
//!
//! let reference = Hasher::on(HashId::Sha512, Engine::Scalar)?;
//! assert_eq!(reference.engine(), Engine::Scalar);
//! assert!(Hasher::on(HashId::Md5, Engine::ShaNi).is_err());
//! # Ok::<(), manylane::Error>(())
//! ```
//!
//! [`tuning`] replaces the built-in times by times measured on this CPU: a program times the
//! kernels and installs the table once.
//!
//! # Features
//!
//! All but two are on by default. A program that needs one family of primitives is smaller and
//! compiles faster with that alone:
//!
//! ```toml
//! [dependencies]
//! manylane = { version = "0.1", default-features = false, features = ["sha2"] }
//! ```
//!
//! | feature | what it adds |
//! |---|---|
//! | `md5`, `sha1`, `sha2`, `ripemd` | the hashes of these names |
//! | `sha3` | SHA-3, SHAKE, Keccak |
//! | `blake`, `groestl`, `jh`, `skein` | the other finalists of the SHA-3 competition |
//! | `rc5` | the block cipher |
//! | `pairing` | [`pairing`], with `sha3` |
//! | `rayon` | [`Batch::pool`]: the threads of the caller's pool |
//! | `portable` | the engine of that name on x86-64 and aarch64: it gains for MD5 without AVX2 |
//! | `all-kernels` | kernels that gain on some cores only |
//! | `oid` | object identifiers of the types, for signatures by PKCS #1 |
//! | `zeroize` (off) | hashers overwrite what they hold when they are dropped |
//! | `ternary` (off) | the pairing in characteristic three, with `pairing` |
//!
//! Without `all-kernels` a program with SHA-2 alone has 0.8 MB instead of 1.0, and takes up to two
//! fifths longer for a batch. On Zen 5, SHA-256 of 1,000 messages of 1,000 bytes takes 172 µs
//! instead of 138.
//!
//! HMAC, key derivation, trees and chains are available for every hash.
//!
//! # Unoptimised builds
//!
//! The kernels are generic and deeply inlined. Without optimisation, as in `cargo build` and `cargo
//! test` of a crate that depends on this one, they hash one message at a time, 1 to 20 MB in a
//! second instead of hundreds or thousands. Ask for this crate to be optimised even then, in the
//! `Cargo.toml` of the workspace:
//!
//! ```toml
//! [profile.dev.package.manylane-engine]
//! opt-level = 3
//! ```
//!
//! # Security
//!
//! MD5 and SHA-1 are broken: anyone can make two messages of the same digest. They are here for
//! old files and protocols. [`HashId::entry`] tells how far each algorithm may be trusted, and the
//! documentation of each type repeats it. Grøstl reads tables at secret addresses on the engines
//! scalar, bmi2 and portable. Memory is not cleared after use, except by hashers with `zeroize`.
#![forbid(unsafe_code)]
// A family alone uses less of what all types are made from.
#![cfg_attr(not(feature = "default"), allow(unused))]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "pairing")]
pub mod pairing;
mod types;

pub use digest;
pub use manylane_engine::{
    Algorithm, Batch, Chains, Engine, Entry, Error, Group, HashId, Hasher, Hkdf, Hmac, HmacKeys,
    MAX_ISA_VARIABLE, ParamsError, Pbkdf2, PreparedChains, PreparedRows, Rc5Params, Rows, Security,
    Shape, UnknownName, Work, XofReader, engines, hash, hash_bits, hash_many, hkdf_many, hotp_many,
    modes, pbkdf2_many, tree, tuning,
};
pub use manylane_engine::{Both, BothGroup};
#[cfg(feature = "rc5")]
pub use manylane_engine::{CipherWord, Keyed, Rc5, Rc5Keys};
pub use manylane_primitives as primitives;
pub use types::*;
