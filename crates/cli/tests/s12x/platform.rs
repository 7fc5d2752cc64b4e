//! The costs of the S12X in the platform's file, and how they are measured.

use crate::common::{MANYLANE, Sandbox};
use manylane_graph::Op;

/// With --missing a hash is measured on those choices of cores alone whose times the file lacks.
#[test]
fn what_is_missing_is_measured() {
    let sandbox = Sandbox::new();
    let known = include_str!("../../../../platforms/s12x-xgate.toml");
    let measure = |text: &str| {
        std::fs::write(sandbox.path("mine.toml"), text).unwrap();
        let args = ["platforms", "measure", "s12x-xgate", "--missing", "--platform", "mine.toml"];
        let said = sandbox.run(MANYLANE, [&args[..], &["--only", "jh256"]].concat()).good();
        String::from_utf8(said).unwrap()
    };
    assert_eq!(measure(known), known, "nothing is missing");
    let is_cpu = |line: &&str| line.starts_with("jh256 = ");
    let without: String =
        known.lines().filter(|line| !is_cpu(line)).map(|line| format!("{line}\n")).collect();
    let again = measure(&without);
    let line = known.lines().find(is_cpu).unwrap();
    assert!(again.lines().any(|other| other == line), "{line}\nis not in\n{again}");
    assert_eq!(again.lines().count(), known.lines().count());
}

/// A platform's file of one's own may have its tables in one line each, and words of another
/// length. What is measured is written into it and can be read back.
#[test]
fn what_is_measured_fits_the_file() {
    measured_fits_the_file(32);
}

/// The tables fit a file whose words are as long as those of the built-in platform.
#[test]
#[ignore = "a quarter of a minute: `make test-asm`"]
fn what_is_measured_fits_a_file_of_the_same_words() {
    measured_fits_the_file(16);
}

fn measured_fits_the_file(word: u32) {
    let sandbox = Sandbox::new();
    let measure = |text: &str| {
        std::fs::write(sandbox.path("mine.toml"), text).unwrap();
        let args = ["measure", "s12x-xgate", "--only", "rc5", "--platform", "mine.toml"];
        sandbox.run(MANYLANE, [&["platforms"][..], &args].concat())
    };
    let file = |main: &str, coprocessor: &str| {
        format!(
            "name = \"mine\"\ntitle = \"Mine\"\nsource = \"a test\" # kept\n\
             main = {{ name = \"a\", {main} }}\n{coprocessor}"
        )
    };
    let sides = "{ send = 1, receive = 1 }";
    let second = format!(
        "coprocessor = {{ name = \"b\", word = 32, cost = {{ xor = 1 }} }}\n\
         handshake = {{ main = {sides}, coprocessor = {sides} }}\n"
    );
    let main = format!("word = {word}, cost = {{ add = 1, \"add.64\" = 7 }}");
    let text = String::from_utf8(measure(&file(&main, &second)).good()).unwrap();
    assert!(text.contains("source = \"a test\" # kept\n"), "{text}");
    assert!(text.contains("\n[main]\nname = \"a\"\nword = "), "{text}");
    let platform = manylane_plan::Platform::parse("mine.toml", &text).unwrap();
    let built_in = manylane_plan::Platform::load("s12x-xgate").unwrap();
    for core in 0..2 {
        for (op, width) in [(Op::Add, 16), (Op::Add, 32), (Op::Xor, 64), (Op::RotlVar, 32)] {
            let cost = |of: &manylane_plan::Platform| of.cost(core, op, width).unwrap();
            assert_eq!(cost(&platform), cost(&built_in), "{op:?} of {width} bits, core {core}");
        }
    }
    // XGATE has other instructions than the CPU, so a multiple of the CPU's costs is refused.
    for second in ["", &second.replace("word = 32, cost = { xor = 1 }", "speed = 0.5")] {
        let ran = measure(&file("word = 16, cost = { add = 1 }", second));
        assert_eq!((ran.status, ran.stdout), (Some(1), Vec::new()));
        let said = "manylane: mine.toml: no costs of XGATE: add `[coprocessor]` with `word = 16`";
        assert!(ran.stderr.starts_with(said), "{}", ran.stderr);
    }
}

/// The list of platforms does not compare cores whose costs differ operation by operation.
#[test]
fn each_core_has_its_own_costs() {
    let sandbox = Sandbox::new();
    let text = String::from_utf8(sandbox.run(MANYLANE, ["platforms"]).good()).unwrap();
    for (name, has_own_costs) in
        [("s12x-xgate", true), ("s12x-xgate-2012", false), ("rp2040", false), ("stm32h7", true)]
    {
        let mut lines =
            text.lines().skip_while(|line| line.split_whitespace().next() != Some(name));
        let line = lines.nth(1).unwrap();
        assert_eq!(line.contains("each core has its own cost of each operation"), has_own_costs);
        assert_eq!(line.contains(" of the cycles of "), !has_own_costs, "{name}: {line}");
    }
}
