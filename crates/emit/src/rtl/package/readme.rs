//! What every README says: what is in the folder and what runs it, and an instance to copy.

use super::Package;
use crate::rtl::{Driver, Language, Netlist};
use std::fmt::Write;

/// The section that lists the files and how to run them.
pub fn folder(of: &Package<'_>, tests: &str) -> String {
    let Package { top, sources, .. } = of;
    let vhdl = of.language() == Language::Vhdl;
    let files = match &sources[..] {
        [file] => format!("`{file}`"),
        files => files.iter().map(|file| format!("`{file}`")).collect::<Vec<_>>().join(", "),
    };
    let mut out = format!(
        "## In the folder\n\n| | |\n|---|---|\n\
         | {files} | the design, all that a project needs; `{top}` is on top |\n\
         | `tb/` | benches that check themselves, and what they read |\n\
         | `Makefile`, `{top}.core` | for make and FuseSoC, as below |\n\
         | `constraints/` | a clock of 100 MHz, for Vivado, Quartus and nextpnr |\n\
         | `core.json` | ports and figures of this page, for programs |\n\n"
    );
    let _ = writeln!(out, "## Test\n\n{tests}\n");
    let [simulator, linter] = match vhdl {
        true => ["GHDL", "GHDL, warnings as errors"],
        false => ["Icarus Verilog", "Verilator, all warnings"],
    };
    let packages = if vhdl { "ghdl yosys" } else { "iverilog verilator yosys" };
    let cocotb = " with cocotb: `pip install cocotb==1.9.2`";
    let _ = write!(out, "`apt-get install make {packages}` has the tools:\n\n| | |\n|---|---|\n");
    let mut row = |command: &str, what: &str| {
        let _ = writeln!(out, "| `{command}` | {what} |");
    };
    match of.own_benches {
        true => row("make test", simulator),
        false => row("make test", &format!("{simulator}, from Python{cocotb}")),
    }
    row("make lint", linter);
    let synth = "tables and flip-flops of an ECP5, by yosys";
    match vhdl {
        true => row("make synth", &format!("{synth} with its GHDL plug-in")),
        false => row("make synth", synth),
    }
    let proved = match of.in_memory {
        true => "that the text is what manylane emits, whoever has edited it; yosys, z3",
        false => "that the text is the definition, whoever has edited it; yosys, z3",
    };
    row("make prove", &format!("`manylane prove`: {proved}{}", if vhdl { ", ghdl" } else { "" }));
    if of.own_benches {
        row("make cocotb", &format!("{simulator}, from Python{cocotb}"));
    }
    row("make clean", "removes what these made");
    row(
        &format!("fusesoc --cores-root . run --target test manylane::{top}"),
        "the bench by FuseSoC 2.4; `--target lint` the linter",
    );
    if !vhdl {
        row("manylane synth .", "area and clock on a chip, placed and routed; they are added here");
    }
    out
}

/// Ports of a module but clock and reset: name, direction, bits.
pub fn ports_of(net: &Netlist) -> impl Iterator<Item = (&str, &'static str, u32)> {
    let inputs = net.signals().filter(|(_, signal)| signal.driver == Driver::Input);
    let inputs = inputs.map(|(_, signal)| (&signal.name[..], "in", signal.width));
    let outputs = net.outputs().iter();
    inputs.chain(outputs.map(|(name, id)| (&name[..], "out", net.signal(*id).width)))
}

/// An instance to copy, with signals named as the ports.
pub fn instance(net: &Netlist, language: Language) -> String {
    let top = &net.name;
    let names = ["clk", "rst"].into_iter().chain(ports_of(net).map(|(name, ..)| name));
    let (connect, fence): (fn(&str) -> String, _) = match language {
        Language::Verilog | Language::SystemVerilog => {
            (|name| format!("  .{name}({name})"), "verilog")
        }
        Language::Vhdl => (|name| format!("    {name} => {name}"), "vhdl"),
    };
    let ports = names.map(connect).collect::<Vec<_>>().join(",\n");
    match language {
        Language::Verilog | Language::SystemVerilog => {
            format!("```{fence}\n{top} hash (\n{ports}\n);\n```\n")
        }
        Language::Vhdl => {
            format!("```{fence}\nhash : entity work.{top}\n  port map (\n{ports}\n  );\n```\n")
        }
    }
}
