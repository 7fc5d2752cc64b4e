//! Hashes on AXI4-Stream and AXI4-Lite, simulated with Icarus Verilog: messages around the block boundaries in
//! contexts whose beats are mixed, at full speed and with stalls, against the definition.
//!
//! `sweep` has the rest.

use super::tools::has;
use manylane_emit::rtl::{
    Design, Files, Flow, Interface, Message, Options, Style, Wrapper, design, register_bench,
    stream_bench, text, wrap,
};
use manylane_graph::calls::digest;
use manylane_graph::framing::{Framing, framing};
use manylane_graph::trace;
use manylane_plan::hardware::{self, Adders, DelayModel, Precompute};
use manylane_primitives::catalog::Algorithm;
use std::path::PathBuf;
use std::process::Command;

/// Steps per clock that make the rounds of this hash alike.
fn merge(algorithm: Algorithm) -> usize {
    if algorithm.to_string().starts_with("jh") { 7 } else { 1 }
}

/// A core in its surroundings.
struct Made {
    algorithm: Algorithm,
    design: Design,
    framing: Framing,
    wrapper: Wrapper,
    title: String,
    text: String,
}

fn made(name: &str, stages: usize, interface: Interface) -> Made {
    let algorithm: Algorithm = name.parse().unwrap();
    let graph = trace::compression(algorithm);
    let (adders, precompute) = (Adders::Chain, Precompute::Kw);
    let hardware = hardware::Options { merge: merge(algorithm), stages, adders, precompute };
    let module = format!("{algorithm}").replace('-', "_");
    let options = Options { module, tag_bits: 8 };
    let model = DelayModel::load("gate").unwrap();
    let mut design = design(&graph, &hardware, &model, &options).unwrap();
    let framing = framing(algorithm).unwrap();
    let wrapper = wrap(&mut design, &options, &framing, interface).unwrap();
    let title = format!("{name}-{stages}-{interface:?}");
    let text = text(&design.core.netlist, Style::default(), &title)
        + &text(&wrapper.netlist, Style::default(), &title);
    Made { algorithm, design, framing, wrapper, title, text }
}

fn messages(algorithm: Algorithm, lengths: impl Iterator<Item = usize>) -> Vec<Message> {
    let message = |length: usize| {
        let bytes: Vec<u8> = (0..length).map(|i| (i * 31 + length) as u8).collect();
        Message { digest: digest(algorithm, &bytes), bytes }
    };
    lengths.map(message).collect()
}

/// Lengths around the boundaries of a block, and where its padding has just no room.
fn boundaries(block: usize) -> impl Iterator<Item = usize> {
    let few = [0, 1, block - 17, block - 16, block - 9, block - 8, block - 1];
    few.into_iter().chain((1..4).flat_map(move |n| [n * block, n * block + 1]))
}

fn folder(title: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(title);
    std::fs::create_dir_all(&folder).unwrap();
    folder
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
                stream_bench(&made.wrapper, messages, flow, files);
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
    if !has("iverilog", "-V") {
        return;
    }
    let messages = messages(made.algorithm, lengths);
    for &flow in flows {
        let said = simulate(made, &made.text, &messages, flow);
        let expected = format!("ok {} messages", messages.len());
        assert!(said.contains(&expected), "{} {flow:?}: {said}", made.title);
    }
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

#[test]
fn registers() {
    for name in ["md5", "sha256", "blake256", "sha3-256", "skein512"] {
        check_boundaries(name, 1, Interface::Registers);
    }
}
