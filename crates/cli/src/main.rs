//! The `manylane` program.

#![deny(unsafe_code)]

#[cfg(unix)]
mod closed;

fn main() -> std::process::ExitCode {
    #[cfg(unix)]
    let closed = closed::streams();
    #[cfg(not(unix))]
    let closed = [false; 3];
    manylane_cli::main(closed)
}
