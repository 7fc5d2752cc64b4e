//! The report for a terminal: at most 100 columns.

use super::limits::{answer, limits};
use crate::bars::{bins, ceiling};
use crate::{INFALLIBLE, thousands};
use manylane_graph::analysis::StepKind;
use manylane_graph::part::Report;
use std::fmt::Write;

/// Columns of a terminal.
const COLUMNS: usize = 100;

/// The whole text.
pub fn text(report: &Report, whole: &str) -> String {
    let mut out = wrapped(&answer(report, whole), 0);
    out.push('\n');
    operations(report, &mut out);
    steps(report, &mut out);
    profile("OPERATIONS THAT CAN BEGIN AT THE SAME TIME", &report.profile, &mut out);
    out.push_str("\nWHAT LIMITS IT\n");
    for reason in limits(report) {
        out.push_str(&wrapped(&reason, 2));
    }
    out
}

/// Breaks a text into lines of at most `COLUMNS`, indented by `indent`, after the first by two
/// more.
pub fn wrapped(text: &str, indent: usize) -> String {
    let mut out = String::new();
    let mut line = " ".repeat(indent);
    let mut used = indent;
    for word in text.split(' ') {
        let length = word.chars().count();
        let first = line.trim().is_empty();
        if !first && used + 1 + length > COLUMNS {
            writeln!(out, "{line}").expect(INFALLIBLE);
            line = " ".repeat(indent + 2);
            used = indent + 2;
        } else if !first {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += length;
    }
    writeln!(out, "{line}").expect(INFALLIBLE);
    out
}

fn operations(report: &Report, out: &mut String) {
    writeln!(
        out,
        "{:<14} {:>5} {:>9} {:>7} {:>13}",
        "OPERATION", "BITS", "COUNT", "SHARE", "LONGEST CHAIN"
    )
    .expect(INFALLIBLE);
    for kind in &report.operations {
        let share = 100.0 * kind.count as f64 / report.work as f64;
        writeln!(
            out,
            "{:<14} {:>5} {:>9} {share:>5.1} % {:>13}",
            kind.operation,
            kind.width,
            thousands(kind.count),
            thousands(kind.on_chain)
        )
        .expect(INFALLIBLE);
    }
}

/// The last part of a step's name, indented by two for each step around it.
pub fn step_name(kind: &StepKind) -> String {
    match kind.name.rsplit_once('/') {
        Some((around, name)) => format!("{}{name}", "  ".repeat(around.split('/').count())),
        None if kind.name.is_empty() => "(in no step)".to_owned(),
        None => kind.name.clone(),
    }
}

/// `7`, or `7-9`.
pub fn range(least: usize, most: usize) -> String {
    match least == most {
        true => thousands(least),
        false => format!("{}-{}", thousands(least), thousands(most)),
    }
}

fn steps(report: &Report, out: &mut String) {
    if report.steps.iter().all(|kind| kind.name.is_empty()) {
        return;
    }
    writeln!(
        out,
        "\n{:<20} {:>6} {:>10} {:>12} {:>9} {:>9} {:>13} {:>10}",
        "STEP", "COUNT", "OPERATIONS", "EACH", "SPAN", "PARALLEL", "LONGEST CHAIN", "GROWTH"
    )
    .expect(INFALLIBLE);
    for kind in &report.steps {
        let growth = kind.growth.map_or_else(|| "-".to_owned(), |growth| format!("{growth:.2}"));
        writeln!(
            out,
            "{:<20} {:>6} {:>10} {:>12} {:>9} {:>9.2} {:>13} {growth:>10}",
            step_name(kind),
            thousands(kind.count),
            thousands(kind.work),
            range(kind.least_work, kind.most_work),
            range(kind.least_span, kind.most_span),
            kind.parallelism,
            thousands(kind.on_chain),
        )
        .expect(INFALLIBLE);
    }
    out.push_str(&wrapped(
        "SPAN is the longest chain of one alone, GROWTH what one more adds to the longest chain up \
         to it.",
        0,
    ));
}

const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The profile under a heading.
pub fn profile(heading: &str, profile: &[usize], out: &mut String) {
    const ROWS: usize = 5;
    let bins = bins(profile, 88);
    let mean = profile.iter().sum::<usize>() as f64 / profile.len().max(1) as f64;
    let top = ceiling(&bins, mean).max(1.0);
    let cut = bins.iter().any(|&bin| bin > top);
    writeln!(out, "\n{heading}").expect(INFALLIBLE);
    for row in (0..ROWS).rev() {
        let axis = match row {
            _ if row == ROWS - 1 && cut => format!("≥{top:.0}"),
            _ if row == ROWS - 1 => format!("{top:.0}"),
            0 => "0".to_owned(),
            _ => String::new(),
        };
        let eighth = |&bin: &f64| {
            let eighths = (bin.min(top) / top * (8 * ROWS) as f64).round() as usize;
            // Even the smallest value is visible.
            let eighths = if bin > 0.0 { eighths.max(1) } else { 0 };
            EIGHTHS[eighths.saturating_sub(8 * row).min(8)]
        };
        let line = format!("{axis:>6} {}", bins.iter().map(eighth).collect::<String>());
        writeln!(out, "{}", line.trim_end()).expect(INFALLIBLE);
    }
    let end = thousands(profile.len());
    writeln!(out, "{:>6} 0{end:>width$}", "time", width = bins.len().saturating_sub(1).max(1))
        .expect(INFALLIBLE);
}

#[cfg(test)]
mod tests {
    use super::*;
    use manylane_graph::part::{Part, Subject, explain};
    use manylane_primitives::catalog::HashId;

    fn subjects() -> Vec<Subject> {
        let rc5 = Subject::Rc5("rc5-32/12/16".parse().unwrap());
        HashId::ALL.iter().map(|&id| Subject::Hash(id.into())).chain([rc5]).collect()
    }

    #[test]
    fn the_text_fits_a_hundred_columns_and_answers_first() {
        for subject in subjects() {
            for part in Part::ALL {
                let Ok(found) = explain(&subject, part, 0) else { continue };
                let text = text(&found.report, subject.whole());
                let first = text.lines().next().unwrap();
                let answer = format!("{subject}: at most {:.1}", found.report.parallelism);
                assert!(first.starts_with(&answer), "{first}");
                for line in text.lines() {
                    assert!(line.chars().count() <= COLUMNS, "{subject}: {line}");
                    assert_eq!(line, line.trim_end(), "{subject}");
                }
            }
        }
    }

    /// The text about a primitive follows from its graph.
    #[test]
    fn limits_differ_where_graphs_do() {
        let said = |name: &str| {
            let subject = Subject::Hash(name.parse().unwrap());
            let report = explain(&subject, Part::Compression, 0).unwrap().report;
            limits(&report).join("\n")
        };
        assert!(said("md5").contains("Two equal cores are at most 1.4"));
        assert!(said("sha256").contains("No longest chain goes through `schedule`"));
        assert!(said("groestl256").contains("No longest chain goes through `round of P`"));
        assert!(!said("keccak256").contains("No longest chain"));
        assert!(said("sha256").contains("all 64 `round` steps (321)"));
    }
}
