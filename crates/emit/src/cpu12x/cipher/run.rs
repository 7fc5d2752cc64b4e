//! The loop over chunks.
//!
//! ```text
//!  run    the function's table or keys are taken, the vector goes into the last block
//!  more   a chunk is filled: XGATE's, or the CPU's own of one block     no data is left ──► end
//!         it is encrypted or decrypted: by XGATE, the CPU beside it, or the CPU alone
//!         it is drained ──► more
//!  end    the last block goes into the vector
//! ```

use super::{
    AT, BASE, C, COUNT, Cipher, DECRYPTS, DRAIN, FILL, FROM, LATE, LEFT, LIMIT, OWN, POINTER, Side,
    TURNS, VECTOR,
};
use crate::cpu12x::start::TO_XGATE;
use crate::cpu12x::text::Lines;

/// The CPU computes one block in this many, while XGATE computes the others.
const SHARE: usize = 8;

impl Cipher<'_> {
    /// Writes the loop, and the routine in which the CPU computes the block at X.
    pub(super) fn run(&self, lines: &mut Lines) {
        lines.text.push('\n');
        lines.comment("All the data, chunk by chunk.");
        lines.label(&format!("{}_run", self.prefix));
        self.take_function(lines);
        self.begin_chunk(lines);
        if self.handover.is_some() {
            self.choose_chunk(lines);
        }
        self.fill_chunk(lines);
        if let Some(side) = self.handover {
            self.compute_by_xgate(lines, side);
        }
        if self.falls_back() {
            let (p, own) = (self.prefix, self.var(OWN));
            lines.ops(&format!("ldx #{own}\njsr {p}_one\n{p}_run_done:"));
        }
        self.drain_chunk(lines);
        self.end(lines);
        if self.functions[1].is_some() {
            self.one(lines);
        }
    }

    /// Writes the code that prepares the CPU's function for the context, or copies the context's
    /// table for XGATE.
    fn take_function(&self, lines: &mut Lines) {
        let p = self.prefix;
        let (c, decrypts) = (self.var(C), self.var(DECRYPTS));
        match self.functions[1] {
            Some(_) => lines.ops(&format!(
                "ldy {c}
                 ldd {decrypts}
                 bne {p}_run_decrypts
                 jsr {p}_encrypt_take
                 bra {p}_run_vector
                 {p}_run_decrypts:
                 jsr {p}_decrypt_take
                 {p}_run_vector:"
            )),
            None => lines.ops(&format!(
                "ldx {c}
                 ldy #{}
                 jsr {p}_move",
                self.var(self.kept())
            )),
        }
    }

    /// Writes the code that loads the vector, once, and that begins a chunk at the remaining data
    /// with a copy of the last block.
    fn begin_chunk(&self, lines: &mut Lines) {
        let p = self.prefix;
        let (at, left, from) = (self.var(AT), self.var(LEFT), self.var(FROM));
        let (vector, last) = (self.var(VECTOR), self.var(self.last()));
        if self.has_vectors() {
            lines.ops(&format!("ldy {vector}\nbeq {p}_run_more\nldx #{last}\njsr {p}_turn"));
        }
        lines.ops(&format!(
            "{p}_run_more:
             ldd {left}
             lbeq {p}_run_end
             movw {at},{from}"
        ));
        if self.has_vectors() {
            let current = self.var(self.current());
            for i in (0..self.block()).step_by(2) {
                lines.op("movw", &format!("{last}+{i},{current}+{i}"));
            }
        }
    }

    /// The call of the routine whose address is in the variable at `variable`, or of `P_name` where
    /// there is only one.
    fn call(&self, variable: usize, name: &str) -> String {
        match self.has_vectors() {
            true => format!("ldx {}\njsr 0,x", self.var(variable)),
            false => format!("jsr {}_{name}", self.prefix),
        }
    }

    /// Writes the choice of a chunk: XGATE's, of D blocks at X, or the branch to `P_run_own` if
    /// XGATE still has a job. D is the number of bytes that are left.
    fn choose_chunk(&self, lines: &mut Lines) {
        let p = self.prefix;
        let (job, chunk, limit) = (self.var(self.job()), self.var(self.chunk()), self.var(LIMIT));
        let busy = if self.falls_back() { "beq" } else { "lbeq" };
        lines.ops(&format!("ldx {job}\ncpx #1\n{busy} {p}_run_own"));
        if self.has_data() {
            lines.op("subd", "#1");
            halve(lines, self.block());
            lines.ops(&format!(
                "addd #1
                 cpd {limit}
                 bls {p}_run_fits
                 ldd {limit}
                 {p}_run_fits:"
            ));
        } else {
            lines.op("ldd", "#1");
        }
        lines.op("ldx", &format!("#{chunk}"));
        if self.falls_back() {
            lines.ops(&format!("bra {p}_run_fill\n{p}_run_own:"));
        }
    }

    /// Writes the filling of D blocks at X, and of the CPU's own chunk of one block if it has the
    /// functions.
    fn fill_chunk(&self, lines: &mut Lines) {
        let p = self.prefix;
        if self.falls_back() {
            lines.ops(&format!("ldd #1\nldx #{}\n{p}_run_fill:", self.var(OWN)));
        }
        lines.ops(&format!(
            "std {count}
             std {turns}
             stx {base}
             stx {pointer}
             {p}_run_filled:
             {fill}",
            count = self.var(COUNT),
            turns = self.var(TURNS),
            base = self.var(BASE),
            pointer = self.var(POINTER),
            fill = self.call(FILL, "fill"),
        ));
        self.next_block(lines, "run_filled");
    }

    /// Writes the computation of the chunk by XGATE, and of a share of the blocks by the CPU if it
    /// works beside XGATE.
    fn compute_by_xgate(&self, lines: &mut Lines, side: Side) {
        let p = self.prefix;
        let (count, decrypts) = (self.var(COUNT), self.var(DECRYPTS));
        let blocks = self.functions.map(|of| self.kept() + of.map_or(0, |of| of.block));
        if self.falls_back() {
            let (base, own) = (self.var(BASE), self.var(OWN));
            lines.ops(&format!("ldd {base}\ncpd #{own}\nbeq {p}_run_alone"));
        }
        lines.ops(&format!(
            "ldx #2
             ldy #{}+{TO_XGATE:#x}
             ldd {decrypts}
             beq {p}_run_job
             ldx #4
             ldy #{}+{TO_XGATE:#x}
             {p}_run_job:",
            self.var(blocks[1]),
            self.var(blocks[2]),
        ));
        match side.is_beside {
            true => self.compute_beside(lines),
            false => lines.ops(&format!("ldd {count}\njsr {p}_job")),
        }
        match self.falls_back() {
            true => lines.ops(&format!(
                "jsr {p}_wait
                 lbcs {p}_run_more
                 bra {p}_run_done
                 {p}_run_alone:"
            )),
            false => lines.ops(&format!("jsr {p}_wait\nlbcs {p}_run_own")),
        }
    }

    /// Writes the job without the chunk's last blocks, and the computation of these by the CPU.
    fn compute_beside(&self, lines: &mut Lines) {
        let (p, size) = (self.prefix, self.block());
        let (count, turns, pointer) = (self.var(COUNT), self.var(TURNS), self.var(POINTER));
        lines.op("ldd", &count);
        halve(lines, SHARE);
        lines.ops(&format!("std {turns}\nldd {count}\nsubd {turns}\njsr {p}_job"));
        // The pointer begins at the first block that is not XGATE's.
        lines.ops(&format!(
            "ldd {turns}
             beq {p}_run_wait
             ldd {job}
             ldy #{size}
             emul
             addd #{chunk}
             std {pointer}
             {p}_run_beside:
             ldx {pointer}
             jsr {p}_one",
            job = self.var(self.job() + 6),
            chunk = self.var(self.chunk()),
        ));
        self.next_block(lines, "run_beside");
        lines.label(&format!("{p}_run_wait"));
    }

    /// Writes the step to the next block, and the jump to the label if turns are left.
    fn next_block(&self, lines: &mut Lines, label: &str) {
        let (p, size) = (self.prefix, self.block());
        let (pointer, turns) = (self.var(POINTER), self.var(TURNS));
        lines.ops(&format!(
            "ldd {pointer}
             addd #{size}
             std {pointer}
             ldd {turns}
             subd #1
             std {turns}
             bne {p}_{label}"
        ));
    }

    /// Writes the draining of the chunk's blocks into the data.
    fn drain_chunk(&self, lines: &mut Lines) {
        let (p, size) = (self.prefix, self.block());
        lines.ops(&format!(
            "movw {from},{at}
             movw {base},{pointer}
             {p}_run_drained:
             {drain}
             ldd {left}
             subd #{size}
             bcc {p}_run_left
             ldd #0
             {p}_run_left:
             std {left}
             ldd {pointer}
             addd #{size}
             std {pointer}
             ldd {count}
             subd #1
             std {count}
             bne {p}_run_drained
             jmp {p}_run_more",
            at = self.var(AT),
            from = self.var(FROM),
            base = self.var(BASE),
            pointer = self.var(POINTER),
            drain = self.call(DRAIN, "drain"),
            left = self.var(LEFT),
            count = self.var(COUNT),
        ));
    }

    /// Writes the end: the last block goes into the vector, and the result says whether XGATE was
    /// in time.
    fn end(&self, lines: &mut Lines) {
        let p = self.prefix;
        lines.ops(&format!("{p}_run_end:\nldd #0"));
        if !self.falls_back() {
            lines.ops(&format!(
                "bra {p}_run_status
                 {p}_run_own:
                 ldd #{LATE}
                 {p}_run_status:"
            ));
        }
        if !self.has_vectors() {
            return lines.op("rts", "");
        }
        lines.ops(&format!(
            "pshd
             ldx {vector}
             beq {p}_run_over
             ldy #{last}
             jsr {p}_turn
             {p}_run_over:
             puld
             rts",
            vector = self.var(VECTOR),
            last = self.var(self.last()),
        ));
    }

    fn one(&self, lines: &mut Lines) {
        let (p, decrypts) = (self.prefix, self.var(DECRYPTS));
        lines.text.push('\n');
        lines.comment("The block at X.");
        lines.ops(&format!(
            "{p}_one:
             ldd {decrypts}
             bne {p}_one_decrypts
             jmp {p}_encrypt_compress
             {p}_one_decrypts:
             jmp {p}_decrypt_compress"
        ));
    }
}

/// Writes the division of D by a power of two.
fn halve(lines: &mut Lines, by: usize) {
    for _ in 0..by.ilog2() {
        lines.op("lsrd", "");
    }
}
