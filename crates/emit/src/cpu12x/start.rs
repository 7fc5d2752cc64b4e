//! The start of XGATE: where its code lies, the beginning of its thread, and the CPU's code that
//! copies it there and enables XGATE.

use super::text::Lines;

/// The address that XGATE's code is copied to, the first one of XGATE's RAM.
pub const IMAGE: u16 = 0xb000;

/// The number to add, modulo 2^16, to the CPU's address of a byte in the RAM that both cores see,
/// for XGATE's address of the same byte.
pub const TO_XGATE: u16 = 0xc000;

/// The offset of the vector of software trigger 0 in XGATE's table of vectors.
const VECTOR: u16 = 0xe4;

/// XGATE's vector of the trigger, and the beginning of its thread. The job is at the CPU's address
/// `job`.
pub fn begin(p: &str, job: u16) -> String {
    format!(
        "; {p}_xgate_init copies this to 0x{IMAGE:04x} of XGATE's addresses. First the vector.
        .word   {p}_xgate_thread, 0x{job:04x}
; R1 is the job. The software trigger is cleared: what it asks for begins now.
{p}_xgate_thread:
        ldw     r2,#0x0398
        ldw     r3,#0x0100
        stw     r3,(r2,#0)
",
        job = job.wrapping_add(TO_XGATE)
    )
}

/// Writes the code that copies XGATE's code to its RAM and enables XGATE. The trigger is cleared,
/// so that no thread begins with an earlier job. The words `none` become 0, which says that there
/// is no job.
pub(super) fn xgate_init(lines: &mut Lines, none: &[String]) {
    let p = lines.prefix.clone();
    lines.ops(
        "tfr ccr,a
         psha
         orcc #0x10
         ldab 0x0016
         pshb",
    );
    for word in none {
        lines.op("movw", &format!("#0,{word}"));
    }
    lines.ops(&format!(
        "movb #0xfb,0x0016
         ldx #{p}_xgate_image
         {p}_xgate_page:
         ldy #0x1000
         {p}_xgate_copy:
         movw 2,x+,2,y+
         cpx #{p}_xgate_image_end
         bhs {p}_xgate_copied
         cpy #0x2000
         bne {p}_xgate_copy
         inc 0x0016
         bra {p}_xgate_page
         {p}_xgate_copied:
         pulb
         stab 0x0016
         {enable}
         pula
         tfr a,ccr
         rts",
        enable = enable_xgate(),
    ));
}

/// The code that clears software trigger 0, gives it to XGATE, and enables XGATE.
pub(super) fn enable_xgate() -> String {
    format!(
        "movw #0x8000,0x0380
         movw #0x0100,0x0398
         movw #{vectors},0x0386
         movb #0x70,0x0127
         movb #0x81,0x0129
         movw #0x8080,0x0380",
        vectors = IMAGE - VECTOR,
    )
}
