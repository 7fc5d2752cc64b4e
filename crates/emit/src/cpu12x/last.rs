//! `final`: the padding, the last blocks and the digest.

use super::surroundings::{AT, CONTEXT, Context, HELD, NUMBER, NUMBER_BYTES, PART, Writer};
use manylane_graph::framing::{ByteOrder, Counter, Length, StateByte, Unit};

impl Writer<'_> {
    /// Writes `final`: the padding, the last blocks and the digest.
    pub(super) fn last(&mut self, digest_bytes: usize) {
        let p = self.p;
        let framing = self.framing;
        let Context { chain_bytes, block_bytes: size, .. } = self.context;
        let (c, at, held) = (self.var(CONTEXT), self.var(AT), self.var(HELD));
        let held_at = self.context.held();
        let padding = &framing.padding;
        let length_bytes = padding.length.map_or(0, |length| length.bytes);
        let returned = if self.context.has_late { "uint16_t" } else { "void" };
        self.entry(
            &format!("{returned} {p}_final({p}_ctx *c, uint8_t digest[{digest_bytes}])"),
            "final",
        );
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
                // The block holds more of the message than fits beside the padding.
                self.count(&counter, false, true, "before_last");
            }
            self.call();
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
                    true => self.set_counter(Counter::default()),
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
                self.set_counter(Counter::default());
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
        self.call();
        if let Some(closing) = &framing.closing {
            self.zero_block("closing");
            self.set_counter(closing.counter);
            self.call();
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

    /// Writes the length field at the end of the context's block. X points to the context.
    fn length(&mut self, length: Length) {
        let end = self.context.chain_bytes + self.context.block_bytes;
        if self.is_lean && length.order == ByteOrder::Little {
            let (p, from) = (self.p, self.var(NUMBER + NUMBER_BYTES));
            return self.ops(&format!(
                "ldy #{from}
                 {p}_final_length:
                 ldd 2,-y
                 exg a,b
                 std {to},x
                 leax 2,x
                 cpy #{from}-{bytes}
                 bne {p}_final_length",
                to = end - length.bytes,
                bytes = length.bytes
            ));
        }
        for i in (0..length.bytes).step_by(2) {
            // The least significant bytes come first.
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

    /// Writes the copying of the digest's bytes, and the end.
    fn digest(&mut self, digest_bytes: usize) {
        let (p, at, part) = (self.p, self.var(AT), self.var(PART));
        let block = self.framing.digest.len();
        let (full, rest) = (digest_bytes / block, digest_bytes % block);
        if full > 1 || (full == 1 && rest > 0) {
            // Each output block is made from a chaining value.
            self.op("movw", format!("#{full},{part}"));
            self.lines.label(&format!("{p}_final_output"));
            self.bytes(block);
            self.op("sty", &at);
            self.zero_block("output");
            self.ops(&format!("ldd {part}\nsubd #1\nstd {part}"));
            if rest == 0 {
                self.op("lbeq", format!("{p}_final_done"));
            }
            self.call();
            self.op("ldd", &part);
            self.op("lbne", format!("{p}_final_output"));
            self.bytes(rest);
            self.lines.label(&format!("{p}_final_done"));
        } else {
            self.bytes(digest_bytes);
        }
        if self.context.has_late {
            self.ops(&format!("ldd #0\n{p}_final_late:"));
        }
        self.op("rts", "");
    }

    /// Writes the copying of bytes from X to Y as a loop over words, if the places of the bytes
    /// repeat from word to word; else writes nothing and returns false.
    fn looped(&mut self, places: &[usize]) -> bool {
        let word = self.framing.word_bits as usize / 8;
        let first = places.first().map_or(0, |first| first / word * word);
        let is_alike = |i: usize| places[i + word] == places[i] + word;
        let words = places.len() / word;
        let is_whole = places.len().is_multiple_of(word) && (2..256).contains(&words);
        if !is_whole || !(0..places.len() - word).all(is_alike) {
            return false;
        }
        let label = format!("{}_final_{}_bytes", self.p, places.len());
        if first > 0 {
            self.op("leax", format!("{first},x"));
        }
        if (1..word).all(|i| places[i] == places[0] + i) {
            self.op("ldab", format!("#{}", places.len() / 2));
            self.lines.label(&label);
            self.op("movw", "2,x+,2,y+");
        } else {
            self.op("ldab", format!("#{words}"));
            self.lines.label(&label);
            for &place in &places[..word] {
                self.op("movb", format!("{},x,1,y+", place - first));
            }
            self.op("leax", format!("{word},x"));
        }
        self.op("dbne", format!("b,{label}"));
        true
    }

    /// Writes the copying of the output's first `count` bytes to the next bytes of the digest,
    /// unless XGATE was late.
    fn bytes(&mut self, count: usize) {
        let word = self.framing.word_bits as usize / 8;
        let offset = |place: &StateByte| place.word * word + word - 1 - place.byte;
        let places: Vec<usize> = self.framing.digest[..count].iter().map(offset).collect();
        let (c, at) = (self.var(CONTEXT), self.var(AT));
        self.op("ldx", c);
        if self.context.has_late {
            self.ops(&format!("ldd {},x\nlbne {}_final_late", self.context.late(), self.p));
        }
        self.op("ldy", at);
        if self.is_lean && self.looped(&places) {
            return;
        }
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
}
