//! Whether two words are equal for all values of what they depend on.
//!
//! These ways are tried in order: the words are the same gates; they differ under random values;
//! they depend on so few bits that all values can be tried; a solver decides. The solver is first
//! asked with words that are known to be equal as variables, and if that does not suffice, without
//! such variables.

use super::aig::{Aig, Lit, Node};
use crate::prove::solver::Solver;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// Values of inputs, by their gates, under which two words differ.
pub(super) type Example = HashMap<usize, bool>;

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Equal,
    Differ(Example),
    /// Neither could be shown, with the message of the solver.
    Open(String),
}

/// What proves words equal, and how often it did so by which means.
pub(super) struct Equality<'s> {
    solver: &'s Solver,
    /// Gates of words that both sides have in common.
    known: HashSet<usize>,
    /// Words that are the same gates.
    pub(super) by_structure: usize,
    /// Words of which all values were tried.
    pub(super) by_values: usize,
    /// Words that the solver decided.
    pub(super) by_solver: usize,
}

/// Bits whose values are all tried.
const FEW: usize = 16;

impl<'s> Equality<'s> {
    /// Nothing is known to be equal yet.
    pub(super) fn new(solver: &'s Solver) -> Self {
        let known = HashSet::new();
        Self { solver, known, by_structure: 0, by_values: 0, by_solver: 0 }
    }

    /// Records a word as equal on both sides, so that later questions may replace it by variables.
    pub(super) fn know(&mut self, word: &[Lit]) {
        self.known.extend(word.iter().map(|bit| bit.node()));
    }

    /// Compares two words of one width, by the ways that the module names, in their order.
    pub(super) fn of(&mut self, aig: &Aig, one: &[Lit], other: &[Lit]) -> Verdict {
        let pairs = one.iter().zip(other).map(|(&one, &other)| (one, other));
        let open: Vec<(Lit, Lit)> = pairs.filter(|(one, other)| one != other).collect();
        if open.is_empty() {
            self.by_structure += 1;
            return Verdict::Equal;
        }
        for &(one, other) in &open {
            let (x, y) = (aig.values(one), aig.values(other));
            let differ = (0..x.len()).find(|&i| x[i] != y[i]);
            if let Some(i) = differ {
                let bit = (x[i] ^ y[i]).trailing_zeros();
                return Verdict::Differ(values_in(aig, &open, i, bit));
            }
        }
        let mut hard = Vec::new();
        for &(one, other) in &open {
            let is_known = |node| self.is_known(node, &[one, other]);
            match try_all(aig, one, other, is_known) {
                Tried::Equal => {}
                Tried::Differ(example) if example.keys().all(|node| !is_known(*node)) => {
                    return Verdict::Differ(example);
                }
                Tried::Differ(_) | Tried::Many => hard.push((one, other)),
            }
        }
        if hard.is_empty() {
            self.by_values += 1;
            return Verdict::Equal;
        }
        let verdict = self.ask(aig, &hard);
        self.by_solver += usize::from(verdict == Verdict::Equal);
        verdict
    }

    /// Whether a gate may be replaced by a variable in a question about `asked`.
    fn is_known(&self, node: usize, asked: &[Lit]) -> bool {
        self.known.contains(&node) && !asked.iter().any(|lit| lit.node() == node)
    }

    fn ask(&self, aig: &Aig, pairs: &[(Lit, Lit)]) -> Verdict {
        let roots = ends(pairs);
        let is_known = |node| self.is_known(node, &roots);
        match question(self.solver, aig, pairs, &aig.cone(&roots, is_known), is_known) {
            Verdict::Equal => Verdict::Equal,
            Verdict::Differ(_) | Verdict::Open(_) => {
                question(self.solver, aig, pairs, &aig.cone(&roots, |_| false), |_| false)
            }
        }
    }
}

fn ends(pairs: &[(Lit, Lit)]) -> Vec<Lit> {
    pairs.iter().flat_map(|&(one, other)| [one, other]).collect()
}

/// The values of the inputs in one of the random assignments.
fn values_in(aig: &Aig, pairs: &[(Lit, Lit)], word: usize, bit: u32) -> Example {
    let cone = aig.cone(&ends(pairs), |_| false);
    let inputs = cone.into_iter().filter(|&node| aig.node(node) == Node::Input);
    inputs.map(|node| (node, aig.values[node][word] >> bit & 1 == 1)).collect()
}

/// The result of trying all values.
enum Tried {
    Equal,
    Differ(Example),
    /// There are too many values to try.
    Many,
}

/// Tries all values of inputs and of gates that are `ends`, if there are few.
fn try_all(aig: &Aig, one: Lit, other: Lit, is_end: impl Fn(usize) -> bool) -> Tried {
    let cone = aig.cone(&[one, other], &is_end);
    let is_input = |node: usize| aig.node(node) == Node::Input || is_end(node);
    let inputs: Vec<usize> = cone.iter().copied().filter(|&node| is_input(node)).collect();
    if inputs.len() > FEW {
        return Tried::Many;
    }
    // A word has 64 assignments: values of the first six inputs vary within it, and those of the
    // others are the bits of the word's number.
    const FIRST: [u64; 6] = [
        0xaaaa_aaaa_aaaa_aaaa,
        0xcccc_cccc_cccc_cccc,
        0xf0f0_f0f0_f0f0_f0f0,
        0xff00_ff00_ff00_ff00,
        0xffff_0000_ffff_0000,
        0xffff_ffff_0000_0000,
    ];
    let mut values: HashMap<usize, u64> = HashMap::with_capacity(cone.len());
    for round in 0..1_u64 << inputs.len().saturating_sub(FIRST.len()) {
        values.clear();
        let value = |values: &HashMap<usize, u64>, lit: Lit| {
            values[&lit.node()] ^ if lit.is_complement() { u64::MAX } else { 0 }
        };
        let mut next_input = 0;
        for &node in &cone {
            let word = match aig.node(node) {
                Node::False => 0,
                Node::And(a, b) if !is_end(node) => value(&values, a) & value(&values, b),
                Node::And(..) | Node::Input => {
                    next_input += 1;
                    match FIRST.get(next_input - 1) {
                        Some(&first) => first,
                        None if round >> (next_input - 1 - FIRST.len()) & 1 == 1 => u64::MAX,
                        None => 0,
                    }
                }
            };
            values.insert(node, word);
        }
        let differ = value(&values, one) ^ value(&values, other);
        if differ != 0 {
            let bit = differ.trailing_zeros();
            let example = inputs.iter().map(|node| (*node, values[node] >> bit & 1 == 1));
            return Tried::Differ(example.collect());
        }
    }
    Tried::Equal
}

/// Asks the solver whether a pair can differ.
fn question(
    solver: &Solver,
    aig: &Aig,
    pairs: &[(Lit, Lit)],
    cone: &[usize],
    is_variable: impl Fn(usize) -> bool,
) -> Verdict {
    let name = |lit: Lit| match lit.is_complement() {
        true => format!("(not n{})", lit.node()),
        false => format!("n{}", lit.node()),
    };
    let mut text = "(set-logic QF_BV)\n".to_owned();
    let mut variables = Vec::new();
    for &node in cone {
        let _ = match aig.node(node) {
            Node::And(a, b) if !is_variable(node) => {
                writeln!(text, "(define-fun n{node} () Bool (and {} {}))", name(a), name(b))
            }
            Node::False => writeln!(text, "(define-fun n{node} () Bool false)"),
            Node::And(..) | Node::Input => {
                variables.push(node);
                writeln!(text, "(declare-const n{node} Bool)")
            }
        };
    }
    let differ: String =
        pairs.iter().map(|&(one, other)| format!(" (xor {} {})", name(one), name(other))).collect();
    let _ = writeln!(text, "(assert (or false{differ}))\n(check-sat)");
    let answer = solver.say(&format!("{text}(exit)\n"));
    match answer.trim() {
        "unsat" => Verdict::Equal,
        "sat" => {
            let names: Vec<String> = variables.iter().map(|node| format!("n{node}")).collect();
            let said = solver.say(&format!(
                "(set-option :produce-models true)\n{text}(get-value ({}))\n(exit)\n",
                names.join(" ")
            ));
            let value = |node: &usize| (*node, said.contains(&format!("(n{node} true)")));
            Verdict::Differ(variables.iter().map(value).collect())
        }
        other => Verdict::Open(other.lines().next().unwrap_or("nothing").to_owned()),
    }
}
