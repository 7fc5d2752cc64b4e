//! The arguments of `manylane explain`.

use crate::choices::one_of;
use manylane_graph::part::Part;
use std::path::PathBuf;

/// Explain how much of a primitive can run at the same time, and what limits it
///
/// The primitive's definition is recorded as a graph of operations on words. Work is the number of
/// operations; span is the longest chain in which each operation needs the one before. Work over
/// span is how many can run at the same time on average, and no number of cores gains more. Every
/// operation takes 1 here.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub struct Args {
    /// A hash function of `manylane list`, hmac- and one with --part message (under a key that fits
    /// a block), rc5-WORD/ROUNDS/KEY (rc5 is rc5-32/12/16), or eta-t
    #[arg(value_name = "PRIMITIVE")]
    pub(super) primitive: String,
    /// The part to explain: one compression (for rc5: key expansion with the encryption of one
    /// block), one round, one step of the message schedule, or a whole message with loading and
    /// padding, by a program for any length on a little-endian machine
    #[arg(long, default_value = "compression", value_parser = one_of(&Part::ALL))]
    pub(super) part: Part,
    /// Bytes of the message, with --part message [default: 1024]
    #[arg(long, value_name = "N")]
    pub(super) length: Option<usize>,
    /// With --part message: a program for messages of this one length, whose padding is known
    /// beforehand; operations of the message schedule on padding alone are then left out
    #[arg(long)]
    pub(super) fixed_length: bool,
    /// Print JSON, with every figure
    #[arg(long)]
    pub(super) json: bool,
    /// Write the graph for graphviz here, a cluster for each step; of eta-t, that of one factor
    #[arg(long, value_name = "FILE")]
    pub(super) dot: Option<PathBuf>,
    /// Write a page for a browser here: one file that needs no network
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Examples:
  manylane explain sha256                         one compression
  manylane explain keccak256 --part round         one round
  manylane explain md5 --part message --length 3  a message of three bytes, loading and padding too
  manylane explain hmac-sha256 --part message     both hashes of HMAC, with their key
  manylane explain rc5-32/12/16 --html rc5.html   a page with the graph of its steps
  manylane explain blake256 --part round --dot round.dot && dot -Tsvg round.dot > round.svg
  manylane explain eta-t                          a pairing's products, in parts too
  manylane explain sha1 --json | jq '.steps[] | {name, growth}'

How to read it:
  SPAN           the longest chain of one step alone, with all that it takes from others at hand
  GROWTH         what one more step adds to the longest chain up to it; less than its span where it
                 begins before the step before has ended
  LONGEST CHAIN  how many operations of the longest chain of all lie here; where that is none, the
                 operations can run beside it";
