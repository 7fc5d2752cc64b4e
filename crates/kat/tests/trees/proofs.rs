//! Verifiers of proofs against recursions over the definitions, for every leaf of every tree to 65
//! leaves; changed proofs are refused.

use super::merkle_tree_hash;
use manylane_engine::tree::{
    Lacking, Log, Tree, mix_in_length, ssz_root, ssz_tree, verify_consistency, verify_inclusion,
    verify_ssz_branch,
};
use manylane_engine::{Algorithm, HashId, hash};
use manylane_kat::Rng;

const SHA256: HashId = HashId::Sha256;

type Nodes = Vec<Vec<u8>>;

/// H(0x01 ‖ left ‖ right).
fn node(left: &[u8], right: &[u8]) -> Vec<u8> {
    hash(SHA256, &[&[1], left, right].concat())
}

/// The largest power of two below n > 1.
fn split(n: u64) -> u64 {
    1 << (63 - (n - 1).leading_zeros())
}

/// PATH(m, D[n]) by the recursion of RFC 9162 §2.1.3.1.
fn path(m: usize, entries: &[Vec<u8>]) -> Nodes {
    if entries.len() == 1 {
        return Nodes::new();
    }
    let k = split(entries.len() as u64) as usize;
    let (left, right) = entries.split_at(k);
    let (mut path, sibling) =
        if m < k { (path(m, left), right) } else { (path(m - k, right), left) };
    path.push(merkle_tree_hash(sibling));
    path
}

/// SUBPROOF(m, D[n], b) by the recursion of §2.1.4.1.
fn subproof(m: usize, entries: &[Vec<u8>], b: bool) -> Nodes {
    if m == entries.len() {
        return if b { Nodes::new() } else { vec![merkle_tree_hash(entries)] };
    }
    let k = split(entries.len() as u64) as usize;
    let (left, right) = entries.split_at(k);
    let (mut proof, other) = match m <= k {
        true => (subproof(m, left, b), right),
        false => (subproof(m - k, right, false), left),
    };
    proof.push(merkle_tree_hash(other));
    proof
}

/// The root to which entry m of n leads by its path, from the root down.
fn root_by_path(leaf: &[u8], m: u64, n: u64, path: &[Vec<u8>]) -> Option<Vec<u8>> {
    if m >= n || path.iter().any(|node| node.len() != 32) {
        return None;
    }
    if n == 1 {
        return path.is_empty().then(|| leaf.to_vec());
    }
    let (last, below) = path.split_last()?;
    let k = split(n);
    Some(match m < k {
        true => node(&root_by_path(leaf, m, k, below)?, last),
        false => node(last, &root_by_path(leaf, m - k, n - k, below)?),
    })
}

/// The roots of the first m and of all n entries by their proof, from the root down. `before` is
/// the root of the first m entries of all, and `whole` whether these are them.
fn roots_by_proof(m: u64, n: u64, whole: Option<&[u8]>, proof: &[Vec<u8>]) -> Option<[Vec<u8>; 2]> {
    if m == n {
        let root = match (whole, proof) {
            (Some(before), []) => before,
            (None, [root]) => root,
            _ => return None,
        };
        return Some([root.to_vec(), root.to_vec()]);
    }
    let (last, below) = proof.split_last()?;
    let k = split(n);
    Some(match m <= k {
        true => {
            let [before, all] = roots_by_proof(m, k, whole, below)?;
            [before, node(&all, last)]
        }
        false => roots_by_proof(m - k, n - k, None, below)?.map(|root| node(last, &root)),
    })
}

/// Whether a proof of consistency holds by the recursion.
fn consistent(m: u64, before: &[u8], n: u64, root: &[u8], proof: &[Vec<u8>]) -> bool {
    if m == 0 || m > n || proof.iter().any(|node| node.len() != 32) {
        return false;
    }
    let roots = roots_by_proof(m, n, Some(before), proof);
    roots.is_some_and(|roots| roots == [before, root])
}

/// A proof changed in one of the ways in which a forger or a network would: a bit, a length, a part
/// missing, added, given twice or at another place.
fn changed(rng: &mut Rng, proof: &[Vec<u8>]) -> Nodes {
    let mut nodes = proof.to_vec();
    let bytes = nodes.first().map_or(32, Vec::len);
    let at = rng.below(nodes.len() + 1).min(nodes.len().saturating_sub(1));
    match rng.below(7) {
        0 => nodes.push(rng.bytes(bytes)),
        1 => nodes.insert(0, rng.bytes(bytes)),
        _ if nodes.is_empty() => nodes.push(vec![]),
        2 => drop(nodes.remove(at)),
        3 => nodes.insert(at, nodes[at].clone()),
        4 => nodes[at].truncate(bytes - 1),
        5 => nodes[at].push(0),
        _ => nodes[at][rng.below(bytes)] ^= 1 << rng.below(8),
    }
    nodes
}

/// The proof with one bit changed, for each of its bits; of one proof in `sample` only.
fn each_flip(rng: &mut Rng, proof: &[Vec<u8>], sample: usize) -> impl Iterator<Item = Nodes> {
    let bits = proof.iter().map(|node| 8 * node.len()).sum();
    let bits = if rng.below(sample) == 0 { bits } else { 0 };
    (0..bits).map(move |bit| {
        let mut proof = proof.to_vec();
        let bytes = proof[0].len();
        proof[bit / 8 / bytes][bit / 8 % bytes] ^= 1 << (bit % 8);
        proof
    })
}

/// A copy of which one bit is changed.
fn flipped(rng: &mut Rng, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let at = rng.below(bytes.len());
    bytes[at] ^= 1 << rng.below(8);
    bytes
}

/// Numbers of entries and leaves that are tried in place of the right one.
fn others(rng: &mut Rng, number: u64) -> [u64; 6] {
    [number ^ 1, number + 1, number.wrapping_sub(1), number * 2, rng.below(70) as u64, u64::MAX]
}

fn logs(name: &str) -> (Nodes, Vec<Log>) {
    let entries = Rng::from_name(name).messages((0..65).map(|i| i * 7 % 100));
    let logs = (0..=65).map(|count| Log::new(SHA256, &entries[..count], 1).unwrap()).collect();
    (entries, logs)
}

#[test]
fn inclusion_in_logs() {
    let (entries, logs) = logs("inclusion_in_logs");
    let mut rng = Rng::from_name("changed inclusion_in_logs");
    let form = Tree::new(SHA256).prefix(&[1]).lacking(Lacking::Promoted);
    for (n, log) in logs.iter().enumerate() {
        let root = log.root();
        assert_eq!(root, merkle_tree_hash(&entries[..n]), "{n} entries");
        for (m, entry) in entries[..n].iter().enumerate() {
            let proof = log.inclusion(m);
            assert_eq!(proof, path(m, &entries[..n]), "{m} of {n}");
            let (m, n) = (m as u64, n as u64);
            let leaf = hash(SHA256, &[&[0], &entry[..]].concat());
            // Both verifiers must say the same as the recursion, and are asked for it.
            let verify = |m, n, proof: &Nodes, root: &[u8]| {
                let holds = verify_inclusion(SHA256, entry, m, n, proof, root);
                let expected = root_by_path(&leaf, m, n, proof).is_some_and(|of| of == root);
                assert_eq!(holds, expected, "{m} of {n}");
                assert_eq!(form.verify(&leaf, m, n, proof, root), expected, "{m} of {n}");
                holds
            };
            assert!(verify(m, n, &proof, &root), "{m} of {n}");
            for _ in 0..4 {
                assert!(!verify(m, n, &changed(&mut rng, &proof), &root), "{m} of {n}");
            }
            for proof in each_flip(&mut rng, &proof, 90) {
                assert!(!verify(m, n, &proof, &root), "{m} of {n}");
            }
            assert!(!verify(m, n, &proof, &flipped(&mut rng, &root)));
            assert!(!verify(m, n, &proof, &root[..31]) && !verify(m, n, &proof, &[]));
            for other in others(&mut rng, m) {
                assert!(other == m || !verify(other, n, &proof, &root), "{other} for {m} of {n}");
            }
            // A path may be the same in logs of several lengths: the recursion decides.
            for other in others(&mut rng, n) {
                verify(m, other, &proof, &root);
            }
            let no = flipped(&mut rng, &[&entry[..], &[0]].concat());
            assert!(!verify_inclusion(SHA256, &no, m, n, &proof, &root));
        }
        let count = n as u64;
        assert!(!verify_inclusion(SHA256, b"", count, count, &Nodes::new(), &root));
    }
}

#[test]
fn consistency_of_logs() {
    let (entries, logs) = logs("consistency_of_logs");
    let mut rng = Rng::from_name("changed consistency_of_logs");
    for (n, log) in logs.iter().enumerate() {
        let root = log.root();
        let none = Nodes::new();
        assert!(verify_consistency(SHA256, 0, &hash(SHA256, b""), n as u64, &root, &none));
        assert!(!verify_consistency(SHA256, 0, &[0; 32], n as u64, &root, &none));
        assert!(!verify_consistency(SHA256, 0, &hash(SHA256, b""), n as u64, &root, &[&root]));
        for (m, earlier) in logs[..=n].iter().enumerate().skip(1) {
            let proof = log.consistency(m);
            assert_eq!(proof, subproof(m, &entries[..n], true), "{m} of {n}");
            let (before, m, n) = (earlier.root(), m as u64, n as u64);
            let verify = |m, before: &[u8], n, root: &[u8], proof: &Nodes| {
                let holds = verify_consistency(SHA256, m, before, n, root, proof);
                if m != 0 {
                    assert_eq!(holds, consistent(m, before, n, root, proof), "{m} of {n}");
                }
                holds
            };
            assert!(verify(m, &before, n, &root, &proof), "{m} of {n}");
            for _ in 0..4 {
                let proof = changed(&mut rng, &proof);
                assert!(!verify(m, &before, n, &root, &proof), "{m} of {n}");
            }
            for proof in each_flip(&mut rng, &proof, 90) {
                assert!(!verify(m, &before, n, &root, &proof), "{m} of {n}");
            }
            let [no, other] = [&before, &root].map(|root| flipped(&mut rng, root));
            assert!(!verify(m, &no, n, &root, &proof) && !verify(m, &before, n, &other, &proof));
            assert!(!verify(m, &before[..31], n, &root, &proof));
            assert!(!verify(m, &before, n, &[&root[..], &[0]].concat(), &proof));
            assert!(m == n || !verify(n, &root, m, &before, &proof), "{n} before {m}");
            for (m, n) in others(&mut rng, m).into_iter().zip(others(&mut rng, n)) {
                verify(m, &before, n, &root, &proof);
            }
        }
    }
    // Without entries there is one root.
    let empty = hash(SHA256, b"");
    assert!(!verify_consistency(SHA256, 0, &[1; 32], 0, &[1; 32], &Nodes::new()));
    assert!(!verify_consistency(SHA256, 0, &empty, 0, &[1; 32], &Nodes::new()));
    assert!(!verify_consistency(SHA256, 0, &[], 0, &[], &Nodes::new()));
}

/// Logs with up to 2⁶⁴ − 1 entries. The proofs are random nodes, and the roots are computed from
/// them.
#[test]
fn logs_of_any_length() {
    let mut rng = Rng::from_name("logs_of_any_length");
    let number = |rng: &mut Rng| {
        let bits = rng.below(64);
        let random = u64::from_le_bytes(rng.bytes(8).try_into().unwrap());
        [u64::MAX, 1 << bits, random >> bits, (1 << bits) - 1, u64::MAX - 1][rng.below(5)].max(1)
    };
    let (mut entries_seen, mut logs_seen) = (0, 0);
    for _ in 0..600 {
        let n = number(&mut rng);
        let m = number(&mut rng) % n;
        let leaf = hash(SHA256, &[0]);
        for parts in 0..=64 {
            let proof = vec![rng.bytes(32); parts];
            let root = root_by_path(&leaf, m, n, &proof);
            let tried = root.clone().unwrap_or(vec![0; 32]);
            let holds = verify_inclusion(SHA256, b"", m, n, &proof, &tried);
            assert_eq!(holds, root.is_some(), "{m} of {n}, {parts} parts");
            entries_seen += usize::from(holds);
            let before = rng.bytes(32);
            let roots = roots_by_proof(m.max(1), n, Some(&before), &proof);
            let [old, root] = roots.clone().unwrap_or([vec![0; 32], vec![0; 32]]);
            // If m is a power of two, the later root is computed from the earlier one, else both
            // from the proof.
            let before = if m.max(1).is_power_of_two() { before } else { old.clone() };
            let holds = verify_consistency(SHA256, m.max(1), &before, n, &root, &proof);
            assert_eq!(holds, consistent(m.max(1), &before, n, &root, &proof), "{m} of {n}");
            logs_seen += usize::from(holds && m.max(1) < n);
        }
    }
    // Each entry has one number of parts; a log that ends with a root of its own has one too.
    assert_eq!(entries_seen, 600);
    assert!(logs_seen > 500, "{logs_seen}");
}

/// The form of a tree and its nodes by the definition.
#[derive(Clone, Copy, Debug)]
struct Form {
    id: HashId,
    prefix: &'static [u8],
    arity: usize,
    lacking: Lacking,
    depth: Option<u32>,
}

impl Form {
    fn tree(&self) -> Tree<'static> {
        let tree = Tree::new(self.id).arity(self.arity).prefix(self.prefix).lacking(self.lacking);
        match self.depth {
            Some(depth) => tree.depth(depth),
            None => tree,
        }
    }

    /// The level of the root over so many leaves, if the tree has places for them.
    fn height(&self, count: u64) -> Option<u32> {
        let least = (0..).find(|height| (self.arity as u128).pow(*height) >= count.into())?;
        match self.depth {
            Some(depth) => (depth >= least).then_some(depth),
            None => Some(least),
        }
    }

    fn node(&self, children: &[Vec<u8>]) -> Vec<u8> {
        hash(self.id, &[self.prefix, &children.concat()].concat())
    }

    fn zero(&self, height: u32) -> Vec<u8> {
        match height {
            0 => vec![0; Algorithm::from(self.id).digest_bytes()],
            _ => self.node(&vec![self.zero(height - 1); self.arity]),
        }
    }

    /// The root of a subtree by a leaf and its proof, from the root down. The subtree has `count`
    /// leaves, 1 or more, of which the leaf is number `index`.
    fn root(
        &self,
        leaf: &[u8],
        [index, count]: [u64; 2],
        height: u32,
        proof: &[Vec<u8>],
    ) -> Option<Vec<u8>> {
        if height == 0 {
            return proof.is_empty().then(|| leaf.to_vec());
        }
        let capacity = u128::pow(self.arity as u128, height - 1);
        let children = u128::from(count).div_ceil(capacity) as usize;
        let child = (u128::from(index) / capacity) as usize;
        let begin = (child as u128 * capacity) as u64;
        let within = [index - begin, (count - begin).min(capacity.min(u64::MAX.into()) as u64)];
        if children == 1 && self.lacking == Lacking::Promoted {
            return self.root(leaf, within, height - 1, proof);
        }
        let (below, siblings) = proof.split_at_checked(proof.len().checked_sub(self.arity - 1)?)?;
        let node = self.root(leaf, within, height - 1, below)?;
        let stand_in = match self.lacking {
            Lacking::Zeros => self.zero(height - 1),
            _ => node.clone(),
        };
        let mut all = siblings.to_vec();
        all.insert(child, node);
        all[children..].iter().all(|lacking| *lacking == stand_in).then(|| self.node(&all))
    }

    fn holds(&self, leaf: &[u8], index: u64, count: u64, proof: &[Vec<u8>], root: &[u8]) -> bool {
        let bytes = self.zero(0).len();
        let wrong = proof.iter().any(|node| node.len() != bytes);
        let Some(height) = self.height(count) else { return false };
        !wrong
            && leaf.len() == bytes
            && index < count
            && self.root(leaf, [index, count], height, proof).is_some_and(|of| of == root)
    }
}

/// Forms of trees that differ in everything that a proof depends on.
const FORMS: [Form; 7] = {
    let form = Form { id: SHA256, prefix: b"", arity: 2, lacking: Lacking::Zeros, depth: None };
    [
        form,
        Form { depth: Some(9), ..form },
        Form { lacking: Lacking::Repeated, ..form },
        Form { lacking: Lacking::Promoted, prefix: b"\x01", id: HashId::Md5, ..form },
        Form { arity: 3, prefix: b"node", ..form },
        Form { arity: 4, depth: Some(5), id: HashId::Blake512, ..form },
        Form { arity: 16, id: HashId::Sha1, ..form },
    ]
};

#[test]
fn leaves_of_trees() {
    let mut rng = Rng::from_name("leaves_of_trees");
    for form in FORMS {
        let tree = form.tree();
        let bytes = form.zero(0).len();
        let leaves = rng.messages([bytes; 65]);
        for n in 0..=65 {
            let levels = tree.build(leaves[..n].concat()).unwrap();
            let root = levels.root();
            let verify = |leaf: &[u8], m, n, proof: &Nodes, root: &[u8]| {
                let holds = tree.verify(leaf, m, n, proof, root);
                let expected = form.holds(leaf, m, n, proof, root);
                assert_eq!(holds, expected, "{form:?}: {m} of {n}");
                holds
            };
            assert!(!verify(&leaves[0], n as u64, n as u64, &Nodes::new(), root));
            for (m, leaf) in leaves[..n].iter().enumerate() {
                let proof = levels.proof(m);
                let (m, n) = (m as u64, n as u64);
                assert!(verify(leaf, m, n, &proof, root), "{form:?}: {m} of {n}");
                for _ in 0..3 {
                    let proof = changed(&mut rng, &proof);
                    assert!(!verify(leaf, m, n, &proof, root), "{form:?}: {m} of {n}");
                }
                for proof in each_flip(&mut rng, &proof, 400) {
                    assert!(!verify(leaf, m, n, &proof, root), "{form:?}: {m} of {n}");
                }
                assert!(!verify(&flipped(&mut rng, leaf), m, n, &proof, root));
                assert!(!verify(leaf, m, n, &proof, &flipped(&mut rng, root)));
                assert!(!verify(&leaf[1..], m, n, &proof, root));
                assert!(!verify(leaf, m, n, &proof, &root[1..]));
                for other in others(&mut rng, m) {
                    let same = other == m || other == n && form.lacking == Lacking::Repeated;
                    assert!(same || !verify(leaf, other, n, &proof, root), "{other} for {m}");
                }
                // The number of leaves may not show in a proof: the recursion decides.
                for other in others(&mut rng, n) {
                    verify(leaf, m, other, &proof, root);
                }
            }
        }
    }
}

/// The nodes that stand for lacking children are checked: with three leaves, the fourth has a known
/// value.
#[test]
fn lacking_children_are_checked() {
    let leaves = Rng::from_name("lacking_children_are_checked").messages([32; 4]);
    for lacking in [Lacking::Zeros, Lacking::Repeated] {
        let tree = Tree::new(SHA256).lacking(lacking);
        let levels = tree.build(leaves.concat()).unwrap();
        let proof = levels.proof(2);
        assert!(tree.verify(&leaves[2], 2, 4, &proof, levels.root()));
        assert!(!tree.verify(&leaves[2], 2, 3, &proof, levels.root()), "{lacking:?}");
    }
    // Forms that no tree has.
    let none = Nodes::new();
    for tree in [
        Tree::new(SHA256).arity(0),
        Tree::new(SHA256).arity(1),
        Tree::new(SHA256).arity(usize::MAX),
        Tree::new(SHA256).arity(3).lacking(Lacking::Promoted),
        Tree::new(SHA256).lacking(Lacking::Promoted).depth(0),
        Tree::new(SHA256).depth(65),
    ] {
        assert!(!tree.verify(&leaves[0], 0, 1, &none, &leaves[0]), "{tree:?}");
    }
    assert!(Tree::new(SHA256).verify(&leaves[0], 0, 1, &none, &leaves[0]));
    assert!(!Tree::new(SHA256).depth(2).verify(&leaves[0], 0, 5, &none, &leaves[0]));
    // The widest node, and the highest tree.
    let wide = Tree::new(SHA256).arity(1 << 16);
    let levels = wide.build(vec![7; 96]).unwrap();
    let mut proof = levels.proof(2);
    assert!(wide.verify(&[7; 32], 2, 3, &proof, levels.root()));
    proof[65_534][0] ^= 1;
    assert!(!wide.verify(&[7; 32], 2, 3, &proof, levels.root()));
    let high = Form { depth: Some(64), ..FORMS[0] };
    let mut proof = vec![leaves[1].clone(); 64];
    let root = high.root(&leaves[0], [u64::MAX - 2, u64::MAX], 64, &proof).unwrap();
    assert!(high.tree().verify(&leaves[0], u64::MAX - 2, u64::MAX, &proof, &root));
    assert!(!high.tree().verify(&leaves[0], u64::MAX - 1, u64::MAX, &proof, &root));
    proof.truncate(63);
    assert!(!high.tree().verify(&leaves[0], u64::MAX - 2, u64::MAX, &proof, &root));
}

/// `merkle_tree` of consensus-specs' `ssz/merkle-proofs.md`: node i of the result is that with the
/// generalized index i.
fn generalized(chunks: &[Vec<u8>], depth: u32) -> Nodes {
    let bottom = 1 << depth;
    let mut nodes = vec![vec![0; 32]; bottom];
    nodes.extend_from_slice(chunks);
    nodes.resize(2 * bottom, vec![0; 32]);
    for i in (1..bottom).rev() {
        nodes[i] = hash(SHA256, &[&nodes[2 * i][..], &nodes[2 * i + 1]].concat());
    }
    nodes
}

/// `calculate_merkle_root` of the same page, with its two helpers; `None` where it asserts.
fn calculate_merkle_root(leaf: &[u8], proof: &[Vec<u8>], index: u128) -> Option<Vec<u8>> {
    let length = (0..128).rev().find(|bit| index >> bit == 1)?;
    let bit = |i: usize| index & (1 << i) > 0;
    let wrong = proof.len() != length || proof.iter().any(|node| node.len() != 32);
    let pair = |a: &[u8], b: &[u8]| hash(SHA256, &[a, b].concat());
    let step = |node: Vec<u8>, (i, h): (usize, &Vec<u8>)| {
        if bit(i) { pair(h, &node) } else { pair(&node, h) }
    };
    (!wrong).then(|| proof.iter().enumerate().fold(leaf.to_vec(), step))
}

/// Every node of every tree of up to 65 chunks.
#[test]
fn ssz_branches() {
    let mut rng = Rng::from_name("ssz_branches");
    let chunks = rng.messages([32; 65]);
    for n in 0..=65 {
        let tree = ssz_tree(&chunks[..n].concat(), None).unwrap();
        let depth = tree.depth() as u32;
        let nodes = generalized(&chunks[..n], depth);
        let root: &[u8; 32] = tree.root().try_into().unwrap();
        assert_eq!(root[..], nodes[1]);
        let verify = |leaf: &[u8], index, branch: &Nodes, root: &[u8]| {
            let [leaf, root] = [leaf, root].map(|node| node.try_into().unwrap());
            let holds = verify_ssz_branch(leaf, index, branch, root);
            let expected = calculate_merkle_root(leaf, branch, index);
            assert_eq!(holds, expected.is_some_and(|of| of == root), "{index} of {n}");
            holds
        };
        // Index 1 is the root itself.
        for index in 1..2usize << depth {
            let above = (0..).map(|level| index >> level).take_while(|index| *index > 1);
            let branch: Nodes = above.map(|index| nodes[index ^ 1].clone()).collect();
            if let Some(chunk) = index.checked_sub(1 << depth).filter(|chunk| *chunk < n) {
                assert_eq!(tree.proof(chunk), branch, "{chunk} of {n}");
            }
            let leaf = &nodes[index];
            let index = index as u128;
            assert!(verify(leaf, index, &branch, root), "{index} of {n}");
            assert!(!verify(leaf, index, &changed(&mut rng, &branch), root), "{index} of {n}");
            for branch in each_flip(&mut rng, &branch, 200) {
                assert!(!verify(leaf, index, &branch, root), "{index} of {n}");
            }
            assert!(!verify(&flipped(&mut rng, leaf), index, &branch, root));
            assert!(!verify(leaf, index, &branch, &flipped(&mut rng, root)));
            for other in [0, index * 2, index / 2, index << 64, u128::MAX] {
                assert!(!verify(leaf, other, &branch, root), "{other} for {index} of {n}");
            }
            // Nodes of zeros have the same branch as their sibling: the algorithm decides.
            verify(leaf, index ^ 1, &branch, root);
        }
    }
}

/// Lists with their length, a chunk that is not there, and the highest trees.
#[test]
fn ssz_branches_of_lists() {
    let chunks = Rng::from_name("ssz_branches_of_lists").bytes(5 * 32);
    for limit in [5, 1 << 40, 1 << 63, u64::MAX] {
        let tree = ssz_tree(&chunks, Some(limit)).unwrap();
        assert_eq!(tree.root(), ssz_root(&chunks, Some(limit)).unwrap());
        let root = mix_in_length(tree.root().try_into().unwrap(), 5);
        let length = [&[5][..], &[0; 31]].concat();
        for chunk in 0..5 {
            let leaf = chunks[32 * chunk..][..32].try_into().unwrap();
            let branch = [tree.proof(chunk), vec![length.clone()]].concat();
            let index = (2u128 << tree.depth()) + chunk as u128;
            assert!(verify_ssz_branch(leaf, index, &branch, &root), "{chunk}, {limit}");
            assert!(!verify_ssz_branch(leaf, index ^ 1, &branch, &root));
            // Chunk 5 is zeros beside chunk 4.
            if chunk == 4 {
                let branch = [&[leaf.to_vec()], &branch[1..]].concat();
                assert!(verify_ssz_branch(&[0; 32], index + 1, &branch, &root));
                assert!(!verify_ssz_branch(&[1; 32], index + 1, &branch, &root));
            }
        }
        let beside = [tree.root().to_vec()];
        assert!(verify_ssz_branch(length[..].try_into().unwrap(), 3, &beside, &root));
    }
    // The longest branch that an index has.
    let mut rng = Rng::from_name("the longest branch");
    let branch = rng.messages([32; 127]);
    let root = calculate_merkle_root(&[1; 32], &branch, u128::MAX).unwrap();
    let root = root[..].try_into().unwrap();
    assert!(verify_ssz_branch(&[1; 32], u128::MAX, &branch, root));
    assert!(!verify_ssz_branch(&[1; 32], u128::MAX - 1, &branch, root));
    assert!(!verify_ssz_branch(&[1; 32], u128::MAX, &rng.messages([32; 128]), root));
}
