//! The measured costs are those of the processors' manuals.

mod common;

use common::{COUNTING, here, strict};
use manylane_simulate::{Costs, Error, Job, Machine, calibrate, time_statements};

/// Cycles of an operation on words of `bits` bits.
fn cycles(costs: &Costs, name: &str, bits: u8) -> f64 {
    let found = costs.operations.iter().find(|o| o.name == name && o.bits == bits);
    found.unwrap_or_else(|| panic!("{name}.{bits} is not measured")).cycles
}

#[test]
fn costs_are_those_of_the_manuals() {
    for machine in here(&COUNTING) {
        let costs = calibrate(machine, &strict(Job::default()).flags).unwrap();
        assert_eq!(costs.flags[..2], ["-O2", "-std=c99"]);
        // Both cores do logic in a single cycle. On Ibex, rotations take two cycles of the shifter,
        // and a load takes one, or two where the next instruction needs its value. On the
        // Cortex-M0+, a rotation needs its amount in a register, and every access of memory takes
        // two cycles.
        for name in ["add", "sub", "and", "or", "xor", "not", "shl", "shr"] {
            assert_eq!(cycles(&costs, name, 32), 1.0, "{name} on {machine}");
        }
        match machine {
            Machine::IbexDuo => {
                assert_eq!(cycles(&costs, "rotr", 32), 2.0);
                assert_eq!(cycles(&costs, "xnor", 32), 1.0, "Zbb has it");
                assert_eq!((costs.load, costs.load_used, costs.store), (1.0, 2.0, 1.0));
                assert_eq!(costs.copy, 0.0, "instructions have three operands");
            }
            Machine::Rp2040 => {
                assert!((2.0..3.0).contains(&cycles(&costs, "rotr", 32)));
                assert_eq!(cycles(&costs, "xnor", 32), 2.0);
                assert_eq!((costs.load, costs.load_used, costs.store), (2.0, 2.0, 2.0));
                assert_eq!(costs.copy, 1.0, "logic replaces its first operand");
            }
            _ => unreachable!("those that count cycles"),
        }
        for operation in costs.operations.iter().filter(|operation| operation.bits == 64) {
            let narrow = cycles(&costs, &operation.name, 32);
            assert!(operation.cycles >= 1.5 * narrow, "{operation:?} of {narrow} on {machine}");
        }
        // Halves change places under a mask, and narrow words mask the amount.
        for name in ["rotl_var", "rotr_var"] {
            let [word, wide] = [32, 64].map(|bits| cycles(&costs, name, bits));
            assert!(wide > 6.0 * word, "{name} on {machine}: {wide}");
            for bits in [8, 16] {
                assert!(cycles(&costs, name, bits) > word, "{name}.{bits} on {machine}");
            }
        }
        assert!(costs.by().contains(&costs.compiler) && !costs.simulator.is_empty(), "{costs:?}");
        assert!(costs.simulator.chars().any(|c| c.is_ascii_digit()), "{}", costs.simulator);
        assert!((10.0..20.0).contains(&costs.round_trip), "{costs:?}");
        assert!(costs.send >= 2.0 && costs.receive >= 4.0, "{costs:?}");
        assert!(costs.flag_send < costs.send && costs.flag_receive < costs.receive, "{costs:?}");
        assert!(costs.load_big > 4.0 * costs.load && costs.turn >= 3.0, "{costs:?}");
        let text = costs.to_string();
        assert!(text.contains("\nadd = 1\n") && text.contains("gcc"), "{text}");
    }
}

/// The time of a call follows from what it does: twice the loop takes twice the time.
#[test]
fn statements_are_timed_alone() {
    let job = Job::of(
        "spin.c",
        "#include \"spin.h\"\nvoid spin(unsigned n) \
         { for (; n != 0; n--) __asm__ volatile(\"\"); }",
    )
    .file("spin.h", "void spin(unsigned n);\n");
    for machine in here(&COUNTING) {
        let cycles = time_statements(
            machine,
            &job,
            "#include \"spin.h\"",
            &["spin(100);", "spin(200);", ""],
        )
        .unwrap();
        let [short, long, none] = cycles[..] else { panic!("{cycles:?}") };
        assert_eq!(none, 0.0, "{machine}: what is around the statements cancels");
        assert!((long - 2.0 * short).abs() < 20.0 && short > 300.0, "{machine}: {cycles:?}");
    }
}

#[test]
fn what_counts_no_cycles_is_not_calibrated() {
    let job = Job::default();
    for error in [
        calibrate(Machine::Host, &[]).unwrap_err(),
        time_statements(Machine::Host, &job, "", &[]).unwrap_err(),
    ] {
        assert!(matches!(error, Error::Unable { machine: "host", .. }), "{error}");
    }
}
