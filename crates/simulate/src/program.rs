//! A compiled program, and its runs.

use crate::board::FOLDER;
use crate::counts::{self, Counts};
use crate::process::{self, End, Ended};
use crate::{Delays, Error, FileSize, Machine, Outcome, Run, StackUse, ibex, tools};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program that was compiled for a machine. It lies in a folder that goes away with the value.
#[derive(Debug)]
pub struct Program {
    pub(crate) machine: Machine,
    /// Sizes of the job's files that were compiled, in their order.
    pub sizes: Vec<FileSize>,
    /// Sizes of the whole program, that of the board and of the C library among them.
    pub total: FileSize,
    /// The stack frames of the job's functions.
    pub stack: Vec<StackUse>,
    /// What the compiler warned of.
    pub warnings: String,
    pub(crate) folder: tempfile::TempDir,
}

impl Program {
    /// Its name in its folder.
    pub(crate) const FILE: &'static str = "program.elf";

    /// The ELF file.
    pub fn file(&self) -> PathBuf {
        self.folder.path().join(Self::FILE)
    }

    /// Runs it until it ends. Runs of one program may go on at the same time.
    ///
    /// # Errors
    /// If the machine's simulator is missing, or the program does not end, or not with status 0.
    pub fn run(&self, run: &Run) -> Result<Outcome, Error> {
        match self.machine {
            Machine::IbexDuo => {
                self.simulate(Command::new(ibex::simulator()?).arg(self.file()), run)
            }
            Machine::Rp2040 => {
                let library = tools::rp2040js(self.machine.name())?;
                let driver = self.folder.path().join(FOLDER).join("run.mjs");
                let mut command = Command::new(self.machine.tool("node")?);
                self.simulate(command.arg(driver).arg(library).arg(self.file()), run)
            }
            Machine::Mps2An521 => {
                if run.delays.is_some() {
                    let what = "cannot delay a core: its cores run as fast as QEMU does; take \
                                ibex-duo, rp2040 or host";
                    return Err(Error::Unable { machine: self.machine.name(), what: what.into() });
                }
                let mut command = Command::new(self.machine.tool("qemu-system-arm")?);
                command.args(["-M", "mps2-an521", "-display", "none", "-monitor", "none"]);
                command.args(["-serial", "stdio"]);
                command.args(["-semihosting-config", "enable=on,target=native"]);
                self.execute(command.arg("-kernel").arg(self.file()), run)
            }
            Machine::Host => self.execute(&mut Command::new(self.file()), run),
            Machine::S390x => {
                let mut command = Command::new(self.machine.tool("qemu-s390x")?);
                self.execute(command.arg(self.file()), run)
            }
        }
    }

    /// Runs a simulator that counts. `command` has its arguments up to the program's file.
    fn simulate(&self, command: &mut Command, run: &Run) -> Result<Outcome, Error> {
        let file = tempfile::NamedTempFile::new_in(self.folder.path());
        let file = file.map_err(Error::file(self.folder.path()))?;
        command.arg(file.path()).arg(run.most_cycles.to_string());
        if let Some(delays) = run.delays {
            command.args(words(delays));
        }
        let simulator = name_of(command);
        let ended = self.end(command, run)?;
        let failed = |words: String| self.failed(&simulator, &words);
        match ended.end {
            End::Exit(status) if status.success() => (),
            _ => return Err(failed(ended.errors)),
        }
        let text = fs::read_to_string(file.path()).map_err(Error::file(file.path()))?;
        let counts: Counts =
            serde_json::from_str(&text).map_err(|error| failed(format!("{error} in {text}")))?;
        let (machine, text) = (self.machine.name(), ended.output);
        match counts.end {
            counts::End::Exit(0) => Ok(Outcome {
                text,
                cycles: counts.cycles,
                stalls: counts.stalls,
                instructions: counts.instructions,
                stack: counts.stack,
                watched: counts.watched,
            }),
            counts::End::Exit(status) => {
                Err(Error::Exit { machine, status: status.cast_signed().to_string(), text })
            }
            counts::End::Fault(what) => Err(Error::Fault { machine, what, text }),
            counts::End::Limit => {
                let cycles = counts.cycles.into_iter().max().unwrap_or_default();
                Err(Error::Hangs { machine, cycles, text })
            }
        }
    }

    /// Runs the program as a process, whose status is the program's.
    fn execute(&self, command: &mut Command, run: &Run) -> Result<Outcome, Error> {
        command.env_remove("BOARD_DELAYS");
        if let Some(delays) = run.delays {
            command.env("BOARD_DELAYS", words(delays).join(" "));
        }
        let Ended { end, output: text, errors } = self.end(command, run)?;
        let machine = self.machine.name();
        let End::Exit(status) = end else { unreachable!("other ends are errors") };
        if status.success() {
            return Ok(Outcome {
                text,
                cycles: Vec::new(),
                stalls: Vec::new(),
                instructions: Vec::new(),
                stack: Vec::new(),
                watched: Vec::new(),
            });
        }
        let fault = text.lines().find_map(|line| line.strip_prefix("board_exception "));
        if let Some(number) = fault {
            return Err(Error::Fault { machine, what: format!("exception {number}"), text });
        }
        // A program of this computer says what a sanitizer or the system found.
        let status = match errors.trim_end() {
            "" => status_of(status),
            words => format!("{}: {words}", status_of(status)),
        };
        Err(Error::Exit { machine, status, text })
    }

    /// Waits for a process to end by itself.
    fn end(&self, command: &mut Command, run: &Run) -> Result<Ended, Error> {
        let machine = self.machine.name();
        let simulator = name_of(command);
        let ended = process::run(command, run.patience);
        let ended = ended.map_err(|error| self.failed(&simulator, &error.to_string()))?;
        match ended.end {
            End::Exit(_) => Ok(ended),
            End::TooLong => {
                let seconds = run.patience.as_secs();
                Err(Error::TooLong { machine, seconds, text: ended.output })
            }
            End::PrintsTooMuch => Err(Error::Prints { machine, most: process::MOST_PRINTED }),
        }
    }

    fn failed(&self, simulator: &str, words: &str) -> Error {
        Error::Simulator {
            machine: self.machine.name(),
            simulator: simulator.to_owned(),
            words: words.trim_end().to_owned(),
        }
    }
}

/// Delays as the drivers take them.
fn words(delays: Delays) -> [String; 4] {
    let [first, second] = delays.per_mille;
    [delays.seed, first, second, delays.longest.max(1)].map(|number| number.to_string())
}

fn name_of(command: &Command) -> String {
    let program = Path::new(command.get_program());
    program.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The status as text: `3`, or the signal that ended the program.
fn status_of(status: std::process::ExitStatus) -> String {
    status.code().map_or_else(|| status.to_string(), |code| code.to_string())
}
