//! Trees of hashes against their definitions, computed one hash at a time, and known answers.

#[path = "trees/proofs.rs"]
mod proofs;

use manylane_engine::tree::{
    Lacking, Levels, Log, Tree, Verity, mix_in_length, ssz_root, ssz_tree,
};
use manylane_engine::{Error, HashId, engines, hash};
use manylane_kat::Rng;

fn hex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks_exact(2);
    digits.map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// The root by recursion over the leaves, each node by itself.
fn root(id: HashId, prefix: &[u8], arity: usize, lacking: Lacking, leaves: &[Vec<u8>]) -> Vec<u8> {
    let mut level = leaves.to_vec();
    let mut zero = vec![0; id.entry().shape.digest_bytes];
    while level.len() > 1 {
        level = level
            .chunks(arity)
            .map(|children| {
                let mut children = children.to_vec();
                match lacking {
                    Lacking::Promoted if children.len() == 1 => return children.remove(0),
                    Lacking::Repeated => children.resize(arity, children.last().unwrap().clone()),
                    _ => children.resize(arity, zero.clone()),
                }
                hash(id, &[prefix, &children.concat()].concat())
            })
            .collect();
        zero = hash(id, &[prefix, &zero.repeat(arity)].concat());
    }
    level.pop().unwrap_or(zero)
}

/// Every number of leaves to 70, some greater; every form and engine; then updates of leaves.
#[test]
fn levels_are_hashes_of_children() {
    for id in [HashId::Sha256, HashId::Md5, HashId::Sha512, HashId::Blake256, HashId::Skein512] {
        let mut rng = Rng::from_name("levels_are_hashes_of_children");
        let digest = id.entry().shape.digest_bytes;
        let forms = [
            (2, Lacking::Zeros),
            (2, Lacking::Promoted),
            (2, Lacking::Repeated),
            (3, Lacking::Zeros),
            (16, Lacking::Zeros),
        ];
        let engines = [None].into_iter().chain(engines(id).unwrap().into_iter().map(Some));
        for (engine, count) in engines.cycle().zip((0..70).chain([127, 128, 1000])) {
            let (arity, lacking) = forms[count % forms.len()];
            let prefix = rng.bytes([0, 1, 64, 9][count % 4]);
            let mut leaves = rng.messages(vec![digest; count]);
            let tree = Tree::new(id).arity(arity).prefix(&prefix).lacking(lacking);
            let tree = tree.engine(engine);
            let mut levels = tree.build(leaves.concat()).unwrap();
            let expected = root(id, &prefix, arity, lacking, &leaves);
            assert_eq!(levels.root(), expected, "{tree:?}, {count} leaves");
            if count == 0 {
                continue;
            }
            let changed: Vec<_> = (0..1 + count / 3).map(|_| rng.below(count)).collect();
            let digests = rng.messages(vec![digest; changed.len()]);
            levels.update_many(&changed, &digests.concat()).unwrap();
            for (leaf, digest) in changed.iter().zip(digests) {
                leaves[*leaf] = digest;
            }
            leaves[count - 1] = rng.bytes(digest);
            levels.update(count - 1, &leaves[count - 1]).unwrap();
            let expected = root(id, &prefix, arity, lacking, &leaves);
            assert_eq!(levels.root(), expected, "{tree:?}, {count} leaves, changed");
            prove(&levels, id, &prefix, arity, &leaves, &expected);
            let others = rng.messages(vec![digest; count]);
            levels.replace(&others.concat()).unwrap();
            assert_eq!(levels.root(), root(id, &prefix, arity, lacking, &others), "{tree:?}");
            levels.replace(&leaves.concat()).unwrap();
            assert_eq!(levels.root(), expected);
            assert!(levels.replace(&vec![0; (count + 1) * digest]).is_err());
        }
    }
}

/// Each leaf with its proof hashes to the root.
fn prove(
    levels: &Levels,
    id: HashId,
    prefix: &[u8],
    arity: usize,
    leaves: &[Vec<u8>],
    root: &[u8],
) {
    for (leaf, digest) in leaves.iter().enumerate().step_by(5) {
        let proof = levels.proof(leaf);
        let mut siblings = proof.iter();
        let (mut index, mut count, mut node) = (leaf, leaves.len(), digest.clone());
        for _ in 0..levels.depth() {
            // The last node of an odd level, which nothing stands beside, is promoted.
            let alone = index % arity == 0 && index + 1 == count;
            if !(alone && proof.len() < (arity - 1) * levels.depth()) {
                let mut children: Vec<_> = siblings.by_ref().take(arity - 1).cloned().collect();
                children.insert(index % arity, node);
                node = hash(id, &[prefix, &children.concat()].concat());
            }
            (index, count) = (index / arity, count.div_ceil(arity));
        }
        assert_eq!(node, root, "leaf {leaf} of {}", leaves.len());
    }
}

/// A level that is shared by threads, and the same tree on one.
#[test]
fn threads_compute_the_same_tree() {
    let leaves = Rng::from_name("threads_compute_the_same_tree").bytes(20_001 * 32);
    let tree = Tree::new(HashId::Sha256);
    let alone = tree.build(leaves.clone()).unwrap();
    let shared = tree.threads(3).build(leaves).unwrap();
    assert_eq!(alone.root(), shared.root());
    assert_eq!(alone.level(3), shared.level(3));
}

#[test]
fn trees_that_cannot_be_are_refused() {
    let tree = Tree::new(HashId::Sha256);
    assert!(matches!(tree.build(vec![0; 33]), Err(Error::FieldLength { given: 33, .. })));
    for tree in [
        tree.clone().arity(1),
        tree.clone().arity(usize::MAX),
        tree.clone().arity(3).lacking(Lacking::Promoted),
        tree.clone().depth(3).lacking(Lacking::Repeated),
        tree.clone().depth(1),
        tree.clone().depth(65),
        tree.clone().depth(u32::MAX),
    ] {
        assert!(matches!(tree.build(vec![0; 96]), Err(Error::Tree { .. })), "{tree:?}");
    }
    let mut levels = tree.build(vec![1; 96]).unwrap();
    let root = levels.root().to_vec();
    assert!(levels.update(3, &[0; 32]).is_err() && levels.update(2, &[0; 31]).is_err());
    let error = levels.update_many(&[0, 3], &[0; 64]).unwrap_err();
    assert_eq!(error, Error::NoLeaf { leaf: 3, leaves: 3 });
    assert_eq!(error.to_string(), "leaf number 3 of 3 leaves, which are counted from 0");
    assert_eq!(levels.root(), root);
    assert!(ssz_root(&[0; 65], Some(2)).is_err());
    for (algorithm, block) in [(HashId::Sha256, 4095), (HashId::Sha256, 32), (HashId::Sha1, 32)] {
        assert!(Verity::new(algorithm, block, b"").is_err(), "{algorithm:?}, {block}");
    }
}

/// The zero hashes of consensus-specs, and roots by the definition.
#[test]
fn ssz() {
    let zero1 = "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b";
    let zero2 = "db56114e00fdd4c1f85c892bf35ac9a89289aaecb1ebd0a96cde606a748b5d71";
    assert_eq!(ssz_root(&[], None).unwrap()[..], [0; 32]);
    assert_eq!(ssz_root(&[], Some(2)).unwrap()[..], hex(zero1));
    assert_eq!(ssz_root(&[0; 70], Some(4)).unwrap()[..], hex(zero2));
    // A list of 2⁴⁰ validators' places costs forty hashes.
    let chunk = [5; 32];
    let mut node = chunk.to_vec();
    let mut zero = vec![0; 32];
    for _ in 0..40 {
        node = hash(HashId::Sha256, &[node, zero.clone()].concat());
        zero = hash(HashId::Sha256, &[&zero[..], &zero].concat());
    }
    assert_eq!(ssz_root(&chunk, Some(1 << 40)).unwrap()[..], node);
    assert_eq!(ssz_root(&[], Some(1 << 40)).unwrap()[..], zero);
    assert_eq!(ssz_tree(&chunk, Some(u64::MAX)).unwrap().depth(), 64);
    assert_eq!(ssz_tree(&chunk, Some(1)).unwrap().root(), chunk);
    let mixed = mix_in_length(&chunk, 0x0102);
    let length = [&[2, 1][..], &[0; 30]].concat();
    assert_eq!(mixed[..], hash(HashId::Sha256, &[&chunk[..], &length].concat()));
    let mut tree = ssz_tree(&[1; 320], Some(1 << 20)).unwrap();
    tree.update(9, &[2; 32]).unwrap();
    let changed = [&[1; 288][..], &[2; 32]].concat();
    assert_eq!(tree.root(), ssz_root(&changed, Some(1 << 20)).unwrap());
    assert_eq!(tree.proof(9).len(), 20);
}

/// MTH(D[n]) as RFC 9162 §2.1.1 has it.
fn merkle_tree_hash(entries: &[Vec<u8>]) -> Vec<u8> {
    match entries {
        [] => hash(HashId::Sha256, b""),
        [entry] => hash(HashId::Sha256, &[&[0], &entry[..]].concat()),
        _ => {
            let (left, right) = entries.split_at(entries.len().next_power_of_two() / 2);
            let [left, right] = [left, right].map(merkle_tree_hash);
            hash(HashId::Sha256, &[&[1], &left[..], &right].concat())
        }
    }
}

/// The eight entries of certificate-transparency's own tests: roots of every log of them.
#[test]
fn log_known_answers() {
    let entries: Vec<_> = [
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    ]
    .map(hex)
    .into();
    let roots = [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ];
    for (count, root) in (1..).zip(roots) {
        let log = Log::new(HashId::Sha256, &entries[..count], 1).unwrap();
        assert_eq!(log.root(), hex(root), "{count} entries");
    }
    let log = Log::new(HashId::Sha256, &entries, 1).unwrap();
    let proof = ["0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a", roots[3]];
    assert_eq!(
        log.consistency(6),
        [
            &proof[..1],
            &["ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0", roots[3],]
        ]
        .concat()
        .into_iter()
        .map(hex)
        .collect::<Vec<_>>()
    );
}

/// fs-verity's tree as its documentation has it, whole in memory.
fn verity_root(id: HashId, block: usize, salt: &[u8], data: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let digest = |block: &[u8]| hash(id, &[salt, block].concat());
    let slot = id.entry().shape.digest_bytes.next_power_of_two();
    let mut level = data.to_vec();
    let mut tree = Vec::new();
    loop {
        level.resize(level.len().next_multiple_of(block), 0);
        if level.len() == block {
            return (digest(&level), tree);
        }
        let above = level.chunks_exact(block).flat_map(|block| {
            let mut digest = digest(block);
            digest.resize(slot, 0);
            digest
        });
        level = above.collect();
        let mut filled = level.clone();
        filled.resize(level.len().next_multiple_of(block), 0);
        tree = [filled, tree].concat();
    }
}

/// Data in pieces of any lengths; blocks of digests come once each, in their order.
#[test]
fn verity_in_pieces() {
    let mut rng = Rng::from_name("verity_in_pieces");
    for (id, block, salt) in [
        (HashId::Sha256, 1024, vec![]),
        (HashId::Sha256, 64, vec![1; 32]),
        (HashId::Sha1, 128, vec![2; 3]),
        (HashId::Sha512, 1024, vec![3; 128]),
    ] {
        for length in [1, block - 1, block, block + 1, 40 * block, 300 * block + 5, 5000 * 64] {
            let data = rng.bytes(length);
            let mut levels: Vec<Vec<u8>> = Vec::new();
            let mut sink = |of: manylane_engine::tree::VerityBlock| {
                levels.resize(levels.len().max(of.level + 1), Vec::new());
                assert_eq!(levels[of.level].len() as u64, of.index * block as u64);
                levels[of.level].extend_from_slice(of.bytes);
            };
            let mut verity = Verity::new(id, block, &salt).unwrap().threads(2);
            for piece in rng.pieces(&data, 70 * block) {
                verity.update(piece, &mut sink).unwrap();
            }
            let digested = verity.finish(&mut sink).unwrap();
            let (root, tree) = verity_root(id, block, &salt, &data);
            assert_eq!(digested.root, root, "{id:?}, {length} of {block}");
            assert_eq!(digested.bytes, length as u64);
            let counts: Vec<_> = levels.iter().map(|of| (of.len() / block) as u64).collect();
            assert_eq!(digested.levels, counts);
            levels.reverse();
            assert!(levels.concat() == tree, "{id:?}, {length} of {block}");
        }
    }
    let empty = Verity::new(HashId::Sha256, 4096, b"").unwrap().finish(&mut |_| ()).unwrap();
    assert_eq!(empty.root, [0; 32]);
}
