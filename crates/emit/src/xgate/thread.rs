//! The thread around the regions: job, blocks, counter, and the whole text.

use super::code::{Code, Register};
use super::frame::{Access, BASE, Slot, accesses, clocks, placed};
use super::places::{At, Home, Places, limbs, number};
use super::polarity::Random;
use super::region::{Cell, Pointer, Region, Target, region};
use super::{Error, Memory};
use crate::backend;
use manylane_graph::framing::{Framing, Unit};
use manylane_graph::interpret::evaluate;
use manylane_graph::roll::Source;
use manylane_graph::{Op, Role};
use manylane_plan::program::Program;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What a thread is of.
#[derive(Clone, Copy, Debug)]
pub struct Thread<'t> {
    /// What its labels begin with.
    pub prefix: &'t str,
    /// Bytes, words and counter of its blocks.
    pub framing: &'t Framing,
    /// How many orders of each region's instructions are tried: 0 is quick, thousands take seconds.
    pub effort: usize,
}

/// A thread as text, with its measures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// One section: code, tables, then the memory that the thread works in, all of it in RAM.
    pub text: String,
    /// Bytes of code.
    pub code: usize,
    /// Bytes of constants.
    pub constants: usize,
    /// Bytes of memory that the thread works in.
    pub memory: usize,
    /// Clocks of XGATE for one block, if it waits for no memory; a bus cycle has two.
    pub clocks: usize,
}

/// Words of the frame from here on are temporary: their numbers are known last.
const TEMPORARY: Slot = 1 << 16;

/// Temporary words that an order of instructions may have more than the one before.
const MORE: usize = 8192;

/// How often instructions and words of the frame are moved in turn.
const PASSES: usize = 2;

/// Code that runs so many times for a block: an iteration of a region with what surrounds it.
struct Piece {
    times: usize,
    before: Vec<Code>,
    region: Option<usize>,
    after: Vec<Code>,
}

struct Writer<'w> {
    thread: Thread<'w>,
    places: Places<'w>,
    memory: Memory,
    count: Slot,
    /// The number of iterations that are left.
    turns: Slot,
    pieces: Vec<Piece>,
    regions: Vec<Region>,
    tables: Vec<(String, Vec<Vec<Cell>>)>,
}

impl Thread<'_> {
    /// Writes the thread of a program of one processor.
    ///
    /// # Errors
    /// What has no code: the node or region, and the remedy.
    pub fn write(&self, program: &Program) -> Result<Written, backend::Error> {
        Ok(self.written(program)?)
    }

    fn written(&self, program: &Program) -> Result<Written, Error> {
        let name = &program.rolled.name;
        if program.processors != 1 {
            let problem = format!("{} processors share it", program.processors);
            return Err(Error::new(name, problem, "give the program of one processor"));
        }
        let mut places = Places::of(program).map_err(|region| {
            let problem = "its first iterations take values that contradict each other";
            Error::new(format!("{name}, region {region}"), problem, "write more rounds out")
        })?;
        let [job, block, count, turns] = [(); 4].map(|()| places.new_slots(1));
        let memory = Memory {
            word_bytes: self.framing.word_bits as usize / 8,
            order: self.framing.order,
            block,
            job,
            substitution: format!("{}_xgate_sbox", self.prefix),
            effort: self.effort,
        };
        let mut writer = Writer {
            thread: *self,
            places,
            memory,
            count,
            turns,
            pieces: Vec::new(),
            regions: Vec::new(),
            tables: Vec::new(),
        };
        writer.begin();
        let mut slots: Vec<Slot> = Vec::new();
        for r in 0..program.rolled.regions.len() {
            let made = region(&mut writer.places, &writer.memory, r, &mut slots, TEMPORARY)?;
            writer.region(r, made);
        }
        writer.end();
        Ok(writer.finish())
    }

    fn label(&self, what: &str) -> String {
        format!("{}_xgate_{what}", self.prefix)
    }
}

/// A place that a value is moved to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum To {
    /// In the frame, and by bit the limbs whose complement is wanted.
    Frame(Slot, u8),
    Work(usize),
}

fn load(register: Register, slot: Slot) -> Code {
    Code::Frame { stores: false, register, slot, carry: false }
}

fn store(register: Register, slot: Slot) -> Code {
    Code::Frame { stores: true, register, slot, carry: false }
}

fn number_into(register: Register, value: u16) -> Code {
    match value {
        0..256 => Code::Number("ldl", register, value),
        _ => Code::Wide(register, value.to_string()),
    }
}

/// Adds a number to a register.
fn increase(register: Register, by: usize) -> Vec<Code> {
    let mut code = Vec::new();
    if by & 0xff != 0 || by == 0 {
        code.push(Code::Number("addl", register, (by & 0xff) as u16));
    }
    if by >> 8 != 0 {
        code.push(Code::Number("addh", register, (by >> 8) as u16));
    }
    code
}

impl<'w> Writer<'w> {
    fn piece(&mut self, times: usize, code: Vec<Code>) {
        self.pieces.push(Piece { times, before: code, region: None, after: Vec::new() });
    }

    /// All the code of a piece, with the words of the frame not yet placed.
    fn code(&self, piece: &Piece) -> Vec<Code> {
        let mut code = piece.before.clone();
        code.extend(piece.region.into_iter().flat_map(|region| self.regions[region].code().0));
        code.extend(piece.after.iter().cloned());
        code
    }

    /// The limbs of the chaining value as they follow each other in memory, with their words of the
    /// frame.
    fn chaining(&self) -> Vec<Slot> {
        let mut words: Vec<(usize, Slot)> = Vec::new();
        for &(input, slot) in &self.places.chaining {
            let rolled = &self.places.program.rolled;
            let input = &rolled.inputs[input as usize];
            let (word, first) = number(&input.name);
            let width = rolled.definition(input.value).width;
            let bytes = self.memory.word_bytes;
            words.extend(
                (0..limbs(width)).map(|i| (word * bytes + bytes - 2 - 2 * (first + i), slot + i)),
            );
        }
        words.sort_unstable();
        words.into_iter().map(|(_, slot)| slot).collect()
    }

    /// Copies the chaining value to or from memory behind R2.
    fn copy_chaining(&self, code: &mut Vec<Code>, stores: bool) {
        for (i, slot) in self.chaining().into_iter().enumerate() {
            if i > 0 && i % 16 == 0 {
                code.push(Code::Number("addl", 2, 32));
            }
            let offset = 2 * (i % 16) as u16;
            if stores {
                code.push(load(3, slot));
                code.push(Code::Offset("stw", 3, 2, offset));
            } else {
                code.push(Code::Offset("ldw", 3, 2, offset));
                code.push(store(3, slot));
            }
        }
    }

    fn begin(&mut self) {
        let mut code = vec![
            Code::Label(self.thread.label("compress")),
            Code::Wide(BASE, self.thread.label("frame")),
            store(1, self.memory.job),
            Code::Offset("ldw", 2, 1, 2),
        ];
        self.copy_chaining(&mut code, false);
        code.extend([
            load(1, self.memory.job),
            Code::Offset("ldw", 2, 1, 4),
            store(2, self.memory.block),
            Code::Offset("ldw", 2, 1, 6),
            store(2, self.count),
            Code::JumpUnlessZero(2, self.thread.label("block")),
            Code::Number("ldl", 2, 1),
            Code::JumpUnlessZero(2, self.thread.label("done")),
            Code::Label(self.thread.label("block")),
        ]);
        self.piece(0, code);
    }

    fn region(&mut self, r: usize, made: Region) {
        let times = self.places.program.rolled.regions[r].times;
        self.before(r);
        let mut code = Vec::new();
        self.set_pointers(&mut code, r, &made.pointers);
        if times == 1 {
            self.pieces.push(Piece { times, before: code, region: Some(r), after: Vec::new() });
            self.regions.push(made);
            return;
        }
        code.push(number_into(1, times as u16));
        code.push(store(1, self.turns));
        self.piece(1, code);
        let label = self.thread.label(&format!("rounds{r}"));
        let before = vec![Code::Label(label.clone())];
        let mut code = Vec::new();
        let row = made.table.first().map_or(0, |row| 2 * row.len());
        for &Pointer { stride, slot, target } in &made.pointers {
            let stride = if target == Target::Table { row } else { stride };
            if stride > 0 {
                code.push(load(1, slot));
                code.extend(increase(1, stride));
                code.push(store(1, slot));
            }
        }
        code.extend([
            load(1, self.turns),
            Code::Number("subl", 1, 1),
            store(1, self.turns),
            Code::JumpUnlessZero(1, label),
        ]);
        self.pieces.push(Piece { times, before, region: Some(r), after: code });
        if !made.table.is_empty() {
            self.tables.push((self.thread.label(&format!("table{r}")), made.table.clone()));
        }
        self.regions.push(made);
    }

    fn set_pointers(&self, code: &mut Vec<Code>, r: usize, pointers: &[Pointer]) {
        for &Pointer { target, slot, .. } in pointers {
            code.push(match target {
                Target::Table => Code::Wide(1, self.thread.label(&format!("table{r}"))),
                Target::Work(at) => Code::Wide(1, format!("{}+{at}", self.thread.label("work"))),
                Target::Block => load(1, self.memory.block),
            });
            code.push(store(1, slot));
        }
    }

    /// What is to be moved before a region's first iteration.
    fn before(&mut self, r: usize) {
        let program = self.places.program;
        let mut moves: Vec<(At, To, usize)> = Vec::new();
        for &(known, at) in self.places.copies.get(&r).into_iter().flatten() {
            let value = self.places.at(known);
            let width = match known {
                manylane_plan::program::reads::Known::Constant(_, width) => width,
                manylane_plan::program::reads::Known::Input(i) => {
                    program.rolled.definition(program.rolled.inputs[i as usize].value).width
                }
                manylane_plan::program::reads::Known::Result((region, node, _)) => {
                    program.rolled.regions[region].body.width(node)
                }
            };
            moves.push((value, To::Work(at), limbs(width)));
        }
        for source in &program.rolled.regions[r].sources {
            let Source::Earlier { output, distance, first } = source else { continue };
            let count = limbs(program.rolled.definition(first[0]).width);
            for (i, &value) in first.iter().enumerate() {
                let value = self.places.at(program.known(value));
                let to = match self.places.homes[r][*output] {
                    Home::Frame(slot) => To::Frame(slot, self.places.complements[r][*output]),
                    Home::Row(at) => To::Work(self.places.row(r, i as i64 - *distance as i64) + at),
                };
                if !moves.iter().any(|&(_, known, _)| known == to) {
                    moves.push((value, to, count));
                }
            }
        }
        let code = self.moves(moves);
        self.piece(1, code);
    }

    /// The code of moves that all happen at once.
    fn moves(&mut self, moves: Vec<(At, To, usize)>) -> Vec<Code> {
        let mut code = Vec::new();
        let mut pointers = Pointers::default();
        let each = |moves: &[(At, To, usize)], pick: fn(&(At, To, usize)) -> bool| {
            let picked: Vec<_> = moves.iter().copied().filter(pick).collect();
            picked
        };
        for (value, to, count) in each(&moves, |of| matches!(of.1, To::Work(_))) {
            for limb in 0..count {
                self.fetch(&mut code, &mut pointers, value, limb);
                let To::Work(at) = to else { continue };
                let offset =
                    pointers.reach(&mut code, 5, &self.thread.label("work"), at + 2 * limb);
                code.push(Code::Offset("stw", 1, 5, offset));
            }
        }
        // Words of the frame: a word is overwritten once it is moved itself; a circle is broken by a
        // temporary word.
        let mut words: Vec<(Slot, Slot, bool)> = Vec::new();
        for (value, to, count) in each(&moves, |of| matches!(of.1, To::Frame(..))) {
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
                    move_word(&mut code, from, TEMPORARY, false);
                    for word in words.iter_mut().filter(|word| word.0 == from) {
                        word.0 = TEMPORARY;
                    }
                }
            }
        }
        for (value, to, count) in
            each(&moves, |of| matches!(of.1, To::Frame(..)) && !matches!(of.0, At::Frame(..)))
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
                let offset = pointers.reach(code, 4, &self.thread.label("work"), at + 2 * limb);
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

    /// The end of a block, and of the thread.
    fn end(&mut self) {
        let program = self.places.program;
        let mut moves = Vec::new();
        for (name, value) in &program.rolled.outputs {
            let input = program
                .rolled
                .inputs
                .iter()
                .position(|input| input.role == Role::Chaining && input.name == *name);
            let slot = self.places.chaining.iter().find(|&&(i, _)| Some(i as usize) == input);
            let to = To::Frame(slot.expect("every output is a word of the chaining value").1, 0);
            let width = program.rolled.definition(*value).width;
            moves.push((self.places.at(program.known(*value)), to, limbs(width)));
        }
        let code = self.moves(moves);
        self.piece(1, code);
        let mut code = Vec::new();
        if let Some(counter) = self.thread.framing.counter {
            let block = self.thread.framing.block_bytes as u128;
            let units = match counter.unit {
                Unit::Bits => 8 * block,
                Unit::Bytes => block,
                Unit::Blocks => 1,
            };
            code.push(load(1, self.memory.job));
            let per_word = self.memory.word_bytes / 2;
            for i in 0..2 * per_word {
                let offset = self.memory.in_job(i / per_word, i % per_word) as u16;
                let limb = |of: u128| (of >> (16 * i)) as u16;
                code.push(Code::Offset("ldw", 2, 1, offset));
                code.push(number_into(3, limb(units)));
                let add = if i == 0 { "add" } else { "adc" };
                code.push(Code::Registers(add, [2, 2, 3]));
                if limb(counter.first) != 0 {
                    code.push(number_into(3, !limb(counter.first)));
                    code.push(Code::Registers("and", [2, 2, 3]));
                }
                code.push(Code::Offset("stw", 2, 1, offset));
            }
        }
        code.push(load(1, self.memory.block));
        code.extend(increase(1, self.thread.framing.block_bytes));
        code.extend([
            store(1, self.memory.block),
            load(1, self.count),
            Code::Number("subl", 1, 1),
            store(1, self.count),
            Code::JumpUnlessZero(1, self.thread.label("block")),
        ]);
        self.piece(1, code);
        let mut code = vec![
            Code::Label(self.thread.label("done")),
            load(1, self.memory.job),
            Code::Offset("ldw", 2, 1, 2),
        ];
        self.copy_chaining(&mut code, true);
        code.extend([
            load(1, self.memory.job),
            Code::Number("ldl", 2, 2),
            Code::Offset("stw", 2, 1, 0),
            Code::End,
        ]);
        self.piece(0, code);
    }

    /// Byte offsets in the frame of all its words that are used, so that they are reached in few
    /// clocks: in the order of their frequency or of their first use, then words are exchanged at random.
    ///
    /// `before` is a layout of most of the words, to begin with.
    fn layout(&self, before: Option<&[usize]>) -> Vec<usize> {
        let mut slots: Vec<(Slot, usize)> = Vec::new();
        let mut runs: Vec<(usize, Vec<Access>)> = Vec::new();
        let mut pieces: Vec<&Piece> = self.pieces.iter().collect();
        pieces.sort_by_key(|piece| std::cmp::Reverse(piece.times));
        for piece in pieces {
            for run in accesses(&self.code(piece)) {
                for &(_, slot, _) in &run {
                    match slots.iter_mut().find(|(known, _)| *known == slot) {
                        Some((_, count)) => *count += piece.times,
                        None => slots.push((slot, piece.times)),
                    }
                }
                runs.push((piece.times, run));
            }
        }
        let last = slots.iter().map(|&(slot, _)| slot).max().unwrap_or(0);
        let mut at = vec![0; last.max(TEMPORARY) + MORE];
        let place = |at: &mut [usize], slots: &[(Slot, usize)]| {
            for (i, &(slot, _)) in slots.iter().enumerate() {
                at[slot] = 2 * i;
            }
            // Temporary words that only other orders of instructions have.
            for (i, at) in at[last.max(TEMPORARY) + 1..].iter_mut().enumerate() {
                *at = 2 * (slots.len() + i);
            }
        };
        // What runs only once for a message does not count.
        runs.retain(|&(times, _)| times > 0);
        let (mut costs, mut next) = (Vec::new(), Vec::new());
        let mut total = |at: &[usize]| -> u64 {
            let each = runs.iter().map(|(times, run)| {
                *times as u64 * u64::from(clocks(run, at, &mut costs, &mut next))
            });
            each.sum()
        };
        place(&mut at, &slots);
        let by_use = total(&at);
        let mut frequent = slots.clone();
        frequent.sort_by_key(|&(slot, count)| (std::cmp::Reverse(count), slot));
        place(&mut at, &frequent);
        let mut least = total(&at);
        if by_use < least {
            place(&mut at, &slots);
            least = by_use;
        } else {
            slots = frequent;
        }
        if let Some(before) = before {
            let mut kept = slots.clone();
            kept.sort_by_key(|&(slot, _)| before.get(slot).copied().unwrap_or(usize::MAX));
            place(&mut at, &kept);
            let of_kept = total(&at);
            if of_kept < least {
                (slots, least) = (kept, of_kept);
            }
        }
        place(&mut at, &slots);
        if slots.len() <= 16 {
            return at;
        }
        let mut random = Random(0x0dd0_5eed_000f_1a70);
        for _ in 0..3 * self.thread.effort {
            let (a, b) = (random.below(slots.len()), random.below(slots.len()));
            // Mostly two words change places; now and then one moves and those between make room.
            let moves = random.below(3) == 0;
            let change = |slots: &mut [(Slot, usize)], back: bool| {
                if !moves {
                    slots.swap(a, b);
                } else if (a < b) != back {
                    slots[a.min(b)..=a.max(b)].rotate_left(1);
                } else {
                    slots[a.min(b)..=a.max(b)].rotate_right(1);
                }
            };
            change(&mut slots, false);
            place(&mut at, &slots);
            let now = total(&at);
            if now <= least {
                least = now;
            } else {
                change(&mut slots, true);
            }
        }
        place(&mut at, &slots);
        at
    }

    fn finish(mut self) -> Written {
        let mut at = self.layout(None);
        for _ in 0..if self.thread.effort > 0 { PASSES } else { 0 } {
            for region in &mut self.regions {
                region.improve(&at, self.thread.effort / (2 * PASSES));
            }
            at = self.layout(Some(&at));
        }
        let frame = self.thread.label("frame");
        let mut text = String::new();
        let (mut code_bytes, mut clocks) = (0, 0);
        let mut uses_table = false;
        let mut frame_bytes = 0;
        for piece in &self.pieces {
            let (times, code) = (piece.times, self.code(piece));
            let slots = code.iter().filter_map(|line| match line {
                Code::Frame { slot, .. } => Some(at[*slot] + 2),
                _ => None,
            });
            frame_bytes = slots.max().unwrap_or(0).max(frame_bytes);
            for line in placed(code, &at, &frame) {
                code_bytes += 2 * line.words();
                clocks += times * line.clocks();
                uses_table |= matches!(&line, Code::Wide(_, of) if *of == self.memory.substitution);
                let _ = write!(text, "{line}");
            }
        }
        let mut constants = 0;
        let work = self.thread.label("work");
        for (label, rows) in &self.tables {
            let _ = writeln!(text, "{label}:");
            for row in rows {
                let cells = row.iter().map(|cell| match cell {
                    Cell::Number(number) => format!("0x{number:04x}"),
                    Cell::Work(at) => format!("{work}+{at}"),
                });
                let cells: Vec<String> = cells.collect();
                constants += 2 * cells.len();
                for line in cells.chunks(8) {
                    let _ = writeln!(text, "\t.word {}", line.join(","));
                }
            }
        }
        if uses_table {
            let _ = writeln!(text, "{}:", self.memory.substitution);
            for line in 0..16_u64 {
                let byte =
                    |i: u64| format!("0x{:02x}", evaluate(Op::SubBytes, 8, &[16 * line + i]));
                let bytes: Vec<String> = (0..16).map(byte).collect();
                let _ = writeln!(text, "\t.byte {}", bytes.join(","));
            }
            constants += 256;
        }
        let _ = writeln!(text, "{frame}:\n\t.space {frame_bytes}");
        let _ = writeln!(text, "{work}:\n\t.space {}", self.places.work);
        let memory = frame_bytes + self.places.work;
        Written { text, code: code_bytes, constants, memory, clocks }
    }
}

/// What registers R2 to R5 point to while values are moved.
#[derive(Default)]
struct Pointers {
    has_block: bool,
    has_job: bool,
    /// By register, the byte of the work area that it points to.
    work: BTreeMap<Register, usize>,
}

impl Pointers {
    /// Points a register near a byte of the work area; the offset to it.
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
