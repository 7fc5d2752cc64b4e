//! What a caller might give at the edges: nothing, one too many, ends of blocks, absurd lengths.
//! The oracles are other implementations.

use hmac::{Hmac, KeyInit, Mac, SimpleHmac};
use manylane_engine::tree::{Lacking, Log, Tree, Verity, ssz_root};
use manylane_engine::{Algorithm, Chains, Error, HashId, HmacKeys, Pbkdf2, Rows};
use manylane_kat::Rng;
use sha2::{Digest, Sha256};
use std::num::NonZeroU32;

fn sha256(parts: &[&[u8]]) -> Vec<u8> {
    Sha256::digest(parts.concat()).to_vec()
}

/// Keys of a block and one byte less or more, messages around the ends of blocks.
#[test]
fn keys_around_a_block_are_rustcrypto_s() {
    fn check<M: Mac + KeyInit>(id: HashId) {
        let mut rng = Rng::from_name("keys_around_a_block_are_rustcrypto_s");
        let block = id.entry().shape.block_bytes;
        let lengths = [0, 1, block - 1, block, block + 1, 2 * block, 2 * block + 1];
        let keys = rng.messages(lengths);
        let many = HmacKeys::new(id, &keys).unwrap();
        let ends = [0, 1, block - 18, block - 17, block - 9, block - 8, block - 1, block];
        let messages = rng.messages(ends.repeat(keys.len()));
        let under: Vec<_> = (0..messages.len()).map(|i| i / ends.len()).collect();
        let mut tags = vec![0; messages.len() * id.entry().shape.digest_bytes];
        many.run(&under, &messages, &mut tags).unwrap();
        for ((&key, message), tag) in
            under.iter().zip(&messages).zip(tags.chunks_exact(id.entry().shape.digest_bytes))
        {
            let mut mac = <M as KeyInit>::new_from_slice(&keys[key]).unwrap();
            mac.update(message);
            assert_eq!(mac.finalize().into_bytes()[..], *tag, "{id:?}, key of {}", keys[key].len());
        }
        many.run(&[], &messages[..0], &mut []).unwrap();
    }
    check::<Hmac<md5::Md5>>(HashId::Md5);
    check::<Hmac<sha1::Sha1>>(HashId::Sha1);
    check::<Hmac<Sha256>>(HashId::Sha256);
    check::<Hmac<sha2::Sha512>>(HashId::Sha512);
    check::<SimpleHmac<sha3::Sha3_256>>(HashId::Sha3_256);
}

/// Long salts, of which few are copied at a time, among short ones.
#[test]
fn long_salts_are_rustcrypto_s() {
    let mut rng = Rng::from_name("long_salts_are_rustcrypto_s");
    let salts = rng.messages((0..150).map(|i| if i % 7 == 0 { 100_000 + i } else { i }));
    let passwords = rng.messages(0..150);
    let mut out = vec![0; 150 * 40];
    let many = Pbkdf2::new(HashId::Sha256, NonZeroU32::new(2).unwrap());
    many.key_bytes(40).run(&passwords, &salts, &mut out).unwrap();
    for ((password, salt), out) in passwords.iter().zip(&salts).zip(out.chunks_exact(40)) {
        let mut expected = [0; 40];
        pbkdf2::pbkdf2_hmac::<Sha256>(password, salt, 2, &mut expected);
        assert_eq!(expected, out, "a salt of {} bytes", salt.len());
    }
}

/// Nodes longer than memory are refused, not computed.
#[test]
fn endless_nodes_are_refused() {
    let endless = Algorithm::new(HashId::Shake256).with_digest_bytes(1 << 60).unwrap();
    for arity in [2, 4, 16, 1 << 16] {
        let error = Tree::new(endless).arity(arity).depth(1).build(Vec::new()).unwrap_err();
        assert!(matches!(error, Error::Memory { .. }), "{arity}: {error}");
    }
}

/// Passwords around a block, salts around its padding, keys that end within a digest and after it.
#[test]
fn passwords_around_a_block_are_rustcrypto_s() {
    let mut rng = Rng::from_name("passwords_around_a_block_are_rustcrypto_s");
    let lengths = [0, 1, 31, 32, 33, 51, 52, 55, 56, 59, 60, 63, 64, 65, 119, 128, 129];
    let passwords = rng.messages(lengths);
    let salts = rng.messages(lengths.into_iter().rev());
    for (bytes, iterations) in [(1, 1), (31, 2), (33, 3), (64, 1), (65, 7)] {
        let mut out = vec![0; lengths.len() * bytes];
        let many = Pbkdf2::new(HashId::Sha256, NonZeroU32::new(iterations).unwrap());
        many.key_bytes(bytes).run(&passwords, &salts, &mut out).unwrap();
        for ((password, salt), out) in passwords.iter().zip(&salts).zip(out.chunks_exact(bytes)) {
            let mut expected = vec![0; bytes];
            pbkdf2::pbkdf2_hmac::<Sha256>(password, salt, iterations, &mut expected);
            assert_eq!(expected, out, "{iterations} iterations, {bytes} bytes");
        }
    }
}

/// A chain without steps, one whose range is the wrong way round, and the last number there is.
#[test]
#[allow(clippy::reversed_empty_ranges)]
fn chains_of_no_steps_stay() {
    let mut states = [7; 4 * 32];
    let chains = Chains::new(HashId::Sha256).address_bytes(8).counter(0, 8);
    let last = u64::MAX - 1;
    chains.run(&[0; 32], &[0..0, 5..2, 9..9, last..u64::MAX], &mut states).unwrap();
    let stepped = sha256(&[&last.to_be_bytes(), &[7; 32]]);
    assert_eq!(states, *[&[7; 3 * 32][..], &stepped].concat());
    chains.run(&[], &[], &mut []).unwrap();
}

/// Trees of no leaf, one and three, under prefixes that end within a block and fill it.
#[test]
fn small_trees_under_odd_prefixes() {
    let leaves: [[u8; 32]; 3] = [[1; 32], [2; 32], [3; 32]];
    for bytes in [0, 1, 3, 55, 63, 64, 65] {
        let prefix = vec![9; bytes];
        let node = |left: &[u8], right: &[u8]| sha256(&[&prefix, left, right]);
        let tree = Tree::new(HashId::Sha256).prefix(&prefix);
        let zeros = [0; 32];
        for (lacking, beside) in [
            (Lacking::Zeros, node(&leaves[2], &zeros)),
            (Lacking::Repeated, node(&leaves[2], &leaves[2])),
            (Lacking::Promoted, leaves[2].to_vec()),
        ] {
            let tree = tree.clone().lacking(lacking);
            let root = |count: usize| tree.build(leaves[..count].concat()).unwrap().root().to_vec();
            assert_eq!(root(0), zeros, "{lacking:?}");
            assert_eq!(root(1), leaves[0], "{lacking:?}");
            let left = node(&leaves[0], &leaves[1]);
            assert_eq!(root(2), left, "{lacking:?}");
            assert_eq!(root(3), node(&left, &beside), "{lacking:?}, prefix of {bytes}");
        }
    }
    // Entries of no byte, of the ends of blocks, and of more than one (RFC 9162 §2.1.1).
    let entries = Rng::from_name("small_trees_under_odd_prefixes").messages([0, 54, 55, 200, 63]);
    let leaf = |i: usize| sha256(&[&[0], &entries[i]]);
    let node = |left: Vec<u8>, right: Vec<u8>| sha256(&[&[1], &left, &right]);
    let root = |count: usize| Log::new(HashId::Sha256, &entries[..count], 2).unwrap().root();
    assert_eq!(root(0), sha256(&[]));
    assert_eq!(root(1), leaf(0));
    assert_eq!(root(3), node(node(leaf(0), leaf(1)), leaf(2)));
    let four = node(node(leaf(0), leaf(1)), node(leaf(2), leaf(3)));
    assert_eq!(root(5), node(four, leaf(4)));
    // A chunk that is not whole.
    let half = [&[1; 33][..], &[0; 31]].concat();
    assert_eq!(ssz_root(&[1; 33], None).unwrap()[..], sha256(&[&half]));
}

/// Lengths that overflow are refused in words, also where there is nothing to hash.
#[test]
fn absurd_lengths_are_refused() {
    let rows = Rows::new(HashId::Sha256);
    for rows in [
        rows.clone().input_bytes(usize::MAX),
        rows.clone().prefix(b"p").input_bytes(usize::MAX - 70),
        rows.clone().address_bytes(usize::MAX).input_bytes(2),
        rows.clone().input_bytes(1 << 60),
    ] {
        assert!(matches!(rows.run(&[], &[], &mut []), Err(Error::Memory { .. })), "{rows:?}");
        assert!(matches!(rows.prepare(), Err(Error::Memory { .. })), "{rows:?}");
    }
    let error = rows.clone().input_bytes(usize::MAX).run(&[], &[0; 9], &mut [0; 64]).unwrap_err();
    let needed = 2 * usize::MAX as u128;
    let said = format!("inputs: 9 given, {needed} needed for 2 of {} each", usize::MAX);
    assert_eq!(error.to_string(), said);
    for block in [1 << 60, 1 << (usize::BITS - 1)] {
        let verity = Verity::new(HashId::Sha256, block, b"");
        assert!(matches!(verity, Err(Error::Memory { .. })), "{verity:?}");
    }
    let chains = Chains::new(HashId::Sha256).address_bytes(usize::MAX);
    assert!(matches!(chains.prepare(), Err(Error::Memory { .. })));
    for (tree, what) in [
        (Tree::new(HashId::Md5).arity(1), "2 to 65,536 children"),
        (Tree::new(HashId::Md5).arity(3).lacking(Lacking::Repeated), "nodes have two children"),
        (Tree::new(HashId::Md5).depth(3).lacking(Lacking::Promoted), "level of the root is fixed"),
    ] {
        let error = tree.build(vec![0; 32]).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}
