//! `audit`: what became of the files of a list.

use crate::common::{MANYLANE, Sandbox};
use crate::{audit, folder, lines, rot, says, update};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

#[test]
fn rot_is_told_from_change_and_good_digests_stay() {
    let sandbox = folder();
    update(&sandbox, &[]).good();
    let before = fs::read(sandbox.path("LIST")).unwrap();
    rot(&sandbox.path("d/e"), b"FOUR");
    // The inode's time shows the change, so the file is read without `--rehash` too.
    for args in [&[][..], &["--rehash"]] {
        let ran = update(&sandbox, args);
        assert!(ran.stderr.contains("d/e: BITROT: its content is another one"), "{ran:?}");
        let summary = "SUMMARY: 3 kept, 0 NEW, 0 CHANGED, 0 REMOVED, 1 BITROT";
        says(ran, 2, &["d/e: BITROT"], summary);
        assert_eq!(fs::read(sandbox.path("LIST")).unwrap(), before);
    }
    let audited = audit(&sandbox, &["-q", "LIST", "d"]);
    says(audited, 2, &["d/e: BITROT"], "SUMMARY: 3 OK, 1 BITROT");
    let json = audit(&sandbox, &["--json", "-q", "LIST", "d"]);
    assert!(json.text().starts_with("{\"file\":\"d/e\",\"status\":\"bitrot\"}\n"), "{json:?}");
    // After the file was touched, its content is a change like any other.
    sandbox.write("d/e", "FOUR");
    says(
        update(&sandbox, &[]),
        0,
        &["d/e: CHANGED"],
        "SUMMARY: 3 kept, 0 NEW, 1 CHANGED, 0 REMOVED",
    );
    audit(&sandbox, &["LIST", "d"]).good();
}

/// A file that cannot be read is still there, so a copy of it is a duplicate and not a moved file.
#[test]
fn a_copy_of_an_unreadable_file_is_a_duplicate() {
    let sandbox = folder();
    sandbox.write("LIST", sandbox.sum(["-r", "d"]).good());
    sandbox.write("d/copy", "one");
    sandbox.write("d/other", "two");
    for (name, mode) in [("d/a", 0), ("d/b", 0), ("d", 0o755)] {
        fs::set_permissions(sandbox.path(name), Permissions::from_mode(mode)).unwrap();
    }
    let (args, test) =
        (["audit", "-q", "LIST", "d"], "a_copy_of_an_unreadable_file_is_a_duplicate");
    let ran = sandbox.run_unprivileged(&args, test);
    fs::set_permissions(sandbox.path("d/b"), Permissions::from_mode(0o755)).unwrap();
    let Some(ran) = ran else { return };
    let expected = [
        "d/a: UNREADABLE",
        "d/b/c: UNREADABLE",
        "d/b/d: UNREADABLE",
        "d/copy: DUPLICATE of d/a",
        "d/other: DUPLICATE of d/b/c",
    ];
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert_eq!(lines(&ran).0, expected, "{ran:?}");
}

#[test]
fn an_audit_says_what_became_of_each_file() {
    let sandbox = folder();
    for (name, bytes) in [("d/gone", "gone"), ("d/moved", "moved"), ("d/twice", "twice")] {
        sandbox.write(name, bytes);
    }
    let list = sandbox.sum(["-r", "d"]).good();
    sandbox.write("LIST", &list);
    let all = audit(&sandbox, &["LIST", "d"]);
    assert_eq!(lines(&all).0.len(), 7);
    assert!(all.good().ends_with(b"d/twice: OK\nSUMMARY: 7 OK\n"));
    sandbox.write("d/a", "ONE!");
    fs::remove_file(sandbox.path("d/gone")).unwrap();
    fs::create_dir(sandbox.path("d/deep")).unwrap();
    fs::rename(sandbox.path("d/moved"), sandbox.path("d/deep/moved")).unwrap();
    sandbox.write("d/copy", "twice");
    sandbox.write("d/new", "new");
    let expected = [
        "d/a: CHANGED",
        "d/copy: DUPLICATE of d/twice",
        "d/deep/moved: MOVED from d/moved",
        "d/new: NEW",
        "d/gone: MISSING",
    ];
    let summary = "SUMMARY: 4 OK, 1 CHANGED, 1 MOVED, 1 DUPLICATE, 1 NEW, 1 MISSING";
    for args in [&["-q", "LIST", "d"][..], &["-q", "--by-size-first", "LIST", "d"]] {
        says(audit(&sandbox, args), 1, &expected, summary);
    }
    // From within the folder, and from a pipe.
    let mut inside = sandbox.command(MANYLANE);
    inside.args(["audit", "-q", "../LIST", "../d"]).current_dir(sandbox.path("d"));
    assert_eq!(inside.output().unwrap().status.code(), Some(1));
    for from in ["-", "/dev/stdin"] {
        let piped = sandbox.run_with_input(MANYLANE, ["audit", "-q", from, "d"], &list);
        says(piped, 1, &expected, summary);
    }
    // Names in the list may be relative to the folder, wherever the program runs.
    let mut within = sandbox.command(MANYLANE);
    let within = within.args(["sum", "-r"]).current_dir(sandbox.path("d")).output().unwrap();
    sandbox.write("WITHIN", within.stdout);
    let absolute = sandbox.path("d");
    for folder in ["d", "./d/", absolute.to_str().unwrap()] {
        let ran = audit(&sandbox, &["-q", "WITHIN", folder]);
        assert_eq!(ran.good(), b"SUMMARY: 8 OK\n", "{folder}");
    }
    let silent = audit(&sandbox, &["--status", "LIST", "d"]);
    assert_eq!((silent.text(), silent.status), ("", Some(1)));
    let allowed = ["--allow", "changed,moved,duplicate,new,missing", "-q", "LIST", "d"];
    assert_eq!(audit(&sandbox, &allowed).status, Some(0));
    let quick = audit(&sandbox, &["-q", "--fail-fast", "LIST", "d"]);
    says(quick, 1, &["d/a: CHANGED"], "SUMMARY: 0 OK, 1 CHANGED");
    let json = audit(&sandbox, &["--json", "-q", "LIST", "d"]);
    let rows: Vec<serde_json::Value> =
        json.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        rows[1],
        serde_json::json!({"file": "d/copy", "of": "d/twice", "status": "duplicate"})
    );
    assert_eq!(rows[2]["from"], "d/moved");
    assert_eq!(rows[5]["summary"]["ok"], 4);
    assert_eq!(rows[5]["summary"]["missing"], 1);
}

/// Listed files outside the folder are counted, whether or not they exist.
#[test]
fn an_audit_leaves_out_what_is_outside() {
    let sandbox = Sandbox::new();
    sandbox.write("d/a", "a");
    sandbox.write("d/sub/b", "b");
    sandbox.write("LIST", sandbox.sum(["-r", "d"]).good());
    let elsewhere = "SUMMARY: 1 OK, 1 listed file elsewhere was not audited";
    for folder in ["d/sub", "d/sub/b"] {
        sandbox.write("d/a", "a");
        says(audit(&sandbox, &["-q", "LIST", folder]), 0, &[], elsewhere);
        fs::remove_file(sandbox.path("d/a")).unwrap();
        says(audit(&sandbox, &["-q", "LIST", folder]), 0, &[], elsewhere);
    }
    says(audit(&sandbox, &["-q", "LIST", "d"]), 1, &["d/a: MISSING"], "SUMMARY: 1 OK, 1 MISSING");
}

/// The fastest negative answer compares all sizes before any file is read.
#[test]
fn other_sizes_are_found_before_files_are_read() {
    let sandbox = folder();
    update(&sandbox, &[]).good();
    sandbox.write("d/e", "longer");
    let quick = |more: &[&str]| {
        let args = ["-q", "--by-size-first", "--fail-fast", "--summary", "LIST", "d"];
        audit(&sandbox, &[&args, more].concat())
    };
    let ran = quick(&[]);
    assert!(ran.stderr.contains("0 files read"), "{ran:?}");
    says(ran, 1, &["d/e: CHANGED"], "SUMMARY: 0 OK, 1 CHANGED");
    // What is left out or allowed is no difference.
    for allowed in [&["--exclude", "e"][..], &["--allow", "changed"]] {
        let ran = quick(allowed);
        assert_eq!(ran.status, Some(0), "{ran:?}");
        assert!(ran.stderr.contains("3 files read"), "{ran:?}");
    }
    sandbox.write("d/z", "of a size that no listed file has");
    let ran = quick(&["--allow", "changed"]);
    says(ran, 1, &["d/z: NEW"], "SUMMARY: 0 OK, 1 NEW");
}

/// The exit status alone tells, of special files too.
#[test]
fn an_audit_for_its_status_says_nothing() {
    let sandbox = folder();
    sandbox.write("LIST", sandbox.sum(["-r", "d"]).good());
    let pipe = sandbox.path("d/pipe");
    assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    assert!(audit(&sandbox, &["LIST", "d"]).stderr.contains("skipped 1 FIFO"));
    assert_eq!(audit(&sandbox, &["--status", "LIST", "d"]).good(), b"");
}

/// Every new file of one content has at most one listed file that it was moved from.
#[test]
fn many_files_of_one_content_are_matched_one_by_one() {
    let sandbox = Sandbox::new();
    for i in 0..300 {
        sandbox.write(format!("d/old/{i}"), "");
    }
    sandbox.write("LIST", sandbox.sum(["-r", "d"]).good());
    fs::rename(sandbox.path("d/old"), sandbox.path("d/now")).unwrap();
    sandbox.write("d/now/more", "");
    let ran = audit(&sandbox, &["LIST", "d"]);
    let (lines, summary) = lines(&ran);
    assert_eq!(summary, "SUMMARY: 0 OK, 300 MOVED, 1 DUPLICATE");
    let same = |line: &&&str| {
        line.strip_prefix("d/now/")
            .and_then(|line| line.split_once(": MOVED from d/old/"))
            .is_some_and(|(now, then)| now == then)
    };
    assert!(lines.iter().filter(same).count() > 60, "{lines:?}");
}

/// A file alone is audited by a list that was made inside its folder, from wherever.
#[test]
fn an_audit_of_one_file_knows_its_folder() {
    let sandbox = folder();
    update(&sandbox, &[]).good();
    let text = String::from_utf8(fs::read(sandbox.path("LIST")).unwrap()).unwrap();
    sandbox.write("INSIDE", text.replace("  d/", "  ./"));
    for (list, file) in [("INSIDE", "d/a"), ("LIST", "d/a"), ("LIST", "./d/a")] {
        let ran = audit(&sandbox, &[list, file]);
        let last = ran.text().lines().last().unwrap_or_default().to_owned();
        assert!(last.starts_with("SUMMARY: 1 OK"), "{list} {file}: {ran:?}");
        assert_eq!(ran.status, Some(0), "{ran:?}");
    }
}
