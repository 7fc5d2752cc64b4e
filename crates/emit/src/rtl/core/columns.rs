//! The columns of a core: the nodes outside the rounds that turns take, one for each turn. They are
//! the same operation in all turns, or of several kinds.

use super::asked::Asked;
use super::recurrences::{Recurrences, Which};
use crate::rtl::netlist::Value;
use manylane_graph::{NodeId, Op};

/// For some turns g, counted over all stages, the node of the compression that each takes.
pub(super) type Column = [(usize, NodeId)];

/// A column as a key, and the clock in which it is taken.
pub(super) type TimedColumn = (Vec<(usize, NodeId)>, i64);

/// The size in bits above which synthesis may put a table into a block RAM, which is slow.
const LARGE_TABLE: usize = 4096;

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeKind {
    /// A constant.
    Const(u64),
    /// A place in the message schedule's window.
    Window(usize),
    /// A word of message, by its number in memory.
    Word,
    /// An input, as it is kept for the stage.
    Input(NodeId),
    /// An operation, and how many arguments it has.
    Op(Op, usize),
}

/// The turns' columns of one core.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns<'c> {
    pub(super) asked: Asked<'c>,
    pub(super) recurrences: &'c Recurrences<'c>,
}

impl Columns<'_> {
    /// The kinds of a column, and the turns of each.
    pub(super) fn kinds(self, column: &Column) -> Vec<(NodeKind, Vec<(usize, NodeId)>)> {
        let compression = self.asked.compression();
        let mut kinds: Vec<(NodeKind, Vec<(usize, NodeId)>)> = Vec::new();
        for &(g, node) in column {
            let kind = match (self.recurrences.place_in_window(g, node), compression.op(node)) {
                (Some(place), _) => NodeKind::Window(place),
                (None, Op::Const(value)) => NodeKind::Const(value),
                (None, Op::Input(_)) if self.asked.is_in_memory(node) => NodeKind::Word,
                (None, Op::Input(_)) => NodeKind::Input(node),
                (None, op) => NodeKind::Op(op, compression.args(node).len()),
            };
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, turns)) => turns.push((g, node)),
                None => kinds.push((kind, vec![(g, node)])),
            }
        }
        kinds
    }

    /// The arguments number `i` of a column's operations.
    pub(super) fn arguments(self, column: &Column, i: usize) -> Vec<(usize, NodeId)> {
        column.iter().map(|&(g, node)| (g, self.asked.compression().args(node)[i])).collect()
    }

    /// Bits of a value of the column.
    pub(super) fn width(self, column: &Column) -> u32 {
        self.asked.width(column[0].1)
    }

    /// Clocks between the choice of a column and the operation that takes it, if turns choose from
    /// several kinds. There is a register for each clock.
    pub(super) fn ahead(self, column: &Column) -> i64 {
        let kinds = self.kinds(column);
        let is_table = kinds.iter().all(|(kind, _)| matches!(kind, NodeKind::Const(_)));
        let bits = column.len() * self.width(column) as usize;
        match kinds.len() {
            1 => 0,
            _ if is_table && bits > LARGE_TABLE => 2,
            _ => 1,
        }
    }

    /// The column of a side input of the rounds, for `turns` turns from turn `first` on.
    pub(super) fn of_side(self, first: usize, turns: usize, input: usize) -> Vec<(usize, NodeId)> {
        let turns = (first..).zip(&self.recurrences.turns[first..first + turns]);
        turns.map(|(g, turn)| (g, turn.arguments[input])).collect()
    }

    /// The clock in which a side input that is first needed in clock `first` is computed: the one
    /// before, unless there is nothing to compute.
    pub(super) fn made(self, column: &Column, first: i64) -> i64 {
        let same = column.iter().all(|(_, node)| *node == column[0].1);
        let is_constant = same && matches!(self.asked.compression().op(column[0].1), Op::Const(_));
        let place = |&(g, node): &(usize, NodeId)| self.recurrences.place_in_window(g, node);
        let places: Option<Vec<usize>> = column.iter().map(place).collect();
        let is_tap = places.is_some_and(|places| places.iter().all(|&p| p == places[0]));
        // Memory has a register behind it.
        let is_read = self.kinds(column).iter().all(|(kind, _)| *kind == NodeKind::Word);
        if is_constant || is_tap || is_read { first } else { first - 1 }
    }

    /// The first clock of a turn in which a side input of the rounds is needed.
    pub(super) fn first_use(self, input: usize) -> Option<i64> {
        self.recurrences.first_use(Which::Rounds, input)
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
