//! Passes: a function in, a function of the same meaning out.
//!
//! A pass goes over the nodes in order and says what becomes of each ([`Rewriter`]). Steps and
//! their paths are kept, so that a plan made on the result still speaks of the primitive's steps.

mod inline;

pub use inline::inline;

use crate::builder::Builder;
use crate::ir::{Function, NodeId, Op, StepId};

/// Makes a function from another one, node by node.
#[derive(Debug)]
pub struct Rewriter<'f> {
    /// The function that is read.
    pub from: &'f Function,
    /// The function that is made.
    pub builder: Builder,
    /// What became of the nodes read so far.
    new: Vec<Option<NodeId>>,
    /// What became of the steps.
    steps: Vec<StepId>,
}

impl<'f> Rewriter<'f> {
    /// With the inputs of `from` as they are.
    pub fn new(from: &'f Function) -> Self {
        let mut builder = Builder::new(&from.name);
        let mut new = vec![None; from.len()];
        for input in from.inputs() {
            let node = builder.input(&input.name, input.role, from.width(input.node));
            new[input.node.index()] = Some(node);
        }
        Self { from, builder, new, steps: vec![StepId::ROOT] }
    }

    /// What became of a node that was read.
    ///
    /// # Panics
    /// If it was not read yet.
    pub fn get(&self, node: NodeId) -> NodeId {
        self.new[node.index()].expect("nodes are read in order")
    }

    /// What became of a node's arguments.
    pub fn args(&self, node: NodeId) -> Vec<NodeId> {
        self.from.args(node).iter().map(|&arg| self.get(arg)).collect()
    }

    /// Says what became of a node.
    pub fn set(&mut self, node: NodeId, new: NodeId) {
        self.new[node.index()] = Some(new);
    }

    /// Goes over all nodes but inputs: `f` makes the new node of each from the new arguments, in
    /// the node's step. Then puts the outputs.
    pub fn run(mut self, mut f: impl FnMut(&mut Self, NodeId, &[NodeId]) -> NodeId) -> Function {
        for node in self.from.nodes() {
            if matches!(self.from.op(node), Op::Input(_)) {
                continue;
            }
            let args = self.args(node);
            let step = self.step(self.from.step(node));
            self.builder.reenter(step);
            let new = f(&mut self, node, &args);
            self.builder.leave();
            self.set(node, new);
        }
        self.finish()
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
        match self.from.op(node) {
            Op::Const(value) => self.builder.constant(value, self.from.width(node)),
            op => self.builder.op(op, args),
        }
    }

    /// The new step for an old one. Steps are made when their first node is.
    pub fn step(&mut self, old: StepId) -> StepId {
        while self.steps.len() <= old.index() {
            let step = &self.from.steps()[self.steps.len()];
            let parent = self.steps[step.parent.index()];
            let new = self.builder.substep(parent, &step.name, step.index, &[]);
            self.steps.push(new);
        }
        self.steps[old.index()]
    }

    /// Carries over which words pass through each step.
    fn note_words(&mut self) {
        for (old, &new) in self.steps.clone().iter().enumerate() {
            let words = self.from.steps()[old].over.iter();
            let words: Option<Vec<_>> = words.map(|word| self.new[word.index()]).collect();
            self.builder.set_over(new, words.unwrap_or_default());
        }
    }
}
