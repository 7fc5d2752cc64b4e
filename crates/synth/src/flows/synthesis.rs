//! yosys: from Verilog to the cells of a target.

use super::request::{Request, Sums};
use crate::energy::{self, Energy, Netlist};
use crate::harness;
use crate::target::{Cells, Target};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The rule that keeps sums as they are.
pub const AS_WRITTEN: &str = include_str!("as_written.v");
/// The rule that makes adders of gates.
pub const PREFIX: &str = include_str!("prefix.v");

/// Files of a synthesis, in its folder.
pub mod files {
    /// The core, as it was emitted.
    pub const CORE: &str = "core.v";
    /// The module around it that has three pins.
    pub const HARNESS: &str = "harness.v";
    /// The rule [`super::AS_WRITTEN`].
    pub const AS_WRITTEN: &str = "as_written.v";
    /// The rule [`super::PREFIX`].
    pub const PREFIX: &str = "prefix.v";
    /// The script, which yosys reads.
    pub const SCRIPT: &str = "synth.ys";
    /// How many cells of which kind there are.
    pub const CELLS: &str = "cells.json";
    /// The longest path of gates.
    pub const PATH: &str = "path.txt";
    /// The cells and wires, which the placer reads.
    pub const NETLIST: &str = "netlist.json";
}

/// The results of synthesis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Synthesized {
    /// The cells of the core.
    pub cells: Cells,
    /// For gates: their area, in NANDs.
    pub gate_equivalents: Option<f64>,
    /// For gates: the number of gates on the longest path.
    pub depth: Option<u64>,
    /// For gates, if it was asked for: the switching activity.
    pub energy: Option<Energy>,
}

/// The files that a synthesis reads, but the script.
pub fn inputs(request: &Request) -> [(&'static str, String); 4] {
    [
        (files::CORE, request.core.verilog.clone()),
        (files::HARNESS, harness::verilog(&request.core.sheet)),
        (files::AS_WRITTEN, AS_WRITTEN.to_owned()),
        (files::PREFIX, PREFIX.to_owned()),
    ]
}

/// The script.
pub fn script(request: &Request) -> String {
    let module = &request.core.sheet.module;
    let keep_sums = match request.sums {
        Sums::AsWritten => format!("techmap -map {}", files::AS_WRITTEN),
        Sums::Fused => String::new(),
    };
    match request.target {
        Target::Ice40Hx8k => chip("synth_ice40", module, &keep_sums),
        Target::Ecp5_85k => chip("synth_ecp5", module, &keep_sums),
        Target::GenericGates => gates(module, &keep_sums),
    }
}

fn chip(synth: &str, module: &str, keep_sums: &str) -> String {
    use files::{CELLS, CORE, HARNESS, NETLIST};
    let top = harness::MODULE;
    format!(
        "read_verilog -sv {CORE} {HARNESS}\n\
         hierarchy -check -top {top}\n\
         setattr -mod -set keep_hierarchy 1 {module}\n\
         proc\n\
         {keep_sums}\n\
         {synth} -top {top}\n\
         tee -o {CELLS} stat -json\n\
         setattr -mod -unset keep_hierarchy {module}\n\
         flatten\n\
         opt_clean\n\
         write_json {NETLIST}\n"
    )
}

/// Mapping for depth. The default script of abc turns prefix adders into ripple-carry adders.
const ABC: &str = "strash;ifraig;dch;map";

/// Maps to flip-flops without enable or reset, as a library of cells has them; their multiplexers
/// become gates.
fn gates(module: &str, keep_sums: &str) -> String {
    use files::{CELLS, CORE, NETLIST, PATH, PREFIX};
    format!(
        "read_verilog -sv {CORE}\n\
         hierarchy -check -top {module}\n\
         proc\n\
         {keep_sums}\n\
         synth -flatten -top {module} -run begin:fine\n\
         techmap -map {PREFIX}\n\
         synth -top {module} -run fine:check -noabc\n\
         dfflegalize -cell $_DFF_P_ x\n\
         opt -nodffe -nosdff\n\
         abc -script +{ABC} -g AND,NAND,OR,NOR,XOR,XNOR,MUX\n\
         opt_clean\n\
         tee -o {CELLS} stat -json\n\
         tee -o {PATH} ltp -noff\n\
         write_json {NETLIST}\n"
    )
}

/// Areas of a library of cells over its NAND's: the Nangate 45 nm Open Cell Library, drive X1.
const EQUIVALENTS: [(&str, f64); 9] = [
    ("$_NOT_", 0.67),
    ("$_NAND_", 1.0),
    ("$_NOR_", 1.0),
    ("$_AND_", 1.33),
    ("$_OR_", 1.33),
    ("$_XOR_", 2.0),
    ("$_XNOR_", 2.0),
    ("$_MUX_", 2.33),
    ("$_DFF_P_", 5.67),
];

/// Reads the files of a synthesis: for a chip the cells, for gates also the longest path and, if it
/// is asked for, the switching activity.
///
/// # Errors
/// Names the part that is missing.
pub fn read(request: &Request, file: impl Fn(&str) -> String) -> Result<Synthesized, String> {
    let sheet = &request.core.sheet;
    let mut found = area(request, &file(files::CELLS), &file(files::PATH))?;
    if request.energy && request.target == Target::GenericGates {
        let netlist = Netlist::read(&file(files::NETLIST), &sheet.module)?;
        found.energy = Some(energy::measure(sheet, &netlist)?);
    }
    Ok(found)
}

/// The cells that a core takes.
///
/// # Errors
/// As [`read`].
pub fn cells(request: &Request, file: impl Fn(&str) -> String) -> Result<Cells, String> {
    Ok(request.target.cells(&kinds(&file(files::CELLS), &request.core.sheet.module)?))
}

fn area(request: &Request, stat: &str, path: &str) -> Result<Synthesized, String> {
    let kinds = kinds(stat, &request.core.sheet.module)?;
    let cells = request.target.cells(&kinds);
    if request.target != Target::GenericGates {
        return Ok(Synthesized { cells, gate_equivalents: None, depth: None, energy: None });
    }
    let mut equivalents = 0.0;
    for (kind, &count) in &kinds {
        let known = EQUIVALENTS.iter().find(|(known, _)| known == kind);
        let (_, each) = known.ok_or_else(|| format!("cells of the kind {kind}"))?;
        equivalents += each * count as f64;
    }
    let (gate_equivalents, depth) = (Some(equivalents), Some(depth(path)?));
    Ok(Synthesized { cells, gate_equivalents, depth, energy: None })
}

/// The module's cells by kind, of `stat -json`.
fn kinds(stat: &str, module: &str) -> Result<BTreeMap<String, u64>, String> {
    let stat: Value = serde_json::from_str(stat).map_err(|error| error.to_string())?;
    let kinds = &stat["modules"][format!("\\{module}")]["num_cells_by_type"];
    serde_json::from_value(kinds.clone()).map_err(|_| format!("no cells of the module {module}"))
}

/// The length that `ltp` prints.
fn depth(path: &str) -> Result<u64, String> {
    let found = path.split("(length=").nth(1).and_then(|rest| rest.split(')').next());
    found.and_then(|n| n.parse().ok()).ok_or_else(|| "no longest path".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_counted_without_the_harness() {
        for (target, text, expected) in [
            (
                Target::Ice40Hx8k,
                include_str!("../../tests/fixtures/ice40-cells.json"),
                Cells { luts: 16, carries: 14, flip_flops: 8, rams: 0, dsps: 0 },
            ),
            (
                Target::Ecp5_85k,
                include_str!("../../tests/fixtures/ecp5-cells.json"),
                Cells { luts: 16, carries: 16, flip_flops: 8, rams: 0, dsps: 0 },
            ),
        ] {
            assert_eq!(target.cells(&kinds(text, "tiny").unwrap()), expected, "{target}");
        }
        assert!(kinds("{}", "tiny").unwrap_err().contains("tiny"));
    }

    #[test]
    fn the_longest_path_is_read() {
        assert_eq!(depth("Longest topological path in sha256 (length=18):\n    0: x\n"), Ok(18));
        assert!(depth("nothing").is_err());
    }
}
