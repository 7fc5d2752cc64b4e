//! SHA-256 and MD5 in one pass: the digests are those of independent crates, whatever the lengths,
//! the number of messages and the pieces. On a CPU that does not gain by one pass there is nothing
//! to test here; the definition of the two as one hash has a test of its own in the engine.

mod oracle;

use manylane_engine::{Algorithm, Both, hash};
use manylane_kat::Rng;
use oracle::{digest, oracle};

/// The digests of both hashes, by the oracles.
fn expected(both: Both, message: &[u8]) -> Vec<u8> {
    both.hashes().map(|hash| digest(Algorithm::new(hash), message)).concat()
}

fn check(both: Both, messages: &[&[u8]]) {
    let mut out = vec![0; both.digest_bytes() * messages.len()];
    both.run(messages, &mut out).unwrap();
    for (message, digests) in messages.iter().zip(out.chunks(both.digest_bytes())) {
        assert_eq!(digests, expected(both, message), "{} of {}", message.len(), messages.len());
    }
}

#[test]
fn every_length_in_every_number() {
    let Some(both) = Both::here() else { return };
    let text = Rng::from_name("both").bytes(400);
    // From every number of messages to three kernels and one, all lengths to three blocks and one.
    for length in 0..=193 {
        for count in [1, 2, 3, 31, 32, 33, 97] {
            let messages: Vec<&[u8]> = (0..count).map(|i| &text[i..i + length]).collect();
            check(both, &messages);
        }
    }
    for count in 0..=70 {
        let messages: Vec<&[u8]> = (0..count).map(|i| &text[i..i + (i * 61) % 194]).collect();
        check(both, &messages);
    }
}

#[test]
fn messages_of_any_lengths() {
    let Some(both) = Both::here() else { return };
    let mut chance = Rng::from_name("both, any lengths");
    let text = chance.bytes(1 << 20);
    for most in [300, 5_000, 70_000] {
        for count in [5, 40, 300] {
            let lengths: Vec<_> = (0..count).map(|_| chance.below(most)).collect();
            let messages: Vec<&[u8]> =
                lengths.iter().map(|&length| &text[length % 1000..][..length]).collect();
            check(both, &messages);
        }
    }
}

#[test]
fn wrong_places_for_digests_are_refused() {
    let Some(both) = Both::here() else { return };
    for bytes in [0, 32, 47, 49, 96] {
        let error = both.run(&["one"], &mut vec![0; bytes]).unwrap_err();
        assert!(error.to_string().contains("48"), "{error}");
    }
    both.run::<&[u8]>(&[], &mut []).unwrap();
}

#[test]
fn pieces_of_any_lengths() {
    let Some(both) = Both::here() else { return };
    let mut chance = Rng::from_name("both, pieces");
    let text = chance.bytes(50_000);
    for members in [1, 2, 7, 33, 64] {
        let mut group = both.group(members).unwrap();
        for _ in 0..3 {
            let mut at = vec![0; members];
            let ends: Vec<_> = (0..members).map(|_| chance.below(50_000)).collect();
            while at != ends {
                let mut pieces = vec![&text[..0]; members];
                for (piece, (at, &end)) in pieces.iter_mut().zip(at.iter_mut().zip(&ends)) {
                    let most = [1, 64, 65, 3000][chance.below(4)];
                    let next = end.min(*at + chance.below(most + 1));
                    *piece = &text[*at..next];
                    *at = next;
                }
                group.update(&pieces);
            }
            group.update(&vec![&[][..]; members]);
            for (member, &end) in ends.iter().enumerate() {
                let digests = expected(both, &text[..end]);
                assert_eq!(group.finalize(member), digests, "{member} of {members}, {end}");
                // Hashers that go on from there.
                let mut apart = group.apart(member);
                let rest = &text[end..][..chance.below(200).min(50_000 - end)];
                for (hasher, name) in apart.iter_mut().zip(both.hashes()) {
                    hasher.update(rest);
                    assert_eq!(hasher.finalize(), hash(name, &text[..end + rest.len()]));
                }
                assert_eq!(group.finalize(member), digests, "{member} of {members}, {end}");
                group.reset(member);
            }
        }
    }
}

/// Lengths beyond 2^32 bits, in lanes and alone.
#[test]
#[ignore = "minutes"]
fn lengths_beyond_32_bits() {
    let Some(both) = Both::here() else { return };
    let piece = Rng::from_name("both, long").bytes(1 << 20);
    let mut group = both.group(5).unwrap();
    let mut oracles = both.hashes().map(|hash| oracle(Algorithm::new(hash)));
    for _ in 0..513 {
        group.update(&[&piece, b"", &piece, &piece, &piece]);
        group.update(&[b"", &piece, b"", b"", b""]);
        oracles.iter_mut().for_each(|oracle| oracle.update(&piece));
    }
    let digests = oracles.map(|oracle| oracle.finish()).concat();
    for member in 0..5 {
        assert_eq!(group.finalize(member), digests, "{member}");
    }
}
