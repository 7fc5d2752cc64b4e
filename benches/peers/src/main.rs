//! Measures manylane beside libipsec-mb, RustCrypto's crates and OpenSSL: the same messages, in one
//! process, in turn. The definitions are those of `manylane bench`; see `benches/README.md`.

use anyhow::{Context, ensure};
use clap::Parser;
use manylane_engine::peer::Libcrypto;
use manylane_measure::cpu;
use manylane_measure::subject::{KEY, Subject, Yardstick};
use manylane_measure::timing::{Paired, pin_to_one_core};
use manylane_measure::workload::Workload;
use manylane_peers::{Peer, ipsec_mb, load, rust_crypto};
use serde::Serialize;
use std::hint::black_box;
use std::path::PathBuf;
use std::process::ExitCode;

/// Measure manylane beside libipsec-mb, RustCrypto and OpenSSL, on one core
#[derive(Debug, Parser)]
struct Args {
    /// What to measure [default: what the port limits are known of, and HMACs]
    #[arg(value_name = "PRIMITIVE")]
    primitives: Vec<String>,
    /// Write the record to this file as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Runs of each measurement, of which the median counts
    #[arg(
        long,
        value_name = "N",
        default_value_t = 5,
        value_parser = clap::value_parser!(u32).range(1..=99),
    )]
    runs: u32,
}

const PRIMITIVES: [&str; 17] = [
    "md5",
    "sha1",
    "sha256",
    "sha512",
    "ripemd160",
    "sha3-256",
    "blake256",
    "blake512",
    "groestl256",
    "groestl512",
    "jh256",
    "skein512",
    "rc5-32/12/16",
    "hmac-md5",
    "hmac-sha1",
    "hmac-sha256",
    "hmac-sha512",
];

#[derive(Serialize)]
struct Record {
    machine: Machine,
    rows: Vec<Row>,
}

/// Where the figures come from.
#[derive(Serialize)]
struct Machine {
    cpu: String,
    cpus: usize,
    /// Load averages over 1, 5 and 15 minutes when this program began, without the program itself.
    load: String,
    manylane: &'static str,
    openssl: String,
    ipsec_mb: String,
    runs: u32,
}

/// One measurement.
#[derive(Serialize)]
struct Row {
    primitive: String,
    engine: &'static str,
    lanes: Option<usize>,
    workload: &'static str,
    #[serde(skip)]
    title: String,
    /// Bytes of all messages.
    bytes: usize,
    /// Number of messages.
    count: usize,
    mb_per_s: f64,
    /// Speed relative to OpenSSL's SHA-256 of one 16 KiB message.
    ratio_to_openssl_sha256: f64,
    /// The best first.
    peers: Vec<Figure>,
}

#[derive(Serialize)]
struct Figure {
    name: &'static str,
    mb_per_s: f64,
    ratio_to_openssl_sha256: f64,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("peers: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> anyhow::Result<()> {
    let load = load();
    let libcrypto = Libcrypto::load().context("no libcrypto 3 was found: install libssl3")?;
    let cpus = std::thread::available_parallelism()?.get();
    pin_to_one_core().context("cannot stay on one core")?;
    let machine = Machine {
        cpu: cpu::name(),
        cpus,
        load,
        manylane: env!("CARGO_PKG_VERSION"),
        openssl: libcrypto.version(),
        ipsec_mb: ipsec_mb::version(),
        runs: args.runs,
    };
    println!("{}, {} CPUs, load {}", machine.cpu, machine.cpus, machine.load);
    println!("peers: ipsec-mb {}, RustCrypto, {}\n", machine.ipsec_mb, machine.openssl);
    println!("PRIMITIVE     WORKLOAD              MB/s     xO   TIMES THE PEER, THE BEST FIRST");
    let mut rows = Vec::new();
    let named: Vec<&str> = match args.primitives.is_empty() {
        true => PRIMITIVES.into(),
        false => args.primitives.iter().map(String::as_str).collect(),
    };
    for name in named {
        for workload in Workload::all() {
            let row = measure(name, &workload, &libcrypto, args.runs).context(name.to_owned())?;
            println!("{}", line(&row));
            rows.push(row);
        }
    }
    if let Some(file) = &args.json {
        let json = serde_json::to_string_pretty(&Record { machine, rows })? + "\n";
        std::fs::write(file, json).with_context(|| file.display().to_string())?;
    }
    Ok(())
}

/// Ours and every peer's time for the same messages, in turn.
fn measure(
    name: &str,
    workload: &Workload,
    libcrypto: &Libcrypto,
    runs: u32,
) -> anyhow::Result<Row> {
    let messages = workload.messages();
    let bytes: usize = messages.iter().map(Vec::len).sum();
    let subject = Subject::new(name, None)?;
    let service = subject.service(&messages)?;
    let mut peers: Vec<Box<dyn Peer>> = Vec::new();
    if messages.iter().all(|message| message.len() <= ipsec_mb::MOST_BYTES) {
        peers.extend(ipsec_mb::peer(name, subject.block_bytes(), KEY));
    }
    peers.extend(rust_crypto::peer(name, KEY));
    let digests = subject.digests(&messages)?;
    for peer in &mut peers {
        let mut out = vec![0xa5; digests.len()];
        peer.compute(&messages, &mut out);
        ensure!(out == digests, "{} computes something else", peer.name());
    }

    let mut names: Vec<&'static str> = peers.iter().map(|peer| peer.name()).collect();
    let mut openssl = subject.peer(libcrypto);
    names.extend(openssl.as_ref().map(|_| "openssl"));
    let mut yardstick = Yardstick::new(libcrypto).context("libcrypto has no SHA-256")?;
    let mut contestants = vec![subject.job(workload, &messages)?];
    for peer in &mut peers {
        let (messages, mut out) = (&messages, digests.clone());
        contestants.push(Box::new(move || peer.compute(black_box(messages), &mut out)));
    }
    if let Some(openssl) = &mut openssl {
        contestants.push(Box::new(|| openssl.compute(black_box(&messages))));
    }
    contestants.push(Box::new(|| yardstick.compute()));

    let mut times = Paired::new(contestants).medians(runs);
    let unit = Yardstick::BYTES as f64 / times.pop().context("no yardstick")?;
    let rate = |seconds: f64| (bytes as f64 / seconds / 1e6, bytes as f64 / seconds / unit);
    let (mb_per_s, ratio_to_openssl_sha256) = rate(times[0]);
    let mut figures: Vec<Figure> = names
        .into_iter()
        .zip(&times[1..])
        .map(|(name, &seconds)| {
            let (mb_per_s, ratio_to_openssl_sha256) = rate(seconds);
            Figure { name, mb_per_s, ratio_to_openssl_sha256 }
        })
        .collect();
    figures.sort_by(|a, b| b.mb_per_s.total_cmp(&a.mb_per_s));
    Ok(Row {
        primitive: name.to_owned(),
        engine: service.engine.name(),
        lanes: service.lanes,
        workload: workload.kind(),
        title: workload.title(),
        bytes,
        count: messages.len(),
        mb_per_s,
        ratio_to_openssl_sha256,
        peers: figures,
    })
}

fn line(row: &Row) -> String {
    let peers =
        row.peers.iter().map(|peer| format!("{:.2} {}", row.mb_per_s / peer.mb_per_s, peer.name));
    format!(
        "{:<13} {:<16} {:>9.0} {:>6.2}   {}",
        row.primitive,
        row.title,
        row.mb_per_s,
        row.ratio_to_openssl_sha256,
        peers.collect::<Vec<_>>().join(", ")
    )
}
