//! What tools read: make, FuseSoC, place and route.

use super::Wrapped;
use crate::rtl::{Language, Project};

pub(super) fn makefile(
    of: Wrapped<'_>,
    about: &Project<'_>,
    sources: &[String],
    memories: &[&str],
) -> String {
    let top = &of.wrapper.netlist.name;
    let rtl = sources.join(" ");
    match about.style.language {
        Language::Verilog | Language::SystemVerilog => verilog(top, &rtl, &memories.join(" ")),
        Language::Vhdl => vhdl(top, &rtl),
    }
}

fn verilog(top: &str, rtl: &str, memories: &str) -> String {
    let cocotb = cocotb(
        top,
        "icarus",
        "TOPLEVEL_LANG=verilog VERILOG_SOURCES=\"$(RTL)\" SIM_BUILD=build/cocotb",
    );
    format!(
        "# make test    simulates the messages of tb: Icarus Verilog\n\
         # make cocotb  the bench in Python: pip install cocotb==1.9.2\n\
         # make lint    verilator --lint-only -Wall\n\
         # make synth   area by yosys\n\
         .PHONY: test cocotb lint synth\n\n\
         RTL := {rtl}\n\n\
         test: build/{top}_tb build/{top}_tb_stalls\n\
         \tvvp -n build/{top}_tb\n\
         \tvvp -n build/{top}_tb_stalls\n\n\
         build/%: tb/%.v $(RTL) {memories}\n\
         \t@mkdir -p build\n\
         \tiverilog -g2012 -Wall -o $@ $(RTL) $<\n\n\
         {cocotb}\n\
         lint:\n\
         \tverilator --lint-only -Wall --top-module {top} $(RTL)\n\n\
         synth:\n\
         \t@mkdir -p build\n\
         \tyosys -q -p 'read_verilog -sv $(RTL); synth_ecp5 -top {top}; tee -o build/area stat'\n\
         \tcat build/area\n"
    )
}

fn vhdl(top: &str, rtl: &str) -> String {
    let cocotb = cocotb(
        top,
        "ghdl",
        "TOPLEVEL_LANG=vhdl VHDL_SOURCES=\"$(RTL)\" SIM_BUILD=build/cocotb \\\n\
         \t\tGHDL_ARGS=--std=08 SIM_ARGS=--ieee-asserts=disable",
    );
    format!(
        "# make test   simulates the messages of tb: GHDL, and pip install cocotb==1.9.2\n\
         # make lint   ghdl -a --std=08, warnings as errors\n\
         # make synth  area by yosys with its GHDL plug-in\n\
         .PHONY: test cocotb lint synth\n\n\
         RTL := {rtl}\n\n\
         test: cocotb\n\n\
         {cocotb}\n\
         lint:\n\
         \t@mkdir -p build/lint\n\
         \tghdl -a --std=08 --warn-error --workdir=build/lint $(RTL)\n\n\
         synth:\n\
         \t@mkdir -p build\n\
         \tyosys -q -m ghdl -p 'ghdl --std=08 $(RTL) -e {top}; synth_ecp5 -top {top}; tee -o build/area stat'\n\
         \tcat build/area\n"
    )
}

/// The bench in Python. cocotb's makefile reports failed tests in a file alone.
fn cocotb(top: &str, simulator: &str, options: &str) -> String {
    format!(
        "cocotb: $(RTL)\n\
         \t@mkdir -p build\n\
         \t$(MAKE) -f $$(cocotb-config --makefiles)/Makefile.sim SIM={simulator} TOPLEVEL={top} \\\n\
         \t\t{options} \\\n\
         \t\tMODULE=test_{top} PYTHONPATH=tb COCOTB_RESULTS_FILE=build/results.xml\n\
         \t@! grep -q '<failure' build/results.xml\n"
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
    // What is in VHDL has its bench in Python.
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
