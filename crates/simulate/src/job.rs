//! A program to be compiled, and the options of its run.

use std::time::Duration;

/// A program to be compiled.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// Names and texts. Every `.c` and `.S` is compiled; headers lie beside them. Folders in names
    /// (`src/hash.c`) are made, and are searched for headers.
    pub files: Vec<(String, String)>,
    /// Flags of the compiler, after the machine's own. Without `-O…` among them it is `-O2`.
    pub flags: Vec<String>,
    /// A compiler in place of the machine's: another version, or clang on the host.
    pub compiler: Option<String>,
}

impl Job {
    /// A program of one file.
    pub fn of(name: &str, text: &str) -> Self {
        Self::default().file(name, text)
    }

    /// Adds another file.
    pub fn file(mut self, name: &str, text: &str) -> Self {
        self.files.push((name.to_owned(), text.to_owned()));
        self
    }

    /// Adds another flag.
    pub fn flag(mut self, flag: &str) -> Self {
        self.flags.push(flag.to_owned());
        self
    }

    /// Its flags, after the level of optimisation that it has if they name none.
    pub(crate) fn all_flags(&self) -> impl Iterator<Item = &str> {
        let level = self.flags.iter().all(|flag| !flag.starts_with("-O")).then_some("-O2");
        level.into_iter().chain(self.flags.iter().map(String::as_str))
    }

    /// Sets another compiler.
    pub fn compiler(mut self, compiler: &str) -> Self {
        self.compiler = Some(compiler.to_owned());
        self
    }
}

/// Random delays of the cores, which bring about rare orders of events.
///
/// In each clock (Ibex), after each instruction (RP2040) or about each microsecond (host), a core
/// begins to wait with its probability, for 1 to `longest` clocks, cycles or pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delays {
    /// Another seed gives other delays; on simulated machines the same seed gives the same.
    pub seed: u32,
    /// Probabilities of core 0 and core 1, in thousandths.
    pub per_mille: [u32; 2],
    /// The longest delay, at least 1.
    pub longest: u32,
}

/// How a program is to run.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Random delays, or none.
    pub delays: Option<Delays>,
    /// Cycles after which the program is said to hang, where cycles are counted.
    pub most_cycles: u64,
    /// Time after which it is stopped.
    pub patience: Duration,
}

impl Default for Run {
    /// No delays, 10⁹ cycles, ten minutes: some seconds for each second of a microcontroller.
    fn default() -> Self {
        Self { delays: None, most_cycles: 1_000_000_000, patience: Duration::from_secs(600) }
    }
}
