//! Equations (1) to (4) of "dual-core-microcontrollers", step by step.

use super::args::Args;
use super::format::percent;
use super::platform_line::PlatformLine;
use super::subject::{lengths, title, what};
use super::text::cycles;
use crate::choices::distinct;
use crate::json_or_text;
use anyhow::bail;
use manylane_build::Primitive;
use manylane_graph::Function;
use manylane_pages::explain::text::wrapped;
use manylane_pages::{INFALLIBLE, apart, thousands};
use manylane_plan::Platform;
use manylane_plan::assignments::Assignments;
use manylane_plan::two_core::equations::{Sheet, Term};
use manylane_plan::two_core::part_saved;
use serde::Serialize;
use std::fmt::Write;

/// Everything that is printed of the equations: the fields of `--json`, see docs/plan-json.md.
#[derive(Debug, Serialize)]
struct Answer {
    kind: &'static str,
    primitive: String,
    title: String,
    what: String,
    length: Option<usize>,
    key_length: Option<usize>,
    platform: PlatformLine,
    estimate: bool,
    measured_total: Option<f64>,
    answer: String,
    #[serde(flatten)]
    sheet: Sheet,
    saved: f64,
    saved_with_slack: f64,
    saved_by_parallelism: f64,
    measured: Option<MeasuredSplit>,
    /// Why the costs do not predict the measured time, if the platform's file says so.
    exception: Option<String>,
    #[serde(skip)]
    has_programs: bool,
}

/// The times measured on both cores.
#[derive(Clone, Copy, Debug, Serialize)]
struct MeasuredSplit {
    cycles: f64,
    saved: f64,
    saved_by_parallelism: f64,
}

/// Evaluates the equations for a primitive on the platform `name`, which must have two cores.
pub fn run(args: &Args, primitive: Primitive, name: &str) -> anyhow::Result<String> {
    let platform = Platform::load(name)?;
    if platform.cores.len() == 1 {
        bail!("{} has one core: the equations are about two", platform.name);
    }
    let asked = &args.two_core;
    // The paper's example is the empty message.
    let lengths = lengths(primitive, asked, Some(0))?;
    let function = primitive.function(lengths, &platform)?;
    let total = primitive.total(lengths, &platform);
    let Some(sheet) = Sheet::of(&function, &platform, total, asked.tau)? else {
        let assignments = Assignments::built_in().iter().flat_map(|paper| &paper.all);
        let names = assignments.flat_map(|assignment| &assignment.primitives);
        let known: Vec<&str> = distinct(names.map(|name| &name[..]));
        if known.contains(&&primitive.name()[..]) {
            bail!(
                "the steps of {primitive} that the paper gives to the coprocessor are halves of \
                 its words, which are steps only where two of them cost no more than the word; on \
                 {} they cost more: name another platform, such as rp2040",
                platform.name
            );
        }
        bail!(
            "no step of {primitive} is one that the paper gives to the coprocessor; it has such \
             steps of {}",
            known.join(", ")
        );
    };
    let (measured, exception) = measured(primitive, lengths.message, &platform, &function).unzip();
    let measured = measured.map(|cycles| MeasuredSplit {
        cycles,
        saved: part_saved(cycles, sheet.main),
        saved_by_parallelism: (sheet.in_turn - cycles) / sheet.main,
    });
    let exception = exception.flatten();
    let part = |gain: f64| if sheet.main > 0.0 { gain / sheet.main } else { 0.0 };
    let [saved, saved_with_slack, saved_by_parallelism] =
        [sheet.gain, sheet.gain_with_slack, sheet.parallel].map(part);
    let what = what(primitive, lengths);
    let answer = format!(
        "{primitive}, {what}: by (4) the steps given away gain {} cycles, {} of the main core's \
         {}; {} \
         if c ≥ s·T for each of them",
        cycles(sheet.gain),
        percent(saved),
        cycles(sheet.main),
        cycles(sheet.gain_with_slack),
    );
    let has_programs = !platform.programs.is_empty();
    let platform = PlatformLine::new(&platform);
    let answer = Answer {
        kind: "equations",
        primitive: primitive.to_string(),
        title: title(primitive),
        what,
        length: lengths.message,
        key_length: lengths.key,
        estimate: platform.is_estimate(),
        measured_total: total,
        answer: platform.told(&answer),
        platform,
        sheet,
        saved,
        saved_with_slack,
        saved_by_parallelism,
        measured,
        exception,
        has_programs,
    };
    json_or_text(&answer, args.json, Answer::text)
}

/// Cycles that were measured on both cores, and why the costs do not predict them, if known.
fn measured(
    primitive: Primitive,
    length: Option<usize>,
    platform: &Platform,
    function: &Function,
) -> Option<(f64, Option<String>)> {
    let name = primitive.to_string();
    let known = |split: &&manylane_plan::platform::SplitTime| match length {
        Some(_) => split.primitive == name,
        None => split.primitive == function.name,
    };
    let split = platform.splits.iter().find(known)?;
    let &(_, cycles) = split.cycles.iter().find(|(bytes, _)| *bytes == length)?;
    Some((cycles, split.exception.clone()))
}

/// A figure with at most two digits behind the point.
fn short(figure: f64) -> String {
    let rounded = (100.0 * figure).round() / 100.0;
    let whole = format!("{:.0}", rounded.abs().trunc());
    let sign = if rounded < 0.0 { "-" } else { "" };
    let rest = format!("{:.2}", rounded.abs().fract());
    let rest = rest.trim_start_matches('0').trim_end_matches('0').trim_end_matches('.');
    format!("{sign}{}{rest}", apart(&whole))
}

impl Answer {
    fn text(&self) -> String {
        let mut out = wrapped(&self.answer, 0);
        out.push_str(&wrapped(&format!("on {}", self.platform.title), 0));
        if let Some(costs) = self.platform.costs() {
            out.push_str(&wrapped(&costs, 0));
        }
        writeln!(
            out,
            "\n  {:<22} {:>6} {:>11} {:>6} {:>11} {:>6} {:>13} {:>14}",
            "STEP", "r", "T", "s", "c", "τ", "GAIN OF ONE", "GAIN OF ALL"
        )
        .expect(INFALLIBLE);
        for Term { name, time, slack, s, exchange, times, gain, total } in &self.sheet.terms {
            writeln!(
                out,
                "  {name:<22} {:>6} {:>11} {:>6} {:>11} {:>6} {:>13} {:>14}",
                thousands(*times),
                short(*time),
                format!("{:.3}", s).trim_end_matches('0').trim_end_matches('.'),
                short(*slack),
                short(*exchange),
                short(*gain),
                short(*total),
            )
            .expect(INFALLIBLE);
        }
        out.push('\n');
        let Self { sheet, .. } = self;
        let mut lines = vec![
            format!(
                "sum by (4): {} cycles, {} of {} on the main core alone",
                short(sheet.gain),
                percent(self.saved),
                short(sheet.main)
            ),
            format!(
                "sum if c ≥ s·T for every step, as in the paper's example: {} cycles, {}",
                short(sheet.gain_with_slack),
                percent(self.saved_with_slack)
            ),
            format!(
                "of the former {} by parallelism, both cores at work; the rest by the \
                 coprocessor's speed",
                hundredths(self.saved_by_parallelism)
            ),
        ];
        if let Some(measured) = self.measured {
            lines.push(format!(
                "measured: {} cycles on both cores, {} saved, {} by parallelism",
                cycles(measured.cycles),
                hundredths(measured.saved),
                hundredths(measured.saved_by_parallelism)
            ));
        }
        if let Some(why) = &self.exception {
            lines.push(format!("the measured time is an exception: {why}"));
        }
        if self.has_programs {
            lines.push(
                "the equations price operations; without --equations the first lines say what \
                 emitted programs take"
                    .to_owned(),
            );
        }
        lines.push(
            "T, c and τ are cycles of the main core: what one step takes on it, how long it has \
             other \
             things to do until it needs the output (counted up to s·T, beyond which nothing is \
             gained; a mean), and the exchange. The gain of one is min(T, c + T(1 − s)) − τ."
                .to_owned(),
        );
        lines.iter().for_each(|line| out.push_str(&wrapped(line, 2)));
        out
    }
}

/// A part as percent, with two digits.
pub fn hundredths(part: f64) -> String {
    format!("{:.2} %", (10_000.0 * part).round() / 100.0 + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        let printed = [1020.0, 937.294872, -0.004, -12.5, 0.0, 125.3125].map(short);
        assert_eq!(printed, ["1,020", "937.29", "0", "-12.5", "0", "125.31"]);
    }
}
