//! A hash on AXI4-Stream: messages in, digests out (AMBA AXI4-Stream, ARM IHI 0051A).
//!
//! ```text
//!  s_axis ──► a beat ──► lanes ──► contexts and core ──► digest ──► m_axis
//! ```

use super::frame::{Frame, Framed, Lane, Shape};
use super::logic::Logic;
use crate::rtl::netlist::{Netlist, SignalId, Value};

/// Makes the wrapper. `bytes` is the width of the streams.
pub(super) fn axis(name: &str, shape: &Shape<'_>, bytes: usize) -> Netlist {
    let mut logic = Logic::new(name);
    let free = {
        logic.begin("Digest");
        logic.later("digest_free", 1)
    };
    let (lane, accepted) = beat(&mut logic, shape, bytes);
    let framed = Frame { shape, logic: &mut logic }.make(lane, Some(free), None);
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
    let ready = l.not("ready", stays);
    l.net.output("s_axis_tready", ready);
    let takes = l.and("takes_beat", &[offered, ready]);
    let next = l.or("next_beat_valid", &[takes, stays]);
    l.connect(valid, next);
    let id = l.register("beat_id", id, takes);
    let last = l.register("beat_last", last, takes);
    let Some(rest) = rest else {
        let data = l.register("beat_data", data, takes);
        let keep = l.register("beat_keep", keep, takes);
        return (Lane { valid, id, data, keep, last }, accepted);
    };
    let moves = l.or("beat_moves", &[takes, accepted]);
    let [data, keep] =
        [("beat_data", data, 8), ("beat_keep", keep, 1)].map(|(name, input, unit)| {
            let (width, lane) = (l.width(input), unit * shape.lane_bytes as u32);
            let next = l.later(&format!("next_{name}"), width);
            let register = l.register(name, next, moves);
            let zeros = l.constant("zeros", lane, 0);
            let high = l.slice(&format!("{name}_rest"), register, lane, width - lane);
            let shifted = l.concat(&format!("{name}_shifted"), &[zeros, high]);
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
    (Lane { valid, id, data, keep, last }, accepted)
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
    let chosen = l.choose("digest_chosen", framed.done, loaded, rest, whole);
    l.drive(next, chosen);
    let last = match beats {
        1 => l.constant("digest_last", 1, 1),
        _ => {
            let width = usize::BITS - (beats - 1).leading_zeros();
            let count = l.state("digest_count", width);
            let one_more = l.plus("digest_count_more", count, 1);
            let moved = l.choose("digest_counted", moves, one_more, count, width);
            let next = l.choose("next_digest_count", framed.done, 0, moved, width);
            l.connect(count, next);
            l.equals("digest_last", count, beats as u32 - 1)
        }
    };
    let leaves = l.and("digest_leaves", &[moves, last]);
    let stays = l.but("digest_stays", valid, leaves);
    let next = l.or("next_digest_valid", &[framed.done, stays]);
    l.connect(valid, next);
    let id = l.register("digest_id", framed.id, framed.done);
    let all = u64::MAX >> (64 - bytes);
    let odd = digest_bytes % bytes;
    let keep = match odd {
        0 => l.constant("digest_keep", bytes as u32, all),
        _ => {
            let args = (last, all >> (bytes - odd), all);
            l.choose("digest_keep", args.0, args.1, args.2, bytes as u32)
        }
    };
    let data = l.slice("digest_beat", register, 0, bits);
    l.net.output("m_axis_tvalid", valid);
    for (name, signal) in [("tdata", data), ("tkeep", keep), ("tlast", last), ("tid", id)] {
        l.net.output(&format!("m_axis_{name}"), signal);
    }
}
