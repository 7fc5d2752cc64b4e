//! A folder with everything that a core needs: text, test bench, packaging and README.

use super::bench::{Field, Layout};
use super::bench_python::bench_python;
use super::package::readme::{rate, values};
use super::package::{BENCHES, Package, constraints, fusesoc, makefile};
use super::templates::render;
use super::{
    Built, Core, Datasheet, Flow, Language, Project, Vector, bench, bench_vhdl, modes, text,
    vectors,
};
use manylane_graph::NodeId;
use minijinja::context;

/// The file that the benches read.
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
    // The files that `--prove` adds.
    files.push(("Makefile".to_owned(), makefile(&package) + "\n-include proof/rules.mk\n"));
    files.push((format!("{module}.core"), fusesoc(&package)));
    files.extend(constraints(module));
    files.push(("README.md".to_owned(), readme(built, &package, vectors)));
    files.push((Datasheet::FILE.to_owned(), Datasheet::new(built, about, sources).json()));
    files
}

fn readme(built: Built<'_>, package: &Package<'_>, vectors: &[Vector]) -> String {
    let Built { program, core } = built;
    let (compression, options) = (&program.function, program.options);
    let bits = program.block_bits() as f64;
    let port = |(name, nodes): &(&str, Vec<NodeId>)| {
        let bits: u32 = nodes.iter().map(|&node| u32::from(compression.width(node))).sum();
        let what = match *name {
            "in_chain" => "chaining value before, first word in the highest bits",
            "in_block" => "words of the padded block, first word in the highest bits",
            _ => "counter of the block, low word in the highest bits",
        };
        match *name == Core::WORD {
            true => context! { words => nodes.len(), bits => bits / nodes.len() as u32 },
            false => context! { words => 0, bits, name => *name, what },
        }
    };
    let chain = compression.outputs().iter().map(|o| u32::from(compression.width(o.value)));
    let tests = format!(
        "Benches hold the core to {} blocks, at full speed and with both sides pausing at random.",
        vectors.len(),
    );
    let values = context! {
        cycles => core.cycles_per_block, latency => core.latency,
        messages => core.latency.div_ceil(core.cycles_per_block),
        headline => rate(bits, core.cycles_per_block), alone => rate(bits, core.latency),
        register_bits => core.netlist.register_bits(), memory_bits => core.netlist.memory_bits(),
        adders => options.adders.to_string(), precompute => options.precompute.to_string(),
        has_words => core.words().is_some(),
        ports => core.ports.iter().map(port).collect::<Vec<_>>(),
        mode_bits => (!core.modes.is_empty()).then(|| modes::bits(core.modes.len())),
        chain => chain.sum::<u32>(), example => example(core, vectors),
        ..values(package, built, &core.netlist, &tests)
    };
    render("core.md", &values)
}

/// An example, line by line: a block, the other inputs that belong to it, and the outputs.
fn example(core: &Core, vectors: &[Vector]) -> Option<Vec<String>> {
    let layout = Layout::of(core);
    let line = layout.memory(core, std::slice::from_ref(vectors.first()?));
    let mut rest = line.trim_end();
    let field = |field: &Field| {
        let (digits, more) = rest.split_at(field.width.div_ceil(4) as usize);
        rest = more;
        format!("{:<10}  {digits}", field.name)
    };
    Some(layout.inputs.iter().chain(&layout.outputs).map(field).collect())
}
