//! What a loop remembers of its iterations.

use manylane_graph::NodeId;
use manylane_graph::roll::{Region, Source, Value};
use manylane_plan::program::Part;

/// With more remembered results than this they are an array that the loop fills.
const MOST_VARIABLES: usize = 4;

/// The results of one output of a body that later iterations take.
#[derive(Clone, Debug)]
pub(super) struct History {
    /// What the names of its variables begin with.
    pub name: String,
    /// The node of the body whose results they are.
    pub node: NodeId,
    /// For each distance from 1 on, what flows into the first iteration from there. `None` where
    /// nothing is taken at this distance.
    pub first: Vec<Option<Value>>,
}

impl History {
    /// How many iterations back it reaches.
    pub fn depth(&self) -> usize {
        self.first.len()
    }

    /// Whether it is an array, of `depth` values from before the loop and one for each iteration.
    pub fn is_array(&self) -> bool {
        self.depth() > MOST_VARIABLES
    }

    /// The variable of a distance; of an array, the element in the iteration that `i` counts.
    pub fn variable(&self, distance: usize) -> String {
        match (self.is_array(), self.depth()) {
            (true, depth) => match depth - distance {
                0 => format!("{}[i]", self.name),
                place => format!("{}[i + {place}u]", self.name),
            },
            (false, 1) => self.name.clone(),
            (false, _) => format!("{}_{distance}", self.name),
        }
    }

    /// Notes what flows in at a distance, if that fits with what is known.
    fn add(&mut self, distance: usize, first: &[Value]) -> bool {
        let mut new = self.first.clone();
        new.resize(new.len().max(distance), None);
        for (iteration, &value) in first.iter().enumerate() {
            let place = &mut new[distance - iteration - 1];
            if place.is_some_and(|known| known != value) {
                return false;
            }
            *place = Some(value);
        }
        self.first = new;
        true
    }
}

/// The histories of a region on one processor.
#[derive(Clone, Debug, Default)]
pub(super) struct Histories {
    pub all: Vec<History>,
    /// By input of the body: its history and the distance.
    of_input: Vec<Option<(usize, usize)>>,
}

impl Histories {
    /// What the inputs that a part holds take from earlier iterations.
    pub fn of(region: &Region, part: &Part, letter: &str) -> Self {
        let mut histories =
            Self { all: Vec::new(), of_input: vec![None; region.body.inputs().len()] };
        // The farthest first, so that nearer ones fall into place.
        let mut inputs: Vec<(usize, usize)> = Vec::new();
        for &input in &part.inputs {
            if let Source::Earlier { distance, .. } = &region.sources[input] {
                inputs.push((*distance, input));
            }
        }
        inputs.sort_by(|a, b| b.cmp(a));
        for (_, input) in inputs {
            let Source::Earlier { output, distance, first } = &region.sources[input] else {
                continue;
            };
            let node = region.body.outputs()[*output].value;
            let fits =
                |history: &mut History| history.node == node && history.add(*distance, first);
            let known = histories.all.iter_mut().position(fits);
            let place = known.unwrap_or_else(|| {
                let name = format!("e{letter}{}", histories.all.len());
                let mut new = History { name, node, first: Vec::new() };
                new.add(*distance, first);
                histories.all.push(new);
                histories.all.len() - 1
            });
            histories.of_input[input] = Some((place, *distance));
        }
        histories
    }

    /// The variable that an input is, if it is remembered.
    pub fn variable(&self, input: usize) -> Option<String> {
        let (history, distance) = self.of_input[input]?;
        Some(self.all[history].variable(distance))
    }
}
