//! Measures few and short messages: a call of `hash_many` beside a loop over the best library that
//! computes one message at a time. See `benches/README.md`.

use anyhow::{Context, ensure};
use clap::Parser;
use manylane_engine::peer::Libcrypto;
use manylane_engine::{Algorithm, hash_many};
use manylane_measure::cpu;
use manylane_measure::subject::{KEY, Subject};
use manylane_measure::timing::{Paired, pin_to_one_core};
use manylane_peers::{load, rust_crypto, singles};
use serde::Serialize;
use std::hint::black_box;
use std::path::PathBuf;
use std::process::ExitCode;

/// Measure a few short messages beside the best library of single messages, on one core
#[derive(Debug, Parser)]
struct Args {
    /// What to measure [default: md5 sha1 sha256 sha512 sha3-256 blake256 blake512]
    #[arg(value_name = "HASH")]
    hashes: Vec<String>,
    /// Numbers of messages
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = COUNTS)]
    counts: Vec<usize>,
    /// Lengths of messages in bytes, the same for all messages of a call
    #[arg(long, value_name = "BYTES", value_delimiter = ',', default_values_t = LENGTHS)]
    lengths: Vec<usize>,
    /// Greatest lengths in bytes of messages of any lengths
    #[arg(long, value_name = "BYTES", value_delimiter = ',', default_values_t = UP_TO)]
    up_to: Vec<usize>,
    /// Write the record to this file as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Runs of each measurement, of which the median counts
    #[arg(
        long,
        value_name = "N",
        default_value_t = 21,
        value_parser = clap::value_parser!(u32).range(1..=999),
    )]
    runs: u32,
}

const HASHES: [&str; 7] = ["md5", "sha1", "sha256", "sha512", "sha3-256", "blake256", "blake512"];
const COUNTS: [usize; 8] = [1, 2, 3, 4, 5, 8, 16, 100];
const LENGTHS: [usize; 5] = [16, 64, 200, 1000, 4000];
const UP_TO: [usize; 3] = [100, 400, 4000];
/// The least ratio that is not marked.
const LEVEL: f64 = 0.97;
/// Seconds that each contestant runs at a time.
const SLICE: f64 = 1e-3;

#[derive(Serialize)]
struct Record {
    cpu: String,
    /// Load averages over 1, 5 and 15 minutes when this program began, without the program itself.
    load: String,
    manylane: &'static str,
    openssl: String,
    runs: u32,
    cells: Vec<Cell>,
}

/// One number of messages of one length, or of lengths up to it.
#[derive(Serialize)]
struct Cell {
    hash: String,
    count: usize,
    /// The greatest length.
    bytes: usize,
    /// Whether each message has a length of its own, from 0 to `bytes`.
    unlike: bool,
    /// Nanoseconds of a call of `hash_many`.
    nanoseconds: f64,
    /// The time of the best library divided by ours.
    ratio: f64,
    /// Nanoseconds of a loop over each library, the best first.
    peers: Vec<(&'static str, f64)>,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("few: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> anyhow::Result<()> {
    let load = load();
    let libcrypto = Libcrypto::load().context("no libcrypto 3 was found: install libssl3")?;
    ensure!(!args.counts.contains(&0), "--counts: no messages take no time");
    pin_to_one_core().context("cannot stay on one core")?;
    println!("{}, load {load}", cpu::name());
    println!("peers: RustCrypto, ring, AWS-LC, {}", libcrypto.version());
    println!("time of the best peer's loop / time of hash_many; * is below {LEVEL}");
    let mut cells: Vec<Cell> = Vec::new();
    let named: Vec<&str> = match args.hashes.is_empty() {
        true => HASHES.into(),
        false => args.hashes.iter().map(String::as_str).collect(),
    };
    for name in named {
        print!("\n{name:<10}");
        args.counts.iter().for_each(|count| print!("{count:>8}"));
        println!("  messages");
        let alike = args.lengths.iter().map(|&bytes| (bytes, false));
        let unlike = args.up_to.iter().map(|&bytes| (bytes, true));
        for (bytes, unlike) in alike.chain(unlike) {
            print!("{}{bytes:>5} B", if unlike { "<= " } else { "   " });
            for &count in &args.counts {
                let messages = messages(count, bytes, unlike);
                let (nanoseconds, peers) = measure(name, &messages, &libcrypto, args.runs)
                    .with_context(|| format!("{name}, {count} messages of {bytes} B"))?;
                let ratio = peers[0].1 / nanoseconds;
                let hash = name.to_owned();
                let cell = Cell { hash, count, bytes, unlike, nanoseconds, ratio, peers };
                print!("{:>7.2}{}", cell.ratio, if cell.ratio < LEVEL { '*' } else { ' ' });
                cells.push(cell);
            }
            println!();
        }
    }
    let below: Vec<&Cell> = cells.iter().filter(|cell| cell.ratio < LEVEL).collect();
    println!("\n{} of {} cells are below {LEVEL}", below.len(), cells.len());
    for Cell { hash, count, bytes, unlike, nanoseconds, ratio, peers } in below {
        let (peer, time) = peers[0];
        let times = if *unlike { "<=" } else { " x" };
        println!(
            "{hash:<9} {count:>3} {times} {bytes:<5} {ratio:.2}   {nanoseconds:.0} ns, {peer} \
             {time:.0}"
        );
    }
    if let Some(file) = &args.json {
        let record = Record {
            cpu: cpu::name(),
            load,
            manylane: env!("CARGO_PKG_VERSION"),
            openssl: libcrypto.version(),
            runs: args.runs,
            cells,
        };
        let json = serde_json::to_string_pretty(&record)? + "\n";
        std::fs::write(file, json).with_context(|| file.display().to_string())?;
    }
    Ok(())
}

/// Messages of so many bytes each, or of lengths from 0 to `bytes` that are the same in every run.
fn messages(count: usize, bytes: usize, unlike: bool) -> Vec<Vec<u8>> {
    let length = |message: usize| {
        let hashed = (message as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        if unlike { hashed as usize % (bytes + 1) } else { bytes }
    };
    let message = |message| (0..length(message)).map(|byte| (31 * message + byte) as u8).collect();
    (0..count).map(message).collect()
}

/// Nanoseconds of `hash_many` and of every peer for the same messages, taken in turn; the fastest
/// peer is first.
fn measure(
    name: &str,
    messages: &[Vec<u8>],
    libcrypto: &Libcrypto,
    runs: u32,
) -> anyhow::Result<(f64, Vec<(&'static str, f64)>)> {
    let algorithm: Algorithm = name.parse()?;
    let subject = Subject::new(name, None)?;
    let digests = subject.digests(messages)?;
    let mut peers = singles::peers(name);
    peers.extend(rust_crypto::peer(name, KEY));
    for peer in &mut peers {
        let mut out = vec![0xa5; digests.len()];
        peer.compute(messages, &mut out);
        ensure!(out == digests, "{} computes something else", peer.name());
    }
    let mut names: Vec<&'static str> = peers.iter().map(|peer| peer.name()).collect();
    let mut openssl = subject.peer(libcrypto);
    names.extend(openssl.as_ref().map(|_| "openssl"));
    ensure!(!names.is_empty(), "no library computes it");

    let mut out = digests.clone();
    let mut contestants: Vec<Box<dyn FnMut()>> = vec![Box::new(|| {
        hash_many(algorithm, black_box(messages), &mut out).expect("it ran before");
    })];
    for peer in &mut peers {
        let mut out = digests.clone();
        contestants.push(Box::new(move || peer.compute(black_box(messages), &mut out)));
    }
    if let Some(openssl) = &mut openssl {
        contestants.push(Box::new(|| openssl.compute(black_box(messages))));
    }
    let times = Paired::new(contestants).slices_of(SLICE).medians(runs);
    let mut peers: Vec<_> =
        names.into_iter().zip(times[1..].iter().map(|time| time * 1e9)).collect();
    peers.sort_by(|a, b| a.1.total_cmp(&b.1));
    Ok((times[0] * 1e9, peers))
}
