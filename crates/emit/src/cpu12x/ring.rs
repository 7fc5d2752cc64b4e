//! Words of a block that the CPU computes while XGATE compresses the block before.
//!
//! ```text
//!  CPU     post ── ahead 1 ── ahead 2 ── waits ─ ahead 3 ── waits ─ ahead 4 ── …
//!                     │ filled 1  │ filled 2        │ filled 3        │ filled 4
//!  XGATE      block 0 ┴─ block 1 ─┴─ block 2 ───────┴─ block 3 ───────┴─ block 4
//!                         done 1       done 2             done 3
//! ```
//!
//! XGATE computes the first block from the message, so that it begins at once. The words of the
//! others go through two places in turn. The CPU alone writes how many are filled and XGATE alone
//! how many are done, so that nothing is locked. XGATE ends its thread when it finds nothing
//! filled, and the CPU starts it again: neither core waits for the other one without a bound.

use super::handover::{
    AGAIN, ALONE_AT, BLOCKS, CHANNEL, COUNT, GROUPS, JOB, NEXT, NUMBER_OF_BLOCKS, PENDING,
    PENDING_AT, PENDING_CONTEXT, PLACE, TAIL, XGCHID,
};
use super::start::TO_XGATE;
use super::surroundings::{CONTEXT, Handover, Writer};
use crate::xgate::Ring;

/// Number of iterations of the delay between two looks at the RAM, of 3 bus cycles each.
const DELAY: usize = 20;

/// Bus cycles from one look to the next.
const LOOK: usize = 3 * DELAY + 30;

impl Writer<'_> {
    /// The operand of the number of buffers that the CPU has filled.
    pub(super) fn filled(&self) -> String {
        self.var(JOB + Ring::of(self.framing).filled())
    }

    /// The operand of the number of buffers that XGATE is done with.
    pub(super) fn done(&self) -> String {
        self.var(JOB + Ring::of(self.framing).done())
    }

    /// The instructions that reset the ring at a job's beginning: no words are ready.
    pub(super) fn no_words(&self) -> String {
        if self.handover.is_none_or(|of| of.ahead_bytes == 0) {
            return String::new();
        }
        let ring = Ring::of(self.framing);
        let [first, second] = self.ahead_places().map(|at| self.var(at));
        // Where every block is words, XGATE has no thread of whole blocks to take turns with.
        let again = match self.handover.is_some_and(|of| of.is_each) {
            true => String::new(),
            false => {
                let (given, again) = (self.var(AGAIN), self.var(JOB + ring.again()));
                format!("movw {given},{again}\nmovw #0,{given}\n")
            }
        };
        format!(
            "{again}movw #0,{filled}
             movw #0,{done}
             movw #{first}+{second}+0x8000,{sum}
             movw #{first}+{TO_XGATE},{next}",
            filled = self.filled(),
            done = self.done(),
            sum = self.var(JOB + ring.sum()),
            next = self.var(JOB + ring.next()),
        )
    }

    /// The instructions that load X with the number of blocks to wait for.
    pub(super) fn words_left(&self) -> String {
        format!("ldd {}\nsubd {}\naddd #1\ntfr d,x", self.filled(), self.done())
    }

    /// The instructions behind the comparison of a job's flag in the wait for it. The job is done
    /// only if all filled words are done; else XGATE is started again.
    pub(super) fn words_done(&self) -> String {
        let p = self.p;
        format!(
            "bne {p}_wait_more
             ldd {}
             cpd {}
             beq {p}_wait_done
             jsr {p}_resume
             bra {p}_wait_more",
            self.filled(),
            self.done()
        )
    }

    /// Writes the beginning of `P_name`, which compresses D whole blocks of the message from Y on:
    /// it stores D and Y, waits for the previous job (behind the line `again`, a label or nothing),
    /// and sets the counter of the next block.
    pub(super) fn enter_wholes(&mut self, name: &str, again: &str) {
        let p = self.p;
        let (count, blocks) = (self.var(COUNT), self.var(BLOCKS));
        self.lines.text.push('\n');
        self.lines.comment("D whole blocks of the message from Y on, all but its last.");
        self.ops(&format!("{p}_{name}:\nstd {count}\nsty {blocks}\n{again}"));
        self.settled();
        self.count_whole(name);
    }

    /// Writes `P_wholes`, which compresses D whole blocks of the message from Y on, not the last
    /// one. Afterwards the variable of blocks points behind them.
    pub(super) fn wholes_ahead(&mut self, handover: &Handover) {
        let (p, c, size) = (self.p, self.var(CONTEXT), self.context.block_bytes);
        let (count, blocks, next) = (self.var(COUNT), self.var(BLOCKS), self.var(NEXT));
        let (place, filled) = (self.var(PLACE), self.filled());
        let (pending, pending_at) = (self.var(PENDING), self.var(PENDING_AT));
        let pending_context = self.var(PENDING_CONTEXT);
        let [first, _] = self.ahead_places().map(|at| self.var(at));
        self.enter_wholes("wholes", "");
        self.ops(&format!(
            "ldy {blocks}
             ldd #1
             jsr {p}_post
             lbcs {p}_wholes_alone
             movw {count},{pending}
             movw {blocks},{pending_at}
             movw {c},{pending_context}
             movw {blocks},{next}
             movw #{first},{place}
             {p}_wholes_more:
             ldd {next}
             addd #{size}
             std {next}
             ldd {count}
             subd #1
             cpd {filled}
             lbeq {p}_wholes_end"
        ));
        self.fill(handover);
        self.ops(&format!("{p}_wholes_end:\nmovw {next},{blocks}\nrts"));
        self.go();
    }

    /// Writes `P_wholes` for words of the last of every `every` blocks. XGATE reads the other
    /// blocks where they lie. Blocks that XGATE does not reach, and the blocks behind the last
    /// words, are compressed without a share of the CPU.
    pub(super) fn wholes_in_turns(&mut self, handover: &Handover) {
        let (p, c, size) = (self.p, self.var(CONTEXT), self.context.block_bytes);
        let (count, blocks, next) = (self.var(COUNT), self.var(BLOCKS), self.var(NEXT));
        let (groups, again, tail) = (self.var(GROUPS), self.var(AGAIN), self.var(TAIL));
        let (pending, pending_at) = (self.var(PENDING), self.var(PENDING_AT));
        let pending_context = self.var(PENDING_CONTEXT);
        let (place, filled) = (self.var(PLACE), self.filled());
        let [first, _] = self.ahead_places().map(|at| self.var(at));
        let every = handover.every;
        let before = (every - 1) * size;
        self.lines.text.push('\n');
        self.lines.comment("D whole blocks of the message from Y on, all but its last.");
        self.ops(&format!(
            "{p}_wholes:
             std {count}
             sty {blocks}
             jsr {p}_reaches
             lbcs {p}_wholes_plain
             ldd {count}
             ldx #{every}
             idiv
             std {tail}
             stx {groups}
             lbeq {p}_wholes_plain"
        ));
        self.settled();
        self.count_whole("wholes");
        self.ops(&format!(
            "ldx {groups}
             leax -1,x
             stx {again}
             ldy {blocks}
             ldd #{}
             jsr {p}_post
             lbcs {p}_wholes_alone
             ldd {count}
             subd {tail}
             std {pending}
             movw {blocks},{pending_at}
             movw {c},{pending_context}
             ldd {blocks}
             addd #{before}
             std {next}
             movw #{first},{place}
             bra {p}_wholes_first
             {p}_wholes_more:
             ldd {next}
             addd #{}
             std {next}
             {p}_wholes_first:
             ldd {filled}
             cpd {groups}
             lbeq {p}_wholes_end",
            every - 1,
            every * size
        ));
        self.fill(handover);
        // The rest of the routine handles the blocks behind the last block of words.
        self.ops(&format!(
            "{p}_wholes_end:
             ldd {next}
             subd #{before}
             std {blocks}
             ldd {tail}
             bne {p}_wholes_tail
             rts
             {p}_wholes_tail:
             ldy {blocks}
             jmp {p}_plain
             {p}_wholes_plain:
             ldd {count}
             ldy {blocks}
             jmp {p}_plain"
        ));
        self.go();
        self.wholes(handover, "plain");
    }

    /// Writes the code that waits for a free buffer, fills it with the words of the next block, and
    /// continues at `P_wholes_more`. If XGATE is late, the CPU computes the blocks, or marks the
    /// context.
    fn fill(&mut self, handover: &Handover) {
        let p = self.p;
        let (count, blocks) = (self.var(COUNT), self.var(BLOCKS));
        let (pending, alone_at) = (self.var(PENDING), self.var(ALONE_AT));
        let alone = match handover.falls_back {
            true => {
                format!("ldd {count}\nldy {blocks}\njsr {p}_alone\nmovw {alone_at},{blocks}\nrts")
            }
            false => format!("jmp {p}_lost"),
        };
        self.ops(&format!(
            "{wait}
             movw #0,{pending}
             {p}_wholes_alone:
             {alone}
             {p}_wholes_room:
             {words}
             {filled}
             jmp {p}_wholes_more",
            wait = self.wait_for_room(handover, "wholes"),
            words = self.ahead_words(),
            filled = self.one_more_filled(),
        ));
    }

    /// The instructions that wait until a buffer is free and then branch to `P_name_room`. They
    /// continue behind their end if XGATE is late.
    pub(super) fn wait_for_room(&self, handover: &Handover, name: &str) -> String {
        let (p, filled, done) = (self.p, self.filled(), self.done());
        format!(
            "ldy #{polls}
             {p}_{name}_full:
             ldd {filled}
             subd {done}
             cpd #2
             blo {p}_{name}_room
             jsr {p}_go
             ldab #{DELAY}
             {p}_{name}_delay:
             dbne b,{p}_{name}_delay
             dbne y,{p}_{name}_full",
            polls = handover.polls(LOOK),
        )
    }

    /// The instructions that compute the words of the next block into the free buffer, and take the
    /// other buffer next.
    pub(super) fn ahead_words(&self) -> String {
        let (p, place, next) = (self.p, self.var(PLACE), self.var(NEXT));
        let [first, second] = self.ahead_places().map(|at| self.var(at));
        format!(
            "ldx {place}
             ldy {next}
             jsr {p}_ahead
             ldd #{first}+{second}
             subd {place}
             std {place}"
        )
    }

    /// The instructions that tell XGATE of one more filled buffer.
    pub(super) fn one_more_filled(&self) -> String {
        let (p, filled) = (self.p, self.filled());
        format!("ldd {filled}\naddd #1\nstd {filled}\njsr {p}_go")
    }

    /// Writes `P_go`, which starts XGATE again if it has ended before it was done with all filled
    /// buffers, and `P_resume`, which starts it again in any case.
    pub(super) fn go(&mut self) {
        let p = self.p;
        let (filled, done, job) = (self.filled(), self.done(), self.var(JOB));
        // Where a job begins with words, nothing reads its number of whole blocks.
        let none = match self.handover.is_some_and(|of| of.is_each) {
            true => String::new(),
            false => format!("movw #0,{}\n", self.var(NUMBER_OF_BLOCKS)),
        };
        self.lines.text.push('\n');
        self.lines.comment("Starts XGATE again if it has ended before all words that are filled.");
        self.ops(&format!(
            "{p}_go:
             ldab {XGCHID}
             cmpb #{CHANNEL}
             beq {p}_go_end
             ldd {job}
             cpd #2
             bne {p}_go_end
             ldd {filled}
             cpd {done}
             beq {p}_go_end
             {p}_resume:
             {none}movw #1,{job}
             movw #0x0101,0x0398
             {p}_go_end:
             rts"
        ));
    }
}
