//! The `.core` file: targets `default`, `lint`, `test`, `cocotb`.

use super::Package;
use crate::rtl::Language;

/// The `.core` file.
pub fn fusesoc(of: &Package<'_>) -> String {
    let Package { top, what, about, sources, .. } = of;
    let title = about.title.replace('"', "'");
    let language = of.language();
    let kind = match language {
        Language::Verilog => "verilogSource",
        Language::SystemVerilog => "systemVerilogSource",
        Language::Vhdl => VHDL,
    };
    let (elaborates, lint) = match language {
        Language::Verilog | Language::SystemVerilog => (
            "icarus\n    tools:\n      icarus: {iverilog_options: [-g2012]}",
            "verilator\n    tools:\n      verilator: {mode: lint-only, verilator_options: [-Wall]}",
        ),
        Language::Vhdl => (
            "ghdl\n    tools:\n      ghdl: {analyze_options: [--std=08]}",
            "ghdl\n    tools:\n      ghdl: {analyze_options: [--std=08, --warn-error]}",
        ),
    };
    format!(
        "CAPI=2:\n\
         # fusesoc --cores-root . run --target test manylane::{top}\n\
         name: \"manylane::{top}:0.1.0\"\n\
         description: \"{title}: {what}\"\n\n\
         filesets:\n\
         \x20 rtl:\n\
         \x20   files: [{sources}]\n\
         \x20   file_type: {kind}\n\
         {benches}\n\
         targets:\n\
         \x20 # Elaborates; other cores depend on it.\n\
         \x20 default: &default\n\
         \x20   filesets: [rtl]\n\
         \x20   toplevel: {top}\n\
         \x20   default_tool: {elaborates}\n\
         \x20 lint:\n\
         \x20   <<: *default\n\
         \x20   default_tool: {lint}\n\
         {tests}",
        sources = sources.join(", "),
        benches = filesets(of),
        tests = tests(of),
    )
}

const VHDL: &str = "vhdlSource-2008";

/// The files of the benches. Those that the benches read are copied to the places where the benches
/// look for them, below the folder in which they run.
fn filesets(of: &Package<'_>) -> String {
    let Package { top, memories, python_reads, .. } = of;
    let copied = |file: &str| format!("      - {file}: {{file_type: user, copyto: {file}}}\n");
    let mut sets = String::new();
    if of.own_benches {
        let extension = of.language().bench_extension();
        let kind = if of.language() == Language::Vhdl { VHDL } else { "systemVerilogSource" };
        sets +=
            &format!("  tb:\n    files:\n      - tb/{top}_tb.{extension}: {{file_type: {kind}}}\n");
        sets.extend(memories.iter().map(|file| copied(file)));
    }
    let python = [format!("tb/test_{top}.py"), (*python_reads).to_owned()];
    sets + "  python:\n    files:\n" + &python.map(|file| copied(&file)).concat()
}

fn tests(of: &Package<'_>) -> String {
    let top = of.top;
    let mut targets = String::new();
    if of.own_benches {
        let tools = match of.language() {
            Language::Vhdl => {
                "ghdl\n    tools:\n      \
                 ghdl: {analyze_options: [--std=08], run_options: [--ieee-asserts=disable]}\n"
            }
            Language::Verilog | Language::SystemVerilog => {
                "icarus\n    tools:\n      icarus: {iverilog_options: [-g2012]}\n      \
                 verilator: {mode: binary, verilator_options: [--timing, -Wno-fatal]}\n"
            }
        };
        targets += &format!(
            "  test:\n    filesets: [rtl, tb]\n    toplevel: {top}_tb\n    default_tool: {tools}"
        );
    }
    let options = match of.language() {
        Language::Vhdl => {
            "ghdl\n      analyze_options: [--std=08]\n      sim_options: [--ieee-asserts=disable]\n"
        }
        Language::Verilog | Language::SystemVerilog => "icarus\n      iverilog_options: [-g2012]\n",
    };
    let name = if of.own_benches { "cocotb" } else { "test" };
    targets += &format!(
        "  # From Python, with cocotb, whose failures FuseSoC does not see: read its table.\n  \
         {name}:\n    filesets: [rtl, python]\n    toplevel: {top}\n    flow: sim\n    \
         flow_options:\n      cocotb_module: tb.test_{top}\n      tool: {options}"
    );
    targets
}
