//! What must hold of a module, and the check that it does.
//!
//! Of a module:
//! 1. It has a function.
//! 2. The names of functions are letters, digits, `_`, `.`, `-`, and no two are equal.
//!
//! Of inputs and outputs:
//!
//! 3. The i-th input's node is `input i`; there are no other nodes of this operation, and they are
//!    in the order of the inputs.
//! 4. The names of inputs are letters, digits, `_`, `.`, `-`, and no two are equal.
//! 5. The same holds of the names of outputs.
//! 6. The value of an output is a node of the function.
//!
//! Of nodes:
//!
//! 7. Arguments are earlier nodes: the order is topological.
//! 8. A width is 8, 16, 32 or 64; of inputs, constants, calls, results and external values it may
//!    be [`OPAQUE`].
//! 9. An operation has as many arguments as [`Op::arity`] says.
//! 10. Arguments have the width of the node, except those of calls, results and external values.
//! 11. Amounts of rotations and shifts are above 0 and below the width.
//! 12. A constant is below 2^width, if it is not opaque.
//! 13. A call is of an earlier function that has outputs. Its arguments have the widths of the
//!     function's inputs; it has the width of the first output.
//! 14. A result's argument is a call. Its number is above 0 (the call itself is the first result)
//!     and below the number of outputs; it has that output's width.
//! 15. A node's step is a step of the function.
//!
//! Of steps:
//!
//! 16. The first is the root, a frame without name and words. The parent of any other is an earlier
//!     step.
//! 17. Names are not empty, have no space at their ends, and no `/`, `[`, `]`, `@`, `;` or line
//!     end.
//! 18. No two steps of a parent have the same name and index.
//! 19. The words that pass through a step are nodes of the function.
//! 20. A frame around a block or an output lies in frames alone; a round lies in no other round.
//! 21. Steps of a parent that have the same name are of the same kind.

use crate::ir::{
    Arity, Function, FunctionId, Input, Kind, Module, NodeId, OPAQUE, Op, Step, StepId,
};
use std::collections::{HashMap, HashSet};

/// An invariant that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem} (invariant {invariant} of manylane_graph::verify)")]
pub struct Violation {
    /// Its number in the list.
    pub invariant: u8,
    /// Where: a function, or an input, node, step or output of it.
    pub place: String,
    /// What was found, and what the invariant asks for.
    pub problem: String,
}

/// Checks every invariant.
///
/// # Errors
/// The first one that does not hold.
pub fn verify(module: &Module) -> Result<(), Violation> {
    let functions = module.functions();
    if functions.is_empty() {
        let problem = "there is no function; a module has one or more".to_owned();
        return Err(Violation { invariant: 1, place: "module".to_owned(), problem });
    }
    let mut names = HashSet::new();
    for (id, function) in functions.iter().enumerate() {
        let place = format!("function {}", function.name);
        named(2, &place, &function.name, &mut names)?;
        Check { earlier: &functions[..id], function, inputs: 0 }.all()?;
    }
    Ok(())
}

fn violated<T>(invariant: u8, place: &str, problem: impl Into<String>) -> Result<T, Violation> {
    Err(Violation { invariant, place: place.to_owned(), problem: problem.into() })
}

/// Checks a name made of words, and that it is new.
fn named<'n>(
    invariant: u8,
    place: &str,
    name: &'n str,
    names: &mut HashSet<&'n str>,
) -> Result<(), Violation> {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    if name.is_empty() || !name.chars().all(legal) {
        let problem = format!("the name {name:?} is not made of letters, digits, `_`, `.`, `-`");
        violated(invariant, place, problem)
    } else if names.insert(name) {
        Ok(())
    } else {
        violated(invariant, place, format!("the name {name} is taken"))
    }
}

/// The check of one function.
struct Check<'m> {
    earlier: &'m [Function],
    function: &'m Function,
    /// Inputs met.
    inputs: usize,
}

impl<'m> Check<'m> {
    fn all(mut self) -> Result<(), Violation> {
        self.steps()?;
        for node in self.function.nodes() {
            let place = self.place(node);
            self.node(node, &place)?;
        }
        if let Some(Input { name, .. }) = self.function.inputs.get(self.inputs) {
            let place = format!("{}, input {name}", self.function.name);
            return violated(3, &place, "it has no node");
        }
        let mut names = HashSet::new();
        for input in &self.function.inputs {
            named(4, &self.place(input.node), &input.name, &mut names)?;
        }
        names.clear();
        for output in &self.function.outputs {
            let place = format!("{}, output {}", self.function.name, output.name);
            named(5, &place, &output.name, &mut names)?;
            if !self.exists(output.value) {
                return violated(6, &place, format!("there is no node {}", output.value));
            }
        }
        Ok(())
    }

    fn place(&self, node: NodeId) -> String {
        format!("{}, {node}", self.function.name)
    }

    fn exists(&self, node: NodeId) -> bool {
        node.index() < self.function.len()
    }

    fn node(&mut self, node: NodeId, place: &str) -> Result<(), Violation> {
        let function = self.function;
        let (op, width, args) = (function.op(node), function.width(node), function.args(node));
        if let Some(arg) = args.iter().find(|&&arg| arg >= node) {
            return violated(7, place, format!("its argument {arg} is not an earlier node"));
        }
        let opaque = width == OPAQUE && !op.is_on_words();
        if !opaque && !matches!(width, 8 | 16 | 32 | 64) {
            return violated(8, place, format!("a width of {width} is not 8, 16, 32 or 64"));
        }
        self.arity(op, args.len(), place)?;
        if !matches!(op, Op::Call(_) | Op::Result(_) | Op::External) {
            for &arg in args {
                self.width_of(10, place, arg, width)?;
            }
        }
        self.operation(node, place)?;
        if function.step(node).index() >= function.steps.len() {
            return violated(15, place, format!("there is no step {}", function.step(node).0));
        }
        Ok(())
    }

    fn arity(&self, op: Op, args: usize, place: &str) -> Result<(), Violation> {
        let (legal, takes) = match op.arity() {
            Arity::Exactly(n) => (args == n, n.to_string()),
            Arity::Between(from, to) => ((from..=to).contains(&args), format!("{from} to {to}")),
            Arity::AtLeast(n) => (args >= n, format!("{n} or more")),
            Arity::OfCallee(callee) => {
                let inputs = self.callee(callee, place)?.inputs.len();
                (args == inputs, inputs.to_string())
            }
        };
        if legal {
            Ok(())
        } else {
            violated(9, place, format!("{} takes {takes} arguments, here {args}", op.name()))
        }
    }

    /// Checks that `arg` has `width` bits.
    fn width_of(
        &self,
        invariant: u8,
        place: &str,
        arg: NodeId,
        width: u8,
    ) -> Result<(), Violation> {
        match self.function.width(arg) {
            found if found == width => Ok(()),
            found => {
                let problem = format!("its argument {arg} has {found} bits, not {width}");
                violated(invariant, place, problem)
            }
        }
    }

    /// Checks the invariants of a node's operation.
    fn operation(&mut self, node: NodeId, place: &str) -> Result<(), Violation> {
        let (op, width) = (self.function.op(node), self.function.width(node));
        match op {
            Op::Input(i) => {
                let input = self.function.inputs.get(self.inputs);
                if i as usize != self.inputs || input.is_none_or(|input| input.node != node) {
                    let problem = format!("the next input is number {}, not {i}", self.inputs);
                    return violated(3, place, problem);
                }
                self.inputs += 1;
                Ok(())
            }
            Op::Const(value) if width != OPAQUE && width < 64 && value >> width > 0 => {
                violated(12, place, format!("{value:#x} has more than {width} bits"))
            }
            Op::Rotl(n) | Op::Rotr(n) | Op::Shl(n) | Op::Shr(n) if n == 0 || n >= width => {
                violated(11, place, format!("the amount {n} is not from 1 to {}", width - 1))
            }
            Op::Call(callee) => self.call(node, self.callee(callee, place)?, place),
            Op::Result(i) => self.result(node, i, place),
            Op::Const(_)
            | Op::Rotl(_)
            | Op::Rotr(_)
            | Op::Shl(_)
            | Op::Shr(_)
            | Op::Add
            | Op::Carry
            | Op::Sub
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::Xnor
            | Op::Not
            | Op::RotlVar
            | Op::RotrVar
            | Op::Lut3(_)
            | Op::SubBytes
            | Op::Xtime
            | Op::SwapBytes
            | Op::External => Ok(()),
        }
    }

    fn callee(&self, callee: FunctionId, place: &str) -> Result<&'m Function, Violation> {
        match self.earlier.get(callee.index()) {
            Some(function) => Ok(function),
            None => violated(13, place, format!("function {} is not an earlier one", callee.0)),
        }
    }

    fn call(&self, node: NodeId, callee: &Function, place: &str) -> Result<(), Violation> {
        for (&arg, input) in self.function.args(node).iter().zip(&callee.inputs) {
            self.width_of(13, place, arg, callee.width(input.node))?;
        }
        match callee.outputs.first() {
            None => violated(13, place, format!("{} has no outputs", callee.name)),
            Some(output) => {
                let found = self.function.width(node);
                let width = callee.width(output.value);
                if found == width {
                    return Ok(());
                }
                violated(13, place, format!("{} has {width} bits, not {found}", output.name))
            }
        }
    }

    fn result(&self, node: NodeId, number: u32, place: &str) -> Result<(), Violation> {
        let call = self.function.args(node)[0];
        let Op::Call(callee) = self.function.op(call) else {
            return violated(14, place, format!("its argument {call} is no call"));
        };
        // The call was checked: it is an earlier node.
        let callee = &self.earlier[callee.index()];
        match callee.outputs.get(number as usize) {
            Some(output) if number > 0 => {
                let (found, width) = (self.function.width(node), callee.width(output.value));
                if found == width {
                    return Ok(());
                }
                violated(14, place, format!("{} has {width} bits, not {found}", output.name))
            }
            _ => {
                let last = callee.outputs.len() - 1;
                violated(14, place, format!("the number {number} is not from 1 to {last}"))
            }
        }
    }

    fn steps(&self) -> Result<(), Violation> {
        let function = self.function;
        let place = |step: &Step| format!("{}, step {}[{}]", function.name, step.name, step.index);
        match function.steps.split_first() {
            None => return violated(16, &function.name, "there is no step, not even the root"),
            Some((Step { parent, kind, name, over, .. }, _)) => {
                let bare = name.is_empty() && over.is_empty() && kind.is_frame();
                if *parent != StepId::ROOT || !bare {
                    return violated(16, &function.name, "the first step is not the root");
                }
            }
        }
        let (mut paths, mut kinds) = (HashSet::new(), HashMap::new());
        for (id, step) in function.steps.iter().enumerate().skip(1) {
            let problem = if step.parent.index() >= id {
                (16, "its parent is not an earlier step".to_owned())
            } else if !is_step_name(&step.name) {
                (17, "the name is empty, ends in a space, or has one of `/[]@;`".to_owned())
            } else if !paths.insert((step.parent, &step.name, step.index)) {
                (18, "its parent has another step of this name and index".to_owned())
            } else if let Some(word) = step.over.iter().find(|&&word| !self.exists(word)) {
                (19, format!("there is no node {word} to pass through it"))
            } else if step.kind.is_frame() && !function.is_frame(step.parent) {
                let around = function.steps[step.parent.index()].kind.name();
                (
                    20,
                    format!("a frame of kind {} lies in a step of kind {around}", step.kind.name()),
                )
            } else if step.kind == Kind::Round && in_round(function, step.parent) {
                (20, "a round lies in another round".to_owned())
            } else if *kinds.entry((step.parent, &step.name)).or_insert(step.kind) != step.kind {
                let problem = "a step of this name and parent is of another kind than";
                (21, format!("{problem} {}", step.kind.name()))
            } else {
                continue;
            };
            return violated(problem.0, &place(step), problem.1);
        }
        Ok(())
    }
}

/// Whether a step is a round or lies in one.
fn in_round(function: &Function, step: StepId) -> bool {
    function.path(step).iter().any(|id| function.steps[id.index()].kind == Kind::Round)
}

fn is_step_name(name: &str) -> bool {
    !name.is_empty() && name.trim() == name && !name.contains(['/', '[', ']', '@', ';', '\n', '\r'])
}

#[cfg(test)]
mod tests;
