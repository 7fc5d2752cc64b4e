//! The engines without intrinsics in as few blocks as reach all of their code, so that Miri, which
//! interprets every instruction and checks every access, is done in minutes: `make test-miri`.

use manylane_engine::tuning::{self, family};
use manylane_engine::{
    Algorithm, Batch, CipherWord, Engine, Group, HashId, Hasher, Hmac, Keyed, Rc5, Rc5Keys, modes,
};
use manylane_kat::{Backend, MacBackend, Rng, Threads};
use manylane_primitives::cipher::{BlockCipher, rc5};
use std::io::Read;

const ENGINES: [Engine; 2] = [Engine::Scalar, Engine::Portable];

/// One hash for each set of kernels.
fn hashes() -> impl Iterator<Item = HashId> {
    HashId::ALL.iter().copied().filter(|&id| family(id)[0] == id)
}

/// The messages differ in their number of blocks and are one more than there are lanes, so that a
/// lane takes a second one.
#[test]
fn hashes_in_every_way() {
    for id in hashes() {
        let block = id.entry().shape.block_bytes;
        let lengths = [block + 1, 0, block - 1, 3, block].into_iter().cycle();
        for engine in ENGINES {
            let probes = tuning::probes(id).unwrap().into_iter().map(|probe| probe.kernel());
            let lanes = probes.filter(|kernel| kernel.engine == engine).map(|kernel| kernel.lanes);
            let count = 1 + lanes.max().unwrap();
            let messages =
                Rng::from_name("hashes_in_every_way").messages(lengths.clone().take(count));
            let expected = Backend::Definition.digest_many(id, &messages);
            let engine = Some(engine);
            for backend in [Backend::Batch(engine, Threads::Count(1)), Backend::Group(engine)] {
                assert_eq!(backend.digest_many(id, &messages), expected, "{id:?}, {backend}");
            }
            let digests = Backend::Hasher(engine).digest_many(id, &messages[..1]);
            assert_eq!(digests, expected[..1], "{id:?}, {engine:?}");
        }
    }
}

/// A thread is started for no less than 60 µs of work.
#[test]
fn threads_share_a_batch() {
    let message = Rng::from_name("threads_share_a_batch").bytes(33 << 10);
    let expected = Backend::Definition.digest(HashId::Md5, &message).repeat(4);
    let mut out = vec![0; expected.len()];
    let batch = Batch::new(HashId::Md5).engine(Engine::Scalar).threads(3);
    batch.run(&[&message; 4], &mut out).unwrap();
    assert_eq!(out, expected);
}

#[test]
fn macs_in_every_way() {
    for id in [HashId::Sha256, HashId::Skein256] {
        let messages = Rng::from_name("macs_in_every_way").messages([0, 5, 64, 70]);
        let expected = MacBackend::Definition.mac_many(id, b"key", &messages);
        for engine in ENGINES.map(Some) {
            for backend in
                [MacBackend::Hmac(engine), MacBackend::Batch(engine), MacBackend::Group(engine)]
            {
                let macs = backend.mac_many(id, b"key", &messages);
                assert_eq!(macs, expected, "{id:?}, {backend}");
            }
        }
    }
}

/// Hashers that are cloned, moved to another thread and reset in the middle of a message.
#[test]
fn hashers_go_between_threads() {
    let shake = Algorithm::new(HashId::Shake128).with_digest_bytes(400).unwrap();
    let expected = Backend::Definition.digest(shake, b"abc");
    for engine in ENGINES.map(Some) {
        let mut hasher = Hasher::on(shake, engine).unwrap();
        hasher.update(b"ab");
        let fork = hasher.clone();
        let digest = std::thread::spawn(move || {
            let mut fork = fork;
            fork.update(b"c");
            fork.finalize()
        });
        assert_eq!(digest.join().unwrap(), expected);
        hasher.reset();
        hasher.update(b"abc");
        let mut output = vec![0; 400];
        hasher.finalize_xof().read_exact(&mut output).unwrap();
        assert_eq!(output, expected);

        let mut group = Group::new(shake, 3, engine).unwrap();
        group.update(&[b"ab", b"", b"abc"]);
        group.reset(2);
        group.update(&[b"c", b"abc", b"abc"]);
        assert!((0..3).all(|member| group.finalize(member) == expected));

        let mut hmac = Hmac::on(HashId::Sha1, b"key", engine).unwrap();
        hmac.update(b"abc");
        assert!(hmac.clone().verify(&hmac.finalize()));
    }
}

/// Blocks that fill every group size of these engines and leave a rest, and messages of different
/// lengths in lanes.
#[test]
fn ciphers_in_every_mode() {
    fn check<N: CipherWord>() {
        let key = *b"sixteen byte key";
        let definition = rc5::Rc5::<N>::new(4, &key).unwrap();
        let block = definition.block_bytes();
        let iv = vec![0xff; block];
        let plaintext = Rng::from_name("ciphers_in_every_mode").bytes(19 * block);
        for engine in ENGINES.map(Some) {
            let rc5 = Rc5::<N>::on(4, &key, engine).unwrap();
            let mut expected = [plaintext.clone(), plaintext.clone()];
            let mut found = expected.clone();
            modes::ecb_encrypt(&definition, &mut expected[0]).unwrap();
            modes::ecb_encrypt(&rc5, &mut found[0]).unwrap();
            modes::cbc_encrypt(&definition, &iv, &mut expected[1]).unwrap();
            modes::cbc_encrypt(&rc5, &iv, &mut found[1]).unwrap();
            assert_eq!(found, expected);
            modes::ecb_decrypt(&rc5, &mut found[0]).unwrap();
            modes::cbc_decrypt(&rc5, &iv, &mut found[1]).unwrap();
            assert!(found.iter().all(|data| *data == plaintext));

            let stream = |bytes: usize| {
                let mut data = plaintext[..bytes].to_vec();
                modes::ctr(&definition, &iv, &mut data).unwrap();
                data
            };
            let lengths = [0, 1, block, 19 * block, 3 * block + 1, 2, block - 1, 5, 4 * block];
            let mut data: Vec<_> = lengths.iter().map(|&n| plaintext[..n].to_vec()).collect();
            for data in &mut data {
                modes::ctr(&rc5, &iv, data).unwrap();
                assert_eq!(*data, stream(data.len()));
                modes::ctr(&rc5, &iv, data).unwrap();
            }
            let message = |data| Keyed { key: &key, initial: &iv, data };
            let mut messages: Vec<_> = data.iter_mut().map(|data| message(data)).collect();
            Rc5Keys::<N>::on(4, 16, engine).unwrap().ctr(&mut messages).unwrap();
            assert!(data.iter().all(|data| *data == stream(data.len())));
        }
    }
    check::<u16>();
    check::<u32>();
    check::<u64>();
}
