//! Values that are moved from one place to another.

use super::memory::Memory;
use super::operand::{Address, Byte, Limb, View};
use super::text::Lines;

/// Moves a value to a place that it does not overlap, or that is its own.
pub(super) fn copy(view: &View, to: Address, lines: &mut Lines) {
    let limbs = view.limbs();
    for i in 0..limbs {
        let at = to.plus(2 * (limbs - 1 - i));
        match view.limb(i) {
            Limb::Word(from) => lines.op("movw", &format!("{from},{at}")),
            Limb::Number(value) => lines.op("movw", &format!("#{value},{at}")),
            Limb::Bytes(high, low) => {
                lines.op("ldaa", &high.to_string());
                lines.op("ldab", &low.to_string());
                lines.op("std", &at.to_string());
            }
        }
    }
}

/// Whether a value has a byte at a place of `bytes` bytes.
fn reads(view: &View, place: Address, bytes: usize) -> bool {
    view.0.iter().any(|byte| {
        matches!(byte, Byte::At(at) if at.area == place.area
            && (place.offset..place.offset + bytes).contains(&at.offset))
    })
}

/// Moves values as if at once: each source is read as it was before the first move.
pub(super) fn copy_all(mut moves: Vec<(View, Address)>, memory: &mut Memory, lines: &mut Lines) {
    moves.retain(|(view, to)| *view != View::at(*to, view.0.len()));
    while !moves.is_empty() {
        let is_free = |i: usize| {
            let (view, to) = &moves[i];
            moves.iter().all(|(other, _)| !reads(other, *to, view.0.len()))
        };
        match (0..moves.len()).find(|&i| is_free(i)) {
            Some(i) => {
                let (view, to) = moves.swap_remove(i);
                copy(&view, to, lines);
            }
            None => {
                // The moves form a circle, and one value waits elsewhere.
                let (view, _) = &mut moves[0];
                let bytes = view.0.len();
                let place = memory.pass(bytes);
                copy(view, place, lines);
                *view = View::at(place, bytes);
            }
        }
    }
}

/// Bytes that [`copy_bytes`] copies at a time.
pub(super) const COPIED: usize = 8;

/// Copies bytes, at most 255 times [`COPIED`], from Y to X in a loop, and leaves both behind them.
/// `what` is a part of the loop's label.
pub(super) fn copy_bytes(lines: &mut Lines, what: &str, bytes: usize) {
    let label = format!("{}_{what}", lines.prefix);
    lines.op("ldab", &format!("#{}", bytes / COPIED));
    lines.label(&label);
    for _ in (0..COPIED).step_by(2) {
        lines.op("movw", "2,y+,2,x+");
    }
    lines.op("dbne", &format!("b,{label}"));
}
