//! Reads a record of figures, and shows figures beside it.

use anyhow::{Context, anyhow};
use manylane_files::system::staged::failed_at;
use manylane_pages::thousands;
use manylane_plan::source;
use manylane_synth::compare::{Comparison, Row};
use manylane_synth::record::Record;
use manylane_synth::{CoreFigures, Request};
use std::fmt::Write;
use std::io;
use std::path::Path;

/// Reads a record that has an entry for each core that is requested.
///
/// # Errors
/// If the file is not what `--json` prints, or lacks a core.
pub fn read(file: &Path, requests: &[Request]) -> anyhow::Result<Record> {
    let text = source::open(file).and_then(io::read_to_string).map_err(failed_at(file))?;
    let record: Record = serde_json::from_str(&text).with_context(|| {
        format!("{}: is no record that `manylane synth --json` printed", file.display())
    })?;
    record.check(requests).map_err(|why| anyhow!("{}: {why}", file.display()))?;
    Ok(record)
}

/// Both figures of each core, a line each, and what is better.
pub fn text(found: &Comparison) -> String {
    let mut out = format!(
        "\nBeside the record\n{:<14} {:<18} {:>7} {:>7} {:>8} {:>7} {:>7} {:>8}\n",
        "CORE", "SHAPE", "AREA", "THEN", "", "MHZ", "THEN", ""
    );
    let cells = |measured: &CoreFigures| thousands(measured.area.value.round() as usize);
    for Row { now, then, area, clock } in &found.rows {
        let _ = writeln!(
            out,
            "{:<14} {:<18} {:>7} {:>7} {area:>+6.1} % {:>7.1} {:>7.1} {clock:>+6.1} %",
            now.module,
            now.shape(),
            cells(now),
            cells(then),
            now.mhz,
            then.mhz,
        );
    }
    let better = found.better.iter().map(|better| format!("better than recorded: {better}\n"));
    out + &better.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    #[test]
    fn both_figures_stand_in_a_line() {
        let measured = |area: f64, mhz: f64| -> CoreFigures {
            let options = json!({"merge": 1, "stages": 1, "adders": "csa", "precompute": "auto"});
            let cells = json!({"luts": 1, "carries": 1, "flip_flops": 1, "rams": 0, "dsps": 0});
            from_value(json!({
                "module": "md5", "primitive": "md5", "command": "", "options": options,
                "target": "ice40-hx8k", "sums": "as-written", "tools": [], "cells": cells,
                "area": {"value": area, "unit": "LC"}, "depth": null, "mhz": mhz, "mbps": 1.0,
                "mbps_alone": 1.0, "energy": null, "placed": [],
            }))
            .unwrap()
        };
        let (now, then) = (measured(109.0, 46.0), measured(100.0, 50.0));
        let row = Row { now: &now, then: &then, area: 9.0, clock: -8.0 };
        let found = Comparison { rows: vec![row], ..Comparison::default() };
        let text = text(&found);
        let line = text.lines().find(|line| line.starts_with("md5 ")).unwrap();
        let said = "109 100 +9.0 % 46.0 50.0 -8.0 %";
        assert!(line.split_whitespace().collect::<Vec<_>>().join(" ").ends_with(said), "{line}");
    }
}
