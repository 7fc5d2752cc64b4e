//! Known answers: NIST's ACVP vectors, and those of another implementation for all parameter sets.
//! A line of `vectors.txt` ends with the SHA-256 digest of the signature:
//!
//! ```text
//! key       SET  private key
//! internal  SET  private key  randomness or -  -             message  digest of the signature
//! pure      SET  private key  randomness or -  context or -  message  digest of the signature
//! HASH      SET  private key  randomness or -  context or -  message  digest of the signature
//! verify    SET  private key  randomness       -             message  digest  REASON
//! ```
//!
//! HASH is the variant of [`PreHash`] by which the message is signed. REASON is what NIST did to a
//! signature that was good, or to its message.

use manylane::{HashId, hash};
use manylane_slh_dsa::{Error, ParameterSet, PreHash, PrivateKey, PublicKey};
use std::collections::HashMap;

fn hex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks_exact(2);
    digits.map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn lines(kind: &str) -> impl Iterator<Item = (ParameterSet, Vec<&'static str>)> {
    let lines = include_str!("vectors.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(move |line| {
        let mut fields = line.split(' ');
        let set = (fields.next() == Some(kind)).then(|| fields.next().unwrap())?;
        Some((set.parse().unwrap(), fields.collect()))
    })
}

#[test]
fn keys() {
    let mut count = 0;
    for (set, fields) in lines("key") {
        let bytes = hex(fields[0]);
        let key = PrivateKey::from_bytes(set, &bytes).unwrap();
        assert_eq!(key.to_bytes(), bytes, "{set}");
        let mut wrong = bytes.clone();
        *wrong.last_mut().unwrap() ^= 1;
        assert_eq!(PrivateKey::from_bytes(set, &wrong).unwrap_err(), Error::Root);
        count += 1;
    }
    assert!(count >= 12);
}

/// What a line of a signature says.
struct Case {
    set: ParameterSet,
    key: PrivateKey,
    random: Option<Vec<u8>>,
    context: Vec<u8>,
    message: Vec<u8>,
    digest: Vec<u8>,
}

fn cases(kind: &str) -> impl Iterator<Item = Case> {
    // Reading a private key costs as much as making it.
    let mut keys = HashMap::new();
    lines(kind).map(move |(set, fields)| {
        let given = |text: &str| (text != "-").then(|| hex(text));
        let [key, random, context, message, digest] = fields[..] else { panic!("{fields:?}") };
        Case {
            set,
            key: keys
                .entry((set, key))
                .or_insert_with(|| PrivateKey::from_bytes(set, &hex(key)).unwrap())
                .clone(),
            random: given(random),
            context: given(context).unwrap_or_default(),
            message: given(message).unwrap_or_default(),
            digest: hex(digest),
        }
    })
}

/// Checks that a signature is that of the line, verifies it by the bytes of the public key alone,
/// and returns the parameter set.
fn check(case: &Case, signature: &[u8], verify: impl Fn(&PublicKey) -> bool) -> ParameterSet {
    let set = case.set;
    assert_eq!(signature.len(), set.signature_bytes());
    assert_eq!(hash(HashId::Sha256, signature), case.digest, "{set}");
    let public = PublicKey::from_bytes(set, case.key.public_key().as_bytes()).unwrap();
    assert!(verify(&public), "{set}");
    set
}

/// Signatures by the internal function and by that with a context; each is verified, and not for
/// another message or context.
#[test]
fn signatures() {
    let mut seen = Vec::new();
    for case in cases("internal") {
        let signature = case.key.sign_internal(&[&case.message], case.random.as_deref()).unwrap();
        seen.push(check(&case, &signature, |public| {
            let (begin, end) = case.message.split_at(case.message.len() / 2);
            public.verify_internal(&[begin, end], &signature)
                && !public.verify_internal(&[&case.message, &[0]], &signature)
        }));
    }
    assert!(ParameterSet::ALL.iter().all(|set| seen.contains(set)));
    seen.clear();
    for case in cases("pure") {
        let Case { key, random, context, message, .. } = &case;
        let signature = key.sign(message, context, random.as_deref()).unwrap();
        seen.push(check(&case, &signature, |public| {
            let other = [context, &[0][..]].concat();
            public.verify(message, context, &signature)
                && !public.verify(message, &other, &signature)
        }));
    }
    assert!(ParameterSet::ALL.iter().all(|set| seen.contains(set)));
}

/// Messages are signed by each hash, with a parameter set of each length and family.
#[test]
fn prehash_signatures() {
    let mut seen = Vec::new();
    for by in PreHash::ALL {
        for case in cases(&format!("{by:?}")) {
            let Case { key, random, context, message, .. } = &case;
            let signature = key.sign_prehash(message, context, by, random.as_deref()).unwrap();
            let verified = |public: &PublicKey| {
                public.verify_prehash(message, context, by, &signature)
                    && !public.verify(message, context, &signature)
            };
            seen.push((by, check(&case, &signature, verified)));
        }
    }
    assert!(PreHash::ALL.iter().all(|by| seen.iter().any(|(of, _)| of == by)));
}

/// ACVP's signatures to verify: some are good, the others are refused for the reason given. The
/// digest shows that the signature is NIST's own.
#[test]
fn verified_and_refused_for_each_reason() {
    let mut seen = HashMap::new();
    for (set, fields) in lines("verify") {
        let [key, random, _, message, digest, reason] = fields[..] else { panic!("{fields:?}") };
        let key = PrivateKey::from_bytes(set, &hex(key)).unwrap();
        let message = hex(message);
        let mut signed = message.clone();
        if reason == "message" {
            *signed.last_mut().unwrap() ^= 1;
        }
        let mut signature = key.sign_internal(&[&signed], Some(&hex(random))).unwrap();
        match reason {
            "valid" | "message" => {}
            "R" => signature[0] ^= 0x80,
            "SIGFORS" => signature[set.seed_bytes()] ^= 0x80,
            "SIGHT" => *signature.last_mut().unwrap() ^= 1,
            "large" => signature.push(0xaa),
            "small" => drop(signature.pop()),
            _ => panic!("{reason}"),
        }
        assert_eq!(hash(HashId::Sha256, &signature), hex(digest), "{set}, {reason}");
        let public = PublicKey::from_bytes(set, key.public_key().as_bytes()).unwrap();
        let verified = public.verify_internal(&[&message], &signature);
        assert_eq!(verified, reason == "valid", "{set}, {reason}");
        *seen.entry(reason).or_insert(0) += 1;
    }
    // Each reason occurs with more than one parameter set.
    assert_eq!(seen.len(), 7, "{seen:?}");
    assert!(seen.values().all(|count| *count > 1), "{seen:?}");
}

/// A bit of each part of a signature is changed; lengths around the right one.
#[test]
fn changed_signatures_are_refused() {
    let set = ParameterSet::Sha2_128f;
    let key = PrivateKey::from_seeds(set, &[1; 16], &[2; 16], &[3; 16]).unwrap();
    let public = key.public_key();
    let mut signature = key.sign(b"message", b"", None).unwrap();
    assert!(public.verify(b"message", b"", &signature));
    // R, the first tree of FORS and its path, the last tree, the first layer, the last two.
    for at in [0, 15, 16, 40, 16 * 33 * 7, 16 * (1 + 33 * 7), 16_000, 17_087] {
        signature[at] ^= 0x80;
        assert!(!public.verify(b"message", b"", &signature), "byte {at}");
        signature[at] ^= 0x80;
    }
    assert!(!public.verify(b"message", b"", &signature[..17_087]));
    signature.push(0);
    assert!(!public.verify(b"message", b"", &signature));
    signature.pop();
    assert!(!public.verify_prehash(b"message", b"", PreHash::Sha2_256, &signature));
    let other = PrivateKey::from_seeds(set, &[1; 16], &[2; 16], &[4; 16]).unwrap();
    assert!(!other.public_key().verify(b"message", b"", &signature));
}

/// §10.2.2: what is signed is the object identifier and the digest, after a byte 1.
#[test]
fn prehash() {
    let set = ParameterSet::Shake128f;
    let key = PrivateKey::from_seeds(set, &[1; 16], &[2; 16], &[3; 16]).unwrap();
    let public = key.public_key();
    for by in PreHash::ALL {
        let signature = key.sign_prehash(b"message", b"context", by, Some(&[9; 16])).unwrap();
        assert!(public.verify_prehash(b"message", b"context", by, &signature), "{by:?}");
        assert!(!public.verify(b"message", b"context", &signature));
        if by == PreHash::Sha2_256 {
            let digest = hash(HashId::Sha256, b"message");
            let head = b"\x01\x07context\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01";
            assert!(public.verify_internal(&[head, &digest], &signature));
            assert!(!public.verify_prehash(b"message", b"context", PreHash::Sha3_256, &signature));
        }
    }
}

#[test]
fn lengths_are_checked() {
    let set = ParameterSet::Sha2_128f;
    let error = PrivateKey::from_seeds(set, &[0; 16], &[0; 17], &[0; 16]).unwrap_err();
    assert_eq!(error.to_string(), "a seed of SLH-DSA-SHA2-128f has 16 bytes, not 17");
    assert!(PublicKey::from_bytes(set, &[0; 31]).is_err());
    assert!(PrivateKey::from_bytes(set, &[0; 63]).is_err());
    let key = PrivateKey::from_seeds(set, &[1; 16], &[2; 16], &[3; 16]).unwrap();
    assert!(key.sign(b"", b"", Some(&[0; 15])).is_err());
    assert_eq!(key.sign(b"", &[0; 256], None).unwrap_err(), Error::Context(256));
    let signature = key.sign(b"", &[0; 255], None).unwrap();
    assert!(key.public_key().verify(b"", &[0; 255], &signature));
    assert!(!key.public_key().verify(b"", &[0; 256], &signature));
    let by = PreHash::Sha2_256;
    assert_eq!(key.sign_prehash(b"", &[0; 256], by, None).unwrap_err(), Error::Context(256));
    assert!(!key.public_key().verify_prehash(b"", &[0; 256], by, &signature));
    assert!(!key.public_key().verify(b"", &[0; 255], b""));
    // Signatures of SLH-DSA-SHAKE-128f are as long.
    let other = PublicKey::from_bytes(ParameterSet::Shake128f, key.public_key().as_bytes());
    assert!(!other.unwrap().verify(b"", &[0; 255], &signature));
    let error = "SLH-DSA-SHA2-128x".parse::<ParameterSet>().unwrap_err().to_string();
    for set in ParameterSet::ALL {
        let (family, size) = set.name().rsplit_once('-').unwrap();
        assert!(error.contains(family) && error.contains(size), "{set}: {error}");
    }
    // FIPS 205, table 2.
    let bytes: Vec<_> = ParameterSet::ALL.iter().map(|set| set.signature_bytes()).collect();
    let table = [7856, 17088, 16224, 35664, 29792, 49856].map(|bytes| [bytes; 2]);
    assert_eq!(bytes, table.as_flattened());
}

/// One key, several threads, each signing.
#[test]
fn threads_share_a_key() {
    let key = PrivateKey::from_seeds(ParameterSet::Sha2_128f, &[1; 16], &[2; 16], &[3; 16]);
    let key = key.unwrap();
    let expected = key.sign(b"message", b"", None).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert_eq!(key.sign(b"message", b"", None).unwrap(), expected));
        }
    });
}
