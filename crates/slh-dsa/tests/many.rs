//! Many signatures on threads are those that are made one by one.

use manylane_slh_dsa::{Error, ParameterSet, PrivateKey};

fn key(set: ParameterSet) -> PrivateKey {
    let [sk_seed, sk_prf, pk_seed] = [1, 2, 3].map(|byte| vec![byte; set.seed_bytes()]);
    PrivateKey::from_seeds(set, &sk_seed, &sk_prf, &pk_seed).unwrap()
}

/// Messages of different lengths, the empty one among them.
fn messages(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|i| vec![i as u8; i * 37]).collect()
}

/// Fewer and more messages than threads, more threads than any machine has.
#[test]
fn many_are_as_one_by_one() {
    for (set, counts) in [
        (ParameterSet::Sha2_128f, &[0, 1, 2, 5, 9][..]),
        (ParameterSet::Shake128f, &[3]),
        (ParameterSet::Sha2_256f, &[2]),
    ] {
        let key = key(set);
        let n = set.seed_bytes();
        let messages = messages(9);
        let random: Vec<u8> = (0..9 * n).map(|i| (i * i + 7) as u8).collect();
        let one_by_one = |hedged: bool| -> Vec<_> {
            let pieces = random.chunks_exact(n).map(|random| hedged.then_some(random));
            let counts = messages.iter().zip(pieces).take(*counts.last().unwrap());
            counts.map(|(message, random)| key.sign(message, b"many", random).unwrap()).collect()
        };
        let expected = [one_by_one(false), one_by_one(true)];
        for (count, threads) in counts.iter().zip([3, 0, 2, 2, 5000].into_iter().cycle()) {
            let messages = &messages[..*count];
            for (hedged, expected) in [false, true].into_iter().zip(&expected) {
                let random = hedged.then_some(&random[..count * n]);
                let signatures = key.sign_many(messages, b"many", random, threads).unwrap();
                assert!(signatures == expected[..*count], "{set}, {count} on {threads}");
            }
        }
        assert_ne!(expected[0], expected[1]);
    }
}

#[test]
fn many_are_verified_each() {
    let key = key(ParameterSet::Sha2_128f);
    let public = key.public_key();
    let messages = messages(7);
    let mut signatures = key.sign_many(&messages, b"", None, 2).unwrap();
    let check = |signatures: &[Vec<u8>], context: &[u8]| {
        let signed: Vec<_> = messages.iter().zip(signatures).collect();
        let alone: Vec<_> = signed.iter().map(|(m, s)| public.verify(m, context, s)).collect();
        for threads in [0, 1, 3, 5000] {
            assert_eq!(public.verify_many(&signed, context, threads), alone, "{threads}");
        }
        alone
    };
    assert_eq!(check(&signatures, b""), [true; 7]);
    assert_eq!(check(&signatures, b"other"), [false; 7]);
    assert_eq!(check(&signatures, &[0; 256]), [false; 7]);
    signatures.swap(0, 6);
    signatures[2][9000] ^= 4;
    signatures[4].truncate(100);
    assert_eq!(check(&signatures, b""), [false, true, false, true, false, true, false]);
    assert_eq!(public.verify_many::<&[u8], &[u8]>(&[], b"", 3), []);
}

#[test]
fn lengths_are_checked_before_signing() {
    let key = key(ParameterSet::Sha2_128f);
    let error = key.sign_many(&[b"one", b"two"], b"", Some(&[0; 16]), 2).unwrap_err();
    let text = "the randomness for all messages of SLH-DSA-SHA2-128f has 32 bytes, not 16";
    assert_eq!(error.to_string(), text);
    assert!(key.sign_many(&[b"one"], b"", Some(&[0; 17]), 1).is_err());
    assert!(key.sign_many::<&[u8]>(&[], b"", Some(&[0; 16]), 1).is_err());
    assert_eq!(key.sign_many(&[b"one"], &[0; 256], None, 1), Err(Error::Context(256)));
    assert_eq!(key.sign_many::<&[u8]>(&[], &[0; 256], None, 1), Err(Error::Context(256)));
    assert_eq!(key.sign_many::<&[u8]>(&[], b"", Some(&[]), 1), Ok(vec![]));
}
