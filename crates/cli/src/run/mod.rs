//! `manylane run`.

mod s12x;
mod table;

use crate::synth::INTERRUPTED;
use crate::synth::watch::stop;
use crate::terminal::bar::Bar;
use crate::terminal::output::{Output, complain};
use anyhow::{Context, bail};
use manylane_answers::choices::{distinct, one_of};
use manylane_answers::{json, named};
use manylane_build::Primitive;
use manylane_build::asm::{EFFORT, MACHINE, Search};
use manylane_build::c::Planner;
use manylane_build::run::{MOST_BYTES, Planned, Row, measure, set_gains};
use manylane_emit::c::Cores;
use manylane_files::system::scratch;
use manylane_plan::Platform;
use manylane_plan::program::shape::{Shape, Worth};
use manylane_simulate::{Clock, Machine};
use serde::Serialize;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

/// Write a primitive in C, run it on a machine of two cores that is simulated here, and compare the
/// prediction with the run
///
/// The C of `manylane emit c` is compiled with the machine's own compiler and run in its simulator,
/// on one core and on two. Every digest is compared with the definition's. Cycles are those of a
/// whole message: init, update, final; of HMAC with the preparation of its key of 32 bytes; of RC5
/// the expansion of the key and the message in mode CTR. `~` marks a prediction that does not rest
/// on measurements of this very program. On s12x-xgate they are bus cycles; `shakes` are starts of
/// XGATE, `waits` the bus cycles in which XGATE waits for memory that the CPU uses, and `code` the
/// bytes of code and constants together.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub struct Args {
    /// A hash function of `manylane list`, hmac- and one, or rc5-WORD/ROUNDS/KEY (rc5 is
    /// rc5-32/12/16)
    #[arg(value_name = "PRIMITIVE", required_unless_present_any = ["all", "paper"],
          conflicts_with_all = ["all", "paper"])]
    primitive: Option<String>,
    /// Run every hash function of the catalogue, HMAC with each, and RC5
    #[arg(long)]
    all: bool,
    /// The machine: ibex-duo, rp2040, mps2-an521, host or s390x; several are run one after the
    /// other. s12x-xgate runs assembly instead of C, and is given alone
    #[arg(long, value_name = "MACHINE", value_delimiter = ',', required_unless_present = "paper")]
    on: Vec<String>,
    /// Print a paper's tables with our runs beside its figures: s12x, Tables I to III of
    /// "dual-core-microcontrollers"
    #[arg(long, value_name = "PAPER", value_parser = ["s12x"],
          conflicts_with_all = ["all", "on", "length", "cores"])]
    paper: Option<String>,
    /// Predict and plan by this platform's file, a name or a path; if not given, by the one that
    /// the program brings with it under the machine's name. On host and s390x, where nothing is
    /// predicted, it only plans the split
    #[arg(long, value_name = "PLATFORM")]
    platform: Option<String>,
    /// Bytes of the message; several lengths are run one after the other
    #[arg(long, value_name = "BYTES", value_delimiter = ',', default_value = "0,64,1024",
          value_parser = clap::value_parser!(u32).range(0..=MOST_BYTES as i64))]
    length: Vec<u32>,
    /// Run on one core, or on two only; if not given, on both. On s12x-xgate: cpu, xgate or both;
    /// if not given, each of them
    #[arg(long, value_name = "N", value_parser = ["1", "2", "cpu", "xgate", "both"])]
    cores: Option<String>,
    /// Write the C for small size, for speed, or for both
    #[arg(long, value_name = "WHAT", default_value = "both", value_parser = one_of(&Worth::ALL))]
    worth: Worth,
    /// Rounds in an iteration; see `manylane emit c --unroll`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    unroll: Option<u16>,
    /// On s12x-xgate: try so many orders of XGATE's instructions; see `manylane emit asm`
    #[arg(long, value_name = "N")]
    effort: Option<u16>,
    /// On s12x-xgate: let the CPU not compute what XGATE does not finish in time; see `manylane
    /// emit asm`. With --paper it never does, as in the paper's programs
    #[arg(long)]
    no_fallback: bool,
    /// On s12x-xgate: allow code and constants so many bytes; see `manylane emit asm`
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u16).range(1..))]
    within: Option<u16>,
    /// Cut longer words into limbs of so many bits; see `manylane emit c --word`
    #[arg(long, value_name = "BITS", value_parser = ["8", "16", "32", "64"])]
    word: Option<String>,
    /// Print JSON: an object with `rows`, one for each primitive, length and number of cores;
    /// `without_split` names what has none of two cores because no split is faster
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
The simulators but that of the S12X are others' programs; `make setup-simulators` in manylane's \
sources installs them. What each of them models exactly, and what not, is in docs/simulators.md.

Examples:
  manylane run sha256 --on ibex-duo                 one core and two, three lengths
  manylane run blake256 --on rp2040 --length 1024 --cores 2
  manylane run --all --on ibex-duo,rp2040           every hash on both, some minutes
  manylane run --all --on ibex-duo --json | jq -r '.rows[] | [.primitive, .cores, .cycles] | @tsv'
  manylane run hmac-sha256 --on rp2040 --length 55  the key's two blocks beside each other
  manylane run rc5-32/12/16 --on rp2040             key expansion, then CTR
  manylane run sha256 --on host                     two threads of this computer
  manylane run sha256 --on s12x-xgate               assembly on the S12X, bus cycles
  manylane run --paper s12x                         a paper's tables, our runs beside its figures

Exit status:
  0  every digest is the definition's
  1  a digest differs, or bad usage, a machine that is not installed, a program that does not end;
     with --all on s12x-xgate also a program that does not fit, and JSON says `\"whole\": false`
130  interrupted: what was run until then is printed, and JSON says `\"whole\": false`";

/// The fields of `--json`.
#[derive(Serialize)]
struct Report {
    machines: Vec<Described>,
    /// Whether all that was asked for was run.
    whole: bool,
    /// The primitives without rows of two cores, because no split is faster than one core.
    without_split: Vec<WithoutSplit>,
    rows: Vec<Row>,
}

/// A primitive of which no split over two cores of a machine is faster than one core.
#[derive(Serialize)]
struct WithoutSplit {
    platform: String,
    primitive: String,
}

/// A machine on which programs were run.
#[derive(Serialize)]
struct Described {
    name: String,
    title: &'static str,
    /// Its compiler, in its own words.
    compiler: String,
    /// What `cycles` are: those of the simulated cores, or what counts on this computer, and why
    /// nothing better does. `null` where nothing counts.
    clock: Option<String>,
}

/// Runs the primitive on the machines that were named, and prints the runs beside predictions.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.unroll.is_some() && args.worth != Worth::Both {
        bail!(
            "--worth {} and --unroll both say how many rounds are in an iteration: leave out one",
            args.worth
        );
    }
    if args.paper.is_some() || args.on.iter().any(|name| name == MACHINE) {
        return s12x::run(&args.s12x()?);
    }
    args.check_cores()?;
    if args.effort.is_some() {
        bail!("--effort is for assembly; {} runs C: leave it out", args.on.join(","));
    }
    if args.within.is_some() {
        bail!("--within is for assembly; {} runs C: leave it out", args.on.join(","));
    }
    if args.no_fallback {
        bail!("--no-fallback is for assembly; {} runs C: leave it out", args.on.join(","));
    }
    let machines: Vec<Machine> = distinct(args.on.iter())
        .into_iter()
        .map(|name| Machine::named(name))
        .collect::<Result<_, _>>()?;
    let primitives = args.primitives()?;
    let machines: Vec<(Machine, Platform, bool)> =
        machines.into_iter().map(|machine| args.platform(machine)).collect::<Result<_, _>>()?;
    scratch::check()?;
    machines.iter().try_for_each(|(machine, ..)| machine.check())?;
    let all = machines.len() * primitives.len();
    let bar = Bar::new(all);
    let mut report =
        Report { machines: Vec::new(), whole: true, without_split: Vec::new(), rows: Vec::new() };
    let stop = stop();
    let mut done = 0;
    let mut not_run = 0;
    let mut timed_on: Vec<(Machine, bool)> = Vec::new();
    'all: for (machine, platform, is_timed) in machines {
        if !machine.is_prepared() {
            bar.say(&format!("{machine}: its simulator is built, once: half a minute"));
            machine.prepare()?;
        }
        report.machines.push(Described {
            name: machine.name().to_owned(),
            title: machine.title(),
            compiler: machine.compiler(&Default::default())?,
            clock: (machine.clock() == Clock::Cycles)
                .then(|| "cycles of the simulated cores".into()),
        });
        timed_on.push((machine, is_timed));
        let timed = is_timed.then_some(&platform);
        let mut planner = Planner::new(args.shape(), &platform);
        for &primitive in &primitives {
            let ran = run_one(args, machine, primitive, &mut planner, timed, &bar, &mut report);
            // The signal that is to end this program may have ended a compiler or a simulator
            // first.
            if stop.load(Ordering::Relaxed) {
                report.whole = matches!(ran, Ok(true)) && done + 1 == all;
                break 'all;
            }
            match ran {
                // One failure must not lose the rows of the others, which took minutes.
                Err(error) if args.all => {
                    not_run += 1;
                    complain(&format!("{error:#}"));
                }
                ran => drop(ran?),
            }
            done += 1;
            bar.done();
        }
    }
    set_gains(&mut report.rows);
    bar.clear();
    let failed = report.rows.iter().filter(|row| !row.digest_ok).count();
    let mut output = Output::stdout()?;
    let text = match args.json {
        true => json(&report)?,
        false => {
            let of_machine = |machine: &Described| {
                let rows: Vec<&Row> =
                    report.rows.iter().filter(|row| row.platform == machine.name).collect();
                let clock =
                    machine.clock.as_deref().filter(|_| machine.name == Machine::Host.name());
                let notes = timed_on.iter().find(|(of, _)| machine.name == of.name());
                let mut notes = notes.map_or(Vec::new(), |&(of, is_timed)| {
                    table::notes(of, is_timed, args.platform.as_deref(), !args.all, &rows)
                });
                let without = report.without_split.iter();
                let without = without.filter(|of| of.platform == machine.name);
                let names: Vec<&str> = without.map(|of| &of.primitive[..]).collect();
                notes.extend(table::without_split(&names));
                table::table(machine.title, &machine.compiler, clock, &rows, &notes)
            };
            report.machines.iter().map(of_machine).collect::<Vec<_>>().join("\n")
        }
    };
    output.write(text.as_bytes())?;
    output.finish()?;
    if failed > 0 {
        let all = report.rows.len();
        complain(&format!("{failed} of {all} digests differ from the definition's"));
    }
    if !report.whole {
        complain(&format!(
            "interrupted: {} rows, of {done} of {all} primitives and of a part of the next one",
            report.rows.len()
        ));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    if not_run > 0 {
        complain(&format!("{not_run} of {all} primitives were not run, for the reasons above"));
    }
    Ok(if failed + not_run > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Runs a primitive on a machine, on as many cores as are asked for, and predicts it by the
/// machine's platform if there is one. Returns `false` if a signal interrupted it.
fn run_one(
    args: &Args,
    machine: Machine,
    primitive: Primitive,
    planner: &mut Planner<'_>,
    timed: Option<&Platform>,
    bar: &Bar,
    report: &mut Report,
) -> anyhow::Result<bool> {
    let lengths = args.lengths();
    let name = primitive.name();
    for cores in args.cores() {
        if stop().load(Ordering::Relaxed) {
            return Ok(false);
        }
        let number = if cores == Cores::One { "one core" } else { "two cores" };
        bar.say(&format!("{name} on {number} of {machine}"));
        let planned = Planned::new(primitive, cores, planner)?;
        if cores == Cores::Two && !planned.has_share() {
            if args.cores.as_deref() == Some("2") && !args.all {
                bail!(
                    "{name}: no split over two cores is faster than one core on {machine}; take \
                     --cores 1"
                );
            }
            let platform = machine.name().to_owned();
            report.without_split.push(WithoutSplit { platform, primitive: name.clone() });
            continue;
        }
        let measured = measure(machine, planned.subject(), cores, &lengths)
            .with_context(|| format!("{name} on {machine}"))?;
        for measured in measured {
            if let Some(described) = report.machines.last_mut().filter(|_| machine == Machine::Host)
            {
                described.clock = described.clock.take().or_else(|| measured.clock.clone());
            }
            let mut row = planned.row(cores, measured.length, timed)?;
            measured.set(machine, &mut row);
            report.rows.push(row);
        }
    }
    Ok(true)
}

impl Args {
    /// The platform that splits on a machine are planned for, and whether it also predicts times:
    /// one that `--platform` names does if the machine counts cycles, the default does if it is the
    /// machine's own.
    fn platform(&self, machine: Machine) -> anyhow::Result<(Machine, Platform, bool)> {
        if let Some(named) = &self.platform {
            return Ok((machine, Platform::load(named)?, machine.clock() == Clock::Cycles));
        }
        Ok(match Platform::load(machine.name()) {
            Ok(platform) => (machine, platform, true),
            Err(_) => (machine, Platform::load("rp2040")?, false),
        })
    }

    /// Returns the primitive that is named, or all.
    fn primitives(&self) -> anyhow::Result<Vec<Primitive>> {
        let Some(name) = &self.primitive else {
            return Ok(Primitive::all());
        };
        Ok(vec![named::emitted(name)?])
    }

    fn cores(&self) -> Vec<Cores> {
        match self.cores.as_deref() {
            None => vec![Cores::One, Cores::Two],
            Some("1") => vec![Cores::One],
            Some(_) => vec![Cores::Two],
        }
    }

    /// Checks that `--cores` names cores that the machines have: 1 or 2 on all but s12x-xgate.
    fn check_cores(&self) -> anyhow::Result<()> {
        match self.cores.as_deref() {
            Some(cores) if !["1", "2"].contains(&cores) => {
                bail!("--cores {cores}: the cores of {} are alike; take 1 or 2", self.on.join(","))
            }
            _ => Ok(()),
        }
    }

    /// Returns the runs that are asked of the S12X.
    fn s12x(&self) -> anyhow::Result<s12x::Asked<'_>> {
        use manylane_emit::asm;
        let machine = MACHINE;
        if self.on.len() > 1 {
            bail!("{machine} runs assembly, the other machines C: give it alone");
        }
        if self.platform.is_some() || self.word.is_some() {
            bail!("--platform and --word are for C; {machine} has its own platform and words");
        }
        let cores = match self.cores.as_deref() {
            None => asm::Cores::ALL.to_vec(),
            Some(name) => {
                let known = asm::Cores::ALL.map(asm::Cores::name).join(", ");
                vec![asm::Cores::by_name(name).with_context(|| {
                    format!("--cores {name}: the cores of {machine} are unlike; take {known}")
                })?]
            }
        };
        if self.no_fallback && cores == [asm::Cores::Cpu] {
            bail!("--no-fallback leaves XGATE alone to compute: take --cores xgate or both");
        }
        Ok(s12x::Asked {
            primitive: self.primitive.as_deref(),
            paper: self.paper.is_some(),
            cores,
            lengths: self.lengths(),
            search: Search {
                worth: self.worth,
                unroll: self.unroll.map(usize::from),
                effort: self.effort.unwrap_or(EFFORT),
                falls_back: !self.no_fallback && self.paper.is_none(),
                within: self.within,
                ..Search::default()
            },
            json: self.json,
        })
    }

    /// The lengths of messages, each once.
    fn lengths(&self) -> Vec<usize> {
        distinct(self.length.iter().map(|&length| length as usize))
    }

    fn shape(&self) -> Shape {
        Shape {
            unroll: self.unroll.map(usize::from),
            worth: self.worth,
            word: self.word.as_ref().and_then(|bits| bits.parse().ok()),
        }
    }
}
