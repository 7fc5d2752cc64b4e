//! The types of manylane where crates of RustCrypto take a hash as a parameter: each works with the
//! same crate over `sha2`.
#![cfg(test)]

use digest::zeroize::ZeroizeOnDrop;
use digest::{Digest, Update};
use manylane::HashId;
use rand::SeedableRng;
use rand::rngs::ChaCha12Rng;
use rsa::{PrivateKey, PublicKey, oaep, pkcs1v15, pss};
use signature::{DigestSigner, DigestVerifier, RandomizedSigner, Signer, Verifier};
use std::mem::MaybeUninit;
use std::slice;
use std::sync::OnceLock;

const MESSAGE: &[u8] =
    b"what is signed, long enough for more than one block of most of the hashes here";

/// A key of which OAEP under a hash of 128 bytes leaves 30 bytes for a message, and its other half.
fn rsa_key() -> (PrivateKey, PublicKey, ChaCha12Rng) {
    static KEY: OnceLock<PrivateKey> = OnceLock::new();
    let rng = ChaCha12Rng::seed_from_u64(1);
    let key =
        KEY.get_or_init(|| PrivateKey::new(&mut ChaCha12Rng::seed_from_u64(2), 2304).unwrap());
    (key.clone(), key.to_public_key(), rng)
}

/// Calls a macro with the hashes that `sha2` has too.
macro_rules! for_each_of_sha2 {
    ($check:ident) => {
        $check!(Sha224 Sha256 Sha384 Sha512 Sha512_224 Sha512_256);
    };
}

/// Calls a macro with every hash that has digests of one length. `each_hash_is_listed` holds the
/// list to the catalogue.
macro_rules! for_each_hash {
    ($check:ident) => {
        $check!(
            Md5 Sha1 Sha224 Sha256 Sha384 Sha512 Sha512_224 Sha512_256
            Sha3_224 Sha3_256 Sha3_384 Sha3_512 Keccak224 Keccak256 Keccak384 Keccak512
            Ripemd128 Ripemd160 Ripemd256 Ripemd320 Blake224 Blake256 Blake384 Blake512
            Groestl224 Groestl256 Groestl384 Groestl512 Jh224 Jh256 Jh384 Jh512
            Skein256 Skein512 Skein1024
        );
    };
}

#[test]
fn each_hash_is_listed() {
    let mut listed = vec![HashId::Shake128, HashId::Shake256];
    macro_rules! list {
        ($($id:ident)*) => { listed.extend([$(manylane::$id::ID),*]) };
    }
    for_each_hash!(list);
    for id in HashId::ALL {
        assert!(listed.contains(id), "{id:?} is in no test here");
    }
}

#[test]
fn signatures_by_pkcs1_name_the_hash() {
    let (key, public, _) = rsa_key();
    macro_rules! alike {
        ($($id:ident)*) => { $(
            let ours = pkcs1v15::SigningKey::<manylane::$id>::new(key.clone());
            let theirs = pkcs1v15::SigningKey::<sha2::$id>::new(key.clone());
            assert_eq!(ours.sign(MESSAGE), theirs.sign(MESSAGE), stringify!($id));
        )* };
    }
    for_each_of_sha2!(alike);
    let mut signatures = Vec::new();
    macro_rules! check {
        ($($id:ident)*) => { $(
            let signature = pkcs1v15::SigningKey::<manylane::$id>::new(key.clone()).sign(MESSAGE);
            let verifying = pkcs1v15::VerifyingKey::<manylane::$id>::new(public.clone());
            verifying.verify(MESSAGE, &signature).unwrap();
            assert!(verifying.verify(b"another", &signature).is_err(), stringify!($id));
            for other in &signatures {
                assert!(verifying.verify(MESSAGE, other).is_err(), stringify!($id));
            }
            signatures.push(signature);
        )* };
    }
    // Every hash that has an object identifier and digests of one length.
    check!(
        Md5 Sha1 Sha224 Sha256 Sha384 Sha512 Sha512_224 Sha512_256
        Sha3_224 Sha3_256 Sha3_384 Sha3_512 Ripemd128 Ripemd160 Ripemd256
    );
}

#[test]
fn signatures_by_pss_are_verified_with_another_crate() {
    let (key, public, mut rng) = rsa_key();
    macro_rules! alike {
        ($($id:ident)*) => { $(
            let ours = pss::SigningKey::<manylane::$id>::new(key.clone());
            let signature = ours.sign_with_rng(&mut rng, MESSAGE);
            let verifying = pss::VerifyingKey::<sha2::$id>::new(public.clone());
            verifying.verify(MESSAGE, &signature).unwrap();
        )* };
    }
    for_each_of_sha2!(alike);
    macro_rules! check {
        ($($id:ident)*) => { $(
            let ours = pss::SigningKey::<manylane::$id>::new(key.clone());
            let signature = ours.sign_with_rng(&mut rng, MESSAGE);
            let verifying = pss::VerifyingKey::<manylane::$id>::new(public.clone());
            verifying.verify(MESSAGE, &signature).unwrap();
            assert!(verifying.verify(b"another", &signature).is_err(), stringify!($id));
        )* };
    }
    for_each_hash!(check);
}

#[test]
fn messages_under_oaep_are_decrypted_with_another_crate() {
    use rsa::traits::{Decryptor, RandomizedEncryptor};
    let (key, public, mut rng) = rsa_key();
    macro_rules! alike {
        ($($id:ident)*) => { $(
            let encrypting = oaep::EncryptingKey::<manylane::$id>::new(public.clone());
            let ciphertext = encrypting.encrypt_with_rng(&mut rng, b"a secret").unwrap();
            let decrypting = oaep::DecryptingKey::<sha2::$id>::new(key.clone());
            assert_eq!(decrypting.decrypt(&ciphertext).unwrap(), b"a secret", stringify!($id));
        )* };
    }
    for_each_of_sha2!(alike);
    macro_rules! check {
        ($($id:ident)*) => { $(
            let encrypting = oaep::EncryptingKey::<manylane::$id>::new(public.clone());
            let mut ciphertext = encrypting.encrypt_with_rng(&mut rng, b"a secret").unwrap();
            let decrypting = oaep::DecryptingKey::<manylane::$id>::new(key.clone());
            assert_eq!(decrypting.decrypt(&ciphertext).unwrap(), b"a secret", stringify!($id));
            *ciphertext.last_mut().unwrap() ^= 1;
            assert!(decrypting.decrypt(&ciphertext).is_err(), stringify!($id));
        )* };
    }
    for_each_hash!(check);
}

#[test]
fn ecdsa_takes_the_hashes() {
    use p256::ecdsa::{Signature, SigningKey, VerifyingKey};
    let key = SigningKey::from_slice(&[7; 32]).unwrap();
    let verifying = VerifyingKey::from(&key);
    macro_rules! signature {
        ($hash:ty) => {{
            let signature: Signature = key.sign_digest(|digest: &mut $hash| {
                Update::update(digest, MESSAGE);
            });
            signature
        }};
    }
    macro_rules! alike {
        ($($id:ident)*) => { $(
            let (ours, theirs) = (signature!(manylane::$id), signature!(sha2::$id));
            assert_eq!(ours, theirs, stringify!($id));
        )* };
    }
    for_each_of_sha2!(alike);
    macro_rules! check {
        ($($id:ident)*) => { $(
            let signature = signature!(manylane::$id);
            let verify = |message: &'static [u8]| {
                let hashed = move |digest: &mut manylane::$id| {
                    Update::update(digest, message);
                    Ok(())
                };
                verifying.verify_digest(hashed, &signature)
            };
            verify(MESSAGE).unwrap();
            assert!(verify(b"another").is_err(), stringify!($id));
        )* };
    }
    for_each_hash!(check);
}

#[test]
fn ed25519_takes_the_hash() {
    use ed25519_dalek::SigningKey;
    let key = SigningKey::from_bytes(&[7; 32]);
    let ours = manylane::Sha512::new().chain_update(MESSAGE);
    let theirs = sha2::Sha512::new().chain_update(MESSAGE);
    let signature = key.sign_prehashed(ours.clone(), Some(b"context")).unwrap();
    assert_eq!(signature, key.sign_prehashed(theirs, Some(b"context")).unwrap());
    key.verifying_key().verify_prehashed(ours, Some(b"context"), &signature).unwrap();
    let secret = ed25519_dalek::hazmat::ExpandedSecretKey::from_bytes(&[9; 64]);
    let public = (&secret).into();
    let raw = ed25519_dalek::hazmat::raw_sign::<manylane::Sha512>(&secret, MESSAGE, &public);
    assert_eq!(raw, ed25519_dalek::hazmat::raw_sign::<sha2::Sha512>(&secret, MESSAGE, &public));
}

#[test]
fn keys_are_derived_alike() {
    let mut keys = [[0; 77]; 2];
    hkdf::Hkdf::<manylane::Sha512>::new(None, b"input").expand(b"info", &mut keys[0]).unwrap();
    hkdf::Hkdf::<sha2::Sha512>::new(None, b"input").expand(b"info", &mut keys[1]).unwrap();
    assert_eq!(keys[0], keys[1]);
    pbkdf2::pbkdf2_hmac::<manylane::Sha384>(b"password", b"salt", 10, &mut keys[0]);
    pbkdf2::pbkdf2_hmac::<sha2::Sha384>(b"password", b"salt", 10, &mut keys[1]);
    assert_eq!(keys[0], keys[1]);
}

/// The bytes of a hasher's memory after it was dropped there.
fn after_drop<D: ZeroizeOnDrop + Default + Update>(message: &[u8]) -> Vec<u8> {
    let mut place = Box::new(MaybeUninit::<D>::zeroed());
    let hasher = place.write(D::default());
    hasher.update(message);
    // SAFETY: it was written just now; nobody uses it any more. The bytes were zero or written,
    // and of a type that is dropped only its bytes are read.
    unsafe {
        place.assume_init_drop();
        slice::from_raw_parts(place.as_ptr().cast::<u8>(), size_of::<D>()).to_vec()
    }
}

#[test]
fn hashers_overwrite_what_they_hold() {
    let secret = b"a secret of some bytes that fills no block";
    let contains = |bytes: &[u8], part: &[u8]| bytes.windows(part.len()).any(|w| w == part);
    macro_rules! check {
        ($($id:ident)*) => { $(
            let left = after_drop::<manylane::$id>(&[secret.as_slice(); 7].concat());
            assert!(!contains(&left, &secret[..8]), stringify!($id));
            // The chaining value after the whole blocks, as a saved state has it.
            let mut hasher = manylane::Hasher::new(HashId::$id);
            hasher.update(&[secret.as_slice(); 7].concat());
            let saved = hasher.save();
            assert!(!contains(&left, &saved[38..46]), stringify!($id));
        )* };
    }
    check!(Md5 Sha256 Sha512 Sha3_256 Shake128 Blake256 Groestl512 Jh256 Skein1024);
}
