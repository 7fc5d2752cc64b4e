//! The instructions of one chain of operations, from its first operand to the memory of its result.
//!
//! ```text
//!  limb by limb   any width: logic in X (or D, where bytes lie apart), one addition with its carry
//!  pair           32 bits in two registers, D and X: several additions, rotations by bits
//!  passes         64 bits: parts of a chain limb by limb, rotations by EMUL between them
//! ```
//!
//! Loads, stores and logic leave the carry as it is, so that it may pass from one limb's addition
//! to the next; COM sets it and is not used.

use super::operand::{Address, Area, Byte, Limb, View};
use super::text::{Lines, Table};

/// An operation with an operand in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Logic {
    Add,
    Sub,
    And,
    Or,
    Xor,
}

/// One step of a chain: what is done with the value in the registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    With(Logic, View),
    Not,
    /// A rotation or shift by so many bits, fewer than 16.
    RotateLeft(u8),
    RotateRight(u8),
    Left(u8),
    Right(u8),
    /// The two halves of 32 bits are exchanged.
    Exchange,
    /// A rotation by as many bits as a word says, to the left or to the right.
    RotateBy(View, bool),
    /// Every byte is looked up.
    Table(Table),
}

/// A chain: a value that is loaded, and what is done with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chain {
    pub start: View,
    pub steps: Vec<Step>,
}

/// The scratch memory: bytes of an operand that X cannot load at once are copied to it; EMUL's
/// carry lies there too.
pub(super) const SCRATCH: Address = Address { area: Area::Kept, offset: 0 };

/// Bytes of the scratch memory.
pub(super) const SCRATCH_BYTES: usize = 2;

/// Behind it, where a rotation has a variable amount: a power of two, and a word of up to four
/// limbs twice, the last limb once.
const POWER: Address = Address { area: Area::Kept, offset: SCRATCH_BYTES };
const TWICE: Address = Address { area: Area::Kept, offset: SCRATCH_BYTES + 2 };

/// Bytes of the scratch memory with these.
pub(super) const ROTATION_BYTES: usize = SCRATCH_BYTES + 2 + 14;

/// A register of 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Register {
    D,
    X,
}

impl Register {
    fn letter(self) -> char {
        match self {
            Self::D => 'd',
            Self::X => 'x',
        }
    }
}

impl Step {
    fn is_sum(&self) -> bool {
        matches!(self, Self::With(Logic::Add | Logic::Sub, _))
    }

    /// Whether each limb of the result depends on the same limb, and a carry.
    fn is_by_limbs(&self) -> bool {
        matches!(self, Self::With(..) | Self::Not | Self::Table(_))
    }
}

impl Chain {
    /// Writes the instructions that put the chain's value to `target`, which no operand reads.
    pub fn write(&self, target: Address, lines: &mut Lines) {
        let sums = self.steps.iter().filter(|step| step.is_sum()).count();
        let is_by_limbs = self.steps.iter().all(Step::is_by_limbs);
        let in_pair = |step: &Step| !matches!(step, Step::RotateBy(..) | Step::Table(_));
        if is_by_limbs && sums <= 1 {
            by_limbs(&self.start, &self.steps, target, lines);
        } else if self.start.limbs() == 2 && self.steps.iter().all(in_pair) {
            Pair::of(self).write(self, target, lines);
        } else {
            self.passes(target, lines);
        }
    }

    /// Several passes over all limbs; from the second one on the value is at its target.
    fn passes(&self, target: Address, lines: &mut Lines) {
        let there = View::at(target, self.start.0.len());
        let mut start = &self.start;
        let mut steps = &self.steps[..];
        while let Some(first) = steps.first() {
            let count = if first.is_by_limbs() {
                let mut sums = 0;
                let fits = |step: &&Step| {
                    sums += usize::from(step.is_sum());
                    step.is_by_limbs() && sums <= 1
                };
                steps.iter().take_while(fits).count()
            } else {
                1
            };
            match first {
                Step::RotateLeft(1) => bit_left(start, target, true, lines),
                Step::Left(1) => bit_left(start, target, false, lines),
                Step::RotateRight(1) => bit_right(start, target, true, lines),
                Step::Right(1) => bit_right(start, target, false, lines),
                Step::RotateLeft(bits) => left(start, target, *bits, true, lines),
                Step::RotateRight(bits) => left(start, target, 16 - bits, true, lines),
                Step::Left(bits) => left(start, target, *bits, false, lines),
                Step::Right(bits) => right(start, target, *bits, lines),
                Step::RotateBy(amount, is_right) => {
                    rotate_by(start, amount, *is_right, target, lines)
                }
                _ => by_limbs(start, &steps[..count], target, lines),
            }
            (start, steps) = (&there, &steps[count..]);
        }
    }
}

/// The place of a limb of a value of `limbs` limbs.
fn place(target: Address, limbs: usize, i: usize) -> Address {
    target.plus(2 * (limbs - 1 - i))
}

/// One pass, limb by limb, with at most one addition.
fn by_limbs(start: &View, steps: &[Step], target: Address, lines: &mut Lines) {
    let limbs = start.limbs();
    let tables: Vec<Table> = steps
        .iter()
        .filter_map(|step| if let Step::Table(table) = step { Some(*table) } else { None })
        .collect();
    // Tables are at X and Y; a byte in A or B is the offset.
    let mut bases: Vec<Table> = tables.clone();
    bases.sort();
    bases.dedup();
    for (table, register) in bases.iter().zip(['x', 'y']) {
        let base = lines.table(*table);
        lines.op(&format!("ld{register}"), &format!("#{base}"));
    }
    let is_logic = steps
        .iter()
        .any(|step| matches!(step, Step::With(Logic::And | Logic::Or | Logic::Xor, _) | Step::Not));
    if lines.is_small && tables.is_empty() && looped(start, steps, target, is_logic, lines) {
        return;
    }
    let mut has_carry = false;
    for i in 0..limbs {
        let is_apart = start.is_apart(i)
            || steps.iter().any(|step| matches!(step, Step::With(_, view) if view.is_apart(i)));
        let register = match tables.is_empty() && !is_apart && is_logic {
            true => Register::X,
            false => Register::D,
        };
        load(register, start.limb(i), lines);
        for step in steps {
            match step {
                Step::With(logic, view) => {
                    with(register, *logic, view.limb(i), &mut has_carry, lines)
                }
                Step::Not => {
                    with(register, Logic::Xor, Limb::Number(0xffff), &mut has_carry, lines)
                }
                Step::Table(table) => {
                    let base = if bases[0] == *table { 'x' } else { 'y' };
                    lines.op("ldaa", &format!("a,{base}"));
                    lines.op("ldab", &format!("b,{base}"));
                }
                _ => unreachable!("the others are no steps by limbs"),
            }
        }
        lines.op(&format!("st{}", register.letter()), &place(target, limbs, i).to_string());
    }
}

/// What an operand of every limb is: the address of the highest limb, or the same number in all of
/// them.
fn alike(view: &View) -> Option<Limb> {
    match view.limb(view.limbs() - 1) {
        Limb::Word(high) => (*view == View::at(high, view.0.len())).then_some(Limb::Word(high)),
        Limb::Number(value) => {
            let is_alike = (0..view.limbs()).all(|i| view.limb(i) == Limb::Number(value));
            is_alike.then_some(Limb::Number(value))
        }
        Limb::Bytes(..) => None,
    }
}

/// The pass as a loop over the limbs, if all operands lie alike and the loop is shorter. Neither
/// LEAY nor TBNE changes the carry.
fn looped(
    start: &View,
    steps: &[Step],
    target: Address,
    is_logic: bool,
    lines: &mut Lines,
) -> bool {
    let limbs = start.limbs();
    let operands = std::iter::once(start).chain(steps.iter().filter_map(|step| match step {
        Step::With(_, view) => Some(view),
        _ => None,
    }));
    if limbs < 4 || operands.map(alike).any(|operand| operand.is_none()) {
        return false;
    }
    // Y counts from behind the lowest limb.
    let text = |limb: Limb| match limb {
        Limb::Word(address) => format!("{address}-2,y"),
        Limb::Number(value) => format!("#{value}"),
        Limb::Bytes(..) => unreachable!("such operands are not looped over"),
    };
    let of = |view: &View| alike(view).map(text).unwrap_or_default();
    let letter = if is_logic { 'x' } else { 'd' };
    lines.op("ldy", &format!("#{}", 2 * limbs));
    if steps.iter().any(Step::is_sum) {
        lines.op("andcc", "#0xfe");
    }
    let label = lines.next_label();
    lines.label(&label);
    lines.op(&format!("ld{letter}"), &of(start));
    for step in steps {
        let (name, operand) = match step {
            Step::With(Logic::Add, view) => ("ade", of(view)),
            Step::With(Logic::Sub, view) => ("sbe", of(view)),
            Step::With(Logic::And, view) => ("and", of(view)),
            Step::With(Logic::Or, view) => ("or", of(view)),
            Step::With(Logic::Xor, view) => ("eor", of(view)),
            _ => ("eor", "#0xffff".to_owned()),
        };
        lines.op(&format!("{name}{letter}"), &operand);
    }
    lines.op(&format!("st{letter}"), &text(Limb::Word(target)));
    lines.op("leay", "-2,y");
    lines.op("tbne", &format!("y,{label}"));
    true
}

fn load(register: Register, limb: Limb, lines: &mut Lines) {
    let letter = register.letter();
    match limb {
        Limb::Word(address) => lines.op(&format!("ld{letter}"), &address.to_string()),
        Limb::Number(value) => lines.op(&format!("ld{letter}"), &format!("#{value}")),
        Limb::Bytes(high, low) => {
            byte_op("lda", 'a', high, lines);
            byte_op("lda", 'b', low, lines);
            if register == Register::X {
                lines.op("tfr", "d,x");
            }
        }
    }
}

fn byte_op(name: &str, letter: char, byte: Byte, lines: &mut Lines) {
    lines.op(&format!("{name}{letter}"), &byte.to_string());
}

/// An operation of a register with a limb. `has_carry` tells whether a lower limb was added.
fn with(register: Register, logic: Logic, limb: Limb, has_carry: &mut bool, lines: &mut Lines) {
    match logic {
        Logic::Add | Logic::Sub => {
            if limb == Limb::Number(0) && !*has_carry {
                return;
            }
            let (word, first, byte) = match logic {
                Logic::Add => ("ade", "add", "adc"),
                _ => ("sbe", "sub", "sbc"),
            };
            let letter = register.letter();
            let with_carry = std::mem::replace(has_carry, true);
            let name = if with_carry { word } else { first };
            match limb {
                Limb::Word(address) => lines.op(&format!("{name}{letter}"), &address.to_string()),
                Limb::Number(value) => lines.op(&format!("{name}{letter}"), &format!("#{value}")),
                Limb::Bytes(high, low) if register == Register::D => {
                    byte_op(if with_carry { byte } else { first }, 'b', low, lines);
                    byte_op(byte, 'a', high, lines);
                }
                Limb::Bytes(high, low) => {
                    gather(high, low, lines);
                    lines.op(&format!("{name}{letter}"), &SCRATCH.to_string());
                }
            }
        }
        Logic::And | Logic::Or | Logic::Xor => logical(register, logic, limb, lines),
    }
}

/// Puts two bytes beside each other.
fn gather(high: Byte, low: Byte, lines: &mut Lines) {
    lines.op("movb", &format!("{high},{SCRATCH}"));
    lines.op("movb", &format!("{low},{}", SCRATCH.plus(1)));
}

fn logical(register: Register, logic: Logic, limb: Limb, lines: &mut Lines) {
    let (word, byte, neutral) = match logic {
        Logic::And => ("and", "and", 0xff),
        Logic::Or => ("or", "ora", 0),
        _ => ("eor", "eor", 0),
    };
    // A number is two bytes; in X it takes an instruction of its own unless it changes nothing.
    let halves = match limb {
        Limb::Word(address) => (Byte::At(address), Byte::At(address.plus(1))),
        Limb::Number(value) => {
            let [high, low] = value.to_be_bytes();
            (Byte::Is(high), Byte::Is(low))
        }
        Limb::Bytes(high, low) => (high, low),
    };
    match (register, limb) {
        (Register::D, _) => {
            for (letter, half) in [('a', halves.0), ('b', halves.1)] {
                if half != Byte::Is(neutral) {
                    byte_op(byte, letter, half, lines);
                }
            }
        }
        (Register::X, Limb::Number(value)) => {
            if value != u16::from_be_bytes([neutral, neutral]) {
                lines.op(&format!("{word}x"), &format!("#{value}"));
            }
        }
        (Register::X, Limb::Word(address)) => lines.op(&format!("{word}x"), &address.to_string()),
        (Register::X, Limb::Bytes(high, low)) => {
            gather(high, low, lines);
            lines.op(&format!("{word}x"), &SCRATCH.to_string());
        }
    }
}

/// 32 bits in D and X.
#[derive(Clone, Copy)]
struct Pair {
    low: Register,
    high: Register,
}

impl Pair {
    /// D takes the half of which more operands lie apart; else the low half, whose additions then
    /// need no prefix.
    fn of(chain: &Chain) -> Self {
        let low_first = Self { low: Register::D, high: Register::X };
        let high_first = Self { low: Register::X, high: Register::D };
        match low_first.apart(chain) <= high_first.apart(chain) {
            true => low_first,
            false => high_first,
        }
    }

    /// How many halves of operands that lie apart X has to take.
    fn apart(mut self, chain: &Chain) -> usize {
        let of = |pair: Self, view: &View| {
            view.is_apart(if pair.low == Register::X { 0 } else { 1 }).into()
        };
        let mut count: usize = of(self, &chain.start);
        for step in &chain.steps {
            match step {
                Step::Exchange => std::mem::swap(&mut self.low, &mut self.high),
                Step::With(_, view) => count += of(self, view),
                _ => {}
            }
        }
        count
    }

    fn write(mut self, chain: &Chain, target: Address, lines: &mut Lines) {
        // Where X's half lies apart it is loaded through D, and therefore first.
        let halves = [(self.low, 0), (self.high, 1)];
        for (register, i) in halves.into_iter().filter(|half| half.0 == Register::X) {
            load(register, chain.start.limb(i), lines);
        }
        for (register, i) in halves.into_iter().filter(|half| half.0 == Register::D) {
            load(register, chain.start.limb(i), lines);
        }
        for step in &chain.steps {
            self.step(step, lines);
        }
        for (register, i) in [(self.low, 0), (self.high, 1)] {
            lines.op(&format!("st{}", register.letter()), &place(target, 2, i).to_string());
        }
    }

    fn step(&mut self, step: &Step, lines: &mut Lines) {
        let mut has_carry = false;
        match step {
            Step::With(logic, view) => {
                with(self.low, *logic, view.limb(0), &mut has_carry, lines);
                with(self.high, *logic, view.limb(1), &mut has_carry, lines);
            }
            Step::Not => {
                for register in [self.low, self.high] {
                    logical(register, Logic::Xor, Limb::Number(0xffff), lines);
                }
            }
            Step::Exchange => std::mem::swap(&mut self.low, &mut self.high),
            Step::RotateLeft(bits) => {
                for _ in 0..*bits {
                    self.bit_left(lines);
                    match self.low {
                        Register::D => lines.op("adcb", "#0"),
                        Register::X => lines.op("adex", "#0"),
                    }
                }
            }
            Step::Left(bits) => (0..*bits).for_each(|_| self.bit_left(lines)),
            Step::RotateRight(bits) => {
                if *bits > 0 {
                    lines.op("tfr", &format!("{},y", self.low.letter()));
                }
                for _ in 0..*bits {
                    lines.op("lsry", "");
                    rotate_right(self.high, lines);
                    rotate_right(self.low, lines);
                }
            }
            Step::Right(bits) => {
                for _ in 0..*bits {
                    lines.op(&format!("lsr{}", self.high.letter()), "");
                    rotate_right(self.low, lines);
                }
            }
            Step::Table(_) | Step::RotateBy(..) => {
                unreachable!("such a chain is written limb by limb")
            }
        }
    }

    /// A shift left by a bit, which leaves the highest one in the carry.
    fn bit_left(self, lines: &mut Lines) {
        lines.op(&format!("lsl{}", self.low.letter()), "");
        match self.high {
            Register::X => lines.op("rolx", ""),
            Register::D => {
                lines.op("rolb", "");
                lines.op("rola", "");
            }
        }
    }
}

/// A rotation of a register through the carry.
fn rotate_right(register: Register, lines: &mut Lines) {
    match register {
        Register::X => lines.op("rorx", ""),
        Register::D => {
            lines.op("rora", "");
            lines.op("rorb", "");
        }
    }
}

/// A shift or a rotation left by one bit, limb by limb through the carry.
fn bit_left(start: &View, target: Address, is_rotation: bool, lines: &mut Lines) {
    let limbs = start.limbs();
    if is_rotation {
        byte_op("lda", 'a', start.0[2 * limbs - 1], lines);
        lines.op("lsla", "");
    }
    for i in 0..limbs {
        load(Register::D, start.limb(i), lines);
        if i == 0 && !is_rotation {
            lines.op("lsld", "");
        } else {
            lines.op("rolb", "");
            lines.op("rola", "");
        }
        lines.op("std", &place(target, limbs, i).to_string());
    }
}

/// A shift or a rotation right by one bit.
fn bit_right(start: &View, target: Address, is_rotation: bool, lines: &mut Lines) {
    let limbs = start.limbs();
    if is_rotation {
        byte_op("lda", 'b', start.0[0], lines);
        lines.op("lsrb", "");
    }
    for i in (0..limbs).rev() {
        load(Register::D, start.limb(i), lines);
        if i + 1 == limbs && !is_rotation {
            lines.op("lsrd", "");
        } else {
            rotate_right(Register::D, lines);
        }
        lines.op("std", &place(target, limbs, i).to_string());
    }
}

/// Multiplies a limb by 2^bits: D takes the low 16 bits of the product, Y the high ones. Returns
/// whether the product is more than zero.
fn product(start: &View, i: usize, bits: u8, lines: &mut Lines) -> bool {
    let limb = start.limb(i);
    if limb == Limb::Number(0) {
        return false;
    }
    load(Register::D, limb, lines);
    lines.op("ldy", &format!("#{}", 1_u32 << bits));
    lines.op("emul", "");
    true
}

/// A shift or a rotation left by 1 to 15 bits: each limb takes what its lower neighbour loses.
fn left(start: &View, target: Address, bits: u8, is_rotation: bool, lines: &mut Lines) {
    let limbs = start.limbs();
    let at = |i| place(target, limbs, i).to_string();
    // Whether the scratch memory holds the bits that the limb before has lost.
    let mut has_lost = false;
    for i in 0..limbs {
        if !product(start, i, bits, lines) {
            match has_lost {
                true => lines.op("movw", &format!("{SCRATCH},{}", at(i))),
                false => lines.op("movw", &format!("#0,{}", at(i))),
            }
            has_lost = false;
            continue;
        }
        if has_lost {
            lines.op("addd", &SCRATCH.to_string());
        }
        lines.op("std", &at(i));
        if i + 1 < limbs {
            lines.op("sty", &SCRATCH.to_string());
        } else if is_rotation {
            lines.op("tfr", "y,d");
            lines.op("addd", &at(0));
            lines.op("std", &at(0));
        }
        has_lost = true;
    }
}

/// A rotation by a variable amount, in the same time for every amount: limbs are read from a place
/// that the amount's bits from bit 4 on say, in a copy of the word twice; EMUL by 2^k, k the low
/// four bits, shifts each and leaves what its upper neighbour takes.
fn rotate_by(start: &View, amount: &View, is_right: bool, target: Address, lines: &mut Lines) {
    let limbs = start.limbs();
    for i in 0..2 * limbs - 1 {
        // The loop goes from the highest limb down.
        let to = TWICE.plus(2 * i);
        match start.limb(limbs - 1 - i % limbs) {
            Limb::Word(from) => lines.op("movw", &format!("{from},{to}")),
            Limb::Number(value) => lines.op("movw", &format!("#{value},{to}")),
            apart @ Limb::Bytes(..) => {
                load(Register::D, apart, lines);
                lines.op("std", &to.to_string());
            }
        }
    }
    let count = |lines: &mut Lines, mask: usize| {
        byte_op("lda", 'b', amount.0[0], lines);
        if is_right {
            lines.op("negb", "");
        }
        lines.op("andb", &format!("#{mask}"));
    };
    count(lines, 15);
    let powers = lines.table(Table::Powers);
    lines.op("ldx", &format!("#{powers}"));
    lines.op("aslb", "");
    lines.op("ldy", "b,x");
    lines.op("sty", &POWER.to_string());
    lines.op("ldx", &format!("#{TWICE}"));
    if limbs > 1 {
        count(lines, 16 * (limbs - 1));
        for _ in 0..3 {
            lines.op("lsrb", "");
        }
        lines.op("leax", "b,x");
    }
    let at = |i: usize| target.plus(2 * i).to_string();
    for i in 0..limbs {
        lines.op("ldd", &format!("{},x", 2 * i));
        lines.op("ldy", &POWER.to_string());
        lines.op("emul", "");
        if i == 0 {
            lines.op("sty", &SCRATCH.to_string());
        }
        if i + 1 == limbs {
            lines.op("addd", &SCRATCH.to_string());
        }
        lines.op("std", &at(i));
        if i > 0 {
            lines.op("tfr", "y,d");
            lines.op("addd", &at(i - 1));
            lines.op("std", &at(i - 1));
        }
    }
}

/// A shift right by 1 to 15 bits: the high half of each product, and what its upper neighbour
/// loses.
fn right(start: &View, target: Address, bits: u8, lines: &mut Lines) {
    let limbs = start.limbs();
    let at = |i| place(target, limbs, i).to_string();
    let mut has_kept = false;
    for i in 0..limbs {
        let is_some = product(start, i, 16 - bits, lines);
        if i > 0 {
            match (is_some, has_kept) {
                (true, true) => {
                    lines.op("addd", &SCRATCH.to_string());
                    lines.op("std", &at(i - 1));
                }
                (true, false) => lines.op("std", &at(i - 1)),
                (false, true) => lines.op("movw", &format!("{SCRATCH},{}", at(i - 1))),
                (false, false) => lines.op("movw", &format!("#0,{}", at(i - 1))),
            }
        }
        match (is_some, i + 1 == limbs) {
            (true, true) => lines.op("sty", &at(i)),
            (true, false) => lines.op("sty", &SCRATCH.to_string()),
            (false, true) => lines.op("movw", &format!("#0,{}", at(i))),
            (false, false) => {}
        }
        has_kept = is_some;
    }
}
