//! `sum --update`: what stays of a list, and what does not.

use crate::common::{MANYLANE, coreutils};
use crate::{audit, folder, says, update};
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;

#[test]
fn a_list_is_kept_up_to_date() {
    let sandbox = folder();
    let first = update(&sandbox, &["--summary"]);
    assert!(first.stderr.contains("4 files read, 10 B"), "{first:?}");
    let new = ["d/a: NEW", "d/b/c: NEW", "d/b/d: NEW", "d/e: NEW"];
    says(first, 0, &new, "SUMMARY: 0 kept, 4 NEW, 0 CHANGED, 0 REMOVED");
    // Coreutils take the list as it is.
    if coreutils().is_some() {
        sandbox.run("sha256sum", ["-c", "--strict", "--quiet", "LIST"]).good();
    }
    sandbox.sum(["-c", "--strict", "--quiet", "LIST"]).good();
    let before = fs::read(sandbox.path("LIST")).unwrap();
    let written = sandbox.path("LIST").metadata().unwrap().modified().unwrap();
    let again = update(&sandbox, &["--summary"]);
    assert!(again.stderr.contains("0 files read, 0 B"), "{again:?}");
    says(again, 0, &[], "SUMMARY: 4 kept, 0 NEW, 0 CHANGED, 0 REMOVED");
    // There is nothing to write then.
    assert_eq!(sandbox.path("LIST").metadata().unwrap().modified().unwrap(), written);
    assert_eq!(fs::read(sandbox.path("LIST")).unwrap(), before);
    sandbox.write("d/a", "other");
    fs::remove_file(sandbox.path("d/b/c")).unwrap();
    sandbox.write("d/b/x", "new");
    let third = update(&sandbox, &["--summary"]);
    assert!(third.stderr.contains("2 files read, 8 B"), "{third:?}");
    let changes = ["d/a: CHANGED", "d/b/x: NEW", "d/b/c: REMOVED"];
    says(third, 0, &changes, "SUMMARY: 2 kept, 1 NEW, 1 CHANGED, 1 REMOVED");
    // In the order of a walk, wherever lines were added.
    let listed = String::from_utf8(fs::read(sandbox.path("LIST")).unwrap()).unwrap();
    let listed: Vec<&str> = listed.lines().filter(|line| !line.starts_with('#')).collect();
    let walked = sandbox.sum(["-r", "d"]).good();
    assert_eq!(listed.join("\n") + "\n", String::from_utf8(walked).unwrap());
    // Other folders of the list stay as they are.
    sandbox.write("other/f", "other");
    says(
        sandbox.sum(["--update", "LIST", "-r", "other"]),
        0,
        &["other/f: NEW"],
        "SUMMARY: 0 kept, 1 NEW, 0 CHANGED, 0 REMOVED",
    );
    fs::remove_dir_all(sandbox.path("d")).unwrap();
    fs::create_dir(sandbox.path("d")).unwrap();
    let emptied = update(&sandbox, &[]);
    assert_eq!(emptied.status, Some(1));
    assert!(emptied.stderr.contains("is a disk not mounted"), "{emptied:?}");
    // A file that the list does not name is no sign that the disk is mounted.
    sandbox.write("d/z", "");
    let list = fs::read(sandbox.path("LIST")).unwrap();
    let emptied = update(&sandbox, &[]);
    assert_eq!(emptied.status, Some(1));
    assert!(emptied.stderr.contains("is a disk not mounted"), "{emptied:?}");
    assert_eq!(fs::read(sandbox.path("LIST")).unwrap(), list);
    // A file that cannot be read is no sign of it either.
    symlink("none", sandbox.path("d/dangling")).unwrap();
    let emptied = update(&sandbox, &[]);
    assert_eq!(emptied.status, Some(1));
    assert!(emptied.stderr.contains("is a disk not mounted"), "{emptied:?}");
    fs::remove_file(sandbox.path("d/dangling")).unwrap();
    says(
        update(&sandbox, &["--keep-missing"]),
        0,
        &["d/z: NEW"],
        "SUMMARY: 0 kept, 1 NEW, 0 CHANGED, 0 REMOVED",
    );
    assert!(update(&sandbox, &[]).good().ends_with(b"4 REMOVED\n"));
    assert_eq!(sandbox.sum(["-c", "LIST"]).good(), b"d/z: OK\nother/f: OK\n");
}

/// A FILE that cannot be read is counted, in a walk too, and the error of a folder has a remedy.
#[test]
fn what_fails_is_counted() {
    let sandbox = folder();
    for walk in [&[][..], &["-r"]] {
        let ran = sandbox.sum([&["--update", "NEW", "--json", "none"][..], walk].concat());
        assert_eq!(ran.status, Some(1), "{ran:?}");
        assert!(ran.text().contains("\"failed\":1"), "{walk:?}: {ran:?}");
        assert!(ran.stderr.ends_with("NEW: is not made, as nothing was hashed\n"), "{ran:?}");
        assert!(!sandbox.path("NEW").exists(), "{walk:?}");
    }
    let ran = sandbox.sum(["--update", "NEW", "d"]);
    let said = "d: Is a directory; -r hashes the files below it\n";
    assert!(ran.status == Some(1) && ran.stderr.contains(said), "{ran:?}");
    assert!(!sandbox.path("NEW").exists());
    // A list is made if other files were hashed, and for a folder without files.
    std::fs::create_dir(sandbox.path("empty")).unwrap();
    assert_eq!(sandbox.sum(["--update", "NEW", "-r", "empty"]).status, Some(0));
    assert_eq!(std::fs::read(sandbox.path("NEW")).unwrap(), b"");
    std::fs::remove_file(sandbox.path("NEW")).unwrap();
    assert_eq!(sandbox.sum(["--update", "NEW", "-r", "d", "none"]).status, Some(1));
    assert!(!std::fs::read(sandbox.path("NEW")).unwrap().is_empty());
}

/// What is listed as a file and is a directory, a pipe or a link to a directory now is gone.
#[test]
fn files_may_become_something_else() {
    let sandbox = folder();
    sandbox.write("d/f", "five");
    update(&sandbox, &[]).good();
    for name in ["d/a", "d/e", "d/f"] {
        fs::remove_file(sandbox.path(name)).unwrap();
    }
    fs::create_dir(sandbox.path("d/a")).unwrap();
    let fifo = sandbox.command("mkfifo").arg("d/e").status().unwrap();
    assert!(fifo.success());
    symlink("b", sandbox.path("d/f")).unwrap();
    let audited = audit(&sandbox, &["-q", "LIST", "d"]);
    says(audited, 1, &["d/a: CHANGED", "d/e: CHANGED", "d/f: CHANGED"], "SUMMARY: 2 OK, 3 CHANGED");
    let ran = update(&sandbox, &[]);
    let removed = ["d/a: REMOVED", "d/e: REMOVED", "d/f: REMOVED"];
    says(ran, 0, &removed, "SUMMARY: 2 kept, 0 NEW, 0 CHANGED, 3 REMOVED");
}

/// A cache does not keep --rehash from reading.
#[test]
fn all_is_read_again_beside_a_cache() {
    let sandbox = folder();
    let cached = update(&sandbox, &["--cache=CACHE", "--summary"]);
    assert!(cached.stderr.contains("4 files read"), "{cached:?}");
    let again = update(&sandbox, &["--cache=CACHE", "--summary"]);
    assert!(again.stderr.contains("0 files read"), "{again:?}");
    let rehashed = update(&sandbox, &["--cache=CACHE", "--summary", "--rehash"]);
    assert!(rehashed.stderr.contains("4 files read"), "{rehashed:?}");
}

#[test]
fn what_cannot_be_updated_is_left_as_it_was() {
    let sandbox = folder();
    let digest = sandbox.sum(["d/a"]).good();
    let tagged = sandbox.sum(["--tag", "d/a"]).good();
    for (list, args, word) in [
        (&b"nonsense\n"[..], &[][..], "LIST: 1: "),
        (&digest, &["-a", "md5"], "look like SHA-256"),
        (&tagged, &["-a", "md5"], "has digests of sha256"),
        (&digest, &["-a", "sha256,md5", "--format", "gnu"], "hold one digest"),
        (&digest, &["-a", "hmac-md5", "--key-file", "d/a"], "not of HMAC"),
        (&digest, &["--check"], "--check"),
        (&digest, &["-"], "standard input"),
        (&digest, &["--exclude", "a["], "--exclude"),
    ] {
        sandbox.write("LIST", list);
        let ran = update(&sandbox, args);
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{args:?}");
        assert!(ran.stderr.contains(word), "{args:?}: {ran:?}");
        assert_eq!(fs::read(sandbox.path("LIST")).unwrap(), list);
    }
    fs::remove_file(sandbox.path("LIST")).unwrap();
    fs::create_dir(sandbox.path("LIST")).unwrap();
    assert!(update(&sandbox, &[]).stderr.contains("LIST: is no regular file"));
    let nowhere = sandbox.sum(["--update", "none/LIST", "-r", "d"]);
    assert_eq!(nowhere.status, Some(1));
    assert!(nowhere.stderr.contains("none/LIST: No such file"), "{nowhere:?}");
    // A list in the folder that it describes does not list itself, nor what is written beside it.
    let own = sandbox.sum(["--update", "d/LIST", "-r", "d", "--quiet"]);
    assert_eq!((own.text(), own.status), ("", Some(0)), "{own:?}");
    sandbox.write("d/.LIST.a1b2c3.unfinished", "half");
    let own = sandbox.sum(["--update", "d/LIST", "-r", "d"]).good();
    assert_eq!(own, b"SUMMARY: 4 kept, 0 NEW, 0 CHANGED, 0 REMOVED\n");
    assert_eq!(audit(&sandbox, &["-q", "d/LIST", "d"]).good(), b"SUMMARY: 4 OK\n");
    // Beside another list they are files like any other. More algorithms may be added, and comments
    // before the first file stay.
    sandbox.write("MORE", [b"# ours\n", &digest[..]].concat());
    let more = ["--update", "MORE", "-r", "d", "-a", "sha256,md5", "--format", "bsd"];
    assert!(sandbox.sum(more).good().ends_with(b"1 kept, 5 NEW, 0 CHANGED, 0 REMOVED\n"));
    let text = String::from_utf8(fs::read(sandbox.path("MORE")).unwrap()).unwrap();
    assert!(text.starts_with("# ours\n#manylane: ") && text.contains("\nMD5 (d/a) = "), "{text}");
    assert_eq!(sandbox.sum(["-c", "--strict", "--quiet", "MORE"]).status, Some(0));
}

/// A link to nothing is not replaced by a list.
#[test]
fn a_link_to_nothing_stays() {
    let sandbox = folder();
    symlink("nowhere/LIST", sandbox.path("LIST")).unwrap();
    let ran = update(&sandbox, &[]);
    assert_eq!((ran.text(), ran.status), ("", Some(1)), "{ran:?}");
    assert!(ran.stderr.contains("LIST: is a link to nothing"), "{ran:?}");
    assert_eq!(fs::read_link(sandbox.path("LIST")).unwrap(), Path::new("nowhere/LIST"));
}

/// Comments and empty lines stay before the files that they stand before; those of a file that is
/// gone go to the end.
#[test]
fn comments_stay_with_their_files() {
    let sandbox = folder();
    let listed = update(&sandbox, &[]).good();
    assert!(!listed.is_empty());
    let list = String::from_utf8(fs::read(sandbox.path("LIST")).unwrap()).unwrap();
    let bare: Vec<&str> = list.lines().filter(|line| !line.starts_with('#')).collect();
    let [a, c, d, e] = bare[..] else { panic!("{list}") };
    sandbox.write("LIST", format!("# ours\n\n{e}\n\n# of c\n{c}\n# of d\n{d}\n# of a\n{a}\n# end"));
    fs::remove_file(sandbox.path("d/b/d")).unwrap();
    says(
        update(&sandbox, &[]),
        0,
        &["d/b/d: REMOVED"],
        "SUMMARY: 3 kept, 0 NEW, 0 CHANGED, 1 REMOVED",
    );
    let text = String::from_utf8(fs::read(sandbox.path("LIST")).unwrap()).unwrap();
    let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with("#manylane: ")).collect();
    assert_eq!(kept, ["# ours", "", "# of a", a, "", "# of c", c, e, "# of d", "# end"]);
    assert_eq!(sandbox.sum(["-c", "--strict", "--quiet", "LIST"]).status, Some(0));
    // A form that has no comments has none.
    update(&sandbox, &["--format", "json"]).good();
    let text = String::from_utf8(fs::read(sandbox.path("LIST")).unwrap()).unwrap();
    assert!(text.lines().all(|line| line.starts_with('{')), "{text}");
}

/// A file that cannot be read keeps its line, and another's list is not overwritten.
#[test]
fn failures_lose_no_lines() {
    let sandbox = folder();
    update(&sandbox, &[]).good();
    let listed = fs::read(sandbox.path("LIST")).unwrap();
    let missing = sandbox.sum(["--update", "LIST", "-r", "d", "nowhere"]);
    assert_eq!(missing.status, Some(1));
    assert!(missing.stderr.contains("nowhere: No such file"), "{missing:?}");
    assert_eq!(fs::read(sandbox.path("LIST")).unwrap(), listed);
    let list = sandbox.path("LIST");
    assert!(sandbox.command("mkfifo").arg("names").status().unwrap().success());
    let mut child = sandbox.command(MANYLANE);
    child.args(["sum", "--update", "LIST", "--files-from", "names"]);
    child.stdout(Stdio::null()).stderr(Stdio::piped());
    let child = child.spawn().unwrap();
    // The list is read before the names are asked for; then another program writes it.
    let mut names = File::options().write(true).open(sandbox.path("names")).unwrap();
    fs::write(&list, "another's\n").unwrap();
    sandbox.write("d/more", "more");
    names.write_all(b"d/more\n").unwrap();
    drop(names);
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("another program has written it meanwhile"), "{message}");
    assert_eq!(fs::read(&list).unwrap(), b"another's\n");
}
