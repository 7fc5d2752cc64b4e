//! Descriptions of platforms, delay models and pairings, of any text: what is read is planned for,
//! and what is refused is refused with file and line.

#![no_main]

use libfuzzer_sys::fuzz_target;
use manylane_graph::passes::inline;
use manylane_graph::trace::{Loading, compression, message};
use manylane_plan::Platform;
use manylane_plan::hardware::program::verify::verify;
use manylane_plan::hardware::{self, DelayModel};
use manylane_plan::source::Source;
use manylane_plan::threads::Pairing;
use manylane_plan::two_core::{Options, plan};
use manylane_plan::units::{Level, Units};
use std::fmt::Display;

const FILE: &str = "fuzzed.toml";

/// Checks that an error begins with file and line.
fn check(error: impl Display) {
    let error = error.to_string();
    let line = error.strip_prefix(FILE).and_then(|rest| rest.strip_prefix(':'));
    let line = line.and_then(|rest| rest.split(':').next()).map(str::parse::<usize>);
    assert!(matches!(line, Some(Ok(1..))), "{error}");
}

fuzz_target!(|text: &str| {
    match Platform::parse(FILE, text) {
        Err(error) => check(error),
        Ok(platform) => {
            let function = inline(&message("md5".parse().unwrap(), 0, Loading::Buffered));
            let options = Options { effort: 10_000, exact: 50, ..Options::default() };
            match plan(&function, &platform, options) {
                Err(error) => check(error),
                Ok(plan) => {
                    let units = Units::of(&function, Level::Substep);
                    plan.schedule.verify(&units).unwrap();
                }
            }
        }
    }
    match DelayModel::parse(Source { file: FILE, text }) {
        Err(error) => check(error),
        Ok(model) => {
            let md5 = compression("md5".parse().unwrap());
            let plan = hardware::plan(&md5, &hardware::Options::default(), &model).unwrap();
            verify(&plan.program).unwrap();
        }
    }
    match Pairing::parse(Source { file: FILE, text }) {
        Err(error) => check(error),
        Ok(pairing) => drop(pairing.split_loop().balance(7)),
    }
});
