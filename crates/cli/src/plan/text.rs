//! Plans for a terminal: at most 100 columns.

use super::percent;
use super::two_core::{Answer, CoreLine};
use crate::explain::text::wrapped;
use crate::page::{INFALLIBLE, thousands};
use std::fmt::Write;

/// Cycles, rounded.
pub fn cycles(cycles: f64) -> String {
    match cycles.is_finite() {
        true => thousands(cycles.round() as usize),
        false => "-".to_owned(),
    }
}

/// A plan for two cores.
pub fn two_core(answer: &Answer) -> String {
    let mut out = wrapped(&answer.answer, 0);
    let Answer { primitive, what, platform, limit, .. } = answer;
    out.push_str(&wrapped(&format!("{primitive}, {what}, on {}", platform.title), 0));
    if let Some(total) = answer.measured_total {
        let scaled = format!("costs scaled to the {} cycles measured there", cycles(total));
        out.push_str(&wrapped(&scaled, 0));
    }
    if answer.cores.len() > 1 {
        let bound = match limit.span > limit.work {
            true => "the dearest path",
            false => "all work divided over both cores",
        };
        let line = format!(
            "limit: {} cycles ({bound}, handshakes free), which would save {}",
            cycles(limit.cycles),
            percent(limit.saved)
        );
        out.push_str(&wrapped(&line, 0));
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
    out.push_str("\nWHY\n");
    out.push_str(&wrapped(&answer.reason, 2));
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
        let share = |kind: &super::two_core::KindLine| {
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
