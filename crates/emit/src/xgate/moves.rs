//! Code that moves values between regions as if all moved at once.

use super::code::{Code, Register, increase, load, number_into, store};
use super::copies::Copies;
use super::frame::Slot;
use super::memory::Memory;
use super::places::Location;
use std::collections::BTreeMap;
use std::ops::Range;

/// A place that a value is moved to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// A limb of a value that is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Limb {
    value: Location,
    limb: usize,
    to: Spot,
    /// Whether it is complemented on the way.
    complements: bool,
}

/// A word that a move writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spot {
    Frame(Slot),
    /// Byte offset in the work area.
    Work(usize),
}

impl Limb {
    /// The limbs of a move.
    fn all((value, to, count): (Location, To, usize)) -> impl Iterator<Item = Self> {
        (0..count).map(move |limb| {
            let bit = |complements: u8| complements >> limb & 1 == 1;
            let is = matches!(value, Location::Frame(_, complements) if bit(complements));
            let (to, wanted) = match to {
                To::Frame(slot, complements) => (Spot::Frame(slot + limb), bit(complements)),
                To::Work(at) => (Spot::Work(at + 2 * limb), false),
            };
            Self { value, limb, to, complements: is != wanted }
        })
    }

    /// The word that it is loaded from, if a move can write that word.
    fn from(&self) -> Option<Spot> {
        match self.value {
            Location::Frame(slot, _) => Some(Spot::Frame(slot + self.limb)),
            Location::Work(at) => Some(Spot::Work(at + 2 * self.limb)),
            Location::Constant(_) | Location::Block(..) | Location::Job(..) => None,
        }
    }

    /// The stage in which it is moved where the order is free: into the work area, within the
    /// frame, from elsewhere into the frame.
    fn stage(&self) -> u8 {
        match (self.to, self.value) {
            (Spot::Work(_), _) => 0,
            (Spot::Frame(_), Location::Frame(..)) => 1,
            (Spot::Frame(_), _) => 2,
        }
    }
}

/// Orders limbs so that each is moved before its word is overwritten. A circle of moves is broken
/// by a free word of the frame, `temporary`.
///
/// Each word is written once. If every word that is left to write is still to be read, each is read
/// exactly once, and the moves that are left form circles. Then every circle that was broken before
/// is complete, and the temporary word is free.
fn ordered(mut left: Vec<Limb>, temporary: Slot) -> Vec<Limb> {
    left.retain(|of| of.from() != Some(of.to) || of.complements);
    left.sort_by_key(Limb::stage);
    let mut order = Vec::with_capacity(left.len());
    while let Some(&first) = left.first() {
        let is_free = |i: usize| {
            let others = left.iter().enumerate().filter(|&(j, _)| j != i);
            others.map(|(_, of)| of.from()).all(|from| from != Some(left[i].to))
        };
        let here = left.iter().take_while(|of| of.stage() == first.stage()).count();
        // Later stages wait unless the first one waits for them.
        let (stage, later) = left.split_at(here);
        let is_open = left.iter().any(|of| of.from() == Some(Spot::Frame(temporary)));
        let waits = later.iter().any(|of| stage.iter().any(|to| of.from() == Some(to.to)));
        let most = if is_open || waits { left.len() } else { here };
        match (0..most).find(|&i| is_free(i)) {
            Some(next) => order.push(left.remove(next)),
            None => {
                let to = Spot::Frame(temporary);
                order.push(Limb { to, complements: false, ..first });
                for of in left.iter_mut().filter(|of| of.from() == first.from()) {
                    (of.value, of.limb) = (Location::Frame(temporary, 0), 0);
                }
            }
        }
    }
    order
}

impl Moves<'_> {
    /// The code of moves that all happen at once: pairs of how often a piece runs, and its code.
    pub fn pieces(&self, moves: &[(Location, To, usize)]) -> Vec<(usize, Vec<Code>)> {
        let (mut pieces, mut rest) = (Vec::new(), Vec::new());
        let mut left = moves;
        while !left.is_empty() {
            let count = evenly(left);
            let (run, others) = left.split_at(if count < LOOPED { 1 } else { count });
            let first = moves.len() - left.len();
            let is_first = !is_read_later(moves, first..first + run.len());
            match self.looped(run, pieces.len()).filter(|_| is_first) {
                Some(looped) => pieces.extend(looped),
                None => rest.extend_from_slice(run),
            }
            left = others;
        }
        pieces.push((1, self.code(&rest)));
        pieces
    }

    /// A loop for moves that [`evenly`] found, if there are two or more.
    fn looped(
        &self,
        run: &[(Location, To, usize)],
        number: usize,
    ) -> Option<[(usize, Vec<Code>); 2]> {
        let &[
            (Location::Work(from), To::Work(to), limbs),
            (Location::Work(next), To::Work(next_to), _),
            ..,
        ] = run
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

    fn code(&self, moves: &[(Location, To, usize)]) -> Vec<Code> {
        let mut code = Vec::new();
        let mut pointers = Pointers::default();
        let limbs = moves.iter().copied().flat_map(Limb::all).collect();
        for Limb { value, limb, to, complements } in ordered(limbs, self.temporary) {
            let is_zero =
                matches!(value, Location::Constant(of) if of >> (16 * limb) & 0xffff == 0);
            let register = if is_zero && !complements { 0 } else { 1 };
            if register != 0 {
                self.fetch(&mut code, &mut pointers, value, limb);
            }
            if complements {
                code.push(Code::Registers("xnor", [1, 0, 1]));
            }
            match to {
                Spot::Frame(slot) => code.push(store(register, slot)),
                Spot::Work(at) => {
                    let offset = pointers.reach(&mut code, 5, self.work, at);
                    code.push(Code::Offset("stw", register, 5, offset));
                }
            }
        }
        code
    }

    /// Loads a limb into R1, in the polarity that it has.
    fn fetch(&self, code: &mut Vec<Code>, pointers: &mut Pointers, value: Location, limb: usize) {
        match value {
            Location::Constant(value) => code.push(number_into(1, (value >> (16 * limb)) as u16)),
            Location::Frame(slot, _) => code.push(load(1, slot + limb)),
            Location::Work(at) => {
                let offset = pointers.reach(code, 4, self.work, at + 2 * limb);
                code.push(Code::Offset("ldw", 1, 4, offset));
            }
            Location::Block(word, first) => {
                let (offset, swaps) = self.memory.in_block(word, first + limb);
                // R2 points to the part of the block in which the last word was.
                let part = offset & !31;
                match pointers.block {
                    Some(at) if at <= part => {
                        if at < part {
                            code.extend(increase(2, part - at));
                        }
                    }
                    _ => {
                        code.push(load(2, self.memory.block));
                        if part > 0 {
                            code.extend(increase(2, part));
                        }
                    }
                }
                pointers.block = Some(part);
                code.push(Code::Offset("ldw", 1, 2, (offset - part) as u16));
                if swaps {
                    code.push(Code::Number("rol", 1, 8));
                }
            }
            Location::Job(word, first) => {
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
fn evenly(moves: &[(Location, To, usize)]) -> usize {
    let places = moves.iter().map_while(|of| match *of {
        (Location::Work(from), To::Work(to), limbs) => Some((from, to, limbs)),
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

/// Whether one of the moves in `run` writes a word of the work area that another move, or a later
/// one of `run`, still has to read.
fn is_read_later(moves: &[(Location, To, usize)], run: Range<usize>) -> bool {
    let limbs = |i: usize| Limb::all(moves[i]);
    run.clone().any(|i| {
        let readers = (0..moves.len()).filter(|j| !run.contains(j) || *j > i);
        let mut read = readers.flat_map(limbs).filter_map(|of| of.from());
        read.any(|from| limbs(i).any(|of| of.to == from))
    })
}

/// The targets to which registers R2 to R5 point while values are moved.
#[derive(Default)]
struct Pointers {
    /// The byte offset in the block of what R2 points to.
    block: Option<usize>,
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

#[cfg(test)]
mod tests {
    use super::super::frame::{BASE, placed};
    use super::super::random::Random;
    use super::*;
    use manylane_graph::framing::ByteOrder;
    use manylane_simulate::s12x::assembler::assemble;
    use manylane_simulate::s12x::chip::Chip;
    use manylane_simulate::s12x::object::Space;
    use manylane_simulate::s12x::xgate::XgateSet;
    use manylane_simulate::s12x::{Machine, Stop};

    /// Words of the frame and of the work area that are moved.
    const WORDS: usize = 40;

    /// Executes moves on the simulated machine. Before them a word of the frame is its number plus
    /// 0x100, one of the work area its number plus 0x200. Returns the words of both as they are
    /// then, and how many pieces of code there are.
    fn executed(moves: &[(Location, To, usize)]) -> ([Vec<u16>; 2], usize) {
        let memory = Memory {
            word_bytes: 4,
            order: ByteOrder::Big,
            block: 0,
            job: 0,
            substitution: String::new(),
            effort: 0,
            is_small: false,
            lean: None,
        };
        let label = "moved".to_owned();
        let of = Moves { memory: &memory, work: "work", temporary: WORDS, label };
        let pieces = of.pieces(moves);
        let at: Vec<usize> = (0..=WORDS).map(|slot| 2 * slot).collect();
        let mut text = format!("start:\n{}", Code::Wide(BASE, "frame".to_owned()));
        for (_, code) in &pieces {
            text.extend(placed(code.clone(), &at, "frame").iter().map(Code::to_string));
        }
        text += "\trts\nframe:\n";
        for slot in 0..=WORDS {
            text += &format!("\t.word {}\n", 0x100 + slot);
        }
        text += "work:\n";
        for word in 0..WORDS {
            text += &format!("\t.word {}\n", 0x200 + word);
        }
        let mut machine = Machine::of(&Chip::xdt512());
        machine.load(&assemble(&XgateSet, &text, 0xb000).unwrap()).unwrap();
        let start = machine.symbol("start").unwrap().address as u16;
        machine.start_thread(1, start, 0);
        assert_eq!(machine.run(100_000).unwrap(), Stop::Idle);
        let words = ["frame", "work"].map(|label| {
            let at = machine.symbol(label).unwrap().address;
            let bytes = machine.read(Space::Xgate, at, 2 * WORDS).unwrap();
            bytes.chunks(2).map(|of| u16::from_be_bytes([of[0], of[1]])).collect()
        });
        (words, pieces.len())
    }

    /// What the words must be after moves that all happen at once.
    fn expected(moves: &[(Location, To, usize)]) -> [Vec<u16>; 2] {
        let before = [0x100, 0x200].map(|first| (0..WORDS as u16).map(|i| first + i).collect());
        let [frame, work]: &[Vec<u16>; 2] = &before;
        let mut after = before.clone();
        for &(value, to, count) in moves {
            for limb in 0..count {
                let turned = |word: u16, is: u8| if is >> limb & 1 == 1 { !word } else { word };
                let word = match value {
                    Location::Constant(value) => (value >> (16 * limb)) as u16,
                    Location::Frame(slot, is) => turned(frame[slot + limb], is),
                    Location::Work(at) => work[at / 2 + limb],
                    Location::Block(..) | Location::Job(..) => {
                        unreachable!("no such move is made here")
                    }
                };
                match to {
                    To::Frame(slot, is) => after[0][slot + limb] = turned(word, is),
                    To::Work(at) => after[1][at / 2 + limb] = word,
                }
            }
        }
        after
    }

    /// Two words of the work area change places, and eight words at even distances go round: both
    /// write words that other moves read.
    #[test]
    fn words_of_the_work_area_change_places() {
        let swap = [(Location::Work(0), To::Work(4), 2), (Location::Work(4), To::Work(0), 2)];
        assert_eq!(executed(&swap).0, expected(&swap));
        let round: Vec<_> =
            (0..8).map(|i| (Location::Work(4 * i), To::Work(4 * ((i + 1) % 8)), 2)).collect();
        let (words, pieces) = executed(&round);
        assert_eq!((words, pieces), (expected(&round), 1));
        // A word of the frame takes what a word of the work area was, and gives it its own.
        let across =
            [(Location::Frame(3, 1), To::Work(6), 1), (Location::Work(6), To::Frame(3, 0), 1)];
        assert_eq!(executed(&across).0, expected(&across));
        // What nobody reads any more is written by a loop.
        let apart: Vec<_> =
            (0..8).map(|i| (Location::Work(4 * i), To::Work(32 + 4 * i), 2)).collect();
        let (words, pieces) = executed(&apart);
        assert_eq!((words, pieces), (expected(&apart), 3));
        // Neither a loop's own words nor those of a later move may be lost.
        let ahead: Vec<_> =
            (0..8).map(|i| (Location::Work(4 * i), To::Work(4 * i + 4), 2)).collect();
        assert_eq!(executed(&ahead).0, expected(&ahead));
        let mut read = apart;
        read.push((Location::Work(40), To::Frame(0, 0), 2));
        assert_eq!(executed(&read).0, expected(&read));
    }

    /// Random moves among all words, of which circles within the frame, within the work area and
    /// across both are a part.
    #[test]
    fn random_moves_happen_at_once() {
        let mut random = Random::new(5);
        for round in 0..400 {
            let count = 1 + round % 2;
            let places = WORDS / count;
            let mut targets: Vec<(bool, usize)> = [false, true]
                .into_iter()
                .flat_map(|is| (0..places).map(move |i| (is, i)))
                .collect();
            let few = 1 + random.below(2 * places);
            let moves: Vec<(Location, To, usize)> = (0..few)
                .map(|_| {
                    let (is_work, to) = targets.swap_remove(random.below(targets.len()));
                    let to = match is_work {
                        true => To::Work(2 * count * to),
                        false => To::Frame(count * to, random.below(4) as u8),
                    };
                    let from = count * random.below(if round % 3 == 0 { 6 } else { places });
                    let value = match random.below(9) {
                        0 => Location::Constant(0xfedc_8001),
                        1..5 => Location::Frame(from, random.below(4) as u8),
                        _ => Location::Work(2 * from),
                    };
                    (value, to, count)
                })
                .collect();
            assert_eq!(executed(&moves).0, expected(&moves), "{round}: {moves:?}");
        }
    }
}
