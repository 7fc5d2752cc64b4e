use manylane_graph::trace;
use manylane_plan::hardware::*;
#[test]
fn explore() {
    for model in ["unit-adder", "gate"] {
        let model = DelayModel::load(model).unwrap();
        for name in [
            "sha1",
            "sha256",
            "sha512",
            "md5",
            "ripemd160",
            "blake256",
            "keccak256",
            "skein512",
            "groestl256",
            "groestl512",
            "jh256",
            "ripemd320",
        ] {
            let graph = trace::compression(name.parse().unwrap());
            for (adders, pre) in [
                (Adders::Chain, Precompute::None),
                (Adders::Chain, Precompute::Kw),
                (Adders::Tree, Precompute::Kw),
                (Adders::CarrySave, Precompute::Kw),
                (Adders::Chain, Precompute::Full),
                (Adders::CarrySave, Precompute::Full),
                (Adders::Tree, Precompute::Auto),
                (Adders::CarrySave, Precompute::Auto),
            ] {
                let mut line = String::new();
                for merge in [1, 2] {
                    let t = std::time::Instant::now();
                    let p = plan(
                        &graph,
                        &Options { merge, stages: 1, adders, precompute: pre },
                        &model,
                    )
                    .unwrap();
                    for b in p.stages.iter().flat_map(|s| &s.blocks).chain(&p.schedule) {
                        b.schedule.check(&b.function, b.words).unwrap();
                    }
                    line += &format!(
                        "  k={merge}: {:.3} (r {:.2} s {:.2}) lead {} lag {} end {} regs {} add {} csa {} shapes {} kinds {} lim {:.3} {:.3} {:.0?}",
                        p.period.logic,
                        p.period.rounds,
                        p.period.schedule,
                        p.lead,
                        p.lag,
                        p.ending,
                        p.resources.rounds.register_bits,
                        p.resources.rounds.adders,
                        p.resources.rounds.compressors,
                        p.stages[0].blocks.len(),
                        p.stages[0].kinds,
                        p.limit.tree,
                        p.limit.csa,
                        t.elapsed()
                    );
                }
                println!("{} {name} {adders} {pre}: {line}", model.name);
            }
        }
    }
}
