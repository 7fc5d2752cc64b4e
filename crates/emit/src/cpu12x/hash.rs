//! What surrounds a compression: init, update and final, callable from C.
//!
//! The convention is that of gcc for the 68HC12: the first argument is in D, the others are on the stack
//! behind the return address, and D, X and Y belong to the callee. Numbers are of 16 bits.

use super::compression::Compression;
use super::handover::Handover;
use super::operand::{Address, Area};
use super::text::Lines;
use crate::asm::Error;
use manylane_graph::framing::{ByteOrder, Counter, Framing, Length, More, Place, Stream, Unit};
use std::fmt::Write;

/// A context in C, by its parts' offsets.
///
/// ```text
///  chaining value │ block that is not full │ count, 8 bytes │ held, 2 bytes
/// ```
///
/// `count` is the bytes of message in whole blocks, or their number; `held` the bytes in the block. Words
/// and numbers have their high byte first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// Bytes of the chaining value.
    pub chain_bytes: usize,
    /// Bytes of a block.
    pub block_bytes: usize,
}

impl Context {
    pub(super) fn count(self) -> usize {
        self.chain_bytes + self.block_bytes
    }

    fn held(self) -> usize {
        self.count() + 8
    }

    /// Its size.
    pub fn bytes(self) -> usize {
        self.held() + 2
    }
}

/// A hash in assembly.
#[derive(Clone, Debug)]
pub struct Text {
    /// Instructions and constants.
    pub text: String,
    /// What callers hold.
    pub context: Context,
    /// Bytes of RAM from `P_work` on.
    pub work_bytes: usize,
}

/// Variables of init, update and final, from `P_work` on.
pub(super) const CONTEXT: usize = 0;
pub(super) const AT: usize = 2;
pub(super) const LEFT: usize = 4;
const HELD: usize = 6;
const PART: usize = 8;
const NUMBER: usize = 10;
/// Bytes of a number: as many as the longest length field.
const NUMBER_BYTES: usize = 16;
pub(super) const VARIABLES: usize = NUMBER + NUMBER_BYTES;

pub(super) struct Writer<'w> {
    pub lines: Lines,
    pub p: &'w str,
    pub framing: &'w Framing,
    pub compression: &'w Compression,
    pub context: Context,
    pub handover: Option<&'w Handover>,
}

/// Writes a hash around its compression. The work area begins at `address`. With `handover`, XGATE computes
/// the compressions, and the CPU those that XGATE does not finish in time.
///
/// # Errors
/// If the framing has a form that the program cannot do.
pub fn hash(
    stream: &Stream,
    compression: &Compression,
    function: &str,
    p: &str,
    address: usize,
    handover: Option<&Handover>,
) -> Result<Text, Error> {
    let framing = &stream.framing;
    let form = |what| Error::Form { function: function.to_owned(), what };
    let counts = counts_blocks(framing).map_err(form)?;
    let word = framing.word_bits as usize / 8;
    let chain_bytes = framing.initial.len() * word;
    if chain_bytes > 256 || framing.block_bytes > 512 {
        return Err(form("its chaining value or its block is longer than 256 or 512 bytes"));
    }
    if framing.padding.length.is_some_and(|length| length.bytes > NUMBER_BYTES) {
        return Err(form("its length field is longer than 16 bytes"));
    }
    let output = framing.digest.len();
    if stream.digest_bytes > output && stream.more != Some(More::Chained) {
        return Err(form("its output goes on after the first block by another call"));
    }
    let context = Context { chain_bytes, block_bytes: framing.block_bytes };
    let mut writer = Writer { lines: Lines::new(p), p, framing, compression, context, handover };
    let _ = writeln!(writer.lines.text, "{p}_work = 0x{address:04x}");
    let job_bytes = handover.map_or(0, |_| writer.job_bytes());
    writer.lines.text += &compression.symbols(p, address + VARIABLES + job_bytes);
    writer.init();
    writer.update();
    match handover {
        None => writer.whole(counts),
        Some(handover) => writer.handover(handover, counts),
    }
    if framing.counter.is_some() || framing.padding.length.is_some() {
        writer.total();
    }
    writer.last(stream.digest_bytes);
    writer.constants();
    writer.lines.text += &compression.text;
    Ok(Text {
        text: writer.lines.text,
        context,
        work_bytes: VARIABLES + job_bytes + compression.bytes(),
    })
}

/// Whether the context counts blocks instead of bytes.
fn counts_blocks(framing: &Framing) -> Result<bool, &'static str> {
    let units = [framing.padding.length.map(|of| of.unit), framing.counter.map(|of| of.unit)];
    let is_blocks = |unit: &Unit| *unit == Unit::Blocks;
    let blocks = units.iter().flatten().any(is_blocks);
    match blocks && !units.iter().flatten().all(is_blocks) {
        true => Err("it counts both blocks and bytes"),
        false => Ok(blocks),
    }
}

impl Writer<'_> {
    pub(super) fn op(&mut self, name: &str, operands: impl AsRef<str>) {
        self.lines.op(name, operands.as_ref());
    }

    pub(super) fn ops(&mut self, text: &str) {
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (name, operands) = line.split_once(' ').unwrap_or((line, ""));
            match line.strip_suffix(':') {
                Some(label) if !label.contains(' ') => self.lines.label(label),
                _ => self.lines.op(name, operands.trim()),
            }
        }
    }

    /// An entry for C, after its declaration.
    pub(super) fn entry(&mut self, declaration: &str, name: &str) {
        let p = self.p;
        self.lines.text.push('\n');
        self.lines.comment(declaration);
        self.op(".globl", format!("{p}_{name}"));
        self.lines.label(&format!("{p}_{name}"));
    }

    /// A variable.
    pub(super) fn var(&self, offset: usize) -> String {
        format!("{}_work+{offset}", self.p)
    }

    pub(super) fn counter_place(&self) -> Option<Address> {
        self.compression.counter.map(|offset| Address { area: Area::Kept, offset })
    }

    fn init(&mut self) {
        let (p, Context { chain_bytes, .. }) = (self.p, self.context);
        self.entry(&format!("void {p}_init({p}_ctx *c)"), "init");
        self.settled_entry();
        self.ops(&format!(
            "tfr d,y
             ldx #{p}_initial
             {p}_init_more:
             movw 2,x+,2,y+
             cpx #{p}_initial+{chain_bytes}
             bne {p}_init_more
             tfr d,y"
        ));
        for i in (0..10).step_by(2) {
            self.op("movw", format!("#0,{},y", self.context.count() + i));
        }
        self.op("rts", "");
    }

    fn update(&mut self) {
        let p = self.p;
        let Context { chain_bytes, block_bytes: size, .. } = self.context;
        let (c, at, left) = (self.var(CONTEXT), self.var(AT), self.var(LEFT));
        let (held, part) = (self.var(HELD), self.var(PART));
        let held_at = self.context.held();
        let holds_last = self.framing.padding.holds_last;
        // The block of the context at Y.
        let one = match self.handover {
            None => format!("jsr {p}_whole"),
            Some(of) if of.is_beside => format!("ldd #1\njsr {p}_wholes\njsr {p}_settle"),
            Some(_) => format!("ldd #1\njsr {p}_wholes"),
        };
        self.entry(
            &format!("void {p}_update({p}_ctx *c, const void *data, uint16_t length)"),
            "update",
        );
        self.settled_entry();
        self.ops(&format!(
            "std {c}
             movw 2,sp,{at}
             movw 4,sp,{left}
             {p}_update_more:
             ldy {c}
             ldx {held_at},y
             ldd {left}
             lbeq {p}_update_end"
        ));
        if holds_last {
            // A full block waits until it is known not to be the last one.
            self.ops(&format!(
                "cpx #{size}
                 bne {p}_update_room
                 leay {chain_bytes},y
                 {one}
                 ldy {c}
                 ldx #0
                 stx {held_at},y
                 ldd {left}
                 {p}_update_room:"
            ));
        }
        let fewer = if holds_last { "bls" } else { "blo" };
        self.ops(&format!(
            "tbne x,{p}_update_part
             cpd #{size}
             {fewer} {p}_update_part"
        ));
        match self.handover {
            None => self.ops(&format!(
                "ldy {at}
                 jsr {p}_whole
                 ldd {at}
                 addd #{size}
                 std {at}
                 ldd {left}
                 subd #{size}
                 std {left}"
            )),
            Some(_) => self.all_whole(),
        }
        self.ops(&format!(
            "jmp {p}_update_more
             {p}_update_part:
             stx {held}
             ldd #{size}
             subd {held}
             cpd {left}
             bls {p}_update_fits
             ldd {left}
             {p}_update_fits:
             std {part}
             ldd {held}
             leay {chain_bytes},y
             leay d,y
             ldx {at}
             ldd {part}
             {p}_update_copy:
             movb 1,x+,1,y+
             dbne d,{p}_update_copy
             stx {at}
             ldd {left}
             subd {part}
             std {left}
             ldy {c}
             ldd {held}
             addd {part}
             std {held_at},y"
        ));
        if !holds_last {
            self.ops(&format!(
                "cpd #{size}
                 lbne {p}_update_more
                 movw #0,{held_at},y
                 leay {chain_bytes},y
                 {one}"
            ));
        }
        self.ops(&format!("jmp {p}_update_more\n{p}_update_end:\nrts"));
    }

    /// `P_whole`: a whole block of the message at Y, which is not its last.
    fn whole(&mut self, counts_blocks: bool) {
        let (p, c, count) = (self.p, self.var(CONTEXT), self.context.count());
        self.lines.text.push('\n');
        self.lines.comment("A whole block of the message at Y, all but the last.");
        self.lines.label(&format!("{p}_whole"));
        if let Some(counter) = self.framing.counter {
            self.op("pshy", "");
            self.op("ldd", format!("#{}", self.context.block_bytes));
            self.count(&counter, false, true, "whole");
            self.op("puly", "");
        }
        self.ops(&format!("ldx {c}\njsr {p}_compress\nldx {c}"));
        let step = if counts_blocks { 1 } else { self.context.block_bytes };
        for i in (0..8).step_by(2).rev() {
            self.op("ldd", format!("{},x", count + i));
            match i {
                6 => self.op("addd", format!("#{step}")),
                _ => self.op("aded", "#0"),
            }
            self.op("std", format!("{},x", count + i));
        }
        self.op("rts", "");
    }

    /// Sets the counter of a block up to whose end there are D bytes of message beyond the whole blocks.
    pub(super) fn count(
        &mut self,
        counter: &Counter,
        is_last: bool,
        may_be_first: bool,
        label: &str,
    ) {
        let (p, c, count) = (self.p, self.var(CONTEXT), self.context.count());
        let Some(place) = self.counter_place() else { return };
        self.op("jsr", format!("{p}_total"));
        let bytes = self.framing.word_bits as usize / 4;
        for i in (0..bytes).step_by(2) {
            let from = self.var(NUMBER + NUMBER_BYTES - bytes + i);
            self.op("movw", format!("{from},{}", place.plus(i)));
        }
        self.set_bits(counter.always | if is_last { counter.last } else { 0 });
        if may_be_first && counter.first != 0 {
            self.ops(&format!("ldy {c}\nldx {count},y"));
            for i in [2, 4, 6] {
                self.op("orx", format!("{},y", count + i));
            }
            self.op("bne", format!("{p}_{label}_counted"));
            self.set_bits(counter.first);
            self.lines.label(&format!("{p}_{label}_counted"));
        }
    }

    /// Sets bits of the counter.
    fn set_bits(&mut self, bits: u128) {
        let Some(place) = self.counter_place() else { return };
        let bytes = self.framing.word_bits as usize / 4;
        for i in 0..bytes {
            let byte = (bits >> (8 * i)) as u8;
            if byte != 0 {
                self.op("bset", format!("{},#{byte}", place.plus(bytes - 1 - i)));
            }
        }
    }

    /// Sets the counter to a constant.
    fn set_counter(&mut self, value: u128) {
        let Some(place) = self.counter_place() else { return };
        let bytes = self.framing.word_bits as usize / 4;
        for i in (0..bytes).step_by(2) {
            let limb = (value >> (8 * i)) as u16;
            self.op("movw", format!("#{limb},{}", place.plus(bytes - 2 - i)));
        }
    }

    /// `P_total`: the number of the context's count and D, in bits if they are counted.
    fn total(&mut self) {
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

    /// `final`: the padding, the last blocks and the digest.
    fn last(&mut self, digest_bytes: usize) {
        let p = self.p;
        let framing = self.framing;
        let Context { chain_bytes, block_bytes: size, .. } = self.context;
        let (c, at, held) = (self.var(CONTEXT), self.var(AT), self.var(HELD));
        let held_at = self.context.held();
        let padding = &framing.padding;
        let call = self.call();
        let length_bytes = padding.length.map_or(0, |length| length.bytes);
        self.entry(&format!("void {p}_final({p}_ctx *c, uint8_t digest[{digest_bytes}])"), "final");
        self.unsettled_entry();
        self.ops(&format!(
            "std {c}
             movw 2,sp,{at}
             tfr d,y
             ldd {held_at},y
             std {held}
             leax {chain_bytes},y
             leax d,x
             ldd #{size}
             subd {held}
             beq {p}_final_full
             pshx
             {p}_final_zero:
             clr 1,x+
             dbne d,{p}_final_zero
             pulx"
        ));
        if padding.first != 0 {
            self.ops(&format!("movb #{},0,x", padding.first));
        }
        self.lines.label(&format!("{p}_final_full"));
        self.settled();
        if padding.room < size {
            self.ops(&format!("ldd {held}\ncpd #{}\nlbls {p}_final_one", padding.room));
            if let Some(counter) = framing.counter {
                // This block has message: more than the room beside the padding.
                self.count(&counter, false, true, "before_last");
            }
            self.ops(&format!("ldx {c}\nleay {chain_bytes},x\njsr {call}"));
            self.zero_block("before_last");
            if padding.first != 0 {
                self.ops(&format!(
                    "ldd {held}
                     cpd #{size}
                     bne {p}_final_begun
                     ldx {c}
                     movb #{},{chain_bytes},x
                     {p}_final_begun:",
                    padding.first
                ));
            }
            if let Some(counter) = framing.counter {
                match counter.zero_without_message {
                    true => self.set_counter(0),
                    false => {
                        self.op("ldd", &held);
                        self.count(&counter, true, false, "end");
                    }
                }
            }
            if matches!(padding.length, Some(Length { unit: Unit::Blocks, .. })) {
                self.op("ldd", "#2");
            }
            self.op("bra", format!("{p}_final_end"));
            self.lines.label(&format!("{p}_final_one"));
        }
        if let Some(counter) = framing.counter {
            self.op("ldd", &held);
            if counter.zero_without_message {
                self.op("beq", format!("{p}_final_empty"));
            }
            self.count(&counter, true, true, "end_of_one");
            if counter.zero_without_message {
                self.op("bra", format!("{p}_final_end"));
                self.lines.label(&format!("{p}_final_empty"));
                self.set_counter(0);
            }
        }
        if matches!(padding.length, Some(Length { unit: Unit::Blocks, .. })) {
            self.op("ldd", "#1");
        }
        self.lines.label(&format!("{p}_final_end"));
        if let Some(length) = padding.length {
            if length.unit != Unit::Blocks {
                self.op("ldd", &held);
            }
            self.op("jsr", format!("{p}_total"));
            self.op("ldx", &c);
            self.length(length);
        }
        if padding.last != 0 {
            self.op("ldx", &c);
            let place = chain_bytes + size - length_bytes - 1;
            self.op("bset", format!("{place},x,#{}", padding.last));
        }
        self.ops(&format!("ldx {c}\nleay {chain_bytes},x\njsr {call}"));
        if let Some(closing) = &framing.closing {
            self.zero_block("closing");
            self.set_counter(closing.counter);
            self.ops(&format!("ldx {c}\nleay {chain_bytes},x\njsr {call}"));
            if closing.xor.iter().any(|&word| word != 0) {
                self.ops(&format!(
                    "ldx {c}
                     ldy #{p}_closing
                     {p}_final_xor:
                     ldd 2,y+
                     eora 0,x
                     eorb 1,x
                     std 2,x+
                     cpy #{p}_closing+{chain_bytes}
                     bne {p}_final_xor"
                ));
            }
        }
        self.digest(digest_bytes);
    }

    /// The label of one call of the compression, with the block at Y.
    fn call(&self) -> String {
        match self.handover {
            None => format!("{}_compress", self.p),
            Some(_) => format!("{}_call", self.p),
        }
    }

    /// Fills the context's block with zeros.
    fn zero_block(&mut self, label: &str) {
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

    /// The length field at the end of the block of the context, to which X points.
    fn length(&mut self, length: Length) {
        let end = self.context.chain_bytes + self.context.block_bytes;
        for i in (0..length.bytes).step_by(2) {
            // The least significant bytes first.
            let from = self.var(NUMBER + NUMBER_BYTES - 2 - i);
            match length.order {
                ByteOrder::Big => self.op("movw", format!("{from},{},x", end - 2 - i)),
                ByteOrder::Little => {
                    self.op("ldd", from);
                    self.op("exg", "a,b");
                    self.op("std", format!("{},x", end - length.bytes + i));
                }
            }
        }
    }

    /// The digest's bytes, and the end.
    fn digest(&mut self, digest_bytes: usize) {
        let (p, c, at, part) = (self.p, self.var(CONTEXT), self.var(AT), self.var(PART));
        let (chain_bytes, call) = (self.context.chain_bytes, self.call());
        let block = self.framing.digest.len();
        let (full, rest) = (digest_bytes / block, digest_bytes % block);
        if full > 1 || (full == 1 && rest > 0) {
            // A block from each chaining value.
            self.op("movw", format!("#{full},{part}"));
            self.lines.label(&format!("{p}_final_output"));
            self.bytes(block);
            self.op("sty", &at);
            self.zero_block("output");
            self.ops(&format!("ldd {part}\nsubd #1\nstd {part}"));
            if rest == 0 {
                self.op("lbeq", format!("{p}_final_done"));
            }
            self.ops(&format!("ldx {c}\nleay {chain_bytes},x\njsr {call}"));
            self.op("ldd", &part);
            self.op("lbne", format!("{p}_final_output"));
            self.bytes(rest);
            self.lines.label(&format!("{p}_final_done"));
        } else {
            self.bytes(digest_bytes);
        }
        self.op("rts", "");
    }

    /// The first bytes of the output, to where the digest goes on.
    fn bytes(&mut self, count: usize) {
        let word = self.framing.word_bits as usize / 8;
        let offset = |place: &Place| place.word * word + word - 1 - place.byte;
        let places: Vec<usize> = self.framing.digest[..count].iter().map(offset).collect();
        let (c, at) = (self.var(CONTEXT), self.var(AT));
        self.op("ldx", c);
        self.op("ldy", at);
        let mut i = 0;
        while i < count {
            let here = places[i];
            match places.get(i + 1) {
                Some(&next) if next == here + 1 => {
                    self.op("movw", format!("{here},x,2,y+"));
                    i += 2;
                }
                Some(&next) if here == next + 1 => {
                    self.ops(&format!("ldd {next},x\nexg a,b\nstd 2,y+"));
                    i += 2;
                }
                _ => {
                    self.op("movb", format!("{here},x,1,y+"));
                    i += 1;
                }
            }
        }
    }

    fn constants(&mut self) {
        let bytes = self.framing.word_bits as usize / 8;
        let words = |words: &[u64]| -> String {
            let mut text = String::new();
            for word in words {
                let limbs: Vec<String> = (0..bytes / 2)
                    .rev()
                    .map(|i| format!("0x{:04x}", (word >> (16 * i)) as u16))
                    .collect();
                let _ = writeln!(text, "        .word   {}", limbs.join(", "));
            }
            text
        };
        let _ = write!(self.lines.text, "\n{}_initial:\n{}", self.p, words(&self.framing.initial));
        if let Some(closing) = &self.framing.closing
            && closing.xor.iter().any(|&word| word != 0)
        {
            let _ = write!(self.lines.text, "{}_closing:\n{}", self.p, words(&closing.xor));
        }
        self.lines.text.push('\n');
    }
}
