//! Makes the padding of a context's block: the bytes after the message, the length and the counter.
//!
//! ```text
//!  block   message … message first 0 … 0 last length     a second one, if the first has no room
//! ```

use super::frame::{Buffer, FrameBuilder, Restore, Words, restored};
use super::logic::Logic;
use crate::rtl::netlist::{Expr, SignalId, Value};
use manylane_graph::Op;
use manylane_graph::framing::{ByteOrder, COUNTER_NAMES, Unit};

/// The properties of the call that is to be made.
pub(super) struct Padder<'p, 'f> {
    pub(super) frame: &'p mut FrameBuilder<'f>,
    /// Bytes of message in the buffer.
    pub(super) bytes: SignalId,
    /// The call is for the block in the buffer; otherwise it is for padding, or the closing call.
    pub(super) is_block: SignalId,
    /// The call is for a second block, of padding.
    pub(super) is_extra: SignalId,
    /// The call is for the last block, padded.
    pub(super) is_end: SignalId,
    /// Another block of the message went before.
    pub(super) has_begun: SignalId,
    /// The context.
    pub(super) id: SignalId,
}

/// Bytes of message, 64 bits: in the blocks before, and with this one.
#[derive(Clone, Copy)]
pub(super) struct Count {
    /// In the blocks before.
    pub(super) before: SignalId,
    /// With this block.
    pub(super) total: SignalId,
}

impl Padder<'_, '_> {
    /// Counts bytes, if anything needs their number.
    pub(super) fn count(
        &mut self,
        load: SignalId,
        is_ended: SignalId,
        restore: Option<Restore>,
    ) -> Option<Count> {
        let framing = self.frame.shape.framing;
        let needed = framing.padding.length.is_some() || framing.counter.is_some();
        if !needed && restore.is_none() {
            return None;
        }
        let l = &mut *self.frame.logic;
        let write = l.and("write_count", &[load, self.is_block]);
        let next = l.later("count_after", 64);
        let known = match restore {
            Some(restore) => {
                restored(l, "count", next, write, restore.count, restore.data, |word| word)
            }
            None => {
                let store = self.frame.store("counts", write, self.id, next);
                self.frame.read("known_count", &store, self.id)
            }
        };
        let l = &mut *self.frame.logic;
        let before = l.gate("count_before", self.has_begun, known);
        let more = l.plus("count_more", before, framing.block_bytes as u64);
        // The last block's bytes are in the buffer, which a block of padding still reads.
        let known = l.choose("count_next", is_ended, before, more, 64);
        l.drive(next, known);
        if !needed {
            return Some(Count { before, total: before });
        }
        let bytes = l.resize("bytes_64", self.bytes, 64);
        let total = l.op("total", Op::Add, &[before, bytes]);
        Some(Count { before, total })
    }

    /// The padded block, first word in the highest bits.
    pub(super) fn block(&mut self, buffer: &Buffer, total: Option<SignalId>) -> SignalId {
        let framing = self.frame.shape.framing;
        let lane_bytes = self.frame.shape.lane_bytes;
        let bits = 8 * lane_bytes as u32;
        let first = framing.padding.first;
        let mut lanes = Vec::new();
        for (i, lane) in buffer.lanes.iter().enumerate() {
            let kept = self.frame.read(&format!("kept_lane{i}"), lane, self.id);
            let start = (i * lane_bytes) as u32;
            let l = &mut *self.frame.logic;
            let has = l.at_least(&format!("reaches{i}"), self.bytes, start + 1);
            let has = l.and(&format!("has{i}"), &[self.is_block, has]);
            let mut filler = Value::Const(0);
            if first != 0 {
                let ends = l.equals(&format!("ends_before{i}"), self.bytes, start);
                let mut marks = l.and(&format!("marks{i}"), &[self.is_block, ends]);
                if i == 0 {
                    let full = l.equals("was_full", self.bytes, framing.block_bytes as u32);
                    let begins = l.and("begins_extra", &[self.is_extra, full]);
                    marks = l.or("marks_first", &[marks, begins]);
                }
                let filled = l.choose(&format!("filler{i}"), marks, u64::from(first), 0, bits);
                filler = Value::Signal(filled);
            }
            lanes.push(l.choose(&format!("padded_lane{i}"), has, kept, filler, bits));
        }
        lanes.reverse();
        let l = &mut *self.frame.logic;
        let mut block = l.concat("padded", &lanes);

        let tail = self.tail(total);
        let l = &mut *self.frame.logic;
        if let Some(tail) = tail {
            let tail = l.gate("tail", self.is_end, tail);
            let (all, width) = (l.width(block), l.width(tail));
            let low = l.slice("padded_low", block, 0, all - width);
            let high = l.slice("padded_high", block, all - width, width);
            let high = l.or("padded_end", &[high, tail]);
            block = l.concat("framed", &[high, low]);
        }

        let width = framing.word_bits;
        let words = (0..framing.block_bytes as u32 * 8 / width).map(|i| {
            let word = l.slice(&format!("bytes_m{i}"), block, width * i, width);
            match framing.order {
                ByteOrder::Little => word,
                ByteOrder::Big => l.op(&format!("m{i}"), Op::SwapBytes, &[word]),
            }
        });
        let words: Vec<SignalId> = words.collect();
        l.concat("block_words", &words)
    }

    /// The padded block's words, one by one. Each is available a clock after it is read: its bytes
    /// of message out of the memory's register, and its padding out of another register.
    pub(super) fn word(
        &mut self,
        buffer: &Buffer,
        total: Option<SignalId>,
        words: &Words,
    ) -> SignalId {
        let framing = self.frame.shape.framing;
        let address = self.frame.lane_address("word_at", self.id, words.number);
        let kept = self.frame.read("kept_word", &buffer.lanes[0], address);
        let tail = self.tail(total);
        let l = &mut *self.frame.logic;
        let kept = l.register("word_kept_r", kept, words.goes);
        let (bits, number_bits) = (framing.word_bits, l.width(words.number));
        let all = 8 * framing.block_bytes as u32;
        let (count, byte_bits) = (all / bits, (bits / 8).trailing_zeros());

        // Words that the message reaches, a bit for each; 2^n less one for n of them.
        let whole = l.slice("whole_words", self.bytes, byte_bits, number_bits + 1);
        let odd = l.slice("odd_bytes", self.bytes, 0, byte_bits);
        let (more, is_even) = (l.any("word_odd", odd), l.equals("word_even", odd, 0));
        let more = l.resize("word_odd_wide", more, number_bits + 1);
        let reached = l.op("words_reached", Op::Add, &[whole, more]);
        let above = l.wire("words_above", count, Expr::OneHot(reached));
        let args = vec![Value::Signal(above), Value::Const(1)];
        let reached = l.wire("words_with_bytes", count, Expr::Op(Op::Sub, args));
        let reaches = l.wire("word_reached", 1, Expr::Bit(reached, words.number));
        let has = l.and("word_has", &[self.is_block, reaches]);
        let has = l.register("word_has_r", has, words.goes);

        // What is added to the message: the byte after it, the length.
        let mut others = Vec::new();
        if framing.padding.first != 0 {
            let number = l.resize("word_number_wide", words.number, number_bits + 1);
            let off = l.op("word_off", Op::Xor, &[number, whole]);
            let is_here = l.equals("word_here", off, 0);
            let mut marks = l.and("word_marks", &[self.is_block, is_here, is_even]);
            let full = l.equals("was_full", self.bytes, framing.block_bytes as u32);
            let is_first = l.equals("word_is_first", words.number, 0);
            let begins = l.and("begins_extra", &[self.is_extra, full, is_first]);
            marks = l.or("marks_word", &[marks, begins]);
            others.push(l.choose("word_mark", marks, u64::from(framing.padding.first), 0, bits));
        }
        if let Some(tail) = tail {
            let tail = l.gate("tail", self.is_end, tail);
            let first = all - l.width(tail);
            let arms = (first / bits..count).map(|i| {
                let (low, high) = ((i * bits).max(first), (i + 1) * bits);
                let part = l.slice(&format!("tail{i}"), tail, low - first, high - low);
                let part = match low > i * bits {
                    true => {
                        let zeros = l.constant("zeros", low - i * bits, 0);
                        l.concat(&format!("tail_word{i}"), &[part, zeros])
                    }
                    false => part,
                };
                (vec![i], Value::Signal(part))
            });
            let arms: Vec<_> = arms.chain([(vec![0], Value::Const(0))]).collect();
            let selected = Expr::Select { selector: words.number, arms };
            others.push(l.wire("word_tail", bits, selected));
        }
        let other = l.or("word_other", &others);
        let other = l.register("word_other_r", other, words.goes);
        let kept = l.gate("word_message", has, kept);
        let word = l.or("word_bytes", &[kept, other]);
        match framing.order {
            ByteOrder::Little => word,
            ByteOrder::Big => l.op("word", Op::SwapBytes, &[word]),
        }
    }

    /// The bytes from the last one before the length to the block's end, byte 0 in the low bits.
    fn tail(&mut self, total: Option<SignalId>) -> Option<SignalId> {
        let framing = self.frame.shape.framing;
        let l = &mut *self.frame.logic;
        let mut parts = Vec::new();
        if let Some(length) = framing.padding.length {
            let total = total.expect("bytes are counted");
            let value = match length.unit {
                Unit::Bytes => total,
                Unit::Bits => l.op("total_bits", Op::Shl(3), &[total]),
                Unit::Blocks => {
                    let shift = framing.block_bytes.trailing_zeros() as u8;
                    let whole = l.op("total_blocks", Op::Shr(shift), &[total]);
                    self.blocks(whole)
                }
            };
            let l = &mut *self.frame.logic;
            let zeros = 8 * length.bytes as u32 - 64;
            let zeros = (zeros > 0).then(|| l.constant("zeros", zeros, 0));
            parts = match length.order {
                ByteOrder::Little => zeros.into_iter().chain([value]).collect(),
                ByteOrder::Big => {
                    let value = l.op("length", Op::SwapBytes, &[value]);
                    [value].into_iter().chain(zeros).collect()
                }
            };
        }
        let l = &mut *self.frame.logic;
        if framing.padding.last != 0 {
            parts.push(l.constant("last_byte", 8, u64::from(framing.padding.last)));
        }
        (!parts.is_empty()).then(|| l.concat("ending", &parts))
    }

    /// The number of all blocks, from that of the message's whole blocks, a full one at its end
    /// among them. The rest of the message and the padding take one more block, or two where one
    /// has no room for both.
    fn blocks(&mut self, whole: SignalId) -> SignalId {
        let framing = self.frame.shape.framing;
        let l = &mut *self.frame.logic;
        let full = l.equals("is_full", self.bytes, framing.block_bytes as u32);
        let second = l.but("has_two", self.is_extra, full);
        let more = l.plus("one_block_more", whole, 1);
        let two = l.plus("two_blocks_more", whole, 2);
        l.choose("blocks", second, two, more, 64)
    }

    /// The counter, low word in the highest bits.
    pub(super) fn counter(
        &mut self,
        total: Option<SignalId>,
        is_final: SignalId,
    ) -> Option<SignalId> {
        let framing = self.frame.shape.framing;
        let counter = framing.counter?;
        let l = &mut *self.frame.logic;
        let mut count = total.expect("bytes are counted");
        if counter.unit == Unit::Bits {
            count = l.op("bits_before", Op::Shl(3), &[count]);
        }
        let bits = framing.word_bits;
        let names = COUNTER_NAMES.into_iter().take(counter.words).enumerate();
        let words: Vec<SignalId> = names
            .map(|(i, name)| {
                let at = bits * i as u32;
                let mut word = match i < 2 && at < 64 {
                    true => l.slice(name, count, at, bits),
                    false => l.constant(name, bits, 0),
                };
                let always = counter.always.words()[i];
                if always != 0 {
                    word = set(l, name, word, Value::Const(always));
                }
                let (first, last) = (counter.first.words()[i], counter.last.words()[i]);
                if first != 0 {
                    let flags = l.choose("first_flags", self.has_begun, 0, first, bits);
                    word = set(l, name, word, Value::Signal(flags));
                }
                if last != 0 {
                    let flags = l.choose("last_flags", self.is_end, last, 0, bits);
                    word = set(l, name, word, Value::Signal(flags));
                }
                if counter.zero_without_message {
                    let has = l.any("has_bytes", self.bytes);
                    let has = l.and("has_message", &[self.is_block, has]);
                    word = l.gate(name, has, word);
                }
                if let Some(closing) = &framing.closing {
                    let value = closing.counter.words()[i];
                    word = l.choose(name, is_final, value, word, bits);
                }
                word
            })
            .collect();
        Some(l.concat("t", &words))
    }
}

/// A word with bits of another set.
fn set(l: &mut Logic, name: &str, word: SignalId, bits: Value) -> SignalId {
    let args = vec![Value::Signal(word), bits];
    l.wire(name, l.width(word), Expr::Op(Op::Or, args))
}
