//! `manylane sum -a hmac-…`: tags of files under a key.
#![cfg(unix)]

mod common;

use common::{Rng, Sandbox};

/// RFC 4231 §4.2 and §4.3, RFC 2202 §2 case 2.
#[test]
fn tags_are_those_of_the_standards() {
    let sandbox = Sandbox::new();
    sandbox.write("key", [0x0b; 20]);
    sandbox.write("jefe", "Jefe");
    sandbox.write("hi", "Hi There");
    sandbox.write("what", "what do ya want for nothing?");
    for (hash, key, file, tag) in [
        ("sha256", "key", "hi", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        ("sha224", "jefe", "what", "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44"),
        ("md5", "jefe", "what", "750c783e6ab0b503eaa86e310a5db738"),
    ] {
        let algorithm = format!("hmac-{hash}");
        let printed = sandbox.sum(["-a", &algorithm, "--key-file", key, file]).good();
        assert_eq!(String::from_utf8(printed).unwrap(), format!("{tag}  {file}\n"));
    }
}

/// Short files, long files and standard input take three paths through the program.
#[test]
fn every_way_gives_the_same_tag_and_it_is_checked() {
    let sandbox = Sandbox::new();
    let mut rng = Rng::from_name("every_way_gives_the_same_tag_and_it_is_checked");
    sandbox.write("key", rng.bytes(200));
    for hash in ["sha256", "sha3-256", "skein512", "groestl256"] {
        let algorithm = format!("hmac-{hash}");
        let keyed = ["-a", &algorithm, "--key-file", "key"];
        for length in [0, 1, 1000, 700_000, 3_000_000] {
            let content = rng.bytes(length);
            sandbox.write("file", &content);
            let file = sandbox.sum([&keyed[..], &["file"]].concat()).good();
            let stdin = sandbox
                .run_with_input(common::MANYLANE, [&["sum"], &keyed[..]].concat(), &content)
                .good();
            assert_eq!(file[..64], stdin[..64], "{algorithm} of {length} bytes");

            let tagged = sandbox.sum([&keyed[..], &["--tag", "file"]].concat()).good();
            assert!(tagged.starts_with(b"HMAC-"), "{tagged:?}");
            for list in [&file, &tagged] {
                sandbox.write("list", list);
                let checked = sandbox.sum([&keyed[..], &["-c", "list"]].concat()).good();
                assert_eq!(checked, b"file: OK\n");
            }
            sandbox.write("file", [&content[..], b"!"].concat());
            let checked = sandbox.sum([&keyed[..], &["-c", "list"]].concat());
            assert_eq!((checked.text(), checked.status), ("file: FAILED\n", Some(1)));
        }
    }
    // Without the key the line of a tag is no checksum.
    let checked = sandbox.sum(["-c", "list"]);
    assert_eq!(checked.status, Some(1));
    assert!(checked.stderr.contains("no properly formatted"), "{}", checked.stderr);
}

#[test]
fn hashes_with_too_long_digests_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("key", "key");
    let ran = sandbox.sum(["-a", "hmac-skein256-512", "--key-file", "key", "key"]);
    assert_eq!(ran.status, Some(1));
    assert!(ran.stderr.contains("longer than its block"), "{}", ran.stderr);
}

/// A device that never ends would take all memory.
#[test]
#[cfg(unix)]
fn keys_without_an_end_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("file", "");
    let ran = sandbox.sum(["-a", "hmac-sha256", "--key-file", "/dev/zero", "file"]);
    assert_eq!((ran.text(), ran.status), ("", Some(1)), "{}", ran.stderr);
    assert!(ran.stderr.contains("/dev/zero: a key has at most 64 MiB"), "{}", ran.stderr);
}
