//! The values that the first iterations of a loop take instead of results of earlier iterations.

use manylane_graph::NodeId;
use manylane_graph::roll::{Region, Source, Value};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// For each distance from 1 on, the value that the first iteration takes instead of a result at
/// this distance; `None` where nothing is taken at this distance.
#[derive(Clone, Debug, Default)]
pub struct Inflow(pub Vec<Option<Value>>);

impl Inflow {
    /// The largest distance at which a value is taken.
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// Records the values that the first iterations take at a distance, one for each iteration.
    /// Returns false and records nothing if one of them contradicts an earlier record.
    pub fn add(&mut self, distance: usize, first: &[Value]) -> bool {
        let mut new = self.0.clone();
        new.resize(new.len().max(distance), None);
        for (iteration, &value) in first.iter().enumerate() {
            let place = &mut new[distance - iteration - 1];
            if place.is_some_and(|known| known != value) {
                return false;
            }
            *place = Some(value);
        }
        self.0 = new;
        true
    }
}

/// The results of a loop's iterations that later iterations take.
pub struct Inflows {
    /// The nodes whose results they are, with their inflows. A node occurs again where inputs take
    /// other first values.
    pub all: Vec<(NodeId, Inflow)>,
    /// For each input that takes such a result: the number of its node in `all`, and the distance.
    pub of_input: BTreeMap<usize, (usize, usize)>,
}

impl Inflows {
    /// The results of a region that these inputs of its body take.
    pub fn of(region: &Region, inputs: impl IntoIterator<Item = usize>) -> Self {
        let earlier = inputs.into_iter().filter_map(|input| match &region.sources[input] {
            Source::Earlier { output, distance, first } => {
                Some((input, region.body.outputs()[*output].value, *distance, first))
            }
            Source::Same(_) | Source::Each(_) => None,
        });
        let mut earlier: Vec<_> = earlier.collect();
        // Inputs from greater distances come first, so that an input from a smaller distance finds
        // the inflow that it can share.
        earlier.sort_by_key(|&(_, _, distance, _)| Reverse(distance));
        let mut all: Vec<(NodeId, Inflow)> = Vec::new();
        let mut of_input = BTreeMap::new();
        for (input, node, distance, first) in earlier {
            let fits = |of: &mut (NodeId, Inflow)| of.0 == node && of.1.add(distance, first);
            let place = all.iter_mut().position(fits).unwrap_or_else(|| {
                let mut inflow = Inflow::default();
                inflow.add(distance, first);
                all.push((node, inflow));
                all.len() - 1
            });
            of_input.insert(input, (place, distance));
        }
        Self { all, of_input }
    }
}
