//! `manylane plan`: the best split of a primitive, with the gain that is predicted and the limit.
//!
//! | what is planned | the plan | its views |
//! |---|---|---|
//! | two cores, `--on` | [`two_core`] | [`text`](mod@text), [`page`](mod@page), JSON |
//! | merged and pipelined hardware, `--hardware` | [`hardware`] | text, JSON |
//! | p processors, `--threads` | [`threads`], [`pairing`] | text, JSON |

mod hardware;
mod page;
mod pairing;
mod text;
mod threads;
mod two_core;

use crate::explain;
use crate::output::Output;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use manylane_graph::part::Subject;
use manylane_plan::hardware::{Adders, Precompute};
use manylane_plan::platform::MOST_PROCESSORS;
use manylane_plan::threads::Mode;
use manylane_plan::units::Level;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Plan a primitive for two cores, several processors or hardware, and predict the gain
///
/// The primitive's definition is recorded as a graph of operations on words; a platform says what
/// each of them costs. The first line answers. Every plan stands beside the limit that none can pass.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
#[command(group = clap::ArgGroup::new("machine").required(true).multiple(true)
    .args(["on", "hardware", "threads"]))]
pub struct Args {
    /// A hash function of `manylane list`, rc5-WORD/ROUNDS/KEY (rc5 is rc5-32/12/16), or, with
    /// --threads, eta-t
    #[arg(value_name = "PRIMITIVE")]
    primitive: String,
    /// Plan for this platform's two cores: a name of `manylane platforms`, or the path of a .toml
    /// file. With --threads: plan for no more than its processors, which are like its main core
    /// [default there: any number of processors like those of x86-two-threads; of eta-t, what is
    /// measured on this machine]
    #[arg(long, value_name = "PLATFORM", conflicts_with = "hardware")]
    on: Option<String>,
    /// Plan hardware: steps merged into one clock, in a pipeline of stages. Of a cipher, the
    /// encryption of a block: its round keys are inputs
    #[arg(long, conflicts_with = "threads")]
    hardware: bool,
    /// Plan for so many equal processors, such as 2,4,8
    #[arg(long, value_name = "P,...", value_delimiter = ',', value_parser = processors())]
    threads: Vec<usize>,
    /// Print JSON, with every figure and the schedule; docs/plan-json.md names the fields
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    two_core: TwoCore,
    #[command(flatten)]
    hardware_options: Hardware,
    #[command(flatten)]
    threads_options: Threads,
}

/// Options of a plan for two cores.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Two cores (--on)")]
struct TwoCore {
    /// Bytes of the message [default: one block of the hash; its padding may make another]
    #[arg(long, value_name = "N", conflicts_with = "hardware")]
    length: Option<usize>,
    /// What is given to a core as a whole [default: substep]
    #[arg(long, value_parser = level(), conflicts_with_all = ["hardware", "threads"])]
    level: Option<Level>,
    /// Search all splits of up to 120 units too, and say what is proved
    #[arg(long, conflicts_with_all = ["hardware", "threads"])]
    exact: bool,
    /// Of a block cipher, plan decryption
    #[arg(long, conflicts_with_all = ["hardware", "threads"])]
    decrypt: bool,
    /// Write a page for a browser here: one file that needs no network
    #[arg(long, value_name = "FILE", conflicts_with_all = ["hardware", "threads"])]
    html: Option<PathBuf>,
}

/// Options of a plan for hardware.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Hardware (--hardware)")]
struct Hardware {
    /// Steps in one clock [default: 1]
    #[arg(long, value_name = "K", requires = "hardware", conflicts_with_all = ["on", "threads"], value_parser = clap::value_parser!(u64).range(1..))]
    merge: Option<u64>,
    /// Stages of the pipeline, each with a message of its own [default: 1]
    #[arg(long, value_name = "P", requires = "hardware", conflicts_with_all = ["on", "threads"], value_parser = clap::value_parser!(u64).range(1..))]
    stages: Option<u64>,
    /// How sums are made: as the standard writes them, as balanced trees, or by carry-save rows
    /// [default: what is fastest]
    #[arg(long, requires = "hardware", conflicts_with_all = ["on", "threads"], value_parser = named(Adders::ALL))]
    adders: Option<Adders>,
    /// What may be computed before its clock: nothing, K + W, what the state only passes on, or
    /// anything [default: what is fastest]
    #[arg(long, requires = "hardware", conflicts_with_all = ["on", "threads"], value_parser = named(Precompute::ALL))]
    precompute: Option<Precompute>,
    /// What operations cost: a delay model of `manylane platforms` or the chip that it is of, or the
    /// path of a .toml file
    /// [default: generic-gates]
    #[arg(long, value_name = "MODEL", requires = "hardware", conflicts_with_all = ["on", "threads"])]
    delay: Option<String>,
}

/// Options of a plan for several processors.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Several processors (--threads; a batch takes --length too)")]
struct Threads {
    /// Of a block cipher: the mode of operation [default: ctr]
    #[arg(long, requires = "threads", conflicts_with = "hardware", value_parser = mode())]
    mode: Option<Mode>,
    /// Of a block cipher: how many blocks [default: 1024]
    #[arg(long, value_name = "N", requires = "threads", conflicts_with = "hardware", value_parser = clap::value_parser!(u64).range(1..))]
    blocks: Option<u64>,
    /// Of a hash: how many messages, each of --length bytes [default: 1024]
    #[arg(long, value_name = "N", requires = "threads", conflicts_with = "hardware", value_parser = clap::value_parser!(u64).range(1..))]
    messages: Option<u64>,
    /// Of eta-t: measure it on as many of the processors as this machine has, beside the prediction
    #[arg(long, requires = "threads", conflicts_with_all = ["hardware", "on"])]
    measure: bool,
}

const AFTER_HELP: &str = "\
Examples:
  manylane plan blake256 --on s12x-xgate              does the coprocessor help, and with what?
  manylane plan sha256 --on my-board.toml --length 0  a platform of your own, the empty message
  manylane plan rc5 --on rp2040 --decrypt             key expansion with the decryption of a block
  manylane plan jh256 --on ibex-duo --html jh.html    a page with the chart of both cores
  manylane plan sha256 --on unit --json | jq .schedule
  manylane plan sha256 --hardware                     the fastest core with one step per clock
  manylane plan sha1 --hardware --merge 2 --stages 4 --adders csa
  manylane plan md5 --hardware --delay unit-adder     in adder levels
  manylane plan sha256 --threads 2,4,8 --messages 100 --length 4096
  manylane plan rc5 --threads 2,4,8 --mode cbc-decryption --blocks 1000
  manylane plan eta-t --threads 2,4,8,16,32           a pairing's loop, shared out; the pairing is
                                                      broken: for research and teaching only
  manylane plan eta-t --threads 2 --measure           the prediction beside what comes of it
  manylane plan eta-t --threads 2,4,8 --on core2-45nm the paper's machine

How to read a plan for two cores:
  CYCLES          of the main core, handshakes and waiting included
  SAVED           part of the main core's time that is saved; a split is called worth it if that is
                  5 % or more
  OVER BEST CORE  part of the time saved that the better core takes alone: a coprocessor four times
                  as fast saves 75 % of the main core's time without any split
  ABOVE LIMIT     how much longer it takes than the limit: the dearest path with each step on its
                  faster core, or all work divided without a rest, handshakes free in both cases

How to read a plan for hardware:
  CLOCK           the longest path between registers, and what the registers take
  BITS            per unit of time, a message in every stage; one long message alone is slower,
                  since each of its blocks waits for the one before
  ABOVE BOUND     how much longer the logic of a clock is than the iteration bound, which no merging
                  and no retiming passes

`manylane platforms` lists platforms and delay models, and says how to write your own.";

fn level() -> impl TypedValueParser<Value = Level> {
    PossibleValuesParser::new(["step", "substep"]).map(|name| match &name[..] {
        "step" => Level::Step,
        _ => Level::Substep,
    })
}

fn mode() -> impl TypedValueParser<Value = Mode> {
    PossibleValuesParser::new(Mode::ALL.map(Mode::name)).map(|name| {
        let mode = Mode::ALL.into_iter().find(|mode| mode.name() == name);
        mode.expect("only these names are possible")
    })
}

/// The values that print as what was given.
/// A parser of a few names.
pub(crate) fn named<T>(all: &'static [T]) -> impl TypedValueParser<Value = T>
where
    T: Copy + ToString + Send + Sync + 'static,
{
    PossibleValuesParser::new(all.iter().map(ToString::to_string)).map(move |name| {
        let value = all.iter().find(|value| value.to_string() == name);
        *value.expect("only these names are possible")
    })
}

fn processors() -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u64).range(1..=MOST_PROCESSORS as u64).map(|n| n as usize)
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let text = match explain::is_pairing(&args.primitive) {
        true => pairing::run(args)?,
        false => {
            let subject = explain::subject(&args.primitive)?;
            match (&args.on, args.hardware, args.threads.is_empty()) {
                (_, true, _) => hardware::run(args, &subject)?,
                (_, _, false) => threads::run(args, &subject)?,
                (Some(platform), ..) => two_core::run(args, &subject, platform)?,
                (None, false, true) => unreachable!("one of the three is required"),
            }
        }
    };
    let mut output = Output::stdout()?;
    output.write(text.as_bytes())?;
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn json(answer: &impl Serialize) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(answer)? + "\n")
}

/// A part as percent.
fn percent(part: f64) -> String {
    let rounded = (1000.0 * part).round() / 10.0;
    // No negative nothing.
    format!("{:.1} %", rounded + 0.0)
}

/// What a subject's whole message, or call, is called.
fn what(subject: &Subject, length: Option<usize>, decrypt: bool) -> String {
    match length {
        Some(0) => "the empty message".to_owned(),
        Some(1) => "a message of 1 byte".to_owned(),
        Some(length) => format!("a message of {} bytes", crate::page::thousands(length)),
        None if decrypt => "key expansion with the decryption of one block".to_owned(),
        None => subject.whole().to_owned(),
    }
}
