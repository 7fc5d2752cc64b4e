//! Cuts. A cut is a set of terms below two others such that the two are equal for all values of the
//! terms in the set.
//!
//! ```text
//!      e after round 17          s0_add61 in clock 19
//!             +                          +
//!          ╱  │  ╲                    ╱     ╲
//!        +    ch   W               3:2       3:2          one lemma over h, Σ1, ch, K, W, d
//!       ╱ ╲                        │││       │││
//!  ─ ─ h ─ Σ1 ─ ─ ─ ─ the cut ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─
//! ```
//!
//! The highest cut for which random values do not tell the terms apart becomes a lemma; the lemmas
//! of different turns are mostly the same one. A lemma that turns out wrong is left out the next
//! time, and a lower cut is taken.

use super::frontier::Frontier;
use super::lemma::{self, Lemma};
use super::row::{row_lemma, row_of};
use super::term::{TermId, TermKind, Terms, mask, random};
use manylane_graph::Op;
use manylane_graph::interpret::evaluate;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Two terms found equal.
#[derive(Clone, Debug)]
pub(super) struct MergedTerm {
    /// The term that was known before the other one.
    pub(super) term: TermId,
    /// The lemmas on which the equality rests: its own and those of its rows.
    pub(super) lemmas: Vec<usize>,
}

/// Terms among which equal ones are merged.
#[derive(Debug, Default)]
pub(super) struct Cuts {
    pub(super) terms: Terms,
    /// Lemmas on which merged terms rest, each once.
    pub(super) lemmas: Vec<Lemma>,
    /// Equal terms found so far.
    pub(super) cuts: Vec<MergedTerm>,
    /// Operations that equal a known term by structure.
    pub(super) shared: usize,
    numbers: HashMap<String, usize>,
    /// Lemmas that are not to be used.
    pub(super) refuted: HashSet<String>,
    /// Terms for which no cut was found, and the terms above them. The search is not repeated for
    /// these.
    given_up: HashSet<TermId>,
}

/// The largest number of terms that are expanded for one cut.
const DEEPEST: usize = 160;
/// The largest number of cuts that are tried after the highest one is refuted.
const FALLBACKS: usize = 2;

impl Cuts {
    /// No terms yet; lemmas whose formula is in `refuted` are not used again.
    pub(super) fn without(refuted: HashSet<String>) -> Self {
        Self { refuted, ..Self::default() }
    }

    /// The term of an operation: a known term, if one is found to be equal.
    pub(super) fn op(&mut self, op: Op, width: u32, args: &[TermId]) -> TermId {
        let constant = |&arg: &TermId| match self.terms.kind(arg) {
            TermKind::Const(value) => Some(value),
            TermKind::Free | TermKind::Op(_) => None,
        };
        if let Some(values) = args.iter().map(constant).collect::<Option<Vec<u64>>>() {
            return self.terms.constant(evaluate(op, width as u8, &values), width);
        }
        if let Some(known) = self.terms.lookup(op, width, args) {
            self.shared += 1;
            return known;
        }
        let new = self.terms.anonymous(op, width, args);
        if args.iter().any(|arg| self.given_up.contains(arg)) {
            self.given_up.insert(new);
            self.terms.call(op, width, args, new);
            return new;
        }
        let same = self.terms.with_values(width, self.terms.values(new));
        let equal = same.filter(|&same| self.join(new, same)).unwrap_or(new);
        self.terms.call(op, width, args, equal);
        equal
    }

    /// Whether there is a cut under two terms.
    fn join(&mut self, new: TermId, old: TermId) -> bool {
        let mut refused = 0;
        let mut ways = [true, false].into_iter();
        let found = ways.find_map(|rows| self.find(new, old, rows, &mut refused));
        let Some((frontier, lemma)) = found else {
            // If nothing was refused, the random trials agreed by chance, which happens for words
            // with few ones. The terms above this one are still tried.
            if refused > 0 {
                self.given_up.insert(new);
            }
            return false;
        };
        let mut lemmas = vec![self.lemma(lemma)];
        let rows: BTreeSet<TermId> = frontier.rows.keys().copied().collect();
        for sum in rows {
            let row = row_lemma(&self.terms, &self.refuted, sum, frontier.rows[&sum]);
            lemmas.push(self.lemma(row.expect("rows are looked at when they are found")));
        }
        self.cuts.push(MergedTerm { term: old, lemmas });
        true
    }

    fn lemma(&mut self, lemma: Lemma) -> usize {
        let number = *self.numbers.entry(lemma.text.clone()).or_insert(self.lemmas.len());
        if number == self.lemmas.len() {
            self.lemmas.push(lemma);
        }
        self.lemmas[number].uses += 1;
        number
    }

    /// The highest cut that no trial and no earlier attempt refutes, and its lemma.
    fn find(
        &self,
        new: TermId,
        old: TermId,
        rows: bool,
        refused: &mut usize,
    ) -> Option<(Frontier, Lemma)> {
        let mut frontier = Frontier::over(self.terms.args(new).iter().copied().chain([old]));
        for _ in 0..DEEPEST {
            for literal in [false, true] {
                frontier.literal = literal;
                if self.agree(new, old, &frontier) {
                    let lemma = lemma::equal(&self.terms, new, old, &frontier);
                    if !self.refuted.contains(&lemma.text) {
                        return Some((frontier, lemma));
                    }
                    *refused += 1;
                    if *refused > FALLBACKS {
                        return None;
                    }
                }
            }
            let next = self.next(new, old, &frontier)?;
            self.expand(next, &mut frontier, rows);
        }
        None
    }

    /// The term to expand next: the latest that only one side has, otherwise the latest.
    fn next(&self, new: TermId, old: TermId, frontier: &Frontier) -> Option<TermId> {
        let (left, right) = (self.reached(new, frontier), self.reached(old, frontier));
        let inside = |term: &&TermId| {
            matches!(self.terms.kind(**term), TermKind::Op(_)) && !frontier.pinned.contains(term)
        };
        let apart = left.symmetric_difference(&right).filter(inside).max();
        apart.or_else(|| left.intersection(&right).filter(inside).max()).copied()
    }

    fn expand(&self, term: TermId, frontier: &mut Frontier, rows: bool) {
        frontier.free.remove(&term);
        match row_of(&self.terms, &self.refuted, term)
            .filter(|row| rows && !frontier.rows.contains_key(&row.other))
        {
            Some(row) => {
                frontier.rows.insert(term, row);
                frontier.pinned.insert(row.other);
                frontier.free.insert(row.other);
                frontier.free.extend(row.terms);
            }
            None => frontier.free.extend(self.terms.args(term)),
        }
    }

    /// The free terms under a term.
    fn reached(&self, top: TermId, frontier: &Frontier) -> BTreeSet<TermId> {
        let (mut reached, mut seen, mut open) = (BTreeSet::new(), HashSet::new(), vec![top]);
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            if frontier.free.contains(&term) {
                reached.insert(term);
            } else {
                open.extend(frontier.below(&self.terms, term));
            }
        }
        reached
    }

    /// Whether two terms agree for random values of the free terms.
    fn agree(&self, new: TermId, old: TermId, frontier: &Frontier) -> bool {
        (0..16).all(|trial| {
            let mut known: HashMap<TermId, u64> = HashMap::new();
            let free =
                frontier.free.iter().filter(|&&term| !frontier.is_literal(&self.terms, term));
            for (i, &term) in free.enumerate() {
                let value = random(trial << 32 | i as u64) & mask(self.terms.width(term));
                known.insert(term, value);
            }
            let [new, old] = [new, old].map(|top| frontier.value(&self.terms, top, &mut known));
            new == old
        })
    }
}
