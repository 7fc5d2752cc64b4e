//! The clocks in which the turns begin, so that nothing is needed before it is available.

use super::asked::Asked;
use super::columns::{Column, Columns, NodeKind, TimedColumn};
use super::recurrences::{Recurrences, Which};
use super::storage::Storage;
use super::window::plan::WindowPlan;
use crate::rtl::ring::Ring;
use manylane_graph::NodeId;
use manylane_plan::hardware::Precompute;
use std::collections::HashMap;

/// The largest number of turns for which a bit of a table, addressed by the turn's number, costs no
/// more than a look-up table and a multiplexer of two.
const SMALL_TABLE: usize = 32;

/// When the turns begin, in clocks from the one in which a block is taken.
#[derive(Debug)]
pub(super) struct Timetable {
    /// C: turns of a stage.
    pub(super) clocks: usize,
    pub(super) stages: usize,
    /// Number of pipeline registers between two stages, 0 or 1.
    pub(super) interstage_registers: usize,
    /// Clock of turn 0 of the rounds.
    pub(super) shift: i64,
    /// Clock of turn 0 of the message schedule.
    pub(super) schedule_shift: i64,
    /// For each place of the message schedule's window, which of its first words enter there, and
    /// when.
    pub(super) entries: Vec<Vec<(usize, i64)>>,
}

impl Timetable {
    /// Finds the earliest beginnings for which every operand is available when it is needed.
    pub(super) fn new(
        asked: Asked<'_>,
        recurrences: &Recurrences<'_>,
        window: Option<&WindowPlan>,
    ) -> Self {
        let program = asked.program;
        let (clocks, stages) = (program.cycles_per_block, program.stages());
        let earliest = |ring: &Ring<'_>| ring.bases.iter().map(|base| -base.chosen()).max();
        let (mut schedule_shift, mut entries) = (0, Vec::new());
        if recurrences.has_schedule() {
            let ring = recurrences.ring(Which::Schedule);
            schedule_shift = earliest(ring).unwrap_or(0);
            entries = ring.entries(schedule_shift, stages == 1, clocks);
        }
        let line = window.and_then(|window| window.line.as_ref());
        schedule_shift = line.map_or(schedule_shift, |line| line.shift());
        let columns = Columns { asked, recurrences };
        let mut needs = Needs { columns, window, clocks, schedule_shift, known: HashMap::new() };
        let ring = recurrences.ring(Which::Rounds);
        let region = ring.region;
        let mut shift = earliest(ring).unwrap_or(0);
        for (word, base) in ring.bases.iter().enumerate() {
            let needed = needs.of_opening(recurrences.turns[0].arguments[word], base.chosen());
            shift = shift.max(needed.unwrap_or(shift));
        }
        for input in region.words..region.function.inputs().len() {
            let Some(first) = columns.first_use(input) else { continue };
            let column = columns.of_side(0, recurrences.turns.len(), input);
            let clock = columns.made(&column, first);
            shift = shift.max(needs.of(&column, clock));
        }
        for node in &region.varying {
            shift = shift.max(2 - region.schedule.nodes[node.index()].clock);
        }
        let interstage_registers = interstage_registers(asked);
        Self { clocks, stages, interstage_registers, shift, schedule_shift, entries }
    }

    /// The clock in which a stage begins.
    fn beginning(&self, stage: usize) -> usize {
        stage * (self.clocks + self.interstage_registers)
    }

    /// The clock in which the last stage ends.
    pub(super) fn end(&self) -> i64 {
        (self.beginning(self.stages) - self.interstage_registers) as i64
    }
}

/// Number of pipeline registers between two stages, 0 or 1. Without one, a word crosses the logic
/// of its stage, the wire and the next stage's input multiplexer in one clock, which becomes the
/// critical path as soon as operations are retimed freely. The register delays a single message by
/// one clock per stage.
fn interstage_registers(asked: Asked<'_>) -> usize {
    let Asked { program, options } = asked;
    let is_retimed = program.options.precompute == Precompute::Auto;
    // Copies of the chaining value follow each other every C clocks, without the clock of the
    // pipeline register; the last copy must not be overwritten before the ending takes it.
    let is_in_time = program.stages() + 2 <= program.cycles_per_block;
    // Words that are read by their numbers belong to a stage until the next one's turns begin.
    let is_by_number = options.window == Storage::Ram && program.schedule.is_none();
    usize::from(program.stages() > 1 && is_retimed && is_in_time && !is_by_number)
}

/// Computes the least shifts of the rounds at which their side inputs are available in time.
struct Needs<'n> {
    columns: Columns<'n>,
    window: Option<&'n WindowPlan>,
    clocks: usize,
    schedule_shift: i64,
    /// Results that are known already: in an unrolled message schedule, four words depend on each
    /// word.
    known: HashMap<TimedColumn, i64>,
}

impl Needs<'_> {
    /// The least shift at which the operands of a column are available in clock `clock` of a turn.
    fn of(&mut self, column: &Column, clock: i64) -> i64 {
        let key = (column.to_vec(), clock);
        if let Some(&shift) = self.known.get(&key) {
            return shift;
        }
        let kinds = self.columns.kinds(column);
        let mut shift = |(kind, turns): &(NodeKind, Vec<_>)| match *kind {
            NodeKind::Const(_) => i64::MIN,
            NodeKind::Window(place) => self.of_place(place, clock),
            // The turn's number is in a register when a word is read by it.
            NodeKind::Word => 2 + self.columns.asked.slow() - clock,
            // The input is kept from the clock after the start on.
            NodeKind::Input(_) => 1 - clock,
            NodeKind::Op(_, count) => {
                let below = (0..count).map(|i| {
                    let below = self.columns.arguments(turns, i);
                    self.of(&below, clock - self.columns.ahead(&below))
                });
                below.max().unwrap_or(i64::MIN)
            }
        };
        let shift = kinds.iter().map(&mut shift).max().unwrap_or(i64::MIN);
        // The turn's number must be available too, because the arm's number is looked up from it.
        // Synthesis would merge a large table with the counter that addresses it, and the counter's
        // carries would be on the path: a register stands between counter and table.
        let is_table = kinds.iter().all(|(kind, _)| matches!(kind, NodeKind::Const(_)));
        let number = if is_table && self.clocks <= SMALL_TABLE { 1 } else { 2 };
        let shift = match kinds.len() {
            1 => shift,
            _ => shift.max(number - clock),
        };
        self.known.insert(key, shift);
        shift
    }

    /// The least shift at which a place of the message schedule's window has its word in clock
    /// `clock`.
    fn of_place(&self, place: usize, clock: i64) -> i64 {
        match self.line_there(place) {
            Some(there) => there - clock,
            None => {
                let ring = self.columns.recurrences.ring(Which::Schedule);
                ring.bases[place].clock + self.schedule_shift - clock
            }
        }
    }

    /// The least shift at which the message words from which a node before the rounds is made are
    /// available in clock `clock`, if they come out of a delay line.
    fn of_opening(&self, node: NodeId, clock: i64) -> Option<i64> {
        let place = self.columns.recurrences.sequence.get(&node);
        let place = place.and_then(|&q| Some(self.line_there(q)? - clock));
        let args = self.columns.asked.compression().args(node).iter();
        args.filter_map(|&arg| self.of_opening(arg, clock)).chain(place).max()
    }

    fn line_there(&self, q: usize) -> Option<i64> {
        Some(self.window?.line.as_ref()?.there(q))
    }
}
