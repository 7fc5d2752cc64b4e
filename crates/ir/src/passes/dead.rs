//! The pass `dead`, which removes nodes that no output needs. Many passes end with it, because they
//! leave such nodes behind.

use super::Rewriter;
use crate::ir::Function;

/// The function without the nodes that no output needs. Inputs stay: they are its signature.
pub fn dead(function: &Function) -> Function {
    let mut needed = vec![false; function.len()];
    for output in function.outputs() {
        needed[output.value.index()] = true;
    }
    for node in function.nodes().rev() {
        if needed[node.index()] {
            for arg in function.args(node) {
                needed[arg.index()] = true;
            }
        }
    }
    let mut r = Rewriter::new(function);
    for node in function.nodes().filter(|node| needed[node.index()]) {
        r.rewrite(node, Rewriter::copy);
    }
    r.finish()
}
