//! The two recurrences of a core: the rounds and, if there is one, the message schedule.

use super::asked::Asked;
use crate::labels;
use crate::rtl::ring::Ring;
use crate::rtl::split::SplitRegion;
use manylane_graph::extract::{Extractor, message_schedule};
use manylane_graph::{Function, NodeId};
use manylane_plan::hardware::Turn;
use std::collections::HashMap;

/// One of the two recurrences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Which {
    Rounds,
    Schedule,
}

/// The recurrences, and which nodes of the compression flow into them.
#[derive(Debug)]
pub(super) struct Recurrences<'m> {
    rounds: Ring<'m>,
    schedule: Option<Ring<'m>>,
    /// For each word of the compression's state, the word of the rounds' ring that is its second
    /// term.
    pub(super) second: &'m [Option<usize>],
    /// The turns of the rounds over all stages, in order.
    pub(super) turns: Vec<&'m Turn>,
    /// For each word of the message schedule, its place in the sequence.
    pub(super) sequence: HashMap<NodeId, usize>,
    /// Words of the message schedule that a turn makes.
    merge: usize,
    /// Turns of a stage.
    clocks: usize,
}

impl<'m> Recurrences<'m> {
    /// The rings of the rounds, split as `split` says, and of the schedule if there is one.
    pub(super) fn new(asked: Asked<'m>, split: &'m SplitRegion) -> Self {
        let Asked { program, .. } = asked;
        let mut turns: Vec<&Turn> = split.region.turns.iter().collect();
        turns.sort_by_key(|turn| turn.clock);
        Self {
            rounds: Ring::new(&split.region).with_registers(program.cycles_per_block),
            schedule: program.schedule.as_ref().map(Ring::new),
            second: &split.second,
            turns,
            sequence: match program.schedule {
                Some(_) => sequence(&program.function),
                None => HashMap::new(),
            },
            merge: program.options.merge,
            clocks: program.cycles_per_block,
        }
    }

    /// Whether there is a message schedule.
    pub(super) fn has_schedule(&self) -> bool {
        self.schedule.is_some()
    }

    /// The ring of a recurrence. There must be a schedule if its ring is asked for.
    pub(super) fn ring(&self, which: Which) -> &Ring<'m> {
        match which {
            Which::Rounds => &self.rounds,
            Which::Schedule => self.schedule.as_ref().expect("asked for if there is one"),
        }
    }

    /// The turns of a stage, each with its number in the stage.
    pub(super) fn turns_of(&self, stage: usize) -> impl Iterator<Item = (usize, &'m Turn)> {
        let turns = &self.turns[stage * self.clocks..(stage + 1) * self.clocks];
        turns.iter().copied().enumerate()
    }

    /// Returns the place of a word in the message schedule's window in turn `g`.
    pub(super) fn place_in_window(&self, g: usize, node: NodeId) -> Option<usize> {
        let place = self.sequence.get(&node)?.checked_sub(g * self.merge)?;
        (place < self.schedule.as_ref()?.region.words).then_some(place)
    }

    /// The first clock of a turn in which an input is needed.
    pub(super) fn first_use(&self, which: Which, input: usize) -> Option<i64> {
        let region = self.ring(which).region;
        let (function, schedule) = (&region.function, &region.schedule);
        let node = function.inputs()[input].node;
        let users = function.nodes().filter(|&user| function.args(user).contains(&node));
        let outputs = function.outputs().iter().filter(|output| output.value == node);
        let clocks = users.map(|user| schedule.nodes[user.index()].clock);
        clocks.chain(outputs.map(|_| 0)).min()
    }

    /// Bits of an input of a recurrence's function: a word of the state, or a side input.
    pub(super) fn width(&self, which: Which, input: usize) -> u32 {
        let function = &self.ring(which).region.function;
        function.width(function.inputs()[input].node).into()
    }

    /// The word that a word of the rounds' ring is the second term of.
    pub(super) fn first_term(&self, word: usize) -> Option<usize> {
        self.second.iter().position(|&second| second == Some(word))
    }

    /// The name of a word.
    pub(super) fn word_name(&self, which: Which, word: usize) -> String {
        if which == Which::Schedule {
            return format!("w{word}");
        }
        match self.first_term(word) {
            Some(first) => format!("{}_carry", self.word_name(which, first)),
            None => labels::of_word(word, self.second.len())
                .map_or_else(|| format!("x{word}"), String::from),
        }
    }
}

/// For each word of the message schedule, its place in the sequence.
fn sequence(compression: &Function) -> HashMap<NodeId, usize> {
    let extractor = Extractor::new(compression);
    let words = message_schedule(&extractor).map(|schedule| schedule.words);
    words.into_iter().flatten().enumerate().map(|(q, node)| (node, q)).collect()
}
