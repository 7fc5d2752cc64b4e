//! The errors of building cores, each with its remedy.

use crate::Target;
use std::io;
use std::path::{Path, PathBuf};

/// An error: a core has no figures.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder was not written by `manylane emit rtl`.
    #[error(
        "{}: has no core.json: name a folder that `manylane emit rtl` wrote",
        folder.display()
    )]
    NoCore {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder's description is damaged, or of another version.
    #[error("{}: {why}; emit the core again", file.display())]
    Datasheet {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A file of the core's text cannot be read.
    #[error("{}: {error}: core.json names it among the core's sources; emit the core \
             again", file.display())]
    Source {
        /// The file.
        file: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The core is in a language that the tools do not read.
    #[error("{}: is VHDL, which the tools do not read: emit the core with --lang \
             verilog", folder.display())]
    Vhdl {
        /// The folder.
        folder: PathBuf,
    },
    /// A tool is missing.
    #[error("{tool} is missing: {remedy}")]
    Missing {
        /// Its name.
        tool: &'static str,
        /// How to get it.
        remedy: String,
    },
    /// A tool ended with an error.
    #[error("{core}: {tool} failed: {why}")]
    Failed {
        /// The module.
        core: String,
        /// The tool.
        tool: String,
        /// The end of its output.
        why: String,
    },
    /// A tool took longer than it may.
    #[error("{core}: {tool} was stopped after {seconds} s: give it more with --time-limit")]
    TooLong {
        /// The module.
        core: String,
        /// The tool.
        tool: String,
        /// How long it ran.
        seconds: u64,
    },
    /// The chip has too few cells.
    #[error("{core} does not fit {target}: {why}")]
    DoesNotFit {
        /// The module.
        core: String,
        /// The chip.
        target: Target,
        /// How many cells it needs and there are.
        why: String,
    },
    /// Synthesis found parts of the core to be of no use.
    #[error(
        "{core}: {tool} removed a part of the core, whose figures would be those of another one: \
         {what}; mend its Verilog, or emit the core again"
    )]
    Removed {
        /// The module.
        core: String,
        /// The tool.
        tool: String,
        /// What is gone.
        what: String,
    },
    /// There is no seed to place a core with.
    #[error("{core}: a clock is the median over seeds of place and route, and there is no seed")]
    NoSeeds {
        /// The module.
        core: String,
    },
    /// The output of a tool is not understood.
    #[error("{core}: what {tool} wrote is not understood: {why}")]
    Output {
        /// The module.
        core: String,
        /// The tool.
        tool: String,
        /// What is missing.
        why: String,
    },
    /// There is no core of any shape that was asked for.
    #[error(transparent)]
    Shape(#[from] manylane_emit::rtl::Error),
    /// Somebody asked to stop.
    #[error("interrupted: what is done is kept, and the same command goes on from there")]
    Interrupted,
    /// There is no place to keep results.
    #[error(
        "{}: {error}: results are kept there; MANYLANE_SYNTH_CACHE names another folder",
        folder.display()
    )]
    Cache {
        /// The folder.
        folder: PathBuf,
        /// Why it cannot be used.
        error: io::Error,
    },
    /// A file could not be read or written.
    #[error("{}: {error}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl Error {
    /// Makes an error of the system one that names the file.
    pub(crate) fn file(file: &Path, error: io::Error) -> Self {
        Self::File { file: file.to_owned(), error }
    }
}
