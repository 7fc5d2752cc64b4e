//! The pass `interleave`, which splits words into their bits at even and at odd places: a rotation
//! of the word then is one rotation of each half.

use super::StepMap;
use crate::builder::Builder;
use crate::ir::{Function, Kind, NodeId, Op, StepId};
use std::collections::BTreeMap;

/// The bits of a word at even and at odd places, 32 each.
///
/// ```text
/// bit 63 62 61 60 …  3  2  1  0      even: 62 60 …  2  0      odd: 63 61 …  3  1
/// ```
pub fn halves(word: u64) -> [u64; 2] {
    let bit = |at: u32| word >> at & 1;
    let half = |first: u32| (0..32).map(|i| bit(2 * i + first) << i).sum();
    [half(0), half(1)]
}

/// The word whose bits at even and at odd places are these halves.
pub fn joined([even, odd]: [u64; 2]) -> u64 {
    (0..32).map(|i| (even >> i & 1) << (2 * i) | (odd >> i & 1) << (2 * i + 1)).sum()
}

/// The names of the halves of an input or output.
pub(crate) fn half_names(name: &str) -> [String; 2] {
    [format!("{name}.even"), format!("{name}.odd")]
}

/// Turns a function on words of 64 bits into one on pairs of 32-bit words, which hold the bits at
/// even places and those at odd places ([`halves`]).
///
/// ```text
/// x <<< 2k      even' = even <<< k           odd' = odd <<< k
/// x <<< 2k + 1  even' = odd <<< (k + 1)      odd' = even <<< k
/// ```
///
/// A rotation of the word is therefore one rotation of each half. If the word were cut into a low
/// and a high limb, each limb of the result would take bits of both. All other operations must be
/// bitwise. `None` if one is not, or if a word does not have 64 bits.
///
/// An input or output `h0` becomes `h0.even` and `h0.odd`. Within a step, operations on even halves
/// come before those on odd halves wherever they do not depend on them, so that fewer words are
/// live at a time. Operations on a half lie in the substep `half[0]` or `half[1]` of their step.
pub fn interleave(function: &Function) -> Option<Function> {
    interleave_words(function, 64)
}

/// [`interleave`] for words of `width` bits, 64 or 32: the halves of halves are the bits at every
/// fourth place.
pub(crate) fn interleave_words(function: &Function, width: u8) -> Option<Function> {
    let can =
        function.nodes().all(|node| function.width(node) == width && is_local(function.op(node)));
    can.then(|| Halves::new(function, width).run())
}

/// Whether each half of an operation's value needs one half of each argument.
fn is_local(op: Op) -> bool {
    match op {
        Op::Input(_)
        | Op::Const(_)
        | Op::And
        | Op::Or
        | Op::Xor
        | Op::Xnor
        | Op::Not
        | Op::Lut3(_)
        | Op::Rotl(_)
        | Op::Rotr(_) => true,
        Op::Add
        | Op::Carry
        | Op::Sub
        | Op::Shl(_)
        | Op::Shr(_)
        | Op::RotlVar
        | Op::RotrVar
        | Op::SubBytes
        | Op::Xtime
        | Op::SwapBytes
        | Op::Call(_)
        | Op::Result(_)
        | Op::External => false,
    }
}

struct Halves<'f> {
    from: &'f Function,
    /// Bits of a half.
    bits: u8,
    builder: Builder,
    steps: StepMap,
    /// The halves of each node that are already made.
    made: Vec<[Option<NodeId>; 2]>,
    /// The substeps already made, by old step and half.
    substeps: BTreeMap<(StepId, usize), StepId>,
}

impl<'f> Halves<'f> {
    fn new(from: &'f Function, width: u8) -> Self {
        let bits = width / 2;
        let mut builder = Builder::new(&from.name);
        let mut made = vec![[None; 2]; from.len()];
        for input in from.inputs() {
            made[input.node.index()] =
                half_names(&input.name).map(|name| Some(builder.input(&name, input.role, bits)));
        }
        Self { from, bits, builder, steps: StepMap::new(), made, substeps: BTreeMap::new() }
    }

    fn run(mut self) -> Function {
        let is_work = |node: &NodeId| self.from.op(*node).is_work();
        let nodes: Vec<NodeId> = self.from.nodes().filter(is_work).collect();
        for step in nodes.chunk_by(|&a, &b| self.from.step(a) == self.from.step(b)) {
            for half in [0, 1] {
                for &node in step {
                    self.half(node, half);
                }
            }
        }
        for output in self.from.outputs() {
            for (half, name) in half_names(&output.name).iter().enumerate() {
                let value = self.half(output.value, half);
                self.builder.output(name, value);
            }
        }
        self.note_words();
        self.builder.finish()
    }

    /// Carries over which words pass through each step, and which of their halves through its
    /// substeps.
    fn note_words(&mut self) {
        let halves = |step: StepId, half: usize| {
            let words = self.from.steps()[step.index()].over.iter();
            words.filter_map(|word| self.made[word.index()][half]).collect::<Vec<NodeId>>()
        };
        for (old, &new) in self.steps.0.iter().enumerate() {
            let old = StepId(old as u32);
            self.builder.set_over(new, [halves(old, 0), halves(old, 1)].concat());
        }
        for (&(old, half), &substep) in &self.substeps {
            self.builder.set_over(substep, halves(old, half));
        }
    }

    /// Half of a node, which is made at its first use.
    fn half(&mut self, node: NodeId, half: usize) -> NodeId {
        if let Some(made) = self.made[node.index()][half] {
            return made;
        }
        // A rotation to the left by an odd number takes the even half from the odd one.
        let (op, from) = match self.from.op(node) {
            Op::Rotl(n) => rotated(n, half, self.bits),
            Op::Rotr(n) => rotated(2 * self.bits - n, half, self.bits),
            op => (Some(op), half),
        };
        let args = self.from.args(node).to_vec();
        let args: Vec<NodeId> = args.into_iter().map(|arg| self.half(arg, from)).collect();
        let new = match op {
            None => args[0],
            Some(Op::Const(value)) => self.builder.constant(halves(value)[half], self.bits),
            Some(op) => {
                let step = self.substep(self.from.step(node), half);
                self.builder.reenter(step);
                let new = self.builder.op(op, &args);
                self.builder.leave();
                new
            }
        };
        self.made[node.index()][half] = Some(new);
        new
    }

    /// The substep of an old step for a half; the root has none.
    fn substep(&mut self, old: StepId, half: usize) -> StepId {
        let step = self.steps.get(self.from, &mut self.builder, old);
        if old == StepId::ROOT {
            return step;
        }
        let substep = (Kind::Lane, "half", half as u32);
        *self
            .substeps
            .entry((old, half))
            .or_insert_with(|| self.builder.substep(step, substep, &[]))
    }
}

/// One half of a word that is rotated left: the rotation of a half of `bits` bits, `None` if its
/// amount is 0, and the half that is rotated.
fn rotated(by: u8, half: usize, bits: u8) -> (Option<Op>, usize) {
    let crosses = by % 2 == 1;
    let by = (by / 2 + u8::from(crosses && half == 0)) % bits;
    let from = if crosses { 1 - half } else { half };
    ((by > 0).then_some(Op::Rotl(by)), from)
}
