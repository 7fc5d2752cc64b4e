//! nextpnr: from cells to places and wires, and so to a clock.

use super::synthesis::files::NETLIST;
use crate::harness;
use crate::target::Target;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The report, in the folder.
pub const REPORT: &str = "report.json";

/// The result of place and route with one seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placed {
    /// The seed.
    pub seed: u32,
    /// The fastest clock, in MHz.
    pub mhz: f64,
    /// Cells of the chip in use, those of the harness too.
    pub used: u64,
    /// Where the longest path begins and ends.
    pub path: [String; 2],
}

impl Placed {
    /// Whether the core sets the clock, and not the harness around it.
    pub fn limited_by_core(&self) -> bool {
        let inside = format!("{}.", harness::INSTANCE);
        self.path.iter().any(|cell| cell.starts_with(&inside))
    }
}

/// nextpnr's arguments; `None` if the target is not placed.
pub fn arguments(target: Target, seed: u32) -> Option<Vec<String>> {
    // The clock that is asked for is one that no core reaches, so that placement never stops early.
    // The placer is the force-directed one (ePlace), where nextpnr has it for the chip: pipelines
    // of four stages are a tenth faster than from the default one (HeAP), and alike from seed to
    // seed.
    let chip = match target {
        Target::Ice40Hx8k => "--hx8k --package ct256 --freq 200 --pcf-allow-unconstrained",
        Target::Ecp5_85k => {
            "--85k --speed 6 --package CABGA756 --freq 250 --lpf-allow-unconstrained --placer \
             static"
        }
        Target::GenericGates => return None,
    };
    let rest = format!("--json {NETLIST} --seed {seed} --report {REPORT} --timing-allow-fail");
    Some(chip.split(' ').chain(rest.split(' ')).map(str::to_owned).collect())
}

/// Reads nextpnr's report.
///
/// # Errors
/// Names the part that is missing.
pub fn read(target: Target, seed: u32, report: &str) -> Result<Placed, String> {
    let report: Value = serde_json::from_str(report).map_err(|error| error.to_string())?;
    let clocks = report["fmax"].as_object().into_iter().flatten();
    let achieved = clocks.filter_map(|(_, clock)| clock["achieved"].as_f64());
    let mhz = achieved.reduce(f64::min).ok_or("no clock")?;
    if !(mhz.is_finite() && mhz > 0.0) {
        return Err(format!("a clock of {mhz} MHz"));
    }
    let cells = match target {
        Target::Ice40Hx8k => "ICESTORM_LC",
        Target::Ecp5_85k | Target::GenericGates => "TRELLIS_COMB",
    };
    let used = &report["utilization"][cells]["used"];
    let used = used.as_u64().ok_or_else(|| format!("no number of {cells}"))?;
    let paths = report["critical_paths"].as_array().into_iter().flatten();
    let clocked = |end: &Value| end.as_str().is_some_and(|end| end.starts_with("posedge"));
    let longest = paths
        .filter(|path| clocked(&path["from"]) && clocked(&path["to"]))
        .max_by(|a, b| delay(a).total_cmp(&delay(b)));
    let path = longest.and_then(|path| path["path"].as_array()).ok_or("no longest path")?;
    let cell = |step: Option<&Value>, end: &str| {
        step.map_or("", |step| step[end]["cell"].as_str().unwrap_or_default()).to_owned()
    };
    Ok(Placed { seed, mhz, used, path: [cell(path.first(), "from"), cell(path.last(), "to")] })
}

fn delay(path: &Value) -> f64 {
    let steps = path["path"].as_array().into_iter().flatten();
    steps.filter_map(|step| step["delay"].as_f64()).sum()
}

/// nextpnr's message about too few cells; `None` if it failed for another reason.
pub fn does_not_fit(log: &str) -> Option<String> {
    let signs = [
        "no more Bels",
        "Unable to find legal placement",
        "Unable to place",
        "no BELs remaining",
        "Failed to expand region",
    ];
    let error = log.lines().find(|line| signs.iter().any(|sign| line.contains(sign)))?;
    Some(error.trim_start_matches("ERROR: ").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ICE40: &str = include_str!("../../tests/fixtures/ice40-report.json");
    const ECP5: &str = include_str!("../../tests/fixtures/ecp5-report.json");

    #[test]
    fn reports_are_read() {
        let ice40 = read(Target::Ice40Hx8k, 7, ICE40).unwrap();
        assert_eq!((ice40.seed, ice40.used), (7, 38));
        assert!(ice40.limited_by_core(), "{ice40:?}");
        let ecp5 = read(Target::Ecp5_85k, 1, ECP5).unwrap();
        assert_eq!(ecp5.used, 29);
        assert!(ecp5.limited_by_core(), "{ecp5:?}");
        let at_zero = r#"{"fmax": {"clk": {"achieved": 0}}, "utilization": {}}"#;
        for damaged in ["", "{}", r#"{"fmax": {}}"#, at_zero] {
            read(Target::Ice40Hx8k, 1, damaged).unwrap_err();
        }
    }

    #[test]
    fn a_chip_that_is_full_is_told_from_other_failures() {
        let log =
            "Info: packing\nERROR: Unable to place cell 'x', no BELs remaining to implement y\n";
        assert!(does_not_fit(log).unwrap().starts_with("Unable to place cell 'x'"));
        let log = "ERROR: Failed to expand region (0, 0) |_> (33, 33) of 8314 ICESTORM_LCs\n";
        assert!(does_not_fit(log).unwrap().ends_with("of 8314 ICESTORM_LCs"));
        assert_eq!(does_not_fit("ERROR: Failed to open file\n"), None);
    }
}
