//! The operations on words of several limbs.

use crate::builder::Builder;
use crate::interpret::mask;
use crate::ir::{Kind, NodeId, Op, StepId};
use std::collections::BTreeMap;

/// The limbs of a word, low limb first.
type Word = Vec<NodeId>;

/// The function on limbs that is being built.
pub(super) struct Narrowed {
    /// Bits of a limb.
    pub(super) bits: u8,
    pub(super) builder: Builder,
    /// For each step of the old function and each limb, the substep of the operations on that limb.
    pub(super) lanes: BTreeMap<(StepId, usize), StepId>,
}

/// Splits one operation of the old function into operations on limbs, in the substeps of `step`.
pub(super) struct Wide<'n> {
    pub(super) new: &'n mut Narrowed,
    pub(super) step: StepId,
    /// The bits of its value that are needed.
    pub(super) demanded: u64,
}

impl Wide<'_> {
    /// The limbs of the operation's value.
    pub(super) fn node(&mut self, op: Op, args: &[Word]) -> Word {
        let x = &args[0];
        match op {
            Op::Add => args[1..].iter().fold(x.clone(), |sum, y| self.add(&sum, y, None).0),
            Op::Carry => {
                let carry_in = args.get(2).map(|carry| carry[0]);
                let carry = self.add(x, &args[1], carry_in).1;
                let mut word = vec![self.constant(0); x.len()];
                word[0] = carry.unwrap_or(word[0]);
                word
            }
            Op::Sub => self.sub(x, &args[1]),
            Op::And
            | Op::Or
            | Op::Xor
            | Op::Xnor
            | Op::Not
            | Op::Lut3(_)
            | Op::SubBytes
            | Op::Xtime => self.each(op, args),
            Op::Rotl(n) => self.moved(x, -i16::from(n), true),
            Op::Rotr(n) => self.moved(x, n.into(), true),
            Op::Shl(n) => self.moved(x, -i16::from(n), false),
            Op::Shr(n) => self.moved(x, n.into(), false),
            Op::RotlVar => self.rotl_var(x, args[1][0]),
            Op::RotrVar => {
                let zero = self.constant(0);
                let by = self.op(0, Op::Sub, &[zero, args[1][0]]);
                self.rotl_var(x, by)
            }
            Op::SwapBytes => {
                let exchanged: Word = x.iter().rev().copied().collect();
                if self.new.bits == 8 { exchanged } else { self.each(op, &[exchanged]) }
            }
            Op::Input(_) | Op::Const(_) | Op::Call(_) | Op::Result(_) | Op::External => {
                unreachable!("{op:?} is no operation on words")
            }
        }
    }

    fn constant(&mut self, value: u64) -> NodeId {
        self.new.builder.constant(value, self.new.bits)
    }

    /// Adds an operation in the substep of limb `i`.
    fn op(&mut self, i: usize, op: Op, args: &[NodeId]) -> NodeId {
        let Narrowed { builder, lanes, .. } = &mut *self.new;
        let around = builder.open_step();
        let lane = *lanes
            .entry((self.step, i))
            .or_insert_with(|| builder.substep(around, (Kind::Lane, "limb", i as u32), &[]));
        builder.within(lane, |b| b.op(op, args))
    }

    /// An operation limb by limb.
    fn each(&mut self, op: Op, args: &[Word]) -> Word {
        let limb = |i| args.iter().map(|arg| arg[i]).collect::<Vec<_>>();
        (0..args[0].len()).map(|i| self.op(i, op, &limb(i))).collect()
    }

    /// x + y + carry, and the carry out of it if there can be one.
    fn add(&mut self, x: &[NodeId], y: &[NodeId], carry: Option<NodeId>) -> (Word, Option<NodeId>) {
        let zero = self.constant(0);
        let mut carry = carry;
        let mut sum = Vec::with_capacity(x.len());
        for (i, (&x, &y)) in x.iter().zip(y).enumerate() {
            let terms = [Some(x), Some(y), carry].into_iter().flatten();
            let terms: Vec<NodeId> = terms.filter(|&term| term != zero).collect();
            let limb = match terms[..] {
                [] => zero,
                [term] => term,
                _ => self.op(i, Op::Add, &terms),
            };
            sum.push(limb);
            carry = (terms.len() > 1).then(|| self.op(i, Op::Carry, &terms));
        }
        (sum, carry)
    }

    /// x − y = x + ¬y + 1: a carry of 1 means that there is no borrow.
    fn sub(&mut self, x: &[NodeId], y: &[NodeId]) -> Word {
        let not_y: Word = y.iter().enumerate().map(|(i, &y)| self.op(i, Op::Not, &[y])).collect();
        let one = self.constant(1);
        let (mut difference, _) = self.add(x, &not_y, Some(one));
        difference[0] = self.op(0, Op::Sub, &[x[0], y[0]]);
        difference
    }

    /// The word whose bit i is bit i + `by` of x. Outside of x there are zeros, or, if it `wraps`,
    /// the bits of x again.
    fn moved(&mut self, x: &[NodeId], by: i16, wraps: bool) -> Word {
        let (bits, limbs) = (i16::from(self.new.bits), x.len() as i16);
        let zero = self.constant(0);
        let limb = |j: i16| match wraps {
            true => x[j.rem_euclid(limbs) as usize],
            false => usize::try_from(j).ok().and_then(|j| x.get(j)).copied().unwrap_or(zero),
        };
        let (whole, part) = (by.div_euclid(bits), by.rem_euclid(bits));
        let word = (0..limbs).map(|i| {
            let (low_limb, high_limb) = (limb(i + whole), limb(i + whole + 1));
            if part == 0 {
                return low_limb;
            }
            let demanded = self.demanded >> (bits * i) & mask(bits as u8);
            let (i, above) = (i as usize, (bits - part) as u8);
            let low = demanded & (mask(bits as u8) >> part) != 0;
            let low = low.then(|| self.op(i, Op::Shr(part as u8), &[low_limb]));
            let high = demanded >> above != 0;
            let high = high.then(|| self.op(i, Op::Shl(above), &[high_limb]));
            match (high, low) {
                (Some(high), Some(low)) => self.op(i, Op::Or, &[high, low]),
                (high, low) => high.or(low).unwrap_or(zero),
            }
        });
        word.collect()
    }

    /// Rotation left by a word of which `by` is the low limb.
    fn rotl_var(&mut self, x: &[NodeId], by: NodeId) -> Word {
        let (zero, one) = (self.constant(0), self.constant(1));
        let mut word = x.to_vec();
        for bit in 0..x.len().ilog2() {
            // The word `set` is all ones if this bit of the amount is set, which moves the limbs by
            // 2^bit places.
            let shift = self.new.bits.ilog2() + bit;
            let amount = self.op(0, Op::Shr(shift as u8), &[by]);
            let amount = self.op(0, Op::And, &[amount, one]);
            let set = self.op(0, Op::Sub, &[zero, amount]);
            word = self.exchanged(&word, 1 << bit, set);
        }
        // Each limb rotates by k, the amount mod `bits`. Its low k bits then belong into the limb
        // above.
        let by_limb: Word = (0..x.len()).map(|i| self.op(i, Op::RotlVar, &[word[i], by])).collect();
        let power = self.op(0, Op::RotlVar, &[one, by]);
        let low_bits = self.op(0, Op::Sub, &[power, one]);
        self.exchanged(&by_limb, 1, low_bits)
    }

    /// Replaces the bits of `mask` in each limb by those of the limb `distance` places below.
    fn exchanged(&mut self, x: &[NodeId], distance: usize, mask: NodeId) -> Word {
        let word = (0..x.len()).map(|i| {
            let below = x[(i + x.len() - distance) % x.len()];
            let differ = self.op(i, Op::Xor, &[x[i], below]);
            let differ = self.op(i, Op::And, &[mask, differ]);
            self.op(i, Op::Xor, &[x[i], differ])
        });
        word.collect()
    }
}
