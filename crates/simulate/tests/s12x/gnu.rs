//! GNU as, ld and objdump of the 68HC12 (Debian's binutils-m68hc1x) beside the assembler and the
//! files of this crate.

use super::binutils::{XGATE, are_here, gnu_bytes, run};
use manylane_simulate::s12x::assembler::assemble;
use manylane_simulate::s12x::object::{Segment, Space, Symbol, write_elf, write_srecords};
use manylane_simulate::s12x::xgate::{XgateSet, gnu_text, listing};
use std::fs;

#[test]
fn the_disassembly_of_every_word() {
    if !are_here() {
        return;
    }
    let words: Vec<u16> = (0..=u16::MAX).collect();
    for part in words.chunks(0x4000) {
        let lines: Vec<_> = part.iter().map(|&word| gnu_text(word)).collect();
        let found = gnu_bytes(XGATE, &lines.join("\n"), 0x4000);
        let expected: Vec<_> = part.iter().flat_map(|word| word.to_be_bytes()).collect();
        let differs = (0..expected.len()).find(|&at| found.get(at) != Some(&expected[at]));
        let place = differs.map(|at| (&lines[at / 2], part[at / 2]));
        assert_eq!(place, None, "the first word that GNU as makes another of");
        assert_eq!(found.len(), expected.len());
    }
}

/// Labels stand at the targets of branches, and words that are no instructions are among the text.
#[test]
fn a_listing_assembles_to_the_same_bytes() {
    let object = assemble(&XgateSet, PROGRAM, 0xb000).unwrap();
    let mut bytes = object.segments[0].bytes.clone();
    bytes.extend([0x02, 0xf9, 0x3d, 0xff, 0x04]);
    let text = listing(&bytes, 0xb000);
    for line in ["Lb012:\n\tbne Lb012\n", "\t.word 0x02f9 ; tfr ccr,r2\n", "\t.byte 0x04\n"] {
        assert!(text.contains(line), "{line:?}: {text}");
    }
    assert!(text.contains("\tbra .+1024\n"), "a branch to where no word is: {text}");
    let again = assemble(&XgateSet, &text, 0xb000).unwrap();
    assert_eq!(again.segments[0].bytes, bytes);
    // The listing assembles to the same bytes at another address.
    assert_eq!(assemble(&XgateSet, &text, 0xe000).unwrap().segments[0].bytes, bytes);
    if are_here() {
        assert_eq!(gnu_bytes(XGATE, &text, 0xb000), bytes);
    }
}

/// Directives, labels, local labels, equates, expressions, aliases, comments.
const PROGRAM: &str = "
        ; comment
* a comment
# another one
K = 5
        .equ M, 0x1234
        .set P, K+M*2
start:  ldl r1,#K                ; and one
        LDH R1,#M>>8
        ldw r2,#table
        ldw r3,#table+4
        ldw r4,#-2
        bra 1f
1:      bne 1b
        beq 1f
        bhs start
        blo 1f
        ldb r1,(r2,#K)
        ldb r1,( r2, r3 +)
        ldw r1,(r0,-r3)
        stw r5,(r7,r6)
1:      .byte 1,2,'a',K|8
        .align 2
        add r1,#-300
        sub r1,#300
        and r1,#0x0ff0
        or  r2,#0x8001
        xnor r3,#0x1234
        cmp r1,#M
        cmp r1,r2
        cpc r3,r4
        com r5
        com r5,r6
        neg r1,r2
        mov r3,r4
        tst r5
        tfr r1,ccr
        tfr ccr,r3
        tfr r4,pc
        jal r6
        ssem #7 ! a comment
        csem r2
        sif r1
        sif
        brk
        bra end
table:  .word 1,start,-1,end-start
        .short 7
        .2byte 9
        .hword 4
        .long 0x12345678
        .ascii \"ab\\n;\"
        .asciz \"c\", \"d\"
        .balign 4
        .p2align 3
        .space 3
        .skip 1
        .zero 2
        .org 0x100
end:    rts
        .org start+0x110
        .org . + 4
        .word .
        bra .-4
        bra end-2
        ldl r1,#(1+2)*3-~0
        .end
        this is not read
";

#[test]
fn a_program_of_all_that_is_known() {
    if !are_here() {
        return;
    }
    for origin in [0, 0xb000, 0xe000] {
        let ours = assemble(&XgateSet, PROGRAM, origin).unwrap();
        let mut expected = gnu_bytes(XGATE, PROGRAM, origin);
        // GNU as fills a section up to the largest alignment in it, here 8.
        let ours = &ours.segments[0].bytes;
        let padding = expected.split_off(ours.len());
        assert_eq!((ours, padding.as_slice()), (&expected, &[0; 4][..]), "at {origin:#x}");
    }
}

/// objdump reads addresses, bytes and symbols of an ELF file and of S-records.
#[test]
fn files_are_read_by_objdump() {
    if !are_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let object = assemble(&XgateSet, "first: nop\nsecond: rts", 0xe000).unwrap();
    let mut segments = object.segments;
    segments.push(Segment { space: Space::Xgate, address: 0xb000, bytes: vec![1, 2, 3, 4, 5] });
    let mut symbols = object.symbols;
    symbols.push(Symbol { name: "limit".to_owned(), space: Space::Xgate, address: 0x380 });
    fs::write(at.join("a.elf"), write_elf(&segments, &symbols, 0xe000)).unwrap();
    let said = run(at, "readelf", &["-h", "-l", "-S", "-W", "a.elf"]);
    assert!(said.contains("MC68HC12"), "{said}");
    assert!(said.contains("Entry point address:               0xe000"), "{said}");
    assert_eq!(said.matches("LOAD").count(), 2, "{said}");
    let said = run(at, "objdump", &["-d", "-t", "-m", "m9s12xg", "a.elf"]);
    for line in ["0000e000 g       .s0\t00000000 first", "00000380 g       *ABS*\t00000000 limit"] {
        assert!(said.contains(line), "{said}");
    }
    for line in
        ["0000e000 <first>:", "    e000:\t01 00       \tnop", "    e002:\t02 00       \trts"]
    {
        assert!(said.contains(line), "{said}");
    }
    fs::write(at.join("a.s19"), write_srecords("a", &segments, 0xe000)).unwrap();
    let said = run(at, "objdump", &["-s", "-b", "srec", "a.s19"]);
    for line in [" e000 01000200", " b000 01020304 05"] {
        assert!(said.contains(line), "{said}");
    }
}
