//! The pass `flatten`, which merges nested sums into sums of many arguments, so that a later pass
//! can choose the order of the terms.

use super::{Rewriter, dead, vanishing};
use crate::ir::{Function, NodeId};

/// Sums, exclusive ors, conjunctions and disjunctions of many arguments in place of nested ones.
///
/// An inner sum is merged only if the outer one is its only user, because otherwise it would be
/// computed twice. Constants of a sum become one.
pub fn flatten(function: &Function) -> Function {
    let function = dead(function);
    let vanishing = vanishing(&function);
    // For each node, the terms that it is the sum of, as new nodes.
    let mut terms: Vec<Vec<NodeId>> = vec![Vec::new(); function.len()];
    let flat = Rewriter::new(&function).run(|r, node, args| {
        let op = r.from.op(node);
        if !op.is_associative() {
            return r.copy(node, args);
        }
        let mut all = Vec::new();
        for (old, &new) in r.from.args(node).iter().zip(args) {
            if vanishing[old.index()] && r.from.op(*old) == op {
                all.append(&mut terms[old.index()]);
            } else {
                all.push(new);
            }
        }
        terms[node.index()].clone_from(&all);
        r.builder.op(op, &all)
    });
    dead(&flat)
}
