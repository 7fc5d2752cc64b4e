//! The message window in memory: one word comes in per clock, and turns read it from there.
//!
//! ```text
//!  word ─► memory of a block or two ─► register ─┬─► rounds that take words by their numbers
//!                                                │
//!                          schedule's turn ─►┌─mux─┐   ┌───┐        ┌───┐
//!                                            └──┬──┴──►│reg├─► … ─┬►│reg├─► a few turns ago
//!                                               │      └───┘      │ └───┘
//!                                            age 0     age 1      └► memory ─► register: many
//! ```
//!
//! A register follows every read: the block RAM's own, or one that leaves a whole clock to look-up
//! tables used as RAM. Where block RAM is slow, there is a second one. No word is read in the clock
//! in which it is written, because memories differ in what they return then.
//!
//! Rounds that take words by their numbers (MD5, RIPEMD, BLAKE) read the memory of the block, a
//! port for each word of a turn. A message schedule (SHA-1, SHA-2) makes words at the pace at which
//! the first ones are read, so that all of them pass one place, the line's beginning: what the
//! turns take is told apart by age, in clocks since then. Ages close to each other are registers in
//! a row; others are read from a memory of the line, which is a ring buffer. Each further stage has
//! a line of its own and takes words that its line has not seen from the line of the stage before.

mod lines;
mod memory;
mod numbered;
pub(super) mod plan;

use super::columns::Column;
use super::control::Control;
use super::timetable::Timetable;
use crate::rtl::netlist::{Netlist, SignalId, Value};
use lines::Lines;
use memory::WordMemory;
use numbered::Numbered;
use plan::WindowPlan;

/// The words of blocks in memory, and how they are read.
#[derive(Debug)]
pub(super) struct Window<'m> {
    memory: WordMemory<'m>,
    way: WordAccess<'m>,
    /// The reason for which a word cannot be read from memory.
    refused: Option<String>,
}

/// How the words are read from the memory.
#[derive(Debug)]
enum WordAccess<'m> {
    Numbered(Numbered),
    Lines(Lines<'m>),
}

impl<'m> Window<'m> {
    /// Makes the port for words, and the memory behind it.
    pub(super) fn open(
        plan: &'m WindowPlan,
        times: &'m Timetable,
        net: &mut Netlist,
        control: &mut Control<'_>,
        section: usize,
    ) -> Self {
        let memory = WordMemory::open(plan, times, net, control, section);
        let way = match &plan.line {
            Some(line) => WordAccess::Lines(Lines::new(line, times)),
            None => WordAccess::Numbered(Numbered::default()),
        };
        Self { memory, way, refused: None }
    }

    /// Whether all words of a block are in the memory.
    pub(super) fn loaded(&self) -> SignalId {
        self.memory.loaded
    }

    /// The reason for which a word that was asked for cannot be read from memory, if there is one.
    pub(super) fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    fn refuse(&mut self, why: String) -> Value {
        self.refused.get_or_insert(why);
        Value::Const(0)
    }

    /// A place of the window before a turn of the schedule, in clock `clock` of that turn.
    pub(super) fn schedule_word(
        &mut self,
        net: &mut Netlist,
        control: &mut Control<'_>,
        (stage, clock): (usize, i64),
        place: usize,
    ) -> Value {
        match &mut self.way {
            WordAccess::Lines(lines) => {
                lines.schedule_word(net, control, &self.memory, (stage, clock), place).into()
            }
            WordAccess::Numbered(_) => self.refuse(OTHERWISE.to_owned()),
        }
    }

    /// A place of the window that a turn of the rounds takes, in clock `clock` of the turn.
    pub(super) fn word(
        &mut self,
        net: &mut Netlist,
        (stage, clock): (usize, i64),
        place: usize,
    ) -> Value {
        match &mut self.way {
            WordAccess::Lines(lines) => {
                match lines.word(net, &self.memory, (stage, clock), place) {
                    Some(word) => word.into(),
                    None => self.refuse(format!(
                        "a stage takes word {place} of the schedule ahead of its turn"
                    )),
                }
            }
            WordAccess::Numbered(_) => self.refuse(OTHERWISE.to_owned()),
        }
    }

    /// Word `q` of a block in clock `time`, before the rounds.
    pub(super) fn word_at(&mut self, net: &mut Netlist, q: Option<usize>, time: i64) -> Value {
        match (&mut self.way, q) {
            (WordAccess::Lines(lines), Some(q)) => lines.word_at(net, &self.memory, q, time).into(),
            (WordAccess::Lines(_), None) | (WordAccess::Numbered(_), _) => {
                self.refuse(OTHERWISE.to_owned())
            }
        }
    }

    /// The words of message that a stage's turns take, in clock `clock` of the turn.
    pub(super) fn by_number(
        &mut self,
        net: &mut Netlist,
        (stage, clock): (usize, i64),
        column: &Column,
    ) -> Value {
        match &mut self.way {
            WordAccess::Numbered(numbered) => {
                numbered.word(net, &self.memory, (stage, clock), column).into()
            }
            WordAccess::Lines(_) => self.refuse(OTHERWISE.to_owned()),
        }
    }

    /// The signals that carry the next words of the message schedule, for each stage and slot, for
    /// [`Window::close`]. There are none without a schedule.
    pub(super) fn entering(
        &mut self,
        net: &mut Netlist,
        control: &mut Control<'_>,
    ) -> Vec<(SignalId, SignalId)> {
        match &self.way {
            WordAccess::Lines(lines) => lines.entering(net, control, &self.memory),
            WordAccess::Numbered(_) => Vec::new(),
        }
    }

    /// The beginning of a stage's delay line.
    pub(super) fn beginning(&mut self, net: &mut Netlist, stage: usize, slot: usize) -> SignalId {
        match &mut self.way {
            WordAccess::Lines(lines) => lines.age(net, &self.memory, (stage, slot), 0),
            WordAccess::Numbered(_) => unreachable!("what is read by numbers has no delay lines"),
        }
    }

    /// Makes the ports of the memory, or the delay lines, once all that is taken from them is
    /// known; and says when a block's words have been read.
    pub(super) fn close(&mut self, net: &mut Netlist, control: &mut Control<'_>) {
        match &mut self.way {
            WordAccess::Numbered(numbered) => numbered.close(net, control, &self.memory),
            WordAccess::Lines(lines) => lines.close(net, control, &self.memory),
        }
    }

    /// The clocks between blocks that their words need.
    pub(super) fn clocks(&self) -> usize {
        match &self.way {
            WordAccess::Lines(_) => self.memory.plan.words.len(),
            WordAccess::Numbered(numbered) => numbered.clocks(&self.memory),
        }
    }
}

/// Why a word cannot be taken from where it is.
const OTHERWISE: &str = "a word is taken otherwise than by its number";
