//! The instructions of Armv8 for single hashes: SHA-1 and SHA-256 (FEAT_SHA1, FEAT_SHA256), SHA-512
//! (FEAT_SHA512), the S-box of Grøstl (FEAT_AES). A vector holds the words of the standard in its
//! order, the first in the lowest place.

#[cfg(feature = "groestl")]
pub mod groestl;
#[cfg(feature = "sha1")]
pub mod sha1;
#[cfg(feature = "sha2")]
pub mod sha256;
#[cfg(feature = "sha2")]
pub mod sha512;
