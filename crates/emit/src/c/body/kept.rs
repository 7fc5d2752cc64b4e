//! What a processor's function uses: dead operations are not written, and results of loops that
//! only dead operations take are not kept.

use super::writer::{KeptResults, Writer};
use manylane_graph::NodeId;
use manylane_graph::roll::{Source, Value};
use manylane_plan::program::reads::Known;
use manylane_plan::program::{Action, MAIN, When};
use std::collections::BTreeMap;

/// The uses of a region's nodes by a processor; a node without uses has no entry.
pub(super) struct Uses {
    /// How often each node is used. A use that needs a variable counts as two, because the
    /// expression of a node that is used once is written into that of its user.
    pub count: BTreeMap<NodeId, usize>,
    /// For each node, the number of the last action that uses it; `usize::MAX` if it outlives the
    /// iteration.
    pub last_use: BTreeMap<NodeId, usize>,
}

impl Uses {
    /// Counts the uses of a region's nodes by the writer's processor.
    pub fn of(writer: &Writer<'_>, region: usize) -> Self {
        let body = &writer.region(region).body;
        let part = &writer.program.parts[region][writer.processor];
        let mut count: BTreeMap<NodeId, usize> = BTreeMap::new();
        let mut last_use: BTreeMap<NodeId, usize> = BTreeMap::new();
        let mut put = |node: NodeId, times: usize| *count.entry(node).or_default() += times;
        for action in &part.each {
            let Action::Send(id) = action else { continue };
            writer.program.transfers[id.index()].values.iter().for_each(|&node| put(node, 2));
        }
        // A node that outlives the iteration needs a variable.
        let KeptResults { last, all } = &writer.kept[region];
        let remembered = writer.histories[region].all.iter().map(|history| history.node);
        for node in last.union(all).copied().chain(remembered) {
            put(node, 2);
            last_use.insert(node, usize::MAX);
        }
        // A node without uses is not computed, so that its arguments do not count as used.
        for (i, action) in part.each.iter().enumerate().rev() {
            let Action::Compute(node) = action else { continue };
            if count.contains_key(node) {
                for &arg in body.args(*node) {
                    *count.entry(arg).or_default() += 1;
                    last_use.entry(arg).or_insert(i);
                }
            }
        }
        Self { count, last_use }
    }
}

impl Writer<'_> {
    /// Notes which results are used outside their loops by this processor, from the last region to
    /// the first: what a region uses depends on what later ones use of it.
    pub fn note_kept(&mut self) {
        if self.processor == MAIN {
            self.program.rolled.outputs.iter().for_each(|&(_, value)| self.note(value));
        }
        for transfer in self
            .program
            .transfers
            .iter()
            .filter(|transfer| transfer.when == When::After && transfer.from == self.processor)
        {
            self.kept[transfer.region].last.extend(&transfer.values);
        }
        for region in (0..self.program.parts.len()).rev() {
            let uses = Uses::of(self, region);
            let of = self.region(region);
            for &input in &self.program.parts[region][self.processor].inputs {
                let is_used = uses.count.contains_key(&of.body.inputs()[input].node);
                match &of.sources[input] {
                    Source::Same(value) if is_used => self.note(*value),
                    Source::Each(values) if is_used => {
                        values.iter().for_each(|&value| self.note(value));
                    }
                    // A loop initialises its variables for earlier results, used or not.
                    Source::Earlier { first, .. } if is_used || of.times > 1 => {
                        first.iter().for_each(|&value| self.note(value));
                    }
                    Source::Same(_) | Source::Each(_) | Source::Earlier { .. } => {}
                }
            }
        }
    }

    fn note(&mut self, value: Value) {
        if let Known::Result((region, node, iteration)) = self.program.known(value) {
            let distance = self.region(region).times - iteration;
            let has_variable = self.histories[region].after(node, distance).is_some();
            let KeptResults { last, all } = &mut self.kept[region];
            if distance == 1 || has_variable {
                last.insert(node)
            } else {
                all.insert(node)
            };
        }
    }
}
