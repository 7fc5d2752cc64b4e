//! What can go wrong with files, disks and the program itself, and what is left then.
#![cfg(target_os = "linux")]

mod common;

use common::{MANYLANE, Ran, Rng, Sandbox, has, skip};
use std::fs::{self, File, Permissions};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Bytes of a file that takes long enough to be changed meanwhile.
const LONG: u64 = 96 << 20;

/// A sparse file of zeros.
fn long(sandbox: &Sandbox, name: &str) {
    File::create(sandbox.path(name)).unwrap().set_len(LONG).unwrap();
    settle();
}

/// Waits until times of modification are past the tick of the clock.
fn settle() {
    std::thread::sleep(Duration::from_millis(40));
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

/// The offset that a program has reached in a file.
fn position(child: &Child, file: &Path) -> Option<u64> {
    let process = format!("/proc/{}", child.id());
    for entry in fs::read_dir(format!("{process}/fd")).ok()?.flatten() {
        if fs::read_link(entry.path()).is_ok_and(|path| path == file) {
            let number = entry.file_name().into_string().unwrap();
            let about = fs::read_to_string(format!("{process}/fdinfo/{number}")).ok()?;
            return about.lines().find_map(|line| line.strip_prefix("pos:")?.trim().parse().ok());
        }
    }
    None
}

/// Starts a program and waits until it has read so many bytes of a file.
fn reading(sandbox: &Sandbox, args: &[&str], file: &str, bytes: u64) -> Child {
    let file = sandbox.path(file).canonicalize().unwrap();
    let mut command = sandbox.command(MANYLANE);
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let begin = Instant::now();
    while position(&child, &file).is_none_or(|position| position < bytes) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was met reading");
        assert!(begin.elapsed() < Duration::from_secs(600), "it reads nothing");
        std::thread::sleep(Duration::from_micros(200));
    }
    child
}

fn end(child: Child) -> (Ran, ExitStatus) {
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    (Ran { stdout: output.stdout, stderr, status: output.status.code() }, output.status)
}

/// What may happen to a file while it is read: its name, and how it is done.
type Change = (&'static str, fn(&Path));
const CHANGES: [Change; 5] = [
    ("grows", |path| {
        File::options().append(true).open(path).unwrap().write_all(b"more").unwrap();
    }),
    ("shrinks", |path| File::options().write(true).open(path).unwrap().set_len(5).unwrap()),
    ("is written", |path| {
        let mut file = File::options().write(true).open(path).unwrap();
        file.seek(SeekFrom::Start(LONG - 1)).unwrap();
        file.write_all(b"x").unwrap();
    }),
    ("is replaced", |path| {
        fs::write(path.with_extension("new"), "new").unwrap();
        fs::rename(path.with_extension("new"), path).unwrap();
    }),
    ("is deleted", |path| fs::remove_file(path).unwrap()),
];

#[test]
fn files_that_change_while_they_are_read_are_changed() {
    let sandbox = Sandbox::new();
    for (what, change) in CHANGES {
        for how in ["report", "retry", "verity"] {
            let _ = fs::remove_file(sandbox.path("f"));
            long(&sandbox, "f");
            let args = match how {
                "verity" => &["verity", "f"][..],
                _ => &["sum", "--on-change", how, "f"],
            };
            let child = reading(&sandbox, args, "f", 1);
            signal(&child, "-STOP");
            change(&sandbox.path("f"));
            signal(&child, "-CONT");
            let (ran, _) = end(child);
            let context = format!("{what}, {how}: {ran:?}");
            if how != "retry" {
                assert_eq!((ran.text(), ran.status), ("", Some(1)), "{context}");
                assert!(ran.stderr.contains("f: CHANGED while it was read"), "{context}");
            } else if what == "is deleted" {
                assert_eq!((ran.text(), ran.status), ("", Some(1)), "{context}");
                assert!(ran.stderr.contains("f: No such file"), "{context}");
            } else {
                assert_eq!(ran.clone().good(), sandbox.sum(["f"]).good(), "{context}");
            }
        }
    }
}

/// A file that changes keeps its line in a list, and nothing is remembered of it.
#[test]
fn changed_files_are_not_remembered() {
    let sandbox = Sandbox::new();
    sandbox.write("d/small", "small");
    long(&sandbox, "d/f");
    let args = ["sum", "--update", "LIST", "--cache", "CACHE", "-r", "d"];
    sandbox.run(MANYLANE, args).good();
    let list = fs::read(sandbox.path("LIST")).unwrap();
    let append = || File::options().append(true).open(sandbox.path("d/f")).unwrap().write_all(b"!");
    append().unwrap();
    settle();
    let child = reading(&sandbox, &args, "d/f", 1);
    signal(&child, "-STOP");
    append().unwrap();
    signal(&child, "-CONT");
    let (ran, _) = end(child);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("d/f: CHANGED while it was read"), "{ran:?}");
    assert_eq!(fs::read(sandbox.path("LIST")).unwrap(), list);
    settle();
    let again = sandbox.run(MANYLANE, args).good();
    assert!(again.starts_with(b"d/f: CHANGED\n"), "{again:?}");
    sandbox.sum(["-c", "--quiet", "LIST"]).good();
}

#[test]
fn what_cannot_be_read_is_said_and_the_rest_is_hashed() {
    let sandbox = Sandbox::new();
    sandbox.write("d/good", "good");
    sandbox.write("d/secret", "secret");
    sandbox.write("d/closed/file", "closed");
    symlink("nowhere", sandbox.path("d/dangling")).unwrap();
    symlink("circle", sandbox.path("d/circle")).unwrap();
    assert!(sandbox.command("mkfifo").arg("d/pipe").status().unwrap().success());
    // Reading `/proc/self/mem` fails at the first byte, like a bad sector.
    symlink("/proc/self/mem", sandbox.path("d/sector")).unwrap();
    fs::set_permissions(sandbox.path("d/secret"), Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(sandbox.path("d/closed"), Permissions::from_mode(0o000)).unwrap();
    // The superuser may read everything unless it gives that up.
    let powers = "-dac_override,-dac_read_search";
    let is_root = fs::metadata("/proc/self")
        .is_ok_and(|about| std::os::unix::fs::MetadataExt::uid(&about) == 0);
    let run = |args: &[&str]| {
        let args = [&["--bounding-set", powers, MANYLANE][..], args].concat();
        if is_root { sandbox.run("setpriv", args) } else { sandbox.run(MANYLANE, &args[3..]) }
    };
    if is_root && !has("setpriv", "what_cannot_be_read_is_said_and_the_rest_is_hashed") {
        return;
    }
    let messages = [
        "d/secret: Permission denied",
        "d/closed: Permission denied",
        "d/dangling: No such file",
        "d/circle: Too many levels of symbolic links",
        "d/sector: Input/output error",
        "skipped 1 FIFO",
    ];
    for args in [
        &["sum", "-r", "d"][..],
        &["sum", "--update", "LIST", "-r", "d"],
        &["audit", "--allow", "new,missing", "LIST", "d"],
        &["sum", "--cache", "CACHE", "--checkpoint", "RUN", "-r", "d"],
    ] {
        let ran = run(args);
        assert_eq!(ran.status, Some(1), "{args:?}: {ran:?}");
        assert!(ran.text().contains("d/good"), "{args:?}: {ran:?}");
        for message in messages {
            assert!(ran.stderr.contains(message), "{args:?}: {message}: {ran:?}");
        }
    }
    let listed = fs::read_to_string(sandbox.path("LIST")).unwrap();
    assert!(listed.ends_with("  d/good\n") && listed.lines().count() == 2, "{listed}");
    // What was in the list stays there while it cannot be read.
    fs::set_permissions(sandbox.path("d/closed"), Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(sandbox.path("d/secret"), Permissions::from_mode(0o600)).unwrap();
    run(&["sum", "--update", "LIST", "-r", "d"]);
    let complete = fs::read_to_string(sandbox.path("LIST")).unwrap();
    assert_eq!(complete.lines().count(), 6, "{complete}");
    fs::set_permissions(sandbox.path("d/closed"), Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(sandbox.path("d/secret"), Permissions::from_mode(0o000)).unwrap();
    run(&["sum", "--update", "LIST", "--rehash", "-r", "d"]);
    assert_eq!(fs::read_to_string(sandbox.path("LIST")).unwrap(), complete);
    let tree = run(&["sum", "--tree", "d"]);
    assert_eq!((tree.text(), tree.status), ("", Some(1)), "{tree:?}");
    fs::set_permissions(sandbox.path("d/closed"), Permissions::from_mode(0o700)).unwrap();
}

/// Lets reads of files whose names end with "bad" fail from the third MiB on.
const BAD_SECTOR: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

ssize_t read(int file, void *buffer, size_t bytes) {
    const off_t sector = 2 << 20;
    ssize_t (*next)(int, void *, size_t) = dlsym(RTLD_NEXT, "read");
    char link[64], path[512];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path);
    if (length > 3 && memcmp(path + length - 3, "bad", 3) == 0) {
        off_t at = lseek(file, 0, SEEK_CUR);
        if (at >= sector) {
            errno = EIO;
            return -1;
        }
        if (at + (off_t)bytes > sector) bytes = sector - at;
    }
    return next(file, buffer, bytes);
}
"#;

#[test]
fn a_bad_sector_is_an_error_of_its_file_alone() {
    if !has("cc", "a_bad_sector_is_an_error_of_its_file_alone") {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("sector.c", BAD_SECTOR);
    let compile = ["-shared", "-fPIC", "-o", "sector.so", "sector.c", "-ldl"];
    assert_eq!(sandbox.run("cc", compile).status, Some(0));
    for name in ["a", "bad", "c"] {
        sandbox.write(format!("d/{name}"), vec![7; 3 << 20]);
    }
    let list = sandbox.sum(["--update", "LIST", "-r", "d", "--quiet"]).good();
    assert!(list.is_empty());
    let before = fs::read(sandbox.path("LIST")).unwrap();
    let long = ["--checkpoint", "RUN", "--checkpoint-every", "1M"];
    for args in [
        &["sum", "-r", "d"][..],
        &["sum", "-r", "d", "--sequential", "-a", "sha256,md5"],
        &[&["sum", "-r", "d"][..], &long].concat(),
        &["sum", "--update", "LIST", "-r", "d", "--rehash", "--cache", "CACHE"],
        &["audit", "LIST", "d"],
        &["sum", "-c", "LIST"],
        &["dedupe", "d"],
        &["sum", "--tree", "d"],
    ] {
        let mut command = sandbox.command(MANYLANE);
        command.args(args).env("LD_PRELOAD", sandbox.path("sector.so"));
        let output = command.output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {message}");
        assert!(message.contains("d/bad: Input/output error"), "{args:?}: {message}");
        let text = String::from_utf8(output.stdout).unwrap();
        let others = !args.contains(&"--tree") && !args.contains(&"--update");
        assert_eq!(text.contains("d/a") && text.contains("d/c"), others, "{args:?}: {text}");
    }
    // The list keeps the digest that it has of the file, and the cache has none of what was read.
    assert_eq!(fs::read(sandbox.path("LIST")).unwrap(), before);
    sandbox.sum(["-c", "--quiet", "LIST"]).good();
    let cached = ["-r", "d", "--cache", "CACHE", "--summary"];
    assert!(sandbox.sum(cached).stderr.contains("1 file read, 3.00 MiB"));
}

/// Of several runs that update one list at once, one is the last; none leaves half of it.
#[test]
fn a_list_that_is_updated_twice_at_once_is_whole() {
    let sandbox = Sandbox::new();
    for i in 0..50 {
        sandbox.write(format!("d/{i}"), i.to_string());
    }
    for round in 0..3 {
        sandbox.write(format!("d/new-{round}"), round.to_string());
        let update = || sandbox.sum(["--update", "LIST", "-r", "d", "--quiet"]);
        let runs: Vec<Ran> = std::thread::scope(|scope| {
            let runs = [(); 4].map(|()| scope.spawn(update));
            runs.into_iter().map(|run| run.join().unwrap()).collect()
        });
        assert!(runs.iter().any(|ran| ran.status == Some(0)), "{runs:?}");
        for ran in runs.iter().filter(|ran| ran.status != Some(0)) {
            let expected = "has written it meanwhile; nothing was changed";
            let vanished = "LIST: No such file";
            let told = ran.stderr.contains(expected) || ran.stderr.contains(vanished);
            assert!(told && ran.status == Some(1), "{ran:?}");
        }
        let listed = sandbox.sum(["-c", "--strict", "LIST"]).good();
        assert_eq!(listed.iter().filter(|byte| **byte == b'\n').count(), 51 + round);
    }
}

/// A limit on the size of files stands for a full disk.
#[test]
fn a_list_that_finds_no_room_is_what_it_was() {
    let sandbox = Sandbox::new();
    for i in 0..40 {
        sandbox.write(format!("d/a rather long name, so that lists have many bytes {i}"), "");
    }
    let limited =
        |args: &str| sandbox.run("bash", ["-c", &format!("ulimit -f 2; exec '{MANYLANE}' {args}")]);
    for old in [None, Some("# old\n")] {
        if let Some(old) = old {
            sandbox.write("LIST", old);
        }
        let ran = limited("sum --update LIST -r d --quiet");
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{ran:?}");
        assert!(ran.stderr.contains("LIST: File too large"), "{ran:?}");
        assert_eq!(fs::read_to_string(sandbox.path("LIST")).ok().as_deref(), old);
        let left = fs::read_dir(sandbox.path("")).unwrap().count();
        assert_eq!(left, 1 + usize::from(old.is_some()));
    }
    // Digests do not depend on the cache, but its failure is told.
    let expected = sandbox.sum(["-r", "d"]).good();
    for option in ["--cache", "--checkpoint"] {
        let ran = limited(&format!("sum -r d {option} KEPT"));
        assert_eq!(ran.status, Some(1), "{ran:?}");
        assert!(ran.stderr.contains("KEPT: File too large: a file may have 2048"), "{ran:?}");
        assert!(ran.stdout.is_empty() || ran.stdout == expected, "{ran:?}");
        assert_eq!(sandbox.sum(["-r", "d", option, "KEPT"]).good(), expected);
        let _ = fs::remove_file(sandbox.path("KEPT"));
    }
}

/// A list that comes through a pipe is copied to a temporary file first.
#[test]
fn a_list_in_a_pipe_that_finds_no_room_is_an_error() {
    let sandbox = Sandbox::new();
    let list: String = (0..100).map(|i| format!("{}  f{i}\n", "0".repeat(64))).collect();
    sandbox.write("list", list);
    let line = format!("ulimit -f 2; '{MANYLANE}' audit - < list");
    let ran = sandbox.run("bash", ["-c", &line]);
    assert_eq!((ran.text(), ran.status), ("", Some(1)), "{ran:?}");
    assert!(ran.stderr.contains("File too large"), "{ran:?}");
}

/// Pages and graphs are whole, or what they were.
#[test]
fn pages_that_find_no_room_are_what_they_were() {
    let sandbox = Sandbox::new();
    for (line, file) in [
        ("explain md5 --html page", "page"),
        ("explain md5 --dot page", "page"),
        ("plan md5 --on rp2040 --html page", "page"),
        ("man .", "./manylane-sum.1"),
    ] {
        sandbox.write(file, "old");
        let limited = format!("trap '' XFSZ; ulimit -f 4; exec '{MANYLANE}' {line}");
        let ran = sandbox.run("bash", ["-c", &limited]);
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{line}: {ran:?}");
        assert!(ran.stderr.contains(&format!("{file}: File too large")), "{line}: {ran:?}");
        assert_eq!(fs::read_to_string(sandbox.path(file)).unwrap(), "old", "{line}");
        let hidden = fs::read_dir(sandbox.path("")).unwrap().flatten();
        let hidden = hidden.filter(|entry| entry.file_name().as_encoded_bytes()[0] == b'.');
        assert_eq!(hidden.count(), 0, "{line}");
    }
    // What is no regular file is written as it is.
    sandbox.run(MANYLANE, ["explain", "md5", "--html", "/dev/null"]).good();
}

/// The message about a file that changes at every try states the number of tries.
#[test]
fn a_file_that_never_rests_is_told() {
    let sandbox = Sandbox::new();
    long(&sandbox, "f");
    let mut child = reading(&sandbox, &["sum", "--on-change", "retry", "f"], "f", 1);
    while child.try_wait().unwrap().is_none() {
        let mut file = File::options().append(true).open(sandbox.path("f")).unwrap();
        file.write_all(b"more").unwrap();
        std::thread::sleep(Duration::from_millis(1));
    }
    let (ran, _) = end(child);
    assert_eq!((ran.text(), ran.status), ("", Some(1)), "{ran:?}");
    assert!(ran.stderr.contains("f: CHANGED while it was read, each of 6 times;"), "{ran:?}");
    assert!(!ran.stderr.contains("--on-change"), "{ran:?}");
}

/// The bytes that a run read, in MiB.
fn mebibytes(ran: &Ran) -> f64 {
    let text = ran.stderr.split(" read, ").nth(1).unwrap_or_else(|| panic!("{ran:?}"));
    let mut words = text.split(' ');
    let number: f64 = words.next().unwrap().parse().unwrap();
    match words.next() {
        Some("MiB") => number,
        Some("KiB") => number / 1024.0,
        Some("B") => number / 1024.0 / 1024.0,
        unit => panic!("{unit:?}: {ran:?}"),
    }
}

#[test]
fn an_interrupted_run_goes_on_in_the_middle_of_a_file() {
    let sandbox = Sandbox::new();
    for i in 0..3 {
        sandbox.write(format!("d/{i}"), i.to_string());
    }
    long(&sandbox, "d/f");
    let plain = ["sum", "-r", "d", "-a", "sha256,md5"];
    let expected = sandbox.run(MANYLANE, plain).good();
    let args =
        [&plain[..], &["--checkpoint", "RUN", "--checkpoint-every", "1M", "--summary"]].concat();
    for (name, number) in [("-KILL", 9), ("-INT", 2), ("-TERM", 15)] {
        let child = reading(&sandbox, &args, "d/f", 32 << 20);
        signal(&child, name);
        let (ran, status) = end(child);
        assert_eq!(status.signal(), Some(number), "{name}: {ran:?}");
        assert!(sandbox.path("RUN").exists(), "{name}");
        let ran = sandbox.run(MANYLANE, &args);
        assert_eq!((&ran.stdout, ran.status), (&expected, Some(0)), "{name}: {ran:?}");
        // Some MiB that were read were not hashed yet, or their hash was not written down.
        assert!(mebibytes(&ran) < (LONG >> 20) as f64 - 16.0, "{name}: {ran:?}");
        assert!(ran.stderr.contains("3 files known"), "{name}: {ran:?}");
        assert!(!sandbox.path("RUN").exists(), "{name}");
    }
    // A run does not continue from a checkpoint that was changed.
    let child = reading(&sandbox, &args, "d/f", 32 << 20);
    signal(&child, "-KILL");
    end(child);
    let database = rusqlite::Connection::open(sandbox.path("RUN")).unwrap();
    assert_eq!(database.execute("UPDATE half SET bytes = bytes + 64", []).unwrap(), 2);
    database.close().unwrap();
    let ran = sandbox.run(MANYLANE, &args);
    assert_eq!((&ran.stdout, ran.status), (&expected, Some(0)), "{ran:?}");
    assert!(ran.stderr.contains("no saved state"), "{ran:?}");
    assert!(mebibytes(&ran) >= (LONG >> 20) as f64, "{ran:?}");
    // A file that was replaced meanwhile is read from its beginning.
    let child = reading(&sandbox, &args, "d/f", 32 << 20);
    signal(&child, "-KILL");
    end(child);
    File::options().append(true).open(sandbox.path("d/f")).unwrap().write_all(b"x").unwrap();
    settle();
    // Another run must not go on with this checkpoint.
    for (other, word) in [
        (
            &["sum", "-r", "d", "--checkpoint", "RUN"][..],
            "computes sha256,md5 of d, not sha256 of d",
        ),
        (&["sum", "-a", "sha256,md5", "d/0", "--checkpoint", "RUN"], "not sha256,md5 of d/0"),
        (&["sum", "-r", "d", "--checkpoint", "d/f"], "d/f: is no checkpoint"),
        (&["sum", "d/0", "--checkpoint", "RUN", "--checkpoint-every", "5"], "at least 1M"),
        (&["sum", "d/0", "--checkpoint-every", "5M"], "--checkpoint"),
    ] {
        let ran = sandbox.run(MANYLANE, other);
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{other:?}: {ran:?}");
        assert!(ran.stderr.contains(word), "{other:?}: {ran:?}");
    }
    let mut elsewhere = sandbox.command(MANYLANE);
    elsewhere.args(["sum", "0", "-a", "sha256,md5", "--checkpoint", "../RUN"]);
    let output = elsewhere.current_dir(sandbox.path("d")).output().unwrap();
    assert!(String::from_utf8(output.stderr).unwrap().contains("go on from there"));
    let ran = sandbox.run(MANYLANE, &args);
    assert_eq!(ran.stdout, sandbox.run(MANYLANE, plain).good());
    assert!(mebibytes(&ran) >= (LONG >> 20) as f64, "{ran:?}");
}

/// One run at a time has a checkpoint.
#[test]
fn a_checkpoint_is_not_shared() {
    let sandbox = Sandbox::new();
    long(&sandbox, "f");
    let args = ["sum", "f", "--checkpoint", "RUN", "--checkpoint-every", "1M"];
    let child = reading(&sandbox, &args, "f", 1);
    signal(&child, "-STOP");
    let other = sandbox.run(MANYLANE, args);
    assert_eq!((other.text(), other.status), ("", Some(1)), "{other:?}");
    assert!(other.stderr.contains("RUN: another run is using this checkpoint"), "{other:?}");
    signal(&child, "-CONT");
    let (ran, _) = end(child);
    assert_eq!(ran.good(), sandbox.sum(["f"]).good());
}

/// Kills a run at a random moment within `most`, and returns what it had printed.
fn killed(sandbox: &Sandbox, rng: &mut Rng, most: Duration, args: &[&str]) -> Vec<u8> {
    let mut command = sandbox.command(MANYLANE);
    let output = File::create(sandbox.path("output")).unwrap();
    command.args(args).stdout(output).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(Duration::from_micros(rng.below(most.as_micros() as usize) as u64));
    child.kill().unwrap();
    child.wait().unwrap();
    fs::read(sandbox.path("output")).unwrap()
}

/// Runs that are killed leave lists, caches and checkpoints that are readable and right.
fn kill_at_random(name: &str, rounds: usize) {
    let mut rng = Rng::from_name(name);
    let sandbox = Sandbox::new();
    for i in 0..120 {
        sandbox.write(format!("d/{}/{i}", i % 7), rng.bytes([100, 5_000, 700_000][i % 3]));
    }
    let build = ["sum", "-r", "d", "--checkpoint", "RUN"];
    let update = ["sum", "--update", "LIST", "--cache", "CACHE", "-r", "d"];
    let audit = ["audit", "LIST", "d", "--cache", "CACHE", "-q"];
    let begin = Instant::now();
    sandbox.run(MANYLANE, build).good();
    let whole = begin.elapsed();
    let mut went_on = 0;
    for round in 0.. {
        if round >= rounds && went_on > 0 {
            return;
        }
        assert!(round < 2 * rounds + 60, "no run had something to go on with");
        for _ in 0..3 {
            let name = format!("d/{}/{}", rng.below(7), rng.below(120));
            if sandbox.path(&name).exists() || rng.below(3) == 0 {
                let length = rng.below(300_000);
                sandbox.write(name, rng.bytes(length));
            }
        }
        settle();
        let context = |what: &str, ran: &Ran| format!("round {round}: {what}: {ran:?}");
        let expected = sandbox.sum(["-r", "d"]).good();
        // Files of which the line was shown are not read again.
        let shown = killed(&sandbox, &mut rng, whole, &build);
        let lines = shown.iter().filter(|byte| **byte == b'\n').count();
        let ended = shown == expected && !sandbox.path("RUN").exists();
        let ran = sandbox.run(MANYLANE, [&build[..], &["--summary"]].concat());
        assert_eq!((&ran.stdout, ran.status), (&expected, Some(0)), "{}", context("build", &ran));
        let known = ran.stderr.split("; ").nth(1).and_then(|text| text.split(' ').next());
        let known = known.map_or(0, |count| count.parse().unwrap());
        assert!(ended || known >= lines, "{lines} shown: {}", context("build", &ran));
        went_on += usize::from(known > 0);
        // The list is either the old one or the new one.
        let before = fs::read(sandbox.path("LIST")).ok();
        killed(&sandbox, &mut rng, whole, &update);
        let after = fs::read(sandbox.path("LIST")).ok();
        let now = sandbox.run(MANYLANE, [&update[..], &["--quiet"]].concat());
        assert_eq!(now.status, Some(0), "{}", context("update", &now));
        assert!(after == before || after == fs::read(sandbox.path("LIST")).ok(), "round {round}");
        let checked = sandbox.sum(["-c", "--strict", "--quiet", "LIST"]);
        assert_eq!(checked.status, Some(0), "{}", context("check", &checked));
        let left = fs::read_dir(sandbox.path("")).unwrap().map(|entry| entry.unwrap().file_name());
        let left: Vec<_> =
            left.filter(|name| name.to_string_lossy().contains("unfinished")).collect();
        assert!(left.is_empty() || after == fs::read(sandbox.path("LIST")).ok(), "{left:?}");
        killed(&sandbox, &mut rng, whole, &audit);
        let ran = sandbox.run(MANYLANE, [&audit[..], &["--verify-cache", "1"]].concat());
        assert_eq!(ran.status, Some(0), "{}", context("audit", &ran));
    }
}

#[test]
fn killed_runs_leave_nothing_wrong() {
    kill_at_random("killed_runs_leave_nothing_wrong", 6);
}

/// `make test-faults`.
#[test]
#[ignore = "minutes"]
fn a_thousand_killed_runs_leave_nothing_wrong() {
    kill_at_random("a_thousand_killed_runs_leave_nothing_wrong", 334);
}

/// Output that cannot be written is an error for every command.
#[test]
fn output_that_finds_no_room_is_an_error() {
    if !Path::new("/dev/full").exists() {
        return skip("output_that_finds_no_room_is_an_error", "/dev/full is missing");
    }
    let sandbox = Sandbox::new();
    sandbox.write("d/a", "a");
    let ran = sandbox.run("sh", ["-c", &format!("'{MANYLANE}' audit LIST d > /dev/full")]);
    assert_eq!(ran.status, Some(1));
    sandbox.write("LIST", sandbox.sum(["-r", "d"]).good());
    for args in ["audit LIST d", "sum --update LIST -r d", "dedupe --json d", "sum --tree d"] {
        let ran = sandbox.run("sh", ["-c", &format!("'{MANYLANE}' {args} > /dev/full")]);
        assert_eq!(ran.status, Some(1), "{args}: {ran:?}");
        assert!(ran.stderr.contains("No space left on device"), "{args}: {ran:?}");
    }
}
