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

const MESSAGE: &[u8] =
    b"what is signed, long enough for more than one block of most of the hashes here";

fn rsa_key() -> (PrivateKey, PublicKey, ChaCha12Rng) {
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    let key = PrivateKey::new(&mut rng, 1024).unwrap();
    let public = key.to_public_key();
    (key, public, rng)
}

#[test]
fn signatures_by_pkcs1_name_the_hash() {
    let (key, public, _) = rsa_key();
    macro_rules! check {
        ($($id:ident)*) => { $(
            let ours = pkcs1v15::SigningKey::<manylane::$id>::new(key.clone());
            let theirs = pkcs1v15::SigningKey::<sha2::$id>::new(key.clone());
            let signature = ours.sign(MESSAGE);
            assert_eq!(signature, theirs.sign(MESSAGE), stringify!($id));
            let verifying = pkcs1v15::VerifyingKey::<manylane::$id>::new(public.clone());
            verifying.verify(MESSAGE, &signature).unwrap();
            assert!(verifying.verify(b"another", &signature).is_err());
        )* };
    }
    check!(Sha224 Sha256 Sha384 Sha512 Sha512_224 Sha512_256);
    // Hashes that `sha2` lacks sign, too.
    let ours = pkcs1v15::SigningKey::<manylane::Sha3_256>::new(key);
    let verifying = pkcs1v15::VerifyingKey::<manylane::Sha3_256>::new(public.clone());
    verifying.verify(MESSAGE, &ours.sign(MESSAGE)).unwrap();
    let other = pkcs1v15::VerifyingKey::<manylane::Sha256>::new(public);
    assert!(other.verify(MESSAGE, &ours.sign(MESSAGE)).is_err());
}

#[test]
fn signatures_by_pss_are_verified_with_another_crate() {
    let (key, public, mut rng) = rsa_key();
    let ours = pss::SigningKey::<manylane::Sha256>::new(key);
    let signature = ours.sign_with_rng(&mut rng, MESSAGE);
    pss::VerifyingKey::<sha2::Sha256>::new(public.clone()).verify(MESSAGE, &signature).unwrap();
    pss::VerifyingKey::<manylane::Sha256>::new(public).verify(MESSAGE, &signature).unwrap();
}

#[test]
fn messages_under_oaep_are_decrypted_with_another_crate() {
    use rsa::traits::{Decryptor, RandomizedEncryptor};
    let (key, public, mut rng) = rsa_key();
    let encrypting = oaep::EncryptingKey::<manylane::Sha256>::new(public);
    let ciphertext = encrypting.encrypt_with_rng(&mut rng, b"a secret").unwrap();
    let decrypting = oaep::DecryptingKey::<sha2::Sha256>::new(key.clone());
    assert_eq!(decrypting.decrypt(&ciphertext).unwrap(), b"a secret");
    let decrypting = oaep::DecryptingKey::<manylane::Sha256>::new(key);
    assert_eq!(decrypting.decrypt(&ciphertext).unwrap(), b"a secret");
}

#[test]
fn ecdsa_takes_the_hashes() {
    use p256::ecdsa::{Signature, SigningKey, VerifyingKey};
    let key = SigningKey::from_slice(&[7; 32]).unwrap();
    let ours: Signature = key.sign_digest(|digest: &mut manylane::Sha256| {
        Update::update(digest, MESSAGE);
    });
    let theirs: Signature = key.sign_digest(|digest: &mut sha2::Sha256| {
        Update::update(digest, MESSAGE);
    });
    assert_eq!(ours, theirs);
    let verifying = VerifyingKey::from(&key);
    let verify = |digest: &mut manylane::Sha256| {
        Update::update(digest, MESSAGE);
        Ok(())
    };
    verifying.verify_digest(verify, &ours).unwrap();
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
