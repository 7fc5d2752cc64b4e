//! The pass `lanes`, which splits wide words into lanes if no operation takes bits from one lane to
//! another, so that cores can share out the lanes.

use super::needed::demanded;
use super::{legalize, needed};
use crate::interpret::mask;
use crate::ir::{Function, Module, NodeId, Op};

/// The function in lanes of `bits` bits, if every operation on a wider word works on each lane by
/// itself.
///
/// ```text
/// half[0] ── 64-bit words ──► half[0] ── limb[0] ── 32-bit words, low
///                                     └─ limb[1] ── 32-bit words, high
/// ```
///
/// Rotations by whole lanes only rename lanes, and exchanges of bits within a lane stay in it
/// ([`needed`](super::needed())). `None` if there are sums, whose carries go from lane to lane,
/// other rotations or shifts, or calls, and if no word is wider than a lane.
///
/// # Panics
/// If `bits` is not 8, 16 or 32.
pub fn lanes(function: &Function, bits: u8) -> Option<Function> {
    let narrowed = needed(function);
    let demanded = demanded(&narrowed);
    let wide = |node: &NodeId| narrowed.width(*node) > bits;
    let local = |node: NodeId| is_local(&narrowed, node, demanded[node.index()], bits);
    let all_local = narrowed.nodes().filter(wide).all(local);
    if !all_local || !narrowed.nodes().any(|node| wide(&node)) {
        return None;
    }
    let legal = legalize(&Module::of(narrowed), bits);
    Some(needed(legal.main()))
}

/// Whether each lane of an operation's value takes bits of one lane only of each argument, as far
/// as its own bits are needed.
fn is_local(function: &Function, node: NodeId, demanded: u64, bits: u8) -> bool {
    match function.op(node) {
        Op::Input(_)
        | Op::Const(_)
        | Op::And
        | Op::Or
        | Op::Xor
        | Op::Xnor
        | Op::Not
        | Op::Lut3(_)
        | Op::SubBytes
        | Op::Xtime
        | Op::SwapBytes => true,
        // The lowest n mod `bits` bits of a lane come from the lane below, the others from another
        // single lane.
        Op::Rotl(n) | Op::Shl(n) => splits_at(demanded, n % bits, bits),
        Op::Rotr(n) | Op::Shr(n) => splits_at(demanded, (bits - n % bits) % bits, bits),
        Op::Add
        | Op::Carry
        | Op::Sub
        | Op::RotlVar
        | Op::RotrVar
        | Op::Call(_)
        | Op::Result(_)
        | Op::External => false,
    }
}

/// Whether no lane needs bits on both sides of bit `at`.
fn splits_at(demanded: u64, at: u8, bits: u8) -> bool {
    let low = mask(bits) & !(u64::MAX << at);
    let lanes = (0..64 / bits).map(|lane| demanded >> (bits * lane) & mask(bits));
    lanes.into_iter().all(|lane| lane & low == 0 || lane & !low == 0)
}
