//! `manylane explore`: which shapes of a core are worth having.

mod answer;
mod page;
mod text;

use crate::emit::Delays;
use crate::synth::watch::Bar;
use crate::synth::{BuildOptions, INTERRUPTED};
use crate::terminal::output::{Output, complain};
use answer::{Agreement, Answer, Shape};
use anyhow::Context;
use manylane_answers::choices::one_of;
use manylane_answers::json;
use manylane_files::names;
use manylane_files::system::atomic::write_file;
use manylane_graph::trace;
use manylane_plan::hardware::{Adders, DelayModel, Precompute};
use manylane_primitives::catalog::Algorithm;
use manylane_synth::explore::{
    Candidate, Goal, Peers, PlannedFigures, Space, Subject, candidates, choose, frontier, spearman,
};
use manylane_synth::{CoreFigures, Error, Request, Target};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Build a hash's core in every sensible shape, and say which are worth having
///
/// Steps merged, stages, ways of adding and pre-computation are combined; equal shapes are built
/// once, and shapes that the planner predicts to be far worse than another are left out. Results
/// are kept: see `manylane synth`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub(crate) struct Args {
    /// A hash function of `manylane list`
    #[arg(value_name = "PRIMITIVE", value_parser = names::hash)]
    primitive: Algorithm,
    #[command(flatten)]
    building: BuildOptions,
    /// Recommend the fastest of at most this area, in the target's unit: LC, LUT4 or GE
    #[arg(long, value_name = "AREA", conflicts_with = "throughput", value_parser = limit())]
    budget: Option<u32>,
    /// Recommend the smallest of at least this many Mbit/s
    #[arg(long, value_name = "MBPS", value_parser = limit())]
    throughput: Option<u32>,
    /// Steps in one clock, such as 1,2 [default: the three least that are possible]
    #[arg(long, value_name = "K,...", value_delimiter = ',', value_parser = count())]
    merge: Vec<usize>,
    /// Stages of the pipeline [default: 1,2,4]
    #[arg(long, value_name = "P,...", value_delimiter = ',', value_parser = count())]
    stages: Vec<usize>,
    /// How sums are made [default: all]
    #[arg(long, value_name = "ADDERS,..\
                              .", value_delimiter = ',', value_parser = one_of(&Adders::ALL))]
    adders: Vec<Adders>,
    /// What is computed ahead [default: kw,full,auto]
    #[arg(
        long,
        value_name = "AHEAD,...",
        value_delimiter = ',',
        value_parser = one_of(&Precompute::ALL),
    )]
    precompute: Vec<Precompute>,
    /// How long operations take where the planner places registers and predicts, as `manylane emit
    /// rtl --target` [default: as on the target]
    #[arg(long, value_name = "MODEL")]
    delay: Option<Delays>,
    /// Build hopeless shapes too
    #[arg(long)]
    all: bool,
    /// List what would be built, and build nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Write explore.json, explore.svg and explore.html into this folder
    #[arg(short, long, value_name = "DIR", conflicts_with = "dry_run")]
    output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Examples:
  manylane explore sha256 --dry-run                     what would be built
  manylane explore sha256 --seeds 1 --stages 1          one stage, a quick look
  manylane explore sha1 --budget 2000                   the fastest that 2000 cells of an iCE40 hold
  manylane explore sha1 --target ecp5-85k --throughput 1000 -o sha1-shapes
  manylane explore blake256 --target generic-gates --budget 60000
  manylane explore md5 --merge 1,2 --adders chain,csa --precompute kw,auto --json

How to read it:
  *  no other shape is as small and as fast
  >  what is recommended: for --budget the fastest, for --throughput the smallest, else the one with
     the most Mbit/s per area

Tools are looked for first. Where standard error is no terminal, a line says now and then how far \
it is.

A shape takes from 20 seconds to minutes of a processor; --dry-run says how many there are, \
--merge, --stages, --adders and --precompute make them fewer. Ctrl-C stops; the same command goes \
on from there.

Throughput is with a message in every stage; `manylane synth --help` explains areas, tools and \
the environment.";

/// A shape is left out if another is predicted to be both smaller and faster by more than this
/// factor.
const MARGIN: f64 = 1.2;

fn count() -> impl clap::builder::TypedValueParser<Value = usize> {
    use clap::builder::TypedValueParser;
    clap::value_parser!(u64).range(1..=1 << 16).map(|n| n as usize)
}

/// Parses an area or a throughput that is asked for. 0 is refused: every shape would be too large,
/// or fast enough.
fn limit() -> impl clap::builder::TypedValueParser<Value = u32> {
    clap::value_parser!(u32).range(1..)
}

/// The drawing of what `--json` printed, as an SVG file.
///
/// # Errors
/// If it did not print that.
pub fn picture(json: &str) -> serde_json::Result<String> {
    Ok(page::scatter(&serde_json::from_str(json)?).file())
}

/// Explores the shapes. An interruption is a message and an exit status of its own, not an error.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match explored(args) {
        Err(error) if matches!(error.downcast_ref(), Some(Error::Interrupted)) => {
            complain(&error.to_string());
            Ok(ExitCode::from(INTERRUPTED))
        }
        other => other,
    }
}

fn explored(args: &Args) -> anyhow::Result<ExitCode> {
    let mut output = Output::stdout()?;
    if args.dry_run {
        let planned = text::planned(&args.candidates()?, args.building.target, args.json)?;
        output.write(planned.as_bytes())?;
        output.finish()?;
        return Ok(ExitCode::SUCCESS);
    }
    // A missing tool is reported before planning, which may take long.
    let workshop = args.building.workshop()?;
    args.output.as_deref().map_or(Ok(()), writable)?;
    let shapes = args.candidates()?;
    let requests: Vec<Request> =
        shapes.iter().map(|shape| args.building.request(shape.core.clone())).collect();
    let built = workshop.build(&requests)?;
    let answer = Answer::new(args, &shapes, built);
    let json = json(&answer)?;
    // A failure to write the folder is returned only after the answer is printed.
    let drawn = args.output.as_deref().map_or(Ok(()), |folder| answer.save(folder, &json));
    match args.json {
        true => output.write(json.as_bytes())?,
        false => output.write(text::text(&answer).as_bytes())?,
    }
    output.finish()?;
    drawn?;
    let any = answer.shapes.iter().any(|shape| shape.recommended);
    Ok(if any { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Checks that a folder can be written: makes it, and a temporary file in it.
fn writable(folder: &Path) -> anyhow::Result<()> {
    let probe = folder.join(format!("explore.{}.tmp", std::process::id()));
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&probe, ""))
        .and_then(|()| fs::remove_file(&probe))
        .with_context(|| folder.display().to_string())
}

impl Args {
    fn candidates(&self) -> anyhow::Result<Vec<Candidate>> {
        let compression = trace::compression(self.primitive);
        let name = self.primitive.to_string();
        let subject = Subject {
            compression: &compression,
            name: &name,
            title: self.primitive.id().entry().title,
            planned_for: self.delays().name(),
        };
        let space = Space {
            merge: self.merge.clone(),
            stages: self.stages.clone(),
            adders: self.adders.clone(),
            precompute: self.precompute.clone(),
            margin: if self.all { f64::INFINITY } else { MARGIN },
        };
        let model = DelayModel::load(self.delays().name())?;
        Ok(candidates(subject, &space, &model, self.building.jobs(), &Bar::planning())?)
    }

    fn delays(&self) -> Delays {
        self.delay.unwrap_or(match self.building.target {
            Target::Ice40Hx8k => Delays::Ice40,
            Target::Ecp5_85k => Delays::Ecp5,
            Target::GenericGates => Delays::Gates,
        })
    }

    fn goal(&self) -> Goal {
        match (self.budget, self.throughput) {
            (Some(area), _) => Goal::Budget(area.into()),
            (None, Some(mbps)) => Goal::Throughput(mbps.into()),
            (None, None) => Goal::Efficiency,
        }
    }

    /// The command line that makes the same answer again.
    fn command(&self) -> String {
        let mut line = format!("manylane explore {} {}", self.primitive, self.building.options());
        let mut list = |option: &str, values: &[String]| {
            if !values.is_empty() {
                line += &format!(" --{option} {}", values.join(","));
            }
        };
        list("merge", &texts(&self.merge));
        list("stages", &texts(&self.stages));
        list("adders", &texts(&self.adders));
        list("precompute", &texts(&self.precompute));
        list("delay", &texts(&self.delay.map(Delays::name).into_iter().collect::<Vec<_>>()));
        if self.all {
            line += " --all";
        }
        match self.goal() {
            Goal::Budget(area) => line += &format!(" --budget {area}"),
            Goal::Throughput(mbps) => line += &format!(" --throughput {mbps}"),
            Goal::Efficiency => {}
        }
        line
    }
}

fn texts<T: ToString>(values: &[T]) -> Vec<String> {
    values.iter().map(T::to_string).collect()
}

impl Answer {
    fn new(args: &Args, shapes: &[Candidate], built: Vec<Result<CoreFigures, Error>>) -> Self {
        let shape = |(shape, built): (&Candidate, Result<CoreFigures, Error>)| {
            let (measured, failed) = match built {
                Ok(measured) => (Some(measured), None),
                Err(error) => (None, Some(error.to_string())),
            };
            let command = shape.core.sheet.command.clone();
            let predicted = shape.predicted;
            Shape { command, predicted, measured, failed, best: false, recommended: false }
        };
        let mut shapes: Vec<Shape> = shapes.iter().zip(built).map(shape).collect();
        // Shapes are sorted by area; those without figures come last.
        let area = |shape: &Shape| shape.measured.as_ref().map_or(f64::INFINITY, |m| m.area.value);
        shapes.sort_by(|a, b| area(a).total_cmp(&area(b)));
        let figures: Vec<&CoreFigures> =
            shapes.iter().filter_map(|s| s.measured.as_ref()).collect();
        let points: Vec<[f64; 2]> = figures.iter().map(|m| [m.area.value, m.mbps]).collect();
        let agreement = Agreement::new(&shapes);
        let chosen = choose(&points, args.goal());
        let answer = text::answer(args.goal(), args.building.target, chosen.map(|i| figures[i]));
        for (i, best) in frontier(&points).into_iter().enumerate() {
            shapes[i].best = best;
            shapes[i].recommended = chosen == Some(i);
        }
        let primitive = args.primitive.to_string();
        Self {
            command: args.command(),
            title: args.primitive.id().entry().title.to_owned(),
            goal: args.goal(),
            answer,
            agreement,
            shapes,
            peers: Peers::of(&primitive, args.building.target),
            primitive,
        }
    }
}

impl Answer {
    /// Writes the result of the exploration as JSON, as a drawing and as a page.
    fn save(&self, folder: &Path, json: &str) -> anyhow::Result<()> {
        write_file(&folder.join("explore.json"), json)?;
        write_file(&folder.join("explore.svg"), page::scatter(self).file())?;
        write_file(&folder.join("explore.html"), page::page(self))
    }
}

impl Agreement {
    fn new(shapes: &[Shape]) -> Self {
        let pairs = |of: fn(&PlannedFigures, &CoreFigures) -> Option<(f64, f64)>| {
            let pairs = shapes.iter().filter_map(|s| of(&s.predicted, s.measured.as_ref()?));
            spearman(&pairs.collect::<Vec<_>>())
        };
        Self {
            throughput: pairs(|predicted, measured| Some((predicted.rate?, measured.mbps))),
            area: pairs(|predicted, measured| Some((predicted.area, measured.area.value))),
        }
    }
}
