//! Merkleization of Ethereum's SimpleSerialize (consensus-specs, `ssz/simple-serialize.md`).

use super::levels::{Levels, Tree};
use crate::api::hasher::hash;
use crate::error::Error;
use manylane_primitives::catalog::HashId;

/// `merkleize(chunks, limit)`: the root over chunks of 32 bytes, one after the other. The last
/// chunk is filled up with zeros. The tree has places for `limit` chunks, or without a limit for
/// the chunks given, rounded up to a power of two. Subtrees of zeros cost nothing.
///
/// ```
/// use manylane::tree::{mix_in_length, ssz_root};
///
/// // A list of three 64-bit integers whose type has room for 1,024, which are 256 chunks.
/// let numbers: Vec<u8> = [1u64, 2, 3].iter().flat_map(|n| n.to_le_bytes()).collect();
/// let root = mix_in_length(&ssz_root(&numbers, Some(256))?, 3);
/// # assert_eq!(root[..4], [0x7d, 0x71, 0xcb, 0x79]);
/// # Ok::<(), manylane::Error>(())
/// ```
///
/// # Errors
/// If there are more chunks than the limit.
pub fn ssz_root(chunks: &[u8], limit: Option<u64>) -> Result<[u8; 32], Error> {
    Ok(ssz_tree(chunks, limit)?.root().try_into().expect("32 bytes"))
}

/// The tree of [`ssz_root`], for proofs and updates of single chunks. The proof of chunk i is its
/// branch: [`verify_ssz_branch`] takes it, with 2^depth + i as the generalized index.
///
/// # Errors
/// As [`ssz_root`].
pub fn ssz_tree(chunks: &[u8], limit: Option<u64>) -> Result<Levels<'static>, Error> {
    let mut leaves = chunks.to_vec();
    leaves.resize(chunks.len().next_multiple_of(32), 0);
    let count = leaves.len() as u64 / 32;
    if limit.is_some_and(|limit| limit < count) {
        return Err(Error::Tree { what: "more chunks than the limit" });
    }
    let depth = limit.unwrap_or(count).max(1) - 1;
    Tree::new(HashId::Sha256).depth(u64::BITS - depth.leading_zeros()).build(leaves)
}

/// `mix_in_length(root, length)`: the root of a list of `length` elements.
pub fn mix_in_length(root: &[u8; 32], length: u64) -> [u8; 32] {
    let mut both = [0; 64];
    both[..32].copy_from_slice(root);
    both[32..40].copy_from_slice(&length.to_le_bytes());
    hash(HashId::Sha256, &both).try_into().expect("32 bytes")
}

/// Whether `branch` shows that the node with this generalized index, of a tree with this root, is
/// `leaf` (consensus-specs, `ssz/merkle-proofs.md`: `verify_merkle_proof`). The branch has the
/// siblings of the node and of those above it, from the leaf up. The root has index 1, and the
/// children of node i have 2i and 2i + 1.
///
/// ```
/// use manylane::tree::{mix_in_length, ssz_tree, verify_ssz_branch};
///
/// // Four of the 64-bit integers of a list that has room for 1,024, which are 256 chunks.
/// let numbers: Vec<u8> = (1..=9u64).flat_map(|n| n.to_le_bytes()).collect();
/// let tree = ssz_tree(&numbers, Some(256))?;
/// let root = mix_in_length(tree.root().try_into().unwrap(), 9);
/// let chunk = 1;
/// let mut branch = tree.proof(chunk);
/// // Beside the root of the chunks is their number.
/// branch.push([&[9][..], &[0; 31]].concat());
/// let index = (2 << tree.depth()) + chunk as u128;
/// let leaf = numbers[32..64].try_into().unwrap();
/// assert!(verify_ssz_branch(leaf, index, &branch, &root));
/// assert!(!verify_ssz_branch(leaf, index ^ 1, &branch, &root));
/// # Ok::<(), manylane::Error>(())
/// ```
///
/// Any input has an answer. It is `false` if the index is 0, there are more or fewer siblings than
/// the node has, or one has other than 32 bytes.
///
/// # Panics
/// If the environment variable `MANYLANE_MAX_ISA` names no engine.
#[must_use = "an answer that nobody reads proves nothing"]
pub fn verify_ssz_branch(
    leaf: &[u8; 32],
    index: u128,
    branch: &[impl AsRef<[u8]>],
    root: &[u8; 32],
) -> bool {
    let depth = index.checked_ilog2().map(|depth| depth as usize);
    if depth != Some(branch.len()) || branch.iter().any(|node| node.as_ref().len() != 32) {
        return false;
    }
    let mut node = leaf.to_vec();
    for (level, sibling) in branch.iter().enumerate() {
        let (left, right) = match index >> level & 1 {
            0 => (&node[..], sibling.as_ref()),
            _ => (sibling.as_ref(), &node[..]),
        };
        node = hash(HashId::Sha256, &[left, right].concat());
    }
    node == root
}
