//! The input of register allocation that does not depend on the order of the instructions.

use super::body::{Body, Place};
use crate::xgate::frame::Slot;
use crate::xgate::select::{Inst, InstKind, Selected};
use std::collections::BTreeSet;

/// The facts about a word.
#[derive(Clone, Default)]
pub(super) struct Word {
    /// Clocks to load it again.
    pub reload: f64,
    /// Whether it can be loaded again without being stored.
    pub is_given: bool,
    /// The output that it is.
    pub output: Option<u32>,
    /// The word of the frame of which it is the initial value, if an output is stored to that word.
    pub leaf: Option<u32>,
    /// The word that is the pointer to it.
    pub pointer: Option<u32>,
}

/// Clocks to load a word of the frame again, with its share of the instructions that move the base
/// register.
const FROM_FRAME: f64 = 2.4;

impl Word {
    /// The facts about the word of an instruction. Its pointer is an index in `pointers` as yet.
    fn of(kind: &InstKind, body: &Body, pointers: &[Slot], leaves: usize) -> Self {
        let mut word = Self { reload: FROM_FRAME, is_given: kind.is_given(), ..Self::default() };
        match *kind {
            InstKind::Number(0..=255) => word.reload = 1.0,
            InstKind::Number(_) | InstKind::Table => word.reload = 2.0,
            InstKind::Leaf(place) => match body.places[place] {
                Place::Frame(slot) => word.leaf = (slot < leaves).then_some(slot as u32),
                Place::Behind { pointer, offset, swaps } => {
                    let far = if offset > 31 { 1.0 } else { 0.0 };
                    word.reload = 2.2 + far + if swaps { 1.0 } else { 0.0 };
                    let at = pointers.iter().position(|&known| known == pointer);
                    word.pointer = Some(at.expect("every pointer was noted") as u32);
                }
            },
            _ => {}
        }
        word
    }
}

/// The facts about a body that do not depend on the order of its instructions.
pub struct Facts<'a> {
    pub(super) body: &'a Body,
    pub(super) insts: &'a [Inst],
    /// The words of the frame with pointers. Pointers are words too, numbered behind the
    /// instructions.
    pub(super) pointers: Vec<Slot>,
    /// For each instruction that stores half of a word, the instruction that completes it.
    pub(super) whole_of: Vec<Option<usize>>,
    /// The facts about each word: the instructions' results, then the pointers.
    pub(super) words: Vec<Word>,
    /// For each instruction whether another one takes its carry.
    pub(super) has_follower: Vec<bool>,
    /// For each word of the frame how many uses its initial value has.
    pub(super) leaves: Vec<u32>,
    /// The words that each instruction takes, one instruction after the other.
    taken: Vec<u32>,
    /// For each instruction the index of the first word that it takes.
    begin: Vec<u32>,
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
            if let InstKind::Joined(_) = inst.kind {
                whole_of[inst.args[0]] = Some(i);
            }
            if let Some(before) = inst.follows {
                has_follower[before] = true;
            }
            for &arg in &inst.args {
                if let InstKind::Leaf(place) = insts[arg].kind
                    && let Place::Frame(slot) = body.places[place]
                    && let Some(left) = leaves.get_mut(slot)
                {
                    *left += 1;
                }
            }
        }
        let pointers: Vec<Slot> = pointers.into_iter().collect();
        let mut words: Vec<Word> =
            insts.iter().map(|inst| Word::of(&inst.kind, body, &pointers, leaves.len())).collect();
        let pointer = Word { reload: FROM_FRAME, is_given: true, ..Word::default() };
        words.resize(insts.len() + pointers.len(), pointer);
        for (output, &word) in body.selected.outputs.iter().enumerate() {
            words[word].output = Some(output as u32);
        }
        for word in &mut words {
            word.pointer = word.pointer.map(|pointer| insts.len() as u32 + pointer);
        }
        let (mut taken, mut begin) = (Vec::new(), vec![0]);
        for inst in insts {
            for &arg in &inst.args {
                taken.push(arg as u32);
                taken.extend(words[arg].pointer);
            }
            begin.push(taken.len() as u32);
        }
        Self { body, insts, pointers, whole_of, words, has_follower, leaves, taken, begin }
    }

    /// The instructions.
    pub fn selected(&self) -> &'a Selected {
        &self.body.selected
    }

    /// How many words there are.
    pub fn count(&self) -> usize {
        self.words.len()
    }

    /// The words that an instruction takes, including the pointers to its arguments.
    pub fn taken(&self, i: usize) -> &[u32] {
        &self.taken[self.begin[i] as usize..self.begin[i + 1] as usize]
    }

    /// Pairs of a word and the position of an instruction that takes it.
    pub fn uses(&self, order: &[usize]) -> Vec<(usize, usize)> {
        let each = order.iter().enumerate();
        each.flat_map(|(at, &i)| self.taken(i).iter().map(move |&word| (word as usize, at)))
            .collect()
    }
}
