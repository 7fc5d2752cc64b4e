//! Machines with one or two cores, as data: `platforms/*.toml`, described in `docs/platforms.md`.
//!
//! All times are cycles of the main core.

mod builtin;
mod cost;
mod keyed;
mod overlap;
mod primitive;
mod programs;
mod read;
mod split;
mod steps;
mod table;
#[cfg(test)]
mod tests;
mod word_size;

pub use cost::OperationCosts;
pub use keyed::{KeyTime, StreamTime};
pub use programs::{HandOverTimes, Identity, ProgramTime, ShareTime};
pub use split::SplitTime;
pub use steps::{Pattern, StepTime};
pub use word_size::WordSize;

use crate::source::SourceError;
use crate::time::{Ticks, ticks};
use manylane_graph::Op;
use manylane_graph::framing::ByteOrder;
use manylane_graph::trace::Loading;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The core that a program starts on and ends on.
pub const MAIN: usize = 0;
/// The second core, which works for the main one.
pub const COPROCESSOR: usize = 1;

/// Most processors that a plan is made for.
pub const MOST_PROCESSORS: usize = 1 << 12;

/// Times that each core spends on a handshake, in cycles or as [`Ticks`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Sides<T = f64> {
    /// The time that each core spends when it sends.
    pub send: [T; 2],
    /// The time that each core spends when it receives.
    pub receive: [T; 2],
}

/// The costs of a handshake, after which one core sees everything that the other one computed
/// before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct HandshakeCosts<T = f64> {
    /// The first handshake in a direction, and the first after the receiver has itself sent one.
    pub turn: Sides<T>,
    /// A further handshake in the same direction: the receiver has sent none since the last one.
    pub stream: Sides<T>,
    /// A handshake by a flag that no other handshake uses, as in programs whose values go both ways
    /// outside of loops. Limits assume the cheapest of the three kinds. The search for programs
    /// charges `stream` and not the cheaper flag, because compilers make better code of programs
    /// with few hand-overs.
    pub flag: Sides<T>,
    /// The latency between sending and receiving.
    pub latency: T,
    /// The time from giving a job on the main core until the other core begins it.
    pub start: T,
    /// The time from the end of a job until the main core knows of it.
    pub finish: T,
}

impl<T: Copy + std::ops::Add<Output = T>> HandshakeCosts<T> {
    /// The time from the end of a unit on one core to the start of a unit on the other core, `to`,
    /// if neither core has anything else to do: τ of [`equations`](crate::two_core::equations).
    pub fn delay(&self, to: usize) -> T {
        self.turn.send[1 - to] + self.latency + self.turn.receive[to]
    }

    /// The times that each core spends on a handshake; `streams` says whether the receiver has
    /// itself sent none since the last one.
    pub fn sides(&self, streams: bool) -> &Sides<T> {
        if streams { &self.stream } else { &self.turn }
    }
}

impl HandshakeCosts {
    /// The handshake with all times in whole ticks.
    pub fn in_ticks(&self) -> HandshakeCosts<Ticks> {
        let sides =
            |sides: Sides| Sides { send: sides.send.map(ticks), receive: sides.receive.map(ticks) };
        HandshakeCosts {
            turn: sides(self.turn),
            stream: sides(self.stream),
            flag: sides(self.flag),
            latency: ticks(self.latency),
            start: ticks(self.start),
            finish: ticks(self.finish),
        }
    }
}

/// The costs of a core's memory and registers, in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Memory {
    /// Loading a word for which an operation waits.
    pub load: f64,
    /// Storing a word.
    pub store: f64,
    /// One iteration of a loop, without its body.
    pub turn: f64,
    /// Copying a word that an operation would overwrite and that is still needed.
    pub copy: f64,
    /// Putting a constant into a register.
    pub constant: f64,
    /// Number of registers that may hold values of a program; `None` for no limit.
    pub registers: Option<usize>,
}

/// One core.
#[derive(Clone, Debug)]
pub struct Core {
    /// The core's name, such as `XGATE`.
    pub name: String,
    /// The costs of its operations.
    pub costs: OperationCosts,
    /// s: the factor of all costs; 1 for a core with costs of its own.
    pub speed: f64,
    /// The line of `speed`, or where the core begins.
    pub speed_line: usize,
    /// The costs of its memory and registers; 0 where the platform does not give one.
    pub memory: Memory,
}

/// The origin of a platform's costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The costs were measured on the machine or on a simulator of it. The text says by what and
    /// when.
    Measured(String),
    /// The platform is defined by its costs, such as one of unit costs; it is no machine.
    Defined,
    /// The costs were not measured.
    Estimate,
}

impl Basis {
    /// Its name in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Measured(_) => "measured",
            Self::Defined => "defined",
            Self::Estimate => "estimate",
        }
    }

    /// Whether the costs were not measured.
    pub fn is_estimate(&self) -> bool {
        *self == Self::Estimate
    }
}

/// Lines of figures in a platform's file; for a figure that is not given, the line of its table.
#[derive(Clone, Copy, Debug)]
pub struct FigureLines {
    /// The line of `contention`.
    pub contention: usize,
    /// The line of the handshakes' `latency`.
    pub latency: usize,
    /// The line of `[handshake]`.
    pub turn: usize,
    /// The line of `[handshake.stream]`.
    pub stream: usize,
}

/// A machine.
#[derive(Clone, Debug)]
pub struct Platform {
    /// The platform's name, such as `s12x-xgate`.
    pub name: String,
    /// Its title, in words.
    pub title: String,
    /// The source of the figures, in words.
    pub source: String,
    /// The origin of the costs.
    pub basis: Basis,
    /// The order of bytes in memory.
    pub order: ByteOrder,
    /// The main core and, if there is one, the coprocessor.
    pub cores: Vec<Core>,
    /// The number of processors like the main core, including it.
    pub processors: usize,
    /// The costs of a handshake.
    pub handshake: HandshakeCosts,
    /// The factor, ≥ 1, by which all work takes longer while both cores are at work.
    pub contention: f64,
    /// The lines of figures that a plan may find too large.
    pub lines: FigureLines,
    /// Number of banks of the memory that both cores share, if a core waits while the same bank
    /// serves the other core; `None` if cores do not wait.
    pub banks: Option<usize>,
    /// Measured times of steps, each with its section.
    pub steps: Vec<StepTime>,
    /// Cycles of a whole message on the main core, by primitive and bytes.
    pub totals: BTreeMap<String, BTreeMap<usize, f64>>,
    /// Whether the programs that were measured swap every word of a block, whatever the standard's
    /// order.
    pub swaps_every_word: bool,
    /// Compiled programs on the main core, by primitive.
    pub programs: BTreeMap<String, ProgramTime>,
    /// The shares of compiled programs on both cores, by primitive.
    pub shares: BTreeMap<String, ShareTime>,
    /// The times of keys of keyed hashes on both cores, by primitive.
    pub keys: BTreeMap<String, KeyTime>,
    /// The times of streams of ciphers on both cores, by primitive.
    pub streams: BTreeMap<String, StreamTime>,
    /// Times measured on both cores together.
    pub splits: Vec<SplitTime>,
    /// The file that it was read from.
    pub file: String,
}

impl Platform {
    /// The cycles of an operation on a core.
    ///
    /// # Errors
    /// If the platform does not give it.
    pub fn cost(&self, core: usize, op: Op, width: u8) -> Result<f64, SourceError> {
        let Core { costs, speed, .. } = &self.cores[core];
        let cost = costs.cost(op, width).map_err(|missing| SourceError {
            file: self.file.clone(),
            line: costs.line,
            problem: format!("no cost of `{}` on words of {} bits", missing.operation, width),
            remedy: format!("add `{} = …` to this table", missing.operation).into(),
        })?;
        Ok(cost * speed)
    }

    /// Whether the coprocessor is a core like the main one.
    pub fn cores_are_equal(&self) -> bool {
        let [main, others @ ..] = &self.cores[..] else { return true };
        let equal = |core: &Core| core.speed == 1.0 && core.costs.by_width == main.costs.by_width;
        others.iter().all(equal)
    }

    /// The word size of a primitive's program for `processors` processors, if it was measured
    /// against another size. Without measured shares of a second core, it is that of the program of
    /// one core.
    pub fn word_size(&self, primitive: &str, processors: usize) -> Option<WordSize> {
        match self.shares.get(primitive).filter(|_| processors > 1) {
            Some(shares) => shares.word_size,
            None => self.programs.get(primitive)?.word_size,
        }
    }

    /// The platform without measured word sizes, for programs that any machine may run.
    #[must_use]
    pub fn without_words(mut self) -> Self {
        self.programs.values_mut().for_each(|of| of.word_size = None);
        self.shares.values_mut().for_each(|of| of.word_size = None);
        self
    }

    /// The platform for a program of one block of a message that has `blocks` of them: times that
    /// were measured for steps of the whole message together are divided by this number.
    pub fn of_block(&self, blocks: usize) -> Cow<'_, Self> {
        if blocks < 2 || self.steps.iter().all(|time| time.each) {
            return Cow::Borrowed(self);
        }
        let mut of_block = self.clone();
        for time in of_block.steps.iter_mut().filter(|time| !time.each) {
            time.cycles = time.cycles.map(|cycles| cycles.map(|cycles| cycles / blocks as f64));
        }
        Cow::Owned(of_block)
    }

    /// Returns how a program for messages of any length loads them.
    pub fn loading(&self) -> Loading {
        if self.swaps_every_word { Loading::Buffered } else { Loading::Program(self.order) }
    }

    /// Cycles of a message of `bytes` bytes on the main core, if they were measured.
    pub fn total(&self, primitive: &str, bytes: usize) -> Option<f64> {
        self.totals.get(primitive)?.get(&bytes).copied()
    }
}
