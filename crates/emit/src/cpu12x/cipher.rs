//! A block cipher's functions for C: key expansion, blocks, and the modes ECB, CBC and CTR.
//!
//! ```text
//!  P_init          key ──► P_expand ──► context: the table
//!  P_ecb_encrypt …  P_run:  a chunk of blocks is filled, encrypted in its place, and drained
//!
//!     data, low byte first ──fill──► chunk, words ──► P_encrypt or P_decrypt ──drain──► data
//!     ECB      the block                                the block
//!     CBC      the block, with the last one XORed       the block; it is the last one
//!     CTR      the next counter                         XORed to the data
//! ```
//!
//! With ECB alone there is no vector, and a chunk is filled and drained in one way. With single
//! blocks alone a chunk has one block.
//!
//! Where XGATE computes, a chunk is a part of its job. The data do not change before a chunk is
//! done. If XGATE is late, the same data are therefore filled again, block by block, for the CPU.
//! Where the CPU does not fall back, the functions return [`LATE`] instead.

mod routines;
mod run;
mod single;

use super::compression::Compression;
use super::start::{TO_XGATE, xgate_init};
use super::text::Lines;
use std::fmt::Write;

/// Blocks of a chunk.
const CHUNK: usize = 16;

/// Bus cycles of one iteration of the loop that waits for a job.
const POLL: usize = 9;

/// The functions of a cipher as compressions. The chaining value is the table in the expansion, and
/// a block in the others.
#[derive(Clone, Debug)]
pub struct Cipher<'c> {
    /// The prefix of labels.
    pub prefix: &'c str,
    /// Bytes of a word.
    pub word: usize,
    /// The table before the key is mixed in.
    pub table: Steps,
    /// Bytes of a key, and of the words into which it is copied.
    pub key_bytes: [usize; 2],
    /// Key expansion, encryption, decryption: those that the CPU computes. It computes all if it
    /// falls back, and the last two if it computes beside XGATE.
    pub functions: [Option<&'c Compression>; 3],
    /// The modes.
    pub modes: Modes,
    /// The side of XGATE, if it computes.
    pub handover: Option<Side>,
    /// Bytes of XGATE's part that have an initial value.
    pub image_bytes: usize,
}

/// The modes of a cipher that have functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Modes {
    /// ECB, CBC and CTR.
    #[default]
    All,
    /// ECB alone.
    Ecb,
    /// No mode: single blocks alone, the smallest program.
    Block,
}

manylane_graph::names! { Modes:
    /// Its name on the command line.
    All "all", Ecb "ecb", Block "block",
}

/// A table of two or more words, each of which is the sum of the one before and a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// The first word.
    pub first: u64,
    /// The addend, modulo the word's size.
    pub step: u64,
    /// The number of words.
    pub count: usize,
}

impl Steps {
    /// The description of words of `bits` bits, if each is the sum of the one before and one
    /// constant.
    pub fn of(words: &[u64], bits: u32) -> Option<Self> {
        let &[first, second, ..] = words else { return None };
        let step = |a: u64, b: u64| b.wrapping_sub(a) << (64 - bits) >> (64 - bits);
        let of = Self { first, step: step(first, second), count: words.len() };
        words.windows(2).all(|pair| step(pair[0], pair[1]) == of.step).then_some(of)
    }
}

/// XGATE's part in a cipher's program.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// Bus cycles that a block or an expansion may take.
    pub cycles: usize,
    /// Whether the CPU computes blocks at the same time.
    pub is_beside: bool,
    /// XGATE's addresses of its functions, if a job has one block and the CPU does not fall back.
    pub single: Option<[u16; 3]>,
}

/// The value that functions return if XGATE has not finished in time and the CPU does not fall
/// back.
pub const LATE: usize = 2;

/// The names of the functions in labels, in their order.
pub const FUNCTIONS: [&str; 3] = ["expand", "encrypt", "decrypt"];

/// Byte offsets from `P_work` of the variables.
const C: usize = 0;
const AT: usize = 2;
const TO: usize = 4;
const LEFT: usize = 6;
const VECTOR: usize = 8;
const COUNT: usize = 10;
const TURNS: usize = 12;
const POINTER: usize = 14;
const BASE: usize = 16;
const FROM: usize = 18;
const FILL: usize = 20;
const DRAIN: usize = 22;
const DECRYPTS: usize = 24;
const LIMIT: usize = 26;
const OWN: usize = 28;
/// Bytes of a job: the flag, the addresses of the chaining values and the block, the number, and
/// the thread's function.
const JOB_BYTES: usize = 10;

impl Cipher<'_> {
    fn block(&self) -> usize {
        2 * self.word
    }

    fn last(&self) -> usize {
        OWN + self.block()
    }

    fn current(&self) -> usize {
        self.last() + self.block()
    }

    fn key(&self) -> usize {
        match self.modes {
            Modes::All => self.current() + self.block(),
            Modes::Ecb | Modes::Block => self.last(),
        }
    }

    /// The job's offset from `P_work` on.
    pub fn job(&self) -> usize {
        self.key() + self.key_bytes[1]
    }

    fn chunk(&self) -> usize {
        self.job() + JOB_BYTES
    }

    fn kept(&self) -> usize {
        match self.handover {
            None => self.job(),
            Some(_) => self.chunk() + (self.most_blocks() * self.block()).max(self.table_bytes()),
        }
    }

    /// The largest number of blocks of a chunk.
    fn most_blocks(&self) -> usize {
        if self.has_data() { CHUNK } else { 1 }
    }

    fn table_bytes(&self) -> usize {
        self.table.count * self.word
    }

    /// Bytes of RAM from `P_work` on.
    pub fn work_bytes(&self) -> usize {
        // The functions share one area, as no two of them run at the same time. Without functions
        // XGATE reads the table there.
        let own = self.functions.iter().flatten().map(|of| of.bytes()).max();
        self.kept() + own.unwrap_or(self.table_bytes())
    }

    /// Whether the CPU computes what XGATE does not finish in time.
    fn falls_back(&self) -> bool {
        self.functions[0].is_some()
    }

    /// Whether there are modes with an initialization vector or a counter.
    fn has_vectors(&self) -> bool {
        self.modes == Modes::All
    }

    /// Whether there are functions of data of more than one block.
    fn has_data(&self) -> bool {
        self.modes != Modes::Block
    }

    /// The return type of functions that can fail only because XGATE is late.
    fn returned(&self) -> &'static str {
        if self.falls_back() { "void" } else { "uint16_t" }
    }

    fn var(&self, offset: usize) -> String {
        format!("{}_work+{offset}", self.prefix)
    }

    /// Writes everything; the work area is at `address`.
    pub fn write(&self, address: usize) -> String {
        let p = self.prefix;
        let mut lines = Lines::new(p);
        let _ = writeln!(lines.text, "{p}_work = 0x{address:04x}");
        for (name, of) in FUNCTIONS.iter().zip(self.functions) {
            let Some(of) = of else { continue };
            lines.text += &of.symbols(&format!("{p}_{name}"), address + self.kept());
        }
        if let Some(Side { cycles, single: Some(functions), .. }) = self.handover {
            self.single(&mut lines, functions, cycles);
            return lines.text;
        }
        if self.handover.is_some() {
            lines.entry(&format!("void {p}_xgate_init(void)"), "xgate_init");
            xgate_init(&mut lines, &[self.var(self.job())]);
        }
        self.init(&mut lines);
        self.blocks(&mut lines);
        if self.has_data() {
            self.modes(&mut lines);
        }
        self.run(&mut lines);
        self.fills(&mut lines);
        if let Some(Side { cycles, .. }) = self.handover {
            self.job_routines(&mut lines, cycles);
        }
        for of in self.functions.into_iter().flatten() {
            lines.text.push('\n');
            lines.text.push_str(&of.text);
        }
        lines.text
    }

    fn init(&self, lines: &mut Lines) {
        let p = self.prefix;
        let [key_bytes, room] = self.key_bytes;
        let (c, at, key) = (self.var(C), self.var(AT), self.var(self.key()));
        let table = self.table_bytes();
        let returned = self.returned();
        lines.entry(
            &format!("{returned} {p}_init({p}_ctx *c, const uint8_t key[{key_bytes}])"),
            "init",
        );
        lines.ops(&format!("std {c}\nmovw 2,sp,{at}\njsr {p}_key"));
        if key_bytes > 0 {
            lines.ops(&format!(
                "ldx {at}
                 ldy #{key}
                 {p}_init_key:
                 movb 1,x+,1,y+
                 cpy #{key}+{key_bytes}
                 bne {p}_init_key"
            ));
        }
        if self.handover.is_some() {
            let (job, chunk) = (self.var(self.job()), self.var(self.chunk()));
            lines.ops(&format!(
                "ldd {job}
                 cpd #1
                 beq {p}_init_alone
                 ldy #{chunk}
                 jsr {p}_table
                 ldy #{key}+{TO_XGATE:#x}
                 ldx #0
                 ldd #1
                 jsr {p}_job
                 jsr {p}_wait
                 bcs {p}_init_alone
                 ldx #{chunk}
                 ldy {c}
                 jsr {p}_move
                 ldd #0
                 bra {p}_key
                 {p}_init_alone:"
            ));
        }
        match self.falls_back() {
            true => lines.ops(&format!(
                "ldy {c}
                 bsr {p}_table
                 ldy #{key}
                 jsr {p}_expand_take
                 ldx {c}
                 jsr {p}_expand_compress"
            )),
            false => lines.op("ldd", &format!("#{LATE}")),
        }
        lines.text.push('\n');
        lines.comment("Overwrites the key's words.");
        lines.ops(&format!(
            "{p}_key:
             ldx #{key}
             {p}_key_word:
             movw #0,2,x+
             cpx #{key}+{room}
             bne {p}_key_word
             rts"
        ));
        lines.text.push('\n');
        self.initial(lines);
        lines.text.push('\n');
        lines.comment("Copies a table from X to Y.");
        lines.ops(&format!(
            "{p}_move:
             ldd #{}
             {p}_move_word:
             movw 2,x+,2,y+
             dbne d,{p}_move_word
             rts",
            table / 2
        ));
    }

    /// Writes `P_table`, which sets the table at Y to its words before the key is mixed in.
    fn initial(&self, lines: &mut Lines) {
        let (p, word, limbs) = (self.prefix, self.word, self.word / 2);
        let Steps { first, step, count } = self.table;
        let limb = |of: u64, i: usize| format!("0x{:04x}", (of >> (16 * i)) as u16);
        lines.comment("Sets the table at Y: each word is the one before and a constant.");
        lines.label(&format!("{p}_table"));
        for i in (0..limbs).rev() {
            lines.op("movw", &format!("#{},{},y", limb(first, i), word - 2 - 2 * i));
        }
        lines.op("ldx", &format!("#{}", count - 1));
        lines.label(&format!("{p}_table_word"));
        for i in 0..limbs {
            let at = word - 2 - 2 * i;
            lines.op("ldd", &format!("{at},y"));
            lines.op(if i == 0 { "addd" } else { "aded" }, &format!("#{}", limb(step, i)));
            lines.op("std", &format!("{},y", at + word));
        }
        lines.ops(&format!("leay {word},y\ndbne x,{p}_table_word\nrts"));
    }

    fn blocks(&self, lines: &mut Lines) {
        let (p, size) = (self.prefix, self.block());
        for (i, way) in ["encrypt", "decrypt"].into_iter().enumerate() {
            lines.entry(
                &format!(
                    "{} {p}_{way}_block(const {p}_ctx *c, const uint8_t in[{size}], uint8_t \
                     out[{size}])",
                    self.returned()
                ),
                &format!("{way}_block"),
            );
            lines.op("ldx", &format!("#{i}"));
            if i == 0 {
                lines.op("bra", &format!("{p}_block"));
            }
        }
        lines.ops(&format!(
            "{p}_block:
             stx {decrypts}
             std {c}
             movw 2,sp,{at}
             movw 4,sp,{to}
             movw #{size},{left}
             {plain}
             {limit}
             jmp {p}_run",
            plain = self.no_vector(),
            limit = self.limit(1),
            decrypts = self.var(DECRYPTS),
            c = self.var(C),
            at = self.var(AT),
            to = self.var(TO),
            left = self.var(LEFT),
        ));
    }

    /// The instructions that choose blocks without a vector, if there are other modes.
    fn no_vector(&self) -> String {
        if !self.has_vectors() {
            return String::new();
        }
        let p = self.prefix;
        format!(
            "movw #0,{vector}
             movw #{p}_fill,{fill}
             movw #{p}_drain,{drain}",
            vector = self.var(VECTOR),
            fill = self.var(FILL),
            drain = self.var(DRAIN),
        )
    }

    /// The instruction that sets the largest number of blocks of a chunk.
    fn limit(&self, blocks: usize) -> String {
        match self.handover {
            Some(_) if self.has_data() => format!("movw #{blocks},{}", self.var(LIMIT)),
            _ => String::new(),
        }
    }

    fn modes(&self, lines: &mut Lines) {
        let (p, size) = (self.prefix, self.block());
        let (at, to, left) = (self.var(AT), self.var(TO), self.var(LEFT));
        for (i, way) in ["encrypt", "decrypt"].into_iter().enumerate() {
            lines.entry(
                &format!("uint16_t {p}_ecb_{way}(const {p}_ctx *c, void *data, uint16_t length)"),
                &format!("ecb_{way}"),
            );
            lines.op("ldx", &format!("#{i}"));
            if i == 0 {
                lines.op("bra", &format!("{p}_ecb"));
            }
        }
        lines.ops(&format!(
            "{p}_ecb:
             stx {decrypts}
             std {c}
             movw 2,sp,{at}
             movw 4,sp,{left}
             {plain}
             {limit}",
            decrypts = self.var(DECRYPTS),
            c = self.var(C),
            plain = self.no_vector(),
            limit = self.limit(CHUNK),
        ));
        if self.has_vectors() {
            lines.op("bra", &format!("{p}_whole"));
            self.modes_with_vectors(lines);
        }
        lines.ops(&format!(
            "{p}_whole:
             movw {at},{to}
             ldab {left}+1
             bitb #{}
             beq {p}_run
             ldd #1
             rts",
            size - 1
        ));
    }

    fn modes_with_vectors(&self, lines: &mut Lines) {
        let (p, size) = (self.prefix, self.block());
        let (at, to) = (self.var(AT), self.var(TO));
        for (mode, name, fill, drain, way, most) in [
            ("cbc_encrypt", "iv", "fill_cbc", "drain_cbc", 0, 1),
            ("cbc_decrypt", "iv", "fill", "drain_uncbc", 1, CHUNK),
            ("ctr", "counter", "fill_ctr", "drain_ctr", 0, CHUNK),
        ] {
            lines.entry(
                &format!(
                    "uint16_t {p}_{mode}(const {p}_ctx *c, uint8_t {name}[{size}], void *data, \
                     uint16_t length)"
                ),
                mode,
            );
            lines.ops(&format!(
                "movw #{way},{decrypts}
                 movw #{p}_{fill},{filled_by}
                 movw #{p}_{drain},{drained_by}
                 {limit}
                 std {c}
                 movw 2,sp,{vector}
                 movw 4,sp,{at}
                 movw 6,sp,{left}",
                decrypts = self.var(DECRYPTS),
                filled_by = self.var(FILL),
                drained_by = self.var(DRAIN),
                limit = self.limit(most),
                c = self.var(C),
                vector = self.var(VECTOR),
                left = self.var(LEFT),
            ));
            match mode {
                "ctr" => lines.ops(&format!("movw {at},{to}\nbra {p}_run")),
                _ => lines.op("bra", &format!("{p}_whole")),
            }
        }
    }
}
