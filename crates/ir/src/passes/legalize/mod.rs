//! The pass `legalize`, which splits words into limbs for machines whose words are narrower than
//! those of the primitive.

mod wide;

use super::needed::demanded;
use super::{StepMap, dead};
use crate::builder::Builder;
use crate::ir::{Function, Module, NodeId, Op};
use std::collections::BTreeMap;
use wide::{Narrowed, Wide};

/// The module with words wider than `bits` as limbs of `bits` bits, low limb first.
///
/// | operation | on limbs |
/// |---|---|
/// | `add`, `sub`, `carry` | a chain of carries; sums of many arguments one after the other |
/// | rotation, shift | each limb from two neighbours, or from one if it needs no other's bits |
/// | variable rotation | limbs change places by the high bits of the amount, rotate by the low |
/// | `swap_bytes` | inside the limbs, which change places |
/// | bitwise, `sub_bytes`, `xtime` | limb by limb |
/// | call | a limb is an argument, and a result |
///
/// A rotation or shift by whole limbs takes no operation. In a variable rotation, limbs change
/// places for one high bit of the amount after the other; then each limb rotates by the low bits,
/// and limbs exchange the bits that leave them.
///
/// An input or output `h0` becomes `h0.0`, `h0.1`, …. Operations on limb i of a step lie in its
/// substep `limb[i]`. Words of up to `bits` bits stay as they are.
///
/// # Panics
/// If `bits` is not 8, 16 or 32.
pub fn legalize(module: &Module, bits: u8) -> Module {
    assert!(matches!(bits, 8 | 16 | 32), "a limb has 8, 16 or 32 bits, not {bits}");
    let limbs = |function| dead(&Limbs::new(module, function, bits).run());
    Module { functions: module.functions().iter().map(limbs).collect() }
}

/// Limbs in a word of `width` bits.
fn limbs_of(width: u8, bits: u8) -> usize {
    usize::from(width.div_ceil(bits))
}

struct Limbs<'m> {
    module: &'m Module,
    from: &'m Function,
    new: Narrowed,
    steps: StepMap,
    /// For each node, the bits that an output depends on.
    demanded: Vec<u64>,
    /// The limbs of each node, low limb first.
    words: Vec<Vec<NodeId>>,
    /// For each call, the limbs of its results.
    results: BTreeMap<NodeId, Vec<Vec<NodeId>>>,
}

impl<'m> Limbs<'m> {
    fn new(module: &'m Module, from: &'m Function, bits: u8) -> Self {
        let mut builder = Builder::new(&from.name);
        let mut words = vec![Vec::new(); from.len()];
        for input in from.inputs() {
            let width = from.width(input.node);
            let limbs = limb_names(&input.name, limbs_of(width, bits)).into_iter();
            let limbs = limbs.map(|name| builder.input(&name, input.role, width.min(bits)));
            words[input.node.index()] = limbs.collect();
        }
        let new = Narrowed { bits, builder, lanes: BTreeMap::new() };
        let (steps, demanded) = (StepMap::new(), demanded(from));
        Self { module, from, new, steps, demanded, words, results: BTreeMap::new() }
    }

    fn run(mut self) -> Function {
        for node in self.from.nodes() {
            if !matches!(self.from.op(node), Op::Input(_)) {
                let step = self.steps.get(self.from, &mut self.new.builder, self.from.step(node));
                self.new.builder.reenter(step);
                self.words[node.index()] = self.node(node);
                self.new.builder.leave();
            }
        }
        for output in self.from.outputs() {
            let limbs = &self.words[output.value.index()];
            for (name, &limb) in limb_names(&output.name, limbs.len()).iter().zip(limbs) {
                self.new.builder.output(name, limb);
            }
        }
        self.note_words();
        self.new.builder.finish()
    }

    /// Carries over which words pass through each step, and which limbs pass through each substep.
    fn note_words(&mut self) {
        for (old, &new) in self.steps.0.iter().enumerate() {
            let over = self.from.steps()[old].over.iter();
            let over = over.flat_map(|word| self.words[word.index()].iter().copied());
            self.new.builder.set_over(new, over.collect());
        }
        for (&(old, i), &lane) in &self.new.lanes {
            let over = self.from.steps()[old.index()].over.iter();
            let over = over.map(|word| &self.words[word.index()]).filter(|limbs| limbs.len() > 1);
            let over = over.filter_map(|limbs| limbs.get(i).copied()).collect();
            self.new.builder.set_over(lane, over);
        }
    }

    /// The limbs that compute a node.
    fn node(&mut self, node: NodeId) -> Vec<NodeId> {
        let (op, width) = (self.from.op(node), self.from.width(node));
        let args: Vec<Vec<NodeId>> =
            self.from.args(node).iter().map(|arg| self.words[arg.index()].clone()).collect();
        match op {
            Op::Const(value) => {
                let limbs = 0..limbs_of(width, self.new.bits);
                limbs
                    .map(|i| self.constant(value >> (usize::from(self.new.bits) * i), width))
                    .collect()
            }
            Op::Call(callee) => self.call(node, callee.index(), &args.concat()),
            Op::Result(i) => self.results[&self.from.args(node)[0]][i as usize].clone(),
            _ if width <= self.new.bits => vec![self.new.builder.op(op, &args.concat())],
            _ => {
                let (step, demanded) = (self.from.step(node), self.demanded[node.index()]);
                Wide { new: &mut self.new, step, demanded }.node(op, &args)
            }
        }
    }

    /// The low bits of a constant, as a limb of a word of `width` bits.
    fn constant(&mut self, value: u64, width: u8) -> NodeId {
        self.new.builder.constant(value, width.min(self.new.bits))
    }

    fn call(&mut self, node: NodeId, callee: usize, args: &[NodeId]) -> Vec<NodeId> {
        let function = &self.module.functions()[callee];
        let widths: Vec<u8> =
            function.outputs().iter().map(|output| function.width(output.value)).collect();
        let counts = widths.iter().map(|&width| limbs_of(width, self.new.bits));
        let limb_widths: Vec<u8> = widths
            .iter()
            .zip(counts.clone())
            .flat_map(|(&width, count)| vec![width.min(self.new.bits); count])
            .collect();
        let mut limbs = self.new.builder.call(self.from.op(node), args, &limb_widths).into_iter();
        let results: Vec<Vec<NodeId>> =
            counts.map(|count| limbs.by_ref().take(count).collect()).collect();
        self.results.entry(node).or_insert(results)[0].clone()
    }
}

/// `h0.0`, `h0.1`, …; `h0` for a word of one limb.
fn limb_names(name: &str, limbs: usize) -> Vec<String> {
    if limbs == 1 {
        return vec![name.to_owned()];
    }
    (0..limbs).map(|i| format!("{name}.{i}")).collect()
}
