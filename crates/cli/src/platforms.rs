//! `manylane platforms`.

mod measure;

use crate::page::explain::text::wrapped;
use crate::terminal::output::Output;
use manylane_answers::json_or_text;
use manylane_answers::plan::{endianness, plural, two_decimals};
use manylane_plan::Platform;
use manylane_plan::hardware::{self, DelayModel};
use manylane_plan::platform::Basis;
use manylane_plan::source::BuiltIn;
use manylane_plan::threads::{self, Pairing};
use serde::Serialize;
use std::fmt::Write;
use std::process::ExitCode;

/// List the machines that plans are made for, and how to describe your own
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    /// Print JSON, with every detail
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Measure(measure::Args),
}

const AFTER_HELP: &str = "\
Examples:
  manylane platforms
  manylane platforms --json | jq -r '.platforms[].name'
  manylane platforms measure ibex-duo         what compiled programs take, for a platform's file
  manylane plan sha256 --on rp2040            one of the platforms
  manylane plan sha256 --on ./my-board.toml   one of your own
  manylane plan sha256 --hardware --delay unit-adder";

/// The fields of `--json`.
#[derive(Serialize)]
struct Report {
    platforms: Vec<PlatformLine>,
    delay_models: Vec<ModelLine>,
    pairings: Vec<PairingLine>,
}

#[derive(Serialize)]
struct PlatformLine {
    name: String,
    title: String,
    source: String,
    /// Whether the costs are `measured`, an `estimate` or `defined`.
    basis: &'static str,
    /// The tool that measured the costs, and the date.
    measured_by: Option<String>,
    endianness: &'static str,
    /// Names of the cores, the main one first.
    cores: Vec<String>,
    /// The coprocessor's costs, divided by the main core's costs; 1 where it has costs of its own.
    speed: Option<f64>,
    /// Whether each core has its own cost of each operation.
    has_own_costs: bool,
    /// Cycles of a handshake from the main core to the other, and of one back.
    handshakes: Option<[f64; 2]>,
    contention: f64,
    /// Primitives with measured totals.
    measured: Vec<String>,
}

#[derive(Serialize)]
struct ModelLine {
    name: String,
    /// Other names that it is found by.
    aliases: &'static [&'static str],
    title: String,
    unit: String,
    register: f64,
}

#[derive(Serialize)]
struct PairingLine {
    name: String,
    title: String,
    source: String,
}

/// Prints the platforms, or runs the subcommand that measures one.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(Command::Measure(args)) = &args.command {
        return measure::run(args);
    }
    let text = json_or_text(&report()?, args.json, Report::text)?;
    let mut output = Output::stdout()?;
    output.write(text.as_bytes())?;
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn report() -> anyhow::Result<Report> {
    let platforms = Platform::builtin().into_iter().map(|platform| {
        let two = platform.cores.len() > 1;
        PlatformLine {
            cores: platform.cores.iter().map(|core| core.name.clone()).collect(),
            speed: platform.cores.get(1).map(|core| core.speed),
            has_own_costs: has_own_costs(&platform),
            handshakes: two.then(|| [1, 0].map(|to| platform.handshake.delay(to))),
            contention: platform.contention,
            measured: platform.totals.keys().cloned().collect(),
            basis: platform.basis.name(),
            endianness: endianness(&platform),
            measured_by: match platform.basis {
                Basis::Measured(by) => Some(by),
                Basis::Defined | Basis::Estimate => None,
            },
            name: platform.name,
            title: platform.title,
            source: platform.source,
        }
    });
    let models = hardware::BUILT_IN.iter().map(|BuiltIn { name, aliases, .. }| {
        let model = DelayModel::load(name)?;
        Ok(ModelLine {
            name: model.name,
            aliases,
            title: model.title,
            unit: model.unit,
            register: model.register_delay,
        })
    });
    let pairings = threads::BUILT_IN.iter().map(|BuiltIn { name, .. }| {
        let Pairing { name, title, source, .. } = Pairing::load(name)?;
        Ok(PairingLine { name, title, source })
    });
    Ok(Report {
        platforms: platforms.collect(),
        delay_models: models.collect::<anyhow::Result<_>>()?,
        pairings: pairings.collect::<anyhow::Result<_>>()?,
    })
}

/// Whether the coprocessor's costs are not the main core's times a number.
fn has_own_costs(platform: &Platform) -> bool {
    platform.cores.get(1).is_some_and(|core| core.costs.line != platform.cores[0].costs.line)
}

const INFALLIBLE: &str = "a String takes everything";

impl Report {
    /// Returns the report as text of at most 100 columns.
    fn text(&self) -> String {
        let mut out = String::from("TWO CORES, for manylane plan PRIMITIVE --on NAME\n");
        for line in &self.platforms {
            writeln!(out, "  {:<16} {}", line.name, line.title).expect(INFALLIBLE);
            if let (Some(speed), Some([there, back])) = (line.speed, line.handshakes) {
                let [there, back] = [there, back].map(two_decimals);
                let of_costs = match line.has_own_costs {
                    true => "each core has its own cost of each operation".to_owned(),
                    false => {
                        format!(
                            "{} takes {speed} of the cycles of {}",
                            line.cores[1], line.cores[0]
                        )
                    }
                };
                let about = format!("{of_costs}; a handshake takes {there} there and {back} back");
                out.push_str(&wrapped(&about, 6));
            }
            let basis = match (&line.measured_by, line.basis) {
                (Some(by), _) => format!("measured {by}"),
                (None, basis) => basis.to_owned(),
            };
            let costs = format!("costs: {basis}; {}-endian", line.endianness);
            out.push_str(&wrapped(&costs, 6));
            out.push_str(&wrapped(&format!("source: {}", line.source), 6));
        }
        out.push_str(&wrapped(
            "Write your own: cycles per operation of `[main.cost]`, a `[coprocessor]` with costs \
             or a \
             `speed`, a `[handshake]`, measured `[steps]` if there are any (docs/platforms.md).",
            2,
        ));
        out.push_str("\nDELAY MODELS, for manylane plan PRIMITIVE --hardware --delay NAME\n");
        for line in &self.delay_models {
            let about = format!(
                "{}; registers take {} of each clock, in {}",
                line.title,
                line.register,
                plural(&line.unit)
            );
            writeln!(out, "  {:<16} {about}", line.name).expect(INFALLIBLE);
            if !line.aliases.is_empty() {
                out.push_str(&wrapped(&format!("also found as {}", line.aliases.join(", ")), 6));
            }
        }
        out.push_str(&wrapped(
            "Write your own: `kind = \"delay\"`, then `[register]`, `[compress]`, and a number for \
             every \
             operation in `[delay]` and `[area]` (docs/platforms.md).",
            2,
        ));
        out.push_str("\nPAIRINGS, for manylane plan eta-t --threads P,... --on NAME\n");
        for line in &self.pairings {
            writeln!(out, "  {:<16} {}", line.name, line.title).expect(INFALLIBLE);
            out.push_str(&wrapped(&format!("source: {}", line.source), 6));
        }
        out.push_str(&wrapped(
            "Write your own: `kind = \"pairing\"`, the degree `m`, the cycles of the whole and of \
             the \
             operations of its `[field]` (docs/platforms.md). Pairings over fields of small \
             characteristic are broken: for research and teaching only.",
            2,
        ));
        out.push_str(
            "\nWherever a name can stand, the path of a .toml file can: manylane plan sha256 --on \
             ./mine.toml\n",
        );
        out
    }
}
