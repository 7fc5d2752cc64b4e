//! A program that depends on this crate alone can name every type that the functions take and
//! return, and can write functions that are generic over them.
// These tests need several families; `families.rs` tests each family alone.
#![cfg(feature = "default")]

use manylane::digest::{Digest, ExtendableOutput, FixedOutput, Reset, XofReader};
use manylane::modes::{self, BlockCipher};
use manylane::{
    Algorithm, Batch, CipherWord, Entry, Error, Group, HashId, Hasher, Hmac, Keyed, ParamsError,
    Rc5, Rc5Keys, Rc5Params, Security, Shape, UnknownName, Work,
};
use std::io::{self, Read, Write};

/// A round trip in counter mode and in CBC, alone and under many keys.
fn round_trips<W: CipherWord>(key: &[u8]) -> Result<Rc5Params, Error> {
    let rc5: Rc5<W> = Rc5::new(12, key)?;
    let block = rc5.block_bytes();
    let plaintext: Vec<u8> = (0..9 * block).map(|i| i as u8).collect();
    let initial = vec![1; block];
    let mut data = plaintext.clone();
    modes::ctr(&rc5, &initial, &mut data)?;
    assert_ne!(data, plaintext);
    let many: Rc5Keys<W> = Rc5Keys::new(12, key.len())?;
    many.ctr(&mut [Keyed { key, initial: &initial, data: &mut data }])?;
    assert_eq!(data, plaintext);
    modes::cbc_encrypt(&rc5, &initial, &mut data)?;
    modes::cbc_decrypt(&rc5, &initial, &mut data)?;
    assert_eq!(data, plaintext);
    Ok(rc5.params())
}

#[test]
fn functions_are_generic_over_the_words_of_rc5() {
    let params = round_trips::<u16>(b"a key").unwrap();
    assert_eq!("rc5-16/12/5".parse::<Rc5Params>(), Ok(params));
    round_trips::<u32>(b"").unwrap();
    round_trips::<u64>(&[7; 255]).unwrap();
    let error = round_trips::<u64>(&[7; 256]).unwrap_err();
    assert_eq!(error, Error::Rc5(ParamsError::KeyBytes(256)));
    assert_eq!(
        Rc5::<u32>::new(usize::MAX, b"").unwrap_err(),
        Error::Rc5(ParamsError::Rounds(usize::MAX))
    );
}

/// A cipher of another crate, behind a pointer, in the modes that are exported.
#[test]
fn ciphers_of_others_go_through_the_modes() {
    struct Complement;
    impl BlockCipher for Complement {
        fn block_bytes(&self) -> usize {
            12
        }
        fn encrypt_block(&self, block: &mut [u8]) {
            block.iter_mut().for_each(|byte| *byte = !*byte);
        }
        fn decrypt_block(&self, block: &mut [u8]) {
            self.encrypt_block(block);
        }
    }
    let cipher: Box<dyn BlockCipher> = Box::new(Complement);
    let plaintext: Vec<u8> = (0..12 * 1000).map(|i| (i % 251) as u8).collect();
    let mut data = plaintext.clone();
    modes::cbc_encrypt(&*cipher, &[3; 12], &mut data).unwrap();
    modes::cbc_decrypt(&*cipher, &[3; 12], &mut data).unwrap();
    assert!(data == plaintext);
    modes::ctr(&*cipher, &[0xff; 12], &mut data).unwrap();
    modes::ctr(&*cipher, &[0xff; 12], &mut data).unwrap();
    assert!(data == plaintext);
}

#[test]
fn every_answer_has_a_name() {
    let id: HashId = "SHA-512/256".parse().unwrap();
    let entry: Entry = id.entry();
    let shape: Shape = entry.shape;
    assert_eq!((entry.security, shape.digest_bytes), (Security::Standard, 32));
    let unknown: Result<Algorithm, UnknownName> = "SHA-257".parse();
    assert!(unknown.unwrap_err().to_string().contains("sha256"));
    let work: Work = Batch::new(id).work(&["abc"]).unwrap();
    let kernel: Option<manylane::tuning::KernelName> = work.kernel();
    assert!(kernel.is_some());
    let shares: manylane::pairing::Shares = manylane::pairing::Pairing::new().unwrap().shares();
    assert_eq!(shares.caller, 0);
    let _ = manylane::pairing::Operation::Multiply;
}

#[test]
fn what_is_shared_between_threads_can_be() {
    fn shared<T: Send + Sync>() {}
    shared::<(Batch<'static>, Error, Group, Hasher, Hmac, Work, manylane::XofReader)>();
    shared::<(Rc5<u32>, Rc5Keys<u64>, Keyed<'static>, manylane::pairing::Pairing)>();
    shared::<(manylane::Sha256, manylane::Shake128, manylane::Shake128Reader, manylane::Skein1024)>(
    );
}

/// Tests have the stack of a thread, 2 MiB, which must suffice without optimisation too.
#[test]
fn batches_fit_the_stack_of_a_thread() {
    for &id in HashId::ALL {
        let block = id.entry().shape.block_bytes;
        let messages: Vec<_> = (0..70).map(|i| vec![i as u8; block + i]).collect();
        let mut digests = vec![0; 70 * id.entry().shape.digest_bytes];
        Batch::new(id).run(&messages, &mut digests).unwrap();
        let expected = messages.iter().flat_map(|message| manylane::hash(id, message));
        assert!(digests.iter().copied().eq(expected), "{id:?}");
        let mut group = Group::new(id, 70, None).unwrap();
        group.update(&messages.iter().map(Vec::as_slice).collect::<Vec<_>>());
        assert!(digests.starts_with(&group.finalize(0)));
    }
}

/// The digest of all that can be read, by the traits of `digest` and of `std::io`.
fn digest_of<D: Digest + Write>(mut from: impl Read) -> io::Result<Vec<u8>> {
    let mut hasher = D::new();
    io::copy(&mut from, &mut hasher)?;
    hasher.flush()?;
    Ok(hasher.finalize().to_vec())
}

#[test]
fn hashers_take_what_is_written_to_them() {
    let message: Vec<u8> = (0..100_000).map(|i| (i % 253) as u8).collect();
    let found = digest_of::<manylane::Sha3_256>(&message[..]).unwrap();
    assert_eq!(found, manylane::hash(HashId::Sha3_256, &message));
    let found = digest_of::<manylane::Groestl384>(&message[..]).unwrap();
    assert_eq!(found, manylane::hash(HashId::Groestl384, &message));

    let mut shake = manylane::Shake256::default();
    shake.write_all(b"abc").unwrap();
    shake.reset();
    shake.write_all(&message).unwrap();
    let mut output = [0; 64];
    shake.finalize_xof().read(&mut output);
    assert_eq!(output[..], manylane::hash(HashId::Shake256, &message));
    let fixed = manylane::Md5::default().finalize_fixed();
    assert_eq!(fixed[..], manylane::hash(HashId::Md5, b""));
}
