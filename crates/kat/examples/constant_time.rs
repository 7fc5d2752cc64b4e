//! Whether the pairing, its field and scalar multiplication take the same time for all secrets.
//! `make test-ct` runs it; the pairing itself has about 59 bits of security and serves research
//! only.
//!
//! ```text
//! constant_time trace ENGINE OPERATION SECRET   computes once, for a tool that records addresses
//! constant_time timing                          times every engine, exits 1 at a leak
//! ```
//!
//! `trace` prints nothing and its arguments have the same lengths for all of the 4 secrets, so that
//! two runs differ in nothing but the secret. `timing` is the test of Reparaz, Balasch and
//! Verbauwhede, "Dude, is my code constant time?" (DATE 2017): times of a fixed secret and of
//! random ones, in random order, the slowest tenth left out, compared by Welch's t. |t| > 4.5 in
//! each of three rounds is a leak: a busy machine disturbs one round, a leak shows in all.
//!
//! The operation `leak` has a branch on every bit. Both ways must find it.

use manylane_engine::Engine;
use manylane_engine::pairing::{Element, Operation, Pairing, Point};
use manylane_kat::Rng;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

/// |t| beyond which two samples differ: probability 7 · 10⁻⁶ by chance.
const THRESHOLD: f64 = 4.5;
const ROUNDS: usize = 3;
const MEASUREMENTS: usize = 20_000;

/// Bytes of an element, and of a secret.
const BYTES: usize = 153;
/// Bytes of a scalar in a measurement: its bits are treated alike.
const SCALAR: usize = 2;

const OPERATIONS: [(&str, Compute); 6] = [
    ("multiply", |pairing, a, b, _| field(pairing, Operation::Multiply, a, b)),
    ("root    ", |pairing, a, b, _| field(pairing, Operation::SquareRoot, a, b)),
    ("inverse ", |pairing, a, b, _| field(pairing, Operation::Inverse, a, b)),
    ("scalar  ", |_, a, b, secret| Point::new(b, a).multiply(&secret[..SCALAR]).x()),
    // Addresses and times need no points of the curve.
    ("pairing ", |pairing, a, b, _| pairing.pair(Point::new(a, b), Point::new(b, a)).0[0]),
    ("leak    ", |_, a, b, secret| {
        let bits = (0..8 * BYTES).filter(|i| secret[i / 8] >> (i % 8) & 1 == 1);
        bits.fold(a, |sum, _| black_box(sum + b))
    }),
];

/// A computation from the secret as an element, a public element and the bytes of the secret.
type Compute = fn(&Pairing, Element, Element, &[u8]) -> Element;

fn field(pairing: &Pairing, operation: Operation, a: Element, b: Element) -> Element {
    let mut a = [a];
    pairing.field(operation, 1, &mut a, &[b]);
    a[0]
}

/// The secret of a number, of degree below 1223: zeros for 0, ones for 1, random bytes for others.
/// The same instructions make all of them.
fn secret(number: u64, rng: &mut Rng) -> Vec<u8> {
    let [random, ones] = [number > 1, number == 1].map(|bit| black_box(u8::from(bit)) * 0xff);
    let mut bytes = rng.bytes(BYTES);
    for byte in &mut bytes {
        *byte = *byte & random | ones;
    }
    bytes[0] &= 0x7f;
    bytes
}

fn element(bytes: &[u8]) -> Element {
    Element::from_bytes(bytes).expect("below z^1223")
}

fn trace(engine: &str, operation: &str, number: &str) -> Result<(), Box<dyn std::error::Error>> {
    let pairing = Pairing::on(Some(engine.trim().parse()?))?;
    let mut rng = Rng::from_name(number);
    let secret = secret(number.parse()?, &mut rng);
    let public = element(&self::secret(2, &mut Rng::from_name("public")));
    let known = OPERATIONS.iter().find(|(name, _)| name.trim() == operation.trim());
    let (_, compute) = known.ok_or_else(|| format!("no operation is named `{operation}`"))?;
    black_box(compute(&pairing, element(black_box(&secret)), public, &secret));
    Ok(())
}

/// Welch's t of the times with random secrets against those with the secret of ones.
fn welch(pairing: &Pairing, compute: Compute, rng: &mut Rng) -> f64 {
    let public = element(&secret(2, rng));
    let mut times = [vec![], vec![]];
    let mut bytes = vec![0; BYTES];
    for _ in 0..MEASUREMENTS {
        let class = rng.below(2);
        let (random, ones) = (secret(2, rng), secret(1, rng));
        // The same memory for both classes.
        bytes.copy_from_slice(if class == 0 { &random } else { &ones });
        let a = element(&bytes);
        let since = Instant::now();
        black_box(compute(pairing, black_box(a), public, black_box(&bytes)));
        times[class].push(since.elapsed().as_nanos() as f64);
    }
    // Interrupted runs are left out, by the same bound in both classes.
    let mut sorted = times.concat();
    sorted.sort_by(f64::total_cmp);
    let bound = sorted[sorted.len() * 9 / 10];
    let [a, b] = times.map(|times| {
        let kept: Vec<f64> = times.into_iter().filter(|&time| time <= bound).collect();
        let n = kept.len() as f64;
        let mean = kept.iter().sum::<f64>() / n;
        let variance = kept.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (mean, variance / n)
    });
    // A clock may be too coarse to show any variance.
    (a.0 - b.0) / (a.1 + b.1).sqrt().max(f64::MIN_POSITIVE)
}

/// Whether only the planted leak was found, and on every engine.
fn timing() -> Result<bool, Box<dyn std::error::Error>> {
    let mut rng = Rng::from_name("timing");
    let mut passed = true;
    for engine in Pairing::engines()?.into_iter().filter(|&engine| engine != Engine::Scalar) {
        let pairing = Pairing::on(Some(engine))?;
        for (name, compute) in OPERATIONS {
            // Scalar multiplication computes on plain elements, whatever the engine. A pairing
            // takes milliseconds on plain elements, and consists of the operations before it.
            let is_left_out = match name.trim() {
                "scalar" => engine != Engine::Portable,
                "pairing" => engine == Engine::Portable,
                _ => false,
            };
            if is_left_out {
                continue;
            }
            let rounds = [(); ROUNDS].map(|()| welch(&pairing, compute, &mut rng));
            let leaks = rounds.iter().all(|t| t.abs() > THRESHOLD);
            let right = leaks == (name.trim() == "leak");
            let verdict = match (right, leaks) {
                (true, false) => "no leak found",
                (true, true) => "found, as it must be",
                (false, true) => "LEAKS",
                (false, false) => "NOT FOUND: this machine is too busy to tell",
            };
            let [t0, t1, t2] = rounds;
            println!("{engine:9} {name} t = {t0:6.1} {t1:6.1} {t2:6.1}  {verdict}");
            passed &= right;
        }
    }
    Ok(passed)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let passed = match arguments[..] {
        ["trace", engine, operation, number] => trace(engine, operation, number).map(|()| true),
        ["timing"] => timing(),
        _ => {
            Err("usage: constant_time trace ENGINE OPERATION SECRET | constant_time timing".into())
        }
    };
    match passed {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("constant_time: {error}");
            ExitCode::FAILURE
        }
    }
}
