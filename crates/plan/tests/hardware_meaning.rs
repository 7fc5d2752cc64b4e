//! The blocks of a plan, turn after turn, compute what the compression computes, and their schedules
//! can be built: nothing is used before it is made, and what is kept is in a register.

use manylane_graph::extract::rounds;
use manylane_graph::interpret::{evaluate, run_main};
use manylane_graph::passes::uniform;
use manylane_graph::{Function, Module, NodeId, Op, trace};
use manylane_plan::hardware::{
    Adders, DelayModel, HardwarePlan, Options, Precompute, Region, ScheduleError, Turn, plan,
};

fn options(merge: usize, adders: Adders, precompute: Precompute) -> Options {
    Options { merge, stages: 1, adders, precompute }
}

/// Of hashes with the same compression, one.
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

/// Edges in turn, and by a generator.
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

/// A plan's turns in order, each with its block.
fn turns(blocks: &[Region]) -> Vec<(&Region, &Turn)> {
    let mut turns: Vec<(&Region, &Turn)> = Vec::new();
    for block in blocks {
        turns.extend(block.turns.iter().map(|turn| (block, turn)));
    }
    turns.sort_by_key(|(_, turn)| turn.clock);
    let clocks: Vec<usize> = turns.iter().map(|(_, turn)| turn.clock).collect();
    assert_eq!(clocks, (0..turns.len()).collect::<Vec<_>>(), "every clock has its turn");
    turns
}

fn check_meaning(graph: &Function, plan: &HardwarePlan) {
    let turns = turns(&plan.program.regions);
    assert_eq!(turns.len(), plan.program.cycles_per_block * plan.program.options.stages);
    let modules: Vec<Module> =
        turns.iter().map(|(block, turn)| Module::of(block.function_of(turn))).collect();
    for inputs in edge_inputs(graph.inputs().len()) {
        let values = values(graph, &inputs);
        let of = |nodes: &[NodeId]| -> Vec<u64> {
            nodes.iter().map(|node| values[node.index()]).collect()
        };
        let words = plan.program.regions[0].words;
        let mut state = of(&turns[0].1.arguments[..words]);
        for (module, (_, turn)) in modules.iter().zip(&turns) {
            assert_eq!(
                state,
                of(&turn.arguments[..words]),
                "{} clock {}",
                plan.program.function.name,
                turn.clock
            );
            let inputs = [state, of(&turn.arguments[words..])].concat();
            state = run_main(module, &inputs);
        }
        let rounds = rounds(graph);
        let last = rounds.iter().flat_map(|line| line.states[line.len()].iter().copied());
        assert_eq!(
            state,
            of(&last.collect::<Vec<_>>()),
            "{} at the end",
            plan.program.function.name
        );
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
        for &adders in Adders::ALL {
            for &precompute in Precompute::ALL {
                let plan = plan(&graph, &options(2, adders, precompute), &model).unwrap();
                check_meaning(&graph, &plan);
            }
        }
    }
}

/// Made alike, rounds of several functions are one block of hardware that still computes the
/// compression.
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

/// Where a word of the state before turn `turn` was made: the turn and the node, if in a turn.
fn maker(turns: &[(&Region, &Turn)], mut turn: usize, mut word: usize) -> Option<(usize, NodeId)> {
    while turn > 0 {
        turn -= 1;
        let function = &turns[turn].0.function;
        let value = function.outputs()[word].value;
        match function.op(value) {
            Op::Input(i) if (i as usize) < turns[turn].0.words => word = i as usize,
            _ => return Some((turn, value)),
        }
    }
    None
}

/// Goes through all clocks of a block of message: each operand is made in the same clock, or a
/// register has it.
fn check_registers(plan: &HardwarePlan) {
    let turns = turns(&plan.program.regions);
    let kept_until = |turn: usize, node: NodeId| {
        let (block, schedule) = (turns[turn].0, &turns[turn].0.schedule);
        let register = schedule.registers.iter().find(|register| register.node == node.0);
        let made = block.schedule.nodes[node.index()].clock;
        (turn as i64 + made, turn as i64 + register.map_or(made, |register| register.to))
    };
    for (t, (block, _)) in turns.iter().enumerate() {
        let function = &block.function;
        for node in function.nodes().filter(|&node| function.op(node).is_work()) {
            let now = t as i64 + block.schedule.nodes[node.index()].clock;
            for &operand in function.args(node) {
                let made = match function.op(operand) {
                    Op::Const(_) => None,
                    Op::Input(i) if (i as usize) < block.words => maker(&turns, t, i as usize),
                    Op::Input(_) => None,
                    _ => Some((t, operand)),
                };
                if let Some((turn, made_by)) = made {
                    let (made, until) = kept_until(turn, made_by);
                    assert!(
                        made <= now && now <= until,
                        "{}: {node} of turn {t} uses {made_by} of turn {turn} in clock {now}, \
                         there from {made} to {until}",
                        plan.program.function.name
                    );
                }
            }
        }
    }
}

#[test]
fn schedules_hold_what_they_must_and_registers_suffice() {
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
                for block in plan.program.regions.iter().chain(&plan.program.schedule) {
                    block.schedule.check(&block.function, block.words).unwrap();
                }
                check_registers(&plan);
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
