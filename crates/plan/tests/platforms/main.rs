//! Platform files: those that come with the program, what is refused, and what costs follow.

mod costs;

use manylane_graph::Op;
use manylane_graph::trace;
use manylane_plan::Platform;
use manylane_plan::costs::UnitCosts;
use manylane_plan::platform::{Basis, StepTime};
use manylane_plan::units::{Level, Units};

const GOOD: &str = r#"name = "test"
title = "A test"
source = "none"
[main]
name = "one"
word = 32
[main.cost]
add = 1
xor = 1
and = 1
or = 1
not = 1
rotl = 1
[coprocessor]
name = "two"
speed = 0.5
[handshake]
main = { send = 1, receive = 1 }
coprocessor = { send = 1, receive = 1 }
[steps.md5]
round = 100
[steps.blake256]
like = "md5"
"#;

fn error(change: impl Fn(&str) -> String) -> String {
    Platform::parse("p.toml", &change(GOOD)).unwrap_err().to_string()
}

/// The error of a good file in which `from`, which it has, is replaced.
fn replaced(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from));
    error(|text| text.replacen(from, to, 1))
}

#[test]
fn builtin_platforms_are_read() {
    let names: Vec<String> = Platform::builtin().into_iter().map(|p| p.name).collect();
    assert_eq!(names, Platform::names().collect::<Vec<_>>());
    for platform in Platform::builtin() {
        for name in ["sha1", "groestl256", "jh256", "sha512"] {
            let function = trace::compression(name.parse().unwrap());
            let units = Units::of(&function, Level::Node);
            let costs = UnitCosts::of(&function, &units, &platform, None).unwrap();
            assert!(costs.work(0) > 0.0 && costs.work(1) > 0.0);
        }
    }
    for name in ["rp2040", "ibex-duo"] {
        let platform = Platform::load(name).unwrap();
        // Cores hand over by a flag in shared memory, as emitted code waits for it.
        let ways = [platform.handshake.delay(0), platform.handshake.delay(1)];
        assert!(ways[0] == ways[1] && (7.0..=16.0).contains(&ways[0]), "{ways:?}");
        assert!(!platform.basis.is_estimate() && !platform.shares.is_empty());
        assert_eq!(platform.cores[1].speed, 1.0);
    }
}

/// The example of the documentation is a platform.
#[test]
fn the_documented_form_is_read() {
    let docs = include_str!("../../../../docs/platforms.md");
    let (_, rest) = docs.split_once("```toml\n").unwrap();
    let platform = Platform::parse("docs", rest.split_once("```").unwrap().0).unwrap();
    assert_eq!(platform.name, "my-board");
    assert_eq!(
        platform.cost(1, Op::Xor, 32).unwrap(),
        0.5 * platform.cost(0, Op::Xor, 32).unwrap()
    );
    let mut steps = platform.steps.iter();
    let is_named = |time: &&StepTime| time.patterns.iter().any(|p| p.to_string() == "byte swap");
    assert_eq!(steps.find(is_named).unwrap().cycles[0], Some(180.0));
}

#[test]
fn names_and_paths() {
    let error = Platform::load("rp2400").unwrap_err().to_string();
    assert!(error.contains("did you mean `rp2040`?"), "{error}");
    let error = Platform::load("none").unwrap_err().to_string();
    assert!(error.contains("known are s12x-xgate, s12x-xgate-2012, rp2040"), "{error}");
    let error = Platform::load("no/such.toml").unwrap_err().to_string();
    assert!(error.starts_with("no/such.toml: "), "{error}");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/platforms/unit.toml");
    assert_eq!(Platform::load(file).unwrap().name, "unit");
}

/// Texts that come from a web page are not limited by a file system.
#[test]
fn long_texts_and_long_names_are_refused_in_a_line() {
    let comments = |bytes: usize| format!("{GOOD}#{}\n", "x".repeat(bytes - GOOD.len() - 2));
    assert!(Platform::parse("p.toml", &comments(1 << 18)).is_ok());
    assert_eq!(
        Platform::parse("p.toml", &comments((1 << 18) + 1)).unwrap_err().to_string(),
        "p.toml:1: 262145 bytes of text; shorten it: a platform of cores has at most 262144"
    );
    let name = "a".repeat(100_000);
    for (from, to) in [
        ("add = 1", format!("{name} = 1")),
        ("[steps.md5]", format!("[totals.{name}]\n64 = 1\n[steps.md5]")),
        ("round = 100", format!("{name} = 100")),
        ("round = 100", format!("\"{}\" = 100", "a/".repeat(50_000))),
        ("[coprocessor]", format!("[{name}]")),
    ] {
        let said = replaced(from, &to);
        assert!(said.chars().count() < 1000, "{said}");
        assert!(said.starts_with("p.toml:") && said.contains('…'), "{said}");
    }
    assert!(
        replaced("round = 100", &format!("\"{}a\" = 1", "a/".repeat(32)))
            .contains("has more than 32 nested steps")
    );
}

/// Errors name the file, the line, the problem and the remedy.
#[test]
fn errors_say_where_and_what_to_do() {
    assert!(Platform::parse("p.toml", GOOD).is_ok());
    let cases = [
        (replaced("add = 1", "add = -1"), "p.toml:8: -1 is less than 0", "at least 0"),
        (
            replaced("add = 1", "ad = 1"),
            "p.toml:8: no operation `ad`",
            "did you mean `add` or `and`?",
        ),
        (replaced("add = 1", "\"add.33\" = 1"), "p.toml:8: `add.33` has no width", "8 to 64 bits"),
        (
            replaced("add = 1", "add.32 = 1"),
            "p.toml:8: `add` is a table",
            "\"add.32\" = …, in quotes",
        ),
        (replaced("add = 1", "\"add.032\" = 1"), "p.toml:8: `add.032` has no width", "add.32"),
        (replaced("add = 1", "add = \"1\""), "p.toml:8: no number", "decimal number"),
        (
            replaced("add = 1", "add = 1\n\"add.32\" = 2"),
            "p.toml:9: two costs of `add` at 32 bits",
            "keep one",
        ),
        (
            error(|text| format!("{text}[totals.sha256]\n0 = 5000\n00 = 6000\n")),
            "p.toml:26: `00` is no number of bytes",
            "write 64 = 2400",
        ),
        (
            error(|text| format!("{text}[totals.sha256]\n\"+64\" = 5000\n")),
            "p.toml:25: `+64` is no number of bytes",
            "write 64 = 2400",
        ),
        (
            error(|text| format!("{text}[split]\nsha256 = {{ 0 = 1, 00 = 2 }}\n")),
            "p.toml:25: `00` is no number of bytes",
            "write 64 = 2400",
        ),
        (
            replaced("round = 100", "round = 100\n\"round | round\" = 3"),
            "p.toml:22: `round` is named twice in this section",
            "keep one time",
        ),
        (
            replaced("round = 100", "\"round|g | round\" = 3"),
            "p.toml:21: `round` is named twice in this section",
            "keep one time",
        ),
        (
            replaced("round = 100", "\"round | round[3]\" = 3"),
            "p.toml:21: `round[3]` is named twice in this section",
            "keep one time",
        ),
        (replaced("round = 100", "\"round[03]\" = 3"), "p.toml:21: `03` is no number", "round/g"),
        (replaced("round = 100", "\"round[+3]\" = 3"), "p.toml:21: `+3` is no number", "round/g"),
        (
            error(|text| {
                text.replace("round = 100", "\"round | sum\" = { total = 9 }")
                    .replace("like = \"md5\"", "like = \"md5\"\nround = 3")
            }),
            "p.toml:23: line 21 gives one total of `round` here and of `sum`",
            "all its steps here, or of none",
        ),
        (
            error(|text| format!("processors = 4294967296\n{text}")),
            "p.toml:1: no such number of processors: 4294967296",
            "from 1 to 4096",
        ),
        (
            error(|text| format!("banks = 5e9\n{text}")),
            "p.toml:1: no number of banks",
            "from 1 to 1024",
        ),
        (
            replaced("[coprocessor]", "[main.memory]\nregisters = 1e12\n[coprocessor]"),
            "p.toml:15: 1000000000000 registers",
            "whole number from 4 to 256",
        ),
        (
            replaced("title = \"A test\"", "title = \" \""),
            "p.toml:2: `title`",
            "say what it is called",
        ),
        (replaced("word = 32", "word = 33"), "p.toml:6: no such word", "8, 16, 32 or 64"),
        (
            replaced("[coprocessor]", "[main.memory]\nregisters = 2.5\n[coprocessor]"),
            "p.toml:15: 2.5 registers",
            "whole number from 4 to 256",
        ),
        (replaced("speed = 0.5", "speed = 0"), "p.toml:16: 0 is not positive", "above 0"),
        (
            replaced("speed = 0.5", "speed = 1e-7"),
            "p.toml:16: 1e-7 is too small",
            "give a number from 1e-6 to 1e9",
        ),
        (
            replaced("[main]", "contention = 1e12\n[main]"),
            "p.toml:4: 1e12 is too large",
            "give a number from 1 to 1e9",
        ),
        (
            error(|text| {
                text.replace("speed = 0.5\n", "").replace("[main]", "processors = 1\n[main]")
            }),
            "p.toml:4: 1 processors, where 2 are described",
            "with neither `speed` nor costs of its own is a core like the main one",
        ),
        (replaced("speed", "sped"), "p.toml:16: no name `sped`", "did you mean `speed`?"),
        (replaced("title", "titel"), "p.toml:2: no name `titel`", "did you mean `title`?"),
        (replaced("[main.cost]", "[main.cots]"), "p.toml:7: no name `cots`", "`cost`"),
        (
            error(|text| text.replace("= 1, receive = 1", "= 0, receive = 0")),
            "p.toml:17: a handshake that costs nothing",
            "free handshakes",
        ),
        (
            error(|text| {
                text.replace("[steps.md5]", "third = { send = 0, receive = 0 }\n[steps.md5]")
            }),
            "p.toml:20: a handshake of `third`, which is no core",
            "`main` and `coprocessor`",
        ),
        (
            replaced(
                "[steps.md5]",
                "[handshake.flag]\nmain = { send = -1, receive = 1 }\n[steps.md5]",
            ),
            "p.toml:21: -1 is less than 0",
            "at least 0",
        ),
        (
            replaced(
                "[steps.md5]",
                "[handshake.flag]\nmain = { send = 1, receive = 1 }\n[steps.md5]",
            ),
            "p.toml:20: no `coprocessor`",
            "add",
        ),
        (
            error(|text| text.replace("[coprocessor]", "[third]")),
            "p.toml:14: no name `third`",
            "known are",
        ),
        (
            error(|text| text.replace("[coprocessor]\nname = \"two\"\nspeed = 0.5\n", "")),
            "p.toml:14: a handshake on a platform of one core",
            "remove it",
        ),
        (replaced("coprocessor = {", "main2 = {"), "p.toml:19: a handshake of `main2`", "`main`"),
        (replaced("round = 100", "round = -3"), "p.toml:21: -3 is less than 0", "at least 0"),
        (replaced("round = 100", "\"a[b]\" = 3"), "p.toml:21: `b` is no number", "round/g"),
        (
            replaced("round = 100", "round = 100\n\"round/g\" = 3"),
            "p.toml:22: a cycle of overrides: this step lies in `round`, overridden in line 21",
            "not both",
        ),
        (
            replaced("round = 100", "round = 100\n\"round/round\" = 3"),
            "p.toml:22: a cycle of overrides",
            "not both",
        ),
        (
            replaced("round = 100", "like = \"blake256\""),
            "p.toml:21: a cycle of overrides: blake256 is like md5 is like blake256",
            "let one of them",
        ),
        (
            replaced("like = \"md5\"", "like = \"blake256\""),
            "p.toml:23: a cycle of overrides: blake256 is like blake256",
            "let one of them",
        ),
        (
            replaced("round = 100", "round = { each = 1, total = 2 }"),
            "p.toml:21: both `each` and `total` in `measured time`",
            "one of the two",
        ),
        (
            replaced("round = 100", "round = { coprocessor = 2 }"),
            "p.toml:21: no `each` or `total` in `measured time`",
            "one of the two",
        ),
        (
            error(|text| format!("processors = 0\n{text}")),
            "p.toml:1: 0 processors, where one is described",
            "from 1 to 4096",
        ),
        (replaced("like = \"md5\"", "like = \"md4\""), "p.toml:23: no section `md4`", "`md5`"),
        (replaced("[main]", "[main"), "p.toml:4: ", "docs/platforms.md"),
        (
            error(|text| text.replace("contention", "") + "[totals]\nmd5 = { x = 1 }\n"),
            "p.toml:25: `x` is no number of bytes",
            "64 = ",
        ),
        (
            error(|text| format!("contention = 0.5\n{text}")),
            "p.toml:1: 0.5 is less than 1",
            "at least 1",
        ),
    ];
    for (error, problem, remedy) in cases {
        assert!(error.starts_with(problem), "{error}\nis not\n{problem}");
        assert!(error.contains(remedy), "{error}: {remedy}");
    }
}

/// A name that stands for nothing is refused wherever it is: what it says would be ignored.
#[test]
fn names_of_primitives_and_steps_are_known() {
    let with = |more: &str| Platform::parse("p.toml", &format!("{GOOD}{more}\n"));
    for (more, problem, remedy) in [
        ("[steps.sha257]\nround = 3", "24: no primitive `sha257` in `steps`", "`sha256`"),
        ("[steps.SHA-256]\nround = 3", "24: no primitive `SHA-256` in `steps`", "`sha256`"),
        ("[steps.hmac-md5]\nround = 3", "24: no primitive `hmac-md5` in `steps`", "`md5`"),
        ("[steps.rc5]\nround = 3", "24: no primitive `rc5` in `steps`", "`manylane list`"),
        (
            "[steps.\"rc5-032-12-16\"]\nround = 3",
            "24: no primitive `rc5-032-12-16`",
            "`rc5-32-12-16`",
        ),
        (
            "[steps.\"rc5-32/12/16\"]\nround = 3",
            "24: no primitive `rc5-32/12/16`",
            "`rc5-32-12-16`",
        ),
        ("[totals.sha999]\n0 = 10", "24: no primitive `sha999` in `totals`", "`manylane list`"),
        ("[programs]\n\"md55.xgate\" = { block = 3 }", "25: no primitive `md55`", "`md5`"),
        ("[programs]\nmd5 = { block = 3, word = 24 }", "25: no such word", "8, 16, 32 or 64"),
        ("[programs]\nmd5 = { block = 3, word_saves = 0.1 }", "25: no word", "`word = 32`"),
        (
            "[programs]\nmd5 = { block = 3, word = 32, word_saves = 1 }",
            "25: all of the time",
            "a part of 1",
        ),
        (
            "[keys]\nhmac-md4 = { program = \"0123456789abcdef\", main = 1, second = 1 }",
            "25: no primitive `hmac-md4` in `keys`",
            "`hmac-md5`",
        ),
        ("[steps.sha256]\n\"nostep\" = 3", "25: no step `nostep` in `sha256`", "known are "),
        (
            "[steps.\"sha256.encryption\"]\nround = 3",
            "24: no function `sha256.encryption`",
            "write `sha256`",
        ),
        ("[steps.sha256]\nruond = 3", "25: no step `ruond` in `sha256`", "`round`"),
        ("[steps.\"*\"]\n\"byte swop\" = 3", "25: no step `byte swop` in any", "`byte swap`"),
        ("[steps.\"*\"]\n\"round[999]\" = 3", "25: no step `round[999]`", "`round`"),
        ("[steps.sha256]\n\"round[999]\" = 3", "25: no step `round[999]`", "of this number"),
        ("[steps.sha256]\n\"block[9]/round[64]\" = 3", "25: no step `block[9]", "of this number"),
        ("[steps.sha256]\n\"round | ruond\" = 3", "25: no step `ruond`", "`round`"),
        (
            "[steps.\"rc5-32-12-16.encryption\"]\n\"round[13]\" = 3",
            "25: no step `round[13]`",
            "of this number",
        ),
    ] {
        let error = with(more).unwrap_err().to_string();
        assert!(error.starts_with(&format!("p.toml:{problem}")), "{more}: {error}");
        assert!(error.contains(remedy), "{more}: {error}");
    }
    for more in [
        "[steps.sha256]\n\"block[9]/round[63]\" = 3\npadding = 4\n\"byte swap\" = 5",
        "[steps.\"sha256.message\"]\npadding = 4",
        "[steps.sha224]\nlike = \"md5\"",
        "[steps.\"*\"]\npadding = 4\n\"key expansion\" = 5\nmix = 6",
        "[steps.skein512-256]\npadding = 4",
        "[steps.\"rc5-64-12-16\"]\n\"key expansion\" = 4",
        "[totals]\nhmac-sha256 = { 0 = 10 }",
        "[programs]\n\"md5.xgate\" = { block = 3 }",
    ] {
        assert!(with(more).is_ok(), "{more}: {}", with(more).unwrap_err());
    }
}

/// Cores are told apart by their names, which are printed as they are.
#[test]
fn names_of_cores_are_words_that_differ() {
    let cases = [
        (replaced("\"two\"", "\"one\""), "14: both cores are called `one`", "`coprocessor`"),
        (replaced("\"two\"", "\" \""), "15: `name` in `coprocessor` is empty", "called"),
        (replaced("\"one\"", "\"\""), "5: `name` in `main` is empty", "called"),
        (replaced("\"one\"", r#""a\nb""#), "5: `name` in `main` has control", "without them"),
        (replaced("\"test\"", r#""\u001b[2J""#), "1: `name` in `platform` has", "without them"),
        (replaced("\"A test\"", r#""a\u0007""#), "2: `title` in `platform` has", "without them"),
    ];
    for (error, problem, remedy) in cases {
        assert!(error.starts_with(&format!("p.toml:{problem}")), "{error}");
        assert!(error.contains(remedy), "{error}");
    }
}

/// A machine that `platforms measure` measures says on which days, and in which simulator.
#[test]
fn measured_platforms_say_when_and_by_what() {
    for (name, simulator) in [
        ("ibex-duo", "; Verilator 5"),
        ("rp2040", "; rp2040js 1"),
        ("s12x-xgate", ", simulator of"),
    ] {
        let Basis::Measured(by) = Platform::load(name).unwrap().basis else { panic!("{name}") };
        let day = |text: &str| {
            text.len() == 10 && text.starts_with("20") && text.matches('-').count() == 2
        };
        let (days, rest) = by.split_once(", ").unwrap();
        assert!(days.split(" to ").all(day), "{name}: {days}");
        assert!(format!(", {rest}").contains(simulator), "{name}: {rest}");
    }
}
