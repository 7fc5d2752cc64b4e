//! `manylane synth`: how large and how fast emitted cores become.

mod check;
mod folder;
pub(crate) mod table;
pub(crate) mod watch;

use crate::terminal::output::{Output, complain};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use manylane_answers::json;
use manylane_files::quote::quote;
use manylane_files::system::scratch;
use manylane_synth::compare::compare;
use manylane_synth::record::{Built, Failed, Record};
use manylane_synth::{Cache, Core, CoreFigures, Error, Request, Sums, Target, Tools, synthesize};
use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Synthesize emitted cores, place and route them, and say how large and how fast they are
///
/// A core has more ports than a chip has pins: a harness shifts inputs in and folds outputs
/// together over three pins. Its cells are not counted. The clock is the median over seeds of place
/// and route. Each folder gets the figures in synth.json and in its README.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub struct Args {
    /// Folders that `manylane emit rtl` wrote; one that is named twice is built once
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    #[command(flatten)]
    building: BuildOptions,
    /// Print the figures beside those that --json printed before, and fail where area or clock are
    /// worse by more than the tolerance, or where a core that fitted no longer does
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// By how many percent figures may be worse, from 0 to 1000
    #[arg(
        long,
        value_name = "PERCENT",
        default_value_t = 10.0,
        requires = "check",
        value_parser = percent,
    )]
    tolerance: f64,
    /// Build gates and simulate them over random blocks: changes times load, glitches counted
    #[arg(long, conflicts_with_all = ["target", "seeds"])]
    energy: bool,
    /// Print JSON, with every seed
    #[arg(long)]
    json: bool,
}

/// How cores are built.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct BuildOptions {
    /// A chip, or gates without one; ice40, ecp5, gate and gates are accepted too
    #[arg(long, value_name = "TARGET", default_value = "ice40-hx8k", value_parser = target())]
    pub(crate) target: Target,
    /// Seeds of place and route, of which the median counts
    #[arg(
        long,
        value_name = "N",
        default_value_t = 3,
        value_parser = clap::value_parser!(u32).range(1..=99),
    )]
    seeds: u32,
    /// How many programs run at the same time [default: as many as there are processors]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: Option<u32>,
    /// Let yosys make carry-save trees of sums of sums, instead of building them as the core writes
    /// them
    #[arg(long)]
    fuse_adders: bool,
    /// Seconds that a run of a tool may take, a week at most
    #[arg(
        long,
        value_name = "S",
        default_value_t = 3600,
        value_parser = clap::value_parser!(u64).range(1..=604_800),
    )]
    time_limit: u64,
}

impl BuildOptions {
    /// The request to build a core in this way.
    pub(crate) fn request(&self, core: Core) -> Request {
        Request {
            core,
            target: self.target,
            sums: if self.fuse_adders { Sums::Fused } else { Sums::AsWritten },
            seeds: (1..=self.seeds).collect(),
            energy: false,
            time_limit: Duration::from_secs(self.time_limit),
        }
    }

    /// The settings as options of the command line, as far as they make a difference.
    pub(crate) fn options(&self) -> String {
        let fused = if self.fuse_adders { " --fuse-adders" } else { "" };
        format!("--target {} --seeds {}{fused}", self.target, self.seeds)
    }

    /// The tools and the folder of results, looked for before anything that takes long.
    pub(crate) fn workshop(&self) -> anyhow::Result<Workshop> {
        scratch::check()?;
        let tools = [Some(self.target.synthesizer()), self.target.placer()];
        let tools = Tools::find(tools.into_iter().flatten())?;
        Ok(Workshop { tools, cache: Cache::open()?, jobs: self.jobs() })
    }

    /// The number of programs, or threads that plan, that run at the same time.
    pub(crate) fn jobs(&self) -> usize {
        self.jobs.map_or_else(processors, |jobs| jobs as usize)
    }
}

/// The tools and the cache with which cores are built.
pub(crate) struct Workshop {
    tools: Tools,
    cache: Cache,
    jobs: usize,
}

impl Workshop {
    /// Builds cores, and shows the progress on standard error.
    pub(crate) fn build(
        &self,
        requests: &[Request],
    ) -> Result<Vec<Result<CoreFigures, Error>>, Error> {
        let results = requests.iter().map(Request::results).sum();
        let watch = watch::Bar::building(results);
        let built = synthesize(requests, &self.tools, &self.cache, self.jobs, &watch);
        match built.iter().any(|result| matches!(result, Err(Error::Interrupted))) {
            true => Err(Error::Interrupted),
            false => Ok(built),
        }
    }
}

/// A target, by its name or what its delay model is called.
fn target() -> impl TypedValueParser<Value = Target> {
    let others = |target: &Target| match target {
        Target::Ice40Hx8k => &["ice40"][..],
        Target::Ecp5_85k => &["ecp5"],
        Target::GenericGates => &["gate", "gates"],
    };
    let value =
        move |target: &Target| PossibleValue::new(target.name()).aliases(others(target).to_vec());
    PossibleValuesParser::new(Target::ALL.iter().map(value)).map(move |name| {
        let mut all = Target::ALL.iter().copied();
        let target =
            all.find(|target| target.name() == name || others(target).contains(&&name[..]));
        target.expect("only these names are possible")
    })
}

/// Parses a tolerance. NaN is refused: no difference would exceed it, and everything would pass.
fn percent(text: &str) -> Result<f64, String> {
    const MOST: f64 = 1000.0;
    match text.trim_end_matches('%').trim_end().parse() {
        Ok(percent) if (0.0..=MOST).contains(&percent) => Ok(percent),
        _ => Err(format!("a tolerance is a number of percent from 0 to {MOST}, such as 10")),
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

const AFTER_HELP: &str = "\
Examples:
  manylane emit rtl sha256 -o sha256-core && manylane synth sha256-core
  manylane synth sha256-core --target ecp5-85k --seeds 5
  manylane synth sha256-core --target generic-gates      an area in NANDs, a depth in gates
  manylane synth sha256-core --energy                    what the gates switch, a proxy for energy
  manylane synth */ --jobs 2 --json >figures.json        many cores at once
  manylane synth */ --check figures.json --tolerance 5   whether they are still as large and as fast

Tools: yosys and nextpnr-ice40 for iCE40 (apt-get install yosys nextpnr-ice40), YoWASP's for ECP5 \
(tools/setup.sh hardware). They are looked for in MANYLANE_TOOLS, in \
~/.local/share/manylane/tools/bin and on the path.

How to read it:
  LC      iCE40: logic cells, each a table, a carry and a flip-flop
  LUT4    tables of four inputs; on ECP5 those that carries occupy are among them
  GE      gates: area in NANDs; the clock is an estimate from the longest path, 40 ps a gate
  MBIT/S  with a message in every stage; ALONE, what one long message gets

Results are kept, by text, script, options, versions of the tools and seed, in the user's cache: \
what was interrupted goes on, and what was done is not done again. A run takes 10 seconds to some \
minutes.

A core of which synthesis removes a part, since an output is constant or an input leads nowhere, \
has no figures: they would be those of another core. --check reads its record before any tool \
runs; it needs a row of each core for the same target.

Exit status: 0; 1 if a core has no figures, does not fit, or is worse than the record (with \
--check, what did not fit then, or was stopped as now, may do so again); 130 if it was \
interrupted.

Environment:
  MANYLANE_TOOLS          a folder with tools, searched first
  MANYLANE_YOSYS          the program to be used as yosys
  MANYLANE_NEXTPNR_ICE40  as nextpnr-ice40
  MANYLANE_NEXTPNR_ECP5   as nextpnr-ecp5
  MANYLANE_SYNTH_CACHE    the folder of results";

/// Builds the core of each folder and prints its figures.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    // A folder that is named twice, in whatever way, is built once.
    let real = |folder: &PathBuf| folder.canonicalize().unwrap_or_else(|_| folder.clone());
    let mut seen = HashSet::new();
    let folders: Vec<&PathBuf> =
        args.folders.iter().filter(|folder| seen.insert(real(folder))).collect();
    let cores = folders.iter().map(|folder| Core::read(folder));
    let cores = cores.collect::<Result<Vec<_>, _>>()?;
    let building = match args.energy {
        true => BuildOptions { target: Target::GenericGates, ..args.building },
        false => args.building,
    };
    let request = |core| Request { energy: args.energy, ..building.request(core) };
    let requests: Vec<Request> = cores.into_iter().map(request).collect();
    // Everything that can fail is done before the tools run for minutes.
    let record = args.check.as_deref().map(|file| check::read(file, &requests)).transpose()?;
    folders.iter().try_for_each(|folder| folder::check(folder))?;
    let built = match building.workshop()?.build(&requests) {
        Err(error @ Error::Interrupted) => {
            complain(&error.to_string());
            return Ok(ExitCode::from(INTERRUPTED));
        }
        other => other?,
    };
    let mut report = Record::default();
    let mut unwritten = Vec::new();
    for ((path, request), built) in folders.iter().zip(&requests).zip(built) {
        let folder = quote(path.as_os_str().as_encoded_bytes());
        match built {
            Ok(measured) => {
                unwritten.extend(folder::update(path, &measured).err());
                report.results.push(Built { folder, measured });
            }
            Err(error) => report.failed.push(Failed {
                folder,
                core: request.label(),
                does_not_fit: matches!(error, Error::DoesNotFit { .. }),
                why: error.to_string(),
            }),
        }
    }
    let checked = record.as_ref().map(|record| compare(&report, record, args.tolerance));
    let mut output = Output::stdout()?;
    if args.json {
        output.write(json(&report)?.as_bytes())?;
    } else {
        output.write(table::text(&report.measured().collect::<Vec<_>>()).as_bytes())?;
        let beside = checked.iter().map(check::text).collect::<String>();
        output.write(beside.as_bytes())?;
    }
    output.flush()?;
    report.failed.iter().for_each(|failed| complain(&failed.said()));
    unwritten.iter().for_each(|error| complain(&format!("{error:#}")));
    let good = match checked {
        Some(found) => {
            found.worse.iter().for_each(|worse| complain(&format!("worse than recorded: {worse}")));
            found.worse.is_empty()
        }
        None => report.failed.is_empty(),
    };
    output.finish()?;
    Ok(if good && unwritten.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The status that a shell reports for a program that Ctrl-C ended.
pub(crate) const INTERRUPTED: u8 = 130;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_is_a_number_that_something_can_exceed() {
        for (text, expected) in [("0", 0.0), ("10", 10.0), ("2.5 %", 2.5), ("1000", 1000.0)] {
            assert_eq!(percent(text), Ok(expected), "{text}");
        }
        for text in ["nan", "NaN", "inf", "-inf", "infinity", "-1", "-0.1", "1e9", "", "%", "ten"] {
            assert!(percent(text).is_err(), "{text}");
        }
    }
}
