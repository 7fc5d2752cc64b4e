//! `manylane sum -a NAME,NAME`: several algorithms in one pass over the files.
#![cfg(unix)]

mod common;

use common::{MANYLANE, Ran, Rng, Sandbox};
use std::io::Write;
use std::process::Command;

/// Hashes of several families, sizes of digests and lanes, and a tag under a key.
const ALGORITHMS: [&str; 5] = ["md5", "sha256", "blake512", "skein512-8", "hmac-sha1"];

/// Empty, short, whole blocks, around the length from which files are read in pieces, and long.
fn files(sandbox: &Sandbox) -> Vec<String> {
    let mut rng = Rng::from_name("several");
    let mut names = Vec::new();
    for (i, length) in [0, 1, 64, 4096, (512 << 10) - 1, 512 << 10, 700_001, 3_000_000]
        .into_iter()
        .chain((0..40).map(|i| i * 997))
        .enumerate()
    {
        names.push(format!("d/{i:02}"));
        sandbox.write(names.last().unwrap(), rng.bytes(length));
    }
    names.push("d/back\\slash".to_owned());
    sandbox.write(names.last().unwrap(), "abc");
    sandbox.write("key", "secret");
    names
}

/// The lines of runs with one algorithm each, taken in turns.
fn one_by_one(sandbox: &Sandbox, algorithms: &[&str], args: &[&str]) -> Vec<u8> {
    let runs: Vec<Vec<u8>> = algorithms
        .iter()
        .map(|name| {
            let key = if name.starts_with("hmac") { &["--key-file", "key"][..] } else { &[] };
            sandbox.sum([&["--tag", "-a", name], key, args].concat()).stdout
        })
        .collect();
    let mut lines: Vec<_> = runs.iter().map(|run| run.split_inclusive(|b| *b == b'\n')).collect();
    let mut all = Vec::new();
    while lines.iter_mut().all(|run| run.next().map(|line| all.extend(line)).is_some()) {}
    all
}

#[test]
fn they_are_what_each_alone_is() {
    let sandbox = Sandbox::new();
    let names = files(&sandbox);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let together = ALGORITHMS.join(",");
    let expected = one_by_one(&sandbox, &ALGORITHMS, &names);
    for ways in [&["-j1"][..], &["-j2"], &["-j8"], &["-j1", "--sequential"], &["--sequential"]] {
        let args = [&["-a", &together, "--key-file", "key"], ways, &names].concat();
        assert!(sandbox.sum(args).good() == expected, "{ways:?}");
    }
    // One long file alone, on as many threads as there are.
    for name in ["d/07", "d/06"] {
        let expected = one_by_one(&sandbox, &ALGORITHMS, &[name]);
        for threads in ["-j1", "-j2", "-j3", "-j16"] {
            let args = ["-a", &together, "--key-file", "key", threads, name];
            assert!(sandbox.sum(args).good() == expected, "{threads} {name}");
        }
    }
    // Every hash there is, over a few files.
    let listed = sandbox.run(MANYLANE, ["list", "--json"]).good();
    let listed: serde_json::Value = serde_json::from_slice(&listed).unwrap();
    let primitives = listed["primitives"].as_array().unwrap();
    let hashes = primitives.iter().filter(|one| one["kind"] == "hash");
    let all: Vec<&str> = hashes.map(|one| one["name"].as_str().unwrap()).collect();
    assert!(all.len() > 30, "{all:?}");
    let few = ["d/00", "d/03", "d/06", "d/11", "d/12"];
    let all_names = all.join(",");
    let args = [&["-a", &all_names][..], &few].concat();
    assert!(sandbox.sum(args).good() == one_by_one(&sandbox, &all, &few));
    // What is printed is checked without further words, apart from the warning of broken hashes.
    let strong = ["sha256", "blake512", "sha3-224"];
    let strong_names = strong.join(",");
    let args = [&["-a", &strong_names][..], &names].concat();
    let list = sandbox.sum(args).good();
    sandbox.write("list", &list);
    let checked = sandbox.sum(["-c", "list"]).good();
    assert_eq!(checked.split(|byte| *byte == b'\n').count() - 1, 3 * names.len());
}

/// Standard input and a pipe can be read once only.
#[test]
fn every_byte_is_read_once() {
    let sandbox = Sandbox::new();
    let bytes = Rng::from_name("once").bytes(1_234_567);
    sandbox.write("file", &bytes);
    let both = ["-a", "sha1", "-a", "groestl256"];
    let named = |name: &str| {
        let expected = one_by_one(&sandbox, &["sha1", "groestl256"], &["file"]);
        String::from_utf8(expected).unwrap().replace("(file)", &format!("({name})"))
    };
    for threads in ["-j1", "-j4"] {
        let args = [&["sum", threads][..], &both].concat();
        let ran = sandbox.run_with_input(MANYLANE, args, &bytes);
        assert_eq!(String::from_utf8(ran.good()).unwrap(), named("-"));
        let pipe = sandbox.path("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let ran = std::thread::scope(|scope| {
            scope.spawn(|| std::fs::File::create(&pipe).unwrap().write_all(&bytes).unwrap());
            sandbox.sum([&both[..], &["pipe", threads]].concat())
        });
        assert_eq!(String::from_utf8(ran.good()).unwrap(), named("pipe"));
        std::fs::remove_file(&pipe).unwrap();
    }
}

#[test]
fn a_file_that_fails_has_no_line_at_all() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "abc");
    let Ran { stdout, stderr, status } = sandbox.sum(["-a", "sha1,md5", "none", "a"]);
    let lines = String::from_utf8(stdout).unwrap();
    assert_eq!((lines.lines().count(), status), (2, Some(1)));
    assert!(lines.starts_with("SHA1 (a) = ") && lines.contains("\nMD5 (a) = "), "{lines}");
    assert_eq!(stderr.matches("none: No such file or directory").count(), 1);
}

#[test]
fn names_and_ends_of_lines_are_those_of_tagged_lines() {
    let sandbox = Sandbox::new();
    sandbox.write("a\nb", "abc");
    let both = ["-a", "md5,sha1", "a\nb"];
    let md5 = "MD5 (a\\nb) = 900150983cd24fb0d6963f7d28e17f72";
    let sha1 = "SHA1 (a\\nb) = a9993e364706816aba3e25717850c26c9cd0d89d";
    assert_eq!(sandbox.sum(both).text(), format!("\\{md5}\n\\{sha1}\n"));
    for more in ["--tag", "--binary"] {
        assert_eq!(sandbox.sum([&both[..], &[more]].concat()), sandbox.sum(both));
    }
    let zero = sandbox.sum([&both[..], &["-z"]].concat()).good();
    let expected = format!("{md5}\0{sha1}\0").replace("\\n", "\n");
    assert_eq!(zero, expected.into_bytes());
}

#[test]
fn what_does_not_go_together_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "abc");
    sandbox.write("key", "secret");
    for (args, word) in [
        (&["-a", "md5,sha1", "--text"][..], "--text"),
        (&["-a", "md5,sha1", "--key-file", "key"], "md5 takes no key"),
        (&["-a", "md5,hmac-sha1"], "hmac-sha1 needs a key"),
        (&["-a", "md5,sha257"], "unknown algorithm sha257"),
        (&["-a", "md5,,sha1"], "unknown algorithm"),
        (&["-a", "md5,sha1", "-l", "160"], "MD5 has digests of 128 bits"),
        (&["-a", "md5,sha3-256", "--engine", "sha-ni"], "sha-ni"),
    ] {
        let ran = sandbox.sum([args, &["a"]].concat());
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{args:?}");
        assert!(ran.stderr.contains(word), "{args:?}: {}", ran.stderr);
    }
}
