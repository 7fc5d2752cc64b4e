//! The parts that init, update, final and the hand-over share: the context, the variables, the
//! counter of a block.

use super::compression::Compression;
use super::operand::{Address, Area};
use super::text::Lines;
use manylane_graph::framing::{Counter, Counting, Framing, Unit};

/// A context in C, by its parts' offsets.
///
/// ```text
///  chaining value │ block that is not full │ count, 8 bytes │ held, 2 bytes │ late, 2 bytes
/// ```
///
/// `count` is the length of the message in whole blocks, in bytes or in blocks. `held` is the
/// number of bytes in the block that is not full. `late` exists only if the CPU does not compute
/// what XGATE does not finish in time: it is 1 once XGATE has not finished a job in time, else 0.
/// Words and numbers have their high byte first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// Bytes of the chaining value.
    pub chain_bytes: usize,
    /// Bytes of a block.
    pub block_bytes: usize,
    /// Whether `late` exists.
    pub has_late: bool,
}

impl Context {
    /// The offset of `count`.
    pub(super) fn count(self) -> usize {
        self.chain_bytes + self.block_bytes
    }

    /// The offset of `held`.
    pub(super) fn held(self) -> usize {
        self.count() + 8
    }

    /// The offset of `late`, whether or not it exists.
    pub(super) fn late(self) -> usize {
        self.held() + 2
    }

    /// The size of the context in bytes.
    pub fn bytes(self) -> usize {
        self.late() + if self.has_late { 2 } else { 0 }
    }
}

/// The XGATE side of a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handover {
    /// XGATE clocks of a block if nothing makes it wait.
    pub clocks: usize,
    /// Whether the CPU goes on while XGATE computes.
    pub is_beside: bool,
    /// Whether each job is one block, which takes the least code; else XGATE gets all whole blocks
    /// of an update at once, where they lie.
    pub is_by_block: bool,
    /// Whether the CPU computes what XGATE does not finish in time; else the message has no digest.
    pub falls_back: bool,
    /// Bytes of the words that the CPU computes ahead for a block of XGATE's, 0 if it does not.
    pub ahead_bytes: usize,
    /// One block in this many is made of such words. 1 means all blocks but the first.
    pub every: usize,
    /// Whether every block is made of such words, the first one and those of the padding too.
    pub is_each: bool,
}

// Byte offsets from `P_work` of the variables of init, update and final.

/// The address of the message's context.
pub(super) const CONTEXT: usize = 0;
/// The address of the message's next byte.
pub(super) const AT: usize = 2;
/// The number of bytes of the message that are left.
pub(super) const LEFT: usize = 4;
/// The number of bytes in the block that is not full.
pub(super) const HELD: usize = 6;
/// The number of bytes that are copied next.
pub(super) const PART: usize = 8;
/// A number of [`NUMBER_BYTES`] bytes, the high one first: the length of the message.
pub(super) const NUMBER: usize = 10;
/// Bytes of the number, as many as the longest length field has.
pub(super) const NUMBER_BYTES: usize = 16;
/// Bytes of all these variables.
pub(super) const VARIABLES: usize = NUMBER + NUMBER_BYTES;

/// The text of a hash's functions as it is written, and what it is written for.
pub(super) struct Writer<'w> {
    /// The instructions written so far.
    pub lines: Lines,
    /// The prefix of all names.
    pub p: &'w str,
    /// The padding, the counters and the output of the hash.
    pub framing: &'w Framing,
    /// The compression that the functions call.
    pub compression: &'w Compression,
    /// The sizes of the context of a message.
    pub context: Context,
    /// The XGATE side, if XGATE computes.
    pub handover: Option<&'w Handover>,
    /// Whether loops are to take the place of repeated code.
    pub is_lean: bool,
}

impl Writer<'_> {
    /// Adds an instruction.
    pub(super) fn op(&mut self, name: &str, operands: impl AsRef<str>) {
        self.lines.op(name, operands.as_ref());
    }

    /// Adds the instructions of a text, one in each line.
    pub(super) fn ops(&mut self, text: &str) {
        self.lines.ops(text);
    }

    /// Adds an entry point for C, behind its declaration as a comment.
    pub(super) fn entry(&mut self, declaration: &str, name: &str) {
        self.lines.entry(declaration, name);
    }

    /// The operand of the variable at an offset from `P_work`.
    pub(super) fn var(&self, offset: usize) -> String {
        format!("{}_work+{offset}", self.p)
    }

    /// Bytes of the counter's words.
    pub(super) fn counter_bytes(&self) -> usize {
        self.framing.counter_words() * self.framing.word_bits as usize / 8
    }

    /// The bytes of a counter as they lie in memory: the last word first, each big-endian.
    fn bytes_of(&self, counter: Counter<u64>) -> Vec<u8> {
        let word = self.framing.word_bits as usize / 8;
        let words = counter.words().into_iter().take(self.framing.counter_words()).rev();
        words.flat_map(|of| of.to_be_bytes().into_iter().skip(8 - word)).collect()
    }

    /// Where the compression takes its counter from, if it reads one.
    pub(super) fn counter_place(&self) -> Option<Address> {
        self.compression.counter.map(|offset| Address { area: Area::Kept, offset })
    }

    /// Sets the counter of a block. D is the number of message bytes up to the end of the block
    /// that the context's count does not include yet.
    pub(super) fn count(
        &mut self,
        counting: &Counting,
        is_last: bool,
        may_be_first: bool,
        label: &str,
    ) {
        let (p, c, count) = (self.p, self.var(CONTEXT), self.context.count());
        let Some(place) = self.counter_place() else { return };
        self.op("jsr", format!("{p}_total"));
        let (bytes, all) = (self.framing.word_bits as usize / 4, self.counter_bytes());
        for i in (0..all - bytes).step_by(2) {
            self.op("movw", format!("#0,{}", place.plus(i)));
        }
        for i in (0..bytes).step_by(2) {
            let from = self.var(NUMBER + NUMBER_BYTES - bytes + i);
            self.op("movw", format!("{from},{}", place.plus(all - bytes + i)));
        }
        self.set_bits(counting.flags(is_last));
        if may_be_first && counting.first != Counter::default() {
            self.ops(&format!("ldy {c}\nldx {count},y"));
            for i in [2, 4, 6] {
                self.op("orx", format!("{},y", count + i));
            }
            self.op("bne", format!("{p}_{label}_counted"));
            self.set_bits(counting.first);
            self.lines.label(&format!("{p}_{label}_counted"));
        }
    }

    /// Sets the counter of a whole block that is not the last one, if blocks are counted.
    pub(super) fn count_whole(&mut self, label: &str) {
        if let Some(counter) = self.framing.counter {
            self.op("ldd", format!("#{}", self.context.block_bytes));
            self.count(&counter, false, true, label);
        }
    }

    /// Adds D to the count of the context at X. `to` is the operand that a word of the sum goes to,
    /// by the word's offset in the count.
    pub(super) fn add_count(&mut self, to: impl Fn(usize) -> String) {
        let count = self.context.count();
        for i in [6, 4, 2, 0] {
            if i == 6 {
                self.op("addd", format!("{},x", count + i));
            } else {
                self.op("ldd", format!("{},x", count + i));
                self.op("aded", "#0");
            }
            self.op("std", to(i));
        }
    }

    /// Sets bits of the counter.
    pub(super) fn set_bits(&mut self, bits: Counter<u64>) {
        let Some(place) = self.counter_place() else { return };
        for (i, byte) in self.bytes_of(bits).into_iter().enumerate().rev() {
            if byte != 0 {
                self.op("bset", format!("{},#{byte}", place.plus(i)));
            }
        }
    }

    /// Sets the counter to a constant.
    pub(super) fn set_counter(&mut self, value: Counter<u64>) {
        let Some(place) = self.counter_place() else { return };
        for (i, limb) in self.bytes_of(value).as_chunks().0.iter().enumerate().rev() {
            let limb = u16::from_be_bytes(*limb);
            self.op("movw", format!("#{limb},{}", place.plus(2 * i)));
        }
    }

    /// Writes `P_total`, which sets the number to the sum of the context's count and D, in bits if
    /// the framing counts bits.
    pub(super) fn total(&mut self) {
        let (p, c) = (self.p, self.var(CONTEXT));
        let unit = self.framing.counter.map(|of| of.unit);
        let unit = unit.or(self.framing.padding.length.map(|of| of.unit));
        self.lines.text.push('\n');
        self.lines.comment("The message's length so far: what was counted, and D.");
        self.lines.label(&format!("{p}_total"));
        self.op("ldx", c);
        self.add_count(|i| format!("{p}_work+{}", NUMBER + 8 + i));
        // The three highest bits of the length go to the upper half if any of it is used.
        let length_bytes = self.framing.padding.length.map_or(0, |of| of.bytes);
        let counter_bytes = self.framing.counter.map_or(0, |_| self.framing.word_bits / 4);
        let is_long = !self.is_lean || length_bytes.max(counter_bytes as usize) > 8;
        if is_long {
            for i in (0..8).step_by(2) {
                self.op("movw", format!("#0,{}", self.var(NUMBER + i)));
            }
        }
        if unit == Some(Unit::Bits) {
            if self.is_lean {
                self.ops(&format!("ldab #3\n{p}_total_bits:"));
            }
            for _ in 0..if self.is_lean { 1 } else { 3 } {
                self.op("aslw", self.var(NUMBER + 14));
                for i in [12, 10, 8, 6].into_iter().filter(|&i| is_long || i > 6) {
                    self.op("rolw", self.var(NUMBER + i));
                }
            }
            if self.is_lean {
                self.op("dbne", format!("b,{p}_total_bits"));
            }
        }
        self.op("rts", "");
    }

    /// Writes a call of the compression with the context's block.
    pub(super) fn call(&mut self) {
        let (p, c) = (self.p, self.var(CONTEXT));
        let Context { chain_bytes, .. } = self.context;
        if !self.is_by_block() {
            self.ops(&format!("ldx {c}\nleay {chain_bytes},x"));
        }
        match self.handover {
            None => self.op("jsr", format!("{p}_compress")),
            Some(_) => self.op("jsr", format!("{p}_call")),
        }
    }

    /// Fills the context's block with zeros.
    pub(super) fn zero_block(&mut self, label: &str) {
        let (p, c) = (self.p, self.var(CONTEXT));
        let Context { chain_bytes, block_bytes: size, .. } = self.context;
        self.ops(&format!(
            "ldx {c}
             leax {chain_bytes},x
             ldd #{}
             {p}_zero_{label}:
             movw #0,2,x+
             dbne d,{p}_zero_{label}",
            size / 2
        ));
    }
}
