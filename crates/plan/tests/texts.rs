//! Texts of planned programs: they read back, and texts that were damaged at random are refused, or
//! still compute the definition.

mod programs;

use manylane_graph::interpret::run_main;
use manylane_graph::roll::{Unroll, limbs, roll};
use manylane_graph::trace::{self, Rc5, literal_compression};
use manylane_graph::{Function, Module};
use manylane_plan::hardware::{Adders, DelayModel, Options, Precompute, plan};
use manylane_plan::program::place::place;
use manylane_plan::program::{Program, fingerprint};
use manylane_plan::threads::program::{Results, ThreadsProgram, Work};
use manylane_plan::threads::{Mode, Pairing, batch, cipher, unequal};
use manylane_primitives::catalog::{Algorithm, HashId};
use programs::{Any, Random};
use std::collections::BTreeSet;

fn reads_back(program: &Any, what: &dyn std::fmt::Display) {
    let text = program.to_string();
    let read = Any::read(&text).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(read == *program, "{what}: another program");
    assert_eq!(read.to_string(), text, "{what}: another text");
}

/// A function on two processors, each step of a body on any of them.
fn halved(function: &Function, unroll: usize, random: &mut Random) -> Program {
    let rolled = roll(function, Unroll::Rounds(unroll));
    let assignment = rolled.regions.iter().map(|region| {
        let steps: Vec<u8> = region.body.steps().iter().map(|_| random.below(2) as u8).collect();
        region.body.nodes().map(|node| steps[region.body.step(node).index()]).collect()
    });
    let assignment: Vec<Vec<u8>> = assignment.collect();
    place(rolled, fingerprint(function), 2, &assignment, usize::MAX)
}

/// Every hash on one processor and on two, in words of its own and of 16 bits.
#[test]
fn every_hash_reads_back() {
    let mut random = Random(77);
    for &id in HashId::ALL {
        let id = Algorithm::from(id);
        let function = literal_compression(id);
        let rolled = roll(&function, Unroll::Rounds(1));
        let print = fingerprint(&function);
        let one = Program::sequential(rolled, print);
        manylane_plan::program::verify::check_function(&one, &function)
            .unwrap_or_else(|wrong| panic!("{id}: {wrong}"));
        reads_back(&Any::Processors(one), &id);
        reads_back(&Any::Processors(halved(&function, 2, &mut random)), &id);
    }
    let function = literal_compression(HashId::ALL[0].into());
    let narrow = limbs(&roll(&function, Unroll::Rounds(1)), 16);
    let narrow = Program::sequential(narrow, fingerprint(&function));
    manylane_plan::program::verify::check_function(&narrow, &function).unwrap();
    reads_back(&Any::Processors(narrow), &"16 bits");
}

/// Hardware of every shape: retimed, with carry-save rows, with amounts that each turn says, with
/// times before the beginning.
#[test]
fn hardware_reads_back() {
    let model = DelayModel::load("gate").unwrap();
    for (name, adders, precompute, merge, stages) in [
        ("sha256", Adders::CarrySave, Precompute::Auto, 2, 4),
        ("sha1", Adders::Tree, Precompute::Full, 1, 1),
        ("md5", Adders::Chain, Precompute::Kw, 1, 2),
        ("keccak256", Adders::Chain, Precompute::None, 2, 3),
    ] {
        let graph = trace::compression(name.parse().unwrap());
        let graph = manylane_graph::passes::uniform(&graph);
        let options = Options { merge, stages, adders, precompute };
        let program = plan(&graph, &options, &model).unwrap().program;
        reads_back(&Any::Hardware(Box::new(program)), &name);
    }
}

fn work(pieces: u64, results: Results) -> Work {
    Work { name: "toy".to_owned(), fingerprint: 7, pieces, results }
}

/// All numbers from 0, as the pieces joined in order give them.
fn in_order(pieces: u64) -> String {
    (0..pieces).map(|piece| piece.to_string()).collect::<Vec<_>>().join(" ") + "\n"
}

fn computes_in_order(program: &ThreadsProgram, what: &dyn std::fmt::Display) {
    let any = Any::Threads(program.clone());
    assert_eq!(any.verify(), Ok(()), "{what}\n{program}");
    reads_back(&any, what);
    for seed in 1..6 {
        let found = any.run(&[], &mut Random(seed));
        assert_eq!(found, Ok(in_order(program.work.pieces)), "{what}\n{program}");
    }
}

/// What the planners find for threads is right in any interleaving, and is done when they say, or
/// sooner where joins need not wait for the dearest part.
#[test]
fn threads_compute_in_order_and_in_time() {
    let mut pairing = Pairing::load("core2-45nm").unwrap().split_loop();
    for in_turn in [false, true] {
        pairing.joins_in_turn = in_turn;
        for processors in [1, 2, 3, 5, 8, 31, 700] {
            let balance = pairing.balance(processors);
            let program = pairing.program(processors, work(pairing.iterations, Results::Joined));
            let what = format!("{processors} processors, in turn: {in_turn}");
            computes_in_order(&program, &what);
            let done = pairing.time(&program).unwrap();
            let least = balance.costs.iter().copied().fold(0.0, f64::max) + pairing.serial;
            assert!(done <= balance.total * (1.0 + 1e-12), "{what}: {done}, {}", balance.total);
            assert!(done >= least * (1.0 - 1e-12), "{what}: {done}, {least}");
        }
    }
    // A thread that does nothing has no part, and the pieces of a chain belong to one thread.
    for mode in Mode::ALL {
        for (blocks, processors) in [(1, 1), (1, 3), (2, 3), (10, 3), (1000, 7)] {
            let results = if mode.is_parallel() { Results::Apart } else { Results::Chain };
            let batch = cipher(mode, blocks, 10.0, processors, 3.0);
            let program = batch.program(work(blocks, results));
            computes_in_order(&program, &mode.name());
            let threads = program.parts.iter().filter(|part| !part.is_empty()).count();
            assert!(threads == 1 || batch.speedup > 1.0, "{program}");
        }
    }
    for (pieces, times) in [(100, vec![4.0, 1.0]), (3, vec![7.0, 3.0, 5.0]), (1, vec![1.0, 9.0])] {
        for parallel in [true, false] {
            let batch = unequal(pieces, &times, 2.0, parallel);
            computes_in_order(&batch.program(work(pieces, Results::Apart)), &pieces);
        }
    }
    let ragged = batch(&[8.0, 1.0, 1.0, 5.0, 2.0], 2, 0.5);
    let program = ragged.program(work(5, Results::Apart));
    computes_in_order(&program, &"messages of many lengths");
    let costs = [8.0, 1.0, 1.0, 5.0, 2.0];
    let cost = |_, range: &std::ops::Range<u64>| {
        range.clone().map(|piece| costs[piece as usize]).sum::<f64>()
    };
    let done = manylane_plan::threads::program::run::time(&program, cost, 0.0).unwrap();
    assert_eq!(done + 0.5, ragged.total, "{program}");
    computes_in_order(&ThreadsProgram::sequential(work(9, Results::Chain)), &"one thread");
    // No pieces at all.
    let nothing = ThreadsProgram::sequential(work(0, Results::Joined));
    assert_eq!(Any::Threads(nothing).run(&[], &mut Random(1)), Ok("\n".to_owned()));
}

/// Damages a text as a hand or an accident might.
fn damaged(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = random.below(lines.len());
    match random.below(6) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[random.below(lines.len())].clone()),
        2 => {
            let other = random.below(lines.len());
            lines.swap(at, other);
        }
        3 => {
            // Replaces a digit.
            let line = lines[at].clone();
            let digits: Vec<usize> =
                line.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(i, _)| i).collect();
            if !digits.is_empty() {
                let digit = digits[random.below(digits.len())];
                let new = random.below(10).to_string();
                lines[at].replace_range(digit..=digit, &new);
            }
        }
        kind => {
            // Exchanges two words, or two items of a list.
            let between = if kind == 4 { " " } else { ", " };
            let mut words: Vec<&str> = lines[at].split(between).collect();
            let (a, b) = (random.below(words.len()), random.below(words.len()));
            words.swap(a, b);
            lines[at] = words.join(between);
        }
    }
    lines.join("\n") + "\n"
}

/// Damages a program `count` times. A damaged text that reads and keeps the rules has to compute
/// `expected`, in any interleaving. Returns the rules that were found broken.
fn damage(
    program: &Any,
    module: &Module,
    inputs: &[u64],
    expected: &str,
    count: u64,
) -> BTreeSet<u8> {
    let text = program.to_string();
    let mut random = Random(0x5eed);
    let (mut unread, mut kept) = (0, 0);
    let mut broken = BTreeSet::new();
    for _ in 0..count {
        let damaged = damaged(&text, &mut random);
        let Ok(read) = Any::read(&damaged) else {
            unread += 1;
            continue;
        };
        // Texts of what nobody would plan can be written too.
        let _ = read.to_string();
        match read.check_function(module) {
            Err((rule, problem)) => {
                assert!(!problem.is_empty());
                broken.insert(rule);
            }
            Ok(()) => {
                kept += 1;
                let found = read.run(inputs, &mut random);
                assert_eq!(found.as_deref(), Ok(expected), "{damaged}");
            }
        }
    }
    assert!(unread > count / 20 && kept > 0, "{unread} unread, {kept} kept of {count}");
    broken
}

#[test]
fn damaged_programs_are_refused_or_right() {
    let inputs: Vec<u64> =
        (0..40).map(|i| 0x0123_4567_89ab_cdef_u64.rotate_left(3 * i) >> 32).collect();
    let lines = |module: &Module| {
        let inputs = &inputs[..module.main().inputs().len()];
        let outputs = module.main().outputs().iter().zip(run_main(module, inputs));
        outputs.map(|(output, value)| format!("{} = {value:#x}\n", output.name)).collect::<String>()
    };

    let function = literal_compression("md5".parse().unwrap());
    let module = Module::of(function.clone());
    let two = Any::Processors(halved(&function, 1, &mut Random(5)));
    let broken = damage(&two, &module, &inputs, &lines(&module), 300);
    assert!(broken.len() >= 5, "{broken:?}");

    let function = trace::rc5::<u32>(Rc5::Block, 4, 2);
    let module = Module::of(function.clone());
    let options = Options { merge: 2, stages: 2, ..Options::default() };
    let model = DelayModel::load("gate").unwrap();
    let hardware = plan(&function, &options, &model).unwrap().program;
    let hardware = Any::Hardware(Box::new(hardware));
    let broken = damage(&hardware, &module, &inputs, &lines(&module), 1500);
    assert!(broken.len() >= 5, "{broken:?}");

    let pairing = Pairing::load("core2-45nm").unwrap().split_loop();
    let fingerprint = manylane_plan::program::fingerprint_of(&module);
    let work = Work { fingerprint, ..work(pairing.iterations, Results::Joined) };
    let threads = Any::Threads(pairing.program(6, work));
    let broken = damage(&threads, &module, &[], &in_order(pairing.iterations), 1000);
    assert!(broken.len() >= 4, "{broken:?}");
}
