//! Applies the rules to nodes when they are made.

use super::{Id, Limbs, Op};
use crate::xgate::rules::Amount::{self, By, More, Of, Rest};
use crate::xgate::rules::Term::{
    self, And, Choose, Exchange, Funnel, Insert, Is, Mask, Not, Or, Pack, Rotate, Unmasked, Xor,
};
use crate::xgate::rules::{Numbers, RULES, Rule};

/// What the words and numbers of a pattern are in a node that it matches.
#[derive(Clone, Copy, Default)]
struct Bound {
    words: [Option<Id>; 4],
    mask: Option<u16>,
    by: Option<u8>,
    more: Option<u8>,
}

impl Bound {
    fn numbers(&self) -> Numbers {
        Numbers {
            mask: self.mask.unwrap_or(0),
            by: self.by.unwrap_or(0),
            more: self.more.unwrap_or(0),
        }
    }

    fn amount(&mut self, amount: Amount, is: u8) -> bool {
        match amount {
            By => *self.by.get_or_insert(is) == is,
            More => *self.more.get_or_insert(is) == is,
            Rest => *self.by.get_or_insert(16 - is) == 16 - is,
            Amount::Is(number) => number == is,
            Of(_) => false,
        }
    }

    /// Whether a node is the term, as far as words and numbers are known.
    fn node(&mut self, limbs: &Limbs, term: Term, id: Id) -> bool {
        match term {
            Term::Word(i) => *self.words[i].get_or_insert(id) == id,
            Term::Some(i) => limbs.value(id) != Some(0) && self.node(limbs, Term::Word(i), id),
            Is(number) => limbs.value(id) == Some(number),
            Mask => limbs.value(id).is_some_and(|is| *self.mask.get_or_insert(is) == is),
            Unmasked => limbs.value(id).is_some_and(|is| *self.mask.get_or_insert(!is) == !is),
            _ => self.op(limbs, term, limbs.ops[id]) || self.op(limbs, term, turned(limbs.ops[id])),
        }
    }

    /// Whether an operation, with its arguments in this order, is the term. If it is another
    /// operation, nothing is bound.
    fn op(&mut self, limbs: &Limbs, term: Term, op: Op) -> bool {
        let (args, amounts): (&[Id], Option<(Amount, u8)>) = match (term, &op) {
            (Not(_), Op::Not(a)) => (&[*a], None),
            (And(_), Op::And(a, b)) | (Or(_), Op::Or(a, b)) | (Xor(_), Op::Xor(a, b)) => {
                (&[*a, *b], None)
            }
            (Pack(_), Op::Pack(high, low)) => (&[*high, *low], None),
            (Choose(_), Op::Choose(x, y, z)) => (&[*x, *y, *z], None),
            (Funnel(_, by), Op::Funnel(high, low, is)) => (&[*high, *low], Some((by, *is))),
            (Rotate(_, by), Op::Rotate(a, is)) => (&[*a], Some((by, *is))),
            // The other operations occur in replacements only, never in patterns.
            _ => return false,
        };
        let mut bound = *self;
        let mut pairs = term.parts().iter().zip(args);
        let is_it = pairs.all(|(&term, &id)| bound.node(limbs, term, id))
            && amounts.is_none_or(|(amount, is)| bound.amount(amount, is));
        if is_it {
            *self = bound;
        }
        is_it
    }
}

/// An operation with its two arguments in the other order, if they may change places.
fn turned(op: Op) -> Op {
    match op {
        Op::And(a, b) => Op::And(b, a),
        Op::Or(a, b) => Op::Or(b, a),
        Op::Xor(a, b) => Op::Xor(b, a),
        _ => op,
    }
}

impl Limbs {
    /// The word that a rule has for an operation, if one matches.
    pub(super) fn simplified(&mut self, op: Op) -> Option<Id> {
        for op in [op, turned(op)] {
            for Rule { pattern, when, replacement, .. } in &RULES {
                let mut bound = Bound::default();
                if bound.op(self, *pattern, op) && when(bound.numbers()) {
                    begin(self, *replacement, &bound);
                    return Some(made(self, *replacement, &bound));
                }
            }
        }
        None
    }
}

/// Makes a term's numbers and complements, which come before all that takes them.
fn begin(limbs: &mut Limbs, term: Term, of: &Bound) {
    match term {
        Is(_) | Mask | Unmasked | Not(_) => {
            made(limbs, term, of);
        }
        _ => term.parts().iter().for_each(|&part| begin(limbs, part, of)),
    }
}

/// Makes a term's nodes, from left to right.
fn made(limbs: &mut Limbs, term: Term, of: &Bound) -> Id {
    let numbers = of.numbers();
    let parts: Vec<Id> = term.parts().iter().map(|&part| made(limbs, part, of)).collect();
    match (term, &parts[..]) {
        (Term::Word(i) | Term::Some(i), _) => of.words[i].expect("a pattern has all its words"),
        (Is(number), _) => limbs.constant(number),
        (Mask, _) => limbs.constant(numbers.mask),
        (Unmasked, _) => limbs.constant(!numbers.mask),
        (Not(_), &[a]) => limbs.not(a),
        (And(_), &[a, b]) => limbs.and(a, b),
        (Or(_), &[a, b]) => limbs.or(a, b),
        (Xor(_), &[a, b]) => limbs.xor(a, b),
        (Pack(_), &[high, low]) => limbs.pack(high, low),
        (Choose(_), &[x, y, z]) => limbs.choose(x, y, z),
        (Funnel(_, by), &[high, low]) => limbs.funnel(high, low, by.value(numbers)),
        (Rotate(_, by), &[a]) => limbs.rotate(a, by.value(numbers) % 16),
        (Exchange(_, by), &[a]) => limbs.exchange(a, by.value(numbers)),
        (Insert(_, width, offset), &[into, from]) => {
            limbs.insert(into, from, width.value(numbers), offset.value(numbers))
        }
        _ => unreachable!("a term has the parts of its operation"),
    }
}
