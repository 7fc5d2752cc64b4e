//! The pass `nest`, which nests rotations of one word that are summed, for machines whose rotation
//! overwrites its operand.

use super::{Rewriter, dead, vanishing};
use crate::ir::{Function, NodeId, Op};

/// The function in which rotations of one word that are summed mod 2 are nested: with a < b < c,
///
/// ```text
/// (x >>> a) ^ (x >>> b) ^ (x >>> c)  =  ((((x >>> c-b) ^ x) >>> b-a) ^ x) >>> a
/// ```
///
/// There are as many operations as before, and one intermediate word instead of three: a machine
/// whose rotation replaces its operand copies the word once. Sums with fewer than two such
/// rotations, and rotations that are used elsewhere too, stay as they are.
pub fn nest(function: &Function) -> Function {
    let vanishing = vanishing(function);
    let sums = function.nodes().map(|node| Sum::of(function, &vanishing, node));
    let sums: Vec<Option<Sum>> = sums.collect();
    if sums.iter().all(Option::is_none) {
        return function.clone();
    }
    let nested = Rewriter::new(function).run(|r, node, args| match &sums[node.index()] {
        None => r.copy(node, args),
        Some(sum) => sum.rewrite(r),
    });
    dead(&nested)
}

/// A sum mod 2 with rotations of one word.
struct Sum {
    /// The word that is rotated.
    word: NodeId,
    /// The amounts of its rotations to the right, ascending, two or more.
    amounts: Vec<u8>,
    /// The other terms.
    others: Vec<NodeId>,
}

impl Sum {
    fn of(function: &Function, vanishing: &[bool], node: NodeId) -> Option<Self> {
        if function.op(node) != Op::Xor {
            return None;
        }
        let mut terms = Vec::new();
        collect(function, vanishing, node, &mut terms);
        let rotated = |term: NodeId| {
            let by = match function.op(term) {
                Op::Rotr(n) => n,
                Op::Rotl(n) => function.width(term) - n,
                _ => return None,
            };
            vanishing[term.index()].then(|| (function.args(term)[0], by))
        };
        let words = terms.iter().filter_map(|&term| rotated(term)).map(|(word, _)| word);
        let words: Vec<NodeId> = words.collect();
        let word = *words.iter().find(|word| words.iter().filter(|w| w == word).count() > 1)?;
        let (mut amounts, mut others) = (Vec::new(), Vec::new());
        for term in terms {
            match rotated(term) {
                Some((of, by)) if of == word => amounts.push(by),
                Some(_) | None => others.push(term),
            }
        }
        amounts.sort_unstable();
        // Equal rotations cancel out; that is left to another pass.
        amounts.windows(2).all(|pair| pair[0] < pair[1]).then_some(Self { word, amounts, others })
    }

    fn rewrite(&self, r: &mut Rewriter<'_>) -> NodeId {
        let word = r.get(self.word);
        let mut sum = word;
        for i in (0..self.amounts.len()).rev() {
            let by = self.amounts[i] - if i > 0 { self.amounts[i - 1] } else { 0 };
            sum = r.builder.op(Op::Rotr(by), &[sum]);
            if i > 0 {
                sum = r.builder.op(Op::Xor, &[sum, word]);
            }
        }
        for &other in &self.others {
            let other = r.get(other);
            sum = r.builder.op(Op::Xor, &[sum, other]);
        }
        sum
    }
}

/// The terms of a sum mod 2, through sums that are used nowhere else.
fn collect(function: &Function, vanishing: &[bool], node: NodeId, terms: &mut Vec<NodeId>) {
    for &arg in function.args(node) {
        match function.op(arg) {
            Op::Xor if vanishing[arg.index()] => collect(function, vanishing, arg, terms),
            _ => terms.push(arg),
        }
    }
}
