//! HMAC (RFC 2104, FIPS 198-1) around the functions of a hash.
//!
//! ```text
//!  context:  hash's context │ chaining value after the key's outer block
//!  init:     key, or its digest if it is longer than a block, and zeros ──► block
//!            block ⊕ 5c… ──► outer chaining value;  block ⊕ 36… ──► hash's context
//!  final:    digest of the message ──► message of the hash that begins with the outer block
//! ```

use super::hash::Text;
use super::surroundings::Context;
use super::text::Lines;
use manylane_graph::framing::{Framing, Unit};

/// HMAC with a hash in assembly.
#[derive(Clone, Copy, Debug)]
pub struct Mac<'m> {
    /// The prefix of its labels.
    pub prefix: &'m str,
    /// The prefix of its hash's labels.
    pub hash: &'m str,
    /// If XGATE computes, whether it may go on after `update` has returned.
    pub handover: Option<bool>,
}

/// Byte offsets from `M_keyed` of the variables (the context's address, an address and a length)
/// and of the block.
const CONTEXT: usize = 0;
const AT: usize = 2;
const LENGTH: usize = 4;
const BLOCK: usize = 6;

impl Mac<'_> {
    /// Writes init, update and final. Returns the text, and how many bytes of RAM it needs from
    /// `M_keyed` on, which is at `address`.
    pub fn write(&self, hash: &Text, framing: &Framing, address: usize) -> (String, usize) {
        let Self { prefix: m, hash: p, handover } = *self;
        let mut lines = Lines::new(m);
        lines.text = format!("{m}_keyed = 0x{address:04x}\n");
        let mut functions = Functions { m, p, handover, hash, lines };
        functions.of_xgate();
        functions.init();
        functions.begin();
        functions.move_chain();
        functions.zero();
        functions.update();
        functions.last(framing);
        let bytes = BLOCK + functions.room();
        (functions.lines.text, bytes)
    }
}

/// The functions of HMAC as they are written.
struct Functions<'m> {
    /// The prefix of HMAC's labels.
    m: &'m str,
    /// The prefix of the hash's labels.
    p: &'m str,
    /// As [`Mac::handover`].
    handover: Option<bool>,
    hash: &'m Text,
    lines: Lines,
}

impl Functions<'_> {
    /// The operand of the variable at an offset from `M_keyed`.
    fn var(&self, offset: usize) -> String {
        format!("{}_keyed+{offset}", self.m)
    }

    /// Bytes of RAM for a block. The hash may hold a full block back, as it could be the last one;
    /// one more byte makes it compress the block.
    fn room(&self) -> usize {
        (self.hash.context.block_bytes + 1).next_multiple_of(2)
    }

    /// The instructions that call a function of the hash with the context and `what`.
    fn call(&self, name: &str, what: &str) -> String {
        let (p, c) = (self.p, self.var(CONTEXT));
        format!(
            "movw {what},2,-sp
             ldd {c}
             jsr {p}_{name}
             leas 2,sp"
        )
    }

    /// The instructions, unless contexts have no mark of a late job. The hash's `init` clears the
    /// mark, which therefore waits on the stack.
    fn if_late(&self, instructions: String) -> String {
        if self.hash.context.has_late { instructions } else { String::new() }
    }

    /// Writes the entry points that XGATE makes necessary. They jump to the hash's functions.
    fn of_xgate(&mut self) {
        let Self { m, p, handover, .. } = *self;
        if handover.is_some() {
            self.lines.entry(&format!("void {m}_xgate_init(void)"), "xgate_init");
            self.lines.op("jmp", &format!("{p}_xgate_init"));
        }
        if handover == Some(true) {
            self.lines.entry(&format!("void {m}_settle(void)"), "settle");
            self.lines.op("jmp", &format!("{p}_settle"));
        }
    }

    /// Writes `init`: the block of the key, the chaining value after the outer block, and the
    /// hash's context after the inner block.
    fn init(&mut self) {
        let Self { m, p, handover, .. } = *self;
        let (size, outer) = (self.hash.context.block_bytes, self.hash.context.bytes());
        let late = self.hash.context.late();
        let [c, at, length, block] = [CONTEXT, AT, LENGTH, BLOCK].map(|offset| self.var(offset));
        let settle = match handover {
            Some(true) => format!("jsr {p}_settle"),
            Some(false) | None => String::new(),
        };
        let push = self.if_late("pshd".to_owned());
        let keep = self
            .if_late(format!("ldd {late},x\nbeq {m}_init_in_time\nstd 0,sp\n{m}_init_in_time:"));
        let pull = self.if_late(format!("puld\ntbeq d,{m}_zero\nldx {c}\nstd {late},x"));
        let update = self.call("update", &at);
        let last = self.call("final", &format!("#{block}"));
        self.lines
            .entry(&format!("void {m}_init({m}_ctx *c, const void *key, uint16_t length)"), "init");
        self.lines.ops(&format!(
            "std {c}
             movw 2,sp,{at}
             movw 4,sp,{length}
             jsr {m}_zero
             ldd {length}
             beq {m}_init_padded
             cpd #{size}
             bls {m}_init_short
             ldd {c}
             jsr {p}_init
             movw {length},2,-sp
             {update}
             leas 2,sp
             {last}
             bra {m}_init_padded
             {m}_init_short:
             ldx {at}
             ldy #{block}
             {m}_init_copy:
             movb 1,x+,1,y+
             dbne d,{m}_init_copy
             {m}_init_padded:
             {push}
             ldy #0x5c5c
             ldd #{}
             bsr {m}_begin
             {settle}
             ldx {c}
             {keep}
             leay {outer},x
             bsr {m}_move
             ldy #0x6a6a
             ldd #{size}
             bsr {m}_begin
             {settle}
             {pull}
             bra {m}_zero",
            size + 1,
        ));
    }

    /// Writes `M_begin`, which makes the inner or outer block and begins a message with it.
    fn begin(&mut self) {
        let Self { m, p, .. } = *self;
        let size = self.hash.context.block_bytes;
        let [c, length, block] = [CONTEXT, LENGTH, BLOCK].map(|offset| self.var(offset));
        let update = self.call("update", &format!("#{block}"));
        self.lines.text.push('\n');
        self.lines.comment(
            "XORs Y to each word of the block, and begins a message with D bytes from it.",
        );
        self.lines.ops(&format!(
            "{m}_begin:
             std {length}
             sty 2,-sp
             ldx #{block}
             {m}_begin_word:
             ldd 0,x
             eora 0,sp
             eorb 1,sp
             std 2,x+
             cpx #{block}+{size}
             bne {m}_begin_word
             leas 2,sp
             ldd {c}
             jsr {p}_init
             movw {length},2,-sp
             {update}
             leas 2,sp
             rts",
        ));
    }

    /// Writes `M_move`, which copies a chaining value.
    fn move_chain(&mut self) {
        let m = self.m;
        self.lines.text.push('\n');
        self.lines.comment("Copies a chaining value from X to Y.");
        self.lines.ops(&format!(
            "{m}_move:
             ldd #{}
             {m}_move_word:
             movw 2,x+,2,y+
             dbne d,{m}_move_word
             rts",
            self.hash.context.chain_bytes / 2
        ));
    }

    /// Writes `M_zero`, which overwrites the block with zeros. Its label `M_zero_word` does this
    /// for D words at X.
    fn zero(&mut self) {
        let (m, block) = (self.m, self.var(BLOCK));
        let words = self.room() / 2;
        self.lines.text.push('\n');
        self.lines.comment("Overwrites the block.");
        self.lines.ops(&format!(
            "{m}_zero:
             ldx #{block}
             ldd #{words}
             {m}_zero_word:
             movw #0,2,x+
             dbne d,{m}_zero_word
             rts"
        ));
    }

    /// Writes `update`, which is the hash's.
    fn update(&mut self) {
        let Self { m, p, .. } = *self;
        self.lines.entry(
            &format!("void {m}_update({m}_ctx *c, const void *data, uint16_t length)"),
            "update",
        );
        self.lines.op("jmp", &format!("{p}_update"));
    }

    /// Writes `final`: the inner digest is the message behind the outer block. Afterwards the
    /// context is overwritten.
    fn last(&mut self, framing: &Framing) {
        let m = self.m;
        let Context { chain_bytes, block_bytes: size, has_late } = self.hash.context;
        let (digest, outer) = (self.hash.digest_bytes, self.hash.context.bytes());
        let [c, at, block] = [CONTEXT, AT, BLOCK].map(|offset| self.var(offset));
        // The count says that one block has been compressed, in blocks or in bytes.
        let units = [framing.padding.length.map(|of| of.unit), framing.counter.map(|of| of.unit)];
        let counted = if units.contains(&Some(Unit::Blocks)) { 1 } else { size };
        let count = self.hash.context.count();
        let push = self.if_late("pshd".to_owned());
        let zero = match has_late {
            true => format!("bsr {m}_zero_word\npuld\nrts"),
            false => format!("bra {m}_zero_word"),
        };
        let inner = self.call("final", &format!("#{block}"));
        let update = self.call("update", &format!("#{block}"));
        let last = self.call("final", &at);
        let returned = if has_late { "uint16_t" } else { "void" };
        let declaration = format!("{returned} {m}_final({m}_ctx *c, uint8_t mac[{digest}])");
        self.lines.entry(&declaration, "final");
        self.lines.ops(&format!(
            "std {c}
             movw 2,sp,{at}
             {inner}
             ldy {c}
             leax {outer},y
             bsr {m}_move
             ldx {c}
             leax {count},x
             movw #0,2,x+
             movw #0,2,x+
             movw #0,2,x+
             movw #{counted},2,x+
             movw #0,0,x
             movw #{digest},2,-sp
             {update}
             leas 2,sp
             {last}
             {push}
             bsr {m}_zero
             ldx {c}
             ldd #{}
             {zero}",
            (outer + chain_bytes) / 2,
        ));
        self.lines.text.push('\n');
    }
}
