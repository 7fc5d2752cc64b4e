//! Lanes go into the buffers of their contexts.

use super::wipe::Wipe;
use super::{FrameBuilder, Lane, Shape, Store};
use crate::rtl::netlist::{Expr, SignalId};
use manylane_graph::Op;

/// The signals that filling sets.
pub(super) struct Filled {
    /// Contexts whose buffers became full.
    pub(super) full: SignalId,
    /// Contexts whose messages ended.
    pub(super) ended: SignalId,
    /// Whether the lane is taken in this clock.
    pub(super) taken: SignalId,
    /// Contexts of which a wrong lane was taken, if there are any such.
    pub(super) wrong: Option<SignalId>,
}

/// The block that a context fills, with its length and mode.
pub(in crate::rtl::wrap) struct Buffer {
    /// Its lanes.
    pub(in crate::rtl::wrap) lanes: Vec<Store>,
    /// Its bytes of message.
    pub(in crate::rtl::wrap) bytes: Store,
    /// The message's mode, if there are modes.
    pub(in crate::rtl::wrap) mode: Option<Store>,
}

impl FrameBuilder<'_> {
    /// Puts lanes into the buffers of their contexts, each message's last one with the byte that
    /// follows it.
    pub(super) fn fill(
        &mut self,
        lane: Lane,
        blocked: SignalId,
        clear: Option<SignalId>,
        wipe: Option<Wipe>,
    ) -> (Filled, Buffer) {
        let Shape { framing, lane_bytes, .. } = *self.shape;
        let lanes = framing.block_bytes / lane_bytes;
        self.logic.begin("Fill");
        let hot = self.one_hot("lane_hot", lane.id);
        let waits = self.at("lane_blocked", blocked, lane.id);
        let held = framing.padding.holds_last.then(|| {
            let held = self.logic.state("held", self.ids() as u32);
            (held, self.at("lane_held", held, lane.id))
        });
        let l = &mut *self.logic;
        let goes = l.not("lane_goes", waits);
        let mut take = l.and("take", &[lane.valid, goes]);
        if let Some(wipe) = wipe {
            take = l.but("take", take, wipe.now);
        }
        // A wrong lane loses its bytes, but may still be the end of its message.
        let (dropped, wrong) = match lane.wrong {
            None => (None, None),
            Some(wrong) => {
                let inside = l.but("wrong_inside", wrong, lane.last);
                let dropped = l.and("dropped", &[take, inside]);
                let seen = l.and("wrong_taken", &[take, wrong]);
                take = l.but("take", take, inside);
                (Some((inside, dropped)), Some(l.gate("set_wrong", seen, hot)))
            }
        };
        if let Some((_, is_held)) = held {
            take = l.but("take", take, is_held);
        }

        // The number of the lane in its block.
        let position_bits = usize::BITS - (lanes - 1).leading_zeros();
        let (position, complete) = if lanes == 1 {
            (None, take)
        } else {
            let partial = l.state("partial", 1 << self.shape.id_bits);
            let is_partial = self.at("is_partial", partial, lane.id);
            let l = &mut *self.logic;
            let next = l.later("next_position", position_bits);
            let store = self.store("positions", take, lane.id, next);
            let known = self.read("known_position", &store, lane.id);
            let l = &mut *self.logic;
            let position = l.gate("position", is_partial, known);
            let one_more = l.plus("one_more", position, 1);
            l.drive(next, one_more);
            let at_end = l.equals("at_end", position, lanes as u32 - 1);
            let ends = l.or("block_ends", &[lane.last, at_end]);
            let complete = l.and("complete", &[take, ends]);
            let goes_on = l.but("goes_on", take, ends);
            let set = l.gate("set_partial", goes_on, hot);
            let unset = l.gate("unset_partial", complete, hot);
            let unset: Vec<SignalId> = [unset].into_iter().chain(clear).collect();
            l.flags(partial, &[set], &unset);
            (Some(position), complete)
        };

        // keep + 1 has one bit, after the last byte that is kept; none if all are.
        let l = &mut *self.logic;
        let after = l.plus("after_keep", lane.keep, 1);
        let count_bits = lane_bytes.trailing_zeros();
        let all = l.slice("all_kept", lane.keep, lane_bytes as u32 - 1, 1);
        let mut count = vec![all];
        for bit in (0..count_bits).rev() {
            let mask = (0..lane_bytes as u64).filter(|n| n >> bit & 1 == 1).map(|n| 1 << n).sum();
            let mask = l.constant("count_mask", lane_bytes as u32, mask);
            let chosen = l.and("counted", &[after, mask]);
            count.push(l.any("count", chosen));
        }
        let count = l.concat("count", &count);
        let bytes_bits = usize::BITS - framing.block_bytes.leading_zeros();
        let mut bytes = l.resize("lane_count", count, bytes_bits);
        if let Some(position) = position {
            let zeros = l.constant("zeros", count_bits, 0);
            let before = l.concat("lane_offset", &[position, zeros]);
            let before = l.resize("bytes_before", before, bytes_bits);
            bytes = l.op("bytes", Op::Add, &[before, bytes]);
        }
        let bytes = self.store("bytes_kept", complete, lane.id, bytes);

        let l = &mut *self.logic;
        let bits = 8 * lane_bytes as u32;
        let mask = l.wire("mask", bits, Expr::Bytes(lane.keep, 0xff));
        let mut data = l.and("masked", &[lane.data, mask]);
        if framing.padding.first != 0 {
            let mark = l.wire("mark", bits, Expr::Bytes(after, framing.padding.first));
            data = l.or("marked", &[data, mark]);
        }
        let stores: Vec<Store> = match position.filter(|_| self.shape.core.words().is_some()) {
            Some(position) => vec![self.lane_memory(lane.id, position, take, data, lanes)],
            None => self.lane_stores(lane.id, position, take, data, lanes, wipe),
        };
        let mode = lane.mode.map(|mode| {
            // A message's first lane has the mode, even if that lane is wrong.
            let seen = match dropped {
                None => take,
                Some((_, dropped)) => self.logic.or("lane_seen", &[take, dropped]),
            };
            let (inside, store) = self.first_mode(lane.id, mode, seen);
            (seen, inside, store)
        });

        let l = &mut *self.logic;
        let mut ends = l.and("message_ends", &[take, lane.last]);
        let (mut full, mut taken) = (complete, take);
        if let Some((held, is_held)) = held {
            // A full block waits for what follows: it may have been the last.
            let mut releases = l.and("releases", &[lane.valid, is_held]);
            if let Some((inside, _)) = dropped {
                releases = l.but("releases", releases, inside);
            }
            if let Some(wipe) = wipe {
                releases = l.but("releases", releases, wipe.now);
            }
            let first = l.slice("first_kept", lane.keep, 0, 1);
            let empty = l.but("empty_last", lane.last, first);
            let was_last = l.and("was_last", &[releases, empty]);
            let holds = l.but("holds", complete, lane.last);
            let done = l.but("done", complete, holds);
            full = l.or("released", &[done, releases]);
            ends = l.or("message_ends", &[ends, was_last]);
            taken = l.or("taken", &[take, was_last]);
            let set = l.gate("set_held", holds, hot);
            let unset = l.gate("unset_held", releases, hot);
            let unset: Vec<SignalId> = [unset].into_iter().chain(clear).collect();
            l.flags(held, &[set], &unset);
        }
        if let Some((_, dropped)) = dropped {
            taken = l.or("taken", &[taken, dropped]);
        }
        let full = l.gate("set_full", full, hot);
        let ended = l.gate("set_ended", ends, hot);
        let mode = mode.map(|(seen, inside, store)| {
            let goes_on = l.but("message_goes_on", seen, lane.last);
            let set = l.gate("set_inside", goes_on, hot);
            let unset: Vec<SignalId> = [ended].into_iter().chain(clear).collect();
            l.flags(inside, &[set], &unset);
            store
        });
        (Filled { full, ended, taken, wrong }, Buffer { lanes: stores, bytes, mode })
    }

    /// A store for each lane of a block.
    fn lane_stores(
        &mut self,
        id: SignalId,
        position: Option<SignalId>,
        take: SignalId,
        data: SignalId,
        lanes: usize,
        wipe: Option<Wipe>,
    ) -> Vec<Store> {
        let stores = (0..lanes).map(|i| {
            let write = match position {
                None => take,
                Some(position) => {
                    let here = self.logic.equals(&format!("at{i}"), position, i as u32);
                    self.logic.and(&format!("take{i}"), &[take, here])
                }
            };
            self.secret(&format!("lane{i}"), write, id, data, wipe)
        });
        stores.collect()
    }

    /// A message's mode, kept with its first lane; and which contexts are inside a message.
    fn first_mode(&mut self, id: SignalId, mode: SignalId, take: SignalId) -> (SignalId, Store) {
        let inside = self.logic.state("inside", self.ids() as u32);
        let is_inside = self.at("is_inside", inside, id);
        let first = self.logic.but("first_taken", take, is_inside);
        (inside, self.store("modes", first, id, mode))
    }

    /// One memory for all lanes of all blocks, read one at a time.
    fn lane_memory(
        &mut self,
        id: SignalId,
        position: SignalId,
        take: SignalId,
        data: SignalId,
        lanes: usize,
    ) -> Store {
        let address = self.lane_address("lane_address", id, position);
        Store::Memory(self.logic.memory("lanes", self.ids() * lanes, [take, address, data]))
    }

    /// The address of a context's lane in the common memory.
    pub(in crate::rtl::wrap) fn lane_address(
        &mut self,
        name: &str,
        id: SignalId,
        position: SignalId,
    ) -> SignalId {
        match self.shape.id_bits {
            0 => position,
            _ => self.logic.concat(name, &[id, position]),
        }
    }
}
