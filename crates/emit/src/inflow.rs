//! The values that the first iterations of a loop take instead of results of earlier iterations.

use manylane_graph::roll::Value;

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
