//! The code of a region: its inputs, one iteration, its outputs.

mod pointers;

use super::allocate::{BASE_MOVE, Body, COUNT, Facts, Place, RECENT, RECENT_ACCESS, allocate};
use super::code::Code;
use super::error::Error;
use super::frame::{Slot, accesses, clocks};
use super::limb::{Chained, Id, Limbs, Op};
use super::lookup::{Lookups, Table};
use super::lower::lower;
use super::memory::Memory;
use super::places::{Home, Location, Places, even_stride, limbs};
use super::schedule::Schedule;
use super::select::select;
use manylane_graph::roll::{self, Source, Value};
use manylane_plan::program::reads::Known;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The target of a region's pointer in its first iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The first row of the region's table.
    Table,
    /// A byte offset in the work area.
    Work(usize),
    /// A byte offset in the block.
    Block(usize),
}

/// A pointer that moves on with each iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// Its target in the first iteration.
    pub target: Target,
    /// How many bytes it moves in each iteration; back if negative.
    pub stride: isize,
    /// The word of the frame that holds the pointer.
    pub slot: Slot,
}

/// An entry of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableCell {
    /// A number.
    Number(u16),
    /// The address of a byte of the work area.
    Work(usize),
}

/// A region whose instructions are known.
pub struct Region {
    body: Body,
    schedule: Schedule,
    /// Pointers that are to be set before the first iteration.
    pub pointers: Vec<Pointer>,
    /// The pointers to the halves of the block, if it uses them.
    pub halves: Option<[Slot; 2]>,
    /// The rows of the table, one for each iteration.
    pub table: Vec<Vec<TableCell>>,
    /// The tables in which bytes are looked up.
    pub lookups: Vec<Table>,
}

impl Region {
    /// The code of one iteration, and the number of words of the frame for spilled words.
    pub fn code(&self) -> (Vec<Code>, usize) {
        allocate(&self.body, &self.schedule.insts())
    }

    /// How many bytes a pointer moves in each iteration.
    pub fn stride(&self, of: &Pointer) -> isize {
        match of.target {
            Target::Table => self.table.first().map_or(0, |row| 2 * row.len() as isize),
            Target::Work(_) | Target::Block(_) => of.stride,
        }
    }

    /// Whether the search for an order began with one of whole steps.
    pub fn is_by_step(&self) -> bool {
        self.schedule.is_by_step
    }

    /// Tries orders of instructions with the words of the frame at the byte offsets `at`. Temporary
    /// words that have no offset yet follow all others.
    pub fn improve(&mut self, at: &[usize], moves: usize) {
        let body = &self.body;
        self.schedule.improve(moves, |order| {
            let (code, temporaries) = allocate(body, order);
            let others = code.iter().filter(|line| !matches!(line, Code::Frame { .. }));
            let others: usize = others.map(Code::clocks).sum();
            let frame: u32 = accesses(&code).iter().map(|run| clocks(run, at)).sum();
            10 * (others + frame as usize) + 2 * temporaries
        });
    }
}

/// The number of moves of clusters for each order that is tried is the number of the body's
/// instructions plus `MORE`, divided by `SLOW`. Long bodies need more moves; in short bodies a move
/// is counted in less time.
const SLOW: usize = 4;
const MORE: usize = 1500;

/// The number of moves of clusters of a body with this many instructions.
pub fn moves(effort: usize, instructions: usize) -> usize {
    effort * (instructions + MORE) / SLOW
}

/// The largest number of words at even distances for which a table of addresses has columns: a
/// pointer of their own takes a few clocks in each iteration, a column some for each word.
const FEW: usize = 2;

struct Inputs<'i, 'p> {
    places: &'i mut Places<'p>,
    memory: &'i Memory,
    region: usize,
    limbs: Limbs,
    leaves: Vec<Place>,
    /// For each leaf the column of the table that it is.
    columns_of: Vec<Option<usize>>,
    is_free: Vec<bool>,
    pointers: Vec<Pointer>,
    columns: Vec<Vec<TableCell>>,
    /// Whether the table has addresses of words of the work area anyway: then one more costs less
    /// than a pointer of its own.
    has_addresses: bool,
    /// The pointers to the halves of the block, if the loop takes words from both in turn.
    halves: Option<[Slot; 2]>,
    /// The groups of 16 limbs of a row and those before it that have pointers of their own.
    groups: BTreeSet<usize>,
    /// Words of the frame for pointers, which all regions use in turn.
    slots: &'i mut Vec<Slot>,
}

/// Writes the code of a region. `slots` are the words of the frame in which regions keep pointers.
/// `temporary` is the first word for spills.
///
/// # Errors
/// The node that has no code.
pub fn region(
    places: &mut Places<'_>,
    memory: &Memory,
    region: usize,
    slots: &mut Vec<Slot>,
    temporary: Slot,
) -> Result<Region, Error> {
    let program = places.program;
    let of = &program.rolled.regions[region];
    let mut inputs = Inputs {
        places,
        memory,
        region,
        limbs: Limbs::default(),
        leaves: Vec::new(),
        columns_of: Vec::new(),
        is_free: Vec::new(),
        pointers: Vec::new(),
        columns: Vec::new(),
        has_addresses: false,
        halves: None,
        groups: BTreeSet::new(),
        slots,
    };
    inputs.halves = inputs.halves(of);
    inputs.groups = inputs.groups(of);
    let mut is_even: Vec<bool> = Vec::new();
    for (input, source) in of.body.inputs().iter().zip(&of.sources) {
        is_even.extend(inputs.is_even(source, of.body.width(input.node)));
    }
    let even = is_even.iter().filter(|&&is| is).count();
    inputs.has_addresses = even < is_even.len() && even <= FEW;
    let mut words: Vec<Vec<Id>> = Vec::new();
    for (input, source) in of.body.inputs().iter().zip(&of.sources) {
        words.push(inputs.source(source, of.body.width(input.node)));
    }
    inputs.limbs.in_tables = inputs.numbers_taken_once(&words);
    let lookups = Lookups::of(&of.body);
    let results =
        lower(&of.body, &words, &lookups, &mut inputs.limbs).map_err(|(node, remedy)| {
            let problem =
                format!("{} of {} bits has no code", of.body.op(node).name(), of.body.width(node));
            Error::new(format!("{}, {node}", of.body.name), problem, remedy)
        })?;
    let (mut outputs, mut homes, mut stores) = (Vec::new(), Vec::new(), Vec::new());
    for (output, result) in results.iter().enumerate() {
        if let Some(slot) = inputs.places.in_frame(region, output) {
            // In a loop each output is held in the polarity of the word that the next iteration
            // takes.
            let leaves = result.iter().enumerate().map(|(limb, &id)| {
                let place = Place::Frame(slot + limb);
                let leaf = inputs.leaves.iter().position(|&known| known == place);
                let leaf = leaf.filter(|&leaf| of.times > 1 && inputs.is_free[leaf]);
                (id, leaf.map(|leaf| inputs.limbs.leaf(leaf)))
            });
            outputs.extend(leaves.collect::<Vec<_>>());
            homes.extend((0..result.len()).map(|limb| slot + limb));
        }
        if let Home::Row(at) = inputs.places.homes[region][output] {
            let rows = inputs.places.rows[region];
            let (pointer, at) = inputs.in_rows(rows.before * rows.bytes + at);
            let pointer = inputs.leaf(Place::Frame(pointer), None, false);
            let each = result.iter().enumerate();
            stores.extend(each.map(|(limb, &id)| (id, pointer, (at + 2 * limb) as u16)));
        }
    }
    let Inputs { limbs, leaves, columns_of, is_free, pointers, mut columns, halves, .. } = inputs;
    let mut selected = select(&limbs, &outputs, &stores, &is_free, memory.effort);
    selected.limbs.clear();
    let mut complemented = selected.are_complemented.iter();
    for (output, result) in results.iter().enumerate() {
        if places.in_frame(region, output).is_some() {
            selected.limbs.extend(0..result.len());
            let bits = complemented.by_ref().take(result.len()).enumerate();
            places.complements[region][output] = bits.map(|(limb, &is)| u8::from(is) << limb).sum();
        }
    }
    for (leaves, less) in &selected.less {
        let of: Vec<usize> = leaves.iter().filter_map(|&leaf| columns_of[leaf]).collect();
        for row in 0..of.first().map_or(0, |&column| columns[column].len()) {
            let mut borrow = *less;
            for &column in &of {
                if let TableCell::Number(number) = &mut columns[column][row] {
                    let (value, borrows) = number.overflowing_sub(borrow);
                    (*number, borrow) = (value, u16::from(borrows));
                }
            }
        }
    }
    for (leaf, column) in columns_of.iter().enumerate() {
        if let Some(column) = column.filter(|_| selected.complemented[leaf]) {
            for cell in &mut columns[column] {
                if let TableCell::Number(number) = cell {
                    *number = !*number;
                }
            }
        }
    }
    let table = memory.substitution.clone();
    let rows = lookups.tables.iter().map(Table::label).collect();
    let body = Body { selected, places: leaves, homes, temporary, table, rows };
    // The estimate assumes that words which are accessed at about the same time will lie near each
    // other; for the others the base moves now and then.
    let cost = |order: &[usize]| {
        let (code, temporaries) = allocate(&body, order);
        let mut last: HashMap<Slot, usize> = HashMap::new();
        let mut accesses = 0;
        let clocks = code.iter().map(|line| match *line {
            Code::Frame { slot, .. } => {
                accesses += 1;
                let before = last.insert(slot, accesses);
                let is_recent = before.is_some_and(|at| accesses - at <= RECENT);
                RECENT_ACCESS + if is_recent { 0 } else { BASE_MOVE[0] }
            }
            ref line => 10 * line.clocks() as u32,
        });
        clocks.sum::<u32>() as usize + 2 * temporaries
    };
    let facts = Facts::of(&body);
    let mut schedule = Schedule::of(&facts, COUNT, memory.effort, cost);
    // Each region gets a share of the moves in proportion to the time that is spent in it.
    let work = |of: &roll::Region| of.times * of.body.len();
    let all = program.rolled.regions.iter().map(work).sum::<usize>().max(1);
    let moves = moves(memory.effort, body.selected.insts.len());
    schedule.anneal(&facts, moves * work(of) / all);
    let rows = if columns.is_empty() { 0 } else { of.times };
    let table = (0..rows).map(|row| columns.iter().map(|column| column[row]).collect()).collect();
    Ok(Region { body, schedule, pointers, halves, table, lookups: lookups.tables })
}

impl Inputs<'_, '_> {
    fn leaf(&mut self, place: Place, column: Option<usize>, is_free: bool) -> Id {
        let known = self.leaves.iter().position(|&known| known == place);
        let leaf = known.unwrap_or_else(|| {
            self.leaves.push(place);
            self.columns_of.push(column);
            self.is_free.push(is_free);
            self.leaves.len() - 1
        });
        self.limbs.leaf(leaf)
    }

    fn source(&mut self, source: &Source, width: u8) -> Vec<Id> {
        let times = self.places.program.rolled.regions[self.region].times;
        match source {
            Source::Same(value) => self.same(*value, width),
            Source::Each(values) if times == 1 => self.same(values[0], width),
            Source::Each(values) => self.each(values, width),
            Source::Earlier { output, distance, first } => {
                let home = self.places.earlier(self.region, *output, first);
                let count = limbs(width);
                match home {
                    Home::Frame(slot) => (0..count)
                        .map(|limb| {
                            self.leaf(Place::Frame(slot + limb), None, !self.memory.is_small)
                        })
                        .collect(),
                    Home::Row(at) => {
                        let rows = self.places.rows[self.region];
                        let (pointer, offset) =
                            self.in_rows((rows.before - distance) * rows.bytes + at);
                        self.behind(pointer, offset, count)
                    }
                }
            }
        }
    }

    fn in_frame(&mut self, slot: Slot, count: usize) -> Vec<Id> {
        (0..count).map(|limb| self.leaf(Place::Frame(slot + limb), None, false)).collect()
    }

    /// Limbs in the work area, the lowest first.
    fn behind(&mut self, pointer: Slot, offset: usize, count: usize) -> Vec<Id> {
        let place = |limb: usize| {
            let offset = (offset + 2 * limb) as u16;
            Place::Behind { pointer, offset, swaps: false }
        };
        (0..count).map(|limb| self.leaf(place(limb), None, false)).collect()
    }

    fn same(&mut self, value: Value, width: u8) -> Vec<Id> {
        let count = limbs(width);
        match self.places.at(self.places.program.known(value)) {
            Location::Constant(value) => {
                (0..count).map(|limb| self.limbs.constant((value >> (16 * limb)) as u16)).collect()
            }
            Location::Frame(slot, complements) => {
                let words = self.in_frame(slot, count);
                let each = words.into_iter().enumerate();
                let turned = each.map(|(limb, word)| match complements >> limb & 1 {
                    0 => word,
                    _ => self.limbs.not(word),
                });
                turned.collect()
            }
            Location::Work(at) => {
                let (pointer, offset) = self.pointer_into_work(at, 0);
                self.behind(pointer, offset, count)
            }
            Location::Block(word, first) => (first..first + count)
                .map(|limb| {
                    let (offset, swaps) = self.memory.in_block(word, limb);
                    let pointer = self.memory.block;
                    let place = Place::Behind { pointer, offset: offset as u16, swaps };
                    self.leaf(place, None, false)
                })
                .collect(),
            Location::Job(word, first) => (first..first + count)
                .map(|limb| {
                    let offset = self.memory.in_job(word, limb) as u16;
                    let pointer = self.memory.job;
                    self.leaf(Place::Behind { pointer, offset, swaps: false }, None, false)
                })
                .collect(),
        }
    }

    /// The limbs of columns of numbers that occur only once in all words.
    fn numbers_taken_once(&self, words: &[Vec<Id>]) -> HashSet<Id> {
        let mut times: HashMap<Id, usize> = HashMap::new();
        for &limb in words.iter().flatten() {
            *times.entry(limb).or_default() += 1;
        }
        let is_number = |limb: Id| match self.limbs.ops[limb] {
            Op::Leaf(leaf) => self.columns_of[leaf].is_some() && self.is_free[leaf],
            _ => false,
        };
        times.retain(|&limb, &mut times| times == 1 && is_number(limb));
        times.into_keys().collect()
    }

    /// A column of the table. Columns with equal cells are shared.
    fn column(&mut self, cells: Vec<TableCell>, is_free: bool) -> Id {
        let known = self.columns.iter().position(|known| *known == cells);
        let column = known.unwrap_or_else(|| {
            self.columns.push(cells);
            self.columns.len() - 1
        });
        // The stride is the length of a row, which is known only when the table is complete.
        let pointer = self.pointer(Target::Table, isize::MAX);
        let offset = 2 * column as u16;
        self.leaf(Place::Behind { pointer, offset, swaps: false }, Some(column), is_free)
    }

    /// The values that iterations pick by their number, and where they lie.
    fn known(&self, values: &[Value]) -> (Vec<Known>, Vec<Location>) {
        let known = values.iter().map(|&value| self.places.program.known(value));
        known.map(|known| (known, self.places.at(known))).unzip()
    }

    /// Whether the words of the work area that iterations pick by their number lie at even
    /// distances; `None` if the source is no such pick.
    fn is_even(&mut self, source: &Source, width: u8) -> Option<bool> {
        let Source::Each(values) = source else { return None };
        let (known, at) = self.known(values);
        let is_elsewhere = values.len() == 1
            || at.iter().all(|at| matches!(at, Location::Constant(_)))
            || at.iter().all(|at| matches!(at, Location::Block(..)));
        if is_elsewhere {
            return None;
        }
        let work = known.iter().map(|&known| self.places.in_work(self.region, known, width));
        let work: Vec<usize> = work.collect();
        Some(even_stride(work.iter().copied()).is_some())
    }

    fn each(&mut self, values: &[Value], width: u8) -> Vec<Id> {
        let count = limbs(width);
        let (known, at) = self.known(values);
        if at.iter().all(|at| matches!(at, Location::Constant(_))) {
            let limb = |limb: usize| -> Vec<TableCell> {
                let number = |at: &Location| match at {
                    Location::Constant(value) => TableCell::Number((value >> (16 * limb)) as u16),
                    _ => unreachable!("all are constants"),
                };
                at.iter().map(number).collect()
            };
            // A limb that is the same in each iteration, such as a zero above a small number, needs
            // no column.
            let limb = |i: usize| match &limb(i)[..] {
                [first @ TableCell::Number(number), rest @ ..]
                    if count > 1 && rest.iter().all(|of| of == first) =>
                {
                    self.limbs.constant(*number)
                }
                cells => self.column(cells.to_vec(), true),
            };
            return (0..count).map(limb).collect();
        }
        let in_block: Option<Vec<(usize, usize)>> = at
            .iter()
            .map(|at| match at {
                Location::Block(word, first) => Some((*word, *first)),
                _ => None,
            })
            .collect();
        if let Some(words) = in_block.filter(|words| words.iter().all(|word| word.1 == words[0].1))
        {
            let first = words[0].1;
            let bytes = |word: usize| word * self.memory.word_bytes;
            if let (Some(halves), Some(lean)) = (self.halves, self.memory.lean) {
                let at = bytes(words[0].0);
                let (half, at) = (at / lean.half_bytes, at % lean.half_bytes);
                let place = |limb: usize| {
                    let (offset, swaps) = self.memory.in_block(0, limb);
                    Place::Behind { pointer: halves[half], offset: (at + offset) as u16, swaps }
                };
                return (first..first + count)
                    .map(|limb| self.leaf(place(limb), None, false))
                    .collect();
            }
            if let Some(stride) = self.stride(words.iter().map(|word| bytes(word.0))) {
                let (pointer, at) = self.pointer_into_block(bytes(words[0].0), stride);
                let place = |limb: usize| {
                    let (offset, swaps) = self.memory.in_block(0, limb);
                    Place::Behind { pointer, offset: (at + offset) as u16, swaps }
                };
                return (first..first + count)
                    .map(|limb| self.leaf(place(limb), None, false))
                    .collect();
            }
            let cells = words.iter().map(|word| TableCell::Number(bytes(word.0) as u16)).collect();
            let offset = self.column(cells, false);
            let block = self.leaf(Place::Frame(self.memory.block), None, false);
            let pointer = self.limbs.group(Chained::Sum, &[block], &[offset])[0];
            return (first..first + count)
                .map(|limb| {
                    let (offset, swaps) = self.memory.in_block(0, limb);
                    self.limbs.load(pointer, offset as u16, swaps)
                })
                .collect();
        }
        let work: Vec<usize> =
            known.iter().map(|&known| self.places.in_work(self.region, known, width)).collect();
        let stride = even_stride(work.iter().copied()).filter(|_| !self.has_addresses);
        if let Some(stride) = stride {
            let (pointer, offset) = self.pointer_into_work(work[0], stride as isize);
            return self.behind(pointer, offset, count);
        }
        let pointer = self.column(work.into_iter().map(TableCell::Work).collect(), false);
        (0..count).map(|limb| self.limbs.load(pointer, 2 * limb as u16, false)).collect()
    }
}
