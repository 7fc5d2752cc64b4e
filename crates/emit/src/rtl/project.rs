//! A folder with all that a core needs: text, test bench, packaging, and what to know of it.

use super::bench::Layout;
use super::bench_python::bench_python;
use super::package::readme::{folder, instance};
use super::package::{BENCHES, Package, constraints, fusesoc, makefile};
use super::{
    Built, Core, Datasheet, Flow, Language, Project, Reset, Vector, bench, bench_vhdl, modes, text,
    vectors,
};
use std::fmt::Write;

/// What the benches read.
const VECTORS: &str = "tb/vectors.hex";

/// The files of a core's folder: path inside it and text.
pub fn project(built: Built<'_>, about: &Project<'_>) -> Vec<(String, String)> {
    let (core, vectors) = (built.core, &vectors(built, about.blocks)[..]);
    let module = &core.netlist.name;
    let note = format!("{}: {}\nMade by: {}", module, about.title, about.command);
    let language = about.style.language;
    let core_text = text(&core.netlist, about.style, &note);
    let core_file = format!("rtl/{module}.{}", language.extension());
    let mut files = vec![(core_file.clone(), core_text)];
    for (flow, name) in BENCHES {
        let (text, memory) = match language {
            Language::Verilog | Language::SystemVerilog => bench(core, vectors, flow, VECTORS),
            Language::Vhdl => bench_vhdl(core, vectors, flow, VECTORS),
        };
        files.push((format!("tb/{module}_{name}.{}", language.bench_extension()), text));
        if flow == Flow::Full {
            files.push((VECTORS.to_owned(), memory));
        }
    }
    files.push((format!("tb/test_{module}.py"), bench_python(core)));
    let sources = vec![core_file];
    let (what, memories) = ("compression core", &[VECTORS][..]);
    let package = Package {
        top: module,
        what,
        about,
        sources: &sources,
        own_benches: true,
        in_memory: core.in_memory(),
        memories,
        python_reads: VECTORS,
    };
    // What `--prove` adds.
    files.push(("Makefile".to_owned(), makefile(&package) + "\n-include proof/rules.mk\n"));
    files.push((format!("{module}.core"), fusesoc(&package)));
    files.extend(constraints(module));
    files.push(("README.md".to_owned(), readme(built, &package, vectors)));
    files.push((Datasheet::FILE.to_owned(), Datasheet::new(built, about, sources).json()));
    files
}

fn readme(built: Built<'_>, package: &Package<'_>, vectors: &[Vector]) -> String {
    let about = package.about;
    let Built { program, core } = built;
    let compression = &program.function;
    let (module, mhz) = (&core.netlist.name, 100.0);
    let block_bits = program.block_bits();
    let headline = block_bits as f64 * mhz / core.cycles_per_block as f64;
    let alone = block_bits as f64 * mhz / core.latency as f64;
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
         | Mbit/s at {mhz:.0} MHz, **one message alone**: each block waits for the one before | \
         {alone:.0} |\n\
         | bits of registers, of memory | {}, {} |\n\
         | steps per clock, stages | {}, {} |\n\
         | adders, pre-computation | {}, {} |\n",
        core.cycles_per_block,
        core.latency,
        core.netlist.register_bits(),
        core.netlist.memory_bits(),
        program.options.merge,
        program.options.stages,
        program.options.adders,
        program.options.precompute,
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
    if !core.modes.is_empty() {
        let bits = modes::bits(core.modes.len());
        let _ = writeln!(
            out,
            "| `in_mode` | {bits} | which hash the block is for; comes with the block |\n\
             | `in_first` | 1 | a message's first block: its chaining value is the mode's, and \
             `in_chain` \
             does not matter |"
        );
    }
    if core.clears {
        out.push_str("| `clear` | 1 | at the next edge every register is 0 |\n");
    }
    let chain: u32 =
        compression.outputs().iter().map(|o| u32::from(compression.width(o.value))).sum();
    let _ = writeln!(out, "| `out_valid`, `out_ready` | 1 | a result is taken where both are 1 |");
    let _ = writeln!(out, "| `out_chain` | {chain} | chaining value after |");
    if !core.modes.is_empty() {
        let bits = modes::bits(core.modes.len());
        let _ = writeln!(
            out,
            "| `out_mode` | {bits} | the block's mode |\n\
             | `out_digest` | {chain} | of a message's last block the digest: the chaining value's \
             first \
             bytes, as many as the mode's digest has, then zeros |\n\n{}",
            modes::table(&core.modes)
        );
    }
    if core.clears {
        out.push_str(
            "\nWhile no block is under way and none is offered, every register is held at 0: a \
             clock \
             after the last result has been taken nothing of any block is left, and until then \
             blocks \
             behind overwrite what those before them leave. `clear` does it at once, at the \
             clock's \
             edge: blocks under way are dropped, a result that waits with them, and none is taken \
             in \
             that clock (`in_ready` is 0). A reset clears too.\n",
        );
    }
    let _ = writeln!(
        out,
        "\nResults come in the order of the blocks. While a result waits, the whole core does. \
         Blocks of different messages may follow each other in any order; the chaining value goes \
         in and out with each, so a message can be saved and resumed. Words are numbers: where the \
         standard's bytes are little-endian, swap them on the way in and out. Padding and the \
         output transform, if the hash has one, are the surroundings' work: `--interface axis` and \
         `axilite` write them.\n"
    );
    example(&mut out, core, vectors);
    let _ = writeln!(out, "## Instantiate it\n\n{}", instance(&core.netlist, about.style.language));
    let tests = format!(
        "Benches hold the core to {} blocks, at full speed and with both sides pausing at random.",
        vectors.len(),
    );
    out.push_str(&folder(package, &tests));
    out
}

/// A block with what belongs to it, and what comes out.
fn example(out: &mut String, core: &Core, vectors: &[Vector]) {
    let Some(first) = vectors.first() else { return };
    let layout = Layout::of(core);
    let line = layout.memory(core, std::slice::from_ref(first));
    let mut rest = line.trim_end();
    let chain = match core.modes.is_empty() {
        true => "chaining value is the one that the standard begins with",
        false => "chaining value is the mode's, whatever `in_chain` has",
    };
    let _ = writeln!(
        out,
        "The first block of the bench begins a message, so that its {chain}; in hexadecimal:\n\n\
         ```text"
    );
    for field in layout.inputs.iter().chain(&layout.outputs) {
        let (digits, more) = rest.split_at(field.width.div_ceil(4) as usize);
        let _ = writeln!(out, "{:<10}  {digits}", field.name);
        rest = more;
    }
    out.push_str("```\n\n");
}
