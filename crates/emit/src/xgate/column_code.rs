//! The code of a loop over columns, one column in each iteration.
//!
//! The base register points to the column, as it otherwise does to the frame, so that words of the
//! column are accessed like those of the frame. Behind these words lie the pointer to the column's
//! constants, and temporary words.

use super::allocate::{Body, COUNT, Facts, Place, allocate};
use super::code::Code;
use super::columns::{Columns, UnaryOp};
use super::frame::{Slot, accesses, clocks, placed};
use super::limb::{Id, Limbs};
use super::region::moves;
use super::schedule::Schedule;
use super::select::select;

/// The most words of code of an iteration: the branch at its end reaches no further back.
const MOST: usize = 450;

/// The number of words for which [`offsets`] gives places: more than a column ever has.
const TEMPORARIES: usize = 1 << 12;

/// The code for a column.
pub struct ColumnCode {
    /// The layer that all rounds have.
    pub layer: Vec<Code>,
    /// For each round the operations on single words of a column that follow the layer, if there
    /// are any.
    pub tails: Vec<Option<Vec<Code>>>,
    /// For each word of a column whether the column holds its complement.
    pub complements: Vec<bool>,
    /// For each constant of a round whether the table has its complement.
    pub complemented: Vec<bool>,
    /// Bytes from column to column.
    pub stride: usize,
}

/// The pointer to a column's constants, behind its words.
pub fn pointer(columns: &Columns) -> Slot {
    columns.width()
}

impl ColumnCode {
    /// Writes the code; `effort` is how many orders of instructions are tried. `None` if it is too
    /// long for a loop.
    pub fn of(columns: &Columns, effort: usize) -> Option<Self> {
        let (width, layer) = (columns.width(), &columns.layer);
        let pointer = pointer(columns);
        let constants = (0..layer.constants).map(|i| {
            let offset = 2 * i as u16;
            Place::Behind { pointer, offset, swaps: false }
        });
        let places: Vec<Place> = (0..width).map(Place::Frame).chain(constants).collect();
        let mut limbs = layer.limbs.clone();
        let outputs: Vec<(usize, Id)> = layer.outputs.iter().copied().enumerate().collect();
        let made = ColumnBody::of(&mut limbs, &outputs, places, pointer + 1, effort);
        let complements = made.body.selected.are_complemented.clone();
        let complemented = made.body.selected.complemented[width..].to_vec();
        let mut words = made.words;
        let tails = columns.between.iter().map(|between| {
            let mut limbs = Limbs::default();
            let changed = (0..width).filter(|&word| !between.tails[word].is_empty());
            let changed: Vec<usize> = changed.collect();
            let outputs = changed.iter().enumerate().map(|(i, &word)| {
                let leaf = limbs.leaf(i);
                let result = between.tails[word].iter().fold(leaf, |id, op| match *op {
                    UnaryOp::Not => limbs.not(id),
                    UnaryOp::Rotate(by) => limbs.rotate(id, by),
                    UnaryOp::Exchange(by) => limbs.exchange(id, by),
                });
                (word, result)
            });
            let outputs: Vec<(usize, Id)> = outputs.collect();
            if outputs.is_empty() {
                return None;
            }
            let places = changed.into_iter().map(Place::Frame).collect();
            let made = ColumnBody::of(&mut limbs, &outputs, places, pointer + 1, effort);
            words = words.max(made.words);
            Some(made.code())
        });
        let tails: Vec<Option<Vec<Code>>> = tails.collect();
        let layer = made.code();
        let length = |code: &[Code]| code.iter().map(Code::words).sum::<usize>();
        let are_short = tails.iter().flatten().chain([&layer]).all(|code| length(code) <= MOST);
        let stride = 2 * words;
        are_short.then_some(Self { layer, tails, complements, complemented, stride })
    }
}

/// Instructions that replace words of a column.
struct ColumnBody {
    body: Body,
    order: Vec<usize>,
    /// Number of words of a column, with those for spilled words.
    words: usize,
}

/// The byte offset of each word from the base.
fn offsets() -> Vec<usize> {
    (0..TEMPORARIES).map(|slot| 2 * slot).collect()
}

impl ColumnBody {
    /// Orders the instructions; `outputs` are pairs of a word and what replaces it.
    fn of(
        limbs: &mut Limbs,
        outputs: &[(usize, Id)],
        places: Vec<Place>,
        temporary: Slot,
        effort: usize,
    ) -> Self {
        let homes: Vec<Slot> = outputs.iter().map(|&(word, _)| word).collect();
        let leaf = |word: usize| places.iter().position(|&place| place == Place::Frame(word));
        let tied = outputs.iter().map(|&(word, id)| (id, leaf(word).map(|leaf| limbs.leaf(leaf))));
        let tied: Vec<(Id, Option<Id>)> = tied.collect();
        let mut selected = select(limbs, &tied, &[], &vec![true; places.len()], effort);
        selected.limbs = vec![0; homes.len()];
        let (table, rows) = (String::new(), Vec::new());
        let body = Body { selected, places, homes, temporary, table, rows };
        let at = offsets();
        let cost = |order: &[usize]| {
            let (code, temporaries) = allocate(&body, order);
            let others = code.iter().filter(|line| !matches!(line, Code::Frame { .. }));
            let others: usize = others.map(Code::clocks).sum();
            let frame: u32 = accesses(&code).iter().map(|run| clocks(run, &at)).sum();
            10 * (others + frame as usize) + 2 * temporaries
        };
        let facts = Facts::of(&body);
        let mut schedule = Schedule::of(&facts, COUNT, effort, cost);
        schedule.anneal(&facts, moves(effort, body.selected.insts.len()));
        schedule.improve(effort, cost);
        let order = schedule.insts();
        let (_, temporaries) = allocate(&body, &order);
        Self { body, order, words: temporary + temporaries }
    }

    fn code(&self) -> Vec<Code> {
        // The label stays empty: ADDL and SUBL move the base, since no carry is live here and
        // columns are short.
        placed(allocate(&self.body, &self.order).0, &offsets(), "")
    }
}
