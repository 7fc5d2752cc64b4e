//! The planner derives the known figures of merged and retimed hash functions from their
//! definitions: levels, limits and gains that others measured or that were derived by hand.

use manylane_graph::trace;
use manylane_plan::hardware::{Adders, DelayModel, HardwarePlan, Options, Precompute, plan};
use manylane_primitives::catalog::{Algorithm, HashId};

fn planned(name: &str, model: &str, options: Options) -> HardwarePlan {
    let graph = trace::compression(name.parse().unwrap());
    let model = DelayModel::load(model).unwrap();
    plan(&graph, &options, &model).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn levels(name: &str, adders: Adders, merge: usize) -> f64 {
    let options = Options { adders, merge, ..Options::default() };
    planned(name, "unit-adder", options).period.total
}

#[test]
fn levels_of_one_and_two_merged_steps() {
    let cases = [
        ("sha1", Adders::Chain, 3.0, 4.0),
        ("sha224", Adders::Chain, 4.0, 7.0),
        ("sha256", Adders::Chain, 4.0, 7.0),
        ("sha256", Adders::Tree, 3.0, 6.0),
        ("sha512", Adders::Chain, 4.0, 7.0),
        ("sha512", Adders::Tree, 3.0, 6.0),
        ("md5", Adders::Chain, 3.0, 5.0),
        ("ripemd128", Adders::Chain, 2.0, 3.0),
        ("ripemd160", Adders::Chain, 3.0, 5.0),
        ("ripemd320", Adders::Chain, 3.0, 5.0),
    ];
    for (name, adders, one, two) in cases {
        let levels = [levels(name, adders, 1), levels(name, adders, 2)];
        assert_eq!(levels, [one, two], "{name}, {adders}");
    }
}

/// Adding K_t + W_t in the clock of its step takes one more adder.
#[test]
fn the_sum_of_message_and_constant_is_ahead_unless_asked_otherwise() {
    for (name, conventional, merged) in
        [("sha1", 4.0, 5.0), ("sha256", 5.0, 8.0), ("md5", 4.0, 6.0)]
    {
        let levels = |options| planned(name, "unit-adder", options).period.total;
        assert_eq!(levels(Options::CONVENTIONAL), conventional, "{name}");
        assert_eq!(levels(Options::PAPER), merged, "{name}");
    }
}

#[test]
fn limits_of_the_recurrences() {
    let cases = [
        ("sha1", 1.0, 1.0..=1.0),
        ("sha256", 2.0, 1.25..=1.29),
        ("sha512", 2.0, 1.25..=1.29),
        ("md5", 2.0, 2.0..=2.0),
        ("ripemd160", 2.0, 2.0..=2.0),
    ];
    for (name, tree, csa) in cases {
        let limit = planned(name, "unit-adder", Options::default()).limit;
        assert!((limit.tree - tree).abs() < 1e-9, "{name}: {limit:?}");
        assert!(*csa.start() - 1e-9 <= limit.csa && limit.csa <= *csa.end(), "{name}: {limit:?}");
    }
}

/// No plan is faster than the limit, and retiming reaches it where the clock does not cut adders.
#[test]
fn retiming_comes_to_the_limit_and_not_below() {
    for name in ["sha1", "sha256", "md5", "ripemd160", "blake256"] {
        for merge in [1, 2] {
            for (adders, precompute) in [
                (Adders::Tree, Precompute::Auto),
                (Adders::CarrySave, Precompute::Auto),
                (Adders::CarrySave, Precompute::Full),
            ] {
                let options = Options { merge, adders, precompute, stages: 1 };
                let plan = planned(name, "unit-adder", options);
                let limit = if adders == Adders::Tree { plan.limit.tree } else { plan.limit.csa };
                let per_step = plan.period.rounds / merge as f64;
                assert!(per_step >= limit - 1e-9, "{name} {options:?}: {per_step} < {limit}");
                if precompute == Precompute::Auto {
                    assert!(per_step <= limit + 1e-3, "{name} {options:?}: {per_step} > {limit}");
                }
            }
        }
    }
}

/// The relative gain of throughput over another plan of the same primitive: 1 is twice the
/// throughput.
fn throughput_gain(plan: &HardwarePlan, other: &HardwarePlan) -> f64 {
    plan.rate() / other.rate() - 1.0
}

/// Carry-save and retiming against the chain, one step per clock.
#[test]
fn gains_of_carry_save_and_retiming() {
    let retimed =
        Options { adders: Adders::CarrySave, precompute: Precompute::Auto, ..Options::default() };
    let cases = [("sha1", 118), ("sha256", 121), ("sha512", 133), ("md5", 23), ("ripemd160", 23)];
    for (name, percent) in cases {
        let chain = planned(name, "gate", Options::default());
        let gain = throughput_gain(&planned(name, "gate", retimed), &chain);
        assert_eq!((100.0 * gain).round(), f64::from(percent), "{name}: {gain}");
    }
}

/// Merging alone, as the paper does it: what its clocks gain, and what they cost.
#[test]
fn gains_and_area_of_merging() {
    let four = |merge| Options { merge, stages: 4, ..Options::default() };
    let cases = [
        ("sha1", 55, Some(28)),
        ("sha256", 16, Some(42)),
        ("sha512", 16, None),
        ("md5", 19, None),
        ("ripemd160", 19, None),
    ];
    for (name, gain, area) in cases {
        let [one, two] = [1, 2].map(|merge| planned(name, "gate", four(merge)));
        assert_eq!((100.0 * throughput_gain(&two, &one)).round(), f64::from(gain), "{name}");
        let more = two.resources.all.area / one.resources.all.area - 1.0;
        if let Some(area) = area {
            assert_eq!((100.0 * more).round(), f64::from(area), "{name}");
        }
    }
}

/// The sum e + K_t + W_t + f(b, c, d) of SHA-1 is ready before a is: all words in it are passed on
/// or rotated.
#[test]
fn full_precomputation_leaves_one_adder_of_sha1() {
    let full = |merge, adders| Options { merge, stages: 1, adders, precompute: Precompute::Full };
    assert_eq!(planned("sha1", "unit-adder", full(1, Adders::Chain)).period.total, 1.0);
    assert_eq!(planned("md5", "unit-adder", full(1, Adders::Chain)).period.total, 2.0);
    assert_eq!(planned("sha256", "unit-adder", full(1, Adders::Chain)).period.total, 3.0);
}

/// More pre-computation never makes a clock longer.
#[test]
fn more_freedom_is_never_slower() {
    for name in ["sha1", "sha256", "md5", "skein512"] {
        for adders in Adders::ALL.iter().copied() {
            for merge in [1, 2] {
                let period = |&precompute| {
                    let options = Options { merge, adders, precompute, stages: 1 };
                    planned(name, "gate", options).period.total
                };
                let periods: Vec<f64> = Precompute::ALL.iter().map(period).collect();
                let sorted = periods.windows(2).all(|pair| pair[1] <= pair[0] + 1e-9);
                assert!(sorted, "{name} {adders} {merge}: {periods:?}");
            }
        }
    }
}

/// The paper's architecture and its figures, with those that do not follow from eq. (1).
#[test]
fn the_papers_pipelines() {
    let stages = |name, merge| {
        planned(name, "unit-adder", Options { merge, stages: 4, ..Options::default() })
    };
    let [sha1, merged_sha1] = [stages("sha1", 1), stages("sha1", 2)];
    let [sha256, merged_sha256] = [stages("sha256", 1), stages("sha256", 2)];
    let cycles =
        [&sha1, &merged_sha1, &sha256, &merged_sha256].map(|plan| plan.program.cycles_per_block);
    assert_eq!(cycles, [20, 10, 16, 8]);
    // Table 3: 1632.0 and 2310.1; table 1: 2816.7.
    assert!((sha256.throughput(50.1) - 1603.2).abs() < 0.05);
    assert!((merged_sha256.throughput(36.1) - 2310.4).abs() < 0.05);
    assert!((merged_sha256.single_message_throughput(36.1) - 560.1).abs() < 0.05);
    assert!((merged_sha1.throughput(55.7) - 2851.84).abs() < 0.05);
    // Twice the steps per clock, in 4/3 and 7/4 of the time.
    assert!((throughput_gain(&merged_sha1, &sha1) - 0.5).abs() < 1e-9);
    assert!((throughput_gain(&merged_sha256, &sha256) - 1.0 / 7.0).abs() < 1e-9);
    // One message alone waits for its chaining value: a quarter, less the final addition's clock.
    for plan in [&sha1, &sha256, &merged_sha256] {
        assert_eq!(plan.latency, 4 * plan.program.cycles_per_block + 1);
        assert_eq!(plan.messages(), 5);
        let alone = plan.single_message_throughput(100.0) / plan.throughput(100.0);
        assert!(0.2 < alone && alone < 0.25, "{alone}");
    }
    // Each stage of SHA-1 has its own f_t: one block of one kind.
    let kinds: Vec<usize> = sha1.stages.iter().map(|stage| stage.kinds).collect();
    assert_eq!(kinds, [1; 4]);
    assert_eq!(sha1.stages[1].blocks, sha1.stages[3].blocks, "Parity twice");
    assert_eq!(
        sha1.stages.iter().map(|stage| stage.steps).collect::<Vec<_>>(),
        [(0, 20), (20, 40), (40, 60), (60, 80)]
    );
}

/// One-stage SHA-256: eight words of state, K_t + W_t, a window of sixteen words, the chaining
/// value; six adders in the round, three in the schedule, one for K_t + W_t, eight at the end.
#[test]
fn registers_and_adders_of_sha256() {
    let totals = planned("sha256", "gate", Options::default()).resources;
    assert_eq!(totals.rounds.register_bits, 32 * (8 + 1));
    assert_eq!(totals.message.register_bits, 32 * 16);
    assert_eq!(totals.ending.register_bits, 32 * 8);
    assert_eq!(totals.all.register_bits, 32 * (8 + 1 + 16 + 8));
    let adders =
        [totals.rounds, totals.message, totals.prepared, totals.ending].map(|part| part.adders);
    assert_eq!(adders, [6, 3, 1, 8]);
    let four = planned("sha256", "gate", Options { stages: 4, ..Options::default() }).resources;
    assert_eq!(four.all.register_bits, 4 * totals.all.register_bits);
    assert_eq!(four.all.adders, 4 * 10 + 8);
    // MD5 keeps its block as it came: sixteen words.
    let md5 = planned("md5", "gate", Options::default()).resources;
    assert_eq!(md5.all.register_bits, 32 * (4 + 1 + 16 + 4));
}

/// Every hash can be planned with two rounds per clock.
#[test]
fn every_hash_is_planned() {
    let model = DelayModel::load("gate").unwrap();
    for &id in HashId::ALL {
        let graph = trace::compression(Algorithm::new(id));
        let (adders, precompute) = (Adders::CarrySave, Precompute::Auto);
        let options = Options { merge: 2, stages: 1, adders, precompute };
        let plan = plan(&graph, &options, &model).unwrap();
        assert_eq!(plan.program.cycles_per_block * 2, plan.steps, "{id:?}");
        assert_eq!(plan.block_bits, 8 * id.entry().shape.block_bytes as u64, "{id:?}");
        assert!(plan.period.rounds / 2.0 >= plan.limit.csa - 1e-6, "{id:?}");
    }
}

/// A plan is a value to be stored, and a text to be read.
#[test]
fn plans_are_written() {
    let options =
        Options { merge: 2, stages: 4, adders: Adders::CarrySave, precompute: Precompute::Auto };
    let plan = planned("sha256", "gate", options);
    let stored = toml::to_string(&plan).unwrap();
    let read: toml::Table = stored.parse().unwrap();
    assert_eq!(read["cycles_per_block"].as_integer(), Some(8));
    assert_eq!(read["options"]["adders"].as_str(), Some("csa"));
    let nodes = read["blocks"][0]["schedule"]["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), plan.program.regions[0].function.len());
    let all = ["operation", "args", "width", "clock", "start", "end"];
    assert!(all.iter().all(|key| nodes[40].get(key).is_some()));
    assert!(!stored.contains("inf") && !stored.contains("nan"));
    assert_eq!(
        plan.to_string(),
        "sha256.compression: 512 bits every 8 clocks of 50.00 gates\n  \
         2 steps per clock, 4 stages, adders csa, pre-computation auto\n  \
         clock: rounds 44.00, message schedule 18.00, registers 6.00\n  \
         limit per step: 32.00 with carry-propagate adders, 22.00 with carry-save; here 22.00\n  \
         with 5 messages in flight; one alone waits 35 clocks per block: 23 % of that\n  \
         88 adders, 16 rows of 3:2 compressors, 4864 bits of registers, area 74880\n"
    );
}
