//! The planned programs of `filetests/`, each with what a command makes of it.
//!
//! ```text
//! ; test: COMMAND
//! PROGRAM, of processors, of hardware or of threads
//! ---
//! EXPECTATION
//! ```
//!
//! | command | expectation |
//! |---|---|
//! | `roundtrip` | the program, as it is printed |
//! | `parse` | the error of reading |
//! | `verify` | the rule that does not hold |
//! | `function` | `of its function`, or the rule that does not hold |
//! | `run INPUT …` | the outputs, in any interleaving |
//! | `time PLATFORM CALLS` | cycles of a program of processors |
//! | `time COMPUTE JOIN` | time of a program of threads, by a piece's and a join's |
//! | `roll ROUNDS` | the sequential program of a graph |
//!
//! For `function` the function follows the program, after a line `--`.
//!
//! The results of threads' pieces are their numbers, which are put together in the order of
//! joining. `MANYLANE_BLESS=1` rewrites expectations.

#[path = "../../graph/tests/common/files.rs"]
mod files;
mod programs;

use files::{hold, number};
use manylane_graph::{Module, roll};
use manylane_plan::Platform;
use manylane_plan::program::time::{Prices, time};
use manylane_plan::program::{Program, fingerprint};
use manylane_plan::threads::program::run::time as time_threads;
use manylane_primitives::word::ByteOrder;
use programs::{Any, Random};
use std::fmt::Write;
use std::path::Path;

/// What `command` makes of the text.
fn outcome(command: &str, text: &str) -> String {
    let mut words = command.split_whitespace();
    let name = words.next().expect("a command");
    let rest: Vec<&str> = words.collect();
    if name == "roll" {
        let module: Module = text.parse().unwrap_or_else(|error| panic!("{error}"));
        let rolled = roll::roll(module.main(), roll::Unroll::Rounds(number(rest[0])));
        return Program::sequential(rolled, fingerprint(module.main())).to_string();
    }
    let (text, function) = text.split_once("--\n").unwrap_or((text, ""));
    let read = Any::read(text);
    if name == "parse" {
        return format!("{}\n", read.expect_err("the text is no program"));
    }
    let program = read.unwrap_or_else(|error| panic!("{error}"));
    match name {
        "roundtrip" => {
            let text = program.to_string();
            assert_eq!(Any::read(&text).as_ref(), Ok(&program), "the text reads back");
            assert_eq!(program.verify(), Ok(()));
            text
        }
        "verify" => {
            let (rule, problem) = program.verify().expect_err("the program is invalid");
            format!("rule {rule}: {problem}\n")
        }
        "function" => {
            let function: Module = function.parse().unwrap_or_else(|error| panic!("{error}"));
            match program.check_function(&function) {
                Ok(()) => "of its function\n".to_owned(),
                Err((rule, problem)) => format!("rule {rule}: {problem}\n"),
            }
        }
        "run" => {
            assert_eq!(program.verify(), Ok(()));
            let inputs: Vec<u64> = rest.iter().map(|word| number(word)).collect();
            let outputs = program.run(&inputs, &mut Random(1)).unwrap();
            for seed in 2..10 {
                let again = program.run(&inputs, &mut Random(seed));
                assert_eq!(again.as_ref(), Ok(&outputs), "another interleaving");
            }
            outputs
        }
        "time" => match program {
            Any::Processors(program) => {
                let platform = Platform::load(rest[0]).unwrap();
                let count = program.processors;
                let prices = Prices::of(&program.rolled, count, ByteOrder::Big, &platform).unwrap();
                let timing = time(&program, &prices, number(rest[1])).expect("no circle");
                let mut text = format!("ends {:?}\n", timing.ends);
                writeln!(text, "busy {:?}, waits {:?}", timing.busy, timing.waits).unwrap();
                text
            }
            Any::Threads(program) => {
                let [compute, join] = [rest[0], rest[1]].map(number::<u32>).map(f64::from);
                let cost =
                    |_, pieces: &std::ops::Range<u64>| compute * (pieces.end - pieces.start) as f64;
                format!("{:?}\n", time_threads(&program, cost, join).expect("no circle"))
            }
            Any::Hardware(_) => panic!("the clocks of hardware are in its text"),
        },
        _ => panic!("no command is named {name}"),
    }
}

#[test]
fn programs_become_what_their_files_say() {
    hold(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests"), 30, outcome);
}

/// Every rule of every form has a file that breaks it.
#[test]
fn every_rule_is_broken_by_a_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for (form, rules) in [("processors", 11), ("hardware", 9), ("threads", 8)] {
        for rule in 1..=rules {
            let name = format!("{form}-rule-{rule}-");
            assert!(names.iter().any(|file| file.starts_with(&name)), "no file {name}…");
        }
    }
}
