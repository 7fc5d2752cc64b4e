//! The Merkle tree of certificate logs (RFC 6962 §2.1, RFC 9162 §2.1): leaves are hashed after a
//! byte 0x00, nodes after a byte 0x01. Proofs show that an entry is in a log, or that one log
//! continues another.

use super::levels::{Lacking, Levels, Tree};
use crate::api::batch::Batch;
use crate::api::hasher::hash;
use crate::error::{self, Error};
use manylane_primitives::catalog::Algorithm;

/// A log of entries of any lengths.
///
/// ```
/// use manylane::HashId;
/// use manylane::tree::{Log, verify_inclusion};
///
/// let log = Log::new(HashId::Sha256, &["first", "second", "third"], 1)?;
/// let proof = log.inclusion(2);
/// assert!(verify_inclusion(HashId::Sha256, b"third", 2, 3, &proof, &log.root()));
/// # Ok::<(), manylane::Error>(())
/// ```
#[derive(Debug)]
pub struct Log {
    algorithm: Algorithm,
    levels: Levels<'static>,
}

impl Log {
    /// The log of these entries, computed on up to `threads` threads.
    ///
    /// # Errors
    /// If the digests do not fit in memory, or `MANYLANE_MAX_ISA` names no engine.
    pub fn new<E: AsRef<[u8]> + Sync>(
        algorithm: impl Into<Algorithm>,
        entries: &[E],
        threads: usize,
    ) -> Result<Self, Error> {
        let algorithm = algorithm.into();
        let bytes = entries.len().saturating_mul(algorithm.digest_bytes());
        let mut leaves = error::try_with_capacity(bytes)?;
        leaves.resize(bytes, 0);
        Batch::new(algorithm).threads(threads).prefix(&[0]).run(entries, &mut leaves)?;
        let tree = Tree::new(algorithm).threads(threads).prefix(&[1]).lacking(Lacking::Promoted);
        Ok(Self { algorithm, levels: tree.build(leaves)? })
    }

    /// Number of entries.
    pub fn count(&self) -> usize {
        self.levels.count()
    }

    /// The nodes: level 0 is the digests of the entries.
    pub fn levels(&self) -> &Levels<'static> {
        &self.levels
    }

    /// The root, `MTH(D[n])`. Without entries it is the digest of the empty message.
    pub fn root(&self) -> Vec<u8> {
        match self.count() {
            0 => hash(self.algorithm, b""),
            _ => self.levels.root().to_vec(),
        }
    }

    /// The inclusion proof of an entry, `PATH(m, D[n])`: the siblings on its path to the root.
    ///
    /// # Panics
    /// If there is no entry of that number.
    pub fn inclusion(&self, entry: usize) -> Vec<Vec<u8>> {
        self.levels.proof(entry)
    }

    /// The consistency proof of the first `before` entries, `PROOF(m, D[n])`. It is empty if
    /// `before` is 0 or the number of all entries.
    ///
    /// # Panics
    /// If there are fewer than `before` entries.
    pub fn consistency(&self, before: usize) -> Vec<Vec<u8>> {
        let count = self.count();
        assert!(before <= count, "{before} of {count} entries");
        let mut proof = Vec::new();
        if before == 0 || before == count {
            return proof;
        }
        // SUBPROOF(m, D[begin:end], whole) of RFC 9162 §2.1.4.1, from the root down.
        let (mut begin, mut end, mut whole) = (0, count, true);
        while before != end {
            let split = begin + (end - begin).next_power_of_two() / 2;
            if before <= split {
                proof.push(self.subtree(split, end));
                end = split;
            } else {
                proof.push(self.subtree(begin, split));
                (begin, whole) = (split, false);
            }
        }
        if !whole {
            proof.push(self.subtree(begin, end));
        }
        proof.reverse();
        proof
    }

    /// `MTH(D[begin:end])` of a subtree: complete, or the last one.
    fn subtree(&self, begin: usize, end: usize) -> Vec<u8> {
        let level = (end - begin).next_power_of_two().trailing_zeros() as usize;
        let bytes = self.algorithm.digest_bytes();
        self.levels.level(level)[(begin >> level) * bytes..][..bytes].to_vec()
    }
}

/// H(0x01 ‖ left ‖ right).
fn node(algorithm: Algorithm, left: &[u8], right: &[u8]) -> Vec<u8> {
    hash(algorithm, &[&[1], left, right].concat())
}

/// Whether `proof` shows that `entry` is number `index` of the `count` entries of the log with this
/// root (RFC 9162 §2.1.3.2). Who has the digest of an entry alone calls [`Tree::verify`], with the
/// prefix `[1]` and [`Lacking::Promoted`].
///
/// Any input has an answer. It is `false` if there is no entry of that number, the proof is shorter
/// or longer than one of such a log, or the root or a part of the proof is not as long as a digest.
///
/// # Panics
/// If the environment variable `MANYLANE_MAX_ISA` names no engine.
#[must_use = "an answer that nobody reads proves nothing"]
pub fn verify_inclusion(
    algorithm: impl Into<Algorithm>,
    entry: &[u8],
    index: u64,
    count: u64,
    proof: &[impl AsRef<[u8]>],
    root: &[u8],
) -> bool {
    let proof: Vec<_> = proof.iter().map(AsRef::as_ref).collect();
    includes(algorithm.into(), entry, [index, count], &proof, root)
}

/// Step by step as §2.1.3.2 has it: `at` is its fn, `last` its sn.
fn includes(
    algorithm: Algorithm,
    entry: &[u8],
    [index, count]: [u64; 2],
    proof: &[&[u8]],
    root: &[u8],
) -> bool {
    let bytes = algorithm.digest_bytes();
    if index >= count || proof.iter().chain([&root]).any(|node| node.len() != bytes) {
        return false;
    }
    let (mut at, mut last) = (index, count - 1);
    let mut digest = hash(algorithm, &[&[0], entry].concat());
    for sibling in proof {
        if last == 0 {
            return false;
        }
        if at & 1 == 1 || at == last {
            digest = node(algorithm, sibling, &digest);
            while at & 1 == 0 && at != 0 {
                (at, last) = (at >> 1, last >> 1);
            }
        } else {
            digest = node(algorithm, &digest, sibling);
        }
        (at, last) = (at >> 1, last >> 1);
    }
    last == 0 && digest == root
}

/// Whether `proof` shows that the log of `count` entries with the root `root` begins with the
/// `before` entries of the log with the root `root_before` (RFC 9162 §2.1.4.2). The empty log,
/// which the standard leaves out, begins every log: its proof is empty and shows nothing of the
/// other root.
///
/// Any input has an answer. It is `false` if there were more entries before, the proof is shorter
/// or longer than one of such logs, or a root or a part of the proof is not as long as a digest.
///
/// # Panics
/// If the environment variable `MANYLANE_MAX_ISA` names no engine.
#[must_use = "an answer that nobody reads proves nothing"]
pub fn verify_consistency(
    algorithm: impl Into<Algorithm>,
    before: u64,
    root_before: &[u8],
    count: u64,
    root: &[u8],
    proof: &[impl AsRef<[u8]>],
) -> bool {
    let proof: Vec<_> = proof.iter().map(AsRef::as_ref).collect();
    continues(algorithm.into(), (before, root_before), (count, root), &proof)
}

/// Step by step as §2.1.4.2 has it: `at` is its fn, `last` its sn.
fn continues(
    algorithm: Algorithm,
    (before, root_before): (u64, &[u8]),
    (count, root): (u64, &[u8]),
    proof: &[&[u8]],
) -> bool {
    let bytes = algorithm.digest_bytes();
    let mut given = proof.iter().chain([&root_before, &root]);
    if before > count || given.any(|node| node.len() != bytes) {
        return false;
    }
    let of_none = |root: &[u8]| root == hash(algorithm, b"");
    if count == 0 && !of_none(root) || before == 0 && !of_none(root_before) {
        return false;
    }
    if before == count {
        return proof.is_empty() && root_before == root;
    }
    if before == 0 {
        return proof.is_empty();
    }
    let (mut at, mut last) = (before - 1, count - 1);
    while at & 1 == 1 {
        (at, last) = (at >> 1, last >> 1);
    }
    let mut rest = proof.iter().copied();
    // A complete subtree of all earlier entries is the root that the verifier has.
    let first = if before.is_power_of_two() { Some(root_before) } else { rest.next() };
    let Some(first) = first else { return false };
    let (mut old, mut new) = (first.to_vec(), first.to_vec());
    for sibling in rest {
        if last == 0 {
            return false;
        }
        if at & 1 == 1 || at == last {
            old = node(algorithm, sibling, &old);
            new = node(algorithm, sibling, &new);
            while at & 1 == 0 && at != 0 {
                (at, last) = (at >> 1, last >> 1);
            }
        } else {
            new = node(algorithm, &new, sibling);
        }
        (at, last) = (at >> 1, last >> 1);
    }
    last == 0 && old == root_before && new == root
}
