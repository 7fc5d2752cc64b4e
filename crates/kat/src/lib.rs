//! Known-answer tests: readers of the published test vectors, one module per format.
//!
//! A test says which file it wants and gets its records:
//!
//! ```
//! for record in manylane_kat::cavp::hash("sha2/cavp_byte/SHA256ShortMsg.rsp") {
//!     assert_eq!(record.digest.len(), 32);
//! }
//! ```
//!
//! | module | files |
//! |---|---|
//! | [`cavp`] | NIST `.rsp`; the same layout for RFC 1321, RIPEMD-160 and Keccak's `.txt` |
//! | [`rfc`] | HMAC examples of RFC 2202, 2286 and 4231 |
//! | [`keccak`] | Keccak's extremely long message |
//! | [`sphlib`] | digests of every bit length, with the SHA-3 competition's messages |
//! | [`botan`] | Botan's `.vec` |
//! | [`blobby`] | RustCrypto's `.blb` |
//! | [`wycheproof`] | Wycheproof's MAC `.json` |
//! | [`rc5`] | the collected RC5 vectors |
//!
//! Tests compare the records with each [`Backend`]: every way in which this machine computes a
//! hash. [`Rng`] makes messages for tests without a file.
//!
//! [`files`] says where the vectors are, and what happens without them. In each module the function
//! that takes a file's name gives its records and panics on a bad file; `parse…`, which takes a
//! file's content, returns an [`Error`] that names file and line.

#![forbid(unsafe_code)]

mod backends;
pub mod blobby;
pub mod botan;
pub mod cavp;
mod fields;
pub mod files;
mod hex;
pub mod keccak;
pub mod rc5;
pub mod rfc;
mod rng;
pub mod sphlib;
pub mod wycheproof;

pub use backends::{Backend, MOST_LANES, MacBackend, Threads};
pub use files::folder;
pub use rng::Rng;

/// The reasons for which a vector file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A line that the format does not allow.
    #[error("{file}:{line}: {what}")]
    Line {
        /// The file, relative to the folder of vectors.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// A byte of a binary file that the format does not allow.
    #[error("{file}: byte {offset}: {what}")]
    Byte {
        /// The file, relative to the folder of vectors.
        file: String,
        /// Where reading stopped, in bytes from the beginning (uncompressed).
        offset: usize,
        /// What is wrong.
        what: String,
    },
    /// The file does not open, or does not decompress.
    #[error("{file}: {source}")]
    Read {
        /// The file, relative to the folder of vectors.
        file: String,
        /// What the system says.
        source: std::io::Error,
    },
}

impl Error {
    /// An error in a line of a file of vectors.
    pub(crate) fn line(file: &str, line: usize, what: impl Into<String>) -> Self {
        Self::Line { file: file.into(), line, what: what.into() }
    }
}

/// A message and its digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashRecord {
    /// The place in the file: the number of the line, or in `.blb` of the record, counted from 1.
    pub line: usize,
    /// Length of the message in bits.
    pub bits: u64,
    /// The message: `bits` / 8 bytes, rounded up. Which bits of an incomplete last byte count is
    /// the hash function's matter (the first ones for SHA-1, SHA-2 and the SHA-3 competition).
    pub message: Vec<u8>,
    /// The digest, or the output of an extendable-output function.
    pub digest: Vec<u8>,
}

/// A key, a message and its authentication code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MacRecord {
    /// The number of the record's line in the file, counted from 1.
    pub line: usize,
    /// Bytes of the underlying hash's digest, where the file tells it by section; else of `mac`.
    pub digest_bytes: usize,
    /// The key.
    pub key: Vec<u8>,
    /// The message.
    pub message: Vec<u8>,
    /// The authentication code, maybe cut.
    pub mac: Vec<u8>,
}
