//! Writes modules as text. Invalid modules are written too, so that they can be looked at.

use crate::ir::{Function, FunctionId, Module, NodeId, Op, StepId};
use std::fmt::{self, Display, Formatter};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, function) in self.functions().iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            let name = |id: FunctionId| self.functions.get(id.index()).map(|f| f.name.as_str());
            write_function(f, function, name)?;
        }
        Ok(())
    }
}

/// Called functions, whose names only a module knows, are written by number: `call @#0 v1`.
impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_function(f, self, |_| None)
    }
}

fn write_function<'m>(
    f: &mut Formatter<'_>,
    function: &Function,
    callee: impl Fn(FunctionId) -> Option<&'m str>,
) -> fmt::Result {
    writeln!(f, "function @{} {{", function.name)?;
    let paths = paths(function);
    let mut steps = 1;
    for node in function.nodes() {
        let step = function.step(node).index();
        while steps <= step.min(paths.len() - 1) {
            write_step(f, function, &paths, steps)?;
            steps += 1;
        }
        write!(f, "  {node}: u{} = ", function.width(node))?;
        write_operation(f, function, node, &callee)?;
        match paths.get(step) {
            Some(path) if path.is_empty() => writeln!(f)?,
            Some(path) => writeln!(f, "  @ {path}")?,
            None => writeln!(f, "  @ #{step}")?,
        }
    }
    for step in steps..paths.len() {
        write_step(f, function, &paths, step)?;
    }
    for output in function.outputs() {
        writeln!(f, "  output {} = {}", output.name, output.value)?;
    }
    writeln!(f, "}}")
}

/// The paths of all steps. A step whose parent is not an earlier step is written as if it lay
/// outside all steps.
fn paths(function: &Function) -> Vec<String> {
    let mut paths = vec![String::new()];
    for step in function.steps().iter().skip(1) {
        let own = format!("{}[{}]", step.name, step.index);
        let path = match paths.get(step.parent.index()) {
            Some(parent) if step.parent != StepId::ROOT => format!("{parent}/{own}"),
            _ => own,
        };
        paths.push(path);
    }
    paths
}

fn write_step(
    f: &mut Formatter<'_>,
    function: &Function,
    paths: &[String],
    step: usize,
) -> fmt::Result {
    let of = &function.steps()[step];
    write!(f, "  step {}: {}", paths[step], of.kind.name())?;
    let over = &of.over;
    if !over.is_empty() {
        write!(f, " over ")?;
        write_nodes(f, over)?;
    }
    writeln!(f)
}

fn write_operation<'m>(
    f: &mut Formatter<'_>,
    function: &Function,
    node: NodeId,
    callee: impl Fn(FunctionId) -> Option<&'m str>,
) -> fmt::Result {
    let (op, args) = (function.op(node), function.args(node));
    write!(f, "{}", op.name())?;
    match op {
        Op::Input(i) => match function.inputs().get(i as usize) {
            Some(input) => write!(f, " {} {}", input.name, input.role.name())?,
            None => write!(f, " #{i}")?,
        },
        Op::Const(value) => write!(f, " {value:#x}")?,
        Op::Call(id) => match callee(id) {
            Some(name) => write!(f, " @{name}")?,
            None => write!(f, " @#{}", id.0)?,
        },
        Op::Add
        | Op::Carry
        | Op::Sub
        | Op::And
        | Op::Or
        | Op::Xor
        | Op::Xnor
        | Op::Not
        | Op::Rotl(_)
        | Op::Rotr(_)
        | Op::Shl(_)
        | Op::Shr(_)
        | Op::RotlVar
        | Op::RotrVar
        | Op::Lut3(_)
        | Op::SubBytes
        | Op::Xtime
        | Op::SwapBytes
        | Op::Result(_)
        | Op::External => {}
    }
    if !args.is_empty() {
        write!(f, " ")?;
        write_nodes(f, args)?;
    }
    match (op, op.immediate()) {
        (Op::Result(i), _) => write!(f, ", {i}"),
        (Op::Lut3(_), Some(table)) => write!(f, ", {table:#04x}"),
        (_, Some(amount)) => write!(f, ", {amount}"),
        (_, None) => Ok(()),
    }
}

fn write_nodes(f: &mut Formatter<'_>, nodes: &[NodeId]) -> fmt::Result {
    for (i, node) in nodes.iter().enumerate() {
        write!(f, "{}{node}", if i > 0 { ", " } else { "" })?;
    }
    Ok(())
}
