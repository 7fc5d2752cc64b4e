//! The rows of runs as a table, and what explains it.

use crate::page::explain::text::wrapped;
use crate::program;
use manylane_build::run::Row;
use manylane_files::quote::quote;
use manylane_plan::program::prices::PriceBasis;
use manylane_simulate::{Clock, Machine};
use std::fmt::Write;

/// The rows of a machine as a table of at most 100 columns, and what explains it.
pub fn table(
    title: &str,
    compiler: &str,
    clock: Option<&str>,
    rows: &[&Row],
    notes: &[String],
) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}\n{compiler}", wrapped(title, 0).trim_end());
    if let Some(clock) = clock {
        let _ = writeln!(out, "{}", wrapped(&format!("cycles are {clock}"), 0).trim_end());
    }
    out.push('\n');
    let _ = writeln!(
        out,
        "{:16} {:>5} {:>6} {:>9} {:>9} {:>7} {:>9} {:>7} {:>9} {:>6} {:>6}",
        "primitive",
        "cores",
        "bytes",
        "cycles",
        "a block",
        "a byte",
        "predicted",
        "error",
        "limit",
        "gain",
        "digest"
    );
    for row in rows {
        let number =
            |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.0}"));
        let cycles = row.cycles.map(f64::from);
        let error = match (row.predicted_cycles, cycles) {
            (Some(predicted), Some(cycles)) => {
                format!("{:+.1} %", 100.0 * (predicted / cycles - 1.0))
            }
            _ => "–".to_owned(),
        };
        let gain = row.gain.map_or(String::new(), gained);
        let _ = writeln!(
            out,
            "{:16} {:>5} {:>6} {:>9} {:>9} {:>7} {:>9} {:>7} {:>9} {:>6} {:>6}",
            row.primitive,
            row.cores,
            row.length,
            number(cycles),
            number(row.cycles_per_block),
            row.cycles_per_byte.map_or("–".to_owned(), |of| figure(of, 1e5)),
            row.predicted_cycles.map_or("–".to_owned(), |of| predicted(of, row)),
            error,
            number(row.limit_cycles),
            gain,
            if row.digest_ok { "ok" } else { "WRONG" },
        );
    }
    if !notes.is_empty() {
        out.push('\n');
    }
    notes.iter().for_each(|note| out.push_str(&wrapped(note, 0)));
    out
}

/// The mark of a prediction that does not rest on measurements of the program.
pub(super) const ESTIMATE: &str = "~";

fn is_estimate(row: &Row) -> bool {
    row.predicted_cycles.is_some() && row.predicted_from != Some(PriceBasis::Measured)
}

/// Predicted cycles, marked where they are not those of a measured program.
fn predicted(cycles: f64, row: &Row) -> String {
    format!("{}{cycles:.0}", if is_estimate(row) { ESTIMATE } else { "" })
}

/// A gain in percent or, where two cores take more than twice as long as one, their time divided by
/// that of one core.
fn gained(gain: f64) -> String {
    if gain < -1.0 { figure(1.0 - gain, 1e3) + " ×" } else { format!("{:.1} %", 100.0 * gain) }
}

/// A figure below `most` with one decimal place; a larger one in scientific notation, so that it
/// fits its column. Two threads that share a processor may take any time.
fn figure(value: f64, most: f64) -> String {
    if value < most { format!("{value:.1}") } else { format!("{value:.0e}") }
}

/// Notes below a table: why it has no predictions, what the mark of an estimate means, what a
/// factor in the place of a gain means and, for a single primitive, how often the cores hand over
/// and wait for memory. `platform` is the one that `--platform` names.
pub fn notes(
    machine: Machine,
    is_timed: bool,
    platform: Option<&str>,
    is_single: bool,
    rows: &[&Row],
) -> Vec<String> {
    let mut notes = Vec::new();
    let why = match (machine, machine.clock()) {
        _ if is_timed => None,
        (Machine::Host, _) => Some(
            "nothing is predicted: no platform's file has costs of this computer, and its clock \
             counts no cycles of a core that is simulated",
        ),
        (_, Clock::None) => Some("nothing is predicted: this machine counts no cycles"),
        _ => Some("nothing is predicted: no platform's file is this machine's"),
    };
    let planned = platform.map_or(String::new(), |named| {
        format!("; {} only plans the split", quote(named.as_bytes()))
    });
    notes.extend(why.map(|why| format!("{why}{planned}")));
    let has = |basis| rows.iter().any(|row| is_estimate(row) && row.predicted_from == Some(basis));
    if has(PriceBasis::Scaled) || has(PriceBasis::Model) {
        let scaled = "the measured program of the primitive, scaled by what operations, registers \
                      and memory cost both";
        let model = "what operations, registers and memory cost, as no program of the primitive \
                     with these parameters was measured";
        let why = match (has(PriceBasis::Scaled), has(PriceBasis::Model)) {
            (true, true) => format!("{scaled}, or from {model}"),
            (true, false) => scaled.to_owned(),
            (false, _) => model.to_owned(),
        };
        notes.push(format!(
            "{ESTIMATE} an estimate: this program was not measured; it is predicted from {why}"
        ));
    }
    if machine.shares_one_processor() && rows.iter().any(|row| row.cores == 2) {
        notes.push(format!(
            "times of two cores mean nothing here, where both threads take turns on the one \
             processor that this program may use: allow it two (`taskset -c 0,1 {} run …`), or \
             take --cores 1",
            program::name()
        ));
    }
    if rows.iter().any(|row| row.gain.is_some_and(|gain| gain < -1.0)) {
        let why = match machine.shares_one_processor() {
            true => "Only one processor may be used, and each thread waits for the other's turn",
            false => "The cores hand over more often than they could in the time of a block",
        };
        notes.push(format!(
            "× in the place of a gain: so many times as long on two cores as on one. {why}"
        ));
    }
    if !is_single {
        return notes;
    }
    let hand_overs = rows.iter().filter(|row| row.cores == 2).map(|row| {
        let per_block = row.handshakes as f64 / row.blocks.max(1) as f64;
        format!("{} in {} bytes ({per_block:.0} a block)", row.handshakes, row.length)
    });
    let hand_overs: Vec<String> = hand_overs.collect();
    if !hand_overs.is_empty() {
        notes.push(format!("hand-overs between the cores: {}", hand_overs.join(", ")));
    }
    for cores in [1, 2] {
        let Some(row) = rows.iter().find(|row| row.cores == cores) else { continue };
        if let [main, second] = row.stalls[..] {
            notes.push(format!(
                "clocks of waiting for memory on {}, in the whole program that measures: core 0 \
                 {main}, core 1 {second}",
                if cores == 1 { "one core" } else { "two cores" }
            ));
        }
    }
    notes
}

/// Says which primitives have no rows of two cores, and why; nothing if all have.
pub fn without_split(names: &[&str]) -> Option<String> {
    let why = "no split over two cores was found that is faster than one core";
    (!names.is_empty()).then(|| format!("one core alone: {}: {why}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_fit_their_columns() {
        let gains = [0.379, -0.061, -1.5, -998.0, -272_294.0].map(gained);
        assert_eq!(gains, ["37.9 %", "-6.1 %", "2.5 ×", "999.0 ×", "3e5 ×"]);
        let rates = [49.9, 99_999.9, 1_486_454.2].map(|rate| figure(rate, 1e5));
        assert_eq!(rates, ["49.9", "99999.9", "1e6"]);
    }
}
