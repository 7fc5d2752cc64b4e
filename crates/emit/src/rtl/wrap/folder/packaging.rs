//! What tools read: make, FuseSoC, place and route.

use super::Wrapped;
use crate::rtl::{Language, Project};

/// Benches are in Verilog: what is in VHDL is synthesised to it for them.
pub(super) fn makefile(
    of: Wrapped<'_>,
    about: &Project<'_>,
    sources: &[String],
    memories: &[&str],
) -> String {
    let top = &of.wrapper.netlist.name;
    let (sources, memories) = (sources.join(" "), memories.join(" "));
    let vhdl = about.style.language == Language::Vhdl;
    let (netlist, analyse) = match vhdl {
        false => ("$(RTL)", String::new()),
        true => (
            "build/netlist.v",
            format!(
                "\nbuild/netlist.v: $(RTL)\n\
                 \t@mkdir -p build\n\
                 \t$(GHDL) -a --std=08 --workdir=build $(RTL)\n\
                 \t$(GHDL) --synth --std=08 --workdir=build --out=verilog {top} > $@\n"
            ),
        ),
    };
    let lint = match vhdl {
        false => format!("verilator --lint-only -Wall --top-module {top} $(RTL)"),
        true => "@mkdir -p build/lint\n\
                 \t$(GHDL) -a --std=08 --warn-error --workdir=build/lint $(RTL)"
            .to_owned(),
    };
    let read = match vhdl {
        false => "read_verilog -sv $(RTL)".to_owned(),
        true => format!("ghdl --std=08 $(RTL) -e {top}"),
    };
    let (plugin, ghdl) = if vhdl { ("-m ghdl ", "GHDL := ghdl\n") } else { ("", "") };
    let checker = if vhdl { "ghdl --warn-error" } else { "verilator -Wall" };
    format!(
        "# make test    simulates the messages of tb: Icarus Verilog\n\
         # make cocotb  the bench in Python: pip install cocotb==1.9.2\n\
         # make lint    {checker}\n\
         # make synth   area by yosys\n\
         .PHONY: test cocotb lint synth\n\n\
         RTL := {sources}\n{ghdl}\n\
         test: build/{top}_tb build/{top}_tb_stalls\n\
         \tvvp -n build/{top}_tb\n\
         \tvvp -n build/{top}_tb_stalls\n\n\
         build/{top}_%: tb/{top}_%.v {netlist} {memories}\n\
         \t@mkdir -p build\n\
         \tiverilog -g2012 -Wall -o $@ {netlist} $<\n\
         {analyse}\n\
         # cocotb's makefile reports failed tests in a file alone.\n\
         cocotb: {netlist}\n\
         \t@mkdir -p build\n\
         \t$(MAKE) -f $$(cocotb-config --makefiles)/Makefile.sim SIM=icarus \\\n\
         \t\tTOPLEVEL_LANG=verilog VERILOG_SOURCES=\"{netlist}\" TOPLEVEL={top} \\\n\
         \t\tMODULE=test_{top} PYTHONPATH=tb SIM_BUILD=build/cocotb \\\n\
         \t\tCOCOTB_RESULTS_FILE=build/results.xml\n\
         \t@! grep -q '<failure' build/results.xml\n\n\
         lint:\n\
         \t{lint}\n\n\
         synth:\n\
         \t@mkdir -p build\n\
         \tyosys {plugin}-q -p '{read}; synth_ecp5 -top {top}; tee -o build/area stat'\n\
         \tcat build/area\n"
    )
}

pub(super) fn fusesoc(
    of: Wrapped<'_>,
    about: &Project<'_>,
    sources: &[String],
    memories: &[&str],
) -> String {
    let top = &of.wrapper.netlist.name;
    let title = about.title.replace('"', "'");
    let kind = match about.style.language {
        Language::Verilog => "verilogSource",
        Language::SystemVerilog => "systemVerilogSource",
        Language::Vhdl => "vhdlSource-2008",
    };
    let memories: String = memories
        .iter()
        .map(|file| format!("      - {file}: {{file_type: user, copyto: {file}}}\n"))
        .collect();
    // The benches are in Verilog, which FuseSoC cannot mix with VHDL for Icarus.
    let (bench, test) = match about.style.language {
        Language::Vhdl => (String::new(), String::new()),
        Language::Verilog | Language::SystemVerilog => (
            format!(
                "  tb:\n    files:\n      - tb/{top}_tb.v: {{file_type: systemVerilogSource}}\n{memories}"
            ),
            format!(
                "  lint:\n    <<: *default\n    default_tool: verilator\n    tools:\n      \
                 verilator: {{mode: lint-only, verilator_options: [-Wall]}}\n  \
                 test:\n    filesets: [rtl, tb]\n    toplevel: {top}_tb\n    \
                 default_tool: icarus\n    tools:\n      icarus: {{iverilog_options: [-g2012]}}\n"
            ),
        ),
    };
    format!(
        "CAPI=2:\n\
         name: \"manylane::{top}:0.1.0\"\n\
         description: \"{title}: messages in, digests out\"\n\n\
         filesets:\n\
         \x20 rtl:\n\
         \x20   files: [{}]\n\
         \x20   file_type: {kind}\n\
         {bench}\n\
         targets:\n\
         \x20 default: &default\n\
         \x20   filesets: [rtl]\n\
         \x20   toplevel: {top}\n\
         {test}",
        sources.join(", ")
    )
}

/// A clock for place and route: it is all that a module without pins is bound by.
pub(super) fn constraints(top: &str) -> [(String, String); 2] {
    let path = |extension: &str| format!("constraints/{top}.{extension}");
    [
        (
            path("lpf"),
            "# nextpnr-ecp5 --lpf: the clock of the design that the module is put in.\n\
             FREQUENCY PORT \"clk\" 100 MHZ;\n"
                .to_owned(),
        ),
        (
            path("sdc"),
            "# 100 MHz; all ports are of the same clock's registers.\n\
             create_clock -name clk -period 10.0 [get_ports clk]\n\
             set_input_delay -clock clk 2.0 [remove_from_collection [all_inputs] [get_ports clk]]\n\
             set_output_delay -clock clk 2.0 [all_outputs]\n"
                .to_owned(),
        ),
    ]
}
