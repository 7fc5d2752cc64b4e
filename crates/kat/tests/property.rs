//! A batch gives what its messages give one by one, whatever the algorithm, engine, lengths, prefix
//! and threads.

use manylane_engine::{Algorithm, Batch, Group, HashId, engines};
use manylane_kat::{Backend, MOST_LANES, Rng};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A hash of the catalogue, of another digest length where that is free.
fn algorithm() -> impl Strategy<Value = Algorithm> {
    (select(HashId::ALL), 1..400usize).prop_map(|(id, bytes)| {
        let default = Algorithm::new(id);
        default.with_digest_bytes(bytes).unwrap_or(default)
    })
}

/// Mostly short, some around blocks, some long.
fn length() -> impl Strategy<Value = usize> {
    let around = |block: usize| (1..5usize, 0..3usize).prop_map(move |(n, d)| n * block + d - 1);
    prop_oneof![
        4 => 0..300usize,
        2 => around(64),
        2 => around(128),
        1 => around(136),
        1 => 0..9000usize,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn batch_equals_one_by_one(
        algorithm in algorithm(),
        engine in proptest::option::of(any::<Index>()),
        lengths in proptest::collection::vec(length(), 0..3 * MOST_LANES),
        prefix_length in prop_oneof![Just(0), length()],
        threads in 1..5usize,
        name in "[a-z]{8}",
    ) {
        let mut rng = Rng::from_name(&name);
        let (prefix, messages) = (rng.bytes(prefix_length), rng.messages(lengths));
        let computing = engines(algorithm).unwrap();
        let mut batch = Batch::new(algorithm).prefix(&prefix).threads(threads);
        if let Some(index) = engine {
            batch = batch.engine(*index.get(&computing));
        }
        let mut out = vec![0; messages.len() * algorithm.digest_bytes()];
        batch.run(&messages, &mut out).unwrap();
        let joined: Vec<_> = messages.iter().map(|m| [&prefix[..], m].concat()).collect();
        let expected = Backend::Definition.digest_many(algorithm, &joined).concat();
        prop_assert!(out == expected, "{algorithm}, {batch:?}");
    }

    #[test]
    fn group_equals_one_by_one(
        algorithm in algorithm(),
        engine in proptest::option::of(any::<Index>()),
        rounds in proptest::collection::vec(proptest::collection::vec(length(), 5), 1..6),
        name in "[a-z]{8}",
    ) {
        let mut rng = Rng::from_name(&name);
        let computing = engines(algorithm).unwrap();
        let engine = engine.map(|index| *index.get(&computing));
        let mut group = Group::new(algorithm, 5, engine).unwrap();
        let mut messages = vec![Vec::new(); 5];
        for lengths in rounds {
            let pieces = rng.messages(lengths);
            group.update(&pieces.iter().map(Vec::as_slice).collect::<Vec<_>>());
            for (message, piece) in messages.iter_mut().zip(pieces) {
                message.extend(piece);
            }
        }
        let expected = Backend::Definition.digest_many(algorithm, &messages);
        for (member, expected) in expected.into_iter().enumerate() {
            prop_assert_eq!(group.finalize(member), expected, "{}, {:?}", algorithm, engine);
        }
    }
}
