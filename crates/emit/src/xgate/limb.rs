//! The operations of a region's body on words of 16 bits.
//!
//! ```text
//!  word of 32 or 64 bits   limbs, the lowest first
//!  sum, difference         one group: add, then add with carry for each further limb
//!  rotation, shift         each limb a funnel: high << (16 - n) | low >> n; by 1 one group; of a
//!                          word that dies: limbs rotated in place, their low bits exchanged
//!  logic                   limb by limb; z ^ (x & (y ^ z)) is one choice, `Choose`
//! ```
//!
//! Nodes are simplified when they are made: constants are folded, and the rules are applied.

mod simplify;

use std::collections::{HashMap, HashSet};

/// A node, numbered in order of computation.
pub type Id = usize;

/// The operation of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A number.
    Constant(u16),
    /// The word at a place in memory, by the number of the place.
    Leaf(usize),
    /// The complement.
    Not(Id),
    /// The conjunction.
    And(Id, Id),
    /// The disjunction.
    Or(Id, Id),
    /// The exclusive or.
    Xor(Id, Id),
    /// The bits of the second argument where the first one is 1, else those of the third.
    Choose(Id, Id, Id),
    /// A shift of a high and a low word by 1 to 15: `low >> n | high << (16 - n)`.
    Funnel(Id, Id, u8),
    /// Rotation left by 1 to 15.
    Rotate(Id, u8),
    /// Rotation of the first word left by the low four bits of the second one.
    RotateBy(Id, Id),
    /// Shift of the first word left by the second one, 0 to 15.
    ShiftBy(Id, Id),
    /// The field of the given width and lowest bit, shifted down to bit 0.
    Field(Id, u8, u8),
    /// The first word, with the low bits of the second one in a field of the given width and lowest
    /// bit.
    Insert(Id, Id, u8, u8),
    /// The word whose even fields of 1, 2 or 4 bits have changed places with the odd ones above
    /// them.
    Exchange(Id, u8),
    /// The limb of this number of a group's result.
    Limb(usize, usize),
    /// The S-box of AES on a byte of the word, the high one if this is true. The result is below
    /// 256.
    Substitute(Id, bool),
    /// The address of the table row of a byte of the word, the high one if this is true.
    Entry(Id, bool, TableRows),
    /// The word of a high and a low byte.
    Pack(Id, Id),
    /// The first byte of a word that is put together in memory. The byte is the high one of the
    /// argument if the first flag is true, and becomes the high one of the new word if the second
    /// flag is.
    Half(Id, bool, bool),
    /// The word of a [`Op::Half`] and a byte of another word, the high one if this is true.
    Joined(Id, Id, bool),
    /// The word at an address plus an offset in bytes, with its bytes exchanged if this is true.
    /// The last number is that of a user: users with equal numbers share one load.
    Load(Id, u16, bool, usize),
}

/// A reference to the rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableRows {
    /// The number of the table.
    pub table: usize,
    /// The number of bits by which a byte is shifted left to give the offset of its row.
    pub shift: u8,
}

/// An operation that hands a carry from limb to limb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chained {
    /// A sum.
    Sum,
    /// The first word less the second one.
    Difference,
    /// The first word rotated left by 1; the second one is the same.
    Left,
    /// The first word rotated right by 1; the second one is the same.
    Right,
}

/// An operation on words of several limbs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The operation.
    pub chained: Chained,
    /// Pairs of limbs, the lowest first.
    pub limbs: Vec<(Id, Id)>,
    /// The place of a sum in a greater sum.
    pub within: Within,
}

/// The place of a sum of two words in a sum of several words, one of which is a constant.
///
/// `a - ~x` is `a + x + 1`, so that each word can be added in either polarity if the constant is
/// less by the number of these ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// The sum is not part of a sum with a constant.
    Alone,
    /// The sum is part of the sum of this number.
    Sum(usize),
    /// The sum is part of the sum of this number, and its second word is the constant.
    Constant(usize),
}

impl Within {
    /// The number of the sum.
    pub fn sum(self) -> Option<usize> {
        match self {
            Self::Alone => None,
            Self::Sum(sum) | Self::Constant(sum) => Some(sum),
        }
    }
}

/// The nodes of a body, to which new ones are added.
#[derive(Clone, Debug, Default)]
pub struct Limbs {
    /// All nodes.
    pub ops: Vec<Op>,
    /// The number of the step to which nodes belong that are added now.
    pub step: usize,
    /// For each node the step that it was added for.
    pub steps: Vec<usize>,
    /// All groups.
    pub groups: Vec<Group>,
    /// The leaves of tables of constants, from which a number may be subtracted when the table is
    /// written.
    pub in_tables: HashSet<Id>,
    known: HashMap<Op, Id>,
}

impl Limbs {
    fn add(&mut self, op: Op) -> Id {
        let next = self.ops.len();
        let id = *self.known.entry(op).or_insert(next);
        if id == next {
            self.ops.push(op);
            self.steps.push(self.step);
        }
        id
    }

    /// The value of a constant.
    pub fn value(&self, id: Id) -> Option<u16> {
        match self.ops[id] {
            Op::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// A number.
    pub fn constant(&mut self, value: u16) -> Id {
        self.add(Op::Constant(value))
    }

    /// The word at a place in memory.
    pub fn leaf(&mut self, place: usize) -> Id {
        self.add(Op::Leaf(place))
    }

    /// The word behind a pointer.
    pub fn load(&mut self, pointer: Id, offset: u16, swaps: bool) -> Id {
        self.add(Op::Load(pointer, offset, swaps, 0))
    }

    /// The word of a load, loaded once more for the users of that number. Other words are returned
    /// unchanged.
    pub fn reload(&mut self, id: Id, user: usize) -> Id {
        match self.ops[id] {
            Op::Load(pointer, offset, swaps, _) => self.add(Op::Load(pointer, offset, swaps, user)),
            _ => id,
        }
    }

    /// The replacement that a rule has for an operation, else a node of its own.
    fn simple(&mut self, op: Op) -> Id {
        self.simplified(op).unwrap_or_else(|| self.add(op))
    }

    /// The complement.
    pub fn not(&mut self, a: Id) -> Id {
        match self.value(a) {
            Some(value) => self.constant(!value),
            None => self.simple(Op::Not(a)),
        }
    }

    /// The conjunction.
    pub fn and(&mut self, a: Id, b: Id) -> Id {
        match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => self.constant(x & y),
            _ => self.simple(Op::And(a.min(b), a.max(b))),
        }
    }

    /// The disjunction.
    pub fn or(&mut self, a: Id, b: Id) -> Id {
        match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => self.constant(x | y),
            _ => self.simple(Op::Or(a.min(b), a.max(b))),
        }
    }

    /// The word with its neighbouring fields of 1, 2 or 4 bits exchanged.
    pub fn exchange(&mut self, a: Id, by: u8) -> Id {
        self.add(Op::Exchange(a, by))
    }

    /// The first word with the low `width` bits of the second one from bit `offset` on.
    pub fn insert(&mut self, into: Id, from: Id, width: u8, offset: u8) -> Id {
        self.add(Op::Insert(into, from, width, offset))
    }

    /// The first byte of a word that is put together in memory, of the high or low byte of a word.
    pub fn half(&mut self, of: Id, is_high: bool, to_high: bool) -> Id {
        self.add(Op::Half(of, is_high, to_high))
    }

    /// The word of a half and the high or low byte of a word.
    pub fn joined_with(&mut self, half: Id, of: Id, is_high: bool) -> Id {
        self.add(Op::Joined(half, of, is_high))
    }

    /// The address of the row of a byte.
    pub fn entry(&mut self, of: Id, high: bool, row: TableRows) -> Id {
        self.add(Op::Entry(of, high, row))
    }

    /// The exclusive or.
    pub fn xor(&mut self, a: Id, b: Id) -> Id {
        match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => self.constant(x ^ y),
            _ => self.simple(Op::Xor(a.min(b), a.max(b))),
        }
    }

    /// The bits of `y` where `x` is 1, else those of `z`.
    pub fn choose(&mut self, x: Id, y: Id, z: Id) -> Id {
        self.simple(Op::Choose(x, y, z))
    }

    /// `low >> by | high << (16 - by)`, `by` from 0 to 16.
    pub fn funnel(&mut self, high: Id, low: Id, by: u8) -> Id {
        match (by, self.value(high), self.value(low)) {
            (1..16, Some(high), Some(low)) => self.constant(high << (16 - by) | low >> by),
            _ => self.simple(Op::Funnel(high, low, by)),
        }
    }

    /// The rotation left by 0 to 15.
    pub fn rotate(&mut self, a: Id, by: u8) -> Id {
        match self.value(a) {
            Some(value) => self.constant(value.rotate_left(by.into())),
            None => self.simple(Op::Rotate(a, by)),
        }
    }

    /// The rotation of a word of one, two or four limbs left by the amount in a limb.
    ///
    /// ```text
    ///   limbs change places under masks that are the amount's bits from bit 4 on
    ///   each limb is rotated by the low four bits: what passes its end is its upper neighbour's
    ///   limb i = bits of rotated i where the mask 0xffff << amount is 1, else of rotated i - 1
    /// ```
    ///
    /// Two limbs need no exchange of their own: the complement of the mask exchanges them as well.
    pub fn rotate_by(&mut self, word: &[Id], amount: Id) -> Vec<Id> {
        let count = word.len();
        let mut limbs = word.to_vec();
        let mut flips = None;
        for bit in (0..).take_while(|bit| 1 << bit < count) {
            let set = self.field(amount, 1, 4 + bit);
            let zero = self.constant(0);
            let mask = self.group(Chained::Difference, &[zero], &[set])[0];
            if count == 2 {
                flips = Some(mask);
                continue;
            }
            let from = |i: usize| limbs[(i + count - (1 << bit)) % count];
            let moved = (0..count).map(|i| self.choose(mask, from(i), limbs[i])).collect();
            limbs = moved;
        }
        let rotated: Vec<Id> = limbs.iter().map(|&limb| self.turned(limb, amount)).collect();
        if count == 1 {
            return rotated;
        }
        let (low, ones) = (self.field(amount, 4, 0), self.constant(u16::MAX));
        let mut mask = match (self.value(ones), self.value(low)) {
            (Some(ones), Some(low)) => self.constant(ones << low),
            _ => self.add(Op::ShiftBy(ones, low)),
        };
        if let Some(flips) = flips {
            mask = self.xor(mask, flips);
        }
        let below = |i: usize| rotated[(i + count - 1) % count];
        (0..count).map(|i| self.choose(mask, rotated[i], below(i))).collect()
    }

    /// The `width` bits of a word from bit `offset` on, as a number.
    fn field(&mut self, of: Id, width: u8, offset: u8) -> Id {
        match self.value(of) {
            Some(value) => self.constant(value >> offset & ((1 << width) - 1)),
            None => self.add(Op::Field(of, width, offset)),
        }
    }

    fn turned(&mut self, limb: Id, amount: Id) -> Id {
        match (self.value(limb), self.value(amount)) {
            (_, Some(amount)) => self.rotate(limb, (amount % 16) as u8),
            (Some(0 | u16::MAX), None) => limb,
            (_, None) => self.add(Op::RotateBy(limb, amount)),
        }
    }

    /// The S-box on both bytes.
    pub fn substitute(&mut self, a: Id) -> Id {
        let [high, low] = [true, false].map(|high| self.add(Op::Substitute(a, high)));
        self.pack(high, low)
    }

    /// Two bytes as a word.
    pub fn pack(&mut self, high: Id, low: Id) -> Id {
        self.add(Op::Pack(high, low))
    }

    /// The limbs of an operation that hands a carry on.
    pub fn group(&mut self, chained: Chained, a: &[Id], b: &[Id]) -> Vec<Id> {
        self.group_within(chained, a, b, Within::Alone)
    }

    /// The limbs of an operation that hands a carry on, as a part of a sum with a constant.
    pub fn group_within(
        &mut self,
        chained: Chained,
        a: &[Id],
        b: &[Id],
        within: Within,
    ) -> Vec<Id> {
        let group = self.groups.len();
        let limbs = a.iter().copied().zip(b.iter().copied()).collect();
        self.groups.push(Group { chained, limbs, within });
        (0..a.len()).map(|limb| self.add(Op::Limb(group, limb))).collect()
    }

    /// The nodes that a node takes directly. A limb takes those of its group up to its own.
    pub fn args(&self, id: Id) -> Vec<Id> {
        match self.ops[id] {
            Op::Constant(_) | Op::Leaf(_) => Vec::new(),
            Op::Not(a)
            | Op::Rotate(a, _)
            | Op::Exchange(a, _)
            | Op::Field(a, ..)
            | Op::Substitute(a, _)
            | Op::Entry(a, ..)
            | Op::Half(a, ..)
            | Op::Load(a, ..) => vec![a],
            Op::And(a, b)
            | Op::Or(a, b)
            | Op::Xor(a, b)
            | Op::Funnel(a, b, _)
            | Op::Pack(a, b)
            | Op::RotateBy(a, b)
            | Op::ShiftBy(a, b)
            | Op::Insert(a, b, ..)
            | Op::Joined(a, b, _) => {
                vec![a, b]
            }
            Op::Choose(x, y, z) => vec![x, y, z],
            Op::Limb(group, limb) => {
                let Group { chained, limbs, .. } = &self.groups[group];
                let taken = match chained {
                    Chained::Sum | Chained::Difference => &limbs[..=limb],
                    Chained::Left | Chained::Right => limbs,
                };
                taken.iter().flat_map(|&(a, b)| [a, b]).collect()
            }
        }
    }

    /// For each node whether one of `outputs` needs it, and for each group the number of limbs that
    /// are needed.
    pub fn needed(&self, outputs: &[Id]) -> (Vec<bool>, Vec<usize>) {
        let mut needed = vec![false; self.ops.len()];
        let mut limbs = vec![0; self.groups.len()];
        let mut open: Vec<Id> = outputs.to_vec();
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut needed[id], true) {
                continue;
            }
            if let Op::Limb(group, limb) = self.ops[id] {
                let all = self.groups[group].limbs.len();
                limbs[group] = match self.groups[group].chained {
                    Chained::Sum | Chained::Difference => limbs[group].max(limb + 1),
                    Chained::Left | Chained::Right => all,
                };
            }
            open.extend(self.args(id));
        }
        (needed, limbs)
    }
}
