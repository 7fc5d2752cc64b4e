//! Trees of hashes (Merkle trees): levels of nodes, each the digest of its children.
//!
//! ```text
//! level 2             root
//!                  ╱        ╲           node = H(prefix ‖ children)
//! level 1       a              b
//!             ╱   ╲          ╱   ╲
//! level 0  leaf    leaf   leaf   (none)   what stands for the child that is lacking: `Lacking`
//! ```
//!
//! The nodes of a level are hashed side by side in one call. [`Tree`] is for trees of any form;
//! [`ssz_root`] is for the trees of Ethereum's SSZ, [`Log`] for those of certificate logs (RFC
//! 9162) with their proofs, [`Verity`] for those of Linux' fs-verity and dm-verity. Nothing is
//! cleared from memory after use.
//!
//! Whoever has only a root can verify proofs: [`Tree::verify`], [`verify_inclusion`] and
//! [`verify_consistency`] of logs, `verify_ssz_branch`. They answer any input, and hash no more
//! than a few times the bytes that they are given.

mod levels;
mod log;
mod proof;
#[cfg(feature = "sha2")]
mod ssz;
mod verity;

pub use levels::{Lacking, Levels, Tree};
pub use log::{Log, verify_consistency, verify_inclusion};
#[cfg(feature = "sha2")]
pub use ssz::{mix_in_length, ssz_root, ssz_tree, verify_ssz_branch};
pub use verity::{Digested, Verity, VerityBlock};
