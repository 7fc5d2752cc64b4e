//! `manylane platforms measure`.

use super::file::Tables;
use super::fit;
use crate::emit::Planner;
use crate::output::Output;
use crate::run::{Alone, Bar, Way, measure, measure_shares, parts};
use anyhow::{Context, bail};
use manylane_emit::c::Cores;
use manylane_plan::Platform;
use manylane_plan::platform::{ProgramTime, ShareTime};
use manylane_plan::program::Program;
use manylane_plan::program::message::Calls;
use manylane_plan::program::shape::Shape;
use manylane_primitives::catalog::{Algorithm, HashId};
use manylane_simulate::{Clock, Machine, calibrate};
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

/// Measure what operations, memory, handshakes and compiled programs take on a machine, for its
/// platform's file
///
/// Operations, loads, stores, loops and handshakes are compiled and run alone. Then the C of every hash
/// function, as `manylane emit c` writes it without options: on one core, and the shares of two cores
/// one after the other, each with all that it waits for. So predictions know of addresses, copies and
/// spills, and a prediction of two cores is still none of their measured time together.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub struct Args {
    /// The machine: ibex-duo or rp2040
    #[arg(value_name = "MACHINE")]
    machine: String,
    /// The platform's file to begin with; if not given, the one that the program brings with it under
    /// the machine's name
    #[arg(long, value_name = "FILE")]
    platform: Option<PathBuf>,
    /// Write the platform's file here instead of printing it. It may be the one of `--platform`: what
    /// was not measured stays as it is, comments too
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Measure programs of these hash functions only; those of others stay as they are
    #[arg(long, value_name = "HASH", value_delimiter = ',')]
    only: Vec<String>,
}

const AFTER_HELP: &str = "\
What is written: the costs of `[main.cost]`, `[main.memory]`, `[handshake]`; `[programs]`, what programs
take on one core; `[shares]`, what the shares of two cores take. A line of `[programs]` or `[shares]` names
its program: another split or another `--unroll` is predicted from operations, and the answer says so.

Examples:
  manylane platforms measure ibex-duo                       print the platform's file, measured anew
  manylane platforms measure rp2040 --platform platforms/rp2040.toml -o platforms/rp2040.toml
  manylane platforms measure rp2040 --only sha256,sha512 -o my-board.toml";

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let machine = Machine::named(&args.machine)?;
    if machine.clock() != Clock::Cycles {
        bail!("{machine} counts no cycles: measure ibex-duo or rp2040");
    }
    let all = || HashId::ALL.iter().map(|&id| Algorithm::from(id)).collect();
    let algorithms: Vec<Algorithm> = match &args.only[..] {
        [] => all(),
        names => names.iter().map(|name| crate::names::hash(name)).collect::<Result<_, _>>()?,
    };
    let name = match &args.platform {
        Some(file) => file.to_str().with_context(|| format!("{file:?} is no UTF-8"))?,
        None => machine.name(),
    };
    let (file, text) = Platform::text(name)?;
    let mut tables = Tables::parse(&text)?;
    // What is wrong with the file is said before anything is measured.
    let mut platform = Platform::parse(&file, &text)?;
    if platform.cores.len() < 2 {
        bail!("{file}: a platform of one core; {machine} has two: add `[coprocessor]`");
    }
    machine.check()?;
    let bar = Bar::new(2 * algorithms.len() + 1);
    bar.say(&format!("operations on {machine}"));
    tables.set_costs(&calibrate(machine, &[])?);
    platform = Platform::parse(&file, &tables.to_string())?;
    bar.done();
    let mut planner = Planner::new(Shape::default(), &platform);
    let mut blocks: Vec<(Program, f64)> = Vec::new();
    for &algorithm in &algorithms {
        bar.say(&format!("{algorithm} on one core of {machine}"));
        let time = one_core(machine, algorithm, &mut planner, &mut blocks)?;
        tables.set_program(&algorithm.to_string(), &time);
        bar.done();
    }
    platform = Platform::parse(&file, &tables.to_string())?;
    // Splits are planned with what jobs take on the way, whichever program that is measured with.
    platform.shares.clear();
    let mut planner = Planner::new(Shape::default(), &platform);
    for &algorithm in &algorithms {
        if let Some((_, way)) = two_cores(machine, algorithm, &mut planner, 0.0)? {
            tables.set_way(&way);
            break;
        }
    }
    platform = Platform::parse(&file, &tables.to_string())?;
    // Measured anew, a split is not refused for what an earlier one took.
    platform.shares.clear();
    let mut planner = Planner::new(Shape::default(), &platform);
    for &algorithm in &algorithms {
        bar.say(&format!("{algorithm} on two cores of {machine}"));
        let rest =
            platform.programs.get(&algorithm.to_string()).map_or(0.0, |of| of.held + of.byte);
        let time = two_cores(machine, algorithm, &mut planner, rest)?.map(|(time, _)| time);
        tables.set_share(&algorithm.to_string(), time.as_ref());
        bar.done();
    }
    bar.clear();
    let text = tables.to_string();
    Platform::parse(&file, &text)?;
    match &args.output {
        Some(path) => fs::write(path, text).with_context(|| path.display().to_string())?,
        None => {
            let mut output = Output::stdout()?;
            output.write(text.as_bytes())?;
            output.finish()?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Measures a hash's program on the main core. A compression that several hashes have takes the time of
/// the first of them in `blocks`, so that they are planned alike.
fn one_core(
    machine: Machine,
    algorithm: Algorithm,
    planner: &mut Planner<'_>,
    blocks: &mut Vec<(Program, f64)>,
) -> anyhow::Result<ProgramTime> {
    let programs = planner.plan(algorithm, Cores::One)?;
    let framing = &programs.stream.framing;
    let measured = measure(machine, &programs, Cores::One, &fit::lengths_of_one(framing))?;
    if measured.iter().any(|of| !of.digest_ok) {
        bail!("{algorithm} on {machine}: a digest is not the definition's; nothing is measured");
    }
    let cycles: Vec<f64> = measured.iter().map(|of| f64::from(of.cycles)).collect();
    let known =
        blocks.iter().find(|(known, _)| known.rolled.regions == programs.one.rolled.regions);
    let time = fit::one(framing, &cycles, known.map(|&(_, block)| block));
    let program = Some(programs.one.identity());
    blocks.push((programs.one, time.block));
    Ok(ProgramTime { program, ..time })
}

/// Measures the shares of a hash's program for two cores, if there is one. `rest` is what a byte in a
/// padded block takes.
fn two_cores(
    machine: Machine,
    algorithm: Algorithm,
    planner: &mut Planner<'_>,
    rest: f64,
) -> anyhow::Result<Option<(ShareTime, Way)>> {
    let programs = planner.plan(algorithm, Cores::Two)?;
    let Some(two) = programs.two.as_ref().filter(|two| two.processors > 1) else { return Ok(None) };
    let framing = &programs.stream.framing;
    let lengths = fit::lengths_of_two(framing);
    let Alone { shares, way, outcome } = measure_shares(machine, &programs, &lengths)?;
    let mut time = fit::two(framing, two.identity(), &shares, rest);
    let jobs = Calls::of(framing, lengths[lengths.len() - 1]).jobs();
    time.parts = parts(two, &jobs, [time.main, time.second], &outcome);
    if time.parts.is_none() {
        bail!("{algorithm} on {machine}: the hand-overs of its C are not those of its program");
    }
    Ok(Some((time, way)))
}
