//! Hashes on AXI4-Stream, simulated with Icarus Verilog: messages around the block boundaries in
//! contexts whose beats are mixed, at full speed and with stalls, against the definition.
//!
//! Without `iverilog` the tests say so and pass; with `CI` set they fail.

use manylane_emit::rtl::{
    Design, Files, Flow, Interface, Message, Options, Wrapper, design, stream_bench, verilog, wrap,
};
use manylane_graph::calls::digest;
use manylane_graph::framing::framing;
use manylane_graph::trace;
use manylane_plan::hardware::{self, Adders, DelayModel, Precompute};
use manylane_primitives::catalog::Algorithm;
use std::path::PathBuf;
use std::process::Command;

fn has(tool: &str, flag: &str) -> bool {
    let found = Command::new(tool).arg(flag).output().is_ok();
    if !found {
        assert!(std::env::var_os("CI").is_none(), "{tool} is missing: apt-get install {tool}");
        eprintln!("skipped: {tool} is missing (apt-get install {tool})");
    }
    found
}

/// Steps per clock that make the rounds of this hash alike.
fn merge(algorithm: Algorithm) -> usize {
    if algorithm.to_string().starts_with("jh") { 7 } else { 1 }
}

fn made(algorithm: Algorithm, stages: usize, bits: usize) -> (Design, Wrapper) {
    let graph = trace::compression(algorithm);
    let (adders, precompute) = (Adders::Chain, Precompute::Kw);
    let hardware = hardware::Options { merge: merge(algorithm), stages, adders, precompute };
    let module = format!("{algorithm}").replace('-', "_");
    let options = Options { module, tag_bits: 8 };
    let mut design =
        design(&graph, &hardware, &DelayModel::load("gate").unwrap(), &options).unwrap();
    let framing = framing(algorithm).unwrap();
    let wrapper = wrap(&mut design, &options, &framing, Interface::Stream(bits / 8)).unwrap();
    (design, wrapper)
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
fn simulate(
    title: &str,
    text: &str,
    wrapper: &Wrapper,
    messages: &[Message],
    flow: Flow,
) -> String {
    let folder = folder(title);
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (beats, digests) = (path("beats.hex"), path("digests.hex"));
    let files = Files { beats: &beats, digests: &digests };
    let (bench, beats_text, digests_text) = stream_bench(wrapper, messages, flow, files);
    std::fs::write(&beats, beats_text).unwrap();
    std::fs::write(&digests, digests_text).unwrap();
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

fn text(design: &Design, wrapper: &Wrapper, title: &str) -> String {
    verilog(&design.core.netlist, title) + &verilog(&wrapper.netlist, title)
}

fn check(name: &str, stages: usize, bits: usize, lengths: impl Iterator<Item = usize>) {
    if !has("iverilog", "-V") {
        return;
    }
    let algorithm: Algorithm = name.parse().unwrap();
    let (design, wrapper) = made(algorithm, stages, bits);
    let title = format!("stream-{name}-{stages}-{bits}");
    let text = text(&design, &wrapper, &title);
    let messages = messages(algorithm, lengths);
    for flow in [Flow::Full, Flow::Stalls] {
        let said = simulate(&title, &text, &wrapper, &messages, flow);
        assert!(said.contains(&format!("ok {} messages", messages.len())), "{title}: {said}");
    }
}

#[test]
fn sha256_at_every_length() {
    check("sha256", 1, 32, 0..=3 * 64 + 1);
}

#[test]
fn every_family() {
    for name in ["md5", "sha1", "ripemd160", "blake256", "keccak256", "sha3-256", "groestl256"] {
        let block = framing(name.parse().unwrap()).unwrap().block_bytes;
        check(name, 1, 64, boundaries(block));
    }
}

#[test]
fn families_of_wide_words() {
    for name in ["sha512", "blake512", "skein512", "jh256"] {
        let block = framing(name.parse().unwrap()).unwrap().block_bytes;
        check(name, 1, 128, boundaries(block));
    }
}

#[test]
fn every_width() {
    for bits in [32, 64, 128, 512] {
        check("sha256", 4, bits, boundaries(64));
    }
    check("sha3-256", 4, 512, boundaries(136));
    check("sha224", 1, 512, boundaries(64));
    check("skein256", 1, 512, boundaries(32));
}
