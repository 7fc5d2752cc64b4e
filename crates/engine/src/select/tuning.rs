//! Times of kernels measured on this CPU, in place of those that are built in.
//!
//! A kernel computes all its lanes whether they are needed or not, so one time, that of a call per
//! block, says what any calls cost, and n messages take the calls that cost least together. A
//! [`Tuning`] holds these times for every kernel of some hashes. They decide which kernel serves
//! how many messages and never what it computes.
//!
//! The engine measures nothing and reads no file. A program times the [`probes`], keeps the
//! [`Tuning`] as text, and hands it over by [`install`]:
//!
//! ```
//! use manylane::tuning::{self, Probe, Tuning};
//! use std::time::Instant;
//!
//! let sha256 = manylane::HashId::Sha256;
//! let mut measured = Tuning::new("a CPU");
//! for mut probe in tuning::probes(sha256)? {
//!     let begin = Instant::now();
//!     probe.run();
//!     let per_block = begin.elapsed().as_secs_f64() * 1e9 / Probe::BLOCKS as f64;
//!     measured.set(sha256, probe.kernel(), per_block);
//! }
//! let kept = measured.to_string();
//! tuning::install(&Tuning::read(&kept, "a CPU")?)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::choice::Choice;
use super::selection::{one_by_one, selected};
use super::times::{self, Table};
use super::visit::{Visit, visit};
use crate::cpu::{Engine, names};
use crate::kernels::kernel::{Kernel, MAX_LANES};
use crate::kernels::runs::Runs;
use manylane_primitives::catalog::{Algorithm, HashId};
use std::fmt;

pub use super::times::{KernelName, Times, family};

/// The reasons for which a text is not a [`Tuning`] for this program on this CPU, or for which a
/// tuning cannot be installed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not what a [`Tuning`] writes.
    #[error("line {line}: {what}")]
    Text {
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// The tuning was made elsewhere.
    #[error("it was made for {what} `{made}`, and this is `{here}`")]
    Elsewhere {
        /// `manylane`, `cpu` or `engines`.
        what: &'static str,
        /// The text's value.
        made: String,
        /// The value here.
        here: String,
    },
    /// The tuning has times of other kernels than the hash has here.
    #[error("the kernels of {hash} are not those of this program")]
    Kernels {
        /// The hash.
        hash: &'static str,
    },
    /// A time in it is not a finite number above 0.
    #[error("the time of {kernel} for {hash} is no number of nanoseconds above 0")]
    Time {
        /// The first hash of the family.
        hash: &'static str,
        /// The kernel.
        kernel: KernelName,
    },
    /// A tuning is installed in this process already.
    #[error("a tuning is installed already")]
    Installed,
    /// No kernel can be chosen at all.
    #[error(transparent)]
    Engine(#[from] crate::error::Error),
}

/// Times of the kernels of some hashes, measured on one CPU.
///
/// Its text has a line for each kernel and tells where it was made:
///
/// ```text
/// manylane 0.1.0
/// cpu Intel(R) Xeon(R) Processor, family 6, model 207, stepping 2
/// engines scalar, bmi2, portable, avx2
/// # nanoseconds of a call per block
/// sha256 scalar 1 243.2
/// sha256 avx2 8 401.7
/// kernels 2
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tuning {
    cpu: String,
    table: Table,
}

/// The program that the first line names, before the version.
const PROGRAM: &str = "manylane";
const UNIT: &str = "# nanoseconds of a call per block";

impl Tuning {
    /// No times yet, for the CPU that goes by this name.
    pub fn new(cpu: &str) -> Self {
        Self { cpu: one_line(cpu), table: Table::default() }
    }

    /// Sets the time of a kernel: nanoseconds of a call per block, more than 0. The text keeps
    /// tenths.
    pub fn set(&mut self, hash: HashId, kernel: KernelName, nanoseconds: f64) {
        self.table.set(hash, kernel, nanoseconds);
    }

    /// The times of a hash's kernels, if it has them.
    pub fn times(&self, hash: HashId) -> Option<&Times> {
        self.table.of(hash)
    }

    /// The hashes that it has times of: the first of each [`family`].
    pub fn hashes(&self) -> impl Iterator<Item = HashId> {
        self.table.families().map(|(hash, _)| hash)
    }

    /// Reads what `to_string` writes and checks that it is for this program, its engines on this
    /// machine, and the CPU that goes by this name.
    ///
    /// # Errors
    /// If the text is damaged or was made elsewhere.
    pub fn read(text: &str, cpu: &str) -> Result<Self, Error> {
        let mut lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
        let mut lines = std::iter::from_fn(move || lines.find(|(_, line)| !line.starts_with('#')));
        let mut at = 0;
        for (what, here) in made_here(cpu)? {
            let (line, text) = lines.next().unwrap_or((at + 1, ""));
            let made = text.strip_prefix(what).filter(|rest| rest.starts_with(' '));
            let made = made.ok_or_else(|| wrong(line, format!("`{what} …` is missing")))?.trim();
            if made != here {
                return Err(Error::Elsewhere { what, made: made.into(), here });
            }
            at = line;
        }
        let mut tuning = Self::new(cpu);
        while let Some((line, text)) = lines.next() {
            at = line;
            if let Some(promised) = text.strip_prefix("kernels ") {
                let count = tuning.table.kernels();
                if promised.parse() != Ok(count) {
                    return Err(wrong(line, format!("{promised} kernels promised, {count} found")));
                }
                return match lines.next() {
                    Some((line, _)) => Err(wrong(line, "nothing may follow".into())),
                    None => tuning.check_kernels().map(|()| tuning),
                };
            }
            let (hash, kernel, time) = kernel_line(text).map_err(|what| wrong(line, what))?;
            if tuning.times(hash).is_some_and(|times| times.get(kernel).is_some()) {
                return Err(wrong(line, "a second time for one kernel".into()));
            }
            tuning.set(hash, kernel, time);
        }
        Err(wrong(at + 1, "the end is missing".into()))
    }

    /// Refuses times of kernels that a hash does not have here, times that are missing, and numbers
    /// that are no times.
    fn check_kernels(&self) -> Result<(), Error> {
        for (hash, times) in self.table.families() {
            let is_time = |time: f64| time.is_finite() && time > 0.0;
            if let Some((kernel, _)) = times.iter().find(|(_, time)| !is_time(*time)) {
                return Err(Error::Time { hash: hash.name(), kernel });
            }
            let mut here = visit(Algorithm::new(hash), Kernels)?;
            here.sort_unstable();
            if !here.into_iter().eq(times.iter().map(|(kernel, _)| kernel)) {
                return Err(Error::Kernels { hash: hash.name() });
            }
        }
        Ok(())
    }
}

impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (what, here) in made_here(&self.cpu).map_err(|_| fmt::Error)? {
            writeln!(f, "{what} {here}")?;
        }
        writeln!(f, "{UNIT}")?;
        for (hash, times) in self.table.families() {
            for (KernelName { engine, lanes }, time) in times.iter() {
                writeln!(f, "{} {engine} {lanes} {time:.1}", hash.name())?;
            }
        }
        writeln!(f, "kernels {}", self.table.kernels())
    }
}

/// The name, the kernel and the nanoseconds in a line of a table's text: `HASH ENGINE LANES
/// NANOSECONDS`.
fn kernel_line(text: &str) -> Result<(HashId, KernelName, f64), String> {
    let words: Vec<_> = text.split_whitespace().collect();
    let [hash, engine, lanes, time] = words[..] else {
        return Err("`HASH ENGINE LANES NANOSECONDS` is expected".into());
    };
    let id = HashId::ALL.iter().find(|id| id.name() == hash);
    let id = *id.ok_or_else(|| format!("no hash is named `{hash}`"))?;
    let engine = engine.parse().map_err(|error: crate::error::Error| error.to_string())?;
    let lanes = lanes.parse().map_err(|_| format!("`{lanes}` is no number of lanes"))?;
    let nanoseconds = time.parse().ok().filter(|time: &f64| time.is_finite() && *time > 0.0);
    let nanoseconds = nanoseconds.ok_or_else(|| format!("`{time}` is no time in nanoseconds"))?;
    Ok((id, KernelName { engine, lanes }, nanoseconds))
}

/// The first lines of a tuning: the program, CPU and engines for which it is valid.
fn made_here(cpu: &str) -> Result<[(&'static str, String); 3], crate::error::Error> {
    Ok([
        (PROGRAM, env!("CARGO_PKG_VERSION").to_owned()),
        ("cpu", one_line(cpu)),
        ("engines", names(Engine::available()?)),
    ])
}

fn one_line(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn wrong(line: usize, what: String) -> Error {
    Error::Text { line, what }
}

/// Makes everything that is created from now on in this process use these times. Hashes without
/// times in the tuning use those that are built in.
///
/// # Errors
/// If one is installed already, `MANYLANE_MAX_ISA` names no engine, a hash lacks the times of some
/// of its kernels or has times of kernels that do not run here, or a time is not above 0.
pub fn install(tuning: &Tuning) -> Result<(), Error> {
    Engine::available()?;
    tuning.check_kernels()?;
    times::install(tuning.table.clone()).map_err(|_| Error::Installed)
}

/// Whether times of this very core are built in. If not, the engine uses the times of cores like
/// it, and measuring may gain more.
pub fn knows_this_core() -> bool {
    #[cfg(target_arch = "x86_64")]
    return crate::cpu::core().is_some();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

#[cfg(target_arch = "x86_64")]
#[doc(hidden)]
pub use super::elsewhere;

/// The names of the kernels of this CPU.
struct Kernels;

impl Visit for Kernels {
    type Output = Result<Vec<KernelName>, crate::error::Error>;
    fn visit<H: Runs>(self, _: H) -> Self::Output {
        Ok(Choice::<H>::built_in()?.kernels().iter().map(Kernel::name).collect())
    }
}

/// The kernel that serves first for each number of long messages of like length from 1 to 64, by
/// `tuning` or by the times that are built in. The messages that its call leaves are served by the
/// kernel for their number.
///
/// # Errors
/// If `MANYLANE_MAX_ISA` names no engine.
pub fn selection(
    hash: HashId,
    tuning: Option<&Tuning>,
) -> Result<Vec<KernelName>, crate::error::Error> {
    selection_of(hash, usize::MAX, tuning)
}

/// [`selection`] for messages of `blocks` blocks, padding among them: the shorter they are, the
/// more it takes to fill lanes with them.
///
/// # Errors
/// If `MANYLANE_MAX_ISA` names no engine.
pub fn selection_of(
    hash: HashId,
    blocks: usize,
    tuning: Option<&Tuning>,
) -> Result<Vec<KernelName>, crate::error::Error> {
    let times = tuning.and_then(|tuning| tuning.times(hash)).map(|times| [times]);
    selected(hash, blocks, times.as_ref().map(<[_; 1]>::as_slice), None)
}

/// For each number of messages of `blocks` blocks, from one message on, whether by the built-in
/// times a batch of them is hashed one by one, although a longer batch hashes as many last messages
/// in lanes. False for up to 8 messages.
///
/// # Errors
/// If `MANYLANE_MAX_ISA` names no engine.
pub fn batches_one_by_one(hash: HashId, blocks: usize) -> Result<Vec<bool>, crate::error::Error> {
    one_by_one(hash, blocks)
}

/// A kernel to be timed.
pub struct Probe {
    kernel: KernelName,
    run: Box<dyn FnMut() + Send>,
}

impl Probe {
    /// Blocks of each lane in a run.
    pub const BLOCKS: usize = 16;

    /// Returns the kernel's name.
    pub fn kernel(&self) -> KernelName {
        self.kernel
    }

    /// Calls the kernel once, for [`Probe::BLOCKS`] blocks of a message of its own in each lane.
    pub fn run(&mut self) {
        (self.run)();
    }
}

impl fmt::Debug for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Probe({})", self.kernel)
    }
}

/// Every kernel of this CPU for a hash.
///
/// # Errors
/// If `MANYLANE_MAX_ISA` names no engine.
pub fn probes(hash: HashId) -> Result<Vec<Probe>, crate::error::Error> {
    struct Probes;
    impl Visit for Probes {
        type Output = Result<Vec<Probe>, crate::error::Error>;
        fn visit<H: Runs>(self, hash: H) -> Self::Output {
            let choice = Choice::<H>::built_in()?;
            Ok(choice.kernels().iter().map(|&kernel| probe(hash.clone(), kernel)).collect())
        }
    }
    visit(Algorithm::new(hash), Probes)
}

fn probe<H: Runs>(hash: H, kernel: Kernel<H>) -> Probe {
    let bytes = Probe::BLOCKS * hash.block_bytes();
    let messages: Vec<u8> = (0..kernel.lanes * bytes).map(|i| i as u8).collect();
    let mut state = vec![H::Native::default(); Kernel::<H>::STATE * kernel.lanes];
    let mut counters = vec![H::Native::default(); H::COUNTER_WORDS * kernel.lanes];
    let run = move || {
        let mut inputs: [&[u8]; MAX_LANES] = [&[]; MAX_LANES];
        for (input, message) in inputs.iter_mut().zip(messages.chunks_exact(bytes)) {
            *input = message;
        }
        let inputs = &inputs[..kernel.lanes];
        kernel.compress(&hash, &mut state, &mut counters, inputs, Probe::BLOCKS);
    };
    Probe { kernel: kernel.name(), run: Box::new(run) }
}
