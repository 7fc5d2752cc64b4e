//! The inputs of the function that a program's processors read.

use super::{MAIN, Program, Transfer, When};
use manylane_graph::roll::{Origin, Source, Value};
use manylane_graph::{NodeId, Op, Role};
use std::collections::BTreeSet;

/// A value outside its region, followed through regions that only pass it on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// The function's input of this number.
    Input(u32),
    /// A constant and its width in bits.
    Constant(u64, u8),
    /// A result of an iteration: region, node of its body, iteration.
    Result((usize, NodeId, usize)),
}

impl Program {
    /// The origin of a value, through all regions that only pass it on.
    pub fn known(&self, value: Value) -> Known {
        let definition = self.rolled.definition(value);
        match definition.origin {
            Origin::Input(i) => Known::Input(i),
            Origin::Constant(constant) => Known::Constant(constant, definition.width),
            Origin::Result { region, output, iteration } => {
                let of = &self.rolled.regions[region as usize];
                let node = of.body.outputs()[output as usize].value;
                self.known_result(region as usize, node, iteration as usize)
            }
        }
    }

    /// The operation that computes a result, and its arguments in the result's iteration.
    pub fn operation(&self, (region, node, iteration): (usize, NodeId, usize)) -> (Op, Vec<Known>) {
        let body = &self.rolled.regions[region].body;
        let args = body.args(node).iter().map(|&arg| self.known_result(region, arg, iteration));
        (body.op(node), args.collect())
    }

    fn known_result(&self, region: usize, node: NodeId, iteration: usize) -> Known {
        let of = &self.rolled.regions[region];
        match of.body.op(node) {
            Op::Const(value) => Known::Constant(value, of.body.width(node)),
            Op::Input(input) => match &of.sources[input as usize] {
                Source::Same(value) => self.known(*value),
                Source::Each(values) => self.known(values[iteration]),
                Source::Earlier { output, distance, first } => match first.get(iteration) {
                    Some(&value) => self.known(value),
                    None => {
                        let node = of.body.outputs()[*output].value;
                        self.known_result(region, node, iteration - distance)
                    }
                },
            },
            _ => Known::Result((region, node, iteration)),
        }
    }

    /// The values that a processor takes into regions from outside; for the main processor the
    /// outputs too.
    pub fn takes(&self, processor: usize) -> Vec<Value> {
        let mut values: Vec<Value> = Vec::new();
        for (region, parts) in self.rolled.regions.iter().zip(&self.parts) {
            for &input in &parts[processor].inputs {
                match &region.sources[input] {
                    Source::Same(value) => values.push(*value),
                    Source::Each(all) | Source::Earlier { first: all, .. } => values.extend(all),
                }
            }
        }
        if processor == MAIN {
            values.extend(self.rolled.outputs.iter().map(|&(_, value)| value));
        }
        values
    }

    /// Numbers of the function's inputs that a processor reads.
    pub fn reads(&self, processor: usize) -> BTreeSet<u32> {
        let inputs =
            self.takes(processor).into_iter().filter_map(|value| match self.known(value) {
                Known::Input(i) => Some(i),
                Known::Constant(..) | Known::Result(_) => None,
            });
        inputs.collect()
    }

    /// Whether the main processor of several gives a block's words to the others as they lie in the
    /// message. If it needs most of the words itself, it converts them to the machine's byte order
    /// first.
    pub fn gives_raw_words(&self) -> bool {
        let inputs = &self.rolled.inputs;
        let is_message = |i: &u32| inputs[*i as usize].role == Role::Message;
        let all = inputs.iter().filter(|input| input.role == Role::Message).count();
        let read = self.reads(MAIN).into_iter().filter(is_message).count();
        self.processors > 1 && 2 * read <= all
    }

    /// Whether the other processors need nothing of a call but the words of its message block. In a
    /// message of several blocks they may then be a block ahead of the main processor.
    pub fn runs_ahead(&self) -> bool {
        let is_message = |&i: &u32| self.rolled.inputs[i as usize].role == Role::Message;
        self.processors > 1
            && self.transfers.iter().all(|transfer| transfer.from != MAIN)
            && (1..self.processors).all(|other| self.reads(other).iter().all(is_message))
    }

    /// Whether values go both ways, and all of them outside of loops. Each hand-over of a call then
    /// has a flag of its own, which costs less than a count of hand-overs.
    pub fn has_flags(&self) -> bool {
        let sends = |from| self.transfers.iter().any(|transfer| transfer.from == from);
        let is_straight = |transfer: &Transfer| {
            transfer.when == When::After || self.rolled.regions[transfer.region].times == 1
        };
        self.processors > 1
            && (0..self.processors).all(sends)
            && self.transfers.iter().all(is_straight)
    }
}
