//! FIFOs in the place of files that are read as a whole: nobody may ever write into one.
#![cfg(unix)]

mod common;

use common::{MANYLANE, Sandbox, has};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs the program, and ends it if it waits for a writer.
#[track_caller]
fn refused(sandbox: &Sandbox, args: &str) {
    let mut command = sandbox.command(MANYLANE);
    command.args(args.split_whitespace()).stderr(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.env("MANYLANE_YOSYS", "/nowhere/yosys").spawn().unwrap();
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > Duration::from_secs(300) {
            child.kill().unwrap();
            panic!("{args}: waits");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{args}: {said}");
    for words in ["fifo.toml: is a FIFO", "name a regular file, or /dev/stdin for a pipe"] {
        assert!(said.contains(words), "{args}: {said}");
    }
}

#[test]
fn a_fifo_that_nobody_writes_is_refused() {
    let sandbox = Sandbox::new();
    let made = Command::new("mkfifo").arg(sandbox.path("fifo.toml")).status().unwrap();
    assert!(made.success());
    for args in [
        "plan md5 --on fifo.toml",
        "plan md5 --hardware --delay fifo.toml",
        "plan eta-t --threads 2 --on fifo.toml",
        "emit c md5 --cores 2 --on fifo.toml -o core",
    ] {
        refused(&sandbox, args);
    }
    sandbox.run(MANYLANE, ["emit", "rtl", "md5", "-o", "core"]).good();
    refused(&sandbox, "synth core --check fifo.toml");
}

/// Pipes that a shell opens, as standard input or for the output of a command, are read.
#[test]
fn pipes_of_the_shell_are_read() {
    let sandbox = Sandbox::new();
    let unit = include_str!("../../plan/platforms/unit.toml");
    sandbox.write("unit.toml", unit);
    let due = sandbox.run(MANYLANE, ["plan", "md5", "--on", "unit"]).good();
    let args = ["plan", "md5", "--on", "/dev/stdin"];
    assert_eq!(sandbox.run_with_input(MANYLANE, args, unit.as_bytes()).good(), due);
    if has("bash", "pipes_of_the_shell_are_read") {
        let script = "\"$0\" plan md5 --on <(cat unit.toml)";
        assert_eq!(sandbox.run("bash", ["-c", script, MANYLANE]).good(), due);
    }
}

/// A program that was started with ^C ignored, as shells start those in the background, goes on.
#[test]
#[cfg(target_os = "linux")]
fn a_signal_that_was_ignored_stays_ignored() {
    use std::io::Write;
    let sandbox = Sandbox::new();
    let pipe = sandbox.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut command = sandbox.command("sh");
    command.args(["-c", "trap '' INT TERM; exec \"$0\" sum --checkpoint RUN pipe", MANYLANE]);
    let child = command.stdout(Stdio::piped()).spawn().unwrap();
    // This waits until the program reads, after it has said which signals it catches.
    let mut writer = std::fs::File::options().write(true).open(&pipe).unwrap();
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    std::thread::sleep(Duration::from_millis(300));
    writer.write_all(b"abc").unwrap();
    drop(writer);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stdout.starts_with(b"ba7816bf"), "{output:?}");
}
