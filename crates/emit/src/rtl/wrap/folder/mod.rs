//! A folder with a hash in its surroundings: text, benches, packaging and README.

mod readme;
mod wrapped;

pub use wrapped::Wrapped;

use super::axilite::chain_registers;
use super::bench::{Order, ordered_bench};
use super::{Files, Interface, register_bench};
use crate::rtl::package::{BENCHES, Package, constraints, fusesoc, makefile};
use crate::rtl::{Datasheet, Flow, Language, Project, text};
use std::fmt::Write;

/// The files of the folder: path inside it and text.
pub fn wrapped_project(of: Wrapped<'_>, about: &Project<'_>) -> Vec<(String, String)> {
    let Wrapped { built, wrapper, .. } = of;
    let (core, top) = (&built.core.netlist, &wrapper.netlist);
    let note = |module: &str| format!("{module}: {}\nMade by: {}", about.title, about.command);
    let extension = about.style.language.extension();
    let mut files: Vec<(String, String)> = [core, top]
        .into_iter()
        .map(|net| {
            let path = format!("rtl/{}.{extension}", net.name);
            (path, text(net, about.style, &note(&net.name)))
        })
        .collect();
    let sources: Vec<String> = files.iter().map(|(path, _)| path.clone()).collect();
    // A bench in Verilog cannot reach what is in VHDL; the one in Python can.
    let benches = match about.style.language {
        Language::Verilog | Language::SystemVerilog => &BENCHES[..],
        Language::Vhdl => &[],
    };
    for &(flow, name) in benches {
        let (bench, memories) = bench(of, flow);
        files.push((format!("tb/{}_{name}.v", top.name), bench));
        // Contexts are mixed at random for both.
        if flow == Flow::Stalls {
            files.extend(memories);
        }
    }
    files.push((format!("tb/test_{}.py", top.name), cocotb(of)));
    files.push((MESSAGES.to_owned(), lines(of)));
    let memories: Vec<&str> = match wrapper.interface {
        Interface::Stream(_) => vec![BEATS, DIGESTS],
        Interface::Registers => vec![SCRIPT],
    };
    let what = "messages in, digests out";
    let memories = &memories[..];
    let package = Package {
        top: &top.name,
        what,
        about,
        sources: &sources,
        own_benches: !benches.is_empty(),
        in_memory: built.core.in_memory(),
        memories,
        python_reads: MESSAGES,
    };
    files.push(("Makefile".to_owned(), makefile(&package)));
    files.push((format!("{}.core", top.name), fusesoc(&package)));
    files.extend(constraints(&top.name));
    files.push(("README.md".to_owned(), readme::readme(of, &package)));
    let sheet = Datasheet::new(built, about, sources).within(wrapper);
    files.push((Datasheet::FILE.to_owned(), sheet.json()));
    files
}

const MESSAGES: &str = "tb/messages.txt";
const BEATS: &str = "tb/beats.hex";
const DIGESTS: &str = "tb/digests.hex";
const SCRIPT: &str = "tb/script.hex";

/// The bench, and the files that it reads.
fn bench(of: Wrapped<'_>, flow: Flow) -> (String, Vec<(String, String)>) {
    let Wrapped { built, wrapper, framing, messages } = of;
    match wrapper.interface {
        Interface::Stream(_) => {
            let files = Files { beats: BEATS, digests: DIGESTS };
            let (bench, beats, digests) =
                ordered_bench(wrapper, built.core, messages, Order::Mixed, flow, files);
            (bench, vec![(BEATS.to_owned(), beats), (DIGESTS.to_owned(), digests)])
        }
        Interface::Registers => {
            let (bench, script) =
                register_bench(wrapper, built.core, framing, messages, flow, SCRIPT);
            (bench, vec![(SCRIPT.to_owned(), script)])
        }
    }
}

/// The bench in Python, for cocotb.
fn cocotb(of: Wrapped<'_>) -> String {
    let Wrapped { built, wrapper, framing, .. } = of;
    let chain_words = framing.word_bits as usize * framing.initial.len() / 32;
    let (bench, bytes) = match wrapper.interface {
        Interface::Stream(bytes) => (include_str!("stream.py"), bytes),
        Interface::Registers => (include_str!("registers.py"), 4),
    };
    let modes = built.core.modes.iter().map(|mode| format!("\"{}\"", mode.name.replace('-', "_")));
    let names = match built.core.modes.is_empty() {
        true => format!("\"{}\"", Datasheet::primitive(built.program).replace('-', "_")),
        false => modes.collect::<Vec<_>>().join(", "),
    };
    let named = bench
        .replace("{top}", &wrapper.netlist.name)
        .replace("{names}", &format!("[{names}]"))
        .replace("{clears}", if built.core.clears { "True" } else { "False" });
    [
        ("{contexts}", wrapper.contexts),
        ("{bytes}", bytes),
        ("{block}", framing.block_bytes),
        ("{digest}", framing.digest.len()),
        ("{chain_words}", chain_words),
    ]
    .iter()
    .fold(named, |bench, (place, number)| bench.replace(place, &number.to_string()))
}

/// Lines of a mode, a message and its digest, the last two in hexadecimal; for registers also what
/// CHAIN has after each block.
fn lines(of: Wrapped<'_>) -> String {
    let hex = |bytes: &[u8]| -> String { bytes.iter().map(|byte| format!("{byte:02x}")).collect() };
    let registers = |chain: &Vec<u64>| -> String {
        let words = chain_registers(of.framing, chain);
        words.iter().map(|word| format!("{word:08x}")).collect()
    };
    of.messages.iter().fold(String::new(), |mut out, message| {
        let (bytes, digest) = (hex(&message.bytes), hex(&message.digest));
        let _ = write!(out, "{}:{bytes}:{digest}", message.mode);
        if of.wrapper.interface == Interface::Registers {
            let chain: Vec<String> = message.chain.iter().map(registers).collect();
            let _ = write!(out, ":{}", chain.join(","));
        }
        out.push('\n');
        out
    })
}
