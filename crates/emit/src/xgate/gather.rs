//! Assembles limbs from bytes that are sums of table rows.

use super::limb::{Id, Limbs, Op, TableRows};
use super::lookup::{Lookups, SboxByte, SumColumn};
use manylane_graph::NodeId;
use std::collections::HashMap;

/// The state of computing a body's columns.
pub struct Gather<'l> {
    lookups: &'l Lookups,
    is_done: Vec<bool>,
    /// For each node and limb of which one byte is computed, its half.
    halves: HashMap<(NodeId, usize), Id>,
    /// For each node and limb that is computed, the limb.
    limbs: HashMap<(NodeId, usize), Id>,
}

impl<'l> Gather<'l> {
    /// No column is computed yet.
    pub fn of(lookups: &'l Lookups) -> Self {
        let is_done = vec![false; lookups.columns.len()];
        Self { lookups, is_done, halves: HashMap::new(), limbs: HashMap::new() }
    }

    /// The first `count` limbs of a node that is a sum of rows. `words` has the limbs of the words
    /// to which the S-boxes are applied.
    pub fn word(
        &mut self,
        l: &mut Limbs,
        node: NodeId,
        count: usize,
        words: &dyn Fn(NodeId) -> Option<Vec<Id>>,
    ) -> Option<Vec<Id>> {
        self.lookups.places.get(&(node, 0))?;
        // All columns that can be computed now are computed, so that each is computed once and
        // words with bytes of two columns follow the second one.
        for (number, column) in self.lookups.columns.iter().enumerate() {
            let args = column.sources.iter().map(|(source, ..)| words(source.node));
            if let (false, Some(args)) = (self.is_done[number], args.collect::<Option<Vec<_>>>()) {
                let words = sum(l, column, &args, self.lookups);
                self.put(l, column, &words);
                self.is_done[number] = true;
            }
        }
        (0..count).map(|limb| self.limbs.get(&(node, limb)).copied()).collect()
    }

    /// Puts the bytes of a column's words into the words of nodes. The low byte comes first,
    /// because taking the high one overwrites the register.
    fn put(&mut self, l: &mut Limbs, column: &SumColumn, words: &[Id]) {
        for (&word, ([high, low], _)) in words.iter().zip(&column.words) {
            for (&(node, byte), is_high) in [(low, false), (high, true)] {
                let (at, to_high) = ((node, byte / 2), byte % 2 == 1);
                match self.halves.remove(&at) {
                    Some(half) => {
                        self.limbs.insert(at, l.joined_with(half, word, is_high));
                    }
                    None => {
                        self.halves.insert(at, l.half(word, is_high, to_high));
                    }
                }
            }
        }
    }
}

/// The words of a column.
fn sum(l: &mut Limbs, column: &SumColumn, args: &[Vec<Id>], lookups: &Lookups) -> Vec<Id> {
    let mut sources: Vec<_> = column.sources.iter().zip(args).collect();
    // Bytes in registers are looked up first, because bytes in memory can be looked up at any time.
    sources.sort_by_key(|((source, ..), arg)| is_leaf(l, arg[source.byte / 2]));
    let mut words: Vec<Option<Id>> = vec![None; column.words.len()];
    for (&(SboxByte { byte, .. }, table, ref takes), arg) in sources {
        let row = TableRows { table, shift: lookups.tables[table].shift() };
        let address = l.entry(arg[byte / 2], byte % 2 == 1, row);
        for (word, &at) in words.iter_mut().zip(takes) {
            let loaded = l.load(address, 2 * at as u16, false);
            *word = Some(word.map_or(loaded, |word| l.xor(word, loaded)));
        }
    }
    let each = words.into_iter().zip(&column.words);
    each.map(|(word, &(_, ones))| {
        let ones = l.constant(ones);
        word.map_or(ones, |word| l.xor(word, ones))
    })
    .collect()
}

fn is_leaf(l: &Limbs, id: Id) -> bool {
    match l.ops[id] {
        Op::Leaf(_) => true,
        Op::Not(of) => is_leaf(l, of),
        _ => false,
    }
}
