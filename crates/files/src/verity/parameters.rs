//! The parameters of a tree.

use crate::quote::quote;
use anyhow::bail;
use manylane_engine::Algorithm;

/// The format of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// fs-verity's, of a file.
    Fs,
    /// dm-verity's, of a block device.
    Dm,
}

/// How files are hashed.
#[derive(Clone, Copy, Debug)]
pub struct TreeParameters {
    pub(super) algorithm: Algorithm,
    pub(super) block_bytes: usize,
    pub(super) threads: usize,
}

/// The hashes that fs-verity has, by names that the kernel and the catalogue share.
const FS_HASHES: &[&str] = &["sha256", "sha512"];
/// The hashes that dm-verity has here: standards that both the kernel and the catalogue have.
const DM_HASHES: &[&str] = &[
    "sha1", "sha224", "sha256", "sha384", "sha512", "sha3-224", "sha3-256", "sha3-384", "sha3-512",
];

impl TreeParameters {
    /// A tree of this format over blocks of `block_bytes` bytes, with the hash of this name,
    /// computed on `threads` threads.
    ///
    /// # Errors
    /// If the format has no such hash or no such blocks.
    pub fn new(
        format: Format,
        name: &str,
        block_bytes: usize,
        threads: usize,
    ) -> anyhow::Result<Self> {
        let (title, hashes) = match format {
            Format::Fs => ("fs-verity", FS_HASHES),
            Format::Dm => ("dm-verity", DM_HASHES),
        };
        let algorithm: Option<Algorithm> =
            hashes.contains(&name).then(|| name.parse().expect("the catalogue has these names"));
        let Some(algorithm) = algorithm else {
            bail!("{title} by {}: choose one of {}", quote(name.as_bytes()), hashes.join(", "))
        };
        let allowed = match format {
            Format::Fs => 2 * algorithm.digest_bytes()..=1 << 26,
            Format::Dm => 512..=1 << 19,
        };
        if !block_bytes.is_power_of_two() || !allowed.contains(&block_bytes) {
            bail!(
                "blocks of {block_bytes} bytes: a power of two from {} to {} is needed",
                allowed.start(),
                allowed.end()
            );
        }
        Ok(Self { algorithm, block_bytes, threads })
    }

    /// The hash.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Bytes of a block, of the data and of the tree.
    pub fn block_bytes(&self) -> usize {
        self.block_bytes
    }
}
