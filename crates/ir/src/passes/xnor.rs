//! The pass `xnor`, which replaces exclusive or by its complement and computes few other
//! complements: XGATE has XNOR and no XOR.

use super::{Rewriter, dead};
use crate::ir::{Function, NodeId, Op};

/// The function without exclusive or, for machines that have only its complement (XGATE).
///
/// A complement is not computed where it arises. It is carried along as a note, and the plain word
/// is made only where a sum, a shift or an output needs it:
/// - x ⊕ y is the complement of xnor x, y, hence x ⊕ y ⊕ z is xnor (xnor x, y), z;
/// - rotations, byte swaps and look-up tables hand the note on;
/// - a constant is complemented for free;
/// - by De Morgan's law ¬x ∧ ¬y is the complement of x ∨ y.
pub fn xnor(function: &Function) -> Function {
    let function = dead(function);
    // For each node of the old function, whether the new one is its complement.
    let mut complemented = vec![false; function.len()];
    let mut r = Rewriter::new(&function);
    for node in function.nodes() {
        r.rewrite(node, |r, node, args| {
            let old_args = r.from.args(node).iter();
            let words: Vec<_> =
                old_args.zip(args).map(|(old, &new)| (new, complemented[old.index()])).collect();
            let (new, complement) = with_note(r, node, &words);
            complemented[node.index()] = complement;
            new
        });
    }
    for output in function.outputs() {
        if std::mem::take(&mut complemented[output.value.index()]) {
            let step = r.step(function.step(output.value));
            let word = (r.get(output.value), true);
            r.builder.reenter(step);
            let new = plain(&mut r, word);
            r.builder.leave();
            r.set(output.value, new);
        }
    }
    dead(&r.finish())
}

/// A new node, and whether it is the complement of the word that is meant.
type Noted = (NodeId, bool);

fn plain(r: &mut Rewriter<'_>, (node, complement): Noted) -> NodeId {
    if complement { r.builder.op(Op::Not, &[node]) } else { node }
}

/// The new node for an old one, whose arguments `words` may be complements.
fn with_note(r: &mut Rewriter<'_>, node: NodeId, words: &[Noted]) -> Noted {
    let bare: Vec<NodeId> = words.iter().map(|word| word.0).collect();
    match r.from.op(node) {
        Op::Not => (bare[0], !words[0].1),
        Op::Xor => parity(r, words, false),
        Op::Xnor => parity(r, words, true),
        Op::And => junction(r, [Op::And, Op::Or], words),
        Op::Or => junction(r, [Op::Or, Op::And], words),
        op @ (Op::Rotl(_) | Op::Rotr(_) | Op::SwapBytes) => (r.builder.op(op, &bare), words[0].1),
        op @ (Op::RotlVar | Op::RotrVar) => {
            let by = plain(r, words[1]);
            (r.builder.op(op, &[bare[0], by]), words[0].1)
        }
        Op::Lut3(table) => {
            // Complementing an argument exchanges the halves of the table that it chooses from.
            let index = words.iter().fold(0, |index, word| 2 * index + u8::from(word.1));
            let table = (0..8).fold(0, |new, i| new | (table >> (i ^ index) & 1) << i);
            (r.builder.op(Op::Lut3(table), &bare), false)
        }
        Op::Input(_)
        | Op::Const(_)
        | Op::Add
        | Op::Carry
        | Op::Sub
        | Op::Shl(_)
        | Op::Shr(_)
        | Op::SubBytes
        | Op::Xtime
        | Op::Call(_)
        | Op::Result(_)
        | Op::External => {
            let args: Vec<NodeId> = words.iter().map(|&word| plain(r, word)).collect();
            (r.copy(node, &args), false)
        }
    }
}

/// The exclusive or of words, or its complement. A constant absorbs the complement.
fn parity(r: &mut Rewriter<'_>, words: &[Noted], complement: bool) -> Noted {
    let (constants, words): (Vec<Noted>, Vec<Noted>) =
        words.iter().partition(|word| r.builder.constant_value(word.0).is_some());
    let complement = words.iter().fold(complement, |all, word| all ^ word.1);
    let mut nodes = words.iter().map(|word| word.0);
    let Some(first) = nodes.next() else {
        let args: Vec<NodeId> = constants.iter().map(|word| word.0).collect();
        return (r.builder.op(Op::Xor, &args), complement);
    };
    let mut sum = (first, complement);
    for node in nodes {
        sum = (r.builder.op(Op::Xnor, &[sum.0, node]), !sum.1);
    }
    for (constant, _) in constants {
        let constant = plain(r, (constant, !sum.1));
        sum = (r.builder.op(Op::Xnor, &[sum.0, constant]), false);
    }
    sum
}

/// A conjunction or a disjunction: `op` is the operation itself, `dual` the other one.
fn junction(r: &mut Rewriter<'_>, [op, dual]: [Op; 2], words: &[Noted]) -> Noted {
    let constant = |r: &Rewriter<'_>, word: &Noted| r.builder.constant_value(word.0).is_some();
    let complement = words.iter().all(|word| word.1 || constant(r, word));
    let op = if complement { dual } else { op };
    let args: Vec<NodeId> =
        words.iter().map(|&(node, noted)| plain(r, (node, noted != complement))).collect();
    (r.builder.op(op, &args), complement)
}
