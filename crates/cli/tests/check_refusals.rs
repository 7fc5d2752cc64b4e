//! What `manylane sum -c` refuses, and how it says what would help.
#![cfg(unix)]

mod common;

use common::{MANYLANE, Ran, Rng, Sandbox, has, nasty_names};
use std::os::unix::ffi::OsStrExt;

/// Digests of "abc".
const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
const SHA1: &str = "a9993e364706816aba3e25717850c26c9cd0d89d";
const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// A directory with the file `a`, which holds "abc".
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("a", "abc");
    sandbox.write("key", "key");
    sandbox
}

/// The line of the file `a`.
fn line(sandbox: &Sandbox, args: &[&str]) -> String {
    String::from_utf8(sandbox.sum([args, &["a"]].concat()).good()).unwrap()
}

/// Checks a list with these arguments.
fn check(sandbox: &Sandbox, args: &[&str], list: impl AsRef<[u8]>) -> Ran {
    sandbox.write("list", list);
    sandbox.sum([args, &["-c", "list"]].concat())
}

/// Every pair of an algorithm that is asked for and one that a line has.
#[test]
fn an_algorithm_that_is_asked_for_binds_every_line() {
    let sandbox = sandbox();
    let all: [&[&str]; 13] = [
        &["-a", "md5"],
        &["-a", "ripemd128"],
        &["-a", "sha1"],
        &["-a", "sha256"],
        &["-a", "sha512"],
        &["-a", "sha512-256"],
        &["-a", "sha3-256"],
        &["-a", "blake256"],
        &["-a", "shake128", "-l", "8"],
        &["-a", "shake128", "-l", "256"],
        &["-a", "skein512", "-l", "256"],
        &["-a", "hmac-md5", "--key-file", "key"],
        &["-a", "hmac-sha256", "--key-file", "key"],
    ];
    let tagged = all.map(|said| line(&sandbox, &[said, &["--tag"]].concat()));
    for (asked, own) in all.iter().zip(&tagged) {
        assert_eq!(check(&sandbox, asked, own).good(), b"a: OK\n");
        let others: Vec<&String> = tagged.iter().filter(|other| *other != own).collect();
        for &other in &others {
            let ran = check(&sandbox, asked, other);
            assert_eq!((ran.text(), ran.status), ("", Some(1)), "{asked:?} {other}");
            let tag = other.split(' ').next().unwrap();
            assert!(ran.stderr.contains(&format!("list: 1: {tag} is refused")), "{ran:?}");
            assert!(ran.stderr.contains("no properly formatted"), "{ran:?}");
        }
        // Beside a good line they count as improperly formatted, as coreutils has it.
        let all = own.clone() + others[0] + others[1];
        let ran = check(&sandbox, asked, &all);
        assert_eq!((ran.text(), ran.status), ("a: OK\n", Some(0)));
        assert!(ran.stderr.contains("WARNING: 2 lines are improperly formatted"), "{ran:?}");
        let ran = check(&sandbox, &[*asked, &["--strict"]].concat(), &all);
        assert_eq!((ran.text(), ran.status), ("a: OK\n", Some(1)));
    }
    // This is the list of the bug report.
    let list = line(&sandbox, &["--tag", "-a", "shake128", "-l", "8"])
        + &line(&sandbox, &["--tag", "-a", "md5"]);
    let ran = check(&sandbox, &["-a", "sha256", "--strict"], list);
    assert_eq!((ran.text(), ran.status), ("", Some(1)));
    // A hash of any length takes every length that is long enough, unless one is asked for.
    for bits in ["128", "256", "1024"] {
        let list = line(&sandbox, &["--tag", "-a", "skein512", "-l", bits])
            + &line(&sandbox, &["-a", "skein512", "-l", bits]);
        let ran = check(&sandbox, &["-a", "skein512"], &list);
        assert_eq!(ran.good(), b"a: OK\na: OK\n");
        for asked in [&["-a", "skein512", "-l", "512"][..], &["-a", "skein512-512"]] {
            assert_eq!(check(&sandbox, asked, &list).status, Some(1));
        }
    }
}

/// `cksum -a` judges these lists as the program does.
#[test]
fn lists_of_several_algorithms_are_judged_as_by_cksum() {
    if !has("cksum", "lists_of_several_algorithms_are_judged_as_by_cksum") {
        return;
    }
    let sandbox = sandbox();
    let names = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];
    let mut lines: Vec<String> = Vec::new();
    for name in names {
        lines.push(line(&sandbox, &["-a", name]));
        lines.push(line(&sandbox, &["-a", name, "--tag"]));
    }
    let mut rng = Rng::from_name("lists of several algorithms");
    for round in 0..30 {
        let list: String =
            (0..1 + rng.below(4)).map(|_| lines[rng.below(lines.len())].clone()).collect();
        sandbox.write("list", &list);
        let name = names[round % names.len()];
        for more in [&["-c"][..], &["-c", "--strict"]] {
            let args = [&["-a", name], more, &["list"]].concat();
            let ours = sandbox.sum(&args);
            let theirs = sandbox.run("cksum", &args);
            assert_eq!(
                (ours.text(), ours.status),
                (theirs.text(), theirs.status),
                "{name}: {list}{ours:?}\n{theirs:?}"
            );
        }
    }
}

#[test]
fn short_digests_are_refused_unless_they_are_asked_for() {
    let sandbox = sandbox();
    for (name, tag) in [("shake128", "SHAKE128"), ("skein512", "Skein-512")] {
        for bits in ["8", "64", "120"] {
            let asked = ["-a", name, "-l", bits];
            let tagged = line(&sandbox, &[&asked[..], &["--tag"]].concat());
            for args in [&[][..], &["-a", name]] {
                let ran = check(&sandbox, args, &tagged);
                assert_eq!((ran.text(), ran.status), ("", Some(1)), "{args:?}");
                for words in [
                    format!("list: 1: {tag}-{bits} is refused"),
                    "fewer than 128 bits".to_owned(),
                    format!("-a {name} -l {bits} checks it"),
                ] {
                    assert!(ran.stderr.contains(&words), "{ran:?}");
                }
            }
            let short = format!("{name}-{bits}");
            for args in [&asked[..], &["-l", bits], &["-a", &short]] {
                assert_eq!(check(&sandbox, args, &tagged).good(), b"a: OK\n", "{args:?}");
            }
            // Other lengths were not asked for.
            let tagged_sha256 = format!("SHA256 (a) = {SHA256}\n");
            for others in [tagged.clone(), format!("{SHA256}  a\n"), tagged_sha256] {
                let ran = check(&sandbox, &["-l", "16"], others);
                assert_eq!((ran.text(), ran.status), ("", Some(1)));
                assert!(ran.stderr.contains("only 16 bits were asked for"), "{ran:?}");
            }
        }
        let list = line(&sandbox, &["-a", name, "-l", "128", "--tag"]);
        assert_eq!(check(&sandbox, &[], list).good(), b"a: OK\n");
    }
    for bits in ["0", "12", "99999999999"] {
        let ran = check(&sandbox, &["-l", bits], format!("{SHA256}  a\n"));
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{bits}");
    }
}

#[test]
fn broken_hashes_are_warned_of_once_unless_they_are_asked_for() {
    let sandbox = sandbox();
    let mut list = String::new();
    for name in ["md5", "sha1", "ripemd160", "sha256", "md5"] {
        list += &line(&sandbox, &["-a", name, "--tag"]);
    }
    sandbox.write("list", &list);
    for (args, printed) in [
        (&["-c", "list", "list"][..], "a: OK\n".repeat(10)),
        (&["-c", "--quiet", "list"], String::new()),
    ] {
        let ran = sandbox.sum(args);
        assert_eq!((ran.text(), ran.status), (&printed[..], Some(0)));
        let warnings: Vec<&str> = ran.stderr.lines().collect();
        assert_eq!(
            warnings,
            [
                "manylane: WARNING: MD5 is broken (collisions in seconds); -a md5 checks without \
                 this warning",
                "manylane: WARNING: SHA-1 is broken (chosen-prefix collisions found); -a sha1 \
                 checks without this warning",
                "manylane: WARNING: RIPEMD-160 is outdated (160 bits: collisions within 2^80 \
                 work); -a ripemd160 checks without this warning",
            ]
        );
    }
    assert!(sandbox.sum(["-c", "--status", "list"]).good().is_empty());
    let md5 = line(&sandbox, &["-a", "md5", "--tag"]);
    assert_eq!(check(&sandbox, &["-a", "md5"], md5).good(), b"a: OK\n");
}

#[test]
fn one_algorithm_is_checked_at_a_time() {
    let sandbox = sandbox();
    for args in [&["-a", "sha256", "-a", "md5", "-c", "a"][..], &["-a", "sha256,md5", "-c", "a"]] {
        let ran = sandbox.sum(args);
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{args:?}");
        for word in ["-a sha256 -a md5", "lines of one algorithm; without -a"] {
            assert!(ran.stderr.contains(word), "{ran:?}");
        }
    }
    let ran = sandbox.sum(["-a", "sha256", "-a", "SHA-256", "a"]);
    assert_eq!(ran.good(), format!("{SHA256}  a\n").into_bytes());
}

/// In the locale C coreutils escapes what is not ASCII.
#[test]
fn status_lines_keep_to_the_locale() {
    let sandbox = sandbox();
    sandbox.write("é", "abc");
    let list = sandbox.sum(["é"]).good();
    std::fs::write(sandbox.path("LIST"), list).unwrap();
    for (locale, status) in [("C", "''$'\\303\\251': OK\n"), ("en_GB.utf8", "é: OK\n")] {
        let mut command = sandbox.command(MANYLANE);
        let output = command.args(["sum", "-c", "LIST"]).env("LC_ALL", locale).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), status, "{locale}");
    }
}

/// Names in status lines: what coreutils 9.11 prints, and a shell reads the name back.
#[test]
fn status_lines_quote_names_for_a_shell() {
    let sandbox = sandbox();
    for (name, quoted) in [
        (&b"plain"[..], "plain"),
        (b"with blank", "'with blank'"),
        (b"a\\b", "'a\\b'"),
        (b"a\\", "'a\\'"),
        (b"\\a", "'\\a'"),
        (b"a\nb", "'a'$'\\n''b'"),
        (b"a\rb", "'a'$'\\r''b'"),
        (b"a\tb", "'a'$'\\t''b'"),
        (b"it's", "\"it's\""),
        (b"\x1b[31mOK", "''$'\\033''[31mOK'"),
        (b"\xff\xfe", "''$'\\377\\376'"),
        ("é: OK".as_bytes(), "'é: OK'"),
    ] {
        let path = std::ffi::OsStr::from_bytes(name);
        sandbox.write(path, "abc");
        let list = sandbox.sum([path]).good();
        assert_eq!(check(&sandbox, &[], &list).text(), format!("{quoted}: OK\n"));
        let spoiled = String::from_utf8_lossy(&list).is_ascii();
        if spoiled {
            let bad = String::from_utf8(list.clone()).unwrap().replacen("ba7816bf", "00000000", 1);
            assert_eq!(check(&sandbox, &[], bad).text(), format!("{quoted}: FAILED\n"));
        }
        std::fs::remove_file(sandbox.path(path)).unwrap();
        let ran = check(&sandbox, &[], &list);
        assert_eq!(ran.text(), format!("{quoted}: FAILED open or read\n"));
        assert!(ran.stderr.contains(&format!("manylane: {quoted}: No such file")), "{ran:?}");
    }
    if !has("bash", "status_lines_quote_names_for_a_shell") {
        return;
    }
    for name in nasty_names() {
        sandbox.write(&name, "abc");
        let list = sandbox.sum([std::ffi::OsStr::new("--"), &name]).good();
        let ran = check(&sandbox, &[], list);
        let word = ran.text().strip_suffix(": OK\n").unwrap();
        assert!(!word.contains(char::is_control), "{word:?}");
        let read = sandbox.run("bash", ["-c", &format!("printf %s {word}")]);
        assert_eq!(read.good(), name.as_bytes(), "{word}");
    }
}

#[test]
fn marks_are_skipped_and_wide_text_is_named() {
    let sandbox = sandbox();
    sandbox.write("b\nc", "abc");
    let lists = [
        format!("{SHA256}  a\r\n"),
        format!("# comment\r\n{SHA256}  a\r\n"),
        format!("SHA256 (a) = {SHA256}\r\n{SHA256} *a\n"),
        format!("\\{SHA256}  b\\nc\r\n"),
        format!("\r\n{SHA256}  a"),
    ];
    for list in &lists {
        let plain = check(&sandbox, &["--strict"], list);
        let printed = plain.clone().good();
        assert!(printed.ends_with(b": OK\n"), "{list:?}");
        let marked = format!("\u{feff}{list}");
        assert_eq!(check(&sandbox, &["--strict"], &marked), plain);
        let ran = sandbox.run_with_input(MANYLANE, ["sum", "--strict", "-c"], marked.as_bytes());
        assert_eq!(ran, plain);

        let utf16: Vec<u16> = list.encode_utf16().collect();
        let little: Vec<u8> = utf16.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = utf16.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        let wide: Vec<u8> = list.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
        for (mark, text, name) in [
            (&b"\xff\xfe"[..], &little, "UTF-16"),
            (b"\xfe\xff", &big, "UTF-16"),
            (b"", &little, "UTF-16LE"),
            (b"", &big, "UTF-16BE"),
            (b"\xff\xfe\0\0", &wide, "UTF-32"),
            (b"", &wide, "UTF-32LE"),
        ] {
            let bytes = [mark, text].concat();
            let ran = check(&sandbox, &[], &bytes);
            assert_eq!((ran.text(), ran.status), ("", Some(1)));
            let expected = format!(
                "manylane: list: this list is {name} text, and lists are ASCII or UTF-8; convert \
                 it with iconv -f {name} -t UTF-8\n"
            );
            assert_eq!(ran.stderr, expected);
            let ran = sandbox.run_with_input(MANYLANE, ["sum", "-c"], &bytes);
            assert_eq!(
                (ran.status, ran.stderr),
                (Some(1), expected.replace("list:", "'standard input':"))
            );
            // The remedy that the message names works.
            if has("iconv", "marks_are_skipped_and_wide_text_is_named") {
                let iconv = ["-f", name, "-t", "UTF-8", "list"];
                let bytes = sandbox.run("iconv", iconv).good();
                assert_eq!(check(&sandbox, &["--strict"], bytes).good(), printed);
            }
        }
    }
    // The mark is skipped only at the start, and a list with nothing else is no list.
    let ran = check(&sandbox, &["--strict"], format!("{SHA256}  a\n\u{feff}{SHA256}  a\n"));
    assert_eq!((ran.text(), ran.status), ("a: OK\n", Some(1)));
    assert_eq!(check(&sandbox, &[], "\u{feff}").status, Some(1));
}

/// Lists that could be checked if the arguments said more.
#[test]
fn lists_that_cannot_be_checked_as_they_are_say_what_would_help() {
    let sandbox = sandbox();
    let hmac = ["-a", "hmac-sha256", "--key-file", "key", "--tag"];
    let hmac = line(&sandbox, &hmac);
    for (args, list, words) in [
        (
            &[][..],
            format!("{MD5}  a\n"),
            &[
                "list: 1: 32 hexadecimal digits look like MD5 or RIPEMD-128, not like SHA256",
                "-a md5",
            ][..],
        ),
        (&[], format!("{SHA1} *a\n"), &["40 hexadecimal digits look like SHA-1", "-a sha1"]),
        (&["-a", "sha512"], format!("{SHA256}  a\n"), &["look like SHA-256", "not like SHA512"]),
        (
            &["-a", "md5"],
            format!("\n{SHA256}  a\n{SHA256}  a\n"),
            &["list: 2: 64", "1 more line like it"],
        ),
        (
            &[],
            hmac.clone(),
            &["list: 1: HMAC-SHA256 needs a key", "-a hmac-sha256 --key-file FILE"],
        ),
        (&["-a", "sha256"], hmac, &["HMAC-SHA256 is refused", "-a hmac-sha256 --key-file FILE"]),
        (
            &[],
            format!("# x\nSHA257 (a) = {SHA256}\n"),
            &["list: 2: unknown algorithm SHA257", "did you mean sha2"],
        ),
        (
            &[],
            format!("BLAKE2b (a) = {SHA256}\n"),
            &["list: 1: unknown algorithm BLAKE2b", "another function"],
        ),
        (&[], format!("SM3 (a) = {SHA256}\n"), &["list: 1: unknown algorithm SM3"]),
        (&[], format!("{SHA256}  a\0{SHA256}  b\0"), &["list: 1: NUL bytes;", "--zero"]),
    ] {
        let ran = check(&sandbox, args, &list);
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{list}");
        for word in words.iter().chain(&["list: no properly formatted checksum lines found\n"]) {
            assert!(ran.stderr.contains(word), "{word}: {ran:?}");
        }
        assert!(ran.stderr.lines().all(|line| line.starts_with("manylane: ")), "{ran:?}");
        let silent = check(&sandbox, &[args, &["--status"]].concat(), &list);
        assert_eq!(silent.stderr, "manylane: list: no properly formatted checksum lines found\n");
    }
    // Many faults do not fill the terminal.
    let list: String = (0..1000).map(|i| format!("X{i}Y (a) = {SHA256}\n")).collect();
    let ran = check(&sandbox, &[], list);
    assert!(ran.stderr.lines().count() < 15, "{}", ran.stderr);
    assert!(ran.stderr.contains("more lines for other reasons"), "{}", ran.stderr);
}

#[test]
fn names_and_arguments_that_are_nearly_right_are_explained() {
    let sandbox = sandbox();
    std::fs::create_dir(sandbox.path("dir")).unwrap();
    for (name, digest) in [("SHA-256", SHA256), ("sha_256", SHA256), ("SHA-1", SHA1), ("Md-5", MD5)]
    {
        assert_eq!(line(&sandbox, &["-a", name]), format!("{digest}  a\n"));
    }
    assert_eq!(line(&sandbox, &["-a", "sha3", "-l", "256"]), line(&sandbox, &["-a", "sha3-256"]));
    assert_eq!(line(&sandbox, &["-a", "blake-32"]), line(&sandbox, &["-a", "blake256"]));
    for (args, words) in [
        (&["-a", "sha3", "a"][..], &["sha3 is a family", "sha3-224, sha3-256", "--length"][..]),
        (&["-a", "sha1+md5", "a"], &["sha1+md5: algorithms have a comma between them"]),
        (&["-a", "blake2b", "a"], &["unknown algorithm blake2b", "another function"]),
        (&["-a", "hmac", "--key-file", "key", "a"], &["hmac-sha256"]),
        (&["dir"], &["dir: Is a directory; -r hashes the files below it\n"]),
    ] {
        let ran = sandbox.sum(args);
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{args:?}");
        for word in words {
            assert!(ran.stderr.contains(word), "{ran:?}");
        }
    }
    for command in ["sum", "list", "plan", "explain"] {
        for option in ["--version", "-V"] {
            let version = sandbox.run(MANYLANE, [command, option]).good();
            let version = String::from_utf8(version).unwrap();
            assert!(version.starts_with("manylane"), "{version}");
            assert!(version.trim_end().ends_with(env!("CARGO_PKG_VERSION")), "{version}");
        }
    }
    // Every subcommand knows the names that `sum` knows.
    for name in ["SHA-256", "blake-32"] {
        for command in ["explain", "plan"] {
            let args = [command, name];
            let more: &[&str] = if command == "plan" { &["--on", "rp2040"] } else { &[] };
            sandbox.run(MANYLANE, [&args, more].concat()).good();
        }
    }
}

/// What a check read, and how long it took, is said where it is asked for.
#[test]
fn checks_have_summaries() {
    let sandbox = sandbox();
    sandbox.write("LIST", format!("{SHA256}  a\n{SHA256}  none\n"));
    let ran = sandbox.sum(["-c", "--summary", "--slowest", "1", "LIST"]);
    assert!(ran.stderr.contains("1 file read, "), "{ran:?}");
    assert!(ran.stderr.contains("; 1 file without a digest\n"), "{ran:?}");
    assert!(ran.stderr.contains(": a\n"), "{ran:?}");
    let ran = sandbox.sum(["-c", "--summary", "--ignore-missing", "LIST"]);
    assert!(ran.stderr.contains("1 file read, "), "{ran:?}");
    assert!(!ran.stderr.contains("without a digest"), "{ran:?}");
    for keeping in ["--cache=CACHE", "--checkpoint=RUN"] {
        let ran = sandbox.sum(["-c", keeping, "LIST"]);
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{ran:?}");
        assert!(ran.stderr.contains("`manylane audit LIST DIR`"), "{ran:?}");
    }
}

/// A list whose comment states a hash that is unknown here is not taken for one of SHA-256.
#[test]
fn an_unknown_hash_in_a_comment_is_no_other_hash() {
    let sandbox = sandbox();
    let list = String::from_utf8(sandbox.sum(["--update", "list", "-a", "sha3-256", "a"]).stdout);
    assert!(list.is_ok());
    let text = std::fs::read_to_string(sandbox.path("list")).unwrap();
    assert!(text.starts_with("#manylane: sha3-256\n"), "{text}");
    let text = text.replace("sha3-256", "sha3-265");
    sandbox.write("list", &text);
    let ran = sandbox.sum(["-c", "list"]);
    assert_eq!((ran.text(), ran.status), ("", Some(1)), "{ran:?}");
    assert!(ran.stderr.contains("list: 1: unknown algorithm sha3-265"), "{ran:?}");
    for args in [&["sum", "--update", "list", "a"][..], &["audit", "list", "."]] {
        let ran = sandbox.run(common::MANYLANE, args);
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{ran:?}");
        assert!(ran.stderr.contains("unknown algorithm sha3-265"), "{ran:?}");
        assert_eq!(std::fs::read_to_string(sandbox.path("list")).unwrap(), text);
    }
    // Where the hash is asked for, comments decide nothing.
    assert!(sandbox.sum(["-c", "-a", "sha3-256", "list"]).stdout.starts_with(b"a: OK"));
}
