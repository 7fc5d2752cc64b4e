//! `manylane plan` and `manylane platforms`.

mod common;

use common::{MANYLANE, Ran, Sandbox};
use manylane_graph::part::{Subject, message};
use manylane_graph::trace::Loading;
use manylane_plan::Platform;
use manylane_plan::schedule::Schedule;
use manylane_plan::two_core::in_lanes;
use manylane_plan::units::{Level, Units};
use manylane_primitives::word::ByteOrder;
use serde_json::Value;

fn plan(sandbox: &Sandbox, args: &str) -> Ran {
    sandbox.run(MANYLANE, ["plan"].into_iter().chain(args.split_whitespace()))
}

/// The output of a measurement, which may complain that this machine has other things to do.
fn measured(sandbox: &Sandbox, args: &str) -> Vec<u8> {
    let mut ran = plan(sandbox, args);
    let busy = |line: &&str| line.contains("threads found too few idle cores");
    ran.stderr = ran.stderr.lines().filter(|line| !busy(line)).collect();
    ran.good()
}

fn json(sandbox: &Sandbox, args: &str) -> Value {
    let printed = measured(sandbox, &format!("{args} --json"));
    serde_json::from_slice(&printed).unwrap_or_else(|error| panic!("{args}: {error}"))
}

fn file_of_the_repository(path: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    std::fs::read_to_string(path).expect("a file of the repository")
}

const PLATFORMS: [&str; 7] =
    ["s12x-xgate", "rp2040", "ibex-duo", "stm32h7", "esp32", "x86-two-threads", "unit"];

#[test]
fn every_platform_gets_a_plan_that_is_never_worse_than_one_core() {
    let sandbox = Sandbox::new();
    for platform in PLATFORMS {
        for primitive in ["md5", "blake256", "sha3-256", "rc5"] {
            let answer = json(&sandbox, &format!("{primitive} --on {platform}"));
            let candidates = answer["candidates"].as_array().unwrap();
            let cycles = |line: &Value| line["cycles"].as_f64().unwrap();
            let chosen: Vec<_> = candidates.iter().filter(|line| line["chosen"] == true).collect();
            assert_eq!(chosen.len(), 1, "{primitive}, {platform}");
            for line in candidates {
                assert!(cycles(chosen[0]) <= cycles(line), "{primitive}, {platform}: {line}");
                assert!(line["above_limit"].as_f64().unwrap() > -1e-9, "{primitive}, {platform}");
            }
            assert_eq!(answer["schedule"]["end"], chosen[0]["cycles"]);
            let end = cycles(chosen[0]);
            for core in answer["cores"].as_array().unwrap() {
                let time =
                    ["busy", "handshakes", "idle"].map(|field| core[field].as_f64().unwrap());
                let sum: f64 = time.iter().sum();
                // Contention may lengthen a unit; nothing is counted twice.
                assert!((sum - end).abs() < 1e-3 * end, "{primitive}, {platform}: {core}");
            }
        }
    }
}

#[test]
fn the_first_line_answers_and_lines_fit() {
    let sandbox = Sandbox::new();
    for (args, start) in [
        ("blake256 --on s12x-xgate", "worth it: "),
        ("md5 --on x86-two-threads --length 0", "not worth it: "),
        ("rc5 --on s12x-xgate --decrypt", "worth it: "),
        ("keccak256 --on unit --length 0 --level step", "not worth it: only "),
        ("keccak256 --on unit --length 0 --level step --fixed-length", "not worth it: nothing "),
        ("groestl256 --on ibex-duo --length 1", "worth it: "),
        ("md5 --on rp2040 --level step --length 0 --exact", "not worth it: "),
        ("sha1 --hardware", "sha1: a clock of "),
        ("sha512 --hardware --merge 2 --stages 4 --adders csa", "sha512: a clock of "),
        ("keccak256 --hardware --delay unit-adder --precompute none", "keccak256: a clock of 0 "),
        ("rc5 --hardware", "rc5-32/12/16: a clock of "),
        ("sha256 --threads 2,4,8 --messages 100 --length 5000", "worth it: 7."),
        ("sha256 --threads 2 --messages 1", "not worth it: 1.00 times"),
        ("rc5 --threads 2,4 --mode ctr --blocks 1000", "worth it: "),
        ("rc5 --threads 2,4 --mode cbc-encryption", "not worth it: "),
        ("md5 --threads 4 --on rp2040", "worth it: "),
        ("eta-t --threads 2,4,8,16,32 --on core2-45nm", "worth it: 10.7"),
        ("eta-t --threads 2,4,8", "worth it: "),
        ("eta-t --threads 1", "not worth it: "),
    ] {
        let text = String::from_utf8(plan(&sandbox, args).good()).unwrap();
        assert!(text.starts_with(start), "{args}: {text}");
        for line in text.lines() {
            assert!(line.chars().count() <= 100, "{args}: {line}");
        }
        let marked = !args.contains("--threads");
        assert_eq!(text.matches("\n* ").count(), usize::from(marked), "{args}: {text}");
    }
}

/// A platform of one core has nothing to divide, and the other plans still take its costs.
#[test]
fn one_core_is_a_platform_too() {
    let sandbox = Sandbox::new();
    let two = file_of_the_repository("crates/plan/platforms/rp2040.toml");
    sandbox.write("one.toml", two.split_once("[coprocessor]").unwrap().0);
    let text = String::from_utf8(plan(&sandbox, "md5 --on ./one.toml").good()).unwrap();
    assert!(text.starts_with("not worth it: there is one core"), "{text}");
    let printed = plan(&sandbox, "md5 --on one.toml --json --html one.html").good();
    assert!(!String::from_utf8(printed).unwrap().contains(": -0.0"));
    plan(&sandbox, "md5 --on one.toml --threads 2").good();
}

/// Whoever reads the JSON can check the schedule.
#[test]
fn the_schedule_in_json_is_verified() {
    let sandbox = Sandbox::new();
    for (primitive, level) in [("sha1", Level::Substep), ("jh256", Level::Step)] {
        let flag = if level == Level::Step { "step" } else { "substep" };
        let args = format!("{primitive} --on rp2040 --length 3 --level {flag}");
        let answer = json(&sandbox, &args);
        let schedule: Schedule = serde_json::from_value(answer["schedule"].clone()).unwrap();
        let subject = Subject::Hash(primitive.parse().unwrap());
        let function = message(&subject, 3, Loading::Program(ByteOrder::Little)).unwrap();
        let function = in_lanes(function, &Platform::load("rp2040").unwrap());
        let units = Units::of(&function, level);
        schedule.verify(&units).unwrap();
        let listed = answer["units"].as_array().unwrap();
        assert_eq!(listed.len(), units.len());
        for (i, unit) in listed.iter().enumerate() {
            let operands: Vec<u32> = serde_json::from_value(unit["operands"].clone()).unwrap();
            assert_eq!(operands, units.before.of(i), "{primitive}: {unit}");
        }
        let mut early = schedule.clone();
        let last = early.placements.iter_mut().max_by(|a, b| a.time.end.total_cmp(&b.time.end));
        last.unwrap().time = Default::default();
        early.verify(&units).expect_err("the last unit cannot come first");
    }
}

#[test]
fn json_has_the_documented_fields() {
    let sandbox = Sandbox::new();
    let document = file_of_the_repository("docs/plan-json.md");
    for args in [
        "sha1 --on s12x-xgate",
        "hmac-sha1 --on rp2040 --messages 3",
        "sha1 --equations",
        "sha1 --table",
        "sha1 --hardware",
        "sha1 --threads 2",
        "sha1 --threads 2 --on s12x-xgate",
        "eta-t --threads 2 --measure",
    ] {
        let answer = json(&sandbox, args);
        let kind = answer["kind"].as_str().unwrap();
        let (_, section) = document
            .split_once(&format!("`\"kind\": \"{kind}\"`"))
            .unwrap_or_else(|| panic!("docs/plan-json.md does not tell of {kind}"));
        let section = section.split("\n## ").next().unwrap();
        for (field, value) in answer.as_object().unwrap() {
            assert!(section.contains(&format!("`{field}`")), "{kind}: {field} is not documented");
            let of_list = value.as_array().and_then(|list| list.first()).unwrap_or(value);
            // What the library serialises is documented there.
            if matches!(&field[..], "plan" | "schedule" | "batches" | "balances") {
                continue;
            }
            for inner in of_list.as_object().into_iter().flat_map(|inner| inner.keys()) {
                assert!(section.contains(&format!("`{inner}`")), "{kind}: {field}.{inner}");
            }
        }
    }
}

#[test]
fn hardware_counts_what_the_paper_counts() {
    let sandbox = Sandbox::new();
    let levels = |args: &str| {
        let answer = json(&sandbox, &format!("{args} --hardware --delay unit-adder"));
        answer["plan"]["period"]["total"].as_f64().unwrap()
    };
    for (args, expected) in [
        ("sha1 --adders tree --precompute kw", 2.0),
        ("sha1 --adders chain --precompute kw", 3.0),
        ("sha1 --adders chain --precompute kw --merge 2", 4.0),
        ("sha256 --adders chain --precompute kw", 4.0),
        ("sha256 --adders chain --precompute kw --merge 2", 7.0),
        ("md5 --adders chain --precompute kw", 3.0),
    ] {
        assert_eq!(levels(args), expected, "{args}");
    }
    let answer = json(&sandbox, "sha256 --hardware --stages 4");
    assert_eq!(answer["plan"]["cycles_per_block"], 16);
    let alternatives = answer["alternatives"].as_array().unwrap();
    assert_eq!(alternatives.len(), 12);
    let period = |line: &Value| line["period"].as_f64().unwrap();
    let chosen = alternatives.iter().find(|line| line["chosen"] == true).unwrap();
    assert!(alternatives.iter().all(|line| period(chosen) <= period(line)));
}

#[test]
fn the_pairing_stands_beside_what_was_published() {
    let sandbox = Sandbox::new();
    let paper = "eta_T --threads 2,4,8,16,32 --on core2-45nm";
    let text = String::from_utf8(plan(&sandbox, paper).good()).unwrap();
    for words in ["1.86", "3.42", "5.76", "8.57*", "10.74*", "59 bits", "research and\n  teaching"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    let answer = json(&sandbox, paper);
    for line in answer["balances"].as_array().unwrap() {
        let ratio =
            line["speedup"].as_f64().unwrap() / line["published"]["speedup"].as_f64().unwrap();
        assert!((ratio - 1.0).abs() < 0.05, "{line}");
    }
}

/// What is measured varies; that it is this machine's does not.
#[test]
fn the_pairing_is_planned_for_this_machine() {
    let sandbox = Sandbox::new();
    let answer = json(&sandbox, "eta-t --threads 1,2,4096 --measure");
    let platform = &answer["platform"];
    assert_eq!(
        (platform["name"].as_str(), platform["unit"].as_str()),
        (Some("here"), Some("nanoseconds"))
    );
    let lanes = platform["executor"]["lanes"].as_f64().unwrap();
    let balances = answer["balances"].as_array().unwrap();
    let factors = balances[0]["bounds"][1].as_f64().unwrap() * lanes;
    assert!((612.0..616.0).contains(&factors), "{platform}");
    let speedup = |i: usize, of: &serde_json::Value| (i, of["speedup"].as_f64().unwrap());
    assert_eq!(speedup(0, &balances[0]), (0, 1.0));
    let (_, two) = speedup(1, &balances[1]);
    assert!((1.0..=2.0).contains(&two), "{answer}");
    assert_eq!(balances[1]["published"]["speedup"].as_f64(), Some(1.86));
    assert!(balances[0]["measured"]["nanoseconds"].as_f64().unwrap() > 1000.0, "{answer}");
    assert!(balances[2]["measured"].is_null(), "{answer}");

    let text = String::from_utf8(measured(&sandbox, "eta-t --threads 2,4096 --measure")).unwrap();
    for words in ["measured here", "MEASURED SPEEDUP", "4,096 more than this machine has", "1.86"] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

/// The only address in a page is the name of SVG's namespace.
#[test]
fn the_page_needs_no_network() {
    let sandbox = Sandbox::new();
    for args in ["blake256 --on s12x-xgate", "jh256 --on unit --length 1024", "rc5 --on rp2040"] {
        plan(&sandbox, &format!("{args} --html plan.html")).good();
        let page = std::fs::read_to_string(sandbox.path("plan.html")).unwrap();
        let without = page.replace(manylane_cli::page::svg::NAMESPACE, "");
        for address in ["http:", "https:", "src=", "href=", "url(", "@import", "//cdn"] {
            assert!(!without.contains(address), "{args}: {address}");
        }
        assert_eq!(page.matches("<svg ").count(), 3, "{args}: chart, steps, profile");
        let bars = page.matches("class=\"task ").count();
        assert!((10..5000).contains(&bars), "{args}: {bars}");
        assert!(page.contains("class=\"handshake\""), "{args}");
        assert!(page.contains("class=\"candidates\"") && page.contains("worth it: "), "{args}");
        assert!(page.contains(&format!("manylane plan {}", args.replace("rc5", "rc5-32/12/16"))));
        assert!(page.len() < 4_000_000, "{args}: {} bytes", page.len());
    }
}

#[test]
fn bad_input_is_explained() {
    let sandbox = Sandbox::new();
    for (args, words) in [
        ("sha257 --on rp2040", &["unknown algorithm sha257", "did you mean sha256"][..]),
        ("rc6 --on rp2040", &["unknown algorithm rc6", "did you mean rc5?"]),
        ("eta-s --threads 2", &["did you mean eta-t?"]),
        ("sha256 --on rp2400", &["no platform `rp2400`", "did you mean `rp2040`?", ".toml"]),
        ("sha256 --on commodore", &["no platform", "known are s12x-xgate, rp2040"]),
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
        ("hmac-sha256 --hardware", &["twice", "manylane plan hmac-sha256 --on"]),
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
    refuse("core2-45nm", pairing, "square = 108", "square = 0", "[field]", "positive");
    refuse("gate", pairing, "and = 1", "and = 1", "kind", "kind `delay`, no pairing platform");
    refuse("gate", two, "and = 1", "and = 1", "kind", "kind `delay`, no platform of cores");
}

/// Fractions of cycles are planned and printed as they are: no figure ends in digits of rounding.
#[test]
fn costs_are_fractions_too() {
    let sandbox = Sandbox::new();
    let text = file_of_the_repository("crates/plan/tests/data/two-m0.toml");
    for (name, from, to, args) in [
        ("speed.toml", "speed = 1", "speed = 1.2", "sha512 --length 64"),
        ("tenths.toml", "add = 2", "add = 0.1", "sha1 --length 0"),
        ("thirds.toml", "xor = 2", "xor = 0.333333333333333", "blake256"),
        ("halves.toml", "latency = 1", "latency = 0.5", "md5"),
        ("contended.toml", "title", "contention = 1.1\ntitle", "keccak256"),
    ] {
        sandbox.write(name, text.replacen(from, to, 1));
        let answer = json(&sandbox, &format!("{args} --on {name}"));
        let millionth = |value: &Value| {
            let digits = value.to_string();
            let digits = digits.split_once('.').map_or(0, |(_, fraction)| fraction.len());
            assert!(digits <= 6, "{name}: {value}");
        };
        millionth(&answer["schedule"]["end"]);
        for line in answer["candidates"].as_array().unwrap() {
            millionth(&line["cycles"]);
        }
        for core in answer["cores"].as_array().unwrap() {
            ["busy", "handshakes", "idle"].iter().for_each(|field| millionth(&core[field]));
        }
        for placement in answer["schedule"]["placements"].as_array().unwrap() {
            ["start", "end"].iter().for_each(|field| millionth(&placement[field]));
        }
    }
}

/// A key is expanded once, not for each block: hardware holds its 2(r + 1) words.
#[test]
fn hardware_of_a_cipher_encrypts_blocks_under_an_expanded_key() {
    let sandbox = Sandbox::new();
    for (name, words, bits) in [("rc5", 26, 32), ("rc5-64/20/24", 42, 64), ("rc5-16/2/0", 6, 16)] {
        let answer = json(&sandbox, &format!("{name} --hardware"));
        let plan = &answer["plan"];
        assert_eq!(plan["resources"]["key"]["register_bits"], words * bits, "{name}");
        assert!(plan["resources"]["rounds"]["register_bits"].as_u64().unwrap() >= 2 * bits);
        // A clock for the whitening, or none, before one for each round.
        let clocks = [&plan["latency"], &plan["steps"]].map(|n| n.as_u64().unwrap());
        assert!((0..=1).contains(&(clocks[0] - clocks[1])), "{name}: {clocks:?}");
        assert_eq!(answer["messages"].as_u64(), Some(clocks[0].div_ceil(clocks[1])), "{name}");
    }
    let one = plan(&sandbox, "rc5-16/1/0 --hardware");
    assert!(one.status == Some(1) && one.stderr.contains("rc5-16/1/0 has 1 round: "), "{one:?}");
    let text = String::from_utf8(plan(&sandbox, "rc5 --hardware").good()).unwrap();
    assert!(
        text.contains("round keys are inputs") && text.contains("2 blocks in flight"),
        "{text}"
    );
    let text = String::from_utf8(plan(&sandbox, "md5 --hardware").good()).unwrap();
    assert!(!text.contains("round keys"), "{text}");
}

/// What a refused `--exact` advises is accepted.
#[test]
fn the_advice_of_exact_helps() {
    let sandbox = Sandbox::new();
    for (args, advice) in [
        ("blake256 --on unit", Some("--level step")),
        ("sha256 --on unit", Some("--length 0 --fixed-length")),
        ("md5 --on unit --length 500", Some("--level step --length 0")),
        ("groestl256 --on unit --length 500", Some("--length 0 --fixed-length")),
        ("keccak256 --on unit --length 1000", Some("--level step --length 0")),
        ("sha512 --on s12x-xgate --length 9", Some("--length 0 --fixed-length")),
        ("skein1024 --on s12x-xgate --length 0 --level step", None),
        ("rc5-32/255/255 --on unit", None),
    ] {
        let ran = plan(&sandbox, &format!("{args} --exact"));
        assert_eq!(ran.status, Some(1), "{args}: {ran:?}");
        match advice {
            Some(advice) => {
                assert!(ran.stderr.contains(advice), "{args}: {ran:?}");
                let without = args.split(" --length").next().unwrap();
                let length = args.split_once(" --length").filter(|_| !advice.contains("--length"));
                let length = length.map_or(String::new(), |(_, n)| format!(" --length{n}"));
                plan(&sandbox, &format!("{without}{length} {advice} --exact")).good();
            }
            None => {
                assert!(ran.stderr.contains("leave out --exact"), "{args}: {ran:?}");
                assert!(!ran.stderr.contains("try"), "{args}: {ran:?}");
            }
        }
    }
}

/// One thing, whatever name a tool has for it.
#[test]
fn delay_models_and_chips_are_found_by_either_name() {
    let sandbox = Sandbox::new();
    let clock = |name: &str| {
        let answer = json(&sandbox, &format!("md5 --hardware --delay {name}"));
        (answer["plan"]["model"].as_str().unwrap().to_owned(), answer["plan"]["period"].clone())
    };
    for (canonical, others) in [
        ("generic-gates", &["gate", "gates"][..]),
        ("ice40", &["ice40-hx8k"]),
        ("ecp5", &["ecp5-85k"]),
    ] {
        assert_eq!(clock(canonical).0, canonical);
        for other in others {
            assert_eq!(clock(other), clock(canonical), "{other}");
        }
    }
}

/// No plan is for more processors than the platform has; without one there may be any number.
#[test]
fn threads_are_no_more_than_the_platform_has() {
    let sandbox = Sandbox::new();
    let text = file_of_the_repository("crates/plan/platforms/rp2040.toml");
    sandbox.write("four.toml", text.replacen("title", "processors = 4\ntitle", 1));
    for (args, numbers, words) in [
        ("--threads 4 --on rp2040", &[2][..], "rp2040 has 2 processors: more are not planned for"),
        ("--threads 1,2,3,4096 --on rp2040", &[1, 2], "rp2040 has 2 processors"),
        ("--threads 1,2 --on rp2040", &[1, 2], ""),
        ("--threads 1,2,8 --on s12x-xgate", &[1, 2], "s12x-xgate has 2 processors"),
        ("--threads 2,8 --on four.toml", &[2, 4], "rp2040 has 4 processors"),
        ("--threads 2,4096", &[2, 4096], ""),
    ] {
        let answer = json(&sandbox, &format!("md5 {args}"));
        let planned: Vec<u64> = (answer["batches"].as_array().unwrap().iter())
            .map(|batch| batch["processors"].as_u64().unwrap())
            .collect();
        assert_eq!(planned, numbers, "{args}");
        let first = answer["answer"].as_str().unwrap();
        assert!(first.contains(words), "{args}: {first}");
        assert_eq!(words.is_empty(), !first.contains(';') || !first.contains("has"), "{first}");
    }
    for (wrong, words) in [("1", "2 are described"), ("2.5", "whole number"), ("1e9", "whole")] {
        let wrong = text.replacen("title", &format!("processors = {wrong}\ntitle"), 1);
        sandbox.write("wrong.toml", wrong);
        let ran = plan(&sandbox, "md5 --threads 2 --on wrong.toml");
        assert!(ran.status == Some(1) && ran.stderr.contains("wrong.toml:2: "), "{ran:?}");
        assert!(ran.stderr.contains(words), "{ran:?}");
    }
}

/// Files that are no descriptions at all.
#[test]
fn other_files_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("empty.toml", "");
    sandbox.write("binary.toml", b"name = \"x\"\ntitle = \"\xff\xfe\"\n");
    sandbox.write("large.toml", vec![b'#'; (1 << 20) + 1]);
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
            ("large.toml", "large.toml: more than 1048576 bytes"),
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

#[test]
fn platforms_are_listed() {
    let sandbox = Sandbox::new();
    let text = String::from_utf8(sandbox.run(MANYLANE, ["platforms"]).good()).unwrap();
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let list: Value =
        serde_json::from_slice(&sandbox.run(MANYLANE, ["platforms", "--json"]).good()).unwrap();
    let names = |list: &Value| -> Vec<String> {
        let line = |line: &Value| line["name"].as_str().unwrap().to_owned();
        list.as_array().unwrap().iter().map(line).collect()
    };
    assert_eq!(names(&list["platforms"]), PLATFORMS);
    let models = ["unit-adder", "generic-gates", "ecp5", "ice40"];
    assert_eq!(names(&list["delay_models"]), models);
    assert_eq!(names(&list["pairings"]), ["core2-45nm"]);
    for name in PLATFORMS.iter().chain(&models).chain(&["core2-45nm"]) {
        assert!(text.contains(&format!("\n  {name} ")), "{name}");
    }
    assert_eq!(text.matches("Write your own").count(), 3);
}

#[test]
fn help_completions_and_manual_pages_know_them() {
    let sandbox = Sandbox::new();
    let help = String::from_utf8(sandbox.run(MANYLANE, ["plan", "--help"]).good()).unwrap();
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    for word in ["Examples:", "--on", "--hardware", "--threads", "eta-t", "SAVED", "ABOVE BOUND"] {
        assert!(help.contains(word), "{word}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let script = sandbox.run(MANYLANE, ["completions", shell]).good();
        let script = String::from_utf8(script).unwrap();
        for word in ["platforms", "precompute", "cbc-decryption"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    sandbox.run(MANYLANE, ["man", "pages"]).good();
    for page in ["manylane-plan.1", "manylane-platforms.1"] {
        assert!(sandbox.path("pages").join(page).is_file(), "{page}");
    }
}

/// What stands in the README, up to each `…`, is what the program prints.
#[test]
fn the_readme_shows_what_is_printed() {
    let sandbox = Sandbox::new();
    let text = file_of_the_repository("README.md");
    let (_, section) = text.split_once("## Explain and plan").expect("a section of the README");
    let (_, console) = section.split_once("```console\n").expect("an example");
    let (console, _) = console.split_once("```").expect("its end");
    let examples: Vec<&str> = console.split("$ manylane ").skip(1).collect();
    assert_eq!(examples.len(), 4);
    for example in examples {
        let (command, shown) = example.split_once('\n').unwrap();
        let shown = shown.strip_suffix("…\n").unwrap_or_else(|| panic!("{command} has no end"));
        let printed = sandbox.run(MANYLANE, command.split(' ')).good();
        let printed = String::from_utf8(printed).unwrap();
        assert!(
            printed.starts_with(shown),
            "README.md should show\n$ manylane {command}\n{printed}"
        );
    }
}
