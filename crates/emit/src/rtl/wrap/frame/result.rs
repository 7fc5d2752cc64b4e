//! The results of the core: the next chaining value of a message, or its digest.

use super::instance::Offered;
use super::issue::Issued;
use super::wipe::Wipe;
use super::{FrameBuilder, Shape};
use crate::rtl::netlist::SignalId;
use crate::rtl::wrap::logic::Logic;
use manylane_graph::Op;
use manylane_graph::framing::Framing;

/// The signals of a result that comes back.
pub(super) struct Returned {
    /// The context whose call has returned, a bit for each.
    pub(super) hot: SignalId,
    /// A chaining value has returned, after which the message goes on.
    pub(super) chained: SignalId,
    /// A digest has returned.
    pub(super) done: SignalId,
    /// The context of the result.
    pub(super) id: SignalId,
    /// The digest, byte 0 in the low bits.
    pub(super) digest: SignalId,
    /// Whether a lane of the message was wrong, if that can be.
    pub(super) wrong: Option<SignalId>,
    /// The mode of the message, if there are modes.
    pub(super) mode: Option<SignalId>,
}

impl FrameBuilder<'_> {
    /// Takes results: the next chaining value of a message, or its digest.
    pub(super) fn result(
        &mut self,
        issued: &Issued,
        free: Option<SignalId>,
        wipe: Option<Wipe>,
    ) -> Returned {
        let Shape { framing, id_bits, .. } = *self.shape;
        let Offered { valid, ready, tag, digest } = issued.result;
        let l = &mut *self.logic;
        l.begin("Results");
        let is_final = l.slice("is_digest", tag, id_bits, 1);
        let id = match id_bits {
            0 => tag,
            _ => l.slice("result_id", tag, 0, id_bits),
        };
        let marked = l.width(tag) > id_bits + 1;
        let wrong = marked.then(|| l.slice("is_wrong_digest", tag, id_bits + 1, 1));
        let goes = match free {
            None => l.constant("digest_goes", 1, 1),
            Some(free) => {
                let waits = l.but("digest_waits", is_final, free);
                l.not("digest_goes", waits)
            }
        };
        let goes = match wipe {
            None => goes,
            Some(wipe) => {
                let waits = l.but("chain_waits", wipe.now, is_final);
                l.but("result_goes", goes, waits)
            }
        };
        l.drive(ready, goes);
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
        let chain = digest.map_or(issued.chain, |[_, digest]| digest);
        let mode = digest.map(|[mode, _]| mode);
        if let Some([_, digest]) = digest {
            name_unread(l, framing, digest);
        }
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
        Returned { hot, chained, done, id, digest, wrong, mode }
    }
}

/// Gives the bits of the core's digest that no mode has a name of their own, since linters complain
/// of bits that nothing reads unless `unused` is in their name.
fn name_unread(l: &mut Logic, framing: &Framing, digest: SignalId) {
    let (bits, words) = (framing.word_bits, framing.initial.len());
    let mut is_read = vec![false; words * bits as usize / 8];
    for place in &framing.digest {
        is_read[(words - 1 - place.word) * bits as usize / 8 + place.byte] = true;
    }
    let mut low = 0;
    for run in is_read.chunk_by(|one, next| one == next) {
        let width = 8 * run.len() as u32;
        if !run[0] {
            l.slice("digest_unused", digest, low, width);
        }
        low += width;
    }
}

/// The bytes that are XORed to the digest, if they are not all zero.
fn closing_bytes(framing: &Framing) -> Option<Vec<u8>> {
    let xor = &framing.closing.as_ref()?.xor;
    let bytes = framing.digest.iter().map(|place| (xor[place.word] >> (8 * place.byte)) as u8);
    xor.iter().any(|&word| word != 0).then(|| bytes.collect())
}
