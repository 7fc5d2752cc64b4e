//! What the turns take from beside the rounds, by kind: where it is one thing in all turns, and where
//! each has its own.

use super::{Maker, Which};
use crate::rtl::netlist::Value;
use manylane_graph::{NodeId, Op};
use std::collections::HashMap;

/// For turns g, over all stages, a node of the compression each.
pub(super) type Column = [(usize, NodeId)];

/// A column that is a key, and the clock in which it is taken.
pub(super) type Taken = (Vec<(usize, NodeId)>, i64);

/// The shifts that columns need.
pub(super) type Shifts = HashMap<Taken, i64>;

/// Bits of a table that synthesis may put into a block RAM, which is slow to answer.
const LARGE_TABLE: usize = 4096;

/// Turns whose number a look-up table and a multiplexer of two take.
const SMALL_TABLE: usize = 32;

/// What a node is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A constant.
    Const(u64),
    /// A place in the message schedule's window.
    Window(usize),
    /// A word of message, by its number in memory.
    Word,
    /// An input as it is kept.
    Input(NodeId),
    /// An operation, and how many arguments it has.
    Op(Op, usize),
}

impl Maker<'_> {
    /// A column's kinds, and the turns of each.
    pub(super) fn kinds(&self, column: &Column) -> Vec<(Kind, Vec<(usize, NodeId)>)> {
        let mut kinds: Vec<(Kind, Vec<(usize, NodeId)>)> = Vec::new();
        for &(g, node) in column {
            let kind = match (self.place_in_window(g, node), self.compression.op(node)) {
                (Some(place), _) => Kind::Window(place),
                (None, Op::Const(value)) => Kind::Const(value),
                (None, Op::Input(_)) if self.is_in_ram(node) => Kind::Word,
                (None, Op::Input(_)) => Kind::Input(node),
                (None, op) => Kind::Op(op, self.compression.args(node).len()),
            };
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, turns)) => turns.push((g, node)),
                None => kinds.push((kind, vec![(g, node)])),
            }
        }
        kinds
    }

    /// How many clocks before an operation takes it a column is chosen, if turns choose from
    /// several kinds; each has a register behind it.
    pub(super) fn ahead(&self, column: &Column) -> i64 {
        let kinds = self.kinds(column);
        let is_table = kinds.iter().all(|(kind, _)| matches!(kind, Kind::Const(_)));
        let bits = column.len() * usize::from(self.compression.width(column[0].1));
        match kinds.len() {
            1 => 0,
            _ if is_table && bits > LARGE_TABLE => 2,
            _ => 1,
        }
    }

    /// The arguments of number `i`.
    pub(super) fn arguments(&self, column: &Column, i: usize) -> Vec<(usize, NodeId)> {
        column.iter().map(|&(g, node)| (g, self.compression.args(node)[i])).collect()
    }

    /// The least shift at which what a column is computed from is there in `clock`. What was found is
    /// `known`: a message schedule that is unrolled takes each word in four others.
    pub(super) fn needed_shift(&self, column: &Column, clock: i64, known: &mut Shifts) -> i64 {
        let key = (column.to_vec(), clock);
        if let Some(&shift) = known.get(&key) {
            return shift;
        }
        let kinds = self.kinds(column);
        let mut shift = |(kind, turns): &(Kind, Vec<_>)| match *kind {
            Kind::Const(_) => i64::MIN,
            Kind::Window(place) => {
                let base = self.ring(Which::Schedule).bases[place].clock;
                self.line_needs(place, clock).unwrap_or(base + self.schedule_shift - clock)
            }
            Kind::Word => self.number_needs(clock),
            // It is kept from the clock after the start on.
            Kind::Input(_) => 1 - clock,
            Kind::Op(_, count) => {
                let below = (0..count).map(|i| {
                    let below = self.arguments(turns, i);
                    self.needed_shift(&below, clock - self.ahead(&below), known)
                });
                below.max().unwrap_or(i64::MIN)
            }
        };
        let shift = kinds.iter().map(&mut shift).max().unwrap_or(i64::MIN);
        // So is the number of the turn, from which the number of the arm is looked up. Of a large
        // table and the counter that it hangs on synthesis makes one thing, whose path has the
        // counter's carries: a register stands between them.
        let is_table = kinds.iter().all(|(kind, _)| matches!(kind, Kind::Const(_)));
        let number = if is_table && self.clocks <= SMALL_TABLE { 1 } else { 2 };
        let shift = match kinds.len() {
            1 => shift,
            _ => shift.max(number - clock),
        };
        known.insert(key, shift);
        shift
    }
}

/// Arms of a selection, those of the same value as one.
pub(super) fn merged(arms: Vec<(Vec<u32>, Value)>) -> Vec<(Vec<u32>, Value)> {
    let mut all: Vec<(Vec<u32>, Value)> = Vec::new();
    for (turns, value) in arms {
        match all.iter_mut().find(|(_, known)| *known == value) {
            Some((known, _)) => known.extend(turns),
            None => all.push((turns, value)),
        }
    }
    all
}
