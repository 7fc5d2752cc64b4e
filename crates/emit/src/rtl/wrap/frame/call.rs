//! The purpose of the chosen context's call, and the effect of loading it on the contexts' flags.

use super::{Buffer, Flags, FrameBuilder};
use crate::rtl::netlist::SignalId;

/// The purpose of a call of the compression.
pub(super) struct Call {
    /// Bytes of message in the buffer.
    pub(super) bytes: SignalId,
    /// The call is for the block in the buffer; otherwise it is for padding, or the closing call.
    pub(super) is_block: SignalId,
    /// The block in the buffer is the message's last one.
    pub(super) is_ended: SignalId,
    /// The call is for a second block, of padding.
    pub(super) is_extra: SignalId,
    /// Another block of the message went before.
    pub(super) has_begun: SignalId,
    /// A block of padding follows, since this block has no room for all of it.
    pub(super) spills: SignalId,
    /// The call is for the last block, padded.
    pub(super) is_end: SignalId,
    /// A closing call follows.
    pub(super) closes: SignalId,
    /// The call is the message's last one.
    pub(super) is_final: SignalId,
}

/// The events of the chosen context when its call is loaded: words with a bit for each context, in
/// which its bit is 1 for that clock.
pub(super) struct Events {
    /// The block in the buffer is taken.
    pub(super) block: SignalId,
    /// The block of padding is taken.
    pub(super) extra: SignalId,
    /// A block of padding is to follow.
    pub(super) spills: SignalId,
    /// A closing call is to follow.
    pub(super) closes: SignalId,
    /// The message's last call is loaded.
    pub(super) ends: SignalId,
    /// A call that is not the message's last one is loaded.
    pub(super) begins: SignalId,
}

impl FrameBuilder<'_> {
    /// Computes the purpose of the call of context `id`.
    pub(super) fn call(&mut self, flags: &Flags, buffer: &Buffer, id: SignalId) -> Call {
        let framing = self.shape.framing;
        let is_block = self.at("is_block", flags.full, id);
        let is_ended = self.at("is_ended", flags.ended, id);
        let is_extra = self.at("is_extra", flags.extra, id);
        let has_begun = self.at("has_begun", flags.begun, id);
        let bytes = self.read("block_bytes", &buffer.bytes, id);
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
        Call { bytes, is_block, is_ended, is_extra, has_begun, spills, is_end, closes, is_final }
    }

    /// Makes the events of context `id`, where `load` is 1.
    pub(super) fn events(&mut self, call: &Call, load: SignalId, id: SignalId) -> Events {
        let hot = self.one_hot("chosen_hot", id);
        let l = &mut *self.logic;
        let mut event = |name: &str, condition: SignalId| {
            let happens = l.and(&format!("{name}_now"), &[load, condition]);
            l.gate(name, happens, hot)
        };
        let block = event("load_block", call.is_block);
        let extra = event("load_extra", call.is_extra);
        let spills = event("spill", call.spills);
        let closes = event("close", call.closes);
        let ends = event("finish", call.is_final);
        let goes_on = l.not("not_final", call.is_final);
        let goes_on = l.and("start_now", &[load, goes_on]);
        let begins = l.gate("start", goes_on, hot);
        Events { block, extra, spills, closes, ends, begins }
    }
}
