//! Hashes the same messages one by one and all at once, and compares digests and times.
//!
//! ```text
//! cargo run --release -p manylane --example hash_many -- [ALGORITHM]
//! ```

use manylane::{Algorithm, HashId, engines, hash, hash_many};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let algorithm: Algorithm = match std::env::args().nth(1) {
        Some(name) => name.parse()?,
        None => HashId::Sha256.into(),
    };
    let engines: Vec<_> = engines(algorithm)?.iter().map(|engine| engine.name()).collect();
    println!("{algorithm} on this CPU: {}", engines.join(", "));

    // Lengths of 0 to 4095 bytes, in no order.
    let messages: Vec<Vec<u8>> =
        (0..20_000_usize).map(|i| vec![i as u8; i * 2_654_435_761 % 4096]).collect();
    let bytes: usize = messages.iter().map(Vec::len).sum();

    let start = Instant::now();
    let one_by_one: Vec<u8> = messages.iter().flat_map(|m| hash(algorithm, m)).collect();
    let alone = start.elapsed();

    let start = Instant::now();
    let mut at_once = vec![0; one_by_one.len()];
    hash_many(algorithm, &messages, &mut at_once)?;
    let together = start.elapsed();

    assert_eq!(one_by_one, at_once);
    let rate = |time: std::time::Duration| bytes as f64 / time.as_secs_f64() / 1e6;
    println!("one by one {:8.0} MB/s", rate(alone));
    println!("at once    {:8.0} MB/s", rate(together));
    println!("ratio      {:8.2}", alone.as_secs_f64() / together.as_secs_f64());
    Ok(())
}
