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

/// Byte offsets from `M_keyed` of the variables, the context, an address and a length, and of the
/// block.
const CONTEXT: usize = 0;
const AT: usize = 2;
const LENGTH: usize = 4;
const BLOCK: usize = 6;

impl Mac<'_> {
    /// Writes init, update and final. Returns the text, and how many bytes of RAM it needs from
    /// `M_keyed` on, which is at `address`.
    pub fn write(&self, hash: &Text, framing: &Framing, address: usize) -> (String, usize) {
        let Self { prefix: m, hash: p, handover } = *self;
        let Context { chain_bytes, block_bytes: size, has_late } = hash.context;
        let late = hash.context.late();
        // The hash's `init` clears the mark of a late job, which therefore waits on the stack.
        let only_if_late = |text: String| if has_late { text } else { String::new() };
        let digest = hash.digest_bytes;
        let outer = hash.context.bytes();
        let var = |offset: usize| format!("{m}_keyed+{offset}");
        let (c, at, length, block) = (var(CONTEXT), var(AT), var(LENGTH), var(BLOCK));
        // With one byte behind it the block is not the last one, so that the hash compresses it.
        let room = (size + 1).next_multiple_of(2);
        let settle = match handover {
            Some(true) => format!("jsr {p}_settle"),
            Some(false) | None => String::new(),
        };
        let mut lines = Lines::new(m);
        lines.text = format!("{m}_keyed = 0x{address:04x}\n");
        if handover.is_some() {
            lines.entry(&format!("void {m}_xgate_init(void)"), "xgate_init");
            lines.op("jmp", &format!("{p}_xgate_init"));
        }
        if handover == Some(true) {
            lines.entry(&format!("void {m}_settle(void)"), "settle");
            lines.op("jmp", &format!("{p}_settle"));
        }
        let call = |name: &str, what: &str| {
            format!(
                "movw {what},2,-sp
                 ldd {c}
                 jsr {p}_{name}
                 leas 2,sp"
            )
        };
        lines
            .entry(&format!("void {m}_init({m}_ctx *c, const void *key, uint16_t length)"), "init");
        lines.ops(&format!(
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
            push = only_if_late("pshd".to_owned()),
            keep = only_if_late(format!(
                "ldd {late},x\nbeq {m}_init_in_time\nstd 0,sp\n{m}_init_in_time:"
            )),
            pull = only_if_late(format!("puld\ntbeq d,{m}_zero\nldx {c}\nstd {late},x")),
            update = call("update", &at),
            last = call("final", &format!("#{block}")),
        ));
        lines.text.push('\n');
        lines.comment(
            "XORs Y to each word of the block, and begins a message with D bytes from it.",
        );
        lines.ops(&format!(
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
            update = call("update", &format!("#{block}")),
        ));
        lines.text.push('\n');
        lines.comment("Copies a chaining value from X to Y.");
        lines.ops(&format!(
            "{m}_move:
             ldd #{}
             {m}_move_word:
             movw 2,x+,2,y+
             dbne d,{m}_move_word
             rts",
            chain_bytes / 2
        ));
        lines.text.push('\n');
        lines.comment("Overwrites the block.");
        lines.ops(&format!(
            "{m}_zero:
             ldx #{block}
             ldd #{}
             {m}_zero_word:
             movw #0,2,x+
             dbne d,{m}_zero_word
             rts",
            room / 2
        ));
        lines.entry(
            &format!("void {m}_update({m}_ctx *c, const void *data, uint16_t length)"),
            "update",
        );
        lines.op("jmp", &format!("{p}_update"));
        let returned = if has_late { "uint16_t" } else { "void" };
        lines.entry(&format!("{returned} {m}_final({m}_ctx *c, uint8_t mac[{digest}])"), "final");
        // The count says that one block has been compressed, in blocks or in bytes.
        let units = [framing.padding.length.map(|of| of.unit), framing.counter.map(|of| of.unit)];
        let counted = if units.contains(&Some(Unit::Blocks)) { 1 } else { size };
        let count = hash.context.count();
        lines.ops(&format!(
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
            push = only_if_late("pshd".to_owned()),
            zero = match has_late {
                true => format!("bsr {m}_zero_word\npuld\nrts"),
                false => format!("bra {m}_zero_word"),
            },
            inner = call("final", &format!("#{block}")),
            update = call("update", &format!("#{block}")),
            last = call("final", &at),
        ));
        lines.text.push('\n');
        (lines.text, BLOCK + room)
    }
}
