//! Figures beside those of another day.

use super::table::shape;
use super::{Failed, Report};
use anyhow::Context;
use manylane_synth::Measured;
use std::fs;
use std::path::Path;

/// What differs by more than `tolerance` percent, in words.
///
/// # Errors
/// If the file is not what `--json` prints.
pub fn against(report: &Report, file: &Path, tolerance: f64) -> anyhow::Result<Vec<String>> {
    let name = || file.display().to_string();
    let text = fs::read_to_string(file).with_context(name)?;
    let record: Report = serde_json::from_str(&text).with_context(name)?;
    Ok(differences(report, &record, tolerance))
}

fn differences(report: &Report, record: &Report, tolerance: f64) -> Vec<String> {
    let mut all = Vec::new();
    for measured in &report.results {
        match record.results.iter().find(|known| same(known, measured)) {
            Some(known) => compare(&mut all, measured, known, tolerance),
            None => all.push(format!("{}: the record has no figures of it", label(measured))),
        }
    }
    for known in &record.results {
        if !report.results.iter().any(|measured| same(known, measured)) {
            all.push(format!("{}: the record has figures of it, here are none", label(known)));
        }
    }
    let known = |failed: &Failed| {
        failed.does_not_fit && record.failed.iter().any(|known| known.core == failed.core)
    };
    let unknown = report.failed.iter().filter(|failed| !known(failed));
    all.extend(unknown.map(|failed| format!("{}: has no figures", failed.core)));
    all
}

fn same(a: &Measured, b: &Measured) -> bool {
    (&a.primitive, a.options, a.target, a.sums) == (&b.primitive, b.options, b.target, b.sums)
}

fn label(measured: &Measured) -> String {
    format!("{} {}, {}", measured.primitive, shape(measured), measured.target)
}

fn compare(all: &mut Vec<String>, measured: &Measured, known: &Measured, tolerance: f64) {
    let figures =
        [("area", measured.area.value, known.area.value), ("clock", measured.mhz, known.mhz)];
    for (what, now, then) in figures {
        let change = 100.0 * (now / then - 1.0);
        if change.abs() > tolerance {
            let label = label(measured);
            all.push(format!(
                "{label}: {what} {now:.1}, {then:.1} in the record: {change:+.1} %, more than \
                 {tolerance} %"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    fn measured(primitive: &str, area: f64, mhz: f64) -> Measured {
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

    #[test]
    fn what_differs_is_named() {
        let too_large =
            |core: &str| Failed { core: core.to_owned(), does_not_fit: true, why: String::new() };
        let record = Report {
            results: vec![measured("md5", 100.0, 50.0), measured("sha1", 100.0, 50.0)],
            failed: vec![too_large("sha512")],
        };
        let same = Report {
            results: vec![measured("md5", 109.0, 46.0), measured("sha1", 100.0, 50.0)],
            failed: vec![too_large("sha512")],
        };
        assert_eq!(differences(&same, &record, 10.0), Vec::<String>::new());
        let other = Report {
            results: vec![measured("md5", 120.0, 50.0), measured("jh256", 1.0, 1.0)],
            failed: vec![too_large("sha1")],
        };
        let found = differences(&other, &record, 10.0);
        assert_eq!(found.len(), 4, "{found:?}");
        assert!(found[0].contains("md5 1×1 csa auto") && found[0].contains("+20.0 %"), "{found:?}");
        assert!(found[1].starts_with("jh256") && found[3].starts_with("sha1"), "{found:?}");
    }
}
