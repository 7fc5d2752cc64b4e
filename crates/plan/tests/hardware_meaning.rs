//! The blocks of a plan, turn after turn, compute what the compression computes, and their
//! schedules can be built: nothing is used before it is made, and what is kept is in a register.

use manylane_graph::interpret::{evaluate, run_main};
use manylane_graph::passes::uniform;
use manylane_graph::{Function, Module, Op, trace};
use manylane_plan::hardware::program::run::run;
use manylane_plan::hardware::program::verify::{check_function, verify};
use manylane_plan::hardware::{
    Adders, DelayModel, HardwarePlan, Options, Precompute, Region, ScheduleError, plan,
};

fn options(merge: usize, adders: Adders, precompute: Precompute) -> Options {
    Options { merge, stages: 1, adders, precompute }
}

/// For each compression, one of the hashes that use it.
const DISTINCT: [&str; 16] = [
    "md5",
    "sha1",
    "sha256",
    "sha512",
    "keccak256",
    "ripemd128",
    "ripemd160",
    "ripemd256",
    "ripemd320",
    "blake256",
    "blake512",
    "groestl256",
    "groestl512",
    "jh256",
    "skein512",
    "skein1024",
];

/// The value of every node of a compression.
fn values(function: &Function, inputs: &[u64]) -> Vec<u64> {
    let mut values: Vec<u64> = Vec::new();
    for node in function.nodes() {
        let args: Vec<u64> = function.args(node).iter().map(|arg| values[arg.index()]).collect();
        values.push(match function.op(node) {
            Op::Input(i) => inputs[i as usize] & u64::MAX >> (64 - function.width(node)),
            op => evaluate(op, function.width(node), &args),
        });
    }
    values
}

/// Two sets of inputs: edge values in turn, and pseudo-random words.
fn edge_inputs(count: usize) -> [Vec<u64>; 2] {
    let edges = [0, 1, u64::MAX, 0xaaaa_aaaa_aaaa_aaaa, 0x8000_0000_8000_0000];
    let mut x = 0x9e37_79b9_7f4a_7c15_u64;
    let random = (0..count).map(|_| {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        x ^ x >> 29
    });
    let random = random.collect();
    [(0..count).map(|i| edges[i % 5]).collect(), random]
}

/// The program holds its rules, and gives what the compression gives.
fn check_meaning(graph: &Function, plan: &HardwarePlan) {
    let program = &plan.program;
    verify(program).unwrap_or_else(|wrong| panic!("{}: {wrong}", graph.name));
    check_function(program, graph).unwrap();
    let module = Module::of(graph.clone());
    for inputs in edge_inputs(graph.inputs().len()) {
        assert_eq!(run(program, &inputs).unwrap(), run_main(&module, &inputs), "{}", graph.name);
    }
}

#[test]
fn blocks_compute_the_compression() {
    let model = DelayModel::load("gate").unwrap();
    for name in DISTINCT {
        let graph = trace::compression(name.parse().unwrap());
        let all = [
            options(1, Adders::CarrySave, Precompute::Auto),
            options(2, Adders::Tree, Precompute::Full),
        ];
        for options in all {
            let plan = plan(&graph, &options, &model).unwrap();
            check_meaning(&graph, &plan);
        }
    }
    for name in ["sha1", "sha256", "md5", "blake256"] {
        let graph = trace::compression(name.parse().unwrap());
        for adders in Adders::ALL {
            for precompute in Precompute::ALL {
                let plan = plan(&graph, &options(2, adders, precompute), &model).unwrap();
                check_meaning(&graph, &plan);
            }
        }
    }
}

/// Rounds of several functions that were made alike become one block of hardware, which still
/// computes the compression.
#[test]
fn uniform_rounds_are_one_block() {
    let model = DelayModel::load("gate").unwrap();
    for name in ["md5", "sha1", "ripemd128", "ripemd160", "skein512"] {
        let graph = uniform(&trace::compression(name.parse().unwrap()));
        for options in [
            options(1, Adders::Chain, Precompute::Kw),
            options(1, Adders::CarrySave, Precompute::Auto),
            options(2, Adders::Tree, Precompute::Full),
        ] {
            let plan = plan(&graph, &options, &model).unwrap();
            assert_eq!(plan.program.regions.len(), 1, "{name}");
            check_meaning(&graph, &plan);
        }
    }
}

#[test]
fn the_schedule_block_computes_the_message_schedule() {
    let model = DelayModel::load("unit-adder").unwrap();
    for name in ["sha1", "sha256", "sha512"] {
        let graph = trace::compression(name.parse().unwrap());
        for merge in [1, 4] {
            let options = options(merge, Adders::CarrySave, Precompute::Auto);
            let block = plan(&graph, &options, &model).unwrap().program.schedule.unwrap();
            block.schedule.check(&block.function, block.words).unwrap();
            let module = Module::of(block.function.clone());
            let [_, inputs] = edge_inputs(graph.inputs().len());
            let values = values(&graph, &inputs);
            let window: Vec<u64> =
                block.turns[0].arguments.iter().map(|node| values[node.index()]).collect();
            let new = run_main(&module, &window);
            assert_eq!(new[..16 - merge], window[merge..], "{name}: the window moves");
            let step = graph.find_step(&format!("schedule[{}]", 16 + merge - 1)).unwrap();
            let last = graph.nodes().rfind(|&node| graph.step(node) == step).unwrap();
            assert_eq!(new[15], values[last.index()], "{name}");
        }
    }
}

#[test]
fn programs_hold_their_rules() {
    for model in ["gate", "unit-adder"].map(|name| DelayModel::load(name).unwrap()) {
        for name in DISTINCT {
            let graph = trace::compression(name.parse().unwrap());
            let all = [
                options(1, Adders::CarrySave, Precompute::Auto),
                options(1, Adders::Chain, Precompute::Kw),
                options(2, Adders::Tree, Precompute::Full),
            ];
            for options in all {
                let plan = plan(&graph, &options, &model).unwrap();
                verify(&plan.program)
                    .unwrap_or_else(|wrong| panic!("{name}, {options:?}: {wrong}"));
            }
        }
    }
}

/// The check sees what is wrong: an operation moved to another clock, too early, or cut by a clock.
#[test]
fn wrong_schedules_are_found() {
    let graph = trace::compression("sha256".parse().unwrap());
    let model = DelayModel::load("gate").unwrap();
    let plan = plan(&graph, &options(1, Adders::CarrySave, Precompute::Auto), &model).unwrap();
    let Region { function, schedule, words, .. } = &plan.program.regions[0];
    let check = |change: &dyn Fn(&mut manylane_plan::hardware::HardwareSchedule)| {
        let mut changed = schedule.clone();
        change(&mut changed);
        changed.check(function, *words)
    };
    assert_eq!(check(&|_| ()), Ok(()));
    let last_sum = function.nodes().rfind(|&node| function.op(node) == Op::Add).unwrap().index();
    let period = schedule.period;
    let early = check(&|schedule| {
        let sum = &mut schedule.nodes[last_sum];
        (sum.clock, sum.start, sum.end) =
            (sum.clock - 9, sum.start - 9.0 * period, sum.end - 9.0 * period);
    });
    assert!(matches!(early, Err(ScheduleError::NotReady { .. })), "{early:?}");
    let cut = check(&|schedule| {
        let sum = &mut schedule.nodes[last_sum];
        (sum.start, sum.end) = (sum.start + period / 2.0, sum.end + period / 2.0);
    });
    assert!(matches!(cut, Err(ScheduleError::Straddles { .. })), "{cut:?}");
    let late = check(&|schedule| {
        let sum = &mut schedule.nodes[last_sum];
        (sum.clock, sum.start, sum.end) =
            (sum.clock + 9, sum.start + 9.0 * period, sum.end + 9.0 * period);
    });
    assert!(late.is_err(), "{late:?}");
    let short = check(&|schedule| {
        schedule.nodes.pop();
    });
    assert!(matches!(short, Err(ScheduleError::Nodes { .. })), "{short:?}");
    let late_word = check(&|schedule| {
        let a = function.outputs()[0].value.index();
        let b = function.inputs()[0].node.index();
        let (clock, time) = (schedule.nodes[a].clock - 3, schedule.nodes[a].end - 3.0 * period);
        (schedule.nodes[b].clock, schedule.nodes[b].start, schedule.nodes[b].end) =
            (clock, time, time);
    });
    assert!(matches!(late_word, Err(ScheduleError::State { word: 0, .. })), "{late_word:?}");
}
