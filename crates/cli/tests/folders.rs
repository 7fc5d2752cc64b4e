//! Whole folders: one digest for each (`sum --tree`), and equal files in them (`dedupe`).
#![cfg(unix)]

mod common;

use common::{MANYLANE, Ran, Sandbox, has, nasty_names};
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

/// A folder with files, folders, an empty one among them, links and a pipe.
fn build(sandbox: &Sandbox, root: &str, order: impl IntoIterator<Item = usize>) {
    let names = nasty_names();
    for i in order {
        sandbox.write(Path::new(root).join("a").join(&names[i]), names[i].as_bytes());
    }
    sandbox.write(format!("{root}/a.b"), "beside the folder a");
    fs::create_dir(sandbox.path(format!("{root}/empty"))).unwrap();
    symlink("a.b", sandbox.path(format!("{root}/link"))).unwrap();
    symlink("nowhere", sandbox.path(format!("{root}/x-dangling"))).unwrap();
    let pipe = sandbox.path(format!("{root}/pipe"));
    assert!(sandbox.command("mkfifo").arg(pipe).status().unwrap().success());
}

#[track_caller]
fn tree(sandbox: &Sandbox, args: &[&str]) -> String {
    let ran = sandbox.sum([&["--tree"], args].concat()).good();
    String::from_utf8(ran).unwrap().split(' ').next().unwrap().to_owned()
}

/// The definition of docs/sum.md, written anew.
fn defined(sandbox: &Sandbox, root: &Path, modes: bool) -> Vec<u8> {
    fn entries(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
        let below = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut below: Vec<_> = below.collect();
        below.sort_by(|a, b| {
            a.file_name().unwrap().as_bytes().cmp(b.file_name().unwrap().as_bytes())
        });
        for path in below {
            found.push(path.clone());
            if path.symlink_metadata().unwrap().is_dir() {
                entries(&path, found);
            }
        }
    }
    let digest = |bytes: &[u8]| {
        let line = sandbox.run_with_input(MANYLANE, ["sum"], bytes).good();
        String::from_utf8(line).unwrap()[..64].to_owned()
    };
    let mut found = Vec::new();
    entries(root, &mut found);
    let options = if modes { " modes" } else { "" };
    let mut text = format!("manylane tree 1 sha256{options}\n").into_bytes();
    for path in found {
        let about = path.symlink_metadata().unwrap();
        let (kind, digest) = if about.is_dir() {
            ('d', "-".to_owned())
        } else if about.is_file() {
            ('f', digest(&fs::read(&path).unwrap()))
        } else if about.is_symlink() {
            ('l', digest(fs::read_link(&path).unwrap().as_os_str().as_bytes()))
        } else {
            ('p', "-".to_owned())
        };
        let mode = match modes && !about.is_symlink() {
            true => format!(" {:04o}", about.permissions().mode() & 0o7777),
            false => String::new(),
        };
        let name = path.strip_prefix(root).unwrap().as_os_str().as_bytes();
        text.extend(format!("{kind}{mode} {digest} {}:", name.len()).bytes());
        text.extend(name);
        text.push(b'\n');
    }
    text
}

#[test]
fn a_tree_has_the_digest_of_its_definition() {
    let sandbox = Sandbox::new();
    build(&sandbox, "t", 0..nasty_names().len());
    for args in [&["t"][..], &["--modes", "t"]] {
        let text = defined(&sandbox, &sandbox.path("t"), args.len() > 1);
        let expected = sandbox.run_with_input(MANYLANE, ["sum"], &text).good();
        let expected = String::from_utf8(expected).unwrap().replace('-', "t");
        let found = String::from_utf8(sandbox.sum([&["--tree"], args].concat()).good()).unwrap();
        assert_eq!(found, expected, "{args:?}");
    }
}

#[test]
fn trees_depend_on_what_is_in_them_alone() {
    let sandbox = Sandbox::new();
    let count = nasty_names().len();
    build(&sandbox, "t", 0..count);
    build(&sandbox, "other", (0..count).rev());
    let digest = tree(&sandbox, &["t"]);
    for args in [&["other"][..], &["./t/"], &["-j1", "t"], &["--cache", "CACHE", "t"]] {
        assert_eq!(tree(&sandbox, args), digest, "{args:?}");
    }
    let same = |what: &str| assert_eq!(tree(&sandbox, &["other"]), digest, "{what}");
    let differs = |what: &str| assert_ne!(tree(&sandbox, &["other"]), digest, "{what}");
    let path = |name: &str| sandbox.path(Path::new("other").join(name));
    fs::set_permissions(path("a.b"), Permissions::from_mode(0o600)).unwrap();
    same("modes");
    assert_ne!(tree(&sandbox, &["--modes", "other"]), tree(&sandbox, &["--modes", "t"]));
    fs::rename(path("empty"), path("Empty")).unwrap();
    differs("a name");
    fs::rename(path("Empty"), path("empty")).unwrap();
    same("the same name");
    fs::remove_file(path("link")).unwrap();
    differs("a missing link");
    fs::write(path("link"), "a.b").unwrap();
    differs("a file in place of a link");
    fs::remove_file(path("link")).unwrap();
    symlink("a/b", path("link")).unwrap();
    differs("a link that leads elsewhere");
    fs::remove_file(path("link")).unwrap();
    symlink("a.b", path("link")).unwrap();
    same("the same link");
    fs::rename(path("a.b"), path("a/a.b")).unwrap();
    differs("a file in another folder");
    fs::rename(path("a/a.b"), path("a.b")).unwrap();
    fs::write(path("a.b"), "other").unwrap();
    differs("content");
    assert_eq!(
        tree(&sandbox, &["--exclude", "a.b", "t"]),
        tree(&sandbox, &["--exclude", "a.b", "other"])
    );
    // Every algorithm at once, and lines of JSON.
    let both = sandbox.sum(["--tree", "-a", "sha256,md5", "t"]).good();
    let both = String::from_utf8(both).unwrap();
    assert!(both.starts_with(&format!("SHA256 (t) = {digest}\nMD5 (t) = ")), "{both}");
    let json = sandbox.sum(["--tree", "--json", "t", "t"]).good();
    let line = format!("{{\"digests\":{{\"sha256\":\"{digest}\"}},\"file\":\"t\"}}\n");
    let sorted = |text: &str| -> Vec<serde_json::Value> {
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    assert_eq!(sorted(std::str::from_utf8(&json).unwrap()), sorted(&line.repeat(2)));
}

/// The file that the output goes to does not count, whatever link leads to it.
#[test]
fn the_output_of_a_tree_is_not_part_of_it() {
    let sandbox = Sandbox::new();
    sandbox.write("t/a", "a");
    let without = tree(&sandbox, &["t"]);
    let to_itself = |args: &str| {
        let ran = sandbox.run("sh", ["-c", &format!("'{MANYLANE}' sum --tree {args} > t/OUT")]);
        assert_eq!(ran.status, Some(0), "{ran:?}");
        assert!(ran.stderr.contains("t/OUT: skipped, since the output goes there"), "{ran:?}");
        let line = fs::read_to_string(sandbox.path("t/OUT")).unwrap();
        line.split(' ').next().unwrap().to_owned()
    };
    for _ in 0..2 {
        assert_eq!(to_itself("t"), without);
    }
    symlink("OUT", sandbox.path("t/link")).unwrap();
    assert_eq!(to_itself("--symlinks files t"), without);
}

#[test]
fn trees_that_cannot_be_read_have_no_digest() {
    let sandbox = Sandbox::new();
    sandbox.write("t/a", "a");
    for (args, word) in [
        (&["t/a"][..], "t/a: is no folder"),
        (&["none"], "none: No such file"),
        (&["-r", "t"], "--recursive"),
        (&["-c", "t"], "--check"),
    ] {
        let ran = sandbox.sum([&["--tree"], args].concat());
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{args:?}");
        assert!(ran.stderr.contains(word), "{args:?}: {ran:?}");
    }
    assert!(sandbox.sum(["--modes", "t"]).stderr.contains("--tree"));
    // What is no folder has no digest, and the folders behind it have theirs.
    let ran = sandbox.sum(["--tree", "none", "t/a", "t"]);
    assert_eq!((ran.text().lines().count(), ran.status), (1, Some(1)), "{ran:?}");
    assert_eq!(ran.stderr.lines().count(), 2, "{ran:?}");
    let ran = sandbox.sum(["--tree", "--json", "none", "t"]);
    let objects: Vec<serde_json::Value> =
        ran.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects[0]["error"], "No such file or directory", "{ran:?}");
    assert!(objects[1]["digests"]["sha256"].is_string(), "{ran:?}");
    // A loop of links that are followed.
    symlink("..", sandbox.path("t/up")).unwrap();
    let ran = sandbox.sum(["--tree", "--symlinks", "follow", "t"]);
    assert_eq!((ran.text(), ran.status), ("", Some(1)), "{ran:?}");
    assert!(ran.stderr.contains("loop"), "{ran:?}");
    sandbox.sum(["--tree", "t"]).good();
}

fn dedupe(sandbox: &Sandbox, args: &[&str]) -> Ran {
    sandbox.run(MANYLANE, [&["dedupe"], args].concat())
}

/// Files of which some are equal: of one size, of one head, and of one content.
fn copies() -> Sandbox {
    let sandbox = Sandbox::new();
    let long = |last: u8| [vec![7; 100_000], vec![last]].concat();
    for (name, bytes) in [
        ("d/a", b"abc".to_vec()),
        ("d/b/a", b"abc".to_vec()),
        ("d/b/other", b"abd".to_vec()),
        ("d/long-1", long(1)),
        ("d/long-2", long(2)),
        ("d/x/long-1", long(1)),
        ("d/x/only", b"only".to_vec()),
        ("d/none", Vec::new()),
        ("d/x/none", Vec::new()),
    ] {
        sandbox.write(name, bytes);
    }
    fs::hard_link(sandbox.path("d/long-2"), sandbox.path("d/x/linked")).unwrap();
    symlink("long-2", sandbox.path("d/symbolic")).unwrap();
    sandbox
}

#[test]
fn equal_files_are_listed_once_each() {
    let sandbox = copies();
    let ran = dedupe(&sandbox, &["d"]);
    let groups = "d/a\nd/b/a\n\nd/long-1\nd/x/long-1\n";
    assert_eq!((ran.text(), ran.status), (groups, Some(0)), "{ran:?}");
    assert!(ran.stderr.contains("groups: 2, copies: 2, size of the copies: 97.66 KiB"), "{ran:?}");
    let help = dedupe(&sandbox, &["--help"]).good();
    assert!(!String::from_utf8(help).unwrap().contains("--hardlinks"));
    for args in [
        &["d", "d"][..],
        &["d", "d/b", "--symlinks", "files"],
        &["-a", "md5", "d"],
        &["--hardlinks", "once", "d"],
    ] {
        assert_eq!(dedupe(&sandbox, args).text(), groups, "{args:?}");
    }
    for (args, expected) in [
        (&["-q", "--min-size", "1K", "d"][..], "d/long-1\nd/x/long-1\n"),
        (&["-q", "-f", "d"], "d/b/a\nd/x/long-1\n"),
        (&["-q", "-f0", "d"], "d/b/a\0d/x/long-1\0"),
        (&["-q", "-0", "d"], "d/a\0d/b/a\0\0d/long-1\0d/x/long-1\0"),
        (&["-q", "--max-size", "0", "--min-size", "0", "d"], "d/none\nd/x/none\n"),
        (&["-q", "d/b"], ""),
    ] {
        let ran = dedupe(&sandbox, args);
        assert_eq!((ran.text(), &ran.stderr[..], ran.status), (expected, "", Some(0)), "{args:?}");
    }
    let json = dedupe(&sandbox, &["--json", "d"]).good();
    let rows: Vec<serde_json::Value> = String::from_utf8(json)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows[0]["files"], serde_json::json!([{"file": "d/a"}, {"file": "d/b/a"}]));
    assert_eq!(rows[0]["size"], 3);
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(rows[0]["digest"], abc);
    assert_eq!(rows[2]["summary"], serde_json::json!({"groups": 2, "copies": 2, "bytes": 100_004}));
    if has("xargs", "equal_files_are_listed_once_each") {
        let remove = format!("'{MANYLANE}' dedupe -qf0 d | xargs -0 rm --");
        assert!(sandbox.run("sh", ["-c", &remove]).good().is_empty());
        assert!(dedupe(&sandbox, &["-q", "d"]).good().is_empty());
    }
    assert!(sandbox.path("d/a").exists() && sandbox.path("d/x/linked").exists());
}

#[test]
fn files_that_cannot_be_compared_are_said_and_left() {
    let sandbox = copies();
    assert!(sandbox.command("mkfifo").arg(sandbox.path("pipe")).status().unwrap().success());
    for (args, word) in [
        (&["none"][..], "none: No such file"),
        (&["-"], "-: files alone are compared, not standard input"),
        (&["pipe"], "pipe: is no regular file"),
        (&["-a", "nonsense", "d"], "nonsense"),
        (&["-0", "--json", "d"], "--json"),
        (&["--hardlinks", "all", "d"], "--hardlinks all: the names of one file are no equal"),
        (&["--min-size", "x", "d"], "64K or 1G"),
    ] {
        let ran = dedupe(&sandbox, args);
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{args:?}");
        assert!(ran.stderr.contains(word), "{args:?}: {ran:?}");
    }
    let ran = dedupe(&sandbox, &["-q", "."]);
    assert_eq!((ran.status, &ran.stderr[..]), (Some(0), "manylane: skipped 1 FIFO\n"), "{ran:?}");
    // Names that are no text, and known digests.
    for (at, name) in nasty_names().iter().enumerate() {
        sandbox.write(Path::new("n").join(name), [at as u8 / 2; 20_000]);
    }
    let first = dedupe(&sandbox, &["-0q", "--cache", "CACHE", "n"]).good();
    let second = dedupe(&sandbox, &["-0q", "--cache", "CACHE", "--summary", "n"]);
    assert!(second.stderr.contains("0 files read"), "{second:?}");
    assert_eq!(first, second.stdout);
    assert_eq!(first.split(|byte| *byte == 0).filter(|name| !name.is_empty()).count(), 22);
}
