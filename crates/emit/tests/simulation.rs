//! Cores simulated with Icarus Verilog: every call of the compression that messages around the block
//! boundaries make, at full speed and with stalls, against the definition.
//!
//! Without `iverilog` the tests say so and pass; with `CI` set they fail.

use manylane_emit::rtl::{self, Design, Flow, Options, Style, Vector, bench, design, text};
use manylane_graph::calls::{Call, calls};
use manylane_graph::trace;
use manylane_plan::hardware::{self, Adders, DelayModel, Precompute};
use manylane_primitives::catalog::Algorithm;
use std::path::{Path, PathBuf};
use std::process::Command;

type Case = (usize, usize, Adders, Precompute);

/// A clock per step, and the planner's best; two of them merged; a pipeline.
const FEW: [Case; 3] = [
    (1, 1, Adders::Chain, Precompute::Kw),
    (1, 1, Adders::CarrySave, Precompute::Auto),
    (2, 1, Adders::Tree, Precompute::Full),
];

fn has_iverilog() -> bool {
    let found = Command::new("iverilog").arg("-V").output().is_ok();
    if !found {
        assert!(std::env::var_os("CI").is_none(), "iverilog is missing: apt-get install iverilog");
        eprintln!("skipped: iverilog is missing (apt-get install iverilog)");
    }
    found
}

fn made(algorithm: Algorithm, (merge, stages, adders, precompute): Case) -> Design {
    let graph = trace::compression(algorithm);
    let hardware = hardware::Options { merge, stages, adders, precompute };
    let module = format!("{algorithm}").replace('-', "_");
    let model = DelayModel::load("gate").unwrap();
    design(&graph, &hardware, &model, &Options { module, tag_bits: 8 }).unwrap()
}

/// The calls for messages of `lengths` bytes, those of different messages in turn.
fn blocks(algorithm: Algorithm, lengths: &[usize]) -> Vec<Call> {
    let messages = lengths.iter().map(|&length| {
        let message: Vec<u8> = (0..length).map(|i| (i * 31 + length) as u8).collect();
        calls(algorithm, &message)
    });
    let messages: Vec<Vec<Call>> = messages.collect();
    let most = messages.iter().map(Vec::len).max().unwrap_or(0);
    let turn = |i| messages.iter().filter_map(move |calls| calls.get(i).cloned());
    (0..most).flat_map(turn).collect()
}

fn vectors(design: &Design, calls: &[Call]) -> Vec<Vector> {
    let vector = |call: &Call| {
        let values = call.inputs();
        let inputs = design.compression.inputs();
        let value = |&node: &_| values[inputs.iter().position(|i| i.node == node).unwrap()];
        let port = |(_, nodes): &(_, Vec<_>)| nodes.iter().map(value).collect();
        Vector { inputs: design.core.ports.iter().map(port).collect(), output: call.out.clone() }
    };
    calls.iter().map(vector).collect()
}

/// What the bench says.
fn simulate(folder: &Path, core: &str, design: &Design, vectors: &[Vector], flow: Flow) -> String {
    std::fs::create_dir_all(folder).unwrap();
    let memory = folder.join("vectors.hex");
    let (text, hex) = bench(&design.core, vectors, flow, memory.to_str().unwrap());
    let [core_file, bench_file, out] = ["core.v", "tb.v", "sim"].map(|name| folder.join(name));
    std::fs::write(&core_file, core).unwrap();
    std::fs::write(&bench_file, text).unwrap();
    std::fs::write(&memory, hex).unwrap();
    let compiled = Command::new("iverilog")
        .args(["-g2005-sv", "-Wall", "-o"])
        .args([&out, &core_file, &bench_file])
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{compiled:?}");
    let ran = Command::new("vvp").arg("-n").arg(&out).output().unwrap();
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

fn folder(title: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(title)
}

fn check(name: &str, cases: &[Case]) {
    if !has_iverilog() {
        return;
    }
    let algorithm: Algorithm = name.parse().unwrap();
    for &case in cases {
        let (merge, stages, adders, precompute) = case;
        let design = made(algorithm, case);
        let block = design.plan.block_bits as usize / 8;
        let lengths = [0, 1, block - 9, block - 1, block, block + 1, 2 * block - 1, 3 * block + 1];
        let vectors = vectors(&design, &blocks(algorithm, &lengths));
        let title = format!("{name}-{merge}-{stages}-{adders}-{precompute}");
        let core = text(&design.core.netlist, Style::default(), &title);
        for flow in [Flow::Full, Flow::Stalls] {
            let said = simulate(&folder(&title), &core, &design, &vectors, flow);
            let blocks = vectors.len();
            assert!(said.contains(&format!("ok {blocks} blocks")), "{title} {flow:?}: {said}");
            if flow == Flow::Full {
                // As many clocks as the core says, but for those before the first block.
                let clocks: usize =
                    said.split(" in ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
                let due = (blocks - 1) * design.core.cycles_per_block + design.core.latency;
                assert!((due..due + 4).contains(&clocks), "{title}: {clocks} clocks, {due} due");
            }
        }
    }
}

#[test]
fn sha256_in_every_shape() {
    use Adders::*;
    use Precompute::*;
    let mut cases = FEW.to_vec();
    cases.extend([
        (1, 1, Chain, None),
        (2, 4, Chain, Kw),
        (1, 4, CarrySave, Auto),
        (4, 2, CarrySave, Full),
        (1, 64, CarrySave, Auto),
    ]);
    check("sha256", &cases);
}

#[test]
fn sha1_in_the_papers_shape() {
    check("sha1", &FEW);
    check("sha1", &[(1, 4, Adders::Chain, Precompute::Kw), (2, 4, Adders::Chain, Precompute::Kw)]);
}

#[test]
fn rounds_of_four_functions() {
    check("md5", &FEW);
    check("ripemd160", &FEW);
    check("ripemd128", &FEW[..1]);
}

#[test]
fn wide_words() {
    check("sha512", &FEW);
    check("skein512", &FEW[..2]);
}

#[test]
fn sums_and_rotations() {
    check("blake256", &FEW);
    check("blake512", &FEW[..1]);
}

#[test]
fn without_sums() {
    check("keccak256", &FEW[1..]);
    check("groestl256", &FEW[..1]);
    check("jh256", &[(7, 1, Adders::Chain, Precompute::Kw)]);
}

/// JH's seven rounds differ in what they exchange.
#[test]
fn rounds_that_cannot_be_made_alike_are_an_error() {
    let graph = trace::compression("jh256".parse().unwrap());
    let model = DelayModel::load("gate").unwrap();
    let options = Options { module: "jh".into(), tag_bits: 8 };
    let error = design(&graph, &hardware::Options::default(), &model, &options).unwrap_err();
    assert!(matches!(error, rtl::Error::Kinds { merge: 1, .. }), "{error}");
    assert!(error.to_string().ends_with("merge as many as repeat: --merge 7"), "{error}");
    let graph = trace::compression("ripemd256".parse().unwrap());
    let error = design(&graph, &hardware::Options::default(), &model, &options).unwrap_err();
    assert!(error.to_string().starts_with("rtl: the steps of ripemd256"), "{error}");
}

/// A core with an error in it does not pass: one bit of one constant, one rotation.
#[test]
fn a_planted_error_is_found() {
    if !has_iverilog() {
        return;
    }
    let algorithm = "sha256".parse().unwrap();
    let design = made(algorithm, FEW[0]);
    let vectors = vectors(&design, &blocks(algorithm, &[3]));
    let core = text(&design.core.netlist, Style::default(), "planted");
    for (right, wrong) in [("32'hc67178f2", "32'hc67178f3"), ("[5:0]", "[6:0]")] {
        assert!(core.contains(right), "{right}");
        let planted = match wrong {
            "[6:0]" => core.replacen("[5:0], ", "[6:0], ", 1).replacen("[31:6]}", "[31:7]}", 1),
            _ => core.replace(right, wrong),
        };
        assert_ne!(planted, core);
        let said = simulate(&folder("planted"), &planted, &design, &vectors, Flow::Full);
        assert!(said.contains("not "), "{said}");
    }
}
