//! A folder with all that a core needs: text, test bench, packaging, and what to know of it.

use super::{
    Core, Datasheet, Design, Flow, Language, Reset, Style, Vector, bench, bench_vhdl, text,
};
use std::fmt::Write;

/// What the files say beside the core itself.
#[derive(Clone, Debug)]
pub struct Project<'p> {
    /// The primitive's title.
    pub title: &'p str,
    /// A warning about its security, if it needs one.
    pub warning: Option<&'p str>,
    /// The command line that makes the folder.
    pub command: &'p str,
    /// Calls of the compression with messages of the standard's form.
    pub vectors: &'p [Vector],
    /// Language and reset.
    pub style: Style,
}

/// The files of a core's folder: path inside it and text.
pub fn project(design: &Design, about: &Project<'_>) -> Vec<(String, String)> {
    let module = &design.core.netlist.name;
    let note = format!("{}: {}\nMade by: {}", module, about.title, about.command);
    let language = about.style.language;
    let core = text(&design.core.netlist, about.style, &note);
    let core_file = format!("rtl/{module}.{}", language.extension());
    let mut files = vec![(core_file.clone(), core)];
    for (flow, name) in [(Flow::Full, "tb"), (Flow::Stalls, "tb_stalls")] {
        let file = "tb/vectors.hex";
        let ((text, memory), extension) = match language {
            Language::Verilog | Language::SystemVerilog => {
                (bench(&design.core, about.vectors, flow, file), "v")
            }
            Language::Vhdl => (bench_vhdl(&design.core, about.vectors, flow, file), "vhd"),
        };
        files.push((format!("tb/{module}_{name}.{extension}"), text));
        if flow == Flow::Full {
            files.push((file.to_owned(), memory));
        }
    }
    let makefile = match language {
        Language::Verilog | Language::SystemVerilog => makefile(module, &core_file),
        Language::Vhdl => makefile_vhdl(module),
    };
    // What `--prove` adds.
    files.push(("Makefile".to_owned(), makefile + "\n-include proof/rules.mk\n"));
    let sheet = Datasheet::new(design, about, vec![core_file]);
    files.push((Datasheet::FILE.to_owned(), sheet.json()));
    files.push((format!("{module}.core"), fusesoc(module, about)));
    files.push(("README.md".to_owned(), readme(design, about)));
    files
}

fn makefile(module: &str, core: &str) -> String {
    format!(
        "# make test   simulates the core: Icarus Verilog\n\
         # make lint   verilator --lint-only -Wall\n\
         # make synth  area by yosys\n\
         .PHONY: test lint synth\n\n\
         test: build/{module}_tb build/{module}_tb_stalls\n\
         \tvvp -n build/{module}_tb\n\
         \tvvp -n build/{module}_tb_stalls\n\n\
         build/%: tb/%.v {core} tb/vectors.hex\n\
         \t@mkdir -p build\n\
         \tiverilog -g2012 -Wall -o $@ {core} $<\n\n\
         lint:\n\
         \tverilator --lint-only -Wall {core}\n\n\
         synth:\n\
         \t@mkdir -p build\n\
         \tyosys -q -p 'read_verilog -sv {core}; synth_ecp5 -top {module}; tee -o build/area stat'\n\
         \tcat build/area\n"
    )
}

/// Both benches have the same unit, so each is analysed into a library of its own.
fn makefile_vhdl(module: &str) -> String {
    format!(
        "# make test   simulates the core: GHDL\n\
         # make lint   ghdl -a --std=08, warnings as errors\n\
         # make synth  area by yosys with its GHDL plug-in\n\
         .PHONY: test lint synth\n\n\
         GHDL := ghdl\n\n\
         test: build/{module}_tb/run build/{module}_tb_stalls/run\n\n\
         build/%/run: tb/%.vhd rtl/{module}.vhd tb/vectors.hex\n\
         \t@mkdir -p $(@D)\n\
         \t$(GHDL) -a --std=08 --workdir=$(@D) rtl/{module}.vhd $<\n\
         \t$(GHDL) --elab-run --std=08 --workdir=$(@D) {module}_tb --ieee-asserts=disable\n\
         \t@touch $@\n\n\
         lint:\n\
         \t@mkdir -p build/lint\n\
         \t$(GHDL) -a --std=08 --warn-error --workdir=build/lint rtl/{module}.vhd\n\n\
         synth:\n\
         \t@mkdir -p build\n\
         \tyosys -q -m ghdl -p 'ghdl --std=08 rtl/{module}.vhd -e {module}; synth_ecp5 -top {module}; tee -o build/area stat'\n\
         \tcat build/area\n"
    )
}

fn fusesoc(module: &str, about: &Project<'_>) -> String {
    let title = about.title.replace('"', "'");
    let extension = about.style.language.extension();
    let (kind, bench, bench_kind) = match about.style.language {
        Language::Verilog => ("verilogSource", "v", "systemVerilogSource"),
        Language::SystemVerilog => ("systemVerilogSource", "v", "systemVerilogSource"),
        Language::Vhdl => ("vhdlSource-2008", "vhd", "vhdlSource-2008"),
    };
    let simulator = match about.style.language {
        Language::Verilog | Language::SystemVerilog => {
            "icarus\n    tools:\n      icarus: {iverilog_options: [-g2012]}\n"
        }
        Language::Vhdl => {
            "ghdl\n    tools:\n      ghdl: {analyze_options: [--std=08], run_options: [--ieee-asserts=disable]}\n"
        }
    };
    let lint = match about.style.language {
        Language::Verilog | Language::SystemVerilog => {
            "  lint:\n    <<: *default\n    default_tool: verilator\n    tools:\n      \
             verilator: {mode: lint-only, verilator_options: [-Wall]}\n"
        }
        Language::Vhdl => "",
    };
    format!(
        "CAPI=2:\n\
         name: \"manylane::{module}:0.1.0\"\n\
         description: \"{title}: compression core\"\n\n\
         filesets:\n\
         \x20 rtl:\n\
         \x20   files: [rtl/{module}.{extension}]\n\
         \x20   file_type: {kind}\n\
         \x20 tb:\n\
         \x20   files:\n\
         \x20     - tb/{module}_tb.{bench}: {{file_type: {bench_kind}}}\n\
         \x20     - tb/vectors.hex: {{file_type: user, copyto: tb/vectors.hex}}\n\n\
         targets:\n\
         \x20 default: &default\n\
         \x20   filesets: [rtl]\n\
         \x20   toplevel: {module}\n\
         {lint}\
         \x20 test:\n\
         \x20   filesets: [rtl, tb]\n\
         \x20   toplevel: {module}_tb\n\
         \x20   default_tool: {simulator}"
    )
}

fn readme(design: &Design, about: &Project<'_>) -> String {
    let Design { plan, core, compression } = design;
    let (module, mhz) = (&core.netlist.name, 100.0);
    let headline = plan.block_bits as f64 * mhz / core.cycles_per_block as f64;
    let alone = plan.block_bits as f64 * mhz / core.latency as f64;
    let messages = core.latency.div_ceil(core.cycles_per_block);
    let mut out =
        format!("# {module}\n\n{}: one call of the compression per block.\n\n", about.title);
    if let Some(warning) = about.warning {
        let _ = writeln!(out, "**{warning}**\n");
    }
    let _ = writeln!(out, "Made by\n\n```sh\n{}\n```\n", about.command);
    let _ = writeln!(
        out,
        "| | |\n|---|---|\n\
         | clocks between blocks | {} |\n\
         | latency, clocks from taking a block to offering its result | {} |\n\
         | messages to keep it full | {messages} |\n\
         | Mbit/s at {mhz:.0} MHz, {messages} messages in flight | {headline:.0} |\n\
         | Mbit/s at {mhz:.0} MHz, **one message alone**: each block waits for the one before | {alone:.0} |\n\
         | bits of registers, of memory | {}, {} |\n\
         | steps per clock, stages | {}, {} |\n\
         | adders, pre-computation | {}, {} |\n",
        core.cycles_per_block,
        core.latency,
        core.netlist.register_bits(),
        core.netlist.memory_bits(),
        plan.options.merge,
        plan.options.stages,
        plan.options.adders,
        plan.options.precompute,
    );
    out.push_str("## Ports\n\n| port | bits | |\n|---|---|---|\n");
    let reset = match about.style.reset {
        Reset::Sync => "synchronous",
        Reset::Async => "asynchronous, to be let go in step with the clock",
    };
    let _ = writeln!(out, "| `clk`, `rst` | 1 | rising edge; {reset}, active high |");
    let taken = match core.words() {
        None => "a block is taken where both are 1",
        Some(_) => "a block whose words are there is taken where both are 1",
    };
    let _ = writeln!(out, "| `in_valid`, `in_ready` | 1 | {taken} |");
    out.push_str("| `in_tag`, `out_tag` | 8 | comes out with the block's result |\n");
    for (name, nodes) in &core.ports {
        let bits: u32 = nodes.iter().map(|&node| u32::from(compression.width(node))).sum();
        if *name == Core::WORD {
            let (words, bits) = (nodes.len(), bits / nodes.len() as u32);
            let _ = writeln!(
                out,
                "| `word_valid`, `word_ready` | 1 | a word is taken where both are 1 |\n\
                 | `word` | {bits} | the {words} words of the padded block, one after the other; \
                 those of the next block while this one is computed |"
            );
            continue;
        }
        let what = match *name {
            "in_chain" => "chaining value before, first word in the highest bits",
            "in_block" => "words of the padded block, first word in the highest bits",
            _ => "counter of the block, low word in the highest bits",
        };
        let _ = writeln!(out, "| `{name}` | {bits} | {what} |");
    }
    let chain: u32 =
        compression.outputs().iter().map(|o| u32::from(compression.width(o.value))).sum();
    let _ = writeln!(out, "| `out_valid`, `out_ready` | 1 | a result is taken where both are 1 |");
    let _ = writeln!(out, "| `out_chain` | {chain} | chaining value after |");
    let (simulator, linter) = match about.style.language {
        Language::Verilog | Language::SystemVerilog => ("Icarus Verilog", "Verilator"),
        Language::Vhdl => ("GHDL", "GHDL"),
    };
    let _ = writeln!(
        out,
        "\nResults come in the order of the blocks. While a result waits, the whole core does. \
         Blocks of different messages may follow each other in any order; the chaining value goes \
         in and out with each, so a message can be saved and resumed. Words are numbers: where the \
         standard's bytes are little-endian, swap them on the way in and out. Padding and the \
         output transform, if the hash has one, are the surroundings' work.\n\n\
         ## Test\n\n`make test` simulates {} blocks, at full speed and with both sides pausing at \
         random, with {}; `make lint` asks {}.",
        about.vectors.len(),
        simulator,
        linter
    );
    out
}
