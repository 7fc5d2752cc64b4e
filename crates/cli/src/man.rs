//! `manylane man`.

use crate::output::Output;
use crate::quote::quote;
use anyhow::Context;
use std::path::PathBuf;
use std::process::ExitCode;

/// Print the manual page, or write those of all commands to a directory
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub struct Args {
    /// Write manylane.1, manylane-sum.1, ... here; the directory is made if need be
    #[arg(value_name = "DIR")]
    directory: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Examples:
  manylane man | man -l -
  manylane man ~/.local/share/man/man1";

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let command = crate::command_line();
    if let Some(directory) = &args.directory {
        let name = || quote(directory.as_os_str().as_encoded_bytes());
        std::fs::create_dir_all(directory).with_context(name)?;
        clap_mangen::generate_to(command, directory).with_context(name)?;
    } else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        let mut output = Output::stdout()?;
        output.write(&page)?;
        output.finish()?;
    }
    Ok(ExitCode::SUCCESS)
}
