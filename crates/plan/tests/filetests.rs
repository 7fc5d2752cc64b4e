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

mod programs;

use manylane_graph::{Module, roll};
use manylane_plan::Platform;
use manylane_plan::program::time::{Prices, time};
use manylane_plan::program::{Program, fingerprint};
use manylane_plan::threads::program::run::time as time_threads;
use manylane_primitives::word::ByteOrder;
use programs::{Any, Random};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const SEPARATOR: &str = "---\n";

fn number<T: TryFrom<u64>>(word: &str) -> T {
    let value = match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => word.parse(),
    };
    let value = value.ok().and_then(|value| T::try_from(value).ok());
    value.unwrap_or_else(|| panic!("`{word}` is no number"))
}

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

/// Runs one file; whether it is as expected.
fn check(path: &Path, bless: bool) -> bool {
    let text = std::fs::read_to_string(path).unwrap();
    let (input, expected) = text.split_once(SEPARATOR).unwrap_or((&text, ""));
    let first = input.lines().next().unwrap_or_default();
    let command = first.strip_prefix("; test: ").expect("the first line is `; test: COMMAND`");
    let found = outcome(command, input);
    if found == expected {
        return true;
    }
    if bless {
        std::fs::write(path, format!("{input}{SEPARATOR}{found}")).unwrap();
        return true;
    }
    eprintln!("{}: expected\n{expected}but it is\n{found}", path.display());
    false
}

#[test]
fn programs_become_what_their_files_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 30, "only {} files", paths.len());
    let bless = std::env::var_os("MANYLANE_BLESS").is_some();
    let failed = paths.iter().filter(|path| {
        eprintln!("{}", path.display());
        !check(path, bless)
    });
    let failed = failed.count();
    assert_eq!(failed, 0, "files differ; MANYLANE_BLESS=1 rewrites them, to be reviewed as a diff");
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
