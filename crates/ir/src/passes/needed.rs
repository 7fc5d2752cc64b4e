//! The pass `needed`, which drops terms of which no bit is needed, and the analysis of needed bits
//! that other passes share.

use super::{Rewriter, dead};
use crate::interpret::mask;
use crate::ir::{Function, NodeId, Op};

/// The function without terms of which no bit is needed.
///
/// ```text
/// z ^ (c & (y ^ z))           ──► (c & y) | (!c & z), c a constant
/// c & ((x >> 4) | (y << 28))  ──► c & (x >> 4), if c < 2^28
/// ```
///
/// A term of a disjunction or an exclusive or is dropped if no bit that may be set in it is needed.
/// After this pass, an exchange of bits within a limb that [`legalize`](super::legalize()) made
/// takes nothing from the neighbouring limb.
pub fn needed(function: &Function) -> Function {
    let function = &dead(&selections(function));
    let (possible, demanded) = (possible(function), demanded(function));
    let left = Rewriter::new(function).run(|r, node, args| {
        let op = function.op(node);
        if !matches!(op, Op::Or | Op::Xor) {
            return r.copy(node, args);
        }
        let old = function.args(node).iter();
        let asked = |old: &NodeId| possible[old.index()] & demanded[node.index()] != 0;
        let left: Vec<NodeId> =
            old.zip(args).filter(|(old, _)| asked(old)).map(|(_, &new)| new).collect();
        match left[..] {
            [] => r.builder.constant(0, function.width(node)),
            [one] => one,
            _ => r.builder.op(op, &left),
        }
    });
    dead(&left)
}

/// Turns choices between two words by a constant into disjunctions of masked words.
fn selections(function: &Function) -> Function {
    let constant = |node: NodeId| match function.op(node) {
        Op::Const(value) => Some(value),
        _ => None,
    };
    let pairs = |node: NodeId, op: Op| {
        let of = match function.args(node) {
            &[x, y] if function.op(node) == op => vec![(x, y), (y, x)],
            _ => Vec::new(),
        };
        of.into_iter()
    };
    // The constant c and the words y and z of z ^ (c & (y ^ z)).
    let selection = |node: NodeId| {
        pairs(node, Op::Xor).find_map(|(z, masked)| {
            pairs(masked, Op::And).find_map(|(c, differ)| {
                let c = constant(c)?;
                pairs(differ, Op::Xor).find_map(|(y, other)| (other == z).then_some((c, y, z)))
            })
        })
    };
    Rewriter::new(function).run(|r, node, args| {
        let Some((c, y, z)) = selection(node) else { return r.copy(node, args) };
        let width = function.width(node);
        let part = |r: &mut Rewriter<'_>, c: u64, word: NodeId| {
            let c = r.builder.constant(c, width);
            let word = r.get(word);
            r.builder.op(Op::And, &[c, word])
        };
        let (of_y, of_z) = (part(r, c, y), part(r, !c, z));
        r.builder.op(Op::Or, &[of_y, of_z])
    })
}

/// Returns, for each node, the bits that may be set.
fn possible(function: &Function) -> Vec<u64> {
    let mut possible: Vec<u64> = Vec::with_capacity(function.len());
    for node in function.nodes() {
        let width = function.width(node);
        let all = mask(width);
        let args = || function.args(node).iter().map(|arg| possible[arg.index()]);
        let first = || args().next().unwrap_or(all);
        let bits = match function.op(node) {
            Op::Const(value) => value,
            Op::And => args().fold(all, |bits, arg| bits & arg),
            Op::Or | Op::Xor => args().fold(0, |bits, arg| bits | arg),
            Op::Carry => 1,
            Op::Rotl(n) => rotated(first(), n, width),
            Op::Rotr(n) => rotated(first(), width - n, width),
            Op::Shl(n) => first() << n,
            Op::Shr(n) => first() >> n,
            Op::SwapBytes => swapped(first(), width),
            Op::Input(_)
            | Op::Add
            | Op::Sub
            | Op::Xnor
            | Op::Not
            | Op::RotlVar
            | Op::RotrVar
            | Op::Lut3(_)
            | Op::SubBytes
            | Op::Xtime
            | Op::Call(_)
            | Op::Result(_)
            | Op::External => all,
        };
        possible.push(bits & all);
    }
    possible
}

/// Returns, for each node, the bits that an output depends on.
pub(super) fn demanded(function: &Function) -> Vec<u64> {
    let mut demanded = vec![0; function.len()];
    for output in function.outputs() {
        demanded[output.value.index()] = mask(function.width(output.value));
    }
    let possible = possible(function);
    for node in function.nodes().rev() {
        let (bits, width) = (demanded[node.index()], function.width(node));
        if bits == 0 && function.op(node).is_on_words() {
            continue;
        }
        let args = function.args(node);
        for (i, arg) in args.iter().enumerate() {
            let others = || args.iter().enumerate().filter(|&(j, _)| j != i).map(|(_, arg)| arg);
            let of_arg = match function.op(node) {
                // A bit of the word does not matter where another argument of `and` is 0, or
                // another one of `or` is 1.
                Op::And => others().fold(bits, |bits, other| bits & possible[other.index()]),
                Op::Or => others().fold(bits, |bits, &other| match function.op(other) {
                    Op::Const(value) => bits & !value,
                    _ => bits,
                }),
                Op::Xor | Op::Xnor | Op::Not | Op::Lut3(_) => bits,
                Op::Rotl(n) => rotated(bits, width - n, width),
                Op::Rotr(n) => rotated(bits, n, width),
                Op::Shl(n) => bits >> n,
                Op::Shr(n) => bits << n,
                Op::SwapBytes => swapped(bits, width),
                // Carries only go upwards.
                Op::Add | Op::Sub => u64::MAX.checked_shr(bits.leading_zeros()).unwrap_or(0),
                Op::Carry
                | Op::RotlVar
                | Op::RotrVar
                | Op::SubBytes
                | Op::Xtime
                | Op::Input(_)
                | Op::Const(_)
                | Op::Call(_)
                | Op::Result(_)
                | Op::External => u64::MAX,
            };
            demanded[arg.index()] |= of_arg & mask(function.width(*arg));
        }
    }
    demanded
}

/// `bits` of `width` rotated left by 0 ≤ n ≤ `width`.
fn rotated(bits: u64, n: u8, width: u8) -> u64 {
    let n = n % width;
    if n == 0 { bits } else { (bits << n | bits >> (width - n)) & mask(width) }
}

fn swapped(bits: u64, width: u8) -> u64 {
    bits.swap_bytes() >> (64 - width)
}
