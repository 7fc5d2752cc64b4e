//! What the program makes do with: few open files, little memory, a small stack, no threads.
#![cfg(target_os = "linux")]

mod common;

use common::{MANYLANE, Ran, Sandbox, skip};
use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Files too long to be read whole, each with a beginning of its own and zeros behind.
fn long_files(sandbox: &Sandbox, count: usize) -> Vec<String> {
    let names: Vec<String> = (0..count).map(|i| format!("long/{i:03}")).collect();
    for name in &names {
        let path = sandbox.write(name, name);
        fs::OpenOptions::new().write(true).open(path).unwrap().set_len(600_000).unwrap();
    }
    names
}

/// `manylane sum ARGS` under limits that a shell sets.
fn limited(sandbox: &Sandbox, limits: &str, args: &[&str]) -> Ran {
    // Descriptors that whoever started the tests left open would count against the limit.
    let close = (3..10).map(|descriptor| format!(" {descriptor}<&-")).collect::<String>();
    let script = format!("exec{close}; ulimit {limits} && exec \"$0\" sum \"$@\"");
    sandbox.run("sh", ["-c", &script, MANYLANE].iter().chain(args))
}

#[test]
fn open_files_are_shared_among_threads() {
    let sandbox = Sandbox::new();
    let names = long_files(&sandbox, 300);
    let list = sandbox.sum(["-r", "long"]).good();
    sandbox.write("list", &list);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut args = vec!["-j8"];
    args.extend(&names);
    assert!(limited(&sandbox, "-n 256", &args).good() == list);
    let checked = limited(&sandbox, "-n 256", &["-j8", "-c", "--quiet", "list"]);
    assert_eq!(checked.good(), b"");
    // The soft limit is no reason to go slowly: it is raised.
    assert!(limited(&sandbox, "-S -n 20", &args).good() == list);
}

/// The program under a limit that a shell sets.
fn with_limit(sandbox: &Sandbox, limit: &str, command: &str) -> Ran {
    let script = format!("ulimit -c 0 && ulimit {limit} && exec \"$0\" \"$@\"");
    sandbox.run("sh", ["-c", &script, MANYLANE].into_iter().chain(command.split(' ')))
}

/// Commands have a stack of their own where that of the first thread is small.
#[test]
fn a_small_stack_is_enough() {
    let sandbox = Sandbox::new();
    sandbox.write("file", "abc");
    for limit in ["-s 128", "-s 64", "-s 32"] {
        for command in [
            "explain sha256",
            "plan sha256 --on unit",
            "plan md5 --hardware",
            "platforms",
            "list",
            "sum file",
            "sum --help",
            "sum -a md5,sha256 -r .",
        ] {
            let ran = with_limit(&sandbox, limit, command);
            assert!(!ran.good().is_empty(), "{limit} {command}");
        }
    }
}

/// Under every limit on memory under which the program begins, a command ends with its answer or
/// with an error and status 1; no signal ends it.
#[test]
fn too_little_memory_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.write("file", "abc");
    let ends = |kib: u64, command: &str| {
        let ran = with_limit(&sandbox, &format!("-v {kib}"), command);
        matches!(ran.status, Some(0 | 1)).then_some(ran)
    };
    // With less, the system has no room for the program and its libraries.
    let room = fs::metadata(MANYLANE).unwrap().len() >> 10;
    let mut limits = (room / 2..8 * room).step_by(128);
    let (least, ran) = limits.find_map(|kib| Some((kib, ends(kib, "list")?))).unwrap();
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("the limits on memory leave "), "{ran:?}");
    assert!(ran.stderr.contains("raise them (ulimit -v, ulimit -d)"), "{ran:?}");
    for command in ["list", "explain md5", "plan md5 --on unit", "sum file", "sum -r ."] {
        // Sizes between those that a table may double to.
        for kib in (least..least + (12 << 10)).step_by(768) {
            let Some(ran) = ends(kib + 128, command) else {
                panic!("{kib} KiB, {command}: a signal ended it");
            };
            let says = ran.stderr.contains("memory");
            assert_eq!(says, ran.status == Some(1), "{kib} KiB, {command}: {ran:?}");
        }
    }
    // No second heap is needed, which the GNU C library would map for a thread.
    let kib = least + (48 << 10);
    assert!(
        !with_limit(&sandbox, &format!("-v {kib}"), "plan sha256 --on rp2040").good().is_empty()
    );
}

#[test]
fn a_handful_of_descriptors_is_enough() {
    let sandbox = Sandbox::new();
    long_files(&sandbox, 50);
    sandbox.write("long/deep/er/file", "abc");
    sandbox.write("key", "secret");
    for keyed in [&[][..], &["-a", "hmac-sha256", "--key-file", "key"]] {
        let sum = |more: &[&'static str]| [keyed, more].concat();
        let list = sandbox.sum(sum(&["-r", "long"])).good();
        sandbox.write("list", &list);
        for descriptors in [6, 7, 8, 10, 13, 24, 64] {
            for threads in ["-j1", "-j8"] {
                let limit = format!("-n {descriptors}");
                let walked = limited(&sandbox, &limit, &sum(&[threads, "-r", "long"]));
                assert!(walked.good() == list, "{limit} {threads}");
                let checked = limited(&sandbox, &limit, &sum(&[threads, "-c", "--quiet", "list"]));
                assert_eq!(checked.good(), b"", "{limit} {threads}");
            }
        }
    }
}

/// A pipe without a writer keeps its descriptor, and the files before it still come out.
#[test]
fn a_pipe_does_not_starve_the_files_before_it() {
    let sandbox = Sandbox::new();
    let names = long_files(&sandbox, 12);
    let pipe = sandbox.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut args: Vec<&str> = names.iter().map(String::as_str).collect();
    let before = sandbox.sum(&args).good();
    args.push("pipe");
    args.extend(names.iter().map(String::as_str));
    let whole = std::thread::scope(|scope| {
        scope.spawn(|| File::options().write(true).open(&pipe).unwrap().write_all(b"abc").unwrap());
        limited(&sandbox, "-n 8", &[&["-j3"], &args[..]].concat()).good()
    });
    let abc = b"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  pipe\n";
    assert!(whole == [&before[..], abc, &before].concat());
}

/// Where one thread has memory enough, many threads that are asked for become fewer.
#[test]
fn threads_become_fewer_where_memory_is_limited() {
    let sandbox = Sandbox::new();
    let names = long_files(&sandbox, 20);
    for i in 0..300 {
        sandbox.write(format!("short/{i}"), "abc");
    }
    let list = sandbox.sum(["-r", "."]).good();
    assert!(list.len() > 300 * 64 && names.len() == 20);
    let mut good = 0;
    for limit in ["-v 60000", "-v 90000", "-v 130000", "-v 200000", "-v 400000", "-d 60000"] {
        if limited(&sandbox, limit, &["-j1", "-r", "."]).status != Some(0) {
            continue;
        }
        good += 1;
        for threads in ["-j64", "-j10000", "-j18446744073709551615"] {
            let ran = limited(&sandbox, limit, &[threads, "-r", "."]);
            assert!(ran.clone().good() == list, "{limit} {threads}: {}", ran.stderr);
        }
    }
    assert!(good >= 3, "limits that one thread can live with");
}

/// The program's output where it can start no thread, if it can be run so.
fn without_threads(sandbox: &Sandbox, args: &[&str]) -> Option<Ran> {
    fs::set_permissions(sandbox.path("."), Permissions::from_mode(0o755)).unwrap();
    let program = sandbox.path("manylane");
    if !program.exists() && fs::hard_link(MANYLANE, &program).is_err() {
        common::write_program(&program, fs::read(MANYLANE).unwrap());
    }
    // The limit does not bind the superuser.
    let script = "ulimit -u 1 && exec ./manylane \"$@\" < /dev/null";
    let mut command = sandbox.command("bash");
    command.args(["-c", script, "bash"]).args(args);
    if fs::metadata("/root/.").is_ok() {
        command.uid(65534).gid(65534);
    }
    let ran = command.output().ok()?;
    Some(Ran {
        stdout: ran.stdout,
        stderr: String::from_utf8_lossy(&ran.stderr).into_owned(),
        status: ran.status.code(),
    })
}

#[test]
fn without_any_thread_the_files_are_hashed_all_the_same() {
    let sandbox = Sandbox::new();
    let names = long_files(&sandbox, 3);
    sandbox.write("short", "abc");
    let mut args = vec!["short", "-", "missing"];
    args.extend(names.iter().map(String::as_str));
    let expected = sandbox.sum(&args);
    let Some(ran) = without_threads(&sandbox, &[&["sum", "-j4"], &args[..]].concat()) else {
        return skip(
            "without_any_thread_the_files_are_hashed_all_the_same",
            "cannot run as nobody",
        );
    };
    assert_eq!(ran.stderr, expected.stderr);
    assert_eq!(ran.status, Some(1));
    assert!(ran.stdout == expected.stdout);
}

/// Lines of points are decoded on the threads that there are.
#[test]
fn without_any_thread_points_are_paired_all_the_same() {
    let sandbox = Sandbox::new();
    let point = String::from_utf8(sandbox.run(MANYLANE, ["pair", "--hash", "a"]).good()).unwrap();
    sandbox.write("pairs", format!("{0} {0}\n", point.trim()).repeat(3));
    let args = ["pair", "-j3", "pairs"];
    let Some(ran) = without_threads(&sandbox, &args) else {
        return skip("without_any_thread_points_are_paired_all_the_same", "cannot run as nobody");
    };
    assert_eq!(ran.good(), sandbox.run(MANYLANE, args).good());
}
