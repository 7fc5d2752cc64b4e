//! Platforms and delay models: which there are, and how they are found.

use crate::common::{MANYLANE, Sandbox};
use crate::{PLATFORMS, file_of_the_repository, json, plan};
use serde_json::Value;

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

/// A chip and its delay model are each found by the name of the other.
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

#[test]
fn platforms_are_listed() {
    let sandbox = Sandbox::new();
    let text = String::from_utf8(sandbox.run(MANYLANE, ["platforms"]).good()).unwrap();
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    // Sums are printed without the digits that rounding makes: ibex-duo's latency, store and load.
    assert!(text.contains("a handshake takes 8.06 there and 8.06 back"), "{text}");
    let list: Value =
        serde_json::from_slice(&sandbox.run(MANYLANE, ["platforms", "--json"]).good()).unwrap();
    let names = |list: &Value| -> Vec<String> {
        let line = |line: &Value| line["name"].as_str().unwrap().to_owned();
        list.as_array().unwrap().iter().map(line).collect()
    };
    assert_eq!(names(&list["platforms"]), PLATFORMS);
    let models = ["unit-adder", "generic-gates", "ecp5", "ice40"];
    assert_eq!(names(&list["delay_models"]), models);
    let pairings = ["core2-45nm", "core2-65nm"];
    assert_eq!(names(&list["pairings"]), pairings);
    for name in PLATFORMS.iter().chain(&models).chain(&pairings) {
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
