//! What is refused, and with which words.

use crate::common::{MANYLANE, Sandbox};
use crate::{file_of_the_repository, plan};

#[test]
fn bad_input_is_explained() {
    let sandbox = Sandbox::new();
    for (args, words) in [
        ("sha257 --on rp2040", &["unknown algorithm sha257", "did you mean sha256"][..]),
        ("rc6 --on rp2040", &["unknown algorithm rc6", "did you mean rc5?"]),
        ("sha224+sha256 --hardware", &["joined by `+`, of hashes that share", "sha224 or sha256"]),
        ("sha384+SHA-512 --on rp2040", &["`manylane emit rtl` takes", "here: sha384 or sha512"]),
        ("eta-s --threads 2", &["did you mean eta-t?"]),
        ("sha256 --on rp2400", &["no platform `rp2400`", "did you mean `rp2040`?", ".toml"]),
        (
            "sha256 --on commodore",
            &["no platform", "known are s12x-xgate, s12x-xgate-2012, rp2040"],
        ),
        ("sha256 --on none.toml", &["none.toml: no such file"]),
        (
            "sha256 --hardware --delay gat",
            &["no delay model `gat`", "did you mean `generic-gates`?"],
        ),
        ("sha256 --hardware --merge 3", &["3 to a clock", "1, 2, 4, 8"]),
        ("sha256 --hardware --stages 5", &["5 stages", "possible are"]),
        ("sha256 --on unit --decrypt", &["hash function", "block cipher"]),
        ("rc5 --on unit --length 3", &["block cipher", "leave out --length"]),
        ("sha256 --on unit --exact", &["up to 120 units", "--level step"]),
        ("rc5 --threads 2 --messages 3", &["block cipher", "--blocks"]),
        ("sha256 --threads 2 --mode ctr", &["hash function", "--messages"]),
        ("sha256 --on unit --length 1000000000", &["operations of sha256", "are looked at"]),
        ("eta-t --on rp2040", &["pairing", "--threads 2,4,8"]),
        ("eta-t --threads 2 --length 3", &["one pairing", "leave out"]),
        ("eta-t --threads 2 --on core2", &["no pairing platform `core2`", "core2-45nm"]),
        ("sha256 --threads 2 --measure", &["--measure is for eta-t", "manylane bench sha256"]),
        ("hmac-sha256 --hardware", &["twice", "name sha256", "manylane plan hmac-sha256 --on"]),
        ("sha256 --threads 2 --length 2305843009213693952", &["up to 2,305,843,009,213,693,951"]),
        ("jh256 --equations --on unit", &["halves of its words", "on unit they cost more"]),
        ("md5 --on unit --html no/such/page", &["no/such/page: No such file"]),
    ] {
        let ran = plan(&sandbox, args);
        assert_eq!(ran.status, Some(1), "{args}: {ran:?}");
        assert!(ran.stdout.is_empty() && ran.stderr.starts_with("manylane: "), "{args}: {ran:?}");
        for word in words {
            assert!(ran.stderr.contains(word), "{args}: {ran:?}");
        }
    }
}

/// What clap refuses.
#[test]
fn options_that_do_not_go_together_are_refused() {
    let sandbox = Sandbox::new();
    for (args, words) in [
        ("sha256", "required"),
        ("sha256 --on unit --hardware", "cannot be used with"),
        ("sha256 --threads 2 --hardware", "cannot be used with"),
        ("sha256 --on unit --merge 2", "cannot be used with"),
        ("sha256 --on unit --mode ctr", "--threads"),
        ("eta-t --threads 2 --measure --on core2-45nm", "cannot be used with"),
        ("sha256 --hardware --mode ctr", "cannot be used with"),
        ("sha256 --hardware --length 3", "cannot be used with"),
        ("sha256 --hardware --html x.html", "cannot be used with"),
        ("sha256 --threads 2 --level step", "cannot be used with"),
        ("sha256 --hardware --adders csb", "a similar value exists: 'csa'"),
        ("sha256 --hardware --merge 0", "0 is not in 1.."),
        ("sha256 --threads 0", "0 is not in 1..="),
    ] {
        let ran = plan(&sandbox, args);
        assert_eq!(ran.status, Some(1), "{args}: {ran:?}");
        assert!(ran.stdout.is_empty() && ran.stderr.contains(words), "{args}: {ran:?}");
    }
}

/// An option that has no effect on the plan that is asked for is refused.
#[test]
fn options_of_another_plan_are_refused() {
    let sandbox = Sandbox::new();
    let of_hardware =
        ["--merge 2", "--stages 2", "--adders csa", "--precompute kw", "--delay ecp5"];
    let of_threads = ["--mode ctr", "--blocks 3", "--measure"];
    let other_than_hardware =
        ["--on unit", "--threads 2", "--equations", "--table"].map(|plan| (plan, &of_hardware[..]));
    let other_than_threads =
        ["--on unit", "--hardware", "--equations", "--table"].map(|plan| (plan, &of_threads[..]));
    let other_than_equations =
        ["--on unit", "--on unit --messages 2", "--hardware", "--threads 2", "--table"]
            .map(|plan| (plan, &["--tau 3"][..]));
    let plans = other_than_hardware.into_iter().chain(other_than_threads);
    for (with, options) in plans.chain(other_than_equations) {
        for option in options {
            let ran = plan(&sandbox, &format!("blake256 {with} {option}"));
            assert_eq!((ran.status, ran.stdout), (Some(1), Vec::new()), "{with} {option}");
            let said = ["cannot be used with", "were not provided"];
            assert!(said.iter().any(|said| ran.stderr.contains(said)), "{}", ran.stderr);
        }
    }
}

/// Each change of a good description, the line that is wrong, and words of the remedy.
#[test]
fn wrong_descriptions_are_refused_with_their_lines() {
    let sandbox = Sandbox::new();
    let good = |name: &str| {
        let folder = if name == "two-m0" { "tests/data" } else { "platforms" };
        file_of_the_repository(&format!("crates/plan/{folder}/{name}.toml"))
    };
    let refuse = |name: &str, options: &str, from: &str, to: &str, at: &str, words: &str| {
        let text = good(name);
        assert!(text.contains(from), "{name} has no `{from}`");
        let wrong = text.replacen(from, to, 1);
        let line = 1 + wrong.lines().position(|line| line.starts_with(at)).unwrap();
        sandbox.write("mine.toml", wrong);
        let ran = plan(&sandbox, options);
        assert_eq!(ran.status, Some(1), "{from}: {ran:?}");
        let place = format!("manylane: mine.toml:{line}: ");
        assert!(ran.stderr.starts_with(&place), "{place}: {}", ran.stderr);
        assert!(ran.stderr.contains(words) && ran.stdout.is_empty(), "{words}: {}", ran.stderr);
    };
    let two = "sha256 --on mine.toml";
    refuse("two-m0", two, "xor = 2\n", "", "[main.cost]", "add `xor = …`");
    refuse("two-m0", two, "add = 2", "add = -2", "add", "-2");
    refuse("two-m0", two, "add = 2", "ad = 2", "ad = ", "did you mean `add`");
    refuse(
        "two-m0",
        two,
        "latency = 1\n",
        "third = { send = 0, receive = 0 }\n",
        "third",
        "no core",
    );
    refuse("two-m0", two, "word = 32", "word = 31", "word", "8, 16, 32 or 64");
    refuse("two-m0", two, "speed = 1", "speed = 0", "speed", "0");
    refuse("two-m0", two, "title = \"", "title = ", "title", "");
    let hardware = "sha256 --hardware --delay mine.toml";
    refuse("gate", hardware, "and = 1\n", "", "[delay]", "`and`");
    refuse("gate", hardware, "not = 0", "not = -1", "not", "zero or more");
    refuse("two-m0", hardware, "word = 32", "word = 32", "name", "no delay model");
    let pairing = "eta-t --threads 2 --on mine.toml";
    refuse("core2-45nm", pairing, "square = 108", "square = 0", "square = ", "positive");
    refuse("gate", pairing, "and = 1", "and = 1", "kind", "kind `delay`, no pairing platform");
    refuse("gate", two, "and = 1", "and = 1", "kind", "kind `delay`, no platform of cores");
}

/// Figures with which a message takes too long: the error names the figure that contributes most,
/// and no other line.
#[test]
fn the_figure_that_is_too_large_is_named() {
    let sandbox = Sandbox::new();
    let good = file_of_the_repository("crates/plan/tests/data/two-m0.toml");
    for (from, to, named) in [
        ("latency = 1\n", "latency = 1e9\n", "latency = 1000000000 of [handshake];"),
        ("[main]", "contention = 1e9\n[main]", "by contention = 1000000000;"),
        ("speed = 1\n", "speed = 1e9\n", "by speed = 1000000000 of "),
        ("xor = 2\n", "xor = 1e9\n", "by the costs of "),
    ] {
        assert!(good.contains(from), "{from}");
        let wrong = good.replacen(from, to, 1);
        let at = if to.starts_with("xor") { "[main.cost]" } else { to.lines().next().unwrap() };
        let line = 1 + wrong.lines().position(|line| line == at).unwrap();
        sandbox.write("mine.toml", wrong);
        let ran = plan(&sandbox, "sha256 --on mine.toml");
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{to}: {ran:?}");
        let place = format!("manylane: mine.toml:{line}: ");
        let said = ran.stderr.starts_with(&place) && ran.stderr.contains(named);
        assert!(said, "{named}: {}", ran.stderr);
    }
}

/// Files that are no descriptions at all.
#[test]
fn other_files_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("empty.toml", "");
    sandbox.write("binary.toml", b"name = \"x\"\ntitle = \"\xff\xfe\"\n");
    sandbox.write("large.toml", vec![b'#'; (1 << 18) + 1]);
    sandbox.write("deep.toml", format!("x = {}", "[".repeat(100_000)));
    sandbox.write("board", file_of_the_repository("crates/plan/platforms/rp2040.toml"));
    std::fs::create_dir(sandbox.path("folder.toml")).unwrap();
    for (options, what) in [
        ("md5 --on", "platform"),
        ("md5 --hardware --delay", "delay model"),
        ("eta-t --threads 2 --on", "pairing platform"),
    ] {
        for (file, words) in [
            ("empty.toml", "empty.toml:1: "),
            ("binary.toml", "binary.toml:2: this is no text"),
            ("large.toml", "large.toml: more than 262144 bytes"),
            ("deep.toml", "deep.toml:1: "),
            ("folder.toml", "folder.toml: a directory"),
            ("none.toml", "none.toml: no such file"),
            ("board", "for the file of this name write ./board"),
        ] {
            let ran = plan(&sandbox, &format!("{options} {file}"));
            assert_eq!(ran.status, Some(1), "{options} {file}: {ran:?}");
            assert!(
                ran.stderr.contains(words) && ran.stdout.is_empty(),
                "{options} {file}: {ran:?}"
            );
            assert!(file != "folder.toml" || ran.stderr.contains(what), "{ran:?}");
        }
    }
    for (args, words) in [
        ("md5 --on gate", "that is the name of a delay model"),
        ("md5 --hardware --delay rp2040", "that is the name of a platform"),
        ("md5 --on core2-45nm", "that is the name of a pairing platform"),
        ("eta-t --threads 2 --on unit", "that is the name of a platform"),
        ("md5 --on unit --on rp2040", "cannot be used multiple times"),
        ("md5 --threads 1000000", "1000000 is not in 1..=4096"),
    ] {
        let ran = plan(&sandbox, args);
        assert!(ran.status == Some(1) && ran.stderr.contains(words), "{args}: {ran:?}");
    }
    plan(&sandbox, "md5 --on ./board --length 0").good();
}

/// No control character of an argument or a file reaches the terminal.
#[test]
fn messages_have_no_control_characters() {
    let sandbox = Sandbox::new();
    let unit = file_of_the_repository("platforms/unit.toml");
    sandbox.write("mine.toml", unit.replacen("add = ", "\"\\u001b[31m\" = ", 1));
    for (platform, shown) in [
        ("mine.toml", "no operation `\\u{1b}[31m` in `cost`"),
        ("\u{1b}[31m", "no platform `\\u{1b}[31m`"),
        ("./\u{1b}\u{7}", "./\\u{1b}\\u{7}: no such file"),
    ] {
        let ran = sandbox.run(MANYLANE, ["plan", "md5", "--on", platform]);
        assert_eq!(ran.status, Some(1), "{ran:?}");
        assert!(ran.stderr.contains(shown), "{}", ran.stderr);
        assert!(!ran.stderr.contains(|c: char| c.is_control() && c != '\n'), "{ran:?}");
    }
}
