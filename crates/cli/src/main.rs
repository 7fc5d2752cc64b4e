//! The `manylane` program.

fn main() -> std::process::ExitCode {
    manylane_cli::main()
}
