//! A hash on AXI4-Stream: messages in, digests out (AMBA AXI4-Stream, ARM IHI 0051A).
//!
//! ```text
//!  s_axis ──► a beat ──► lanes ──► contexts and core ──► digest ──► m_axis
//! ```
//!
//! In each beat the bytes that `tkeep` marks come first, and all beats but a message's last are
//! full. A beat without bytes that is not the last is skipped. A beat that breaks these rules is
//! wrong: its bytes are dropped, and the digest of its message is zeros, with a flag in `tuser`.

use super::frame::{FrameBuilder, Framed, Lane, Shape};
use super::logic::Logic;
use crate::rtl::modes;
use crate::rtl::netlist::{Expr, Netlist, SignalId, Value};

/// Makes the wrapper. `bytes` is the width of the streams.
pub(super) fn axis(name: &str, shape: &Shape<'_>, bytes: usize) -> Netlist {
    let mut logic = Logic::new(name);
    let free = {
        logic.begin("Digest");
        logic.later("digest_free", 1)
    };
    if shape.core.clears {
        logic.clears();
    }
    let (lane, accepted) = beat(&mut logic, shape, bytes);
    let framed = FrameBuilder { shape, logic: &mut logic }.make(lane, Some(free), None);
    logic.drive(accepted, framed.taken);
    digest(&mut logic, &framed, shape, bytes, free);
    logic.net
}

/// A beat in a register, taken apart into lanes. The signal says when one is accepted.
fn beat(l: &mut Logic, shape: &Shape<'_>, bytes: usize) -> (Lane, SignalId) {
    l.begin("Beat");
    let bits = 8 * bytes as u32;
    let offered = l.input("s_axis_tvalid", 1);
    let [data, keep, last, id] = [
        ("s_axis_tdata", bits),
        ("s_axis_tkeep", bytes as u32),
        ("s_axis_tlast", 1),
        ("s_axis_tid", shape.id_bits),
    ]
    .map(|(name, width)| l.input(name, width));
    let mode = (!shape.core.modes.is_empty())
        .then(|| l.input("s_axis_tuser", modes::bits(shape.core.modes.len())));
    let valid = l.state("beat_valid", 1);
    let accepted = l.later("accepted", 1);
    let parts = bytes / shape.lane_bytes;
    let (leaves, rest) = match parts {
        1 => (accepted, None),
        // A message's bytes follow each other, so the rest is empty if its first byte is missing.
        _ => {
            let rest = l.later("has_rest", 1);
            (l.but("leaves", accepted, rest), Some(rest))
        }
    };
    let stays = l.but("beat_stays", valid, leaves);
    let mut ready = l.not("ready", stays);
    if let Some(clear) = l.net.zero {
        ready = l.but("ready_to_take", ready, clear);
    }
    l.net.output("s_axis_tready", ready);
    let takes = l.and("takes_beat", &[offered, ready]);
    // tkeep + 1 has no bit in common with tkeep if its ones are the lowest bits.
    let after = l.plus("keep_after", keep, 1);
    let gaps = l.and("keep_gaps", &[keep, after]);
    let gaps = l.any("keep_has_gaps", gaps);
    let none = l.equals("keep_none", keep, 0);
    let whole = l.slice("keep_whole", keep, bytes as u32 - 1, 1);
    let inside = l.not("not_last", last);
    let short = l.but("keep_short", inside, whole);
    let wrong = l.or("wrong_offered", &[gaps, short]);
    let null = l.and("null_offered", &[inside, none]);
    let takes = l.but("takes", takes, null);
    let keep = {
        let ones = l.constant("keep_ones", bytes as u32, u64::MAX >> (64 - bytes));
        let kept = l.choose("keep_bits", wrong, 0, ones, bytes as u32);
        l.and("keep_right", &[keep, kept])
    };
    let next = l.or("next_beat_valid", &[takes, stays]);
    l.connect(valid, next);
    let id = l.register("beat_id", id, takes);
    let last = l.register("beat_last", last, takes);
    let mode = mode.map(|mode| l.register("beat_mode", mode, takes));
    let wrong = Some(l.register("beat_wrong", wrong, takes));
    let gone = shape.core.clears.then_some(leaves);
    let Some(rest) = rest else {
        let data = l.passing("beat_data", data, takes, gone);
        let keep = l.register("beat_keep", keep, takes);
        return (Lane { valid, id, data, keep, last, wrong, mode }, accepted);
    };
    let moves = l.or("beat_moves", &[takes, accepted]);
    let [data, keep] =
        [("beat_data", data, 8), ("beat_keep", keep, 1)].map(|(name, input, unit)| {
            let (width, lane) = (l.width(input), unit * shape.lane_bytes as u32);
            let next = l.later(&format!("next_{name}"), width);
            let register = l.register(name, next, moves);
            let zeros = l.constant("zeros", lane, 0);
            let high = l.slice(&format!("{name}_rest"), register, lane, width - lane);
            let mut shifted = l.concat(&format!("{name}_shifted"), &[zeros, high]);
            if let Some(gone) = gone {
                shifted = l.choose(&format!("{name}_left"), gone, 0, shifted, width);
            }
            let chosen = l.choose(&format!("{name}_chosen"), takes, input, shifted, width);
            l.drive(next, chosen);
            register
        });
    let lane_bytes = shape.lane_bytes as u32;
    let has_rest = l.slice("next_kept", keep, lane_bytes, 1);
    l.drive(rest, has_rest);
    let last = l.but("lane_last", last, has_rest);
    let data = l.slice("lane_data", data, 0, 8 * lane_bytes);
    let keep = l.slice("lane_keep", keep, 0, lane_bytes);
    (Lane { valid, id, data, keep, last, wrong, mode }, accepted)
}

/// The digest in a register that is shifted out, zeros behind it.
fn digest(l: &mut Logic, framed: &Framed, shape: &Shape<'_>, bytes: usize, free: SignalId) {
    l.begin("Digest");
    let bits = 8 * bytes as u32;
    let digest_bytes = shape.framing.digest.len();
    let beats = digest_bytes.div_ceil(bytes);
    let ready = l.input("m_axis_tready", 1);
    let valid = l.state("digest_valid", 1);
    let is_free = l.not("digest_is_free", valid);
    l.drive(free, is_free);
    let moves = l.and("digest_moves", &[valid, ready]);
    let whole = beats as u32 * bits;
    let loaded = l.resize("digest_beats", framed.digest, whole);
    let next = l.later("next_digest", whole);
    let load = l.or("digest_loads", &[framed.done, moves]);
    let register = l.register("digest_out", next, load);
    let rest = match beats {
        1 => Value::Const(0),
        _ => {
            let zeros = l.constant("zeros", bits, 0);
            let high = l.slice("digest_rest", register, bits, whole - bits);
            Value::Signal(l.concat("digest_shifted", &[zeros, high]))
        }
    };
    // A message that was not sent correctly has no digest.
    let wrong = framed.wrong.expect("beats can be wrong");
    let loaded = l.choose("digest_or_zeros", wrong, 0, loaded, whole);
    let chosen = l.choose("digest_chosen", framed.done, loaded, rest, whole);
    l.drive(next, chosen);
    let wrong = l.register("digest_wrong", wrong, framed.done);
    let mode = framed.mode.map(|mode| l.register("digest_mode", mode, framed.done));
    // Bytes of the digest of each mode, or of the one hash there is.
    let lengths: Vec<usize> = match mode {
        None => vec![digest_bytes],
        Some(_) => shape.core.modes.iter().map(|mode| mode.digest_bytes).collect(),
    };
    let last = match beats {
        1 => l.constant("digest_last", 1, 1),
        _ => {
            let width = usize::BITS - (beats - 1).leading_zeros();
            let count = l.state("digest_count", width);
            let one_more = l.plus("digest_count_more", count, 1);
            let moved = l.choose("digest_counted", moves, one_more, count, width);
            let next = l.choose("next_digest_count", framed.done, 0, moved, width);
            l.connect(count, next);
            let is_last = |l: &mut Logic, length: &usize| {
                Value::Signal(l.equals("is_last_beat", count, length.div_ceil(bytes) as u32 - 1))
            };
            let of_mode: Vec<Value> = lengths.iter().map(|length| is_last(l, length)).collect();
            by_mode(l, "digest_last", 1, mode, of_mode)
        }
    };
    let leaves = l.and("digest_leaves", &[moves, last]);
    let stays = l.but("digest_stays", valid, leaves);
    let next = l.or("next_digest_valid", &[framed.done, stays]);
    l.connect(valid, next);
    let id = l.register("digest_id", framed.id, framed.done);
    let all = u64::MAX >> (64 - bytes);
    let of_last = |length: &usize| match length % bytes {
        0 => all,
        odd => all >> (bytes - odd),
    };
    let keep = match lengths.iter().all(|length| of_last(length) == all) {
        true => l.constant("digest_keep", bytes as u32, all),
        false => {
            let of_mode = lengths.iter().map(|length| Value::Const(of_last(length))).collect();
            let of_last = by_mode(l, "last_keep", bytes as u32, mode, of_mode);
            l.choose("digest_keep", last, of_last, all, bytes as u32)
        }
    };
    let data = l.slice("digest_beat", register, 0, bits);
    l.net.output("m_axis_tvalid", valid);
    for (name, signal) in [("tdata", data), ("tkeep", keep), ("tlast", last), ("tid", id)] {
        l.net.output(&format!("m_axis_{name}"), signal);
    }
    let user = l.concat("digest_user", &[&[wrong], mode.as_slice()].concat());
    l.net.output("m_axis_tuser", user);
}

/// The value of the mode; the last one for a number that is no mode's.
fn by_mode(
    l: &mut Logic,
    name: &str,
    width: u32,
    mode: Option<SignalId>,
    values: Vec<Value>,
) -> SignalId {
    match mode {
        None => l.wire(name, width, Expr::Value(values[0])),
        Some(selector) => {
            let arms = values.into_iter().enumerate().map(|(n, value)| (vec![n as u32], value));
            l.wire(name, width, Expr::Select { selector, arms: arms.collect() })
        }
    }
}
