//! Compressions that XGATE computes: jobs, their posting, and bounded waits.
//!
//! ```text
//!  CPU                                            XGATE
//!  P_post  chaining value, counter, addresses,
//!          flag 1, software trigger 0  ─────────► P_xgate_thread: clears the trigger
//!  P_wait  polls the flag, a bounded time         P_xgate_compress: blocks in a row
//!          ◄──────────────────────── flag 2 ───── chaining value
//!          late: the CPU computes the block, or
//!          marks the context, whose `final` then
//!          returns 1; the job is left alone until
//!          its flag is 2
//! ```
//!
//! Where both cores work, the CPU does not wait after it has posted the whole blocks of an update:
//! it computes its share of them (`ring.rs`), copies what is left, returns to the application, and
//! pads. It settles the job when it needs its result.
//!
//! The chaining value of a job is a copy, so that a thread that is late changes nothing of the
//! message. A block that XGATE cannot reach (in flash, or at an odd address) is copied beside the
//! job.

use super::start::{TO_XGATE, begin, xgate_init};
use super::surroundings::{AT, CONTEXT, Handover, LEFT, VARIABLES, Writer};
use crate::xgate::Ring;

/// The CPU's addresses of the RAM that XGATE sees at the distance [`TO_XGATE`], from the first one
/// to the one behind the last, with RPAGE as after a reset.
const VISIBLE: [u16; 2] = [0x1000, 0x4000];

/// The CPU waits for a job at most this many times its expected time.
pub const PATIENCE: usize = 8;

/// The number of looks, every `look` bus cycles, before a job that may take this many cycles counts
/// as late.
pub(super) fn polls(cycles: usize, look: usize) -> usize {
    (cycles / look + 64).min(0xffff)
}

impl Handover {
    /// The number of looks, every `look` bus cycles, before a block counts as late.
    pub(super) fn polls(&self, look: usize) -> usize {
        polls(self.every * self.clocks / 2 * PATIENCE, look)
    }

    /// The size in bytes of the code that [`Handover::begin`] writes.
    pub fn begin_bytes(has_ahead: bool) -> usize {
        if has_ahead { 26 } else { 14 }
    }

    /// XGATE's text up to the compression: the vector of the trigger, and the beginning of the
    /// thread. The work area begins at `work`. If `has_ahead`, a job without whole blocks goes to
    /// the thread for words that are computed ahead.
    pub fn begin(p: &str, work: u16, has_ahead: bool) -> String {
        let ahead = format!(
            "        ldw     r2,(r1,#6)
        tst     r2
        bne     1f
        ldw     r2,#{p}_ahead_xgate_compress
        jal     r2
1:
"
        );
        begin(p, work + JOB as u16) + if has_ahead { &ahead } else { "" }
    }
}

/// Bus cycles of one iteration of the loop that waits for a job.
pub(super) const POLL: usize = 10;

/// The register with the channel of the running thread. While the thread of [`CHANNEL`] runs the
/// CPU polls this register: polling the flag would take RAM accesses from XGATE.
pub(super) const XGCHID: u16 = 0x0382;
/// The channel of software trigger 0, which starts the job's thread.
pub(super) const CHANNEL: u8 = 0x39;

// Byte offsets from `P_work` of the variables behind those of a hash on the CPU, and of the job.
// `COUNT`, `BLOCKS` and `TURN` belong to `wholes`, `ALONE` and `ALONE_AT` to `alone`; the three
// between them describe the job that is not settled.

/// The number of whole blocks that are to be compressed.
pub(super) const COUNT: usize = VARIABLES;
/// The address of the next of these blocks.
pub(super) const BLOCKS: usize = COUNT + 2;
/// How many of these blocks the next job has.
pub(super) const TURN: usize = BLOCKS + 2;
/// The number of blocks of the job that is not settled, 0 if there is none.
pub(super) const PENDING: usize = TURN + 2;
/// The address of that job's blocks.
pub(super) const PENDING_AT: usize = PENDING + 2;
/// The context of that job.
pub(super) const PENDING_CONTEXT: usize = PENDING_AT + 2;
const ALONE: usize = PENDING_CONTEXT + 2;
/// The address of the next block that the CPU computes alone.
pub(super) const ALONE_AT: usize = ALONE + 2;
/// For words that are computed ahead: the address of their block.
pub(super) const NEXT: usize = ALONE_AT + 2;
/// The address of the buffer that these words go to.
pub(super) const PLACE: usize = NEXT + 2;
/// Where one block in several has words that are computed ahead: the number of such blocks.
pub(super) const GROUPS: usize = PLACE + 2;
/// How often XGATE goes on with whole blocks after a block with such words.
pub(super) const AGAIN: usize = GROUPS + 2;
/// The number of whole blocks behind the last block with such words.
pub(super) const TAIL: usize = AGAIN + 2;
/// The job, whose first word is its flag.
pub(super) const JOB: usize = TAIL + 2;
/// In the job: the address of its chaining value.
pub(super) const CHAIN_AT: usize = JOB + 2;
/// In the job: the address of its blocks.
pub(super) const BLOCKS_AT: usize = JOB + 4;
/// In the job: the number of its blocks.
pub(super) const NUMBER_OF_BLOCKS: usize = JOB + 6;
const COUNTER: usize = JOB + 8;

impl Writer<'_> {
    fn word(&self) -> usize {
        self.framing.word_bits as usize / 8
    }

    fn ahead_bytes(&self) -> usize {
        self.handover.map_or(0, |of| of.ahead_bytes)
    }

    /// The offset of the job's chaining value. The job's block follows, then two buffers for words
    /// that are computed ahead.
    pub(super) fn job_chain(&self) -> usize {
        let ring = if self.ahead_bytes() > 0 { Ring::BYTES } else { 0 };
        JOB + Ring::of(self.framing).at + ring
    }

    /// The offset of the job's own copy of a block, behind its chaining value.
    pub(super) fn job_block(&self) -> usize {
        self.job_chain() + self.context.chain_bytes
    }

    /// The offsets of the two buffers for words that are computed ahead.
    pub(super) fn ahead_places(&self) -> [usize; 2] {
        // Where every block is words that the CPU computes, a job has no copy of a block.
        let is_each = self.handover.is_some_and(|of| of.is_each);
        let block_bytes = if is_each { 0 } else { self.context.block_bytes };
        let first = self.job_block() + block_bytes;
        [first, first + self.ahead_bytes()]
    }

    /// Bytes of the work area that the hand-over needs.
    pub(super) fn job_bytes(&self) -> usize {
        self.ahead_places()[1] + self.ahead_bytes() - VARIABLES
    }

    /// Writes the compression of all whole blocks of an update. D is the number of bytes that are
    /// left, at least a block.
    pub(super) fn all_whole(&mut self) {
        let p = self.p;
        let size = self.context.block_bytes;
        let (at, left) = (self.var(AT), self.var(LEFT));
        let blocks = self.var(BLOCKS);
        self.ops(&format!("ldx #{size}\nidiv"));
        if self.framing.padding.holds_last {
            self.ops(&format!(
                "tbne d,{p}_update_rest
                 leax -1,x
                 ldd #{size}
                 {p}_update_rest:"
            ));
        }
        self.ops(&format!(
            "std {left}
             tfr x,d
             ldy {at}
             jsr {p}_wholes
             movw {blocks},{at}"
        ));
    }

    /// Writes the routines of the hand-over.
    pub(super) fn handover(&mut self, handover: &Handover, counts_blocks: bool) {
        self.begin();
        match handover.ahead_bytes {
            0 => self.wholes(handover, "wholes"),
            _ if handover.is_each => self.words(handover),
            _ if handover.every == 1 => self.wholes_ahead(handover),
            _ => self.wholes_in_turns(handover),
        }
        self.settle(handover);
        match handover.falls_back {
            true => self.alone(),
            false => self.late(),
        }
        self.add(counts_blocks);
        if !handover.is_each {
            self.one_call(handover);
            self.post();
        }
        self.wait(handover);
    }

    /// Writes `P_xgate_init`.
    pub(super) fn begin(&mut self) {
        let p = self.p;
        let none = [self.var(JOB), self.var(PENDING)];
        self.entry(&format!("void {p}_xgate_init(void)"), "xgate_init");
        xgate_init(&mut self.lines, &none);
    }

    /// Writes the settling of an earlier job at an entry point that has the context in D.
    pub(super) fn settled_entry(&mut self) {
        let p = self.p;
        if self.handover.is_some_and(|of| of.is_beside) {
            self.ops(&format!("pshd\njsr {p}_settle\npuld"));
        }
    }

    /// Writes the settling of the job of another context. A job of the same context is settled
    /// later.
    pub(super) fn unsettled_entry(&mut self) {
        let (p, context) = (self.p, self.var(PENDING_CONTEXT));
        if self.handover.is_some_and(|of| of.is_beside) {
            self.ops(&format!("cpd {context}\nbeq {p}_final_own"));
            self.settled_entry();
            self.lines.label(&format!("{p}_final_own"));
        }
    }

    /// Writes the settling of the job, if there can be one.
    pub(super) fn settled(&mut self) {
        let p = self.p;
        if self.handover.is_some_and(|of| of.is_beside) {
            self.op("jsr", format!("{p}_settle"));
        }
    }

    /// Writes `P_name`, which compresses D whole blocks of the message from Y on, not the last one.
    /// Afterwards the variable of blocks points behind them.
    pub(super) fn wholes(&mut self, handover: &Handover, name: &str) {
        let (p, c, size) = (self.p, self.var(CONTEXT), self.context.block_bytes);
        let (count, blocks, turn) = (self.var(COUNT), self.var(BLOCKS), self.var(TURN));
        let (pending, pending_at) = (self.var(PENDING), self.var(PENDING_AT));
        let pending_context = self.var(PENDING_CONTEXT);
        let alone = match handover.falls_back {
            true => format!("ldd {turn}\nldy {blocks}\njsr {p}_alone"),
            false => format!("jmp {p}_lost"),
        };
        self.enter_wholes(name, &format!("{p}_{name}_more:"));
        self.ops(&format!(
            "ldy {blocks}
             ldx {count}
             jsr {p}_reaches
             bcc {p}_{name}_all
             ldx #1
             {p}_{name}_all:
             stx {turn}
             tfr x,d
             jsr {p}_post
             bcs {p}_{name}_alone
             movw {turn},{pending}
             movw {blocks},{pending_at}
             movw {c},{pending_context}"
        ));
        if !handover.is_beside {
            self.op("jsr", format!("{p}_settle"));
        }
        self.ops(&format!(
            "bra {p}_{name}_next
             {p}_{name}_alone:
             {alone}
             {p}_{name}_next:
             ldd {turn}
             ldy #{size}
             emul
             addd {blocks}
             std {blocks}
             ldd {count}
             subd {turn}
             std {count}
             lbne {p}_{name}_more
             rts"
        ));
    }

    /// Writes `P_settle`, which waits for the pending job, if there is one. If XGATE has not
    /// finished it in time, the CPU computes its blocks, or marks the context.
    fn settle(&mut self, handover: &Handover) {
        let (p, c) = (self.p, self.var(CONTEXT));
        let (pending, pending_at) = (self.var(PENDING), self.var(PENDING_AT));
        let pending_context = self.var(PENDING_CONTEXT);
        let late = match handover.falls_back {
            true => {
                format!("ldd {pending}\nldy {pending_at}\nmovw #0,{pending}\njmp {p}_alone")
            }
            false => format!("movw #0,{pending}\njmp {p}_late"),
        };
        self.entry(&format!("void {p}_settle(void)"), "settle");
        self.ops(&format!(
            "ldx {pending}
             beq {p}_settle_end
             movw {pending_context},{c}
             jsr {p}_wait
             bcs {p}_settle_late
             ldd {pending}
             movw #0,{pending}
             jmp {p}_add
             {p}_settle_late:
             {late}
             {p}_settle_end:
             rts"
        ));
    }

    /// Writes `P_alone`, in which the CPU compresses D whole blocks from Y on.
    fn alone(&mut self) {
        let (p, c, size) = (self.p, self.var(CONTEXT), self.context.block_bytes);
        let (left, at) = (self.var(ALONE), self.var(ALONE_AT));
        self.lines.text.push('\n');
        self.lines.comment("D whole blocks from Y on, by the CPU.");
        self.ops(&format!("{p}_alone:\nstd {left}\nsty {at}\n{p}_alone_more:"));
        self.count_whole("alone");
        self.ops(&format!(
            "ldx {c}
             ldy {at}
             jsr {p}_compress
             ldd #1
             jsr {p}_add
             ldd {at}
             addd #{size}
             std {at}
             ldd {left}
             subd #1
             std {left}
             lbne {p}_alone_more
             rts"
        ));
    }

    /// Writes `P_lost`, which skips the remaining blocks of an update, and `P_late`, which marks
    /// the context so that its `final` returns 1.
    fn late(&mut self) {
        let (p, c, size) = (self.p, self.var(CONTEXT), self.context.block_bytes);
        let (count, blocks) = (self.var(COUNT), self.var(BLOCKS));
        self.lines.text.push('\n');
        self.lines.comment("XGATE does not take the blocks of an update, or has not finished one.");
        self.ops(&format!(
            "{p}_lost:
             ldd {count}
             ldy #{size}
             emul
             addd {blocks}
             std {blocks}
             {p}_late:
             ldx {c}
             movw #1,{late},x
             rts",
            late = self.context.late()
        ));
    }

    /// Writes `P_add`, which counts D whole blocks.
    fn add(&mut self, counts_blocks: bool) {
        let (p, c, place) = (self.p, self.var(CONTEXT), self.context.count());
        let step = if counts_blocks { 1 } else { self.context.block_bytes };
        self.lines.text.push('\n');
        self.lines.comment("Counts D whole blocks.");
        self.ops(&format!("{p}_add:\nldy #{step}\nemul\nldx {c}"));
        if self.is_lean {
            return self.add_to_count();
        }
        self.add_count(|i| format!("{},x", place + i));
        self.op("rts", "");
    }

    /// Writes the addition of D to the count of the context at X, and the return.
    pub(super) fn add_to_count(&mut self) {
        let (p, place) = (self.p, self.context.count());
        // Neither loads nor the loop's end change the carry.
        self.ops(&format!(
            "addd {last},x
             std {last},x
             ldy #3
             {p}_add_carry:
             ldd {next},x
             aded #0
             std {next},x
             leax -2,x
             dbne y,{p}_add_carry
             rts",
            last = place + 6,
            next = place + 4
        ));
    }

    /// Writes `P_call`, which compresses the block at Y.
    fn one_call(&mut self, handover: &Handover) {
        let (p, c, blocks) = (self.p, self.var(CONTEXT), self.var(BLOCKS));
        self.lines.text.push('\n');
        self.lines.comment("One call of the compression, with the block at Y.");
        let alone = match handover.falls_back {
            true => format!("ldx {c}\nldy {blocks}\njmp {p}_compress"),
            false => format!("jmp {p}_late"),
        };
        self.ops(&format!(
            "{p}_call:
             sty {blocks}
             ldd #1
             jsr {p}_post
             bcs {p}_call_alone
             jsr {p}_wait
             bcs {p}_call_alone
             rts
             {p}_call_alone:
             {alone}"
        ));
    }

    /// Writes `P_post`, which gives XGATE a job of D blocks from Y on, and `P_reaches`, which tests
    /// whether XGATE reaches Y. They set the carry if XGATE takes no job, or does not reach Y.
    fn post(&mut self) {
        let (p, c) = (self.p, self.var(CONTEXT));
        let (job, chain, block) = (JOB, self.job_chain(), self.job_block());
        let [from, to] = VISIBLE;
        let var = |offset| self.var(offset);
        let texts = [
            format!(
                "{p}_post:
                 ldx {job}
                 cpx #1
                 beq {p}_post_no
                 std {number}
                 bsr {p}_reaches
                 bcc {p}_post_there
                 ldx #{block}
                 {p}_post_block:
                 movw 2,y+,2,x+
                 cpx #{block_end}
                 bne {p}_post_block
                 ldy #{block}
                 {p}_post_there:
                 leay {to_xgate},y
                 sty {blocks_at}
                 movw #{chain}+{TO_XGATE:#x},{chain_at}
                 ldx {c}
                 ldy #{chain}
                 {p}_post_chain:
                 movw 2,x+,2,y+
                 cpy #{block}
                 bne {p}_post_chain",
                job = var(job),
                to_xgate = TO_XGATE as i16,
                number = var(NUMBER_OF_BLOCKS),
                block = var(block),
                block_end = var(block + self.context.block_bytes),
                blocks_at = var(BLOCKS_AT),
                chain = var(chain),
                chain_at = var(CHAIN_AT),
            ),
            format!(
                "{ring}
                 movw #1,{job}
                 movw #0x0101,0x0398
                 andcc #0xfe
                 rts
                 {p}_post_no:
                 orcc #1
                 rts
                 {p}_reaches:
                 tfr y,d
                 bitb #1
                 bne {p}_post_no
                 cpy #{from}
                 blo {p}_post_no
                 cpy #{to}
                 bhs {p}_post_no
                 andcc #0xfe
                 rts",
                ring = self.no_words(),
                job = var(job),
            ),
        ];
        self.lines.text.push('\n');
        self.lines
            .comment("Gives XGATE a job of D blocks from Y on; the carry says that it is busy.");
        self.ops(&texts[0]);
        self.post_counter();
        self.ops(&texts[1]);
    }

    /// Writes the instructions that copy the counter to the job, if there is one.
    pub(super) fn post_counter(&mut self) {
        let Some(place) = self.counter_place() else { return };
        // In the job the first word of the counter comes first, in the work area the last one.
        let (word, all) = (self.word(), self.counter_bytes());
        for i in (0..all).step_by(2) {
            let from = place.plus(all - word - i / word * word + i % word);
            let to = self.var(COUNTER + i);
            self.op("movw", format!("{from},{to}"));
        }
    }

    /// Writes `P_wait`, which waits for a job and copies its chaining value to the context. It sets
    /// the carry if the job is late.
    fn wait(&mut self, handover: &Handover) {
        let (p, c) = (self.p, self.var(CONTEXT));
        let (job, number) = (self.var(JOB), self.var(NUMBER_OF_BLOCKS));
        let (chain, chain_end) = (self.var(self.job_chain()), self.var(self.job_block()));
        let polls = handover.polls(POLL);
        let (number, done) = match handover.ahead_bytes {
            0 => (format!("ldx {number}"), format!("bne {p}_wait_more")),
            _ => (self.words_left(), self.words_done()),
        };
        self.lines.text.push('\n');
        self.lines.comment("Waits for the job, a bounded time; the carry says that it is late.");
        self.ops(&format!(
            "{p}_wait:
             {number}
             {p}_wait_block:
             ldy #{polls}
             {p}_wait_poll:
             ldab {XGCHID}
             cmpb #{CHANNEL}
             bne {p}_wait_look
             {p}_wait_more:
             dbne y,{p}_wait_poll
             dbne x,{p}_wait_block
             orcc #1
             rts
             {p}_wait_look:
             ldd {job}
             cpd #2
             {done}
             {p}_wait_done:
             ldx #{chain}
             ldy {c}
             {p}_wait_chain:
             movw 2,x+,2,y+
             cpx #{chain_end}
             bne {p}_wait_chain
             andcc #0xfe
             rts"
        ));
    }
}
