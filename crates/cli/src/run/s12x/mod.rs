//! `manylane run --on s12x-xgate`: primitives in assembly on the S12X that is simulated here.

mod tables;

use crate::synth::INTERRUPTED;
use crate::synth::watch::stop;
use crate::terminal::bar::Bar;
use crate::terminal::output::{Output, complain};
use manylane_answers::{json_or_text, named};
use manylane_build::Primitive;
use manylane_build::asm::{MACHINE, Search, assembled};
use manylane_build::run::s12x::{PREFIX, Row, paper, set_gains};
use manylane_emit::asm::Cores;
use manylane_plan::Platform;
use serde::Serialize;
use std::fmt::Write;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

/// How much of what was asked for was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Whole,
    /// All but so many programs, which do not fit.
    Refused(usize),
    /// A signal came.
    Interrupted,
}

impl Ended {
    /// The result with one more program that does not fit.
    fn and_refused(self) -> Self {
        match self {
            Self::Whole => Self::Refused(1),
            Self::Refused(count) => Self::Refused(count + 1),
            Self::Interrupted => self,
        }
    }
}

/// The runs that are asked for.
pub struct Asked<'a> {
    /// The primitive, or all of them.
    pub primitive: Option<&'a str>,
    /// Whether the paper's tables are asked for.
    pub paper: bool,
    /// The cores that compute; each entry is a run of its own.
    pub cores: Vec<Cores>,
    /// Bytes of each message that is hashed or encrypted.
    pub lengths: Vec<usize>,
    /// The requirements on the shape of XGATE's part.
    pub search: Search,
    /// Whether the table is printed as JSON.
    pub json: bool,
}

/// Runs one primitive, all of them or the paper's rows on the simulated chip, and prints the table.
pub fn run(asked: &Asked<'_>) -> anyhow::Result<ExitCode> {
    if asked.paper {
        // Each hash has two rows.
        let count = paper::rows().len() / 2 + 1;
        let bar = Bar::new(count);
        let (mut rows, whole) = tables::run_all(&asked.search, &bar)?;
        bar.clear();
        set_gains(&mut rows);
        let ended = if whole { Ended::Whole } else { Ended::Interrupted };
        return print(&rows, ended, asked.json, tables::tables(&rows));
    }
    let primitives = primitives(asked.primitive)?;
    let bar = Bar::new(primitives.len());
    let platform = Platform::load(MACHINE).ok();
    let mut rows = Vec::new();
    let mut ended = Ended::Whole;
    let stop = stop();
    'all: for primitive in primitives {
        let name = primitive.name();
        for &cores in &asked.cores {
            bar.say(&format!("{name} on {cores} of {MACHINE}"));
            let assembled = match assembled(primitive, cores, &asked.search, PREFIX) {
                Ok(assembled) => assembled,
                // A program that does not fit is reported, and the others are run.
                Err(why) if asked.primitive.is_none() => {
                    complain(&format!(
                        "{name} on {cores}: not run: {:#}",
                        anyhow::Error::from(why)
                    ));
                    ended = ended.and_refused();
                    continue;
                }
                Err(why) => return Err(why.into()),
            };
            for &length in &asked.lengths {
                if stop.load(Ordering::Relaxed) {
                    ended = Ended::Interrupted;
                    break 'all;
                }
                rows.push(Row::new(&*assembled, cores, platform.as_ref(), length)?);
            }
        }
        bar.done();
    }
    bar.clear();
    set_gains(&mut rows);
    let text = table(&rows);
    print(&rows, ended, asked.json, text)
}

/// The primitive of a name, or all of them.
fn primitives(name: Option<&str>) -> anyhow::Result<Vec<Primitive>> {
    match name {
        Some(name) => Ok(vec![named::emitted(name)?]),
        None => Ok(Primitive::all()),
    }
}

fn print(rows: &[Row], ended: Ended, json: bool, text: String) -> anyhow::Result<ExitCode> {
    #[derive(Serialize)]
    struct Report<'r> {
        /// Whether all that was asked for was run.
        whole: bool,
        rows: &'r [Row],
    }
    let whole = ended == Ended::Whole;
    let text = json_or_text(&Report { whole, rows }, json, |_| text)?;
    let mut output = Output::stdout()?;
    output.write(text.as_bytes())?;
    output.finish()?;
    if ended == Ended::Interrupted {
        complain(&format!("interrupted: {} rows", rows.len()));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let failed = rows.iter().filter(|row| !row.digest_ok).count();
    if failed > 0 {
        complain(&format!("{failed} of {} digests differ from the definition's", rows.len()));
        return Ok(ExitCode::FAILURE);
    }
    if let Ended::Refused(count) = ended {
        complain(&format!("{count} programs were not run, for the reasons above"));
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// The rows as a table of at most 100 columns.
fn table(rows: &[Row]) -> String {
    let mut out = format!(
        "MC9S12XDT512: CPU12X and XGATE, bus cycles\n\n\
         {:14} {:>5} {:>6} {:>8} {:>8} {:>9} {:>8} {:>6} {:>7} {:>6} {:>6}\n",
        "primitive",
        "cores",
        "bytes",
        "cycles",
        "a block",
        "predicted",
        "paper",
        "shakes",
        "waits",
        "code",
        "digest"
    );
    for row in rows {
        let number =
            |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.0}"));
        let _ = writeln!(
            out,
            "{:14} {:>5} {:>6} {:>8} {:>8} {:>9} {:>8} {:>6} {:>7.0} {:>6} {:>6}",
            row.primitive,
            row.cores,
            row.length,
            row.cycles,
            number(row.cycles_per_block),
            tables::prediction(row),
            number(row.paper_cycles.map(|of| of as f64)),
            row.handshakes,
            row.waits,
            row.code_bytes,
            if row.digest_ok { "ok" } else { "WRONG" },
        );
    }
    out + &tables::explanation(rows)
}
