//! `manylane plan --program`: the planned program as text, which reads back and holds its rules.

mod common;

use common::{MANYLANE, Sandbox};
use manylane_graph::Module;
use manylane_graph::trace::{compression, literal_compression};
use manylane_plan::hardware::program::HardwareProgram;
use manylane_plan::program::Program;
use manylane_plan::threads::program::{Action, Results, ThreadsProgram};
use manylane_plan::{hardware, program, threads};

fn printed(args: &[&str]) -> String {
    let all = [&["plan"], args, &["--program"]].concat();
    String::from_utf8(Sandbox::new().run(MANYLANE, all).good()).unwrap()
}

#[test]
fn programs_of_two_cores_read_back() {
    for (name, platform) in [("sha256", "ibex-duo"), ("md5", "unit")] {
        let text = printed(&[name, "--on", platform]);
        let program: Program = text.parse().unwrap();
        let function = literal_compression(name.parse().unwrap());
        program::verify::check_function(&program, &function).unwrap();
        assert_eq!((program.processors, program.to_string()), (2, text));
    }
}

#[test]
fn programs_of_hardware_read_back() {
    let text = printed(&["sha1", "--hardware", "--merge", "2", "--stages", "4"]);
    let program: HardwareProgram = text.parse().unwrap();
    hardware::program::verify::verify(&program).unwrap();
    let function = compression("sha1".parse().unwrap());
    hardware::program::verify::check_function(&program, &function).unwrap();
    assert_eq!((program.options.merge, program.stages()), (2, 4));
}

#[test]
fn programs_of_threads_read_back() {
    let pieces = |results, pieces| (results, pieces);
    for (args, of, working) in [
        (&["rc5", "--threads", "3", "--blocks", "100"][..], pieces(Results::Apart, 100), 3),
        (
            &["rc5", "--threads", "3", "--blocks", "100", "--mode", "cbc-encryption"],
            pieces(Results::Chain, 100),
            1,
        ),
        (
            &["sha256", "--threads", "4", "--messages", "10", "--length", "100"],
            pieces(Results::Apart, 10),
            4,
        ),
        (&["eta-t", "--threads", "4", "--on", "core2-45nm"], pieces(Results::Joined, 611), 4),
    ] {
        let program: ThreadsProgram = printed(args).parse().unwrap();
        threads::program::verify::verify(&program).unwrap();
        assert_eq!((program.work.results, program.work.pieces), of, "{args:?}");
        let computes = |part: &&Vec<Action>| part.iter().any(|a| matches!(a, Action::Compute(_)));
        assert_eq!(program.parts.iter().filter(computes).count(), working, "{args:?}\n{program}");
    }
    // The fingerprint says of what.
    let text = printed(&["sha256", "--threads", "2", "--messages", "10"]);
    let [sha256, md5] =
        ["sha256", "md5"].map(|name| Module::of(literal_compression(name.parse().unwrap())));
    let program = text.parse().unwrap();
    threads::program::verify::check_function(&program, &sha256).unwrap();
    threads::program::verify::check_function(&program, &md5).unwrap_err();
}

/// What has no program is refused with status 1 and nothing on standard output.
#[test]
fn what_has_no_program_is_refused() {
    for (args, words) in [
        (&["sha256", "--threads", "2,4"][..], "give --threads one number"),
        (&["rc5", "--on", "unit"], "is a block cipher"),
        (&["hmac-md5", "--on", "unit"], "as its blocks are those of md5: name md5"),
        (&["sha256", "--on", "unit", "--length", "3"], "leave out --messages, --length"),
        (&["sha256", "--on", "unit", "--messages", "3"], "leave out --messages, --length"),
        (&["sha256", "--on", "unit", "--json"], "cannot be used with"),
        (&["sha256", "--on", "nowhere"], "no platform `nowhere`"),
    ] {
        let all = [&["plan"], args, &["--program"]].concat();
        let ran = Sandbox::new().run(MANYLANE, all);
        assert!(ran.stderr.contains(words), "{args:?}: {}", ran.stderr);
        assert_eq!((ran.status, ran.stdout.len()), (Some(1), 0), "{args:?}");
    }
}
