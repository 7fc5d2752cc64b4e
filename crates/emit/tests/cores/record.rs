//! The text of every core, as a digest: a change of the emitter that is not meant to change what is
//! emitted is held to it.

use super::case::Case;
use super::surroundings::try_made_with;
use super::sweep::{PRIMITIVES, cases, divisor};
use manylane_emit::rtl::{Designer, Interface, Storage, core, text};
use manylane_graph::trace;
use manylane_plan::hardware::{Adders, DelayModel, Options, Precompute};
use sha2::{Digest, Sha256};
use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A line of the record: the digest of the text, or why there is none.
fn line(case: &dyn Display, made: Result<String, String>) -> String {
    match made {
        Ok(text) => {
            let hex: String = Sha256::digest(text).iter().map(|b| format!("{b:02x}")).collect();
            format!("{hex}  {case}\n")
        }
        Err(error) => format!("{case}: {error}\n"),
    }
}

fn of_case(case: &Case) -> String {
    let made = case.try_design();
    line(case, made.map(|made| text(&made.core.netlist, case.style, "record")))
}

/// All shapes of one compression.
fn shapes(name: &'static str, steps: usize, adders: &[Adders]) -> Vec<String> {
    let graph = trace::compression(Case::new(name).algorithm());
    let (designer, model) = (Designer::new(&graph), DelayModel::load("gate").unwrap());
    let mut lines = Vec::new();
    let (two, third) = (divisor(steps), divisor(steps / divisor(steps)));
    for &adders in adders {
        for &precompute in Precompute::ALL {
            for (merge, stages) in [(1, 1), (1, two), (1, two * third), (two, 1), (two, third)] {
                let case = Case::new(name).shape(merge, stages, adders, precompute);
                let hardware = Options { merge, stages, adders, precompute };
                let options = case.options(&name.replace(['-', '+'], "_")).unwrap();
                let design = match designer.design(&hardware, &model, &options) {
                    Ok(design) => design,
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
                    let made = core(&design.program, &options);
                    let text = made.map(|made| text(&made.netlist, case.style, "record"));
                    lines.push(line(&case, text.map_err(|error| error.to_string())));
                }
            }
        }
    }
    lines
}

#[test]
#[ignore = "before and after a change of the emitter: minutes"]
fn every_text() {
    let mut tasks: Vec<Box<dyn Fn() -> Vec<String> + Sync>> = Vec::new();
    let modes = [("sha224+sha256", 64, true), ("sha384+sha512+sha512-224+sha512-256", 80, true)];
    for (name, steps, adds) in PRIMITIVES.into_iter().chain(modes) {
        let all = if adds { Adders::ALL } else { &Adders::ALL[..1] };
        for adders in all {
            tasks.push(Box::new(move || shapes(name, steps, std::slice::from_ref(adders))));
        }
        tasks.push(Box::new(move || {
            let mut lines = Vec::new();
            for interface in [Interface::Stream(4), Interface::Stream(64), Interface::Registers] {
                for window in [Storage::Registers, Storage::Ram] {
                    for (stages, clear) in [(1, false), (divisor(steps), false), (1, true)] {
                        let made = try_made_with(name, stages, interface, window, clear);
                        let title = format!("{name} {interface:?} {window} {stages} {clear}");
                        lines.push(line(
                            &title,
                            made.map(|made| made.text).map_err(|error| error.to_string()),
                        ));
                    }
                }
            }
            lines
        }));
    }
    tasks.push(Box::new(|| cases().iter().map(|(case, _)| of_case(case)).collect()));
    let (next, all) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            let lines = task();
            eprintln!("{} {}", lines.len(), lines[0].trim());
            all.lock().unwrap().extend(lines);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..3 {
            let thread = std::thread::Builder::new().stack_size(256 << 20);
            drop(thread.spawn_scoped(scope, work).unwrap());
        }
    });
    let mut all = all.into_inner().unwrap();
    all.sort();
    let all = all.concat();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("texts.sha256");
    match fs::read_to_string(&path) {
        Ok(before) => {
            let old: std::collections::HashSet<&str> = before.lines().collect();
            let changed: Vec<&str> = all.lines().filter(|line| !old.contains(line)).collect();
            assert!(before == all, "{} differ: {}", changed.len(), changed.join("\n"));
        }
        Err(_) => fs::write(&path, all).unwrap(),
    }
}
