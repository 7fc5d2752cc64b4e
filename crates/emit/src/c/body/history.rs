//! The results of a loop's iterations that later iterations take.

use super::ring::Ring;
use crate::inflow::{Inflow, Inflows};
use manylane_graph::NodeId;
use manylane_graph::roll::Region;
use manylane_plan::program::Part;
use std::collections::BTreeMap;

/// The largest number of earlier results that are held in variables. More are held in an array,
/// which the loop fills.
const MOST_VARIABLES: usize = 4;

/// The results of one output of a body that later iterations take.
#[derive(Clone, Debug)]
pub(super) struct History {
    /// The prefix of the names of its variables.
    pub name: String,
    /// The node of the body whose results they are.
    pub node: NodeId,
    /// The values that the first iterations take.
    pub first: Inflow,
    /// The ring that the results lie in, if each result overwrites the one that its iteration
    /// takes.
    pub ring: Option<Ring>,
}

impl History {
    /// The largest number of iterations after which a result is taken.
    pub fn depth(&self) -> usize {
        self.first.depth()
    }

    /// Whether it is an array, of `depth` values from before the loop and one for each iteration.
    pub fn is_array(&self) -> bool {
        self.ring.is_none() && self.depth() > MOST_VARIABLES
    }

    /// The variable of a distance; of an array, the element in the iteration that `i` counts.
    pub fn variable(&self, distance: usize) -> String {
        if let Some(ring) = &self.ring {
            return ring.taken();
        }
        match (self.is_array(), self.depth()) {
            (true, depth) => match depth - distance {
                0 => format!("{}[i]", self.name),
                place => format!("{}[i + {place}u]", self.name),
            },
            (false, 1) => self.name.clone(),
            (false, _) => format!("{}_{distance}", self.name),
        }
    }
}

/// The histories of a region on one processor.
#[derive(Clone, Debug, Default)]
pub(super) struct Histories {
    /// One for each result that later iterations read.
    pub all: Vec<History>,
    /// For each input of the body that has one, its history and the distance.
    of_input: BTreeMap<usize, (usize, usize)>,
}

impl Histories {
    /// The histories of the inputs that a part holds.
    pub fn of(region: &Region, part: &Part, letter: &str) -> Self {
        let Inflows { all, of_input } = Inflows::of(region, part.inputs.iter().rev().copied());
        let history = |(i, (node, first))| {
            let name = format!("e{letter}{i}");
            History { name, node, first, ring: None }
        };
        Self { all: all.into_iter().enumerate().map(history).collect(), of_input }
    }

    /// The variable that still holds a node's result after the loop; `distance` 1 is the result of
    /// the last iteration.
    pub fn after(&self, node: NodeId, distance: usize) -> Option<String> {
        let holds = |of: &&History| {
            of.node == node && of.ring.is_none() && !of.is_array() && of.depth() >= distance
        };
        self.all.iter().find(holds).map(|history| history.variable(distance))
    }

    /// The inputs that come from a history, with their distances.
    pub fn taken(&self, history: usize) -> impl Iterator<Item = (usize, usize)> {
        let inputs = self.of_input.iter().filter(move |(_, of)| of.0 == history);
        inputs.map(|(&input, of)| (input, of.1))
    }

    /// The variable that holds an input, if it comes from an earlier iteration.
    pub fn variable(&self, input: usize) -> Option<String> {
        let &(history, distance) = self.of_input.get(&input)?;
        Some(self.all[history].variable(distance))
    }
}
