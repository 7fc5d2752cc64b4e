//! Finds the regions of a function.

use super::{Definition, Input, Origin, Region, Rolled, Source, Value};
use crate::builder::Builder;
use crate::extract::rounds;
use crate::ir::{Function, NodeId, Op, Role, StepId};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

/// How many rounds an iteration has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unroll {
    /// The given number of rounds, or the next larger one with which iterations are alike.
    Rounds(usize),
    /// All rounds: the function is one straight region.
    All,
}

/// How many rounds more than asked for an iteration may have: JH repeats with every seventh round,
/// RIPEMD with none before the sixteenth.
const MOST_MORE: usize = 16;

/// A function as regions, its rounds in loops as `unroll` says. The function should be literal (see
/// [`Builder::literal`]); otherwise fewer rounds are alike.
///
/// # Panics
/// If the function calls others.
pub fn roll(function: &Function, unroll: Unroll) -> Rolled {
    let segments = segments(function);
    let find = |at: usize| match unroll {
        Unroll::All => None,
        Unroll::Rounds(least) => repeated(function, &segments, at, least.max(1)),
    };
    rolled(function, &segments, find)
}

/// A function as regions, as [`roll`] makes them, with at least `least` rounds in an iteration.
/// Operations that only the first round has, in front of those that it shares with the second one,
/// such as the addition of a key, become a region of their own: left in the round, they would keep
/// it out of the loop and make the code larger. If `least` is 1, a round whose halves are alike, as
/// in a Feistel network, counts as two.
///
/// # Panics
/// As [`roll`].
pub fn roll_apart(function: &Function, least: usize) -> Rolled {
    let mut segments = segments(function);
    let work = |range: &Range<usize>| -> Vec<NodeId> {
        let nodes = range.clone().map(|node| NodeId(node as u32));
        nodes.filter(|&node| function.op(node).is_work()).collect()
    };
    if let [first, second, ..] = &segments[..] {
        let (first, second) = (work(first), work(second));
        let more = first.len().saturating_sub(second.len());
        if more > 0 && shape(function, &first[more..]) == shape(function, &second) {
            let start = segments[0].start;
            segments[0].start = first[more].index();
            segments.insert(0, start..first[more].index());
        }
    }
    let shapes: Vec<_> = segments.iter().map(|of| shape(function, &work(of))).collect();
    let halved = segments.iter().enumerate().flat_map(|(i, of)| {
        let nodes = work(of);
        let (first, second) = nodes.split_at(nodes.len() / 2);
        let is_round = [i.checked_sub(1), Some(i + 1)]
            .into_iter()
            .flatten()
            .any(|other| shapes.get(other) == Some(&shapes[i]));
        match is_round && least == 1 && shape(function, first) == shape(function, second) {
            true => vec![of.start..second[0].index(), second[0].index()..of.end],
            false => vec![of.clone()],
        }
    });
    let segments: Vec<Range<usize>> = halved.collect();
    let find = |at: usize| repeated(function, &segments, at, least.max(1));
    rolled(function, &segments, find)
}

/// The numbers of rounds of the loops that [`roll`] finds with one round in an iteration.
///
/// # Panics
/// As [`roll`].
pub fn loops(function: &Function) -> Vec<usize> {
    sections(function, &segments(function)).iter().map(Range::len).collect()
}

/// A function as regions. An iteration of the i-th of its [`loops`] has `rounds[i]` rounds, or the
/// smallest larger number of rounds with which iterations are alike. A loop for which there is no
/// such number is written out.
///
/// # Panics
/// As [`roll`], or if there are fewer numbers than loops.
pub fn roll_each(function: &Function, rounds: &[usize]) -> Rolled {
    let segments = segments(function);
    let sections = sections(function, &segments);
    let find = |at: usize| {
        let section = sections.iter().position(|section| section.contains(&at))?;
        repeated(function, &segments[..sections[section].end], at, rounds[section].max(1))
    };
    rolled(function, &segments, find)
}

/// The segments of each loop with one round in an iteration.
fn sections(function: &Function, segments: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut sections = Vec::new();
    let mut at = 0;
    while at < segments.len() {
        let rounds = repeated(function, segments, at, 1).map_or(0, |found| found.rounds);
        sections.extend((rounds > 0).then_some(at..at + rounds));
        at += rounds.max(1);
    }
    sections
}

/// The function as regions. `find` looks for iterations that are alike from a segment on.
fn rolled(
    function: &Function,
    segments: &[Range<usize>],
    find: impl Fn(usize) -> Option<Repeated>,
) -> Rolled {
    let mut plan: Vec<Iterations> = Vec::new();
    let work = |range: Range<usize>| -> Vec<NodeId> {
        let nodes = range.map(|node| NodeId(node as u32));
        nodes.filter(|&node| function.op(node).is_work()).collect()
    };
    let push_straight = |plan: &mut Vec<Iterations>, nodes: Vec<NodeId>| match plan.last_mut() {
        _ if nodes.is_empty() => {}
        Some(Iterations { nodes: own }) if own.len() == 1 => own[0].extend(nodes),
        _ => plan.push(Iterations { nodes: vec![nodes] }),
    };
    let first = segments.first().map_or(function.len(), |segment| segment.start);
    push_straight(&mut plan, work(0..first));
    let mut at = 0;
    while at < segments.len() {
        match find(at) {
            Some(found) => {
                at += found.rounds;
                plan.push(Iterations { nodes: found.iterations });
            }
            None => {
                push_straight(&mut plan, work(segments[at].clone()));
                at += 1;
            }
        }
    }
    let last = segments.last().map_or(function.len(), |segment| segment.end);
    push_straight(&mut plan, work(last..function.len()));
    Making::new(function, &plan).run(&plan)
}

/// The iterations of a region, of which there is one where nothing repeats.
struct Iterations {
    /// The nodes of each iteration.
    nodes: Vec<Vec<NodeId>>,
}

/// Iterations that are alike, and how many rounds they cover in all.
struct Repeated {
    iterations: Vec<Vec<NodeId>>,
    rounds: usize,
}

/// The nodes of each round, with those of the message schedule before it. Nodes before the first
/// step and after the last round lie in no segment.
fn segments(function: &Function) -> Vec<Range<usize>> {
    let lines = rounds(function);
    let steps = function.steps();
    let mut outermost: Vec<StepId> = vec![StepId::ROOT];
    for (i, step) in steps.iter().enumerate().skip(1) {
        let own = StepId(i as u32);
        let above = outermost[step.parent.index()];
        outermost.push(if step.parent == StepId::ROOT { own } else { above });
    }
    let is_round = |step: StepId| lines.iter().any(|line| line.name == steps[step.index()].name);
    let mut bounds: Vec<usize> = Vec::new();
    // The outermost step of the last node before this one that lies in a step.
    let mut before: Option<StepId> = None;
    // Whether that step is a segment of its own, without a round.
    let mut is_apart = false;
    let mut end = 0;
    for node in function.nodes().filter(|&node| function.op(node).is_work()) {
        let step = outermost[function.step(node).index()];
        if step == StepId::ROOT {
            continue;
        }
        let (new, index) = (&steps[step.index()].name, steps[step.index()].index);
        let begins = match before {
            None => true,
            Some(before) if is_apart && is_round(step) => before != step,
            Some(before) => {
                let old = &steps[before.index()];
                let both = is_round(before) && is_round(step);
                let beside = both && old.name != *new && old.index == index;
                let next = old.name == *new && !is_round(step) && old.index != index;
                let begins = before != step && !beside && (is_round(before) || next);
                is_apart = if begins { next } else { is_apart && before == step };
                begins
            }
        };
        if begins {
            bounds.push(match bounds.is_empty() {
                true => node.index(),
                false => end,
            });
        }
        before = Some(step);
        end = node.index() + 1;
    }
    let ends = bounds.iter().skip(1).copied().chain([end]);
    bounds.iter().zip(ends).map(|(&start, end)| start..end).collect()
}

/// The argument of an operation in an iteration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Argument {
    /// The operation of this number in the same iteration.
    Inside(usize),
    Outside,
}

/// The operations of an iteration without the values that flow in from outside.
fn shape(function: &Function, iteration: &[NodeId]) -> Vec<(Op, u8, Vec<Argument>)> {
    let place: HashMap<NodeId, usize> =
        iteration.iter().enumerate().map(|(i, &n)| (n, i)).collect();
    let of = |&node: &NodeId| {
        let args = function.args(node).iter();
        let args =
            args.map(|arg| place.get(arg).map_or(Argument::Outside, |&i| Argument::Inside(i)));
        (function.op(node), function.width(node), args.collect())
    };
    iteration.iter().map(of).collect()
}

/// The longest run of iterations that are alike from segment `at` on, each of as few rounds as
/// there can be but not fewer than `least`.
fn repeated(
    function: &Function,
    segments: &[Range<usize>],
    at: usize,
    least: usize,
) -> Option<Repeated> {
    let most = (least + MOST_MORE).min((segments.len() - at) / 2);
    (least..=most).find_map(|rounds| {
        let iteration = |i: usize| -> Option<Vec<NodeId>> {
            let first = segments.get(at + i * rounds)?;
            let last = segments.get(at + (i + 1) * rounds - 1)?;
            let nodes = (first.start..last.end).map(|node| NodeId(node as u32));
            Some(nodes.filter(|&node| function.op(node).is_work()).collect())
        };
        let first = iteration(0)?;
        let pattern = shape(function, &first);
        let mut iterations = vec![first];
        while let Some(next) =
            iteration(iterations.len()).filter(|next| shape(function, next) == pattern)
        {
            iterations.push(next);
        }
        while iterations.len() > 1 {
            if sources(function, &iterations).is_some() {
                return Some(Repeated { rounds: rounds * iterations.len(), iterations });
            }
            iterations.pop();
        }
        None
    })
}

/// A value that flows into an iteration from outside, in terms of the function's nodes.
enum Flow {
    Same(NodeId),
    Each(Vec<NodeId>),
    /// From the operation of this number of the iteration `distance` before.
    Earlier {
        operation: usize,
        distance: usize,
        first: Vec<NodeId>,
    },
}

/// Returns what flows in at each use of a value from outside, by operation and argument. `None` if
/// that cannot be told from the number of the iteration.
fn sources(function: &Function, iterations: &[Vec<NodeId>]) -> Option<Vec<((usize, usize), Flow)>> {
    let start = iterations[0].first()?;
    // In which iteration, and where in it, a node is.
    let place: HashMap<NodeId, (usize, usize)> = iterations
        .iter()
        .enumerate()
        .flat_map(|(b, iteration)| {
            iteration.iter().enumerate().map(move |(i, &node)| (node, (b, i)))
        })
        .collect();
    let is_before = |node: NodeId| node < *start || !function.op(node).is_work();
    let mut flows = Vec::new();
    for (i, &node) in iterations[0].iter().enumerate() {
        for (a, &arg) in function.args(node).iter().enumerate() {
            if place.get(&arg).is_some_and(|&(b, _)| b == 0) {
                continue;
            }
            let nodes: Vec<NodeId> =
                iterations.iter().map(|iteration| function.args(iteration[i])[a]).collect();
            flows.push(((i, a), flow(&nodes, &place, is_before)?));
        }
    }
    Some(flows)
}

fn flow(
    nodes: &[NodeId],
    place: &HashMap<NodeId, (usize, usize)>,
    is_before: impl Fn(NodeId) -> bool,
) -> Option<Flow> {
    if nodes.iter().all(|&node| node == nodes[0]) && is_before(nodes[0]) {
        return Some(Flow::Same(nodes[0]));
    }
    if nodes.iter().all(|&node| is_before(node)) {
        return Some(Flow::Each(nodes.to_vec()));
    }
    let inside = nodes.iter().position(|node| place.contains_key(node))?;
    let (iteration, operation) = place[&nodes[inside]];
    let distance = inside.checked_sub(iteration).filter(|&distance| distance > 0)?;
    let (first, rest) = nodes.split_at(distance);
    let alike = rest.iter().enumerate().all(|(i, node)| place.get(node) == Some(&(i, operation)));
    let first_before = first.iter().all(|&node| is_before(node));
    (alike && first_before).then(|| Flow::Earlier { operation, distance, first: first.to_vec() })
}

/// A rolled function that is being built.
struct Making<'f> {
    function: &'f Function,
    /// For each operation: its region, its number in an iteration, and its iteration.
    place: HashMap<NodeId, (usize, usize, usize)>,
    rolled: Rolled,
    values: HashMap<NodeId, Value>,
    /// For each region, the operations of an iteration whose results are taken, with their output.
    outputs: Vec<BTreeMap<usize, usize>>,
}

impl<'f> Making<'f> {
    fn new(function: &'f Function, plan: &[Iterations]) -> Self {
        let mut place = HashMap::new();
        for (r, region) in plan.iter().enumerate() {
            for (number, iteration) in region.nodes.iter().enumerate() {
                place.extend(iteration.iter().enumerate().map(|(i, &n)| (n, (r, i, number))));
            }
        }
        let rolled = Rolled {
            name: function.name.clone(),
            inputs: Vec::new(),
            values: Vec::new(),
            regions: Vec::new(),
            outputs: Vec::new(),
        };
        Self { function, place, rolled, values: HashMap::new(), outputs: Vec::new() }
    }

    fn run(mut self, plan: &[Iterations]) -> Rolled {
        self.note_outputs(plan);
        for (i, input) in self.function.inputs().iter().enumerate() {
            let value = self.define(input.node, Origin::Input(i as u32));
            self.rolled.inputs.push(Input { name: input.name.clone(), role: input.role, value });
        }
        for (r, region) in plan.iter().enumerate() {
            let region = self.region(r, &region.nodes);
            self.rolled.regions.push(region);
        }
        for output in self.function.outputs() {
            let value = self.value(output.value);
            self.rolled.outputs.push((output.name.clone(), value));
        }
        self.rolled
    }

    /// Notes which operations' results are taken by another iteration, another region, or as an
    /// output.
    fn note_outputs(&mut self, plan: &[Iterations]) {
        let mut taken: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); plan.len()];
        let users = self.function.nodes().flat_map(|user| {
            let of = self.place.get(&user).map(|&(region, _, iteration)| (region, iteration));
            self.function.args(user).iter().map(move |&arg| (arg, of))
        });
        let outputs = self.function.outputs().iter().map(|output| (output.value, None));
        for (node, user) in users.chain(outputs) {
            if let Some(&(region, operation, iteration)) = self.place.get(&node)
                && user != Some((region, iteration))
            {
                taken[region].insert(operation);
            }
        }
        let number = |taken: BTreeSet<usize>| taken.into_iter().zip(0..).collect();
        self.outputs = taken.into_iter().map(number).collect();
    }

    fn define(&mut self, node: NodeId, origin: Origin) -> Value {
        let value = Value(self.rolled.values.len() as u32);
        self.rolled.values.push(Definition { width: self.function.width(node), origin });
        self.values.insert(node, value);
        value
    }

    /// The value by which a node's result is known outside its iteration.
    fn value(&mut self, node: NodeId) -> Value {
        if let Some(&value) = self.values.get(&node) {
            return value;
        }
        let origin = match self.function.op(node) {
            Op::Const(value) => Origin::Constant(value),
            _ => {
                let (region, operation, iteration) = self.place[&node];
                let output = self.outputs[region][&operation];
                Origin::Result {
                    region: region as u32,
                    output: output as u32,
                    iteration: iteration as u32,
                }
            }
        };
        self.define(node, origin)
    }

    fn region(&mut self, number: usize, iterations: &[Vec<NodeId>]) -> Region {
        let function = self.function;
        let flows = sources(function, iterations).expect("the iterations are alike");
        let mut b = Builder::new(&format!("{}.{number}", function.name));
        // For each use of a value from outside, its node in the body. A value that flows in at
        // several places is one input.
        let mut outside: HashMap<(usize, usize), NodeId> = HashMap::new();
        let mut sources: Vec<Source> = Vec::new();
        let mut inputs: Vec<NodeId> = Vec::new();
        for ((i, a), flow) in flows {
            let width = function.width(function.args(iterations[0][i])[a]);
            let constant = match flow {
                Flow::Same(node) => match function.op(node) {
                    Op::Const(value) => Some(value),
                    _ => None,
                },
                Flow::Each(_) | Flow::Earlier { .. } => None,
            };
            let node = match constant {
                Some(value) => b.constant(value, width),
                None => {
                    let source = self.source(number, &flow);
                    let known = sources.iter().position(|known| *known == source);
                    let place = known.unwrap_or_else(|| {
                        let (name, role) = self.name(&source, sources.len());
                        inputs.push(b.input(&name, role, width));
                        sources.push(source);
                        sources.len() - 1
                    });
                    inputs[place]
                }
            };
            outside.insert((i, a), node);
        }
        let place: HashMap<NodeId, usize> =
            iterations[0].iter().enumerate().map(|(i, &node)| (node, i)).collect();
        let mut steps: HashMap<StepId, StepId> = HashMap::new();
        let mut made: Vec<NodeId> = Vec::with_capacity(iterations[0].len());
        for (i, &node) in iterations[0].iter().enumerate() {
            let args = function.args(node).iter().enumerate();
            let args = args
                .map(|(a, arg)| outside.get(&(i, a)).copied().unwrap_or_else(|| made[place[arg]]));
            let args: Vec<NodeId> = args.collect();
            let step = function.step(node);
            let step = *steps.entry(step).or_insert_with(|| b.step_at_path_of(function, step));
            made.push(b.within(step, |b| b.op(function.op(node), &args)));
        }
        for (&operation, &output) in &self.outputs[number] {
            b.output(&format!("y{output}"), made[operation]);
        }
        Region { times: iterations.len(), body: b.finish(), sources }
    }

    fn source(&mut self, region: usize, flow: &Flow) -> Source {
        let mut values = |nodes: &[NodeId]| nodes.iter().map(|&node| self.value(node)).collect();
        match flow {
            Flow::Same(node) => Source::Same(self.value(*node)),
            Flow::Each(nodes) => Source::Each(values(nodes)),
            Flow::Earlier { operation, distance, first } => {
                let first = values(first);
                let output = self.outputs[region][operation];
                Source::Earlier { output, distance: *distance, first }
            }
        }
    }

    /// The name of a body's input, and its role in the primitive. An input of the function keeps
    /// its name.
    fn name(&self, source: &Source, number: usize) -> (String, Role) {
        let input = |value: Value| match self.rolled.definition(value).origin {
            Origin::Input(i) => Some(&self.rolled.inputs[i as usize]),
            Origin::Constant(_) | Origin::Result { .. } => None,
        };
        match source {
            Source::Same(value) => match input(*value) {
                Some(input) => (input.name.clone(), input.role),
                None => (format!("x{number}"), Role::Chaining),
            },
            Source::Each(values) => match input(values[0]) {
                Some(input) => (format!("x{number}"), input.role),
                None => (format!("c{number}"), Role::Constant),
            },
            Source::Earlier { .. } => (format!("e{number}"), Role::Chaining),
        }
    }
}
