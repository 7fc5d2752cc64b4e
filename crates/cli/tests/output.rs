//! What `manylane sum` prints is what coreutils prints.
#![cfg(unix)]

mod common;

use common::{Rng, Sandbox, has, nasty_names};
use std::ffi::OsString;

const TOOLS: [(&str, &str); 6] = [
    ("md5", "md5sum"),
    ("sha1", "sha1sum"),
    ("sha224", "sha224sum"),
    ("sha256", "sha256sum"),
    ("sha384", "sha384sum"),
    ("sha512", "sha512sum"),
];

fn args(options: &[&str], names: &[OsString]) -> Vec<OsString> {
    let options = options.iter().map(OsString::from);
    options.chain([OsString::from("--")]).chain(names.iter().cloned()).collect()
}

/// A sandbox with a file of every nasty name, each of another length.
fn nasty_sandbox() -> (Sandbox, Vec<OsString>) {
    let sandbox = Sandbox::new();
    let mut rng = Rng::from_name("nasty_sandbox");
    let names = nasty_names();
    for (i, name) in names.iter().enumerate() {
        sandbox.write(name, rng.bytes(37 * i));
    }
    (sandbox, names)
}

#[test]
fn lines_are_those_of_coreutils() {
    let (sandbox, names) = nasty_sandbox();
    for (algorithm, tool) in TOOLS {
        if !has(tool, "lines_are_those_of_coreutils") {
            continue;
        }
        let styles: [&[&str]; 7] =
            [&[], &["-b"], &["-t"], &["-b", "-t"], &["--tag"], &["-z"], &["-z", "--tag"]];
        for style in styles {
            let ours = sandbox.sum(args(&[style, &["-a", algorithm]].concat(), &names)).good();
            let theirs = sandbox.run(tool, args(style, &names)).good();
            assert!(ours == theirs, "{tool} {style:?}: {:?}", String::from_utf8_lossy(&ours));
        }
    }
}

#[test]
fn each_checks_what_the_other_printed() {
    let (sandbox, names) = nasty_sandbox();
    for (algorithm, tool) in TOOLS {
        if !has(tool, "each_checks_what_the_other_printed") {
            continue;
        }
        for style in [&[][..], &["-b"], &["--tag"]] {
            let ours = sandbox.sum(args(&[style, &["-a", algorithm]].concat(), &names)).good();
            sandbox.write("ours", &ours);
            let theirs = sandbox.run(tool, args(style, &names)).good();
            sandbox.write("theirs", theirs);
            let by_them = sandbox.run(tool, ["-c", "--strict", "ours"]).good();
            let by_us = sandbox.sum(["-a", algorithm, "-c", "--strict", "theirs"]).good();
            assert_eq!(by_us.split(|&b| b == b'\n').count(), names.len() + 1);
            assert_eq!(String::from_utf8_lossy(&by_us).matches(": OK").count(), names.len());
            assert_eq!(String::from_utf8_lossy(&by_them).matches(": OK").count(), names.len());
        }
    }
}

#[test]
fn crlf_lists_are_read() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "abc");
    let list = String::from_utf8(sandbox.sum(["a"]).good()).unwrap().replace('\n', "\r\n");
    sandbox.write("list", list);
    assert_eq!(sandbox.sum(["-c", "list"]).good(), b"a: OK\n");
}

#[test]
fn every_hash_makes_lines_that_can_be_checked() {
    let sandbox = Sandbox::new();
    sandbox.write("f (1)", Rng::from_name("every_hash").bytes(1000));
    sandbox.write("g", "");
    let list = sandbox.run(common::MANYLANE, ["list", "--json"]);
    let list: serde_json::Value = serde_json::from_slice(&list.good()).unwrap();
    let mut hashes = 0;
    let mut tagged = Vec::new();
    for primitive in list["primitives"].as_array().unwrap() {
        if primitive["kind"] != "hash" {
            continue;
        }
        hashes += 1;
        let name = primitive["name"].as_str().unwrap();
        sandbox.write("list", sandbox.sum(["-a", name, "f (1)", "g"]).good());
        assert_eq!(
            sandbox.sum(["-a", name, "-c", "--strict", "list"]).good(),
            b"'f (1)': OK\ng: OK\n",
            "{name}"
        );
        let free: &[&str] = match primitive["any_length"].as_bool().unwrap() {
            true => &["", "160", "2048"],
            false => &[""],
        };
        for &bits in free {
            let length = ["-l", bits];
            let length = if bits.is_empty() { &[][..] } else { &length };
            let all = [&["-a", name, "--tag", "f (1)", "g"], length].concat();
            tagged.extend(sandbox.sum(all).good());
            let plain = sandbox.sum([&["-a", name, "f (1)"], length].concat()).good();
            sandbox.write("list", &plain);
            // The number of digits tells the length.
            assert_eq!(
                sandbox.sum(["-a", name, "-c", "list"]).good(),
                b"'f (1)': OK\n",
                "{name} {bits}"
            );
        }
    }
    assert!(hashes >= 37);
    sandbox.write("tagged", &tagged);
    let checked = sandbox.sum(["-c", "--strict", "tagged"]);
    let lines = tagged.iter().filter(|&&byte| byte == b'\n').count();
    assert_eq!((checked.text().matches(": OK\n").count(), checked.status), (lines, Some(0)));
    let warnings = checked.stderr.lines().all(|line| line.contains(": WARNING: "));
    assert!(warnings && checked.stderr.lines().count() == 6, "{}", checked.stderr);
    // Tagged lines name their own algorithm unless one is asked for.
    let checked = sandbox.sum(["-a", "md5", "-c", "--strict", "tagged"]);
    assert_eq!((checked.text(), checked.status), ("'f (1)': OK\ng: OK\n", Some(1)));
}

#[test]
fn openssl_lines_are_read() {
    if !has("openssl", "openssl_lines_are_read") {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("a b", "abc");
    for digest in ["-md5", "-sha1", "-sha256", "-sha512-256", "-sha3-384", "-ripemd160"] {
        let line = sandbox.run("openssl", ["dgst", digest, "a b"]).good();
        sandbox.write("list", &line);
        let ran = sandbox.sum(["-c", "--strict", "list"]);
        assert_eq!((ran.text(), ran.status), ("'a b': OK\n", Some(0)), "{line:?}");
        let broken = ["-md5", "-sha1", "-ripemd160"].contains(&digest);
        assert_eq!(ran.stderr.contains(" WARNING: "), broken, "{ran:?}");
        assert_eq!(ran.stderr.lines().count(), usize::from(broken), "{ran:?}");
    }
}

#[test]
fn lengths_are_bits_and_checked() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "");
    let short = sandbox.sum(["-a", "shake256", "-l", "64", "a"]).good();
    assert_eq!(short, b"46b9dd2b0ba88d13  a\n");
    let named = sandbox.sum(["-a", "shake256-64", "a"]).good();
    assert_eq!(short, named);
    for (args, why) in [
        (["-a", "sha256", "-l", "128"], "SHA-256 has digests of 256 bits, not of 128"),
        (["-a", "sha2", "-l", "257"], "sha2 has no hash with digests of 257 bits: name sha"),
        (["-a", "shake128", "-l", "12"], "12 bits is not a multiple of 8"),
        (["-a", "shake128", "-l", "0"], "no digest of 0 bits"),
        (["-a", "shake128", "-l", "80000000"], "no digest of 80000000 bits"),
    ] {
        let ran = sandbox.sum(args.iter().chain(&["a"]));
        assert_eq!(ran.status, Some(1));
        assert!(ran.stderr.contains(why) && ran.stdout.is_empty(), "{ran:?}");
    }
}
