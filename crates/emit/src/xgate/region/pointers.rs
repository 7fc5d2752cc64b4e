//! The pointers of a region's iterations, and which words share one.

use super::{Inputs, Location, Pointer, Target, even_stride};
use crate::xgate::frame::Slot;
use crate::xgate::places::{Home, limbs};
use manylane_graph::roll::{self, Source};
use std::collections::{BTreeMap, BTreeSet};

/// The distance in bytes within which a pointer is shared: a load reaches it with an index of one
/// byte.
const INDEX_REACH: usize = 224;

/// The number of bytes behind a pointer that a load reaches with an offset.
const OFFSET_REACH: usize = 32;

/// The smallest number of accesses to [`OFFSET_REACH`] bytes for which these get a pointer of their
/// own: it takes seven clocks in an iteration, and saves one clock of each access.
const PAYING_ACCESSES: usize = 8;

impl Inputs<'_, '_> {
    /// The word of the frame of a pointer. Pointers with the same target and stride share one.
    pub(super) fn pointer(&mut self, target: Target, stride: isize) -> Slot {
        let known = self.pointers.iter().find(|p| p.target == target && p.stride == stride);
        if let Some(pointer) = known {
            return pointer.slot;
        }
        let slot = match self.memory.lean {
            Some(lean) if target == Target::Table => lean.table,
            lean => {
                let of_tables = |of: &&Pointer| lean.is_some() && of.target == Target::Table;
                let used = self.pointers.len() - self.pointers.iter().filter(of_tables).count();
                if self.slots.len() == used {
                    let slot = self.places.new_slots(1);
                    self.slots.push(slot);
                }
                self.slots[used]
            }
        };
        self.pointers.push(Pointer { target, stride, slot });
        slot
    }

    /// The pointers to the halves of the block, if a lean thread's loop takes each of its words
    /// from both halves in turn, and runs an even number of times, so that the pointers are in
    /// their places again after it.
    pub(super) fn halves(&self, of: &roll::Region) -> Option<[Slot; 2]> {
        let lean =
            self.memory.lean.filter(|lean| !lean.has_starts && of.times.is_multiple_of(2))?;
        let each = of.sources.iter().filter_map(|source| match source {
            Source::Each(values) => Some(self.known(values).1),
            Source::Same(_) | Source::Earlier { .. } => None,
        });
        let word = |at: &Location| match *at {
            Location::Block(word, first) => Some((word * self.memory.word_bytes, first)),
            _ => None,
        };
        let words = each.filter_map(|at| at.iter().map(word).collect::<Option<Vec<_>>>());
        let words: Vec<Vec<(usize, usize)>> = words.collect();
        let is_in_turn = |words: &Vec<(usize, usize)>| {
            words.windows(2).all(|pair| {
                let [(at, first), (next, next_first)] = [pair[0], pair[1]];
                first == next_first && at.abs_diff(next) == lean.half_bytes
            })
        };
        (!words.is_empty() && words.iter().all(is_in_turn)).then_some(lean.halves)
    }

    /// The groups of 16 limbs, counted from the row that is farthest before the present one, that
    /// have pointers of their own in a lean thread: the first group, and those with at least
    /// [`PAYING_ACCESSES`] accesses in an iteration.
    pub(super) fn groups(&self, of: &roll::Region) -> BTreeSet<usize> {
        let mut accesses: BTreeMap<usize, usize> = BTreeMap::new();
        if self.memory.lean.is_none() {
            return BTreeSet::new();
        }
        let rows = self.places.rows[self.region];
        let homes = self.places.homes[self.region].iter().copied();
        let outputs = homes.enumerate().map(|(output, home)| (output, home, 0));
        let taken = of.sources.iter().filter_map(|source| match source {
            Source::Earlier { output, distance, first } => {
                Some((*output, self.places.earlier(self.region, *output, first), *distance))
            }
            Source::Same(_) | Source::Each(_) => None,
        });
        for (output, home, distance) in outputs.chain(taken) {
            if let Home::Row(at) = home {
                let at = (rows.before - distance) * rows.bytes + at;
                let width = of.body.width(of.body.outputs()[output].value);
                *accesses.entry(at / OFFSET_REACH).or_default() += limbs(width);
            }
        }
        accesses.retain(|&group, &mut count| group == 0 || count >= PAYING_ACCESSES);
        accesses.into_keys().collect()
    }

    /// The pointer for a byte offset from the row that is farthest before the present one, and the
    /// offset from the pointer.
    pub(super) fn in_rows(&mut self, at: usize) -> (Slot, usize) {
        let rows = self.places.rows[self.region];
        let group = self.groups.range(..=at / OFFSET_REACH).next_back().copied().unwrap_or(0);
        let pointer =
            self.pointer(Target::Work(rows.at + OFFSET_REACH * group), rows.bytes as isize);
        (pointer, at - OFFSET_REACH * group)
    }

    /// The common distance of places in the block that follow each other evenly, if they do:
    /// upwards, in a small thread also downwards.
    pub(super) fn stride(
        &self,
        places: impl DoubleEndedIterator<Item = usize> + Clone,
    ) -> Option<isize> {
        let up = even_stride(places.clone()).map(|stride| stride as isize);
        let down = || even_stride(places.rev()).map(|stride| -(stride as isize));
        up.or_else(|| if self.memory.is_small { down() } else { None })
    }

    /// A pointer into the work area, and the offset from it to a byte.
    pub(super) fn pointer_into_work(&mut self, at: usize, stride: isize) -> (Slot, usize) {
        let near = self.pointers.iter().find_map(|pointer| match pointer.target {
            Target::Work(start)
                if pointer.stride == stride && start <= at && at < start + INDEX_REACH =>
            {
                Some((pointer.slot, at - start))
            }
            _ => None,
        });
        near.unwrap_or_else(|| (self.pointer(Target::Work(at), stride), 0))
    }

    /// A pointer into the block, and the offset from it to a byte.
    pub(super) fn pointer_into_block(&mut self, at: usize, stride: isize) -> (Slot, usize) {
        if stride < 0 {
            // Rounded down, so that neighbours share a pointer even if the lower one comes second.
            let start = at / OFFSET_REACH * OFFSET_REACH;
            return (self.pointer(Target::Block(start), stride), at - start);
        }
        if self.memory.lean.is_none_or(|lean| !lean.has_starts) {
            return (self.pointer(Target::Block(0), stride), at);
        }
        let near = self.pointers.iter().find_map(|pointer| match pointer.target {
            Target::Block(start) if pointer.stride == stride && start <= at => {
                Some((pointer.slot, at - start)).filter(|&(_, offset)| offset < INDEX_REACH)
            }
            _ => None,
        });
        near.unwrap_or_else(|| (self.pointer(Target::Block(at), stride), 0))
    }
}
