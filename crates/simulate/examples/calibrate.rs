//! Measures what operations cost in compiled C, as a platform's file has it.
//!
//! ```text
//! cargo run --release -p manylane-simulate --example calibrate -- ibex-duo
//! cargo run --release -p manylane-simulate --example calibrate -- rp2040 -O3
//! ```

use manylane_simulate::{Error, Machine, calibrate};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let Some((name, flags)) = arguments.split_first() else {
        eprintln!("calibrate: name a machine that counts cycles, ibex-duo or rp2040, then flags");
        return ExitCode::FAILURE;
    };
    match measure(name, flags) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("calibrate: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(name: &str, flags: &[String]) -> Result<String, Error> {
    let machine = Machine::named(name)?;
    machine.check()?;
    if !machine.is_prepared() {
        eprintln!("calibrate: the simulator of {machine} is built, once: half a minute");
    }
    Ok(calibrate(machine, flags)?.to_string())
}
