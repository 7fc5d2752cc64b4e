//! Which files `manylane sum -r` finds, and names from a list.
#![cfg(unix)]

mod common;

use common::{MANYLANE, Ran, Sandbox, has};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::Command;

/// The names in the lines of a run.
fn names(ran: Ran) -> Vec<String> {
    let text = String::from_utf8(ran.good()).unwrap();
    text.lines().map(|line| line.split_once("  ").unwrap().1.to_owned()).collect()
}

fn walked(sandbox: &Sandbox, args: &[&str]) -> Vec<String> {
    names(sandbox.sum([&["-r"], args].concat()))
}

fn tree() -> Sandbox {
    let sandbox = Sandbox::new();
    for (name, length) in [
        ("t/a.c", 10),
        ("t/a.o", 2000),
        ("t/b/c.c", 3000),
        ("t/b/c.o", 0),
        ("t/b/deep/er/d.c", 1024),
        ("t/build/x.c", 5),
        ("t/.hidden/h.c", 1),
        ("t/.dot", 1),
    ] {
        sandbox.write(name, vec![b'x'; length]);
    }
    sandbox
}

#[test]
fn globs_leave_out_files_and_directories() {
    let sandbox = tree();
    let all = walked(&sandbox, &["t"]);
    let without = |words: &[&str]| -> Vec<String> {
        let left = all.iter().filter(|name| !words.iter().any(|word| name.contains(word)));
        left.cloned().collect()
    };
    for (args, words) in [
        (&["--exclude", "*.o"][..], &[".o"][..]),
        (&["--exclude", "*.o", "--exclude", "build/"], &[".o", "build"]),
        (&["--exclude", "/b"], &["t/b/"]),
        (&["--exclude", "b/c.*"], &["b/c."]),
        (&["--exclude", "c.c/"], &[]),
        (&["--exclude", "**/er"], &["er/"]),
        (&["--exclude", "{a,b}.c"], &[]),
        (&["--include", "*.c"], &[".o", ".dot"]),
        (&["--include", "*.c", "--exclude", "b"], &[".o", ".dot", "t/b/"]),
        (&["--no-hidden"], &["/."]),
        (&["--max-depth", "1"], &["b/", "build/", ".hidden/"]),
        (&["--max-depth", "2"], &["deep"]),
        (&["--max-size", "1K"], &["a.o", "b/c.c"]),
        (&["--min-size", "2000", "--max-size", "2000"], &[".c", "c.o", ".dot"]),
    ] {
        assert_eq!(walked(&sandbox, &[args, &["t"]].concat()), without(words), "{args:?}");
        // The argument itself is never left out.
        let below = walked(&sandbox, &[args, &["t/", "t/a.o"]].concat());
        assert_eq!(below.last().unwrap(), "t/a.o", "{args:?}");
    }
    assert_eq!(walked(&sandbox, &["--max-depth", "0", "t"]), Vec::<String>::new());
    let ran = sandbox.sum(["-r".as_ref(), OsStr::from_bytes(b"--exclude=\xff"), "t".as_ref()]);
    assert_eq!((ran.text(), ran.status), ("", Some(1)), "{ran:?}");
    assert!(ran.stderr.contains(r"'--exclude='$'\377': an option takes UTF-8 alone"), "{ran:?}");
    // From within the directory the paths are the same below it.
    let mut command = sandbox.command(MANYLANE);
    let inside = command.args(["sum", "-r", "--exclude", "/b"]).current_dir(sandbox.path("t"));
    let inside = String::from_utf8(inside.output().unwrap().stdout).unwrap();
    assert!(!inside.contains("./b/") && inside.contains("./build/x.c"), "{inside}");
}

/// What git itself would take.
#[test]
fn gitignore_files_are_obeyed() {
    let sandbox = tree();
    sandbox.write("t/.gitignore", "*.o\n/build/\n!keep.o\n# a comment\n");
    sandbox.write("t/b/.gitignore", "!c.o\ndeep/**\n!deep/er/\n");
    sandbox.write("t/keep.o", "");
    sandbox.write("t/b/build/y.c", "");
    let ours = walked(&sandbox, &["--gitignore", "t"]);
    let expected = [
        "t/.dot",
        "t/.gitignore",
        "t/.hidden/h.c",
        "t/a.c",
        "t/b/.gitignore",
        "t/b/build/y.c",
        "t/b/c.c",
        "t/b/c.o",
        "t/keep.o",
    ];
    let ours: Vec<&str> =
        ours.iter().map(String::as_str).filter(|name| !name.contains("deep")).collect();
    assert_eq!(ours, expected);
    if !has("git", "gitignore_files_are_obeyed") {
        return;
    }
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(sandbox.path("t")).env("GIT_CONFIG_GLOBAL", "/dev/null");
        let output = command.args(args).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "-q"]);
    let listed = git(&["ls-files", "--others", "--exclude-standard"]);
    let mut listed: Vec<String> = listed.lines().map(|name| format!("t/{name}")).collect();
    let mut ours = walked(&sandbox, &["--gitignore", "t"]);
    listed.sort();
    ours.sort();
    assert_eq!(ours, listed);
}

#[test]
fn links_are_followed_skipped_or_hashed() {
    let sandbox = Sandbox::new();
    sandbox.write("t/d/file", "abc");
    symlink("d/file", sandbox.path("t/to-file")).unwrap();
    symlink("d", sandbox.path("t/to-directory")).unwrap();
    symlink("nowhere", sandbox.path("t/x-dangling")).unwrap();
    let run = |how: &str| sandbox.sum(["-r", "--symlinks", how, "t"]);
    assert_eq!(names(run("skip")), ["t/d/file"]);
    for (how, found) in [
        ("files", &["t/d/file", "t/to-file"][..]),
        ("follow", &["t/d/file", "t/to-directory/file", "t/to-file"]),
    ] {
        let ran = run(how);
        assert_eq!((ran.status, ran.stderr.contains("x-dangling")), (Some(1), true), "{ran:?}");
        assert_eq!(names(Ran { status: Some(0), stderr: String::new(), ..ran }), found);
    }
    let hashed = run("hash");
    assert_eq!(names(hashed.clone()), ["t/d/file", "t/to-directory", "t/to-file", "t/x-dangling"]);
    let target = sandbox.run_with_input(MANYLANE, ["sum"], b"d/file").good();
    let digest = String::from_utf8(target).unwrap().split(' ').next().unwrap().to_owned();
    assert!(hashed.text().contains(&format!("{digest}  t/to-file\n")), "{hashed:?}");
    // A loop is reported and not entered.
    symlink("..", sandbox.path("t/d/up")).unwrap();
    let looped = run("follow");
    assert_eq!(looped.status, Some(1));
    assert!(looped.stderr.contains("t/d/up") && looped.stderr.contains("loop"), "{looped:?}");
}

#[test]
fn a_file_of_several_names_is_hashed_once() {
    let sandbox = Sandbox::new();
    sandbox.write("t/a", "abc");
    sandbox.write("t/same", "abc");
    std::fs::create_dir(sandbox.path("t/z")).unwrap();
    std::fs::hard_link(sandbox.path("t/a"), sandbox.path("t/b")).unwrap();
    std::fs::hard_link(sandbox.path("t/a"), sandbox.path("t/z/c")).unwrap();
    assert_eq!(walked(&sandbox, &["--hardlinks", "once", "t"]), ["t/a", "t/same"]);
    assert_eq!(walked(&sandbox, &["--hardlinks", "once", "t", "t"]), ["t/a", "t/same", "t/same"]);
    assert_eq!(walked(&sandbox, &["t"]), ["t/a", "t/b", "t/same", "t/z/c"]);
}

#[test]
fn names_come_from_a_list() {
    let sandbox = Sandbox::new();
    for name in ["a", "-", "b c", "new\nline"] {
        sandbox.write(format!("d/{name}"), name);
        sandbox.write(name, name);
    }
    sandbox.write("lines", "a\n\n-\nb c");
    assert_eq!(names(sandbox.sum(["--files-from", "lines"])), ["a", "-", "b c"]);
    sandbox.write("nuls", "a\0new\nline\0-\0");
    let ran = sandbox.sum(["--files-from", "nuls", "-0", "-z"]).good();
    assert_eq!(ran.split(|byte| *byte == 0).count(), 4);
    let piped = sandbox.run_with_input(MANYLANE, ["sum", "--files-from", "-"], b"a\nb c\n");
    assert_eq!(piped, sandbox.sum(["a", "b c"]));
    sandbox.write("directories", "d\na\n");
    let walked = names(sandbox.sum(["-r", "--files-from", "directories", "--exclude", "-"]));
    assert_eq!(walked.len(), 4, "{walked:?}");
    let ran = sandbox.sum(["--files-from", "nuls"]);
    assert_eq!((ran.text(), ran.status), ("", Some(1)));
    assert_eq!(ran.stderr, "manylane: nuls: names in it end with NUL: give -0\n");
    sandbox.write("none", "");
    assert_eq!(sandbox.sum(["--files-from", "none"]).good(), b"");
    for (args, word) in [
        (&["--files-from", "missing"][..], "missing: No such file"),
        (&["--files-from", "d"], "d: Is a directory"),
        (&["--files-from", "lines", "a"], "--files-from"),
        (&["--files-from", "lines", "-c"], "--files-from"),
        (&["-0", "a"], "--files-from"),
        (&["--exclude", "x", "a"], "the --exclude option is meaningful only with --recursive"),
        (&["--symlinks", "skip", "a"], "--symlinks option is meaningful only"),
        (&["-r", "--exclude", "a[", "d"], "--exclude"),
        (&["-r", "--max-size", "1.5G", "d"], "64K or 1G"),
        (&["-r", "--symlinks", "maybe", "d"], "follow"),
    ] {
        let ran = sandbox.sum(args);
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{args:?}");
        assert!(ran.stderr.contains(word), "{args:?}: {}", ran.stderr);
    }
}
