//! Hashes on AXI4-Stream and AXI4-Lite, simulated with Icarus Verilog: messages around the block
//! boundaries in contexts whose beats are mixed, at full speed and with stalls, against the
//! definition.
//!
//! `sweep` has the rest.

use super::resume::{self, Done};
use super::scratch::folder;
use super::tools::{cocotb, has, make};
use manylane_emit::rtl::{
    Design, Error, Files, Flow, Interface, Language, Message, Options, Project, Reset, Storage,
    Style, Wrapped, Wrapper, design, modes, register_bench, stream_bench, text, wrap,
    wrapped_project,
};
use manylane_graph::calls::{calls, digest};
use manylane_graph::framing::{Framing, framing};
use manylane_graph::trace;
use manylane_plan::hardware::{self, Adders, DelayModel, Precompute};
use manylane_primitives::catalog::{Algorithm, HashId};
use std::fmt;
use std::path::PathBuf;
use std::process::Command;

/// Steps per clock that make the rounds of this hash alike.
fn merge(algorithm: Algorithm) -> usize {
    if algorithm.to_string().starts_with("jh") { 7 } else { 1 }
}

/// A core in its surroundings.
pub struct Made {
    algorithms: Vec<Algorithm>,
    design: Design,
    framing: Framing,
    wrapper: Wrapper,
    title: String,
    pub text: String,
}

fn made(name: &str, stages: usize, interface: Interface) -> Made {
    try_made(name, stages, interface).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The same with its words in memory.
fn made_in_memory(name: &str, stages: usize, interface: Interface) -> Made {
    try_made_with(name, stages, interface, Storage::Ram, false)
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn try_made(name: &str, stages: usize, interface: Interface) -> Result<Made, Error> {
    try_made_with(name, stages, interface, Storage::Registers, false)
}

/// Of several hashes, if the name has them: `sha224+sha256`.
pub fn try_made_with(
    name: &str,
    stages: usize,
    interface: Interface,
    window: Storage,
    clear: bool,
) -> Result<Made, Error> {
    let algorithms: Vec<Algorithm> = name.split('+').map(|name| name.parse().unwrap()).collect();
    let algorithm = algorithms[0];
    let graph = trace::compression(algorithm);
    let named = |hash: &Algorithm| (hash.to_string(), framing(*hash).unwrap());
    let mut all: Vec<(String, Framing)> = algorithms.iter().map(named).collect();
    let (modes, framing) = match all.len() {
        1 => (Vec::new(), all.remove(0).1),
        _ => modes(&all)?,
    };
    let (adders, precompute) = (Adders::Chain, Precompute::Kw);
    let hardware = hardware::Options { merge: merge(algorithm), stages, adders, precompute };
    let module = name.replace(['-', '+'], "_");
    // Both kinds of memory at once.
    let options = Options { window, chaining: window, modes, clear, ..Options::new(&module) };
    let model = DelayModel::load("gate").unwrap();
    let program = design(&graph, &hardware, &model, &options)?.program;
    let (core, wrapper) = wrap(&program, &options, &framing, interface)?;
    let design = Design { program, core };
    let clears = if clear { "-clears" } else { "" };
    let title = format!("{name}-{stages}-{interface:?}-{window}{clears}");
    let text = text(&design.core.netlist, Style::default(), &title)
        + &text(&wrapper.netlist, Style::default(), &title);
    Ok(Made { algorithms, design, framing, wrapper, title, text })
}

/// A message of each length by each hash.
fn messages(algorithms: &[Algorithm], lengths: impl Iterator<Item = usize>) -> Vec<Message> {
    let of_length = |length: usize| {
        let bytes: Vec<u8> = (0..length).map(|i| (i * 31 + length) as u8).collect();
        let by = |(mode, &hash)| {
            let chain = calls(hash, &bytes).into_iter().map(|call| call.out).collect();
            Message { digest: digest(hash, &bytes), bytes: bytes.clone(), mode, chain }
        };
        algorithms.iter().enumerate().map(by).collect::<Vec<_>>()
    };
    lengths.flat_map(of_length).collect()
}

/// Lengths around the boundaries of a block, and where its padding has just no room.
fn boundaries(block: usize) -> impl Iterator<Item = usize> {
    let few = [0, 1, block - 17, block - 16, block - 9, block - 8, block - 1];
    few.into_iter().chain((1..4).flat_map(move |n| [n * block, n * block + 1]))
}

/// What the bench says.
fn simulate(made: &Made, text: &str, messages: &[Message], flow: Flow) -> String {
    let folder = folder(&made.title.replace(['(', ')'], "-"));
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let bench = match made.wrapper.interface {
        Interface::Stream(_) => {
            let (beats, digests) = (path("beats.hex"), path("digests.hex"));
            let files = Files { beats: &beats, digests: &digests };
            let (bench, beats_text, digests_text) =
                stream_bench(&made.wrapper, &made.design.core, messages, flow, files);
            std::fs::write(&beats, beats_text).unwrap();
            std::fs::write(&digests, digests_text).unwrap();
            bench
        }
        Interface::Registers => {
            let Made { design, framing, wrapper, .. } = made;
            let script = path("script.hex");
            let (bench, lines) =
                register_bench(wrapper, &design.core, framing, messages, flow, &script);
            std::fs::write(&script, lines).unwrap();
            bench
        }
    };
    std::fs::write(path("core.v"), text).unwrap();
    std::fs::write(path("tb.v"), bench).unwrap();
    let compiled = Command::new("iverilog")
        .args(["-g2005-sv", "-Wall", "-o"])
        .args([path("sim"), path("core.v"), path("tb.v")])
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new("vvp").arg("-n").arg(path("sim")).output().unwrap();
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

/// One block, two, and two of padding, for hashes that take long to simulate.
const FEW: [usize; 5] = [0, 1, 63, 64, 65];

fn check(made: &Made, lengths: impl Iterator<Item = usize>, flows: &[Flow]) {
    examined(made, lengths, flows).unwrap_or_else(|error| panic!("{error}"));
}

/// How many simulations were made.
///
/// # Errors
/// What one of them said that is wrong.
fn examined(
    made: &Made,
    lengths: impl Iterator<Item = usize>,
    flows: &[Flow],
) -> Result<usize, String> {
    if !has("iverilog", "-V") {
        return Ok(0);
    }
    let messages = messages(&made.algorithms, lengths);
    for &flow in flows {
        let said = simulate(made, &made.text, &messages, flow);
        let expected = format!("ok {} messages", messages.len());
        if !said.contains(&expected) {
            return Err(format!("{} {flow:?}: {said}", made.title));
        }
    }
    Ok(flows.len())
}

fn check_boundaries(name: &str, stages: usize, interface: Interface) {
    let made = made(name, stages, interface);
    check(&made, boundaries(made.framing.block_bytes), &[Flow::Stalls]);
}

#[test]
fn streams_of_sha256_at_every_length() {
    check(&made("sha256", 1, Interface::Stream(4)), 0..=3 * 64 + 1, &[Flow::Full, Flow::Stalls]);
}

#[test]
fn streams_of_every_family() {
    for name in ["md5", "sha1", "ripemd160", "blake256", "keccak256", "sha3-256"] {
        check_boundaries(name, 1, Interface::Stream(8));
    }
}

#[test]
fn streams_of_wide_words() {
    for name in ["sha512", "blake512", "skein512"] {
        check_boundaries(name, 1, Interface::Stream(16));
    }
    for name in ["groestl256", "jh256"] {
        check(&made(name, 1, Interface::Stream(16)), FEW.into_iter(), &[Flow::Stalls]);
    }
}

#[test]
fn streams_of_every_width() {
    for bytes in [4, 8, 16, 64] {
        check_boundaries("sha256", 4, Interface::Stream(bytes));
    }
    check_boundaries("sha3-256", 4, Interface::Stream(64));
    check_boundaries("sha224", 1, Interface::Stream(64));
    check_boundaries("skein256", 1, Interface::Stream(64));
}

/// Messages of all modes, in contexts of their own and after each other.
#[test]
fn streams_and_registers_with_modes() {
    let lengths = || [0, 1, 55, 56, 64, 130].into_iter();
    for bytes in [4, 64] {
        check(&made("sha224+sha256", 2, Interface::Stream(bytes)), lengths(), &[Flow::Stalls]);
    }
    check(&made("sha224+sha256", 1, Interface::Registers), lengths(), &[Flow::Stalls]);
    let wide = made("sha384+sha512+sha512-224+sha512-256", 1, Interface::Stream(8));
    check(&wide, [3, 112, 128].into_iter(), &[Flow::Stalls]);
}

/// After the last digest no register and no memory has anything of a message.
#[test]
fn nothing_stays_around_the_core() {
    for (name, stages, interface) in [
        ("sha256", 1, Interface::Stream(4)),
        ("sha224+sha256", 4, Interface::Stream(64)),
        ("sha3-256", 1, Interface::Stream(32)),
        ("blake256", 1, Interface::Stream(8)),
        ("sha256", 1, Interface::Registers),
        ("blake256", 1, Interface::Registers),
    ] {
        let window = Storage::Registers;
        let made = try_made_with(name, stages, interface, window, true).unwrap();
        check(&made, FEW.into_iter(), &[Flow::Full, Flow::Stalls]);
    }
}

/// A register or memory that is not cleared is found.
#[test]
fn what_stays_around_the_core_is_found() {
    if !has("iverilog", "-V") {
        return;
    }
    let made = try_made_with("sha256", 1, Interface::Stream(4), Storage::Registers, true).unwrap();
    let messages = messages(&made.algorithms, [3, 70].into_iter());
    for (right, wrong, said) in [
        ("lane9_written = take9 | zeros", "lane9_written = take9", "lane9["),
        ("chain_written = write_chain | zeros", "chain_written = write_chain", "chain["),
        ("issue_block_moves = loads | issue_leaves", "issue_block_moves = loads", "issue_block"),
        ("zeros_follow <= last_loaded", "zeros_follow <= 1'b0", "is not cleared"),
    ] {
        assert!(made.text.contains(right), "{right}");
        let planted = made.text.replacen(right, wrong, 1);
        let heard = simulate(&made, &planted, &messages, Flow::Full);
        assert!(heard.contains(said) && heard.contains("is not cleared"), "{right}: {heard}");
    }
}

#[test]
fn registers() {
    for name in ["md5", "sha256", "sha512", "blake256", "sha3-256", "skein512"] {
        check_boundaries(name, 1, Interface::Registers);
    }
}

/// As many clocks per block as are stated: of one long message, and of as many as there are
/// contexts.
#[test]
fn clocks_as_stated() {
    if !has("iverilog", "-V") {
        return;
    }
    let clocks = |made: &Made, count: usize, blocks: usize| {
        let message = messages(&made.algorithms, std::iter::once(64 * blocks)).remove(0);
        let said = simulate(made, &made.text, &vec![message; count], Flow::Full);
        let clocks = said.split(" in ").nth(1).and_then(|rest| rest.split(' ').next());
        clocks.and_then(|clocks| clocks.parse::<usize>().ok()).unwrap_or_else(|| panic!("{said}"))
    };
    for (stages, bytes) in [(1, 4), (1, 64), (4, 64), (16, 4)] {
        let made = made("sha256", stages, Interface::Stream(bytes));
        let Wrapper { contexts, cycles_per_block, latency, .. } = made.wrapper;
        let per_block = |count| (clocks(&made, count, 6) - clocks(&made, count, 3)) / count / 3;
        assert_eq!(per_block(1), latency, "{}", made.title);
        assert_eq!(per_block(contexts), cycles_per_block, "{}", made.title);
    }
    for (stages, bytes) in [(1, 4), (4, 64)] {
        let made = made_in_memory("sha256", stages, Interface::Stream(bytes));
        let Wrapper { contexts, cycles_per_block, latency, .. } = made.wrapper;
        let per_block = |count| (clocks(&made, count, 6) - clocks(&made, count, 3)) / count / 3;
        assert_eq!(per_block(1), latency, "{}", made.title);
        assert_eq!(per_block(contexts), cycles_per_block, "{}", made.title);
    }
}

/// Words go from the buffers' memory into the core's.
#[test]
fn windows_in_memory() {
    for (name, stages, bytes) in
        [("sha256", 1, 4), ("md5", 4, 16), ("sha512", 1, 8), ("sha224+sha256", 1, 4)]
    {
        let made = made_in_memory(name, stages, Interface::Stream(bytes));
        check(&made, boundaries(made.framing.block_bytes), &[Flow::Stalls]);
    }
    let made = made_in_memory("sha256", 1, Interface::Registers);
    check(&made, boundaries(made.framing.block_bytes), &[Flow::Stalls]);
    for interface in [Interface::Stream(4), Interface::Registers] {
        let error = try_made_with("sha512", 1, interface, Storage::Ram, false).err().unwrap();
        assert_eq!(error, Error::Words { word: 64, width: 32 });
    }
}

/// A wrapper with an error in it does not pass: a length, the place of the padding, a chaining
/// value.
#[test]
fn a_planted_error_is_found() {
    if !has("iverilog", "-V") {
        return;
    }
    let made = made("sha256", 1, Interface::Stream(4));
    let messages = |lengths: &[usize]| messages(&made.algorithms, lengths.iter().copied());
    let (even, odd) = (messages(&[0, 1, 55, 56, 64, 120]), messages(&[0, 9, 3, 1, 9]));
    let planted = |right: &str, wrong: &str, flow| {
        assert!(made.text.contains(right), "{right}");
        let planted = made.text.replacen(right, wrong, 1);
        let messages = if flow == Flow::Full { &even } else { &odd };
        let said = simulate(&made, &planted, messages, flow);
        assert!(!said.contains("ok "), "{right}: {said}");
    };
    // Of the second and the fifth one a copy has a wrong beat, if beats are mixed.
    for (right, wrong) in [
        ("takes = takes_beat & not_null_offered", "takes = takes_beat"),
        ("wrong_offered = keep_has_gaps | keep_short", "wrong_offered = keep_short"),
        ("wrong_offered = keep_has_gaps | keep_short", "wrong_offered = keep_has_gaps"),
        ("next_wrong = set_wrong | kept_wrong", "next_wrong = set_wrong | wrong"),
        ("digest_wrong <= is_wrong_digest", "digest_wrong <= 1'b0"),
        ("digest_or_zeros = is_wrong_digest ? 256'h", "digest_or_zeros = 1'b0 ? 256'h"),
    ] {
        planted(right, wrong, Flow::Stalls);
    }
    for (right, wrong) in [
        ("total << 3", "total << 2"),
        (" >= 7'd56", " >= 7'd57"),
        ("32'h5be0cd19", "32'h5be0cd18"),
        ("32'h00000080", "32'h00000081"),
        ("assign set_ended = ", "assign set_ended = ~"),
    ] {
        planted(right, wrong, Flow::Full);
    }
}

/// Registers with an error in them do not pass: the order of CHAIN, what is answered, and what is
/// done all the same.
#[test]
fn a_planted_error_in_registers_is_found() {
    if !has("iverilog", "-V") {
        return;
    }
    let made = made("sha256", 1, Interface::Registers);
    let messages = messages(&made.algorithms, [3, 70].into_iter());
    for (right, wrong) in [
        ("chain0_2 = chain[255:224]", "chain0_2 = chain[31:0]"),
        ("write_chain0 = chain_write[7]", "write_chain0 = chain_write[0]"),
        ("response_error = write_known ? 2'h2 : 2'h3", "response_error = 2'h2"),
        ("write_allowed = writable & write_good", "write_allowed = writable"),
        ("read_allowed = readable & read_aligned", "read_allowed = readable"),
        ("write_whole = s_axil_wstrb == 4'd15", "write_whole = s_axil_wstrb != 4'd7"),
        ("read_value = read_allowed ?", "read_value = 1'b1 ?"),
    ] {
        assert!(made.text.contains(right), "{right}");
        let planted = made.text.replacen(right, wrong, 1);
        let said = simulate(&made, &planted, &messages, Flow::Full);
        assert!(!said.contains("ok ") && said.contains("line "), "{right}: {said}");
    }
}

/// A folder with all that belongs to a hash in its surroundings.
fn folder_of(
    name: &str,
    interface: Interface,
    language: Language,
    window: Storage,
    clear: bool,
) -> PathBuf {
    let made = try_made_with(name, 1, interface, window, clear).unwrap();
    let messages = messages(&made.algorithms, boundaries(made.framing.block_bytes));
    let Made { design, framing, wrapper, .. } = &made;
    let wrapped = Wrapped { built: design.built(), wrapper, framing, messages: &messages };
    let style = Style { language, reset: Reset::Async };
    let about = Project { title: name, warning: None, command: "manylane", blocks: &[], style };
    let folder = folder(&format!("{name} {language}"));
    for (path, text) in wrapped_project(wrapped, &about) {
        std::fs::create_dir_all(folder.join(&path).parent().unwrap()).unwrap();
        std::fs::write(folder.join(&path), text).unwrap();
    }
    folder
}

/// Folders test and lint themselves, with every tool, in every language.
#[test]
fn folders_test_themselves() {
    let path = std::env::var("PATH").unwrap_or_default();
    for (name, interface, language, window, clear) in [
        ("blake256", Interface::Stream(8), Language::Verilog, Storage::Ram, false),
        ("sha224+sha256", Interface::Registers, Language::SystemVerilog, Storage::Registers, true),
        ("sha224+sha256", Interface::Stream(4), Language::Vhdl, Storage::Registers, true),
        ("sha1", Interface::Stream(4), Language::Vhdl, Storage::Ram, false),
    ] {
        let folder = folder_of(name, interface, language, window, clear);
        let ok = format!("ok {} messages", 13 * name.split('+').count());
        // Benches in Python take longest. What is in registers has them in both languages.
        let python = cocotb().filter(|_| window == Storage::Registers);
        if language == Language::Vhdl {
            if has("ghdl", "--version") {
                make(&folder, "lint", &path);
                if let Some(path) = python {
                    assert!(make(&folder, "test", &path).contains("FAIL=0"));
                }
            }
            continue;
        }
        if has("verilator", "--version") {
            make(&folder, "lint", &path);
        }
        if has("iverilog", "-V") {
            assert_eq!(make(&folder, "test", &path).matches(&ok[..]).count(), 2);
            if let Some(path) = python {
                assert!(make(&folder, "cocotb", &path).contains("FAIL=0"));
            }
        }
    }
}

/// Modes none of whose digests takes the whole chaining value: what they leave of it is read by
/// nothing, and the linter is content all the same.
#[test]
fn modes_may_leave_a_part_of_the_chaining_value() {
    let path = std::env::var("PATH").unwrap_or_default();
    if !has("verilator", "--version") {
        return;
    }
    let (stream, registers) = (Interface::Stream(4), Interface::Registers);
    for (name, interface, language, clear) in [
        ("sha512-224+sha512-256", stream, Language::Verilog, false),
        ("sha512-256+sha512-224", registers, Language::SystemVerilog, true),
        ("sha384+sha512-224", registers, Language::Verilog, false),
        ("sha384+sha512-224+sha512-256", Interface::Stream(64), Language::SystemVerilog, false),
    ] {
        make(&folder_of(name, interface, language, Storage::Registers, clear), "lint", &path);
    }
}

/// A hash, stages, what is around it, and where its words are.
struct Around(String, usize, Interface, Storage);

impl fmt::Display for Around {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(name, stages, interface, window) = self;
        write!(f, "{name} --stages {stages} --window {window} {interface:?}")
    }
}

/// Every hash that has a core, in every surrounding.
#[test]
#[ignore = "make test-streams"]
fn every_hash_in_every_surrounding() {
    let streams = [4, 8, 16, 32, 64].map(Interface::Stream);
    let interfaces = || streams.into_iter().chain([Interface::Registers]);
    let all: Vec<Around> = HashId::ALL
        .iter()
        .flat_map(|id| Storage::ALL.iter().map(move |window| (Algorithm::from(*id), window)))
        .flat_map(|(hash, window)| [1, 4].map(|stages| (hash, stages, window)))
        .flat_map(|(hash, stages, window)| {
            interfaces().map(move |bus| Around(hash.to_string(), stages, bus, *window))
        })
        .collect();
    // Not all rounds divide into four stages, not all are made alike, and not all windows can be in
    // memory.
    let make = |Around(name, stages, interface, window): &Around| {
        let made = try_made_with(name, *stages, *interface, *window, false).ok();
        Ok(made.map(|made| {
            let text = made.text.clone();
            (made, text)
        }))
    };
    resume::every("surroundings", &all, make, |_, made| {
        let lengths = boundaries(made.framing.block_bytes);
        let flows = [Flow::Full, Flow::Stalls];
        let simulations = examined(made, lengths, &flows)?;
        Ok(Done { simulations, ..Done::default() })
    });
}
