//! The definition as terms, with the names that its words have in the standard.

use super::cut::Cuts;
use super::term::TermId;
use crate::labels;
use manylane_graph::extract::{Line, lines};
use manylane_graph::{Function, NodeId, Op};
use std::collections::HashMap;

/// A word of the state or of the message schedule, after a step.
#[derive(Clone, Debug)]
pub(super) struct StateWord {
    /// The step's name.
    pub(super) line: String,
    /// The number of its word in the line.
    pub(super) word: usize,
    /// The number of its step in the line, from 0.
    pub(super) step: usize,
    /// Its name in the standard, with the step's number.
    pub(super) name: String,
    pub(super) term: TermId,
    node: NodeId,
}

/// The definition's inputs, outputs and states, as terms.
pub(super) struct Definition {
    /// The terms of the inputs.
    pub(super) inputs: Vec<TermId>,
    /// The terms of the outputs.
    pub(super) outputs: Vec<TermId>,
    /// The words after every step, in order of computation.
    pub(super) states: Vec<StateWord>,
    names: HashMap<TermId, String>,
}

impl Definition {
    /// The terms of a function's words, with free terms for its inputs.
    ///
    /// # Panics
    /// If the function calls others.
    pub(super) fn new(function: &Function, cuts: &mut Cuts) -> Self {
        let mut inputs = vec![None; function.inputs().len()];
        let mut terms: Vec<TermId> = Vec::with_capacity(function.len());
        for node in function.nodes() {
            let width = u32::from(function.width(node));
            let args: Vec<TermId> =
                function.args(node).iter().map(|arg| terms[arg.index()]).collect();
            terms.push(match function.op(node) {
                Op::Input(i) => *inputs[i as usize].insert(cuts.terms.free(width)),
                Op::Const(value) => cuts.terms.constant(value, width),
                op => cuts.op(op, width, &args),
            });
        }
        let inputs: Vec<TermId> =
            inputs.into_iter().map(|term| term.expect("it has a node")).collect();
        let outputs: Vec<TermId> =
            function.outputs().iter().map(|output| terms[output.value.index()]).collect();
        let mut states: Vec<StateWord> =
            lines(function).iter().flat_map(|line| words(line, &terms)).collect();
        states.sort_by_key(|state| state.node);
        let mut names: HashMap<TermId, String> = HashMap::new();
        for (input, term) in function.inputs().iter().zip(&inputs) {
            names.entry(*term).or_insert_with(|| input.name.clone());
        }
        for (output, term) in function.outputs().iter().zip(&outputs) {
            names.entry(*term).or_insert_with(|| format!("the new {}", output.name));
        }
        for state in &states {
            names.entry(state.term).or_insert_with(|| state.name.clone());
        }
        for node in function.nodes() {
            let path = function.path_name(function.step(node));
            let name = || format!("{} of {path}", function.op(node).name());
            names.entry(terms[node.index()]).or_insert_with(name);
        }
        Self { inputs, outputs, states, names }
    }

    /// The name of a term in the definition.
    pub(super) fn name(&self, term: TermId) -> Option<&str> {
        self.names.get(&term).map(String::as_str)
    }
}

fn words(line: &Line, terms: &[TermId]) -> Vec<StateWord> {
    let mut words = Vec::new();
    for (step, state) in line.states[1..].iter().enumerate() {
        for (word, &node) in state.iter().enumerate() {
            let letter = labels::of_word(word, state.len());
            let letter = letter.map_or_else(|| format!("word {word}"), String::from);
            let name = format!("{letter} after {}[{}]", line.name, line.indices[step]);
            let line = line.name.clone();
            words.push(StateWord { line, word, step, name, term: terms[node.index()], node });
        }
    }
    words
}
