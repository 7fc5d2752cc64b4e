//! Passes. A pass makes a function into another one with the same meaning.
//!
//! A pass goes over the nodes in order and gives the new node for each ([`Rewriter`]). Steps and
//! their paths are kept, so that a plan made on the result still speaks of the primitive's steps.

//!
//! ```text
//! inline    calls           ──► what they compute
//! dead      all nodes       ──► those that an output needs
//! flatten   (a + b) + c     ──► a + b + c, likewise xor, and, or
//! balance   a + b + c + d   ──► (a + b) + (c + d), by arrival time
//! ternary   z ^ (x & (y^z)) ──► lut3(x, y, z)
//! xnor      x ^ y           ──► !xnor(x, y), with few complements
//! nest      x>>>a ^ x>>>b   ──► (x>>>b-a ^ x) >>> a
//! legalize  wide words      ──► limbs
//! interleave  wide words    ──► bits at even places, bits at odd places
//! needed    all terms       ──► those of which a bit is needed
//! lanes     wide words      ──► limbs, if none needs another for an operation
//! uniform   rounds of kinds ──► rounds alike, constants choose
//! ahead     schedule, round ──► all of the schedule, then the rounds
//! amounts   rotl 7, rotl 12 ──► rotl by a word, if amounts differ from round to round
//! ```

mod ahead;
mod amounts;
mod balance;
mod dead;
mod flatten;
mod inline;
mod interleave;
mod lanes;
mod legalize;
mod needed;
mod nest;
mod ternary;
mod uniform;
mod xnor;

pub use ahead::ahead;
pub use amounts::amounts;
pub use balance::balance;
pub use dead::dead;
pub use flatten::flatten;
pub use inline::inline;
pub(crate) use interleave::{half_names, interleave_words};
pub use interleave::{halves, interleave, joined};
pub use lanes::lanes;
pub use legalize::legalize;
pub use needed::needed;
pub use nest::nest;
pub use ternary::ternary;
pub use uniform::{uniform, uniform_inside};
pub use xnor::xnor;

use crate::builder::Builder;
use crate::ir::{Function, Module, NodeId, Op, StepId};

/// The module with each of its functions passed through `pass`, which keeps inputs and outputs.
pub fn each(module: &Module, pass: impl Fn(&Function) -> Function) -> Module {
    Module { functions: module.functions().iter().map(pass).collect() }
}

/// Returns, for each node, whether it may be merged into its user: it has exactly one user, is no
/// output, and passes through no step (a planner may want a register there).
fn vanishing(function: &Function) -> Vec<bool> {
    let mut vanishing: Vec<bool> = function.users().iter().map(|users| users.len() == 1).collect();
    let outputs = function.outputs().iter().map(|output| output.value);
    let words = function.steps().iter().flat_map(|step| step.over.iter().copied());
    for node in outputs.chain(words) {
        vanishing[node.index()] = false;
    }
    vanishing
}

/// For each step of the function that is read, the new step.
#[derive(Debug)]
struct StepMap(Vec<StepId>);

impl StepMap {
    fn new() -> Self {
        Self(vec![StepId::ROOT])
    }

    /// The new step for an old one. Steps are made when their first node is.
    fn get(&mut self, from: &Function, builder: &mut Builder, old: StepId) -> StepId {
        while self.0.len() <= old.index() {
            let step = &from.steps()[self.0.len()];
            let parent = self.0[step.parent.index()];
            self.0.push(builder.substep_like(parent, step));
        }
        self.0[old.index()]
    }
}

/// Makes a function from another one, node by node.
#[derive(Debug)]
pub struct Rewriter<'f> {
    /// The function that is read.
    pub from: &'f Function,
    /// The function that is made.
    pub builder: Builder,
    /// The new node for each node that was read so far.
    new: Vec<Option<NodeId>>,
    steps: StepMap,
}

impl<'f> Rewriter<'f> {
    /// Begins a function with the inputs of `from`.
    pub fn new(from: &'f Function) -> Self {
        Self::with(from, Builder::new(&from.name))
    }

    /// Begins a function with the inputs of `from` in a builder that is still empty.
    pub fn with(from: &'f Function, mut builder: Builder) -> Self {
        let mut new = vec![None; from.len()];
        for input in from.inputs() {
            let node = builder.input(&input.name, input.role, from.width(input.node));
            new[input.node.index()] = Some(node);
        }
        Self { from, builder, new, steps: StepMap::new() }
    }

    /// The new node that a node became.
    ///
    /// # Panics
    /// If it was not read yet.
    pub fn get(&self, node: NodeId) -> NodeId {
        self.new[node.index()].expect("nodes are read in order")
    }

    /// The new nodes for a node's arguments.
    pub fn args(&self, node: NodeId) -> Vec<NodeId> {
        self.from.args(node).iter().map(|&arg| self.get(arg)).collect()
    }

    /// Sets the new node for a node.
    pub fn set(&mut self, node: NodeId, new: NodeId) {
        self.new[node.index()] = Some(new);
    }

    /// Goes over all nodes but inputs: `f` makes the new node of each from the new arguments, in
    /// the node's step. Then puts the outputs.
    pub fn run(mut self, mut f: impl FnMut(&mut Self, NodeId, &[NodeId]) -> NodeId) -> Function {
        for node in self.from.nodes() {
            self.rewrite(node, &mut f);
        }
        self.finish()
    }

    /// Makes the new node of one node, unless it is an input, as [`Rewriter::run`] does of all.
    pub fn rewrite(
        &mut self,
        node: NodeId,
        mut f: impl FnMut(&mut Self, NodeId, &[NodeId]) -> NodeId,
    ) {
        if matches!(self.from.op(node), Op::Input(_)) {
            return;
        }
        let args = self.args(node);
        let step = self.step(self.from.step(node));
        self.builder.reenter(step);
        let new = f(self, node, &args);
        self.builder.leave();
        self.set(node, new);
    }

    /// The new function, with the outputs of the old one.
    pub fn finish(mut self) -> Function {
        for output in self.from.outputs() {
            let value = self.get(output.value);
            self.builder.output(&output.name, value);
        }
        self.note_words();
        self.builder.finish()
    }

    /// The new node that does the same as `node` to `args`.
    pub fn copy(&mut self, node: NodeId, args: &[NodeId]) -> NodeId {
        let width = self.from.width(node);
        match self.from.op(node) {
            Op::Const(value) => self.builder.constant(value, width),
            op @ (Op::Call(_) | Op::Result(_) | Op::External) => self.builder.node(op, width, args),
            op => self.builder.op(op, args),
        }
    }

    /// The new step for an old one. Steps are made in order, at the latest by the end.
    pub fn step(&mut self, old: StepId) -> StepId {
        self.steps.get(self.from, &mut self.builder, old)
    }

    /// Sets the words that pass through each new step, as far as they still exist.
    fn note_words(&mut self) {
        // Steps that have no node left are kept too.
        self.step(StepId(self.from.steps().len() as u32 - 1));
        for (old, &new) in self.steps.0.iter().enumerate() {
            let words = self.from.steps()[old].over.iter();
            let words = words.filter_map(|word| self.new[word.index()]).collect();
            self.builder.set_over(new, words);
        }
    }
}
