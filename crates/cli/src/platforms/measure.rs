//! `manylane platforms measure`.

use crate::emit::HashPrograms;
use crate::output::Output;
use crate::run::{Bar, measure};
use manylane_emit::c::Cores;
use manylane_plan::Platform;
use manylane_plan::program::shape::Shape;
use manylane_primitives::catalog::{Algorithm, HashId};
use manylane_simulate::{Clock, Machine};
use std::fmt::Write;
use std::process::ExitCode;

/// Measure what compiled programs take on a machine, for its platform's file
///
/// The C of every hash function, as `manylane emit c` writes it without options, is compiled for one core
/// and run in the machine's simulator. The table `[programs]` that is printed scales the prices of
/// operations, so that predictions know of addresses, copies and spills.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The machine: ibex-duo or rp2040
    #[arg(value_name = "MACHINE")]
    machine: String,
}

/// Blocks of the longer of the two messages whose difference is measured.
const BLOCKS: usize = 16;

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let machine = Machine::named(&args.machine)?;
    machine.check()?;
    if machine.clock() != Clock::Cycles {
        anyhow::bail!("{machine} counts no cycles: measure ibex-duo or rp2040");
    }
    let platform = Platform::load(machine.name())?;
    let bar = Bar::new(HashId::ALL.len());
    let mut text = format!(
        "# Compiled by {} -O2, as `manylane emit c` writes without options: cycles of a call of the\n\
         # compression on one core, and of what a message takes beside them. Made by `manylane platforms\n\
         # measure {machine}`.\n[programs]\n",
        machine.compiler(&Default::default())?
    );
    for id in HashId::ALL {
        let algorithm = Algorithm::from(*id);
        bar.say(&format!("{algorithm} on {machine}"));
        let programs = HashPrograms::new(algorithm, Cores::One, Shape::default(), &platform)?;
        let long = BLOCKS * programs.stream.framing.block_bytes;
        let measured = measure(machine, &programs, Cores::One, &[0, long])?;
        if measured.iter().any(|of| !of.digest_ok) {
            anyhow::bail!(
                "{algorithm} on {machine}: a digest is not the definition's; nothing is measured"
            );
        }
        let [short, long] = [0, 1].map(|i| {
            let of = &measured[i];
            (programs.blocks(of.length) as f64, f64::from(of.cycles))
        });
        let block = (long.1 - short.1) / (long.0 - short.0);
        let message = (short.1 - block * short.0).max(0.0);
        writeln!(text, "{algorithm} = {{ block = {block:.0}, message = {message:.0} }}")?;
        bar.done();
    }
    bar.clear();
    let mut output = Output::stdout()?;
    output.write(text.as_bytes())?;
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}
