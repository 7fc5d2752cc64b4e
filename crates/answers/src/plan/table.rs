//! What was measured on both cores of a platform beside what its costs predict: Table II of
//! "dual-core-microcontrollers".

use super::args::{Args, PAPER};
use super::equations::hundredths;
use super::format::two_decimals;
use super::platform_line::PlatformLine;
use crate::json_or_text;
use crate::named;
use anyhow::{Context, bail};
use manylane_build::{Lengths, Primitive};
use manylane_pages::INFALLIBLE;
use manylane_pages::explain::text::wrapped;
use manylane_plan::Platform;
use manylane_plan::platform::{MAIN, SplitTime};
use manylane_plan::two_core::{assigned, part_saved};
use serde::Serialize;
use std::fmt::Write;

/// Everything that is printed of the table: the fields of `--json`, see docs/plan-json.md.
#[derive(Debug, Serialize)]
struct Answer {
    kind: &'static str,
    platform: PlatformLine,
    estimate: bool,
    answer: String,
    /// Root of the mean square of the differences, and the largest of them, in points; without the
    /// exceptions.
    rmse: Option<f64>,
    worst: Option<f64>,
    rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    primitive: String,
    length: Option<usize>,
    main_cycles: f64,
    measured_cycles: f64,
    predicted_cycles: f64,
    /// Parts saved of the main core's time.
    measured: f64,
    predicted: f64,
    /// Predicted less measured, in percentage points.
    difference: f64,
    exception: Option<String>,
}

/// Compares the measured splits of a platform with predictions, all of them or those of `only`.
pub fn run(args: &Args, only: Option<&str>) -> anyhow::Result<String> {
    let platform = Platform::load(args.on.as_deref().unwrap_or(PAPER))?;
    let only = only.map(named::primitive).transpose()?.map(|primitive| primitive.to_string());
    let mut rows = Vec::new();
    for split in &platform.splits {
        let name = &split.primitive;
        let primitive = primitive(name).with_context(|| format!("{}: [split]", platform.file))?;
        if only.as_ref().is_some_and(|only| *only != primitive.to_string()) {
            continue;
        }
        rows.extend(of_split(split, primitive, &platform)?);
    }
    if rows.is_empty() {
        let of = only.map_or(String::new(), |only| format!(" of {only}"));
        bail!(
            "nothing{of} was measured on both cores of {}: give [split] in its file, as \
             platforms/{PAPER}.toml does",
            platform.name
        );
    }
    let known = || rows.iter().filter(|row| row.exception.is_none()).map(|row| row.difference);
    let count = known().count();
    let rmse = (count > 0).then(|| (known().map(|d| d * d).sum::<f64>() / count as f64).sqrt());
    let worst = known().max_by(|a, b| a.abs().total_cmp(&b.abs()));
    let exceptions: Vec<&str> = {
        let mut names: Vec<&str> = (rows.iter().filter(|row| row.exception.is_some()))
            .map(|row| &row.primitive[..])
            .collect();
        names.dedup();
        names
    };
    let apart = match exceptions[..] {
        [] => String::new(),
        _ => format!(", {} apart", exceptions.join(", ")),
    };
    let answer = match (rmse, worst) {
        (Some(rmse), Some(worst)) => format!(
            "{count} of {} {} predicted with an error of {rmse:.2} points (RMSE), the worst \
             {worst:+.2}{apart}",
            rows.len(),
            match (rows.len(), count) {
                (1, _) => "figure is",
                (_, 1) => "figures is",
                _ => "figures are",
            }
        ),
        _ => match rows.len() {
            1 => "1 figure, an exception".to_owned(),
            figures => format!("{figures} figures, all of them exceptions"),
        },
    };
    let platform = PlatformLine::new(&platform);
    let answer = Answer {
        kind: "measured splits",
        estimate: platform.is_estimate(),
        answer,
        platform,
        rmse,
        worst,
        rows,
    };
    json_or_text(&answer, args.json, Answer::text)
}

/// The primitive that a name in a platform's file stands for; that of a function of a cipher stands
/// for the cipher.
fn primitive(name: &str) -> anyhow::Result<Primitive> {
    let (name, function) = match name.split_once('.') {
        Some((name, function)) => (name, Some(function)),
        None => (name, None),
    };
    // RC5's parameters are parted by slashes, which names of functions do not have.
    let primitive = match name.strip_prefix("rc5-") {
        Some(parameters) => named::primitive(&format!("rc5-{}", parameters.replace('-', "/")))?,
        None => named::primitive(name)?,
    };
    match (primitive, function) {
        (_, None) | (Primitive::Rc5(_), Some("encryption" | "decryption")) => Ok(primitive),
        (Primitive::Rc5(_), Some(function)) => {
            bail!("{primitive} has no `{function}`: write {name}.encryption or {name}.decryption")
        }
        (Primitive::Hash(_) | Primitive::Hmac(_), Some(function)) => {
            bail!("{primitive} is a hash function and has no `{function}`: write {name}")
        }
    }
}

fn of_split(
    split: &SplitTime,
    primitive: Primitive,
    platform: &Platform,
) -> anyhow::Result<Vec<Row>> {
    let decrypt = split.primitive.ends_with(".decryption");
    let row = |&(length, measured_cycles): &(Option<usize>, f64)| {
        let lengths = Lengths { message: length, key: None, fixed: false, decrypt };
        let function = primitive.function(lengths, platform)?;
        let total = primitive.total(lengths, platform);
        let Some(found) = assigned(&function, platform, total)? else {
            bail!("no step of {primitive} is one that the paper gives to the coprocessor");
        };
        let (main_cycles, predicted_cycles) = (found.costs.work(MAIN), found.schedule.end);
        let [measured, predicted] =
            [measured_cycles, predicted_cycles].map(|cycles| part_saved(cycles, main_cycles));
        Ok(Row {
            primitive: primitive.to_string(),
            length,
            main_cycles,
            measured_cycles,
            predicted_cycles,
            measured,
            predicted,
            difference: 100.0 * (predicted - measured),
            exception: split.exception.clone(),
        })
    };
    split.cycles.iter().map(row).collect()
}

impl Answer {
    fn text(&self) -> String {
        let mut out = wrapped(&self.platform.told(&self.answer), 0);
        let about =
            "part of the main core's time that the paper's split saves, measured and predicted";
        out.push_str(&wrapped(&format!("{}: {about}", self.platform.title), 0));
        let header =
            ["PRIMITIVE", "BYTES", "MAIN CORE", "BOTH CORES", "MEASURED", "PREDICTED", "POINTS"];
        let [name, bytes, main, both, measured, predicted, points] = header;
        writeln!(
            out,
            "\n  {name:<18} {bytes:>6} {main:>12} {both:>12} {measured:>10} {predicted:>10} \
             {points:>8}"
        )
        .expect(INFALLIBLE);
        let mut exceptions: Vec<(&str, &str)> = Vec::new();
        for row in &self.rows {
            let bytes = row.length.map_or_else(|| "-".to_owned(), |length| length.to_string());
            let mark = match &row.exception {
                Some(why) => {
                    exceptions.push((&row.primitive, why));
                    "  exception"
                }
                None => "",
            };
            writeln!(
                out,
                "  {:<18} {bytes:>6} {:>12} {:>12} {:>10} {:>10} {:>+8.2}{mark}",
                row.primitive,
                two_decimals(row.main_cycles),
                two_decimals(row.measured_cycles),
                hundredths(row.measured),
                hundredths(row.predicted),
                row.difference,
            )
            .expect(INFALLIBLE);
        }
        exceptions.dedup();
        if !exceptions.is_empty() {
            out.push_str("\nEXCEPTIONS\n");
        }
        for (primitive, why) in exceptions {
            out.push_str(&wrapped(&format!("{primitive}: {why}"), 2));
        }
        out
    }
}
