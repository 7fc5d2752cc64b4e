//! The hand-over of one block at a time, which takes the least code: `update` copies everything to
//! the context's block, and each full block is a job.
//!
//! ```text
//!  P_whole  counts a whole block that is not the last ──► P_call
//!  P_call   chaining value and block of the context ──► job, flag 1, software trigger 0
//!           polls a bounded time;  flag 2: chaining value ──► context
//!           busy or late: the CPU computes the block, or marks the context
//! ```

use super::handover::{BLOCKS_AT, CHAIN_AT, CHANNEL, JOB, NUMBER_OF_BLOCKS, POLL, XGCHID};
use super::start::TO_XGATE;
use super::surroundings::{CONTEXT, Handover, Writer};

impl Writer<'_> {
    /// Whether each job is one block.
    pub(super) fn is_by_block(&self) -> bool {
        self.handover.is_some_and(|of| of.is_by_block)
    }

    /// Writes the routines of the hand-over.
    pub(super) fn by_block(&mut self, handover: &Handover, counts_blocks: bool) {
        self.begin();
        let p = self.p;
        self.lines.text.push('\n');
        self.lines.comment("The context's block, all but the last.");
        self.lines.label(&format!("{p}_whole"));
        self.count_whole("whole");
        self.op("jsr", format!("{p}_call"));
        self.op("ldx", self.var(CONTEXT));
        let step = if counts_blocks { 1 } else { self.context.block_bytes };
        self.op("ldd", format!("#{step}"));
        self.add_to_count();
        self.one_job(handover);
    }

    /// Writes `P_call`, which compresses the context's block.
    fn one_job(&mut self, handover: &Handover) {
        let (p, c) = (self.p, self.var(CONTEXT));
        let (chain, block) = (self.job_chain(), self.job_block());
        let var = |offset| self.var(offset);
        let (job, polls) = (var(JOB), handover.polls(POLL));
        let parts = [
            format!(
                "{p}_call:
                 ldx {job}
                 cpx #1
                 beq {p}_call_alone
                 ldx {c}
                 ldy #{chain}
                 {p}_call_copy:
                 movw 2,x+,2,y+
                 cpy #{end}
                 bne {p}_call_copy
                 movw #{block}+{TO_XGATE:#x},{block_at}
                 movw #{chain}+{TO_XGATE:#x},{chain_at}
                 movw #1,{number}",
                chain = var(chain),
                block = var(block),
                end = var(block + self.context.block_bytes),
                block_at = var(BLOCKS_AT),
                chain_at = var(CHAIN_AT),
                number = var(NUMBER_OF_BLOCKS),
            ),
            format!(
                "movw #1,{job}
                 movw #0x0101,0x0398
                 ldy #{polls}
                 {p}_call_poll:
                 ldab {XGCHID}
                 cmpb #{CHANNEL}
                 bne {p}_call_look
                 {p}_call_more:
                 dbne y,{p}_call_poll
                 {p}_call_alone:
                 ldx {c}"
            ),
            format!(
                "{p}_call_look:
                 ldd {job}
                 cpd #2
                 bne {p}_call_more
                 ldx #{chain}
                 ldy {c}
                 {p}_call_chain:
                 movw 2,x+,2,y+
                 cpx #{block}
                 bne {p}_call_chain
                 rts",
                chain = var(chain),
                block = var(block),
            ),
        ];
        self.lines.text.push('\n');
        self.lines.comment("One call of the compression, with the context's block.");
        self.ops(&parts[0]);
        self.post_counter();
        self.ops(&parts[1]);
        match handover.falls_back {
            true => self.ops(&format!("leay {},x\njmp {p}_compress", self.context.chain_bytes)),
            false => self.ops(&format!("movw #1,{},x\nrts", self.context.late())),
        }
        self.ops(&parts[2]);
    }
}
