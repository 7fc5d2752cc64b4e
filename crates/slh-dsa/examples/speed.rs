//! Times of every parameter set on one core, in milliseconds:
//!
//! ```text
//! cargo run --release -p manylane-slh-dsa --example speed
//! ```

use manylane_slh_dsa::{ParameterSet, PrivateKey};
use std::time::Instant;

/// The median time of some calls.
fn median(calls: usize, mut call: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..calls)
        .map(|_| {
            let begin = Instant::now();
            call();
            begin.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[calls / 2]
}

fn main() -> Result<(), manylane_slh_dsa::Error> {
    println!("{:<20}{:>10}{:>10}{:>10}", "", "key", "sign", "verify");
    for set in ParameterSet::ALL {
        let seed = vec![7; set.seed_bytes()];
        let key = PrivateKey::from_seeds(set, &seed, &seed, &seed)?;
        let signature = key.sign(b"message", b"", None)?;
        let times = [
            median(5, || drop(PrivateKey::from_seeds(set, &seed, &seed, &seed))),
            median(5, || drop(key.sign(b"message", b"", None))),
            median(21, || assert!(key.public_key().verify(b"message", b"", &signature))),
        ];
        println!("{set:<20}{:>10.2}{:>10.2}{:>10.2}", times[0], times[1], times[2]);
    }
    Ok(())
}
