//! The surroundings of a compression: init, update and final, callable from C.
//!
//! The convention is that of gcc for the 68HC12: the first argument is in D, the others are on the
//! stack behind the return address, and D, X and Y belong to the callee. Numbers are of 16 bits.

use super::compression::Compression;
use super::surroundings::{AT, CONTEXT, HELD, LEFT, NUMBER_BYTES, PART};
use super::surroundings::{Context, Handover, VARIABLES, Writer};
use super::text::Lines;
use crate::asm::Error;
use manylane_graph::framing::{Framing, More, Stream, Unit};
use std::fmt::Write;

/// A hash in assembly.
#[derive(Clone, Debug)]
pub struct Text {
    /// Instructions and constants.
    pub text: String,
    /// The context, which callers hold.
    pub context: Context,
    /// Bytes of the digest.
    pub digest_bytes: usize,
    /// Bytes of RAM from `P_work` on.
    pub work_bytes: usize,
}

/// The facts about a program around its compression that the writer needs.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// The function's name, for errors.
    pub function: &'a str,
    /// The prefix of labels.
    pub prefix: &'a str,
    /// The address of the work area.
    pub address: usize,
    /// Whether loops are to take the place of repeated code.
    pub is_lean: bool,
}

/// Writes a hash around its compression. With `handover`, XGATE computes the compressions, and the
/// CPU computes `ahead`, if there is one, at the same time. If XGATE is late, the CPU computes its
/// blocks, or `final` returns 1.
///
/// # Errors
/// If the framing has a form that the program cannot do.
pub fn hash(
    stream: &Stream,
    compression: &Compression,
    ahead: Option<&Compression>,
    around: &Surroundings<'_>,
    handover: Option<&Handover>,
) -> Result<Text, Error> {
    let Surroundings { function, prefix: p, address, is_lean } = *around;
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
    let has_late = handover.is_some_and(|of| !of.falls_back);
    let context = Context { chain_bytes, block_bytes: framing.block_bytes, has_late };
    let lines = Lines::new(p);
    let mut writer = Writer { lines, p, framing, compression, context, handover, is_lean };
    let _ = writeln!(writer.lines.text, "{p}_work = 0x{address:04x}");
    let job_bytes = handover.map_or(0, |_| writer.job_bytes());
    let mut work_bytes = VARIABLES + job_bytes;
    for (prefix, of) in [(p.to_owned(), Some(compression)), (format!("{p}_ahead"), ahead)] {
        let Some(of) = of else { continue };
        writer.lines.text += &of.symbols(&prefix, address + work_bytes);
        work_bytes += of.bytes();
    }
    writer.init();
    writer.update();
    match handover {
        None => writer.whole(counts),
        Some(handover) if handover.is_by_block => writer.by_block(handover, counts),
        Some(handover) => writer.handover(handover, counts),
    }
    if framing.counter.is_some() || framing.padding.length.is_some() {
        writer.total();
    }
    writer.last(stream.digest_bytes);
    writer.constants();
    writer.lines.text += &compression.text;
    writer.lines.text += ahead.map_or("", |of| &of.text);
    let (text, digest_bytes) = (writer.lines.text, stream.digest_bytes);
    Ok(Text { text, context, digest_bytes, work_bytes })
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
             bne {p}_init_more"
        ));
        if self.is_lean {
            // Y is behind the chaining value.
            let words = (self.context.bytes() - self.context.count()) / 2;
            let block = self.context.block_bytes;
            self.ops(&format!(
                "leay {block},y
                 ldab #{words}
                 {p}_init_zero:
                 movw #0,2,y+
                 dbne b,{p}_init_zero"
            ));
        } else {
            self.op("tfr", "d,y");
            for at in (self.context.count()..self.context.bytes()).step_by(2) {
                self.op("movw", format!("#0,{at},y"));
            }
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
        // The code that compresses the block of the context at Y.
        let block = format!("leay {chain_bytes},y");
        let one = match self.handover {
            None => format!("{block}\njsr {p}_whole"),
            Some(of) if of.is_by_block => format!("jsr {p}_whole"),
            Some(of) if of.is_beside => {
                format!("{block}\nldd #1\njsr {p}_wholes\njsr {p}_settle")
            }
            Some(_) => format!("{block}\nldd #1\njsr {p}_wholes"),
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
             {} {p}_update_end",
            if self.is_by_block() { "beq" } else { "lbeq" }
        ));
        if holds_last {
            // A full block waits until it is known not to be the last one.
            self.ops(&format!(
                "cpx #{size}
                 bne {p}_update_room
                 {one}
                 ldy {c}
                 ldx #0
                 stx {held_at},y
                 ldd {left}
                 {p}_update_room:"
            ));
        }
        let is_by_block = self.is_by_block();
        if !is_by_block {
            self.update_whole();
        }
        // Short branches reach across the code for one block at a time only.
        let [unless_equal, again] = if is_by_block { ["bne", "bra"] } else { ["lbne", "jmp"] };
        self.ops(&format!(
            "{p}_update_part:
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
                 {unless_equal} {p}_update_more
                 movw #0,{held_at},y
                 {one}"
            ));
        }
        self.ops(&format!("{again} {p}_update_more\n{p}_update_end:\nrts"));
    }

    /// Writes the compression of whole blocks where they lie, if the context's block is empty.
    fn update_whole(&mut self) {
        let (p, size) = (self.p, self.context.block_bytes);
        let (at, left) = (self.var(AT), self.var(LEFT));
        let fewer = if self.framing.padding.holds_last { "bls" } else { "blo" };
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
        self.op("jmp", format!("{p}_update_more"));
    }

    /// Writes `P_whole`, which compresses a whole block of the message at Y, not the last one.
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
