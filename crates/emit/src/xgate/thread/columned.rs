//! A loop whose rounds run the same code on each column of the state.
//!
//! ```text
//!  words of the frame ──► columns, one behind the other in the work area
//!  loop over iterations:
//!    for each round:  call of the layer, a loop over columns
//!                     operations on single words, a loop over columns
//!                     words that change columns, a loop over pairs of columns for each group
//!  columns ──► words of the frame
//! ```

use super::{Piece, Writer};
use crate::xgate::code::{Code, Loop, Reach, increase, load, number_into, store};
use crate::xgate::column_code::{ColumnCode, pointer};
use crate::xgate::columns::{Between, Columns};
use crate::xgate::frame::{BASE, Slot};
use crate::xgate::places::{Home, Location};
use crate::xgate::region::TableCell;
use manylane_graph::roll::Source;

/// A loop over columns, as it is written.
struct Columned {
    columns: Columns,
    code: ColumnCode,
    /// The prefix of the labels.
    label: String,
    /// The byte offset of the first column in the work area.
    at: usize,
    /// How often the loop runs.
    times: usize,
    /// The word of the frame with the address of the next round's constants, or, without constants,
    /// with the number of iterations that are left.
    table: Slot,
    /// The word of the frame with the address to which the layer returns.
    back: Slot,
}

impl Columned {
    /// The address of a column.
    fn column(&self, work: &str, column: usize) -> String {
        format!("{work}+{}", self.at + column * self.code.stride)
    }

    /// The end of an iteration over columns: the base goes on to the next one.
    fn next(&self, work: &str, label: String) -> Vec<Code> {
        let (stride, count) = (self.code.stride, self.columns.count());
        let end = self.column(work, count);
        let is_short = stride * count < 256;
        let of = Loop { register: BASE, end, is_short, label, reach: Reach::Far };
        let mut code = increase(BASE, stride);
        code.push(Code::JumpUnlessAt(Box::new(of)));
        code
    }

    /// Bytes of the constants of an iteration.
    fn row_bytes(&self) -> usize {
        2 * self.columns.layer.constants * self.columns.count() * self.columns.between.len()
    }
}

impl Writer<'_> {
    /// Adds a region as a loop over columns, if it has columns.
    pub(super) fn columns(&mut self, r: usize) -> bool {
        let is_in_frame = |home: &Home| matches!(home, Home::Frame(_));
        if self.memory.lean.is_none() || !self.places.homes[r].iter().all(is_in_frame) {
            return false;
        }
        let Some(columns) = Columns::of(self.places.program, r) else { return false };
        let Some(code) = ColumnCode::of(&columns, self.thread.effort) else { return false };
        self.before(r);
        let name = self.names[r].clone().unwrap_or_else(|| format!("region{r}"));
        // Each pass of the layer stores the pointer for the next column, and the last pass stores
        // it behind the last column.
        let at = self.places.new_work((columns.count() + 1) * code.stride);
        let of = Columned {
            label: self.thread.label(&name),
            at,
            times: self.places.program.rolled.regions[r].times,
            table: self.places.new_slots(1),
            back: self.places.new_slots(1),
            columns,
            code,
        };
        let mut before = self.between_frame_and(&of, r, false);
        let table = format!("{}_table", of.label);
        let has_constants = of.columns.layer.constants > 0;
        let end = format!("{table}+{}", of.times * of.row_bytes());
        if has_constants {
            before.extend([Code::Wide(1, table.clone()), store(1, of.table)]);
            let rows = self.constants_of(&of, r);
            self.other_tables.push((table, rows));
        } else {
            before.extend([number_into(1, of.times as u16), store(1, of.table)]);
        }
        self.piece(1, before);
        let label = format!("{}_loop", of.label);
        let mut code = vec![Code::Label(label.clone())];
        for t in 0..of.columns.between.len() {
            code.push(Code::Call(1, format!("{}_layer", of.label)));
            self.tails(&of, t, &mut code);
            self.permuted(&of, t, &mut code);
        }
        code.push(load(1, of.table));
        if has_constants {
            let is_short = of.times * of.row_bytes() < 256;
            let of = Loop { register: 1, end, is_short, label, reach: Reach::Far };
            code.push(Code::JumpUnlessAt(Box::new(of)));
        } else {
            code.extend([Code::Number("subl", 1, 1), store(1, of.table)]);
            code.push(Code::JumpUnlessZero(1, label));
        }
        self.piece(of.times, code);
        let after = self.between_frame_and(&of, r, true);
        self.piece(1, after);
        self.layer(&of);
        true
    }

    /// Copies the words of a region's outputs from the frame to the columns, or back.
    fn between_frame_and(&self, of: &Columned, r: usize, stores: bool) -> Vec<Code> {
        let work = self.thread.label("work");
        let mut code = vec![Code::Wide(2, of.column(&work, 0))];
        for (c, words) in of.columns.words.iter().enumerate() {
            if c > 0 {
                code.extend(increase(2, of.code.stride));
            }
            for (word, &(output, limb)) in words.iter().enumerate() {
                let Home::Frame(slot) = self.places.homes[r][output] else {
                    unreachable!("all outputs are in the frame")
                };
                let complement = Code::Registers("xnor", [1, 0, 1]);
                let complement = of.code.complements[word].then_some(complement);
                let offset = 2 * word as u16;
                let (from, to) = match stores {
                    true => (Code::Offset("ldw", 1, 2, offset), store(1, slot + limb)),
                    false => (load(1, slot + limb), Code::Offset("stw", 1, 2, offset)),
                };
                code.extend([from].into_iter().chain(complement).chain([to]));
            }
        }
        code
    }

    /// The rows of the table, one for each iteration, round and column.
    fn constants_of(&self, of: &Columned, r: usize) -> Vec<Vec<TableCell>> {
        let program = self.places.program;
        let number = |input: usize, limb: usize, iteration: usize| {
            let Source::Each(values) = &program.rolled.regions[r].sources[input] else {
                unreachable!("constants come one for each iteration")
            };
            match self.places.at(program.known(values[iteration])) {
                Location::Constant(value) => (value >> (16 * limb)) as u16,
                _ => unreachable!("it is a constant"),
            }
        };
        let mut rows = Vec::new();
        for iteration in 0..of.times {
            let mut row = Vec::new();
            for constants in of.columns.constants.iter().flatten() {
                for (&(input, limb), &is_complemented) in
                    constants.iter().zip(&of.code.complemented)
                {
                    let number = number(input, limb, iteration);
                    row.push(TableCell::Number(if is_complemented { !number } else { number }));
                }
            }
            rows.push(row);
        }
        rows
    }

    /// Adds the operations on single words behind a round. Their loop is a piece of its own, since
    /// the clocks of a piece are counted by how often it runs; the code before it becomes one too.
    fn tails(&mut self, of: &Columned, t: usize, code: &mut Vec<Code>) {
        let Some(tails) = &of.code.tails[t] else { return };
        let work = self.thread.label("work");
        let label = format!("{}_turn{t}", of.label);
        code.push(Code::Base(of.column(&work, 0)));
        self.piece(of.times, std::mem::take(code));
        let mut each = vec![Code::Label(label.clone())];
        each.extend(tails.iter().cloned());
        each.extend(of.next(&work, label));
        self.piece(of.times * of.columns.count(), each);
        code.push(Code::Base(self.thread.label("frame")));
    }

    /// Adds the moves between columns behind a round: for each group of words that move alike, a
    /// loop over pairs of columns that exchange these words.
    fn permuted(&mut self, of: &Columned, t: usize, code: &mut Vec<Code>) {
        for (number, (words, swaps)) in swaps(&of.columns.between[t]).into_iter().enumerate() {
            let label = format!("{}_move{t}_{number}", of.label);
            let table = format!("{label}_table");
            code.push(Code::Wide(4, table.clone()));
            self.piece(of.times, std::mem::take(code));
            let mut each = vec![Code::Label(label.clone())];
            each.extend([Code::Step("ldw", 2, 4, true), Code::Step("ldw", 3, 4, true)]);
            for word in words {
                let offset = 2 * word as u16;
                each.extend([
                    Code::Offset("ldw", 1, 2, offset),
                    Code::Offset("ldw", 5, 3, offset),
                    Code::Offset("stw", 5, 2, offset),
                    Code::Offset("stw", 1, 3, offset),
                ]);
            }
            let (bytes, pairs) = (4 * swaps.len(), swaps.len());
            let (end, is_short) = (format!("{table}+{bytes}"), bytes < 256);
            let last = Loop { register: 4, end, is_short, label, reach: Reach::Far };
            each.push(Code::JumpUnlessAt(Box::new(last)));
            self.piece(of.times * pairs, each);
            let column = |c: usize| TableCell::Work(of.at + c * of.code.stride);
            let row = swaps.iter().flat_map(|pair| pair.map(column)).collect();
            self.other_tables.push((table, vec![row]));
        }
    }

    /// Adds the subroutine of the layer.
    fn layer(&mut self, of: &Columned) {
        let work = self.thread.label("work");
        let label = format!("{}_layer", of.label);
        let pointer = 2 * pointer(&of.columns) as u16;
        let bytes = 2 * of.columns.layer.constants;
        let (first, each, last) = (
            [load(1, of.table)],
            [Code::Offset("ldw", 1, BASE, pointer), Code::Number("addl", 1, bytes as u16)],
            [store(1, of.table)],
        );
        let store_pointer = [Code::Offset("stw", 1, BASE, pointer)];
        let only = |code: &[Code]| if bytes > 0 { code.to_vec() } else { Vec::new() };
        let mut code = vec![Code::Label(label.clone()), store(1, of.back)];
        code.extend(only(&first));
        code.push(Code::Base(of.column(&work, 0)));
        code.extend(only(&store_pointer));
        let rounds = of.times * of.columns.between.len();
        let label = format!("{label}_column");
        let mut column = vec![Code::Label(label.clone())];
        column.extend(of.code.layer.iter().cloned());
        column.extend(only(&each));
        let mut next = of.next(&work, label);
        let end = next.pop();
        column.extend(next);
        column.extend(only(&store_pointer));
        column.extend(end);
        let mut after = vec![Code::Base(self.thread.label("frame"))];
        after.extend(only(&last));
        after.extend([load(1, of.back), Code::Return(1)]);
        for (times, code) in
            [(rounds, code), (rounds * of.columns.count(), column), (rounds, after)]
        {
            self.subroutines.push(Piece {
                times,
                what: None,
                before: code,
                region: None,
                after: Vec::new(),
            });
        }
    }
}

/// Groups of words that move alike between columns, with the exchanges of two columns that make
/// these moves, in order.
fn swaps(between: &Between) -> Vec<(Vec<usize>, Vec<[usize; 2]>)> {
    let mut groups: Vec<(&Vec<usize>, Vec<usize>)> = Vec::new();
    for (word, from) in between.from.iter().enumerate() {
        match groups.iter_mut().find(|(known, _)| *known == from) {
            Some((_, words)) => words.push(word),
            None => groups.push((from, vec![word])),
        }
    }
    let pairs = |from: &[usize]| {
        // The column that each column's words are from, so far.
        let mut now: Vec<usize> = (0..from.len()).collect();
        let mut pairs = Vec::new();
        for (c, wanted) in from.iter().enumerate() {
            let place = now.iter().position(|of| of == wanted).expect("all columns are there");
            if place != c {
                now.swap(c, place);
                pairs.push([c, place]);
            }
        }
        pairs
    };
    let all = groups.into_iter().map(|(from, words)| (words, pairs(from)));
    all.filter(|(_, pairs)| !pairs.is_empty()).collect()
}
