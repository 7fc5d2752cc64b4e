//! Messages of the commands on files: each says what is wrong, and the remedy.
#![cfg(unix)]

mod common;

use common::{MANYLANE, Ran, Sandbox};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

/// A folder `d` with two files.
fn folder() -> Sandbox {
    let sandbox = Sandbox::new();
    for (name, bytes) in [("d/a", "one"), ("d/b", "two")] {
        sandbox.write(name, bytes);
    }
    sandbox
}

/// `manylane` with the words of a line.
fn manylane(sandbox: &Sandbox, line: &str) -> Ran {
    sandbox.run(MANYLANE, line.split_whitespace())
}

/// Runs a line that fails, and looks for words on standard error.
#[track_caller]
fn fails(sandbox: &Sandbox, line: &str, words: &[&str]) -> Ran {
    let ran = manylane(sandbox, line);
    assert_eq!(ran.status, Some(1), "{line}: {ran:?}");
    for word in words {
        assert!(ran.stderr.contains(word), "{line}: {word}: {ran:?}");
    }
    ran
}

#[test]
fn lists_that_check_does_not_read_are_named_with_what_reads_them() {
    let sandbox = folder();
    for (form, word) in [("hashdeep", "1: hashdeep's"), ("json", "1: lines of JSON")] {
        let list = manylane(&sandbox, &format!("sum -r d --format {form}")).good();
        sandbox.write("LIST", list);
        let ran = fails(&sandbox, "sum -c LIST", &[word, "`manylane audit LIST DIR`"]);
        assert!(ran.stderr.contains("no properly formatted"), "{ran:?}");
        assert!(fails(&sandbox, "sum -c --status LIST", &[]).stderr.lines().count() == 1);
        manylane(&sandbox, "audit LIST d").good();
    }
    // Beside lines that are read, they are counted as others are.
    let line = manylane(&sandbox, "sum d/a").good();
    sandbox.write("LIST", [&line[..], b"{\"file\":\"d/b\"}\n"].concat());
    let ran = manylane(&sandbox, "sum -c LIST");
    assert_eq!((ran.text(), ran.status), ("d/a: OK\n", Some(0)), "{ran:?}");
    assert!(ran.stderr.contains("2: lines of JSON") && ran.stderr.contains("1 line is"), "{ran:?}");
}

#[test]
fn digests_of_directories_are_told_from_those_of_files() {
    let sandbox = folder();
    let tree = manylane(&sandbox, "sum --tree d").good();
    sandbox.write("LIST", &tree);
    let ran = fails(&sandbox, "sum -c LIST", &["d: Is a directory", "`manylane sum --tree d`"]);
    assert_eq!(ran.text(), "d: FAILED open or read\n");
    let other = String::from_utf8(tree).unwrap().replace("  d", "  d/../d");
    sandbox.write("LIST", other.clone() + &other);
    fails(&sandbox, "sum -c LIST", &["LIST: d/../d (and 1 other) is a directory"]);
    assert!(!fails(&sandbox, "sum -c --status LIST", &[]).stderr.contains("--tree"));
}

/// Lists with digests of the short length that `-l` names can be updated and audited. Digests of
/// other short lengths are refused.
#[test]
fn lists_of_short_digests_are_read_where_their_length_is_asked_for() {
    for form in ["gnu", "bsd", "json", "hashdeep"] {
        let sandbox = folder();
        let update = format!("sum -a shake256 -l 8 --update LIST -r d --format {form}");
        manylane(&sandbox, &update).good();
        let again = manylane(&sandbox, "sum -a shake256 -l 8 --update LIST -r d").good();
        assert_eq!(again, b"SUMMARY: 2 kept, 0 NEW, 0 CHANGED, 0 REMOVED\n", "{form}");
        manylane(&sandbox, "audit -a shake256 -l 8 LIST d").good();
        let before = fs::read(sandbox.path("LIST")).unwrap();
        for line in ["sum -a shake256 --update LIST -r d", "audit -a shake256 LIST d"] {
            fails(&sandbox, line, &["SHAKE256-8 is refused", "-a shake256 -l 8"]);
        }
        fails(&sandbox, "sum -a shake256 -l 16 --update LIST -r d", &[]);
        assert_eq!(fs::read(sandbox.path("LIST")).unwrap(), before, "{form}");
    }
}

#[test]
fn options_are_refused_in_the_words_of_their_command() {
    let sandbox = folder();
    manylane(&sandbox, "sum --update LIST -r d").good();
    sandbox.write("key", "key");
    for (line, word) in [
        ("dedupe -a md5,sha1 d", "-a md5 -a sha1: files are compared by one hash"),
        ("dedupe -a hmac-md5 d", "hmac-md5 needs a key, and hashes without one"),
        ("dedupe -a sha3 d", "sha3 is a family"),
        ("audit -a md5,sha1 LIST d", "lines that do not say what they are"),
        ("audit -a hmac-md5 LIST d", "hmac-md5 needs a key, and hashes without one"),
        ("sum -a md5,sha1 -c LIST", "--check takes the lines of one algorithm"),
    ] {
        let ran = fails(&sandbox, line, &[word]);
        assert!(line.contains("-c") || !ran.stderr.contains("--check"), "{line}: {ran:?}");
        assert!(!ran.stderr.contains("--key-file"), "{line}: {ran:?}");
        assert!(line.contains("sum") || !ran.stderr.contains("--length"), "{line}: {ran:?}");
    }
    manylane(&sandbox, "dedupe -q -a md5,MD5 d").good();
}

/// Neither standard output nor one file for two options is written, and nothing is made.
#[test]
fn outputs_that_cannot_be_are_refused() {
    let sandbox = folder();
    let entries = || fs::read_dir(sandbox.path("")).unwrap().count();
    for (line, words) in [
        ("sum --update - -r d", ["--update -:", "./- for one of that name"]),
        ("explain md5 --dot -", ["--dot -:", "./- for one of that name"]),
        ("explain md5 --html a.html --dot -", ["--dot -:", "./- for one of that name"]),
        ("plan md5 --on rp2040 --html -", ["--html -:", "./- for one of that name"]),
        ("verity --out-descriptor - d/a", ["--out-descriptor -:", "./- for one of that name"]),
        ("man -", ["-: standard output takes one page", "./- is a folder"]),
        ("man d/a", ["d/a: is a file", "name a folder"]),
        ("explain md5 --html x --dot x", ["x: is the file of both --dot and --html", "two files"]),
        ("explain eta-t --html x --dot d/../x", ["both --dot and --html", "two files"]),
        (
            "verity --out-merkle-tree O --out-descriptor ./O d/a",
            ["./O: is the file of both --out-merkle-tree and --out-descriptor", "two files"],
        ),
        (
            "verity --force --out-merkle-tree O --out-descriptor O d/a",
            ["O: is the file of both", "two files"],
        ),
        ("sum -r --exclude [ d", ["--exclude '[': a [ that no ] closes", "write \\["]),
        ("sum -r --include a[b d", ["--include 'a[b': a [ that no ]", "write \\["]),
        ("sum -r --exclude #*# d", ["--exclude '#*#': is a comment", "write \\ before #"]),
        ("dedupe --include= d", ["--include '': ", "matches nothing"]),
    ] {
        let ran = fails(&sandbox, line, &words);
        assert!(ran.stdout.is_empty(), "{line}: {ran:?}");
        assert_eq!(entries(), 1, "{line}");
    }
    manylane(&sandbox, "explain md5 --dot ./-").good();
    assert!(sandbox.path("-").is_file());
}

/// A list from a pipe is copied first; where there is no place for that, the list is not at fault.
#[test]
fn the_folder_of_temporary_files_is_named() {
    let sandbox = folder();
    manylane(&sandbox, "sum --update LIST -r d").good();
    let mut command = sandbox.command(MANYLANE);
    command.env("TMPDIR", "/nonexistent").args(["audit", "-", "d"]);
    command.stdin(fs::File::open(sandbox.path("LIST")).unwrap());
    let output = command.output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    let expected = "manylane: no temporary file in /nonexistent; set TMPDIR to a folder";
    assert!(message.starts_with(expected), "{message}");
}

/// `--cache` takes the argument that follows it, which may have been meant for something else.
#[test]
fn the_argument_that_cache_takes_is_told() {
    let sandbox = folder();
    manylane(&sandbox, "sum --update LIST -r d").good();
    for line in [
        "sum --cache d/a d/b",
        "sum -r --cache d",
        "sum d/a --cache d/b",
        "audit --cache LIST d",
        "dedupe --cache d",
    ] {
        let ran = fails(&sandbox, line, &["cache of digests", "--cache=FILE"]);
        assert!(!ran.stderr.contains("remove this"), "{line}: {ran:?}");
    }
    // Nobody is left waiting for standard input, and no file is made.
    fails(&sandbox, "sum --cache new", &["here new, for the cache", "--cache=FILE"]);
    assert!(!sandbox.path("new").exists());
    manylane(&sandbox, "sum d/a --cache=new").good();
    manylane(&sandbox, "sum --cache=new -r d").good();
    // An empty name, from a shell's variable without a value, stands for no file, nor for the
    // user's cache.
    for line in ["sum --cache= d/a", "dedupe --cache= d", "sum --checkpoint= d/a"] {
        let ran = manylane(&sandbox, line);
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{line}");
        assert!(ran.stderr.contains("the name of a file is wanted"), "{line}: {ran:?}");
    }
    for name in ["d/a", "d/b"] {
        assert!(sandbox.path(name).metadata().unwrap().len() == 3);
    }
}

#[test]
fn names_and_files_that_have_no_place_are_said_as_they_are() {
    let sandbox = Sandbox::new();
    for (name, word) in [("a\nb", "line feeds"), ("a\rb", "carriage returns")] {
        let _ = fs::remove_dir_all(sandbox.path("d"));
        sandbox.write(format!("d/{name}"), "");
        let ran = fails(&sandbox, "sum -r d --format hashdeep", &[word, "another --format"]);
        assert_eq!(ran.stderr.matches("names with").count(), 1, "{ran:?}");
        let ran = fails(&sandbox, "sum --update LIST --format hashdeep -r d", &[word]);
        assert!(ran.text().ends_with(" 1 without a digest\n"), "{ran:?}");
    }
    sandbox.write("empty", "");
    fails(&sandbox, "verity --dm tree empty", &["empty: is empty, and dm-verity needs a block"]);
    sandbox.write("uneven", "uneven");
    fails(&sandbox, "verity --dm tree uneven", &["6 bytes are no whole number of blocks of 4096"]);
    assert!(!sandbox.path("tree").exists());
}

/// Whether the file permissions of a folder bind this user.
fn is_bound(sandbox: &Sandbox) -> bool {
    fs::create_dir_all(sandbox.path("closed")).unwrap();
    fs::set_permissions(sandbox.path("closed"), Permissions::from_mode(0o555)).unwrap();
    fs::write(sandbox.path("closed/probe"), "").is_err()
}

/// A list in a folder that cannot be written: the error comes before any file is reported as new.
#[test]
fn a_list_that_cannot_be_written_is_told_at_the_first_change() {
    let sandbox = folder();
    // The superuser writes everywhere but here.
    let (folder, why) = match is_bound(&sandbox) {
        true => (sandbox.path("closed").display().to_string(), "Permission denied"),
        false => ("/sys".to_owned(), "Permission denied"),
    };
    let ran = fails(
        &sandbox,
        &format!("sum --update {folder}/LIST -r d"),
        &[&format!("LIST: cannot be written, as {folder} takes no new file: {why}\n")],
    );
    assert_eq!(ran.text(), "");
    assert!(!ran.stderr.contains("unfinished") && !ran.stderr.contains("os error"), "{ran:?}");
    fails(&sandbox, "verity --dm none/tree d/a --block-size 512", &[]);
    if folder == "/sys" {
        return;
    }
    fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
    manylane(&sandbox, "sum --update closed/LIST -r d").good();
    fs::set_permissions(&folder, Permissions::from_mode(0o555)).unwrap();
    // Where nothing has changed there is nothing to write.
    manylane(&sandbox, "sum --update closed/LIST -r d").good();
    sandbox.write("d/c", "three");
    fs::remove_file(sandbox.path("d/a")).unwrap();
    assert_eq!(fails(&sandbox, "sum --update closed/LIST -r d", &["takes no new file"]).text(), "");
    fs::remove_file(sandbox.path("d/c")).unwrap();
    assert_eq!(fails(&sandbox, "sum --update closed/LIST -r d", &["takes no new file"]).text(), "");
    fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
}

/// Wherever digests were to be kept and are not, that is a failure; the digests are printed.
#[test]
#[cfg(target_os = "linux")]
fn digests_that_could_not_be_kept_are_a_failure_everywhere() {
    let sandbox = folder();
    // No file here has attributes of users.
    let file = "/proc/self/status";
    if !std::path::Path::new(file).exists() {
        return common::skip("digests_that_could_not_be_kept_are_a_failure_everywhere", file);
    }
    let args = ["sum", "d/a", "/sys/kernel/mm/transparent_hugepage/enabled", "--cache", "xattr"];
    let ran = sandbox.run(MANYLANE, args);
    assert_eq!((ran.status, ran.text().lines().count()), (Some(1), 2), "{ran:?}");
    assert!(ran.stderr.contains("1 digest could not be kept"), "{ran:?}");
    assert!(!ran.stderr.contains("1 digests"), "{ran:?}");
}

#[test]
fn what_is_known_is_counted_and_numbers_agree() {
    let sandbox = folder();
    sandbox.write("d/c", "one");
    let summary = ["-q", "--summary", "--cache", "CACHE", "d"];
    let dedupe = || sandbox.run(MANYLANE, [&["dedupe"], &summary[..]].concat());
    assert!(dedupe().stderr.contains("3 files read, 9 B in"), "{:?}", dedupe());
    let again = dedupe();
    assert!(again.stderr.contains("0 files read, 0 B in"), "{again:?}");
    assert!(again.stderr.contains("3 files known without reading"), "{again:?}");
    // A long file is read once, though its head is compared first.
    for name in ["d/long-1", "d/long-2"] {
        sandbox.write(name, vec![7; 100_000]);
    }
    let long = dedupe();
    assert!(long.stderr.contains("2 files read, 227.3"), "{long:?}");
    sandbox.write("other/x", "x");
    sandbox.write("LIST", sandbox.sum(["-r", "d", "other"]).good());
    let audited = manylane(&sandbox, "audit LIST d").good();
    let audited = String::from_utf8(audited).unwrap();
    assert!(audited.contains("1 listed file elsewhere was not audited"), "{audited}");
    sandbox.write("LIST", sandbox.sum([sandbox.path("other/x")]).good());
    fails(&sandbox, "audit LIST d", &["none of its names (1) is in d"]);
    manylane(&sandbox, "sum --update ONE other/x").good();
    fs::remove_file(sandbox.path("other/x")).unwrap();
    sandbox.write("other/y", "y");
    fs::remove_file(sandbox.path("other/y")).unwrap();
    fails(&sandbox, "sum --update ONE -r other", &["the file that it names there is gone"]);
}
