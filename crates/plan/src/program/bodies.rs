//! The bodies of regions in a compact form, from which the prices of thousands of programs are
//! computed.

use manylane_graph::roll::{Origin, Region, Rolled, Source};
use manylane_graph::{NodeId, Op};
use std::collections::HashMap;

/// The number of a value that registers may hold, the same for one value in all regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number(usize);

impl Number {
    /// The number as an index, from 0.
    pub fn index(self) -> usize {
        self.0
    }
}

/// A value that a register may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// A value from outside of all regions.
    Outside(usize),
    /// The last result of a node of a region's body.
    Node(usize, usize),
    /// The value that flows into an input of a region's body.
    Input(usize, usize),
    Constant(u64),
}

/// A node of a body.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The value that it makes.
    pub key: Key,
    /// The number of that value.
    pub number: Number,
    /// Number of 32-bit words of its result.
    pub words: usize,
    /// The number of the body's input, if the node is one.
    pub input: Option<usize>,
    /// Whether an instruction with two operands overwrites one of them with the result.
    pub is_in_place: bool,
    /// The largest number of iterations after which its results are still used.
    pub depth: usize,
    /// The range of its arguments, each once, among those of all nodes.
    args: (usize, usize),
}

/// The body of a region.
#[derive(Clone, Debug)]
pub(super) struct Body {
    /// The operations of an iteration, in an order of computation.
    pub nodes: Vec<Node>,
    /// The node of each output.
    pub outputs: Vec<usize>,
    /// For each output, the largest number of iterations after which it is still used.
    pub depths: Vec<usize>,
    /// For each input, the number of the value that flows into it.
    pub inputs: Vec<Number>,
    args: Vec<usize>,
}

/// The bodies of all regions.
#[derive(Clone, Debug)]
pub(super) struct Bodies {
    /// The body of each region, by the region's number.
    pub regions: Vec<Body>,
    /// Number of different values in all bodies.
    pub numbers: usize,
}

impl Bodies {
    /// Brings all bodies of a rolled function into this form.
    pub fn of(rolled: &Rolled) -> Self {
        let mut numbers = Numbers::default();
        let regions =
            (0..rolled.regions.len()).map(|r| Body::of(rolled, r, &mut numbers)).collect();
        Self { regions, numbers: numbers.0.len() }
    }
}

/// The numbers given so far.
#[derive(Default)]
struct Numbers(HashMap<Key, Number>);

impl Numbers {
    fn of(&mut self, key: Key) -> Number {
        let next = Number(self.0.len());
        *self.0.entry(key).or_insert(next)
    }
}

impl Body {
    fn of(rolled: &Rolled, r: usize, numbers: &mut Numbers) -> Self {
        let region = &rolled.regions[r];
        let outputs: Vec<usize> =
            region.body.outputs().iter().map(|output| output.value.index()).collect();
        let depths: Vec<usize> = (0..outputs.len()).map(|output| depth(region, output)).collect();
        let inputs = (0..region.sources.len()).map(|i| numbers.of(Key::Input(r, i))).collect();
        let mut of = Self { nodes: Vec::new(), outputs, depths, inputs, args: Vec::new() };
        for node in region.body.nodes() {
            let begin = of.args.len();
            for arg in region.body.args(node) {
                if !of.args[begin..].contains(&arg.index()) {
                    of.args.push(arg.index());
                }
            }
            let op = region.body.op(node);
            let as_outputs = of.outputs.iter().zip(&of.depths);
            let depth = as_outputs.filter(|(output, _)| **output == node.index());
            let key = key(rolled, r, node);
            of.nodes.push(Node {
                key,
                number: numbers.of(key),
                words: usize::from(region.body.width(node)).div_ceil(32),
                input: if let Op::Input(input) = op { Some(input as usize) } else { None },
                is_in_place: is_in_place(op),
                depth: depth.map(|(_, &depth)| depth).max().unwrap_or(0),
                args: (begin, of.args.len()),
            });
        }
        of
    }

    /// The number of what a node of this body, of region `r`, computes; none if it computes
    /// nothing.
    pub fn computed(&self, r: usize, node: usize) -> Option<Number> {
        let Node { key, number, .. } = self.nodes[node];
        matches!(key, Key::Node(region, _) if region == r).then_some(number)
    }

    /// The arguments of a node, each once.
    pub fn args(&self, node: usize) -> &[usize] {
        let (begin, end) = self.nodes[node].args;
        &self.args[begin..end]
    }
}

fn key(rolled: &Rolled, r: usize, node: NodeId) -> Key {
    let region = &rolled.regions[r];
    let input = match region.body.op(node) {
        Op::Const(constant) => return Key::Constant(constant),
        Op::Input(input) => input as usize,
        _ => return Key::Node(r, node.index()),
    };
    let Source::Same(value) = region.sources[input] else { return Key::Input(r, input) };
    match rolled.definition(value).origin {
        Origin::Input(_) => Key::Outside(value.index()),
        Origin::Constant(constant) => Key::Constant(constant),
        Origin::Result { region, output, .. } => {
            let body = &rolled.regions[region as usize].body;
            let node = body.outputs()[output as usize].value;
            match body.op(node) {
                Op::Input(_) | Op::Const(_) => Key::Outside(value.index()),
                _ => Key::Node(region as usize, node.index()),
            }
        }
    }
}

fn depth(region: &Region, output: usize) -> usize {
    let distances = region.sources.iter().filter_map(|source| match source {
        Source::Earlier { output: o, distance, .. } if *o == output => Some(*distance),
        _ => None,
    });
    distances.max().unwrap_or(0)
}

/// Sums, differences and shifts by constants have instructions with three operands on every target.
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
