//! Every kind of core, in every language: `make test-rtl`.
//!
//! ```text
//!  primitives × (adders × pre-computation) × steps and stages × language × reset, in turn
//!       each: boundary lengths, interleaved, at full speed and with both sides pausing;
//!             the linter; no latch.   Some: every length up to three blocks and one byte.
//! ```
//!
//! A core whose text has passed before is not run again: the list of those is
//! `target/tmp/sweep.passed`.

use super::case::{Case, boundaries};
use super::check::check;
use super::resume::{self, Done};
use super::tools::{Simulator, has, latches, lint};
use manylane_emit::rtl::{Language, Reset, Storage, text};
use manylane_plan::hardware::{Adders, Precompute};
use std::{fmt, fs};

/// One of each compression, its steps, and whether it adds.
pub const PRIMITIVES: [(&str, usize, bool); 17] = [
    ("md5", 64, true),
    ("sha1", 80, true),
    ("sha256", 64, true),
    ("sha512", 80, true),
    ("ripemd128", 64, true),
    ("ripemd160", 80, true),
    ("ripemd256", 64, true),
    ("ripemd320", 80, true),
    ("blake256", 14, true),
    ("blake512", 16, true),
    ("skein256", 72, true),
    ("skein512", 72, true),
    ("keccak256", 24, false),
    ("sha3-512", 24, false),
    ("groestl256", 10, false),
    ("groestl512", 14, false),
    ("jh256", 42, false),
];

/// The cores of the sweep, and which of them take every length.
pub fn cases() -> Vec<(Case, bool)> {
    let mut cases = Vec::new();
    for (name, steps, adds) in PRIMITIVES {
        let adders = if adds { &Adders::ALL[..] } else { &Adders::ALL[..1] };
        let kinds = adders.iter().flat_map(|&adders| {
            Precompute::ALL.iter().map(move |&precompute| (adders, precompute))
        });
        // Rounds of RIPEMD without a constant differ, inside a step, from those with one.
        let is_possible = |(_, precompute): &(_, Precompute)| {
            !(name.starts_with("ripemd") && *precompute == Precompute::None)
        };
        for (i, (adders, precompute)) in kinds.filter(is_possible).enumerate() {
            // Merged, in stages, both or neither, in a cycle of four that does not coincide with
            // the cycles of the other choices.
            let at = cases.len() + i / 4;
            // Two rounds of BLAKE differ in the same way.
            let is_single = name.starts_with("blake") && precompute == Precompute::None;
            let merge = if at % 2 == 1 && !is_single { divisor(steps) } else { 1 };
            let stages = if at % 4 >= 2 { divisor(steps / merge) } else { 1 };
            let language = Language::ALL[cases.len() % 3];
            let reset = Reset::ALL[cases.len() / 3 % 2];
            let case = Case::new(name).shape(merge, stages, adders, precompute);
            cases.push((case.style(language, reset), false));
        }
    }
    let in_memory = PRIMITIVES.iter().filter(|(name, steps, adds)| {
        // Skein's block is its first state.
        *adds && *steps >= 14 && !name.starts_with("skein")
    });
    for (i, &(name, steps, _)) in in_memory.enumerate() {
        for j in 0..3 {
            let adders = Adders::ALL[(i + j) % 3];
            let precompute = Precompute::ALL[1 + (i + j / 2) % 3];
            let merge = if j == 1 { divisor(steps) } else { 1 };
            let stages = if j == 2 { divisor(steps) } else { 1 };
            let style = (Language::ALL[(i + j) % 3], Reset::ALL[(i + j) % 2]);
            let case = Case::new(name).shape(merge, stages, adders, precompute);
            let case = case.style(style.0, style.1);
            cases.push((if i % 2 == 0 { case.ram() } else { case.block_ram() }, false));
        }
    }
    cases.extend(in_special_ways().map(|case| (case, false)));
    let every = ["md5", "sha256", "blake256", "keccak256", "groestl256"].map(|name| {
        let case = Case::new(name).style(Language::SystemVerilog, Reset::Sync);
        (case.shape(1, 2, Adders::CarrySave, Precompute::Auto), true)
    });
    cases.extend(every);
    cases
}

/// Cores that clear, that are of several hashes, that keep chaining values in memory, and those of
/// two kinds at once, each kind in every language.
fn in_special_ways() -> impl Iterator<Item = Case> {
    use Adders::{CarrySave, Chain, Tree};
    use Precompute::{Auto, Full, Kw};
    let clears = [
        Case::new("sha256").shape(1, 4, CarrySave, Auto),
        Case::new("sha512").shape(2, 1, Tree, Full),
        Case::new("md5").shape(1, 2, Chain, Kw),
        Case::new("keccak256").shape(2, 3, Chain, Kw),
        Case::new("skein512").shape(4, 1, CarrySave, Auto),
        Case::new("groestl256").shape(1, 2, Chain, Kw),
    ];
    let (narrow, wide) = ("sha224+sha256", "sha384+sha512+sha512-224+sha512-256");
    let modes = [
        Case::new(narrow).shape(1, 1, CarrySave, Auto),
        Case::new(wide).shape(1, 2, Tree, Kw),
        Case::new(narrow).shape(2, 4, Chain, Full),
        Case::new(wide).shape(2, 1, CarrySave, Full).clearing(),
        Case::new(narrow).shape(1, 8, CarrySave, Auto).clearing(),
        Case::new(narrow).shape(1, 2, Tree, Auto).ram().chains(),
    ];
    let chains = [
        Case::new("sha256").shape(1, 4, CarrySave, Auto).chains(),
        Case::new("sha1").shape(2, 4, Chain, Kw).chains(),
        Case::new("blake512").shape(1, 2, Tree, Full).chains(),
        Case::new("md5").shape(1, 4, CarrySave, Auto).ram().chains(),
        Case::new("ripemd160").shape(2, 2, Chain, Full).chains(),
        Case::new("sha512").shape(1, 5, CarrySave, Auto).block_ram().chains(),
    ];
    let styled =
        |(i, case): (usize, Case)| case.style(Language::ALL[i % 3], Reset::ALL[(i + i / 3) % 2]);
    let clears = clears.map(Case::clearing);
    [clears, modes, chains]
        .into_iter()
        .flat_map(move |kind| kind.into_iter().enumerate().map(styled))
}

/// The smallest divisor above 1.
pub fn divisor(n: usize) -> usize {
    (2..=n).find(|d| n.is_multiple_of(*d)).unwrap_or(1)
}

/// # Errors
/// What a tool has found.
fn examine(case: &Case, every: bool, core: &str) -> Result<Done, String> {
    let block = case.algorithm().id().entry().shape.block_bytes;
    let language = case.style.language;
    let (lengths, simulators) = match every {
        true => ((0..=3 * block + 1).collect(), vec![Simulator::Verilator]),
        false => (boundaries(block), vec![Simulator::of(language)]),
    };
    let mut done = Done { simulations: check(case, &simulators, &lengths)?, ..Done::default() };
    if language == Language::Vhdl {
        return Ok(done);
    }
    let folder = case.folder();
    let file = format!("{}.{}", case.name.replace(['-', '+'], "_"), language.extension());
    fs::write(folder.join(&file), core).unwrap();
    if has("verilator", "--version") {
        let said = lint(&folder, &file);
        done.linted += 1;
        if !said.is_empty() {
            return Err(format!("{case}: verilator --lint-only -Wall: {said}"));
        }
    }
    if has("yosys", "-V") {
        let said = latches(&folder, &file);
        done.read += 1;
        if !said.is_empty() {
            return Err(format!("{case}: yosys: {said}"));
        }
    }
    Ok(done)
}

/// A core of the sweep, and whether it takes every length.
struct Row(Case, bool);

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.0, if self.1 { " all" } else { "" })
    }
}

#[test]
#[ignore = "make test-rtl"]
fn every_core() {
    let all: Vec<Row> = cases().into_iter().map(|(case, every)| Row(case, every)).collect();
    let make = |Row(case, _): &Row| {
        let made = case.try_design()?;
        let core = text(&made.core.netlist, case.style, &case.to_string());
        Ok(Some((core.clone(), core)))
    };
    resume::every("sweep", &all, make, |Row(case, every), core| examine(case, *every, core));
}

/// The sweep is as wide as it says, and as docs/synthesis.md does.
#[test]
fn the_sweep_has_every_kind() {
    let all = cases();
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/synthesis.md");
    let told = format!("`make test-rtl` sweeps over {} cores", all.len());
    assert!(fs::read_to_string(docs).unwrap().contains(&told), "{told}");
    for (name, ..) in PRIMITIVES {
        let of_name = || all.iter().map(|(case, _)| case).filter(|case| case.name == name);
        assert!(
            Language::ALL.iter().all(|l| of_name().any(|case| case.style.language == *l)),
            "{name}"
        );
        assert!(of_name().any(|case| case.hardware.merge > 1), "{name}");
        assert!(of_name().any(|case| case.hardware.stages > 1), "{name}");
    }
    for kind in [
        |case: &Case| case.clear,
        |case: &Case| case.name.contains('+'),
        |case: &Case| case.chaining == Storage::Ram,
        |case: &Case| case.window == Storage::Ram,
    ] {
        let of_kind = || all.iter().map(|(case, _)| case).filter(|case| kind(case));
        for language in Language::ALL {
            assert!(of_kind().any(|case| case.style.language == language), "{language}");
        }
    }
}
