//! A body without loops: every node of the graph is a `const` of its own, in order of computation.

use super::expr::{constant, expr, integer};
use super::{Body, Error};
use manylane_graph::{Function, NodeId, Op, StepId};
use std::fmt::Write;

/// How a C function gets a graph's inputs and gives its outputs.
pub(super) struct Signature<'s> {
    /// The prefix of the names of helpers.
    pub prefix: &'s str,
    /// The function's name.
    pub name: &'s str,
    /// Its parameters, in C.
    pub parameters: &'s str,
    /// Names of parameters that a body may leave unused.
    pub optional: &'s [&'s str],
    /// A description of the computation, for a comment.
    pub about: &'s str,
    /// Gives the expression from which an input of this name is read.
    pub input: &'s dyn Fn(&str) -> String,
    /// Gives the place to which an output of this name is written.
    pub output: &'s dyn Fn(&str) -> String,
}

impl Signature<'_> {
    /// The statements that use parameters which the function does not need.
    pub(super) fn unused(&self, lines: &str) -> String {
        let unused = self.optional.iter().filter(|name| !lines.contains(*name));
        unused.map(|name| format!("    (void){name};\n")).collect()
    }
}

/// For each node, whether one of `roots` is the node or is computed from it.
pub(super) fn needed(function: &Function, roots: impl Iterator<Item = NodeId>) -> Vec<bool> {
    let mut needed = vec![false; function.len()];
    for root in roots {
        needed[root.index()] = true;
    }
    // Arguments come before their node.
    for node in function.nodes().rev() {
        if needed[node.index()] {
            function.args(node).iter().for_each(|arg| needed[arg.index()] = true);
        }
    }
    needed
}

/// The nodes that an output needs.
pub(super) fn live(function: &Function) -> Vec<bool> {
    needed(function, function.outputs().iter().map(|output| output.value))
}

/// The lines of a body in the making.
pub(super) struct Writer<'f> {
    function: &'f Function,
    signature: &'f Signature<'f>,
    /// The outermost step of the last line.
    step: StepId,
    /// The text so far.
    pub lines: String,
}

impl<'f> Writer<'f> {
    pub(super) fn new(function: &'f Function, signature: &'f Signature<'f>) -> Self {
        Self { function, signature, step: StepId::ROOT, lines: String::new() }
    }

    /// The expression for a node's value where it is used.
    pub(super) fn value(&self, node: NodeId) -> String {
        match self.function.op(node) {
            Op::Const(value) => constant(value, self.function.width(node)),
            _ => node.to_string(),
        }
    }

    /// Declares a node's value, computed from those of its arguments.
    pub(super) fn define(&mut self, node: NodeId) -> Result<(), Error> {
        let args: Vec<String> =
            self.function.args(node).iter().map(|&arg| self.value(arg)).collect();
        let value = expr(self.function, node, self.signature.prefix, &args, self.signature.input)?;
        self.declare(node, &value);
        Ok(())
    }

    /// Declares a node's value as that of an expression.
    pub(super) fn declare(&mut self, node: NodeId, value: &str) {
        let step = self.function.ancestor(self.function.step(node), 1);
        if step != self.step && step != StepId::ROOT {
            let _ = writeln!(self.lines, "    /* {} */", self.function.path_name(step));
        }
        self.step = step;
        let integer = integer(self.function.width(node));
        let _ = writeln!(self.lines, "    const {integer} {node} = {value};");
    }

    /// Writes every output to its place.
    pub(super) fn outputs(&mut self) {
        for output in self.function.outputs() {
            let (place, value) = ((self.signature.output)(&output.name), self.value(output.value));
            let _ = writeln!(self.lines, "    {place} = {value};");
        }
    }
}

/// The whole function in one straight line.
///
/// # Errors
/// As [`expr`].
pub(super) fn straight(function: &Function, signature: &Signature<'_>) -> Result<Body, Error> {
    let live = live(function);
    let mut writer = Writer::new(function, signature);
    for node in function.nodes().filter(|node| live[node.index()]) {
        if !matches!(function.op(node), Op::Const(_)) {
            writer.define(node)?;
        }
    }
    writer.outputs();
    let Signature { name, parameters, about, .. } = signature;
    let (unused, lines) = (signature.unused(&writer.lines), writer.lines);
    let text = format!(
        "/* {about} */\nstatic void MANYLANE_CODE({name})({parameters})\n{{\n{unused}{lines}}}\n"
    );
    Ok(Body { text, shared: None })
}
