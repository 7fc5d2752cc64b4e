//! Which clock every operation of a block runs in, as a value that can be checked and handed to an
//! emitter.

use super::timing::{Cell, Clock, EPSILON, Instant, Net};
use manylane_graph::builder::Builder;
use manylane_graph::{Function, NodeId, Op, StepId};
use serde::Serialize;
use std::collections::HashMap;

/// When the operations of a block run. Clocks and times are counted from the start of the clock to
/// which the block's steps nominally belong: clock -1 is the one before, in which what is known early
/// is prepared.
///
/// What must hold, and [`HardwareSchedule::check`] checks:
/// 1. every operation lies within one clock;
/// 2. its operands are ready when it starts;
/// 3. no operand comes from a later clock;
/// 4. a word of the state is ready, one clock later, when the next turn of the block takes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HardwareSchedule {
    /// Time of a clock for logic, in the delay model's units.
    pub period: f64,
    /// Every node of the block's function, in order.
    pub nodes: Vec<Placed>,
    /// Values that cross the ends of clocks.
    pub registers: Vec<Register>,
}

/// An operation in its place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Placed {
    /// The operation's name.
    pub operation: &'static str,
    /// Its arguments, by number.
    pub args: Vec<u32>,
    /// Bits.
    pub width: u8,
    /// The clock in which it runs; of a side input, the first in which it is needed; of a word of
    /// the state, the one in which it was made.
    pub clock: i64,
    /// Units from the start of clock 0.
    pub start: f64,
    /// Units from the start of clock 0.
    pub end: f64,
}

/// A value that is kept: one register for each clock from the one after `from` to `to`.
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
    /// Bits of registers.
    pub fn total_bits(&self) -> u64 {
        u64::from(self.bits) * (self.to - self.from) as u64
    }
}

/// What is wrong with a schedule.
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
    /// An operand is not ready.
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
    /// A value would have to go back in time.
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
        /// Which word.
        word: usize,
        /// When it is ready.
        ready: f64,
        /// When it is taken.
        taken: f64,
    },
}

impl HardwareSchedule {
    /// Checks what must hold of the schedule of `function`, a block over `words` words of state.
    ///
    /// # Errors
    /// The first thing that does not hold.
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
        for node in function.nodes().filter(|&node| function.op(node).is_work()) {
            let Placed { clock, start, end, .. } = self.nodes[node.index()];
            let begin = clock as f64 * self.period;
            if start < begin - EPSILON || end > begin + self.period + EPSILON || end < start {
                return Err(ScheduleError::Straddles { node, clock, start, end });
            }
            for &operand in function.args(node).iter().filter(|&&arg| waits_for(arg)) {
                let Placed { clock: from, end: ready, .. } = self.nodes[operand.index()];
                if ready > start + EPSILON {
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
            if made.end > taken + EPSILON || made.clock > input.clock + 1 {
                return Err(ScheduleError::State { word, ready: made.end, taken });
            }
        }
        Ok(())
    }
}

/// A net as a function and its schedule. `prepared` of the side inputs are made a clock ahead.
pub(super) fn realise(net: &Net<'_>, prepared: &[bool]) -> (Function, HardwareSchedule) {
    let body = &net.body.function;
    let mut builder = Builder::new(&body.name);
    let mut nodes: Vec<NodeId> = Vec::with_capacity(net.signals.len());
    let mut times: HashMap<NodeId, (f64, Instant)> = HashMap::new();
    let mut place = |node: NodeId, start: f64, end: Instant| {
        let time = times.entry(node).or_insert((start, end));
        if end.time < time.1.time {
            *time = (start, end);
        }
    };
    for signal in &net.signals {
        let args: Vec<NodeId> = signal.args.iter().map(|&arg| nodes[arg]).collect();
        let step = step_like(&mut builder, body, signal.step);
        builder.reenter(step);
        let b = &mut builder;
        let op = match signal.cell {
            Cell::Input(i) => {
                let input = &body.inputs()[i];
                nodes.push(b.input(&input.name, input.role, signal.width));
                place(nodes[nodes.len() - 1], signal.start, signal.end);
                b.leave();
                continue;
            }
            Cell::Node(node) => body.op(node),
            Cell::Add => Op::Add,
            Cell::HalfSum | Cell::SumBits => Op::Xor,
            Cell::HalfCarry => Op::And,
            Cell::CarryBits => {
                // The last two operations are wires of the cell.
                let and = b.op(Op::And, &[args[1], args[2]]);
                place(and, signal.start, signal.end);
                let or = b.op(Op::Or, &[args[0], and]);
                place(or, signal.end.time, signal.end);
                let carry = b.op(Op::Shl(1), &[or]);
                place(carry, signal.end.time, signal.end);
                nodes.push(carry);
                b.leave();
                continue;
            }
        };
        let node = match op {
            Op::Const(value) => b.constant(value, signal.width),
            op => b.op(op, &args),
        };
        place(node, signal.start, signal.end);
        nodes.push(node);
        b.leave();
    }
    for (output, &signal) in body.outputs().iter().zip(&net.outputs) {
        builder.output(&output.name, nodes[signal]);
    }
    let function = builder.finish();
    let schedule = schedule(&function, net.body.words, net.clock(), &times, prepared);
    (function, schedule)
}

/// The step of `b` with the path of `step`.
fn step_like(b: &mut Builder, body: &Function, step: StepId) -> StepId {
    body.path(step).into_iter().fold(StepId::ROOT, |parent, id| {
        let step = &body.steps()[id.index()];
        b.substep(parent, &step.name, step.index, &[])
    })
}

fn schedule(
    function: &Function,
    words: usize,
    Clock(period): Clock,
    times: &HashMap<NodeId, (f64, Instant)>,
    prepared: &[bool],
) -> HardwareSchedule {
    let period = period.expect("a schedule has clocks");
    let users = function.users();
    let mut nodes: Vec<Placed> = function
        .nodes()
        .map(|node| {
            let (start, end) = times.get(&node).copied().unwrap_or((0.0, Instant::ZERO));
            let args = function.args(node).iter().map(|arg| arg.0).collect();
            let (operation, width) = (function.op(node).name(), function.width(node));
            Placed { operation, args, width, clock: end.clock, start, end: end.time }
        })
        .collect();
    // Constants and side inputs are there when they are first needed.
    for node in function.nodes().rev() {
        let first = users[node.index()].iter().map(|user| nodes[user.index()].clock).min();
        let is_side = match function.op(node) {
            Op::Input(i) => i as usize >= words || nodes[node.index()].end.is_infinite(),
            op => !op.is_work(),
        };
        if is_side {
            let clock = first.unwrap_or(0);
            let start = clock as f64 * period;
            let placed = &mut nodes[node.index()];
            (placed.clock, placed.start, placed.end) = (clock, start, start);
        }
    }
    let registers = registers(function, words, &nodes, &users, prepared);
    HardwareSchedule { period, nodes, registers }
}

/// The values that cross the ends of clocks. A word of the state counts where it is made, up to its
/// last use in whichever later turn.
fn registers(
    function: &Function,
    words: usize,
    nodes: &[Placed],
    users: &[Vec<NodeId>],
    prepared: &[bool],
) -> Vec<Register> {
    let last_user = |node: NodeId| users[node.index()].iter().map(|u| nodes[u.index()].clock).max();
    // By word of the state: its last use, counted from the clock of the turn that takes it.
    let mut last_use: Vec<Option<i64>> =
        function.inputs()[..words].iter().map(|input| last_user(input.node)).collect();
    for _ in 0..words {
        for (word, output) in function.outputs().iter().enumerate() {
            if let Op::Input(from) = function.op(output.value)
                && let Some(last) = last_use[word]
                && (from as usize) < words
                && from as usize != word
            {
                let from = &mut last_use[from as usize];
                *from = (*from).max(Some(last + 1));
            }
        }
    }
    let mut registers = Vec::new();
    for node in function.nodes() {
        let mut from = nodes[node.index()].clock;
        let mut to = last_user(node);
        match function.op(node) {
            Op::Const(_) => continue,
            Op::Input(i) if !prepared[i as usize] => continue,
            Op::Input(_) => from -= 1,
            _ => {
                let outputs = function.outputs().iter().enumerate();
                for (word, _) in outputs.filter(|(_, output)| output.value == node) {
                    // Even a word that no turn takes is there at the end of the clock.
                    to = to.max(Some(last_use[word].map_or(from + 1, |last| last + 1)));
                }
            }
        }
        if let Some(to) = to.filter(|&to| to > from) {
            registers.push(Register {
                node: node.0,
                from,
                to,
                bits: nodes[node.index()].width.into(),
            });
        }
    }
    registers
}
