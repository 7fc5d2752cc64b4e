//! `manylane emit`: writes what was planned.

mod asm;
mod asm_subject;
mod c;
mod c_cipher;
mod c_subject;
mod hashes;
mod measured;
mod name;
mod rtl;
mod wrapped;

pub(crate) use rtl::{Args as RtlArgs, Made};

pub use asm::MACHINE;
pub use asm_subject::{Assembled, message, of_hash};
pub use c_cipher::{BESIDE, Rc5Programs};
pub use c_subject::{HashPrograms, Planner, Primitive};
use std::process::ExitCode;

/// Write hardware, C or assembly for a primitive, with its tests
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Rtl(rtl::Args),
    C(c::Args),
    Asm(asm::Args),
}

/// How long operations take: a delay model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Delays {
    /// Lattice ECP5: four-input tables and carry chains
    #[value(alias = "ecp5-85k")]
    Ecp5,
    /// Lattice iCE40 HX
    #[value(alias = "ice40-hx8k")]
    Ice40,
    /// Gates of two inputs, parallel-prefix adders, no wires
    #[value(name = "generic-gates", aliases = ["gates", "gate"])]
    Gates,
}

impl Delays {
    /// Its name on the command line and among delay models.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ecp5 => "ecp5",
            Self::Ice40 => "ice40",
            Self::Gates => "generic-gates",
        }
    }
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.what {
        What::Rtl(args) => rtl::run(&args),
        What::C(args) => c::run(&args),
        What::Asm(args) => asm::run(&args),
    }
}
