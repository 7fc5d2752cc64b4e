//! `manylane emit`: writes what was planned.

mod hashes;
mod rtl;
mod wrapped;

use std::process::ExitCode;

/// Write hardware for a primitive, with its test bench
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Rtl(rtl::Args),
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.what {
        What::Rtl(args) => rtl::run(&args),
    }
}
