//! Programs on every machine: what they compute, what is counted, how they end.

mod common;

use common::{COUNTING, here, strict};
use manylane_primitives::hash::digest;
use manylane_primitives::hash::sha2::Sha256;
use manylane_simulate::{Clock, Error, Job, Machine, Run};
use std::process::Command;
use std::thread;
use std::time::Duration;

const SHA256: &str = include_str!("programs/sha256.c");
const BANK: &str = include_str!("programs/bank.c");
const BYTES: &str = include_str!("programs/bytes.c");

/// A program of one file that includes `board.h`.
fn program(text: &str) -> Job {
    Job::of("program.c", &format!("#include \"board.h\"\n{text}"))
}

/// The figures of docs/simulators.md for SHA-256 by hand: cycles a block on one core and on two,
/// and cycles of a flag there and back.
fn documented(machine: Machine) -> [f64; 3] {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/simulators.md");
    let text = std::fs::read_to_string(file).unwrap();
    let table = text.split("## Measured here").nth(1).unwrap();
    let row = table.lines().find(|line| line.starts_with(&format!("| `{machine}`"))).unwrap();
    let cell = |n| row.split('|').nth(n).unwrap().trim().replace(',', "").parse().unwrap();
    [cell(2), cell(3), cell(5)]
}

/// The schedule on core 1, the rounds on core 0: the digests are those of the definition, and the
/// cycles about those that were measured elsewhere of such a program (Ibex 3,345 and 2,068 a block,
/// M0+ 8,525 and 5,482; flags 18 and 17.5 cycles there and back).
#[test]
fn sha256_by_hand_on_one_core_and_two() {
    let mut expected = [0; 32];
    digest(&Sha256::SHA256, b"abc", &mut expected);
    let expected: String = expected.iter().map(|byte| format!("{byte:02x}")).collect();
    for machine in here(&Machine::ALL) {
        let program = machine.build(&strict(Job::of("sha256.c", SHA256))).unwrap();
        assert_eq!(program.warnings, "", "{machine}: of the board's files");
        let outcome = program.run(&Run::default()).unwrap();
        assert_eq!(outcome.lines("abc").next(), Some(expected.as_str()), "{machine}");
        let number = |name| outcome.number(name).unwrap();
        let (one, two) = (number("one_core"), number("two_cores"));
        let round_trip = number("round_trips_63") as f64 / 63.0;
        let (most_one, most_two) = match machine {
            Machine::IbexDuo => (3_400, 2_200),
            Machine::Rp2040 => (8_600, 5_500),
            _ => continue,
        };
        eprintln!("{machine}: {one} and {two} cycles a block, a flag there and back {round_trip}");
        // Another compiler may be a little better or worse than the one of the table.
        for (said, found) in
            documented(machine).into_iter().zip([one as f64, two as f64, round_trip])
        {
            assert!((said / found - 1.0).abs() < 0.05, "docs/simulators.md: {said} is {found}");
        }
        assert!(one < most_one && one > most_one / 2, "{machine}: {one}");
        assert!(two < most_two && two > most_two / 2, "{machine}: {two}");
        assert!((two as f64) < 0.7 * one as f64, "{machine}: {two} of {one}");
        assert!((8.0..20.0).contains(&round_trip), "{machine}: {round_trip}");
    }
}

#[test]
fn bytes_stay_apart() {
    for machine in here(&Machine::ALL) {
        let outcome = machine.run(&strict(Job::of("bytes.c", BYTES))).unwrap();
        assert_eq!(outcome.number("wrong").unwrap(), 0, "{machine}");
    }
}

/// The board's files are no reason for a job's own flags to fail, nor do flags change what they
/// cost.
#[test]
fn flags_are_for_the_program() {
    let text = "int main(void) { uint32_t from = board_cycles();
        board_report(\"clock\", board_cycles() - from); return 0; }";
    for machine in here(&Machine::ALL) {
        // Files of the board are not clean under these, and this program is.
        let job =
            program(text).flag("-Werror").flag("-Wunused-macros").flag("-Wtraditional-conversion");
        let plain = machine.run(&program(text)).unwrap();
        let flagged = machine.build(&job).unwrap_or_else(|error| panic!("{error}"));
        let slow = machine.run(&program(text).flag("-O0")).unwrap();
        flagged.run(&Run::default()).unwrap();
        if COUNTING.contains(&machine) {
            let of = |outcome: &manylane_simulate::Outcome| outcome.number("clock").unwrap();
            assert!(of(&slow) <= of(&plain) + 4, "{machine}: {slow:?}");
        }
    }
}

/// Every compiler of the host takes the board's files without a warning.
#[test]
fn compilers_of_the_host_agree() {
    for machine in here(&[Machine::Host]) {
        let is_here = |name: &&str| Command::new(name).arg("--version").output().is_ok();
        let compilers: Vec<&str> = ["gcc", "clang"].into_iter().filter(is_here).collect();
        assert!(!compilers.is_empty());
        for compiler in compilers {
            let job = strict(Job::of("sha256.c", SHA256)).compiler(compiler);
            let program = machine.build(&job).unwrap();
            assert_eq!(program.warnings, "", "{compiler}");
            program.run(&Run::default()).unwrap_or_else(|error| panic!("{compiler}: {error}"));
            let version = machine.compiler(&job).unwrap();
            assert!(
                version.contains('.') && version.to_lowercase().contains(compiler),
                "{version}"
            );
        }
    }
}

/// Runs of one program at the same time do not mix.
#[test]
fn runs_are_apart() {
    let text =
        "int main(void) { for (uint32_t n = 0; n < 200; n++) board_report(\"n\", n); return 0; }";
    for machine in here(&Machine::ALL) {
        let program = machine.build(&program(text)).unwrap();
        let once = || program.run(&Run::default()).unwrap();
        let first = once();
        assert_eq!(first.lines("n").count(), 200, "{machine}");
        thread::scope(|scope| {
            for other in [(); 3].map(|()| scope.spawn(once)) {
                assert_eq!(other.join().unwrap(), first, "{machine}");
            }
        });
    }
}

#[test]
fn what_counts_is_said() {
    let counts = |machine: Machine, text: &str| machine.run(&program(text)).unwrap();
    let text = "int main(void) { uint32_t a = board_cycles(); volatile int i = 0;
                while (i < 1000) i++; board_report(\"t\", board_cycles() - a); return 0; }";
    for machine in here(&Machine::ALL) {
        let outcome = counts(machine, text);
        let cycles = outcome.number("t").unwrap();
        match machine.clock() {
            Clock::Cycles => {
                assert!(cycles > 4_000 && outcome.cycles[0] > cycles, "{machine}: {outcome:?}");
                assert!(outcome.instructions[0] > 4_000, "{machine}: {outcome:?}");
                assert_eq!(outcome, counts(machine, text), "{machine}: the same in every run");
            }
            Clock::Ticks => assert!(cycles > 100, "{machine}"),
            Clock::None => assert!(outcome.cycles.is_empty(), "{machine}: {outcome:?}"),
        }
    }
}

/// A bank serves one access in a clock, and cores that want the same one take turns.
#[test]
fn ibex_cores_wait_for_a_bank_that_both_want() {
    for machine in here(&[Machine::IbexDuo]) {
        let of = |stride: u32| {
            let job = strict(Job::of("bank.c", BANK)).flag(&format!("-DSTRIDE={stride}U"));
            machine.run(&job).unwrap()
        };
        let (apart, together) = (of(1), of(4));
        let time = |outcome: &manylane_simulate::Outcome| {
            [outcome.number("core_0").unwrap(), outcome.number("core_1").unwrap()]
        };
        let stalls: u64 = together.stalls.iter().sum();
        // Each of 4,000 loads of a core meets one of the other in some clock.
        assert!(stalls > 1_000, "{together:?}");
        assert!(together.stalls.iter().all(|core| core.abs_diff(stalls / 2) < 100), "{together:?}");
        assert!(apart.stalls.iter().sum::<u64>() < 100, "{apart:?}");
        assert!(time(&together)[0] > time(&apart)[0] && time(&together)[1] > time(&apart)[1]);
    }
}

#[test]
fn programs_that_fail_say_how() {
    for machine in here(&Machine::ALL) {
        let error =
            machine.run(&program("int main(void) { board_print(\"so far\\n\"); return 3; }"));
        match error.unwrap_err() {
            Error::Exit { status, text, .. } => {
                assert_eq!((status.as_str(), text.as_str()), ("3", "so far\n"), "{machine}");
            }
            error => panic!("{machine}: {error}"),
        }
    }
}

#[test]
fn programs_without_end_are_stopped() {
    let text = "static void spin(void *a) { (void)a; for (;;) board_pause(); }
                int main(void) { board_start(spin, 0); board_print(\"begun\\n\"); board_join();
                return 0; }";
    for machine in here(&Machine::ALL) {
        let program = machine.build(&program(text)).unwrap();
        // Cycles end a run where they are counted, and seconds where they are not. A simulator may
        // need more than a second for its cycles on a busy machine.
        let patience = Duration::from_secs(if machine.clock() == Clock::Cycles { 600 } else { 1 });
        let run = Run { most_cycles: 50_000, patience, ..Run::default() };
        match (machine.clock(), program.run(&run).unwrap_err()) {
            (Clock::Cycles, Error::Hangs { cycles, text, .. }) => {
                assert!((50_000..50_100).contains(&cycles), "{machine}: {cycles}");
                assert_eq!(text, "begun\n");
            }
            // A program on the host may still hold what it has printed in a buffer.
            (Clock::Ticks | Clock::None, Error::TooLong { seconds: 1, .. }) => (),
            (_, error) => panic!("{machine}: {error}"),
        }
    }
}

/// What a processor cannot do is an error that names the core, not a wrong result.
#[test]
fn faults_name_the_core() {
    let nowhere = "int main(void) { return (int)*(volatile uint32_t *)0xc0000000U; }";
    let unaligned = "static uint32_t words[2];
        int main(void) { volatile uintptr_t at = (uintptr_t)words + 1U;
        return (int)*(volatile uint32_t *)at; }";
    let on_core_1 = "static void bad(void *a) { (void)a; *(volatile uint32_t *)0x60000000U = 1; }
        int main(void) { board_start(bad, 0); board_join(); return 0; }";
    for machine in here(&[Machine::IbexDuo, Machine::Rp2040, Machine::Mps2An521]) {
        for (text, core) in [(nowhere, "core 0"), (unaligned, "core 0"), (on_core_1, "core 1")] {
            // Ibex and the Cortex-M33 load from any address; QEMU has something at 0x60000000.
            let allowed = match machine {
                Machine::Rp2040 => false,
                Machine::IbexDuo => text == unaligned,
                _ => text != nowhere,
            };
            if allowed {
                continue;
            }
            match machine.run(&program(text)) {
                Err(Error::Fault { what, .. }) if machine == Machine::Mps2An521 => {
                    assert!(what.starts_with("exception"), "{what}");
                }
                Err(Error::Fault { what, .. }) => assert!(what.contains(core), "{what}"),
                other => panic!("{machine}: {other:?} of {text}"),
            }
        }
    }
}

#[test]
fn compilers_are_quoted() {
    for machine in here(&Machine::ALL) {
        let job = Job::of("src/broken.c", "int main(void) { return undeclared; }\n");
        match machine.build(&job).unwrap_err() {
            Error::Compile { what, words, .. } => {
                assert!(what.contains("src/broken.c"), "{what}");
                assert!(
                    words.contains("src/broken.c:1:") && words.contains("undeclared"),
                    "{words}"
                );
                assert!(!words.contains("/tmp"), "the folder is of no use to anyone: {words}");
            }
            error => panic!("{machine}: {error}"),
        }
        let job = Job::of("a.c", "void nowhere(void); int main(void) { nowhere(); return 0; }\n");
        let error = machine.build(&job).unwrap_err().to_string();
        assert!(error.contains("does not link") && error.contains("nowhere"), "{error}");
        let job = program("int main(void) { return 0; }").compiler("no-such-compiler");
        let error = machine.build(&job).unwrap_err().to_string();
        assert!(error.contains("no-such-compiler") && error.contains("make setup-simulators"));
    }
}

#[test]
fn names_of_files_stay_in_the_folder() {
    for name in ["", "../a.c", "/a.c", "a/../../b.c", "-o.c"] {
        let error = Machine::Host.build(&Job::of(name, "")).unwrap_err();
        assert!(matches!(error, Error::Name { .. }), "{error}");
    }
    let error = Machine::Host.build(&Job::of("a.c", "").file("a.c", "")).unwrap_err();
    assert!(error.to_string().contains("another file has it"), "{error}");
    let error = Machine::named("pdp11").unwrap_err().to_string();
    assert!(error.contains("pdp11") && error.contains("ibex-duo, rp2040"), "{error}");
}

/// What comes with a program: bytes by section and file, frames by function, stacks as they were
/// used.
#[test]
fn sizes_and_stacks_are_told() {
    let text = "static const uint32_t table[64] = {1, 2, 3};
        uint32_t counter = 5; uint32_t zero[10];
        __attribute__((noinline)) uint32_t deep(uint32_t n)
        { volatile uint32_t a[256]; a[n] = n; a[255] = 1; a[0] = 1; return a[n] + table[n]; }
        int main(void) { zero[1] = deep(counter); return 0; }";
    for machine in here(&Machine::ALL) {
        let job = program(text).file("inner/empty.c", "int unused_value;\n");
        let program = machine.build(&job).unwrap();
        let [size, empty] = &program.sizes[..] else { panic!("{:?}", program.sizes) };
        assert_eq!((size.file.as_str(), empty.file.as_str()), ("program.c", "inner/empty.c"));
        assert_eq!((size.constants, size.data, size.zero), (256, 4, 40), "{machine}: {size:?}");
        assert!((20..400).contains(&size.code) && empty.code == 0, "{machine}: {size:?}");
        assert!(program.total.code > size.code && program.total.constants >= 256);
        let deep = program.stack.iter().find(|frame| frame.function == "deep").unwrap();
        assert!((900..1200).contains(&deep.bytes) && deep.bounded, "{machine}: {deep:?}");
        let outcome = program.run(&Run::default()).unwrap();
        if COUNTING.contains(&machine) {
            assert!((1024..1400).contains(&outcome.stack[0]), "{machine}: {outcome:?}");
        }
    }
}

/// A stack that grows into the other core's is told, whatever the program made of it.
#[test]
fn stacks_that_are_full_are_faults() {
    let text = "__attribute__((noinline)) static uint32_t deep(uint32_t n) \
                { volatile uint32_t a[64];
        for (uint32_t i = 0; i < 64; i++) a[i] = i;
        return n == 0 ? a[5] : deep(n - 1) + a[n % 64]; }
        static void on_core_1(void *n) { *(uint32_t *)n = deep(*(uint32_t *)n); }
        static uint32_t n;
        int main(void) { n = 0; board_start(on_core_1, &n); board_join();
        n = DEPTH; board_start(on_core_1, &n); board_join(); return 0; }";
    for machine in here(&COUNTING) {
        let with = |depth: u32| machine.run(&program(text).flag(&format!("-DDEPTH={depth}U")));
        with(20).unwrap();
        match with(100).unwrap_err() {
            Error::Fault { what, .. } => assert!(what.starts_with("core 1: "), "{machine}: {what}"),
            error => panic!("{machine}: {error}"),
        }
    }
}

/// 64-bit arithmetic and `string.h` come from libraries for the same processor.
#[test]
fn libraries_are_there() {
    let text = "#include <string.h>
        static uint64_t a[3], b[3];
        int main(void) { volatile unsigned n = 13; a[0] = 0x0123456789abcdefU; a[1] = a[0] << n;
        a[2] = a[0] / (n + 1U); memcpy(b, a, sizeof a); memset(a, 0, sizeof a);
        return b[1] == 0x68acf13579bde000U && b[2] == 0x14ce19ae67b347U && a[1] == 0
        ? memcmp(a, b, sizeof a) == 0 : 1; }";
    for machine in here(&Machine::ALL) {
        machine.run(&program(text)).unwrap_or_else(|error| panic!("{error}"));
    }
}
