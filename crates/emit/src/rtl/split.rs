//! Words of the state that travel as the two terms of their last adder.
//!
//! ```text
//!  row ═╤═► add ──► mux ──► …          row ═╤═► mux ═══► add ──► …
//!           new message ─┘                  new message, 0 ─┘
//! ```
//!
//! The multiplexer that takes in a new message stands in the recurrence. Behind an adder it is a
//! level of logic of its own; behind a row of 3:2 compressors it is part of the row's last level.

use manylane_graph::builder::Builder;
use manylane_graph::{Function, NodeId, Op, StepId};
use manylane_plan::hardware::{Placed, Region, Turn};

/// A region whose words are split where that helps.
#[derive(Debug)]
pub(super) struct SplitRegion {
    /// The region: its words are those of the original region, then the second terms.
    pub(super) region: Region,
    /// For each word of the original region, the word that is its second term.
    pub(super) second: Vec<Option<usize>>,
}

impl SplitRegion {
    /// Splits the words of a region whose last operation is an adder behind a row of compressors.
    pub(super) fn new(region: &Region) -> Self {
        let function = &region.function;
        let mut words = region.words;
        let second: Vec<Option<usize>> = (0..region.words)
            .map(|word| {
                is_split(region, word).then(|| {
                    words += 1;
                    words - 1
                })
            })
            .collect();
        let mut splitter = Splitter {
            region,
            builder: Builder::new(&function.name),
            placed: Vec::new(),
            new: vec![None; function.len()],
        };
        splitter.inputs(&second, words);
        splitter.nodes(&second);
        splitter.outputs(&second);
        let Splitter { builder, placed, new, .. } = splitter;
        let varying = region.varying.iter().map(|node| new[node.index()].expect("work stays"));
        let turns = region.turns.iter().map(|turn| {
            let (state, side) = turn.arguments.split_at(region.words);
            let seconds = (0..region.words).filter(|&word| second[word].is_some());
            // No node is the first value of a second term: it is zero.
            let seconds = seconds.map(|word| state[word]);
            let arguments = state.iter().copied().chain(seconds).chain(side.iter().copied());
            Turn { arguments: arguments.collect(), ..turn.clone() }
        });
        let turns = turns.collect();
        let mut schedule = region.schedule.clone();
        schedule.nodes = placed;
        let varying = varying.collect();
        let region = Region {
            function: builder.finish(),
            schedule,
            words,
            varying,
            turns,
            resources: region.resources,
        };
        Self { region, second }
    }
}

/// Whether a word comes from an adder that nothing else takes, and a multiplexer is better placed
/// before that adder: both terms come out of gates, or one comes out of the turns' choice of
/// rotations and the other from the state.
fn is_split(region: &Region, word: usize) -> bool {
    let function = &region.function;
    let value = function.outputs()[word].value;
    let is_alone = function.outputs().iter().filter(|output| output.value == value).count() == 1
        && function.nodes().all(|node| !function.args(node).contains(&value));
    let is_chosen = |arg: &NodeId| region.varying.contains(arg);
    let is_word =
        |arg: &NodeId| matches!(function.op(*arg), Op::Input(i) if (i as usize) < region.words);
    function.op(value) == Op::Add && is_alone && {
        let args = function.args(value);
        args.iter().all(|&arg| is_logic(function, arg))
            || args.iter().any(is_chosen) && args.iter().all(|arg| is_chosen(arg) || is_word(arg))
    }
}

/// Whether a value comes out of gates, wires aside.
fn is_logic(function: &Function, node: NodeId) -> bool {
    match function.op(node) {
        Op::And | Op::Or | Op::Xor | Op::Xnor | Op::Not | Op::Lut3(_) => true,
        Op::Rotl(_) | Op::Rotr(_) | Op::Shl(_) | Op::Shr(_) | Op::SwapBytes => {
            is_logic(function, function.args(node)[0])
        }
        Op::Input(_)
        | Op::Const(_)
        | Op::Add
        | Op::Carry
        | Op::Sub
        | Op::RotlVar
        | Op::RotrVar
        | Op::SubBytes
        | Op::Xtime
        | Op::Call(_)
        | Op::Result(_)
        | Op::External => false,
    }
}

struct Splitter<'b> {
    region: &'b Region,
    builder: Builder,
    /// The places in time of the new nodes.
    placed: Vec<Placed>,
    new: Vec<Option<NodeId>>,
}

impl Splitter<'_> {
    /// Notes where a new node is.
    fn place(&mut self, node: NodeId, placed: Placed) -> NodeId {
        if node.index() == self.placed.len() {
            self.placed.push(placed);
        }
        node
    }

    fn inputs(&mut self, second: &[Option<usize>], words: usize) {
        let Region { function, schedule, .. } = self.region;
        let input = |i: usize| function.inputs()[i].clone();
        let of_second = second.iter().enumerate().filter_map(|(i, second)| second.map(|_| i));
        let old = (0..second.len()).chain(of_second).chain(second.len()..function.inputs().len());
        let mut sums = Vec::new();
        for (i, old) in old.enumerate() {
            let is_second = (second.len()..words).contains(&i);
            let name = if is_second { "second" } else { "" };
            let input = input(old);
            let name = format!("{}{name}", input.name);
            let node = self.builder.input(&name, input.role, function.width(input.node));
            let mut placed = schedule.nodes[input.node.index()];
            // A term keeps its clock, which is one clock earlier when counted from the next turn.
            if second.get(old).is_some_and(Option::is_some) {
                let value = function.outputs()[old].value;
                let arg = function.args(value)[usize::from(is_second)];
                placed = earlier(schedule.nodes[arg.index()], schedule.period);
            }
            self.place(node, placed);
            if is_second {
                sums.push((old, node));
            } else {
                self.new[input.node.index()] = Some(node);
            }
        }
        for (word, second) in sums {
            let input = function.inputs()[word].node;
            let first = self.new[input.index()].expect("inputs are there");
            let sum = self.builder.op(Op::Add, &[first, second]);
            let placed = schedule.nodes[function.outputs()[word].value.index()];
            self.place(sum, earlier(placed, schedule.period));
            self.new[input.index()] = Some(sum);
        }
    }

    fn nodes(&mut self, second: &[Option<usize>]) {
        let Region { function, schedule, .. } = self.region;
        let split: Vec<NodeId> = (0..second.len())
            .filter(|&word| second[word].is_some())
            .map(|word| function.outputs()[word].value)
            .collect();
        for node in function.nodes() {
            if matches!(function.op(node), Op::Input(_)) || split.contains(&node) {
                continue;
            }
            let args = function.args(node).iter();
            let args: Vec<NodeId> =
                args.map(|arg| self.new[arg.index()].expect("nodes are read in order")).collect();
            let step = self.step(function.step(node));
            self.builder.reenter(step);
            let new = match function.op(node) {
                Op::Const(value) => self.builder.constant(value, function.width(node)),
                op => self.builder.op(op, &args),
            };
            self.builder.leave();
            self.new[node.index()] = Some(self.place(new, schedule.nodes[node.index()]));
        }
    }

    fn step(&mut self, step: StepId) -> StepId {
        let function = &self.region.function;
        function.path(step).into_iter().fold(StepId::ROOT, |parent, id| {
            let step = &function.steps()[id.index()];
            self.builder.substep_like(parent, step)
        })
    }

    fn outputs(&mut self, second: &[Option<usize>]) {
        let function = &self.region.function;
        let term = |word: usize, i: usize| function.args(function.outputs()[word].value)[i];
        let seconds = (0..second.len()).filter(|&word| second[word].is_some());
        let seconds = seconds.map(|word| term(word, 1));
        let firsts = (0..second.len()).map(|word| match second[word] {
            Some(_) => term(word, 0),
            None => function.outputs()[word].value,
        });
        for (i, value) in firsts.chain(seconds).enumerate() {
            let value = self.new[value.index()].expect("all nodes are read");
            self.builder.output(&format!("x{i}"), value);
        }
    }
}

/// This place in time, counted from the next turn.
fn earlier(Placed { clock, start, end }: Placed, period: f64) -> Placed {
    Placed { clock: clock - 1, start: start - period, end: end - period }
}
