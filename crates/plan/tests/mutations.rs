//! Wrong descriptions: figures, lines and bytes of the built-in ones are changed at random. Each
//! result is either planned, or refused with file and line.

use manylane_graph::passes::inline;
use manylane_graph::{Function, trace};
use manylane_plan::Platform;
use manylane_plan::hardware::{self, Adders, DelayModel, Precompute};
use manylane_plan::source::{BuiltIn, Source};
use manylane_plan::threads::{self, Pairing};
use manylane_plan::two_core::{Options, plan};
use manylane_plan::units::{Level, Units};
use std::fmt::Display;

/// Pseudo-random numbers (xorshift64*), the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    /// A number that somebody may write as a cost.
    fn number(&mut self) -> String {
        match self.below(3) {
            0 => self.of(&PLAIN).to_owned(),
            1 => format!("{}.{}", self.below(5), self.below(10_000)),
            _ => format!("{}e{}", 1 + self.below(99), self.below(16) as i32 - 8),
        }
    }
}

/// Numbers that once broke a plan, or might.
const PLAIN: [&str; 14] = [
    "0",
    "0.0",
    "1.2",
    "0.2222",
    "0.344",
    "0.1",
    "0.3",
    "1e-6",
    "1e-7",
    "1e9",
    "1e6",
    "3.7",
    "0.333333333333333",
    "123456.789012345",
];

/// Values that are no costs.
const STRANGE: [&str; 16] = [
    "nan",
    "inf",
    "-inf",
    "-1",
    "-0.0",
    "1e308",
    "1e-320",
    "1e999",
    "\"2\"",
    "true",
    "[1]",
    "{}",
    "{ 32 = 1 }",
    "0x10",
    "9223372036854775807",
    "1979-05-27",
];

/// The byte ranges of the numbers that stand behind a `=`.
fn numbers(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split('#').next().unwrap_or_default();
        for (equals, _) in code.match_indices('=') {
            let rest = &code[equals + 1..];
            let start = equals + 1 + (rest.len() - rest.trim_start().len());
            let digit = |c: char| c.is_ascii_digit() || ".eE_-".contains(c);
            let length = code[start..].find(|c| !digit(c)).unwrap_or(code.len() - start);
            if length > 0 {
                found.push(at + start..at + start + length);
            }
        }
        at += line.len();
    }
    found
}

/// The text with some changes: mostly of numbers, now and then of lines or characters.
fn mutated(random: &mut Random, text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..1 + random.below(3) {
        let places = numbers(&text);
        let mut lines: Vec<&str> = text.lines().collect();
        if places.is_empty() || lines.len() < 2 {
            break;
        }
        let (from, to) = (random.below(lines.len()), random.below(lines.len()));
        text = match random.below(16) {
            0..=9 => {
                let number = random.number();
                let mut text = text.clone();
                text.replace_range(places[random.below(places.len())].clone(), &number);
                text
            }
            10 | 11 => {
                let strange = random.of(&STRANGE);
                let mut text = text.clone();
                text.replace_range(places[random.below(places.len())].clone(), strange);
                text
            }
            12 => {
                lines.remove(from);
                lines.join("\n")
            }
            13 => {
                lines.insert(to, lines[from]);
                lines.join("\n")
            }
            14 => lines[..from].join("\n"),
            _ => {
                let garbage =
                    random.of(&["\"", "[", "]", "=", "\u{0}", "µ", "\u{202e}", "'''", "}"]);
                let at = (0..=text.len())
                    .rev()
                    .find(|&at| at <= text.len() * from / lines.len() && text.is_char_boundary(at));
                let (before, after) = text.split_at(at.unwrap_or(0));
                format!("{before}{garbage}{after}")
            }
        };
    }
    text
}

const FILE: &str = "mutant.toml";

/// Checks that an error names the file and a line that the text has.
fn check_refusal(error: &impl Display, text: &str) {
    let error = error.to_string();
    let place = error.strip_prefix(&format!("{FILE}:")).and_then(|rest| rest.split_once(": "));
    let (line, said) = place.unwrap_or_else(|| panic!("no file and line: {error}\n{text}"));
    let line: usize = line.parse().unwrap_or_else(|_| panic!("{error}"));
    assert!((1..=text.lines().count().max(1) + 1).contains(&line), "{error}\n{text}");
    assert!(said.len() < 600 && said.contains("; "), "problem and remedy: {error}");
}

/// Plans with every mutant, and checks that some were planned and some refused.
fn over_mutants(
    builtin: &[(&str, &str)],
    each: usize,
    mut try_one: impl FnMut(&str, &mut Random) -> bool,
) {
    let (mut planned, mut refused) = (0, 0);
    for (i, (_, text)) in builtin.iter().enumerate() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (i as u64 + 1));
        for _ in 0..each {
            match try_one(&mutated(&mut random, text), &mut random) {
                true => planned += 1,
                false => refused += 1,
            }
        }
    }
    assert!(planned > 0 && refused > 0, "{planned} planned, {refused} refused");
}

fn texts(builtin: &[BuiltIn]) -> Vec<(&'static str, &'static str)> {
    builtin.iter().map(|known| (known.name, known.text)).collect()
}

const PLATFORMS: [(&str, &str); 5] = [
    ("s12x-xgate-2012", include_str!("../../../platforms/s12x-xgate-2012.toml")),
    ("rp2040", include_str!("../../../platforms/rp2040.toml")),
    ("ibex-duo", include_str!("../../../platforms/ibex-duo.toml")),
    ("x86-two-threads", include_str!("../../../platforms/x86-two-threads.toml")),
    ("unit", include_str!("../../../platforms/unit.toml")),
];

/// Primitives with measured steps and without, on words of 32 and of 64 bits, and RC5, whose table
/// before mixing is an input.
fn functions() -> Vec<(Function, &'static str)> {
    let message = |name: &str, bytes| {
        inline(&trace::message(name.parse().unwrap(), bytes, trace::Loading::Buffered))
    };
    vec![
        (message("md5", 0), "md5"),
        (message("sha1", 0), "sha1"),
        (message("blake256", 55), "blake256"),
        (message("skein512-256", 55), "skein512-256"),
        (trace::rc5::<u32>(trace::Rc5::Encryption, 12, 4), "rc5-32-12-16"),
    ]
}

#[test]
fn platforms_are_planned_for_or_refused() {
    let functions = functions();
    let mut turn = 0;
    over_mutants(&PLATFORMS, 40, |text, random| {
        let platform = match Platform::parse(FILE, text) {
            Ok(platform) => platform,
            Err(error) => {
                check_refusal(&error, text);
                return false;
            }
        };
        turn += 1;
        let (function, name) = &functions[turn % functions.len()];
        let level = if random.below(4) == 0 { Level::Step } else { Level::Substep };
        let total = platform.total(name, 55);
        let exact = if level == Level::Step { 200 } else { 0 };
        let options = Options { level, total, effort: 20_000, exact, seed: 1 };
        match plan(function, &platform, options) {
            Ok(plan) => {
                plan.schedule.verify(&Units::of(function, level)).unwrap_or_else(|broken| {
                    panic!("{broken}\n{text}");
                });
                let best = plan.best().cycles;
                assert!(plan.candidates.iter().all(|other| best <= other.cycles), "{text}");
                assert!(best >= plan.limit.cycles() - 1e-6, "{plan}\n{text}");
                true
            }
            Err(error) => {
                check_refusal(&error, text);
                false
            }
        }
    });
}

#[test]
fn delay_models_are_planned_with_or_refused() {
    let names = ["md5", "sha1", "sha256", "keccak256", "groestl256"];
    let functions = names.map(|name| trace::compression(name.parse().unwrap()));
    let mut turn = 0;
    over_mutants(&texts(&hardware::BUILT_IN), 25, |text, random| {
        let model = match DelayModel::parse(Source { file: FILE, text }) {
            Ok(model) => model,
            Err(error) => {
                check_refusal(&error, text);
                return false;
            }
        };
        turn += 1;
        let options = hardware::Options {
            merge: 1 + random.below(2),
            adders: Adders::ALL[random.below(Adders::ALL.len())],
            precompute: Precompute::ALL[random.below(Precompute::ALL.len())],
            ..hardware::Options::default()
        };
        let plan = hardware::plan(&functions[turn % functions.len()], &options, &model).unwrap();
        for block in plan.program.regions.iter().chain(&plan.program.schedule) {
            block.schedule.check(&block.function, block.words).unwrap_or_else(|wrong| {
                panic!("{}, {options:?}: {wrong}\n{text}", plan.program.function.name);
            });
        }
        true
    });
}

#[test]
fn costs_of_pairings_are_shared_out_or_refused() {
    over_mutants(&texts(&threads::BUILT_IN), 400, |text, _| {
        match Pairing::parse(Source { file: FILE, text }) {
            Ok(pairing) => {
                for processors in [1, 2, 7, 4096] {
                    let balance = pairing.split_loop().balance(processors);
                    let first_and_last = [balance.bounds[0], balance.bounds[processors]];
                    assert_eq!(first_and_last, [0, pairing.split_loop().iterations], "{text}");
                    assert!(balance.total.is_finite() && balance.speedup.is_finite(), "{text}");
                }
                true
            }
            Err(error) => {
                check_refusal(&error, text);
                false
            }
        }
    });
}

/// Figures that once made a sort panic, a core wait for ever, or a search not end.
#[test]
fn figures_that_broke_a_plan() {
    let of = |name: &str| PLATFORMS.iter().find(|(known, _)| *known == name).unwrap().1;
    let planned = |text: &str, name: &str, bytes| {
        let platform = Platform::parse(FILE, text).unwrap();
        let function = inline(&trace::message(
            name.parse().unwrap(),
            bytes,
            trace::Loading::Native(manylane_primitives::word::ByteOrder::Little),
        ));
        let total = platform.total(name, bytes);
        let options = Options { total, effort: 100_000, ..Options::default() };
        let plan = plan(&function, &platform, options).unwrap();
        plan.schedule.verify(&Units::of(&function, Level::Substep)).unwrap();
    };
    planned(&of("rp2040").replacen("speed = 1", "speed = 1.2", 1), "sha512", 64);
    planned(&of("s12x-xgate-2012").replacen("speed = 0.25", "speed = 0.2222", 1), "sha1", 0);
    planned(
        &of("s12x-xgate-2012").replacen("speed = 0.25", "speed = 0.344", 1),
        "skein512-256",
        55,
    );
    let line = |start: &str| {
        1 + of("rp2040").lines().position(|line| line.starts_with(start)).expect("a line")
    };
    for (figure, words) in [
        ("1e308", "1e308 is too large; give 0, or a number from 1e-6 to 1e9"),
        ("1e-9", "1e-9 is too small; give 0, or a number from 1e-6 to 1e9"),
    ] {
        let text = of("rp2040").replacen("add = 1", &format!("add = {figure}"), 1);
        let words = format!("mutant.toml:{}: {words}", line("add = 1"));
        assert_eq!(Platform::parse(FILE, &text).unwrap_err().to_string(), words);
    }
    // Each figure is possible, all together take too long to be counted.
    let text = of("rp2040").replacen("add = 1", "add = 1e9", 1);
    let platform = Platform::parse(FILE, &text).unwrap();
    let md5 = trace::compression("md5".parse().unwrap());
    let error = plan(&md5, &platform, Options::default()).unwrap_err().to_string();
    let place = format!("mutant.toml:{}: md5", line("[main.cost]"));
    assert!(error.starts_with(&place) && error.contains("up to 5e9"), "{error}");

    let gates = hardware::BUILT_IN.iter().find(|known| known.name == "generic-gates").unwrap().text;
    let sum = gates.lines().find(|line| line.starts_with("add = ")).unwrap();
    let with = |figure: &str| {
        let text = gates.replacen(sum, &format!("add = {figure}"), 1);
        DelayModel::parse(Source { file: FILE, text: &text })
    };
    let sha256 = trace::compression("sha256".parse().unwrap());
    for figure in ["0", "1e-6", "1e6", "0.333333333333333"] {
        for adders in Adders::ALL {
            let precompute = Precompute::Auto;
            let options = hardware::Options { adders, precompute, ..hardware::Options::default() };
            let plan = hardware::plan(&sha256, &options, &with(figure).unwrap()).unwrap();
            for block in &plan.program.regions {
                block.schedule.check(&block.function, block.words).unwrap();
            }
        }
    }
    for figure in ["1e-12", "1e300"] {
        let error = with(figure).unwrap_err().to_string();
        assert!(error.contains("give 0, or a number from 1e-6 to 1e6"), "{error}");
    }
}
