//! 3:2 rows: three terms of a sum made two.
//!
//! ```text
//!    x  y  z
//!    └──┼──┘
//!    ┌──┴──┐
//!   sum  carry      sum + carry = x + y + z
//! ```

use super::cut::{Cuts, Frontier};
use super::lemma::{self, Lemma};
use super::term::{Kind, TermId, mask, random};
use manylane_graph::Op;
use std::collections::{BTreeSet, HashMap, HashSet};

/// A 3:2 row's other view: `sum + other = x + y + z`, so `sum` is `x + y + z - other`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) terms: [TermId; 3],
    pub(super) other: TermId,
}

impl Cuts {
    /// The row that a term is half of, if there is one: three terms of which it is a bitwise
    /// function, shifted left or not, such that their sum less this term is a known term.
    pub(super) fn row(&self, half: TermId) -> Option<Row> {
        let shifted = self.terms.kind(half) == Kind::Op(Op::Shl(1));
        let top = if shifted { self.terms.args(half)[0] } else { half };
        let width = self.terms.width(half);
        self.bitwise_threes(top).into_iter().find_map(|terms| {
            let missing = std::array::from_fn(|i| {
                let [x, y, z] = terms.map(|term| self.terms.values(term)[i]);
                let sum = x.wrapping_add(y).wrapping_add(z);
                sum.wrapping_sub(self.terms.values(half)[i]) & mask(width)
            });
            let other = self.terms.with_values(width, missing)?;
            let row = Row { terms, other };
            let is_half = other != half && !terms.contains(&other);
            (is_half && self.row_lemma(half, row).is_some()).then_some(row)
        })
    }

    /// Three terms, in every way in which a term is a bitwise function of three.
    fn bitwise_threes(&self, top: TermId) -> Vec<[TermId; 3]> {
        let mut threes = Vec::new();
        let mut seen = HashSet::new();
        let mut open = vec![BTreeSet::from([top])];
        while let Some(terms) = open.pop() {
            let list: Vec<TermId> = terms.iter().copied().collect();
            threes.extend(<[TermId; 3]>::try_from(&list[..]));
            for term in list {
                if matches!(self.terms.kind(term), Kind::Op(op) if op.is_bitwise()) {
                    let mut lower = terms.clone();
                    lower.remove(&term);
                    lower.extend(self.terms.args(term));
                    if lower.len() <= 4 && seen.len() < MOST_WAYS && seen.insert(lower.clone()) {
                        open.push(lower);
                    }
                }
            }
        }
        threes
    }

    /// That a row's halves have the sum of its terms, unless trials say otherwise.
    pub(super) fn row_lemma(&self, half: TermId, row: Row) -> Option<Lemma> {
        let frontier = Frontier::over(row.terms);
        let mask = mask(self.terms.width(half));
        let holds = (0..16).all(|trial| {
            let values = [0, 1, 2].map(|i| random(trial << 32 | i) & mask);
            let mut known: HashMap<TermId, u64> = row.terms.into_iter().zip(values).collect();
            let halves = [half, row.other].map(|half| self.value(half, &frontier, &mut known));
            let sum = |values: &[u64]| values.iter().fold(0, |sum: u64, &x| sum.wrapping_add(x));
            sum(&values) & mask == sum(&halves) & mask
        });
        let lemma = holds.then(|| lemma::row(&self.terms, half, row, &frontier))?;
        (!self.refuted.contains(&lemma.text)).then_some(lemma)
    }
}

/// Most ways in which a term is looked into.
const MOST_WAYS: usize = 64;
