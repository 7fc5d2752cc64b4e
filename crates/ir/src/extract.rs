//! Parts of a function as functions of their own: the round of a compression, and the recurrence
//! of its message schedule.
//!
//! ```text
//!  state before ──► round[t] ──► … ──► round[t+k-1] ──► state after
//!                      ▲                    ▲
//!                  message words, constants: side inputs
//! ```
//!
//! The words noted at each step ([`Step::over`](crate::ir::Step)) are the state before it; those of
//! the next step of the same name are the state after it. Between the two lies whatever depends on
//! the state before: other steps too, such as Skein's subkeys. The rest is a side input, whose role
//! says when it is available.

mod lines;
mod recurrence;

pub use lines::{Line, lines, rounds};
pub use recurrence::{Recurrence, message_schedule, recurrence};

use crate::builder::Builder;
use crate::ir::{Function, Input, NodeId, Op, Role, Step, StepId};
use std::collections::HashMap;
use std::ops::Range;

/// A part of a function.
#[derive(Clone, Debug)]
pub struct Extracted {
    /// What the part computes. The state words come first among its inputs, in their order, with
    /// the role [`Role::Chaining`]; its outputs are the state after it.
    pub function: Function,
    /// For each input, the node of the whole function that flows in.
    pub arguments: Vec<NodeId>,
    /// For each output, the node of the whole function that it is.
    pub results: Vec<NodeId>,
}

/// Which operations that do not depend on the state belong to a part. The results of all others are
/// side inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The operations that are written in the part's steps: if a round adds W_t + K_t, the part
    /// does too.
    Inside,
    /// The operations that are written in the part's steps, computed anew at every use. Two rounds
    /// of BLAKE share some values m ⊕ c, and other pairs of rounds share others; without sharing,
    /// all rounds are alike.
    Apart,
    /// None of them: everything that does not depend on the state is computed before the part
    /// begins.
    Ahead,
}

/// Takes parts out of one function.
#[derive(Debug)]
pub struct Extractor<'f> {
    function: &'f Function,
    /// For each node, the role of the input that arrives last among those it depends on.
    role: Vec<Role>,
    /// For each node, its outermost step.
    outermost: Vec<StepId>,
}

impl<'f> Extractor<'f> {
    /// Prepares the extraction of parts of `function`.
    pub fn new(function: &'f Function) -> Self {
        // Roles by the time of their arrival: only the chaining value has to be waited for.
        let rank = |role| match role {
            Role::Constant => 0,
            Role::Counter => 1,
            Role::Key => 2,
            Role::Message => 3,
            Role::Chaining => 4,
        };
        let mut role: Vec<Role> = Vec::with_capacity(function.len());
        for node in function.nodes() {
            role.push(match function.op(node) {
                Op::Input(i) => function.inputs()[i as usize].role,
                _ => {
                    let roles = function.args(node).iter().map(|arg| role[arg.index()]);
                    roles.max_by_key(|&role| rank(role)).unwrap_or(Role::Constant)
                }
            });
        }
        let steps = function.steps();
        let mut of_step: Vec<StepId> = Vec::with_capacity(steps.len());
        for (id, step) in steps.iter().enumerate() {
            let is_outermost = step.parent == StepId::ROOT;
            let id = StepId(id as u32);
            of_step.push(if is_outermost { id } else { of_step[step.parent.index()] });
        }
        let outermost = function.nodes().map(|node| of_step[function.step(node).index()]);
        Self { function, role, outermost: outermost.collect() }
    }

    /// The function that parts are taken from.
    pub fn function(&self) -> &'f Function {
        self.function
    }

    /// The role of the input that arrives last among those that a node depends on: chaining value,
    /// message, key, counter, constants.
    pub fn role(&self, node: NodeId) -> Role {
        self.role[node.index()]
    }

    /// Steps `steps` (counted from 0) of `lines`, side by side, as one function. Every constant is
    /// an input of its own.
    ///
    /// # Panics
    /// If a line has fewer steps.
    pub fn merged(&self, lines: &[Line], steps: Range<usize>, side: Side) -> Extracted {
        let name = lines.iter().map(|line| line.name.replace(' ', "-")).collect::<Vec<_>>();
        let name = format!("{}.{}.{}", self.function.name, name.join("-"), steps.start);
        let mut part = Extraction {
            whole: self,
            lines,
            first: steps.start,
            side,
            builder: Builder::new(&name),
            state: HashMap::new(),
            dependent: vec![false; self.function.len()],
            done: HashMap::new(),
            steps: HashMap::new(),
            arguments: Vec::new(),
            side_inputs: 0,
        };
        for (l, line) in lines.iter().enumerate() {
            part.enter_state(l, &line.states[steps.start]);
        }
        let ends = lines.iter().flat_map(|line| &line.states[steps.end]);
        part.mark_dependent(ends.max().copied());
        let mut results = Vec::new();
        for (l, line) in lines.iter().enumerate() {
            for &word in &line.states[steps.end] {
                let value = part.node(word, Some(l));
                part.builder.output(&format!("s{}", results.len()), value);
                results.push(word);
            }
        }
        Extracted { function: part.builder.finish(), arguments: part.arguments, results }
    }

    /// The part `steps` of `lines`, written with the function of `other`, which is a part of
    /// equally many other steps. `None` unless both parts do the same operations; only the
    /// distances of rotations and shifts may differ. [`Extractor::merged`] could give these steps
    /// another function: a word of the state that is constant in these steps alone (BLAKE's first
    /// state) would look like a constant of the round, and values that are equal in these steps
    /// alone (RIPEMD-160's lines begin with the same state) would be computed once instead of
    /// twice.
    ///
    /// # Panics
    /// If a line has fewer steps.
    pub fn as_other(
        &self,
        lines: &[Line],
        steps: Range<usize>,
        other: &Extracted,
    ) -> Option<Extracted> {
        let states = |t: usize| lines.iter().flat_map(move |line| line.states[t].iter().copied());
        let mut arguments: Vec<Option<NodeId>> = states(steps.start).map(Some).collect();
        let words = arguments.len();
        arguments.resize(other.arguments.len(), None);
        let results: Vec<NodeId> = states(steps.end).collect();
        let outputs = other.function.outputs().iter().map(|output| output.value);
        let mut open: Vec<(NodeId, NodeId)> = outputs.zip(results.iter().copied()).collect();
        let mut here: HashMap<NodeId, NodeId> = HashMap::new();
        while let Some((there, node)) = open.pop() {
            if let Some(&known) = here.get(&there) {
                if known != node {
                    return None;
                }
                continue;
            }
            here.insert(there, node);
            let (op, args) = (other.function.op(there), other.function.args(there));
            if let Op::Input(i) = op {
                let i = i as usize;
                if i < words && arguments[i] != Some(node) {
                    return None;
                }
                arguments[i] = Some(node);
            } else if same_kind(op, self.function.op(node))
                && args.len() == self.function.args(node).len()
            {
                open.extend(args.iter().copied().zip(self.function.args(node).iter().copied()));
            } else {
                return None;
            }
        }
        let arguments = arguments.into_iter().collect::<Option<Vec<NodeId>>>()?;
        let mut function = other.function.clone();
        for (there, node) in here {
            if function.op(there).immediate().is_some() {
                function.nodes[there.index()].op = self.function.op(node);
            }
        }
        Some(Extracted { function, arguments, results })
    }

    /// Step `index` (counted from 0) of a line as one function; constants that are the same in all
    /// steps of its shape are constants in it.
    ///
    /// # Panics
    /// If the line has fewer steps.
    pub fn step(&self, line: &Line, index: usize) -> Extracted {
        let line = std::slice::from_ref(line);
        let steps = 0..line[0].len();
        let all: Vec<_> = steps.map(|t| self.merged(line, t..t + 1, Side::Inside)).collect();
        let alike = |part: &&Extracted| part.function.same_shape(&all[index].function, false);
        let alike: Vec<&Extracted> = all.iter().filter(alike).collect();
        all[index].with_constants(&self.common_constants(&alike)).0
    }

    /// Returns, for each input of parts of one shape, the constant that flows into it in all of
    /// them.
    pub fn common_constants(&self, parts: &[&Extracted]) -> Vec<Option<u64>> {
        let constant = |argument: NodeId| match self.function.op(argument) {
            Op::Const(value) => Some(value),
            _ => None,
        };
        let inputs = parts.first().map_or(&[][..], |part| part.function.inputs());
        let common = |(i, input): (usize, &Input)| {
            let value = constant(parts[0].arguments[i])?;
            let same = parts.iter().all(|part| constant(part.arguments[i]) == Some(value));
            (same && input.role == Role::Constant).then_some(value)
        };
        inputs.iter().enumerate().map(common).collect()
    }
}

impl Extracted {
    /// The part with constants in the place of some inputs, and for each old node the new one.
    pub fn with_constants(&self, constants: &[Option<u64>]) -> (Self, Vec<NodeId>) {
        let from = &self.function;
        let mut b = Builder::new(&from.name);
        let mut steps = HashMap::new();
        let mut values: Vec<NodeId> = Vec::with_capacity(from.len());
        for node in from.nodes() {
            let width = from.width(node);
            let args: Vec<NodeId> = from.args(node).iter().map(|arg| values[arg.index()]).collect();
            let value = match from.op(node) {
                Op::Input(i) => match constants[i as usize] {
                    Some(value) => b.constant(value, width),
                    None => {
                        let input = &from.inputs()[i as usize];
                        b.input(&input.name, input.role, width)
                    }
                },
                op => {
                    let step = from.step(node);
                    let step = *steps.entry(step).or_insert_with(|| b.step_at_path_of(from, step));
                    b.within(step, |b| b.op(op, &args))
                }
            };
            values.push(value);
        }
        for output in from.outputs() {
            b.output(&output.name, values[output.value.index()]);
        }
        let arguments = remaining(&self.arguments, constants);
        let part = Self { function: b.finish(), arguments, results: self.results.clone() };
        (part, values)
    }
}

/// The arguments of the inputs that [`Extracted::with_constants`] leaves.
pub fn remaining(arguments: &[NodeId], constants: &[Option<u64>]) -> Vec<NodeId> {
    let pairs = arguments.iter().zip(constants);
    pairs.filter(|(_, constant)| constant.is_none()).map(|(&argument, _)| argument).collect()
}

/// The step of `b` with the path of a step of `from`, the outermost one numbered by `index`.
/// `known` holds what was found before.
fn copy_path(
    b: &mut Builder,
    known: &mut HashMap<StepId, StepId>,
    from: &Function,
    step: StepId,
    index: impl Fn(&Step) -> u32,
) -> StepId {
    *known.entry(step).or_insert_with(|| {
        from.path(step).into_iter().fold(StepId::ROOT, |parent, id| {
            let step = &from.steps()[id.index()];
            let index = if parent == StepId::ROOT { index(step) } else { step.index };
            b.substep(parent, (step.kind, &step.name, index), &[])
        })
    })
}

/// Copies the steps `first..` of some lines into a function of their own.
struct Extraction<'p, 'f> {
    whole: &'p Extractor<'f>,
    lines: &'p [Line],
    first: usize,
    side: Side,
    builder: Builder,
    /// The inputs for each word of the state, each with its line: both lines of RIPEMD-160 begin
    /// with the same words.
    state: HashMap<NodeId, Vec<(usize, NodeId)>>,
    /// Which nodes depend on the state.
    dependent: Vec<bool>,
    done: HashMap<NodeId, NodeId>,
    steps: HashMap<StepId, StepId>,
    arguments: Vec<NodeId>,
    side_inputs: usize,
}

impl Extraction<'_, '_> {
    fn enter_state(&mut self, line: usize, words: &[NodeId]) {
        let whole = self.whole.function;
        for &word in words {
            let name = format!("s{}", self.arguments.len());
            let input = self.builder.input(&name, Role::Chaining, whole.width(word));
            self.arguments.push(word);
            // A constant word (BLAKE's first state) cannot be told from a constant of the round.
            if !matches!(whole.op(word), Op::Const(_)) {
                self.state.entry(word).or_default().push((line, input));
                self.dependent[word.index()] = true;
            }
        }
    }

    fn mark_dependent(&mut self, last: Option<NodeId>) {
        let first = self.state.keys().min().map_or(0, |node| node.0);
        let last = last.map_or(0, |node| node.0);
        for node in (first..=last).map(NodeId) {
            let args = self.whole.function.args(node);
            let any = args.iter().any(|arg| self.dependent[arg.index()]);
            self.dependent[node.index()] |= any;
        }
    }

    /// The line that a node's outermost step belongs to.
    fn line_of(&self, node: NodeId) -> Option<usize> {
        let outermost = self.whole.outermost[node.index()];
        let name = &self.whole.function.steps()[outermost.index()].name;
        self.lines.iter().position(|line| line.name == *name)
    }

    /// The node of the part that stands for `node` of the whole, for a user in `line`.
    fn node(&mut self, node: NodeId, line: Option<usize>) -> NodeId {
        if let Some(inputs) = self.state.get(&node) {
            let own = inputs.iter().find(|(l, _)| Some(*l) == line);
            return own.unwrap_or(&inputs[0]).1;
        }
        if let Some(&done) = self.done.get(&node) {
            return done;
        }
        let whole = self.whole.function;
        let op = whole.op(node);
        let line = self.line_of(node);
        let inside = self.side != Side::Ahead && line.is_some();
        let apart = self.side == Side::Apart && !self.dependent[node.index()];
        let is_leaf = matches!(op, Op::Input(_) | Op::Const(_));
        let new = if !is_leaf && (self.dependent[node.index()] || inside) {
            let args: Vec<NodeId> =
                whole.args(node).iter().map(|&arg| self.node(arg, line)).collect();
            let (b, steps) = (&mut self.builder, &mut self.steps);
            let (lines, first) = (self.lines, self.first);
            // Steps are numbered from 0, so that equal parts of a line have equal names wherever
            // they begin.
            let index = |step: &Step| {
                let line = lines.iter().find(|line| line.name == step.name);
                let place = line.and_then(|l| l.indices.iter().position(|&i| i == step.index));
                place.map_or(step.index, |place| place.saturating_sub(first) as u32)
            };
            let step = copy_path(b, steps, whole, whole.step(node), index);
            self.builder.within(step, |b| b.op(op, &args))
        } else {
            let role = self.whole.role(node);
            let letter = match role {
                Role::Message => 'm',
                Role::Chaining => 'h',
                Role::Counter => 't',
                Role::Key => 'l',
                Role::Constant => 'k',
            };
            let name = format!("{letter}{}", self.side_inputs);
            self.side_inputs += 1;
            self.arguments.push(node);
            self.builder.input(&name, role, whole.width(node))
        };
        // A constant is an input at every use, because other steps may have different constants
        // there.
        if !apart && !matches!(op, Op::Const(_)) {
            self.done.insert(node, new);
        }
        new
    }
}

/// Whether two operations differ in the distance of a rotation or shift at most.
fn same_kind(x: Op, y: Op) -> bool {
    match x {
        Op::Lut3(_) => x == y,
        _ => x.name() == y.name(),
    }
}

impl Function {
    /// Whether `other` does the same operations on the same arguments. Constants and names may
    /// differ and, unless `amounts` count, so may distances of rotations and shifts.
    pub fn same_shape(&self, other: &Self, amounts: bool) -> bool {
        let kind = |op: Op| match op {
            Op::Const(_) => Op::Const(0),
            Op::Rotl(_) | Op::Rotr(_) if !amounts => Op::Rotl(0),
            Op::Shl(_) | Op::Shr(_) if !amounts => Op::Shl(0),
            op => op,
        };
        let values = |f: &Self| f.outputs.iter().map(|o| o.value).collect::<Vec<_>>();
        self.len() == other.len()
            && values(self) == values(other)
            && self.nodes().all(|node| {
                kind(self.op(node)) == kind(other.op(node))
                    && self.width(node) == other.width(node)
                    && self.args(node) == other.args(node)
            })
    }
}
