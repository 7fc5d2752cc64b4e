//! Code before and after the computation of a thread: it loads and stores the chaining value, and
//! converts the words of a block to quarters.

use super::{QuarterConversion, Walks, Writer};
use crate::xgate::code::{Code, load, store};
use crate::xgate::copies::Copies;
use crate::xgate::frame::Slot;
use crate::xgate::moves::To;
use crate::xgate::places::{Location, even_stride, limbs, number};
use crate::xgate::quarters::{self, Conversion};
use manylane_graph::framing::ByteOrder;

impl Writer<'_> {
    /// The words of the frame with the limbs of the chaining value, in the order of the limbs in
    /// memory.
    pub(super) fn chaining(&self) -> Vec<Slot> {
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

    /// The byte offset of the first output in the work area and the distance of the others, if a
    /// job has one object and all words of its next chaining value come from the work area at even
    /// distances. `moves` are the moves of the outputs to the chaining value.
    pub(super) fn all_in_work(&self, moves: &[(Location, To, usize)]) -> Option<(usize, usize)> {
        let is_one = matches!(self.thread.walks, Walks::One { .. });
        let from = |&(_, at): &(u32, usize)| {
            let of = moves.iter().find(|of| of.1 == To::Work(at))?;
            if let Location::Work(from) = of.0 { Some(from) } else { None }
        };
        let from: Option<Vec<usize>> = self.places.kept.iter().map(from).collect();
        let from = from.filter(|_| is_one)?;
        Some((*from.first()?, even_stride(from.into_iter())?))
    }

    /// Copies the chaining value to or from memory behind R2.
    fn copy_chaining(&self, code: &mut Vec<Code>, stores: bool) {
        let kept = self.places.kept.iter().map(|&(_, at)| at);
        let kept = kept.clone().next().zip(even_stride(kept));
        let in_work = self.outputs_in_work.filter(|_| stores).or(kept);
        if let Some((at, stride)) = in_work {
            let bytes = self.memory.word_bytes;
            let strides = if stores { [stride, bytes] } else { [bytes, stride] };
            let work = Code::Wide(
                if stores { 2 } else { 3 },
                format!("{}+{at}", self.thread.label("work")),
            );
            let copies = Copies {
                label: self.thread.label(if stores { "keep" } else { "take" }),
                words: self.places.kept.len(),
                limbs: bytes / 2,
                strides,
                // Memory is big-endian; in the work area the lowest limb comes first.
                swaps: true,
            };
            code.extend(stores.then_some(Code::Registers("or", [3, 0, 2])));
            code.push(work);
            return code.extend(copies.code().into_iter().flatten());
        }
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

    /// Loads the chaining value that the job points to, or stores it there.
    pub(super) fn chaining_value(&self, code: &mut Vec<Code>, stores: bool) {
        match self.thread.walks {
            Walks::Blocks | Walks::One { .. } => {
                code.push(load(1, self.memory.job));
                code.push(Code::Offset("ldw", 2, 1, 2));
            }
            Walks::ChainingValues => code.push(load(2, self.chain)),
        }
        let Some(conversion) = &self.conversion else { return self.copy_chaining(code, stores) };
        let quarters = self.quarters(conversion);
        let words = self.thread.framing.initial.len();
        let walk = if stores {
            code.push(store(2, self.chain));
            code.push(Code::Wide(2, quarters.clone()));
            self.copy_chaining(code, true);
            code.extend(conversion.walk.begin(quarters.clone(), words));
            code.extend([load(1, conversion.walk.to), store(1, conversion.walk.from)]);
            code.extend([load(1, self.chain), store(1, conversion.walk.to)]);
            conversion.walk.code(Conversion::Join, &self.thread.label("join"))
        } else {
            code.push(store(2, conversion.walk.from));
            code.extend(conversion.walk.begin(quarters.clone(), words));
            conversion.walk.code(Conversion::Quarter, &self.thread.label("part"))
        };
        code.extend(walk);
        if !stores {
            code.push(Code::Wide(2, quarters));
            code.push(store(2, conversion.parted));
            self.copy_chaining(code, false);
        }
    }

    fn quarters(&self, conversion: &QuarterConversion) -> String {
        format!("{}+{}", self.thread.label("work"), conversion.at)
    }

    /// Converts the words of a block to quarters.
    pub(super) fn part_block(&mut self) {
        let Some(conversion) = &self.conversion else { return };
        let words = self.thread.framing.block_bytes / quarters::BYTES;
        let mut code = vec![load(1, self.block), store(1, conversion.walk.from)];
        code.extend(conversion.walk.begin(self.quarters(conversion), words));
        let way = match self.thread.framing.order {
            ByteOrder::Big => Conversion::Quarter,
            ByteOrder::Little => Conversion::QuarterLittle,
        };
        let walk = conversion.walk.code(way, &self.thread.label("part_block"));
        self.piece(1, code);
        self.piece(words, walk);
    }
}
