//! Instruction selection: from limbs to instructions on registers that are not yet numbered.

pub use super::kind::{InstKind, Tri};
use super::limb::{Chained, Id, Limbs, Op, Within};
use super::polarity::{Fixed, InstructionForm, forms, polarities};
use super::rules::{self, Arg, Sequence, turn_left, turn_right};
use std::collections::HashMap;

/// One instruction.
#[derive(Clone, Debug)]
pub struct Inst {
    /// The instruction's operation.
    pub kind: InstKind,
    /// The instructions whose results it takes.
    pub args: Vec<usize>,
    /// The instruction whose carry this one takes. None between them may change the carry.
    pub follows: Option<usize>,
}

/// A body as instructions.
#[derive(Clone, Debug, Default)]
pub struct Selected {
    /// The instructions in an order in which they can be executed.
    pub insts: Vec<Inst>,
    /// For each instruction the number of the definition's step that it belongs to.
    pub steps: Vec<usize>,
    /// For each output of the body the instruction that computes it.
    pub outputs: Vec<usize>,
    /// For each output the number of its limb.
    pub limbs: Vec<usize>,
    /// For each output whether its home has the complement.
    pub are_complemented: Vec<bool>,
    /// For each place whether the table has the complement of the word.
    pub complemented: Vec<bool>,
    /// The places of a constant's limbs, the lowest first, and the number by which the table's
    /// constant must be less.
    pub less: Vec<(Vec<usize>, u16)>,
}

/// Selects the instructions of a body. `outputs` are nodes with the leaf whose polarity they must
/// share. `stores` are triples of a node, the node of a pointer, and the offset behind it at which
/// the first one is stored.
pub fn select(
    limbs: &Limbs,
    outputs: &[(Id, Option<Id>)],
    stores: &[(Id, Id, u16)],
    is_free: &[bool],
    effort: usize,
) -> Selected {
    let stored = stores.iter().flat_map(|&(a, b, _)| [(a, None), (b, None)]);
    let tied: Vec<(Id, Option<Id>)> = outputs.iter().copied().chain(stored).collect();
    let held = polarities(limbs, &Fixed { is_free, outputs: &tied, effort });
    let all: Vec<Id> = tied.iter().map(|&(output, _)| output).collect();
    let (needed, counts) = limbs.needed(&all);
    let mut results = vec![None; limbs.groups.len()];
    for id in (0..limbs.ops.len()).filter(|&id| needed[id]) {
        if let Op::Limb(group, _) = limbs.ops[id] {
            results[group] = Some(id);
        }
    }
    let mut s = Select {
        limbs,
        held,
        counts,
        made: vec![usize::MAX; limbs.ops.len()],
        groups: HashMap::new(),
        results,
        known: HashMap::new(),
        step: 0,
        out: Selected { complemented: vec![false; is_free.len()], ..Selected::default() },
    };
    let mut to_store: HashMap<Id, Vec<(Id, u16)>> = HashMap::new();
    for &(value, pointer, offset) in stores {
        to_store.entry(value).or_default().push((pointer, offset));
    }
    for id in (0..limbs.ops.len()).filter(|&id| needed[id]) {
        s.node(id);
    }
    for &(value, pointer, offset) in stores {
        let args = vec![s.positive(value), s.positive(pointer)];
        s.push(InstKind::Store(offset), args);
    }
    let polarity = |s: &Select<'_>, leaf: Option<Id>| leaf.is_some_and(|leaf| s.held[leaf]);
    s.out.are_complemented = outputs.iter().map(|&(_, leaf)| polarity(&s, leaf)).collect();
    let outputs: Vec<usize> = outputs
        .iter()
        .map(|&(id, leaf)| {
            let held = polarity(&s, leaf);
            s.get(id, held)
        })
        .collect();
    // An output must be an instruction of the body, and no two outputs can share one.
    let mut taken: Vec<usize> = Vec::new();
    for output in outputs {
        let given = s.out.insts[output].kind.is_given();
        let output = match given || taken.contains(&output) {
            true => s.push(InstKind::Copy, vec![output]),
            false => output,
        };
        taken.push(output);
    }
    s.out.outputs = taken;
    s.out
}

struct Select<'s> {
    limbs: &'s Limbs,
    held: Vec<bool>,
    counts: Vec<usize>,
    /// For each node, the instruction whose result it is, in the polarity of the node.
    made: Vec<usize>,
    /// For each group its instructions, by limb.
    groups: HashMap<usize, Vec<usize>>,
    /// For each group a limb of its result that is needed.
    results: Vec<Option<Id>>,
    known: HashMap<(InstKind, Vec<usize>), usize>,
    /// The step of the node whose instructions are selected.
    step: usize,
    out: Selected,
}

impl Select<'_> {
    fn push(&mut self, kind: InstKind, args: Vec<usize>) -> usize {
        self.out.insts.push(Inst { kind, args, follows: None });
        self.out.steps.push(self.step);
        self.out.insts.len() - 1
    }

    /// Adds an instruction unless one with the same kind and arguments exists, and returns its
    /// number.
    fn once(&mut self, kind: InstKind, args: Vec<usize>) -> usize {
        let key = (kind, args);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let id = self.push(key.0, key.1.clone());
        self.known.insert(key, id);
        id
    }

    fn number(&mut self, value: u16) -> usize {
        self.once(InstKind::Number(value), Vec::new())
    }

    /// The word that describes the field of `width` bits from bit `offset` on.
    fn field(&mut self, width: u8, offset: u8) -> usize {
        self.number(u16::from(width - 1) << 4 | u16::from(offset))
    }

    fn tri(&mut self, tri: Tri, a: usize, b: usize) -> usize {
        self.push(InstKind::Tri(tri), vec![a, b])
    }

    /// The instruction whose result is a node's word, or its complement if `held`.
    fn get(&mut self, id: Id, held: bool) -> usize {
        if let Some(value) = self.limbs.value(id) {
            return self.number(if held { !value } else { value });
        }
        let made = self.made[id];
        if self.held[id] == held { made } else { self.once(InstKind::Com, vec![made]) }
    }

    fn positive(&mut self, id: Id) -> usize {
        self.get(id, false)
    }

    /// Returns an instruction whose result is complemented or not as `wanted`; `is` says how the
    /// given one's is.
    fn turned(&mut self, inst: usize, is: bool, wanted: bool) -> usize {
        if is == wanted { inst } else { self.once(InstKind::Com, vec![inst]) }
    }

    fn node(&mut self, id: Id) {
        let held = self.held[id];
        self.step = self.limbs.steps[id];
        let is_constant = |id: Id| self.limbs.value(id).is_some();
        self.made[id] = match self.limbs.ops[id] {
            Op::Constant(value) => {
                self.held[id] = false;
                self.number(value)
            }
            Op::Leaf(place) => {
                self.out.complemented[place] |= held;
                self.once(InstKind::Leaf(place), Vec::new())
            }
            Op::Not(a) => self.get(a, !held),
            Op::And(a, b) => self.logic(id, [Tri::And, Tri::Or], a, b),
            Op::Or(a, b) => self.logic(id, [Tri::Or, Tri::And], a, b),
            Op::Xor(a, b) => {
                let (a, b) = if is_constant(a) { (b, a) } else { (a, b) };
                let first = self.made[a];
                if is_constant(b) {
                    // The second word is the constant in the polarity with which XNOR gives the
                    // wanted result.
                    let second = self.get(b, !(self.held[a] ^ held));
                    self.tri(Tri::Xnor, first, second)
                } else {
                    let second = self.made[b];
                    let is = !(self.held[a] ^ self.held[b]);
                    // The complement of an argument may exist already, and so may that of the
                    // result.
                    let xnor = self.once(InstKind::Tri(Tri::Xnor), vec![first, second]);
                    self.turned(xnor, is, held)
                }
            }
            Op::Choose(x, y, z) => {
                let difference = !(self.held[y] ^ self.held[z]);
                let args = vec![self.made[y].min(self.made[z]), self.made[y].max(self.made[z])];
                let xnor = self.once(InstKind::Tri(Tri::Xnor), args);
                let base = if self.held[x] == difference { z } else { y };
                let tri = if difference { Tri::Or } else { Tri::And };
                let masked = self.tri(tri, self.made[x], xnor);
                let chosen = self.tri(Tri::Xnor, self.made[base], masked);
                self.turned(chosen, !(self.held[base] ^ difference), held)
            }
            Op::Funnel(high, low, by) => self.funnel(id, high, low, by),
            Op::Rotate(a, by) => {
                let a = self.get(a, held);
                self.push(InstKind::Shift("rol", by), vec![a])
            }
            Op::Exchange(a, by) => {
                let a = self.get(a, held);
                self.sequence(&rules::exchange(by), &[a])[0]
            }
            Op::RotateBy(a, by) => {
                let (a, by) = (self.get(a, held), self.positive(by));
                self.push(InstKind::ShiftBy("rol"), vec![a, by])
            }
            Op::ShiftBy(a, by) => {
                let (a, by) = (self.positive(a), self.positive(by));
                let shifted = self.push(InstKind::ShiftBy("lsl"), vec![a, by]);
                self.turned(shifted, false, held)
            }
            Op::Field(a, width, offset) => {
                let (a, field) = (self.positive(a), self.field(width, offset));
                let bits = self.tri(Tri::Bfext, a, field);
                self.turned(bits, false, held)
            }
            Op::Insert(into, from, width, offset) => {
                let field = self.field(width, offset);
                let into = self.get(into, held);
                let (from, inverts) = match self.limbs.value(from) {
                    Some(_) => (self.get(from, held), false),
                    None => (self.made[from], self.held[from] != held),
                };
                self.push(InstKind::Insert(inverts), vec![into, from, field])
            }
            Op::Limb(group, limb) => {
                if !self.groups.contains_key(&group) {
                    let made = self.group(group, held);
                    self.groups.insert(group, made);
                }
                self.groups[&group][limb]
            }
            Op::Substitute(a, high) => {
                let a = self.positive(a);
                let field = self.field(8, if high { 8 } else { 0 });
                let table = self.once(InstKind::Table, Vec::new());
                let index = self.tri(Tri::Bfext, a, field);
                self.push(InstKind::Byte, vec![table, index])
            }
            Op::Entry(a, high, row) => {
                let a = self.positive(a);
                self.push(InstKind::Entry(high, row), vec![a])
            }
            Op::Half(a, is_high, to_high) => {
                let a = self.get(a, held);
                self.push(InstKind::Half(is_high, to_high), vec![a])
            }
            Op::Joined(half, a, is_high) => {
                let (half, a) = (self.made[half], self.get(a, held));
                self.push(InstKind::Joined(is_high), vec![half, a])
            }
            Op::Pack(high, low) => {
                let (high, low) = (self.positive(high), self.positive(low));
                let field = self.field(8, 8);
                let word = self.push(InstKind::Insert(false), vec![low, high, field]);
                self.turned(word, false, held)
            }
            Op::Load(pointer, offset, swaps, _) => {
                let pointer = self.positive(pointer);
                let loaded = self.push(InstKind::Load(offset, swaps), vec![pointer]);
                self.turned(loaded, false, held)
            }
        };
    }

    /// Selects a conjunction or disjunction. De Morgan's laws give the form in the other polarity.
    fn logic(&mut self, id: Id, [plain, dual]: [Tri; 2], a: Id, b: Id) -> usize {
        let held = self.held[id];
        let (a, b) = if self.limbs.value(a).is_some() { (b, a) } else { (a, b) };
        let is = if self.limbs.value(b).is_some() || self.held[a] == self.held[b] {
            self.held[a]
        } else {
            held
        };
        let (first, second) = (self.get(a, is), self.get(b, is));
        let done = self.tri(if is { dual } else { plain }, first, second);
        self.turned(done, is, held)
    }

    fn funnel(&mut self, id: Id, high: Id, low: Id, by: u8) -> usize {
        let held = self.held[id];
        if self.limbs.value(high) == Some(0) {
            let low = self.positive(low);
            let field = self.field(16 - by, by);
            let shifted = self.tri(Tri::Bfext, low, field);
            return self.turned(shifted, false, held);
        }
        if self.limbs.value(low) == Some(0) {
            let high = self.positive(high);
            let shifted = self.push(InstKind::Shift("lsl", 16 - by), vec![high]);
            return self.turned(shifted, false, held);
        }
        let is = if self.limbs.value(low).is_some() { held } else { self.held[low] };
        let bits = self.get(low, is);
        let field = self.field(16 - by, by);
        let extracted = self.tri(Tri::Bfext, bits, field);
        let (other, inverts) = match self.limbs.value(high) {
            Some(_) => (self.get(high, is), false),
            None => (self.made[high], self.held[high] != is),
        };
        let field = self.field(by, 16 - by);
        let inserted = self.push(InstKind::Insert(inverts), vec![extracted, other, field]);
        self.turned(inserted, is, held)
    }

    /// Adds the instructions of a sequence, its numbers first, and returns those of its results.
    fn sequence(&mut self, sequence: &Sequence, words: &[usize]) -> Vec<usize> {
        for arg in sequence.steps.iter().flat_map(|(_, args, _)| args) {
            if let Arg::Is(number) = *arg {
                self.number(number);
            }
        }
        let mut made: Vec<usize> = Vec::new();
        for (kind, args, follows) in &sequence.steps {
            let args = args.iter().map(|&arg| match arg {
                Arg::Word(i) => words[i],
                Arg::Is(number) => self.number(number),
                Arg::Step(i) => made[i],
            });
            let args = args.collect();
            let inst = self.push(*kind, args);
            self.out.insts[inst].follows = made.last().copied().filter(|_| *follows);
            made.push(inst);
        }
        sequence.results.iter().map(|&step| made[step]).collect()
    }

    /// The form in which a group is computed. Its result is complemented if `held`.
    fn form(&self, group: usize, held: bool) -> InstructionForm {
        let of = &self.limbs.groups[group];
        let limbs = &of.limbs[..self.counts[group]];
        let wrong = |first: bool, second: bool| -> usize {
            let wrong = |id: Id, is: bool| self.limbs.value(id).is_none() && self.held[id] != is;
            let each = limbs.iter();
            each.map(|&(a, b)| usize::from(wrong(a, first)) + usize::from(wrong(b, second))).sum()
        };
        forms(of, held)
            .min_by_key(|form| wrong(form.first, form.second))
            .expect("every polarity has a form")
    }

    /// The sum of what the forms of a sum's groups add too much, by which its constant must be
    /// less.
    fn too_much(&self, sum: usize) -> u16 {
        let all = self.results.iter().enumerate();
        let mine = all.filter(|&(group, _)| self.limbs.groups[group].within.sum() == Some(sum));
        mine.filter_map(|(group, &result)| Some(self.form(group, self.held[result?]).more)).sum()
    }

    /// Selects the instructions of a group, whose result is complemented if `held`.
    fn group(&mut self, group: usize, held: bool) -> Vec<usize> {
        let of = self.limbs.groups[group].clone();
        let limbs = &of.limbs[..self.counts[group]];
        let InstructionForm { first, second, adds, swaps, .. } = self.form(group, held);
        let limbs: Vec<(Id, usize)> = match of.within {
            Within::Constant(sum) => self.less(limbs, self.too_much(sum), second),
            Within::Alone | Within::Sum(_) => {
                limbs.iter().map(|&(a, b)| (a, self.get(b, second))).collect()
            }
        };
        let words: Vec<(usize, usize)> =
            limbs.into_iter().map(|(a, b)| (self.get(a, first), b)).collect();
        match of.chained {
            Chained::Left | Chained::Right => {
                let turn = if of.chained == Chained::Left { turn_left } else { turn_right };
                let words: Vec<usize> = words.iter().map(|&(word, _)| word).collect();
                return self.sequence(&turn(words.len()), &words);
            }
            Chained::Sum | Chained::Difference => {}
        }
        let (begins, goes_on) = if adds { (Tri::Add, Tri::Adc) } else { (Tri::Sub, Tri::Sbc) };
        let each = words.into_iter().enumerate().map(|(i, (a, b))| {
            let tri = InstKind::Tri(if i == 0 { begins } else { goes_on });
            (tri, if swaps { vec![b, a] } else { vec![a, b] })
        });
        let each: Vec<_> = each.collect();
        self.chain(each)
    }

    /// The first words of limbs, each with the instruction for its limb of a constant less a
    /// number. The constant is complemented if `held`.
    fn less(&mut self, limbs: &[(Id, Id)], less: u16, held: bool) -> Vec<(Id, usize)> {
        let place = |id: Id| match self.limbs.ops[id] {
            Op::Leaf(place) => Some(place),
            _ => None,
        };
        if let Some(places) = limbs.iter().map(|&(_, b)| place(b)).collect::<Option<Vec<_>>>() {
            self.out.less.push((places, less));
            return limbs.iter().map(|&(a, b)| (a, self.get(b, held))).collect();
        }
        let mut borrow = less;
        let each = limbs.iter().map(|&(a, b)| {
            let value = self.limbs.value(b).expect("the last word of the sum is a constant");
            let (value, borrows) = value.overflowing_sub(borrow);
            borrow = u16::from(borrows);
            (a, self.number(if held { !value } else { value }))
        });
        each.collect()
    }

    /// Adds instructions of which each takes the carry of the one before.
    fn chain(&mut self, insts: Vec<(InstKind, Vec<usize>)>) -> Vec<usize> {
        let mut made: Vec<usize> = Vec::new();
        for (kind, args) in insts {
            let inst = self.push(kind, args);
            self.out.insts[inst].follows = made.last().copied();
            made.push(inst);
        }
        made
    }
}
