//! Words as terms. Words that the definition computes and words that signals carry share their
//! terms.

use manylane_graph::Op;
use manylane_graph::interpret::evaluate;
use manylane_graph::random::split_mix;
use std::collections::HashMap;

/// A term of [`Terms`]. Arguments have smaller numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct TermId(u32);

/// The kind of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum TermKind {
    /// Any value: an input of the compression.
    Free,
    Const(u64),
    Op(Op),
}

/// The number of trials with random inputs.
pub(super) const TRIALS: usize = 8;

#[derive(Clone, Debug)]
struct Term {
    kind: TermKind,
    width: u32,
    args: Vec<TermId>,
    /// Its value in each trial.
    values: [u64; TRIALS],
}

/// Terms, equal ones being one term.
#[derive(Debug, Default)]
pub(super) struct Terms {
    terms: Vec<Term>,
    known: HashMap<(TermKind, u32, Vec<TermId>), TermId>,
    by_values: HashMap<(u32, [u64; TRIALS]), TermId>,
    free: u64,
}

impl Terms {
    /// What a term is: a variable, a constant or an operation.
    pub(super) fn kind(&self, id: TermId) -> TermKind {
        self.terms[id.0 as usize].kind
    }

    /// The width of a term in bits.
    pub(super) fn width(&self, id: TermId) -> u32 {
        self.terms[id.0 as usize].width
    }

    /// The arguments of a term; empty unless it is an operation.
    pub(super) fn args(&self, id: TermId) -> &[TermId] {
        &self.terms[id.0 as usize].args
    }

    /// The values of a term in the random trials.
    pub(super) fn values(&self, id: TermId) -> [u64; TRIALS] {
        self.terms[id.0 as usize].values
    }

    /// A term that has these values in all trials, and therefore, probably, always.
    pub(super) fn with_values(&self, width: u32, values: [u64; TRIALS]) -> Option<TermId> {
        self.by_values.get(&(width, values)).copied()
    }

    /// A new variable.
    pub(super) fn free(&mut self, width: u32) -> TermId {
        let first = self.free;
        self.free += TRIALS as u64;
        let values = std::array::from_fn(|i| random(first + i as u64) & mask(width));
        let id = self.push(Term { kind: TermKind::Free, width, args: Vec::new(), values });
        self.found(id)
    }

    /// The term of a constant of `width` bits.
    pub(super) fn constant(&mut self, value: u64, width: u32) -> TermId {
        let key = (TermKind::Const(value), width, Vec::new());
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let kind = TermKind::Const(value);
        let id = self.push(Term { kind, width, args: Vec::new(), values: [value; TRIALS] });
        self.known.insert(key, id);
        self.found(id)
    }

    /// The term that is known to be this operation, if there is one.
    pub(super) fn lookup(&self, op: Op, width: u32, args: &[TermId]) -> Option<TermId> {
        self.known.get(&key(op, width, args)).copied()
    }

    /// An operation that no term is known for, as a term without a name. It is known from
    /// [`Terms::call`] on.
    pub(super) fn anonymous(&mut self, op: Op, width: u32, args: &[TermId]) -> TermId {
        let of_trial = |i: usize| {
            let args: Vec<u64> = args.iter().map(|arg| self.values(*arg)[i]).collect();
            evaluate(op, width as u8, &args)
        };
        let values = std::array::from_fn(of_trial);
        self.push(Term { kind: TermKind::Op(op), width, args: args.to_vec(), values })
    }

    /// Records that an operation is `id` wherever it occurs from now on.
    pub(super) fn call(&mut self, op: Op, width: u32, args: &[TermId], id: TermId) {
        self.known.insert(key(op, width, args), id);
        self.found(id);
    }

    fn push(&mut self, term: Term) -> TermId {
        self.terms.push(term);
        TermId(self.terms.len() as u32 - 1)
    }

    fn found(&mut self, id: TermId) -> TermId {
        let term = &self.terms[id.0 as usize];
        self.by_values.entry((term.width, term.values)).or_insert(id);
        id
    }
}

fn key(op: Op, width: u32, args: &[TermId]) -> (TermKind, u32, Vec<TermId>) {
    let mut args = args.to_vec();
    if op.is_commutative() {
        args.sort();
    }
    (TermKind::Op(op), width, args)
}

/// The word whose low `width` bits are 1, for 1 to 64 bits.
pub(super) fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// The `i`-th random number, counted from 0.
pub(super) fn random(i: u64) -> u64 {
    split_mix(i.wrapping_add(1))
}
