//! Values of a share that are used again many hand-overs later. They wait in memory meanwhile.
//!
//! ```text
//!  const uint32_t a47 = slot->block[0] ^ …;
//!  later[0] = a47;                               its first uses take the variable
//!  … many hand-overs …
//!  … (slot->from_second32[2] + later[0]) …       the uses from here on take the place
//! ```
//!
//! A variable that is live all the time is spilled, and compilers then load it for its first uses
//! too, or they spill a word of the state instead. The array is volatile, so that no compiler makes
//! variables of its elements again.

use super::super::expr::integer;
use manylane_graph::{Function, NodeId};
use manylane_plan::program::Action;
use std::collections::BTreeMap;

/// A value waits in memory if this core receives at least this many hand-overs between two of its
/// uses.
const LONG_WAIT: usize = 16;

/// The width in bits of the values that wait in memory. Wider ones take two registers, and
/// compilers spill each half by itself.
const WIDTH: u8 = 32;

/// The name of the array.
const NAME: &str = "later";

/// The values of a pass through a region's body that wait in memory.
pub(super) struct Later {
    /// For each value its place in the array, and the number of the first action that reads it from
    /// there.
    places: BTreeMap<NodeId, (usize, usize)>,
}

impl Later {
    /// Finds the values of a core's actions that wait. The first `first` places of the array are
    /// already taken. Values for which `outlive` holds are read after the pass and stay variables.
    pub fn of(
        body: &Function,
        actions: &[Action],
        first: usize,
        outlive: impl Fn(NodeId) -> bool,
    ) -> Self {
        // For each value that is computed here, the number of hand-overs received when it was last
        // used, and the action that uses it again after many of them.
        let mut used: BTreeMap<NodeId, (usize, Option<usize>)> = BTreeMap::new();
        let mut received = 0;
        for (at, action) in actions.iter().enumerate() {
            match action {
                Action::Receive(_) => received += 1,
                Action::Send(_) => {}
                Action::Compute(node) => {
                    for arg in body.args(*node) {
                        let Some((last, again)) = used.get_mut(arg) else { continue };
                        if received - *last >= LONG_WAIT && again.is_none() {
                            *again = Some(at);
                        }
                        *last = received;
                    }
                    used.insert(*node, (received, None));
                }
            }
        }
        let waits = used.into_iter().filter_map(|(node, (_, again))| Some((node, again?)));
        let narrow = waits.filter(|(node, _)| body.width(*node) == WIDTH && !outlive(*node));
        let places = narrow.enumerate().map(|(place, (node, at))| (node, (first + place, at)));
        Self { places: places.collect() }
    }

    /// How many values wait in memory.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// The place in which a value is stored when it is computed.
    pub fn place(&self, node: NodeId) -> Option<String> {
        let (place, _) = self.places.get(&node)?;
        Some(format!("{NAME}[{place}]"))
    }

    /// The place from which the action `at` reads a value.
    pub fn read(&self, node: NodeId, at: usize) -> Option<String> {
        let (_, first) = self.places.get(&node)?;
        self.place(node).filter(|_| at >= *first)
    }
}

/// The declaration of the array in which `count` values of a share wait; empty if there are none.
pub(super) fn declaration(count: usize) -> String {
    match count {
        0 => String::new(),
        _ => format!("    volatile {} {NAME}[{count}];\n", integer(WIDTH)),
    }
}
