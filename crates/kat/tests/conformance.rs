//! The promises of the engine's interfaces, compared with the definition on every engine.

use manylane_engine::{Algorithm, Batch, Engine, Group, HashId, Hasher, engines, hash_many};
use manylane_kat::{Backend, MOST_LANES, Rng, Threads};
use rayon::prelude::*;
use std::io::{Read, Write};

/// The test body for each hash, side by side.
fn for_each_algorithm(body: impl Fn(Algorithm, usize) + Sync) {
    HashId::ALL.par_iter().for_each(|&id| body(id.into(), id.entry().shape.block_bytes));
}

/// `None` stands for the engine's own choice.
fn each_engine(algorithm: Algorithm) -> impl Iterator<Item = Option<Engine>> {
    [None].into_iter().chain(engines(algorithm).unwrap().into_iter().map(Some))
}

fn batch_on<'p>(algorithm: Algorithm, engine: Option<Engine>) -> Batch<'p> {
    let batch = Batch::new(algorithm);
    engine.map_or(batch.clone(), |engine| batch.engine(engine))
}

#[test]
fn a_prefix_stands_before_every_message() {
    for_each_algorithm(|algorithm, block| {
        let mut rng = Rng::from_name("a_prefix_stands_before_every_message");
        let whole = rng.bytes(2 * block + 1);
        let messages = rng.messages([0, 1, 7, block - 1, block, block + 1, 2 * block, 0, 300]);
        let digest_bytes = algorithm.digest_bytes();
        for length in 0..=whole.len() {
            let prefix = &whole[..length];
            let joined: Vec<_> = messages.iter().map(|m| [prefix, m].concat()).collect();
            let expected = Backend::Definition.digest_many(algorithm, &joined).concat();
            for engine in each_engine(algorithm) {
                let mut out = vec![0; messages.len() * digest_bytes];
                batch_on(algorithm, engine).prefix(prefix).run(&messages, &mut out).unwrap();
                assert!(out == expected, "{algorithm}, {engine:?}, prefix of {length}");
            }
        }
    });
}

/// The length that completes a block with the prefix, and its neighbours.
#[test]
fn a_prefix_and_a_message_fill_blocks() {
    for_each_algorithm(|algorithm, block| {
        let mut rng = Rng::from_name("a_prefix_and_a_message_fill_blocks");
        for prefix_length in [1, block / 2, block - 1, block, block + 1, 2 * block - 1] {
            let prefix = rng.bytes(prefix_length);
            let lengths = (0..3).flat_map(|blocks| {
                let fill = (blocks * block + 2 * block - prefix_length) as isize;
                (fill - 1..=fill + 1).map(|length| length as usize)
            });
            let messages = rng.messages(lengths);
            let joined: Vec<_> = messages.iter().map(|m| [&prefix[..], m].concat()).collect();
            let expected = Backend::Definition.digest_many(algorithm, &joined).concat();
            for engine in each_engine(algorithm) {
                let mut out = vec![0; messages.len() * algorithm.digest_bytes()];
                batch_on(algorithm, engine).prefix(&prefix).run(&messages, &mut out).unwrap();
                assert!(out == expected, "{algorithm}, {engine:?}, prefix of {prefix_length}");
            }
        }
    });
}

/// Empty pieces in the middle, an empty last one, a clone in mid-stream, a digest in mid-stream.
#[test]
fn pieces_do_not_matter() {
    for_each_algorithm(|algorithm, block| {
        let mut rng = Rng::from_name("pieces_do_not_matter");
        for engine in each_engine(algorithm) {
            let mut reused = Hasher::on(algorithm, engine).unwrap();
            for length in [0, 1, block, 2 * block, 5 * block - 1, 9 * block, 9 * block + 1] {
                let message = rng.bytes(length);
                let pieces = rng.pieces(&message, 3 * block);
                let clone_at = rng.below(pieces.len());
                let mut clone = None;
                let mut sofar = Vec::new();
                reused.reset();
                for (i, piece) in pieces.iter().enumerate() {
                    if i == clone_at {
                        clone = Some(reused.clone());
                        let expected = Backend::Definition.digest(algorithm, &sofar);
                        assert_eq!(reused.finalize(), expected, "{algorithm} in mid-stream");
                    }
                    reused.update(piece);
                    sofar.extend_from_slice(piece);
                }
                let mut clone = clone.unwrap();
                for piece in &pieces[clone_at..] {
                    clone.write_all(piece).unwrap();
                }
                let expected = Backend::Definition.digest(algorithm, &message);
                assert_eq!(reused.finalize(), expected, "{algorithm}, {engine:?}, {length} bytes");
                assert_eq!(clone.finalize(), expected, "{algorithm}, {engine:?}, the clone");
                assert_eq!(reused.finalize(), expected, "{algorithm}, {engine:?}, once more");
            }
        }
    });
}

/// A message cut in two, at every place.
#[test]
fn cuts_do_not_matter() {
    for_each_algorithm(|algorithm, block| {
        let message = Rng::from_name("cuts_do_not_matter").bytes(2 * block);
        let expected = Backend::Definition.digest(algorithm, &message);
        for engine in each_engine(algorithm) {
            let mut hasher = Hasher::on(algorithm, engine).unwrap();
            for cut in 0..=message.len() {
                hasher.reset();
                hasher.update(&message[..cut]);
                hasher.update(&message[cut..]);
                assert_eq!(hasher.finalize(), expected, "{algorithm}, {engine:?}, cut at {cut}");
            }
        }
    });
}

/// Members at different places, one of them reset on the way, one asked in mid-stream.
#[test]
fn members_of_a_group_are_independent() {
    for_each_algorithm(|algorithm, block| {
        let mut rng = Rng::from_name("members_of_a_group_are_independent");
        for engine in each_engine(algorithm) {
            let members = 1 + rng.below(2 * MOST_LANES);
            let mut group = Group::new(algorithm, members, engine).unwrap();
            assert_eq!(group.members(), members);
            let mut messages = vec![Vec::new(); members];
            for round in 0..8 {
                let lengths: Vec<_> = (0..members)
                    .map(|_| match rng.below(3) {
                        0 => 0,
                        1 => block,
                        _ => rng.below(4 * block),
                    })
                    .collect();
                let pieces = rng.messages(lengths);
                for (message, piece) in messages.iter_mut().zip(&pieces) {
                    message.extend_from_slice(piece);
                }
                group.update(&pieces.iter().map(Vec::as_slice).collect::<Vec<_>>());
                let member = rng.below(members);
                let expected = Backend::Definition.digest(algorithm, &messages[member]);
                assert_eq!(group.finalize(member), expected, "{algorithm}, round {round}");
                if round % 3 == 1 {
                    group.reset(member);
                    messages[member].clear();
                }
            }
            let expected = Backend::Definition.digest_many(algorithm, &messages);
            for (member, expected) in expected.into_iter().enumerate() {
                assert_eq!(group.finalize(member), expected, "{algorithm}, {engine:?}, {member}");
            }
        }
    });
}

/// Every length of output to three output blocks and one byte, of messages in lanes and read from a
/// hasher in odd pieces.
#[test]
fn outputs_of_any_length() {
    for (id, output_block) in [
        (HashId::Shake128, 168),
        (HashId::Shake256, 136),
        (HashId::Skein256, 32),
        (HashId::Skein512, 64),
        (HashId::Skein1024, 128),
    ] {
        let mut rng = Rng::from_name("outputs_of_any_length");
        let messages = rng.messages([0, 3, 129, 500]);
        assert_eq!(Algorithm::new(id).with_digest_bytes(0), None);
        (1..=3 * output_block + 1).into_par_iter().for_each(|bytes| {
            let algorithm = Algorithm::new(id).with_digest_bytes(bytes).unwrap();
            let expected = Backend::Definition.digest_many(algorithm, &messages);
            for engine in each_engine(algorithm) {
                let mut out = vec![0; messages.len() * bytes];
                batch_on(algorithm, engine).run(&messages, &mut out).unwrap();
                assert!(out == expected.concat(), "{algorithm}, {engine:?}");
                let mut hasher = Hasher::on(algorithm, engine).unwrap();
                hasher.update(&messages[2]);
                let mut reader = hasher.finalize_xof();
                let mut output = vec![0; bytes];
                let mut rest = &mut output[..];
                for piece in [1, 0, 7, 64, 1, 200].into_iter().cycle() {
                    let (now, later) = rest.split_at_mut(piece.min(rest.len()));
                    reader.read_exact(now).unwrap();
                    rest = later;
                    if rest.is_empty() {
                        break;
                    }
                }
                assert_eq!(output, expected[2], "{algorithm}, {engine:?}, in pieces");
            }
        });
    }
}

/// The output of SHAKE goes on; that of a hash with a length ends there.
#[test]
fn output_ends_with_the_digest_but_for_shake() {
    for_each_algorithm(|algorithm, _| {
        let endless = matches!(algorithm.id(), HashId::Shake128 | HashId::Shake256);
        let mut reader = Hasher::new(algorithm).finalize_xof();
        let mut output = Vec::new();
        (&mut reader).take(1000).read_to_end(&mut output).unwrap();
        assert_eq!(output.len(), if endless { 1000 } else { algorithm.digest_bytes() });
        let expected = match endless {
            true => algorithm.with_digest_bytes(1000).unwrap(),
            false => algorithm,
        };
        assert_eq!(output, Backend::Definition.digest(expected, b""), "{algorithm}");
    });
}

#[test]
fn no_messages_and_empty_ones() {
    for_each_algorithm(|algorithm, _| {
        let none: [&[u8]; 0] = [];
        for backend in Backend::all(algorithm) {
            assert!(backend.digest_many(algorithm, &none).is_empty(), "{algorithm}, {backend}");
        }
        let expected = vec![Backend::Definition.digest(algorithm, b""); 3 * MOST_LANES + 1];
        for backend in Backend::all(algorithm) {
            let digests = backend.digest_many(algorithm, &vec![&[]; expected.len()]);
            assert_eq!(digests, expected, "{algorithm}, {backend}");
        }
    });
}

/// One message far longer than the others: its lane goes on alone.
#[test]
fn a_long_message_among_short_ones() {
    for_each_algorithm(|algorithm, block| {
        let mut rng = Rng::from_name("a_long_message_among_short_ones");
        let lengths = (0..3 * MOST_LANES).map(|i| if i == 40 { 150 * block + 5 } else { 7 * i });
        let messages = rng.messages(lengths);
        let expected = Backend::Definition.digest_many(algorithm, &messages);
        for backend in Backend::each_engine(algorithm) {
            let digests = backend.digest_many(algorithm, &messages);
            assert!(digests == expected, "{algorithm}, {backend}");
        }
    });
}

/// The driver counts 65,535 blocks of a lane at a time, and looks at the message again after them.
#[test]
fn messages_of_more_blocks_than_a_lane_counts() {
    const COUNTED: usize = 65_535 * 64;
    [HashId::Md5, HashId::Sha256, HashId::Blake256].par_iter().for_each(|&id| {
        let text = Rng::from_name("messages_of_more_blocks").bytes(2 * COUNTED + 130);
        let lengths = [COUNTED, 700, COUNTED + 64, 0, COUNTED - 1, 2 * COUNTED + 130, 64, COUNTED];
        let messages = lengths.map(|bytes| &text[..bytes]);
        let digest = Algorithm::new(id).digest_bytes();
        let mut expected = vec![0; messages.len() * digest];
        for (message, out) in messages.iter().zip(expected.chunks_exact_mut(digest)) {
            hash_many(id, &[message], out).unwrap();
        }
        for engine in each_engine(id.into()) {
            let mut digests = vec![0; expected.len()];
            batch_on(id.into(), engine).run(&messages, &mut digests).unwrap();
            assert!(digests == expected, "{id:?}, {engine:?}");
        }
    });
}

/// Enough work that every thread gets a share: 16 shares of at least 64 KiB.
#[test]
fn threads_do_not_matter() {
    for id in [HashId::Sha256, HashId::Md5, HashId::Blake512, HashId::Shake128, HashId::Skein512] {
        let mut rng = Rng::from_name("threads_do_not_matter");
        let lengths: Vec<_> = (0..1500).map(|_| rng.below(2000)).collect();
        let messages = rng.messages(lengths);
        assert!(messages.iter().map(Vec::len).sum::<usize>() > 16 * 64 * 1024);
        let expected = Backend::Definition.digest_many(id, &messages);
        for backend in Backend::batches(id) {
            assert!(backend.digest_many(id, &messages) == expected, "{id:?}, {backend}");
        }
        // Longer than the window within which messages are put in order.
        let messages = rng.messages((0..10_000).map(|i| i % 131));
        let expected = Backend::Definition.digest_many(id, &messages);
        for &threads in Threads::ALL {
            let backend = Backend::Batch(None, threads);
            assert!(backend.digest_many(id, &messages) == expected, "{id:?}, {backend}");
        }
    }
}

#[test]
fn a_million_short_messages() {
    let messages: Vec<[u8; 3]> =
        (0u32..1_000_000).map(|i| i.to_le_bytes()[..3].try_into().unwrap()).collect();
    let id = HashId::Sha1;
    let mut out = vec![0; 20 * messages.len()];
    hash_many(id, &messages, &mut out).unwrap();
    let mut threaded = vec![0; out.len()];
    Batch::new(id).threads(4).run(&messages, &mut threaded).unwrap();
    assert!(out == threaded);
    for (i, digest) in out.chunks_exact(20).enumerate().step_by(997) {
        assert_eq!(digest, Backend::Definition.digest(id, &messages[i]), "message {i}");
    }
    let mut digests: Vec<_> = out.chunks_exact(20).collect();
    digests.sort_unstable();
    assert!(digests.windows(2).all(|pair| pair[0] != pair[1]), "two messages, one digest");
}
