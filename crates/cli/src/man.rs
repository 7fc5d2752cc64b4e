//! `manylane man`.

use crate::terminal::output::Output;
use anyhow::{anyhow, bail};
use clap::Command;
use clap_mangen::Man;
use manylane_files::quote::quote;
use manylane_files::system::atomic;
use manylane_files::system::reason;
use std::fs;
use std::path::{Path, PathBuf};
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

/// The program and its version, at the foot of each page.
const SOURCE: &str = concat!("manylane ", env!("CARGO_PKG_VERSION"));

/// Prints or writes the pages of `command`, the whole command line.
pub fn run(args: &Args, command: Command) -> anyhow::Result<ExitCode> {
    if let Some(directory) = &args.directory {
        make_folder(directory)?;
        let mut command = command.disable_help_subcommand(true);
        command.build();
        write_pages(&command, directory)?;
    } else {
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        let mut output = Output::stdout()?;
        output.write(&page)?;
        output.finish()?;
    }
    Ok(ExitCode::SUCCESS)
}

fn make_folder(folder: &Path) -> anyhow::Result<()> {
    let name = || quote(folder.as_os_str().as_encoded_bytes());
    if folder == "-" {
        bail!("-: standard output takes one page: leave DIR out; ./- is a folder of that name");
    }
    if fs::metadata(folder).is_ok_and(|found| !found.is_dir()) {
        bail!("{}: is a file; name a folder", name());
    }
    fs::create_dir_all(folder).map_err(|error| anyhow!("{}: {}", name(), reason(&error)))
}

/// Writes the page of a command and those of its subcommands.
fn write_pages(command: &Command, folder: &Path) -> anyhow::Result<()> {
    for subcommand in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        write_pages(subcommand, folder)?;
    }
    let man = Man::new(command.clone()).source(SOURCE);
    let mut page = Vec::new();
    man.render(&mut page)?;
    atomic::write_file(&folder.join(man.get_filename()), page)
}
