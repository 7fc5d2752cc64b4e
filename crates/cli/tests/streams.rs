//! Standard streams that are closed, full, or where the program looks for files.
#![cfg(unix)]

mod common;

use common::{MANYLANE, Ran, Sandbox, has};
use std::fs::{self, File};
use std::io::Write;
use std::process::{Command, Stdio};

/// SHA-256 of "abc".
const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const BAD: &str = "Bad file descriptor\n";

/// The program under a shell that redirects its streams.
fn sh(sandbox: &Sandbox, args: &str) -> Ran {
    sandbox.run("sh", ["-c", &format!("\"$0\" {args}"), MANYLANE])
}

#[test]
fn a_closed_input_is_an_error_for_those_who_read_it() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "abc");
    let line = format!("{ABC}  a\n");
    sandbox.write("list", &line);
    for (args, title) in [
        ("sum <&-", "-"),
        ("sum - <&-", "-"),
        ("sum --sequential <&-", "-"),
        ("sum -c <&-", "'standard input'"),
        ("sum -c - <&-", "'standard input'"),
        ("sum /dev/stdin <&-", "/dev/stdin"),
        ("sum -a hmac-md5 --key-file /dev/stdin a <&-", "/dev/stdin"),
        // Standard input is open for writing only.
        ("sum 0> out", "-"),
    ] {
        let ran = sh(&sandbox, args);
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{args}: {ran:?}");
        assert_eq!(ran.stderr, format!("manylane: {title}: {BAD}"), "{args}");
    }
    let ran = sh(&sandbox, "pair - <&-");
    assert!(ran.status == Some(1) && ran.stderr.contains("standard input: Bad file"), "{ran:?}");
    assert_eq!(sh(&sandbox, "sum a <&-").good(), line.as_bytes());
    assert_eq!(sh(&sandbox, "sum -c list <&-").good(), b"a: OK\n");
    assert_eq!(sh(&sandbox, "list --json <&-").status, Some(0));
    let ran = sh(&sandbox, "sum a - a <&-");
    assert_eq!((ran.text(), ran.status), (&*format!("{line}{line}"), Some(1)));
    // What Python's subprocess calls DEVNULL: empty, but there.
    for redirection in ["< /dev/null", "0<> /dev/null"] {
        let ran = sh(&sandbox, &format!("sum {redirection}"));
        assert!(ran.good().starts_with(b"e3b0c442"), "{redirection}");
    }
}

#[test]
fn an_output_that_is_closed_or_full_is_an_error_for_those_who_write_it() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "abc");
    sandbox.write("list", format!("{ABC}  a\n"));
    let commands = [
        "sum a",
        "sum -c list",
        "list",
        "list --json",
        "explain sha256",
        "platforms",
        "completions bash",
        "man",
        "--help",
        "help sum",
        "sum --help",
        "--version",
    ];
    let full = fs::metadata("/dev/full").is_ok().then_some("> /dev/full");
    for command in commands {
        for redirection in [Some(">&-"), Some("1< list"), full].into_iter().flatten() {
            let ran = sh(&sandbox, &format!("{command} {redirection}"));
            let why = if redirection.contains("full") { "No space left on device\n" } else { BAD };
            let expected = format!("manylane: write error: {why}");
            assert_eq!(
                (&*ran.stderr, ran.status),
                (&*expected, Some(1)),
                "{command} {redirection}"
            );
        }
        assert_eq!(sh(&sandbox, &format!("{command} > /dev/null")).status, Some(0), "{command}");
        // As Python's subprocess.DEVNULL: open for reading and writing.
        assert_eq!(sh(&sandbox, &format!("{command} 1<> /dev/null")).status, Some(0), "{command}");
        // The reader is gone: as if SIGPIPE had ended the program.
        let mut child = Command::new(MANYLANE);
        child.current_dir(sandbox.path(".")).args(command.split(' ')).stdout(Stdio::piped());
        let mut child = child.stderr(Stdio::piped()).env("MANYLANE_TUNING", "off").spawn().unwrap();
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        let message = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(matches!((&*message, ended.status.code()), ("", Some(141 | 0))), "{command}");
    }
    // Nothing is printed, so nothing is missed.
    assert_eq!(sh(&sandbox, "sum -c --status list >&-").status, Some(0));
    assert_eq!(sh(&sandbox, "sum -c --quiet list >&-").status, Some(0));
    assert_eq!(sh(&sandbox, "man pages >&-").status, Some(0));
}

/// A file that is opened must not get the number of standard error, and be written messages.
#[test]
fn without_standard_error_messages_go_nowhere() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "abc");
    sandbox.write("list", format!("{ABC}  a\nnonsense\n"));
    for args in [
        "sum a missing 2>&-",
        "sum -c --warn list missing 2>&-",
        "sum a missing 0<&- 1>&- 2>&-",
        "sum -r . missing 0<&- 1>&- 2>&-",
        "sum --key-file missing a 0<&- 1>&- 2>&-",
    ] {
        let ran = sh(&sandbox, args);
        assert_eq!((&*ran.stderr, ran.status), ("", Some(1)), "{args}");
        assert_eq!(fs::read(sandbox.path("a")).unwrap(), b"abc", "{args}");
    }
    assert_eq!(sh(&sandbox, "sum a 2>&-").good(), format!("{ABC}  a\n").as_bytes());
}

#[test]
fn a_walk_skips_the_file_that_its_output_goes_to() {
    let sandbox = Sandbox::new();
    sandbox.write("d/a", "abc");
    sandbox.write("d/z", "abc");
    std::os::unix::fs::symlink("SUMS", sandbox.path("d/link")).unwrap();
    let expected = format!("{ABC}  d/a\n{ABC}  d/z\n");
    for (args, skipped) in [
        ("sum -r d > d/SUMS", "d/SUMS d/link"),
        ("sum -r d >> d/SUMS 2> d/errors; cat d/errors >&2", "d/SUMS d/errors d/link"),
        ("sum -r d/a d/SUMS d/z > d/SUMS", "d/SUMS"),
    ] {
        let ran = sh(&sandbox, args);
        let words = skipped
            .split(' ')
            .map(|name| format!("manylane: {name}: skipped, since the output goes there\n"));
        assert_eq!((&*ran.stderr, ran.status), (&*words.collect::<String>(), Some(0)), "{args}");
        assert_eq!(fs::read_to_string(sandbox.path("d/SUMS")).unwrap(), expected, "{args}");
        assert_eq!(sandbox.sum(["-c", "--quiet", "d/SUMS"]).good(), b"");
        fs::write(sandbox.path("d/SUMS"), "").unwrap();
        let _ = fs::remove_file(sandbox.path("d/errors"));
    }
    // A pipe and a terminal are no files, and neither is what others write.
    fs::write(sandbox.path("d/SUMS"), &expected).unwrap();
    let ran = sandbox.sum(["-r", "d"]);
    assert_eq!(ran.good().iter().filter(|&&byte| byte == b'\n').count(), 4);
}

/// Named files are hashed as coreutils does, but not without a word.
#[test]
fn a_named_file_that_the_output_goes_to_is_hashed_with_a_warning() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "abc");
    let ran = sh(&sandbox, "sum SUMS a > SUMS");
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let sums = fs::read_to_string(sandbox.path("SUMS")).unwrap();
    assert_eq!((sums, ran.status), (format!("{empty}  SUMS\n{ABC}  a\n"), Some(0)));
    assert!(ran.stderr.starts_with("manylane: SUMS: the output goes there"), "{ran:?}");
    assert_eq!(ran.stderr.lines().count(), 1);
}

#[test]
fn standard_input_may_be_a_directory_or_a_file_from_its_middle() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "12345abc");
    let ran = sh(&sandbox, "sum < .");
    assert_eq!((&*ran.stderr, ran.status), ("manylane: -: Is a directory\n", Some(1)));
    let middle = "(dd bs=5 count=1 of=skipped 2> log; exec \"$0\" sum) < a";
    let ran = sandbox.run("sh", ["-c", middle, MANYLANE]);
    assert_eq!(ran.good(), format!("{ABC}  -\n").as_bytes());
}

/// What a terminal shows while a pipe keeps the program waiting.
#[test]
#[cfg(target_os = "linux")]
fn the_terminal_shows_files_and_bytes() {
    if !has("script", "the_terminal_shows_files_and_bytes") {
        return;
    }
    let sandbox = Sandbox::new();
    let big = File::create(sandbox.path("big")).unwrap();
    big.set_len(3 << 20).unwrap();
    let pipe = sandbox.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut script = sandbox.command("script");
    // Standard output is no terminal: the progress is shown all the same, on standard error.
    // A second thread goes on behind the pipe, also where there is one processor.
    let line = format!("{MANYLANE} sum -j 2 big pipe big > sums");
    script.args(["-qec", &line, "shown"]).stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = script.spawn().unwrap();
    let mut writer = File::options().write(true).open(&pipe).unwrap();
    // The line appears after a second.
    let mut shown = String::new();
    for _ in 0..100 {
        std::thread::sleep(std::time::Duration::from_millis(100));
        let bytes = fs::read(sandbox.path("shown")).unwrap_or_default();
        shown = String::from_utf8_lossy(&bytes).into_owned();
        if shown.contains("files, ") {
            break;
        }
        assert!(child.try_wait().unwrap().is_none(), "it waits for the pipe: {shown}");
        let _ = writer.write_all(&[0; 1000]);
    }
    drop(writer);
    assert!(child.wait().unwrap().success());
    // How much a pipe will give cannot be told, and so no share of the whole.
    assert!(shown.contains("2 of 3 files, 6.") && shown.contains("B/s"), "{shown}");
    assert!(!shown.contains('%'), "{shown}");
    assert!(!shown.contains("\x1b[3"), "no colour: {shown}");
    let sums = fs::read_to_string(sandbox.path("sums")).unwrap();
    assert_eq!(sums.lines().count(), 3, "{sums}");
}

/// No path leads from a closed standard input to an empty file.
#[test]
#[cfg(target_os = "linux")]
fn no_path_leads_to_a_closed_stream() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "abc");
    std::os::unix::fs::symlink("/dev/stdin", sandbox.path("link")).unwrap();
    for command in [
        "sum link <&-",
        "sum /dev/../dev/stdin <&-",
        "sum /proc/thread-self/fd/0 <&-",
        "sum /dev/stderr 2>&-",
        "sum -a hmac-sha256 --key-file link a <&-",
        "sum -c link <&-",
        "sum -c /dev/stdin <&-",
    ] {
        let ran = sh(&sandbox, command);
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{command}");
    }
    sandbox.write("empty", "");
    let ran = sh(&sandbox, "sum -a hmac-sha256 --key-file empty a");
    assert_eq!(ran.status, Some(0));
    assert!(ran.stderr.contains("WARNING: empty: the key is empty"), "{ran:?}");
}
