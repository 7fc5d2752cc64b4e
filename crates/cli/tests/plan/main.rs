//! `manylane plan` and `manylane platforms`.

#[path = "../common/mod.rs"]
mod common;
mod hardware;
mod platforms;
mod refusals;
mod threads;

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

const PLATFORMS: [&str; 8] = [
    "s12x-xgate",
    "s12x-xgate-2012",
    "rp2040",
    "ibex-duo",
    "stm32h7",
    "esp32",
    "x86-two-threads",
    "unit",
];

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
        ("blake256 --on s12x-xgate-2012", "worth it: "),
        ("md5 --on x86-two-threads --length 0", "not worth it: "),
        ("rc5 --on s12x-xgate-2012 --decrypt", "worth it: "),
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
        ("sha256 --on s12x-xgate --messages 1000000", "worth it: "),
        ("groestl256 --on rp2040 --messages 1000000 --length 2000", "worth it: "),
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
        "sha1 --on s12x-xgate-2012",
        "hmac-sha1 --on rp2040 --messages 3",
        "sha1 --equations",
        "sha1 --table",
        "sha1 --hardware",
        "sha1 --threads 2",
        "sha1 --threads 2 --on s12x-xgate-2012",
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

/// The only address in a page is the name of SVG's namespace.
#[test]
fn the_page_needs_no_network() {
    let sandbox = Sandbox::new();
    for args in ["blake256 --on s12x-xgate", "jh256 --on unit --length 1024", "rc5 --on rp2040"] {
        plan(&sandbox, &format!("{args} --html plan.html")).good();
        let page = std::fs::read_to_string(sandbox.path("plan.html")).unwrap();
        let without = page.replace(manylane_pages::svg::NAMESPACE, "");
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
        ("sha512 --on s12x-xgate-2012 --length 9", Some("--length 0 --fixed-length")),
        ("skein1024 --on s12x-xgate-2012 --length 0 --level step", None),
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

/// What stands in docs/tour.md, up to each `…`, is what the program prints.
#[test]
fn the_tour_shows_what_is_printed() {
    let sandbox = Sandbox::new();
    let text = file_of_the_repository("docs/tour.md");
    let (_, section) = text.split_once("## Explain and plan").expect("a section of the tour");
    let (_, console) = section.split_once("```console\n").expect("an example");
    let (console, _) = console.split_once("```").expect("its end");
    let examples: Vec<&str> = console.split("$ manylane ").skip(1).collect();
    assert_eq!(examples.len(), 5);
    for example in examples {
        let (command, shown) = example.split_once('\n').unwrap();
        let shown = shown.strip_suffix("…\n").unwrap_or_else(|| panic!("{command} has no end"));
        let printed = sandbox.run(MANYLANE, command.split(' ')).good();
        let printed = String::from_utf8(printed).unwrap();
        assert!(
            printed.starts_with(shown),
            "docs/tour.md should show\n$ manylane {command}\n{printed}"
        );
    }
}
