//! `manylane synth` and `manylane explore`, as far as they go without tools.

mod common;

use common::{MANYLANE, Ran, Sandbox};

fn run(sandbox: &Sandbox, args: &[&str], environment: &[(&str, &str)]) -> Ran {
    let mut command = sandbox.command(MANYLANE);
    command.args(args).env("MANYLANE_SYNTH_CACHE", sandbox.path("cache"));
    command.envs(environment.iter().copied());
    let output = command.output().unwrap();
    Ran {
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
        status: output.status.code(),
    }
}

fn emitted(options: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    let args = [&["emit", "rtl", "md5", "-o", "core"], options].concat();
    assert_eq!(run(&sandbox, &args, &[]).status, Some(0));
    sandbox
}

#[track_caller]
fn refused(ran: &Ran, said: &str) {
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.stderr.contains(said), "{said}: {ran:?}");
}

#[test]
fn errors_name_the_thing_and_the_remedy() {
    let sandbox = emitted(&[]);
    sandbox.write("empty/x", "");
    refused(
        &run(&sandbox, &["synth", "empty"], &[]),
        "name a folder that `manylane emit rtl` wrote",
    );
    let missing = [("MANYLANE_YOSYS", "/nowhere/yosys")];
    let ran = run(&sandbox, &["synth", "core"], &missing);
    refused(&ran, "yosys is missing: /nowhere/yosys");
    refused(&ran, "apt-get install yosys");
    sandbox.write("core/core.json", "{");
    refused(&run(&sandbox, &["synth", "core"], &[]), "emit the core again");
    let vhdl = emitted(&["--lang", "vhdl"]);
    refused(&run(&vhdl, &["synth", "core"], &[]), "emit the core with --lang verilog");
}

#[test]
fn a_dry_run_lists_shapes_and_needs_no_tool() {
    let sandbox = Sandbox::new();
    let args =
        ["explore", "sha1", "-n", "--merge", "1,2", "--stages", "1", "--adders", "chain,csa"];
    let ran = run(&sandbox, &args, &[("MANYLANE_YOSYS", "/nowhere/yosys")]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let shapes: Vec<&str> = ran.text().lines().skip(1).collect();
    assert!(shapes.contains(&"  --merge 1 --stages 1 --adders chain --precompute kw"), "{ran:?}");
    assert!(ran.text().starts_with(&format!("{} shapes", shapes.len())), "{ran:?}");
    assert!(!sandbox.path("cache").exists());
}

#[test]
fn shapes_that_cannot_be_are_explained() {
    let sandbox = Sandbox::new();
    let ran = run(&sandbox, &["explore", "sha256", "-n", "--merge", "3"], &[]);
    refused(&ran, "64 steps cannot be merged 3");
}
