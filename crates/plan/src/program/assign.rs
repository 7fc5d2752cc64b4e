//! Assigns operations to processors: assignments are tried on the timed program, and the best one
//! is kept.
//!
//! An assignment treats every iteration of a loop alike, so it is an assignment of the body's
//! units: its innermost steps, and single operations outside of steps.

use super::ahead::of_message_alone;
use super::place::{Assignment, Grouping, Orders, place_in};
use super::time::{Prices, time_jobs};
use super::{MAIN, Program, is_work, order};
use crate::costs::CostError;
use crate::platform::Platform;
use manylane_graph::framing::ByteOrder;
use manylane_graph::roll::Rolled;
use manylane_graph::{Function, Kind, NodeId, StepId};
use std::collections::{BTreeMap, BTreeSet};

/// The best program that was found, and how many were tried.
#[derive(Clone, Debug)]
pub struct Found {
    /// The program.
    pub program: Program,
    /// Cycles of [`CALLS`] calls, and of one more in a job of its own.
    pub cycles: f64,
    /// Number of programs that were tried.
    pub tried: usize,
    /// The programs of two processors at which the searches ended, in the order of their cycles:
    /// one for each beginning, order of operations and number of transfers.
    pub candidates: Vec<Program>,
}

/// The number of calls in the job by which an assignment is judged, as in a message of several
/// blocks. A job of one call follows, as for the message's end.
pub const CALLS: usize = 16;

/// The number of these calls that are simulated. Later calls take as long as the last of them.
const TIMED: usize = 3;

/// Cycles of [`CALLS`] calls in a job, and of a job of one call.
pub(super) fn cycles(program: &Program, prices: &Prices) -> f64 {
    let Some(timing) = time_jobs(program, prices, &[TIMED, 1]) else { return f64::INFINITY };
    let last = timing.ends[TIMED - 1] - timing.ends[TIMED - 2];
    timing.cycles() + (CALLS - TIMED) as f64 * last
}

/// The most sets of units that are tried alone, sets of one unit included.
const ALONE: usize = 100;

/// The number of the best sets from which searches begin.
const BEGINNINGS: usize = 3;

/// The number of the beginning in which the second processor computes everything that depends on
/// the message alone.
const AHEAD: usize = BEGINNINGS + 1;

/// Added to the number of a beginning for the assignment that [`drawn`] makes of the result of its
/// search.
const DRAWN: usize = AHEAD;

/// The number of results of the beginning [`AHEAD`] that come first among the candidates.
const FIRST_AHEAD: usize = 2;

/// The limits on the transfers that an iteration receives in each direction, which are tried in
/// turn.
const RECEIVES: [usize; 7] = [1, 2, 4, 8, 16, 32, usize::MAX];

/// Pairs (number of transfers, growth of each over the one before), which are tried where one
/// processor is ahead of the other.
const GROWING: [(usize, usize); 4] = [(2, 2), (3, 2), (4, 2), (3, 3)];

/// More transfers than this, except all of them, are tried only where fewer transfers lead to a
/// deadlock, because values go both ways several times in an iteration.
const FEW: usize = 4;

/// The best program of two processors on a platform, for a message whose words lie in memory in the
/// byte order `order`. At most `effort` programs are tried. On one core, or where nothing is
/// gained, it is the sequential one.
///
/// # Errors
/// If the platform lacks a cost or contradicts itself.
pub fn assign(
    rolled: &Rolled,
    fingerprint: u64,
    order: ByteOrder,
    platform: &Platform,
    effort: usize,
) -> Result<Found, CostError> {
    let alone = Program::sequential(rolled.clone(), fingerprint);
    let prices = Prices::of(rolled, 2, order, platform)?;
    let cycles = cycles(&alone, &prices);
    if platform.cores.len() < 2 {
        return Ok(Found { program: alone, cycles, tried: 1, candidates: Vec::new() });
    }
    let nobody: Assignment =
        rolled.regions.iter().map(|region| vec![MAIN as u8; region.body.len()]).collect();
    let bodies = || rolled.regions.iter().map(|region| &region.body);
    let mut orders: Vec<Orders> =
        vec![bodies().map(order::usual).collect(), bodies().map(order::order).collect()];
    orders.dedup();
    let best = (Candidate { assignment: nobody, order: 0, grouping: Grouping::Closest(1) }, cycles);
    let mut search = CandidateSearch {
        rolled,
        fingerprint,
        prices,
        orders,
        tried: 1,
        effort,
        best,
        beginning: 0,
        ends: BTreeMap::new(),
    };
    search.run();
    let candidates = search.candidates();
    let (way, cycles) = &search.best;
    let found = search.placed(&way.assignment, way.order, way.grouping);
    let program = if helps(&found) { found } else { alone };
    Ok(Found { program, cycles: *cycles, tried: search.tried, candidates })
}

/// Whether the second processor computes something for the main one. Operations of which no result
/// is used may be assigned to it, too.
fn helps(program: &Program) -> bool {
    program.transfers.iter().any(|transfer| transfer.to == MAIN)
}

/// Nodes of a region's body that go to a processor together.
struct RegionUnit {
    region: usize,
    nodes: Vec<NodeId>,
    /// The innermost step.
    step: StepId,
}

fn units(rolled: &Rolled) -> Vec<RegionUnit> {
    let mut units: Vec<RegionUnit> = Vec::new();
    for (region, of) in rolled.regions.iter().enumerate() {
        let body: &Function = &of.body;
        let mut by_step: BTreeMap<StepId, usize> = BTreeMap::new();
        for node in body.nodes().filter(|&node| is_work(body, node)) {
            let step = body.step(node);
            let new = units.len();
            let unit = match step {
                StepId::ROOT => new,
                step => *by_step.entry(step).or_insert(new),
            };
            if unit == new {
                units.push(RegionUnit { region, nodes: Vec::new(), step });
            }
            units[unit].nodes.push(node);
        }
    }
    units
}

/// Sets of units that move together, the most promising first: all units of a region; then, for
/// each step and the steps around it, the units in steps of its name, of its name and index, and of
/// its name and half of the indices.
fn sets(rolled: &Rolled, units: &[RegionUnit]) -> Vec<Vec<usize>> {
    let mut sets: BTreeMap<(usize, String, u32), Vec<usize>> = BTreeMap::new();
    for (i, unit) in units.iter().enumerate() {
        let body = &rolled.regions[unit.region].body;
        sets.entry((0, String::new(), unit.region as u32)).or_default().push(i);
        let mut names = String::new();
        for (depth, step) in body.path(unit.step).into_iter().enumerate() {
            let step = &body.steps()[step.index()];
            names = format!("{names}/{}", step.name);
            let mut put = |kind: usize, names: &str, number: u32| {
                sets.entry((kind, names.to_owned(), number)).or_default().push(i);
            };
            put(10 * depth + 1, &names, 0);
            put(10 * depth + 4, &names, step.index);
            // The upper half of each 2, 4 or 8 neighbours: half of a state's columns, or of all.
            for half in [1, 2, 4] {
                if step.index / half % 2 == 1 {
                    put(10 * depth + 2, &names, half);
                    put(3, "", half);
                    // The lower or the upper halves of words, wherever they lie.
                    if step.kind == Kind::Lane {
                        put(3, &step.name, half);
                    }
                }
            }
            // The odd columns, and the even diagonals after them: a processor then does not wait
            // for the words that the other one computes last in its columns.
            if (step.index ^ (step.index / 4)) % 2 == 1 {
                put(10 * depth + 2, &names, 5);
                put(3, "", 5);
            }
        }
        sets.entry((usize::MAX, String::new(), i as u32)).or_default().push(i);
    }
    let mut sets: Vec<Vec<usize>> = sets.into_values().collect();
    sets.dedup();
    sets
}

/// Draws each operation outside of steps, with which functions begin and end, to one processor: to
/// the one that computes its operands or, if these are inputs and constants only, to the one that
/// uses its result. Where both processors do, the operation stays where it is.
fn drawn(rolled: &Rolled, assignment: &Assignment) -> Assignment {
    let mut drawn = assignment.clone();
    for (region, of) in rolled.regions.iter().zip(&mut drawn) {
        let body: &Function = &region.body;
        let is_outside = |node: NodeId| is_work(body, node) && body.step(node) == StepId::ROOT;
        let mut users: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
        for node in body.nodes().filter(|&node| is_work(body, node)) {
            body.args(node).iter().for_each(|&arg| users.entry(arg).or_default().push(node));
        }
        let the_only = |of: &[u8], nodes: &[NodeId]| {
            let first = of[nodes.first()?.index()];
            nodes.iter().all(|node| of[node.index()] == first).then_some(first)
        };
        let outside: Vec<NodeId> = body.nodes().filter(|&node| is_outside(node)).collect();
        for &node in &outside {
            let args: Vec<NodeId> =
                body.args(node).iter().copied().filter(|&arg| is_work(body, arg)).collect();
            let users = users.get(&node).map_or(&[][..], Vec::as_slice);
            let from = if args.is_empty() { users } else { &args };
            if let Some(to) = the_only(of, from) {
                of[node.index()] = to;
            }
        }
    }
    drawn
}

/// The choices from which a program is made: the assignment, the order of operations, and the
/// grouping of an iteration's values into transfers.
struct Candidate {
    assignment: Assignment,
    order: usize,
    grouping: Grouping,
}

struct CandidateSearch<'s> {
    rolled: &'s Rolled,
    fingerprint: u64,
    prices: Prices,
    /// The orders of operations that are tried.
    orders: Vec<Orders>,
    tried: usize,
    effort: usize,
    /// The best candidate, and its cycles.
    best: (Candidate, f64),
    /// The number of the present beginning: [`AHEAD`] at first, also while sets are tried alone,
    /// then 1, 2, … for the best sets, and [`DRAWN`] more for what follows their searches.
    beginning: usize,
    /// The best candidate of each beginning, order and grouping, and its cycles.
    ends: BTreeMap<(usize, usize, Grouping), (Candidate, f64)>,
}

impl CandidateSearch<'_> {
    fn run(&mut self) {
        let units = units(self.rolled);
        let sets = sets(self.rolled, &units);
        let base = self.best.0.assignment.clone();
        let toggled = |from: &Assignment, set: &[usize]| {
            let mut next = from.clone();
            let first = &units[set[0]];
            let to = 1 - next[first.region][first.nodes[0].index()];
            for unit in set.iter().map(|&unit| &units[unit]) {
                unit.nodes.iter().for_each(|node| next[unit.region][node.index()] = to);
            }
            next
        };
        self.try_ahead(&base);
        // First each set alone; the search then begins with the best of them.
        let alone = sets.iter().take_while(|set| set.len() > 1 || sets.len() < ALONE);
        let mut alone: Vec<(f64, &Vec<usize>)> =
            alone.map(|set| (self.try_out(&toggled(&base, set)), set)).collect();
        alone.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (i, (_, set)) in alone.iter().take(BEGINNINGS).enumerate() {
            self.beginning = i + 1;
            let (mut here, mut assignment) = (f64::INFINITY, toggled(&base, set));
            'search: loop {
                let before = here;
                for set in &sets {
                    if self.tried >= self.effort {
                        break 'search;
                    }
                    let next = toggled(&assignment, set);
                    let cycles = self.try_out(&next);
                    if cycles < here {
                        (here, assignment) = (cycles, next);
                    }
                }
                if here >= before {
                    break;
                }
            }
            self.beginning += DRAWN;
            let drawn = drawn(self.rolled, &assignment);
            if drawn != assignment {
                self.try_out(&drawn);
            }
        }
    }

    /// Tries the assignment in which the second processor computes everything that depends on the
    /// message alone, and may be a block ahead.
    fn try_ahead(&mut self, base: &Assignment) {
        let mut ahead = base.clone();
        for (of, alone) in ahead.iter_mut().zip(of_message_alone(self.rolled)) {
            of.iter_mut().zip(alone).filter(|(_, alone)| *alone).for_each(|(to, _)| *to = 1);
        }
        self.beginning = AHEAD;
        self.try_out(&ahead);
        for order in 0..self.orders.len() {
            for (count, by) in GROWING {
                self.try_way(&ahead, order, Grouping::Growing(count, by));
            }
        }
    }

    fn placed(&self, assignment: &Assignment, order: usize, grouping: Grouping) -> Program {
        let (rolled, orders) = (self.rolled.clone(), &self.orders[order]);
        place_in(orders, rolled, self.fingerprint, 2, assignment, grouping)
    }

    /// Cycles of an assignment in the best order, with the best number of transfers.
    fn try_out(&mut self, assignment: &Assignment) -> f64 {
        let mut best = f64::INFINITY;
        for order in 0..self.orders.len() {
            let mut last = usize::MAX;
            let mut here = f64::INFINITY;
            for receives in RECEIVES {
                if receives > FEW && receives < usize::MAX && here.is_finite() {
                    continue;
                }
                let grouping = Grouping::Closest(receives);
                // A program with as many transfers as the one before is the same program.
                let program = self.placed(assignment, order, grouping);
                if program.transfers.len() == last {
                    continue;
                }
                last = program.transfers.len();
                here = here.min(self.judge(assignment, order, grouping, &program));
            }
            best = best.min(here);
        }
        best
    }

    fn try_way(&mut self, assignment: &Assignment, order: usize, grouping: Grouping) {
        let program = self.placed(assignment, order, grouping);
        self.judge(assignment, order, grouping, &program);
    }

    /// Cycles of a program, which is kept if it is the best of its beginning, order and grouping.
    fn judge(
        &mut self,
        assignment: &Assignment,
        order: usize,
        grouping: Grouping,
        program: &Program,
    ) -> f64 {
        self.tried += 1;
        let cycles = cycles(program, &self.prices);
        // A program without a value for the main processor is no split, even if its order makes it
        // faster than the sequential one.
        if !helps(program) {
            return cycles;
        }
        let way = || Candidate { assignment: assignment.clone(), order, grouping };
        let end = self.ends.entry((self.beginning, order, grouping));
        let end = end.or_insert_with(|| (way(), f64::INFINITY));
        if cycles < end.1 {
            *end = (way(), cycles);
        }
        if cycles < self.best.1 {
            self.best = (way(), cycles);
        }
        cycles
    }

    /// The results of all searches that give work to both processors, each once. The best of those
    /// in which one processor is ahead come first, because the prices of operations are least exact
    /// for long straight shares with few hand-overs. The others stand where they are better placed:
    /// among all of them by cycles, or among those of their beginning, whose results often differ
    /// in few hand-overs alone.
    fn candidates(&self) -> Vec<Program> {
        let mut ends: Vec<(usize, &(Candidate, f64))> =
            self.ends.iter().map(|(&(beginning, ..), end)| (beginning, end)).collect();
        ends.retain(|(_, (_, cycles))| cycles.is_finite());
        ends.sort_by(|(_, (_, a)), (_, (_, b))| a.total_cmp(b));
        let mut ranks: BTreeMap<usize, usize> = BTreeMap::new();
        // The rank in its beginning, 0 for those that come first, and the place among all.
        let mut by_rank: Vec<(usize, usize)> = Vec::new();
        for (place, (beginning, _)) in ends.iter().enumerate() {
            let rank = ranks.entry(*beginning).or_default();
            *rank += 1;
            let is_first = *beginning == AHEAD && *rank <= FIRST_AHEAD;
            by_rank.push((if is_first { 0 } else { *rank }, place));
        }
        by_rank.sort();
        let mut order: Vec<(usize, usize)> = Vec::new();
        for (other_place, (rank, place)) in by_rank.into_iter().enumerate() {
            let better = if rank == 0 { 0 } else { 1 + place.min(other_place) };
            order.push((better, place));
        }
        order.sort();
        let mut known = BTreeSet::new();
        let programs = order.into_iter().map(|(_, place)| {
            let (_, (Candidate { assignment, order, grouping }, _)) = ends[place];
            self.placed(assignment, *order, *grouping)
        });
        programs.filter(|program| known.insert(program.identity().0)).collect()
    }
}
