//! The frontier between two terms and the terms that may have any value: the cut itself, and the
//! rows that were found above it.

use super::term::{TermId, TermKind, Terms, mask};
use manylane_graph::interpret::evaluate;
use std::collections::{BTreeSet, HashMap, HashSet};

/// A 3:2 row's other view: `sum + other = x + y + z`, so `sum` is `x + y + z - other`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The terms that are added: x, y and z.
    pub(super) terms: [TermId; 3],
    /// The row's other result.
    pub(super) other: TermId,
}

/// The terms that may have any value, and the facts about the terms above them.
#[derive(Clone, Debug, Default)]
pub(super) struct Frontier {
    /// Terms that stand for any value.
    pub(super) free: BTreeSet<TermId>,
    /// Terms above the free ones that are half of a row.
    pub(super) rows: HashMap<TermId, Row>,
    /// The other halves of these rows, which cancel each other and are not looked into.
    pub(super) pinned: HashSet<TermId>,
    /// Whether constants have their values. Otherwise they may have any value too.
    pub(super) literal: bool,
}

impl Frontier {
    /// The frontier of exactly these terms; constants among them may have any value too.
    pub(super) fn over(terms: impl IntoIterator<Item = TermId>) -> Self {
        Self { free: terms.into_iter().collect(), ..Self::default() }
    }

    /// The terms from which a term that is not free is computed.
    pub(super) fn below(&self, terms: &Terms, term: TermId) -> Vec<TermId> {
        match self.rows.get(&term) {
            Some(Row { terms: [x, y, z], other }) => vec![*x, *y, *z, *other],
            None => terms.args(term).to_vec(),
        }
    }

    /// Whether a term is a constant that has its value.
    pub(super) fn is_literal(&self, terms: &Terms, term: TermId) -> bool {
        self.literal && matches!(terms.kind(term), TermKind::Const(_))
    }

    /// The value of a term, given the values of the free terms.
    pub(super) fn value(
        &self,
        terms: &Terms,
        top: TermId,
        known: &mut HashMap<TermId, u64>,
    ) -> u64 {
        if let Some(&value) = known.get(&top) {
            return value;
        }
        let width = terms.width(top);
        let below = self.below(terms, top);
        let args: Vec<u64> = below.iter().map(|&arg| self.value(terms, arg, known)).collect();
        let value = match (self.rows.get(&top), terms.kind(top)) {
            (Some(_), _) => {
                args[0].wrapping_add(args[1]).wrapping_add(args[2]).wrapping_sub(args[3])
                    & mask(width)
            }
            (None, TermKind::Const(value)) => value,
            (None, TermKind::Op(op)) => evaluate(op, width as u8, &args),
            (None, TermKind::Free) => terms.values(top)[0],
        };
        known.insert(top, value);
        value
    }
}
