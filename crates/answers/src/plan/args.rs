//! The arguments of `manylane plan`.
//!
//! An option that requires another one also lists the options that the required one excludes. If
//! one of the excluded options is given, clap does not demand the required option, and would accept
//! and ignore the option that requires it.

use crate::choices::{distinct, one_of};
use clap::builder::TypedValueParser;
use manylane_plan::hardware::{Adders, Precompute};
use manylane_plan::platform::MOST_PROCESSORS;
use manylane_plan::threads::Mode;
use manylane_plan::units::Level;
use std::path::PathBuf;

/// Plan a primitive for two cores, several processors or hardware, and predict the gain
///
/// The primitive's definition is recorded as a graph of operations on words; a platform says what
/// each of them costs. The first line answers: by what emitted programs take where the platform has
/// measured programs, otherwise by operations alone. Every plan of the operations stands beside the
/// limit that none can pass.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP, override_usage = USAGE)]
#[command(group = clap::ArgGroup::new("machine").required(true).multiple(true)
    .args(["on", "hardware", "threads", "equations", "table"]))]
pub struct Args {
    /// A hash function of `manylane list`, hmac- and one, rc5-WORD/ROUNDS/KEY (rc5 is
    /// rc5-32/12/16), or, with --threads, eta-t
    #[arg(value_name = "PRIMITIVE", required_unless_present = "table")]
    pub(super) primitive: Option<String>,
    /// Plan for this platform's two cores: a name of `manylane platforms`, or the path of a .toml
    /// file. With --threads: plan for no more processors than it has, its coprocessor among them at
    /// its own speed
    /// [default there: any number of processors like those of x86-two-threads; of eta-t, what is
    /// measured on this machine]
    #[arg(long, value_name = "PLATFORM", conflicts_with = "hardware")]
    pub(super) on: Option<String>,
    /// Plan hardware: steps merged into one clock, in a pipeline of stages. Of a cipher, the
    /// encryption of a block: its round keys are inputs
    #[arg(long, conflicts_with = "threads")]
    pub(super) hardware: bool,
    /// Plan for so many equal processors, such as 2,4,8
    #[arg(long, value_name = "P,...", value_delimiter = ',', value_parser = processors())]
    threads: Vec<usize>,
    /// Print JSON, with every figure and the schedule; docs/plan-json.md names the fields
    #[arg(long)]
    pub(super) json: bool,
    /// Print the planned program instead, in the text form of docs/programs.md: which operations of
    /// a block each core computes and what goes from one to another, which pieces each of --threads
    /// does, or the clock of each operation in hardware
    #[arg(
        long,
        conflicts_with_all = [
            "json",
            "html",
            "equations",
            "table",
            "measure",
            "level",
            "exact",
            "fixed_length",
            "decrypt",
        ],
    )]
    pub(super) program: bool,
    #[command(flatten)]
    pub(super) two_core: TwoCore,
    #[command(flatten)]
    pub(super) hardware_options: Hardware,
    #[command(flatten)]
    pub(super) threads_options: Threads,
}

impl Args {
    /// The numbers of processors that are asked for, each once.
    pub(super) fn threads(&self) -> Vec<usize> {
        distinct(self.threads.iter().copied())
    }
}

/// Options of a plan for two cores.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Two cores (--on)")]
pub(super) struct TwoCore {
    /// Bytes of the message [default: one block of the hash; its padding may make another. With
    /// --equations: 0]
    #[arg(long, value_name = "N", conflicts_with = "hardware")]
    pub(super) length: Option<usize>,
    /// Of HMAC: bytes of the key [default: as many as the digest has]
    #[arg(long, value_name = "N", conflicts_with = "hardware")]
    pub(super) key_length: Option<usize>,
    /// Plan a program for messages of this one length, whose padding is known beforehand:
    /// operations of the message schedule on padding alone are then left out
    #[arg(long, conflicts_with_all = ["hardware", "threads", "equations", "table"])]
    pub(super) fixed_length: bool,
    /// What is given to a core as a whole: an outermost step such as a round, an innermost one, or
    /// an operation (node) [default: substep]
    #[arg(
        long,
        value_parser = one_of(&Level::ALL),
        conflicts_with_all = ["hardware", "threads", "equations", "table"],
    )]
    pub(super) level: Option<Level>,
    /// Search all splits of up to 120 units too, and say what is proved
    #[arg(long, conflicts_with_all = ["hardware", "threads", "equations", "table"])]
    pub(super) exact: bool,
    /// Of a block cipher, plan decryption
    #[arg(long, conflicts_with_all = ["hardware", "threads", "table"])]
    pub(super) decrypt: bool,
    /// Write a page for a browser here: one file that needs no network
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["hardware", "threads", "messages", "equations", "table"],
    )]
    pub(super) html: Option<PathBuf>,
    /// Print equations (1) to (4) of "dual-core-microcontrollers" step by step, for the steps that
    /// the paper gives to the coprocessor [default platform: s12x-xgate-2012]
    #[arg(long, conflicts_with_all = ["hardware", "threads", "messages"])]
    pub(super) equations: bool,
    /// With --equations: cycles of the exchange of data for each step, τ
    #[arg(
        long,
        value_name = "CYCLES",
        default_value = "0",
        requires = "equations",
        conflicts_with_all = ["hardware", "threads", "messages", "table"],
        value_parser = tau,
    )]
    pub(super) tau: f64,
    /// Print the paper's Table II: what was measured on both cores of a platform beside what its
    /// costs predict, of PRIMITIVE or of all [default platform: s12x-xgate-2012]
    #[arg(
        long,
        conflicts_with_all = [
            "hardware",
            "threads",
            "messages",
            "equations",
            "length",
            "key_length",
        ],
    )]
    pub(super) table: bool,
}

/// Options of a plan for hardware.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Hardware (--hardware)")]
pub(super) struct Hardware {
    /// Steps in one clock [default: 1]
    #[arg(
        long,
        value_name = "K",
        requires = "hardware",
        conflicts_with_all = ["on", "threads", "equations", "table"],
        value_parser = clap::value_parser!(u64).range(1..),
    )]
    pub(super) merge: Option<u64>,
    /// Stages of the pipeline, each with a message of its own [default: 1]
    #[arg(
        long,
        value_name = "P",
        requires = "hardware",
        conflicts_with_all = ["on", "threads", "equations", "table"],
        value_parser = clap::value_parser!(u64).range(1..),
    )]
    pub(super) stages: Option<u64>,
    /// How sums are made: as the standard writes them, as balanced trees, or by carry-save rows
    /// [default: what is fastest]
    #[arg(
        long,
        requires = "hardware",
        conflicts_with_all = ["on", "threads", "equations", "table"],
        value_parser = one_of(&Adders::ALL),
    )]
    pub(super) adders: Option<Adders>,
    /// What may be computed before its clock: nothing, K + W, what the state only passes on, or
    /// anything [default: what is fastest]
    #[arg(
        long,
        requires = "hardware",
        conflicts_with_all = ["on", "threads", "equations", "table"],
        value_parser = one_of(&Precompute::ALL),
    )]
    pub(super) precompute: Option<Precompute>,
    /// What operations cost: a delay model of `manylane platforms` or the chip that it is of, or
    /// the path of a .toml file [default: generic-gates]
    #[arg(
        long,
        value_name = "MODEL",
        requires = "hardware",
        conflicts_with_all = ["on", "threads", "equations", "table"],
    )]
    pub(super) delay: Option<String>,
}

/// Options of a plan for several processors.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Several processors (--threads; a batch takes --length too)")]
pub(super) struct Threads {
    /// Of a block cipher: the mode of operation [default: ctr]
    #[arg(
        long,
        requires = "threads",
        conflicts_with_all = ["hardware", "equations", "table"],
        value_parser = one_of(&Mode::ALL),
    )]
    pub(super) mode: Option<Mode>,
    /// Of a block cipher: how many blocks [default: 1024]
    #[arg(
        long,
        value_name = "N",
        requires = "threads",
        conflicts_with_all = ["hardware", "equations", "table"],
        value_parser = clap::value_parser!(u64).range(1..),
    )]
    pub(super) blocks: Option<u64>,
    /// Of a hash: how many messages, each of --length bytes [default: 1024]; with --on alone, on
    /// two cores, each message on one core or divided, whichever is better [default there: 1]
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "hardware",
        value_parser = clap::value_parser!(u64).range(1..),
    )]
    pub(super) messages: Option<u64>,
    /// Of eta-t: measure it on as many of the processors as this machine has, beside the prediction
    #[arg(
        long,
        requires = "threads",
        conflicts_with_all = ["hardware", "on", "equations", "table"],
    )]
    pub(super) measure: bool,
}

const USAGE: &str = "\
manylane plan PRIMITIVE --on PLATFORM [--messages N] [OPTIONS]
       manylane plan PRIMITIVE --hardware [OPTIONS]
       manylane plan PRIMITIVE --threads P,... [--on PLATFORM] [OPTIONS]
       manylane plan PRIMITIVE --equations [--on PLATFORM] [OPTIONS]
       manylane plan --table [PRIMITIVE] [--on PLATFORM] [--json]";

const AFTER_HELP: &str = "\
Examples:
  manylane plan blake256 --on s12x-xgate              does the coprocessor help, and with what?
  manylane plan sha256 --on my-board.toml --length 0  a platform of your own, the empty message
  manylane plan rc5 --on rp2040 --decrypt             key expansion with the decryption of a block
  manylane plan jh256 --on ibex-duo --html jh.html    a page with the chart of both cores
  manylane plan sha256 --on unit --json | jq .schedule
  manylane plan groestl256 --on unit --level node     operations are shared out one by one
  manylane plan hmac-sha256 --on rp2040 --length 55 --key-length 32
  manylane plan sha256 --on s12x-xgate --messages 10  whole messages on either core, or divided
  manylane plan blake256 --equations                  the paper's estimate, step by step: 89,898
  manylane plan --table                               the paper's Table II, predicted and measured
  manylane plan sha256 --hardware                     the fastest core with one step per clock
  manylane plan sha1 --hardware --merge 2 --stages 4 --adders csa
  manylane plan md5 --hardware --delay unit-adder     in adder levels
  manylane plan sha256 --threads 2,4,8 --messages 100 --length 4096
  manylane plan rc5 --threads 2,4,8 --mode cbc-decryption --blocks 1000
  manylane plan eta-t --threads 2,4,8,16,32           a pairing's loop, shared out; the pairing is
                                                      broken: for research and teaching only
  manylane plan eta-t --threads 2 --measure           the prediction beside what comes of it
  manylane plan eta-t --threads 2,4,8 --on core2-45nm the paper's machine, or core2-65nm
  manylane plan sha256 --on ibex-duo --program        the planned program: who computes what

How to read a plan for two cores:
  EMITTED C       what the programs of `manylane emit c` (or `emit asm`) take, predicted from
                  programs that were measured on the platform; the first line answers by these
  OPERATIONS ALONE, or \"only operations are priced\"
                  what follows has no loads, stores, spills and calls in it
  CYCLES          of the main core, handshakes and waiting included
  SAVED           part of the main core's time that is saved; under OPERATIONS ALONE a part of the
                  operations' time. A split is called worth it if 5 % or more is saved
  OVER BEST CORE  part of the time saved that the better core takes alone: a coprocessor four times
                  as fast saves 75 % of the main core's time without any split
  ABOVE LIMIT     how much longer it takes than the limit: the longest chain of operations, each on
                  its faster core, or all operations divided without a rest, handshakes free in both
                  cases. It is proved for the platform's prices of operations, unless measured times
                  had to be spread over operations: then it is an estimate. A program may save a
                  larger part of its own time, since one core spills more than two
  estimate        nobody has measured the costs of the platform

How to read a plan for hardware:
  CLOCK           the longest path between registers, and what the registers take
  BITS            per unit of time, a message in every stage; one long message alone is slower,
                  since each of its blocks waits for the one before
  ABOVE BOUND     how much longer the logic of a clock is than the iteration bound, which no merging
                  and no retiming passes

`manylane platforms` lists platforms and delay models, and says how to write your own.";

/// Cycles of an exchange.
fn tau(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(cycles) if (0.0..=1e9).contains(&cycles) => Ok(cycles),
        _ => Err("give a number of cycles from 0 to 1e9".to_owned()),
    }
}

fn processors() -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u64).range(1..=MOST_PROCESSORS as u64).map(|n| n as usize)
}

/// The platform of the paper, whose model is printed if no other platform is asked for.
pub(super) const PAPER: &str = "s12x-xgate-2012";
