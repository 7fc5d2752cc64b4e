//! Cores simulated with Icarus Verilog against the interpreter of their graph.

use manylane_emit::rtl::{self, Core, Flow, Options, Vector, bench, verilog};
use manylane_graph::interpret::run_main;
use manylane_graph::{Function, Module, trace};
use manylane_plan::hardware::{self, Adders, DelayModel, Precompute, plan};
use std::path::PathBuf;
use std::process::Command;

struct Case {
    name: &'static str,
    merge: usize,
    stages: usize,
    adders: Adders,
    precompute: Precompute,
}

fn make(case: &Case) -> (Function, Core) {
    let graph = manylane_graph::passes::uniform(&trace::compression(case.name.parse().unwrap()));
    let options = hardware::Options {
        merge: case.merge,
        stages: case.stages,
        adders: case.adders,
        precompute: case.precompute,
    };
    let plan = plan(&graph, &options, &DelayModel::load("gate").unwrap()).unwrap();
    let options = Options { module: format!("{}_core", case.name.replace('-', "_")), tag_bits: 8 };
    let core = rtl::core(&graph, &plan, &options).unwrap();
    (graph, core)
}

fn vectors(graph: &Function, core: &Core, count: usize) -> Vec<Vector> {
    let mut x = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        x ^ x >> 29
    };
    let module = Module::of(graph.clone());
    let vector = |_| {
        let width = |i: usize| graph.width(graph.inputs()[i].node);
        let values: Vec<u64> =
            (0..graph.inputs().len()).map(|i| random() >> (64 - width(i))).collect();
        let inputs = core.ports.iter().map(|(_, nodes)| {
            let value = |node| {
                values[graph.inputs().iter().position(|input| input.node == node).unwrap()]
            };
            nodes.iter().map(|&node| value(node)).collect()
        });
        Vector { inputs: inputs.collect(), output: run_main(&module, &values) }
    };
    (0..count).map(vector).collect()
}

fn simulate(case: &Case) {
    let (graph, core) = make(case);
    let title = format!(
        "{}-{}-{}-{}-{}",
        case.name, case.merge, case.stages, case.adders, case.precompute
    );
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(&title);
    std::fs::create_dir_all(&folder).unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let vectors = vectors(&graph, &core, 3 * case.stages + 5);
    let core_file = file("core.v", &verilog(&core.netlist, &title));
    for flow in [Flow::Full, Flow::Stalls] {
        let memory = folder.join("vectors.hex");
        let (text, hex) = bench(&core, &vectors, flow, memory.to_str().unwrap());
        file("vectors.hex", &hex);
        let bench_file = file("tb.v", &text);
        let out = folder.join("sim");
        let compiled = Command::new("iverilog")
            .args(["-g2005-sv", "-Wall", "-o"])
            .args([&out, &core_file, &bench_file])
            .output()
            .unwrap();
        assert!(compiled.status.success(), "{title}: {compiled:?}");
        let ran = Command::new("vvp").arg("-n").arg(&out).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stdout);
        println!("{title}: {} clocks per block, latency {}, {} bits: {}", core.cycles_per_block, core.latency, core.netlist.register_bits(), said.trim());
        assert!(ran.status.success() && said.contains("ok "), "{title}: {said}");
    }
}

#[test]
fn sha256() {
    use Adders::*;
    use Precompute::*;
    for (merge, stages, adders, precompute) in [
        (1, 1, Chain, Kw),
        (1, 1, Chain, None),
        (1, 1, CarrySave, Auto),
        (2, 4, Chain, Kw),
        (2, 1, Tree, Full),
        (1, 4, CarrySave, Auto),
        (1, 64, CarrySave, Auto),
    ] {
        simulate(&Case { name: "sha256", merge, stages, adders, precompute });
    }
}

#[test]
fn every_hash() {
    use Adders::*;
    use Precompute::*;
    let only = std::env::var("ONLY").ok();
    for name in [
        "sha1", "md5", "ripemd160", "ripemd128", "ripemd256", "ripemd320", "sha512", "keccak256", "blake256", "blake512", "jh256", "groestl256", "skein512",
    ] {
        if only.as_ref().is_some_and(|only| only != name) { continue }
        for (merge, stages, adders, precompute) in
            [(1, 1, Chain, Kw), (1, 1, CarrySave, Auto), (2, 1, Tree, Full)]
        {
            simulate(&Case { name, merge, stages, adders, precompute });
        }
    }
}
