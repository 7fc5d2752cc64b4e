//! The input of register allocation that does not depend on the order of the instructions.

use super::{Body, Place};
use crate::xgate::frame::Slot;
use crate::xgate::select::{Inst, Kind, Selected};
use std::collections::BTreeSet;

/// The facts about a body that do not depend on the order of its instructions.
pub struct Facts<'a> {
    pub(super) body: &'a Body,
    pub(super) insts: &'a [Inst],
    /// The words of the frame with pointers. Pointers are words too, numbered behind the
    /// instructions.
    pub(super) pointers: Vec<Slot>,
    /// For each instruction that stores half of a word, the instruction that completes it.
    pub(super) whole_of: Vec<Option<usize>>,
    /// For each word the output that it is.
    pub(super) output_of: Vec<Option<usize>>,
    /// For each instruction whether another one takes its carry.
    pub(super) has_follower: Vec<bool>,
    /// For each word of the frame how many uses the value has that is there at first.
    pub(super) leaves: Vec<u32>,
}

impl<'a> Facts<'a> {
    /// Collects the facts about a body.
    pub fn of(body: &'a Body) -> Self {
        let insts = &body.selected.insts[..];
        let pointers: BTreeSet<Slot> = body
            .places
            .iter()
            .filter_map(|place| match place {
                Place::Behind { pointer, .. } => Some(*pointer),
                Place::Frame(_) => None,
            })
            .collect();
        let mut whole_of = vec![None; insts.len()];
        let mut has_follower = vec![false; insts.len()];
        let most = body.homes.iter().copied().max().unwrap_or(0);
        let mut leaves = vec![0; most + 1];
        for (i, inst) in insts.iter().enumerate() {
            if let Kind::Joined(_) = inst.kind {
                whole_of[inst.args[0]] = Some(i);
            }
            if let Some(before) = inst.follows {
                has_follower[before] = true;
            }
            for &arg in &inst.args {
                if let Kind::Leaf(place) = insts[arg].kind
                    && let Place::Frame(slot) = body.places[place]
                    && let Some(left) = leaves.get_mut(slot)
                {
                    *left += 1;
                }
            }
        }
        let pointers: Vec<Slot> = pointers.into_iter().collect();
        let mut output_of = vec![None; insts.len() + pointers.len()];
        for (output, &word) in body.selected.outputs.iter().enumerate() {
            output_of[word] = Some(output);
        }
        Self { body, insts, pointers, whole_of, output_of, has_follower, leaves }
    }

    /// The instructions.
    pub fn selected(&self) -> &'a Selected {
        &self.body.selected
    }

    /// How many words there are.
    pub fn words(&self) -> usize {
        self.insts.len() + self.pointers.len()
    }

    /// The number of the word that is the pointer in a word of the frame.
    pub(super) fn pointer(&self, slot: Slot) -> usize {
        let known = self.pointers.iter().position(|&known| known == slot);
        self.insts.len() + known.expect("every pointer was noted")
    }

    /// The words that an instruction takes, including the pointers to its arguments.
    pub fn taken(&self, i: usize) -> impl Iterator<Item = usize> {
        self.insts[i].args.iter().flat_map(|&arg| {
            let pointer = match self.insts[arg].kind {
                Kind::Leaf(place) => match self.body.places[place] {
                    Place::Behind { pointer, .. } => Some(self.pointer(pointer)),
                    Place::Frame(_) => None,
                },
                _ => None,
            };
            [Some(arg), pointer].into_iter().flatten()
        })
    }

    /// Pairs of a word and the position of an instruction that takes it.
    pub fn uses(&self, order: &[usize]) -> Vec<(usize, usize)> {
        let each = order.iter().enumerate();
        each.flat_map(|(position, &i)| self.taken(i).map(move |word| (word, position))).collect()
    }
}
