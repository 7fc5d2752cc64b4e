//! `manylane platforms measure`.

use crate::synth::INTERRUPTED;
use crate::synth::watch::stop;
use crate::terminal::bar::Bar;
use crate::terminal::output::{Output, complain};
use anyhow::{Context, bail};
use manylane_answers::named;
use manylane_build::asm::{MACHINE, Search};
use manylane_build::platform::{Bench, Tables, Wanted, s12x};
use manylane_build::{Error, Primitive};
use manylane_emit::asm::Cores;
use manylane_files::system::atomic::{check_outputs, probe_file, write_file};
use manylane_files::system::scratch;
use manylane_plan::Platform;
use manylane_primitives::catalog::Algorithm;
use manylane_simulate::{Clock, Machine, calibrate};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

/// Measure what operations, memory, handshakes and compiled programs take on a machine, for its
/// platform's file
///
/// Operations, loads, stores, loops and handshakes are compiled and run alone. Then the C of every
/// hash function, of HMAC and of RC5, as `manylane emit c` writes it without options: on one core,
/// and the shares of two cores one after the other, each with all that it waits for; accesses to
/// the flags of hand-overs are watched. So predictions include addresses, copies and spills, and
/// the work between two hand-overs; yet a prediction of two cores never rests on their measured
/// time together. Of a hash's splits the planner's best few are measured, and the fastest one is
/// kept.
///
/// s12x-xgate is another case: its assembly is run whole, on each choice of cores, and its
/// predictions of both cores rest on their measured time together. Of HMAC and RC5 nothing is
/// measured there.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub struct Args {
    /// The machine: ibex-duo, rp2040 or s12x-xgate
    #[arg(value_name = "MACHINE")]
    machine: String,
    /// The platform's file to begin with; if not given, the one that the program brings with it
    /// under the machine's name
    #[arg(long, value_name = "FILE")]
    platform: Option<PathBuf>,
    /// Write the platform's file here instead of printing it. It may be the one of `--platform`:
    /// what was not measured stays as it is, comments too
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Measure programs of these primitives only: a hash, hmac- and one, rc5; those of others stay
    /// as they are
    #[arg(long, value_name = "PRIMITIVE", value_delimiter = ',')]
    only: Vec<String>,
    /// Measure only programs that the file does not know: new ones, and those that are written or
    /// split in another way than those measured. Operations and handshakes stay as they are
    #[arg(long)]
    missing: bool,
    /// Keep the split that the file names, where the planner still finds it, and measure no other:
    /// for C that has changed elsewhere
    #[arg(long, conflicts_with_all = ["missing", "splits"])]
    keep_splits: bool,
    /// How many splits of a hash over two cores are measured, the most promising first
    #[arg(long, value_name = "N", default_value_t = 24,
          value_parser = clap::value_parser!(u8).range(1..=32))]
    splits: u8,
}

const AFTER_HELP: &str = "\
What is written (of s12x-xgate `[main.cost]`, `[coprocessor.cost]` and `[programs]`): the costs of \
`[main.cost]`, `[main.memory]`, `[handshake]`; `[programs]`, what programs take on one core; \
`[shares]`, what the shares of two cores take and when they hand something over; `[keys]`, what \
HMAC takes beside its hash; `[streams]`, what RC5 takes. A line \
names its program: another split or another `--unroll` is predicted from operations, and the \
answer says so.

`measured` says on which days, with which compiler and in which simulator.

With -o the file is written after each primitive: what was interrupted goes on with --missing.

Examples:
  manylane platforms measure ibex-duo                       print the platform's file, measured anew
  manylane platforms measure rp2040 --platform platforms/rp2040.toml -o platforms/rp2040.toml
  manylane platforms measure rp2040 --missing --platform my-board.toml -o my-board.toml
  manylane platforms measure rp2040 --only sha256,hmac-sha256 -o my-board.toml";

/// Measures a machine and writes its file. Only machines that count cycles can be measured.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.machine == MACHINE {
        return args.s12x();
    }
    let counting: Vec<&str> = Machine::ALL
        .iter()
        .filter(|machine| machine.clock() == Clock::Cycles)
        .map(|machine| machine.name())
        .chain([MACHINE])
        .collect();
    let Ok(machine) = Machine::named(&args.machine) else {
        bail!("nothing here runs as {}: measure one of {}", args.machine, counting.join(", "));
    };
    if machine.clock() != Clock::Cycles {
        bail!("{machine} counts no cycles: measure one of {}", counting.join(", "));
    }
    let primitives = args.primitives()?;
    args.check_output()?;
    let name = match &args.platform {
        Some(file) => file.to_str().with_context(|| format!("{file:?} is no UTF-8"))?,
        None => machine.name(),
    };
    let (file, text) = Platform::text(name)?;
    let mut tables = Tables::parse(&text)?;
    // A fault of the file is reported before anything is measured.
    let platform = Platform::parse(&file, &text)?;
    if platform.cores.len() < 2 {
        bail!("{file}: a platform of one core; {machine} has two: add `[coprocessor]`");
    }
    scratch::check()?;
    machine.check()?;
    let bar = Bar::new(2 * primitives.len() + 1);
    if !args.missing {
        bar.say(&format!("operations on {machine}"));
        tables.set_costs(&calibrate(machine, &[])?);
        tables.set_measured(&machine.measures_by()?, args.is_part());
    }
    bar.done();
    let wanted = match (args.missing, args.keep_splits) {
        (true, _) => Wanted::Missing,
        (_, true) => Wanted::SameSplits,
        _ => Wanted::All,
    };
    let splits = usize::from(args.splits);
    let mut bench = Bench::new(machine, file, tables, wanted, splits, args.is_part())?;
    let stop = stop();
    let is_over = || stop.load(Ordering::Relaxed);
    for &primitive in primitives.iter().filter(|_| !is_over()) {
        bar.say(&format!("{} on one core of {machine}", primitive.name()));
        args.kept(bench.one_core(primitive), &bench)?;
        bar.done();
    }
    if !is_over() {
        args.kept(bench.latencies(), &bench)?;
    }
    for &primitive in primitives.iter().filter(|_| !is_over()) {
        bar.say(&format!("{} on two cores of {machine}", primitive.name()));
        args.kept(bench.two_cores(primitive), &bench)?;
        bar.done();
    }
    bar.clear();
    if is_over() {
        complain(match &args.output {
            Some(_) => "interrupted: what was measured until then is written; --missing goes on",
            None => {
                "interrupted: nothing is written; with -o what was measured until then would be"
            }
        });
        return Ok(ExitCode::from(INTERRUPTED));
    }
    if args.output.is_none() {
        let mut output = Output::stdout()?;
        output.write(bench.text().as_bytes())?;
        output.finish()?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// The S12X: operations as the backends of its assembly write them, and hashes on the CPU, on
    /// XGATE and on both.
    fn s12x(&self) -> anyhow::Result<ExitCode> {
        if self.keep_splits {
            bail!(
                "{MACHINE}: its programs have no splits that a file names; leave out --keep-splits"
            );
        }
        let name = match &self.platform {
            Some(file) => file.to_str().with_context(|| format!("{file:?} is no UTF-8"))?,
            None => MACHINE,
        };
        let (file, text) = Platform::text(name)?;
        let mut tables = Tables::parse(&text)?;
        let known = Platform::parse(&file, &text)?.programs;
        if !tables.has_costs("coprocessor") {
            bail!("{file}: no costs of XGATE: add `[coprocessor]` with `word = 16` and its `cost`");
        }
        let primitives = self.primitives()?;
        self.check_output()?;
        let hashes: Vec<Algorithm> = primitives
            .into_iter()
            .filter_map(|of| if let Primitive::Hash(hash) = of { Some(hash) } else { None })
            .collect();
        let bar = Bar::new(hashes.len() + 1);
        if !self.missing {
            let begins = |name: &str, core: &str| bar.say(&format!("{name} on {MACHINE}, {core}"));
            s12x::operations(&mut tables, self.is_part(), &begins)?;
        }
        bar.done();
        // The CPU does not fall back, as with `run --paper`: the best share may depend on this.
        let search = Search { falls_back: false, ..Search::default() };
        let stop = stop();
        for hash in hashes {
            let is_wanted = |cores| !(self.missing && s12x::is_known(&known, hash, cores));
            if !Cores::ALL.iter().any(|&cores| is_wanted(cores)) {
                bar.done();
                continue;
            }
            bar.say(&format!("{hash} on {MACHINE}"));
            let is_over = || stop.load(Ordering::Relaxed);
            let is_wanted = |cores| !is_over() && is_wanted(cores);
            s12x::programs(&mut tables, hash, &search, self.is_part(), &is_wanted)?;
            if let Some(path) = &self.output {
                write_file(path, tables.to_string())?;
            }
            if stop.load(Ordering::Relaxed) {
                bar.clear();
                complain(match self.output {
                    Some(_) => "interrupted: --missing goes on",
                    None => "interrupted, and nothing was written: -o FILE keeps what is measured",
                });
                return Ok(ExitCode::from(INTERRUPTED));
            }
            bar.done();
        }
        bar.clear();
        match &self.output {
            Some(path) => write_file(path, tables.to_string())?,
            None => {
                let mut output = Output::stdout()?;
                output.write(tables.to_string().as_bytes())?;
                output.finish()?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Whether some of the file's figures stay as they are.
    fn is_part(&self) -> bool {
        self.missing || !self.only.is_empty()
    }

    /// Refuses a file of `--output` that cannot be written, before anything is measured.
    fn check_output(&self) -> anyhow::Result<()> {
        check_outputs([("--output", self.output.as_deref())])?;
        self.output.as_deref().map_or(Ok(()), probe_file)
    }

    /// Returns the primitives that are asked for; by default every hash, HMAC with each hash that
    /// it is defined for, and RC5. Hashes come first, because the times of HMAC rest on theirs.
    fn primitives(&self) -> anyhow::Result<Vec<Primitive>> {
        let mut all = match &self.only[..] {
            [] => Primitive::all(),
            names => names.iter().map(|name| named::emitted(name)).collect::<Result<_, _>>()?,
        };
        all.sort_by_key(|primitive| !matches!(primitive, Primitive::Hash(_)));
        for (i, &primitive) in all.iter().enumerate() {
            if all[..i].contains(&primitive) {
                bail!("{} is named twice", primitive.name());
            }
        }
        Ok(all)
    }

    /// Writes what is known after a step, so that nothing is lost if a later step fails. A step is
    /// no failure if the signal that stops this program also ended its compiler or simulator.
    fn kept(&self, step: Result<(), Error>, bench: &Bench) -> anyhow::Result<()> {
        if let (Err(error), false) = (step, stop().load(Ordering::Relaxed)) {
            return Err(error.into());
        }
        match &self.output {
            Some(path) => write_file(path, bench.text()),
            None => Ok(()),
        }
    }
}
