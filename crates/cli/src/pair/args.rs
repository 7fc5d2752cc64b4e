//! The arguments of `manylane pair`.

use manylane_answers::choices::at_least_one;
use manylane_engine::Engine;
use std::ffi::OsString;
use std::num::NonZeroUsize;

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
    pub input: Vec<OsString>,
    /// Print the product of all pairings, which takes one final exponentiation
    #[arg(long, conflicts_with_all = ["hash", "demo"])]
    pub product: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "demo")]
    pub json: bool,
    /// Print a point made from this text by SHAKE256; may be given several times
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["engine", "threads"])]
    pub hash: Vec<OsString>,
    /// Pair over this field; those of characteristic three are broken altogether
    #[arg(long, value_enum, default_value_t = Field::F2To1223)]
    pub field: Field,
    /// Show Joux's key agreement of three parties
    #[arg(long)]
    pub demo: bool,
    /// Make the secrets of --demo from this text, the same at each run
    #[arg(long, value_name = "TEXT", requires = "demo", conflicts_with_all = ["input", "hash"])]
    pub seed: Option<String>,
    /// Use this engine only
    #[arg(long, value_name = "NAME", help_heading = "Speed")]
    pub engine: Option<Engine>,
    /// Use so many threads [default: one for each core where there are many pairs]
    #[arg(short = 'j', long, value_name = "N", help_heading = "Speed", value_parser = at_least_one)]
    pub threads: Option<NonZeroUsize>,
}

/// The field of the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Field {
    /// F_2^1223, about 59 bits of security
    #[value(name = "2^1223")]
    F2To1223,
    /// F_3^97, y² = x³ − x + 1: broken
    #[value(name = "3^97")]
    F3To97,
    /// F_3^509, y² = x³ − x + 1: broken
    #[value(name = "3^509")]
    F3To509,
}

const AFTER_HELP: &str = "\
A POINT is one of
  02 or 03, then x       308 hexadecimal digits; the last bit of the first byte is that of y
  04, then x, then y     614 digits
  00                     the point at infinity
  {\"x\": \"...\", \"y\": \"...\"}  JSON, 306 digits each
Coordinates are big-endian: bit i is the coefficient of z^i. A point must be of the subgroup of \
prime order; --hash makes such points. A line of a file has two points with a blank between them, \
or JSON: {\"p\": POINT, \"q\": POINT}, hexadecimal digits in quotes. Empty lines are skipped.

The value c_0 + c_1 s + (c_2 + c_3 s) t is printed as c_0 c_1 c_2 c_3, 306 digits each.

Over F_3^m a POINT is X,Y: m digits 0, 1 or 2 each, the coefficients from x^(m-1) down, 2 for -1; \
or `infinity`; or JSON with x and y. A value is printed as the six coefficients of 1, σ, ρ, σρ, \
ρ², σρ² (σ² = -1, ρ³ = ρ + 1), m digits each.

Examples:
  manylane pair --hash alice --hash bob               two points
  manylane pair $(manylane pair --hash alice --hash bob)
  manylane pair PAIRS                                 a value for each line
  manylane pair --product --threads 2 - < PAIRS       one value: the product
  manylane pair --field 3^97 $(manylane pair --field 3^97 --hash alice --hash bob)
  manylane pair --demo --seed 1                       three parties agree on a key
  manylane bench pairing                              how fast, beside BLS12-381

Exit status:
  0  all went well
  1  bad usage, a point that is refused, a file that could not be read, output that failed";

/// How many pairs make it worth to start another thread.
const PAIRS_PER_THREAD: usize = 64;

/// The number of threads that was asked for; else one for each core that has enough pairs.
pub fn threads(asked: Option<NonZeroUsize>, pairs: usize) -> NonZeroUsize {
    let useful = NonZeroUsize::MIN.saturating_add(pairs / PAIRS_PER_THREAD);
    let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    asked.unwrap_or_else(|| cores().min(useful))
}
