//! Plans for a terminal: at most 100 columns.

use super::answer::{AheadLimit, Answer, LimitLine, StepsLimit};
use super::cores::{CoreLine, KindLine};
use super::emitted::Emitted;
use super::format::percent;
use manylane_build::split::SplitPart;
use manylane_pages::explain::text::wrapped;
use manylane_pages::{INFALLIBLE, apart, thousands};
use manylane_plan::program::ahead::Ahead;
use std::fmt::Write;

/// Cycles, rounded; a part of a cycle to a millionth.
pub fn cycles(cycles: f64) -> String {
    if !cycles.is_finite() {
        return "-".to_owned();
    }
    let sign = if cycles.round() < 0.0 { "-" } else { "" };
    match cycles.abs() {
        part if (1e-6..0.5).contains(&part) => {
            let text = format!("{cycles:.6}");
            text.trim_end_matches('0').to_owned()
        }
        whole => format!("{sign}{}", apart(&format!("{:.0}", whole.round()))),
    }
}

/// A plan for two cores.
pub fn two_core(answer: &Answer) -> String {
    let mut out = wrapped(&answer.answer, 0);
    let Answer { primitive, what, platform, .. } = answer;
    out.push_str(&wrapped(&format!("{primitive}, {what}, on {}", platform.title), 0));
    if let Some(costs) = platform.costs() {
        out.push_str(&wrapped(&costs, 0));
    }
    if let Some(total) = answer.measured_total {
        let scaled = format!("costs scaled to the {} cycles measured there", cycles(total));
        out.push_str(&wrapped(&scaled, 0));
    }
    let is_cipher = answer.length.is_none();
    out.push_str(&priced(&answer.emitted, &answer.operations_only, &answer.cores, is_cipher));
    if answer.cores.len() > 1 {
        out.push_str(&wrapped(&limit(&answer.limit), 0));
        if let Some(line) = &answer.units_limit.answer {
            out.push_str(&wrapped(line, 0));
        }
        if let Some(limit) = &answer.ahead_limit {
            out.push_str(&wrapped(&ahead(limit), 0));
        }
        if let Some(limit) = &answer.steps_limit {
            out.push_str(&wrapped(&steps(limit), 0));
        }
    }
    candidates(answer, &mut out);
    if let Some(proof) = &answer.proof {
        let proved = match proof.optimal {
            true => "proved: no split of these units takes less time".to_owned(),
            false => format!(
                "proved: no split of these units takes less than {} cycles",
                cycles(proof.lower)
            ),
        };
        out.push_str(&wrapped(&proved, 2));
    }
    cores(&answer.cores, answer.schedule.end, &mut out);
    out.push_str("\nWHO DOES WHAT\n");
    let of_operations = |core: &CoreLine| does(&core.name, &core.does, 2, Some(MOST_LINES));
    answer.cores.iter().for_each(|core| out.push_str(&of_operations(core)));
    out.push_str("\nWHY\n");
    out.push_str(&wrapped(&answer.reason, 2));
    out
}

/// Shows what the emitted programs take, and that what follows is about operations; or says why
/// nothing but operations is priced.
pub fn priced(
    emitted: &Option<Emitted>,
    operations_only: &Option<String>,
    cores: &[CoreLine],
    is_cipher: bool,
) -> String {
    if let Some(why) = operations_only {
        return wrapped(&format!("only operations are priced: {why}"), 0);
    }
    let Some(emitted) = emitted else { return String::new() };
    let mut out = table(emitted, cores);
    out.push_str(&wrapped(&emitted.about(is_cipher), 2));
    out.push_str(&emitted.of_words().map_or(String::new(), |words| wrapped(&words, 2)));
    out.push_str(&split(emitted, cores));
    out.push_str("\nOPERATIONS ALONE\n");
    let what = "what follows prices operations and hand-overs, not loads, stores, spills and \
                calls: it says which steps can be shared out, and its parts saved are parts of the \
                operations' time";
    out.push_str(&wrapped(what, 0));
    out
}

/// The times of the emitted programs.
fn table(emitted: &Emitted, cores: &[CoreLine]) -> String {
    let mut out = String::new();
    let Emitted { language, messages, .. } = emitted;
    let names = match messages[0].other_core {
        Some(_) => vec![cores[0].name.as_str(), &cores[1].name, "BOTH"],
        None => vec!["ONE CORE", "TWO CORES"],
    };
    let columns = |of: &[&str]| of.iter().fold(String::new(), |row, of| format!("{row} {of:>12}"));
    writeln!(
        out,
        "\n  {:<20} {:>8}{} {:>9} {:>15}",
        format!("EMITTED {}", language.to_uppercase()),
        "BYTES",
        columns(&names),
        "SAVED",
        "OVER BEST CORE"
    )
    .expect(INFALLIBLE);
    for line in messages {
        let both = line.two_cores.map_or("no split".to_owned(), |of| cycles(of.cycles));
        let mut times = vec![cycles(line.one_core.cycles)];
        times.extend(line.other_core.map(|of| cycles(of.cycles)));
        times.push(both);
        let times: Vec<&str> = times.iter().map(String::as_str).collect();
        writeln!(
            out,
            "  {:<20} {:>8}{} {:>9} {:>15}",
            "cycles, predicted",
            thousands(line.length),
            columns(&times),
            percent(line.saved),
            percent(line.saved_over_best_core),
        )
        .expect(INFALLIBLE);
    }
    out
}

/// Describes the limit that no split can pass.
pub fn limit(limit: &LimitLine) -> String {
    let bound = match limit.span > limit.work {
        true => "the longest chain of operations",
        false => "all operations divided over both cores",
    };
    format!(
        "limit, {}: {} cycles ({bound}, memory and handshakes free), which would save {} of the \
         priced operations' time",
        match limit.basis {
            "proved" => "proved for these costs",
            _ => "an estimate",
        },
        cycles(limit.cycles),
        percent(limit.saved)
    )
}

/// Describes the work that a second core that is ahead leaves to the main one.
fn ahead(limit: &AheadLimit) -> String {
    let Ahead { chained, taken, all } = limit.parts;
    format!(
        "of each block, a second core that needs nothing but the message leaves the main one {} \
         cycles or more{}: of {} for all operations, {} for those that follow from the chaining \
         value, and {} to have what these take of the others",
        cycles(limit.cycles),
        estimated(limit.basis),
        cycles(all),
        cycles(chained),
        cycles(taken),
    )
}

/// The remark after a limit that is not proved.
fn estimated(basis: &str) -> &'static str {
    if basis == "proved" { "" } else { ", an estimate" }
}

/// Describes the limit of splits into whole steps.
fn steps(limit: &StepsLimit) -> String {
    // A part saved of these would not hold for compiled code, which takes longer on one core.
    let StepsLimit { steps, basis, .. } = limit;
    format!(
        "of each block, whole steps with their hand-overs take {} cycles or more on two cores{} \
         ({} layers of up to {}, each waiting for all of the one before); on one core they take \
         {} at the same prices, without its spills",
        cycles(steps.cycles),
        estimated(basis),
        steps.layers,
        steps.width,
        cycles(steps.alone),
    )
}

/// Most lines that list what one core does.
const MOST_LINES: usize = 8;

/// Columns of the lines that list what a core does.
const COLUMNS: usize = 80;

/// Lists the steps of a core in at most `most` lines. A line breaks between steps only, unless a
/// step is longer than a line.
fn does(name: &str, steps: &[String], indent: usize, most: Option<usize>) -> String {
    let [first, next] = [indent, indent + 2].map(|columns| " ".repeat(columns));
    let mut lines = vec![format!("{first}{name}:")];
    for (i, step) in steps.iter().enumerate() {
        let comma = if i + 1 < steps.len() { "," } else { "" };
        let line = lines.last_mut().expect("there is one");
        if line.chars().count() + step.chars().count() + 2 <= COLUMNS {
            line.push_str(&format!(" {step}{comma}"));
            continue;
        }
        if most == Some(lines.len()) {
            let more = thousands(steps.len() - i);
            lines.push(format!("{next}and {more} more (--json has them)"));
            break;
        }
        lines.extend(broken(&format!("{step}{comma}"), &next));
    }
    lines.iter().map(|line| line.clone() + "\n").collect()
}

/// Lines of a step, all of which begin with `indent`, and all but the first with two columns more.
fn broken(step: &str, indent: &str) -> Vec<String> {
    let mut lines = vec![indent.to_owned()];
    for word in step.split(' ') {
        let line = lines.last_mut().expect("there is one");
        let is_first = line.trim().is_empty();
        if !is_first && line.chars().count() + 1 + word.chars().count() > COLUMNS {
            lines.push(format!("{indent}  {word}"));
        } else {
            line.push_str(if is_first { "" } else { " " });
            line.push_str(word);
        }
    }
    lines
}

/// Lists what each core does in a call of the emitted program, all of it.
fn split(emitted: &Emitted, cores: &[CoreLine]) -> String {
    if emitted.split.is_empty() {
        return String::new();
    }
    let mut out = "\nWHO DOES WHAT IN A BLOCK OF THE EMITTED C\n".to_owned();
    for SplitPart { times, cores: steps } in &emitted.split {
        let indent = match times {
            1 => 2,
            _ => {
                writeln!(out, "  {times} times, of which the first is").expect(INFALLIBLE);
                4
            }
        };
        for (core, steps) in cores.iter().zip(steps) {
            out.push_str(&does(&core.name, steps, indent, None));
        }
    }
    out
}

fn candidates(answer: &Answer, out: &mut String) {
    writeln!(
        out,
        "\n  {:<26} {:>12} {:>10} {:>9} {:>15} {:>12}",
        "PLAN", "CYCLES", "HANDSHAKES", "SAVED", "OVER BEST CORE", "ABOVE LIMIT"
    )
    .expect(INFALLIBLE);
    for line in &answer.candidates {
        writeln!(
            out,
            "{} {:<26} {:>12} {:>10} {:>9} {:>15} {:>12}",
            if line.chosen { '*' } else { ' ' },
            line.name,
            cycles(line.cycles),
            thousands(line.handshakes),
            percent(line.saved.saved),
            percent(line.saved.saved_over_best_core),
            percent(line.above_limit),
        )
        .expect(INFALLIBLE);
    }
}

fn cores(cores: &[CoreLine], end: f64, out: &mut String) {
    writeln!(
        out,
        "\n  {:<26} {:>12} {:>10} {:>9} {:>7} {:>8}",
        "CORE", "BUSY", "HANDSHAKES", "IDLE", "UNITS", "SHARE"
    )
    .expect(INFALLIBLE);
    for core in cores {
        let part = |cycles: f64| if end > 0.0 { percent(cycles / end) } else { percent(0.0) };
        writeln!(
            out,
            "  {:<26} {:>12} {:>10} {:>9} {:>7} {:>8}",
            core.name,
            cycles(core.busy),
            cycles(core.handshakes),
            cycles(core.idle),
            thousands(core.units),
            part(core.busy),
        )
        .expect(INFALLIBLE);
        let share = |kind: &KindLine| {
            let share = percent(kind.cycles / core.busy).replace(' ', "\u{a0}");
            format!("{share} {} ({}\u{a0}×)", kind.name, kind.units)
        };
        let shares: Vec<String> =
            core.busiest.iter().filter(|kind| kind.cycles > 0.0).map(share).collect();
        if !shares.is_empty() {
            out.push_str(&wrapped(&format!("with {}", shares.join(", ")), 4));
        }
    }
}
