//! The figures and pictures of `docs/parallelism.md` are those of the graphs; the figures of
//! `docs/pairing.md` are those of each machine's newest record of `manylane bench pairing`, those
//! of `docs/performance.md` of its newest record of peers, and those of `docs/hardware.md` and
//! `docs/synthesis.md` of each chip's, those of `docs/platforms.md` of that of simulated machines,
//! and those of `docs/c.md` of that of peers in C.
//!
//! `MANYLANE_BLESS=1 cargo test -p manylane-cli --test docs` writes them.

#[path = "docs/chips.rs"]
mod chips;
mod common;
#[path = "docs/pairing.rs"]
mod pairing;
#[path = "docs/peers_c.rs"]
mod peers_c;
#[path = "docs/predictions.rs"]
mod predictions;

use common::{MANYLANE, Sandbox, has};
use manylane_cli::explore::picture;
use manylane_pages::bars::profile_file;
use manylane_pages::thousands;
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One or two of each family.
const PRIMITIVES: [&str; 14] = [
    "md5",
    "ripemd160",
    "sha1",
    "sha256",
    "sha512",
    "blake256",
    "blake512",
    "groestl256",
    "groestl512",
    "jh256",
    "sha3-256",
    "skein512",
    "skein1024",
    "rc5",
];

fn docs(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

/// The newest of the records whose names end with `end`, if there is one. Names begin with dates.
fn newest(end: &str) -> Option<Value> {
    let folder = docs("../benches/record");
    let files = std::fs::read_dir(folder).expect("benches/record");
    let files = files.map(|file| file.unwrap().path());
    let newest = files.filter(|file| file.to_string_lossy().ends_with(end)).max()?;
    let bytes = std::fs::read(newest).unwrap();
    Some(serde_json::from_slice(&bytes).expect("a record in JSON"))
}

fn report(sandbox: &Sandbox, name: &str) -> Value {
    let json = sandbox.run(MANYLANE, ["explain", name, "--json"]).good();
    serde_json::from_slice(&json).unwrap()
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number")) as usize
}

fn table(sandbox: &Sandbox) -> String {
    let mut out = String::from(
        "| primitive | work | span | at once | two equal cores | on the longest chain | growth |\n\
         |---|--:|--:|--:|--:|---|--:|\n",
    );
    for name in PRIMITIVES {
        let report = report(sandbox, name);
        let at_once = report["parallelism"].as_f64().unwrap();
        let outermost = report["steps"].as_array().unwrap().iter().filter(|kind| {
            let name = kind["name"].as_str().unwrap();
            !name.is_empty() && !name.contains('/') && number(&kind["on_chain"]) > 0
        });
        let kind = outermost.max_by_key(|kind| number(&kind["on_chain"])).unwrap();
        let steps =
            format!("{} of {} {}", kind["critical"], kind["count"], kind["name"].as_str().unwrap());
        writeln!(
            out,
            "| {} | {} | {} | {at_once:.2} | at most {:.2}× | {steps} | {:.2} |",
            report["title"].as_str().unwrap(),
            thousands(number(&report["work"])),
            thousands(number(&report["span"])),
            at_once.min(2.0),
            kind["growth"].as_f64().unwrap(),
        )
        .unwrap();
    }
    out
}

fn plan(sandbox: &Sandbox, arguments: &str) -> Value {
    let arguments = ["plan"].into_iter().chain(arguments.split(' ')).chain(["--json"]);
    serde_json::from_slice(&sandbox.run(MANYLANE, arguments).good()).unwrap()
}

fn percent(value: &Value) -> String {
    format!("{:.1} %", 100.0 * value.as_f64().unwrap())
}

/// A message of 1,024 bytes, or RC5, on the machine of the dual-core paper. Beside the simulation
/// of its assignment stands its own measurement: Table II, and §IV.A for RC5.
fn splits(sandbox: &Sandbox) -> String {
    let measured = [
        ("md5", 7.38),
        ("sha1", 32.72),
        ("sha256", 39.39),
        ("blake256", 73.44),
        ("groestl256", 46.17),
        ("jh256", 73.63),
        ("keccak256", 57.89),
        ("skein512-256", 19.00),
        ("rc5", 67.94),
    ];
    let mut out = String::from(
        "| primitive | paper's split, measured | simulated | coprocessor alone | best plan | limit \
         |\n\
         |---|--:|--:|--:|--:|--:|\n",
    );
    for (name, measured) in measured {
        let length = if name == "rc5" { "" } else { " --length 1024" };
        let plan = plan(sandbox, &format!("{name} --on s12x-xgate-2012{length}"));
        let saved = |candidate: &str| {
            let all = plan["candidates"].as_array().unwrap();
            percent(&all.iter().find(|one| one["name"] == candidate).unwrap()["saved"])
        };
        writeln!(
            out,
            "| {} | {measured:.1} % | {} | {} | {} | {} |",
            plan["title"].as_str().unwrap(),
            saved("the paper's assignment"),
            saved("all on the coprocessor"),
            percent(&plan["saved"]),
            percent(&plan["limit"]["saved"]),
        )
        .unwrap();
    }
    out
}

/// Rounds in gates: the standard's order, two of them merged, the best block, and the bound.
fn hardware(sandbox: &Sandbox) -> String {
    let mut out = String::from(
        "| primitive | a round by chains | two merged | throughput | carry-save, retimed | \
         throughput | bound |\n\
         |---|--:|--:|--:|--:|--:|--:|\n",
    );
    for name in ["md5", "ripemd160", "sha1", "sha256", "sha512", "blake256", "skein512"] {
        let of = |options: &str| plan(sandbox, &format!("{name} --hardware {options}"));
        let chain = of("--adders chain --precompute kw");
        let merged = of("--adders chain --precompute kw --merge 2");
        let best = of("--adders csa --precompute auto");
        let number = |value: &Value| value.as_f64().unwrap();
        let clock = |plan: &Value| number(&plan["plan"]["period"]["total"]);
        let throughput =
            |plan: &Value| 100.0 * (number(&plan["rate"]) / number(&chain["rate"]) - 1.0);
        writeln!(
            out,
            "| {} | {} | {} | {:+.0} % | {} | {:+.0} % | {:.1} |",
            chain["title"].as_str().unwrap(),
            clock(&chain),
            clock(&merged),
            throughput(&merged),
            clock(&best),
            throughput(&best),
            number(&best["plan"]["limit"]["csa"]),
        )
        .unwrap();
    }
    out
}

/// The last part of the program's text, as a list.
fn limits(sandbox: &Sandbox, name: &str) -> String {
    let text = String::from_utf8(sandbox.run(MANYLANE, ["explain", name]).good()).unwrap();
    let (_, limits) = text.split_once("WHAT LIMITS IT\n").unwrap();
    limits.replace("\n    ", " ").lines().fold(String::new(), |list, line| {
        // Breaks the line at 100 columns.
        let mut out = String::from("*");
        let mut used = 1;
        for word in line.split(' ').filter(|word| !word.is_empty()) {
            let length = word.chars().count();
            if used + 1 + length > 100 {
                out.push_str("\n ");
                used = 1;
            }
            write!(out, " {word}").unwrap();
            used += 1 + length;
        }
        list + &out + "\n"
    })
}

/// The text, in which the part between each marker and its end is generated anew.
fn renewed(sandbox: &Sandbox, text: &str) -> String {
    const END: &str = "<!-- end -->";
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        writeln!(out, "{line}").unwrap();
        let made = match line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->")) {
            Some("table") => table(sandbox),
            Some("splits") => splits(sandbox),
            Some("hardware") => hardware(sandbox),
            Some("small chip") => chips::small(),
            Some("large chip") => chips::large(),
            Some("others") => chips::others(),
            Some("placers") => chips::placers(),
            Some("paper") => chips::paper(),
            Some("merging") => chips::merging(),
            Some("shapes") => chips::shapes(),
            Some("peers-c") => peers_c::table(),
            Some(what) => match what.split_once(": ") {
                Some(("predictions", machine)) => predictions::table(machine),
                Some(("limits", name)) => limits(sandbox, name),
                Some(("pairing field", machine)) => pairing::field(machine),
                Some(("pairing whole", machine)) => pairing::whole(machine),
                Some(("pairing threads", machine)) => pairing::threads(sandbox, machine),
                Some(("pairing serial", machine)) => pairing::serial(machine),
                _ => continue,
            },
            None => continue,
        };
        writeln!(out, "\n{}\n{END}", made.trim_end()).unwrap();
        assert!(lines.any(|line| line == END), "{line} has no end");
    }
    out
}

fn assert_same(file: &Path, made: &str) {
    if std::env::var_os("MANYLANE_BLESS").is_some() {
        return std::fs::write(file, made).expect("the documents can be written");
    }
    let known = std::fs::read_to_string(file).unwrap_or_default();
    let differs = known.lines().zip(made.lines()).find(|(known, made)| known != made);
    assert!(
        known == made,
        "{}: {differs:?}\nif that is meant: MANYLANE_BLESS=1 cargo test -p manylane-cli --test \
         docs",
        file.display()
    );
}

#[test]
fn parallelism_is_told_as_it_is() {
    let sandbox = Sandbox::new();
    let file = docs("parallelism.md");
    let text = std::fs::read_to_string(&file).expect("docs/parallelism.md");
    let made = renewed(&sandbox, &text);
    for name in made.lines().filter_map(|line| line.strip_prefix("<!-- limits: ")) {
        let name = name.trim_end_matches(" -->");
        assert!(made.contains(&format!("(parallelism/{name}.svg)")), "no picture of {name}");
        let report = report(&sandbox, name);
        let profile: Vec<usize> =
            report["profile"].as_array().unwrap().iter().map(number).collect();
        let picture = profile_file(&profile, report["title"].as_str().unwrap());
        assert_same(&docs(&format!("parallelism/{name}.svg")), &picture);
    }
    assert_same(&file, &made);
}

#[test]
fn performance_is_told_as_recorded() {
    if !has("python3", "performance_is_told_as_recorded") {
        return;
    }
    let mut figures = Command::new("python3");
    figures.arg(docs("../benches/figures.py"));
    if std::env::var_os("MANYLANE_BLESS").is_none() {
        figures.arg("--check");
    }
    let ran = figures.output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn the_pairing_is_told_as_it_was_measured() {
    let file = docs("pairing.md");
    let text = std::fs::read_to_string(&file).expect("docs/pairing.md");
    assert!(text.lines().nth(2).unwrap().starts_with("**Broken: about 59 bits"), "security first");
    assert_same(&file, &renewed(&Sandbox::new(), &text));
}

#[test]
fn chips_are_told_as_they_were_measured() {
    let told = [
        ("hardware.md", &["small chip", "large chip", "paper", "merging"][..]),
        ("synthesis.md", &["shapes"]),
    ];
    for (name, markers) in told {
        let file = docs(name);
        let text = std::fs::read_to_string(&file).expect(name);
        for marker in markers {
            assert!(text.contains(&format!("<!-- {marker} -->")), "{marker} in {name}");
        }
        assert_same(&file, &renewed(&Sandbox::new(), &text));
    }
}

/// The drawing of what `manylane explore` measured, from its record.
#[test]
fn shapes_are_drawn_as_they_were_measured() {
    let record = newest(chips::SHAPES).expect("a record");
    let text = std::fs::read_to_string(docs("synthesis.md")).expect("docs/synthesis.md");
    let command = record["command"].as_str().unwrap();
    assert!(text.contains(command), "docs/synthesis.md should say `{command}`");
    assert_same(&docs("hardware-sha1-ice40.svg"), &picture(&record.to_string()).unwrap());
}
