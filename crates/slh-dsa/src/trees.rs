//! FORS, WOTS⁺, XMSS and the hypertree (FIPS 205 §5 to §8), a level or a set of chains at a time:
//!
//! ```text
//! FORS      leaves of all trees ─► levels of all trees ─► T_k ─┐ what the lowest layer signs
//! layers    chains of all key pairs ─► T_len ─► levels ─► root ┤ what the layer above signs
//! signature                               chains to the digits ┘ of all layers together
//! ```
//!
//! No tree depends on the message that it signs, so trees of different layers are computed side by
//! side.

use crate::address::{Kind, TreePosition};
use crate::functions::Functions;
use std::ops::Range;

/// Trees are computed together as long as they have no more chains, or leaves of FORS, than this; a
/// tree with more is computed alone. This bounds memory, and is enough to fill the lanes of any
/// kernel.
const AT_A_TIME: usize = 4096;

/// A leaf of a layer: the tree and the key pair in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    /// The tree of the leaf.
    pub place: TreePosition,
    /// The number of the leaf in its tree.
    pub key_pair: u32,
}

/// The leaves that sign, one for each layer, from the lowest up (§7.1).
pub(crate) fn leaves(functions: &Functions, tree: u64, leaf: u32) -> Vec<Leaf> {
    let p = &functions.p;
    let (mut tree, mut key_pair) = (tree, leaf);
    (0..p.d as u32)
        .map(|layer| {
            let leaf = Leaf { place: TreePosition { layer, tree }, key_pair };
            key_pair = (tree & (p.leaves() as u64 - 1)) as u32;
            tree >>= p.h_prime;
            leaf
        })
        .collect()
}

/// Computes the levels of trees of equal height over their leaves, which lie one tree after the
/// other: `levels[z]` has the nodes of height z. `of(height, index)` is the address of a node,
/// whose index counts over all trees.
fn levels(
    functions: &mut Functions,
    leaves: Vec<u8>,
    height: usize,
    of: impl Fn(u32, usize) -> (TreePosition, Kind),
) -> Vec<Vec<u8>> {
    let mut levels = vec![leaves];
    for z in 1..=height {
        let below = &levels[z - 1];
        let count = below.len() / functions.p.n / 2;
        let nodes = functions.h((0..count).map(|index| of(z as u32, index)), below);
        levels.push(nodes);
    }
    levels
}

/// The siblings on the way from a leaf up, `height` of them.
fn path(levels: &[Vec<u8>], n: usize, leaf: usize, height: usize) -> Vec<u8> {
    let node = |z: usize| &levels[z][((leaf >> z) ^ 1) * n..][..n];
    (0..height).flat_map(|z| node(z).iter().copied()).collect()
}

/// The numbers of `bits` bits each that a string begins with (algorithm 4).
pub(crate) fn base_2b(string: &[u8], bits: usize, count: usize) -> Vec<u32> {
    let bit = |i: usize| u32::from(string[i / 8] >> (7 - i % 8) & 1);
    let number = |i: usize| (0..bits).fold(0, |number, j| number << 1 | bit(i * bits + j));
    (0..count).map(number).collect()
}

/// The digits of a message of n bytes and of its checksum (algorithm 7, lines 1 to 7).
pub(crate) fn digits(message: &[u8]) -> Vec<u64> {
    let nibbles = |byte: &u8| [byte >> 4, byte & 15];
    let mut digits: Vec<u8> = message.iter().flat_map(nibbles).collect();
    let sum: u16 = digits.iter().map(|digit| 15 - u16::from(*digit)).sum();
    digits.extend((sum << 4).to_be_bytes().iter().flat_map(nibbles).take(3));
    digits.into_iter().map(u64::from).collect()
}

/// The addresses of the chains of a key pair.
fn chains(leaf: Leaf, len: usize, secret: bool) -> impl Iterator<Item = (TreePosition, Kind)> {
    let Leaf { place, key_pair } = leaf;
    (0..len as u32).map(move |chain| match secret {
        true => (place, Kind::WotsPrf { key_pair, chain }),
        false => (place, Kind::WotsHash { key_pair, chain }),
    })
}

/// For each leaf given, its authentication path and the root of its tree.
pub(crate) fn xmss(
    functions: &mut Functions,
    sk_seed: &[u8],
    signing: &[Leaf],
) -> Vec<(Vec<u8>, Vec<u8>)> {
    let p = functions.p;
    let at_once = (AT_A_TIME / (p.leaves() * p.len())).max(1);
    let mut trees = Vec::new();
    for signing in signing.chunks(at_once) {
        let leaves = signing.iter().flat_map(|leaf| {
            (0..p.leaves() as u32).map(|key_pair| Leaf { place: leaf.place, key_pair })
        });
        let of = |secret| leaves.clone().flat_map(move |leaf| chains(leaf, p.len(), secret));
        let mut states = functions.prf(sk_seed, of(true));
        let whole = vec![0..15; states.len() / p.n];
        functions.chain(of(false), &whole, &mut states);
        let keys = leaves.map(|Leaf { place, key_pair }| (place, Kind::WotsPk { key_pair }));
        let keys = functions.t_len(keys, &states);
        let levels = levels(functions, keys, p.h_prime, |height, index| {
            let width = p.leaves() >> height;
            let index_in_tree = (index % width) as u32;
            (signing[index / width].place, Kind::Tree { height, index: index_in_tree })
        });
        for (tree, leaf) in signing.iter().enumerate() {
            let first = tree * p.leaves();
            let root = levels[p.h_prime][tree * p.n..][..p.n].to_vec();
            trees.push((path(&levels, p.n, first + leaf.key_pair as usize, p.h_prime), root));
        }
    }
    trees
}

/// The WOTS⁺ signature by each leaf of its message of n bytes (algorithm 7), all side by side.
pub(crate) fn wots_sign(
    functions: &mut Functions,
    sk_seed: &[u8],
    signing: &[(Leaf, Vec<u8>)],
) -> Vec<u8> {
    let len = functions.p.len();
    let of = |secret| signing.iter().flat_map(move |(leaf, _)| chains(*leaf, len, secret));
    let mut states = functions.prf(sk_seed, of(true));
    let steps: Vec<Range<u64>> =
        signing.iter().flat_map(|(_, message)| digits(message)).map(|digit| 0..digit).collect();
    functions.chain(of(false), &steps, &mut states);
    states
}

/// The root of a tree from the signature of a message by one of its leaves, and the path
/// (algorithms 8 and 11).
pub(crate) fn xmss_root(
    functions: &mut Functions,
    leaf: Leaf,
    message: &[u8],
    signature: &[u8],
) -> Vec<u8> {
    let p = functions.p;
    let (states, path) = signature.split_at(p.len() * p.n);
    let mut states = states.to_vec();
    let steps: Vec<Range<u64>> = digits(message).into_iter().map(|digit| digit..15).collect();
    functions.chain(chains(leaf, p.len(), false), &steps, &mut states);
    let Leaf { place, key_pair } = leaf;
    let mut node = functions.t_len([(place, Kind::WotsPk { key_pair })].into_iter(), &states);
    for (z, sibling) in path.chunks_exact(p.n).enumerate() {
        let height = z as u32 + 1;
        let of = (place, Kind::Tree { height, index: key_pair >> height });
        let both = in_order(key_pair >> z & 1 == 1, &node, sibling);
        node = functions.h([of].into_iter(), &both);
    }
    node
}

/// A node and its sibling in the order of the tree.
fn in_order(right: bool, node: &[u8], sibling: &[u8]) -> Vec<u8> {
    if right { [sibling, node].concat() } else { [node, sibling].concat() }
}

/// The FORS signature of a message and the public key (algorithms 14 to 17).
pub(crate) fn fors_sign(
    functions: &mut Functions,
    sk_seed: &[u8],
    leaf: Leaf,
    message: &[u8],
) -> (Vec<u8>, Vec<u8>) {
    let p = functions.p;
    let Leaf { place, key_pair } = leaf;
    let (mut signature, mut roots) = (Vec::new(), Vec::new());
    let indices = base_2b(message, p.a, p.k);
    let at_once = (AT_A_TIME >> p.a).max(1);
    for (group, indices) in indices.chunks(at_once).enumerate() {
        let first = group * at_once;
        let leaves = (first << p.a) as u32..((first + indices.len()) << p.a) as u32;
        let of = leaves.clone().map(|index| (place, Kind::ForsPrf { key_pair, index }));
        let secrets = functions.prf(sk_seed, of);
        let of = leaves.map(|index| (place, Kind::ForsTree { key_pair, height: 0, index }));
        let nodes = functions.f(of, &secrets);
        let levels = levels(functions, nodes, p.a, |height, index| {
            let index = ((first << (p.a - height as usize)) + index) as u32;
            (place, Kind::ForsTree { key_pair, height, index })
        });
        for (tree, index) in indices.iter().enumerate() {
            let leaf = (tree << p.a) + *index as usize;
            signature.extend_from_slice(&secrets[leaf * p.n..][..p.n]);
            signature.extend_from_slice(&path(&levels, p.n, leaf, p.a));
        }
        roots.extend_from_slice(&levels[p.a]);
    }
    let key = functions.t_k((place, Kind::ForsRoots { key_pair }), &roots);
    (signature, key)
}

/// The FORS public key from a signature (algorithm 17), all trees side by side.
pub(crate) fn fors_key(
    functions: &mut Functions,
    leaf: Leaf,
    message: &[u8],
    signature: &[u8],
) -> Vec<u8> {
    let p = functions.p;
    let Leaf { place, key_pair } = leaf;
    let indices = base_2b(message, p.a, p.k);
    let parts: Vec<_> = signature.chunks_exact((1 + p.a) * p.n).collect();
    let of = |height: u32| {
        indices.iter().enumerate().map(move |(tree, index)| {
            let index = ((tree << p.a) as u32 + index) >> height;
            (place, Kind::ForsTree { key_pair, height, index })
        })
    };
    let secrets: Vec<u8> = parts.iter().flat_map(|part| &part[..p.n]).copied().collect();
    let mut nodes = functions.f(of(0), &secrets);
    for z in 0..p.a {
        let pairs = parts.iter().zip(&indices).zip(nodes.chunks_exact(p.n));
        let pairs = pairs.flat_map(|((part, index), node)| {
            in_order(index >> z & 1 == 1, node, &part[(1 + z) * p.n..][..p.n])
        });
        let pairs: Vec<u8> = pairs.collect();
        nodes = functions.h(of(z as u32 + 1), &pairs);
    }
    functions.t_k((place, Kind::ForsRoots { key_pair }), &nodes)
}
