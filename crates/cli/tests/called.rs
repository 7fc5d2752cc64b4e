//! The program started by the names of coreutils' programs, and digests in other digits.
#![cfg(unix)]

mod common;

use common::{MANYLANE, Ran, Sandbox, has, nasty_names};
use std::ffi::OsString;
use std::os::unix::fs::symlink;

const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const ABC_64: &str = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";

/// A folder with the file `a` and the program under each of the names, in `bin`.
fn called(names: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("a", "abc");
    std::fs::create_dir(sandbox.path("bin")).unwrap();
    for name in names {
        symlink(MANYLANE, sandbox.path("bin").join(name)).unwrap();
    }
    sandbox
}

fn ours(sandbox: &Sandbox, name: &str, args: &[OsString]) -> Ran {
    sandbox.run(sandbox.path("bin").join(name).to_str().unwrap(), args)
}

/// What coreutils' programs do with the same arguments, their messages included.
#[test]
fn they_are_coreutils_programs() {
    let names = ["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum"];
    let sandbox = called(&names);
    let mut nasty = nasty_names();
    for name in &nasty {
        sandbox.write(name, "abc");
    }
    nasty.insert(0, "--".into());
    for name in names {
        if !has(name, "they_are_coreutils_programs") {
            continue;
        }
        let list = sandbox.run(name, ["a", "a"]).good();
        sandbox.write("list", &list);
        sandbox.write("bad", [&list[..], b"what is this\n"].concat());
        for args in [
            &["a", "a"][..],
            &["a", "none", "a"],
            &["bin", "a"],
            &["-b", "a"],
            &["--tag", "a"],
            &["-t", "--tag", "a"],
            &["-bt", "--tag", "a"],
            &["--tag", "-tb", "a"],
            &["-z", "a"],
            &["--b", "a"],
            &["--ta", "a"],
            &["--z", "a"],
            &["--", "--b"],
            &["-c", "list"],
            &["--c", "--q", "list"],
            &["-c", "--quiet", "list"],
            &["-c", "bad"],
            &["-cw", "bad"],
            &["-c", "--strict", "bad"],
            &["--status", "-c", "none"],
            &["--quiet", "a"],
        ] {
            let args: Vec<OsString> = args.iter().map(Into::into).collect();
            let (ours, theirs) = (ours(&sandbox, name, &args), sandbox.run(name, &args));
            assert_eq!(ours, theirs, "{name} {args:?}");
        }
        assert_eq!(ours(&sandbox, name, &nasty), sandbox.run(name, &nasty));
    }
}

/// The last of --tag and --text counts.
#[test]
fn text_gives_way_to_a_tag_behind_it() {
    let sandbox = called(&["sha256sum"]);
    for (args, is_good) in [
        (&["-t", "--tag", "a"][..], true),
        (&["-bt", "--tag", "a"], true),
        (&["--tag", "-tb", "a"], true),
        (&["--tag", "-t", "a"], false),
        (&["-t", "--tag", "--text", "a"], false),
        (&["--tag", "-bt", "a"], false),
    ] {
        let args: Vec<OsString> = args.iter().map(Into::into).collect();
        for ran in [ours(&sandbox, "sha256sum", &args), sandbox.sum(&args)] {
            if is_good {
                assert_eq!(ran.good(), format!("SHA256 (a) = {ABC}\n").into_bytes(), "{args:?}");
            } else {
                assert_eq!((ran.text(), ran.status), ("", Some(1)), "{args:?}");
                assert!(ran.stderr.contains("--tag does not support --text mode"), "{ran:?}");
            }
        }
    }
}

#[test]
fn every_algorithm_has_such_a_name() {
    let sandbox = called(&["blake256sum", "sha3-256sum", "hmac-sha1sum", "nonsensesum"]);
    for algorithm in ["blake256", "sha3-256"] {
        let ran = ours(&sandbox, &format!("{algorithm}sum"), &["a".into()]);
        assert_eq!(ran, sandbox.sum(["-a", algorithm, "a"]));
    }
    let ran = ours(&sandbox, "hmac-sha1sum", &["a".into()]);
    assert_eq!(ran.status, Some(1));
    assert!(ran.stderr.starts_with("hmac-sha1sum: hmac-sha1 needs a key"), "{}", ran.stderr);
    // The message says why a similar name stands for no algorithm, unless a command follows the
    // name.
    let why = "manylane: the name nonsensesum stands for no algorithm: unknown algorithm nonsense";
    for arguments in [&["a"][..], &["-c", "list"], &["--check"], &[]] {
        let arguments: Vec<OsString> = arguments.iter().map(Into::into).collect();
        let ran = ours(&sandbox, "nonsensesum", &arguments);
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{arguments:?}");
        assert!(ran.stderr.starts_with(why), "{arguments:?}: {}", ran.stderr);
    }
    let help = ours(&sandbox, "nonsensesum", &["--help".into()]);
    assert!(help.text().starts_with("Runs cryptographic primitives"), "{}", help.text());
    // Any other name is the program itself.
    let ran = ours(&sandbox, "nonsensesum", &["sum".into(), "a".into()]);
    assert_eq!(ran.good(), format!("{ABC}  a\n").into_bytes());
}

#[test]
fn cksum_names_the_algorithm() {
    let sandbox = called(&["cksum"]);
    let run = |args: &[&str]| {
        let args: Vec<OsString> = args.iter().map(Into::into).collect();
        ours(&sandbox, "cksum", &args)
    };
    let tagged = format!("SHA256 (a) = {ABC}\n");
    assert_eq!(run(&["-a", "sha256", "a"]).text(), tagged);
    assert_eq!(run(&["-a", "sha256", "--untagged", "a"]).text(), format!("{ABC}  a\n"));
    assert_eq!(run(&["-a", "sha2", "-l", "256", "a"]).text(), tagged);
    assert_eq!(run(&["--debug", "-a", "sha256", "--de", "a"]).text(), tagged);
    assert_eq!(run(&["-a", "sha256", "--", "--debug"]).status, Some(1));
    let base64 = run(&["-a", "sha256", "--base64", "a"]);
    assert_eq!(base64.text(), format!("SHA256 (a) = {ABC_64}\n"));
    sandbox.write("list", tagged + base64.text());
    assert_eq!(run(&["--check", "list"]).good(), b"a: OK\na: OK\n");
    let both = run(&["--base64", "--raw", "a"]);
    assert!(both.status == Some(1) && both.stderr.contains("cannot be used with"), "{both:?}");
    let crc = run(&["a"]);
    assert_eq!((crc.text(), crc.status), ("", Some(1)));
    assert!(crc.stderr.starts_with("cksum: ") && crc.stderr.contains("-a sha256"), "{crc:?}");
}

#[test]
fn digests_are_written_in_base64_and_as_they_are() {
    let sandbox = called(&[]);
    let base64 = sandbox.sum(["--base64", "a"]).good();
    assert_eq!(base64, format!("{ABC_64}  a\n").into_bytes());
    // Lines of base64 are checked, tagged or not, in lists with others too; a digest that is not
    // the file's is found, and one of another length is no digest.
    let wrong = ABC_64.replace('u', "v");
    for (digest, verdict) in [(ABC_64, "a: OK\n"), (&wrong, "a: FAILED\n"), (&ABC_64[4..], "")] {
        for line in [format!("{digest}  a\n"), format!("SHA256 (a) = {digest}\n")] {
            sandbox.write("list", line);
            assert_eq!(sandbox.sum(["-c", "list"]).text(), verdict, "{digest}");
        }
    }
    // SHA-384 in base64 has as many digits as SHA-256 in hexadecimal. Digits that are all
    // hexadecimal are read as such.
    let both = sandbox.sum(["--base64", "-a", "sha384,sha256", "a"]).good();
    sandbox.write("list", both);
    assert_eq!(sandbox.sum(["-c", "list"]).good(), b"a: OK\na: OK\n");
    let raw = sandbox.sum(["--raw", "a"]).good();
    assert_eq!(raw.iter().map(|byte| format!("{byte:02x}")).collect::<String>(), ABC);
    assert_eq!(sandbox.sum(["--raw", "-a", "md5", "a"]).good().len(), 16);
    let untagged = sandbox.sum(["-a", "sha256,sha1", "--untagged", "a"]).good();
    let alone = |name| sandbox.sum(["-a", name, "a"]).good();
    assert_eq!(untagged, [alone("sha256"), alone("sha1")].concat());
    for (args, word) in [
        (&["--raw", "a", "a"][..], "--raw option is not supported with multiple files"),
        (&["--raw", "-r", "."], "--raw option is not supported with multiple files"),
        (&["--raw", "-a", "md5,sha1", "a"], "--raw option is not supported with multiple algo"),
        (&["--raw", "--base64", "a"], "--base64"),
        (&["--base64", "-c", "list"], "meaningless when verifying"),
    ] {
        let ran = sandbox.sum(args);
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{args:?}");
        assert!(ran.stderr.contains(word), "{args:?}: {}", ran.stderr);
    }
}
