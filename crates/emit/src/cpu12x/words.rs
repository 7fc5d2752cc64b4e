//! Jobs in which the CPU computes words of every block, so that XGATE needs only one thread.
//!
//! ```text
//!  CPU     post ── ahead 0 ── ahead 1 ── waits ─ ahead 2 ── waits ─ ahead 3 ── …
//!                     │ filled 1  │ filled 2        │ filled 3        │ filled 4
//!  XGATE              └─ block 0 ─┴─ block 1 ───────┴─ block 2 ───────┴─ block 3
//! ```
//!
//! The buffers are those of `ring.rs`, where XGATE computes a job's first block from the message.
//! There XGATE begins at once, but has two threads; here it waits for the first block's words, and
//! the program is small. XGATE reads no block of the message, so that blocks may be anywhere.

use super::handover::{
    ALONE_AT, BLOCKS, CHAIN_AT, COUNT, JOB, NEXT, PENDING, PENDING_AT, PENDING_CONTEXT, PLACE,
};
use super::start::TO_XGATE;
use super::surroundings::{CONTEXT, Handover, Writer};

impl Writer<'_> {
    /// Writes `P_wholes`, which compresses D whole blocks of the message from Y on, not the last
    /// one; afterwards the variable of blocks points behind them. Writes `P_call` too, which
    /// compresses the block at Y.
    pub(super) fn words(&mut self, handover: &Handover) {
        let (p, c) = (self.p, self.var(CONTEXT));
        let (count, blocks, next) = (self.var(COUNT), self.var(BLOCKS), self.var(NEXT));
        let (pending, pending_at) = (self.var(PENDING), self.var(PENDING_AT));
        let (pending_context, alone_at) = (self.var(PENDING_CONTEXT), self.var(ALONE_AT));
        let (at, alone, call_alone) = match handover.falls_back {
            true => (
                format!("movw {blocks},{pending_at}"),
                format!("ldd {count}\nldy {blocks}\njsr {p}_alone\nmovw {alone_at},{blocks}\nrts"),
                format!("ldx {c}\nldy {blocks}\njmp {p}_compress"),
            ),
            false => (String::new(), format!("jmp {p}_lost"), format!("jmp {p}_late")),
        };
        self.enter_wholes("wholes", "");
        self.ops(&format!(
            "jsr {p}_words
             bcs {p}_wholes_alone
             movw {count},{pending}
             {at}
             movw {c},{pending_context}
             movw {next},{blocks}
             rts
             {p}_wholes_alone:
             {alone}"
        ));
        self.lines.text.push('\n');
        self.lines.comment("One call of the compression, with the block at Y.");
        self.ops(&format!(
            "{p}_call:
             sty {blocks}
             movw #1,{count}
             jsr {p}_words
             bcs {p}_call_alone
             jsr {p}_wait
             bcs {p}_call_alone
             rts
             {p}_call_alone:
             {call_alone}"
        ));
        self.all_words(handover);
        self.go();
    }

    /// Writes `P_words`, which gives XGATE a job of the blocks that the variables of the count and
    /// of the blocks describe, and fills buffers with their words. It sets the carry if XGATE takes
    /// no job, or does not empty a buffer in time.
    fn all_words(&mut self, handover: &Handover) {
        let (p, c, size) = (self.p, self.var(CONTEXT), self.context.block_bytes);
        let (count, blocks, next) = (self.var(COUNT), self.var(BLOCKS), self.var(NEXT));
        let (job, place, filled) = (self.var(JOB), self.var(PLACE), self.filled());
        let (chain, chain_end) = (self.var(self.job_chain()), self.var(self.job_block()));
        let [first, _] = self.ahead_places().map(|at| self.var(at));
        self.lines.text.push('\n');
        self.lines.comment("Gives XGATE the words of all blocks; the carry says that it is late.");
        self.ops(&format!(
            "{p}_words:
             ldx {job}
             cpx #1
             beq {p}_words_late
             movw #{chain}+{TO_XGATE:#x},{chain_at}
             ldx {c}
             ldy #{chain}
             {p}_words_chain:
             movw 2,x+,2,y+
             cpy #{chain_end}
             bne {p}_words_chain",
            chain_at = self.var(CHAIN_AT),
        ));
        self.post_counter();
        // The flag says that no thread runs: `P_go` starts it when the first buffer is filled.
        self.ops(&format!(
            "{ring}
             movw #2,{job}
             movw {blocks},{next}
             movw #{first},{place}
             {p}_words_more:
             ldd {count}
             cpd {filled}
             beq {p}_words_end
             {wait}
             {p}_words_late:
             orcc #1
             {p}_words_end:
             rts
             {p}_words_room:
             {words}
             ldd {next}
             addd #{size}
             std {next}
             {one_more}
             bra {p}_words_more",
            ring = self.no_words(),
            wait = self.wait_for_room(handover, "words"),
            words = self.ahead_words(),
            one_more = self.one_more_filled(),
        ));
    }
}
