//! Nodes of trees, a level at a time.

use crate::api::resources::{Resources, with_resources};
use crate::api::rows::{AnyRows, Rows, prepare};
use crate::drive::rows::Fields;
use crate::error::Error;
use crate::select::plan::FEWEST;
use manylane_primitives::catalog::Algorithm;
use std::{fmt, mem};

/// Bytes of children below which a level is hashed on one thread.
const LEAST_SHARED: usize = 256 * 1024;

/// The highest level of a root: the tree has a place for every chunk that 64 bits can count.
const MAX_DEPTH: u32 = 64;

/// The replacement for children that the last node of a level lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lacking {
    /// Nothing: a node with one child is this child (RFC 9162 §2.1.1). For arity 2 only.
    Promoted,
    /// The last child again (Bitcoin). For arity 2 only.
    Repeated,
    /// The root of a subtree of zeros; at level 0 zeros (SSZ).
    Zeros,
}

/// The form of a tree, and how it is computed.
///
/// ```
/// use manylane::{HashId, hash, tree::{Lacking, Tree}};
///
/// let leaves = [[1; 32], [2; 32], [3; 32]];
/// let levels = Tree::new(HashId::Sha256).lacking(Lacking::Repeated).build(leaves.concat())?;
/// let left = hash(HashId::Sha256, &leaves[..2].concat());
/// let right = hash(HashId::Sha256, &[leaves[2], leaves[2]].concat());
/// assert_eq!(levels.root(), hash(HashId::Sha256, &[left, right].concat()));
/// # Ok::<(), manylane::Error>(())
/// ```
#[derive(Clone)]
pub struct Tree<'p> {
    pub(super) algorithm: Algorithm,
    resources: Resources<'p>,
    /// Children of a node.
    pub(super) arity: usize,
    /// The bytes before the children in a node's message.
    pub(super) prefix: Vec<u8>,
    /// What stands for children that a level lacks.
    pub(super) lacking: Lacking,
    depth: Option<u32>,
}

with_resources!(Tree);

impl<'p> Tree<'p> {
    /// A tree of arity 2 without a prefix, in which zeros stand for lacking children.
    pub fn new(algorithm: impl Into<Algorithm>) -> Self {
        let (algorithm, resources) = (algorithm.into(), Resources::default());
        let (prefix, lacking) = (Vec::new(), Lacking::Zeros);
        Self { algorithm, resources, arity: 2, prefix, lacking, depth: None }
    }

    /// Children of a node, from 2 to 65,536.
    #[must_use]
    pub fn arity(mut self, children: usize) -> Self {
        self.arity = children;
        self
    }

    /// Sets the bytes that precede the children of a node.
    #[must_use]
    pub fn prefix(mut self, prefix: &[u8]) -> Self {
        self.prefix = prefix.to_vec();
        self
    }

    /// Sets the replacement for a child that is lacking.
    #[must_use]
    pub fn lacking(mut self, lacking: Lacking) -> Self {
        self.lacking = lacking;
        self
    }

    /// Fixes the level of the root, at most 64, for any number of leaves. For [`Lacking::Zeros`]
    /// only, whose subtrees of zeros are computed once. By default the root is on the lowest level
    /// that has one node.
    #[must_use]
    pub fn depth(mut self, level: u32) -> Self {
        self.depth = Some(level);
        self
    }

    /// The level of the root over `count` leaves.
    pub(super) fn depth_of(&self, count: u64) -> Result<u32, Error> {
        let by_zeros = self.lacking == Lacking::Zeros;
        let wrong = match self.depth {
            _ if !(2..=1 << 16).contains(&self.arity) => Some("a node has 2 to 65,536 children"),
            _ if !by_zeros && self.arity > 2 => {
                Some("a child is promoted or repeated only where nodes have two children")
            }
            Some(_) if !by_zeros => {
                Some("the level of the root is fixed only where zeros stand for what is lacking")
            }
            _ => None,
        };
        if let Some(what) = wrong {
            return Err(Error::Tree { what });
        }
        let mut depth = 0;
        let mut nodes = count;
        while nodes > 1 {
            nodes = nodes.div_ceil(self.arity as u64);
            depth += 1;
        }
        match self.depth {
            Some(asked) if asked > MAX_DEPTH => {
                Err(Error::Tree { what: "the level of the root is at most 64" })
            }
            Some(asked) if asked < depth => {
                Err(Error::Tree { what: "more leaves than the depth has places for" })
            }
            Some(asked) => Ok(asked),
            None => Ok(depth),
        }
    }

    /// Computes all nodes over `leaves`, which lie one after the other, each as long as a digest.
    ///
    /// # Errors
    /// If `leaves` is no whole number of digests, there are more leaves than the depth has places
    /// for, the form is not defined, or the engine cannot serve.
    pub fn build(&self, leaves: Vec<u8>) -> Result<Levels<'p>, Error> {
        let bytes = self.algorithm.digest_bytes();
        let count = leaves.len() / bytes;
        if leaves.len() != count * bytes {
            let given = leaves.len();
            return Err(Error::FieldLength { what: "leaves", given, count, bytes });
        }
        let depth = self.depth_of(count as u64)?;
        let refused = Error::Memory { bytes: self.arity as u128 * bytes as u128 };
        let input = self.arity.checked_mul(bytes).ok_or(refused)?;
        let rows = Rows::new(self.algorithm).prefix(&self.prefix).input_bytes(input);
        let rows = rows.resources(self.resources);
        // An engine that cannot serve is an error even where the tree has no nodes.
        rows.run(&[], &[], &mut [])?;
        let mut levels = Levels {
            form: self.clone(),
            rows,
            hasher: None,
            levels: vec![leaves],
            zeros: vec![vec![0; bytes]],
        };
        for level in 0..depth as usize {
            let count = levels.levels[level].len() / bytes;
            levels.levels.push(vec![0; count.div_ceil(self.arity) * bytes]);
            if count == 0 || !count.is_multiple_of(self.arity) {
                levels.add_zeros(level)?;
            }
            levels.compute_level(level)?;
        }
        if count == 0 {
            levels.add_zeros(depth as usize)?;
        }
        Ok(levels)
    }
}

impl fmt::Debug for Tree<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tree")
            .field("algorithm", &self.algorithm)
            .field("arity", &self.arity)
            .field("lacking", &self.lacking)
            .field("depth", &self.depth)
            .finish_non_exhaustive()
    }
}

/// All nodes of a [`Tree`]. Beside the leaves, the nodes take about the bytes of the leaves divided
/// by the arity less one.
pub struct Levels<'p> {
    form: Tree<'p>,
    /// Hashes a whole level, on threads.
    rows: Rows<'p>,
    /// Hashes some nodes, prepared for many calls. It is made when it is first needed: up to
    /// [`FEWEST`] nodes are hashed without it, because making it takes longer.
    hasher: Option<Box<dyn AnyRows>>,
    /// Level 0 is the leaves. No node of a level stands for zeros alone.
    levels: Vec<Vec<u8>>,
    /// The root of a subtree of zeros of each level's height, up to the highest level that lacks a
    /// child.
    zeros: Vec<Vec<u8>>,
}

impl Levels<'_> {
    /// Bytes of a node.
    fn bytes(&self) -> usize {
        self.form.algorithm.digest_bytes()
    }

    /// Writes the nodes over these children, all of which are there, to `out`.
    fn hash(&mut self, children: &[u8], out: &mut [u8]) -> Result<(), Error> {
        if self.hasher.is_none() {
            if out.len() <= FEWEST * self.bytes() && self.rows.takes_few() {
                return self.rows.run(&[], children, out);
            }
            let Tree { algorithm, resources, arity, .. } = self.form;
            let (prefix, output) = (self.form.prefix.clone(), self.bytes());
            let fields = Fields { prefix, input: arity * output, output, ..Fields::default() };
            self.hasher = Some(prepare(algorithm, resources, &fields)?);
        }
        let hasher = self.hasher.as_mut().expect("it was made");
        hasher.run(&[], children, out);
        Ok(())
    }

    /// Computes the subtrees of zeros up to the height of `level`.
    fn add_zeros(&mut self, level: usize) -> Result<(), Error> {
        while self.form.lacking == Lacking::Zeros && self.zeros.len() <= level {
            let mut zero = vec![0; self.bytes()];
            let below = self.zeros[self.zeros.len() - 1].repeat(self.form.arity);
            self.hash(&below, &mut zero)?;
            self.zeros.push(zero);
        }
        Ok(())
    }

    /// Computes the nodes above those of `level`, for which there is room.
    fn compute_level(&mut self, level: usize) -> Result<(), Error> {
        let (bytes, arity) = (self.bytes(), self.form.arity);
        let children = mem::take(&mut self.levels[level]);
        let mut nodes = mem::take(&mut self.levels[level + 1]);
        let whole = children.len() / (arity * bytes);
        let (inputs, out) = (&children[..whole * arity * bytes], &mut nodes[..whole * bytes]);
        let done = match inputs.len() {
            ..LEAST_SHARED => self.hash(inputs, out),
            _ => self.rows.run(&[], inputs, out),
        };
        let lacks = nodes.len() > whole * bytes;
        (self.levels[level], self.levels[level + 1]) = (children, nodes);
        done?;
        if lacks {
            self.compute(level + 1, whole)?;
        }
        Ok(())
    }

    /// Computes node `index` of `level` from its children.
    fn compute(&mut self, level: usize, index: usize) -> Result<(), Error> {
        let (bytes, arity) = (self.bytes(), self.form.arity);
        let below = &self.levels[level - 1];
        let from = index * arity * bytes;
        let mut children = below[from..below.len().min(from + arity * bytes)].to_vec();
        let place = index * bytes..(index + 1) * bytes;
        if children.len() == bytes && self.form.lacking == Lacking::Promoted {
            self.levels[level][place].copy_from_slice(&children);
            return Ok(());
        }
        while children.len() < arity * bytes {
            match self.form.lacking {
                Lacking::Zeros => children.extend_from_slice(&self.zeros[level - 1]),
                _ => children.extend_from_within(children.len() - bytes..),
            }
        }
        let mut nodes = mem::take(&mut self.levels[level]);
        let done = self.hash(&children, &mut nodes[place]);
        self.levels[level] = nodes;
        done
    }

    /// Number of leaves.
    pub fn count(&self) -> usize {
        self.levels[0].len() / self.bytes()
    }

    /// The level of the root.
    pub fn depth(&self) -> usize {
        self.levels.len() - 1
    }

    /// The nodes of a level, one after the other, without those of subtrees of zeros. Level 0 is
    /// the leaves.
    ///
    /// # Panics
    /// If the level is above [`Levels::depth`].
    pub fn level(&self, level: usize) -> &[u8] {
        &self.levels[level]
    }

    /// The root. Without leaves it is the root of a subtree of zeros.
    pub fn root(&self) -> &[u8] {
        match self.levels[self.depth()].is_empty() {
            true => &self.zeros[self.depth().min(self.zeros.len() - 1)],
            false => &self.levels[self.depth()],
        }
    }

    /// The siblings of a leaf and of the nodes above it, from the leaves up. On each level these
    /// are the siblings before the node, then those after it: in this order, with the node between
    /// them, they hash to the next node. A promoted node has no siblings. [`Tree::verify`] takes
    /// this proof.
    ///
    /// # Panics
    /// If there is no leaf of that number.
    pub fn proof(&self, leaf: usize) -> Vec<Vec<u8>> {
        assert!(leaf < self.count(), "leaf {leaf} of {}", self.count());
        let (bytes, arity) = (self.bytes(), self.form.arity);
        let mut proof = Vec::new();
        let mut index = leaf;
        for level in 0..self.depth() {
            let nodes = &self.levels[level];
            let first = index / arity * arity;
            for sibling in (first..first + arity).filter(|sibling| *sibling != index) {
                match nodes.get(sibling * bytes..(sibling + 1) * bytes) {
                    Some(node) => proof.push(node.to_vec()),
                    None => match self.form.lacking {
                        Lacking::Promoted => {}
                        Lacking::Repeated => proof.push(nodes[nodes.len() - bytes..].to_vec()),
                        Lacking::Zeros => proof.push(self.zeros[level].clone()),
                    },
                }
            }
            index /= arity;
        }
        proof
    }

    /// Replaces all leaves by as many others and computes all nodes again, in the same memory: for
    /// many small trees of one size, one after the other.
    ///
    /// # Errors
    /// If there are not as many leaves, or `MANYLANE_MAX_ISA` names no engine.
    pub fn replace(&mut self, leaves: &[u8]) -> Result<(), Error> {
        let (count, bytes) = (self.count(), self.bytes());
        if leaves.len() != count * bytes {
            let given = leaves.len();
            return Err(Error::FieldLength { what: "leaves", given, count, bytes });
        }
        self.levels[0].copy_from_slice(leaves);
        (0..self.depth()).try_for_each(|level| self.compute_level(level))
    }

    /// Replaces a leaf and computes the nodes above it.
    ///
    /// # Errors
    /// If there is no leaf of that number, or `digest` is not as long as a node.
    pub fn update(&mut self, leaf: usize, digest: &[u8]) -> Result<(), Error> {
        self.update_many(&[leaf], digest)
    }

    /// Replaces several leaves by `digests`, which lie one after the other, and computes each node
    /// above them once, level by level.
    ///
    /// # Errors
    /// If there is no leaf of one of the numbers, or `digests` does not have one node for each
    /// number. Nothing is changed then.
    pub fn update_many(&mut self, leaves: &[usize], digests: &[u8]) -> Result<(), Error> {
        let (bytes, arity) = (self.bytes(), self.form.arity);
        let count = leaves.len();
        if digests.len() != count * bytes {
            let given = digests.len();
            return Err(Error::FieldLength { what: "leaves", given, count, bytes });
        }
        if let Some(&leaf) = leaves.iter().find(|leaf| **leaf >= self.count()) {
            return Err(Error::NoLeaf { leaf, leaves: self.count() });
        }
        for (leaf, digest) in leaves.iter().zip(digests.chunks_exact(bytes)) {
            self.levels[0][leaf * bytes..][..bytes].copy_from_slice(digest);
        }
        let mut changed = leaves.to_vec();
        changed.sort_unstable();
        for level in 1..self.levels.len() {
            changed.iter_mut().for_each(|index| *index /= arity);
            changed.dedup();
            let below = &self.levels[level - 1];
            let whole = below.len() / (arity * bytes);
            let full = changed.partition_point(|index| *index < whole);
            let mut children = Vec::with_capacity(full * arity * bytes);
            for index in &changed[..full] {
                children.extend_from_slice(&below[index * arity * bytes..][..arity * bytes]);
            }
            let mut nodes = vec![0; full * bytes];
            self.hash(&children, &mut nodes)?;
            for (index, node) in changed[..full].iter().zip(nodes.chunks_exact(bytes)) {
                self.levels[level][index * bytes..][..bytes].copy_from_slice(node);
            }
            for index in changed[full..].iter().copied() {
                self.compute(level, index)?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Levels<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Levels")
            .field("form", &self.form)
            .field("count", &self.count())
            .finish_non_exhaustive()
    }
}
