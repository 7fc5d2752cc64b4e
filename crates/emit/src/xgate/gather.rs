//! Bytes that are sums of table rows, put together to limbs.

use super::limb::{Id, Limbs, Op, Row};
use super::lookup::{Column, Lookups, Source};
use manylane_graph::NodeId;
use std::collections::HashMap;

/// The columns of a body in the making.
pub struct Gather<'l> {
    lookups: &'l Lookups,
    /// By column, its words of 16 bits, once they are computed.
    columns: Vec<Option<Vec<Id>>>,
    /// By node and limb.
    limbs: HashMap<(NodeId, usize), Id>,
}

impl<'l> Gather<'l> {
    pub fn of(lookups: &'l Lookups) -> Self {
        Self { lookups, columns: vec![None; lookups.columns.len()], limbs: HashMap::new() }
    }

    /// The limbs of a node that is a sum of rows, so many; `words` are the limbs of what its S-boxes
    /// take.
    pub fn word(
        &mut self,
        l: &mut Limbs,
        node: NodeId,
        count: usize,
        words: &dyn Fn(NodeId) -> Option<Vec<Id>>,
    ) -> Option<Vec<Id>> {
        self.lookups.places.get(&(node, 0))?;
        // All columns that can be computed now, so that each is computed once and words that have
        // bytes of two columns follow the second one.
        for number in 0..self.columns.len() {
            let column = &self.lookups.columns[number];
            let args = column.sources.iter().map(|(source, ..)| words(source.node));
            if let (None, Some(args)) = (&self.columns[number], args.collect::<Option<Vec<_>>>()) {
                self.columns[number] = Some(sum(l, column, &args, self.lookups));
                self.put_together(l);
            }
        }
        (0..count).map(|limb| self.limbs.get(&(node, limb)).copied()).collect()
    }

    /// Makes the limbs whose two bytes are there.
    fn put_together(&mut self, l: &mut Limbs) {
        for column in &self.lookups.columns {
            for &(node, byte) in column.words.iter().flat_map(|(bytes, _)| bytes) {
                let limb = byte / 2;
                if self.limbs.contains_key(&(node, limb)) {
                    continue;
                }
                let half = |byte: usize| {
                    let (column, place) = self.lookups.places[&(node, byte)];
                    let words = self.columns[column].as_ref()?;
                    Some((words[place / 2], place.is_multiple_of(2)))
                };
                if let (Some(low), Some(high)) = (half(2 * limb), half(2 * limb + 1)) {
                    self.limbs.insert((node, limb), joined(l, high, low));
                }
            }
        }
    }
}

/// The words of a column.
fn sum(l: &mut Limbs, column: &Column, args: &[Vec<Id>], lookups: &Lookups) -> Vec<Id> {
    let mut sources: Vec<_> = column.sources.iter().zip(args).collect();
    // What lies in memory is looked up from there at any time; what is in registers goes first.
    sources.sort_by_key(|((source, ..), arg)| is_leaf(l, arg[source.byte / 2]));
    let mut words: Vec<Option<Id>> = vec![None; column.words.len()];
    for (&(Source { byte, .. }, table, ref takes), arg) in sources {
        let row = Row { table, shift: lookups.tables[table].shift() };
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

/// A limb of two bytes, each of which is the high or the low one of a limb.
fn joined(l: &mut Limbs, high: (Id, bool), low: (Id, bool)) -> Id {
    if high == (low.0, true) && !low.1 {
        return low.0;
    }
    let placed = |l: &mut Limbs, (of, is_high): (Id, bool), to_high: bool| {
        if is_high == to_high { of } else { l.rotate(of, 8) }
    };
    if high.1 {
        let low = placed(l, low, false);
        l.insert(high.0, low, 8, 0)
    } else {
        let low = placed(l, low, false);
        l.insert(low, high.0, 8, 8)
    }
}
