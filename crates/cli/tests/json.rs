//! `manylane sum --json`: a line of JSON for each file.
#![cfg(unix)]

mod common;

use common::{Ran, Sandbox};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

fn objects(ran: &Ran) -> Vec<Value> {
    ran.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn digests_stand_by_the_names_of_algorithms() {
    let sandbox = Sandbox::new();
    sandbox.write("a\n\"b", "abc");
    sandbox.write("key", "secret");
    let args = ["--json", "-a", "md5,skein512-8,hmac-sha1", "--key-file", "key", "a\n\"b", "none"];
    let ran = sandbox.sum(args);
    assert_eq!((ran.status, ran.stderr.lines().count()), (Some(1), 1), "{ran:?}");
    let digest = |algorithm: &str| {
        let key = if algorithm.starts_with("hmac") { &["--key-file", "key"][..] } else { &[] };
        let line = sandbox.sum([&["-z", "-a", algorithm, "a\n\"b"][..], key].concat()).good();
        String::from_utf8(line).unwrap().split(' ').next().unwrap().to_owned()
    };
    let digests = json!({
        "md5": digest("md5"), "skein512-8": digest("skein512-8"), "hmac-sha1": digest("hmac-sha1"),
    });
    let error = "No such file or directory";
    let expected =
        [json!({"file": "a\n\"b", "digests": digests}), json!({"file": "none", "error": error})];
    assert_eq!(objects(&ran), expected);
}

#[test]
fn names_that_are_not_utf_8_lose_nothing() {
    let sandbox = Sandbox::new();
    let name = OsStr::from_bytes(b"\xff a");
    sandbox.write(name, "abc");
    let ran = sandbox.sum([OsStr::new("--json"), name]);
    let [object] = &objects(&ran)[..] else { panic!("{ran:?}") };
    assert_eq!((&object["file"], &object["file_base64"]), (&"\u{fffd} a".into(), &"/yBh".into()));
}

#[test]
fn statuses_of_lists_are_lines_too() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "abc");
    let good = sandbox.sum(["--tag", "-a", "sha3-256", "a"]).good();
    let good = String::from_utf8(good).unwrap();
    let bad = good.replace("= 3a", "= 3b");
    assert_ne!(good, bad);
    let missing = good.replace("(a)", "(none)");
    sandbox.write("list", format!("{good}{bad}what\n{missing}"));
    let ran = sandbox.sum(["--json", "-c", "list"]);
    assert_eq!(ran.status, Some(1));
    let status = |file: &str, status: &str| -> Value {
        let algorithm = "sha3-256";
        json!({"list": "list", "file": file, "algorithm": algorithm, "status": status})
    };
    let malformed = json!({
        "list": "list", "line": 3, "status": "malformed", "error": "not a line of checksums",
    });
    let expected =
        [status("a", "ok"), status("a", "failed"), malformed, status("none", "unreadable")];
    assert_eq!(objects(&ran), expected);
    assert_eq!(objects(&sandbox.sum(["--json", "--quiet", "-c", "list"])), expected[1..]);
    assert_eq!(sandbox.sum(["--json", "--status", "-c", "list"]).text(), "");
    for other in ["--tag", "--base64", "-z", "--text", "--raw"] {
        let ran = sandbox.sum(["--json", other, "a"]);
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{other}");
    }
}

/// A folder of which something cannot be read, and the list of it that an audit and an update take.
#[test]
fn what_has_no_digest_is_an_object_and_no_entry() {
    let sandbox = Sandbox::new();
    sandbox.write("d/a", "abc");
    std::os::unix::fs::symlink("no", sandbox.path("d/dangling")).unwrap();
    let ran = sandbox.sum(["--json", "-r", "none", "d"]);
    assert_eq!((ran.status, ran.stderr.lines().count()), (Some(1), 2), "{ran:?}");
    let error = "No such file or directory";
    let found = objects(&ran);
    assert_eq!(found[0], json!({"file": "none", "error": error}));
    assert_eq!(found[2], json!({"file": "d/dangling", "error": error}));
    sandbox.write("list", ran.text());
    let audited = sandbox.run(common::MANYLANE, ["audit", "--json", "list", "d"]);
    assert!(audited.text().contains("\"ok\""), "{audited:?}");
    let updated = sandbox.sum(["--update", "list", "-r", "d"]);
    assert!(updated.text().contains("1 kept"), "{updated:?}");
}
