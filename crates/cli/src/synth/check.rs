//! Compares figures with a record.

use super::report::{Failed, Report};
use super::table::shape;
use crate::staged::failed_at;
use anyhow::{Context, bail};
use manylane_pages::thousands;
use manylane_plan::hardware::Options;
use manylane_plan::source;
use manylane_synth::{Measured, Request, Sums, Target};
use std::fmt::Write;
use std::io;
use std::path::Path;

/// The result of a comparison.
#[derive(Debug, Default, PartialEq)]
pub struct Comparison {
    /// A line for each core, with the figures of both results.
    pub table: String,
    /// What is better by more than the tolerance, in words.
    pub better: Vec<String>,
    /// What is worse by more than the tolerance, or cannot be compared, in words.
    pub worse: Vec<String>,
}

impl Comparison {
    /// The table, and what is better.
    pub fn text(&self) -> String {
        let better = self.better.iter().map(|better| format!("better than recorded: {better}\n"));
        self.table.clone() + &better.collect::<String>()
    }
}

/// Reads a record that has something to say of each core.
///
/// # Errors
/// If the file is not what `--json` prints, or lacks a core.
pub fn read(file: &Path, requests: &[Request]) -> anyhow::Result<Report> {
    let text = source::open(file).and_then(io::read_to_string).map_err(failed_at(file))?;
    let record: Report = serde_json::from_str(&text).with_context(|| {
        format!("{}: is no record that `manylane synth --json` printed", file.display())
    })?;
    for (at, known) in record.measured().enumerate() {
        let figures = [known.area.value, known.mhz];
        if !figures.iter().all(|figure| figure.is_finite() && *figure > 0.0) {
            let [area, mhz] = figures;
            let label = label(known);
            bail!(
                "{}: {label}: {area} {} and {mhz} MHz are no figures",
                file.display(),
                known.area.unit
            );
        }
        let unit = known.target.unit();
        let is_wanted =
            requests.iter().any(|request| Identity::of_request(request) == Identity::of(known));
        if is_wanted && known.area.unit != unit {
            let (label, of) = (label(known), &known.area.unit);
            bail!(
                "{}: {label}: has its area in {of:?}, and areas on {} are in {unit:?}; \
                 `manylane synth --json` prints a record",
                file.display(),
                known.target
            );
        }
        let is_other = |other: &&Measured| {
            let figures_ = [other.area.value, other.mhz];
            Identity::of(other) == Identity::of(known) && figures_ != figures
        };
        if record.measured().take(at).any(|other| is_other(&other)) {
            let (label, target) = (label(known), known.target);
            bail!(
                "{}: {label}: has two rows for {target} with other figures, the second with \
                 {} {unit} and {} MHz; leave one of them",
                file.display(),
                known.area.value,
                known.mhz
            );
        }
    }
    for request in requests {
        let label = request.label();
        let wanted = Identity::of_request(request);
        let has = record.measured().any(|known| Identity::of(known) == wanted);
        if has || record.failed.iter().any(|failed| failed.core == label) {
            continue;
        }
        let is_elsewhere = |known: &&Measured| Identity::of(known).core == wanted.core;
        let elsewhere = match record.measured().find(is_elsewhere) {
            Some(known) if known.target != request.target => format!(", but for {}", known.target),
            Some(known) => format!(", but with sums {}", known.sums),
            None => String::new(),
        };
        bail!(
            "{}: has no figures of {label} for {}, sums {}{elsewhere}; `manylane synth --json` \
             with \
             the same cores and options prints a record",
            file.display(),
            request.target,
            request.sums
        );
    }
    Ok(record)
}

/// The identity of a result: the core, and the target that it is built for.
#[derive(PartialEq)]
struct Identity<'i> {
    /// The core's command, without its folder, has all options.
    core: (&'i str, &'i str, Options),
    target: Target,
    sums: Sums,
}

impl<'i> Identity<'i> {
    fn of(measured: &'i Measured) -> Self {
        let Measured { command, primitive, options, target, sums, .. } = measured;
        Self { core: (without_folder(command), primitive, *options), target: *target, sums: *sums }
    }

    fn of_request(request: &'i Request) -> Self {
        let sheet = &request.core.sheet;
        let core = (without_folder(&sheet.command), &sheet.primitive[..], sheet.options);
        Self { core, target: request.target, sums: request.sums }
    }
}

fn without_folder(command: &str) -> &str {
    command.rsplit_once(" -o ").map_or("", |(core, _)| core)
}

/// Compares with a record; `tolerance` is in percent.
pub fn compare(report: &Report, record: &Report, tolerance: f64) -> Comparison {
    let mut out = Comparison::default();
    let _ = writeln!(
        out.table,
        "\nBeside the record\n{:<14} {:<18} {:>7} {:>7} {:>8} {:>7} {:>7} {:>8}",
        "CORE", "SHAPE", "AREA", "THEN", "", "MHZ", "THEN", ""
    );
    let failed_then = |label: &str| record.failed.iter().find(|known| known.core == label);
    for measured in report.measured() {
        let label = label(measured);
        match record.measured().find(|known| Identity::of(known) == Identity::of(measured)) {
            Some(known) => figures(&mut out, measured, known, tolerance),
            None if failed_then(&label).is_some() => {
                out.better.push(format!("{label}: has figures, which it had not"));
            }
            None => out.worse.push(format!("{label}: the record has no figures of it")),
        }
    }
    // The number of cells that a chip lacks may change. Any other failure, such as a time limit, is
    // either the same as before or new.
    let is_as_then = |failed: &Failed, then: &Failed| {
        failed.does_not_fit && then.does_not_fit || failed.why == then.why
    };
    let unknown = report
        .failed
        .iter()
        .filter(|failed| failed_then(&failed.core).is_none_or(|then| !is_as_then(failed, then)));
    out.worse.extend(unknown.map(|failed| format!("{}: has no figures", failed.core)));
    out
}

/// As [`Failed::core`].
fn label(measured: &Measured) -> String {
    format!("{} {}", measured.module, shape(measured))
}

/// Area and clock, now and then; less area and more clock are better.
fn figures(out: &mut Comparison, now: &Measured, then: &Measured, tolerance: f64) {
    let figures =
        [("area", now.area.value, then.area.value, -1.0), ("clock", now.mhz, then.mhz, 1.0)];
    let [area, clock] = figures.map(|(what, now_, then_, good)| {
        let change = 100.0 * (now_ / then_ - 1.0);
        if change.abs() > tolerance {
            let said = format!(
                "{}: {what} {now_:.1}, {then_:.1} in the record: {change:+.1} %, more than \
                 {tolerance} %",
                label(now)
            );
            let list = if good * change > 0.0 { &mut out.better } else { &mut out.worse };
            list.push(said);
        }
        change
    });
    let cells = |measured: &Measured| thousands(measured.area.value.round() as usize);
    let _ = writeln!(
        out.table,
        "{:<14} {:<18} {:>7} {:>7} {area:>+6.1} % {:>7.1} {:>7.1} {clock:>+6.1} %",
        now.module,
        shape(now),
        cells(now),
        cells(then),
        now.mhz,
        then.mhz,
    );
}

#[cfg(test)]
mod tests {
    use super::super::report::Built;
    use super::*;
    use serde_json::{from_value, json};

    fn measured(primitive: &str, area: f64, mhz: f64) -> Built {
        let options = json!({"merge": 1, "stages": 1, "adders": "csa", "precompute": "auto"});
        let cells = json!({"luts": 1, "carries": 1, "flip_flops": 1, "rams": 0, "dsps": 0});
        from_value(json!({
            "module": primitive, "primitive": primitive, "command": "", "options": options,
            "target": "ice40-hx8k", "sums": "as-written", "tools": [], "cells": cells,
            "area": {"value": area, "unit": "LC"}, "depth": null, "mhz": mhz, "mbps": 1.0,
            "mbps_alone": 1.0, "energy": null, "placed": [],
        }))
        .unwrap()
    }

    fn too_large(primitive: &str) -> Failed {
        let core = format!("{primitive} 1×1 csa auto");
        let folder = primitive.to_owned();
        Failed { folder, core, does_not_fit: true, why: "so many cells".to_owned() }
    }

    fn stopped(primitive: &str, after: &str) -> Failed {
        let why = format!("stopped after {after}");
        Failed { does_not_fit: false, why, ..too_large(primitive) }
    }

    fn record() -> Report {
        Report {
            results: vec![measured("md5", 100.0, 50.0), measured("sha1", 100.0, 50.0)],
            failed: vec![too_large("sha512"), too_large("blake256"), stopped("skein256", "240 s")],
        }
    }

    #[test]
    fn what_chance_makes_is_no_difference() {
        let same = Report {
            results: vec![measured("md5", 109.0, 46.0), measured("sha1", 100.0, 50.0)],
            failed: vec![too_large("sha512"), stopped("skein256", "240 s")],
        };
        let found = compare(&same, &record(), 10.0);
        assert_eq!((found.better, found.worse), (vec![], vec![]));
        let line = found.table.lines().find(|line| line.starts_with("md5 ")).unwrap();
        let said = "109 100 +9.0 % 46.0 50.0 -8.0 %";
        assert!(line.split_whitespace().collect::<Vec<_>>().join(" ").ends_with(said), "{line}");
    }

    #[test]
    fn what_is_worse_is_told_from_what_is_better() {
        let other = Report {
            results: vec![
                measured("md5", 120.0, 60.0),
                measured("jh256", 1.0, 1.0),
                measured("blake256", 1.0, 1.0),
            ],
            failed: vec![too_large("sha1"), stopped("skein256", "1 s"), stopped("sha512", "240 s")],
        };
        let Comparison { better, worse, .. } = compare(&other, &record(), 10.0);
        assert_eq!((better.len(), worse.len()), (2, 5), "{better:?} {worse:?}");
        assert!(worse[0].contains("md5 1×1 csa auto: area") && worse[0].contains("+20.0 %"));
        let cores = ["jh256", "sha1", "skein256", "sha512"];
        assert!(
            worse[1..].iter().zip(cores).all(|(said, core)| said.starts_with(core)),
            "{worse:?}"
        );
        assert!(better[0].contains("clock 60.0"), "{better:?}");
        assert!(better[1].contains("had not"), "{better:?}");
    }
}
