//! Hashers saved in the middle of a message and taken up again.
// These tests need several families; `families.rs` tests each family alone.
#![cfg(feature = "default")]

mod messages;
mod stack;

use hex_literal::hex;
use manylane::{Algorithm, HashId, Hasher, engines, hash};
use messages::message;
use stack::on_a_large_stack;

/// The hasher after `message`.
fn after(algorithm: Algorithm, message: &[u8]) -> Hasher {
    let mut hasher = Hasher::new(algorithm);
    hasher.update(message);
    hasher
}

/// Every hash, cut at, before and behind the borders of blocks; saved on one engine, taken up on
/// another.
#[test]
fn a_saved_message_goes_on() {
    on_a_large_stack(test_every_hash);
}

fn test_every_hash() {
    for &id in HashId::ALL {
        let block = id.entry().shape.block_bytes;
        let whole = message(4 * block + 5);
        let engines = engines(id).unwrap();
        for (i, cut) in [0, 1, block - 1, block, block + 1, 2 * block, 3 * block + 7, whole.len()]
            .into_iter()
            .enumerate()
        {
            let mut hasher = Hasher::on(id, engines[i % engines.len()]).unwrap();
            hasher.update(&whole[..cut]);
            let saved = hasher.save();
            assert!(saved.len() < 512);
            let engine = engines[(i + 1) % engines.len()];
            let mut later = Hasher::restore_on(&saved, engine).unwrap();
            assert_eq!((later.algorithm(), later.engine()), (id.into(), engine));
            assert_eq!(later.finalize(), hash(id, &whole[..cut]), "{id:?} {cut}");
            later.update(&whole[cut..]);
            assert_eq!(later.finalize(), hash(id, &whole), "{id:?} {cut}");
            assert_eq!(hasher.save(), saved, "saving changes nothing");
            later.reset();
            assert_eq!(later.finalize(), hash(id, b""), "{id:?}");
        }
    }
}

#[test]
fn the_digests_length_is_saved() {
    for name in ["skein512-8", "skein256-136", "shake128-8", "shake256-4096", "skein1024"] {
        let algorithm: Algorithm = name.parse().unwrap();
        let whole = message(1000);
        let mut later = Hasher::restore(&after(algorithm, &whole[..333]).save()).unwrap();
        assert_eq!(later.algorithm(), algorithm);
        later.update(&whole[333..]);
        assert_eq!(later.finalize(), hash(algorithm, &whole), "{name}");
    }
}

/// A state that an earlier version saved: after "abcd" sixteen times and "xyz". A change of the
/// form needs another version, and this one stays readable or is refused by its number.
#[test]
fn the_form_stays() {
    const SAVED: [u8; 142] = hex!(
        "6d6c7374010373686132353600000000000000000000200000000000000001000000000000001198"
        "7d86abbd2d8643a38f2fdf41e8e3d4deb27d00281733879e36b0da70ec4178797a00000000000000"
        "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "0000000000000000000000000000a1bb5f4f7f4fff1e"
    );
    let message = ["abcd".repeat(16).as_bytes(), b"xyz"].concat();
    assert_eq!(after(HashId::Sha256.into(), &message).save(), SAVED);
    assert_eq!(Hasher::restore(&SAVED).unwrap().finalize(), hash(HashId::Sha256, &message));
}

fn refusal(saved: &[u8]) -> String {
    Hasher::restore(saved).unwrap_err().to_string()
}

#[test]
fn what_is_no_state_is_refused() {
    let saved = after(HashId::Sha256.into(), &message(100)).save();
    for bit in 0..8 * saved.len() {
        let mut damaged = saved.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(refusal(&damaged).starts_with("this is no saved state"), "bit {bit}");
    }
    for length in 0..saved.len() {
        refusal(&saved[..length]);
    }
    refusal(&[&saved[..], &[0]].concat());
    refusal(b"a file of another kind, long enough to hold what a state of a hash holds at least");
    let mut newer = saved.clone();
    newer[4] = 2;
    assert!(refusal(&newer).contains("of version 2, this is version 1"));
    let mut unknown = saved.clone();
    unknown[6..12].copy_from_slice(b"whirl8");
    assert!(refusal(&unknown).contains("`whirl8`"), "{}", refusal(&unknown));
}

/// The checksum of a state is a digest by the state's own hash, so the test can compute it for
/// states that no message leads to.
#[test]
fn what_no_message_leads_to_is_refused() {
    let saved = after(HashId::Sha256.into(), &message(100)).save();
    let forged = |change: &dyn Fn(&mut [u8])| {
        let mut state = saved[..saved.len() - 8].to_vec();
        change(&mut state);
        let sum = hash(HashId::Sha256, &state);
        [&state[..], &sum[..8]].concat()
    };
    assert_eq!(forged(&|_| ()), saved);
    for count in [64, 65, 255] {
        let refused = refusal(&forged(&|state| state[5] = count));
        assert!(refused.contains("no message leads to it"), "{refused}");
    }
    for blocks in [1 << 55, u64::MAX] {
        refusal(&forged(&|state| state[30..38].copy_from_slice(&u64::to_le_bytes(blocks))));
    }
    // A name that the catalogue understands, but does not write.
    refusal(&forged(&|state| state[6..22].copy_from_slice(b"SHA-256\0\0\0\0\0\0\0\0\0")));
    refusal(&forged(&|state| state[22] = 31));
}
