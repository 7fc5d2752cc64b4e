//! The smallest program of a cipher: single blocks, each computed by XGATE, without a fallback.
//!
//! ```text
//! P_init           key ──copy──► its words;  first table ► chunk ──job──► chunk ──copy──► context
//! P_encrypt_block  context ──copy──► table;  block ──turn──► chunk ──job──► chunk ──turn──► block
//! ```
//!
//! A job is under way while its flag is not 0. The functions then return [`LATE`] at once.
//! `P_copy`, `P_turn` and `P_job` leave in D what the functions return.

use super::{C, Cipher, LATE, POLL, Steps};
use crate::cpu12x::handover::polls;
use crate::cpu12x::start::{TO_XGATE, enable_xgate};
use crate::cpu12x::text::Lines;

/// Bytes of a page of RAM, in which the CPU sees XGATE's code.
const PAGE: usize = 0x1000;

impl Cipher<'_> {
    /// Writes all functions. `functions` are XGATE's addresses of its functions, `cycles` the time
    /// that a job may take.
    pub(super) fn single(&self, lines: &mut Lines, functions: [u16; 3], cycles: usize) {
        let p = self.prefix;
        lines.entry(&format!("void {p}_xgate_init(void)"), "xgate_init");
        self.copy_image(lines);
        self.init_single(lines, functions[0]);
        self.blocks_single(lines, [functions[1], functions[2]]);
        self.job_single(lines, cycles);
    }

    /// Writes the copying of XGATE's code into the RAM, page by page, and XGATE's start.
    fn copy_image(&self, lines: &mut Lines) {
        let p = self.prefix;
        let [page, next] = match self.image_bytes > PAGE {
            true => [
                format!("{p}_xgate_page:"),
                format!(
                    "bhs {p}_xgate_copied
                     cpy #0x2000
                     bne {p}_xgate_copy
                     inc 0x0016
                     bra {p}_xgate_page
                     {p}_xgate_copied:"
                ),
            ],
            false => [String::new(), format!("blo {p}_xgate_copy")],
        };
        lines.ops(&format!(
            "pshc
             orcc #0x10
             ldab 0x0016
             movw #0,{job}
             movb #0xfb,0x0016
             ldx #{p}_xgate_image
             {page}
             ldy #0x1000
             {p}_xgate_copy:
             movw 2,x+,2,y+
             cpx #{p}_xgate_image_end
             {next}
             stab 0x0016
             {enable}
             pulc
             rts",
            job = self.var(self.job()),
            enable = enable_xgate(),
        ));
    }

    fn init_single(&self, lines: &mut Lines, function: u16) {
        let p = self.prefix;
        let [key_bytes, room] = self.key_bytes;
        let (c, job) = (self.var(C), self.var(self.job()));
        let (key, chunk) = (self.var(self.key()), self.var(self.chunk()));
        lines.entry(
            &format!("uint16_t {p}_init({p}_ctx *c, const uint8_t key[{key_bytes}])"),
            "init",
        );
        lines.ops(&format!("ldy {job}\nbne {p}_busy\nstd {c}"));
        if key_bytes > 0 {
            lines.ops(&format!("ldx 2,sp\nldy #{key}"));
        }
        if key_bytes > 1 {
            lines.ops(&format!("ldd #{}\nbsr {p}_copy", key_bytes / 2));
        }
        if key_bytes % 2 == 1 {
            lines.ops("ldaa 0,x\nclrb\nstd 0,y");
        }
        for at in (key_bytes.next_multiple_of(2)..room).step_by(2) {
            lines.op("movw", &format!("#0,{key}+{at}"));
        }
        self.first_table(lines, &chunk);
        lines.ops(&format!(
            "movw #{function},{asked}
             ldy #{key}+{TO_XGATE:#x}
             bsr {p}_job
             ldx #{key}
             {p}_init_key:
             clr 1,x+
             cpx #{key}+{room}
             bne {p}_init_key
             tbne d,{p}_end
             ldx #{chunk}
             ldy {c}
             {p}_table:
             ldd #{words}",
            asked = self.var(self.job() + 8),
            words = self.table_bytes() / 2,
        ));
        lines.text.push('\n');
        lines.comment("Copies D words from X to Y.");
        lines.ops(&format!(
            "{p}_copy:
             movw 2,x+,2,y+
             dbne d,{p}_copy
             {p}_end:
             rts"
        ));
    }

    /// Writes the code that sets the table at the address `at` to its first words.
    fn first_table(&self, lines: &mut Lines, at: &str) {
        let p = self.prefix;
        let Steps { first, step, .. } = self.table;
        let limb = |of: u64, i: usize| format!("0x{:04x}", (of >> (16 * i)) as u16);
        let end = format!("{at}+{}", self.table_bytes());
        lines.op("ldy", &format!("#{at}"));
        match self.word {
            2 => lines.ops(&format!(
                "ldd #{}\n{p}_init_word:\nstd 2,y+\naddd #{}",
                limb(first, 0),
                limb(step, 0)
            )),
            4 => lines.ops(&format!(
                "ldx #{}\nldd #{}\n{p}_init_word:\nstx 2,y+\nstd 2,y+\naddd #{}\nadex #{}",
                limb(first, 1),
                limb(first, 0),
                limb(step, 0),
                limb(step, 1)
            )),
            word => {
                for i in 0..word / 2 {
                    lines.op("movw", &format!("#{},{},y", limb(first, i), word - 2 - 2 * i));
                }
                lines.label(&format!("{p}_init_word"));
                for i in 0..word / 2 {
                    let from = word - 2 - 2 * i;
                    lines.op("ldd", &format!("{from},y"));
                    lines.op(if i == 0 { "addd" } else { "aded" }, &format!("#{}", limb(step, i)));
                    lines.op("std", &format!("{},y", from + word));
                }
                lines.op("leay", &format!("{word},y"));
            }
        }
        // The loop for words of 64 bits stores the word behind Y: the first one is there already.
        let end = if self.word > 4 { format!("{end}-{}", self.word) } else { end };
        lines.ops(&format!("cpy #{end}\nbne {p}_init_word"));
    }

    fn blocks_single(&self, lines: &mut Lines, functions: [u16; 2]) {
        let (p, size, word) = (self.prefix, self.block(), self.word);
        let (job, chunk) = (self.var(self.job()), self.var(self.chunk()));
        let table = self.var(self.kept());
        for (i, way) in ["encrypt", "decrypt"].into_iter().enumerate() {
            lines.entry(
                &format!(
                    "uint16_t {p}_{way}_block(const {p}_ctx *c, const uint8_t in[{size}], uint8_t \
                     out[{size}])"
                ),
                &format!("{way}_block"),
            );
            lines.op("ldx", &format!("#{}", functions[i]));
            if i == 0 {
                lines.op("bra", &format!("{p}_block"));
            }
        }
        lines.ops(&format!(
            "{p}_block:
             ldy {job}
             bne {p}_busy
             stx {asked}
             tfr d,x
             ldy #{table}
             bsr {p}_table
             ldx 2,sp
             ldy #{chunk}
             bsr {p}_turn
             ldy #{table}+{TO_XGATE:#x}
             bsr {p}_job
             tbne d,{p}_end
             ldx #{chunk}
             ldy 4,sp",
            asked = self.var(self.job() + 8),
        ));
        lines.text.push('\n');
        lines.comment("Two words from X to Y, their bytes in opposite order.");
        lines.ops(&format!(
            "{p}_turn:
             leay {word},y
             bsr {p}_turn_word
             leay {size},y
             {p}_turn_word:
             ldd #{word}
             {p}_turn_byte:
             movb 1,x+,1,-y
             dbne d,{p}_turn_byte
             rts"
        ));
    }

    fn job_single(&self, lines: &mut Lines, cycles: usize) {
        let p = self.prefix;
        let job = |offset: usize| self.var(self.job() + offset);
        let polls = polls(cycles, POLL);
        lines.text.push('\n');
        lines.comment("Gives XGATE the job with the chunk and the block Y, and waits for it.");
        lines.ops(&format!(
            "{p}_job:
             sty {block}
             movw #{chunk}+{TO_XGATE:#x},{chain}
             movw #1,{flag}
             movw #0x0101,0x0398
             ldy #{polls}
             {p}_job_poll:
             ldd {flag}
             beq {p}_job_end
             dbne y,{p}_job_poll
             {p}_busy:
             ldd #{LATE}
             {p}_job_end:
             rts",
            block = job(4),
            chain = job(2),
            flag = job(0),
            chunk = self.var(self.chunk()),
        ));
    }
}
