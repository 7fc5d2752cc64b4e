//! The pass `inline`, which replaces calls by the operations of the called functions: plans are
//! made for a function that calls no other.

use super::Rewriter;
use crate::ir::{Function, Module, NodeId, Op};

/// The module's last function with every call replaced by what it computes. The steps of a called
/// function lie in the step of the call.
pub fn inline(module: &Module) -> Function {
    inline_calls(module, module.main())
}

fn inline_calls(module: &Module, function: &Function) -> Function {
    let mut results: Vec<Vec<NodeId>> = vec![Vec::new(); function.len()];
    Rewriter::new(function).run(|r, node, args| match r.from.op(node) {
        Op::Call(callee) => {
            let callee = inline_calls(module, module.function(callee));
            results[node.index()] = splice(r, &callee, args);
            results[node.index()][0]
        }
        Op::Result(i) => results[r.from.args(node)[0].index()][i as usize],
        _ => r.copy(node, args),
    })
}

/// Copies `callee`, which calls nothing, into the open step; returns its results.
fn splice(r: &mut Rewriter<'_>, callee: &Function, args: &[NodeId]) -> Vec<NodeId> {
    let around = r.builder.open_step();
    let mut steps = vec![around];
    let mut values: Vec<NodeId> = Vec::with_capacity(callee.len());
    for step in &callee.steps()[1..] {
        let parent = steps[step.parent.index()];
        steps.push(r.builder.substep_like(parent, step));
    }
    for node in callee.nodes() {
        let of_node: Vec<NodeId> =
            callee.args(node).iter().map(|arg| values[arg.index()]).collect();
        let value = match callee.op(node) {
            Op::Input(i) => args[i as usize],
            Op::Const(value) => r.builder.constant(value, callee.width(node)),
            op => {
                let step = steps[callee.step(node).index()];
                r.builder.within(step, |b| b.op(op, &of_node))
            }
        };
        values.push(value);
    }
    for (step, &new) in callee.steps().iter().zip(&steps).skip(1) {
        let over = step.over.iter().map(|word| values[word.index()]).collect();
        r.builder.set_over(new, over);
    }
    callee.outputs().iter().map(|output| values[output.value.index()]).collect()
}
