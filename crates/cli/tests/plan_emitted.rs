//! `manylane plan` where programs were measured: the first line is about what is emitted, and what
//! is priced by operations alone says so.

mod common;

use common::{MANYLANE, Sandbox, joined, number};
use manylane_build::Primitive;
use manylane_build::c::Planner;
use manylane_build::run::Planned;
use manylane_build::split::split;
use manylane_emit::c::Cores;
use manylane_plan::Platform;
use manylane_plan::program::shape::Shape;
use serde_json::Value;

/// SHA3-256 on Cortex-M0+: a split of the operations saves more than a third, and the program that
/// is emitted saves less than a twentieth.
#[test]
fn the_answer_is_about_the_emitted_programs() {
    let sandbox = Sandbox::new();
    let args = "sha3-256 --on rp2040 --length 1024";
    let answer = sandbox.json(&format!("plan {args}"));
    let operations = answer["candidates"].as_array().unwrap();
    let best = operations.iter().find(|candidate| candidate["chosen"] == true).unwrap();
    assert!(number(&best["saved"]) > 0.33, "{best}");
    let line = &answer["emitted"]["messages"][0];
    assert_eq!((&answer["worth_it"], &answer["operations_only"]), (&false.into(), &Value::Null));
    assert!((0.0..0.05).contains(&number(&answer["saved"])), "{line}");
    assert_eq!(answer["saved"], line["saved"]);
    assert_eq!(answer["emitted"]["run"], "manylane run sha3-256 --on rp2040 --length 1024");
    let said = joined(&sandbox.text(&format!("plan {args}")));
    assert!(said.starts_with("not worth it: on two cores the C of `manylane emit c`"), "{said}");
    assert!(said.contains("OPERATIONS ALONE what follows prices operations"), "{said}");
}

/// The parts saved follow from the times, and a short message stands beside a long one.
#[test]
fn parts_saved_follow_from_the_times() {
    let sandbox = Sandbox::new();
    for args in ["sha256 --on ibex-duo", "rc5 --on rp2040", "hmac-md5 --on ibex-duo --length 9"] {
        let answer = sandbox.json(&format!("plan {args}"));
        let messages = answer["emitted"]["messages"].as_array().unwrap();
        assert_eq!(messages.len(), 2, "{args}");
        assert_eq!(messages[1]["length"], 1024, "{args}");
        for line in messages {
            let [one, two] = ["one_core", "two_cores"].map(|of| number(&line[of]["cycles"]));
            assert!((number(&line["saved"]) - (1.0 - two / one)).abs() < 1e-5, "{args}: {line}");
            assert_eq!(line["other_core"], Value::Null, "the cores are alike");
            assert_ne!(line["one_core"]["from"], "model", "{args}: {line}");
        }
        assert_eq!(answer["worth_it"], number(&answer["saved"]) >= 0.05, "{args}");
    }
    let rc5 = joined(&sandbox.text("plan rc5 --on rp2040"));
    assert!(rc5.contains("longer than on one; of 1024 bytes it saves 3"), "{rc5}");
}

/// The text says which core computes what in the emitted C. It covers all of the program that `emit
/// c` writes, in lines of 80 columns, and is in JSON too.
#[test]
fn the_split_of_the_emitted_program_is_told() {
    const HEAD: &str = "\nWHO DOES WHAT IN A BLOCK OF THE EMITTED C\n";
    let sandbox = Sandbox::new();
    for (name, machine) in [
        ("sha256", "ibex-duo"),
        ("blake512", "ibex-duo"),
        ("ripemd160", "rp2040"),
        ("jh256", "rp2040"),
        ("rc5-32/12/16", "ibex-duo"),
    ] {
        let args = format!("plan {name} --on {machine}");
        let said = sandbox.text(&args);
        let (_, told) = said.split_once(HEAD).unwrap_or_else(|| panic!("{said}"));
        let told = told.split("\nOPERATIONS ALONE\n").next().unwrap();
        assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
        let platform = Platform::load(machine).unwrap();
        let primitive: Primitive = match name.parse() {
            Ok(params) => Primitive::Rc5(params),
            Err(_) => Primitive::Hash(name.parse().unwrap()),
        };
        let mut planner = Planner::new(Shape::default(), &platform);
        let planned = Planned::new(primitive, Cores::Two, &mut planner).unwrap();
        let expected = split(planned.divided().unwrap());
        let answer = sandbox.json(&args);
        assert_eq!(answer["emitted"]["split"], serde_json::to_value(&expected).unwrap(), "{name}");
        let words = joined(told);
        for step in expected.iter().flat_map(|part| &part.cores).flatten() {
            assert!(words.contains(&joined(step)), "{name}: {step}: {told}");
        }
        sandbox.text(&format!("{args} --html page.html"));
        let page = std::fs::read_to_string(sandbox.path("page.html")).unwrap();
        let (_, told) = page.split_once("Who does what in a block of the emitted C").unwrap();
        let (told, _) = told.split_once("</section>").unwrap();
        for steps in expected.iter().flat_map(|part| &part.cores) {
            assert!(told.contains(&format!(": {}</li>", steps.join(", "))), "{name}: {told}");
        }
        // What a core has is named, even if it has all of a part.
        for steps in expected.iter().flat_map(|part| &part.cores) {
            assert!(!steps.is_empty() && steps[..] != ["everything"], "{name}: {expected:?}");
        }
    }
    let none = sandbox.text("plan skein256 --on ibex-duo");
    assert!(!none.contains(HEAD), "{none}");
}

/// No split is emitted where none saves time, even if a split of single operations would.
#[test]
fn a_primitive_without_a_split_says_so() {
    let sandbox = Sandbox::new();
    let args = "skein256 --on ibex-duo";
    let answer = sandbox.json(&format!("plan {args}"));
    assert_eq!(answer["emitted"]["messages"][0]["two_cores"], Value::Null);
    assert_eq!(number(&answer["saved"]), 0.0);
    let said = joined(&sandbox.text(&format!("plan {args}")));
    assert!(said.starts_with("not worth it: no split over two cores was found"), "{said}");
    assert!(said.contains(" no split 0.0 %"), "{said}");
}

/// Unequal cores: the coprocessor alone is a choice of its own.
#[test]
fn unequal_cores_have_a_column_each() {
    let sandbox = Sandbox::new();
    let answer = sandbox.json("plan sha256 --on s12x-xgate --length 64");
    assert_eq!(answer["emitted"]["language"], "assembly");
    let line = &answer["emitted"]["messages"][0];
    let [one, other, both] =
        ["one_core", "other_core", "two_cores"].map(|of| number(&line[of]["cycles"]));
    assert!(both < other && other < one, "{line}");
    let said = sandbox.text("plan sha256 --on s12x-xgate --length 64");
    assert!(
        said.contains("  EMITTED ASSEMBLY        BYTES         S12X        XGATE         BOTH")
    );
    assert!(joined(&said).contains("XGATE alone saves 82.1 %, nearly as much"), "{said}");
}

/// Each reason for which only operations are priced.
#[test]
fn only_operations_are_priced_where_nothing_was_measured() {
    let sandbox = Sandbox::new();
    for (args, why) in [
        ("sha256 --on esp32", "esp32 has no measured programs"),
        ("sha256 --on unit", "unit has no measured programs"),
        ("blake256 --on s12x-xgate-2012", "times of whole messages by programs of its own"),
        ("sha256 --on rp2040 --fixed-length", "messages of one length alone"),
        ("rc5 --on rp2040 --decrypt", "measures encryption alone"),
        ("hmac-sha256 --on rp2040 --key-length 65", "keys that fit a block"),
        ("rc5-8/3/4 --on rp2040", "rp2040 has no measured programs of it"),
    ] {
        let answer = sandbox.json(&format!("plan {args}"));
        assert_eq!(answer["emitted"], Value::Null, "{args}");
        let said = answer["operations_only"].as_str().unwrap_or_else(|| panic!("{args}"));
        assert!(said.contains(why), "{args}: {said}");
        let said = joined(&sandbox.text(&format!("plan {args}")));
        assert!(said.contains("only operations are priced: "), "{args}: {said}");
        assert!(!said.contains("EMITTED") && !said.contains("OPERATIONS ALONE"), "{args}: {said}");
    }
}

/// Several messages are shared out by what the programs take for one.
#[test]
fn several_messages_are_those_of_the_programs() {
    let sandbox = Sandbox::new();
    let one = sandbox.json("plan sha256 --on rp2040 --length 64");
    let line = &one["emitted"]["messages"][0];
    let many = sandbox.json("plan sha256 --on rp2040 --length 64 --messages 8");
    assert_eq!(many["message"]["main"], line["one_core"]["cycles"]);
    assert_eq!(many["message"]["divided"], line["two_cores"]["cycles"]);
    assert_eq!(many["emitted"]["messages"], one["emitted"]["messages"]);
    let undivided = sandbox.text("plan skein256 --on ibex-duo --messages 4");
    assert!(joined(&undivided).contains("no program divides it"), "{undivided}");
    assert!(!undivided.contains("each divided"), "{undivided}");
}

/// On a platform with measured programs, threads are planned with the times of these programs.
#[test]
fn threads_share_out_programs_where_they_were_measured() {
    let sandbox = Sandbox::new();
    let args = "sha256 --on rp2040 --threads 2 --messages 10 --length 64";
    let answer = sandbox.json(&format!("plan {args}"));
    assert_eq!(answer["priced"], "programs");
    let one = sandbox.json("plan sha256 --on rp2040 --length 64");
    assert_eq!(answer["piece"], one["emitted"]["messages"][0]["one_core"]["cycles"]);
    let answer = sandbox.json("plan sha256 --on esp32 --threads 2 --messages 10 --length 64");
    assert_eq!(answer["priced"], "operations");
}

/// A page has the table of the programs before that of the operations.
#[test]
fn a_page_shows_the_programs_first() {
    let sandbox = Sandbox::new();
    let page = |platform: &str| {
        let args = ["plan", "sha256", "--on", platform, "--html", platform];
        sandbox.run(MANYLANE, args).good();
        std::fs::read_to_string(sandbox.path(platform)).unwrap()
    };
    let of_programs = "What the emitted programs take";
    let of_operations = "Plans of the operations against their limit";
    let known = page("rp2040");
    let [programs, operations] = [of_programs, of_operations].map(|of| known.find(of).unwrap());
    assert!(programs < operations);
    let unknown = page("esp32");
    assert!(!unknown.contains(of_programs) && unknown.contains("only operations are priced"));
}

#[test]
fn equations_say_that_they_price_operations() {
    let sandbox = Sandbox::new();
    let note = "the equations price operations";
    assert!(sandbox.text("plan sha256 --equations --on ibex-duo").contains(note));
    assert!(!sandbox.text("plan sha256 --equations").contains(note));
}
