//! `manylane pair`.
//!
//! | module | does |
//! |---|---|
//! | [`input`] | points and pairs from arguments, files and standard input |
//! | [`demo`] | a key agreement of three parties |

mod demo;
mod input;
mod text;

use crate::output::Output;
use manylane_engine::Engine;
use manylane_engine::pairing::{Pairing, hash_to_point};
use manylane_graph::pairing::SECURITY;
use serde::Serialize;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use text::{point_hex, value_hex};

/// Compute the η_T pairing of points: broken, for research and teaching only
///
/// The points are on y² + y = x³ + x over F_2^1223. The pairing of P and Q is a value e(P, Q) in an
/// extension of the field, with e(aP, bQ) = e(P, Q)^ab.
///
/// SECURITY: about 59 bits (Granger, Kleinjung, Zumbrägel, CRYPTO 2014), not the 128 that the curve
/// was designed for. Protocols take BLS12-381.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
#[command(group = clap::ArgGroup::new("what").required(true).args(["input", "hash", "demo"]))]
pub struct Args {
    /// Two points, or one file with a pair of points on each line (- for standard input)
    #[arg(value_name = "POINT POINT|FILE", num_args = 1..=2)]
    input: Vec<OsString>,
    /// Print the product of all pairings, which takes one final exponentiation
    #[arg(long, conflicts_with_all = ["hash", "demo"])]
    product: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "demo")]
    json: bool,
    /// Print a point made from this text by SHAKE256; may be given several times
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["engine", "threads"])]
    hash: Vec<OsString>,
    /// Show Joux's key agreement of three parties
    #[arg(long)]
    demo: bool,
    /// Make the secrets of --demo from this text, the same at each run
    #[arg(long, value_name = "TEXT", requires = "demo", conflicts_with_all = ["input", "hash"])]
    seed: Option<String>,
    /// Use this engine only
    #[arg(long, value_name = "NAME", help_heading = "Speed")]
    engine: Option<Engine>,
    /// Use so many threads [default: one for each core where there are many pairs]
    #[arg(short = 'j', long, value_name = "N", help_heading = "Speed")]
    threads: Option<NonZeroUsize>,
}

const AFTER_HELP: &str = "\
A POINT is one of
  02 or 03, then x       308 hexadecimal digits; the last bit of the first byte is that of y
  04, then x, then y     614 digits
  00                     the point at infinity
  {\"x\": \"...\", \"y\": \"...\"}  JSON, 306 digits each
Coordinates are big-endian: bit i is the coefficient of z^i. A point must be of the subgroup of
prime order; --hash makes such points. A line of a file has two points with a blank between them, or
JSON: {\"p\": POINT, \"q\": POINT}, hexadecimal digits in quotes. Empty lines are skipped.

The value c_0 + c_1 s + (c_2 + c_3 s) t is printed as c_0 c_1 c_2 c_3, 306 digits each.

Examples:
  manylane pair --hash alice --hash bob               two points
  manylane pair $(manylane pair --hash alice --hash bob)
  manylane pair PAIRS                                 a value for each line
  manylane pair --product --threads 2 - < PAIRS       one value: the product
  manylane pair --demo --seed 1                       three parties agree on a key
  manylane bench pairing                              how fast, beside BLS12-381

Exit status:
  0  all went well
  1  bad usage, a point that is refused, a file that could not be read, output that failed";

/// All that is printed of values: the fields of `--json`.
#[derive(Serialize)]
struct Answer {
    primitive: &'static str,
    field: &'static str,
    security: &'static str,
    engine: &'static str,
    threads: usize,
    pairs: usize,
    /// One for each pair, or their product alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    product: Option<String>,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let text = if args.demo {
        let pairing = Pairing::on(args.engine)?.threads(threads(args.threads, 1));
        demo::run(&pairing, args.seed.as_deref())?
    } else if args.hash.is_empty() {
        values(args)?
    } else {
        points(args)?
    };
    let mut output = Output::stdout()?;
    output.write(text.as_bytes())?;
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// How many pairs make it worth to start another thread.
const PAIRS_PER_THREAD: usize = 64;

fn threads(asked: Option<NonZeroUsize>, pairs: usize) -> NonZeroUsize {
    let useful = NonZeroUsize::MIN.saturating_add(pairs / PAIRS_PER_THREAD);
    let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    asked.unwrap_or_else(|| cores().min(useful))
}

fn values(args: &Args) -> anyhow::Result<String> {
    let lines = input::lines(&args.input)?;
    let threads = threads(args.threads, lines.len());
    let pairing = Pairing::on(args.engine)?.threads(threads);
    let pairs = input::decode(&lines, threads)?;
    let values = match args.product {
        true => vec![pairing.pair_product(&pairs)],
        false => pairing.pair_many(&pairs),
    };
    let mut values: Vec<String> = values.into_iter().map(value_hex).collect();
    if !args.json {
        return Ok(values.into_iter().map(|value| value + "\n").collect());
    }
    let product = if args.product { values.pop() } else { None };
    json(&Answer {
        primitive: "eta-t",
        field: "F_2^1223",
        security: SECURITY,
        engine: pairing.engine().name(),
        threads: threads.get(),
        pairs: pairs.len(),
        values: (!args.product).then_some(values),
        product,
    })
}

/// The points of `--hash`.
fn points(args: &Args) -> anyhow::Result<String> {
    #[derive(Serialize)]
    struct Points {
        security: &'static str,
        points: Vec<String>,
    }
    let point = |text: &OsString| point_hex(hash_to_point(text.as_encoded_bytes()));
    let points: Vec<String> = args.hash.iter().map(point).collect();
    match args.json {
        true => json(&Points { security: SECURITY, points }),
        false => Ok(points.into_iter().map(|point| point + "\n").collect()),
    }
}

fn json(answer: &impl Serialize) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(answer)? + "\n")
}
