//! A batch of any shape gives the digests of its messages one by one, by the definition.
//!
//! The lengths are the fuzzer's; the bytes, to which no code should be sensitive, are made from
//! them.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use manylane_engine::Batch;
use manylane_fuzz::What;
use manylane_kat::{Backend, Rng};

#[derive(Arbitrary, Debug)]
struct Case {
    what: What,
    threads: u8,
    prefix: u16,
    lengths: Vec<u16>,
}

fuzz_target!(|case: Case| {
    let algorithm = case.what.algorithm();
    let mut rng = Rng::from_name("batch_equals_one_shot");
    let prefix = rng.bytes(usize::from(case.prefix) % 600);
    let lengths = case.lengths.iter().take(100).map(|&length| usize::from(length) % 2000);
    let messages = rng.messages(lengths);
    let threads = 1 + usize::from(case.threads) % 4;
    let mut batch = Batch::new(algorithm).prefix(&prefix).threads(threads);
    if let Some(engine) = case.what.engine() {
        batch = batch.engine(engine);
    }
    let mut out = vec![0; messages.len() * algorithm.digest_bytes()];
    batch.run(&messages, &mut out).unwrap();
    let joined: Vec<_> = messages.iter().map(|message| [&prefix[..], message].concat()).collect();
    assert!(out == Backend::Definition.digest_many(algorithm, &joined).concat());
});
