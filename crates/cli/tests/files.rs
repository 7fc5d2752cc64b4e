//! Files of all sizes and kinds, in the order of the arguments.
#![cfg(unix)]

mod common;

use common::{MANYLANE, Rng, Sandbox, has, skip};
use std::fs::{self, OpenOptions, Permissions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};

/// SHA-256 of "abc".
const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

#[test]
fn thousands_of_files_come_out_in_order() {
    if !has("sha256sum", "thousands_of_files_come_out_in_order") {
        return;
    }
    let sandbox = Sandbox::new();
    let mut rng = Rng::from_name("thousands of files");
    let names: Vec<String> = (0..3000).map(|i| format!("f{}", (i * 7919) % 3000)).collect();
    for (i, name) in names.iter().enumerate() {
        let magnitude = 1 << rng.below(15);
        let length = match i % 500 {
            // Longer than an arena, about as long as the longest whole file, and most others.
            250 => 5_000_000 + rng.below(64),
            300..303 => (512 << 10) - 1 + i % 500 - 300,
            100..140 => 600_000 + rng.below(300_000),
            _ => rng.below(magnitude),
        };
        sandbox.write(name, rng.bytes(length));
    }
    let theirs = sandbox.run("sha256sum", &names).good();
    for threads in ["1", "2", "3", "16"] {
        let args = ["-j", threads].into_iter().chain(names.iter().map(String::as_str));
        assert!(sandbox.sum(args).good() == theirs, "{threads} threads");
    }
    let walked = sandbox.sum(["-r", "."]).good();
    let mut sorted = names.clone();
    sorted.sort();
    let theirs = sandbox.run("sha256sum", sorted.iter().map(|name| format!("./{name}"))).good();
    assert!(walked == theirs);
    assert!(sandbox.sum(["-r"]).good() == theirs);
}

#[test]
fn every_engine_gives_the_same() {
    let sandbox = Sandbox::new();
    let mut rng = Rng::from_name("every engine");
    let names: Vec<String> = (0..70).map(|i| format!("f{i}")).collect();
    for (i, name) in names.iter().enumerate() {
        sandbox.write(name, rng.bytes(if i % 20 == 7 { 1_100_000 } else { 100 * i }));
    }
    let run = |more: &[&str]| {
        let ran = sandbox.sum(more.iter().copied().chain(names.iter().map(String::as_str)));
        (ran.status == Some(0)).then_some(ran.stdout).ok_or(ran.stderr)
    };
    for algorithm in ["md5", "sha256", "sha3-512", "groestl256"] {
        let expected = run(&["-a", algorithm, "--engine", "scalar"]).unwrap();
        assert!(run(&["-a", algorithm]).unwrap() == expected, "{algorithm}");
        let vectors = ["neon", "neon-aes", "neon-sha3", "simd128", "avx2", "avx512", "avx512-gfni"];
        let others = ["bmi2", "portable", "sha-ni", "sha-ni-avx512", "sha-ce", "sha512-ce"];
        let pairings = ["pclmul", "vpclmul"];
        for engine in others.into_iter().chain(vectors).chain(pairings) {
            match run(&["-a", algorithm, "--engine", engine]) {
                Ok(output) => assert!(output == expected, "{algorithm} {engine}"),
                Err(message) => {
                    assert!(
                        message.contains("cannot run here") || message.contains("does not compute"),
                        "{message}"
                    );
                    if message.contains("cannot run here") {
                        eprintln!("skipped: every_engine_gives_the_same: {}", message.trim());
                    }
                }
            }
        }
    }
}

#[test]
fn a_file_beyond_the_arena_alone_and_from_standard_input() {
    if !has("sha256sum", "a_file_beyond_the_arena_alone_and_from_standard_input") {
        return;
    }
    let sandbox = Sandbox::new();
    let bytes = Rng::from_name("beyond the arena").bytes(9_000_001);
    sandbox.write("big", &bytes);
    let theirs = sandbox.run("sha256sum", ["big"]).good();
    for threads in ["-j1", "-j2", "-j5"] {
        assert_eq!(sandbox.sum([threads, "big"]).good(), theirs);
        let ours = sandbox.run_with_input(MANYLANE, ["sum", threads], &bytes).good();
        assert_eq!(ours[..64], theirs[..64]);
        assert_eq!(&ours[64..], b"  -\n");
    }
    // A sparse file: its holes are zeros.
    OpenOptions::new().write(true).open(sandbox.path("big")).unwrap().set_len(100 << 20).unwrap();
    assert_eq!(sandbox.sum(["big"]).good(), sandbox.run("sha256sum", ["big"]).good());
}

#[test]
fn standard_input_has_its_turn() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "abc");
    let ran = sandbox.run_with_input(MANYLANE, ["sum", "a", "-", "a", "-"], b"abc");
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let expected = format!("{ABC}  a\n{ABC}  -\n{ABC}  a\n{empty}  -\n");
    assert_eq!(String::from_utf8(ran.good()).unwrap(), expected);
    let none: [&str; 0] = [];
    let ran = sandbox.run_with_input(MANYLANE, ["sum"].into_iter().chain(none), b"abc");
    assert_eq!(ran.good(), format!("{ABC}  -\n").into_bytes());
}

#[test]
fn what_cannot_be_read_is_reported_and_the_rest_is_hashed() {
    if !has("sha256sum", "what_cannot_be_read_is_reported_and_the_rest_is_hashed") {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("a", "abc");
    fs::create_dir(sandbox.path("dir")).unwrap();
    symlink("nowhere", sandbox.path("dangling")).unwrap();
    symlink("loop", sandbox.path("loop")).unwrap();
    let args = ["a", "dir", "missing", "no such\nfile", "a", "dangling", "loop", "a/b", "", "a"];
    let ours = sandbox.sum(args);
    let theirs = sandbox.run("sha256sum", args);
    assert_eq!((ours.text(), ours.status), (theirs.text(), Some(1)));
    let theirs = theirs.stderr.replace("sha256sum: ", "manylane: ");
    let remedy = "dir: Is a directory; -r hashes the files below it\n";
    assert_eq!(ours.stderr, theirs.replace("dir: Is a directory\n", remedy));
    assert!(ours.stderr.contains(remedy));
}

#[test]
fn permissions_are_respected_and_their_lack_reported() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "abc");
    sandbox.write("secret", "abc");
    sandbox.write("tree/b", "abc");
    sandbox.write("tree/closed/c", "abc");
    sandbox.write("tree/d", "abc");
    for (name, mode) in [("secret", 0), ("tree/closed", 0), ("tree", 0o755)] {
        fs::set_permissions(sandbox.path(name), Permissions::from_mode(mode)).unwrap();
    }
    let test = "permissions_are_respected_and_their_lack_reported";
    let Some(ran) = sandbox.run_unprivileged(&["sum", "secret", "a"], test) else { return };
    assert_eq!(ran.status, Some(1));
    assert_eq!(ran.stderr, "manylane: secret: Permission denied\n");
    assert_eq!(ran.text(), format!("{ABC}  a\n"));
    let ran = sandbox.run_unprivileged(&["sum", "-r", "tree"], test).unwrap();
    assert_eq!(ran.status, Some(1));
    assert_eq!(ran.stderr, "manylane: tree/closed: Permission denied\n");
    assert_eq!(ran.text(), format!("{ABC}  tree/b\n{ABC}  tree/d\n"));
    fs::set_permissions(sandbox.path("tree/closed"), Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn directories_are_walked_by_name_and_links_to_them_are_not_followed() {
    let sandbox = Sandbox::new();
    for name in ["d/b", "d/a", "d/c/z", "d/c/y", "d/B", "d/.hidden", "e/f"] {
        sandbox.write(name, "abc");
    }
    symlink("../e", sandbox.path("d/link to directory")).unwrap();
    symlink("a", sandbox.path("d/link to file")).unwrap();
    symlink("..", sandbox.path("d/c/up")).unwrap();
    symlink("nowhere", sandbox.path("d/dangling")).unwrap();
    let fifo = Command::new("mkfifo").arg(sandbox.path("d/fifo")).status();
    assert!(fifo.is_ok_and(|status| status.success()), "mkfifo");
    let ran = sandbox.sum(["-r", "d"]);
    let names = ["d/.hidden", "d/B", "d/a", "d/b", "d/c/y", "d/c/z", "d/link to file"];
    let expected: String = names.iter().map(|name| format!("{ABC}  {name}\n")).collect();
    assert_eq!(ran.text(), expected);
    let dangling = "manylane: d/dangling: No such file or directory\n";
    let skipped = "manylane: skipped 1 FIFO: name them to have them read\n";
    assert_eq!(ran.stderr, format!("{dangling}{skipped}"));
    let ran = sandbox.sum(["-r", "missing", "e/f", "d/link to directory"]);
    assert_eq!(ran.text(), format!("{ABC}  e/f\n{ABC}  d/link to directory/f\n"));
    assert_eq!(ran.stderr, "manylane: missing: No such file or directory\n");
}

/// What a walk passes over is said once, with its number.
#[test]
fn special_files_on_the_way_are_counted() {
    let sandbox = Sandbox::new();
    sandbox.write("d/a", "abc");
    sandbox.write("e/a", "abc");
    for pipe in ["d/p", "d/q", "e/p"] {
        assert!(Command::new("mkfifo").arg(sandbox.path(pipe)).status().unwrap().success());
    }
    let _socket = UnixListener::bind(sandbox.path("d/socket")).unwrap();
    symlink("p", sandbox.path("d/link to FIFO")).unwrap();
    symlink("/dev/null", sandbox.path("d/link to device")).unwrap();
    let ran = sandbox.sum(["-r", "d", "e"]);
    assert_eq!((ran.text(), ran.status), (&*format!("{ABC}  d/a\n{ABC}  e/a\n"), Some(0)));
    let expected = "manylane: skipped 4 FIFOs, 1 device, 1 socket: name them to have them read\n";
    assert_eq!(ran.stderr, expected);
    assert_eq!(sandbox.sum(["-r", "d/a"]).good(), format!("{ABC}  d/a\n").as_bytes());
}

/// A pipe that nobody writes yet keeps neither the files before it nor itself from being hashed.
#[test]
fn a_named_pipe_keeps_nobody_before_it_waiting() {
    for threads in ["-j1", "-j2"] {
        let sandbox = Sandbox::new();
        sandbox.write("a", "abc");
        sandbox.write("big", vec![0; 2_000_000]);
        for pipe in ["p", "q"] {
            assert!(Command::new("mkfifo").arg(sandbox.path(pipe)).status().unwrap().success());
        }
        let mut command = sandbox.command(MANYLANE);
        command.args(["sum", threads, "a", "big", "p", "a", "q", "big"]).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut line = || lines.next().unwrap().unwrap();
        assert_eq!(line(), format!("{ABC}  a"));
        let big = line();
        for pipe in ["p", "q"] {
            // All of one pipe before the other is opened: the reader must not want both at once.
            let mut writer = OpenOptions::new().write(true).open(sandbox.path(pipe)).unwrap();
            writer.write_all(&[0; 1_000_000]).unwrap();
            writer.write_all(&[0; 1_000_000]).unwrap();
            drop(writer);
            assert_eq!(line(), big.replace("big", pipe));
            if pipe == "p" {
                assert_eq!(line(), format!("{ABC}  a"));
            }
        }
        assert_eq!(line(), big);
        assert!(child.wait().unwrap().success());
    }
}

/// A walk leaves pipes out, those too that take the place of a file that it has already found.
#[test]
fn a_pipe_in_place_of_a_file_that_was_found_is_not_waited_for() {
    let sandbox = Sandbox::new();
    let mkfifo = |pipe: &str| {
        assert!(Command::new("mkfifo").arg(sandbox.path(pipe)).status().unwrap().success());
    };
    sandbox.write("d/a", "abc");
    sandbox.write("d/b", "abc");
    mkfifo("pipe");
    let mut command = sandbox.command("timeout");
    command.args(["20", MANYLANE, "sum", "-j1", "-r", "pipe", "d"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The program has opened the pipe, after it looked ahead and found the files.
    let writer = OpenOptions::new().write(true).open(sandbox.path("pipe")).unwrap();
    fs::remove_file(sandbox.path("d/a")).unwrap();
    mkfifo("d/a");
    drop(writer);
    let ran = child.wait_with_output().unwrap();
    let expected = "manylane: d/a: is no longer a regular file, and was not read\n";
    assert_eq!((ran.status.code(), &*String::from_utf8(ran.stderr).unwrap()), (Some(1), expected));
    assert!(String::from_utf8(ran.stdout).unwrap().ends_with(&format!("\n{ABC}  d/b\n")));
}

#[test]
fn files_that_tell_no_size_are_read_to_their_end() {
    let sandbox = Sandbox::new();
    let name = "/proc/self/limits";
    if fs::metadata(name).map_or(true, |about| about.len() != 0) {
        return skip("files_that_tell_no_size_are_read_to_their_end", "no /proc");
    }
    let ran = sandbox.sum([name, "/dev/null"]);
    assert!(!ran.text().starts_with("e3b0c442"), "{ran:?}");
    assert!(ran.text().contains("\ne3b0c442") && ran.status == Some(0), "{ran:?}");
}

#[test]
fn a_full_disk_is_an_error_and_a_closed_pipe_is_not() {
    let sandbox = Sandbox::new();
    let names: Vec<String> = (0..5000).map(|i| format!("{i}{}", "x".repeat(100))).collect();
    for name in &names {
        sandbox.write(name, "abc");
    }
    if let Ok(full) = OpenOptions::new().write(true).open("/dev/full") {
        for files in [1, 5000] {
            let mut command = sandbox.command(MANYLANE);
            command.arg("sum").args(&names[..files]).stdout(full.try_clone().unwrap());
            let ran = command.output().unwrap();
            let message = String::from_utf8_lossy(&ran.stderr);
            assert_eq!(message, "manylane: write error: No space left on device\n");
            assert_eq!(ran.status.code(), Some(1));
        }
    } else {
        skip("a_full_disk_is_an_error_and_a_closed_pipe_is_not", "no /dev/full");
    }
    let mut command = sandbox.command(MANYLANE);
    command.arg("sum").args(&names).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let mut message = String::new();
    child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
    assert_eq!((&message[..], child.wait().unwrap().code()), ("", Some(141)));
}

/// A file that changes is CHANGED and has no digest, unless the digest of the bytes that were read
/// is asked for; nothing breaks.
#[test]
fn a_file_may_grow_and_shrink_meanwhile() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("log", vec![0; 3_000_000]);
    let file = OpenOptions::new().write(true).open(path).unwrap();
    let stop = std::sync::atomic::AtomicBool::new(false);
    let runs = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut rng = Rng::from_name("grow and shrink");
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                file.set_len(rng.below(6_000_000) as u64).unwrap();
            }
        });
        let run = |how: &str| sandbox.sum(["--on-change", how, "log", "log", "log"]);
        let runs: Vec<_> =
            (0..20).map(|i| run(["ignore", "report"][i % 2])).chain([run("retry")]).collect();
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        runs
    });
    let (ignored, reported): (Vec<_>, Vec<_>) =
        runs.into_iter().partition(|ran| ran.stderr.is_empty());
    assert!(ignored.len() >= 10, "{ignored:?}");
    for ran in ignored {
        assert_eq!((ran.status, ran.stdout.len()), (Some(0), 3 * 70), "{ran:?}");
    }
    assert!(!reported.is_empty());
    for ran in reported {
        assert_eq!(ran.status, Some(1), "{ran:?}");
        let changed = ran.stderr.matches("log: CHANGED while it was read").count();
        assert_eq!(ran.stdout.len() + 70 * changed, 3 * 70, "{ran:?}");
    }
    sandbox.sum(["log"]).good();
}
