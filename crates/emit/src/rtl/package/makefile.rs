//! The Makefile: `test`, `cocotb`, `lint`, `synth`, `prove`, `clean`.

use super::Package;
use crate::rtl::Language;

/// The Makefile.
pub fn makefile(of: &Package<'_>) -> String {
    let Package { top, sources, .. } = of;
    let (test, about) = match (of.language(), of.own_benches) {
        (Language::Vhdl, true) => (test_vhdl(of), VHDL),
        (Language::Vhdl, false) => ("test: cocotb\n\n".to_owned(), VHDL),
        (Language::Verilog | Language::SystemVerilog, _) => (test_verilog(of), VERILOG),
    };
    let simulator = match of.own_benches {
        true => about.simulator.to_owned(),
        false => format!("{}, and pip install cocotb==1.9.2", about.simulator),
    };
    let note = match of.own_benches {
        true => "# make cocotb  the bench in Python: pip install cocotb==1.9.2\n",
        false => "",
    };
    let (only_text, proves) = match of.in_memory {
        true => {
            ("--text ", "that rtl/ is what manylane emits; words in memory are simulated alone")
        }
        false => ("", "that rtl/, as it stands, is the definition"),
    };
    let Tools { lint, lints, reads, plug_in, synth, .. } = about;
    let (reads, rtl) = (reads.replace("{top}", top), sources.join(" "));
    format!(
        "# make test    simulates the vectors of tb: {simulator}\n\
         {note}\
         # make lint    {lints}\n\
         # make synth   area by yosys{synth}\n\
         # make prove   {proves}: manylane, yosys, z3{ghdl}\n\
         # make clean   removes what these made\n\
         .PHONY: test cocotb lint synth prove clean\n\n\
         RTL := {rtl}\n\n\
         {test}{cocotb}\
         lint:\n\
         {lint} $(RTL)\n\n\
         synth:\n\
         \t@mkdir -p build\n\
         \tyosys -q{plug_in} -p '{reads}; synth_ecp5 -top {top}; tee -o build/area stat'\n\
         \tcat build/area\n\n\
         MANYLANE ?= manylane\n\
         prove:\n\
         \t@command -v '$(MANYLANE)' >/dev/null || \\\n\
         \t\t{{ echo '$(MANYLANE) is missing: cargo install --path crates/cli in its sources, or' \
         \\\n\
         \t\t'make prove MANYLANE=PROGRAM' >&2; exit 1; }}\n\
         \t'$(MANYLANE)' prove {only_text}.\n\n\
         clean:\n\
         \trm -rf build tb/__pycache__\n",
        cocotb = cocotb(of),
        lint = lint.replace("{top}", top),
        ghdl = if of.language() == Language::Vhdl { ", ghdl" } else { "" },
    )
}

/// The rules in which the languages differ.
struct Tools {
    simulator: &'static str,
    /// The programs that `lint` runs, for people and for make.
    lints: &'static str,
    lint: &'static str,
    /// The command with which yosys reads the files, the program that it needs, and a remark about
    /// it.
    reads: &'static str,
    plug_in: &'static str,
    synth: &'static str,
}

const VERILOG: Tools = Tools {
    simulator: "Icarus Verilog",
    lints: "verilator --lint-only -Wall",
    lint: "\tverilator --lint-only -Wall --top-module {top}",
    reads: "read_verilog -sv $(RTL)",
    plug_in: "",
    synth: "",
};

const VHDL: Tools = Tools {
    simulator: "GHDL",
    lints: "ghdl -a --std=08, warnings as errors",
    lint: "\t@rm -rf build/lint && mkdir -p build/lint\n\tghdl -a --std=08 --warn-error \
           --workdir=build/lint",
    reads: "ghdl --std=08 $(RTL) -e {top}",
    plug_in: " -m ghdl",
    synth: " with its GHDL plug-in",
};

fn test_verilog(of: &Package<'_>) -> String {
    let Package { top, memories, .. } = of;
    let memories = memories.join(" ");
    format!(
        "test: build/{top}_tb build/{top}_tb_stalls\n\
         \tvvp -n build/{top}_tb\n\
         \tvvp -n build/{top}_tb_stalls\n\n\
         build/%: tb/%.v $(RTL) {memories}\n\
         \t@mkdir -p build\n\
         \tiverilog -g2012 -Wall -o $@ $(RTL) $<\n\n"
    )
}

/// Both benches have the same unit, so each is analysed into a library of its own.
fn test_vhdl(of: &Package<'_>) -> String {
    let top = of.top;
    let run = |bench: &str| {
        format!(
            "\tghdl --elab-run --std=08 --workdir=build/{bench} {top}_tb --ieee-asserts=disable\n"
        )
    };
    let benches = [format!("{top}_tb"), format!("{top}_tb_stalls")];
    format!(
        "test: {}\n{}\n\
         build/%/analysed: tb/%.vhd $(RTL)\n\
         \t@mkdir -p $(@D)\n\
         \tghdl -a --std=08 --workdir=$(@D) $(RTL) $<\n\
         \t@touch $@\n\n",
        benches.each_ref().map(|bench| format!("build/{bench}/analysed")).join(" "),
        benches.each_ref().map(|bench| run(bench)).concat(),
    )
}

/// The bench in Python. cocotb's makefile reports failed tests in a file alone.
fn cocotb(of: &Package<'_>) -> String {
    let top = of.top;
    let (simulator, options) = match of.language() {
        Language::Verilog | Language::SystemVerilog => {
            ("icarus", "TOPLEVEL_LANG=verilog VERILOG_SOURCES=\"$(RTL)\" SIM_BUILD=build/cocotb")
        }
        Language::Vhdl => (
            "ghdl",
            "TOPLEVEL_LANG=vhdl VHDL_SOURCES=\"$(RTL)\" SIM_BUILD=build/cocotb \\\n\
             \t\tGHDL_ARGS=--std=08 SIM_ARGS=--ieee-asserts=disable",
        ),
    };
    format!(
        "cocotb: $(RTL)\n\
         \t@command -v cocotb-config >/dev/null || \\\n\
         \t\t{{ echo 'cocotb is missing: pip install cocotb==1.9.2' >&2; exit 1; }}\n\
         \t@mkdir -p build\n\
         \t$(MAKE) -f $$(cocotb-config --makefiles)/Makefile.sim SIM={simulator} TOPLEVEL={top} \
         \\\n\
         \t\t{options} \\\n\
         \t\tMODULE=test_{top} PYTHONPATH=tb COCOTB_RESULTS_FILE=build/results.xml\n\
         \t@! grep -q '<failure' build/results.xml\n\n"
    )
}
