//! The clock in which every operation of a block runs, as a value that can be checked and handed to
//! an emitter.

use super::delay::{Ticks, ticks, units};
use super::net::{Cell, Clock, Instant, Net, Signal};
use manylane_graph::builder::Builder;
use manylane_graph::{Function, NodeId, Op};
use serde::Serialize;
use std::collections::HashMap;

/// The times at which the operations of a block run. Clocks and times are counted from the start of
/// the clock to which the block's steps nominally belong: clock -1 is the clock before, for values
/// that can be prepared early.
///
/// These rules hold, and [`HardwareSchedule::check`] checks them:
/// 1. every operation lies within one clock;
/// 2. its operands are ready when it starts;
/// 3. no operand comes from a later clock;
/// 4. a word of the state is ready, one clock later, when the next turn of the block takes it.
#[derive(Clone, Debug, PartialEq)]
pub struct HardwareSchedule {
    /// The time of a clock for logic, in the delay model's units.
    pub period: f64,
    /// The place of every node of the block's function, in order.
    pub nodes: Vec<Placed>,
    /// The values that cross the ends of clocks.
    pub registers: Vec<Register>,
}

/// The place of an operation in time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Placed {
    /// The clock in which an operation runs; for a side input, the first clock in which it is
    /// needed; for a word of the state, the clock in which it was computed.
    pub clock: i64,
    /// The start, in units from the start of clock 0.
    pub start: f64,
    /// The end, in units from the start of clock 0.
    pub end: f64,
}

/// A value that is kept in registers: one for each clock after `from`, up to `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Register {
    /// The node of the block's function.
    pub node: u32,
    /// The clock in which it is made.
    pub from: i64,
    /// The last clock in which it is used.
    pub to: i64,
    /// Bits of the value.
    pub bits: u32,
}

impl Register {
    /// Number of bits of all registers.
    pub fn total_bits(&self) -> u64 {
        u64::from(self.bits) * (self.to - self.from) as u64
    }
}

/// An error: a schedule breaks a rule.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ScheduleError {
    /// The schedule belongs to another function.
    #[error("the schedule has {scheduled} nodes, the function {nodes}; schedule it again")]
    Nodes {
        /// Nodes of the schedule.
        scheduled: usize,
        /// Nodes of the function.
        nodes: usize,
    },
    /// An operation reaches over the end of a clock.
    #[error("{node} runs from {start} to {end}, which is not within clock {clock}")]
    Straddles {
        /// The operation.
        node: NodeId,
        /// Its clock.
        clock: i64,
        /// Its start.
        start: f64,
        /// Its end.
        end: f64,
    },
    /// An operand is not ready when the operation starts.
    #[error("{node} starts at {start}, before its operand {operand} is ready at {ready}")]
    NotReady {
        /// The operation.
        node: NodeId,
        /// The operand.
        operand: NodeId,
        /// When the operation starts.
        start: f64,
        /// When the operand is ready.
        ready: f64,
    },
    /// An operand comes from a later clock.
    #[error("{node} in clock {clock} takes {operand} from clock {from}")]
    Backwards {
        /// The operation.
        node: NodeId,
        /// Its clock.
        clock: i64,
        /// The operand.
        operand: NodeId,
        /// The operand's clock.
        from: i64,
    },
    /// A word of the state comes too late for the next turn.
    #[error("word {word} of the state is ready at {ready}, the next turn takes it at {taken}")]
    State {
        /// The number of the word.
        word: usize,
        /// The time at which it is ready.
        ready: f64,
        /// The time at which the next turn takes it.
        taken: f64,
    },
}

impl HardwareSchedule {
    /// Checks the rules for the schedule of `function`, a block over `words` words of state.
    ///
    /// # Errors
    /// The first rule that does not hold.
    pub fn check(&self, function: &Function, words: usize) -> Result<(), ScheduleError> {
        if self.nodes.len() != function.len() {
            let nodes = function.len();
            return Err(ScheduleError::Nodes { scheduled: self.nodes.len(), nodes });
        }
        let waits_for = |node: NodeId| match function.op(node) {
            Op::Const(_) => false,
            Op::Input(i) => (i as usize) < words,
            _ => true,
        };
        let period = ticks(self.period);
        for node in function.nodes().filter(|&node| function.op(node).is_work()) {
            let Placed { clock, start, end, .. } = self.nodes[node.index()];
            let (begin, lasts) = (clock.saturating_mul(period), ticks(start)..=ticks(end));
            if *lasts.start() < begin
                || *lasts.end() > begin.saturating_add(period)
                || lasts.is_empty()
            {
                return Err(ScheduleError::Straddles { node, clock, start, end });
            }
            for &operand in function.args(node).iter().filter(|&&arg| waits_for(arg)) {
                let Placed { clock: from, end: ready, .. } = self.nodes[operand.index()];
                if ticks(ready) > *lasts.start() {
                    return Err(ScheduleError::NotReady { node, operand, start, ready });
                }
                if from > clock {
                    return Err(ScheduleError::Backwards { node, clock, operand, from });
                }
            }
        }
        let outputs = function.outputs().iter().map(|output| output.value);
        for (word, value) in outputs.enumerate().filter(|&(_, value)| waits_for(value)) {
            let input = &self.nodes[function.inputs()[word].node.index()];
            let made = &self.nodes[value.index()];
            let taken = input.end + self.period;
            if ticks(made.end) > ticks(taken) || made.clock > input.clock + 1 {
                return Err(ScheduleError::State { word, ready: made.end, taken });
            }
        }
        Ok(())
    }
}

/// A net as a function, with the places of its operations.
#[derive(Debug)]
pub(super) struct Realised {
    pub(super) function: Function,
    pub(super) nodes: Vec<Placed>,
    /// The body's varying nodes.
    pub(super) varying: Vec<NodeId>,
    users: Vec<Vec<NodeId>>,
}

/// Writes the signals of a net as a function, each operation with its start, end and clock.
pub(super) fn realise(net: &Net<'_>) -> Realised {
    let body = &net.body.function;
    let mut builder = Builder::new(&body.name);
    let mut nodes_of: Vec<NodeId> = Vec::with_capacity(net.signals.len());
    let mut times: HashMap<NodeId, (Ticks, Instant)> = HashMap::new();
    let mut place = |node: NodeId, start: Ticks, end: Instant| {
        let time = times.entry(node).or_insert((start, end));
        if end.time < time.1.time {
            *time = (start, end);
        }
    };
    for signal in &net.signals {
        let args: Vec<NodeId> = signal.args.iter().map(|&arg| nodes_of[arg]).collect();
        let step = builder.step_at_path_of(body, signal.step);
        builder.reenter(step);
        let b = &mut builder;
        let op = match signal.cell {
            Cell::Input(i) => {
                let input = &body.inputs()[i];
                nodes_of.push(b.input(&input.name, input.role, signal.width));
                place(nodes_of[nodes_of.len() - 1], signal.start, signal.end);
                b.leave();
                continue;
            }
            Cell::Node(node) => body.op(node),
            Cell::Add => Op::Add,
            Cell::HalfSum | Cell::SumBits => Op::Xor,
            Cell::HalfCarry => Op::And,
            Cell::CarryBits => {
                // The time of the cell is charged to `and`; `or` and the shift take none.
                let and = b.op(Op::And, &[args[1], args[2]]);
                place(and, signal.start, signal.end);
                let or = b.op(Op::Or, &[args[0], and]);
                place(or, signal.end.time, signal.end);
                let carry = b.op(Op::Shl(1), &[or]);
                place(carry, signal.end.time, signal.end);
                nodes_of.push(carry);
                b.leave();
                continue;
            }
        };
        let node = match op {
            Op::Const(value) => b.constant(value, signal.width),
            op => b.op(op, &args),
        };
        place(node, signal.start, signal.end);
        nodes_of.push(node);
        b.leave();
    }
    for (output, &signal) in body.outputs().iter().zip(&net.outputs) {
        builder.output(&output.name, nodes_of[signal]);
    }
    let function = builder.finish();
    let users = function.users();
    let nodes = places(&function, &users, net.body.words, net.clock(), &times);
    let of_body = |node: &NodeId| {
        let is_node = |signal: &Signal| signal.cell == Cell::Node(*node);
        nodes_of[net.signals.iter().position(is_node).expect("every node has a signal")]
    };
    let varying = net.body.varying.iter().map(of_body).collect();
    Realised { function, nodes, varying, users }
}

fn places(
    function: &Function,
    users: &[Vec<NodeId>],
    words: usize,
    Clock(period): Clock,
    times: &HashMap<NodeId, (Ticks, Instant)>,
) -> Vec<Placed> {
    let period = period.expect("a schedule has clocks");
    let mut nodes: Vec<Placed> = function
        .nodes()
        .map(|node| {
            let (start, end) = times.get(&node).copied().unwrap_or((0, Instant::ZERO));
            let always = end.is_always();
            let time = |ticks| if always { f64::NEG_INFINITY } else { units(ticks) };
            let (start, finish) = (time(start), time(end.time));
            Placed { clock: end.clock, start, end: finish }
        })
        .collect();
    // Constants and side inputs are placed where they are first needed.
    for node in function.nodes().rev() {
        let first = users[node.index()].iter().map(|user| nodes[user.index()].clock).min();
        let is_side = match function.op(node) {
            Op::Input(i) => i as usize >= words || nodes[node.index()].end.is_infinite(),
            op => !op.is_work(),
        };
        if is_side {
            let clock = first.unwrap_or(0);
            let start = units(clock * period);
            let placed = &mut nodes[node.index()];
            (placed.clock, placed.start, placed.end) = (clock, start, start);
        }
    }
    nodes
}

impl Realised {
    fn last_user(&self, node: NodeId) -> Option<i64> {
        let users = self.users[node.index()].iter();
        users.map(|user| self.nodes[user.index()].clock).max()
    }

    /// The values that cross the ends of clocks, `prepared` side inputs among them, which are made
    /// a clock before their first use. A word of the state is kept from the clock in which it is
    /// computed to its last use in a later turn, which `last_uses` gives.
    pub(super) fn registers(&self, prepared: &[bool], last_uses: &[Option<i64>]) -> Vec<Register> {
        let mut registers = Vec::new();
        for node in self.function.nodes() {
            let mut from = self.nodes[node.index()].clock;
            let mut to = self.last_user(node);
            match self.function.op(node) {
                Op::Const(_) => continue,
                Op::Input(i) if !prepared[i as usize] => continue,
                Op::Input(_) => from -= 1,
                _ => {
                    let outputs = self.function.outputs().iter().zip(last_uses);
                    for (_, last) in outputs.filter(|(output, _)| output.value == node) {
                        // A word is kept up to the end of the clock even if no turn takes it.
                        to = to.max(Some(last.map_or(from, |last| last) + 1));
                    }
                }
            }
            if let Some(to) = to.filter(|&to| to > from) {
                let bits = self.function.width(node).into();
                registers.push(Register { node: node.0, from, to, bits });
            }
        }
        registers
    }
}

/// Returns, for each word of the state, the last clock in which blocks that take turns use it,
/// counted from the clock of the turn that takes it. A word that is passed on is used in later
/// turns too.
pub(super) fn last_uses(blocks: &[Realised], words: usize) -> Vec<Option<i64>> {
    let mut last: Vec<Option<i64>> = vec![None; words];
    for block in blocks {
        for (last, input) in last.iter_mut().zip(block.function.inputs()) {
            *last = (*last).max(block.last_user(input.node));
        }
    }
    // A word is passed on fewer times than there are words, or for ever.
    for _ in 0..words {
        for block in blocks {
            for (word, output) in block.function.outputs().iter().enumerate() {
                let Op::Input(from) = block.function.op(output.value) else { continue };
                let from = from as usize;
                if from < words && from != word {
                    last[from] = last[from].max(last[word].map(|last| last + 1));
                }
            }
        }
    }
    last
}
