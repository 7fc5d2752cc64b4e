//! `manylane bench`.

mod pairing;

use crate::measure::tuning;
use crate::terminal::output::{Output, complain};
use anyhow::{Context, ensure};
use manylane_engine::{Engine, HashId, peer::Libcrypto};
use manylane_measure::cpu;
use manylane_measure::subject::{Peer, Subject, Yardstick};
use manylane_measure::timing::{Paired, stay_on_one_core};
use manylane_measure::workload::Workload;
use serde::Serialize;
use std::fmt::Write;
use std::process::ExitCode;

/// Measure primitives on one core, beside OpenSSL
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub struct Args {
    /// What to measure: names as `manylane list` shows them [default: every hash, some HMACs, RC5],
    /// or `pairing` alone: the η_T pairing beside BLS12-381, about 59 bits, for research and
    /// teaching
    #[arg(value_name = "PRIMITIVE")]
    primitives: Vec<String>,
    /// Use this engine only
    #[arg(long)]
    engine: Option<Engine>,
    /// With `pairing`: measure the paper's own algorithms beside the best engine's, and print the
    /// paper's cycles beside ours
    #[arg(long)]
    paper: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Runs of each measurement, of which the median counts
    #[arg(
        long,
        value_name = "N",
        default_value_t = 5,
        value_parser = clap::value_parser!(u32).range(1..=99),
    )]
    runs: u32,
}

const AFTER_HELP: &str = "\
Workloads:
  single  one message of 64 B, 1 KiB, 16 KiB, 1 MiB through one hasher
  many    1,000 messages of 64 B, 256 B, 1 KiB, 16 KiB as one batch
  mix     1,000 messages, lengths log-uniform from 16 B to 16 KiB, as one batch
The peer, OpenSSL's libcrypto, takes the same messages one after the other. RC5 encrypts in CTR \
mode.

KERNEL is the engine and the messages that it computes side by side; where several serve, the one \
that computes most. FULL is how many of a hundred blocks computed in lanes are blocks of \
messages: the others fill lanes that have nothing to do.

Figures are 10^6 bytes per second of processor time, on one core, medians. RATIO is against the \
peer in the same run; xO against OpenSSL's SHA-256 of 16 KiB in the same run, which makes figures \
from different machines comparable.

`pairing` has rows of its own: nanoseconds for each element or pair, cycles of the core, and PER \
BLST, how many take the time of one pairing of BLS12-381 by blst in the same run. On several \
threads the time is that which passes, the least of all runs, and SPEEDUP is against one thread. \
SHARED is the part of the work that threads other than the first did in all runs: 0.50 of two \
threads, less where they found no idle core, so that the time is nearer to that of fewer threads. \
A pairing by factors is the same by the paper's algorithm: seven products for each factor instead \
of two. `ate` is the pairing of BLS12-381, whole and with its Miller loop cut over two threads.

`pairing --paper` measures Algorithms 1 to 3 of the paper and its pairing as it wrote them, by \
look-up tables (engine `tables`; not constant-time), beside the same operations of the best \
engine. PAPER is the paper's cycles on a 45 nm Core 2, CYCLES those of this core.

Examples:
  manylane bench sha256 sha3-256
  manylane bench --engine avx2 blake256
  manylane bench pairing
  manylane bench pairing --paper
  manylane bench --json > record.json";

/// The primitives that are measured besides every hash when none is named.
const KEYED: [&str; 5] = ["hmac-md5", "hmac-sha1", "hmac-sha256", "hmac-sha512", "rc5-32/12/16"];

#[derive(Serialize)]
struct Report {
    machine: Machine,
    rows: Vec<Row>,
}

/// The machine on which the figures were measured.
#[derive(Serialize)]
struct Machine {
    cpu: String,
    openssl: Option<String>,
    manylane: &'static str,
    runs: u32,
}

/// One measurement.
#[derive(Serialize)]
struct Row {
    primitive: String,
    engine: &'static str,
    /// Lanes of the kernel that computes most of the blocks.
    lanes: Option<usize>,
    /// Percentage of the blocks computed in lanes that are useful.
    occupancy_percent: Option<f64>,
    workload: &'static str,
    #[serde(skip)]
    title: String,
    /// Bytes of all messages.
    bytes: usize,
    /// Number of messages.
    count: usize,
    mb_per_s: f64,
    peer: Option<&'static str>,
    peer_mb_per_s: Option<f64>,
    /// Our speed divided by the peer's.
    ratio: Option<f64>,
    /// Our speed divided by that of OpenSSL's SHA-256 of one 16 KiB message.
    ratio_to_openssl_sha256: Option<f64>,
}

/// Measures the primitives that were named, or all of them, and prints the table or JSON.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.primitives.iter().any(|name| name == pairing::NAME) {
        ensure!(args.primitives.len() == 1, "`pairing` has rows of its own: measure it alone");
        pairing::run(args.engine, args.paper, args.json, args.runs)?;
        return Ok(ExitCode::SUCCESS);
    }
    ensure!(!args.paper, "--paper is for the pairing: `manylane bench pairing --paper`");
    tuning::load();
    let libcrypto = Libcrypto::load();
    if libcrypto.is_none() {
        complain("no libcrypto 3 was found: nothing to compare with (install libssl3)");
    }
    let mut subjects = Vec::new();
    if args.primitives.is_empty() {
        for name in HashId::ALL.iter().map(|id| id.name()).chain(KEYED) {
            // Where an engine is forced, the primitives that it does not compute are left out.
            match Subject::new(name, args.engine) {
                Ok(subject) => subjects.push(subject),
                Err(error) if args.engine.is_none() => return Err(error),
                Err(_) => {}
            }
        }
        if let (true, Some(engine)) = (subjects.is_empty(), args.engine) {
            engine.require()?;
        }
    }
    for name in &args.primitives {
        subjects.push(Subject::new(name, args.engine)?);
    }
    stay_on_one_core(&complain);

    let mut yardstick = libcrypto.as_ref().and_then(Yardstick::new);
    let mut out = Output::stdout()?;
    let mut rows = Vec::new();
    if !args.json {
        out.write(header(libcrypto.as_ref()).as_bytes())?;
    }
    for subject in &mut subjects {
        for workload in Workload::all() {
            let mut peer = libcrypto.as_ref().and_then(|lib| subject.peer(lib));
            let row = measure_row(subject, &workload, peer.as_mut(), yardstick.as_mut(), args.runs)
                .with_context(|| subject.name().to_owned())?;
            if !args.json {
                out.write(line(&row).as_bytes())?;
                out.flush()?;
            }
            rows.push(row);
        }
    }
    if args.json {
        let machine = Machine {
            cpu: cpu::name(),
            openssl: libcrypto.map(|lib| lib.version()),
            manylane: env!("CARGO_PKG_VERSION"),
            runs: args.runs,
        };
        let mut json = serde_json::to_string_pretty(&Report { machine, rows })?;
        json.push('\n');
        out.write(json.as_bytes())?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn measure_row(
    subject: &mut Subject,
    workload: &Workload,
    peer: Option<&mut Peer>,
    yardstick: Option<&mut Yardstick>,
    runs: u32,
) -> anyhow::Result<Row> {
    let messages = workload.messages();
    let bytes = messages.iter().map(Vec::len).sum::<usize>();
    let rate = |bytes: usize, seconds: f64| bytes as f64 / seconds / 1e6;
    let service = subject.service(&messages)?;

    let mut contestants: Vec<Box<dyn FnMut() + '_>> = vec![subject.job(workload, &messages)?];
    let has_peer = peer.is_some();
    if let Some(peer) = peer {
        contestants.push(Box::new(|| peer.compute(&messages)));
    }
    let has_yardstick = yardstick.is_some();
    if let Some(yardstick) = yardstick {
        contestants.push(Box::new(|| yardstick.compute()));
    }
    let mut medians = Paired::new(contestants).medians(runs).into_iter();
    let mb_per_s = rate(bytes, medians.next().expect("one median per contestant"));
    let mut next_if = |there: bool| if there { medians.next() } else { None };
    let peer_mb_per_s = next_if(has_peer).map(|seconds| rate(bytes, seconds));
    let yardstick = next_if(has_yardstick);
    Ok(Row {
        primitive: subject.name().to_owned(),
        engine: service.engine.name(),
        lanes: service.lanes,
        occupancy_percent: service.occupancy_percent,
        workload: workload.kind(),
        title: workload.title(),
        bytes,
        count: messages.len(),
        mb_per_s,
        peer: has_peer.then_some("openssl"),
        peer_mb_per_s,
        ratio: peer_mb_per_s.map(|peer| mb_per_s / peer),
        ratio_to_openssl_sha256: yardstick.map(|s| mb_per_s / rate(Yardstick::BYTES, s)),
    })
}

fn header(libcrypto: Option<&Libcrypto>) -> String {
    let mut out = format!("{}\n", cpu::name());
    if let Some(libcrypto) = libcrypto {
        writeln!(out, "peer: {}", libcrypto.version()).expect("a String takes everything");
    }
    out.push_str(
        "\nPRIMITIVE     KERNEL           FULL  WORKLOAD              MB/s   PEER MB/s   RATIO     \
         xO\n",
    );
    out
}

fn line(row: &Row) -> String {
    let kernel = match row.lanes {
        Some(lanes) => format!("{} × {lanes}", row.engine),
        None => row.engine.to_owned(),
    };
    let number =
        |value: Option<f64>, digits| value.map_or("-".into(), |value| format!("{value:.digits$}"));
    format!(
        "{:<13} {kernel:<14} {:>6}  {:<16} {:>9.0} {:>11} {:>7} {:>6}\n",
        row.primitive,
        row.occupancy_percent.map_or("-".into(), |percent| format!("{percent:.1}%")),
        row.title,
        row.mb_per_s,
        number(row.peer_mb_per_s, 0),
        number(row.ratio, 2),
        number(row.ratio_to_openssl_sha256, 2),
    )
}
