//! The routines that are the same for every block cipher: they fill and drain blocks, and hand jobs
//! to XGATE.

use super::{Cipher, FROM, LEFT, POINTER, POLL, TO};
use crate::cpu12x::handover::polls;
use crate::cpu12x::start::TO_XGATE;
use crate::cpu12x::text::Lines;

impl Cipher<'_> {
    /// Writes the routines that fill a block of a chunk and those that drain it, with the routines
    /// that they call.
    pub(super) fn fills(&self, lines: &mut Lines) {
        let (p, word) = (self.prefix, self.word);
        let (from, to, pointer) = (self.var(FROM), self.var(TO), self.var(POINTER));
        lines.text.push('\n');
        lines.comment("Two words from Y to X, their bytes in opposite order.");
        lines.label(&format!("{p}_turn"));
        for _ in 0..2 {
            for i in (0..word).step_by(2) {
                lines.ops(&format!("ldd 2,y+\nexg a,b\nstd {},x", word - 2 - i));
            }
            lines.op("leax", &format!("{word},x"));
        }
        lines.op("rts", "");
        if self.has_vectors() {
            self.add_and_count(lines);
        }
        lines.text.push('\n');
        lines.ops(&format!(
            "{p}_fill:
             ldy {from}
             ldx {pointer}
             bsr {p}_turn
             sty {from}
             rts"
        ));
        if self.has_vectors() {
            self.fills_with_vectors(lines);
        }
        lines.ops(&format!(
            "{p}_drain:
             ldy {pointer}
             ldx {to}
             jsr {p}_turn
             stx {to}
             rts"
        ));
        if self.has_vectors() {
            self.drain_ctr(lines);
        }
    }

    fn add_and_count(&self, lines: &mut Lines) {
        let (p, size, word) = (self.prefix, self.block(), self.word);
        lines.text.push('\n');
        lines.comment("XORs the block at Y to that at X.");
        lines.label(&format!("{p}_add"));
        for i in (0..size).step_by(2) {
            lines.ops(&format!("ldd {i},x\neora {i},y\neorb {},y\nstd {i},x", i + 1));
        }
        lines.op("rts", "");
        lines.text.push('\n');
        lines.comment("Counts the counter at X on.");
        lines.label(&format!("{p}_count"));
        // The first word of the counter is the low one.
        for (i, limb) in
            [0, word].into_iter().flat_map(|at| (at..at + word).step_by(2).rev()).enumerate()
        {
            lines.op("ldd", &format!("{limb},x"));
            lines.op(if i == 0 { "addd" } else { "aded" }, if i == 0 { "#1" } else { "#0" });
            lines.op("std", &format!("{limb},x"));
        }
        lines.op("rts", "");
    }

    /// Writes the routines of CBC and CTR that fill a block, and those of CBC that drain one, the
    /// last of which falls through into `drain`.
    fn fills_with_vectors(&self, lines: &mut Lines) {
        let (p, size) = (self.prefix, self.block());
        let (to, pointer) = (self.var(TO), self.var(POINTER));
        let (last, current) = (self.var(self.last()), self.var(self.current()));
        lines.ops(&format!(
            "{p}_fill_cbc:
             bsr {p}_fill
             ldx {pointer}
             ldy #{last}
             bra {p}_add
             {p}_fill_ctr:
             ldx {pointer}"
        ));
        for i in (0..size).step_by(2) {
            lines.op("movw", &format!("{current}+{i},{i},x"));
        }
        lines.ops(&format!(
            "ldx #{current}
             bra {p}_count
             {p}_drain_uncbc:
             ldx {pointer}
             ldy #{last}
             jsr {p}_add
             ldy {to}
             ldx #{last}
             jsr {p}_turn
             bra {p}_drain
             {p}_drain_cbc:
             ldx {pointer}"
        ));
        for i in (0..size).step_by(2) {
            lines.op("movw", &format!("{i},x,{last}+{i}"));
        }
    }

    fn drain_ctr(&self, lines: &mut Lines) {
        let (p, size) = (self.prefix, self.block());
        let (to, left, pointer) = (self.var(TO), self.var(LEFT), self.var(POINTER));
        let (last, current) = (self.var(self.last()), self.var(self.current()));
        lines.ops(&format!(
            "{p}_drain_ctr:
             ldx #{last}
             jsr {p}_count
             ldy {pointer}
             ldx #{current}
             jsr {p}_turn
             ldx {to}
             ldy #{current}
             ldd {left}
             cpd #{size}
             blo {p}_drain_rest
             jsr {p}_add
             leax {size},x
             stx {to}
             rts
             {p}_drain_rest:
             tfr b,a
             {p}_drain_byte:
             ldab 0,x
             eorb 1,y+
             stab 1,x+
             dbne a,{p}_drain_byte
             rts"
        ));
    }

    /// Writes the routines that post a job and wait for it.
    pub(super) fn job_routines(&self, lines: &mut Lines, cycles: usize) {
        let p = self.prefix;
        let job = |offset: usize| self.var(self.job() + offset);
        lines.text.push('\n');
        lines.comment("Gives XGATE a job: function X for D blocks of the chunk, with the block Y.");
        lines.ops(&format!(
            "{p}_job:
             std {number}
             stx {function}
             sty {block}
             movw #{chunk}+{TO_XGATE:#x},{chain}
             movw #1,{flag}
             movw #0x0101,0x0398
             rts",
            number = job(6),
            function = job(8),
            block = job(4),
            chunk = self.var(self.chunk()),
            chain = job(2),
            flag = job(0),
        ));
        let polls = polls(cycles, POLL);
        lines.text.push('\n');
        lines.comment("Waits for the job, a bounded time; the carry says that it is late.");
        lines.ops(&format!(
            "{p}_wait:
             ldx {number}
             {p}_wait_block:
             ldy #{polls}
             {p}_wait_poll:
             ldd {flag}
             cpd #2
             beq {p}_wait_done
             dbne y,{p}_wait_poll
             dbne x,{p}_wait_block
             orcc #1
             rts
             {p}_wait_done:
             andcc #0xfe
             rts",
            number = job(6),
            flag = job(0),
        ));
    }
}
