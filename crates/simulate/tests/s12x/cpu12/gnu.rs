//! GNU as of the 68HC12 (Debian's binutils-m68hc1x) beside the assembler and disassembler of this
//! crate.

use super::super::binutils::{CPU, are_here, assert_same, gnu_bytes};
use super::bytes;
use super::disassembler::programs;
use manylane_simulate::s12x::cpu12::listing;

#[test]
fn listings_of_every_opcode_and_postbyte() {
    if !are_here() {
        return;
    }
    // As many opcodes together as a segment holds.
    let mut joined: Vec<Vec<u8>> = vec![Vec::new()];
    for program in programs() {
        if joined.last().unwrap().len() + program.len() > 0x7000 {
            joined.push(Vec::new());
        }
        joined.last_mut().unwrap().extend(program);
    }
    for program in joined {
        let text = listing(&program, 0x4000);
        assert_same(&program, &gnu_bytes(CPU, &text, 0x4000), 4, &text);
    }
}

/// What a compiler or a writer of assembly uses: addressing, aliases, labels near and far.
const PROGRAM: &str = "
; comment
* a comment
K = 5
        .equ M, 0x1234
start:  ldaa #K                 ; and one
        LDAB #-1
        ldd #table
        ldx #M+4
        ldy *K
        lds 0x3f00
        ldaa K,x
        ldaa K+20,x
        ldaa M,sp
        ldaa -M,y
        ldaa table,x
        ldaa tend-table,x
        ldaa 0xfff0,x
        ldd ,y
        ldd 2,x+
        std 8,-sp
        stx 1,+y
        sty 3,sp-
        ldaa b,x
        ldd d,pc
        ldd 7,pc
        ldd [d,x]
        ldd [M,sp]
        ldaa start,pc
        leax table,pc
        movb #1,2,x
        movw #table,2,x+
        movw table,table+2
        movb 1,x,2,y
        movw [d,x],300,sp
        movb *5,*6
        bset *K,#3
        bclr M,#0x80
        brset K,x,#1,start
        brclr 1,y+,#K,1f
1:      bne 1b
        beq 1f
        bhs start
1:      dbne b,1b
        ibeq sp,2f
2:      tbne y,2b
        bsr start
        jsr start
        jsr *K
        jsr [table,x]
        jmp 0,x
        bne end
        bra end
        bsr end
        brn end
        dbne x,end
        jbne start
        jbsr start
        lbra start
        lbne end
        tfr a,b
        sex b,x
        sex d,y
        exg d,x
        xgdy
        abx
        aby
        clc
        sei
        tsx
        tap
        ins
        asl K,x
        lslw M
        aslx
        cped #M
        aded 2,x
        eorx #1
        eory table
        gldaa M
        gstd 2,x
        btas 2,x,#1
        pshcw
        pulcw
        emacs table
        maxa 2,x
        eminm [d,y]
        tbl 2,x
        etbl 1,y+
        call start,3
        call 2,x,3
        call [d,x]
        trap #0x30
        sys
        swi
        rtc
        rti
        wai
        stop
        mem
        rev
        wav
table:  .word 1,start,-1,end-start
        .byte 1,2,'a',K|8
tend:   .long 0x12345678
        .ascii \"ab\\n;\"
        .align 2
        .skip 300
end:    rts
";

#[test]
fn a_program_of_all_that_is_known() {
    if !are_here() {
        return;
    }
    for origin in [0x1000, 0x8000] {
        let ours = bytes(PROGRAM, origin);
        assert_same(&ours, &gnu_bytes(CPU, PROGRAM, origin), 4, PROGRAM);
    }
}
