//! The logic around the core: messages come in, in lanes of a few bytes, and digests go out.
//! Padding is done here.
//!
//! ```text
//!            fill                      choose           load             core       result
//!  lane ──► buffer of its context ──► a context ──► padded block ──► compression ──┬► chain
//!           bytes, full, ended        round robin   chain, counter                 └► digest
//! ```
//!
//! Every context has a message of its own: a buffer of one block, its chaining value, and flags.
//! A context waits for its result before its next block goes in; meanwhile the buffer fills.

mod call;
mod choose;
mod fill;
mod instance;
mod issue;
mod result;
mod wipe;
mod words;

pub(super) use fill::Buffer;
pub(super) use words::Words;

use super::logic::Logic;
use crate::rtl::Core;
use crate::rtl::netlist::{Expr, MemoryId, SignalId};
use manylane_graph::framing::Framing;

/// The shape of the logic that is made.
pub(in crate::rtl::wrap) struct Shape<'s> {
    pub(in crate::rtl::wrap) framing: &'s Framing,
    pub(in crate::rtl::wrap) core: &'s Core,
    /// Bytes of a lane: a power of two that divides the block.
    pub(in crate::rtl::wrap) lane_bytes: usize,
    /// Bits of a context's number. With 0 there is one context, whose state the bus may set.
    pub(in crate::rtl::wrap) id_bits: u32,
}

/// A few bytes of a message on their way in.
#[derive(Clone, Copy)]
pub(in crate::rtl::wrap) struct Lane {
    /// A lane is offered.
    pub(in crate::rtl::wrap) valid: SignalId,
    /// The number of its context. It does not matter if there is only one.
    pub(in crate::rtl::wrap) id: SignalId,
    /// Byte 0 in the low bits.
    pub(in crate::rtl::wrap) data: SignalId,
    /// Which bytes there are: the low ones, all but in a message's last lane.
    pub(in crate::rtl::wrap) keep: SignalId,
    /// It is the last one of its message.
    pub(in crate::rtl::wrap) last: SignalId,
    /// Whether bytes of it were not where they belong, if that can be; `keep` has none of them
    /// then. The digest of its message is marked.
    pub(in crate::rtl::wrap) wrong: Option<SignalId>,
    /// For a core with modes, the message's mode; that of its first lane counts.
    pub(in crate::rtl::wrap) mode: Option<SignalId>,
}

/// How the one context is set from outside.
#[derive(Clone, Copy)]
pub(in crate::rtl::wrap) struct Restore {
    /// While this is 1, no new call begins.
    pub(in crate::rtl::wrap) hold: SignalId,
    /// Forgets the message; only while nothing is computed.
    pub(in crate::rtl::wrap) clear: SignalId,
    /// The next block follows the chaining value that was written.
    pub(in crate::rtl::wrap) resume: SignalId,
    /// Writes a word of 32 bits of the chaining value: one bit for each.
    pub(in crate::rtl::wrap) chain: SignalId,
    /// Writes a half of the number of bytes.
    pub(in crate::rtl::wrap) count: SignalId,
    /// The word of 32 bits that is written.
    pub(in crate::rtl::wrap) data: SignalId,
}

/// The signals that come out.
pub(in crate::rtl::wrap) struct Framed {
    /// Whether the lane is taken.
    pub(in crate::rtl::wrap) taken: SignalId,
    /// 1 for the one clock in which a digest is available.
    pub(in crate::rtl::wrap) done: SignalId,
    /// The context of that digest.
    pub(in crate::rtl::wrap) id: SignalId,
    /// The digest, byte 0 in the low bits.
    pub(in crate::rtl::wrap) digest: SignalId,
    /// Whether a lane of the message was wrong, if that can be.
    pub(in crate::rtl::wrap) wrong: Option<SignalId>,
    /// The mode of the digest's message, if there are modes.
    pub(in crate::rtl::wrap) mode: Option<SignalId>,
    /// Which contexts have a call under way.
    pub(in crate::rtl::wrap) busy: SignalId,
    /// Which contexts have a block or more to go.
    pub(in crate::rtl::wrap) blocked: SignalId,
    /// The chaining value of the one context, and the number of bytes that went into it.
    pub(in crate::rtl::wrap) state: Option<[SignalId; 2]>,
}

/// The storage of a value of each context.
pub(in crate::rtl::wrap) enum Store {
    Memory(MemoryId),
    One(SignalId),
}

/// The surroundings while they are written: their shape, and the netlist so far.
pub(in crate::rtl::wrap) struct FrameBuilder<'f> {
    pub(in crate::rtl::wrap) shape: &'f Shape<'f>,
    pub(in crate::rtl::wrap) logic: &'f mut Logic,
}

/// The contexts' flags, a bit for each context.
struct Flags {
    /// The buffer holds a block.
    full: SignalId,
    /// The block in the buffer is the message's last one.
    ended: SignalId,
    /// A block of padding is to follow.
    extra: SignalId,
    /// A call is under way.
    busy: SignalId,
    /// The message has a chaining value of its own.
    begun: SignalId,
    /// A lane of the message was wrong, if that can be.
    wrong: Option<SignalId>,
}

impl<'f> FrameBuilder<'f> {
    /// Makes everything between lanes and digests. `free` says whether a digest can be taken, if
    /// that is not always so.
    pub(in crate::rtl::wrap) fn make(
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
        let wrong = lane.wrong.map(|_| flag("wrong"));
        let flags = Flags { full, ended, extra, busy, begun, wrong };
        let blocked = self.logic.or("blocked", &[full, extra, closing]);

        let clear = restore.map(|restore| restore.clear);
        let wipe = self.wipe(clear);
        let (filled, buffer) = self.fill(lane, blocked, clear, wipe);
        let loads = self.logic.later("load", 1);
        let chosen = self.choose(&flags, blocked, loads, restore);
        let issued = self.load(&flags, chosen, loads, &buffer, restore, wipe);
        let returned = self.result(&issued, free, wipe);

        self.logic.begin("Contexts");
        let l = &mut *self.logic;
        l.drive(issued.chain_written.0, returned.chained);
        let clear: Vec<SignalId> = clear.into_iter().collect();
        let with = |signals: &[SignalId]| [signals, &clear[..]].concat();
        let events = &issued.events;
        l.flags(full, &[filled.full], &with(&[events.block]));
        l.flags(ended, &[filled.ended], &with(&[events.block]));
        l.flags(extra, &[events.spills], &with(&[events.extra]));
        l.flags(closing, &[events.closes], &with(&[events.ends]));
        l.flags(busy, &[issued.chosen], &[returned.hot]);
        let resume = restore.map(|restore| restore.resume);
        let begins: Vec<SignalId> = [events.begins].into_iter().chain(resume).collect();
        l.flags(begun, &begins, &with(&[events.ends]));
        if let (Some(wrong), Some(found)) = (wrong, filled.wrong) {
            l.flags(wrong, &[found], &with(&[events.ends]));
        }
        Framed {
            taken: filled.taken,
            done: returned.done,
            id: returned.id,
            digest: returned.digest,
            wrong: returned.wrong,
            mode: returned.mode,
            busy,
            blocked,
            state: issued.state,
        }
    }

    fn ids(&self) -> usize {
        1 << self.shape.id_bits
    }

    /// The bit of a context in a word that has a bit for each context.
    pub(in crate::rtl::wrap) fn at(
        &mut self,
        name: &str,
        flags: SignalId,
        id: SignalId,
    ) -> SignalId {
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

    /// A store with a value for each context, written where `write` is 1.
    pub(in crate::rtl::wrap) fn store(
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

    /// The value of the context `id` in a store.
    pub(in crate::rtl::wrap) fn read(
        &mut self,
        name: &str,
        store: &Store,
        id: SignalId,
    ) -> SignalId {
        match store {
            Store::Memory(memory) => self.logic.read(name, *memory, id),
            Store::One(register) => *register,
        }
    }
}

/// A register of words of 32 bits, the first one in the low bits. It takes `next` where `load` is
/// 1; word i takes `data`, from the bus, where bit `place(i)` of `write` is 1.
pub(in crate::rtl::wrap) fn restored(
    l: &mut Logic,
    name: &str,
    next: SignalId,
    load: SignalId,
    write: SignalId,
    data: SignalId,
    place: impl Fn(u32) -> u32,
) -> SignalId {
    let words = (0..l.width(next) / 32).map(|i| {
        let part = l.slice(&format!("next_{name}{i}"), next, 32 * i, 32);
        let write = l.slice(&format!("write_{name}{i}"), write, place(i), 1);
        let value = l.choose(&format!("taken_{name}{i}"), write, data, part, 32);
        let either = l.or(&format!("load_{name}{i}"), &[load, write]);
        l.register(&format!("{name}{i}"), value, either)
    });
    let mut words: Vec<SignalId> = words.collect();
    words.reverse();
    l.concat(name, &words)
}
