//! Whatever families are compiled: their hashes, RC5 and the pairing do what the definitions say.
//! `make test-features` runs this with each family alone.

// RC5 alone comes without hashes.
#![cfg_attr(not(feature = "default"), allow(unused))]

mod messages;
mod stack;

use manylane::primitives::family::FAMILIES;
use manylane::primitives::{for_each_hash, hash as definition, match_hash};
use manylane::{Algorithm, Batch, HashId, Hasher, engines, hash_many};
use messages::message;
use stack::on_a_large_stack;

/// The definition's digest of a hash of the catalogue.
fn digest(id: HashId, message: &[u8]) -> Vec<u8> {
    let mut digest = vec![0; id.entry().shape.digest_bytes];
    match_hash!(id, |hash| definition::digest(&hash, message, &mut digest));
    digest
}

/// Messages around one and two blocks, enough of each length to fill lanes.
#[test]
fn every_hash_is_its_definition_on_every_engine() {
    on_a_large_stack(test_every_engine);
}

fn test_every_engine() {
    for &id in HashId::ALL {
        let block = id.entry().shape.block_bytes;
        let lengths = [0, 1, block - 1, block, block + 1, 2 * block - 9, 2 * block, 3 * block + 5];
        let messages: Vec<_> = (0..67).map(|i| message(lengths[i % 8] + 1000 * (i / 60))).collect();
        let expected: Vec<u8> = messages.iter().flat_map(|message| digest(id, message)).collect();
        let mut digests = vec![0; expected.len()];
        hash_many(id, &messages, &mut digests).unwrap();
        assert!(digests == expected, "{id:?}");
        for engine in engines(id).unwrap() {
            digests.fill(0);
            Batch::new(id).engine(engine).threads(2).run(&messages, &mut digests).unwrap();
            assert!(digests == expected, "{id:?} on {engine}");
            let mut hasher = Hasher::on(id, engine).unwrap();
            let (first, second) = messages[66].split_at(block / 2);
            hasher.update(first);
            hasher.update(second);
            assert!(expected.ends_with(&hasher.finalize()), "{id:?} on {engine}");
        }
    }
}

macro_rules! types {
    ($($id:ident $name:literal $aliases:tt $title:literal $standard:literal
       $security:ident $(($why:literal))? => $value:expr;)*) => {
        /// The names that a program hashes by, and the types of the traits.
        #[test]
        fn every_hash_has_its_name_and_its_type() {
            $(
                assert_eq!($name.parse(), Ok(HashId::$id));
                assert_eq!($title.parse(), Ok(Algorithm::new(manylane::$id::ID)));
                let mut hasher = manylane::$id::default();
                manylane::digest::Update::update(&mut hasher, b"abc");
            )*
        }
    };
}
for_each_hash!(types);

/// A hash that was left out is refused by a message that says what to do.
#[test]
fn families_are_there_or_named() {
    let of_families = [
        ("md5", "md5"),
        ("sha1", "sha1"),
        ("sha2", "sha512/256"),
        ("sha3", "keccak256"),
        ("ripemd", "ripemd160"),
        ("blake", "blake256"),
        ("groestl", "groestl384"),
        ("jh", "jh512"),
        ("skein", "skein512-136"),
    ];
    assert_eq!(FAMILIES.len(), of_families.len(), "a member of each family");
    for ((family, is_on), (name, member)) in FAMILIES.iter().zip(of_families) {
        assert_eq!(*family, name);
        match member.parse::<Algorithm>() {
            Ok(_) => assert!(is_on, "{member} without {family}"),
            Err(error) => {
                let said = error.to_string();
                let features = said.split("without the features ").nth(1);
                let named = features.is_some_and(|f| f.split(", ").any(|f| f == *family));
                assert!(!is_on && named, "{member}: {said}");
            }
        }
    }
}

#[cfg(feature = "rc5")]
#[test]
fn rc5_decrypts_what_it_encrypts() {
    let rc5: manylane::Rc5<u32> = manylane::Rc5::new(12, b"a key").unwrap();
    let plaintext = message(800);
    let mut data = plaintext.clone();
    manylane::modes::cbc_encrypt(&rc5, &[3; 8], &mut data).unwrap();
    assert_ne!(data, plaintext);
    manylane::modes::cbc_decrypt(&rc5, &[3; 8], &mut data).unwrap();
    assert_eq!(data, plaintext);
}

#[cfg(feature = "pairing")]
#[test]
fn the_pairing_is_bilinear() {
    on_a_large_stack(test_bilinearity);
}

#[cfg(feature = "pairing")]
fn test_bilinearity() {
    use manylane::pairing::{Pairing, hash_to_point};
    let pairing = Pairing::new().unwrap();
    let [p, q] = [&b"one point"[..], b"the other"].map(hash_to_point);
    let value = pairing.pair(p, q);
    assert_eq!(pairing.pair(p.multiply(&[3]), q), value.square() * value);
}
