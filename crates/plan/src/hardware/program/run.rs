//! The interpreter, which defines what a program of hardware computes, clock by clock.
//!
//! Turn g of the rounds has its clock g; a node that is placed in clock c of its turn is computed
//! in clock g + c, from values that registers hold from earlier clocks or that are computed in the
//! same clock.

use super::{HardwareProgram, Region, Turn};
use manylane_graph::interpret::evaluate;
use manylane_graph::{NodeId, Op};
use std::collections::{HashMap, HashSet};

/// An error: an operand of an operation is not available.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stuck {
    /// An operand is computed in a later clock.
    #[error(
        "{node} of turn {turn} takes {operand} of turn {from} in clock {clock}, which is not made \
         yet"
    )]
    Missing {
        /// The operation.
        node: NodeId,
        /// Its turn.
        turn: usize,
        /// The clock in which it is computed.
        clock: i64,
        /// The operand.
        operand: NodeId,
        /// The operand's turn.
        from: usize,
    },
    /// An operand was computed in an earlier clock, and no register holds it any more.
    #[error(
        "{node} of turn {turn} takes {operand} of turn {from} in clock {clock}, of which no \
         register \
         has the value"
    )]
    Lost {
        /// The operation.
        node: NodeId,
        /// Its turn.
        turn: usize,
        /// The clock in which it is computed.
        clock: i64,
        /// The operand.
        operand: NodeId,
        /// The operand's turn.
        from: usize,
    },
    /// An operation outside the turns takes a word of the state from the middle of the rounds.
    #[error(
        "{node} of the function is computed by a turn, and something beside the turns takes it"
    )]
    Inside {
        /// The word.
        node: NodeId,
    },
}

/// The origin of a value.
#[derive(Clone, Copy)]
enum Origin {
    /// A node of a turn.
    Turn(usize, NodeId),
    /// A node of the function outside the turns.
    Beside(NodeId),
}

struct Values<'p> {
    program: &'p HardwareProgram,
    turns: Vec<(&'p Region, &'p Turn)>,
    inputs: &'p [u64],
    /// The words of the state that turns compute. Operations outside the turns may take only the
    /// last ones.
    inside: HashSet<NodeId>,
    /// For each node of the function outside the turns that has been computed, its value.
    beside: HashMap<NodeId, u64>,
    /// For each turn and node of its region that has been computed, the value.
    made: HashMap<(usize, NodeId), u64>,
}

/// The outputs of the function, computed as the program places its operations.
///
/// # Errors
/// The first operation of which an operand is not available. The error does not depend on `inputs`.
pub fn run(program: &HardwareProgram, inputs: &[u64]) -> Result<Vec<u64>, Stuck> {
    let turns = program.turns();
    let words = |turn: &(&Region, &Turn)| turn.1.arguments[..turn.0.words].to_vec();
    let first: HashSet<NodeId> = turns.first().map(words).into_iter().flatten().collect();
    let last = program.last_words();
    let states = turns.iter().skip(1).flat_map(words).chain(last.iter().copied());
    let is_made = |node: &NodeId| program.function.op(*node).is_work() && !first.contains(node);
    let inside = states.filter(is_made).collect();
    let (beside, made) = Default::default();
    let mut values = Values { program, turns, inputs, inside, beside, made };
    values.turn()?;
    let turns = values.turns.len();
    for (word, node) in last.into_iter().enumerate() {
        let value = match values.before(turns, word) {
            Origin::Turn(turn, node) => values.made[&(turn, node)],
            Origin::Beside(node) => values.beside(node)?,
        };
        values.beside.insert(node, value);
    }
    let outputs = program.function.outputs().iter();
    outputs.map(|output| values.beside(output.value)).collect()
}

impl Values<'_> {
    /// Computes all turns, in the order of the clocks.
    fn turn(&mut self) -> Result<(), Stuck> {
        let mut places = Vec::new();
        for (turn, (region, _)) in self.turns.iter().enumerate() {
            let nodes = region.function.nodes();
            let is_computed = |node: &NodeId| region.function.op(*node).is_work();
            for node in nodes.filter(is_computed) {
                places.push((turn as i64 + region.schedule.nodes[node.index()].clock, turn, node));
            }
        }
        places.sort_unstable();
        for (clock, turn, node) in places {
            let (region, of_turn) = self.turns[turn];
            let args = region.function.args(node).iter();
            let args = args.map(|&operand| self.operand((clock, turn, node), operand));
            let args = args.collect::<Result<Vec<u64>, Stuck>>()?;
            let varying = region.varying.iter().position(|&varying| varying == node);
            let op = varying.map_or(region.function.op(node), |i| of_turn.amounts[i]);
            let value = evaluate(op, region.function.width(node), &args);
            self.made.insert((turn, node), value);
        }
        Ok(())
    }

    /// An operand of a node of a turn, in a clock.
    fn operand(
        &mut self,
        (clock, turn, node): (i64, usize, NodeId),
        operand: NodeId,
    ) -> Result<u64, Stuck> {
        let (region, of_turn) = self.turns[turn];
        let made = match region.function.op(operand) {
            Op::Const(value) => return Ok(value),
            Op::Input(i) if (i as usize) < region.words => self.before(turn, i as usize),
            Op::Input(i) => Origin::Beside(of_turn.arguments[i as usize]),
            _ => Origin::Turn(turn, operand),
        };
        match made {
            Origin::Beside(node) => self.beside(node),
            Origin::Turn(from, operand) => {
                let value = self.made.get(&(from, operand)).copied();
                let value = value.ok_or(Stuck::Missing { node, turn, clock, operand, from })?;
                let schedule = &self.turns[from].0.schedule;
                let made = schedule.nodes[operand.index()].clock;
                let mut registers = schedule.registers.iter();
                let register = registers.find(|register| register.node == operand.0);
                let until = from as i64 + register.map_or(made, |register| register.to);
                match clock <= until {
                    true => Ok(value),
                    false => Err(Stuck::Lost { node, turn, clock, operand, from }),
                }
            }
        }
    }

    /// Returns where a word of the state before a turn was computed.
    fn before(&self, mut turn: usize, mut word: usize) -> Origin {
        while turn > 0 {
            turn -= 1;
            let (region, of_turn) = self.turns[turn];
            let value = region.function.outputs()[word].value;
            match region.function.op(value) {
                Op::Input(i) if (i as usize) < region.words => word = i as usize,
                Op::Input(i) => return Origin::Beside(of_turn.arguments[i as usize]),
                _ => return Origin::Turn(turn, value),
            }
        }
        Origin::Beside(self.turns[0].1.arguments[word])
    }

    /// The value of a node of the function outside the turns.
    fn beside(&mut self, node: NodeId) -> Result<u64, Stuck> {
        if let Some(&known) = self.beside.get(&node) {
            return Ok(known);
        }
        if self.inside.contains(&node) {
            return Err(Stuck::Inside { node });
        }
        let function = &self.program.function;
        let width = function.width(node);
        let value = match function.op(node) {
            Op::Input(i) => self.inputs[i as usize] & u64::MAX >> (64 - width),
            op => {
                let args = function.args(node).iter().map(|&arg| self.beside(arg));
                evaluate(op, width, &args.collect::<Result<Vec<u64>, Stuck>>()?)
            }
        };
        self.beside.insert(node, value);
        Ok(value)
    }
}
