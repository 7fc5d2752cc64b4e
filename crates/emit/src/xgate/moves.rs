//! Code that moves values between regions as if all moved at once.

use super::code::{Code, Register, load, number_into, store};
use super::copies::Copies;
use super::frame::Slot;
use super::memory::Memory;
use super::places::At;
use std::collections::BTreeMap;

/// A place that a value is moved to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum To {
    /// A word of the frame and those behind it. Bit i says whether the complement of limb i is
    /// wanted.
    Frame(Slot, u8),
    Work(usize),
}

/// The means by which moves are made.
pub struct Moves<'m> {
    /// The places of block and job.
    pub memory: &'m Memory,
    /// The label of the work area.
    pub work: &'m str,
    /// A word of the frame that is free.
    pub temporary: Slot,
    /// The prefix of the labels of loops.
    pub label: String,
}

/// The smallest number of words whose moves within the work area, at even distances, become a loop.
/// The loop takes some 32 bytes of code, and a few clocks more for each word.
const LOOPED: usize = 6;

impl Moves<'_> {
    /// The code of moves that all happen at once: pairs of how often a piece runs, and its code.
    pub fn pieces(&self, moves: &[(At, To, usize)]) -> Vec<(usize, Vec<Code>)> {
        let (mut pieces, mut rest) = (Vec::new(), Vec::new());
        let mut left = moves;
        while !left.is_empty() {
            let count = evenly(left);
            let (run, others) = left.split_at(if count < LOOPED { 1 } else { count });
            match self.looped(run, pieces.len()) {
                Some(looped) => pieces.extend(looped),
                None => rest.extend_from_slice(run),
            }
            left = others;
        }
        pieces.push((1, self.code(&rest)));
        pieces
    }

    /// A loop for moves that [`evenly`] found, if there are two or more.
    fn looped(&self, run: &[(At, To, usize)], number: usize) -> Option<[(usize, Vec<Code>); 2]> {
        let &[(At::Work(from), To::Work(to), limbs), (At::Work(next), To::Work(next_to), _), ..] =
            run
        else {
            return None;
        };
        let copies = Copies {
            label: format!("{}_{number}", self.label),
            words: run.len(),
            limbs,
            strides: [next - from, next_to - to],
            swaps: false,
        };
        let [begin, iteration] = copies.code();
        let mut before = vec![
            Code::Wide(2, format!("{}+{from}", self.work)),
            Code::Wide(3, format!("{}+{to}", self.work)),
        ];
        before.extend(begin);
        Some([(1, before), (run.len(), iteration)])
    }

    fn code(&self, moves: &[(At, To, usize)]) -> Vec<Code> {
        let mut code = Vec::new();
        let mut pointers = Pointers::default();
        let each = |moves: &[(At, To, usize)], pick: fn(&(At, To, usize)) -> bool| {
            let picked: Vec<_> = moves.iter().copied().filter(pick).collect();
            picked
        };
        for (value, to, count) in each(moves, |of| matches!(of.1, To::Work(_))) {
            for limb in 0..count {
                self.fetch(&mut code, &mut pointers, value, limb);
                let To::Work(at) = to else { continue };
                let offset = pointers.reach(&mut code, 5, self.work, at + 2 * limb);
                code.push(Code::Offset("stw", 1, 5, offset));
            }
        }
        // A word of the frame is overwritten only when its own value has been moved away; a cycle
        // of moves is broken by a temporary word.
        let mut words: Vec<(Slot, Slot, bool)> = Vec::new();
        for (value, to, count) in each(moves, |of| matches!(of.1, To::Frame(..))) {
            if let (At::Frame(from, is), To::Frame(to, wanted)) = (value, to) {
                let turns = |limb: usize| (is ^ wanted) >> limb & 1 == 1;
                words.extend((0..count).map(|limb| (from + limb, to + limb, turns(limb))));
            }
        }
        words.retain(|&(from, to, turns)| from != to || turns);
        let move_word = |code: &mut Vec<Code>, from, to, turns| {
            code.push(load(1, from));
            if turns {
                code.push(Code::Registers("xnor", [1, 0, 1]));
            }
            code.push(store(1, to));
        };
        while !words.is_empty() {
            let is_safe = |&(from, to, _): &(Slot, Slot, bool)| {
                let others = words.iter().filter(|&&(f, t, _)| (f, t) != (from, to));
                others.clone().all(|&(from, ..)| from != to)
            };
            let next = words.iter().position(is_safe);
            match next {
                Some(next) => {
                    let (from, to, turns) = words.remove(next);
                    move_word(&mut code, from, to, turns);
                }
                None => {
                    let from = words[0].0;
                    move_word(&mut code, from, self.temporary, false);
                    for word in words.iter_mut().filter(|word| word.0 == from) {
                        word.0 = self.temporary;
                    }
                }
            }
        }
        for (value, to, count) in
            each(moves, |of| matches!(of.1, To::Frame(..)) && !matches!(of.0, At::Frame(..)))
        {
            for limb in 0..count {
                self.fetch(&mut code, &mut pointers, value, limb);
                if let To::Frame(slot, complements) = to {
                    if complements >> limb & 1 == 1 {
                        code.push(Code::Registers("xnor", [1, 0, 1]));
                    }
                    code.push(store(1, slot + limb));
                }
            }
        }
        code
    }

    /// Loads a limb into R1.
    fn fetch(&self, code: &mut Vec<Code>, pointers: &mut Pointers, value: At, limb: usize) {
        match value {
            At::Constant(value) => code.push(number_into(1, (value >> (16 * limb)) as u16)),
            At::Frame(slot, complements) => {
                code.push(load(1, slot + limb));
                if complements >> limb & 1 == 1 {
                    code.push(Code::Registers("xnor", [1, 0, 1]));
                }
            }
            At::Work(at) => {
                let offset = pointers.reach(code, 4, self.work, at + 2 * limb);
                code.push(Code::Offset("ldw", 1, 4, offset));
            }
            At::Block(word, first) => {
                if !std::mem::replace(&mut pointers.has_block, true) {
                    code.push(load(2, self.memory.block));
                }
                let (offset, swaps) = self.memory.in_block(word, first + limb);
                if offset < 32 {
                    code.push(Code::Offset("ldw", 1, 2, offset as u16));
                } else {
                    code.push(number_into(1, offset as u16));
                    code.push(Code::Index("ldw", 1, 2, 1));
                }
                if swaps {
                    code.push(Code::Number("rol", 1, 8));
                }
            }
            At::Job(word, first) => {
                if !std::mem::replace(&mut pointers.has_job, true) {
                    code.push(load(3, self.memory.job));
                }
                let offset = self.memory.in_job(word, first + limb) as u16;
                code.push(Code::Offset("ldw", 1, 3, offset));
            }
        }
    }
}

/// How many of the first moves are within the work area, of words of one size and at even
/// distances, both of the sources and of the targets.
fn evenly(moves: &[(At, To, usize)]) -> usize {
    let places = moves.iter().map_while(|of| match *of {
        (At::Work(from), To::Work(to), limbs) => Some((from, to, limbs)),
        _ => None,
    });
    let places: Vec<(usize, usize, usize)> = places.collect();
    let distance = |pair: &[(usize, usize, usize)]| {
        let &[(from, to, limbs), (next, next_to, next_limbs)] = pair else { return None };
        (limbs == next_limbs).then_some((next.checked_sub(from)?, next_to.checked_sub(to)?))
    };
    let mut distances = places.windows(2).map(distance);
    match distances.next() {
        Some(first @ Some(_)) => 2 + distances.take_while(|&other| other == first).count(),
        _ => places.len().min(1),
    }
}

/// The targets to which registers R2 to R5 point while values are moved.
#[derive(Default)]
struct Pointers {
    has_block: bool,
    has_job: bool,
    /// For each register the byte of the work area that it points to.
    work: BTreeMap<Register, usize>,
}

impl Pointers {
    /// Points a register at a byte of the work area, or near it, and returns the offset to the
    /// byte.
    fn reach(&mut self, code: &mut Vec<Code>, register: Register, work: &str, at: usize) -> u16 {
        let near = self.work.get(&register).filter(|&&start| (start..start + 32).contains(&at));
        let start = match near {
            Some(&start) => start,
            None => {
                code.push(Code::Wide(register, format!("{work}+{at}")));
                self.work.insert(register, at);
                at
            }
        };
        (at - start) as u16
    }
}
