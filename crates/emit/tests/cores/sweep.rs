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

use super::case::{Case, boundaries, check};
use super::tools::{Simulator, has, latches, lint};
use manylane_emit::rtl::{Language, Reset, text};
use manylane_plan::hardware::{Adders, Precompute};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// One of each compression, its steps, and whether it adds.
const PRIMITIVES: [(&str, usize, bool); 17] = [
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
fn cases() -> Vec<(Case, bool)> {
    let mut cases = Vec::new();
    for (name, steps, adds) in PRIMITIVES {
        let adders = if adds { Adders::ALL } else { &Adders::ALL[..1] };
        let kinds = adders.iter().flat_map(|&adders| {
            Precompute::ALL.iter().map(move |&precompute| (adders, precompute))
        });
        // Rounds of RIPEMD without a constant differ, inside a step, from those with one.
        let is_possible = |(_, precompute): &(_, Precompute)| {
            !(name.starts_with("ripemd") && *precompute == Precompute::None)
        };
        for (i, (adders, precompute)) in kinds.filter(is_possible).enumerate() {
            // Merged, in stages, both, neither, by turns that do not fall in with the other choices.
            let at = cases.len() + i / 4;
            // So do two rounds of BLAKE.
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
    let every = ["md5", "sha256", "blake256", "keccak256", "groestl256"].map(|name| {
        let case = Case::new(name).style(Language::SystemVerilog, Reset::Sync);
        (case.shape(1, 2, Adders::CarrySave, Precompute::Auto), true)
    });
    cases.extend(every);
    cases
}

/// The smallest divisor above 1.
fn divisor(n: usize) -> usize {
    (2..=n).find(|d| n.is_multiple_of(*d)).unwrap_or(1)
}

/// What was done with a core.
#[derive(Clone, Copy, Default)]
struct Done {
    simulations: usize,
    linted: usize,
    read: usize,
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
    let file = format!("{}.{}", case.name.replace('-', "_"), language.extension());
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

#[test]
#[ignore = "make test-rtl"]
fn every_core() {
    let all = cases();
    let list = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("sweep.passed");
    let passed = fs::read_to_string(&list).unwrap_or_default();
    let passed: HashSet<&str> = passed.lines().collect();
    let mut file = OpenOptions::new().create(true).append(true).open(&list).unwrap();
    let mut record = |line: &str| writeln!(file, "{line}").unwrap();
    let (next, begun) = (AtomicUsize::new(0), Instant::now());
    let state = Mutex::new((Done::default(), 0, 0, String::new(), &mut record));
    let work = || {
        while let Some((case, every)) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            let core = case.try_design();
            let core = core.map(|made| text(&made.core.netlist, case.style, &case.to_string()));
            let mut hasher = DefaultHasher::new();
            core.hash(&mut hasher);
            let line =
                format!("{:016x} {case}{}", hasher.finish(), if *every { " all" } else { "" });
            let result = match passed.contains(&line[..]) {
                true => None,
                false => Some(core.and_then(|core| examine(case, *every, &core))),
            };
            let mut state = state.lock().unwrap();
            let (total, known, count, errors, record) = &mut *state;
            *count += 1;
            let what = match result {
                None => {
                    *known += 1;
                    "as before".to_owned()
                }
                Some(Ok(done)) => {
                    record(&line);
                    total.simulations += done.simulations;
                    total.linted += done.linted;
                    total.read += done.read;
                    format!("{} simulations", done.simulations)
                }
                Some(Err(error)) => {
                    let _ = writeln!(errors, "{error}");
                    "FAILED".to_owned()
                }
            };
            let seconds = begun.elapsed().as_secs();
            eprintln!("{count:3}/{} {seconds:5} s  {case}: {what}", all.len());
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let (Done { simulations, linted, read }, known, _, errors, _) = state.into_inner().unwrap();
    eprintln!(
        "{} cores: {simulations} simulations, {linted} linted, {read} without latches, {known} known \
         from before; {} s",
        all.len(),
        begun.elapsed().as_secs()
    );
    assert!(errors.is_empty(), "\n{errors}");
}

/// The sweep is as wide as it says.
#[test]
fn the_sweep_has_every_kind() {
    let all = cases();
    assert!(all.len() >= 150, "{}", all.len());
    for (name, ..) in PRIMITIVES {
        let of_name = || all.iter().map(|(case, _)| case).filter(|case| case.name == name);
        assert!(
            Language::ALL.iter().all(|l| of_name().any(|case| case.style.language == *l)),
            "{name}"
        );
        assert!(of_name().any(|case| case.hardware.merge > 1), "{name}");
        assert!(of_name().any(|case| case.hardware.stages > 1), "{name}");
    }
}
