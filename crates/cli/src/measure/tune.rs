//! `manylane tune`.

use crate::terminal::output::{Output, complain};
use anyhow::bail;
use indicatif::{ProgressBar, ProgressStyle};
use manylane_answers::choices::distinct;
use manylane_answers::json;
use manylane_engine::HashId;
use manylane_engine::tuning::{KernelName, Tuning, family, knows_this_core, selection};
use manylane_files::names::{self, Named};
use manylane_files::system::reason;
use manylane_measure::cpu;
use manylane_measure::timing::pin_to_one_core;
use manylane_measure::tuning::{self, TablePlace, name};
use serde::Serialize;
use std::fmt::Write;
use std::io;
use std::process::ExitCode;

/// Measure the kernels of this CPU, so that the fastest serve
///
/// The times of the kernels decide which of them serves how many messages. Times are built in for
/// some cores, and others go by those of similar cores; this command measures them on this very CPU
/// and keeps the table in the user's cache, where `sum` and `bench` find it. The table changes the
/// speed and never a digest.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub struct Args {
    /// What to measure, as `manylane list` shows it; the rest stays as it is [default: every hash]
    #[arg(value_name = "PRIMITIVE")]
    primitives: Vec<String>,
    /// Measure and print, but keep nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Print the table that is in use, the built-in one if there is no other, and measure nothing
    #[arg(long, conflicts_with_all = ["dry_run", "clear", "runs", "primitives"])]
    show: bool,
    /// Remove the table: the built-in one serves again
    #[arg(long, conflicts_with_all = ["dry_run", "json", "runs", "primitives"])]
    clear: bool,
    /// Print JSON, with the time of every kernel
    #[arg(long)]
    json: bool,
    /// Runs of each measurement, of which the median counts
    #[arg(
        long,
        value_name = "N",
        default_value_t = 9,
        value_parser = clap::value_parser!(u32).range(1..=99),
    )]
    runs: u32,
}

const AFTER_HELP: &str = "\
Examples:
  manylane tune                 measure everything, some 20 seconds, on a machine with little to do
  manylane tune sha256 blake256
  manylane tune --dry-run       what it would change
  manylane tune --show
  manylane tune --clear

A row says for which numbers of messages in hand another kernel serves than the built-in table \
has, and how many times as fast it computes them. RC5 and the pairing have one order of engines \
on every CPU; HMAC goes by its hash.

Environment:
  MANYLANE_TUNING   the file of the table, in place of the one in the cache; off: no table";

/// The measured table, beside the built-in one.
#[derive(Serialize)]
struct Report {
    cpu: String,
    /// Where the table is; none if it is not kept.
    file: Option<String>,
    families: Vec<Family>,
}

/// Hashes that share their kernels.
#[derive(Serialize)]
struct Family {
    primitives: Vec<&'static str>,
    kernels: Vec<Time>,
    choice: Vec<Range>,
}

#[derive(Serialize)]
struct Time {
    kernel: String,
    /// The time of one call of the kernel, for each block of a message.
    nanoseconds: f64,
}

/// A range of numbers of messages for which each of the tables chooses one kernel.
#[derive(Serialize)]
struct Range {
    from: usize,
    to: usize,
    built_in: String,
    measured: String,
    /// The least and the most speed of the measured choice, over that of the built-in one.
    gain: [f64; 2],
}

/// Measures the kernels of the hashes and keeps the table, or shows or removes the kept table.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let place = TablePlace::find()?;
    let mut output = Output::stdout()?;
    if args.clear {
        output.write(clear(&place)?.as_bytes())?;
    } else if args.show {
        output.write(show(&place, args.json)?.as_bytes())?;
    } else {
        let hashes = hashes(&args.primitives)?;
        // A table that cannot be written is reported before the measurement, which takes minutes.
        let kept = if args.dry_run { None } else { Some(kept(&place)?) };
        let measured = measure(&hashes, args.runs)?;
        let mut file = None;
        if let Some(mut table) = kept {
            for hash in measured.hashes() {
                let times = measured.times(hash).expect("a hash of the table");
                times.iter().for_each(|(kernel, time)| table.set(hash, kernel, time));
            }
            place.write(&table)?;
            file = Some(name(place.file()?));
        }
        let report = Report::new(&measured, file)?;
        output.write(report.print(args.json)?.as_bytes())?;
    }
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn clear(place: &TablePlace) -> anyhow::Result<String> {
    let file = place.file()?;
    place.check_is_table()?;
    match std::fs::remove_file(file) {
        Ok(()) => Ok(format!("removed {}\n", name(file))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(format!("there is no {}\n", name(file)))
        }
        Err(error) => bail!("{}: {}", name(file), reason(&error)),
    }
}

fn show(place: &TablePlace, is_json: bool) -> anyhow::Result<String> {
    match place.read()? {
        Some(table) if is_json => Report::new(&table, Some(name(place.file()?)))?.print(true),
        Some(table) => Ok(format!("# {}\n{table}", name(place.file()?))),
        None => BuiltIn::new()?.print(is_json),
    }
}

/// The present table, to which times are added; an empty one if the present one cannot be used.
/// Fails if the table could not be written.
fn kept(place: &TablePlace) -> anyhow::Result<Tuning> {
    place.probe()?;
    place.check_is_table()?;
    let found = place.read().unwrap_or_else(|error| {
        complain(&format!("{error:#}\nit is replaced"));
        None
    });
    Ok(found.unwrap_or_else(|| Tuning::new(&cpu::identity())))
}

/// The first hash of each family of which a hash is named; of all families if none is named.
fn hashes(named: &[String]) -> anyhow::Result<Vec<HashId>> {
    let mut hashes = Vec::new();
    for name in named {
        let (Named::Hash(hash) | Named::Hmac(hash)) = names::parse(name)?;
        hashes.push(hash.id());
    }
    if named.is_empty() {
        hashes.extend(HashId::ALL);
    }
    Ok(distinct(hashes.into_iter().map(|hash| family(hash)[0])))
}

/// Times the kernels of each hash in turn.
fn measure(hashes: &[HashId], runs: u32) -> anyhow::Result<Tuning> {
    if let Err(error) = pin_to_one_core() {
        complain(&format!("cannot stay on one core ({error}): the times may be worse"));
    }
    let style = ProgressStyle::with_template("{bar:30} {msg}");
    // The bar shows nothing where standard error is no terminal.
    let bar = ProgressBar::new(hashes.len() as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let mut measured = Tuning::new(&cpu::identity());
    for &hash in hashes {
        bar.set_message(hash.name());
        tuning::measure(&mut measured, hash, |kernels| kernels.medians(runs))?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(measured)
}

impl Report {
    fn new(table: &Tuning, file: Option<String>) -> anyhow::Result<Self> {
        let families = table.hashes().map(|hash| Family::new(hash, table));
        let families = families.collect::<anyhow::Result<_>>()?;
        Ok(Self { cpu: cpu::name(), file, families })
    }

    fn print(&self, is_json: bool) -> anyhow::Result<String> {
        if is_json {
            return json(self);
        }
        let mut out = format!("{}\n\n", self.cpu);
        let changed = |family: &&Family| family.choice.iter().any(Range::is_change);
        let count = self.families.iter().filter(changed).count();
        if count > 0 {
            out.push_str(
                "PRIMITIVES                MESSAGES  BUILT IN         MEASURED         TIMES AS \
                 FAST\n",
            );
        }
        for family in self.families.iter().filter(changed) {
            let title = title(&family.primitives);
            for Range { from, to, built_in, measured, gain: [least, most] } in
                family.choice.iter().filter(|range| range.is_change())
            {
                let messages = messages(*from, *to);
                let mut gain = format!("{least:.2}");
                if most - least >= 0.01 {
                    write!(gain, " to {most:.2}")?;
                }
                writeln!(out, "{title:<25} {messages:<9} {built_in:<16} {measured:<16} {gain}")?;
            }
        }
        writeln!(
            out,
            "the built-in choice holds for {} of {} families of hashes",
            self.families.len() - count,
            self.families.len()
        )?;
        match &self.file {
            Some(file) => writeln!(out, "written to {file}")?,
            None => out.push_str("nothing was written\n"),
        }
        Ok(out)
    }
}

/// The built-in table, where nothing was measured.
#[derive(Serialize)]
struct BuiltIn {
    cpu: String,
    file: Option<String>,
    /// Whether the table is of this very core. If not, tables of similar cores stand in for it.
    of_this_core: bool,
    families: Vec<BuiltInFamily>,
}

/// As [`Family`], without times.
#[derive(Serialize)]
struct BuiltInFamily {
    primitives: Vec<&'static str>,
    choice: Vec<BuiltInRange>,
}

/// A range of numbers of messages for which the table chooses one kernel.
#[derive(Serialize)]
struct BuiltInRange {
    from: usize,
    to: usize,
    built_in: String,
}

impl BuiltIn {
    fn new() -> anyhow::Result<Self> {
        let families = hashes(&[])?.into_iter().map(BuiltInFamily::new);
        let families = families.collect::<anyhow::Result<_>>()?;
        Ok(Self { cpu: cpu::name(), file: None, of_this_core: knows_this_core(), families })
    }

    fn print(&self, is_json: bool) -> anyhow::Result<String> {
        if is_json {
            return json(self);
        }
        let whose = match self.of_this_core {
            true => "of this core",
            false => "of similar cores, which stand in for this one",
        };
        let mut out = format!(
            "{}\n\nnothing was measured here: the built-in table serves, {whose}; `manylane tune` \
             measures\n\nPRIMITIVES                MESSAGES  BUILT IN\n",
            self.cpu
        );
        for BuiltInFamily { primitives, choice } in &self.families {
            for BuiltInRange { from, to, built_in } in choice {
                let (title, messages) = (title(primitives), messages(*from, *to));
                writeln!(out, "{title:<25} {messages:<9} {built_in}")?;
            }
        }
        Ok(out)
    }
}

impl BuiltInFamily {
    fn new(hash: HashId) -> anyhow::Result<Self> {
        let mut choice: Vec<BuiltInRange> = Vec::new();
        for (kernel, n) in selection(hash, None)?.into_iter().zip(1..) {
            let built_in = kernel.to_string();
            match choice.last_mut() {
                Some(last) if last.built_in == built_in => last.to = n,
                _ => choice.push(BuiltInRange { from: n, to: n, built_in }),
            }
        }
        let primitives = family(hash).into_iter().map(|id| id.name()).collect();
        Ok(Self { primitives, choice })
    }
}

/// The names of a family: the first to the last.
fn title(primitives: &[&str]) -> String {
    match primitives {
        [first, .., last] => format!("{first} to {last}"),
        _ => primitives.concat(),
    }
}

/// A range of numbers of messages, as text.
fn messages(from: usize, to: usize) -> String {
    if from == to { from.to_string() } else { format!("{from} to {to}") }
}

impl Family {
    fn new(hash: HashId, table: &Tuning) -> anyhow::Result<Self> {
        let times = table.times(hash).expect("a hash of the table");
        // Nanoseconds per block of `n` messages of like length; `chosen[k - 1]` is the kernel that
        // is called while `k` messages are left.
        let time = |chosen: &[KernelName], n: usize| {
            let (mut time, mut left) = (0.0, n);
            while left > 0 {
                let kernel = chosen[left - 1];
                time += times.get(kernel).expect("a kernel of the table");
                left = left.saturating_sub(kernel.lanes);
            }
            time
        };
        let mut choice: Vec<Range> = Vec::new();
        let (by_constants, by_table) = (selection(hash, None)?, selection(hash, Some(table))?);
        for n in 1..=by_table.len() {
            let gain = time(&by_constants, n) / time(&by_table, n);
            let (built_in, measured) =
                (by_constants[n - 1].to_string(), by_table[n - 1].to_string());
            match choice.last_mut() {
                Some(last) if (&last.built_in, &last.measured) == (&built_in, &measured) => {
                    last.to = n;
                    last.gain = [last.gain[0].min(gain), last.gain[1].max(gain)];
                }
                _ => choice.push(Range { from: n, to: n, built_in, measured, gain: [gain; 2] }),
            }
        }
        let kernels = times
            .iter()
            .map(|(kernel, nanoseconds)| Time { kernel: kernel.to_string(), nanoseconds });
        Ok(Self {
            primitives: family(hash).into_iter().map(|id| id.name()).collect(),
            kernels: kernels.collect(),
            choice,
        })
    }
}

impl Range {
    fn is_change(&self) -> bool {
        self.built_in != self.measured
    }
}
