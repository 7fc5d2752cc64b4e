//! Hashes that follow hashes beside the libraries of others, on one core and in processor time:
//!
//! ```text
//! taskset -c 1 cargo run --release --manifest-path benches/chains/Cargo.toml --target-dir target
//! ```
//!
//! A level of SSZ is computed by hashtree too, keys and signatures of SLH-DSA by the crate
//! `slh-dsa`; all results are compared before anything is timed. Contestants take turns, and of
//! their turns the median counts. `--json FILE` writes the record, `--turns N` sets their number.

use manylane::{HashId, Rows};
use manylane_slh_dsa::{ParameterSet, PrivateKey, PublicKey};
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use std::error::Error;
use std::hint::black_box;

/// Processor time of this thread in microseconds.
fn now() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
}

/// Measures, prints and keeps.
struct Record {
    turns: usize,
    rows: Vec<serde_json::Value>,
}

impl Record {
    /// The medians of both in microseconds, each of `calls` calls in a turn.
    fn compare(
        &mut self,
        what: &str,
        peer: &str,
        calls: usize,
        mut contestants: [&mut dyn FnMut(); 2],
    ) {
        let mut times = [const { Vec::new() }; 2];
        for _ in 0..self.turns {
            for (times, call) in times.iter_mut().zip(contestants.iter_mut()) {
                let begin = now();
                (0..calls).for_each(|_| call());
                times.push((now() - begin) / calls as f64);
            }
        }
        let [ours, theirs] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        });
        let gain = theirs / ours;
        println!("| {what} | {ours:.1} | {theirs:.1} | {peer} | {gain:.2} |");
        self.rows.push(json!({"what": what, "us": ours, "peer": peer, "peer_us": theirs}));
    }
}

/// A level of so many pairs of digests.
fn level(record: &mut Record, pairs: usize) {
    let bytes = |i: usize| ((i * i) >> 3) as u8 ^ i as u8;
    let level: Vec<u8> = (0..64 * pairs).map(bytes).collect();
    let [mut ours, mut theirs] = [vec![0; 32 * pairs], vec![0; 32 * pairs]];
    let mut rows = Rows::new(HashId::Sha256).input_bytes(64).prepare().expect("it is defined");
    let mut by_us = || rows.run(&[], &level, &mut ours).expect("lengths fit");
    let mut by_them = || hashtree_rs::hash(&mut theirs, &level, pairs);
    by_us();
    by_them();
    let calls = ((1 << 17) / pairs).max(1);
    record.compare(
        &format!("level of {pairs} pairs"),
        "hashtree",
        calls,
        [&mut by_us, &mut by_them],
    );
    assert_eq!(ours, theirs, "hashtree computes another level of {pairs} pairs");
}

/// Keys and signatures of a set.
fn signatures<P: slh_dsa::ParameterSet>(record: &mut Record, set: ParameterSet) {
    let n = set.seed_bytes();
    let [sk_seed, sk_prf, pk_seed] = [1, 2, 3].map(|byte| vec![byte; n]);
    let make = || PrivateKey::from_seeds(set, &sk_seed, &sk_prf, &pk_seed).expect("lengths fit");
    let their_make = || slh_dsa::SigningKey::<P>::slh_keygen_internal(&sk_seed, &sk_prf, &pk_seed);
    let (key, their_key) = (make(), their_make());
    assert_eq!(key.to_bytes(), their_key.to_bytes()[..], "{set}: another key");
    let sign = || key.sign(b"message", b"", None).expect("lengths fit");
    let their_sign =
        || their_key.try_sign_with_context(b"message", b"", None).expect("lengths fit");
    let (signature, their_signature) = (sign(), their_sign());
    assert_eq!(signature, their_signature.to_bytes()[..], "{set}: another signature");
    // As a reader of the public key has it.
    let public = PublicKey::from_bytes(set, key.public_key().as_bytes()).expect("lengths fit");
    let theirs: &slh_dsa::VerifyingKey<P> = their_key.as_ref();
    let mut rows = |what: &str, ours: &mut dyn FnMut(), theirs: &mut dyn FnMut()| {
        record.compare(&format!("{set} {what}"), "slh-dsa 0.2.0-rc.5", 1, [ours, theirs]);
    };
    rows("key", &mut || drop(black_box(make())), &mut || drop(black_box(their_make())));
    rows("sign", &mut || drop(black_box(sign())), &mut || drop(black_box(their_sign())));
    rows("verify", &mut || assert!(public.verify(b"message", b"", &signature)), &mut || {
        theirs.try_verify_with_context(b"message", b"", &their_signature).expect("valid")
    });
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (mut turns, mut file) = (11, None);
    while let Some(option) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{option} needs a value"))?;
        match option.as_str() {
            "--turns" => turns = value.parse::<usize>()?.max(1),
            "--json" => file = Some(value),
            _ => return Err(format!("`{option}` is neither --turns nor --json").into()),
        }
    }
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    hashtree_rs::init();
    let mut record = Record { turns, rows: Vec::new() };
    println!("| | µs | µs by the peer | peer | gain |\n|---|---|---|---|---|");
    for pairs in [4, 64, 1 << 10, 1 << 16] {
        level(&mut record, pairs);
    }
    signatures::<slh_dsa::Sha2_128f>(&mut record, ParameterSet::Sha2_128f);
    signatures::<slh_dsa::Shake128f>(&mut record, ParameterSet::Shake128f);
    signatures::<slh_dsa::Sha2_192f>(&mut record, ParameterSet::Sha2_192f);
    signatures::<slh_dsa::Sha2_128s>(&mut record, ParameterSet::Sha2_128s);
    signatures::<slh_dsa::Shake128s>(&mut record, ParameterSet::Shake128s);
    if let Some(file) = file {
        let record = json!({
            "load": load.trim(),
            "versions": {"hashtree-rs": "0.2.6", "slh-dsa": "0.2.0-rc.5"},
            "turns": turns,
            "rows": record.rows,
        });
        std::fs::write(file, serde_json::to_string_pretty(&record)? + "\n")?;
    }
    Ok(())
}
