//! Each type against the function that takes the algorithm as a value.
// These tests need several families; `families.rs` tests each family alone.
#![cfg(feature = "default")]

mod messages;

use digest::common::BlockSizeUser;
use digest::{Digest, DynDigest, ExtendableOutput, FixedOutputReset, Reset, Update, XofReader};
use manylane::{Algorithm, HashId, hash};
use manylane_primitives::for_each_hash;
use messages::message;

/// Lengths around one and two blocks of `block` bytes.
fn lengths(block: usize) -> [usize; 8] {
    [0, 1, block - 1, block, block + 1, 2 * block - 1, 2 * block, 3 * block + 5]
}

fn check_fixed<D>(id: HashId)
where
    D: Digest + BlockSizeUser + FixedOutputReset + Clone,
{
    let shape = id.entry().shape;
    assert_eq!(<D as Digest>::output_size(), shape.digest_bytes, "{id:?}");
    assert_eq!(D::block_size(), shape.block_bytes, "{id:?}");
    let mut reused = D::new();
    for bytes in lengths(shape.block_bytes) {
        let message = message(bytes);
        let expected = hash(id, &message);
        assert_eq!(D::digest(&message)[..], expected, "{id:?}, {bytes} bytes");
        let (first, second) = message.split_at(bytes / 3);
        Digest::update(&mut reused, first);
        let fork = reused.clone();
        Digest::update(&mut reused, second);
        assert_eq!(reused.finalize_reset()[..], expected, "{id:?}, {bytes} bytes in two pieces");
        assert_eq!(fork.chain_update(second).finalize()[..], expected, "{id:?}, a clone goes on");
        Digest::update(&mut reused, b"to be forgotten");
        Digest::reset(&mut reused);
    }
}

fn check_extendable<X: ExtendableOutput + Default + Update + Reset>(id: HashId) {
    let block = id.entry().shape.block_bytes;
    for bytes in lengths(block) {
        let message = message(bytes);
        let algorithm = Algorithm::new(id).with_digest_bytes(2 * block + 7).unwrap();
        let expected = hash(algorithm, &message);
        let mut hasher = X::default();
        hasher.update(b"to be forgotten");
        hasher.reset();
        hasher.update(&message);
        let mut reader = hasher.finalize_xof();
        let mut output = vec![0; expected.len()];
        for piece in output.chunks_mut(50) {
            reader.read(piece);
        }
        assert_eq!(output, expected, "{id:?}, {bytes} bytes");
    }
}

macro_rules! check {
    (Shake128) => {
        check_extendable::<manylane::Shake128>(manylane::Shake128::ID)
    };
    (Shake256) => {
        check_extendable::<manylane::Shake256>(manylane::Shake256::ID)
    };
    ($id:ident) => {
        check_fixed::<manylane::$id>(manylane::$id::ID)
    };
}

macro_rules! check_all {
    ($($id:ident $name:literal $aliases:tt $title:literal $standard:literal
       $security:ident $(($why:literal))? => $value:expr;)*) => {
        #[test]
        fn every_type_computes_what_its_name_says() {
            $(
                assert_eq!(manylane::$id::ID, HashId::$id);
                check!($id);
            )*
        }
    };
}
for_each_hash!(check_all);

#[test]
fn extendable_output_starts_again_after_a_reset() {
    use digest::ExtendableOutputReset;
    let mut hasher = manylane::Shake128::default();
    for message in [&b"first"[..], b"second"] {
        Update::update(&mut hasher, message);
        let mut output = [0; 32];
        hasher.finalize_xof_reset().read(&mut output);
        let shake = Algorithm::new(HashId::Shake128).with_digest_bytes(32).unwrap();
        assert_eq!(output[..], hash(shake, message));
    }
}

#[test]
fn trait_objects_work() {
    let hashers: [Box<dyn DynDigest>; 3] = [
        Box::new(manylane::Md5::default()),
        Box::new(manylane::Keccak256::default()),
        Box::new(manylane::Skein1024::default()),
    ];
    let ids = [HashId::Md5, HashId::Keccak256, HashId::Skein1024];
    for (mut hasher, id) in hashers.into_iter().zip(ids) {
        hasher.update(b"abc");
        assert_eq!(hasher.finalize()[..], hash(id, b"abc"));
    }
}
