//! The text of every core, as a digest. `texts.sha256` has a line for each core of the sweep: a
//! change that should not alter emitted text is compared with it, and a change that should alter it
//! writes the record anew.

use super::case::Case;
use super::surroundings::try_made_with;
use super::sweep::{PRIMITIVES, cases, divisor};
use manylane_emit::rtl::{Designer, Interface, Storage, core, text};
use manylane_graph::trace;
use manylane_plan::hardware::{Adders, DelayModel, Options, Precompute};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What gives some lines of a record.
type Task = Box<dyn Fn() -> Vec<String> + Sync>;

/// A line of a record: the digest of the text, or why there is none.
fn line(core: &dyn Display, text: Result<String, String>) -> String {
    match text {
        Ok(text) => {
            let hex: String = Sha256::digest(text).iter().map(|b| format!("{b:02x}")).collect();
            format!("{hex}  {core}\n")
        }
        Err(error) => format!("{core}: {error}\n"),
    }
}

/// The lines of all tasks, sorted.
fn record(tasks: &[Task]) -> String {
    let (next, lines) = (AtomicUsize::new(0), Mutex::new(BTreeSet::new()));
    let work = || {
        while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            let of_task = task();
            lines.lock().unwrap().extend(of_task);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    lines.into_inner().unwrap().into_iter().collect()
}

/// Compares a record with a file, which is written if `write` says so.
fn compare(path: &Path, record: &str, write: bool) {
    if write {
        return fs::write(path, record).unwrap();
    }
    let before = fs::read_to_string(path).unwrap();
    let before: BTreeSet<&str> = before.lines().collect();
    let now: BTreeSet<&str> = record.lines().collect();
    let changed: Vec<&str> = now.symmetric_difference(&before).copied().collect();
    assert!(changed.is_empty(), "{} lines differ:\n{}", changed.len(), changed.join("\n"));
}

/// The cores of the sweep have the text that they had when it passed the simulators.
/// `MANYLANE_BLESS=1` writes what they have now; `make test-rtl` then simulates the changed ones.
#[test]
fn texts_are_as_recorded() {
    let task = |(case, _): (Case, bool)| -> Task {
        Box::new(move || {
            let made = case.try_design();
            vec![line(&case, made.map(|made| text(&made.core.netlist, case.style, "record")))]
        })
    };
    let tasks: Vec<Task> = cases().into_iter().map(task).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cores/texts.sha256");
    compare(&path, &record(&tasks), std::env::var_os("MANYLANE_BLESS").is_some());
}

/// Thousands of shapes, many more than the sweep has: the first run writes their record below
/// `target`, later ones compare with it. Run it before a change of the emitter, and after each
/// step.
#[test]
#[ignore = "before and after a change of the emitter: two minutes"]
fn every_shape() {
    let modes = [("sha224+sha256", 64, true), ("sha384+sha512+sha512-224+sha512-256", 80, true)];
    let mut tasks: Vec<Task> = Vec::new();
    for (name, steps, adds) in PRIMITIVES.into_iter().chain(modes) {
        let all = if adds { &Adders::ALL[..] } else { &Adders::ALL[..1] };
        let of_adders =
            |&adders: &Adders| -> Task { Box::new(move || shapes(name, steps, adders)) };
        tasks.extend(all.iter().map(of_adders));
        tasks.push(Box::new(move || surrounded(name, steps)));
    }
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("shapes.sha256");
    compare(&path, &record(&tasks), !path.exists());
}

/// All shapes of one compression: steps, stages, pre-computation, memory, clearing.
fn shapes(name: &'static str, steps: usize, adders: Adders) -> Vec<String> {
    let graph = trace::compression(Case::new(name).algorithm());
    let (designer, model) = (Designer::new(&graph), DelayModel::load("gate").unwrap());
    let (two, third) = (divisor(steps), divisor(steps / divisor(steps)));
    let mut lines = Vec::new();
    for precompute in Precompute::ALL {
        for (merge, stages) in [(1, 1), (1, two), (1, two * third), (two, 1), (two, third)] {
            let case = Case::new(name).shape(merge, stages, adders, precompute);
            let plan = match designer.plan(&Options { merge, stages, adders, precompute }, &model) {
                Ok(plan) => plan,
                Err(error) => {
                    lines.push(line(&case, Err(error.to_string())));
                    continue;
                }
            };
            for case in [
                case,
                case.chains(),
                case.ram(),
                case.block_ram().chains(),
                case.clearing(),
                case.ram().clearing(),
            ] {
                let options = case.options(&name.replace(['-', '+'], "_")).unwrap();
                let made = core(&plan.program, &options);
                let text = made.map(|made| text(&made.netlist, case.style, "record"));
                lines.push(line(&case, text.map_err(|error| error.to_string())));
            }
        }
    }
    lines
}

/// A hash in its surroundings.
fn surrounded(name: &str, steps: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for interface in [Interface::Stream(4), Interface::Stream(64), Interface::Registers] {
        for window in [Storage::Registers, Storage::Ram] {
            for (stages, clear) in [(1, false), (divisor(steps), false), (1, true)] {
                let made = try_made_with(name, stages, interface, window, clear);
                let title = format!("{name} {interface:?} {window} {stages} {clear}");
                let text = made.map(|made| made.text).map_err(|error| error.to_string());
                lines.push(line(&title, text));
            }
        }
    }
    lines
}
