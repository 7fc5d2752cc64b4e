//! The planned program of hardware: its text form, and the rules that it must hold.
//!
//! A file of `tests/hardware` has the options of a plan in its first line and the program behind
//! the line `---`. `MANYLANE_BLESS=1` rewrites the programs.

use manylane_graph::trace::{self, Rc5};
use manylane_graph::{Function, NodeId, Op};
use manylane_plan::hardware::program::verify::{check_function, verify};
use manylane_plan::hardware::{
    Adders, DelayModel, HardwareProgram, Options, Precompute, Region, Register, Turn, plan,
};
use std::path::Path;

const SEPARATOR: &str = "---\n";

fn program(graph: &Function, options: &Options) -> HardwareProgram {
    plan(graph, options, &DelayModel::load("gate").unwrap()).unwrap().program
}

/// The program of a line such as `; RC5-32/4/2: --merge 2 --stages 2 --adders chain --precompute
/// kw`.
fn of_line(line: &str) -> HardwareProgram {
    let (what, options) = line.strip_prefix("; RC5-32/").unwrap().split_once(':').unwrap();
    let (rounds, key) = what.split_once('/').unwrap();
    let graph = trace::rc5::<u32>(Rc5::Block, rounds.parse().unwrap(), key.parse().unwrap());
    let mut words = options.split_whitespace();
    let mut value = |name: &str| {
        assert_eq!(words.next(), Some(name), "{line}");
        words.next().unwrap().to_owned()
    };
    let options = Options {
        merge: value("--merge").parse().unwrap(),
        stages: value("--stages").parse().unwrap(),
        adders: Adders::by_name(&value("--adders")).unwrap(),
        precompute: Precompute::by_name(&value("--precompute")).unwrap(),
    };
    program(&graph, &options)
}

#[test]
fn programs_are_what_their_files_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hardware");
    let bless = std::env::var_os("MANYLANE_BLESS").is_some();
    let mut failed = Vec::new();
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    assert!(files.len() >= 3, "{files:?}");
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let (input, expected) = text.split_once(SEPARATOR).unwrap();
        let program = of_line(input.lines().next().unwrap());
        verify(&program).unwrap();
        let found = program.to_string();
        if found == expected {
            continue;
        }
        if bless {
            std::fs::write(&path, format!("{input}{SEPARATOR}{found}")).unwrap();
        } else {
            failed.push(format!("{}: it is\n{found}", path.display()));
        }
    }
    assert!(failed.is_empty(), "{}\nMANYLANE_BLESS=1 rewrites them", failed.join("\n"));
}

/// Stages hand over the words before their first turns, and the words after the last turn are the
/// last state.
#[test]
fn edges_and_transfers() {
    let graph = trace::compression("sha256".parse().unwrap());
    let options = Options { stages: 4, ..Options::default() };
    let program = program(&graph, &options);
    let transfers = program.transfers();
    let turns: Vec<(usize, usize)> = transfers.iter().map(|t| (t.to, t.turn)).collect();
    assert_eq!(turns, [(1, 16), (2, 32), (3, 48)]);
    assert!(transfers.iter().all(|transfer| transfer.words.len() == 8));
    assert_eq!(program.block_bits(), 512);
    // What the ending adds to the chaining value.
    let last = program.last_words();
    for (output, word) in graph.outputs().iter().zip(last) {
        assert!(graph.args(output.value).contains(&word), "{output:?}");
    }
}

/// A program is refused for another graph, of the same name too.
#[test]
fn programs_of_other_functions_are_refused() {
    let [sha256, mut renamed] =
        ["sha256", "sha512"].map(|name| trace::compression(name.parse().unwrap()));
    renamed.name.clone_from(&sha256.name);
    let program = program(&sha256, &Options::default());
    assert_eq!(check_function(&program, &sha256), Ok(()));
    let said = check_function(&program, &renamed).unwrap_err().to_string();
    assert!(said.contains("plan it anew") && said.contains("rule 1"), "{said}");
    let swapped = HardwareProgram { function: renamed, ..program };
    assert_eq!(verify(&swapped).unwrap_err().rule, 1);
}

/// Each rule is broken by a change of a program that holds it.
#[test]
fn broken_rules_are_named() {
    let graph = trace::compression("sha256".parse().unwrap());
    let options = Options {
        stages: 2,
        adders: Adders::CarrySave,
        precompute: Precompute::Auto,
        ..Options::default()
    };
    let right = program(&graph, &options);
    assert_eq!(verify(&right), Ok(()));
    let md5 = trace::compression("md5".parse().unwrap());
    let turning = program(&manylane_graph::passes::uniform(&md5), &Options::default());
    assert_eq!(verify(&turning), Ok(()));
    let broken = |program: &HardwareProgram, change: &dyn Fn(&mut HardwareProgram)| {
        let mut changed = program.clone();
        change(&mut changed);
        let wrong = verify(&changed).expect_err("a rule is broken");
        assert!(wrong.to_string().contains(&format!("rule {}", wrong.rule)));
        wrong.rule
    };
    let turn = |program: &mut HardwareProgram, change: &dyn Fn(&mut Turn)| {
        change(&mut program.regions[0].turns[3]);
    };
    assert_eq!(broken(&right, &|p| p.fingerprint ^= 1), 1);
    assert_eq!(broken(&right, &|p| p.options.stages = 4), 2);
    assert_eq!(broken(&right, &|p| p.options.stages = 0), 2);
    assert_eq!(broken(&right, &|p| p.regions.clear()), 2);
    assert_eq!(broken(&right, &|p| drop(p.regions[0].turns.pop())), 2);
    assert_eq!(broken(&right, &|p| turn(p, &|turn| turn.clock = 4)), 2);
    assert_eq!(broken(&right, &|p| p.regions[0].words = 7), 3);
    assert_eq!(broken(&right, &|p| turn(p, &|turn| turn.arguments.truncate(8))), 4);
    assert_eq!(broken(&right, &|p| turn(p, &|t| t.arguments[0] = NodeId(u32::MAX))), 4);
    assert_eq!(broken(&turning, &|p| turn(p, &|turn| turn.amounts.clear())), 4);
    assert_eq!(broken(&turning, &|p| turn(p, &|turn| turn.amounts[0] = Op::Add)), 4);
    assert_eq!(broken(&right, &|p| _ = p.regions[0].schedule.nodes.pop()), 5);
    assert_eq!(broken(&right, &|p| p.regions[0].schedule.registers.clear()), 6);
    let short = |p: &mut HardwareProgram| {
        let Region { function, schedule, .. } = &mut p.regions[0];
        let is_computed = |r: &&mut Register| function.op(NodeId(r.node)).is_work();
        schedule.registers.iter_mut().find(is_computed).unwrap().to -= 1;
    };
    assert_eq!(broken(&right, &short), 6);
    // A side input that is a word of the state from the middle of the rounds.
    let inside = right.turns()[9].1.arguments[0];
    let side = right.regions[0].words;
    assert_eq!(broken(&right, &|p| turn(p, &|turn| turn.arguments[side] = inside)), 7);
}
