//! Random delays: results stay, orders change.

mod common;

use common::{COUNTING, here, strict};
use manylane_simulate::{Delays, Error, Job, Machine, Run};

const SHA256: &str = include_str!("programs/sha256.c");
const TURNS: &str = include_str!("programs/turns.c");

fn turns(count: u32) -> Job {
    strict(Job::of("turns.c", TURNS).flag(&format!("-DTURNS={count}U")))
}

const DELAYED: [Machine; 3] = [Machine::IbexDuo, Machine::Rp2040, Machine::Host];

fn with(seed: u32, per_mille: [u32; 2]) -> Run {
    Run { delays: Some(Delays { seed, per_mille, longest: 40 }), ..Run::default() }
}

#[test]
fn delays_change_the_order_and_not_the_result() {
    for machine in here(&DELAYED) {
        let program = machine.build(&turns(1000)).unwrap();
        let runs = [Run::default(), with(1, [0, 100]), with(1, [100, 0]), with(2, [100, 0])];
        let outcomes = runs.map(|run| program.run(&run).unwrap());
        for outcome in &outcomes {
            assert_eq!(outcome.number("turns").unwrap(), 1000, "{machine}");
        }
        if COUNTING.contains(&machine) {
            let cycles = outcomes.each_ref().map(|outcome| outcome.cycles[0]);
            assert!(cycles[1..].iter().all(|delayed| *delayed > cycles[0]), "{cycles:?}");
            assert_ne!(cycles[2], cycles[3], "{machine}: another seed");
            assert_eq!(program.run(&runs[3]).unwrap(), outcomes[3], "{machine}: the same seed");
        }
    }
}

#[test]
fn qemu_has_no_delays() {
    for machine in here(&[Machine::Mps2An521]) {
        let error = machine.build(&turns(2)).unwrap().run(&with(1, [1, 1])).unwrap_err();
        assert!(matches!(error, Error::Unable { .. }), "{error}");
    }
}

/// `make test-simulators`: ten thousand turns under each of a few seeds, and hashes of five hundred
/// blocks, whose schedules core 1 computes one block ahead.
#[test]
#[ignore = "a minute"]
fn ten_thousand_turns_under_delays() {
    for machine in here(&DELAYED) {
        let turns = machine.build(&turns(10_000)).unwrap();
        let hash =
            machine.build(&strict(Job::of("sha256.c", SHA256).flag("-DBLOCKS=500U"))).unwrap();
        for seed in 0..5 {
            let outcome = turns.run(&with(seed, [20, 20])).unwrap();
            assert_eq!(outcome.number("turns").unwrap(), 10_000, "{machine}, seed {seed}");
            // The program ends with another status if the digests of one core and two differ.
            hash.run(&with(seed, [5, 5])).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        }
    }
}

/// The board's own start and join are no race, and a program's race is found.
#[test]
fn thread_sanitizer_sees_the_board() {
    for machine in here(&[Machine::Host]) {
        let job = turns(1000).flag("-fsanitize=thread").flag("-g");
        let sanitized = match machine.build(&job) {
            Ok(program) => program,
            // A compiler without the library.
            Err(Error::Compile { words, .. }) if words.contains("tsan") => {
                eprintln!("skipped: this compiler has no ThreadSanitizer");
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        if let Err(error) = sanitized.run(&Run::default()) {
            let words = error.to_string();
            assert!(words.contains("unexpected memory mapping"), "{words}");
            eprintln!("skipped: ThreadSanitizer does not run on this kernel");
            continue;
        }
        let race = TURNS.replace("__ATOMIC_ACQUIRE", "__ATOMIC_RELAXED");
        let race = Job { files: vec![("turns.c".into(), race)], ..job };
        match machine.run(&race).unwrap_err() {
            Error::Exit { status, .. } => assert!(status.contains("data race"), "{status}"),
            error => panic!("{error}"),
        }
    }
}
