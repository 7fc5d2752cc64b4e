//! 3:2 rows, which reduce three terms of a sum to two.
//!
//! ```text
//!    x  y  z
//!    └──┼──┘
//!    ┌──┴──┐
//!   sum  carry      sum + carry = x + y + z
//! ```

use super::frontier::{Frontier, Row};
use super::lemma::{self, Lemma};
use super::term::{TermId, TermKind, Terms, mask, random};
use manylane_graph::Op;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The row of which a term is a half, if it is one. The term is a bitwise function of three terms,
/// perhaps shifted left by 1; the sum of the three less this half is a known term, the other half.
pub(super) fn row_of(terms: &Terms, refuted: &HashSet<String>, half: TermId) -> Option<Row> {
    let shifted = terms.kind(half) == TermKind::Op(Op::Shl(1));
    let top = if shifted { terms.args(half)[0] } else { half };
    let width = terms.width(half);
    bitwise_threes(terms, top).into_iter().find_map(|three| {
        let missing = std::array::from_fn(|i| {
            let [x, y, z] = three.map(|term| terms.values(term)[i]);
            let sum = x.wrapping_add(y).wrapping_add(z);
            sum.wrapping_sub(terms.values(half)[i]) & mask(width)
        });
        let other = terms.with_values(width, missing)?;
        let row = Row { terms: three, other };
        let is_half = other != half && !three.contains(&other);
        (is_half && row_lemma(terms, refuted, half, row).is_some()).then_some(row)
    })
}

/// The sets of three terms of which a term is a bitwise function.
fn bitwise_threes(terms: &Terms, top: TermId) -> Vec<[TermId; 3]> {
    let mut threes = Vec::new();
    let mut seen = HashSet::new();
    let mut open = vec![BTreeSet::from([top])];
    while let Some(of) = open.pop() {
        let list: Vec<TermId> = of.iter().copied().collect();
        threes.extend(<[TermId; 3]>::try_from(&list[..]));
        for term in list {
            if matches!(terms.kind(term), TermKind::Op(op) if op.is_bitwise()) {
                let mut lower = of.clone();
                lower.remove(&term);
                lower.extend(terms.args(term));
                if lower.len() <= 4 && seen.len() < MOST_WAYS && seen.insert(lower.clone()) {
                    open.push(lower);
                }
            }
        }
    }
    threes
}

/// The lemma that the sum of a row's halves is the sum of its terms, unless random trials refute
/// it.
pub(super) fn row_lemma(
    terms: &Terms,
    refuted: &HashSet<String>,
    half: TermId,
    row: Row,
) -> Option<Lemma> {
    let frontier = Frontier::over(row.terms);
    let mask = mask(terms.width(half));
    let holds = (0..16).all(|trial| {
        let values = [0, 1, 2].map(|i| random(trial << 32 | i) & mask);
        let mut known: HashMap<TermId, u64> = row.terms.into_iter().zip(values).collect();
        let halves = [half, row.other].map(|half| frontier.value(terms, half, &mut known));
        let sum = |values: &[u64]| values.iter().fold(0, |sum: u64, &x| sum.wrapping_add(x));
        sum(&values) & mask == sum(&halves) & mask
    });
    let lemma = holds.then(|| lemma::row(terms, half, row, &frontier))?;
    (!refuted.contains(&lemma.text)).then_some(lemma)
}

/// The largest number of ways in which a term is expanded.
const MOST_WAYS: usize = 64;
