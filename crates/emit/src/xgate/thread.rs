//! The thread around the regions: job, blocks, counter, and the whole text.

mod chaining;
mod columned;
mod constants;
mod counter;
mod loops;
mod written;

use super::ahead::{Ahead, Ring, SharedBlocks};
use super::code::{Code, increase, load, number_into, shorten, store, tighten};
use super::error::Error;
use super::frame::{BASE, Slot, placed};
use super::layout::layout;
use super::memory::{Lean, Memory};
use super::moves::{Moves, To};
use super::places::{Home, Location, Places, limbs};
use super::quarters::{self, Walk};
use super::region::{Region, TableCell, region};
use super::webs::separate;
use crate::backend;
use crate::labels;
use manylane_graph::Role;
use manylane_graph::framing::{ByteOrder, Framing};
use manylane_graph::roll::Source;
use manylane_plan::program::Program;
use manylane_plan::program::reads::Known;
use std::fmt::Write;
pub use written::{TableText, Written};

/// The description of a thread.
#[derive(Clone, Copy, Debug)]
pub struct Thread<'t> {
    /// The prefix of its labels.
    pub prefix: &'t str,
    /// The format of its blocks: bytes, words and counter.
    pub framing: &'t Framing,
    /// The objects that a job has several of.
    pub walks: Walks,
    /// How many orders of each region's instructions are tried. 0 is quick; thousands take seconds.
    pub effort: usize,
    /// Its relation to words that the CPU computes ahead.
    pub ahead: Ahead<'t>,
    /// Whether it is to be small: loops end at a pointer instead of counting, and pointers stay
    /// from loop to loop.
    pub is_lean: bool,
}

/// The objects that a job has several of, one behind the other in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walks {
    /// Blocks, which are compressed into one chaining value.
    Blocks,
    /// Chaining values, each of which is compressed with the same block.
    ChainingValues,
    /// One block and one chaining value, in a job that is done when its flag is 0. The number of
    /// objects is not read.
    One {
        /// Whether the chaining value is large, so that it may stay in the work area.
        is_large: bool,
    },
}

/// The number of the first spill slot, a temporary word of the frame. How many there are is known
/// last.
const FIRST_SPILL: Slot = 1 << 16;

/// The end of a thread: the flag of the job at R1 becomes 2.
const FINISHED: [Code; 3] = [Code::Number("ldl", 2, 2), Code::Offset("stw", 2, 1, 0), Code::End];

/// The end of a thread of one object: the flag of the job at R1 becomes 0.
const FINISHED_ONE: [Code; 2] = [Code::Offset("stw", 0, 1, 0), Code::End];

/// The number of passes of the search: each moves instructions, then words of the frame.
const PASSES: usize = 2;

/// Code that runs `times` times for a block: the iteration of a region with the code around it.
struct Piece {
    times: usize,
    /// A label in front of it to which nothing jumps, which tells what it computes.
    what: Option<String>,
    before: Vec<Code>,
    region: Option<usize>,
    after: Vec<Code>,
}

/// The conversion of words to [`quarters`].
struct QuarterConversion {
    walk: Walk,
    /// The address of the block's quarters.
    parted: Slot,
    /// The byte offset in the work area of the block's quarters, and of those of the chaining
    /// value.
    at: usize,
}

struct Writer<'w> {
    thread: Thread<'w>,
    places: Places<'w>,
    memory: Memory,
    /// The address of the block.
    block: Slot,
    count: Slot,
    /// The number of iterations that are left.
    iterations_left: Slot,
    /// The address of the chaining value.
    chain: Slot,
    conversion: Option<QuarterConversion>,
    /// The byte offset of the first output in the work area and the distance of the others, if the
    /// outputs are stored from there.
    outputs_in_work: Option<(usize, usize)>,
    /// For each region the name of its steps.
    names: Vec<Option<String>>,
    pieces: Vec<Piece>,
    regions: Vec<Region>,
    tables: Vec<(String, Vec<Vec<TableCell>>)>,
    /// Tables behind the others, which the table pointer of a lean thread does not walk through.
    other_tables: Vec<(String, Vec<Vec<TableCell>>)>,
    /// Code behind the end of the thread.
    subroutines: Vec<Piece>,
    /// Whether the pointer of a lean thread is at its tables.
    has_table: bool,
}

impl Thread<'_> {
    /// Writes the thread of a program of one processor.
    ///
    /// # Errors
    /// If a node or region has no code; the error names it, and the remedy.
    pub fn write(&self, program: &Program) -> Result<Written, backend::Error> {
        Ok(self.written(program, false)?)
    }

    /// Writes the thread of a program of one processor in the fewest bytes: code that a loop would
    /// have for each of several groups of limbs is written once.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn write_in_columns(&self, program: &Program) -> Result<Written, backend::Error> {
        Ok(self.written(program, true)?)
    }

    fn written(&self, program: &Program, in_columns: bool) -> Result<Written, Error> {
        let name = &program.rolled.name;
        if program.processors != 1 {
            let problem = format!("{} processors share it", program.processors);
            return Err(Error::new(name, problem, "give the program of one processor"));
        }
        let is_quartered = program.rolled.is_quartered();
        if program.rolled.is_interleaved() && !is_quartered {
            let problem = "its words are their bits at even and at odd places";
            return Err(Error::new(name, problem, "plan it with whole words"));
        }
        let is_plain = self.framing.counter.is_none()
            && self.walks == Walks::Blocks
            && !matches!(self.ahead, Ahead::Words(_));
        if is_quartered && !is_plain {
            let problem = "its words are four of their bits at every fourth place, and it takes \
                           more than blocks";
            return Err(Error::new(name, problem, "plan it with whole words"));
        }
        let is_chaining = |name: &String| {
            let mut inputs = program.rolled.inputs.iter();
            inputs.any(|input| input.role == Role::Chaining && input.name == *name)
        };
        if let Some((output, _)) = program.rolled.outputs.iter().find(|(of, _)| !is_chaining(of)) {
            let problem = format!("its output {output} is no word of the chaining value");
            return Err(Error::new(name, problem, "name the words that it changes alike"));
        }
        let may_keep = matches!(self.walks, Walks::Blocks | Walks::One { is_large: true });
        let in_rows = matches!(self.walks, Walks::One { .. });
        let mut places =
            Places::of(program, !is_quartered && may_keep, in_rows).map_err(|region| {
                let problem = "its first iterations take values that contradict each other";
                Error::new(format!("{name}, region {region}"), problem, "write more rounds out")
            })?;
        let [job, block, count, iterations_left, chain] = [(); 5].map(|()| places.new_slots(1));
        let conversion = is_quartered.then(|| {
            let [from, to, left, parted] = [(); 4].map(|()| places.new_slots(1));
            let words = self.framing.initial.len().max(self.framing.block_bytes / quarters::BYTES);
            let at = places.new_work(words * quarters::BYTES);
            QuarterConversion { walk: Walk { from, to, left }, parted, at }
        });
        let lean = self.is_lean && !is_quartered && may_keep;
        let takes_words = matches!(self.ahead, Ahead::Words(_));
        let memory = Memory {
            word_bytes: self.framing.word_bits as usize / 8,
            order: if is_quartered || takes_words { ByteOrder::Big } else { self.framing.order },
            block: conversion.as_ref().map_or(block, |of| of.parted),
            job,
            substitution: format!("{}_xgate_sbox", self.prefix),
            effort: self.effort,
            is_small: self.is_lean && self.walks != Walks::Blocks,
            lean: lean.then(|| Lean {
                table: places.new_slots(1),
                halves: [(); 2].map(|()| places.new_slots(1)),
                half_bytes: self.framing.block_bytes / 2,
                has_starts: takes_words,
            }),
        };
        let mut writer = Writer {
            thread: *self,
            places,
            memory,
            block,
            count,
            iterations_left,
            chain,
            conversion,
            outputs_in_work: None,
            names: labels::of_regions(&program.rolled),
            pieces: Vec::new(),
            regions: Vec::new(),
            tables: Vec::new(),
            other_tables: Vec::new(),
            subroutines: Vec::new(),
            has_table: false,
        };
        writer.begin();
        let mut slots: Vec<Slot> = Vec::new();
        for r in 0..program.rolled.regions.len() {
            if in_columns && writer.columns(r) {
                continue;
            }
            let made = region(&mut writer.places, &writer.memory, r, &mut slots, FIRST_SPILL)?;
            writer.region(r, made);
        }
        writer.set_halves();
        writer.end();
        let subroutines = std::mem::take(&mut writer.subroutines);
        writer.pieces.extend(subroutines);
        Ok(writer.finish())
    }

    fn label(&self, what: &str) -> String {
        format!("{}_xgate_{what}", self.prefix)
    }
}

impl<'w> Writer<'w> {
    fn ring(&self) -> Option<Ring> {
        matches!(self.thread.ahead, Ahead::Words(_)).then(|| Ring::of(self.thread.framing))
    }

    fn every(&self) -> Option<(usize, &str)> {
        match self.thread.ahead {
            Ahead::Words(SharedBlocks::Every(every, prefix)) => Some((every, prefix)),
            _ => None,
        }
    }

    fn piece(&mut self, times: usize, code: Vec<Code>) {
        self.pieces.push(Piece {
            times,
            what: None,
            before: code,
            region: None,
            after: Vec::new(),
        });
    }

    /// All the code of a piece, with the words of the frame not yet placed.
    fn code(&self, piece: &Piece) -> Vec<Code> {
        let mut code = piece.before.clone();
        code.extend(piece.region.into_iter().flat_map(|region| self.regions[region].code().0));
        code.extend(piece.after.iter().cloned());
        code
    }

    /// Pairs of how often each piece runs for a block, and its code.
    fn all_code(&self) -> Vec<(usize, Vec<Code>)> {
        self.pieces.iter().map(|piece| (piece.times, self.code(piece))).collect()
    }

    fn begin(&mut self) {
        let mut code = vec![
            Code::Label(self.thread.label("compress")),
            Code::Wide(BASE, self.thread.label("frame")),
            store(1, self.memory.job),
        ];
        match self.thread.walks {
            Walks::Blocks | Walks::One { .. } => self.chaining_value(&mut code, false),
            Walks::ChainingValues => {
                code.push(Code::Offset("ldw", 2, 1, 2));
                code.push(store(2, self.chain));
            }
        }
        code.extend([
            load(1, self.memory.job),
            Code::Offset("ldw", 2, 1, self.ring().map_or(4, Ring::next) as u16),
            store(2, self.block),
        ]);
        if let Walks::One { .. } = self.thread.walks {
            return self.piece(1, code);
        }
        code.extend(match self.ring() {
            None => vec![Code::Offset("ldw", 2, 1, 6)],
            Some(ring) => vec![
                Code::Offset("ldw", 2, 1, ring.filled() as u16),
                Code::Offset("ldw", 3, 1, ring.done() as u16),
                Code::Registers("sub", [2, 2, 3]),
            ],
        });
        code.extend([store(2, self.count), Code::JumpUnlessZero(2, self.thread.label("block"))]);
        match self.every() {
            // The words are late: the CPU starts XGATE again when it has filled them.
            Some(_) => {
                code.push(load(1, self.memory.job));
                code.extend(FINISHED);
            }
            None => code.extend([
                Code::Number("ldl", 2, 1),
                Code::JumpUnlessZero(2, self.thread.label("done")),
            ]),
        }
        code.push(Code::Label(self.thread.label("block")));
        self.piece(0, code);
        if self.thread.walks == Walks::ChainingValues {
            let mut code = Vec::new();
            self.chaining_value(&mut code, false);
            self.piece(1, code);
        }
        self.part_block();
    }

    /// Adds the moves before a region's first iteration.
    fn before(&mut self, r: usize) {
        let program = self.places.program;
        let mut moves: Vec<(Location, To, usize)> = Vec::new();
        for &(known, at) in self.places.copies.get(&r).into_iter().flatten() {
            let value = self.places.at(known);
            let width = match known {
                Known::Constant(_, width) => width,
                Known::Input(i) => {
                    program.rolled.definition(program.rolled.inputs[i as usize].value).width
                }
                Known::Result((region, node, _)) => program.rolled.regions[region].body.width(node),
            };
            moves.push((value, To::Work(at), limbs(width)));
        }
        for source in &program.rolled.regions[r].sources {
            let Source::Earlier { output, distance, first } = source else { continue };
            let count = limbs(program.rolled.definition(first[0]).width);
            for (i, &value) in first.iter().enumerate() {
                let value = self.places.at(program.known(value));
                let to = match self.places.earlier(r, *output, first) {
                    Home::Frame(slot) => To::Frame(slot, self.places.complements[r][*output]),
                    Home::Row(at) => To::Work(self.places.row(r, i as i64 - *distance as i64) + at),
                };
                let is_there =
                    matches!((value, to), (Location::Work(at), To::Work(to)) if at == to);
                if !is_there && !moves.iter().any(|&(_, known, _)| known == to) {
                    moves.push((value, to, count));
                }
            }
        }
        self.moved(&moves);
    }

    /// Adds code that moves values as if all moved at once.
    fn moved(&mut self, moves: &[(Location, To, usize)]) {
        let work = self.thread.label("work");
        let label = self.thread.label(&format!("moved{}", self.pieces.len()));
        let moves = Moves { memory: &self.memory, work: &work, temporary: FIRST_SPILL, label }
            .pieces(moves);
        for (times, code) in moves {
            self.piece(times, code);
        }
    }

    /// Adds the end of a block, and that of the thread.
    fn end(&mut self) {
        let program = self.places.program;
        let mut moves = Vec::new();
        for (name, value) in &program.rolled.outputs {
            let input = program
                .rolled
                .inputs
                .iter()
                .position(|input| input.role == Role::Chaining && input.name == *name);
            let is_it = |&&(i, _): &&(u32, usize)| Some(i as usize) == input;
            let to = match self.places.kept.iter().find(is_it) {
                Some(&(_, at)) => To::Work(at),
                None => {
                    let slot = self.places.chaining.iter().find(is_it);
                    To::Frame(slot.expect("every output is a word of the chaining value").1, 0)
                }
            };
            let width = program.rolled.definition(*value).width;
            moves.push((self.places.at(program.known(*value)), to, limbs(width)));
        }
        self.outputs_in_work = self.all_in_work(&moves);
        if self.outputs_in_work.is_none() {
            self.moved(&moves);
        }
        let mut code = Vec::new();
        if let Walks::One { .. } = self.thread.walks {
            self.chaining_value(&mut code, true);
            code.push(load(1, self.memory.job));
            code.extend(FINISHED_ONE);
            return self.piece(1, code);
        }
        self.next_counter(&mut code);
        match self.ring() {
            None => {
                match self.thread.walks {
                    Walks::Blocks => {
                        code.push(load(1, self.block));
                        code.extend(increase(1, self.thread.framing.block_bytes));
                        code.push(store(1, self.block));
                    }
                    Walks::ChainingValues => {
                        self.chaining_value(&mut code, true);
                        code.push(load(1, self.chain));
                        code.extend(increase(1, 2 * self.chaining().len()));
                        code.push(store(1, self.chain));
                    }
                    Walks::One { .. } => {}
                }
                code.extend([
                    load(1, self.count),
                    Code::Number("subl", 1, 1),
                    store(1, self.count),
                ]);
            }
            // The number of blocks that the CPU has filled is read last, so that the thread ends
            // only after all blocks that it could have seen.
            Some(ring) => code.extend([
                load(1, self.memory.job),
                load(2, self.block),
                Code::Offset("ldw", 3, 1, ring.sum() as u16),
                Code::Registers("sub", [2, 3, 2]),
                store(2, self.block),
                Code::Offset("stw", 2, 1, ring.next() as u16),
                Code::Offset("ldw", 3, 1, ring.done() as u16),
                Code::Number("addl", 3, 1),
                Code::Offset("stw", 3, 1, ring.done() as u16),
                Code::Offset("ldw", 2, 1, ring.filled() as u16),
                Code::Registers("sub", [1, 2, 3]),
            ]),
        }
        if self.every().is_none() {
            code.push(Code::JumpUnlessZero(1, self.thread.label("block")));
        }
        self.piece(1, code);
        let mut code = vec![Code::Label(self.thread.label("done"))];
        if self.thread.walks == Walks::Blocks {
            self.chaining_value(&mut code, true);
        }
        code.push(load(1, self.memory.job));
        let ring = Ring::of(self.thread.framing);
        if let Ahead::Before(prefix) = self.thread.ahead {
            code.extend([
                load(2, self.block),
                Code::Offset("stw", 2, 1, 4),
                Code::Offset("ldw", 2, 1, ring.filled() as u16),
                Code::Offset("ldw", 3, 1, ring.done() as u16),
                Code::Registers("sub", [2, 2, 3]),
                Code::JumpUnlessZero(2, format!("{prefix}_xgate_compress")),
            ]);
        }
        if let Some((every, prefix)) = self.every() {
            let again = ring.again() as u16;
            code.push(Code::Offset("ldw", 2, 1, again));
            code.push(Code::JumpUnlessZero(2, self.thread.label("again")));
            code.extend(FINISHED);
            code.extend([
                Code::Label(self.thread.label("again")),
                Code::Offset("ldw", 2, 1, again),
                Code::Number("subl", 2, 1),
                Code::Offset("stw", 2, 1, again),
                number_into(2, every as u16 - 1),
                Code::Offset("stw", 2, 1, 6),
                Code::Offset("ldw", 2, 1, 4),
            ]);
            code.extend(increase(2, self.thread.framing.block_bytes));
            code.extend([
                Code::Offset("stw", 2, 1, 4),
                Code::Number("ldl", 2, 1),
                Code::JumpUnlessZero(2, format!("{prefix}_xgate_compress")),
            ]);
        } else {
            if self.ring().is_some() {
                // The CPU may have filled a block while the chaining value was stored. It has seen
                // that this thread runs, and looks again only when it has filled the next block.
                code.extend([
                    Code::Offset("ldw", 2, 1, ring.filled() as u16),
                    Code::Offset("ldw", 3, 1, ring.done() as u16),
                    Code::Registers("sub", [2, 2, 3]),
                    Code::JumpUnlessZero(2, self.thread.label("compress")),
                ]);
            }
            code.extend(FINISHED);
        }
        self.piece(0, code);
    }

    fn finish(mut self) -> Written {
        let moves = 3 * self.thread.effort;
        let mut at = layout(&self.all_code(), FIRST_SPILL, None, moves);
        for _ in 0..if self.thread.effort > 0 { PASSES } else { 0 } {
            for region in &mut self.regions {
                region.improve(&at, self.thread.effort / (2 * PASSES));
            }
            at = layout(&self.all_code(), FIRST_SPILL, Some(&at), moves);
        }
        let mut pieces = self.all_code();
        let at = separate(&mut pieces, FIRST_SPILL, &at, self.thread.effort);
        let frame = self.thread.label("frame");
        let mut text = String::new();
        let (mut code_bytes, mut clocks) = (0, 0);
        let mut uses_table = false;
        let mut frame_bytes = 0;
        for (_, code) in &pieces {
            let slots = code.iter().filter_map(|line| match line {
                Code::Frame { slot, .. } => Some(at[*slot] + 2),
                _ => None,
            });
            frame_bytes = slots.max().unwrap_or(0).max(frame_bytes);
        }
        let mut placed: Vec<(usize, Vec<Code>)> =
            pieces.into_iter().map(|(times, code)| (times, placed(code, &at, &frame))).collect();
        shorten(&mut placed);
        if self.memory.is_small {
            tighten(&mut placed);
        }
        for (piece, (times, code)) in self.pieces.iter().zip(placed) {
            text.extend(piece.what.iter().map(|label| format!("{label}:\n")));
            for line in code {
                code_bytes += 2 * line.words();
                clocks += times * line.clocks();
                uses_table |= matches!(&line, Code::Wide(_, of) if *of == self.memory.substitution);
                let _ = write!(text, "{line}");
            }
        }
        let (tables, constants) = self.constants(uses_table);
        text += &tables;
        let mut space = String::new();
        let work = self.thread.label("work");
        for (label, bytes) in [(&frame, frame_bytes), (&work, self.places.work)] {
            let _ = writeln!(space, "{label}:");
            // GNU as warns of a space of no bytes.
            if bytes > 0 {
                let _ = writeln!(space, "\t.space {bytes}");
            }
        }
        let memory = frame_bytes + self.places.work;
        let mut tables: Vec<TableText> = Vec::new();
        for rows in self.regions.iter().flat_map(|region| &region.lookups).map(TableText::of) {
            if !tables.contains(&rows) {
                tables.push(rows);
            }
        }
        let is_by_step = self.regions.iter().any(Region::is_by_step);
        let (code, is_lean) = (code_bytes, self.thread.is_lean);
        let has_one = matches!(self.thread.walks, Walks::One { .. });
        Written {
            text,
            tables,
            space,
            code,
            constants,
            memory,
            clocks,
            is_by_step,
            is_lean,
            has_one,
        }
    }
}
