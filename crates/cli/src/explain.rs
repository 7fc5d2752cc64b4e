//! `manylane explain`.

pub use manylane_answers::explain::Args;

use crate::terminal::output;
use manylane_answers::explain;
use std::process::ExitCode;

/// Prints the explanation of a primitive.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    output::print(&explain::answer(args)?.written()?)?;
    Ok(ExitCode::SUCCESS)
}
