//! The errors of running a program, each with its remedy.

use std::io;
use std::path::{Path, PathBuf};

/// An error: a run has no outcome.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No machine has this name: perhaps a platform that can be planned for and not run.
    #[error("nothing here runs as {name}; the machines are {known}, and s12x-xgate for assembly")]
    Unknown {
        /// The name.
        name: String,
        /// All that are known.
        known: String,
    },
    /// A tool of the machine is not there.
    #[error("{machine} needs {tool}, which is missing: {remedy}")]
    Missing {
        /// The machine.
        machine: &'static str,
        /// The tool.
        tool: String,
        /// How to get it.
        remedy: String,
    },
    /// The machine cannot do what the job asks for.
    #[error("{machine} {what}")]
    Unable {
        /// The machine.
        machine: &'static str,
        /// What the machine lacks, and the remedy.
        what: String,
    },
    /// A file of the job has a name that the program's folder cannot hold.
    #[error("{name:?} is no name for a file of a program: {why}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A file was not compiled, or the program not linked.
    #[error("{machine}: {what}:\n{words}")]
    Compile {
        /// The machine.
        machine: &'static str,
        /// What was to be done.
        what: String,
        /// What the compiler said.
        words: String,
    },
    /// The program did not end within its cycles.
    #[error(
        "{machine}: the program has not ended after {cycles} cycles; allow it more, or look for a \
         wait that never ends{}",
        said(text)
    )]
    Hangs {
        /// The machine.
        machine: &'static str,
        /// The cycles reached.
        cycles: u64,
        /// What it had printed.
        text: String,
    },
    /// The program did not end in time on a machine that counts no cycles, or a simulator that does
    /// was too slow for it.
    #[error(
        "{machine}: the program was stopped after {seconds} s; allow it more, or look for a wait \
         that never ends{}",
        said(text)
    )]
    TooLong {
        /// The machine.
        machine: &'static str,
        /// How long it ran.
        seconds: u64,
        /// What it had printed.
        text: String,
    },
    /// The program prints more than is kept.
    #[error("{machine}: the program printed more than {most} bytes and was stopped")]
    Prints {
        /// The machine.
        machine: &'static str,
        /// Bytes that a program may print.
        most: u64,
    },
    /// The program did something that the machine's processor cannot do.
    #[error("{machine}: {what}{}", said(text))]
    Fault {
        /// The machine.
        machine: &'static str,
        /// Core, kind and address.
        what: String,
        /// What it had printed.
        text: String,
    },
    /// The program ended with a status that is not 0.
    #[error("{machine}: the program ended with status {status}{}", said(text))]
    Exit {
        /// The machine.
        machine: &'static str,
        /// Its status.
        status: String,
        /// What it had printed.
        text: String,
    },
    /// The simulator itself failed.
    #[error("{machine}: {simulator} failed: {words}")]
    Simulator {
        /// The machine.
        machine: &'static str,
        /// Its program.
        simulator: String,
        /// What it said.
        words: String,
    },
    /// The program printed no such line, or one that is no number.
    #[error("the program printed no line `{name} NUMBER`{}", said(text))]
    NoNumber {
        /// The name.
        name: String,
        /// What it printed.
        text: String,
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
    /// The error of a measurement on a machine that counts no cycles.
    pub(crate) fn no_cycles(machine: &'static str) -> Self {
        Self::Unable { machine, what: "counts no cycles: take ibex-duo or rp2040".to_owned() }
    }

    /// Makes an error of the system one that names the file.
    pub(crate) fn file(file: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::File { file: file.to_owned(), error }
    }
}

/// The end of what a program printed, for a message.
fn said(text: &str) -> String {
    const LINES: usize = 10;
    let lines: Vec<_> = text.lines().collect();
    match lines.len() {
        0 => "; it had printed nothing".to_owned(),
        n => format!("; it had printed:\n{}", lines[n.saturating_sub(LINES)..].join("\n")),
    }
}
