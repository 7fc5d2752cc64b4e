//! Lists the machines, with what is missing of each; builds what is to be built.
//!
//! ```text
//! cargo run -p manylane-simulate --example machines
//! cargo run -p manylane-simulate --example machines -- --prepare
//! ```
//!
//! With `--prepare` a machine that is missing something is an error.

use manylane_simulate::Machine;
use std::process::ExitCode;

fn main() -> ExitCode {
    let prepare = match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => false,
        [option] if option == "--prepare" => true,
        _ => {
            eprintln!("machines: the only option is --prepare");
            return ExitCode::FAILURE;
        }
    };
    let mut failed = false;
    for machine in Machine::ALL {
        println!("{machine}: {}", machine.title());
        let mut state = machine.check().map_err(|error| error.to_string());
        if prepare && state.is_ok() {
            if !machine.is_prepared() {
                println!("  its simulator is built, once: half a minute");
            }
            state = machine.prepare().map_err(|error| error.to_string());
        }
        match state {
            Ok(()) if machine.is_prepared() => println!("  ready"),
            Ok(()) => println!("  its simulator is built at its first use: half a minute"),
            Err(why) => {
                println!("  {why}");
                failed = true;
            }
        }
    }
    if prepare && failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
