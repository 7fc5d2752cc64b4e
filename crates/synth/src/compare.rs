//! Compares figures with a record.

use crate::record::{Failed, Record};
use crate::{CoreFigures, Request, Sums, Target};
use manylane_plan::hardware::Options;

/// A core beside the one of the record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<'r> {
    /// The figures of this build.
    pub now: &'r CoreFigures,
    /// The figures of the record.
    pub then: &'r CoreFigures,
    /// The change of the area, in percent.
    pub area: f64,
    /// The change of the clock, in percent.
    pub clock: f64,
}

/// The result of a comparison.
#[derive(Debug, Default, PartialEq)]
pub struct Comparison<'r> {
    /// The cores that both have.
    pub rows: Vec<Row<'r>>,
    /// What is better by more than the tolerance, in words.
    pub better: Vec<String>,
    /// What is worse by more than the tolerance, or cannot be compared, in words.
    pub worse: Vec<String>,
}

impl Record {
    /// Checks that the record has something to say of each core.
    ///
    /// # Errors
    /// If it lacks a core, or has what are no figures; why.
    pub fn check(&self, requests: &[Request]) -> Result<(), String> {
        for (at, known) in self.measured().enumerate() {
            let figures = [known.area.value, known.mhz];
            if !figures.iter().all(|figure| figure.is_finite() && *figure > 0.0) {
                let [area, mhz] = figures;
                let label = known.label();
                return Err(format!(
                    "{label}: {area} {} and {mhz} MHz are no figures",
                    known.area.unit
                ));
            }
            let unit = known.target.unit();
            let is_wanted =
                requests.iter().any(|request| Identity::of_request(request) == Identity::of(known));
            if is_wanted && known.area.unit != unit {
                let (label, of) = (known.label(), &known.area.unit);
                return Err(format!(
                    "{label}: has its area in {of:?}, and areas on {} are in {unit:?}; \
                     `manylane synth --json` prints a record",
                    known.target
                ));
            }
            let is_other = |other: &&CoreFigures| {
                let figures_ = [other.area.value, other.mhz];
                Identity::of(other) == Identity::of(known) && figures_ != figures
            };
            if self.measured().take(at).any(|other| is_other(&other)) {
                let (label, target) = (known.label(), known.target);
                return Err(format!(
                    "{label}: has two rows for {target} with other figures, the second with {} \
                     {unit} and {} MHz; leave one of them",
                    known.area.value, known.mhz
                ));
            }
        }
        for request in requests {
            let label = request.label();
            let wanted = Identity::of_request(request);
            let has = self.measured().any(|known| Identity::of(known) == wanted);
            if has || self.failed.iter().any(|failed| failed.core == label) {
                continue;
            }
            let is_elsewhere = |known: &&CoreFigures| Identity::of(known).core == wanted.core;
            let elsewhere = match self.measured().find(is_elsewhere) {
                Some(known) if known.target != request.target => {
                    format!(", but for {}", known.target)
                }
                Some(known) => format!(", but with sums {}", known.sums),
                None => String::new(),
            };
            return Err(format!(
                "has no figures of {label} for {}, sums {}{elsewhere}; `manylane synth --json` \
                 with the same cores and options prints a record",
                request.target, request.sums
            ));
        }
        Ok(())
    }
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
    fn of(measured: &'i CoreFigures) -> Self {
        let CoreFigures { command, primitive, options, target, sums, .. } = measured;
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
pub fn compare<'r>(now: &'r Record, then: &'r Record, tolerance: f64) -> Comparison<'r> {
    let mut out = Comparison::default();
    let failed_then = |label: &str| then.failed.iter().find(|known| known.core == label);
    for measured in now.measured() {
        let label = measured.label();
        match then.measured().find(|known| Identity::of(known) == Identity::of(measured)) {
            Some(known) => out.figures(measured, known, tolerance),
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
    let unknown = now
        .failed
        .iter()
        .filter(|failed| failed_then(&failed.core).is_none_or(|then| !is_as_then(failed, then)));
    out.worse.extend(unknown.map(|failed| format!("{}: has no figures", failed.core)));
    out
}

impl<'r> Comparison<'r> {
    /// Area and clock, now and then; less area and more clock are better.
    fn figures(&mut self, now: &'r CoreFigures, then: &'r CoreFigures, tolerance: f64) {
        let figures =
            [("area", now.area.value, then.area.value, -1.0), ("clock", now.mhz, then.mhz, 1.0)];
        let [area, clock] = figures.map(|(what, now_, then_, good)| {
            let change = 100.0 * (now_ / then_ - 1.0);
            if change.abs() > tolerance {
                let said = format!(
                    "{}: {what} {now_:.1}, {then_:.1} in the record: {change:+.1} %, more than \
                     {tolerance} %",
                    now.label()
                );
                let list = if good * change > 0.0 { &mut self.better } else { &mut self.worse };
                list.push(said);
            }
            change
        });
        self.rows.push(Row { now, then, area, clock });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Built;
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

    fn record() -> Record {
        Record {
            results: vec![measured("md5", 100.0, 50.0), measured("sha1", 100.0, 50.0)],
            failed: vec![too_large("sha512"), too_large("blake256"), stopped("skein256", "240 s")],
        }
    }

    #[test]
    fn what_chance_makes_is_no_difference() {
        let same = Record {
            results: vec![measured("md5", 109.0, 46.0), measured("sha1", 100.0, 50.0)],
            failed: vec![too_large("sha512"), stopped("skein256", "240 s")],
        };
        let record = record();
        let found = compare(&same, &record, 10.0);
        assert_eq!((found.better, found.worse), (vec![], vec![]));
        let row = &found.rows[0];
        assert_eq!(row.now.module, "md5");
        assert!((row.area - 9.0).abs() < 1e-9 && (row.clock + 8.0).abs() < 1e-9, "{row:?}");
    }

    #[test]
    fn what_is_worse_is_told_from_what_is_better() {
        let other = Record {
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
