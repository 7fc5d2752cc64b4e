//! The time of each action of a processor, given the number of its registers.
//!
//! ```text
//!  operation          its price, and for each argument that is in no register a load; a copy where
//!                     it replaces an argument that is needed afterwards
//!  no register free   the value that was not used for longest leaves: a store, unless memory has
//!                     it
//! ```
//!
//! A compiler spills the value that is needed last and does a little better, but its addresses take
//! registers that are not counted here.

use super::bodies::{Bodies, Body, Key, Number};
use super::prices::{Flow, Price};
use super::run::{Position, Stage};
use super::{Action, MAIN, Program, TransferId};
use crate::time::Ticks;
use manylane_graph::roll::{Origin, Source, Value};
use std::collections::BTreeSet;

/// A result that is still used more than this many iterations later is kept in an array, as the
/// emitters write it, and not in variables.
const MOST_VARIABLES: usize = 4;

/// Constants below this are immediate operands of instructions.
const SMALL: u64 = 256;

/// Number of registers that a send needs: for an address and for the number of the hand-over.
const SEND: usize = 2;
/// Number of registers that a receive needs. Beside the two of a send these are the count of the
/// iterations of its waiting loop and the number that the loop reads and compares.
const RECEIVE: usize = 4;

/// The times of a processor's actions, by region.
pub(super) struct Charges(Vec<OfRegion>);

#[derive(Default)]
struct OfRegion {
    before: Vec<Ticks>,
    first: Vec<Ticks>,
    /// The charges of every iteration but the first.
    next: Vec<Ticks>,
    after: Vec<Ticks>,
}

impl Charges {
    /// The charges of a processor's actions in a program, whose bodies are `bodies`.
    pub fn of(program: &Program, bodies: &Bodies, processor: usize, price: &Price) -> Self {
        let mut core = Walk::new(program, bodies, processor, price);
        let all = (0..program.parts.len()).map(|region| core.region(region));
        Self(all.collect())
    }

    /// The time of the action at a position.
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

/// A value in registers.
#[derive(Clone, Copy, Debug)]
struct Held {
    number: Number,
    words: usize,
    /// When it was used last.
    used: usize,
    /// Whether memory has it too.
    is_kept: bool,
}

/// A processor that goes through its actions once.
struct Walk<'p> {
    program: &'p Program,
    bodies: &'p Bodies,
    price: &'p Price,
    processor: usize,
    /// Whether it converts the words of a block to its byte order itself.
    orders_words: bool,
    held: Vec<Held>,
    /// For the number of each value, its place in `held`.
    places: Vec<Option<usize>>,
    /// Words in registers.
    words: usize,
    clock: usize,
    /// Values that are computed or loaded only once for the whole program, and have been.
    made: BTreeSet<usize>,
    /// For each region and node, whether its result is needed after its iteration.
    lives_on: Vec<Vec<bool>>,
}

impl<'p> Walk<'p> {
    fn new(program: &'p Program, bodies: &'p Bodies, processor: usize, price: &'p Price) -> Self {
        let mut core = Self {
            program,
            bodies,
            price,
            processor,
            orders_words: program.processors == 1 || program.gives_raw_words(),
            held: Vec::new(),
            places: vec![None; bodies.numbers],
            words: 0,
            clock: 0,
            made: BTreeSet::new(),
            lives_on: bodies.regions.iter().map(|body| vec![false; body.nodes.len()]).collect(),
        };
        core.note_what_lives_on();
        core
    }

    fn note_what_lives_on(&mut self) {
        let rolled = &self.program.rolled;
        let mut note = |region: usize, output: usize| {
            let node = self.bodies.regions[region].outputs[output];
            self.lives_on[region][node] = true;
        };
        let mut value = |value: &Value| {
            if let Origin::Result { region, output, .. } = rolled.values[value.index()].origin {
                note(region as usize, output as usize);
            }
        };
        let parts = rolled.regions.iter().zip(&self.program.parts);
        for (region, parts) in parts.clone() {
            for &input in &parts[self.processor].inputs {
                match &region.sources[input] {
                    Source::Same(of) => value(of),
                    Source::Each(values) | Source::Earlier { first: values, .. } => {
                        values.iter().for_each(&mut value);
                    }
                }
            }
        }
        if self.processor == MAIN {
            rolled.outputs.iter().for_each(|(_, of)| value(of));
        }
        for (r, (region, parts)) in parts.enumerate() {
            for &input in &parts[self.processor].inputs {
                if let Source::Earlier { output, .. } = &region.sources[input] {
                    note(r, *output);
                }
            }
        }
    }

    fn region(&mut self, r: usize) -> OfRegion {
        let part = &self.program.parts[r][self.processor];
        let before = self.outer(&part.before);
        let last = self.last_uses(r, &part.each);
        let first = self.iteration(r, &part.each, &last);
        let next = match self.program.rolled.regions[r].times {
            1 => Vec::new(),
            _ => {
                let moves = self.end_iteration(r);
                let mut next = self.iteration(r, &part.each, &last);
                if let Some(first) = next.first_mut() {
                    *first += self.price.turn + moves;
                }
                next
            }
        };
        let after = self.outer(&part.after);
        OfRegion { before, first, next, after }
    }

    /// For each node, the last action that takes it.
    fn last_uses(&self, r: usize, list: &[Action]) -> Vec<usize> {
        let body = &self.bodies.regions[r];
        let mut last = vec![usize::MAX; body.nodes.len()];
        for (at, action) in list.iter().enumerate() {
            match action {
                Action::Compute(node) => {
                    body.args(node.index()).iter().for_each(|&arg| last[arg] = at);
                }
                Action::Send(id) => {
                    let values = &self.program.transfers[id.index()].values;
                    values.iter().for_each(|value| last[value.index()] = at);
                }
                Action::Receive(_) => {}
            }
        }
        last
    }

    fn outer(&mut self, list: &[Action]) -> Vec<Ticks> {
        let charges = list.iter().map(|action| match *action {
            Action::Compute(_) => 0,
            Action::Send(id) => self.send(id),
            Action::Receive(id) => self.receive(id),
        });
        charges.collect()
    }

    fn iteration(&mut self, r: usize, list: &[Action], last: &[usize]) -> Vec<Ticks> {
        // An input that has another value in each iteration is loaded again.
        let sources = &self.program.rolled.regions[r].sources;
        let inputs = self.bodies.regions[r].inputs.iter().zip(sources);
        for (number, _) in inputs.filter(|(_, source)| matches!(source, Source::Each(_))) {
            self.forget(*number);
        }
        let charges = list.iter().enumerate().map(|(at, action)| match *action {
            Action::Compute(node) => self.compute(r, node.index(), at, last),
            Action::Send(id) => self.send(id),
            Action::Receive(id) => self.receive(id),
        });
        charges.collect()
    }

    /// The time of an operation, which is action `at` of its list.
    fn compute(&mut self, r: usize, node: usize, at: usize, last: &[usize]) -> Ticks {
        let bodies = self.bodies;
        let body = &bodies.regions[r];
        let args = body.args(node);
        let mut ticks = self.price.nodes[r][node];
        ticks += args.iter().map(|&arg| self.take(r, arg)).sum::<Ticks>();
        let is_over = |arg: usize| last[arg] == at && !self.lives_on[r][arg];
        if body.nodes[node].is_in_place && !args.iter().any(|&arg| is_over(arg)) {
            ticks += self.price.copy * body.nodes[node].words as Ticks;
        }
        for &arg in args {
            if let Some(number) = body.computed(r, arg)
                && last[arg] == at
                && !self.lives_on[r][arg]
            {
                self.forget(number);
            }
        }
        ticks + self.make(body, node)
    }

    /// Ends an iteration, whose results the next one sees as those of the iteration before. Returns
    /// the time for moving registers.
    fn end_iteration(&mut self, r: usize) -> Ticks {
        let (bodies, region) = (self.bodies, &self.program.rolled.regions[r]);
        let body = &bodies.regions[r];
        let mut moves = 0;
        let mut next: Vec<(Number, Option<Held>)> = Vec::new();
        for (i, source) in region.sources.iter().enumerate() {
            let Source::Earlier { output, distance, .. } = source else { continue };
            if self.bodies.regions[r].depths[*output] > MOST_VARIABLES {
                self.forget(body.inputs[i]);
                continue;
            }
            let one_less = |source: &Source| {
                matches!(source, Source::Earlier { output: o, distance: d, .. }
                    if o == output && d + 1 == *distance)
            };
            let from = match distance {
                1 => body.nodes[body.outputs[*output]].number,
                _ => body.inputs[region.sources.iter().position(one_less).unwrap_or(i)],
            };
            let held = self.places[from.index()].map(|place| self.held[place]);
            if *distance > 1 && held.is_some() {
                moves += self.price.step;
            }
            next.push((body.inputs[i], held));
        }
        let made = body.outputs.iter().filter_map(|&node| body.computed(r, node));
        for number in next.iter().map(|&(number, _)| number).chain(made) {
            self.forget(number);
        }
        for (number, held) in next {
            if let Some(held) = held {
                self.add(Held { number, ..held });
            }
        }
        moves
    }

    fn send(&mut self, id: TransferId) -> Ticks {
        let transfer = &self.program.transfers[id.index()];
        let r = transfer.region;
        let words = transfer.values.iter().map(|node| {
            let words = self.bodies.regions[r].nodes[node.index()].words;
            self.take(r, node.index()) + self.price.store * words as Ticks
        });
        let words: Ticks = words.sum();
        self.price.send + words + self.make_room(SEND)
    }

    /// Receives a transfer, whose values are in memory until they are used.
    fn receive(&mut self, id: TransferId) -> Ticks {
        let transfer = &self.program.transfers[id.index()];
        let body = &self.bodies.regions[transfer.region];
        for node in &transfer.values {
            if let Some(number) = body.computed(transfer.region, node.index()) {
                self.forget(number);
            }
        }
        self.price.receive + self.make_room(RECEIVE)
    }

    /// The time to have an argument in registers.
    fn take(&mut self, r: usize, arg: usize) -> Ticks {
        let Body { nodes, .. } = &self.bodies.regions[r];
        let (key, number, words) = (nodes[arg].key, nodes[arg].number, nodes[arg].words);
        self.clock += 1;
        if let Some(place) = self.places[number.index()] {
            self.held[place].used = self.clock;
            return 0;
        }
        let load = self.price.load * words as Ticks;
        let (ticks, is_kept) = match (key, nodes[arg].input) {
            (Key::Constant(constant), _) if constant < SMALL => return 0,
            (Key::Constant(_), _) => (self.price.constant * words as Ticks, true),
            (_, Some(input)) => match self.price.inputs[r][input] {
                Flow::Each(ticks) => (ticks, true),
                Flow::Once(value, ticks) if self.made.insert(value) => (ticks, true),
                Flow::Word(value, ticks) if self.orders_words && self.made.insert(value) => {
                    (ticks, false)
                }
                Flow::Register | Flow::Once(..) | Flow::Word(..) => (load, true),
            },
            (_, None) => (load, true),
        };
        ticks + self.hold(number, words, is_kept)
    }

    /// The time to have the result of a node in registers.
    fn make(&mut self, body: &Body, node: usize) -> Ticks {
        let (number, words) = (body.nodes[node].number, body.nodes[node].words);
        self.forget(number);
        self.clock += 1;
        let is_array = body.nodes[node].depth > MOST_VARIABLES;
        let store = if is_array { self.price.store * words as Ticks } else { 0 };
        store + self.hold(number, words, is_array)
    }

    /// Puts a value into registers. Returns the time that this takes.
    fn hold(&mut self, number: Number, words: usize, is_kept: bool) -> Ticks {
        let ticks = self.make_room(words);
        self.add(Held { number, words, used: self.clock, is_kept });
        ticks
    }

    /// The time to free registers for so many words.
    fn make_room(&mut self, words: usize) -> Ticks {
        let mut ticks = 0;
        while self.words + words > self.price.registers && !self.held.is_empty() {
            let oldest = (0..self.held.len()).min_by_key(|&i| self.held[i].used);
            let left = self.remove(oldest.expect("it is not empty"));
            if !left.is_kept {
                ticks += self.price.store * left.words as Ticks;
            }
        }
        ticks
    }

    fn forget(&mut self, number: Number) {
        if let Some(place) = self.places[number.index()] {
            self.remove(place);
        }
    }

    fn add(&mut self, held: Held) {
        self.words += held.words;
        self.places[held.number.index()] = Some(self.held.len());
        self.held.push(held);
    }

    fn remove(&mut self, place: usize) -> Held {
        let left = self.held.swap_remove(place);
        self.words -= left.words;
        self.places[left.number.index()] = None;
        if let Some(moved) = self.held.get(place) {
            self.places[moved.number.index()] = Some(place);
        }
        left
    }
}
