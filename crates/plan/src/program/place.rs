//! Makes a program from an assignment of operations to processors.
//!
//! A value that a processor needs and does not compute is sent to it: in the iteration in which it
//! is computed if this or a later iteration uses it, otherwise after the last iteration. Values
//! that are needed at the same place, or are computed by then, go in one transfer.

use super::ahead::of_message_alone;
use super::{Action, MAIN, Part, Program, Transfer, TransferId, When, is_work, order};
use manylane_graph::roll::{Origin, Region, Rolled, Source, Value};
use manylane_graph::{Function, NodeId, Op};
use std::collections::BTreeSet;

/// The processor of each node of the body of each region. Nodes that are no work may have any
/// processor.
pub type Assignment = Vec<Vec<u8>>;

fn input(body: &Function, node: NodeId) -> Option<usize> {
    match body.op(node) {
        Op::Input(i) => Some(i as usize),
        _ => None,
    }
}

/// The values that the processors need from a region and do not compute themselves.
#[derive(Clone, Default)]
struct Needs {
    /// For each processor, the inputs of the body that it needs.
    inputs: Vec<BTreeSet<usize>>,
    /// For each processor, the others' nodes that it needs in each iteration or after it.
    each: Vec<BTreeSet<NodeId>>,
    /// For each processor, the others' nodes of which it needs the values of the last iteration.
    last: Vec<BTreeSet<NodeId>>,
}

/// How values that one processor makes in an iteration for another one are put together into
/// transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grouping {
    /// At most this many transfers; values that are computed closest together are joined first.
    Closest(usize),
    /// (count, growth): `count` transfers, each with about `growth` times as many values as the one
    /// before. The receiver waits only for the first, small one, while a faster sender computes the
    /// next. An iteration of a loop has one transfer, because the sender is already ahead there.
    Growing(usize, usize),
    /// For a processor that is behind, see `behind.rs`. What follows from the message alone
    /// goes in transfers that double, up to `most` values; the rest in the order of need, each
    /// transfer with the values of so many steps.
    Behind {
        /// Most values of a transfer of what follows from the message alone.
        most: usize,
        /// Steps whose values go together.
        steps: usize,
    },
}

/// Values of the first transfer of those that double.
const FIRST: usize = 2;

/// The program in which `processors` processors compute what `assignment` gives them.
///
/// In each direction at most `most_receives` transfers are received in an iteration.
pub fn place(
    rolled: Rolled,
    fingerprint: u64,
    processors: usize,
    assignment: &Assignment,
    most_receives: usize,
) -> Program {
    let orders: Orders = rolled.regions.iter().map(|region| order::usual(&region.body)).collect();
    let grouping = Grouping::Closest(most_receives);
    place_in(&orders, rolled, fingerprint, processors, assignment, grouping)
}

/// For each region, an order of all operations of its body.
pub(super) type Orders = Vec<Vec<NodeId>>;

/// As [`place`], with the operations in the order of `orders`, which each processor keeps for its
/// own.
pub(super) fn place_in(
    orders: &Orders,
    rolled: Rolled,
    fingerprint: u64,
    processors: usize,
    assignment: &Assignment,
    grouping: Grouping,
) -> Program {
    let needs = Needing { rolled: &rolled, assignment, processors, needs: Vec::new() }.all();
    let mut program = Program {
        fingerprint,
        processors,
        parts: Vec::with_capacity(rolled.regions.len()),
        transfers: Vec::new(),
        rolled,
    };
    for region in 0..program.rolled.regions.len() {
        let parts = each_iteration(
            &mut program,
            region,
            &orders[region],
            &assignment[region],
            &needs[region],
            grouping,
        );
        program.parts.push(parts);
    }
    after_loops(&mut program, assignment, &needs);
    program
}

impl Program {
    /// Everything on one processor, in the order of the definition or in one with fewer live words.
    pub fn sequential(rolled: Rolled, fingerprint: u64) -> Self {
        let all_on_one = rolled.regions.iter().map(|region| vec![0; region.body.len()]).collect();
        let held = held(&rolled, &all_on_one, 1);
        let part = |(region, held): (&Region, Vec<BTreeSet<usize>>)| {
            let inputs = held.into_iter().flatten().collect();
            let each = order::order(&region.body).into_iter().map(Action::Compute).collect();
            vec![Part { inputs, each, ..Part::default() }]
        };
        let parts = rolled.regions.iter().zip(held).map(part).collect();
        Self { fingerprint, processors: 1, rolled, parts, transfers: Vec::new() }
    }
}

/// For each region and processor, the inputs of the body that the processor needs under an
/// assignment.
pub(super) fn held(
    rolled: &Rolled,
    assignment: &Assignment,
    processors: usize,
) -> Vec<Vec<BTreeSet<usize>>> {
    let needs = Needing { rolled, assignment, processors, needs: Vec::new() }.all();
    needs.into_iter().map(|needs| needs.inputs).collect()
}

/// Finds the needs of all processors: the values that their operations take, and those from which
/// these values are computed.
struct Needing<'r> {
    rolled: &'r Rolled,
    assignment: &'r Assignment,
    processors: usize,
    needs: Vec<Needs>,
}

impl Needing<'_> {
    fn all(mut self) -> Vec<Needs> {
        let none = Needs {
            inputs: vec![BTreeSet::new(); self.processors],
            each: vec![BTreeSet::new(); self.processors],
            last: vec![BTreeSet::new(); self.processors],
        };
        self.needs = vec![none; self.rolled.regions.len()];
        for &(_, output) in &self.rolled.outputs {
            self.value(output, MAIN);
        }
        for (r, region) in self.rolled.regions.iter().enumerate() {
            for node in region.body.nodes().filter(|&node| is_work(&region.body, node)) {
                let processor = usize::from(self.assignment[r][node.index()]);
                for &arg in region.body.args(node) {
                    self.node(r, arg, processor, false);
                }
            }
        }
        self.needs
    }

    /// Notes that a processor needs a value from outside the region in which it is used.
    fn value(&mut self, value: Value, processor: usize) {
        match self.rolled.definition(value).origin {
            Origin::Input(_) | Origin::Constant(_) => {}
            Origin::Result { region, output, iteration } => {
                let region = region as usize;
                let of = &self.rolled.regions[region];
                let node = of.body.outputs()[output as usize].value;
                self.node(region, node, processor, iteration as usize + 1 == of.times);
            }
        }
    }

    /// Notes that a processor needs a node of a region: that of the last iteration if `last`,
    /// otherwise that of each.
    fn node(&mut self, region: usize, node: NodeId, processor: usize, last: bool) {
        let body = &self.rolled.regions[region].body;
        if let Some(input) = input(body, node) {
            return self.input(region, input, processor);
        }
        if !is_work(body, node) || usize::from(self.assignment[region][node.index()]) == processor {
            return;
        }
        let needs = &mut self.needs[region];
        let set = if last { &mut needs.last } else { &mut needs.each };
        set[processor].insert(node);
    }

    /// Notes that a processor needs an input of a region's body.
    fn input(&mut self, region: usize, input: usize, processor: usize) {
        if !self.needs[region].inputs[processor].insert(input) {
            return;
        }
        match &self.rolled.regions[region].sources[input] {
            Source::Same(value) => self.value(*value, processor),
            Source::Each(values) => values.iter().for_each(|&value| self.value(value, processor)),
            Source::Earlier { output, first, .. } => {
                first.iter().for_each(|&value| self.value(value, processor));
                let node = self.rolled.regions[region].body.outputs()[*output].value;
                self.node(region, node, processor, false);
            }
        }
    }
}

/// A value that is to be transferred: the place in the sender's order after which it is available,
/// and the place in the receiver's order at which it is needed first.
#[derive(Clone, Copy)]
struct Wire {
    node: NodeId,
    made: usize,
    needed: usize,
    /// Whether it follows from the message alone, if the grouping asks for that.
    is_free: bool,
}

/// The parts of a region's iterations, with their transfers.
fn each_iteration(
    program: &mut Program,
    region: usize,
    order: &[NodeId],
    assignment: &[u8],
    needs: &Needs,
    grouping: Grouping,
) -> Vec<Part> {
    let Region { body, times, .. } = &program.rolled.regions[region];
    let grouping = match grouping {
        Grouping::Growing(..) | Grouping::Behind { .. } if *times > 1 => Grouping::Closest(1),
        of => of,
    };
    let free = match grouping {
        Grouping::Behind { .. } => of_message_alone(&program.rolled).swap_remove(region),
        Grouping::Closest(_) | Grouping::Growing(..) => vec![false; body.len()],
    };
    let own = |processor: usize| {
        let own = order.iter().filter(|n| usize::from(assignment[n.index()]) == processor);
        own.copied().collect::<Vec<NodeId>>()
    };
    let orders: Vec<Vec<NodeId>> = (0..program.processors).map(own).collect();
    // For each node, its place in its processor's order.
    let mut made = vec![usize::MAX; body.len()];
    // For each processor and node, the place of the node's first user there.
    let mut used = vec![vec![usize::MAX; body.len()]; program.processors];
    for (order, used) in orders.iter().zip(&mut used) {
        for (place, &node) in order.iter().enumerate() {
            made[node.index()] = place;
            for arg in body.args(node) {
                used[arg.index()] = used[arg.index()].min(place);
            }
        }
    }
    let starts: Vec<Vec<usize>> = orders.iter().map(|order| unit_starts(body, order)).collect();
    // For each processor and place in its order, the actions in front of the node there.
    let mut extra: Vec<Vec<Vec<Action>>> =
        orders.iter().map(|order| vec![Vec::new(); order.len() + 1]).collect();
    for to in 0..program.processors {
        for from in (0..program.processors).filter(|&from| from != to) {
            let mine = needs.each[to].iter().filter(|n| usize::from(assignment[n.index()]) == from);
            let wires = mine.map(|&node| {
                let user = used[to][node.index()];
                let needed = starts[to].get(user).copied().unwrap_or(orders[to].len());
                Wire { node, made: made[node.index()], needed, is_free: free[node.index()] }
            });
            for group in grouped(wires.collect(), grouping) {
                let id = TransferId(program.transfers.len() as u32);
                let made = group.iter().map(|wire| wire.made).max().expect("no group is empty");
                let needed = group.iter().map(|wire| wire.needed).min().expect("no group is empty");
                let values = group.iter().map(|wire| wire.node).collect();
                program.transfers.push(Transfer { from, to, region, when: When::Each, values });
                extra[from][made + 1].push(Action::Send(id));
                extra[to][needed].push(Action::Receive(id));
            }
        }
    }
    let part = |(order, extra): (&Vec<NodeId>, Vec<Vec<Action>>)| {
        let mut each = Vec::new();
        for (i, mut extra) in extra.into_iter().enumerate() {
            // A processor sends what it has computed before it waits for anything.
            extra.sort_by_key(|action| matches!(action, Action::Receive(_)));
            each.extend(extra);
            each.extend(order.get(i).map(|&node| Action::Compute(node)));
        }
        each
    };
    let each = orders.iter().zip(extra).map(part);
    let inputs = needs.inputs.iter().map(|inputs| inputs.iter().copied().collect());
    each.zip(inputs).map(|(each, inputs)| Part { inputs, each, ..Part::default() }).collect()
}

/// For each place of an order: the start of the run of nodes of one step that contains the place.
fn unit_starts(body: &Function, order: &[NodeId]) -> Vec<usize> {
    let mut starts: Vec<usize> = Vec::with_capacity(order.len());
    for (i, &node) in order.iter().enumerate() {
        let same = i > 0 && body.step(order[i - 1]) == body.step(node);
        starts.push(if same { starts[i - 1] } else { i });
    }
    starts
}

/// Wires in groups, in the order in which they are needed. A value that is computed by the time a
/// group is sent goes with the group.
fn grouped(mut wires: Vec<Wire>, grouping: Grouping) -> Vec<Vec<Wire>> {
    wires.sort_by_key(|wire| (wire.needed, wire.made));
    let mut groups: Vec<Vec<Wire>> = Vec::new();
    let mut sent = 0;
    for wire in wires {
        match groups.last_mut() {
            Some(group) if group[0].needed == wire.needed || wire.made <= sent => {
                sent = sent.max(wire.made);
                group.push(wire);
            }
            _ => {
                sent = sent.max(wire.made);
                groups.push(vec![wire]);
            }
        }
    }
    match grouping {
        Grouping::Closest(most) => join_closest(&mut groups, most),
        Grouping::Growing(count, by) => join_growing(&mut groups, count, by),
        Grouping::Behind { most, steps } => {
            let is_free = |group: &Vec<Wire>| group.iter().all(|wire| wire.is_free);
            let rest = groups.split_off(groups.iter().take_while(|group| is_free(group)).count());
            join_doubling(&mut groups, most);
            groups.extend(rest.chunks(steps.max(1)).map(<[_]>::concat));
        }
    }
    groups
}

/// Joins neighbours until they are few enough, those made closest together first.
fn join_closest(groups: &mut Vec<Vec<Wire>>, most: usize) {
    while groups.len() > most.max(1) {
        let made = |group: &[Wire]| group.iter().map(|wire| wire.made).max().unwrap_or(0);
        let gap = |i: usize| made(&groups[i + 1]).abs_diff(made(&groups[i]));
        let closest = (0..groups.len() - 1).min_by_key(|&i| gap(i)).expect("two groups or more");
        let next = groups.remove(closest + 1);
        groups[closest].extend(next);
    }
}

/// Joins neighbours into groups of [`FIRST`] wires, of twice as many, and so on up to `most`.
fn join_doubling(groups: &mut Vec<Vec<Wire>>, most: usize) {
    let mut joined: Vec<Vec<Wire>> = Vec::new();
    let mut size = FIRST;
    for group in std::mem::take(groups) {
        match joined.last_mut() {
            Some(last) if last.len() < size => last.extend(group),
            Some(_) => {
                size = most.min(2 * size);
                joined.push(group);
            }
            None => joined.push(group),
        }
    }
    *groups = joined;
}

/// Joins neighbours into `count` groups, each of about `by` times the wires of the one before.
fn join_growing(groups: &mut Vec<Vec<Wire>>, count: usize, by: usize) {
    let wires: usize = groups.iter().map(Vec::len).sum();
    let parts: usize = (0..count as u32).map(|i| by.pow(i)).sum();
    let mut joined: Vec<Vec<Wire>> = Vec::new();
    let (mut taken, mut end) = (0, 0);
    for group in std::mem::take(groups) {
        let size = group.len();
        match joined.last_mut() {
            Some(last) if taken < end => last.extend(group),
            _ => {
                end += (wires * by.pow(joined.len() as u32)).div_ceil(parts);
                joined.push(group);
            }
        }
        taken += size;
    }
    *groups = joined;
}

/// Transfers of what is needed when a loop is done: sent after it, received before the first region
/// that needs any of it, or at the end.
fn after_loops(program: &mut Program, assignment: &Assignment, needs: &[Needs]) {
    for (region, needs) in needs.iter().enumerate() {
        for to in 0..program.processors {
            for from in (0..program.processors).filter(|&from| from != to) {
                let values: Vec<NodeId> = needs.last[to]
                    .iter()
                    .copied()
                    .filter(|node| !needs.each[to].contains(node))
                    .filter(|node| usize::from(assignment[region][node.index()]) == from)
                    .collect();
                if values.is_empty() {
                    continue;
                }
                let id = TransferId(program.transfers.len() as u32);
                program.transfers.push(Transfer { from, to, region, when: When::After, values });
                program.parts[region][from].after.push(Action::Send(id));
                match first_use(program, region, id) {
                    Some(user) => program.parts[user][to].before.push(Action::Receive(id)),
                    None => {
                        let last = program.parts.len() - 1;
                        program.parts[last][to].after.push(Action::Receive(id));
                    }
                }
            }
        }
    }
}

/// The first region after `region` in which the receiver of a transfer takes one of its values.
fn first_use(program: &Program, region: usize, id: TransferId) -> Option<usize> {
    let Transfer { to, values, .. } = &program.transfers[id.index()];
    let outputs = program.rolled.regions[region].body.outputs();
    let is_sent = |value: &Value| match program.rolled.definition(*value).origin {
        Origin::Result { region: r, output, .. } => {
            r as usize == region && values.contains(&outputs[output as usize].value)
        }
        Origin::Input(_) | Origin::Constant(_) => false,
    };
    (region + 1..program.parts.len()).find(|&later| {
        let of = &program.rolled.regions[later];
        let takes = |input: usize| match &of.sources[input] {
            Source::Same(value) => is_sent(value),
            Source::Each(values) | Source::Earlier { first: values, .. } => {
                values.iter().any(is_sent)
            }
        };
        program.parts[later][*to].inputs.iter().copied().any(takes)
    })
}
