//! `manylane emit`: writes planned programs as hardware, C or assembly.

mod asm;
mod c;
mod command;
mod comment;
mod delays;
mod rtl;

pub(crate) use delays::Delays;
pub(crate) use rtl::Made;
pub(crate) use rtl::args::Args as RtlArgs;

use std::process::ExitCode;

/// Write hardware, C or assembly for a primitive, with its tests
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Rtl(RtlArgs),
    C(c::Args),
    Asm(asm::Args),
}

const AFTER_HELP: &str = "\
Examples:
  manylane emit c sha256 -o sha256                           C99 for one core
  manylane emit c sha256 --cores 2 -o sha256-duo             for two cores that share memory
  manylane emit rtl sha3-256 -o core                         Verilog, with its testbench
  manylane emit asm skein512-256 --on s12x-xgate -o skein    assembly for the S12X

`manylane emit c --help`, `emit rtl --help` and `emit asm --help` say the rest.";

/// Runs the subcommand that was given.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.what {
        What::Rtl(args) => rtl::run(&args),
        What::C(args) => c::run(&args),
        What::Asm(args) => asm::run(&args),
    }
}
