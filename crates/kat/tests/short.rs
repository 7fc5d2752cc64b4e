//! Short messages, of one length and of two, on every engine: a batch has its own way with messages
//! that have the same number of blocks.

use manylane_engine::{Algorithm, Batch, HashId, engines};
use manylane_kat::{Backend, MOST_LANES, Rng};
use rayon::prelude::*;

/// More than two kernels full, so that groups follow one another and the last one is not full.
const MOST: usize = 2 * MOST_LANES + 1;

/// Every length to three blocks and a byte, hence every boundary between one padded block and two,
/// alone and together with the length above it; every number of messages comes with many lengths.
#[test]
fn every_short_length() {
    HashId::ALL.par_iter().for_each(|&id| {
        let mut rng = Rng::from_name("every_short_length");
        let digest_bytes = Batch::new(id).algorithm().digest_bytes();
        let counts = |length: usize| (1 + length % MOST, 2 + length * 29 % (MOST - 1));
        // As many as the batch of this length alone needs, and the batches mixed with the lengths
        // below and above.
        let mut of_length = |length: usize| {
            let ((count, mixed), (_, before)) = (counts(length), counts(length.saturating_sub(1)));
            let messages = rng.messages(vec![length; count.max(mixed).max(before)]);
            let digests = Backend::Definition.digest_many(id, &messages);
            messages.into_iter().zip(digests).collect::<Vec<_>>()
        };
        let mut below = of_length(0);
        for length in 0..=3 * id.entry().shape.block_bytes + 1 {
            let above = of_length(length + 1);
            let (count, mixed) = counts(length);
            let alone = below[..count].to_vec();
            let together = [&above[..mixed / 2], &below[mixed / 2..mixed]].concat();
            for batch in [alone, together] {
                let (messages, expected): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
                let expected = expected.concat();
                for engine in [None].into_iter().chain(engines(id).unwrap().into_iter().map(Some)) {
                    let batch = Batch::new(id);
                    let batch = engine.map_or(batch.clone(), |engine| batch.engine(engine));
                    let mut out = vec![0; messages.len() * digest_bytes];
                    batch.run(&messages, &mut out).unwrap();
                    assert!(out == expected, "{id:?}, {engine:?}, {} of {length}", messages.len());
                }
            }
            below = above;
        }
    });
}

/// Compares the batch on every engine with the definition.
fn every_engine_is_right(id: HashId, prefix: &[u8], messages: &[Vec<u8>]) {
    let joined: Vec<_> = messages.iter().map(|message| [prefix, message].concat()).collect();
    let expected = Backend::Definition.digest_many(id, &joined).concat();
    for engine in [None].into_iter().chain(engines(id).unwrap().into_iter().map(Some)) {
        let mut out = vec![0; expected.len()];
        Batch::new(id).prefix(prefix).engine(engine).run(messages, &mut out).unwrap();
        assert!(out == expected, "{id:?}, {engine:?}, {} bytes before", prefix.len());
    }
}

/// Groups of one length after groups of another, without a prefix and after whole blocks of prefix.
/// Padding that was prepared for one group must not be used for the next.
#[test]
fn groups_of_one_length_after_one_another() {
    HashId::ALL.par_iter().for_each(|&id| {
        let mut rng = Rng::from_name("groups_of_one_length_after_one_another");
        let block = id.entry().shape.block_bytes;
        let lengths = [0, 1, block / 2, block - 1, block, block + 1, 2 * block, 0, block];
        let messages = rng.messages(lengths.into_iter().flat_map(|length| [length; MOST]));
        // The lengths come again in the windows after the first.
        let messages = [&messages[..], &messages[..]].concat();
        for prefix in [vec![], vec![0x5a; block], vec![0xa5; 2 * block]] {
            every_engine_is_right(id, &prefix, &messages);
        }
    });
}

/// Digests that end within a word, at one and beyond a block of output, from lanes that are all
/// used and from a few.
#[test]
fn digests_of_every_length() {
    for name in ["shake128", "shake256", "skein256", "skein512", "skein1024"] {
        let mut rng = Rng::from_name("digests_of_every_length");
        let whole: Algorithm = name.parse().unwrap();
        let longest = 2 * whole.id().entry().shape.block_bytes + 1;
        (1..=longest).into_par_iter().for_each_with(rng.messages([77; MOST]), |messages, bytes| {
            let algorithm = whole.with_digest_bytes(bytes).unwrap();
            let messages = &messages[..1 + bytes % MOST];
            let expected = Backend::Definition.digest_many(algorithm, messages);
            for backend in Backend::batches(algorithm) {
                assert!(backend.digest_many(algorithm, messages) == expected, "{backend}, {bytes}");
            }
        });
    }
}

/// More messages than are put in order at a time, so that lanes and waiting ends go on from one
/// window to the next.
#[test]
fn many_lengths_in_many_windows() {
    HashId::ALL.par_iter().for_each(|&id| {
        let mut rng = Rng::from_name("many_lengths_in_many_windows");
        let messages = rng.messages((0..2500).map(|i| i * 2_654_435_761_usize % 400));
        let block = vec![0x5a; id.entry().shape.block_bytes];
        for prefix in [&b""[..], b"prefix", &block] {
            every_engine_is_right(id, prefix, &messages);
        }
    });
}

/// Long messages, of which groups with close lengths go through lanes together: some groups end at
/// one block, others at several; padded ends are of one block and of two.
#[test]
fn close_lengths_in_large_windows() {
    HashId::ALL.par_iter().for_each(|&id| {
        let mut rng = Rng::from_name("close_lengths_in_large_windows");
        let block = id.entry().shape.block_bytes;
        let lengths: Vec<usize> = (0..2100)
            .map(|i| match i % 8 {
                0 => rng.below(40 * block),
                1..4 => rng.below(12 * block),
                _ => 4 * block + rng.below(3 * block),
            })
            .collect();
        let messages = rng.messages(lengths);
        for prefix in [&b""[..], b"prefix", &vec![0x5a; block]] {
            every_engine_is_right(id, prefix, &messages);
        }
    });
}

/// There are more messages than the largest window has.
#[test]
fn close_lengths_in_many_windows() {
    let mut rng = Rng::from_name("close_lengths_in_many_windows");
    let lengths: Vec<usize> = (0..40_000).map(|_| 200 + rng.below(300)).collect();
    let messages = rng.messages(lengths);
    every_engine_is_right(HashId::Md5, b"", &messages);
}

/// Messages that lie in one buffer, of which only the ends are known.
#[test]
fn messages_that_are_found_by_number() {
    // Next to powers of two, which most numbers of lanes are.
    let larger = [32, MOST_LANES, 2 * MOST_LANES].into_iter().flat_map(|n| n - 1..=n + 1);
    numbered_messages_are_right((0..=17).chain(larger));
}

#[test]
#[ignore = "most of a minute: `make test-long`"]
fn messages_of_every_count_are_found_by_number() {
    numbered_messages_are_right(0..=MOST);
}

fn numbered_messages_are_right(counts: impl Iterator<Item = usize> + Clone + Sync) {
    HashId::ALL.par_iter().for_each(|&id| {
        let mut rng = Rng::from_name("messages_that_are_found_by_number");
        let messages = rng.messages((0..2500).map(|i| i * 2_654_435_761_usize % 300));
        let mut ends = vec![0];
        ends.extend(messages.iter().scan(0, |end, message| {
            *end += message.len();
            Some(*end)
        }));
        let text = messages.concat();
        let message = |i: usize| &text[ends[i]..ends[i + 1]];
        let digest_bytes = Batch::new(id).algorithm().digest_bytes();
        for engine in [None].into_iter().chain(engines(id).unwrap().into_iter().map(Some)) {
            let several = [(2500, 1), (2500, 3)];
            for (count, threads) in counts.clone().map(|count| (count, 1)).chain(several) {
                let batch = Batch::new(id).engine(engine).threads(threads);
                let (mut out, mut expected) =
                    (vec![0; count * digest_bytes], vec![1; count * digest_bytes]);
                batch.run_indexed(count, message, &mut out).unwrap();
                batch.run(&messages[..count], &mut expected).unwrap();
                assert!(out == expected, "{id:?}, {engine:?}, {count}");
                let tags = batch.run_hmac_indexed(b"key", count, message, &mut out);
                assert_eq!(tags, batch.run_hmac(b"key", &messages[..count], &mut expected));
                assert!(out == expected, "HMAC, {id:?}, {engine:?}, {count}");
                let list =
                    |range: std::ops::Range<usize>| messages[range].iter().map(Vec::as_slice);
                out.fill(0);
                batch.run_hmac_listed(b"key", count, list, &mut out).unwrap();
                assert!(out == expected, "HMAC of lists, {id:?}, {engine:?}, {count}");
            }
            let mut out = vec![0; 2 * digest_bytes + 1];
            let refused = Batch::new(id).engine(engine).run_indexed(2, message, &mut out);
            assert!(refused.is_err(), "{id:?}, {engine:?}");
        }
    });
}
