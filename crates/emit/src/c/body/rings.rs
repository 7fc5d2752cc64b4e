//! Finds the [rings](super::ring) of a program of one processor, and writes what a loop needs of
//! them.

use super::super::expr::integer;
use super::super::text::uses;
use super::elements::{Element, step};
use super::ring::{Ring, counter};
use super::writer::{Writer, whole};
use manylane_graph::roll::Value;
use manylane_graph::{Function, NodeId, Op};
use manylane_plan::program::MAIN;
use manylane_plan::program::reads::Known;
use std::collections::{BTreeMap, BTreeSet};

impl Writer<'_> {
    /// Finds the histories that are rings. Programs of two cores have none, since cores hand over
    /// only what lies in variables.
    pub fn find_rings(&mut self) {
        if self.mailbox.is_some() {
            return;
        }
        for region in 0..self.program.parts.len() {
            if self.region(region).times == 1 {
                continue;
            }
            let users = users(&self.region(region).body);
            let mut known: BTreeSet<NodeId> = BTreeSet::new();
            for number in 0..self.histories[region].all.len() {
                let node = self.histories[region].all[number].node;
                if known.insert(node) {
                    let ring = self.ring(region, number, &users);
                    self.histories[region].all[number].ring = ring;
                }
            }
        }
    }

    fn ring(&self, region: usize, history: usize, users: &[Vec<NodeId>]) -> Option<Ring> {
        let of = self.region(region);
        let histories = &self.histories[region];
        let (node, depth) = (histories.all[history].node, histories.all[history].depth());
        let is_computed = !matches!(of.body.op(node), Op::Input(_) | Op::Const(_));
        let mut taken = histories.taken(history);
        let is_replaced = |(input, distance): (usize, usize)| {
            distance == depth && leads_to(&of.body, users, of.body.inputs()[input].node, node)
        };
        if !is_computed || !taken.all(is_replaced) {
            return None;
        }
        // For each iteration, the place of the result that is an output.
        let mut places: BTreeMap<usize, String> = BTreeMap::new();
        for (name, value) in &self.program.rolled.outputs {
            if let Known::Result((r, n, iteration)) = self.program.known(*value)
                && (r, n) == (region, node)
                && self.processor == MAIN
                && !name.contains('.')
            {
                places.entry(iteration).or_insert_with(|| (self.signature.output)(name));
            }
        }
        let is_late = |iteration: usize| iteration + depth >= of.times;
        let mut values = (0..self.program.rolled.values.len())
            .map(|value| self.program.known(Value(value as u32)));
        let all_late = values.all(|value| match value {
            Known::Result((r, n, iteration)) => (r, n) != (region, node) || is_late(iteration),
            Known::Input(_) | Known::Constant(..) => true,
        });
        if !all_late {
            return None;
        }
        let name = &histories.all[history].name;
        let own = || Some((name.clone(), 0, 1)).filter(|_| histories.all[history].is_array());
        let in_outputs = self.in_outputs(depth, of.times, &places);
        let is_output = in_outputs.is_some();
        let (array, first, step) = in_outputs.or_else(own)?;
        let mut ring = Ring { source: String::new(), array, is_output, depth, first, step };
        for (iteration, value) in histories.all[history].first.0.iter().rev().enumerate() {
            let Known::Input(input) = self.program.known((*value)?) else { return None };
            let text = (self.signature.input)(&self.program.rolled.inputs[input as usize].name);
            let (source, number) = Element::of(&text)?.place()?;
            if number != ring.number(iteration) || iteration > 0 && ring.source != source {
                return None;
            }
            ring.source = source.to_owned();
        }
        let others = histories.all.iter().filter_map(|other| other.ring.as_ref());
        let mut beside = others.filter(|other| other.array == ring.array);
        let fits = beside.all(|other| (&other.source, other.depth) == (&ring.source, depth));
        fits.then_some(ring)
    }

    /// The array of outputs in which the last `depth` results lie, the index of the first
    /// iteration's element, and the step to the next one. `None` if an input lies in that array.
    fn in_outputs(
        &self,
        depth: usize,
        times: usize,
        places: &BTreeMap<usize, String>,
    ) -> Option<(String, usize, usize)> {
        let mut numbers = vec![0; depth];
        let mut array = None;
        for iteration in times - depth..times {
            let (name, number) = Element::of(places.get(&iteration)?)?.place()?;
            if *array.get_or_insert(name) != name {
                return None;
            }
            numbers[iteration % depth] = number;
        }
        let (first, step) = if depth == 1 { (numbers[0], 1) } else { step(&numbers)? };
        let array = array?;
        let mut inputs = self.program.rolled.inputs.iter();
        let is_read = inputs.any(|input| uses(&(self.signature.input)(whole(&input.name)), array));
        let step = usize::try_from(step).ok().filter(|_| !is_read)?;
        Some((array.to_owned(), first, step))
    }

    /// Declares the arrays of a loop's rings, and the pointers through which their values are read.
    pub fn before_rings(&mut self, region: usize) {
        let body = &self.region(region).body;
        let mut declared: BTreeSet<String> = BTreeSet::new();
        for history in self.histories[region].all.clone() {
            let Some(ring) = &history.ring else { continue };
            let (integer, array) = (integer(body.width(history.node)), &ring.array);
            if !declared.insert(array.clone()) {
                continue;
            }
            if !ring.is_output {
                self.line(&format!("{integer} {array}[{}];", ring.depth));
            }
            self.line(&format!("const {integer} *{} = {};", ring.pointer(), ring.source));
        }
    }

    /// Declares the counters of a loop's rings.
    pub fn ring_counters(&mut self, region: usize) {
        let depths: BTreeSet<usize> = self.rings(region).iter().map(|ring| ring.depth).collect();
        for depth in depths.into_iter().filter(|&depth| depth > 1) {
            self.line(&format!("uint32_t {} = 0;", counter(depth)));
        }
    }

    /// Advances the rings at the end of an iteration. When a counter wraps around, all first values
    /// have been taken, and the pointers go over to the results.
    pub fn end_of_rings(&mut self, region: usize) {
        let rings = self.rings(region);
        let mut written: BTreeSet<String> = BTreeSet::new();
        for Ring { depth, .. } in rings.iter().filter(|ring| ring.depth > 1) {
            let at = counter(*depth);
            if written.insert(at.clone()) {
                self.line(&format!("{at} = {at} < {}u ? {at} + 1u : 0u;", depth - 1));
            }
        }
        for ring in rings {
            let (from, array) = (ring.pointer(), &ring.array);
            if written.insert(from.clone()) {
                self.line(&match ring.depth {
                    1 => format!("{from} = {array};"),
                    depth => format!("{from} = {} != 0 ? {from} : {array};", counter(depth)),
                });
            }
        }
    }

    fn rings(&self, region: usize) -> Vec<Ring> {
        self.histories[region].all.iter().filter_map(|history| history.ring.clone()).collect()
    }
}

/// The nodes that use each node.
fn users(body: &Function) -> Vec<Vec<NodeId>> {
    let mut users = vec![Vec::new(); body.len()];
    for node in body.nodes() {
        body.args(node).iter().for_each(|arg| users[arg.index()].push(node));
    }
    users
}

/// Whether a value is used for nothing but to compute `to`.
fn leads_to(body: &Function, users: &[Vec<NodeId>], from: NodeId, to: NodeId) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        if body.outputs().iter().any(|output| output.value == node) {
            return false;
        }
        let next = users[node.index()].iter().filter(|&&user| user != to && seen.insert(user));
        open.extend(next);
    }
    true
}
