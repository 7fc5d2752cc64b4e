//! The parts of a processor's share between its hand-overs. Their times are measured in a compiled
//! program, and the event simulator adds them up.

use super::run::{Position, Stage};
use super::{Action, Program};

/// A send or a receive of a processor. All iterations of a loop but the first are one place. The
/// first iteration is another place, because the time before its hand-over includes the code in
/// front of the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HandOverPlace {
    region: usize,
    stage: Stage,
    is_first: bool,
    action: usize,
}

/// The places of a processor's hand-overs in a call, in the order of their first occurrence.
#[derive(Clone, Debug)]
pub struct HandOvers {
    places: Vec<HandOverPlace>,
    /// The place of each hand-over of a call.
    order: Vec<usize>,
    /// For each hand-over, whether it is a send.
    sends: Vec<bool>,
}

impl HandOvers {
    /// The hand-overs of a processor in a program.
    pub fn of(program: &Program, processor: usize) -> Self {
        let mut all = Self { places: Vec::new(), order: Vec::new(), sends: Vec::new() };
        let mut position = Position::START;
        while let Some(action) = position.action(program, processor) {
            if !matches!(action, Action::Compute(_)) {
                let here = place(position);
                let known = all.places.iter().position(|&place| place == here);
                all.order.push(known.unwrap_or(all.places.len()));
                if known.is_none() {
                    all.places.push(here);
                }
                all.sends.push(matches!(action, Action::Send(_)));
            }
            position.action += 1;
        }
        all
    }

    /// How many places there are.
    pub fn places(&self) -> usize {
        self.places.len()
    }

    /// For each hand-over of a call, in order: its place, and whether it is a send.
    pub fn in_order(&self) -> impl ExactSizeIterator<Item = (usize, bool)> {
        self.order.iter().copied().zip(self.sends.iter().copied())
    }

    /// The place of the hand-over at a position.
    pub(super) fn at(&self, position: Position) -> Option<usize> {
        let here = place(position);
        self.places.iter().position(|&place| place == here)
    }
}

fn place(Position { region, stage, iteration, action }: Position) -> HandOverPlace {
    let is_first = stage != Stage::Each || iteration == 0;
    HandOverPlace { region, stage, is_first, action }
}
