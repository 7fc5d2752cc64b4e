//! The solver: a program that reads SMT-LIB 2.

use super::Lemma;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// An SMT solver that is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solver {
    name: &'static str,
    program: PathBuf,
    limit: String,
    /// Its version, as it prints it.
    pub version: String,
}

/// The error that no solver is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a proof needs an SMT solver, and neither z3 nor bitwuzla is in MANYLANE_TOOLS or on the PATH: \
     apt-get install z3 (or pip install z3-solver)"
)]
pub struct NoSolver;

/// The answer of a solver to a lemma.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Proved,
    /// The lemma is wrong, for these values of its variables.
    Refuted(Vec<String>),
    /// The solver gave neither answer in [`SECONDS`]; what it printed instead.
    Undecided(String),
}

/// Time for one lemma.
pub(super) const SECONDS: usize = 20;

impl Solver {
    /// The first of z3 and bitwuzla that is on the `PATH`.
    ///
    /// # Errors
    /// If neither is.
    pub fn find() -> Result<Self, NoSolver> {
        Self::find_by(|name| Some(name.into()))
    }

    /// The first of z3 and bitwuzla that runs; `program` says where each is.
    ///
    /// # Errors
    /// If neither does.
    pub fn find_by(program: impl Fn(&str) -> Option<PathBuf>) -> Result<Self, NoSolver> {
        let limits = [("z3", format!("-T:{SECONDS}")), ("bitwuzla", format!("-t{SECONDS}000"))];
        let found = limits.into_iter().find_map(|(name, limit)| {
            let program = program(name)?;
            let output = Command::new(&program).arg("--version").output().ok()?;
            let said = String::from_utf8_lossy(&output.stdout);
            let first = said.lines().next().unwrap_or_default();
            let version = match first.to_lowercase().contains(name) {
                true => first.to_owned(),
                false => format!("{name} {first}"),
            };
            Some(Self { name, program, limit, version })
        });
        found.ok_or(NoSolver)
    }

    /// The answers to lemmas, several at a time.
    pub(super) fn check(&self, lemmas: &[&Lemma]) -> Vec<Answer> {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut answers = Vec::new();
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(lemma) = lemmas.get(i) else { return answers };
                answers.push((i, self.ask(lemma)));
            }
        };
        let threads = thread::available_parallelism().map_or(1, usize::from).min(lemmas.len());
        let mut answers: Vec<(usize, Answer)> = thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let answers = threads.into_iter().map(|thread| thread.join());
            answers.flat_map(|answers| answers.expect("it does not panic")).collect()
        });
        answers.sort_by_key(|(i, _)| *i);
        answers.into_iter().map(|(_, answer)| answer).collect()
    }

    fn ask(&self, lemma: &Lemma) -> Answer {
        let first = self.say(&format!("{}(check-sat)\n(exit)\n", lemma.text));
        match first.trim() {
            "unsat" => Answer::Proved,
            "sat" => {
                let variables = (0..lemma.over.len()).map(|i| format!("x{i}")).collect::<Vec<_>>();
                let values = self.say(&format!(
                    "(set-option :produce-models true)\n{}(check-sat)\n(get-value ({}))\n(exit)\n",
                    lemma.text,
                    variables.join(" ")
                ));
                let digits = |part: &str| {
                    let end = part.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(part.len());
                    format!("0x{}", &part[..end])
                };
                Answer::Refuted(values.split("#x").skip(1).map(digits).collect())
            }
            other => Answer::Undecided(other.to_owned()),
        }
    }

    /// Runs the solver on a script. Returns its output, or the reason for which it cannot be run.
    pub(super) fn say(&self, script: &str) -> String {
        let mut command = Command::new(&self.program);
        if self.name == "z3" {
            command.arg("-in");
        }
        let command = command.arg(&self.limit).stdin(Stdio::piped()).stdout(Stdio::piped());
        let said = command.spawn().and_then(|mut child| {
            // A solver that ends early has said why.
            let _ = child.stdin.take().expect("it is piped").write_all(script.as_bytes());
            child.wait_with_output()
        });
        match said {
            Ok(output) => String::from_utf8_lossy(&output.stdout).into_owned(),
            Err(error) => format!("{}: {error}", self.program.display()),
        }
    }
}
