//! Around the core: messages in, in lanes of a few bytes, digests out. Padding is done here.
//!
//! ```text
//!            fill                      choose           load             core       result
//!  lane ──► buffer of its context ──► a context ──► padded block ──► compression ──┬► chain
//!           bytes, full, ended        round robin   chain, counter                 └► digest
//! ```
//!
//! Every context has a message of its own: a buffer of one block, its chaining value, and flags.
//! A context waits for its result before its next block goes in; meanwhile the buffer fills.

use super::logic::Logic;
use super::padding::Padder;
use crate::rtl::Core;
use crate::rtl::netlist::{Expr, MemoryId, SignalId, Value};
use manylane_graph::Op;
use manylane_graph::framing::Framing;

/// What is to be made.
pub(super) struct Shape<'s> {
    pub(super) framing: &'s Framing,
    pub(super) core: &'s Core,
    /// Bytes of a lane: a power of two that divides the block.
    pub(super) lane_bytes: usize,
    /// Bits of a context's number. With 0 there is one context, whose state the bus may set.
    pub(super) id_bits: u32,
}

/// A few bytes of a message on their way in.
#[derive(Clone, Copy)]
pub(super) struct Lane {
    pub(super) valid: SignalId,
    /// Which context's. Anything if there is one.
    pub(super) id: SignalId,
    /// Byte 0 in the low bits.
    pub(super) data: SignalId,
    /// Which bytes there are: the low ones, all but in a message's last lane.
    pub(super) keep: SignalId,
    pub(super) last: SignalId,
}

/// How the one context is set from outside.
#[derive(Clone, Copy)]
pub(super) struct Restore {
    /// No new call begins.
    pub(super) hold: SignalId,
    /// Forgets the message. Only while nothing is computed.
    pub(super) clear: SignalId,
    /// The next block follows the chaining value that was written.
    pub(super) resume: SignalId,
    /// Writes a word of 32 bits of the chaining value: one bit for each.
    pub(super) chain: SignalId,
    /// Writes a half of the number of bytes.
    pub(super) count: SignalId,
    pub(super) data: SignalId,
}

/// What comes out.
pub(super) struct Framed {
    /// Whether the lane is taken.
    pub(super) taken: SignalId,
    /// A digest is there for one clock.
    pub(super) done: SignalId,
    pub(super) id: SignalId,
    /// The digest, byte 0 in the low bits.
    pub(super) digest: SignalId,
    /// Which contexts have a call under way.
    pub(super) busy: SignalId,
    /// Which contexts have a block or more to go.
    pub(super) blocked: SignalId,
    /// Of the one context: the chaining value, and the bytes that went into it.
    pub(super) state: Option<[SignalId; 2]>,
}

/// Where something of each context is kept.
pub(super) enum Store {
    Memory(MemoryId),
    One(SignalId),
}

pub(super) struct Frame<'f> {
    pub(super) shape: &'f Shape<'f>,
    pub(super) logic: &'f mut Logic,
}

/// The contexts' flags, a bit for each context.
struct Flags {
    /// The buffer holds a block.
    full: SignalId,
    /// It is the message's last one.
    ended: SignalId,
    /// A block of padding is to follow.
    extra: SignalId,
    /// A call is under way.
    busy: SignalId,
    /// The message has a chaining value of its own.
    begun: SignalId,
}

/// The context whose call goes into the core next.
#[derive(Clone, Copy)]
struct Chosen {
    valid: SignalId,
    /// The bit of a context that is being chosen in this clock.
    now: SignalId,
    id: SignalId,
}

impl<'f> Frame<'f> {
    /// Makes everything between lanes and digests. `free` says whether a digest can be taken, if
    /// that is not always so.
    pub(super) fn make(
        mut self,
        lane: Lane,
        free: Option<SignalId>,
        restore: Option<Restore>,
    ) -> Framed {
        let contexts = 1 << self.shape.id_bits;
        self.logic.begin("Contexts");
        let mut flag = |name: &str| self.logic.state(name, contexts);
        let [full, ended, extra] = ["full", "ended", "extra"].map(&mut flag);
        let [closing, busy, begun] = ["closing", "busy", "begun"].map(&mut flag);
        let flags = Flags { full, ended, extra, busy, begun };
        let blocked = self.logic.or("blocked", &[full, extra, closing]);

        let clear = restore.map(|restore| restore.clear);
        let (filled, buffer) = self.fill(lane, blocked, clear);
        let loads = self.logic.later("load", 1);
        let chosen = self.choose(&flags, blocked, loads, restore);
        let issued = self.load(&flags, chosen, loads, &buffer, restore);
        let returned = self.result(&issued, free);

        self.logic.begin("Contexts");
        let l = &mut *self.logic;
        l.drive(issued.chain_written.0, returned.chained);
        let clear: Vec<SignalId> = clear.into_iter().collect();
        let with = |signals: &[SignalId]| [signals, &clear[..]].concat();
        l.flags(full, &[filled.full], &with(&[issued.block]));
        l.flags(ended, &[filled.ended], &with(&[issued.block]));
        l.flags(extra, &[issued.spills], &with(&[issued.extra]));
        l.flags(closing, &[issued.closes], &with(&[issued.closing]));
        l.flags(busy, &[issued.chosen], &[returned.hot]);
        let resume = restore.map(|restore| restore.resume);
        let begins: Vec<SignalId> = [issued.begins].into_iter().chain(resume).collect();
        l.flags(begun, &begins, &with(&[issued.ends]));
        Framed {
            taken: filled.taken,
            done: returned.done,
            id: returned.id,
            digest: returned.digest,
            busy,
            blocked,
            state: issued.state,
        }
    }

    fn ids(&self) -> usize {
        1 << self.shape.id_bits
    }

    /// The bit of a context among its likes.
    pub(super) fn at(&mut self, name: &str, flags: SignalId, id: SignalId) -> SignalId {
        match self.shape.id_bits {
            0 => flags,
            _ => self.logic.wire(name, 1, Expr::Bit(flags, id)),
        }
    }

    fn one_hot(&mut self, name: &str, id: SignalId) -> SignalId {
        match self.shape.id_bits {
            0 => self.logic.constant(name, 1, 1),
            _ => self.logic.wire(name, self.ids() as u32, Expr::OneHot(id)),
        }
    }

    /// Something for each context, written where `write` is 1.
    pub(super) fn store(
        &mut self,
        name: &str,
        write: SignalId,
        id: SignalId,
        data: SignalId,
    ) -> Store {
        match self.shape.id_bits {
            0 => Store::One(self.logic.register(name, data, write)),
            _ => Store::Memory(self.logic.memory(name, self.ids(), [write, id, data])),
        }
    }

    pub(super) fn read(&mut self, name: &str, store: &Store, id: SignalId) -> SignalId {
        match store {
            Store::Memory(memory) => self.logic.read(name, *memory, id),
            Store::One(register) => *register,
        }
    }
}

/// What filling sets, and whether the lane was taken.
struct Filled {
    full: SignalId,
    ended: SignalId,
    taken: SignalId,
}

/// What is kept of the block that a context fills.
pub(super) struct Buffer {
    /// Its lanes.
    pub(super) lanes: Vec<Store>,
    /// Its bytes of message.
    pub(super) bytes: Store,
}

impl Frame<'_> {
    /// Puts lanes into the buffers of their contexts, each message's last one with the byte that
    /// follows it.
    fn fill(&mut self, lane: Lane, blocked: SignalId, clear: Option<SignalId>) -> (Filled, Buffer) {
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
        if let Some((_, is_held)) = held {
            take = l.but("take", take, is_held);
        }

        // Which lane of the block it is.
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
        let stores = (0..lanes).map(|i| {
            let write = match position {
                None => take,
                Some(position) => {
                    let here = self.logic.equals(&format!("at{i}"), position, i as u32);
                    self.logic.and(&format!("take{i}"), &[take, here])
                }
            };
            self.store(&format!("lane{i}"), write, lane.id, data)
        });
        let stores = stores.collect();

        let l = &mut *self.logic;
        let mut ends = l.and("message_ends", &[take, lane.last]);
        let (mut full, mut taken) = (complete, take);
        if let Some((held, is_held)) = held {
            // A full block waits for what follows: it may have been the last.
            let releases = l.and("releases", &[lane.valid, is_held]);
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
        let full = l.gate("set_full", full, hot);
        let ended = l.gate("set_ended", ends, hot);
        (Filled { full, ended, taken }, Buffer { lanes: stores, bytes })
    }

    /// Chooses among the contexts that have a call to make and none under way, each in its turn.
    fn choose(
        &mut self,
        flags: &Flags,
        blocked: SignalId,
        loads: SignalId,
        restore: Option<Restore>,
    ) -> Chosen {
        let l = &mut *self.logic;
        l.begin("Choose");
        let waiting = l.but("waiting", blocked, flags.busy);
        let valid = l.state("chosen_valid", 1);
        let free = l.but("chosen_waits", valid, loads);
        let mut free = l.not("chosen_free", free);
        if let Some(restore) = restore {
            free = l.but("may_choose", free, restore.hold);
        }
        let any = l.any("waiting_any", waiting);
        let chooses = l.and("chooses", &[any, free]);
        let stays = l.but("chosen_stays", valid, loads);
        let next = l.or("next_chosen_valid", &[chooses, stays]);
        l.connect(valid, next);
        if self.shape.id_bits == 0 {
            let hot = l.constant("chosen", 1, 1);
            let now = l.gate("choosing", chooses, hot);
            return Chosen { valid, now, id: hot };
        }

        // x & -x is the lowest bit of x; those after the last one chosen come first.
        let width = l.width(waiting);
        let after = l.state("after_last", width);
        let lowest = |l: &mut Logic, name: &str, x: SignalId| {
            let args = vec![Value::Const(0), Value::Signal(x)];
            let minus = l.wire(&format!("minus_{name}"), width, Expr::Op(Op::Sub, args));
            l.and(&format!("lowest_{name}"), &[x, minus])
        };
        let high = l.and("waiting_after", &[waiting, after]);
        let lowest_high = lowest(l, "after", high);
        let lowest_all = lowest(l, "waiting", waiting);
        let is_high = l.any("any_after", high);
        let hot = l.choose("choice", is_high, lowest_high, lowest_all, width);
        let below = {
            let args = vec![Value::Signal(hot), Value::Const(1)];
            l.wire("below", width, Expr::Op(Op::Sub, args))
        };
        let upto = l.or("up_to_choice", &[hot, below]);
        let above = l.not("after_choice", upto);
        let next = l.choose("next_after_last", chooses, above, after, width);
        l.connect(after, next);
        let mut bits = Vec::new();
        for bit in (0..self.shape.id_bits).rev() {
            let mask = (0..u64::from(width)).filter(|n| n >> bit & 1 == 1).map(|n| 1 << n).sum();
            let mask = l.constant("choice_mask", width, mask);
            let chosen = l.and("choice_bits", &[hot, mask]);
            bits.push(l.any("choice_bit", chosen));
        }
        let id = l.concat("choice_id", &bits);
        let id = l.register("chosen_id", id, chooses);
        let now = l.gate("choosing", chooses, hot);
        Chosen { valid, now, id }
    }
}

/// A call on its way into the core, and what it does to the flags.
struct Issued {
    /// What the core offers.
    result: [SignalId; 3],
    ready: SignalId,
    chosen: SignalId,
    block: SignalId,
    extra: SignalId,
    closing: SignalId,
    spills: SignalId,
    closes: SignalId,
    begins: SignalId,
    ends: SignalId,
    /// Driven by the result: when the chaining value is written, and whose.
    chain_written: (SignalId, SignalId),
    state: Option<[SignalId; 2]>,
}

/// What comes back.
struct Returned {
    hot: SignalId,
    chained: SignalId,
    done: SignalId,
    id: SignalId,
    digest: SignalId,
}

impl Frame<'_> {
    /// Pads the chosen context's block and hands it to the core.
    fn load(
        &mut self,
        flags: &Flags,
        chosen: Chosen,
        loads: SignalId,
        buffer: &Buffer,
        restore: Option<Restore>,
    ) -> Issued {
        let Shape { framing, core, id_bits, .. } = *self.shape;
        self.logic.begin("Load");
        let valid = self.logic.state("issue_valid", 1);
        let ready = self.logic.driven("core_ready", 1);
        let l = &mut *self.logic;
        let stays = l.but("issue_stays", valid, ready);
        let free = l.not("issue_free", stays);
        let load = l.and("loads", &[chosen.valid, free]);
        l.drive(loads, load);
        let next = l.or("next_issue_valid", &[load, stays]);
        l.connect(valid, next);

        let is_block = self.at("is_block", flags.full, chosen.id);
        let is_ended = self.at("is_ended", flags.ended, chosen.id);
        let is_extra = self.at("is_extra", flags.extra, chosen.id);
        let has_begun = self.at("has_begun", flags.begun, chosen.id);
        let bytes = self.read("block_bytes", &buffer.bytes, chosen.id);
        let l = &mut *self.logic;
        let is_last = l.and("is_last", &[is_block, is_ended]);
        let (spills, is_end) = if framing.padding.room < framing.block_bytes {
            let room = framing.padding.room as u32;
            let over = l.at_least("over", bytes, room + 1);
            let spills = l.and("spills", &[is_last, over]);
            let fits = l.but("fits", is_last, over);
            (spills, l.or("is_end", &[fits, is_extra]))
        } else {
            (l.constant("spills", 1, 0), is_last)
        };
        let (closes, is_final) = match framing.closing {
            None => (l.constant("closes", 1, 0), is_end),
            Some(_) => {
                let other = l.or("is_padded", &[is_block, is_extra]);
                (is_end, l.not("is_closing", other))
            }
        };

        let hot = self.one_hot("chosen_hot", chosen.id);
        let l = &mut *self.logic;
        let mut event = |name: &str, condition: SignalId| {
            let happens = l.and(&format!("{name}_now"), &[load, condition]);
            l.gate(name, happens, hot)
        };
        let block = event("load_block", is_block);
        let extra = event("load_extra", is_extra);
        let [spilled, closed, ends] =
            [("spill", spills), ("close", closes), ("finish", is_final)].map(|(n, c)| event(n, c));
        let goes_on = l.not("not_final", is_final);
        let begins = {
            let happens = l.and("start_now", &[load, goes_on]);
            l.gate("start", happens, hot)
        };

        // The chaining value before.
        let (bits, words) = (framing.word_bits, framing.initial.len() as u32);
        let out_chain = l.driven("result_chain", bits * words);
        let write_chain = l.later("write_chain", 1);
        let write_id = match id_bits {
            0 => write_chain,
            _ => l.later("write_id", id_bits),
        };
        let known = match restore {
            None => {
                let store = self.store("chain", write_chain, write_id, out_chain);
                self.read("known_chain", &store, chosen.id)
            }
            Some(restore) => {
                restored(l, "chain", out_chain, write_chain, restore.chain, restore.data)
            }
        };
        let l = &mut *self.logic;
        let initial = framing.initial.iter().enumerate().map(|(i, &value)| {
            let i = i as u32;
            let word = l.slice(&format!("known_h{i}"), known, bits * (words - 1 - i), bits);
            l.choose(&format!("h{i}"), has_begun, word, value, bits)
        });
        let initial: Vec<SignalId> = initial.collect();
        let chain = l.concat("chain_before", &initial);

        // The block, the counter, and how many bytes went before.
        let mut padder =
            Padder { frame: self, bytes, is_block, is_extra, is_end, has_begun, id: chosen.id };
        let written = padder.count(load, is_ended, restore);
        let total = written.map(|written| written.total);
        let padded = padder.block(buffer, total);
        let counter = padder.counter(total, is_final);

        let l = &mut *self.logic;
        let tag = match id_bits {
            0 => is_final,
            _ => l.concat("tag", &[is_final, chosen.id]),
        };
        let mut ports = vec![("in_valid".to_owned(), valid), ("in_ready".to_owned(), ready)];
        let inputs = [("in_tag", Some(tag)), ("in_chain", Some(chain)), ("in_block", Some(padded))];
        for (port, value) in inputs.into_iter().chain([("in_counter", counter)]) {
            if let Some(value) = value {
                let register = l.register(&format!("issue_{}", &port[3..]), value, load);
                ports.push((port.to_owned(), register));
            }
        }
        let result_valid = l.driven("result_valid", 1);
        let result_ready = l.later("result_ready", 1);
        let result_tag = l.driven("result_tag", id_bits + 1);
        ports.extend(
            [
                ("out_valid", result_valid),
                ("out_ready", result_ready),
                ("out_tag", result_tag),
                ("out_chain", out_chain),
            ]
            .map(|(port, signal)| (port.to_owned(), signal)),
        );
        l.instance(&core.netlist.name, ports);
        Issued {
            result: [result_valid, result_tag, out_chain],
            ready: result_ready,
            chosen: chosen.now,
            block,
            extra,
            closing: ends,
            spills: spilled,
            closes: closed,
            begins,
            ends,
            chain_written: (write_chain, write_id),
            state: restore.and(written).map(|written| [known, written.before]),
        }
    }

    /// Takes results: the next chaining value of a message, or its digest.
    fn result(&mut self, issued: &Issued, free: Option<SignalId>) -> Returned {
        let Shape { framing, id_bits, .. } = *self.shape;
        let [valid, tag, chain] = issued.result;
        let l = &mut *self.logic;
        l.begin("Results");
        let is_final = l.slice("is_digest", tag, id_bits, 1);
        let id = match id_bits {
            0 => tag,
            _ => l.slice("result_id", tag, 0, id_bits),
        };
        let goes = match free {
            None => l.constant("digest_goes", 1, 1),
            Some(free) => {
                let waits = l.but("digest_waits", is_final, free);
                l.not("digest_goes", waits)
            }
        };
        l.drive(issued.ready, goes);
        if id_bits > 0 {
            l.drive(issued.chain_written.1, id);
        }
        let returned = l.and("returned", &[valid, goes]);
        let done = l.and("digest_done", &[returned, is_final]);
        let chained = l.but("chained", returned, is_final);
        let one = self.one_hot("result_hot", id);
        let l = &mut *self.logic;
        let hot = l.gate("returned_hot", returned, one);
        let (bits, words) = (framing.word_bits, framing.initial.len() as u32);
        // Where the bytes of a word follow each other it is taken whole.
        let word_bytes = (bits / 8) as usize;
        let mut parts = Vec::new();
        for (n, places) in framing.digest.chunks(word_bytes).enumerate() {
            let low = |word: usize| bits * (words - 1 - word as u32);
            let one_word = places.iter().all(|place| place.word == places[0].word);
            let whole = one_word && places.len() == word_bytes;
            let ascends = places.iter().enumerate().all(|(i, place)| place.byte == i);
            let descends = places.iter().rev().enumerate().all(|(i, place)| place.byte == i);
            if whole && (ascends || descends) {
                let word = l.slice(&format!("result_h{n}"), chain, low(places[0].word), bits);
                let swapped = |l: &mut Logic| l.op(&format!("digest{n}"), Op::SwapBytes, &[word]);
                parts.push(if descends { swapped(l) } else { word });
            } else {
                parts.extend(places.iter().enumerate().map(|(i, place)| {
                    let name = format!("digest_byte{}", n * word_bytes + i);
                    l.slice(&name, chain, low(place.word) + 8 * place.byte as u32, 8)
                }));
            }
        }
        parts.reverse();
        let mut digest = l.concat("digest_plain", &parts);
        if let Some(xor) = closing_bytes(framing) {
            let constants = xor.chunks(8).enumerate().rev().map(|(i, bytes)| {
                let value = bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
                l.constant(&format!("closing{i}"), 8 * bytes.len() as u32, value)
            });
            let constants: Vec<SignalId> = constants.collect();
            let xor = l.concat("closing_constant", &constants);
            digest = l.op("digest", Op::Xor, &[digest, xor]);
        }
        Returned { hot, chained, done, id, digest }
    }
}

/// What is XORed to the bytes of the digest, if that is not nothing.
fn closing_bytes(framing: &Framing) -> Option<Vec<u8>> {
    let xor = &framing.closing.as_ref()?.xor;
    let bytes = framing.digest.iter().map(|place| (xor[place.word] >> (8 * place.byte)) as u8);
    xor.iter().any(|&word| word != 0).then(|| bytes.collect())
}

/// A register of words of 32 bits, first one in the low bits, that takes `next` where `load` is 1,
/// and where `write` has a bit, takes that word from the bus.
pub(super) fn restored(
    l: &mut Logic,
    name: &str,
    next: SignalId,
    load: SignalId,
    write: SignalId,
    data: SignalId,
) -> SignalId {
    let words = (0..l.width(next) / 32).map(|i| {
        let part = l.slice(&format!("next_{name}{i}"), next, 32 * i, 32);
        let write = l.slice(&format!("write_{name}{i}"), write, i, 1);
        let value = l.choose(&format!("taken_{name}{i}"), write, data, part, 32);
        let either = l.or(&format!("load_{name}{i}"), &[load, write]);
        l.register(&format!("{name}{i}"), value, either)
    });
    let mut words: Vec<SignalId> = words.collect();
    words.reverse();
    l.concat(name, &words)
}
