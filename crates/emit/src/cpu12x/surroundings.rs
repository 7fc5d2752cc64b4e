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
/// `count` is the bytes of message in whole blocks, or their number; `held` the bytes in the block.
/// `late` is there if only XGATE computes: 1 once it has not finished a job in time, else 0.
/// Words and numbers have their high byte first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// Bytes of the chaining value.
    pub chain_bytes: usize,
    /// Bytes of a block.
    pub block_bytes: usize,
    /// Whether `late` is there.
    pub has_late: bool,
}

impl Context {
    pub(super) fn count(self) -> usize {
        self.chain_bytes + self.block_bytes
    }

    pub(super) fn held(self) -> usize {
        self.count() + 8
    }

    pub(super) fn late(self) -> usize {
        self.held() + 2
    }

    /// Its size.
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
    /// Whether the CPU computes what XGATE does not finish in time; else the message has no digest.
    pub falls_back: bool,
    /// Bytes of the words that the CPU computes ahead for a block of XGATE's, 0 if it does not.
    pub ahead_bytes: usize,
    /// Of so many blocks one is of such words; 1 is all but the first.
    pub every: usize,
}

/// Variables of init, update and final, from `P_work` on.
pub(super) const CONTEXT: usize = 0;
pub(super) const AT: usize = 2;
pub(super) const LEFT: usize = 4;
pub(super) const HELD: usize = 6;
pub(super) const PART: usize = 8;
pub(super) const NUMBER: usize = 10;
/// Bytes of a number: as many as the longest length field.
pub(super) const NUMBER_BYTES: usize = 16;
pub(super) const VARIABLES: usize = NUMBER + NUMBER_BYTES;

pub(super) struct Writer<'w> {
    pub lines: Lines,
    pub p: &'w str,
    pub framing: &'w Framing,
    pub compression: &'w Compression,
    pub context: Context,
    pub handover: Option<&'w Handover>,
}

impl Writer<'_> {
    pub(super) fn op(&mut self, name: &str, operands: impl AsRef<str>) {
        self.lines.op(name, operands.as_ref());
    }

    pub(super) fn ops(&mut self, text: &str) {
        self.lines.ops(text);
    }

    /// An entry for C, after its declaration.
    pub(super) fn entry(&mut self, declaration: &str, name: &str) {
        self.lines.entry(declaration, name);
    }

    /// A variable.
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

    pub(super) fn counter_place(&self) -> Option<Address> {
        self.compression.counter.map(|offset| Address { area: Area::Kept, offset })
    }

    /// Sets the counter of a block up to whose end there are D bytes of message beyond the whole
    /// blocks.
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

    /// `P_total`: the number of the context's count and D, in bits if they are counted.
    pub(super) fn total(&mut self) {
        let (p, c, count) = (self.p, self.var(CONTEXT), self.context.count());
        let unit = self.framing.counter.map(|of| of.unit);
        let unit = unit.or(self.framing.padding.length.map(|of| of.unit));
        self.lines.text.push('\n');
        self.lines.comment("The message's length so far: what was counted, and D.");
        self.lines.label(&format!("{p}_total"));
        self.op("ldx", c);
        for i in (0..8).step_by(2).rev() {
            match i {
                6 => self.op("addd", format!("{},x", count + i)),
                _ => {
                    self.op("ldd", format!("{},x", count + i));
                    self.op("aded", "#0");
                }
            }
            self.op("std", self.var(NUMBER + 8 + i));
        }
        for i in (0..8).step_by(2) {
            self.op("movw", format!("#0,{}", self.var(NUMBER + i)));
        }
        if unit == Some(Unit::Bits) {
            for _ in 0..3 {
                self.op("aslw", self.var(NUMBER + 14));
                for i in [12, 10, 8, 6] {
                    self.op("rolw", self.var(NUMBER + i));
                }
            }
        }
        self.op("rts", "");
    }

    /// The label of one call of the compression, with the block at Y.
    pub(super) fn call(&self) -> String {
        match self.handover {
            None => format!("{}_compress", self.p),
            Some(_) => format!("{}_call", self.p),
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
