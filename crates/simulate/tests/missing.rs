//! The errors about missing tools, in a process with another environment.

use manylane_simulate::Machine;
use std::env;
use std::process::Command;

const CHILD: &str = "MANYLANE_TEST_OF_MISSING_TOOLS";

/// What this test prints as a child: each machine's check.
fn checks() {
    for machine in Machine::ALL {
        match machine.check() {
            Ok(()) => println!("{machine} ready"),
            Err(error) => println!("{error}"),
        }
    }
}

#[test]
fn what_is_missing_is_named_with_the_command_that_installs_it() {
    if env::var_os(CHILD).is_some() {
        return checks();
    }
    let empty = tempfile::tempdir().unwrap();
    let name = "what_is_missing_is_named_with_the_command_that_installs_it";
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(CHILD, "1")
        .env("PATH", empty.path())
        .env("XDG_DATA_HOME", empty.path())
        .env_remove("MANYLANE_TOOLS")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    for (machine, tool) in [
        ("ibex-duo", "riscv64-unknown-elf-gcc"),
        ("rp2040", "arm-none-eabi-gcc"),
        ("mps2-an521", "arm-none-eabi-gcc"),
        ("host", "cc"),
        ("s390x", "s390x-linux-gnu-gcc"),
    ] {
        let words = format!("{machine} needs {tool}, which is missing: `make setup-simulators`");
        assert!(said.contains(&words), "{machine}: {said}");
    }
}

/// The simulator is built for a cache whose path has a space, as folders of users have, but not in
/// such a temporary folder.
#[test]
#[ignore = "builds the simulator of Ibex"]
fn folders_with_spaces() {
    if env::var_os(CHILD).is_some() {
        println!("{:?}", Machine::IbexDuo.prepare().map_err(|error| error.to_string()));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let spaced = folder.path().join("a b");
    std::fs::create_dir(&spaced).unwrap();
    for (variable, words) in
        [("TMPDIR", "set TMPDIR to another"), ("MANYLANE_SIMULATE_CACHE", "Ok(())")]
    {
        let output = Command::new(env::current_exe().unwrap())
            .args(["--exact", "folders_with_spaces", "--include-ignored", "--nocapture"])
            .env(CHILD, "1")
            .env("MANYLANE_SIMULATE_CACHE", folder.path())
            .env(variable, &spaced)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.contains(words), "{variable}: {said}");
    }
}

/// The tools are there, the packages of PyPI and npm are not.
#[test]
fn packages_are_named_too() {
    if env::var_os(CHILD).is_some() {
        return checks();
    }
    let empty = tempfile::tempdir().unwrap();
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "packages_are_named_too", "--nocapture"])
        .env(CHILD, "1")
        .env("XDG_DATA_HOME", empty.path())
        .env("XDG_CACHE_HOME", empty.path())
        .env_remove("MANYLANE_IBEX")
        .env_remove("MANYLANE_RP2040JS")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    for (machine, package) in [("ibex-duo", "PyPI pythondata-cpu-ibex"), ("rp2040", "of npm")] {
        let line = said.lines().find(|line| line.contains(machine)).unwrap_or_default();
        let without_compiler = line.contains("gcc, which is missing");
        assert!(line.contains(package) || without_compiler, "{machine}: {said}");
        assert!(line.contains("`make setup-simulators` installs it"), "{line}");
    }
}
