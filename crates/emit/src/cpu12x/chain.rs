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

mod register;
mod shift;

pub(super) use register::{Logic, SCRATCH_BYTES};
pub(super) use shift::ROTATION_BYTES;

use super::operand::{Address, Limb, View};
use super::rules::{self, Sequence};
use super::text::{Lines, Table};
use register::{Register, load, logical, place, rotate_right, with};
use shift::{bit_left, bit_right, left, right, rotate_by};

/// One step of a chain: an operation on the value in the registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    With(Logic, View),
    Not,
    /// A rotation or shift by this many bits, fewer than 16.
    RotateLeft(u8),
    RotateRight(u8),
    Left(u8),
    Right(u8),
    /// The two halves of 32 bits are exchanged.
    Exchange,
    /// A rotation by as many bits as a word says, to the left or to the right.
    RotateBy(View, bool),
    /// Every byte is looked up in a table.
    Table(Table),
}

/// A value that is loaded, and the operations on it in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chain {
    /// The value that is loaded.
    pub start: View,
    /// The operations on the value, in order.
    pub steps: Vec<Step>,
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
    /// Writes the instructions that put the chain's value into `target`, which no operand reads.
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
        let in_place = View::at(target, self.start.0.len());
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
            (start, steps) = (&in_place, &steps[count..]);
        }
    }
}

/// Writes to each place the word XORed with the place's number. A limb is loaded once; from one
/// place to the next it is XORed with the difference of their numbers.
pub(super) fn differing(start: &View, places: &[(View, Address)], lines: &mut Lines) {
    let limbs = start.limbs();
    for i in 0..limbs {
        load(Register::X, start.limb(i), lines);
        let mut before = 0;
        for (number, target) in places {
            let Limb::Number(number) = number.limb(i) else { unreachable!("all are numbers") };
            lines.ops(&rules::xor_next(before, number));
            lines.op("stx", &place(*target, limbs, i).to_string());
            before = number;
        }
    }
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

/// The operand that is alike in every limb: the address of the highest limb, or the same number in
/// all of them.
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

/// The pass as a loop over the limbs, if each operand is [`alike`] in all limbs and the loop is
/// shorter than straight code. Neither LEAY nor TBNE changes the carry.
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
    // Y is 2 for the highest limb and 2 more for each lower one. The loop begins with the lowest
    // limb.
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

/// 32 bits in D and X.
#[derive(Clone, Copy)]
struct Pair {
    low: Register,
    high: Register,
}

impl Pair {
    /// D takes the half in which more operands have their bytes apart. Where both halves have
    /// equally many, D takes the low one, whose additions then need no prefix.
    fn of(chain: &Chain) -> Self {
        let low_first = Self { low: Register::D, high: Register::X };
        let high_first = Self { low: Register::X, high: Register::D };
        match low_first.apart(chain) <= high_first.apart(chain) {
            true => low_first,
            false => high_first,
        }
    }

    /// How many operands have their bytes apart in the half that X has.
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
        let mut steps = &chain.steps[..];
        let first = self.logic_in_x(chain);
        if lines.has_logic_in_x && first > 0 {
            // Logic in X takes 4 cycles and one access to memory, in D 6 cycles and two.
            for i in if self.low == Register::D { [0, 1] } else { [1, 0] } {
                load(Register::X, chain.start.limb(i), lines);
                for step in &steps[..first] {
                    let (logic, limb) = match step {
                        Step::With(logic, view) => (*logic, view.limb(i)),
                        _ => (Logic::Xor, Limb::Number(0xffff)),
                    };
                    logical(Register::X, logic, limb, lines);
                }
                if (self.low == Register::D) == (i == 0) {
                    lines.op("tfr", "x,d");
                }
            }
            steps = &steps[first..];
        } else {
            self.load(chain, lines);
        }
        for step in steps {
            self.step(step, lines);
        }
        for (register, i) in [(self.low, 0), (self.high, 1)] {
            lines.op(&format!("st{}", register.letter()), &place(target, 2, i).to_string());
        }
    }

    /// How many of a chain's first steps X can do for both halves: logic with operands whose bytes
    /// lie side by side.
    fn logic_in_x(self, chain: &Chain) -> usize {
        let is_together = |view: &View| !view.is_apart(0) && !view.is_apart(1);
        let in_x = |step: &&Step| match step {
            Step::With(Logic::And | Logic::Or | Logic::Xor, view) => is_together(view),
            Step::Not => true,
            _ => false,
        };
        match is_together(&chain.start) {
            true => chain.steps.iter().take_while(in_x).count(),
            false => 0,
        }
    }

    /// Loads both halves of a chain's first operand.
    fn load(self, chain: &Chain, lines: &mut Lines) {
        // Where X's half lies apart it is loaded through D, and therefore first.
        let halves = [(self.low, 0), (self.high, 1)];
        for (register, i) in halves.into_iter().filter(|half| half.0 == Register::X) {
            load(register, chain.start.limb(i), lines);
        }
        for (register, i) in halves.into_iter().filter(|half| half.0 == Register::D) {
            load(register, chain.start.limb(i), lines);
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
                self.turn(&rules::TURN_LEFT, *bits, lines);
            }
            Step::Left(bits) => (0..*bits).for_each(|_| self.bit_left(lines)),
            Step::RotateRight(bits) => {
                self.turn(&rules::TURN_RIGHT, *bits, lines);
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

    /// A rotation by `bits` bits.
    fn turn(self, [low_in_d, low_in_x]: &[Sequence; 2], bits: u8, lines: &mut Lines) {
        if bits > 0 {
            let sequence = if self.low == Register::D { low_in_d } else { low_in_x };
            lines.ops(sequence.begin);
            (0..bits).for_each(|_| lines.ops(sequence.each));
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
