//! scratch
use manylane_emit::prove::{Claim, Solver};
use manylane_emit::rtl::{Design, Options, design};
use manylane_graph::trace;
use manylane_plan::hardware::{self, Adders, DelayModel, Precompute};
use manylane_primitives::catalog::Algorithm;

type Case = (usize, usize, Adders, Precompute);
fn made(algorithm: Algorithm, (merge, stages, adders, precompute): Case) -> Design {
    let graph = trace::compression(algorithm);
    let hardware = hardware::Options { merge, stages, adders, precompute };
    let module = format!("{algorithm}").replace('-', "_");
    let model = DelayModel::load("gate").unwrap();
    design(&graph, &hardware, &model, &Options { module, tag_bits: 8 }).unwrap()
}

#[test]
#[ignore]
fn sweep() {
    let names = std::env::var("NAMES").unwrap();
    let solver = Solver::find().unwrap();
    for name in names.split(',') {
        let (name, shape) = name.split_once(':').unwrap_or((name, "1/1/csa/auto"));
        let s: Vec<&str> = shape.split('/').collect();
        let adders = match s[2] { "chain" => Adders::Chain, "tree" => Adders::Tree, _ => Adders::CarrySave };
        let pre = match s[3] { "none" => Precompute::None, "kw" => Precompute::Kw, "full" => Precompute::Full, _ => Precompute::Auto };
        let algorithm: Algorithm = name.parse().unwrap();
        let t = std::time::Instant::now();
        let design = made(algorithm, (s[0].parse().unwrap(), s[1].parse().unwrap(), adders, pre));
        let made = t.elapsed();
        let definition = trace::compression(algorithm);
        let claim = Claim { core: &design.core, compression: &design.compression, definition: &definition };
        let t = std::time::Instant::now();
        match claim.cuts() {
            Ok(cuts) => println!("{name} {shape}: {} cuts, {} lemmas, {} shared; made {made:?} cuts {:?}", cuts.cuts, cuts.lemmas.len(), cuts.shared, t.elapsed()),
            Err(e) => println!("{name} {shape}: {e}"),
        }
        if let Ok(d) = std::env::var("DUMP") { match claim.handshake() { Ok(h) => {
          let d = format!("{d}/{name}-{}", shape.replace('/', "-")); std::fs::create_dir_all(&d).unwrap();
          for (f, t) in [("control.v", h.control), ("handshake.sv", h.properties), ("handshake.ys", h.script)] { std::fs::write(format!("{d}/{f}"), t).unwrap(); } }
          Err(e) => println!("   {e}") } }
        match claim.prove(&solver) {
            Ok(proof) => { println!("    proved in {:?}, {} lemmas, {} replaced", proof.time, proof.cuts.lemmas.len(), proof.replaced);
              if let Ok(d) = std::env::var("DUMP") { for (i,l) in proof.cuts.lemmas.iter().enumerate() { std::fs::write(format!("{d}/{name}{i}.smt2"), l.file()).unwrap(); } } }
            Err(e) => println!("    {e}"),
        }
    }
}
