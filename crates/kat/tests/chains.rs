//! Hashes that follow hashes, on every engine: rows of fields, chains, HMAC under many keys, keys
//! derived from passwords. The oracle is a loop over single hashes, or another implementation.

#[path = "chains/derive.rs"]
mod derive;
#[path = "chains/edges.rs"]
mod edges;
#[path = "chains/scattered.rs"]
mod scattered;
#[path = "chains/signatures.rs"]
mod signatures;

use manylane_engine::{Algorithm, Chains, Engine, HashId, Rows, engines, hash};
use manylane_kat::Rng;
use rayon::prelude::*;
use std::ops::Range;

/// The engines that compute a hash, and the engine's own choice.
fn every_engine(id: HashId) -> impl Iterator<Item = Option<Engine>> {
    [None].into_iter().chain(engines(id).unwrap().into_iter().map(Some))
}

/// Every field of every length around a block's end, and none; every number of messages to one
/// beyond the widest kernels.
#[test]
fn rows_are_hashes_of_their_fields() {
    HashId::ALL.par_iter().for_each(|&id| {
        let mut rng = Rng::from_name("rows_are_hashes_of_their_fields");
        let block = id.entry().shape.block_bytes;
        let digest = id.entry().shape.digest_bytes;
        let lengths = [0, 1, 7, block / 2, block - 1, block, block + 1, 2 * block];
        for engine in every_engine(id) {
            for (round, &input) in lengths.iter().enumerate().chain(lengths.iter().enumerate()) {
                let any = |rng: &mut Rng| match rng.below(3) {
                    0 => 0,
                    1 => lengths[rng.below(lengths.len())],
                    _ => rng.below(40),
                };
                let address = any(&mut rng);
                let [prefix, suffix] = [(); 2].map(|()| any(&mut rng));
                let [prefix, suffix] = [prefix, suffix].map(|length| rng.bytes(length));
                let count = [1, 2, 3, 5, 17, 33, 64, 130][round];
                let output = 1 + rng.below(digest);
                let [addresses, inputs] = [address, input].map(|each| rng.bytes(each * count));
                let mut out = vec![0; count * output];
                let rows = Rows::new(id).prefix(&prefix).suffix(&suffix).engine(engine);
                let rows = rows.address_bytes(address).input_bytes(input).output_bytes(output);
                rows.run(&addresses, &inputs, &mut out).unwrap();
                for (i, out) in out.chunks_exact(output).enumerate() {
                    let address = &addresses[i * address..][..address];
                    let input = &inputs[i * input..][..input];
                    let expected = hash(id, &[&prefix, address, input, &suffix].concat());
                    assert!(*out == expected[..output], "{id:?}, {engine:?}, {rows:?}, row {i}");
                }
            }
        }
    });
}

/// The definition of a chain, one hash after the other.
fn follow(
    algorithm: Algorithm,
    [prefix, address, suffix]: [&[u8]; 3],
    counter: Option<(usize, usize)>,
    steps: Range<u64>,
    state: &mut [u8],
) {
    let mut address = address.to_vec();
    for number in steps {
        if let Some((at, bytes)) = counter {
            address[at..at + bytes].copy_from_slice(&number.to_be_bytes()[8 - bytes..]);
        }
        let digest = hash(algorithm, &[prefix, &address, state, suffix].concat());
        state.copy_from_slice(&digest[..state.len()]);
    }
}

/// Chains of other lengths side by side, empty ones among them, whose counters run over a byte's
/// end, on every engine and on threads.
#[test]
fn chains_are_hashes_of_hashes() {
    HashId::ALL.par_iter().for_each(|&id| {
        let mut rng = Rng::from_name("chains_are_hashes_of_hashes");
        let digest = id.entry().shape.digest_bytes;
        let block = id.entry().shape.block_bytes;
        for engine in every_engine(id) {
            for (round, count) in [0, 1, 2, 3, 7, 16, 21, 40, 67, 100].into_iter().enumerate() {
                let [prefix, suffix] = [[0, block, 3], [0, 5, block]]
                    .map(|lengths| lengths[rng.below(3)])
                    .map(|length| rng.bytes(length));
                let bytes = if round % 2 == 0 { digest } else { 1 + rng.below(digest) };
                let (address, counter) =
                    [(0, None), (9, Some((1, 8))), (22, Some((18, 4))), (3, Some((2, 1)))]
                        [rng.below(4)];
                let first = [0, 250, 100][rng.below(3)];
                let most = if counter == Some((2, 1)) { 256 } else { u64::MAX };
                let steps: Vec<_> = (0..count)
                    .map(|_| first + rng.below(3) as u64..first + rng.below(12) as u64)
                    .map(|steps| steps.start..steps.end.min(most))
                    .collect();
                let [addresses, mut states] = [address, bytes].map(|each| rng.bytes(each * count));
                let mut expected = states.clone();
                for (i, state) in expected.chunks_exact_mut(bytes).enumerate() {
                    let address = &addresses[i * address..][..address];
                    let fixed = [&prefix[..], address, &suffix];
                    follow(id.into(), fixed, counter, steps[i].clone(), state);
                }
                let mut chains = Chains::new(id).prefix(&prefix).suffix(&suffix).engine(engine);
                chains = chains.address_bytes(address).state_bytes(bytes);
                if let Some((at, bytes)) = counter {
                    chains = chains.counter(at, bytes);
                }
                chains.run(&addresses, &steps, &mut states).unwrap();
                assert!(states == expected, "{id:?}, {engine:?}, {count} of {bytes}, {chains:?}");
            }
        }
    });
}

/// More chains than a window, one of them very long, on threads and on a pool.
#[test]
fn threads_share_ragged_chains() {
    let mut rng = Rng::from_name("threads_share_ragged_chains");
    let mut steps: Vec<_> = (0..3000).map(|_| 0..rng.below(6) as u64).collect();
    steps[1500].end = 2000;
    let states = rng.bytes(steps.len() * 32);
    let chains = Chains::new(HashId::Sha256);
    let mut expected = states.clone();
    chains.run(&[], &steps, &mut expected).unwrap();
    for i in [0, 1500, 2999] {
        let mut state = states[32 * i..][..32].to_vec();
        follow(HashId::Sha256.into(), [&[]; 3], None, steps[i].clone(), &mut state);
        assert_eq!(state, expected[32 * i..][..32], "chain {i}");
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    for chains in [chains.clone().threads(2), chains.clone().threads(7), chains.pool(&pool)] {
        let mut states = states.clone();
        chains.run(&[], &steps, &mut states).unwrap();
        assert!(states == expected, "{chains:?}");
    }
}

/// A hash of any output length keeps the length it was asked for, also beyond one block of output.
#[test]
fn extendable_hashes_have_states_of_their_length() {
    for (id, bytes) in [(HashId::Shake256, 16), (HashId::Shake128, 500), (HashId::Skein256, 70)] {
        let algorithm = Algorithm::new(id).with_digest_bytes(bytes).unwrap();
        for engine in every_engine(id) {
            let mut states = Rng::from_name("extendable").bytes(20 * bytes);
            let mut expected = states.clone();
            for state in expected.chunks_exact_mut(bytes) {
                follow(algorithm, [b"p", &[], b"s"], None, 0..3, state);
            }
            let chains = Chains::new(algorithm).prefix(b"p").suffix(b"s").engine(engine);
            chains.run(&[], &vec![0..3; 20], &mut states).unwrap();
            assert!(states == expected, "{algorithm}, {engine:?}");
        }
    }
}

/// Requests that cannot be met are refused before anything is changed; the error states what was
/// given and what is needed.
#[test]
fn lengths_that_do_not_fit_are_refused() {
    let chains = Chains::new(HashId::Sha256).address_bytes(4).state_bytes(16);
    let mut states = [7; 32];
    let mut refused = |chains: &Chains, addresses: &[u8], steps: &[Range<u64>], bytes: usize| {
        let error = chains.run(addresses, steps, &mut states[..bytes]).unwrap_err();
        assert_eq!(states, [7; 32]);
        error.to_string()
    };
    let two = [0..2, 0..2];
    assert_eq!(refused(&chains, &[0; 7], &two, 32), "addresses: 7 given, 8 needed for 2 of 4 each");
    assert!(refused(&chains, &[0; 8], &two[..1], 32).contains("1 ranges of steps for 2 states"));
    assert!(refused(&chains, &[0; 8], &two, 31).contains("states: 31 given, 16 needed"));
    for (at, bytes, last) in [(0, 5, 2), (4, 1, 2), (0, 0, 2), (3, 1, 257), (usize::MAX, 2, 2)] {
        let error = refused(&chains.clone().counter(at, bytes), &[0; 8], &[0..2, 0..last], 32);
        assert!(error.contains("a counter of"), "{error}");
    }
    assert!(refused(&chains.clone().state_bytes(33), &[], &[], 0).contains("keep 1 to 32"));
    assert!(refused(&chains.state_bytes(0), &[], &[], 0).contains("keep 1 to 32"));
    let rows = Rows::new(HashId::Md5).input_bytes(usize::MAX);
    assert!(rows.run(&[], &[0; 9], &mut [0; 32]).is_err());
}

/// PBKDF1 (RFC 8018 §5.1) is a chain of hashes of a password and a salt.
#[test]
fn pbkdf1_is_a_chain() {
    // The example that PyCryptodome and others test PBKDF1 with, of 1000 iterations.
    let mut states = hash(HashId::Sha1, b"password\x78\x57\x8e\x5a\x5d\x63\xcb\x06");
    Chains::new(HashId::Sha1).run(&[], std::slice::from_ref(&(1..1000)), &mut states).unwrap();
    assert_eq!(states[..16], hex("dc19847e05c64d2faf10ebfb4a3d2a20"));
}

fn hex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks_exact(2);
    digits.map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}
