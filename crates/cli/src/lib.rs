//! The `manylane` program: arguments and what is printed, one module per subcommand beside the
//! parts they share.
//!
//! What prints nothing is in other crates: `manylane-files` hashes files, `manylane-answers`
//! explains and plans, `manylane-build` makes and runs programs of primitives, `manylane-measure`
//! has what is measured and the clock. [`explore`] can draw the figures of an earlier run, for the
//! documents.

#![forbid(unsafe_code)]

mod completions;
mod emit;
mod environment;
mod explain;
pub mod explore;
mod files;
mod list;
mod man;
mod measure;
mod pair;
mod plan;
mod platforms;
mod program;
mod prove;
mod run;
mod synth;
mod terminal;

pub(crate) use manylane_pages as page;

use anyhow::bail;
use clap::{CommandFactory, Parser, Subcommand};
use environment::with_environment;
use files::{audit, dedupe, sum, verity};
use manylane_answers::{STACK, on_own_stack};
use manylane_files::{quote, system::limits, system::os};
use measure::{bench, tune};
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use terminal::output;

/// Runs cryptographic primitives on every parallel machine there is.
#[derive(Debug, Parser)]
#[command(
    name = "manylane",
    version,
    propagate_version = true,
    max_term_width = 100,
    infer_long_args = true,
    after_help = "`manylane COMMAND --help` explains a command, with examples.",
    after_long_help = with_environment(AFTER_HELP)
)]
struct Cli<C: Subcommand> {
    #[command(subcommand)]
    command: C,
}

/// A new subcommand is a file, a line here and a line in [`run`].
#[derive(Debug, Subcommand)]
enum Command {
    Sum(sum::Args),
    Verity(verity::Args),
    Audit(audit::Args),
    Dedupe(dedupe::Args),
    List(list::Args),
    Explain(explain::Args),
    Plan(plan::Args),
    Emit(emit::Args),
    Run(run::Args),
    Prove(prove::Args),
    Synth(synth::Args),
    Explore(explore::Args),
    Platforms(platforms::Args),
    Pair(pair::Args),
    Bench(bench::Args),
    Tune(tune::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// `manylane sum` alone: describing all commands to clap takes longer than hashing a small file.
#[derive(Debug, Subcommand)]
enum SumAlone {
    Sum(sum::Args),
}

fn is_sum(arguments: &[OsString]) -> bool {
    arguments.get(1).is_some_and(|command| command == "sum")
}

fn parse(arguments: Vec<OsString>) -> Result<Command, clap::Error> {
    if is_sum(&arguments) {
        let SumAlone::Sum(args) = Cli::try_parse_from(arguments)?.command;
        return Ok(Command::Sum(args));
    }
    Ok(Cli::try_parse_from(arguments)?.command)
}

/// Bytes of memory that every command needs for its arguments and its output.
const LEAST_MEMORY: u64 = 1 << 20;

/// Whether the first thread's stack is large enough for every command. Another thread takes time to
/// start, and the GNU C library maps 64 MiB for it or, where memory is limited, many small pieces
/// slowly.
fn has_stack() -> bool {
    limits::stack_bytes().is_none_or(|bytes| bytes >= STACK as u64)
}

fn execute(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Sum(args) => sum::run(args),
        Command::Verity(args) => verity::run(&args),
        Command::Audit(args) => audit::run(args),
        Command::Dedupe(args) => dedupe::run(args),
        Command::List(args) => list::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Plan(args) => plan::run(&args),
        Command::Emit(args) => emit::run(args),
        Command::Run(args) => run::run(&args),
        Command::Prove(args) => prove::run(&args),
        Command::Synth(args) => synth::run(&args),
        Command::Explore(args) => explore::run(&args),
        Command::Platforms(args) => platforms::run(&args),
        Command::Pair(args) => pair::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Tune(args) => tune::run(&args),
        Command::Completions(args) => completions::run(&args, command_line()),
        Command::Man(args) => man::run(&args, command_line()),
    }
}

const AFTER_HELP: &str = "\
Examples:
  manylane sum *.iso                  SHA-256 of files, as sha256sum prints it
  manylane sum -a sha3-256 -r DIR     another algorithm, every file below a directory
  manylane sum -c SHA256SUMS          check what sha256sum, md5sum or this program printed
  manylane verity FILE                the digest of Linux' fs-verity
  manylane sum --update LIST -r DIR   bring a list of checksums up to date
  manylane audit LIST DIR             changed, moved, new and missing files
  manylane dedupe DIR                 groups of equal files
  manylane list                       what can be computed, and on which engines
  manylane explain sha256             how much of it can run at the same time, and why no more
  manylane plan blake256 --on rp2040  whether a second core helps, and what each core does
  manylane plan sha256 --hardware     how fast a core in hardware can turn
  manylane run sha256 --on ibex-duo   C for one core and two, run and held to the prediction
  manylane explore sha256             which cores are worth having on a chip, built and measured
  manylane platforms                  the machines that plans are made for
  manylane pair --demo                a pairing, broken: for research and teaching only
  manylane tune                       measure this CPU, so that the fastest engines serve
  manylane completions bash           a completion script, to be sourced by the shell
  manylane man DIR                    manual pages

Exit status:
  0  all went well
  1  bad usage, a file that could not be read, a checksum that did not match, output that failed
  2  bit rot: a file has other content although its size and times are the same
  130  interrupted";

/// Runs the program with its arguments and returns its exit status. `closed` says whether it was
/// started without standard input, output and error.
pub fn main(closed: [bool; 3]) -> ExitCode {
    os::set_closed(closed);
    limits::survive_file_limits();
    if let Some(left) = limits::memory_left() {
        if left < LEAST_MEMORY {
            output::complain(&format!(
                "the limits on memory leave {} KiB, which is too little: raise them (ulimit -v, \
                 ulimit -d)",
                left >> 10
            ));
            return ExitCode::FAILURE;
        }
        limits::exit_without_memory();
    }
    let arguments = program::arguments(std::env::args_os());
    let ended = match has_stack() {
        true => run(arguments),
        false => on_own_stack(|| run(arguments.clone())),
    };
    ended.unwrap_or_else(|error| {
        if error
            .downcast_ref::<output::WriteError>()
            .is_some_and(output::WriteError::is_broken_pipe)
        {
            // The status that a shell reports for a program that SIGPIPE ended.
            return ExitCode::from(141);
        }
        output::complain(&format!("{error:#}"));
        ExitCode::FAILURE
    })
}

fn run(arguments: Vec<OsString>) -> anyhow::Result<ExitCode> {
    match parse(arguments) {
        Ok(command) => execute(command),
        Err(error) => match stands_for_nothing(&error).or_else(|| is_no_text(&error)) {
            Some(why) => bail!(why),
            None => answer(&error),
        },
    }
}

/// Why there is no command, if the program was started by a name such as b2sum.
fn stands_for_nothing(error: &clap::Error) -> Option<String> {
    let mut arguments = std::env::args_os();
    let name = arguments.next()?;
    let is_no_command = match arguments.next() {
        Some(first) if first.as_encoded_bytes().starts_with(b"-") => error.use_stderr(),
        Some(_) => error.kind() == clap::error::ErrorKind::InvalidSubcommand,
        None => true,
    };
    program::stands_for_nothing(&name).filter(|_| is_no_command)
}

/// The complaint about arguments that are not UTF-8, if one of them belongs to an option that takes
/// text alone.
fn is_no_text(error: &clap::Error) -> Option<String> {
    if error.kind() != clap::error::ErrorKind::InvalidUtf8 {
        return None;
    }
    let names: Vec<String> = std::env::args_os()
        .filter(|argument| argument.to_str().is_none())
        .map(|argument| quote::quote(argument.as_encoded_bytes()))
        .collect();
    let names = names.join(", ");
    Some(format!("{names}: an option takes UTF-8 alone; in a glob, `?` stands for such a byte"))
}

/// Prints the help or the version that was asked for, or what is wrong with the arguments.
fn answer(error: &clap::Error) -> anyhow::Result<ExitCode> {
    if error.use_stderr() {
        // Status 1, as coreutils has for bad usage, and not clap's 2. A failed write is not
        // reported: standard error is where it would be.
        let _ = error.print();
        return Ok(ExitCode::FAILURE);
    }
    // The standard library takes an output that is closed or not writable for a success.
    let writable = os::stdout().and_then(|mut file| file.write(&[]));
    writable.and_then(|_| error.print()).map_err(output::WriteError::from)?;
    Ok(ExitCode::SUCCESS)
}

/// The whole command line as clap describes it.
fn command_line() -> clap::Command {
    Cli::<Command>::command()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        super::command_line().debug_assert();
    }
}
