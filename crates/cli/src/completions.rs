//! `manylane completions`.

use crate::terminal::output::Output;
use clap::Command;
use clap_complete::Shell;
use std::process::ExitCode;

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub struct Args {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

const AFTER_HELP: &str = "\
Examples:
  manylane completions bash > ~/.local/share/bash-completion/completions/manylane
  manylane completions zsh > ~/.zfunc/_manylane
  manylane completions fish > ~/.config/fish/completions/manylane.fish";

/// Prints the script that completes `command`, the whole command line.
pub fn run(args: &Args, mut command: Command) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "manylane", &mut script);
    let mut output = Output::stdout()?;
    output.write(&script)?;
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}
