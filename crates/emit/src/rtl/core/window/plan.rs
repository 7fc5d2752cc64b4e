//! The plan by which memory keeps the words of a block. It is made before a signal exists.

use super::super::asked::Asked;
use super::super::recurrences::{Recurrences, Which};
use crate::rtl::Error;
use crate::rtl::ring::{WordSource, source};
use manylane_graph::{Function, NodeId, Role};
use std::collections::HashSet;

/// A block's words in memory.
#[derive(Debug)]
pub(in crate::rtl::core) struct WindowPlan {
    /// The block's words of message, in their order: a power of two.
    pub(super) words: Vec<NodeId>,
    /// Bits of a word.
    pub(super) width: u32,
    /// Clocks that a word needs besides that of the memory's register: 1 if memory is slow.
    pub(super) slow: i64,
    /// Blocks that there is room for.
    pub(super) blocks: usize,
    /// Where a message schedule takes the words.
    pub(in crate::rtl::core) line: Option<DelayLine>,
}

/// The words of a message schedule as they pass.
#[derive(Clone, Debug)]
pub(in crate::rtl::core) struct DelayLine {
    /// k: words per clock, each with a delay line of its own.
    pub(super) slots: usize,
    /// Turns in which words of a block enter.
    pub(super) turns: i64,
    /// Clocks from reading a word to its being at the line's beginning.
    pub(super) delay: i64,
    /// For each slot, how many clocks later than in the earliest slot its words are made.
    pub(super) late: Vec<i64>,
    /// The clock of the schedule's turn in which the first slot's words are made.
    pub(super) made: i64,
}

/// The error that words cannot be kept in memory, with the reason.
pub(in crate::rtl::core) fn refused(asked: Asked<'_>, why: String) -> Error {
    Error::Window { function: asked.compression().name.clone(), why }
}

impl WindowPlan {
    /// Plans where the words of a message are kept between the clocks in which they are taken.
    ///
    /// # Errors
    /// If the words cannot be taken one by one.
    pub(in crate::rtl::core) fn new(
        asked: Asked<'_>,
        recurrences: &Recurrences<'_>,
    ) -> Result<Self, Error> {
        let words = asked.inputs(Role::Message);
        let state = recurrences.ring(Which::Rounds).region.words;
        let mut in_state = recurrences.turns[0].arguments[..state].iter();
        let compression = asked.compression();
        if !recurrences.has_schedule()
            && in_state.any(|&word| is_made_of(compression, word, &words, &mut HashSet::new()))
        {
            let why = "a block goes into the state as a whole before the first round, so that no \
                       window of words is kept";
            return Err(refused(asked, why.to_owned()));
        }
        let width = asked.width(words[0]);
        if !words.len().is_power_of_two() || words.len() < 2 {
            let words = words.len();
            return Err(refused(asked, format!("a block of {words} words is no power of two")));
        }
        let line = match recurrences.has_schedule() {
            true => Some(DelayLine::new(asked, recurrences, &words)?),
            false => None,
        };
        let blocks = match line {
            // Words leave at least as fast as the next ones come.
            Some(_) => 1 + usize::from(asked.program.cycles_per_block <= words.len()),
            None => (asked.program.stages() + 1).next_power_of_two(),
        };
        Ok(Self { words, width, slow: asked.slow(), blocks, line })
    }

    /// The words in their order.
    pub(in crate::rtl::core) fn words(&self) -> &[NodeId] {
        &self.words
    }
}

/// Whether a node before the rounds takes one of these words.
fn is_made_of(
    compression: &Function,
    node: NodeId,
    words: &[NodeId],
    seen: &mut HashSet<NodeId>,
) -> bool {
    let args = compression.args(node).iter();
    words.contains(&node)
        || seen.insert(node) && { args }.any(|&arg| is_made_of(compression, arg, words, seen))
}

impl DelayLine {
    fn new(
        asked: Asked<'_>,
        recurrences: &Recurrences<'_>,
        words: &[NodeId],
    ) -> Result<Self, Error> {
        let region = recurrences.ring(Which::Schedule).region;
        let (slots, all) = (asked.program.options.merge, words.len());
        let (clocks, stages) = (asked.program.cycles_per_block, asked.program.stages());
        let in_order =
            words.iter().enumerate().all(|(q, word)| recurrences.sequence.get(word) == Some(&q));
        if !in_order || region.words != all || !all.is_multiple_of(slots) || all < 2 * slots {
            let why = format!(
                "{slots} of the schedule's {} words in a clock; possible are divisors of {all} up \
                 to \
                 --merge {}",
                region.words,
                all / 2
            );
            return Err(refused(asked, why));
        }
        let turns = all / slots;
        if clocks < turns {
            let why = format!(
                "a stage of {clocks} turns does not take in the {all} words of a block, {slots} in \
                 a \
                 clock; possible are up to --stages {}",
                clocks * stages / turns
            );
            return Err(refused(asked, why));
        }
        let made = (all - slots..all).map(|word| match source(region, word) {
            WordSource::Made(clock) => Some(clock),
            WordSource::Word(_) | WordSource::Constant => None,
        });
        let Some(made) = made.collect::<Option<Vec<i64>>>() else {
            let why = "the schedule makes fewer words than it passes on";
            return Err(refused(asked, why.to_owned()));
        };
        let first = made.iter().copied().min().expect("a turn makes a word");
        let late = made.iter().map(|made| made - first).collect();
        // A next stage chooses between two lines by its turn's number, which a register must have.
        let used =
            (0..region.words).filter_map(|word| recurrences.first_use(Which::Schedule, word));
        let least = 1 + asked.slow();
        let delay = match (stages, used.min()) {
            (1, _) | (_, None) => least,
            (_, Some(used)) => least.max(1 + first - used),
        };
        Ok(Self { slots, turns: turns as i64, delay, late, made: first })
    }

    /// The clock of the schedule's first turn.
    pub(in crate::rtl::core) fn shift(&self) -> i64 {
        self.turns + self.delay - self.made
    }

    /// The clock in which word `q` of a block has an age of 1, turn 0 of the line being in clock 0.
    pub(in crate::rtl::core) fn there(&self, q: usize) -> i64 {
        (q / self.slots) as i64 + self.delay + self.late[q % self.slots] + 1
    }
}
