//! The pass `uniform`, which makes all rounds compute the same expressions, because hardware
//! repeats one round.

use super::StepMap;
use crate::builder::Builder;
use crate::extract::{Line, rounds};
use crate::ir::{Function, NodeId, Op, StepId};
use std::collections::HashMap;

/// Makes the steps of the rounds alike: where they differ in more than constants and amounts, every
/// step computes everything that any of them computes, and constants choose between the results.
///
/// ```text
///   round[0..20]  ch(b, c, d) ─┐
///   round[20..40] parity ──────┼─►  every round: ch, parity and maj; masks that are all ones or
///   round[40..60] maj ─────────┘    all zeros in a round choose by lut3(mask, x, y) = 0xca
/// ```
///
/// Hardware repeats one round, which therefore has to do all of this. Shorter sums get zeros as
/// further terms. Where some steps exchange words that they have made, as RIPEMD-256's lines do,
/// every step makes the words and then chooses. Steps that are alike already stay as they are.
pub fn uniform(function: &Function) -> Function {
    made_uniform(function, false)
}

/// Does the same as [`uniform`], and makes what a step computes independently of the state alike
/// too: where RIPEMD adds no constant to its word, zero is added.
pub fn uniform_inside(function: &Function) -> Function {
    made_uniform(function, true)
}

fn made_uniform(function: &Function, inside: bool) -> Function {
    let lines = rounds(function);
    if lines.is_empty() {
        return function.clone();
    }
    let alike = Alike::new(function, lines, inside);
    if !alike.differs {
        return function.clone();
    }
    let mut maker = Maker::new(function, alike);
    for output in function.outputs() {
        let value = maker.node(output.value);
        maker.builder.output(&output.name, value);
    }
    maker.finish()
}

/// An expression that all steps of a line have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Pattern {
    /// A word of the state before the step.
    State(usize),
    /// A value that does not depend on the state, as pairs of a step and its node. It is zero in
    /// all other steps.
    Side(Vec<(usize, NodeId)>),
    /// An operation, as pairs of a step and its node, whose rotation amounts may differ; and the
    /// patterns of its arguments.
    Op(Vec<(usize, NodeId)>, Vec<usize>),
    /// A sum of patterns from left to right.
    Sum(Vec<usize>),
    /// One of two patterns: the first in the listed steps, the second in all others.
    Either(Vec<usize>, usize, usize),
}

/// Lines side by side whose steps follow one pattern.
struct Alike<'f> {
    function: &'f Function,
    lines: Vec<Line>,
    /// The words of all lines before each step, and after the last.
    states: Vec<Vec<NodeId>>,
    /// For each step, which nodes depend on the state before it.
    dependent: Vec<Vec<bool>>,
    patterns: Vec<Pattern>,
    /// The pattern of each word of the state after a step.
    words: Vec<usize>,
    /// Structures of operations over state and side inputs, numbered.
    structures: HashMap<(&'static str, Vec<usize>), usize>,
    structure_of: HashMap<(usize, NodeId), usize>,
    pattern_of: HashMap<Vec<(usize, NodeId)>, usize>,
    /// For each structure, its columns: a column has at most one node of each step, and all of its
    /// nodes have the structure. A column is one pattern, also where several classes of steps
    /// compute it.
    shared: HashMap<usize, Vec<Vec<Option<NodeId>>>>,
    /// Whether `shared` has grown.
    grown: bool,
    differs: bool,
    /// Whether values that do not depend on the state are made alike too.
    inside: bool,
}

impl<'f> Alike<'f> {
    fn new(function: &'f Function, lines: Vec<Line>, inside: bool) -> Self {
        let of_all = |t: usize| lines.iter().flat_map(move |line| line.states[t].iter().copied());
        let states: Vec<Vec<NodeId>> = (0..=lines[0].len()).map(|t| of_all(t).collect()).collect();
        let dependent = states[..lines[0].len()].iter().map(|state| {
            let mut dependent = vec![false; function.len()];
            for word in state {
                dependent[word.index()] = !matches!(function.op(*word), Op::Const(_));
            }
            for node in function.nodes() {
                let mut args = function.args(node).iter();
                dependent[node.index()] |= args.any(|arg| dependent[arg.index()]);
            }
            dependent
        });
        let dependent = dependent.collect();
        let mut alike = Self {
            function,
            lines,
            states,
            dependent,
            patterns: Vec::new(),
            words: Vec::new(),
            structures: HashMap::new(),
            structure_of: HashMap::new(),
            pattern_of: HashMap::new(),
            shared: HashMap::new(),
            grown: true,
            differs: false,
            inside,
        };
        // Repeats while more shared columns are found: a column is complete only when all words
        // have been visited.
        while alike.grown {
            (alike.grown, alike.differs) = (false, false);
            alike.patterns.clear();
            alike.pattern_of.clear();
            alike.words = alike.new_words();
        }
        alike
    }

    /// The pattern of each word after a step.
    fn new_words(&mut self) -> Vec<usize> {
        let words = self.states[0].len();
        let made: Vec<Vec<usize>> = (0..self.dependent.len()).map(|t| self.exchange(t)).collect();
        let column = |word: usize| -> Vec<(usize, NodeId)> {
            let place = |(t, made): (usize, &Vec<usize>)| {
                let place = made.iter().position(|&as_word| as_word == word);
                (t, self.states[t + 1][place.expect("words are exchanged, not copied")])
            };
            made.iter().enumerate().map(place).collect()
        };
        let columns: Vec<Vec<(usize, NodeId)>> = (0..words).map(column).collect();
        let patterns: Vec<usize> = columns.iter().map(|column| self.pattern(column)).collect();
        let mut all = Vec::with_capacity(words);
        for word in 0..words {
            let mut pattern = patterns[word];
            for other in (0..words).filter(|&other| other != word) {
                let is_other = |t: &usize| made[*t][word] == other;
                let steps: Vec<usize> = (0..made.len()).filter(is_other).collect();
                if !steps.is_empty() {
                    self.differs = true;
                    pattern = self.push(Pattern::Either(steps, patterns[other], pattern));
                }
            }
            all.push(pattern);
        }
        all
    }

    /// Returns, for each word after step `t`, the word of the step before or after that has the
    /// same structure. It is another word if this step makes the same words in other places.
    fn exchange(&mut self, t: usize) -> Vec<usize> {
        let own: Vec<usize> = (0..self.states[0].len()).collect();
        let here = self.made(t);
        for near in [t.checked_sub(1), Some(t + 1)].into_iter().flatten() {
            if near >= self.dependent.len() {
                continue;
            }
            let there = self.made(near);
            let place = |made: &usize| there.iter().position(|known| known == made);
            let places: Option<Vec<usize>> = here.iter().map(place).collect();
            let is_exchange = |places: &Vec<usize>| own.iter().all(|word| places.contains(word));
            if let Some(places) = places.filter(is_exchange) {
                return places;
            }
        }
        own
    }

    /// The structures of the words after step `t`.
    fn made(&mut self, t: usize) -> Vec<usize> {
        let state = self.states[t + 1].clone();
        state.into_iter().map(|node| self.structure(t, node)).collect()
    }

    fn push(&mut self, pattern: Pattern) -> usize {
        if let Some(known) = self.patterns.iter().position(|known| *known == pattern) {
            return known;
        }
        self.patterns.push(pattern);
        self.patterns.len() - 1
    }

    /// The place in the state that a node has in every step of the column.
    fn state_word(&self, column: &[(usize, NodeId)]) -> Option<usize> {
        let mut words = 0..self.states[0].len();
        words.find(|&word| column.iter().all(|&(t, node)| self.states[t][word] == node))
    }

    /// The pattern of a column: of the value that is `node` in step t for each of its pairs (t,
    /// node).
    fn pattern(&mut self, column: &[(usize, NodeId)]) -> usize {
        let column = self.widened(column);
        if let Some(&known) = self.pattern_of.get(&column) {
            return known;
        }
        let pattern = self.new_pattern(&column);
        self.pattern_of.insert(column, pattern);
        pattern
    }

    /// A column of one structure together with those that have the same structure in other steps.
    fn widened(&mut self, column: &[(usize, NodeId)]) -> Vec<(usize, NodeId)> {
        let structure = self.structure(column[0].0, column[0].1);
        let is_side = !column.iter().all(|&(t, node)| self.dependent[t][node.index()]);
        let differs = column.iter().any(|&(t, node)| self.structure(t, node) != structure);
        if column.len() == self.dependent.len() || is_side || differs {
            return column.to_vec();
        }
        let steps = self.dependent.len();
        let shared = self.shared.entry(structure).or_default();
        let fits = |nodes: &Vec<Option<NodeId>>| {
            column.iter().all(|&(t, node)| nodes[t].is_none_or(|known| known == node))
        };
        let place = shared.iter().position(fits).unwrap_or_else(|| {
            shared.push(vec![None; steps]);
            shared.len() - 1
        });
        for &(t, node) in column {
            self.grown |= shared[place][t].replace(node).is_none();
        }
        let nodes = shared[place].iter().enumerate();
        nodes.filter_map(|(t, node)| Some((t, (*node)?))).collect()
    }

    fn new_pattern(&mut self, column: &[(usize, NodeId)]) -> usize {
        if let Some(word) = self.state_word(column) {
            return self.push(Pattern::State(word));
        }
        if column.iter().all(|&(t, node)| !self.dependent[t][node.index()]) {
            return match self.inside.then(|| self.side_terms(column)).flatten() {
                None => self.push(Pattern::Side(column.to_vec())),
                Some(terms) => {
                    self.differs = true;
                    let terms = terms.map(|term| self.push(Pattern::Side(term)));
                    self.push(Pattern::Sum(terms.to_vec()))
                }
            };
        }
        let mut classes: Vec<(usize, Vec<(usize, NodeId)>)> = Vec::new();
        for &(t, node) in column {
            let structure = self.structure(t, node);
            match classes.iter_mut().find(|(known, _)| *known == structure) {
                Some((_, steps)) => steps.push((t, node)),
                None => classes.push((structure, vec![(t, node)])),
            }
        }
        let op = self.function.op(column[0].1);
        let count = self.function.args(column[0].1).len();
        let same = column.iter().all(|&(_, node)| {
            self.function.op(node).name() == op.name() && self.function.args(node).len() == count
        });
        if classes.len() == 1 || same && !op.is_bitwise() {
            if op == Op::Add && classes.len() > 1 {
                return self.sum(column);
            }
            let args = (0..count).map(|i| {
                let arg = |&(t, node): &(usize, NodeId)| (t, self.function.args(node)[i]);
                let args: Vec<(usize, NodeId)> = column.iter().map(arg).collect();
                self.pattern(&args)
            });
            let args = args.collect();
            return self.push(Pattern::Op(column.to_vec(), args));
        }
        self.differs = true;
        let classes: Vec<Vec<(usize, NodeId)>> =
            classes.into_iter().map(|(_, steps)| steps).collect();
        self.either(&classes)
    }

    /// Returns the other terms and the constants of side inputs that are sums with a constant in
    /// some steps.
    fn side_terms(&self, column: &[(usize, NodeId)]) -> Option<[Vec<(usize, NodeId)>; 2]> {
        let is_constant = |node: NodeId| matches!(self.function.op(node), Op::Const(_));
        let (mut others, mut constants) = (Vec::new(), Vec::new());
        for &(t, node) in column {
            match (self.function.op(node), self.function.args(node)) {
                (Op::Add, &[x, k]) | (Op::Add, &[k, x]) if is_constant(k) && !is_constant(x) => {
                    others.push((t, x));
                    constants.push((t, k));
                }
                _ => others.push((t, node)),
            }
        }
        let some = !constants.is_empty() && constants.len() < column.len();
        some.then_some([others, constants])
    }

    /// A choice among several classes of steps, by repeated halving.
    fn either(&mut self, classes: &[Vec<(usize, NodeId)>]) -> usize {
        let (first, second) = match classes {
            [class] => return self.pattern(class),
            _ => classes.split_at(classes.len() / 2),
        };
        let steps = first.iter().flatten().map(|(t, _)| *t).collect();
        let (first, second) = (self.either(first), self.either(second));
        self.push(Pattern::Either(steps, first, second))
    }

    /// The pattern of sums, all of which get equally many terms.
    fn sum(&mut self, column: &[(usize, NodeId)]) -> usize {
        let terms: Vec<Vec<NodeId>> = column.iter().map(|&(t, node)| self.terms(t, node)).collect();
        let most = terms.iter().map(Vec::len).max().unwrap_or(0);
        self.differs |= terms.iter().any(|terms| terms.len() < most);
        let terms = (0..most).map(|i| {
            let term =
                |(&(t, _), terms): (&(usize, NodeId), &Vec<NodeId>)| Some((t, *terms.get(i)?));
            let term: Vec<(usize, NodeId)> = column.iter().zip(&terms).filter_map(term).collect();
            self.pattern(&term)
        });
        let terms = terms.collect();
        self.push(Pattern::Sum(terms))
    }

    /// The terms of a sum, from left to right.
    fn terms(&self, t: usize, node: NodeId) -> Vec<NodeId> {
        let is_state = self.states[t].contains(&node);
        if self.function.op(node) != Op::Add || is_state || !self.dependent[t][node.index()] {
            return vec![node];
        }
        self.function.args(node).iter().flat_map(|&arg| self.terms(t, arg)).collect()
    }

    /// A number for the expression over state and side inputs that a node computes in step t.
    /// Amounts of rotations are ignored.
    fn structure(&mut self, t: usize, node: NodeId) -> usize {
        if let Some(&known) = self.structure_of.get(&(t, node)) {
            return known;
        }
        let place = self.states[t].iter().position(|&word| word == node);
        let key = match place {
            Some(word) => ("state", vec![word]),
            None if !self.dependent[t][node.index()] => ("side", Vec::new()),
            None => {
                let args = self.function.args(node).to_vec();
                let below = args.into_iter().map(|arg| self.structure(t, arg)).collect();
                (self.function.op(node).name(), below)
            }
        };
        let new = self.structures.len();
        let structure = *self.structures.entry(key).or_insert(new);
        self.structure_of.insert((t, node), structure);
        structure
    }
}

/// The new function, which is built backwards from its outputs.
struct Maker<'f> {
    from: &'f Function,
    alike: Alike<'f>,
    /// For each node, the step after which it is first a word of the state, and that word.
    made_by: HashMap<NodeId, (usize, usize)>,
    builder: Builder,
    steps: StepMap,
    new: HashMap<NodeId, NodeId>,
    patterns: HashMap<(usize, usize), NodeId>,
    /// For each step of the lines and word of the state, the step of the line that has the word.
    step_of: Vec<Vec<StepId>>,
    /// Number of steps of the lines that are made.
    made: usize,
}

impl<'f> Maker<'f> {
    fn new(from: &'f Function, alike: Alike<'f>) -> Self {
        let mut builder = Builder::new(&from.name);
        let mut new = HashMap::new();
        for input in from.inputs() {
            new.insert(input.node, builder.input(&input.name, input.role, from.width(input.node)));
        }
        let mut made_by = HashMap::new();
        for (t, state) in alike.states[1..].iter().enumerate() {
            for (word, &node) in state.iter().enumerate() {
                // A word that is only passed on is not made by the step.
                if !alike.states[t].contains(&node) {
                    made_by.entry(node).or_insert((t, word));
                }
            }
        }
        // Operations after the rounds take the words that the last step chose.
        let last = alike.states.len() - 1;
        let words = alike.states[last].iter().enumerate();
        made_by.extend(words.map(|(word, &node)| (node, (last - 1, word))));
        let mut steps = StepMap::new();
        steps.get(from, &mut builder, StepId(from.steps().len() as u32 - 1));
        let named = from.steps().iter().enumerate().filter(|(_, step)| step.parent == StepId::ROOT);
        let named = named.map(|(id, step)| ((&step.name[..], step.index), StepId(id as u32)));
        let named: HashMap<(&str, u32), StepId> = named.collect();
        let of_words = |t: usize| {
            let of_line = |line: &'_ Line| {
                let step = named[&(&line.name[..], line.indices[t])];
                std::iter::repeat_n(step, line.states[t].len())
            };
            alike.lines.iter().flat_map(of_line).collect()
        };
        let step_of = (0..alike.lines[0].len()).map(of_words).collect();
        let (patterns, made) = (HashMap::new(), 0);
        Self { from, alike, made_by, builder, steps, new, patterns, step_of, made }
    }

    /// The new node for an old one, which is made at its first use.
    fn node(&mut self, node: NodeId) -> NodeId {
        if let Some(&new) = self.new.get(&node) {
            return new;
        }
        let new = match self.made_by.get(&node) {
            Some(&(t, word)) => self.state(t + 1, word),
            None => {
                let width = self.from.width(node);
                let args = self.from.args(node).to_vec();
                let args: Vec<NodeId> = args.into_iter().map(|arg| self.node(arg)).collect();
                let step = self.steps.get(self.from, &mut self.builder, self.from.step(node));
                match self.from.op(node) {
                    Op::Const(value) => self.builder.constant(value, width),
                    op => self.builder.within(step, |b| b.op(op, &args)),
                }
            }
        };
        self.new.insert(node, new);
        new
    }

    /// Word `word` of the state before step `t`, or after the last.
    fn state(&mut self, t: usize, word: usize) -> NodeId {
        let Some(last) = t.checked_sub(1) else { return self.node(self.alike.states[0][word]) };
        // Steps in order, so that no recursion goes through all of them, and in each the words in
        // order, so that all steps are written alike.
        for before in self.made..last {
            self.made = before + 1;
            for word in 0..self.alike.words.len() {
                self.state(before + 1, word);
            }
        }
        let mut state = NodeId(0);
        for word in 0..=word {
            let pattern = self.alike.words[word];
            state = self.pattern(self.step_of[last][word], last, pattern);
        }
        state
    }

    /// The node of a pattern in step t of the lines, for a word that `step` makes.
    fn pattern(&mut self, step: StepId, t: usize, pattern: usize) -> NodeId {
        if let Some(&known) = self.patterns.get(&(t, pattern)) {
            return known;
        }
        let width = self.from.width(self.alike.states[t][0]);
        let in_step = |column: &[(usize, NodeId)]| column.iter().find(|(s, _)| *s == t).copied();
        let new = match self.alike.patterns[pattern].clone() {
            Pattern::State(word) => self.state(t, word),
            Pattern::Side(column) => match in_step(&column) {
                Some((_, node)) => self.node(node),
                None => self.builder.constant(0, width),
            },
            Pattern::Op(column, args) => {
                let (op, step) = match in_step(&column) {
                    Some((_, node)) => (self.from.op(node), self.from.step(node)),
                    None => (self.from.op(column[0].1), step),
                };
                let args: Vec<NodeId> =
                    args.into_iter().map(|arg| self.pattern(step, t, arg)).collect();
                self.add(op, args, width, step)
            }
            Pattern::Sum(terms) => {
                let terms: Vec<NodeId> =
                    terms.into_iter().map(|term| self.pattern(step, t, term)).collect();
                let rest = terms[1..].iter();
                rest.fold(terms[0], |sum, &term| self.add(Op::Add, vec![sum, term], width, step))
            }
            Pattern::Either(steps, first, second) => {
                let ones = if steps.contains(&t) { u64::MAX } else { 0 };
                let mask = self.builder.constant(ones, width);
                let first = self.pattern(step, t, first);
                let second = self.pattern(step, t, second);
                self.add(Op::Lut3(0xca), vec![mask, first, second], width, step)
            }
        };
        self.patterns.insert((t, pattern), new);
        new
    }

    /// Adds an operation without simplification: folding a zero or a mask would make the steps
    /// unlike.
    fn add(&mut self, op: Op, args: Vec<NodeId>, width: u8, step: StepId) -> NodeId {
        let step = self.steps.get(self.from, &mut self.builder, step);
        self.builder.within(step, |b| b.node(op, width, &args))
    }

    fn finish(mut self) -> Function {
        for (i, step) in self.from.steps().iter().enumerate() {
            let words = step.over.iter().filter_map(|word| self.new.get(word).copied()).collect();
            let new = self.steps.get(self.from, &mut self.builder, StepId(i as u32));
            self.builder.set_over(new, words);
        }
        let lengths = self.alike.lines.iter().map(|line| line.states[0].len());
        let mut first = 0;
        let lengths: Vec<usize> = lengths.collect();
        for length in lengths {
            for t in 0..self.alike.states.len() - 1 {
                let words = (first..first + length).map(|word| self.state(t, word)).collect();
                let step = self.step_of[t][first];
                let step = self.steps.get(self.from, &mut self.builder, step);
                self.builder.set_over(step, words);
            }
            first += length;
        }
        self.builder.finish()
    }
}
