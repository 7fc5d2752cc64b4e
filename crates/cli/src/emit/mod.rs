//! `manylane emit`: writes what was planned.

mod hashes;
mod name;
mod rtl;
mod wrapped;

pub(crate) use rtl::{Args as RtlArgs, Made};

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

/// How long operations take: a delay model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Delays {
    /// Lattice ECP5: four-input tables and carry chains
    Ecp5,
    /// Lattice iCE40 HX
    Ice40,
    /// Gates of two inputs, parallel-prefix adders, no wires
    Gates,
}

impl Delays {
    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ecp5 => "ecp5",
            Self::Ice40 => "ice40",
            Self::Gates => "gates",
        }
    }

    /// Its name among platforms.
    pub(crate) fn model(self) -> &'static str {
        match self {
            Self::Ecp5 | Self::Ice40 => self.name(),
            Self::Gates => "gate",
        }
    }
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.what {
        What::Rtl(args) => rtl::run(&args),
    }
}
