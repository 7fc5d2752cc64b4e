//! Messages in segments, messages that hashers have begun, and digests at a stride. The oracle is
//! the definition over the whole message, and names that git and IPFS give.

use super::every_engine;
use manylane_engine::{Algorithm, Batch, Engine, Error, HashId, Hasher, hash};
use manylane_kat::{Backend, Rng};
use rayon::prelude::*;

fn batch_on<'p>(id: HashId, engine: Option<Engine>, threads: usize) -> Batch<'p> {
    Batch::new(id).engine(engine).threads(threads)
}

fn digests(id: HashId, messages: &[Vec<u8>]) -> Vec<u8> {
    Backend::Definition.digest_many(id, messages).concat()
}

/// Any number of segments, empty ones and none among them, behind prefixes of every kind.
#[test]
fn segments_do_not_matter() {
    HashId::ALL.par_iter().for_each(|&id| {
        let mut rng = Rng::from_name("segments_do_not_matter");
        let block = id.entry().shape.block_bytes;
        for engine in every_engine(id) {
            for (prefix, threads) in [(0, 1), (3, 1), (block, 3), (2 * block - 1, 1)] {
                let prefix = rng.bytes(prefix);
                // Few short messages are put together, others are not.
                let most = [9, 150][rng.below(2)];
                let count = rng.below(most);
                let whole: Vec<_> = (0..count).map(|_| rng.below(4 * block + 2)).collect();
                let whole = rng.messages(whole);
                let mut cut: Vec<_> =
                    whole.iter().map(|message| rng.pieces(message, block + 3)).collect();
                for (cut, whole) in cut.iter_mut().zip(&whole) {
                    if whole.is_empty() {
                        cut.clear();
                    }
                }
                let joined: Vec<_> =
                    whole.iter().map(|message| [&prefix[..], message].concat()).collect();
                let expected = digests(id, &joined);
                let mut out = vec![0xa5; expected.len()];
                let batch = batch_on(id, engine, threads).prefix(&prefix);
                batch.run_segments(&cut, &mut out).unwrap();
                assert!(out == expected, "{id:?}, {engine:?}, {} bytes before", prefix.len());
            }
        }
    });
}

/// Two segments, cut at every place, and segments of one byte.
#[test]
fn cuts_and_bytes() {
    HashId::ALL.par_iter().for_each(|&id| {
        let block = id.entry().shape.block_bytes;
        let message = Rng::from_name("cuts_and_bytes").bytes(2 * block);
        let expected = Backend::Definition.digest(id, &message);
        let cuts: Vec<_> =
            (0..=message.len()).map(|cut| [&message[..cut], &message[cut..]]).collect();
        let bytes: Vec<&[u8]> = message.chunks(1).collect();
        for engine in every_engine(id) {
            let batch = batch_on(id, engine, 1);
            let mut out = vec![0; cuts.len() * expected.len()];
            batch.run_segments(&cuts, &mut out).unwrap();
            for (cut, digest) in out.chunks_exact(expected.len()).enumerate() {
                assert_eq!(digest, expected, "{id:?}, {engine:?}, cut at {cut}");
            }
            let mut out = vec![0; expected.len()];
            batch.run_segments(&[&bytes], &mut out).unwrap();
            assert_eq!(out, expected, "{id:?}, {engine:?}, by bytes");
        }
    });
}

/// Hashers before, at and after a block's end, that of another engine among them, with messages of
/// every such length and none.
#[test]
fn hashers_begin_messages() {
    HashId::ALL.par_iter().for_each(|&id| {
        let mut rng = Rng::from_name("hashers_begin_messages");
        let block = id.entry().shape.block_bytes;
        let lengths = [0, 1, block - 1, block, block + 1, 2 * block, 3 * block + 5];
        let begun = rng.messages(lengths);
        for engine in every_engine(id) {
            let hashers: Vec<_> = begun
                .iter()
                .zip([None, engine].into_iter().cycle())
                .map(|(bytes, engine)| {
                    let mut hasher = Hasher::on(id, engine).unwrap();
                    hasher.update(bytes);
                    Hasher::restore(&hasher.save()).unwrap()
                })
                .collect();
            for (prefix, threads) in [(0, 1), (block, 2), (5, 1)] {
                let prefix = rng.bytes(prefix);
                let by: Vec<_> =
                    (0..130).map(|i| if i < 49 { i / 7 } else { rng.below(7) }).collect();
                let messages: Vec<_> = (0..130)
                    .map(|i| if i < 49 { lengths[i % 7] } else { rng.below(200) })
                    .collect();
                let messages = rng.messages(messages);
                let whole: Vec<_> = by
                    .iter()
                    .zip(&messages)
                    .map(|(&by, message)| [&begun[by][..], &prefix, message].concat())
                    .collect();
                let expected = digests(id, &whole);
                let mut out = vec![0; expected.len()];
                let batch = batch_on(id, engine, threads).prefix(&prefix);
                batch.run_after(&hashers, &by, &messages, &mut out).unwrap();
                assert!(out == expected, "{id:?}, {engine:?}, {} bytes between", prefix.len());
            }
        }
    });
}

/// Parts of digests at every stride, in tables with and without an end after the last, and with
/// more messages than are kept at a time.
#[test]
fn digests_at_a_stride() {
    let id = HashId::Sha256;
    let messages: Vec<_> = (0..2500u32).map(|i| i.to_le_bytes()).collect();
    for (count, bytes, stride, threads) in
        [(0, 1, 1, 1), (1, 32, 32, 1), (7, 1, 9, 1), (2500, 20, 33, 1), (2500, 31, 32, 2)]
    {
        let messages = &messages[..count];
        for end in [0, stride - bytes] {
            let length = (count * stride).saturating_sub(end);
            let mut out = vec![0x5a; length];
            batch_on(id, None, threads).run_strided(messages, bytes, stride, &mut out).unwrap();
            let mut expected = vec![0x5a; length];
            for (place, message) in expected.chunks_mut(stride).zip(messages) {
                place[..bytes].copy_from_slice(&hash(id, message)[..bytes]);
            }
            assert!(out == expected, "{count} of {bytes} at {stride}");
        }
    }
}

/// Git's names of blobs, and IPFS' of files of one leaf (UnixFS in DAG-PB).
#[test]
fn names_of_git_and_ipfs() {
    let hex = |bytes: &[u8]| -> String { bytes.iter().map(|b| format!("{b:02x}")).collect() };
    let blobs = ["", "hello\n", "test content\n"];
    let headers = blobs.map(|blob| format!("blob {}\0", blob.len()));
    let objects: Vec<_> = headers.iter().zip(blobs).map(|(header, blob)| [header, blob]).collect();
    let mut names = vec![0; 3 * 20];
    Batch::new(HashId::Sha1).run_segments(&objects, &mut names).unwrap();
    let names: Vec<_> = names.chunks(20).map(hex).collect();
    assert_eq!(names[0], "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
    assert_eq!(names[1], "ce013625030ba8dba906f756967f9e9ca394464a");
    assert_eq!(names[2], "d670460b4b4aece5915caf5c68d12f560a9fe3e4");

    // A node of one field, data: a file (2) with its bytes and their number.
    let file = b"hello world\n";
    let bytes = file.len() as u8;
    let leaf = [&[0x0a, bytes + 6, 8, 2, 0x12, bytes][..], file, &[0x18, bytes]];
    let mut digest = [0; 32];
    Batch::new(HashId::Sha256).run_segments(&[leaf], &mut digest).unwrap();
    // QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o
    assert_eq!(hex(&digest), "46d44814b9c5af141c3aaab7c05dc5e844ead5f91f12858b021eba45768b4c0e");
}

#[test]
fn what_does_not_fit_is_refused() {
    let batch = Batch::new(HashId::Sha256);
    let none: [[&[u8]; 0]; 2] = [[], []];
    let short = batch.run_segments(&none, &mut [0; 63]).unwrap_err();
    assert!(matches!(short, Error::OutputLength { given: 63, needed: 64, .. }), "{short}");

    let hashers = [Hasher::new(HashId::Sha256)];
    let after = |hashers: &[Hasher], by: &[usize], messages: &[&str], bytes: usize| {
        batch.run_after(hashers, by, messages, &mut vec![0; bytes]).unwrap_err()
    };
    let error = after(&hashers, &[0, 1], &["", ""], 64);
    assert_eq!(error, Error::NoHasher { hasher: 1, hashers: 1 });
    let error = after(&hashers, &[0], &["", ""], 64);
    assert!(matches!(error, Error::Count { given: 2, count: 1, .. }), "{error}");
    let error = after(&hashers, &[0], &[""], 31);
    assert!(matches!(error, Error::OutputLength { needed: 32, .. }), "{error}");
    // The same function with another length of output is another algorithm.
    let longer: Algorithm = "skein512-128".parse().unwrap();
    let error =
        Batch::new(HashId::Skein512).run_after(&[Hasher::new(longer)], &[0], &[""], &mut [0; 64]);
    assert_eq!(
        error.unwrap_err().to_string(),
        "a hasher of skein512-128 has begun a message of skein512"
    );

    let strided = |bytes, stride, length| {
        batch.run_strided(&["a", "b"], bytes, stride, &mut vec![0; length]).unwrap_err()
    };
    assert_eq!(strided(0, 8, 16), Error::OutputBytes { given: 0, digest: 32 });
    assert_eq!(strided(33, 40, 80), Error::OutputBytes { given: 33, digest: 32 });
    assert_eq!(strided(8, 7, 14), Error::Stride { stride: 7, bytes: 8 });
    for stride in [usize::MAX, usize::MAX - 3, usize::MAX / 2 + 1] {
        let error = strided(4, stride, 4);
        assert!(matches!(error, Error::OutputLength { given: 4, .. }), "{stride}: {error}");
    }
    let mut one = [0; 4];
    batch.run_strided(&["a"], 4, usize::MAX, &mut one).unwrap();
    assert_eq!(one, hash(HashId::Sha256, b"a")[..4]);
    batch.run_strided::<&str>(&[], 4, usize::MAX, &mut []).unwrap();
    for length in [0, 17, 19, 21] {
        let error = strided(8, 10, length);
        assert!(matches!(error, Error::OutputLength { needed: 20, .. }), "{length}: {error}");
    }
}
