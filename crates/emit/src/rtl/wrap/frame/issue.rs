//! The chosen context's block is padded and handed to the core.

use super::choose::Chosen;
use super::wipe::Wipe;
use super::words::Words;
use super::{Buffer, Flags, Frame, Restore, Shape, restored};
use crate::rtl::Core;
use crate::rtl::netlist::SignalId;
use crate::rtl::wrap::axilite::chain_place;
use crate::rtl::wrap::padding::Padder;

/// A call on its way into the core, and what it does to the flags.
pub(super) struct Issued {
    /// The result that the core offers.
    pub(super) result: [SignalId; 3],
    /// With modes, the mode and the digest of the result.
    pub(super) digest: Option<[SignalId; 2]>,
    pub(super) ready: SignalId,
    pub(super) chosen: SignalId,
    pub(super) block: SignalId,
    pub(super) extra: SignalId,
    pub(super) closing: SignalId,
    pub(super) spills: SignalId,
    pub(super) closes: SignalId,
    pub(super) begins: SignalId,
    pub(super) ends: SignalId,
    /// Driven by the result: when the chaining value is written, and whose.
    pub(super) chain_written: (SignalId, SignalId),
    pub(super) state: Option<[SignalId; 2]>,
}

impl Frame<'_> {
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
        let Shape { framing, core, id_bits, .. } = *self.shape;
        self.logic.begin("Load");
        let valid = self.logic.state("issue_valid", 1);
        let ready = self.logic.driven("core_ready", 1);
        let l = &mut *self.logic;
        let stays = l.but("issue_stays", valid, ready);
        let free = l.not("issue_free", stays);
        // A block that goes in word by word is offered with its last word.
        let serial = core.words().map(|words| Words::new(l, words, chosen.valid, free));
        let load = match &serial {
            None => l.and("loads", &[chosen.valid, free]),
            Some(words) => words.last,
        };
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
        let block_taken = event("load_block", is_block);
        let extra = event("load_extra", is_extra);
        let [spilled, closed, ends] =
            [("spill", spills), ("close", closes), ("finish", is_final)].map(|(n, c)| event(n, c));
        let goes_on = l.not("not_final", is_final);
        let begins = {
            let happens = l.and("start_now", &[load, goes_on]);
            l.gate("start", happens, hot)
        };

        if wipe.is_some() {
            let last = l.and("message_leaves", &[load, is_final]);
            self.wipes_after(wipe, last, chosen.id);
        }

        // The chaining value before the block.
        let (bits, words) = (framing.word_bits, framing.initial.len() as u32);
        let l = &mut *self.logic;
        let out_chain = l.driven("result_chain", bits * words);
        let write_chain = l.later("write_chain", 1);
        let write_id = match id_bits {
            0 => write_chain,
            _ => l.later("write_id", id_bits),
        };
        let known = match restore {
            None => {
                let store = self.secret("chain", write_chain, write_id, out_chain, wipe);
                self.read("known_chain", &store, chosen.id)
            }
            Some(restore) => {
                let (write, next) = self.wiped("next_chain", write_chain, out_chain, wipe);
                let (words, data) = (restore.chain, restore.data);
                let place = |n| chain_place(framing, n);
                restored(self.logic, "chain", next, write, words, data, place)
            }
        };
        let l = &mut *self.logic;
        // A core with modes has the first chaining values itself.
        let chain = match buffer.mode {
            Some(_) => known,
            None => {
                let initial = framing.initial.iter().enumerate().map(|(i, &value)| {
                    let i = i as u32;
                    let word = l.slice(&format!("known_h{i}"), known, bits * (words - 1 - i), bits);
                    l.choose(&format!("h{i}"), has_begun, word, value, bits)
                });
                let initial: Vec<SignalId> = initial.collect();
                l.concat("chain_before", &initial)
            }
        };
        let mode = buffer.mode.as_ref().map(|modes| self.read("mode", modes, chosen.id));
        let first = mode.map(|_| self.logic.not("is_first", has_begun));

        // The block, the counter, and how many bytes went before.
        let mut padder =
            Padder { frame: self, bytes, is_block, is_extra, is_end, has_begun, id: chosen.id };
        let written = padder.count(load, is_ended, restore);
        let total = written.map(|written| written.total);
        let padded = match &serial {
            None => padder.block(buffer, total),
            Some(words) => padder.word(buffer, total, words),
        };
        let counter = padder.counter(total, is_final);

        // The flag is the message's until its last call is loaded: the tag takes it along.
        let wrong = flags.wrong.map(|wrong| self.at("is_wrong", wrong, chosen.id));
        let l = &mut *self.logic;
        let id = (id_bits > 0).then_some(chosen.id);
        let tag: Vec<SignalId> = wrong.into_iter().chain([is_final]).chain(id).collect();
        let tag = l.concat("tag", &tag);
        let mut ports = vec![("in_valid".to_owned(), valid), ("in_ready".to_owned(), ready)];
        let block = match &serial {
            None => ("in_block", Some(padded)),
            Some(words) => {
                ports.push((Core::WORD.to_owned(), padded));
                ports.push(("word_valid".to_owned(), words.valid));
                ports.push(("word_ready".to_owned(), words.ready));
                ("in_block", None)
            }
        };
        let inputs = [
            ("in_tag", Some(tag)),
            ("in_chain", Some(chain)),
            block,
            ("in_counter", counter),
            ("in_mode", mode),
            ("in_first", first),
        ];
        let leaves = core.clears.then(|| l.and("issue_leaves", &[valid, ready]));
        for (port, value) in inputs {
            if let Some(value) = value {
                let name = format!("issue_{}", &port[3..]);
                let register = l.passing(&name, value, load, leaves);
                ports.push((port.to_owned(), register));
            }
        }
        if let Some(clear) = l.net.zero {
            ports.push(("clear".to_owned(), clear));
        }
        let result_valid = l.driven("result_valid", 1);
        let result_ready = l.later("result_ready", 1);
        let result_tag = l.driven("result_tag", l.width(tag));
        ports.extend(
            [
                ("out_valid", result_valid),
                ("out_ready", result_ready),
                ("out_tag", result_tag),
                ("out_chain", out_chain),
            ]
            .map(|(port, signal)| (port.to_owned(), signal)),
        );
        let digest = mode.map(|mode| {
            let mode = l.driven("result_mode", l.width(mode));
            let digest = l.driven("result_digest", bits * words);
            ports.push(("out_mode".to_owned(), mode));
            ports.push(("out_digest".to_owned(), digest));
            [mode, digest]
        });
        l.instance(&core.netlist.name, ports);
        Issued {
            result: [result_valid, result_tag, out_chain],
            digest,
            ready: result_ready,
            chosen: chosen.now,
            block: block_taken,
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
}
