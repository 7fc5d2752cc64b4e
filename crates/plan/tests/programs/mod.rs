//! Planned programs of whichever form, for tests that treat them alike.
#![allow(dead_code)]

use manylane_graph::Module;
use manylane_graph::text::ParseError;
use manylane_plan::hardware::program as hardware;
use manylane_plan::program;
use manylane_plan::threads::program as threads;
use std::fmt::{self, Display, Formatter, Write};
use std::ops::Range;

/// Pseudo-random numbers from a seed, which is not 0.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % bound
    }
}

/// A planned program.
#[derive(Clone, Debug, PartialEq)]
pub enum Any {
    Processors(program::Program),
    Hardware(Box<hardware::HardwareProgram>),
    Threads(threads::ThreadsProgram),
}

/// A rule that does not hold, and the problem.
type Broken = (u8, String);

impl Any {
    /// Reads a text of the form that its first word names.
    pub fn read(text: &str) -> Result<Self, ParseError> {
        let mut lines = text.lines().filter(|line| !line.starts_with(';'));
        match lines.find_map(|line| line.split_whitespace().next()) {
            Some("hardware") => Ok(Self::Hardware(Box::new(text.parse()?))),
            Some("threads") => text.parse().map(Self::Threads),
            Some(_) | None => text.parse().map(Self::Processors),
        }
    }

    pub fn verify(&self) -> Result<(), Broken> {
        match self {
            Self::Processors(p) => program::verify::verify(p).map_err(|v| (v.rule, v.problem)),
            Self::Hardware(p) => hardware::verify::verify(p).map_err(|v| (v.rule, v.problem)),
            Self::Threads(p) => threads::verify::verify(p).map_err(|v| (v.rule, v.problem)),
        }
    }

    /// Checks the rules, and that the program is that of the module's last function.
    pub fn check_function(&self, module: &Module) -> Result<(), Broken> {
        self.verify()?;
        let function = module.main();
        match self {
            Self::Processors(p) => {
                program::verify::check_function(p, function).map_err(|v| (v.rule, v.problem))
            }
            Self::Hardware(p) => {
                hardware::verify::check_function(p, function).map_err(|v| (v.rule, v.problem))
            }
            Self::Threads(p) => {
                threads::verify::check_function(p, module).map_err(|v| (v.rule, v.problem))
            }
        }
    }

    /// The outputs as text, for inputs and an interleaving; or the reason why the program is stuck.
    pub fn run(&self, inputs: &[u64], random: &mut Random) -> Result<String, String> {
        match self {
            Self::Processors(p) => {
                let outputs = program::run::run(p, inputs, |count| random.below(count));
                let names = p.rolled.outputs.iter().map(|(name, _)| &name[..]);
                outputs.map(|values| lines(names, &values)).map_err(|stuck| stuck.to_string())
            }
            Self::Hardware(p) => {
                let outputs = hardware::run::run(p, inputs);
                let names = p.function.outputs().iter().map(|output| &output.name[..]);
                outputs.map(|values| lines(names, &values)).map_err(|stuck| stuck.to_string())
            }
            Self::Threads(p) => {
                let all = threads::run::run(p, &mut Numbers, |count| random.below(count));
                all.map(|all| all.unwrap_or_default() + "\n").map_err(|stuck| stuck.to_string())
            }
        }
    }
}

fn lines<'n>(names: impl Iterator<Item = &'n str>, values: &[u64]) -> String {
    names.zip(values).fold(String::new(), |mut text, (name, value)| {
        writeln!(text, "{name} = {value:#x}").unwrap();
        text
    })
}

impl Display for Any {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Processors(program) => program.fmt(f),
            Self::Hardware(program) => program.fmt(f),
            Self::Threads(program) => program.fmt(f),
        }
    }
}

/// The results of pieces are their numbers, joined to a text. Another order gives another text, so
/// a program that joins these in order is right for every associative operation.
pub struct Numbers;

impl threads::run::Meaning for Numbers {
    type Value = String;

    fn compute(&mut self, pieces: &Range<u64>, _: Option<&String>) -> String {
        pieces.clone().map(|piece| piece.to_string()).collect::<Vec<_>>().join(" ")
    }

    fn join(&mut self, first: String, second: String) -> String {
        first + " " + &second
    }
}
