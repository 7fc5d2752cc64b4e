//! The loop around a region: its pointers, its table, and its end.

use super::{Piece, Writer};
use crate::xgate::code::{Code, Loop, Reach, decrease, increase, load, number_into, store};
use crate::xgate::memory::Lean;
use crate::xgate::region::{Pointer, Region, Target};

impl Writer<'_> {
    /// Adds a region with the loop around it.
    pub(super) fn region(&mut self, r: usize, made: Region) {
        let times = self.places.program.rolled.regions[r].times;
        // Loops over columns are not in the list, so this number can be less than `r`.
        let number = self.regions.len();
        self.before(r);
        let mut code = Vec::new();
        self.set_pointers(&mut code, r, &made.pointers);
        let name = self.names[r].clone();
        if times == 1 {
            let (what, after) = (name.map(|of| self.thread.label(&of)), Vec::new());
            self.pieces.push(Piece { times, what, before: code, region: Some(number), after });
            self.regions.push(made);
            return;
        }
        let name = name.unwrap_or_else(|| format!("region{r}"));
        let last = self.last_pointer(r, &made);
        if last.is_none() {
            code.push(number_into(1, times as u16));
            code.push(store(1, self.iterations_left));
        }
        self.piece(1, code);
        let label = self.thread.label(&format!("{name}_loop"));
        let before = vec![Code::Label(label.clone())];
        let mut code = Vec::new();
        if let Some([first, second]) = made.halves {
            code.extend([load(1, first), load(2, second), store(2, first), store(1, second)]);
        }
        let (others, ending): (Vec<&Pointer>, Vec<&Pointer>) =
            made.pointers.iter().partition(|&of| last.as_ref().is_none_or(|last| last.0 != *of));
        for of in others.into_iter().chain(ending) {
            let stride = made.stride(of);
            if stride != 0 {
                code.push(load(1, of.slot));
                match usize::try_from(stride) {
                    Ok(stride) => code.extend(increase(1, stride)),
                    Err(_) => code.extend(decrease(1, stride.unsigned_abs())),
                }
                code.push(store(1, of.slot));
            }
        }
        match last {
            Some((of, end)) => {
                let is_short = made.stride(&of).unsigned_abs() * (times - 1) < 256;
                let reach = Reach::Far;
                let of = Loop { register: 1, end, is_short, label, reach };
                code.push(Code::JumpUnlessAt(Box::new(of)));
            }
            None => code.extend([
                load(1, self.iterations_left),
                Code::Number("subl", 1, 1),
                store(1, self.iterations_left),
                Code::JumpUnlessZero(1, label),
            ]),
        }
        self.pieces.push(Piece { times, what: None, before, region: Some(number), after: code });
        if !made.table.is_empty() {
            self.tables.push((self.table(r), made.table.clone()));
        }
        self.regions.push(made);
    }

    /// Sets the pointers to the halves of the block before its first iteration, if one uses them.
    pub(super) fn set_halves(&mut self) {
        let uses = |piece: &Piece| piece.region.is_some_and(|r| self.regions[r].halves.is_some());
        let Some(first) = self.pieces.iter().position(uses) else { return };
        let Some(Lean { halves, half_bytes, .. }) = self.memory.lean else { return };
        let mut code = vec![load(1, self.memory.block), store(1, halves[0])];
        code.extend(increase(1, half_bytes));
        code.push(store(1, halves[1]));
        let piece = Piece { times: 1, what: None, before: code, region: None, after: Vec::new() };
        self.pieces.insert(first, piece);
    }

    /// The label of a region's table.
    fn table(&self, r: usize) -> String {
        let name = self.names[r].clone().unwrap_or_else(|| format!("region{r}"));
        self.thread.label(&format!("{name}_table"))
    }

    /// The pointer that ends a loop when it comes to an address, and the address, if there is one.
    fn last_pointer(&self, r: usize, made: &Region) -> Option<(Pointer, String)> {
        self.memory.lean?;
        let times = self.places.program.rolled.regions[r].times;
        let work = self.thread.label("work");
        let way = |of: &Pointer| made.stride(of).unsigned_abs() * times;
        let end = |of: &Pointer| match (made.stride(of), of.target) {
            (..=0, _) | (_, Target::Block(_)) => None,
            (1.., Target::Table) => Some(format!("{}+{}", self.table(r), way(of))),
            (1.., Target::Work(at)) => Some(format!("{work}+{}", at + way(of))),
        };
        let ends = made.pointers.iter().filter_map(|of| Some((*of, end(of)?)));
        ends.min_by_key(|(of, _)| way(of))
    }

    fn set_pointers(&mut self, code: &mut Vec<Code>, r: usize, pointers: &[Pointer]) {
        for &Pointer { target, slot, .. } in pointers {
            if target == Target::Table && self.memory.lean.is_some() {
                // A row of the table is read at a time, and the next table follows.
                if std::mem::replace(&mut self.has_table, true) {
                    continue;
                }
            }
            code.push(match target {
                Target::Table => Code::Wide(1, self.table(r)),
                Target::Work(at) => Code::Wide(1, format!("{}+{at}", self.thread.label("work"))),
                Target::Block(_) => load(1, self.memory.block),
            });
            if let Target::Block(at @ 1..) = target {
                code.extend(increase(1, at));
            }
            code.push(store(1, slot));
        }
    }
}
