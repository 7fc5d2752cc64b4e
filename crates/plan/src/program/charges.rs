//! What each action takes a processor, with the registers that it has.
//!
//! ```text
//!  operation   its price, and for each argument that is in no register a load; a copy where it
//!              replaces an argument that is needed afterwards
//!  no register free   the value that was not used for longest leaves: a store, unless memory has it
//! ```
//!
//! A compiler knows which value is needed last and does a little better; it spends that on addresses.

use super::prices::{Flow, Price};
use super::run::{Position, Stage};
use super::{Action, MAIN, Program, TransferId};
use crate::time::Ticks;
use manylane_graph::roll::{Origin, Region, Source, Value};
use manylane_graph::{Function, NodeId, Op};
use std::collections::{BTreeMap, BTreeSet};

/// Results that are taken from further back than this are in an array: see the emitters.
const MOST_VARIABLES: usize = 4;

/// Constants below this are parts of instructions.
const SMALL: u64 = 256;

/// What the actions of a processor take, by region.
pub(super) struct Charges(Vec<OfRegion>);

#[derive(Default)]
struct OfRegion {
    before: Vec<Ticks>,
    first: Vec<Ticks>,
    /// Every iteration but the first.
    next: Vec<Ticks>,
    after: Vec<Ticks>,
}

impl Charges {
    /// The charges of a processor's actions in a program.
    pub fn of(program: &Program, processor: usize, price: &Price) -> Self {
        let mut core = Core::new(program, processor, price);
        let all = (0..program.parts.len()).map(|region| core.region(region));
        Self(all.collect())
    }

    /// What the action at a position takes.
    pub fn at(&self, position: Position) -> Ticks {
        let of = &self.0[position.region];
        let list = match position.stage {
            Stage::Before => &of.before,
            Stage::Each if position.iteration == 0 => &of.first,
            Stage::Each => &of.next,
            Stage::After => &of.after,
        };
        list[position.action]
    }
}

/// What a register may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// A value from outside of all regions.
    Outside(usize),
    /// What a node of a region's body computed last.
    Node(usize, NodeId),
    /// What flows into an input of a region's body.
    Input(usize, u32),
    Constant(u64),
}

/// A value in registers.
#[derive(Clone, Copy, Debug)]
struct Held {
    key: Key,
    words: usize,
    /// When it was used last.
    used: usize,
    /// Whether memory has it too.
    is_kept: bool,
}

/// A processor that goes through its actions once.
struct Core<'p> {
    program: &'p Program,
    processor: usize,
    price: &'p Price,
    held: Vec<Held>,
    /// Words in registers.
    words: usize,
    clock: usize,
    /// Outputs of regions that it needs after the iteration in which they are computed.
    needed: BTreeSet<(usize, usize)>,
    /// Values that were made once.
    made: BTreeSet<usize>,
}

impl<'p> Core<'p> {
    fn new(program: &'p Program, processor: usize, price: &'p Price) -> Self {
        let mut core = Self {
            program,
            processor,
            price,
            held: Vec::new(),
            words: 0,
            clock: 0,
            needed: BTreeSet::new(),
            made: BTreeSet::new(),
        };
        core.note_needed();
        core
    }

    fn note_needed(&mut self) {
        let rolled = &self.program.rolled;
        let mut note = |value: Value| {
            if let Origin::Result { region, output, .. } = rolled.definition(value).origin {
                self.needed.insert((region as usize, output as usize));
            }
        };
        let mut earlier = Vec::new();
        for (r, (region, parts)) in rolled.regions.iter().zip(&self.program.parts).enumerate() {
            for &input in &parts[self.processor].inputs {
                match &region.sources[input] {
                    Source::Same(value) => note(*value),
                    Source::Each(values) => values.iter().for_each(|&value| note(value)),
                    Source::Earlier { output, first, .. } => {
                        first.iter().for_each(|&value| note(value));
                        earlier.push((r, *output));
                    }
                }
            }
        }
        if self.processor == MAIN {
            rolled.outputs.iter().for_each(|&(_, value)| note(value));
        }
        self.needed.extend(earlier);
    }

    fn region(&mut self, r: usize) -> OfRegion {
        let part = &self.program.parts[r][self.processor];
        let before = self.outer(&part.before);
        let first = self.iteration(r, &part.each);
        let next = match self.program.rolled.regions[r].times {
            1 => Vec::new(),
            _ => {
                let moves = self.end_iteration(r);
                let mut next = self.iteration(r, &part.each);
                if let Some(first) = next.first_mut() {
                    *first += self.price.turn + moves;
                }
                next
            }
        };
        let after = self.outer(&part.after);
        OfRegion { before, first, next, after }
    }

    fn outer(&mut self, list: &[Action]) -> Vec<Ticks> {
        let charges = list.iter().map(|action| match *action {
            Action::Compute(_) => 0,
            Action::Send(id) => self.send(id),
            Action::Receive(id) => self.receive(id),
        });
        charges.collect()
    }

    fn iteration(&mut self, r: usize, list: &[Action]) -> Vec<Ticks> {
        let region = &self.program.rolled.regions[r];
        let body = &region.body;
        // What flows in anew is loaded anew.
        let each = region.sources.iter().enumerate().filter_map(|(i, source)| match source {
            Source::Each(_) => Some(Key::Input(r, i as u32)),
            Source::Same(_) | Source::Earlier { .. } => None,
        });
        each.for_each(|key| self.forget(key));
        let mut last: BTreeMap<NodeId, usize> = BTreeMap::new();
        for (at, action) in list.iter().enumerate() {
            match action {
                Action::Compute(node) => {
                    last.extend(body.args(*node).iter().map(|&arg| (arg, at)));
                }
                Action::Send(id) => {
                    let values = &self.program.transfers[id.index()].values;
                    last.extend(values.iter().map(|&value| (value, at)));
                }
                Action::Receive(_) => {}
            }
        }
        let outputs = body.outputs().iter().enumerate();
        let needed = outputs.filter(|(i, _)| self.needed.contains(&(r, *i)));
        let lives_on: BTreeSet<NodeId> = needed.map(|(_, output)| output.value).collect();
        let charges = list.iter().enumerate().map(|(at, action)| match *action {
            Action::Compute(node) => {
                let args: BTreeSet<NodeId> = body.args(node).iter().copied().collect();
                let mut ticks = self.price.nodes[r][node.index()];
                ticks += args.iter().map(|&arg| self.take(r, body, arg)).sum::<Ticks>();
                let is_over = |arg: &NodeId| last[arg] == at && !lives_on.contains(arg);
                if is_in_place(body.op(node)) && !args.iter().any(is_over) {
                    ticks += self.price.copy * words(body, node) as Ticks;
                }
                for &arg in args.iter().filter(|arg| is_over(arg)) {
                    if !matches!(body.op(arg), Op::Input(_) | Op::Const(_)) {
                        self.forget(Key::Node(r, arg));
                    }
                }
                ticks + self.make(r, region, node)
            }
            Action::Send(id) => self.send(id),
            Action::Receive(id) => self.receive(id),
        });
        charges.collect()
    }

    /// The results of an iteration become what earlier ones left, for the next one. Returns what moving
    /// registers takes.
    fn end_iteration(&mut self, r: usize) -> Ticks {
        let region = &self.program.rolled.regions[r];
        let mut moves = 0;
        let mut next: Vec<(Key, Option<Held>)> = Vec::new();
        for (i, source) in region.sources.iter().enumerate() {
            let Source::Earlier { output, distance, .. } = source else { continue };
            if depth(region, *output) > MOST_VARIABLES {
                self.forget(Key::Input(r, i as u32));
                continue;
            }
            let from = match distance {
                1 => self.key(r, region.body.outputs()[*output].value),
                _ => region
                    .sources
                    .iter()
                    .position(|source| {
                        matches!(source, Source::Earlier { output: o, distance: d, .. }
                        if o == output && d + 1 == *distance)
                    })
                    .map_or(Key::Input(r, i as u32), |from| Key::Input(r, from as u32)),
            };
            let held = self.held.iter().find(|held| held.key == from).copied();
            if *distance > 1 && held.is_some() {
                moves += self.price.step;
            }
            next.push((Key::Input(r, i as u32), held));
        }
        for &(key, _) in &next {
            self.forget(key);
        }
        for output in region.body.outputs() {
            self.forget(Key::Node(r, output.value));
        }
        for (key, held) in next {
            if let Some(held) = held {
                self.words += held.words;
                self.held.push(Held { key, ..held });
            }
        }
        moves
    }

    fn send(&mut self, id: TransferId) -> Ticks {
        let transfer = &self.program.transfers[id.index()];
        let (r, body) = (transfer.region, &self.program.rolled.regions[transfer.region].body);
        let words = transfer.values.iter().map(|&node| {
            let load = self.take(r, body, node);
            load + self.price.store * words(body, node) as Ticks
        });
        let words: Ticks = words.sum();
        self.price.send + words
    }

    /// Values that arrived are in memory until they are used.
    fn receive(&mut self, id: TransferId) -> Ticks {
        let transfer = &self.program.transfers[id.index()];
        for &node in &transfer.values {
            self.forget(Key::Node(transfer.region, node));
        }
        self.price.receive
    }

    /// The key of a node of a body.
    fn key(&self, r: usize, node: NodeId) -> Key {
        let region = &self.program.rolled.regions[r];
        let input = match region.body.op(node) {
            Op::Const(constant) => return Key::Constant(constant),
            Op::Input(input) => input,
            _ => return Key::Node(r, node),
        };
        let Source::Same(value) = region.sources[input as usize] else {
            return Key::Input(r, input);
        };
        match self.program.rolled.definition(value).origin {
            Origin::Input(_) => Key::Outside(value.index()),
            Origin::Constant(constant) => Key::Constant(constant),
            Origin::Result { region, output, .. } => {
                let body = &self.program.rolled.regions[region as usize].body;
                let node = body.outputs()[output as usize].value;
                match body.op(node) {
                    Op::Input(_) | Op::Const(_) => Key::Outside(value.index()),
                    _ => Key::Node(region as usize, node),
                }
            }
        }
    }

    /// What it takes to have an argument in registers.
    fn take(&mut self, r: usize, body: &Function, arg: NodeId) -> Ticks {
        let key = self.key(r, arg);
        let words = words(body, arg);
        self.clock += 1;
        let clock = self.clock;
        if let Some(held) = self.held.iter_mut().find(|held| held.key == key) {
            held.used = clock;
            return 0;
        }
        let load = self.price.load * words as Ticks;
        let (ticks, is_kept) = match (key, body.op(arg)) {
            (Key::Constant(constant), _) if constant < SMALL => return 0,
            (Key::Constant(_), _) => (self.price.constant * words as Ticks, true),
            (_, Op::Input(input)) => match self.price.inputs[r][input as usize] {
                Flow::Register => (load, true),
                Flow::Each(ticks) => (ticks, true),
                Flow::Once(value, ticks) => match self.made.insert(value) {
                    true => (ticks, true),
                    false => (load, true),
                },
                Flow::Word(value, ticks) => match self.made.insert(value) {
                    true if self.program.processors == 1 || self.program.gives_raw_words() => {
                        (ticks, false)
                    }
                    // The main processor of several has put the words in order for all.
                    true | false => (load, true),
                },
            },
            _ => (load, true),
        };
        ticks + self.hold(key, words, is_kept)
    }

    /// What it takes to have the result of a node in registers.
    fn make(&mut self, r: usize, region: &Region, node: NodeId) -> Ticks {
        let key = Key::Node(r, node);
        self.forget(key);
        self.clock += 1;
        let words = words(&region.body, node);
        let is_array = region
            .body
            .outputs()
            .iter()
            .enumerate()
            .any(|(output, of)| of.value == node && depth(region, output) > MOST_VARIABLES);
        let store = if is_array { self.price.store * words as Ticks } else { 0 };
        store + self.hold(key, words, is_array)
    }

    /// Puts a value into registers. Returns what it takes to make room.
    fn hold(&mut self, key: Key, words: usize, is_kept: bool) -> Ticks {
        let mut ticks = 0;
        while self.words + words > self.price.registers && !self.held.is_empty() {
            let oldest = (0..self.held.len()).min_by_key(|&i| self.held[i].used);
            let left = self.held.swap_remove(oldest.expect("it is not empty"));
            self.words -= left.words;
            if !left.is_kept {
                ticks += self.price.store * left.words as Ticks;
            }
        }
        self.words += words;
        self.held.push(Held { key, words, used: self.clock, is_kept });
        ticks
    }

    fn forget(&mut self, key: Key) {
        if let Some(at) = self.held.iter().position(|held| held.key == key) {
            self.words -= self.held.swap_remove(at).words;
        }
    }
}

/// From how many iterations back results of an output are taken.
fn depth(region: &Region, output: usize) -> usize {
    let distances = region.sources.iter().filter_map(|source| match source {
        Source::Earlier { output: o, distance, .. } if *o == output => Some(*distance),
        _ => None,
    });
    distances.max().unwrap_or(0)
}

/// Words of 32 bits of a node's result.
fn words(body: &Function, node: NodeId) -> usize {
    usize::from(body.width(node)).div_ceil(32)
}

/// Whether instructions of two operands put the result in place of one of them. Sums, differences and
/// shifts by constants have three operands everywhere.
fn is_in_place(op: Op) -> bool {
    match op {
        Op::And
        | Op::Or
        | Op::Xor
        | Op::Xnor
        | Op::Lut3(_)
        | Op::Rotl(_)
        | Op::Rotr(_)
        | Op::RotlVar
        | Op::RotrVar => true,
        Op::Add
        | Op::Carry
        | Op::Sub
        | Op::Not
        | Op::Shl(_)
        | Op::Shr(_)
        | Op::SubBytes
        | Op::Xtime
        | Op::SwapBytes
        | Op::Input(_)
        | Op::Const(_)
        | Op::Call(_)
        | Op::Result(_)
        | Op::External => false,
    }
}
