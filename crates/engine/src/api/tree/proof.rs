//! Whether a leaf is in a tree of which only the root is known.

use super::levels::{Lacking, Tree};
use crate::api::hasher::hash;

impl Tree<'_> {
    /// Whether `proof` shows that `leaf` is number `index` of the `count` leaves of the tree of
    /// this form that has this root. The proof is that of [`Levels::proof`](super::Levels::proof):
    /// for each level the siblings, in their order.
    ///
    /// ```
    /// use manylane::{HashId, tree::{Lacking, Tree}};
    ///
    /// let leaves = [[1; 32], [2; 32], [3; 32]];
    /// let tree = Tree::new(HashId::Sha256).prefix(&[1]).lacking(Lacking::Promoted);
    /// let levels = tree.build(leaves.concat())?;
    /// let proof = levels.proof(1);
    /// assert!(tree.verify(&leaves[1], 1, 3, &proof, levels.root()));
    /// assert!(!tree.verify(&leaves[1], 0, 3, &proof, levels.root()));
    /// # Ok::<(), manylane::Error>(())
    /// ```
    ///
    /// Any input has an answer. It is `false` if there is no leaf of that number, the proof is
    /// shorter or longer than one of such a tree, the leaf, the root or a sibling is not as long as
    /// a digest, what stands for a lacking child is not what [`Lacking`] says, or
    /// [`Tree::build`] refuses the form. The best engine of the CPU computes, on this thread.
    ///
    /// `root` and `count` must be what the verifier trusts. A root alone does not tell the number
    /// of leaves. Without a prefix that sets nodes apart from leaves, a node is also a leaf of a
    /// lower tree with the same root. With [`Lacking::Repeated`], a tree with a last leaf that
    /// lacks its sibling has the same root as the tree with that leaf twice.
    ///
    /// # Panics
    /// If the environment variable `MANYLANE_MAX_ISA` names no engine.
    #[must_use = "an answer that nobody reads proves nothing"]
    pub fn verify(
        &self,
        leaf: &[u8],
        index: u64,
        count: u64,
        proof: &[impl AsRef<[u8]>],
        root: &[u8],
    ) -> bool {
        let proof: Vec<_> = proof.iter().map(AsRef::as_ref).collect();
        self.root_by(leaf, index, count, &proof).is_some_and(|computed| computed == root)
    }

    /// The root that a leaf and a proof hash to, if the proof has the form of one.
    fn root_by(&self, leaf: &[u8], index: u64, count: u64, proof: &[&[u8]]) -> Option<Vec<u8>> {
        let bytes = self.algorithm.digest_bytes();
        let depth = self.depth_of(count).ok()?;
        if index >= count || leaf.len() != bytes || proof.iter().any(|node| node.len() != bytes) {
            return None;
        }
        let arity = self.arity as u64;
        let (mut node, mut at, mut nodes, mut rest) = (leaf.to_vec(), index, count, proof);
        // The root of a subtree of zeros, and its level. It is computed no higher than the levels
        // for which the proof has siblings, which bounds the work.
        let (mut zero, mut height) = (vec![0; bytes], 0);
        for level in 0..depth {
            let place = (at % arity) as usize;
            let present = (nodes - (at - at % arity)).min(arity) as usize;
            if present > 1 || self.lacking != Lacking::Promoted {
                let (siblings, above) = rest.split_at_checked(self.arity - 1)?;
                let lacking = &siblings[present - 1..];
                if self.lacking == Lacking::Zeros && !lacking.is_empty() {
                    while height < level {
                        zero = self.node(&[&zero.repeat(self.arity)]);
                        height += 1;
                    }
                }
                let filled = if self.lacking == Lacking::Zeros { &zero } else { &node };
                if lacking.iter().any(|sibling| *sibling != &filled[..]) {
                    return None;
                }
                let (before, after) = siblings.split_at(place);
                node = self.node(&[before, &[&node[..]], after].concat());
                rest = above;
            }
            (at, nodes) = (at / arity, nodes.div_ceil(arity));
        }
        rest.is_empty().then_some(node)
    }

    /// The node above these children.
    fn node(&self, children: &[&[u8]]) -> Vec<u8> {
        hash(self.algorithm, &[&[&self.prefix[..]][..], children].concat().concat())
    }
}
