//! The types in code of other crates that is generic over the traits of `digest`: HMAC, HKDF,
//! PBKDF2.
// These tests need several families; `families.rs` tests each family alone.
#![cfg(feature = "default")]

mod messages;

use digest::block_api::{
    AlgorithmName, Buffer, BufferKindUser, CoreProxy, ExtendableOutputCore, UpdateCore,
    XofReaderCore,
};
use digest::common::hazmat::SerializableState;
use digest::const_oid::AssociatedOid;
use digest::{Digest, FixedOutput, KeyInit};
use hex_literal::hex;
use hkdf::{Hkdf, SimpleHkdf};
use hmac::{EagerHash, Hmac, HmacReset, Mac, SimpleHmac};
use manylane::{HashId, Hasher, hash};
use manylane_primitives::for_each_hash;
use messages::message;
use std::fmt;

/// Checks the types of `hmac` against this crate's HMAC, and HKDF and PBKDF2 over one of them
/// against the same over another.
fn check_keyed<D: EagerHash + FixedOutput>(id: HashId) {
    let block = id.entry().shape.block_bytes;
    for (key, text) in [(4, 0), (block, block - 1), (block + 1, block), (3 * block, 2 * block + 9)]
    {
        let (key, text) = (message(key), message(text));
        let mut expected = manylane::Hmac::new(id, &key).unwrap();
        expected.update(&text);
        let expected = expected.finalize();
        let (first, second) = text.split_at(text.len() / 3);

        let mut mac = <Hmac<D> as KeyInit>::new_from_slice(&key).unwrap();
        Mac::update(&mut mac, first);
        let fork = mac.clone();
        Mac::update(&mut mac, second);
        assert_eq!(mac.finalize().into_bytes()[..], expected, "{id:?}");
        assert_eq!(fork.chain_update(second).finalize().into_bytes()[..], expected, "{id:?}");

        let mut reused = <HmacReset<D> as KeyInit>::new_from_slice(&key).unwrap();
        for _ in 0..2 {
            Mac::update(&mut reused, &text);
            assert_eq!(reused.finalize_reset().into_bytes()[..], expected, "{id:?}");
        }
        let mut simple = <SimpleHmac<D> as KeyInit>::new_from_slice(&key).unwrap();
        Mac::update(&mut simple, &text);
        assert_eq!(simple.finalize().into_bytes()[..], expected, "{id:?}");
    }
    let mut keys = [[0; 100]; 2];
    Hkdf::<D>::new(Some(b"salt"), b"input").expand(b"purpose", &mut keys[0]).unwrap();
    SimpleHkdf::<D>::new(Some(b"salt"), b"input").expand(b"purpose", &mut keys[1]).unwrap();
    assert_eq!(keys[0], keys[1], "{id:?}");
    assert_ne!(keys[0], [0; 100]);
    pbkdf2::pbkdf2_hmac::<D>(b"password", b"salt", 3, &mut keys[0]);
    pbkdf2::pbkdf2::<SimpleHmac<D>>(b"password", b"salt", 3, &mut keys[1]).unwrap();
    assert_eq!(keys[0], keys[1], "{id:?}");
}

/// A hasher taken apart after any number of bytes is the same when it is put together again.
fn check_core<D>(id: HashId)
where
    D: CoreProxy<Core = D> + BufferKindUser + FixedOutput + Default,
{
    let block = id.entry().shape.block_bytes;
    let whole = message(3 * block);
    for cut in [0, 1, block - 1, block, block + 1, 2 * block] {
        let mut hasher = D::default();
        hasher.update(&whole[..cut]);
        let (core, buffer) = hasher.decompose();
        assert!(buffer.get_pos() < block);
        let mut together = D::compose(core, buffer);
        together.update(&whole[cut..]);
        assert_eq!(together.finalize_fixed()[..], hash(id, &whole), "{id:?} {cut}");
    }
}

/// A saved state is that of [`Hasher::save`], goes on after it is restored, and is refused once it
/// is damaged.
fn check_saved<D: SerializableState + FixedOutput + Default>(id: HashId) {
    let whole = message(700);
    let mut hasher = D::default();
    hasher.update(&whole[..333]);
    let state = hasher.serialize();
    let mut untyped = Hasher::new(id);
    untyped.update(&whole[..333]);
    assert_eq!(state[..], untyped.save(), "{id:?}");
    let Ok(mut later) = D::deserialize(&state) else { panic!("{id:?}") };
    later.update(&whole[333..]);
    assert_eq!(later.finalize_fixed()[..], hash(id, &whole), "{id:?}");
    let mut damaged = state.clone();
    damaged[50] ^= 4;
    assert!(D::deserialize(&damaged).is_err(), "{id:?}");
}

struct Name<D>(std::marker::PhantomData<D>);

impl<D: AlgorithmName> fmt::Display for Name<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        D::write_alg_name(f)
    }
}

fn name<D: AlgorithmName>() -> String {
    Name::<D>(std::marker::PhantomData).to_string()
}

macro_rules! check {
    (Shake128) => {};
    (Shake256) => {};
    ($id:ident) => {
        check_keyed::<manylane::$id>(HashId::$id);
        check_core::<manylane::$id>(HashId::$id);
        check_saved::<manylane::$id>(HashId::$id);
        assert_eq!(name::<Hmac<manylane::$id>>(), concat!("Hmac<", stringify!($id), ">"));
    };
}

macro_rules! check_all {
    ($($id:ident $name:literal $aliases:tt $title:literal $standard:literal
       $security:ident $(($why:literal))? => $value:expr;)*) => {
        #[test]
        fn every_type_serves_generic_code() {
            $( check!($id); )*
        }
    };
}
for_each_hash!(check_all);

/// RFC 4231 §4.3, RFC 2202 §2, RFC 5869 A.1, RFC 6070 §2.
#[test]
fn published_examples_hold() {
    fn mac<D: EagerHash + FixedOutput>(key: &[u8], text: &[u8]) -> Vec<u8> {
        let mac = <Hmac<D> as KeyInit>::new_from_slice(key).unwrap();
        mac.chain_update(text).finalize().into_bytes().to_vec()
    }
    let text = b"what do ya want for nothing?";
    assert_eq!(
        mac::<manylane::Sha256>(b"Jefe", text),
        hex!("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    );
    assert_eq!(mac::<manylane::Md5>(b"Jefe", text), hex!("750c783e6ab0b503eaa86e310a5db738"));
    let mut okm = [0; 42];
    let salt: Vec<u8> = (0..13).collect();
    let info: Vec<u8> = (0xf0..0xfa).collect();
    Hkdf::<manylane::Sha256>::new(Some(&salt), &[0x0b; 22]).expand(&info, &mut okm).unwrap();
    assert_eq!(okm[..8], hex!("3cb25f25faacd57a"));
    let key = pbkdf2::pbkdf2_hmac_array::<manylane::Sha1, 20>(b"password", b"salt", 2);
    assert_eq!(key, hex!("ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"));
}

/// A state of one hash is refused by another, even where both have states of one length.
#[test]
fn states_of_other_hashes_are_refused() {
    let state = manylane::Sha256::default().serialize();
    assert!(manylane::Sha224::deserialize(&state).is_err());
    assert!(manylane::Blake256::deserialize(&state).is_err());
    let state = manylane::Shake256::default().serialize();
    assert!(manylane::Sha3_256::deserialize(&state).is_err());
    assert!(manylane::Shake256::deserialize(&state).is_ok());
}

/// The blocks of an extendable output, read one by one, are the output of [`hash`].
#[test]
fn extendable_output_comes_by_blocks() {
    let text = message(1000);
    let mut core = manylane::Shake128::default();
    let mut buffer = Buffer::<manylane::Shake128>::default();
    buffer.digest_blocks(&text, |blocks| {
        UpdateCore::update_blocks(&mut core, blocks);
    });
    let mut reader = core.finalize_xof_core(&mut buffer);
    let output: Vec<u8> = (0..3).flat_map(|_| reader.read_block()).collect();
    let algorithm = manylane::Algorithm::new(HashId::Shake128).with_digest_bytes(3 * 168).unwrap();
    assert_eq!(output, hash(algorithm, &text));
}

/// The identifiers by which a signature of PKCS #1 v1.5 names its hash.
#[test]
fn object_identifiers_are_those_of_the_registers() {
    assert_eq!(manylane::Sha256::OID.to_string(), "2.16.840.1.101.3.4.2.1");
    assert_eq!(manylane::Sha512_256::OID.to_string(), "2.16.840.1.101.3.4.2.6");
    assert_eq!(manylane::Md5::OID.as_bytes(), hex!("2a864886f70d0205"));
    assert_eq!(manylane::Shake256::OID.to_string(), "2.16.840.1.101.3.4.2.12");
    assert_eq!(<manylane::Ripemd160 as Digest>::output_size(), 20);
    assert_eq!(manylane::Ripemd160::OID.to_string(), "1.3.36.3.2.1");
}
