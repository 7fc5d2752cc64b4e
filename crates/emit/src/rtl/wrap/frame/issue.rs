//! The chosen context's block is padded and handed to the core.
//!
//! ```text
//!  chosen ──┬► what the call is for ──► events, for the contexts' flags
//!  context  ├► chaining value before the block ──┬► registers ──► core ──► result
//!           └► padded block, counter, tag ───────┘
//! ```

use super::call::{Call, Events};
use super::choose::Chosen;
use super::instance::{Inputs, Offered};
use super::wipe::Wipe;
use super::{Buffer, Flags, FrameBuilder, Restore, restored};
use crate::rtl::netlist::SignalId;
use crate::rtl::wrap::axilite::chain_place;
use crate::rtl::wrap::padding::Padder;

/// A call on its way into the core, and what it does to the flags.
pub(super) struct Issued {
    /// The result that the core offers, and its chaining value.
    pub(super) result: Offered,
    pub(super) chain: SignalId,
    /// The context that was chosen in this clock, a bit for each.
    pub(super) chosen: SignalId,
    /// What the call sets and clears.
    pub(super) events: Events,
    /// Driven by the result: when the chaining value is written, and whose.
    pub(super) chain_written: (SignalId, SignalId),
    /// The chaining value of the one context, and the number of bytes that went into it.
    pub(super) state: Option<[SignalId; 2]>,
}

/// The contexts' chaining values.
struct Chain {
    /// The chaining value of the chosen context.
    known: SignalId,
    /// The chaining value that the core computed, whose signal the core drives.
    out: SignalId,
    /// Driven by the result: when a chaining value is written, and whose.
    written: (SignalId, SignalId),
}

impl FrameBuilder<'_> {
    /// Pads the chosen context's block and hands it to the core.
    pub(super) fn load(
        &mut self,
        flags: &Flags,
        chosen: Chosen,
        loads: SignalId,
        buffer: &Buffer,
        restore: Option<Restore>,
        wipe: Option<Wipe>,
    ) -> Issued {
        self.logic.begin("Load");
        let issue = self.issue(chosen.valid, loads);
        let call = self.call(flags, buffer, chosen.id);
        let events = self.events(&call, issue.load, chosen.id);
        if wipe.is_some() {
            let last = self.logic.and("message_leaves", &[issue.load, call.is_final]);
            self.wipes_after(wipe, last, chosen.id);
        }
        let chain = self.chain(chosen.id, restore, wipe);
        // A core with modes has the first chaining values itself.
        let before = match buffer.mode {
            Some(_) => chain.known,
            None => self.initial_or(chain.known, call.has_begun),
        };
        let mode = buffer.mode.as_ref().map(|modes| {
            let mode = self.read("mode", modes, chosen.id);
            [mode, self.logic.not("is_first", call.has_begun)]
        });

        // The block, the counter, and how many bytes went before.
        let Call { bytes, is_block, is_extra, is_end, has_begun, .. } = call;
        let mut padder =
            Padder { frame: self, bytes, is_block, is_extra, is_end, has_begun, id: chosen.id };
        let count = padder.count(issue.load, call.is_ended, restore);
        let total = count.map(|count| count.total);
        let block = match &issue.words {
            None => padder.block(buffer, total),
            Some(words) => padder.word(buffer, total, words),
        };
        let counter = padder.counter(total, call.is_final);

        let tag = self.tag(flags, call.is_final, chosen.id);
        let inputs = Inputs { tag, chain: before, block, counter, mode };
        let result = self.instance(&issue, inputs, chain.out);
        Issued {
            result,
            chain: chain.out,
            chosen: chosen.now,
            events,
            chain_written: chain.written,
            state: restore.and(count).map(|count| [chain.known, count.before]),
        }
    }

    /// Keeps the contexts' chaining values, and reads that of context `id`.
    fn chain(&mut self, id: SignalId, restore: Option<Restore>, wipe: Option<Wipe>) -> Chain {
        let (framing, id_bits) = (self.shape.framing, self.shape.id_bits);
        let l = &mut *self.logic;
        let out = l.driven("result_chain", framing.word_bits * framing.initial.len() as u32);
        let write = l.later("write_chain", 1);
        let write_id = match id_bits {
            0 => write,
            _ => l.later("write_id", id_bits),
        };
        let known = match restore {
            None => {
                let store = self.secret("chain", write, write_id, out, wipe);
                self.read("known_chain", &store, id)
            }
            Some(restore) => {
                let (write, next) = self.wiped("next_chain", write, out, wipe);
                let (words, data) = (restore.chain, restore.data);
                let place = |n| chain_place(framing, n);
                restored(self.logic, "chain", next, write, words, data, place)
            }
        };
        Chain { known, out, written: (write, write_id) }
    }

    /// The chaining value before a block: `known`, or before a message's first block the initial
    /// one.
    fn initial_or(&mut self, known: SignalId, has_begun: SignalId) -> SignalId {
        let framing = self.shape.framing;
        let (bits, words) = (framing.word_bits, framing.initial.len() as u32);
        let l = &mut *self.logic;
        let initial = framing.initial.iter().zip(0..).map(|(&value, i)| {
            let word = l.slice(&format!("known_h{i}"), known, bits * (words - 1 - i), bits);
            l.choose(&format!("h{i}"), has_begun, word, value, bits)
        });
        let initial: Vec<SignalId> = initial.collect();
        l.concat("chain_before", &initial)
    }

    /// The tag, which comes back with the result: whether a lane of the message was wrong, if lanes
    /// can be wrong; whether the call is the message's last one; the context, if there are several.
    fn tag(&mut self, flags: &Flags, is_final: SignalId, id: SignalId) -> SignalId {
        // The flag is the message's until its last call is loaded: the tag takes it along.
        let wrong = flags.wrong.map(|wrong| self.at("is_wrong", wrong, id));
        let id = (self.shape.id_bits > 0).then_some(id);
        let tag: Vec<SignalId> = wrong.into_iter().chain([is_final]).chain(id).collect();
        self.logic.concat("tag", &tag)
    }
}
