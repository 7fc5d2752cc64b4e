//! Every implementation against independent ones, without any file.

mod oracle;

use manylane_engine::{Algorithm, HashId};
use manylane_kat::{Backend, MOST_LANES, MacBackend, Rng};
use oracle::SKEIN_BYTES;
use rayon::prelude::*;

/// The whole catalogue, and the hashes of free digest length at lengths around their output block.
fn algorithms() -> Vec<Algorithm> {
    let mut all: Vec<Algorithm> = HashId::ALL.iter().map(|&id| id.into()).collect();
    for id in [HashId::Skein256, HashId::Skein512, HashId::Skein1024] {
        let default = Algorithm::new(id);
        all.extend(SKEIN_BYTES.map(|bytes| default.with_digest_bytes(bytes).unwrap()));
    }
    for (id, rate) in [(HashId::Shake128, 168), (HashId::Shake256, 136)] {
        let lengths = [1, rate - 1, rate, rate + 1, 2 * rate, 2 * rate + 1, 3 * rate + 1];
        all.extend(lengths.map(|bytes| Algorithm::new(id).with_digest_bytes(bytes).unwrap()));
    }
    all
}

fn assert_digests(
    backend: Backend,
    algorithm: Algorithm,
    messages: &[Vec<u8>],
    expected: &[Vec<u8>],
) {
    let digests = backend.digest_many(algorithm, messages);
    assert_eq!(digests.len(), expected.len());
    for (i, (digest, expected)) in digests.iter().zip(expected).enumerate() {
        let (count, bytes) = (messages.len(), messages[i].len());
        assert_eq!(digest, expected, "{algorithm}, {backend}: {i} of {count}, {bytes} bytes");
    }
}

#[test]
fn every_length_to_three_blocks() {
    algorithms().par_iter().for_each(|&algorithm| {
        let block = algorithm.id().entry().shape.block_bytes;
        let mut rng = Rng::from_name("every_length_to_three_blocks");
        let messages = rng.messages(0..=3 * block + 1);
        let expected: Vec<_> =
            messages.iter().map(|message| oracle::digest(algorithm, message)).collect();
        for backend in Backend::all(algorithm) {
            assert_digests(backend, algorithm, &messages, &expected);
        }
    });
}

/// Every size of batch to 17 messages, and those next to the powers of two above, which most
/// numbers of lanes are.
#[test]
fn counts_about_the_lanes() {
    let about = |lanes: usize| lanes - 1..=lanes + 1;
    let larger = [32, MOST_LANES, 2 * MOST_LANES].into_iter().flat_map(about);
    counts_are_right((1..=17).chain(larger));
}

#[test]
#[ignore = "a minute: `make test-long`"]
fn every_count_to_twice_the_lanes() {
    counts_are_right(1..=2 * MOST_LANES + 1);
}

/// Ragged lengths: half of them whole blocks, one more byte or one less.
fn counts_are_right(counts: impl Iterator<Item = usize> + Clone + Sync) {
    algorithms().par_iter().for_each(|&algorithm| {
        let most = 2 * MOST_LANES + 1;
        let block = algorithm.id().entry().shape.block_bytes;
        let mut rng = Rng::from_name("every_count_to_twice_the_lanes");
        let lengths: Vec<_> = (0..2 * most)
            .map(|i| match i % 2 {
                0 => (block * (1 + rng.below(4)) + rng.below(3)) - 1,
                _ => rng.below(5 * block),
            })
            .collect();
        let messages = rng.messages(lengths);
        let expected: Vec<_> =
            messages.iter().map(|message| oracle::digest(algorithm, message)).collect();
        for backend in Backend::all(algorithm) {
            if matches!(backend, Backend::Definition | Backend::Hasher(_)) {
                continue; // One by one.
            }
            for count in counts.clone() {
                let some = count..2 * count;
                assert_digests(backend, algorithm, &messages[some.clone()], &expected[some]);
            }
        }
    });
}

/// Messages of equal length, each of its own content: the path without refills.
#[test]
fn equal_lengths() {
    algorithms().par_iter().for_each(|&algorithm| {
        let block = algorithm.id().entry().shape.block_bytes;
        let mut rng = Rng::from_name("equal_lengths");
        for length in [1, block - 1, block, 2 * block + 1, 10 * block - 9] {
            let messages = rng.messages([length; 2 * MOST_LANES + 1]);
            let expected: Vec<_> =
                messages.iter().map(|message| oracle::digest(algorithm, message)).collect();
            for backend in Backend::each_engine(algorithm) {
                assert_digests(backend, algorithm, &messages, &expected);
            }
        }
    });
}

/// Keys and messages of a block, one byte less and one more, and none.
#[test]
fn hmac() {
    algorithms().par_iter().for_each(|&algorithm| {
        let entry = algorithm.id().entry();
        let block = entry.shape.block_bytes;
        if algorithm.digest_bytes() > block {
            return; // HMAC is not defined.
        }
        let mut rng = Rng::from_name("hmac");
        let lengths = [0, 1, block - 1, block, block + 1, 2 * block, 3 * block + 1];
        let messages = rng.messages(lengths);
        for key in rng.messages(lengths) {
            let expected: Option<Vec<_>> =
                messages.iter().map(|message| oracle::hmac(algorithm, &key, message)).collect();
            // Without an oracle, at least all ways agree.
            let expected = expected
                .unwrap_or_else(|| MacBackend::Definition.mac_many(algorithm, &key, &messages));
            for backend in MacBackend::all(algorithm) {
                let macs = backend.mac_many(algorithm, &key, &messages);
                assert_eq!(macs, expected, "{algorithm}, {backend}, key of {}", key.len());
            }
        }
    });
}
