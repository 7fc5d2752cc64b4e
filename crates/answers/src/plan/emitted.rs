//! The times of a primitive's emitted programs on a platform, as `manylane run` predicts them. They
//! are known if the platform's file has measured programs of the primitive.

use super::format::percent;
use crate::listener::Listener;
use manylane_build::asm::MACHINE;
use manylane_build::predicted::{self, MessageTimes, PredictedPrograms, is_assembly};
use manylane_build::run::MOST_BYTES;
use manylane_build::split::SplitPart;
use manylane_build::words::Words;
use manylane_build::{Lengths, Primitive};
use manylane_files::quote::quote;
use manylane_plan::Platform;
use manylane_plan::program::prices::PriceBasis;
use manylane_plan::two_core::{Plan, part_saved};
use manylane_simulate::Machine;
use serde::Serialize;

/// The programs of a primitive. The fields are those of `--json`: docs/plan-json.md.
#[derive(Debug, Serialize)]
pub struct Emitted {
    /// `C` of `manylane emit c`, or `assembly` of `manylane emit asm`.
    pub language: &'static str,
    /// The message that is planned, and a long one beside it.
    pub messages: Vec<MessageTimes>,
    /// Who does what in a call of the C for two cores, from the program that is emitted.
    pub split: Vec<SplitPart>,
    /// The word sizes of the C for one core and for two, if they were measured against others.
    pub words: Vec<Words>,
    /// The command that runs the programs, if their machine is one that is simulated here.
    pub run: Option<String>,
}

/// The programs of a primitive on a platform of two cores, which the command line calls `name`, or
/// the reason why only operations are priced.
///
/// # Errors
/// If the platform lacks a cost or contradicts itself.
pub fn emitted(
    primitive: Primitive,
    lengths: Lengths,
    platform: &Platform,
    name: &str,
    listener: &dyn Listener,
) -> anyhow::Result<Result<Emitted, String>> {
    let searches = || {
        listener.searches(&format!("{primitive}: the program for two cores is searched"));
    };
    let known = predicted::messages(primitive, lengths, platform, &searches);
    listener.found();
    let PredictedPrograms { messages, split } = match known? {
        Ok(known) => known,
        Err(why) => return Ok(Err(why)),
    };
    let language = if is_assembly(platform) { "assembly" } else { "C" };
    let run = command(primitive, platform, name, messages[0].length);
    let words = primitive.all_words(platform, !split.is_empty());
    Ok(Ok(Emitted { language, messages, split, words, run }))
}

/// The command that runs a message of `length` bytes, or of the most that `manylane run` takes.
fn command(primitive: Primitive, platform: &Platform, name: &str, length: usize) -> Option<String> {
    let is_simulated = platform.name == MACHINE || Machine::named(&platform.name).is_ok();
    let file = match name == platform.name || platform.name == MACHINE {
        true => String::new(),
        false => format!(" --platform {}", quote(name.as_bytes())),
    };
    let length = length.min(MOST_BYTES);
    let line = format!("manylane run {primitive} --on {}{file} --length {length}", platform.name);
    is_simulated.then_some(line)
}

impl Emitted {
    /// The message that is planned.
    pub fn message(&self) -> &MessageTimes {
        &self.messages[0]
    }

    /// Whether the second core is worth using.
    pub fn worth_it(&self) -> bool {
        self.message().saved >= Plan::WORTH
    }

    /// What is emitted, with its command.
    fn what(&self) -> &'static str {
        match self.language {
            "C" => "the C of `manylane emit c`",
            _ => "the assembly of `manylane emit asm`",
        }
    }

    /// The answer, in a line; `other` is the name of the other core.
    pub fn answer(&self, other: &str) -> String {
        let what = self.what();
        let MessageTimes { one_core, other_core, two_cores, saved, saved_over_best_core, .. } =
            *self.message();
        let long = self.messages.iter().find(|line| {
            line.length > self.message().length && !self.worth_it() && line.saved >= Plan::WORTH
        });
        let long = long.map_or(String::new(), |line| {
            format!("; of {} bytes it saves {}", line.length, percent(line.saved))
        });
        match (two_cores, other_core) {
            (None, _) => format!(
                "not worth it: no split over two cores was found with which {what} saves time"
            ),
            (Some(_), Some(alone)) => {
                let alone = part_saved(alone.cycles, one_core.cycles);
                let nearly =
                    if saved_over_best_core < Plan::WORTH { ", nearly as much" } else { "" };
                let verdict = if self.worth_it() { "worth it" } else { "not worth it" };
                format!(
                    "{verdict}: {what} saves {} of the main core's time; {other} alone saves \
                     {}{nearly}",
                    percent(saved),
                    percent(alone)
                )
            }
            (Some(_), None) if self.worth_it() => format!(
                "worth it: on two cores {what} is predicted to save {} of one core's time",
                percent(saved)
            ),
            (Some(_), None) if saved < 0.0 => format!(
                "not worth it: on two cores {what} is predicted to take {} longer than on \
                 one{long}",
                percent(-saved)
            ),
            (Some(_), None) => format!(
                "not worth it: on two cores {what} is predicted to save only {} of one core's \
                 time{long}",
                percent(saved)
            ),
        }
    }

    /// The figures that the times rest on, in words.
    pub fn basis(&self) -> &'static str {
        let MessageTimes { one_core, two_cores, .. } = self.message();
        let of_two = two_cores.map(|of| of.from);
        match (self.language, one_core.from, of_two) {
            ("C", PriceBasis::Measured, Some(PriceBasis::Measured)) => {
                "these very programs were measured, each core's share alone"
            }
            ("C", PriceBasis::Measured, None) => "this very program was measured",
            ("C", _, _) => {
                "other programs of the primitive were measured, or these on one core only: the \
                 rest follows from prices of operations, registers and memory"
            }
            _ => "these programs were measured",
        }
    }

    /// The word size of the C and the reason for it, in words.
    pub fn of_words(&self) -> Option<String> {
        let told: Vec<&str> = self.words.iter().map(|of| &of.told[..]).collect();
        (!told.is_empty()).then(|| told.join("; "))
    }

    /// Where the figures come from and what they are, in sentences.
    pub fn about(&self, is_cipher: bool) -> String {
        let of = match is_cipher {
            true => "cycles of the key's expansion and of the message in mode CTR",
            false => "cycles of init, update and final of the whole message",
        };
        let run = self.run.as_ref().map_or(String::new(), |run| {
            format!(". `{run}` runs them, and prints the prediction beside the run")
        });
        format!("{}: {of}; {}{run}", self.what(), self.basis())
    }
}
